//! The parts of a cloth, side by side.
//!
//! ```text
//!            cut            A pass from the hem to the pins takes the cut between two halves first, one back takes it before
//!       half  |  half       and after them: a correction that comes down one half goes on in the other.
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

/// When the cut between two halves has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulate) enum Cuts {
    /// Before both.
    First,
    /// After both.
    Last,
    /// Before and after.
    Around,
}

/// Calls `work` for every node with its points and where they were before, for the halves of a node at the same time.
pub(in crate::simulate) fn side_by_side(
    parts: &Parts,
    cuts: Cuts,
    points: &mut [Point],
    previous: &[Point],
    work: &(impl Fn(usize, &mut [Point], &[Point]) + Sync),
) {
    visit(0, &Visit { parts, cuts, work }, points, previous);
}

struct Visit<'a, W> {
    parts: &'a Parts,
    cuts: Cuts,
    work: &'a W,
}

fn visit<W>(node: usize, all: &Visit<'_, W>, points: &mut [Point], previous: &[Point])
where
    W: Fn(usize, &mut [Point], &[Point]) + Sync,
{
    let Some([left, right]) = all.parts.halves(node) else { return (all.work)(node, points, previous) };
    if all.cuts != Cuts::Last {
        (all.work)(node, points, previous);
    }
    let middle = all.parts.range(left).len();
    let (points_left, points_right) = points.split_at_mut(middle);
    let (previous_left, previous_right) = previous.split_at(middle);
    rayon::join(|| visit(left, all, points_left, previous_left), || visit(right, all, points_right, previous_right));
    if all.cuts != Cuts::First {
        (all.work)(node, points, previous);
    }
}
