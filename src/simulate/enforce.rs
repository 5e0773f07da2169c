//! Limits on stretch, applied after each integration step.

use super::batch::{Bands, Batches, DistanceBatch, Kernel, Step};
use super::cloth::Cloth;
use super::elasticity::distances;
use super::parameters::{Enforcement, Fabric};
use crate::correction::{CorrectionMap, Tether};
use crate::geometry::Vec3;
use crate::springs::{Spring, SpringNetwork};
use crate::topology::ParticleId;

/// Successive over-relaxation of the symmetric passes. On a hung cloth 1.5 halves the stretch that 1 leaves; single passes
/// ring from there on, two do not.
const OVER_RELAXATION: f32 = 1.5;

/// A method with the springs it works on.
#[derive(Debug)]
pub(super) struct Enforcer {
    stretch: Batches<DistanceBatch>,
    method: Enforcement,
    limits: Vec<Spring>,
    kernel: Kernel,
}

/// What the collision state in force contributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct InForce<'a> {
    /// Correction map of the state.
    pub(super) map: &'a CorrectionMap,
    /// Nearest pin of each particle.
    pub(super) pin_tethers: &'a [Option<Tether>],
    /// Nearest fixed particle of the state, for states that add some.
    pub(super) contact_tethers: &'a [Option<Tether>],
    /// Whether each particle touched something in the last substep: only a particle that is held back can hold others.
    pub(super) touching: &'a [bool],
}

impl Enforcer {
    pub(super) fn new(
        method: Enforcement,
        springs: &SpringNetwork,
        fabric: &Fabric,
        cloth: &Cloth,
        bands: &Bands,
        kernel: Kernel,
    ) -> Enforcer {
        let limits = match method {
            Enforcement::Provot { .. } => springs.stretch.iter().chain(&springs.shear).copied().collect(),
            _ => Vec::new(),
        };
        let stretch = distances(&springs.stretch, fabric.stretch_stiffness, cloth, bands);
        Enforcer { stretch, method, limits, kernel }
    }

    /// One application, as every substep makes it.
    pub(super) fn enforce(&self, cloth: &mut Cloth, in_force: &InForce<'_>, seconds: f32) {
        match self.method {
            Enforcement::None => self.project_stretch(cloth, seconds, 1.0),
            Enforcement::Provot { passes, threshold } => {
                self.project_stretch(cloth, seconds, 1.0);
                (0..passes).for_each(|_| shorten(cloth, &self.limits, threshold));
            }
            Enforcement::Directional { tolerance } => {
                self.project_stretch(cloth, seconds, 1.0);
                correct(cloth, in_force.map, tolerance);
            }
            Enforcement::Tethers { passes } => {
                hold(cloth, in_force.pin_tethers, |_| true);
                hold(cloth, in_force.contact_tethers, |root| in_force.touching[root]);
                let relaxation = if passes > 1 { OVER_RELAXATION } else { 1.0 };
                (0..passes).for_each(|_| self.project_stretch(cloth, seconds, relaxation));
            }
        }
    }

    fn project_stretch(&self, cloth: &mut Cloth, seconds: f32, relaxation: f32) {
        let step = Step { per_step_squared: 1.0 / (seconds * seconds), gamma: 0.0, relaxation };
        self.kernel.distances(&mut cloth.points, &cloth.previous, &self.stretch, step);
    }
}

/// Provot 1995, section 4: springs longer than `1 + threshold` of their rest length are brought back to that length.
fn shorten(cloth: &mut Cloth, springs: &[Spring], threshold: f32) {
    springs.iter().for_each(|s| draw_together(cloth, [s.a, s.b], s.rest_length * (1.0 + threshold)));
}

/// Moves two particles to at most `reach` from each other, both alike, or only the free one.
pub(super) fn draw_together(cloth: &mut Cloth, ends: [ParticleId; 2], reach: f32) {
    let [a, b] = ends.map(ParticleId::index);
    let between = cloth.points[b].at - cloth.points[a].at;
    let length = between.length();
    if length <= reach {
        return;
    }
    let excess = between * ((length - reach) / length);
    match (cloth.is_free(a), cloth.is_free(b)) {
        (true, true) => {
            cloth.points[a].at += excess * 0.5;
            cloth.points[b].at -= excess * 0.5;
        }
        (true, false) => cloth.points[a].at += excess,
        (false, true) => cloth.points[b].at -= excess,
        (false, false) => {}
    }
}

/// Ozgen & Kallmann 2011, section 3: every goal further from its source than tolerated is moved to the tolerated distance
/// along their line; sources stay. One pass in the order of the map.
fn correct(cloth: &mut Cloth, map: &CorrectionMap, tolerance: f32) {
    for correction in &map.corrections {
        let goal = correction.goal.index();
        if cloth.is_free(goal) {
            let source = cloth.points[correction.source.index()].at;
            pull(&mut cloth.points[goal].at, source, correction.rest_length * (1.0 + tolerance));
        }
    }
}

/// Moves each tethered particle to at most its tether's length from its root, when `holds(root)`.
fn hold(cloth: &mut Cloth, tethers: &[Option<Tether>], holds: impl Fn(usize) -> bool) {
    for (goal, tether) in tethers.iter().enumerate() {
        if let Some(tether) = tether.filter(|t| cloth.is_free(goal) && holds(t.root.index())) {
            let root = cloth.points[tether.root.index()].at;
            pull(&mut cloth.points[goal].at, root, tether.length);
        }
    }
}

#[inline]
fn pull(goal: &mut Vec3, source: Vec3, reach: f32) {
    let between = *goal - source;
    let distance_squared = between.length_squared();
    if distance_squared > reach * reach {
        *goal = source + between * (reach / distance_squared.sqrt());
    }
}
