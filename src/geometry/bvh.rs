//! A bounding volume hierarchy over the triangles of a mesh that deforms.
//!
//! ```text
//! nodes   [root | left subtree ... | right subtree ...]    depth first: a left child stands right behind its parent
//! order   [ triangles of the first leaf | of the second leaf | ... ]
//! ```
//!
//! The tree is built once by the surface area heuristic (Wald 2007, binned) and refitted to each pose. Queries take the
//! positions beside the tree, so that one tree serves many poses. Equal distances go to the smaller triangle index: an
//! answer depends on the mesh, never on the shape of the tree.

mod split;

use std::ops::{ControlFlow, Range};

use self::split::split;
use super::{Aabb, ClosestPoint, Vec3, closest_point_on_triangle};

/// Triangles a leaf holds at most. Fewer make refits dear, more make queries dear.
pub(super) const LEAF_SIZE: usize = 4;
/// Nodes that a task fits at most.
const NODES_PER_TASK: usize = 4096;
/// Triangles that a query for the closest looks at, at most, in a crowded tree.
const MOST_LOOKS: usize = 1024;
/// Squares of the sizes of all leaves, as a part of the whole tree's, from which on a tree is crowded: a body's are a few times
/// its area, hair of long cards comes to 10.
const CROWDED: f32 = 128.0;
/// Nodes up to which no tree is crowded: it takes no time.
const FEW_NODES: usize = 4096;
/// Depth that no tree exceeds: [`split::HEURISTIC_DEPTH`] and 32 halvings of at most 2^32 triangles.
const STACK: usize = 64;

/// A tree of boxes over triangles.
#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
    is_crowded: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Leaf: where its triangles start in the order. Inner node: index of the right child.
    start: u32,
    /// Number of triangles of a leaf; 0 for an inner node.
    count: u32,
}

/// What a node of a [`Bvh`] holds.
#[derive(Clone, Copy, Debug)]
pub enum BvhNode<'a> {
    /// Its two children.
    Inner([u32; 2]),
    /// Its triangles.
    Leaf(&'a [u32]),
}

/// A run of the order that is to become a node, and the inner node whose right child it is.
struct Task {
    start: usize,
    end: usize,
    depth: u32,
    right_child_of: Option<usize>,
}

impl Bvh {
    /// A tree over `triangles` fitted to `positions`. Every corner must index `positions`.
    pub fn build(positions: &[Vec3], triangles: &[[u32; 3]]) -> Bvh {
        let bounds: Vec<Aabb> = triangles.iter().map(|&t| Aabb::around(&corners(positions, t))).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes: Vec<Node> = Vec::with_capacity(triangles.len());
        let mut beyond = Vec::new();
        let mut tasks = vec![Task { start: 0, end: order.len(), depth: 0, right_child_of: None }];
        while let Some(task) = tasks.pop() {
            let index = nodes.len();
            if let Some(parent) = task.right_child_of {
                nodes[parent].start = index as u32;
            }
            let run = &mut order[task.start..task.end];
            if run.len() <= LEAF_SIZE {
                nodes.push(Node { bounds: Aabb::EMPTY, start: task.start as u32, count: run.len() as u32 });
                continue;
            }
            nodes.push(Node { bounds: Aabb::EMPTY, start: 0, count: 0 });
            let middle = task.start + split(run, &mut beyond, &bounds, task.depth);
            let depth = task.depth + 1;
            tasks.push(Task { start: middle, end: task.end, depth, right_child_of: Some(index) });
            tasks.push(Task { start: task.start, end: middle, depth, right_child_of: None });
        }
        nodes.shrink_to_fit();
        let mut bvh = Bvh { nodes, order, is_crowded: false };
        bvh.refit(positions, triangles);
        bvh.is_crowded = bvh.node_count() > FEW_NODES && bvh.crowding() > CROWDED;
        bvh
    }

    /// Whether thousands of triangles lie in each other's boxes, as those of a tangle of large triangles do, when it was built: a
    /// query for the closest then takes the closest of the first it comes to, as all would take it as long as to go through them
    /// one by one.
    pub fn is_crowded(&self) -> bool {
        self.is_crowded
    }

    fn crowding(&self) -> f32 {
        let leaves = self.nodes.iter().filter(|node| node.count > 0);
        let sum: f32 = leaves.map(|leaf| leaf.bounds.size().length_squared()).sum();
        sum / self.bounds().size().length_squared()
    }

    /// Puts the triangles the tree was built over into its order, and counts them by their places there from now on.
    pub(super) fn put_in_order(&mut self, triangles: &mut Vec<[u32; 3]>) {
        *triangles = self.order.iter().map(|&t| triangles[t as usize]).collect();
        self.order.iter_mut().zip(0..).for_each(|(t, place)| *t = place);
    }

    /// Fits the boxes to new `positions`. `triangles` are those the tree was built over.
    pub fn refit(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) {
        let Bvh { nodes, order, .. } = self;
        let around = |bounds: Aabb, &t: &u32| bounds.union(Aabb::around(&corners(positions, triangles[t as usize])));
        let of_leaf = |leaf: Range<usize>| (order[leaf].iter().fold(Aabb::EMPTY, around), ());
        let mut notes = vec![(); nodes.len()];
        Fit { of_leaf, of_children: |(), ()| (), has_inner: nodes.len() > 1 }.nodes(0, nodes, &mut notes);
    }

    /// Fits the boxes, and makes a note of each node: `of_leaf` gives box and note of a leaf, whose triangles are at that place in
    /// the order, `of_children` the note of an inner node.
    pub(super) fn refit_with<N: Copy + Send>(
        &mut self,
        notes: &mut [N],
        of_leaf: impl Fn(Range<usize>) -> (Aabb, N) + Sync,
        of_children: impl Fn(N, N) -> N + Sync,
    ) {
        let has_inner = self.nodes.len() > 1;
        Fit { of_leaf, of_children, has_inner }.nodes(0, &mut self.nodes, notes);
    }

    /// The point of the mesh closest to `point` and no further than `max_distance`: its triangle, the point, and the squared
    /// distance. Of several equally close triangles the one with the smallest index.
    pub fn closest(
        &self,
        point: Vec3,
        max_distance: f32,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
    ) -> Option<(u32, ClosestPoint, f32)> {
        self.closest_where(point, max_distance, positions, triangles, |_| true)
    }

    /// As [`Bvh::closest`], among the triangles that `counts`.
    pub fn closest_where(
        &self,
        point: Vec3,
        max_distance: f32,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        counts: impl Fn(u32) -> bool,
    ) -> Option<(u32, ClosestPoint, f32)> {
        let mut best: Option<(u32, ClosestPoint, f32)> = None;
        let mut limit = max_distance * max_distance;
        let mut looks_left = if self.is_crowded { MOST_LOOKS } else { usize::MAX };
        let mut stack = [(0u32, 0f32); STACK];
        stack[0] = (0, self.bounds().distance_squared(point));
        let mut height = usize::from(!self.order.is_empty());
        while height > 0 && looks_left > 0 {
            height -= 1;
            let (index, distance) = stack[height];
            if distance > limit {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count == 0 {
                let [near, far] = self.children_by_distance(index, point);
                stack[height] = far;
                stack[height + 1] = near;
                height += 2;
                continue;
            }
            for &triangle in self.triangles_of(node).iter().filter(|&&t| counts(t)) {
                looks_left = looks_left.saturating_sub(1);
                let found = closest_point_on_triangle(point, corners(positions, triangles[triangle as usize]));
                let distance = found.point.distance_squared(point);
                let wins = best.is_none_or(|(other, _, d)| distance < d || triangle < other);
                if distance <= limit && wins {
                    limit = distance;
                    best = Some((triangle, found, distance));
                }
            }
        }
        best
    }

    /// Calls `visit` with each triangle whose leaf box overlaps `region`: a superset of the triangles whose own boxes do, in
    /// the order of the tree.
    pub fn overlapping(&self, region: &Aabb, mut visit: impl FnMut(u32)) {
        self.any_overlapping(region, |triangle| {
            visit(triangle);
            false
        });
    }

    /// As [`Bvh::overlapping`], up to the first triangle that `is_found`; tells whether there is one.
    pub fn any_overlapping(&self, region: &Aabb, mut is_found: impl FnMut(u32) -> bool) -> bool {
        self.any_leaf_overlapping(region, |_, leaf| leaf.iter().any(|&triangle| is_found(triangle)))
    }

    /// As [`Bvh::any_overlapping`], leaf by leaf: `is_found` gets the number of the node and its triangles.
    pub fn any_leaf_overlapping(&self, region: &Aabb, mut is_found: impl FnMut(u32, &[u32]) -> bool) -> bool {
        let mut stack = [0u32; STACK];
        let mut height = usize::from(!self.order.is_empty());
        while height > 0 {
            height -= 1;
            let index = stack[height];
            let node = &self.nodes[index as usize];
            if !node.bounds.overlaps(region) {
                continue;
            }
            if node.count == 0 {
                stack[height] = node.start;
                stack[height + 1] = index + 1;
                height += 2;
            } else {
                if is_found(index, self.triangles_of(node)) {
                    return true;
                }
            }
        }
        false
    }

    /// Calls `visit` with the triangles of each leaf, and number and triangles of each leaf of an `other` tree whose box overlaps that
    /// one's, until it breaks off.
    pub fn leaves_overlapping(&self, other: &Bvh, mut visit: impl FnMut(&[u32], (u32, &[u32])) -> ControlFlow<()>) {
        if self.order.is_empty() || other.order.is_empty() {
            return;
        }
        let mut open = vec![[0, 0]];
        while let Some([one, two]) = open.pop() {
            let [ours, theirs] = [&self.nodes[one as usize], &other.nodes[two as usize]];
            if !ours.bounds.overlaps(&theirs.bounds) {
                continue;
            }
            let size = |node: &Node| node.bounds.size().length_squared();
            match [ours.count, theirs.count] {
                [0, 0] if size(ours) < size(theirs) => open.extend([[one, theirs.start], [one, two + 1]]),
                [0, _] => open.extend([[ours.start, two], [one + 1, two]]),
                [_, 0] => open.extend([[one, theirs.start], [one, two + 1]]),
                _ if visit(self.triangles_of(ours), (two, other.triangles_of(theirs))).is_break() => return,
                _ => {}
            }
        }
    }

    /// The box around the whole mesh; [`Aabb::EMPTY`] for none.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }

    /// Number of nodes. Node 0 is the root; the children of a node have larger numbers than itself.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// What a node holds.
    pub fn node(&self, index: u32) -> BvhNode<'_> {
        let node = &self.nodes[index as usize];
        if node.count == 0 && !self.order.is_empty() {
            BvhNode::Inner([index + 1, node.start])
        } else {
            BvhNode::Leaf(self.triangles_of(node))
        }
    }

    fn triangles_of(&self, leaf: &Node) -> &[u32] {
        &self.order[leaf.start as usize..(leaf.start + leaf.count) as usize]
    }

    /// The box of a node.
    pub fn node_bounds(&self, index: u32) -> &Aabb {
        &self.nodes[index as usize].bounds
    }

    /// All triangles, leaf after leaf: neighbours in this order are neighbours in space.
    pub fn triangle_order(&self) -> &[u32] {
        &self.order
    }

    /// Both children of an inner node with the squared distances of their boxes, the nearer first.
    fn children_by_distance(&self, parent: u32, point: Vec3) -> [(u32, f32); 2] {
        let [left, right] = [parent + 1, self.nodes[parent as usize].start];
        let with_distance = |child: u32| (child, self.nodes[child as usize].bounds.distance_squared(point));
        let (left, right) = (with_distance(left), with_distance(right));
        if left.1 <= right.1 { [left, right] } else { [right, left] }
    }
}

/// How the nodes of a tree are fitted.
struct Fit<L, C> {
    of_leaf: L,
    of_children: C,
    /// Whether there are inner nodes: one without triangles is the leaf of an empty tree.
    has_inner: bool,
}

impl<L, C> Fit<L, C> {
    /// Fits a subtree, whose first node has the number `first`; both halves of a large one at the same time.
    fn nodes<N: Copy + Send>(&self, first: usize, nodes: &mut [Node], notes: &mut [N])
    where
        L: Fn(Range<usize>) -> (Aabb, N) + Sync,
        C: Fn(N, N) -> N + Sync,
    {
        let one_by_one = if nodes.len() <= NODES_PER_TASK {
            nodes.len()
        } else {
            let left = nodes[0].start as usize - first - 1;
            let (nodes_left, nodes_right) = nodes[1..].split_at_mut(left);
            let (notes_left, notes_right) = notes[1..].split_at_mut(left);
            rayon::join(
                || self.nodes(first + 1, nodes_left, notes_left),
                || self.nodes(first + 1 + left, nodes_right, notes_right),
            );
            1
        };
        for index in (0..one_by_one).rev() {
            let Node { start, count, .. } = nodes[index];
            (nodes[index].bounds, notes[index]) = if count == 0 && self.has_inner {
                let [left, right] = [index + 1, start as usize - first];
                (nodes[left].bounds.union(nodes[right].bounds), (self.of_children)(notes[left], notes[right]))
            } else {
                (self.of_leaf)(start as usize..(start + count) as usize)
            };
        }
    }
}

fn corners(positions: &[Vec3], triangle: [u32; 3]) -> [Vec3; 3] {
    triangle.map(|v| positions[v as usize])
}

fn half_area(bounds: &Aabb) -> f32 {
    let s = bounds.size();
    s.x * s.y + s.y * s.z + s.z * s.x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::any_point;
    use proptest::prelude::*;

    fn brute_force(point: Vec3, positions: &[Vec3], triangles: &[[u32; 3]]) -> (u32, f32) {
        let distance =
            |&t: &[u32; 3]| closest_point_on_triangle(point, corners(positions, t)).point.distance_squared(point);
        let all = triangles.iter().enumerate().map(|(i, t)| (i as u32, distance(t)));
        all.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))).unwrap()
    }

    fn any_mesh() -> impl Strategy<Value = (Vec<Vec3>, Vec<[u32; 3]>)> {
        prop::collection::vec(any_point(), 3..60).prop_flat_map(|positions| {
            let corner = 0..positions.len() as u32;
            let triangle = (corner.clone(), corner.clone(), corner).prop_map(|(a, b, c)| [a, b, c]);
            (Just(positions), prop::collection::vec(triangle, 1..200))
        })
    }

    /// Triangles from all over a cube to all over it.
    fn tangle(count: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let coordinate = |seed: u32| (seed.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32;
        let corner = |i: u32| Vec3::from_array([0, 1, 2].map(|axis| coordinate(3 * i + axis)));
        ((0..3 * count).map(corner).collect(), (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
    }

    #[test]
    fn a_query_of_a_tangle_looks_at_some_of_it_only() {
        let (positions, triangles) = tangle(20_000);
        let bvh = Bvh::build(&positions, &triangles);
        assert!(bvh.is_crowded());
        let looks = std::cell::Cell::new(0);
        let count = |_| {
            looks.set(looks.get() + 1);
            true
        };
        for query in [Vec3::splat(0.5), Vec3::splat(0.3), Vec3::ZERO, Vec3::splat(9.0)] {
            looks.set(0);
            assert!(bvh.closest_where(query, f32::INFINITY, &positions, &triangles, count).is_some());
            assert!(looks.get() < MOST_LOOKS + LEAF_SIZE, "{}", looks.get());
        }
        // Small triangles in the same places have room.
        let small = |(i, p): (usize, &Vec3)| positions[i / 3 * 3] + (*p - positions[i / 3 * 3]) * 0.01;
        let apart: Vec<Vec3> = positions.iter().enumerate().map(small).collect();
        assert!(!Bvh::build(&apart, &triangles).is_crowded());
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_brute_force_finds((positions, triangles) in any_mesh(), queries in prop::collection::vec(any_point(), 8)) {
            let bvh = Bvh::build(&positions, &triangles);
            for q in queries {
                let (triangle, _, distance) = bvh.closest(q, f32::INFINITY, &positions, &triangles).unwrap();
                prop_assert_eq!((triangle, distance), brute_force(q, &positions, &triangles));
            }
        }

        #[test]
        fn a_refitted_tree_finds_what_a_new_one_finds((positions, triangles) in any_mesh(), q in any_point(), shift in any_point()) {
            let mut bvh = Bvh::build(&positions, &triangles);
            let moved: Vec<Vec3> = positions.iter().map(|&p| shift + Vec3::new(p.z, p.x, p.y * 1.7)).collect();
            bvh.refit(&moved, &triangles);
            let (triangle, _, distance) = bvh.closest(q, f32::INFINITY, &moved, &triangles).unwrap();
            prop_assert_eq!((triangle, distance), brute_force(q, &moved, &triangles));
        }

        #[test]
        fn no_overlapping_triangle_is_missed((positions, triangles) in any_mesh(), a in any_point(), b in any_point()) {
            let region = Aabb::EMPTY.with(a).with(b);
            let mut visited = vec![0; triangles.len()];
            Bvh::build(&positions, &triangles).overlapping(&region, |t| visited[t as usize] += 1);
            prop_assert!(visited.iter().all(|&n| n <= 1));
            for (t, &n) in triangles.iter().zip(&visited) {
                prop_assert!(n == 1 || !Aabb::around(&corners(&positions, *t)).overlaps(&region));
            }
        }
    }

    proptest! {
        #[test]
        fn no_overlapping_leaves_are_missed((positions, triangles) in any_mesh(), (others, more) in any_mesh(), shift in any_point()) {
            let others: Vec<Vec3> = others.iter().map(|&p| p + shift).collect();
            let [one, two] = [Bvh::build(&positions, &triangles), Bvh::build(&others, &more)];
            let mut visited = std::collections::BTreeSet::new();
            one.leaves_overlapping(&two, |ours, (_, theirs)| {
                for &t in ours {
                    theirs.iter().for_each(|&u| assert!(visited.insert((t, u))));
                }
                ControlFlow::Continue(())
            });
            for (t, triangle) in (0..).zip(&triangles) {
                for (u, other) in (0..).zip(&more) {
                    let boxes = (Aabb::around(&corners(&positions, *triangle)), Aabb::around(&corners(&others, *other)));
                    prop_assert!(visited.contains(&(t, u)) || !boxes.0.overlaps(&boxes.1));
                }
            }
        }
    }

    #[test]
    fn nothing_is_closest_to_no_mesh_or_beyond_the_distance() {
        assert!(Bvh::build(&[], &[]).closest(Vec3::ZERO, 1.0, &[], &[]).is_none());
        let (positions, triangles) = ([Vec3::X, Vec3::Y, Vec3::Z], [[0, 1, 2]]);
        let bvh = Bvh::build(&positions, &triangles);
        assert!(bvh.closest(Vec3::ZERO, 0.5, &positions, &triangles).is_none());
        assert!(bvh.closest(Vec3::ZERO, 0.6, &positions, &triangles).is_some());
    }

    #[test]
    fn a_thousand_triangles_in_one_place_make_a_shallow_tree() {
        let triangles = vec![[0, 1, 2]; 1000];
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let found = Bvh::build(&positions, &triangles).closest(Vec3::Z, 2.0, &positions, &triangles).unwrap();
        assert_eq!(found.0, 0);
    }
}
