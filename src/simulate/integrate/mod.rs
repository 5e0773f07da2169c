//! Integrators: where forces carry the cloth in a substep.
//!
//! ```text
//!                      x'                           v'                          unstable when
//! xpbd                 x + h v', then constraints   v + h a                     never
//! verlet               x + h v'                     (1 - h drag) v + h a        h too long
//! explicit_euler       x + h v                      v + h a                     h too long, or nothing damps
//! symplectic_euler     x + h v'                     v + h a                     h too long
//! rk4                  four evaluations             four evaluations            h too long
//! implicit             x + h v'                     v + h a(x', v'), linear     never, but for coarse steps in tangles
//! semi_implicit        x + h v'                     v + h W a(x, v)             never
//! ```
//!
//! An integrator leaves integrated places and velocities; whatever enforcement and collisions move a particle by afterwards is
//! added to its velocity, divided by h (Provot: velocities are those of the corrected places). Pins go to their targets at an
//! even speed. Each step's way is added to the place with compensation (Kahan): at a substep of 10 us a particle goes less
//! than the last digit of its place.

mod conjugate_gradient;
mod dissection;
mod explicit;
mod factor;
mod implicit;
mod rk4;
mod semi_implicit;

use rayon::prelude::*;

use self::implicit::Implicit;
use self::rk4::Rk4;
use self::semi_implicit::SemiImplicit;
use super::archive::{Archive, Archived};
use super::batch::{Bands, Kernel};
use super::cloth::{CHUNK, Cloth, Point};
use super::elasticity::Elasticity;
use super::forces::{Forces, State};
use super::method::Integrator;
use super::parameters::Parameters;
use super::spring_forces::SpringForces;
use crate::geometry::Vec3;
use crate::springs::SpringNetwork;
use crate::topology::{ParticleId, Topology};

pub use semi_implicit::MatrixTooLarge;

/// Part of the longest stable substep that is used.
const STABILITY: f32 = 0.9;
/// Time step times frequency up to which classical Runge-Kutta of order four is stable, on the imaginary axis 2.8.
const RK4_REACH: f32 = 2.5;
/// Substep of forward Euler without damping, over the fastest oscillation: amplitudes grow by half its square in a step.
const UNDAMPED: f32 = 0.01;

/// When and how far a substep goes, and where pins are at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Substep<'a> {
    /// Its start on the scene's clock, seconds.
    pub(super) start: f64,
    /// Its length, seconds.
    pub(super) seconds: f32,
    pub(super) pins: &'a [ParticleId],
    /// Where each pin is at the end, metres.
    pub(super) targets: &'a [Vec3],
}

/// An integrator with what it needs to know of the cloth.
#[derive(Debug)]
pub(super) enum Motion {
    /// The cloth resists by constraints.
    Constraints(ConstraintMotion),
    /// It resists by forces.
    Springs(Box<SpringMotion>),
}

/// The integrator of constraints.
#[derive(Debug)]
pub(super) struct ConstraintMotion {
    elasticity: Elasticity,
    ways: Ways,
}

/// An integrator of spring forces.
#[derive(Debug)]
pub(super) struct SpringMotion {
    springs: SpringForces,
    scheme: Scheme,
    ways: Ways,
    /// Longest substep that is stable, seconds.
    longest_substep: f32,
}

/// How particles go.
#[derive(Debug)]
struct Ways {
    /// How far each goes in the substep, metres.
    ways: Vec<Vec3>,
    /// What rounding took from each place, metres.
    lost: Vec<Vec3>,
}

/// How velocities and ways follow from forces.
#[derive(Debug)]
enum Scheme {
    ExplicitEuler(Vec<Vec3>),
    SymplecticEuler(Vec<Vec3>),
    Verlet(Vec<Vec3>),
    Rk4(Rk4),
    Implicit(Implicit),
    SemiImplicit(Box<SemiImplicit>),
}

/// Everything that accelerates particles.
#[derive(Clone, Copy, Debug)]
struct Dynamics<'a> {
    forces: &'a Forces<'a>,
    springs: &'a SpringForces,
}

impl Motion {
    /// The integrator of the scene.
    ///
    /// # Errors
    /// A matrix that would not fit into memory.
    pub(super) fn new(
        parameters: &Parameters,
        topology: &Topology,
        springs: &SpringNetwork,
        cloth: &Cloth,
        bands: &Bands<'_>,
        kernel: Kernel,
    ) -> Result<Motion, MatrixTooLarge> {
        let forces = || SpringForces::new(parameters, topology, springs, cloth);
        let gained = || vec![Vec3::ZERO; cloth.len()];
        let ways = Ways { ways: gained(), lost: gained() };
        let (springs, scheme) = match parameters.integrator {
            Integrator::Xpbd => {
                let elasticity = Elasticity::new(topology, springs, &parameters.fabric, cloth, bands, kernel);
                return Ok(Motion::Constraints(ConstraintMotion { elasticity, ways }));
            }
            Integrator::ExplicitEuler => (forces(), Scheme::ExplicitEuler(gained())),
            Integrator::SymplecticEuler => (forces(), Scheme::SymplecticEuler(gained())),
            Integrator::Verlet => (forces(), Scheme::Verlet(gained())),
            Integrator::Rk4 => (forces(), Scheme::Rk4(Rk4::new(cloth))),
            Integrator::Implicit => {
                let springs = forces();
                let scheme = Scheme::Implicit(Implicit::new(&springs, cloth));
                (springs, scheme)
            }
            Integrator::SemiImplicit => {
                let springs = forces();
                let scheme = Scheme::SemiImplicit(Box::new(SemiImplicit::new(&springs, topology, cloth)?));
                (springs, scheme)
            }
        };
        let longest_substep = longest_substep(parameters, &springs, cloth);
        Ok(Motion::Springs(Box::new(SpringMotion { springs, scheme, ways, longest_substep })))
    }

    /// Forgets what only the substep before knows: the cloth has been put back.
    pub(super) fn restart(&mut self) {
        self.ways_mut().lost.fill(Vec3::ZERO);
    }

    /// What the substep before leaves to the next.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.each(&mut self.ways_mut().lost, Archive::vec3)
    }

    /// One substep, from the start of which [`Cloth::previous`] tells the places afterwards.
    pub(super) fn integrate(&mut self, cloth: &mut Cloth, forces: &Forces<'_>, substep: &Substep<'_>) {
        match self {
            Motion::Constraints(ConstraintMotion { elasticity, ways }) => {
                forces.accelerate(cloth, substep.start, substep.seconds);
                cloth.start_substep(substep.seconds);
                ways.go_by_velocities(cloth, substep.seconds);
                cloth.place_pins(substep.pins, substep.targets);
                elasticity.project(cloth, substep.seconds);
            }
            Motion::Springs(springs) => springs.integrate(cloth, forces, substep),
        }
    }

    /// Velocities after enforcement and collisions have moved particles; `calms` those that hop between surfaces.
    pub(super) fn recompute_velocities(&self, cloth: &mut Cloth, seconds: f32, calms: bool) {
        let ways = match self {
            Motion::Constraints(constraints) => &constraints.ways,
            Motion::Springs(springs) => &springs.ways,
        };
        cloth.correct_velocities(&ways.ways, seconds, calms);
    }

    fn ways_mut(&mut self) -> &mut Ways {
        match self {
            Motion::Constraints(constraints) => &mut constraints.ways,
            Motion::Springs(springs) => &mut springs.ways,
        }
    }

    /// The cloth's own constraints, if those are how it resists.
    pub(super) fn constraints(&self) -> Option<&Elasticity> {
        match self {
            Motion::Constraints(constraints) => Some(&constraints.elasticity),
            Motion::Springs(_) => None,
        }
    }

    /// Longest substep that is stable, seconds; infinite if any is.
    pub(super) fn longest_substep(&self) -> f32 {
        match self {
            Motion::Constraints(_) => f32::INFINITY,
            Motion::Springs(springs) => springs.longest_substep,
        }
    }
}

impl SpringMotion {
    fn integrate(&mut self, cloth: &mut Cloth, forces: &Forces<'_>, substep: &Substep<'_>) {
        cloth.start_substep(substep.seconds);
        for (pin, &target) in substep.pins.iter().zip(substep.targets) {
            cloth.velocities[pin.index()].at = (target - cloth.points[pin.index()].at) / substep.seconds;
        }
        let dynamics = Dynamics { forces, springs: &self.springs };
        let ways = &mut self.ways.ways;
        match &mut self.scheme {
            Scheme::ExplicitEuler(gained) => explicit::forward_euler(cloth, &dynamics, substep, gained, ways),
            Scheme::SymplecticEuler(gained) => explicit::symplectic_euler(cloth, &dynamics, substep, gained, ways),
            Scheme::Verlet(gained) => explicit::verlet(cloth, &dynamics, substep, gained, ways),
            Scheme::Rk4(rk4) => rk4.step(cloth, &dynamics, substep, ways),
            Scheme::Implicit(implicit) => implicit.step(cloth, &dynamics, substep, ways),
            Scheme::SemiImplicit(semi_implicit) => semi_implicit.step(cloth, &dynamics, substep, ways),
        }
        self.ways.go(cloth);
        cloth.place_pins(substep.pins, substep.targets);
    }
}

impl Ways {
    /// Adds its way to every place, and keeps for the next time what rounding takes.
    fn go(&mut self, cloth: &mut Cloth) {
        for ((point, way), lost) in cloth.points.iter_mut().zip(&mut self.ways).zip(&mut self.lost) {
            (*way, *lost) = go(&mut point.at, *way + *lost);
        }
    }

    /// Adds to every place where its velocity carries it in `seconds`, likewise.
    fn go_by_velocities(&mut self, cloth: &mut Cloth, seconds: f32) {
        let places = cloth.points.par_chunks_mut(CHUNK).zip(cloth.velocities.par_chunks(CHUNK));
        let ways = self.ways.par_chunks_mut(CHUNK).zip(self.lost.par_chunks_mut(CHUNK));
        places.zip(ways).for_each(|((points, velocities), (ways, lost))| {
            for (((point, velocity), way), lost) in points.iter_mut().zip(velocities).zip(ways).zip(lost) {
                (*way, *lost) = go(&mut point.at, velocity.at * seconds + *lost);
            }
        });
    }
}

/// Moves a place; returns how far it went, and what rounding took.
#[inline]
fn go(place: &mut Vec3, wanted: Vec3) -> (Vec3, Vec3) {
    let before = *place;
    *place += wanted;
    let way = *place - before;
    (way, wanted - way)
}

impl Dynamics<'_> {
    /// Accelerations of all particles, m/s2, without drag; pins have none.
    fn accelerations(&self, state: State<'_>, scene_seconds: f64, seconds: f32, gained: &mut [Vec3]) {
        gained.fill(Vec3::ZERO);
        self.springs.add_forces(state.points, state.velocities, gained);
        for (gained, point) in gained.iter_mut().zip(state.points) {
            *gained *= point.inverse_mass;
        }
        self.forces.add_accelerations(state, scene_seconds, seconds, gained);
        let pinned = state.points.iter().zip(gained).filter(|(point, _)| point.inverse_mass <= 0.0);
        pinned.for_each(|(_, gained)| *gained = Vec3::ZERO);
    }
}

/// Longest substep with which the scene's integrator follows `springs`, seconds; infinite if any does.
pub(super) fn longest_substep(parameters: &Parameters, springs: &SpringForces, cloth: &Cloth) -> f32 {
    let rates = springs.rates(&cloth.points[..cloth.len()]);
    let (stiffness, damping) = (rates.stiffness, rates.damping + parameters.drag);
    let frequency = stiffness.sqrt();
    // h^2 k/m + 2 h c/m <= 4, solved so that it holds for a network without stiffness too.
    let symplectic = 4.0 / (damping + (damping * damping + 4.0 * stiffness).sqrt());
    let longest = match parameters.integrator {
        Integrator::Xpbd | Integrator::Implicit | Integrator::SemiImplicit => f32::INFINITY,
        Integrator::Verlet | Integrator::SymplecticEuler => symplectic,
        Integrator::ExplicitEuler => symplectic.min(rates.damping_seconds.max(UNDAMPED / frequency)),
        Integrator::Rk4 => RK4_REACH / frequency.max(damping),
    };
    STABILITY * longest
}

/// A [`Point`] somewhere else, as heavy.
fn moved(point: &Point, way: Vec3) -> Point {
    Point { at: point.at + way, ..*point }
}

#[cfg(test)]
mod tests;
