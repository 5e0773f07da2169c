//! Limits on stretch, applied after each integration step.
//!
//! ```text
//!                     moves        in which order
//! provot              both ends    springs as they stand, each at once
//! provot_two_stage    both ends    all found before any is mended
//! provot_sorted       both ends    longest first
//! pbd                 both ends    particles by their number
//! gu, gu_cumulative   both ends    particles by their distance from the pins
//! directional         the goal     the correction map
//! tethers             the goal, then both ends
//! ```
//!
//! With `xpbd` the stretch springs are constraints and projected here, once with every method and as often as asked with
//! `tethers`. All other integrators have them as forces: then only `tethers` projects, as rigid rods.

mod directional;
mod gu;
mod provot;
mod tethers;

use self::gu::ParticleOrder;
pub(super) use self::provot::mend;
pub(super) use self::tethers::RootTethers;
use super::batch::{Bands, Batches, DistanceBatch, Kernel, Step};
use super::cloth::Cloth;
use super::elasticity::distances;
use super::method::{Enforcement, Integrator};
use super::parameters::Parameters;
use super::states::Fading;
use crate::correction::CorrectionMap;
use crate::geometry::Vec3;
use crate::springs::{Spring, SpringNetwork};

/// Over-relaxation of the first of several symmetric passes; the others are plain, or the cloth rings. On a hung cloth 1.7
/// halves the stretch that 1 leaves; from 1.8 on small substeps ring all the same.
const OVER_RELAXATION: f32 = 1.7;

/// A method with the springs it works on.
#[derive(Debug)]
pub(super) struct Enforcer {
    method: Enforcement,
    resistance: Resistance,
    stretch: Batches<DistanceBatch>,
    limits: Vec<Spring>,
    kernel: Kernel,
}

/// What resists stretch beside the enforcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resistance {
    /// The compliant constraints that are projected here.
    Constraints,
    /// Spring forces, integrated already.
    Forces,
}

/// What the collision state in force contributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct InForce<'a> {
    /// Correction map of the state.
    pub(super) map: &'a CorrectionMap,
    /// Tethers to the pins.
    pub(super) root_tethers: &'a RootTethers,
    /// Tethers to what is held back by something, and what the map lets off after it has taken over.
    pub(super) fading: &'a Fading,
}

impl Enforcer {
    pub(super) fn new(
        parameters: &Parameters,
        springs: &SpringNetwork,
        cloth: &Cloth,
        bands: &Bands,
        kernel: Kernel,
    ) -> Enforcer {
        let method = parameters.enforcement;
        let limits = match method {
            Enforcement::Provot { .. } | Enforcement::ProvotTwoStage { .. } | Enforcement::ProvotSorted { .. } => {
                springs.stretch.iter().chain(&springs.shear).copied().collect()
            }
            Enforcement::Pbd { .. } => gu::ordered(&springs.stretch, cloth, ParticleOrder::Number),
            Enforcement::Gu { .. } => gu::ordered(&springs.stretch, cloth, ParticleOrder::Nearest),
            Enforcement::GuCumulative { .. } => gu::ordered(&springs.stretch, cloth, ParticleOrder::Cumulative),
            _ => Vec::new(),
        };
        let (resistance, stiffness) = match parameters.integrator {
            Integrator::Xpbd => (Resistance::Constraints, parameters.fabric.stretch_stiffness),
            _ => (Resistance::Forces, f32::INFINITY),
        };
        let stretch = distances(&springs.stretch, stiffness, cloth, bands);
        Enforcer { method, resistance, stretch, limits, kernel }
    }

    /// One application, as every substep makes it.
    pub(super) fn enforce(&self, cloth: &mut Cloth, in_force: &InForce<'_>, seconds: f32) {
        if self.resistance == Resistance::Constraints && !matches!(self.method, Enforcement::Tethers { .. }) {
            self.project_stretch(cloth, seconds, 1.0);
        }
        match self.method {
            Enforcement::None => {}
            Enforcement::Provot { passes, threshold } => {
                (0..passes).for_each(|_| provot::mend_at_once(cloth, &self.limits, threshold));
            }
            Enforcement::ProvotTwoStage { passes, threshold } => {
                provot::mend_together(cloth, &self.limits, threshold, passes);
            }
            Enforcement::ProvotSorted { passes, threshold } => {
                (0..passes).for_each(|_| provot::mend_longest_first(cloth, &self.limits, threshold));
            }
            Enforcement::Pbd { passes } | Enforcement::Gu { passes } | Enforcement::GuCumulative { passes } => {
                (0..passes).for_each(|_| gu::project(cloth, &self.limits));
            }
            Enforcement::Directional { tolerance, .. } => {
                directional::correct(cloth, in_force.map, tolerance, &in_force.fading.switch);
                in_force.fading.hold(cloth);
            }
            Enforcement::Tethers { passes } => {
                in_force.root_tethers.hold(cloth);
                in_force.fading.hold(cloth);
                for pass in 0..passes {
                    let is_first_of_several = pass == 0 && passes > 1;
                    self.project_stretch(cloth, seconds, if is_first_of_several { OVER_RELAXATION } else { 1.0 });
                }
            }
        }
    }

    fn project_stretch(&self, cloth: &mut Cloth, seconds: f32, relaxation: f32) {
        let step = Step { per_step_squared: 1.0 / (seconds * seconds), gamma: 0.0, relaxation };
        self.kernel.distances(&mut cloth.points, &cloth.previous, &self.stretch, step);
    }
}

/// Moves a goal to at most `reach` from its source, along their line.
#[inline]
pub(super) fn pull(goal: &mut Vec3, source: Vec3, reach: f32) {
    let between = *goal - source;
    let distance_squared = between.length_squared();
    if distance_squared > reach * reach {
        *goal = source + between * (reach / distance_squared.sqrt());
    }
}

#[cfg(test)]
mod tests;
