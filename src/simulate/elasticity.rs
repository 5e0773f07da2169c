//! The cloth's own resistance as compliant constraints: XPBD (Macklin, Mueller & Chentanez 2016), one projection a substep,
//! which is a force integrated implicitly: no stiffness makes it unstable.
//!
//! ```text
//! dlambda = -(C + gamma grad C . (x - x_prev)) / ((1 + gamma) sum w |grad C|^2 + alpha / h^2),  gamma = beta / h
//! ```
//!
//! `alpha` is 1 / stiffness, `beta` the damping time in seconds (force `beta` x stiffness x rate).
//!
//! Distance: C is the length of a spring less its rest length. Bending: the turning angle of the cloth at a particle,
//!
//! ```text
//!          m
//!     la  / \  lb        c = (a - m) / la + (b - m) / lb,   |c| = angle by which the arms differ from straight (if small)
//!        a   b           C = |c| - |c at rest|
//! ```

use super::batch::{Bands, Batches, BendBatch, DistanceBatch, Kernel, LANES, Step, Sweep, batches_of};
use super::cloth::{Cloth, particle_areas};
use super::parameters::Fabric;
use crate::springs::{BendSpring, Spring, SpringNetwork};
use crate::topology::Topology;

/// Damping time of bending over that of shear. In small waves a fabric bends against the friction of its threads more than
/// against their stiffness (the hysteresis 2HB that KES-F measures is a moment of its own): with 1 a hung cloth shivers for
/// minutes, with 10 it comes to rest, and swings as before.
const BEND_DAMPING: f32 = 10.0;

/// Bending and shear of a cloth.
#[derive(Debug)]
pub(super) struct Elasticity {
    bends: Batches<BendBatch>,
    shears: Batches<DistanceBatch>,
    damping_seconds: f32,
    kernel: Kernel,
}

impl Elasticity {
    pub(super) fn new(
        topology: &Topology,
        springs: &SpringNetwork,
        fabric: &Fabric,
        cloth: &Cloth,
        bands: &Bands,
        kernel: Kernel,
    ) -> Elasticity {
        Elasticity {
            bends: bends(topology, springs, fabric.bending_rigidity, cloth, bands),
            // A quad sheared by an angle lengthens one diagonal and shortens the other so that two springs of stiffness G
            // hold the energy G/2 angle^2 per area: the stiffness is the membrane's shear modulus on any mesh.
            shears: distances(&springs.shear, fabric.shear_stiffness, cloth, bands),
            damping_seconds: fabric.damping,
            kernel,
        }
    }

    /// One projection of every constraint.
    pub(super) fn project(&self, cloth: &mut Cloth, seconds: f32) {
        let per_step_squared = 1.0 / (seconds * seconds);
        let gamma = self.damping_seconds / seconds;
        let step = Step { per_step_squared, gamma, relaxation: 1.0, limits_only: false, sweep: Sweep::Down };
        let bend = Step { gamma: BEND_DAMPING * gamma, ..step };
        self.kernel.bends(&mut cloth.points, &cloth.previous, &self.bends, bend);
        self.kernel.distances(&mut cloth.points, &cloth.previous, &self.shears, step);
    }

    /// Energy that bending holds, J.
    pub(super) fn bending_energy(&self, cloth: &Cloth) -> f64 {
        let energy = |batch: &BendBatch| -> f64 {
            let angles = batch.angles(&cloth.points).into_iter().zip(batch.rest_angle).zip(batch.compliance);
            angles
                .map(|((angle, rest), compliance)| 0.5 * f64::from((angle - rest) * (angle - rest) / compliance))
                .sum()
        };
        self.bends.iter().map(energy).sum()
    }
}

/// Distance constraints of `springs` with a membrane stiffness in N/m, the same on any mesh: a spring carries a strip of
/// cloth about as wide as it is long. Springs between two pins, or without stiffness or length, are left out.
pub(super) fn distances(springs: &[Spring], stiffness: f32, cloth: &Cloth, bands: &Bands) -> Batches<DistanceBatch> {
    let movable = |s: &&Spring| cloth.is_free(s.a.index()) || cloth.is_free(s.b.index());
    let springs: Vec<&Spring> =
        springs.iter().filter(movable).filter(|s| s.rest_length > 0.0 && stiffness > 0.0).collect();
    let ends: Vec<[u32; 2]> = springs.iter().map(|s| [s.a.0, s.b.0]).collect();
    let idle = DistanceBatch {
        ends: [[cloth.idle(); LANES], [cloth.idle() + 1; LANES]],
        rest_length: [1.0; LANES],
        compliance: [1.0; LANES],
    };
    let batch = |indices: Vec<u32>| {
        let mut batch = idle;
        for (lane, &index) in indices.iter().enumerate() {
            let [a, b] = ends[index as usize];
            (batch.ends[0][lane], batch.ends[1][lane]) = (a, b);
            batch.rest_length[lane] = springs[index as usize].rest_length;
            batch.compliance[lane] = 1.0 / stiffness;
        }
        batch
    };
    Batches::of_distances(batches_of(&ends, bands).into_iter().map(batch).collect())
}

/// Bend constraints whose energy is B/2 curvature^2 per area, whatever the mesh.
///
/// Each pair measures the curvature in one direction, `angle / mean arm`. The pairs at a vertex look in `n` directions spread
/// evenly, and the sum of squared curvatures over them is n/2 times that over the two principal ones: each pair speaks for
/// `2 / n` of the vertex's area.
fn bends(
    topology: &Topology,
    springs: &SpringNetwork,
    rigidity: f32,
    cloth: &Cloth,
    bands: &Bands,
) -> Batches<BendBatch> {
    let areas = particle_areas(topology);
    let mut pairs = vec![0_u32; topology.positions.len()];
    for spring in &springs.bend {
        pairs[spring.middle.index()] += 1;
    }
    let constraints: Vec<Bend> = springs
        .bend
        .iter()
        .filter(|s| [s.a, s.middle, s.b].iter().any(|p| cloth.is_free(p.index())))
        .filter_map(|spring| {
            let middle = spring.middle.index();
            let area = areas[middle] * 2.0 / pairs[middle].max(2) as f32;
            Bend::new(spring, topology, rigidity * area)
        })
        .collect();
    let particles: Vec<[u32; 3]> = constraints.iter().map(|c| c.particles).collect();
    let idle = BendBatch {
        particles: [0, 1, 2].map(|i| [cloth.idle() + i; LANES]),
        inverse_arms: [[1.0; LANES]; 2],
        rest_angle: [0.0; LANES],
        compliance: [1.0; LANES],
    };
    let batch = |indices: Vec<u32>| {
        let mut batch = idle;
        for (lane, &index) in indices.iter().enumerate() {
            let bend = &constraints[index as usize];
            for (all, &particle) in batch.particles.iter_mut().zip(&bend.particles) {
                all[lane] = particle;
            }
            (batch.inverse_arms[0][lane], batch.inverse_arms[1][lane]) = (bend.inverse_arms[0], bend.inverse_arms[1]);
            batch.rest_angle[lane] = bend.rest_angle;
            batch.compliance[lane] = bend.compliance;
        }
        batch
    };
    Batches::of_bends(batches_of(&particles, bands).into_iter().map(batch).collect())
}

/// One bend constraint.
struct Bend {
    particles: [u32; 3],
    inverse_arms: [f32; 2],
    rest_angle: f32,
    compliance: f32,
}

impl Bend {
    /// `rigidity_area` is B times the area the spring speaks for, N m3.
    fn new(spring: &BendSpring, topology: &Topology, rigidity_area: f32) -> Option<Bend> {
        let [a, m, b] = [spring.a, spring.middle, spring.b].map(|p| topology.positions[p.index()]);
        let (la, lb) = (a.distance(m), b.distance(m));
        let arm = 0.5 * (la + lb);
        let compliance = arm * arm / rigidity_area;
        (la > 0.0 && lb > 0.0 && compliance.is_finite()).then(|| Bend {
            particles: [spring.a.0, spring.middle.0, spring.b.0],
            inverse_arms: [1.0 / la, 1.0 / lb],
            rest_angle: ((a - m) / la + (b - m) / lb).length(),
            compliance,
        })
    }
}
