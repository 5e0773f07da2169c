//! One-way root tethers: no particle further from a fixed one than the cloth between them is long (cf. Kim, Chentanez &
//! Mueller-Fischer, *Long Range Attachments*, 2012).
//!
//! ```text
//!   A o-------o-------o-------o B      a particle has a tether to the nearest pin of each group of pins that hang together:
//!      \      .   p   .      /         held by A alone, the left half would part from the right, which B holds
//! ```

use rayon::prelude::*;

use super::{pull, slack};
use crate::correction::{Geodesics, Tether};
use crate::geometry::Vec3;
use crate::pins::Pins;
use crate::simulate::cloth::{CHUNK, Cloth};
use crate::simulate::parameters::Fabric;
use crate::topology::{ParticleId, Topology};

/// Groups of pins beyond which only the nearest pin of all counts: many small groups hold each other's neighbourhoods.
const GROUPS: usize = 8;

/// Part of the loads of [`slack`] under which cloth may give by shear. With 1 a hung cloth swings as one without tethers does, but 201
/// x 201 particles stretch by more than 1 %; with none it swings too fast, for tethers across the threads hold it like a board.
const SHEAR_LOADS: f32 = 0.5;

/// Tethers of all particles to pins.
#[derive(Debug)]
pub(in crate::simulate) struct RootTethers {
    /// The pins that anything is tethered to, ascending.
    roots: Vec<ParticleId>,
    /// The tether of each particle to each group of pins.
    groups: Vec<Vec<RootTether>>,
}

#[derive(Clone, Copy, Debug)]
struct RootTether {
    /// Index of the pin.
    root: u32,
    /// Metres; infinite for particles that no tether holds.
    length: f32,
}

impl RootTethers {
    /// Tethers along `fields`, those to each group of pins that hang together (see [`fields`]), lengthened by [`slack`] of the
    /// fabric in their direction.
    pub(in crate::simulate) fn new(
        fields: &[Vec<Option<Tether>>],
        topology: &Topology,
        cloth: &Cloth,
        fabric: &Fabric,
    ) -> RootTethers {
        let stretch = slack(fabric, fabric.stretch_stiffness, &topology.positions);
        let shear = SHEAR_LOADS * slack(fabric, fabric.shear_stiffness, &topology.positions);
        let mut roots = roots_of(fields);
        roots.shrink_to_fit();
        let group = |field: &Vec<Option<Tether>>| {
            let along_edges = topology.along_edges(&roots_of(std::slice::from_ref(field)));
            let root_tether = |(goal, tether): (usize, &Option<Tether>)| match tether.filter(|_| cloth.is_free(goal)) {
                Some(Tether { root, length }) => {
                    let slack = slack_towards(along_edges[goal] / length, stretch, shear);
                    let root = roots.partition_point(|&r| r < root) as u32;
                    RootTether { root, length: length * (1.0 + slack) }
                }
                None => RootTether { root: 0, length: f32::INFINITY },
            };
            field.iter().enumerate().map(root_tether).collect()
        };
        let groups = fields.par_iter().map(group).collect();
        RootTethers { roots, groups }
    }

    /// Moves each particle to at most its tethers' lengths from their roots.
    pub(super) fn hold(&self, cloth: &mut Cloth) {
        let roots: Vec<Vec3> = self.roots.iter().map(|r| cloth.points[r.index()].at).collect();
        for tethers in &self.groups {
            cloth.points.par_chunks_mut(CHUNK).zip(tethers.par_chunks(CHUNK)).for_each(|(points, tethers)| {
                let held = points.iter_mut().zip(tethers).filter(|(_, tether)| tether.length.is_finite());
                held.for_each(|(goal, tether)| pull(&mut goal.at, roots[tether.root as usize], tether.length));
            });
        }
    }
}

/// Tethers of all particles to the nearest pin of each group of `pins` that hang together; of too many groups, to the nearest
/// pin of all.
pub(in crate::simulate) fn fields(pins: &Pins, geodesics: &Geodesics, topology: &Topology) -> Vec<Vec<Option<Tether>>> {
    let groups = pins.groups(topology);
    match groups.len() {
        2..=GROUPS => groups.par_iter().map(|group| geodesics.tethers(group)).collect(),
        _ => vec![geodesics.tethers(&pins.particles)],
    }
}

/// The shortest of each particle's tethers, the first of equal ones.
pub(in crate::simulate) fn nearest(fields: &[Vec<Option<Tether>>]) -> Vec<Option<Tether>> {
    let mut nearest = fields[0].clone();
    for field in &fields[1..] {
        for (best, tether) in nearest.iter_mut().zip(field) {
            let length = |t: &Option<Tether>| t.map_or(f32::INFINITY, |t| t.length);
            if length(tether) < length(best) {
                *best = *tether;
            }
        }
    }
    nearest
}

/// The pins that anything is tethered to, ascending.
fn roots_of(fields: &[Vec<Option<Tether>>]) -> Vec<ParticleId> {
    let mut roots: Vec<ParticleId> = fields.iter().flatten().flatten().map(|t| t.root).collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// How much cloth gives in a direction in which the way along threads is `detour` times as long, when it gives by `stretch` along a
/// thread under some load, and its shear stiffness by `shear`:
///
/// ```text
///    |_            detour = cos + sin     1 / E = (cos^4 + sin^4) / E_thread + sin^2 cos^2 / G   (a strip cut at that angle)
///      |_ angle
/// ```
fn slack_towards(detour: f32, stretch: f32, shear: f32) -> f32 {
    let product = (0.5 * (detour * detour - 1.0)).clamp(0.0, 0.5);
    let squared = product * product;
    let most = (detour - 1.0).max(0.0);
    (1.0 - 2.0 * squared) * stretch + (squared * shear).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cloth_gives_by_shear_across_the_threads_only() {
        let diagonal = std::f32::consts::SQRT_2;
        assert_eq!(slack_towards(1.0, 0.002, 0.4), 0.002);
        // At 45 degrees: half of what a thread gives, and a quarter of what shear alone would.
        assert!((slack_towards(diagonal, 0.002, 0.4) - 0.101).abs() < 1e-6);
        // Sheared until the threads lie along each other it gives no more.
        assert!((slack_towards(diagonal, 0.0, 100.0) - (diagonal - 1.0)).abs() < 1e-6);
    }
}
