//! The parts of a cloth, side by side.
//!
//! ```text
//!            cut            What joins two halves has its turn before both, after both or twice, as a stage wants: a pass from
//!       half  |  half       the hem to the pins takes it first, one back last. Between these a half goes on alone, with all
//!                           that the stage has for it while its points are at hand.
//! ```

use super::kernel::{Batch, Batches};
use super::order::Bands;
use crate::simulate::cloth::Point;
use crate::topology::Parts;

/// Constraints in batches, those of each node of the cloth's parts by themselves. Their particles count from the node's first.
#[derive(Debug)]
pub(in crate::simulate) struct Batched<B> {
    of_nodes: Vec<Batches<B>>,
}

impl<B: Batch> Batched<B> {
    /// Batches of `count` constraints with these particles; `fill` makes one of at most eight, from their indices and the
    /// first particle of the node.
    pub(in crate::simulate) fn new<const N: usize>(
        bands: &Bands<'_>,
        count: usize,
        particles_of: impl Fn(usize) -> [u32; N] + Sync,
        fill: impl Fn(&[u32], u32) -> B,
    ) -> Batched<B> {
        let parts = bands.parts();
        let mut of_nodes: Vec<Vec<B>> = (0..parts.nodes()).map(|_| Vec::new()).collect();
        bands.batches_of(count, particles_of, |node, constraints| {
            of_nodes[node].push(fill(constraints, parts.range(node).start as u32));
        });
        Batched { of_nodes: of_nodes.into_iter().map(Batches::new).collect() }
    }

    /// Those of one node.
    pub(in crate::simulate) fn of(&self, node: usize) -> &Batches<B> {
        &self.of_nodes[node]
    }
}

/// What has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulate) enum Turn {
    /// A part that is cut no further.
    Part,
    /// The cut between two halves, before both.
    CutBefore,
    /// The same after both.
    CutAfter,
}

/// Calls `work` for every node in turn with its points and where they were before, for the halves of a node at the same time.
pub(in crate::simulate) fn side_by_side(
    parts: &Parts,
    points: &mut [Point],
    previous: &[Point],
    work: &(impl Fn(usize, Turn, &mut [Point], &[Point]) + Sync),
) {
    visit(0, parts, work, points, previous);
}

fn visit<W>(node: usize, parts: &Parts, work: &W, points: &mut [Point], previous: &[Point])
where
    W: Fn(usize, Turn, &mut [Point], &[Point]) + Sync,
{
    let Some([left, right]) = parts.halves(node) else { return work(node, Turn::Part, points, previous) };
    work(node, Turn::CutBefore, points, previous);
    let middle = parts.range(left).len();
    let (points_left, points_right) = points.split_at_mut(middle);
    let (previous_left, previous_right) = previous.split_at(middle);
    rayon::join(
        || visit(left, parts, work, points_left, previous_left),
        || visit(right, parts, work, points_right, previous_right),
    );
    work(node, Turn::CutAfter, points, previous);
}
