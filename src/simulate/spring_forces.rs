//! The cloth's own resistance as springs that push and pull (Provot 1995): what all integrators but `xpbd` act on.
//!
//! ```text
//!   a o--/\/\/\--o b      force on a:  [ k (L - L0) + c (vb - va) . u ] u,    u = (xb - xa) / L
//!      --> u
//! ```
//!
//! Where the scene gives no constants they follow from the fabric. A stretch or shear spring carries a strip of cloth about as
//! wide as it is long, so that k is the membrane's stiffness, N/m, on any mesh. A bend spring joins the ends of two arms:
//!
//! ```text
//!           m                two arms of length r that turn by r K at curvature K shorten a--b by d = r^3 K^2 / 4:
//!     r _.-' '-._ r          k d^2 / 2 = B K^2 A / 2   ->   k = 16 B A / (r^6 K^2)
//!      a---------b           a distance spring has no stiffness of its own when straight: it means B at one curvature only
//! ```
//!
//! Damping is the fabric's damping time times k, but at most a part of what is critical for the two particles alone: an
//! explicit integrator would have to follow stronger damping with smaller substeps than the stiffness itself asks for.

use super::cloth::{Cloth, Point, particle_areas};
use super::parameters::Parameters;
use crate::geometry::Vec3;
use crate::springs::SpringNetwork;
use crate::topology::{ParticleId, Topology};

/// Curvature at which bend springs store what the fabric's rigidity does, 1/m: folds of 5 cm radius.
const BEND_CURVATURE: f32 = 20.0;
/// Most damping of a spring that follows from a fabric, as a part of what is critical for its two particles. Forward Euler then
/// needs about the same substeps as the other explicit integrators.
const MOST_DAMPING: f32 = 0.4;

/// All springs of a cloth that can move anything, in one list.
#[derive(Clone, Debug)]
pub(super) struct SpringForces {
    pub(super) springs: Vec<ForceSpring>,
}

/// One spring.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForceSpring {
    pub(super) a: u32,
    pub(super) b: u32,
    /// Metres.
    pub(super) rest_length: f32,
    /// N/m.
    pub(super) stiffness: f32,
    /// N s/m.
    pub(super) damping: f32,
}

impl SpringForces {
    pub(super) fn new(
        parameters: &Parameters,
        topology: &Topology,
        springs: &SpringNetwork,
        cloth: &Cloth,
    ) -> SpringForces {
        let Parameters { fabric, springs: given, .. } = parameters;
        let stretch =
            springs.stretch.iter().map(|s| (s.a, s.b, s.rest_length, fabric.stretch_stiffness, given.stretch));
        let shear = springs.shear.iter().map(|s| (s.a, s.b, s.rest_length, fabric.shear_stiffness, given.shear));
        let bend = bend_stiffnesses(topology, springs, fabric.bending_rigidity, fabric.shear_stiffness);
        let bend = springs.bend.iter().zip(bend).map(|(s, k)| (s.a, s.b, s.rest_length(topology), k, given.bend));
        let spring =
            |(a, b, rest_length, stiffness, given_stiffness): (ParticleId, ParticleId, f32, f32, Option<f32>)| {
                let stiffness = given_stiffness.unwrap_or(stiffness);
                let mobility = cloth.points[a.index()].inverse_mass + cloth.points[b.index()].inverse_mass;
                let critical = 2.0 * (stiffness / mobility).sqrt();
                let damping = given.damping.unwrap_or((fabric.damping * stiffness).min(MOST_DAMPING * critical));
                let spring = ForceSpring { a: a.0, b: b.0, rest_length, stiffness, damping };
                (mobility > 0.0 && (stiffness > 0.0 || damping > 0.0)).then_some(spring)
            };
        SpringForces { springs: stretch.chain(shear).chain(bend).filter_map(spring).collect() }
    }

    /// Adds the forces of all springs, N, in the order of the list.
    pub(super) fn add_forces(&self, points: &[Point], velocities: &[Point], forces: &mut [Vec3]) {
        for spring in &self.springs {
            let (a, b) = (spring.a as usize, spring.b as usize);
            let between = points[b].at - points[a].at;
            let length = between.length();
            if length <= 0.0 {
                continue;
            }
            let direction = between / length;
            let rate = (velocities[b].at - velocities[a].at).dot(direction);
            let force = direction * (spring.stiffness * (length - spring.rest_length) + spring.damping * rate);
            forces[a] += force;
            forces[b] -= force;
        }
    }

    /// Bounds on the largest eigenvalues of stiffness / mass, 1/s2, and damping / mass, 1/s (Gershgorin: twice what pulls at a
    /// particle, over its mass), and the shortest time c / k of a spring, seconds.
    pub(super) fn rates(&self, points: &[Point]) -> Rates {
        let mut sums = vec![(0.0_f32, 0.0_f32); points.len()];
        for spring in &self.springs {
            for end in [spring.a, spring.b] {
                let (stiffness, damping) = &mut sums[end as usize];
                *stiffness += spring.stiffness;
                *damping += spring.damping;
            }
        }
        let bound = |of: fn(&(f32, f32)) -> f32| {
            points.iter().zip(&sums).map(|(p, sum)| 2.0 * p.inverse_mass * of(sum)).fold(0.0, f32::max)
        };
        let times = self.springs.iter().filter(|s| s.stiffness > 0.0).map(|s| s.damping / s.stiffness);
        Rates {
            stiffness: bound(|s| s.0),
            damping: bound(|s| s.1),
            damping_seconds: times.fold(f32::INFINITY, f32::min),
        }
    }
}

/// How fast a network of springs can move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// 1/s2.
    pub(super) stiffness: f32,
    /// 1/s.
    pub(super) damping: f32,
    /// Seconds.
    pub(super) damping_seconds: f32,
}

/// Stiffness of each bend spring, N/m. Pairs at a particle share its area as in `elasticity`; no bend spring is stiffer than
/// `most`, for along straight cloth it is a stretch spring too.
fn bend_stiffnesses(topology: &Topology, springs: &SpringNetwork, rigidity: f32, most: f32) -> Vec<f32> {
    let areas = particle_areas(topology);
    let mut pairs = vec![0_u32; topology.positions.len()];
    for spring in &springs.bend {
        pairs[spring.middle.index()] += 1;
    }
    let stiffness = |spring: &crate::springs::BendSpring| {
        let [a, m, b] = [spring.a, spring.middle, spring.b].map(|p| topology.positions[p.index()]);
        let arm = 0.5 * (a.distance(m) + b.distance(m));
        let area = areas[spring.middle.index()] * 2.0 / pairs[spring.middle.index()].max(2) as f32;
        let cube = arm * arm * arm;
        let stiffness = 16.0 * rigidity * area / (cube * cube * BEND_CURVATURE * BEND_CURVATURE);
        if stiffness.is_finite() { stiffness.min(most) } else { 0.0 }
    };
    springs.bend.iter().map(stiffness).collect()
}
