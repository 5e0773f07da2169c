//! One-way root tethers: no particle further from a fixed one than the cloth between them is long (cf. Kim, Chentanez &
//! Mueller-Fischer, *Long Range Attachments*, 2012).
//!
//! ```text
//!   A o-------o-------o-------o B      a particle has a tether to the nearest pin of each group of pins that hang together:
//!      \      .   p   .      /         held by A alone, the left half would part from the right, which B holds
//! ```

use super::pull;
use crate::correction::{Geodesics, Tether};
use crate::pins::Pins;
use crate::simulate::cloth::Cloth;
use crate::topology::Topology;

/// Groups of pins beyond which only the nearest pin of all counts: many small groups hold each other's neighbourhoods.
const GROUPS: usize = 8;

/// Tethers of all free particles to pins, one group of pins after the other.
#[derive(Debug)]
pub(in crate::simulate) struct RootTethers(Vec<RootTether>);

#[derive(Clone, Copy, Debug)]
struct RootTether {
    goal: u32,
    root: u32,
    length: f32,
}

impl RootTethers {
    /// Tethers to the `pins`, lengthened by `slack` as a part of their length. `nearest` are those to the nearest pin of all.
    pub(in crate::simulate) fn new(
        pins: &Pins,
        nearest: &[Option<Tether>],
        geodesics: &Geodesics,
        topology: &Topology,
        cloth: &Cloth,
        slack: f32,
    ) -> RootTethers {
        let groups = pins.groups(topology);
        let fields: Vec<Vec<Option<Tether>>> = match groups.len() {
            2..=GROUPS => groups.iter().map(|group| geodesics.tethers(group)).collect(),
            _ => vec![nearest.to_vec()],
        };
        let goals = fields.iter().flat_map(|field| (0..).zip(field));
        let root_tether = |(goal, tether): (u32, &Option<Tether>)| {
            let tether = tether.filter(|_| cloth.is_free(goal as usize))?;
            Some(RootTether { goal, root: tether.root.0, length: tether.length * (1.0 + slack) })
        };
        RootTethers(goals.filter_map(root_tether).collect())
    }

    /// Moves each particle to at most its tethers' lengths from their roots.
    pub(super) fn hold(&self, cloth: &mut Cloth) {
        for tether in &self.0 {
            let root = cloth.points[tether.root as usize].at;
            pull(&mut cloth.points[tether.goal as usize].at, root, tether.length);
        }
    }
}
