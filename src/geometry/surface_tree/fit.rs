//! Fitting the boxes of a tree to where its mesh is now.
//!
//! ```text
//! packs   [ trunk | branch .......... | branch ..... | trunk | branch ....... ]
//! leaves          [ its leaves .... ]   ...                                       branches are fitted at the same time, each
//!                                                                                 with its leaves at hand, then the trunk
//! ```

use std::ops::Range;

use rayon::prelude::*;

use super::{Bounds, LEAF, Leaf, NONE, Pack, Points, SurfaceTree, Vec3};

/// Packs that one task fits at most.
const PACKS_PER_TASK: usize = 256;

/// A pack and all below it.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    packs: Range<usize>,
    leaves: Range<usize>,
}

/// Packs and leaves that are fitted, and which of the tree's the first ones are.
struct Fit<'a> {
    packs: &'a mut [Pack],
    first_pack: usize,
    leaves: &'a mut [Leaf],
    first_leaf: usize,
}

/// What is left of a list behind the ranges that were cut off.
struct Left<'a, T> {
    list: &'a mut [T],
    first: usize,
}

impl<'a, T> Left<'a, T> {
    fn of(list: &'a mut [T]) -> Self {
        Left { list, first: 0 }
    }

    /// Cuts off a range of the list, with what is before it.
    fn cut_off(&mut self, range: &Range<usize>) -> &'a mut [T] {
        let before = range.start - self.first;
        let (cut, list) = std::mem::take(&mut self.list).split_at_mut(before + range.len());
        (self.list, self.first) = (list, range.end);
        &mut cut[before..]
    }
}

impl Pack {
    /// Indices of the leaves among its children.
    fn leaves(&self) -> impl Iterator<Item = usize> {
        let leaves = self.children.into_iter().filter(|&child| child != NONE && child & LEAF != 0);
        leaves.map(|child| (child & !LEAF) as usize)
    }
}

impl SurfaceTree {
    /// Cuts the tree into branches of as many packs as a task fits.
    pub(super) fn find_branches(&mut self) {
        let mut sizes = vec![1; self.packs.len()];
        for (index, pack) in self.packs.iter().enumerate().rev() {
            let below = pack.children.iter().filter(|&child| child & LEAF == 0);
            sizes[index] += below.map(|&child| sizes[child as usize]).sum::<usize>();
        }
        let (mut index, mut leaf) = (0, 0);
        while index < sizes.len() {
            let is_branch = sizes[index] <= PACKS_PER_TASK;
            let packs = index..index + if is_branch { sizes[index] } else { 1 };
            let leaves = leaf..leaf + self.packs[packs.clone()].iter().flat_map(Pack::leaves).count();
            (index, leaf) = (packs.end, leaves.end);
            if is_branch {
                self.branches.push(Branch { packs, leaves });
            } else {
                self.trunk.push(packs.start as u32);
            }
        }
    }

    /// Fits the tree to new `positions`.
    pub fn refit(&mut self, positions: &[Vec3]) {
        let SurfaceTree { packs, leaves, branches, trunk, .. } = self;
        let (mut packs_left, mut leaves_left) = (Left::of(packs), Left::of(leaves));
        let fit = |branch: &Branch| Fit {
            packs: packs_left.cut_off(&branch.packs),
            first_pack: branch.packs.start,
            leaves: leaves_left.cut_off(&branch.leaves),
            first_leaf: branch.leaves.start,
        };
        let fits: Vec<Fit<'_>> = branches.iter().map(fit).collect();
        fits.into_par_iter().for_each(|mut fit| {
            fit.leaves.iter_mut().for_each(|leaf| leaf.fit(positions));
            (0..fit.packs.len()).rev().for_each(|index| fit.pack(index));
        });
        let mut all = Fit { packs, first_pack: 0, leaves, first_leaf: 0 };
        for &index in trunk.iter().rev() {
            all.packs[index as usize].leaves().for_each(|leaf| all.leaves[leaf].fit(positions));
            all.pack(index as usize);
        }
    }
}

impl Fit<'_> {
    /// Fits the pack of this index among these, whose children are fitted.
    fn pack(&mut self, index: usize) {
        let Fit { packs, leaves, .. } = self;
        let boxes = packs[index].children.map(|child| {
            if child == NONE {
                Bounds::NOTHING
            } else if child & LEAF == 0 {
                packs[child as usize - self.first_pack].bounds
            } else {
                leaves[(child & !LEAF) as usize - self.first_leaf].bounds()
            }
        });
        packs[index].bounds = Bounds::around(boxes);
    }
}

impl Leaf {
    /// Puts the corners where they are now.
    fn fit(&mut self, positions: &[Vec3]) {
        self.corners = self.vertices.map(|vertices| Points::of(vertices.map(|v| positions[v as usize])));
    }

    /// Boxes that together are that of the leaf.
    fn bounds(&self) -> Bounds {
        let [a, b, c] = self.corners;
        Bounds { min: a.min(b).min(c), max: a.max(b).max(c) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Bvh;

    #[test]
    fn branches_that_are_fitted_at_the_same_time_make_one_tree() {
        const SIDE: u32 = 70;
        let corner = |x: u32, y: u32| x * SIDE + y;
        let cells = (0..SIDE - 1).flat_map(|x| (0..SIDE - 1).map(move |y| [x, y]));
        let halves = |[x, y]: [u32; 2]| {
            let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
            [[a, b, c], [a, c, d]]
        };
        let triangles: Vec<[u32; 3]> = cells.flat_map(halves).collect();
        let flat = (0..SIDE * SIDE).map(|v| Vec3::new((v / SIDE) as f32, 0.0, (v % SIDE) as f32));
        let positions: Vec<Vec3> = flat.collect();
        let mut tree = SurfaceTree::build(&positions, &triangles);
        assert!(tree.branches.len() > 2 && !tree.trunk.is_empty(), "{} {}", tree.branches.len(), tree.trunk.len());
        let wavy = |p: &Vec3| Vec3::new(p.x, libm::sinf(0.3 * p.x) + libm::cosf(0.5 * p.z), p.z + 100.0);
        let moved: Vec<Vec3> = positions.iter().map(wavy).collect();
        tree.refit(&moved);
        let plain = Bvh::build(&moved, &triangles);
        for index in 0..200 {
            let query = Vec3::new((index * 37 % 71) as f32, 1.0 - 0.01 * index as f32, 99.5 + (index * 53 % 72) as f32);
            let [found, expected] = [
                tree.closest_where(query, 9.0, &moved, &triangles, |_| true),
                plain.closest_where(query, 9.0, &moved, &triangles, |_| true),
            ]
            .map(|found| found.expect("one near").2.sqrt());
            assert!((found - expected).abs() < 1e-4, "{query}: {found} {expected}");
        }
    }
}
