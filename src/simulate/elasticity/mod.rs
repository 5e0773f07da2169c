//! The cloth's own resistance as compliant constraints: XPBD (Macklin, Mueller & Chentanez 2016), one projection a substep,
//! which is a force integrated implicitly: no stiffness makes it unstable.
//!
//! ```text
//! dlambda = -(C + gamma grad C . (x - x_prev)) / ((1 + gamma) sum w |grad C|^2 + alpha / h^2),  gamma = beta / h
//! ```
//!
//! `alpha` is 1 / stiffness, `beta` the damping time in seconds (force `beta` x stiffness x rate).
//!
//! Distance: C is the length of a spring less its rest length. Bending: the turning angle of the cloth at a particle, all of a
//! thread at once (see [`mod@bending`]),
//!
//! ```text
//!          m
//!     la  / \  lb        c = (a - m) / la + (b - m) / lb,   |c| = angle by which the arms differ from straight (if small)
//!        a   b           C = |c| - |c at rest|
//! ```

mod bending;

use self::bending::{Bending, Hinge, Pace};
use super::batch::{Bands, Batched, DistanceBatch, Kernel, LANES, Step, Sweep, Turn, side_by_side};
use super::cloth::{Cloth, particle_areas};
use super::parameters::Fabric;
use crate::springs::{BendSpring, Spring, SpringNetwork};
use crate::topology::{ParticleId, Parts, Topology};

/// Damping time of bending over that of shear. In small waves a fabric bends against the friction of its threads more than
/// against their stiffness (the hysteresis 2HB that KES-F measures is a moment of its own): with 1 a hung cloth shivers for
/// minutes, with 10 it comes to rest, and swings as before.
const BEND_DAMPING: f32 = 10.0;
/// Arms of bends count as this long at least, metres.
const SHORTEST_ARM: f32 = 1e-7;

/// Bending and shear of a cloth.
#[derive(Debug)]
pub(super) struct Elasticity {
    parts: Parts,
    bending: Bending,
    shears: Batched<DistanceBatch>,
    /// Of shear springs, m/N.
    compliance: f32,
    damping_seconds: f32,
    kernel: Kernel,
}

impl Elasticity {
    pub(super) fn new(
        topology: &Topology,
        springs: &SpringNetwork,
        fabric: &Fabric,
        cloth: &Cloth,
        bands: &Bands<'_>,
        kernel: Kernel,
    ) -> Elasticity {
        let shears = if fabric.shear_stiffness > 0.0 { &springs.shear[..] } else { &[] };
        Elasticity {
            parts: topology.parts.clone(),
            bending: bending(topology, springs, fabric, cloth),
            // A quad sheared by an angle lengthens one diagonal and shortens the other so that two springs of stiffness G
            // hold the energy G/2 angle^2 per area: the stiffness is the membrane's shear modulus on any mesh.
            shears: distances(shears, 1.0, cloth, bands),
            compliance: 1.0 / fabric.shear_stiffness,
            damping_seconds: fabric.damping,
            kernel,
        }
    }

    /// One projection of every constraint.
    pub(super) fn project(&mut self, cloth: &mut Cloth, seconds: f32) {
        let per_step_squared = 1.0 / (seconds * seconds);
        let gamma = self.damping_seconds / seconds;
        let compliance = self.compliance;
        let step =
            Step { per_step_squared, gamma, compliance, relaxation: 1.0, limits_only: false, sweep: Sweep::Down };
        self.bending.prepare(cloth, &self.parts, Pace { per_step_squared, gamma: BEND_DAMPING * gamma });
        side_by_side(&self.parts, &mut cloth.points, &cloth.previous, &|node, turn, points, previous| {
            if turn != Turn::CutBefore {
                self.bending.project(node, points, previous);
                self.kernel.distances(points, previous, self.shears.of(node), step);
            }
        });
    }

    /// Energy that bending holds, J.
    pub(super) fn bending_energy(&self, cloth: &Cloth) -> f64 {
        self.bending.energy(cloth, &self.parts)
    }
}

/// Distance constraints of `springs`, their rest lengths multiplied by `lengthened`. Springs between two pins, or without
/// length, are left out. A membrane stiffness in N/m is that of each, on any mesh: a spring carries a strip of cloth about as
/// wide as it is long.
pub(super) fn distances(
    springs: &[Spring],
    lengthened: f32,
    cloth: &Cloth,
    bands: &Bands<'_>,
) -> Batched<DistanceBatch> {
    let is_free = |p: ParticleId| cloth.is_free(p.index());
    let works = |i: &u32| {
        let Spring { a, b, rest_length } = springs[*i as usize];
        (is_free(a) || is_free(b)) && rest_length > 0.0
    };
    let working: Vec<u32> = (0..springs.len() as u32).filter(works).collect();
    let spring = |i: usize| &springs[working[i] as usize];
    Batched::new(
        bands,
        working.len(),
        |i| [spring(i).a.0, spring(i).b.0],
        |indices, first| {
            let springs = lanes(indices).map(|i| spring(i as usize));
            let ends = [springs.map(|s| s.a.0 - first), springs.map(|s| s.b.0 - first)];
            DistanceBatch { ends, rest_length: springs.map(|s| s.rest_length * lengthened) }
        },
    )
}

/// The bends along threads, such that their energy is B/2 curvature^2 per area, whatever the mesh.
///
/// Each measures the curvature in one direction, `angle / mean arm`. Where two meet they are warp and weft, and cloth that
/// bends along either has all of its stiffness from that one (half of it along the bias, as weaves have whose threads turn
/// freely in each other: Cooper 1960, *The Stiffness of Woven Textiles*). Where `n` meet, looking in all directions alike, the
/// sum of squared curvatures over them is `3 n / 8` times that of a bend in one: each speaks for `8 / (3 n)` of the area.
fn bending(topology: &Topology, springs: &SpringNetwork, fabric: &Fabric, cloth: &Cloth) -> Bending {
    let threads: Vec<BendSpring> = springs.bend.iter().filter(|bend| springs.is_along_edges(bend)).copied().collect();
    let areas = particle_areas(topology);
    let mut at_middle = vec![0_u32; topology.positions.len()];
    threads.iter().for_each(|bend| at_middle[bend.middle.index()] += 1);
    Bending::new(&threads, cloth, &topology.parts, |around| {
        let [a, m, b] = around.map(|p| topology.positions[p as usize]);
        let (la, lb) = (a.distance(m).max(SHORTEST_ARM), b.distance(m).max(SHORTEST_ARM));
        let middle = around[1] as usize;
        let part = if at_middle[middle] > 2 { 8.0 / (3.0 * at_middle[middle] as f32) } else { 1.0 };
        let arm = 0.5 * (la + lb);
        // What lies between two pins does not bend.
        let [is_free_a, is_free_m, is_free_b] = around.map(|p| cloth.is_free(p as usize));
        let bending = match (is_free_a, is_free_m, is_free_b) {
            (true, false, false) => la / (la + lb),
            (false, false, true) => lb / (la + lb),
            _ => 1.0,
        };
        Hinge {
            inverse_arms: [1.0 / la, 1.0 / lb],
            rest_angle: ((a - m) / la + (b - m) / lb).length(),
            compliance: arm * arm * bending / (fabric.bending_rigidity * areas[middle] * part),
        }
    })
}

/// At most eight indices, the last one repeated.
fn lanes(indices: &[u32]) -> [u32; LANES] {
    std::array::from_fn(|lane| indices[lane.min(indices.len() - 1)])
}
