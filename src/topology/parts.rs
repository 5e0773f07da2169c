//! A large cloth in parts that are simulated side by side.
//!
//! ```text
//!               node 0                 A node is a range of particle numbers, its children are the halves of that range.
//!        node 1   |   node 2           What joins particles of both halves belongs to the cut between them, all else to
//!     node 3 | 4  |  5 | node 6        a half: so both halves of every node can be worked on at the same time.
//!  [0 ... ) [ ... )[ ... )[ ... n)
//! ```

use std::ops::Range;

/// A binary tree of ranges of particles, all leaves equally deep. Nodes are numbered from the root, 0, down: the children of
/// node `i` are `2 i + 1` and `2 i + 2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Where each leaf starts, and the end: one entry more than leaves, whose number is a power of two.
    starts: Vec<u32>,
}

impl Default for Parts {
    fn default() -> Self {
        Parts::whole(0)
    }
}

impl Parts {
    /// One part of all particles.
    pub fn whole(particles: usize) -> Parts {
        Parts { starts: vec![0, particles as u32] }
    }

    /// Parts that start where `starts` says, the last entry being the end.
    pub(super) fn new(starts: Vec<u32>) -> Parts {
        debug_assert!(starts.len() > 1 && (starts.len() - 1).is_power_of_two());
        Parts { starts }
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.starts.len() - 1
    }

    /// Particles of each leaf.
    pub fn leaf_ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.starts.windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        2 * self.leaves() - 1
    }

    /// Both halves of a node; none of a leaf.
    pub fn halves(&self, node: usize) -> Option<[usize; 2]> {
        (node + 1 < self.leaves()).then_some([2 * node + 1, 2 * node + 2])
    }

    /// Particles of a node.
    pub fn range(&self, node: usize) -> Range<usize> {
        let depth = (node + 1).ilog2();
        let width = self.leaves() >> depth;
        let first = (node + 1 - (1 << depth)) * width;
        self.starts[first] as usize..self.starts[first + width] as usize
    }

    /// The smallest node that has all of `particles`.
    pub fn node_of(&self, particles: &[u32]) -> usize {
        let leaf = |p: u32| self.starts.partition_point(|&start| start <= p) - 1;
        let leaves = particles.iter().map(|&p| leaf(p));
        let (first, last) = leaves.fold((usize::MAX, 0), |(first, last), leaf| (first.min(leaf), last.max(leaf)));
        let up = usize::BITS - (first ^ last).leading_zeros();
        // Counted from 1, a node's parent is its half.
        ((self.leaves() + first) >> up) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_the_particles_of_its_halves_and_what_joins_them() {
        let parts = Parts::new(vec![0, 3, 5, 9, 10]);
        assert_eq!((parts.leaves(), parts.nodes()), (4, 7));
        for node in 0..parts.nodes() {
            let range = parts.range(node);
            assert_eq!(parts.node_of(&[range.start as u32, range.end as u32 - 1]), node);
            if let Some([left, right]) = parts.halves(node) {
                assert_eq!(range, parts.range(left).start..parts.range(right).end);
                assert_eq!(parts.range(left).end, parts.range(right).start);
            }
        }
        assert_eq!(parts.node_of(&[4]), 4);
        assert_eq!(parts.node_of(&[4, 2]), 1);
        assert_eq!(parts.node_of(&[4, 9]), 0);
        assert_eq!(Parts::whole(7).node_of(&[0, 6, 3]), 0);
    }
}
