//! One-way root tethers: no particle further from a fixed one than the cloth between them is long (cf. Kim, Chentanez &
//! Mueller-Fischer, *Long Range Attachments*, 2012).
//!
//! ```text
//!   A o-------o-------o-------o B      a particle has a tether to the nearest pin of each group of pins that hang together:
//!      \      .   p   .      /         held by A alone, the left half would part from the right, which B holds
//! ```

use rayon::prelude::*;

use super::pull;
use crate::correction::{Geodesics, Tether};
use crate::geometry::Vec3;
use crate::pins::Pins;
use crate::simulate::cloth::{CHUNK, Cloth};
use crate::topology::{ParticleId, Topology};

/// Groups of pins beyond which only the nearest pin of all counts: many small groups hold each other's neighbourhoods.
const GROUPS: usize = 8;

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
    /// Tethers to the `pins`, lengthened by `slack` as a part of their length. `fields` are those to each group of pins that
    /// hang together, see [`fields`].
    pub(in crate::simulate) fn new(fields: &[Vec<Option<Tether>>], cloth: &Cloth, slack: f32) -> RootTethers {
        let mut roots: Vec<ParticleId> = fields.iter().flatten().flatten().map(|t| t.root).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.shrink_to_fit();
        let root_tether = |(goal, tether): (usize, &Option<Tether>)| match tether.filter(|_| cloth.is_free(goal)) {
            Some(Tether { root, length }) => {
                let root = roots.partition_point(|&r| r < root) as u32;
                RootTether { root, length: length * (1.0 + slack) }
            }
            None => RootTether { root: 0, length: f32::INFINITY },
        };
        let groups = fields.iter().map(|field| field.iter().enumerate().map(root_tether).collect()).collect();
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
