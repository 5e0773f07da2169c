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
//! tethers             the goal,     tethers to the pins,
//!                     both ends    then thread after thread, each as a whole
//! ```
//!
//! With `xpbd` the stretch springs are constraints and projected here, once with every method and as often as asked with
//! `tethers`. All other integrators have them as forces: then only `tethers` projects, as rigid rods.

mod directional;
mod gu;
mod provot;
mod tethers;
mod threads;

use self::gu::ParticleOrder;
pub(super) use self::provot::mend;
pub(super) use self::tethers::{RootTethers, fields, nearest};
use super::batch::{Bands, Batched, DistanceBatch, Kernel, LineStep, Lines, Step, Sweep, Turn, side_by_side};
use super::cloth::Cloth;
use super::elasticity::distances;
use super::method::{Enforcement, Integrator};
use super::parameters::{Fabric, Parameters};
use super::states::Fading;
use crate::correction::CorrectionMap;
use crate::geometry::{Aabb, Vec3};
use crate::springs::{Spring, SpringNetwork, diagonals_of_paired, runs};
use crate::topology::{Parts, Topology};

/// The passes over single edges after collisions, so many over-relaxed ones and so many plain ones where the cloth begins to be
/// tight. They smooth what the threads leave: brought to its length as a whole, a thread that is solved before those across it ends in
/// an edge that is not.
const SETTLING: [(f32, Sweep, f32); 2] = [(3.0, Sweep::Up, 1.5), (2.0, Sweep::Down, 1.0)];
/// How many edges the runs have over which stretch is limited. Those of four do nothing that threads do not do; without long ones a
/// sheet of 201 x 201 particles stretches by 6.5 % where it stretches most instead of 3 %.
const RUNS: [u32; 3] = [16, 64, 256];
/// Tethers and runs hold what stretches more than the cloth's weight, so many times, would stretch a strip of all its length:
/// a fabric that is meant to give may.
const LOADS: f32 = 10.0;
/// Threads give by this part of their length at least under the cloth's own weight, however stiff the fabric is. A thread that is as long
/// as two pins are apart pulls without end where it gives by nothing: a sheet hung by its corners shivers for ever. Passes that
/// follow on each other leave a tenth of it.
const GIVE: f32 = 0.005;
/// Stretch of a diagonal beyond which quads that the file has as two triangles shear no further: that diagonal is an edge of the
/// file, and whoever made it sees it stretch. It is a shear by 2 degrees.
const SHEARED: f32 = 0.018;

/// A method with the springs it works on.
#[derive(Debug)]
pub(super) struct Enforcer {
    method: Enforcement,
    resistance: Resistance,
    parts: Parts,
    stretch: Batched<DistanceBatch>,
    /// Of stretch springs, m/N.
    compliance: f32,
    /// The same springs along their threads, for each node of the parts; for tethers only.
    threads: Vec<Lines>,
    /// Of threads, m/N.
    thread_compliance: f32,
    /// Limits over straight runs of cloth, the longest runs first; for tethers only.
    runs: Vec<Batched<DistanceBatch>>,
    /// Limits on the diagonals of quads that the file has as triangles; for tethers only.
    diagonals: Option<Batched<DistanceBatch>>,
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
    /// `slack` is what [`slack`] says of the cloth at rest, as which it is given.
    pub(super) fn new(
        parameters: &Parameters,
        (topology, springs): (&Topology, &SpringNetwork),
        cloth: &Cloth,
        slack: f32,
        bands: &Bands<'_>,
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
        let stretch = if stiffness > 0.0 { &springs.stretch[..] } else { &[] };
        let stretch = distances(stretch, 1.0, cloth, bands);
        let (parts, compliance) = (bands.parts().clone(), 1.0 / stiffness);
        let thread_compliance = compliance.max(GIVE / weight(&parameters.fabric, &topology.positions));
        let (mut threads, mut runs, mut diagonals) = (Vec::new(), Vec::new(), None);
        if matches!(method, Enforcement::Tethers { .. }) {
            let paired = diagonals_of_paired(topology, &springs.shear);
            diagonals = (!paired.is_empty()).then(|| distances(&paired, 1.0 + slack + SHEARED, cloth, bands));
            let limit = |level: &[Spring]| runs.push(distances(level, 1.0 + slack, cloth, bands));
            runs::limits(springs, &cloth.positions(), &RUNS, limit);
            runs.reverse();
            threads = threads::lines(springs, cloth, &parts);
        }
        Enforcer {
            method,
            resistance,
            parts,
            stretch,
            compliance,
            threads,
            thread_compliance,
            runs,
            diagonals,
            limits,
            kernel,
        }
    }

    /// One application, as every substep makes it.
    pub(super) fn enforce(&self, cloth: &mut Cloth, in_force: &InForce<'_>, seconds: f32) {
        if self.resistance == Resistance::Constraints && !matches!(self.method, Enforcement::Tethers { .. }) {
            self.project_stretch(self.plain(seconds), cloth);
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
                self.runs.iter().for_each(|level| self.limit(Some(level), cloth, seconds));
                for _ in 0..passes {
                    self.solve_threads(cloth, seconds, false);
                    self.limit(self.diagonals.as_ref(), cloth, seconds);
                }
                self.project_stretch(self.plain(seconds), cloth);
            }
        }
    }

    /// Whether the method takes back what collisions have stretched. With tethers only: the others leave it to the next substep.
    pub(super) fn settles(&self) -> bool {
        matches!(self.method, Enforcement::Tethers { .. })
    }

    /// Takes back what collisions have stretched and calls `after_pass` after each pass.
    ///
    /// Cloth on a body may become shorter here, so that what is beside it need not become longer: it gathers in wrinkles finer than
    /// its edges, and resists pull only (tension field theory; Wagner 1929, Pipkin 1986). Held to its length both ways, tight
    /// trousers stretch by half more and fold through themselves. `times` as many passes over single edges are made as usual.
    pub(super) fn settle(&self, cloth: &mut Cloth, seconds: f32, times: f32, mut after_pass: impl FnMut(&mut Cloth)) {
        self.solve_threads(cloth, seconds, true);
        after_pass(cloth);
        self.settle_edges(cloth, seconds, times, after_pass);
    }

    /// The same of edges, not of whole threads.
    pub(super) fn settle_edges(
        &self,
        cloth: &mut Cloth,
        seconds: f32,
        times: f32,
        mut after_pass: impl FnMut(&mut Cloth),
    ) {
        for (passes, sweep, relaxation) in SETTLING {
            let step = Step { relaxation, sweep, limits_only: true, ..self.plain(seconds) };
            for _ in 0..(passes * times).round() as u32 {
                self.project_stretch(step, cloth);
                self.limit(self.diagonals.as_ref(), cloth, seconds);
                after_pass(cloth);
            }
        }
    }

    /// Brings all threads to their lengths, or those that are too long.
    fn solve_threads(&self, cloth: &mut Cloth, seconds: f32, limits_only: bool) {
        let step = LineStep { softness: self.thread_compliance / (seconds * seconds), limits_only };
        side_by_side(&self.parts, &mut cloth.points, &cloth.previous, &|node, turn, points, _| {
            if turn != Turn::CutBefore {
                self.kernel.lines(points, &self.threads[node], step);
            }
        });
    }

    /// One projection of what is too long, of those limits there are.
    fn limit(&self, limits: Option<&Batched<DistanceBatch>>, cloth: &mut Cloth, seconds: f32) {
        let Some(limits) = limits else { return };
        let limit = Step { limits_only: true, compliance: 0.0, ..self.plain(seconds) };
        side_by_side(&self.parts, &mut cloth.points, &cloth.previous, &|node, turn, points, previous| {
            if turn != Turn::CutBefore {
                self.kernel.distances(points, previous, limits.of(node), limit);
            }
        });
    }

    fn project_stretch(&self, step: Step, cloth: &mut Cloth) {
        let other = if step.sweep == Sweep::Up { Turn::CutAfter } else { Turn::CutBefore };
        side_by_side(&self.parts, &mut cloth.points, &cloth.previous, &|node, turn, points, previous| {
            if turn != other {
                self.kernel.distances(points, previous, self.stretch.of(node), step);
            }
        });
    }

    fn plain(&self, seconds: f32) -> Step {
        let (per_step_squared, compliance) = (1.0 / (seconds * seconds), self.compliance);
        Step { per_step_squared, gamma: 0.0, compliance, relaxation: 1.0, limits_only: false, sweep: Sweep::Down }
    }
}

/// Stretch below which tethers and runs leave a cloth that is at rest at `places` alone, in a direction in which its membrane has
/// that `stiffness`, N/m.
pub(super) fn slack(fabric: &Fabric, stiffness: f32, places: &[Vec3]) -> f32 {
    LOADS * weight(fabric, places) / stiffness
}

/// Weight of a strip of a cloth that is at rest at `places` along all its length, N/m.
fn weight(fabric: &Fabric, places: &[Vec3]) -> f32 {
    const GRAVITY: f32 = 9.81;
    fabric.areal_density * GRAVITY * Aabb::around(places).size().length()
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
