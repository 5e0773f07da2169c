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

use super::batch::{Bands, Batch, Batched, BendBatch, DistanceBatch, Kernel, LANES, Step, Sweep, Turn, side_by_side};
use super::cloth::{Cloth, Point, particle_areas};
use super::parameters::Fabric;
use super::runs;
use crate::springs::{BendSpring, Spring, SpringNetwork};
use crate::topology::{ParticleId, Parts, Topology};

/// Damping time of bending over that of shear. In small waves a fabric bends against the friction of its threads more than
/// against their stiffness (the hysteresis 2HB that KES-F measures is a moment of its own): with 1 a hung cloth shivers for
/// minutes, with 10 it comes to rest, and swings as before.
const BEND_DAMPING: f32 = 10.0;
/// Substep for which bends get arms that are long enough, seconds.
const USUAL_SUBSTEP: f32 = 1.0 / 300.0;
/// How many times stiffer a projection must be than what it stands for.
const LEVERAGE: f32 = 100.0;
/// Doublings of the arms at most: 32 edges.
const MOST_DOUBLINGS: u32 = 5;

/// Bending and shear of a cloth.
#[derive(Debug)]
pub(super) struct Elasticity {
    parts: Parts,
    bends: Batched<BendBatch>,
    /// Bends with longer arms, the longest first.
    long_bends: Vec<Batched<BendBatch>>,
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
        let bends_of = |bend: &[BendSpring], rigidity: f32| bends(topology, bend, rigidity, cloth, bands);
        let doublings = doublings(fabric, topology.mean_edge());
        let threads = if doublings > 0 { runs::threads(springs) } else { Vec::new() };
        let long_bends_of = |doublings: u32| {
            let edges = 1 << doublings;
            let bends: Vec<BendSpring> = threads.iter().flat_map(|thread| thread.bends(edges)).collect();
            // Each speaks for all of its edges along the thread.
            bends_of(&bends, fabric.bending_rigidity * edges as f32)
        };
        Elasticity {
            parts: topology.parts.clone(),
            bends: bends_of(&springs.bend, fabric.bending_rigidity),
            long_bends: (1..=doublings).rev().map(long_bends_of).collect(),
            // A quad sheared by an angle lengthens one diagonal and shortens the other so that two springs of stiffness G
            // hold the energy G/2 angle^2 per area: the stiffness is the membrane's shear modulus on any mesh.
            shears: distances(shears, 1.0, cloth, bands),
            compliance: 1.0 / fabric.shear_stiffness,
            damping_seconds: fabric.damping,
            kernel,
        }
    }

    /// One projection of every constraint.
    pub(super) fn project(&self, cloth: &mut Cloth, seconds: f32) {
        let per_step_squared = 1.0 / (seconds * seconds);
        let gamma = self.damping_seconds / seconds;
        let compliance = self.compliance;
        let step =
            Step { per_step_squared, gamma, compliance, relaxation: 1.0, limits_only: false, sweep: Sweep::Down };
        let bend = Step { gamma: BEND_DAMPING * gamma, ..step };
        side_by_side(&self.parts, &mut cloth.points, &cloth.previous, &|node, turn, points, previous| {
            if turn != Turn::CutBefore {
                self.long_bends.iter().for_each(|bends| self.kernel.bends(points, previous, bends.of(node), bend));
                self.kernel.bends(points, previous, self.bends.of(node), bend);
                self.kernel.distances(points, previous, self.shears.of(node), step);
            }
        });
    }

    /// Energy that bending holds, J.
    pub(super) fn bending_energy(&self, cloth: &Cloth) -> f64 {
        let energy = |batch: &BendBatch, points: &[Point]| -> f64 {
            let angles = batch.angles(points).into_iter().zip(batch.rest_angle).zip(batch.compliance);
            let held = |((angle, rest), compliance)| 0.5 * f64::from((angle - rest) * (angle - rest) / compliance);
            angles.take(batch.len()).map(held).sum()
        };
        let of_node = |node: usize| -> f64 {
            let points = &cloth.points[self.parts.range(node)];
            self.bends.of(node).iter().map(|batch| energy(batch, points)).sum()
        };
        (0..self.parts.nodes()).map(of_node).sum()
    }
}

/// How many times the arms of bends are doubled until one projection turns them as far as they want to. Short arms have little
/// leverage: of a constraint on edges of length `a`, between particles of mass `m = density a^2`, a projection is as stiff as
/// `m a^2 / (6 h^2)`, and moments pass on from one to the next only if that is more than its own stiffness, the rigidity `B`.
/// With arms of `k` edges that falls by `1 / k^4`.
fn doublings(fabric: &Fabric, edge: f32) -> u32 {
    let reached = fabric.areal_density * edge.powi(4) / (6.0 * USUAL_SUBSTEP * USUAL_SUBSTEP);
    let needed = fabric.bending_rigidity * LEVERAGE;
    (0..MOST_DOUBLINGS).find(|d| needed <= reached * 16_f32.powi(*d as i32)).unwrap_or(MOST_DOUBLINGS)
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

/// Bend constraints for `springs` whose energy is B/2 curvature^2 per area, whatever the mesh.
///
/// Each pair measures the curvature in one direction, `angle / mean arm`. The pairs at a vertex look in `n` directions spread
/// evenly, and the sum of squared curvatures over them is n/2 times that over the two principal ones: each pair speaks for
/// `2 / n` of the vertex's area.
fn bends(
    topology: &Topology,
    springs: &[BendSpring],
    rigidity: f32,
    cloth: &Cloth,
    bands: &Bands<'_>,
) -> Batched<BendBatch> {
    let areas = particle_areas(topology);
    let mut pairs = vec![0_u32; topology.positions.len()];
    for spring in springs {
        pairs[spring.middle.index()] += 1;
    }
    let constraints: Vec<Bend> = springs
        .iter()
        .filter(|s| [s.a, s.middle, s.b].iter().any(|p| cloth.is_free(p.index())))
        .filter_map(|spring| {
            let middle = spring.middle.index();
            let area = areas[middle] * 2.0 / pairs[middle].max(2) as f32;
            Bend::new(spring, topology, rigidity * area)
        })
        .collect();
    Batched::new(
        bands,
        constraints.len(),
        |i| constraints[i].particles,
        |indices, first| {
            let bends = lanes(indices).map(|i| &constraints[i as usize]);
            BendBatch {
                particles: [0, 1, 2].map(|corner| bends.map(|b| b.particles[corner] - first)),
                inverse_arms: [0, 1].map(|arm| bends.map(|b| b.inverse_arms[arm])),
                rest_angle: bends.map(|b| b.rest_angle),
                compliance: bends.map(|b| b.compliance),
            }
        },
    )
}

/// At most eight indices, the last one repeated.
fn lanes(indices: &[u32]) -> [u32; LANES] {
    std::array::from_fn(|lane| indices[lane.min(indices.len() - 1)])
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
