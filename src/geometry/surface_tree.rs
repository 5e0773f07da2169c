//! Closest points of a moving mesh, four at a time.
//!
//! ```text
//! pack   [ box | box | box | box ]      each box is that of another pack or of a leaf
//! leaf   [ tri | tri | tri | tri ]      corners beside each other, a short leaf repeats its first triangle
//! ```
//!
//! Boxes and triangles lie in vectors of four floats, so that a query compares four at once. It finds what [`Bvh::closest`]
//! finds, but for triangles whose distances differ by rounding only.

mod fit;

use wide::f32x4;

use self::fit::Branch;
use super::{Bvh, BvhNode, ClosestPoint, Points, Vec3, closest_point_on_triangle, lanes};

/// Boxes of a pack and triangles of a leaf.
const LANES: usize = Points::LANES;
/// Marks a child that is a leaf.
const LEAF: u32 = 1 << 31;
/// No child.
const NONE: u32 = u32::MAX;
/// Entries the stack of a query needs at most: three siblings on each of the levels of a tree of [`Bvh`]'s depth, taken two
/// at a time.
const STACK: usize = 100;
/// Leaves that a query of a crowded tree looks at, at most, of triangles that count: enough for a face of a body.
const MOST_LEAVES: usize = 64;
/// Leaves without such triangles that take as long as one with.
const OTHERS_A_LEAF: usize = 8;
/// Lengths squared below this count as this.
const TINY: f32 = 1e-30;

#[derive(Clone, Copy, Debug)]
struct Pack {
    bounds: Bounds,
    children: [u32; LANES],
}

/// Four boxes.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Points,
    max: Points,
}

#[derive(Clone, Copy, Debug)]
struct Leaf {
    corners: [Points; 3],
    triangles: [u32; LANES],
    /// The first, second and third corners of the triangles among the mesh's positions.
    vertices: [[u32; LANES]; 3],
}

/// A tree over the triangles of a mesh that moves.
#[derive(Clone, Debug, Default)]
pub struct SurfaceTree {
    /// Depth first: the root first, all below a pack right behind it.
    packs: Vec<Pack>,
    /// Those of each pack, in the order of packs.
    leaves: Vec<Leaf>,
    /// What is fitted at the same time, in the order of packs.
    branches: Vec<Branch>,
    /// Packs above all branches, ascending.
    trunk: Vec<u32>,
    is_crowded: bool,
}

impl SurfaceTree {
    /// A tree over `triangles` fitted to `positions`. Every corner must index `positions`.
    pub fn build(positions: &[Vec3], triangles: &[[u32; 3]]) -> SurfaceTree {
        let bvh = Bvh::build(positions, triangles);
        let mut tree = SurfaceTree { is_crowded: bvh.is_crowded(), ..SurfaceTree::default() };
        if !triangles.is_empty() {
            tree.pack(&bvh, triangles);
            tree.find_branches();
            tree.refit(positions);
        }
        tree
    }

    /// Whether thousands of triangles lie in each other's boxes: a query then takes the closest of the first it comes to.
    pub fn is_crowded(&self) -> bool {
        self.is_crowded
    }

    /// Takes the levels of a tree two at a time.
    fn pack(&mut self, bvh: &Bvh, mesh: &[[u32; 3]]) {
        // Nodes to pack, with the pack and lane that wait for them.
        let mut open: Vec<(u32, Option<(usize, usize)>)> = vec![(0, None)];
        while let Some((node, parent)) = open.pop() {
            let mut members = [NONE; LANES];
            let mut count = 0;
            for child in children(bvh, node) {
                for grandchild in children(bvh, child) {
                    members[count] = grandchild;
                    count += 1;
                }
            }
            let index = self.packs.len();
            if let Some((pack, lane)) = parent {
                self.packs[pack].children[lane] = index as u32;
            }
            self.packs.push(Pack { bounds: Bounds::NOTHING, children: [NONE; LANES] });
            for (lane, &member) in members[..count].iter().enumerate() {
                match bvh.node(member) {
                    BvhNode::Leaf(triangles) => {
                        self.packs[index].children[lane] = LEAF | self.leaves.len() as u32;
                        let triangles = std::array::from_fn(|i| triangles[if i < triangles.len() { i } else { 0 }]);
                        let vertices = std::array::from_fn(|corner| triangles.map(|t| mesh[t as usize][corner]));
                        self.leaves.push(Leaf { corners: [Points::splat(Vec3::ZERO); 3], triangles, vertices });
                    }
                    BvhNode::Inner(_) => open.push((member, Some((index, lane)))),
                }
            }
        }
    }

    /// Puts the corners of the mesh where they were when the tree was last fitted to them; other places stay as they are.
    pub fn fitted_to(&self, places: &mut [Vec3]) {
        for leaf in &self.leaves {
            for (vertices, points) in leaf.vertices.iter().zip(&leaf.corners) {
                for (lane, &vertex) in vertices.iter().enumerate() {
                    places[vertex as usize] = points.lane(lane);
                }
            }
        }
    }

    /// The point of the mesh closest to `point` and no further than `max_distance`: its triangle, the point, and the squared
    /// distance; among the triangles that `counts`. Of several equally close triangles the one with the smallest index.
    /// `positions` and `triangles` are those it was fitted to.
    pub fn closest_where(
        &self,
        point: Vec3,
        max_distance: f32,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        counts: impl Fn(u32) -> bool,
    ) -> Option<(u32, ClosestPoint, f32)> {
        let at = Points::splat(point);
        self.closest(point, max_distance, positions, triangles, counts, |leaf| Some(leaf.distances_squared(at)))
    }

    /// As [`SurfaceTree::closest_where`], among the triangles whose normals point against `direction`.
    pub fn closest_against(
        &self,
        direction: Vec3,
        point: Vec3,
        max_distance: f32,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        counts: impl Fn(u32) -> bool,
    ) -> Option<(u32, ClosestPoint, f32)> {
        let (at, direction) = (Points::splat(point), Points::splat(direction));
        let distances = |leaf: &Leaf| {
            let is_against = leaf.normals().dot(direction).simd_lt(f32x4::splat(0.0));
            // What is not a number is within no limit.
            is_against.any().then(|| is_against.select(leaf.distances_squared(at), f32x4::splat(f32::NAN)))
        };
        self.closest(point, max_distance, positions, triangles, counts, distances)
    }

    /// How often a ray from `point` along an axis (0, 1, 2; backward along it if not `forward`) leaves the mesh more than it enters
    /// it: the winding number of a closed mesh, above 0 inside. With the first triangle through which it leaves.
    pub fn leaves(&self, point: Vec3, axis: usize, forward: bool) -> (i32, Option<u32>) {
        let (right, up) = ((axis + 1) % 3, (axis + 2) % 3);
        let ahead = |way: f32| if forward { way } else { -way };
        let at = Points::splat(point);
        let (mut count, mut first) = (0, (f32::INFINITY, NONE));
        let mut stack = [0_u32; STACK];
        let mut height = usize::from(!self.packs.is_empty());
        while height > 0 {
            height -= 1;
            let child = stack[height];
            if child & LEAF == 0 {
                let pack = &self.packs[child as usize];
                for lane in lanes(pack.bounds.hit_by(at, axis, forward)) {
                    stack[height] = pack.children[lane];
                    height += 1;
                }
                continue;
            }
            let leaf = &self.leaves[(child & !LEAF) as usize];
            let away = leaf.corners.map(|corner| corner.minus(at).axes());
            // Twice the areas that the ray spans with the sides; of a side that two triangles share they differ in sign only.
            let area = |a: usize, b: usize| away[a][right] * away[b][up] - away[a][up] * away[b][right];
            let areas = [area(1, 2), area(2, 0), area(0, 1)];
            let turning = areas.map(|area| area.simd_ge(f32x4::ZERO));
            let against = areas.map(|area| area.simd_lt(f32x4::ZERO));
            let [turning, against] = [turning, against].map(|[a, b, c]| (a & b & c).to_bitmask());
            for lane in lanes(turning | against) {
                let triangle = leaf.triangles[lane];
                // A short leaf repeats its first.
                if lane > 0 && triangle == leaf.triangles[0] {
                    continue;
                }
                let turns = turning >> lane & 1 == 1;
                let areas = areas.map(|area| area.to_array()[lane]);
                let along = away.map(|corner| corner[axis].to_array()[lane]);
                let sum: f32 = areas.iter().sum();
                let way = ahead(areas.iter().zip(along).map(|(area, along)| area * along).sum::<f32>() / sum);
                if way > 0.0 {
                    let leaves = turns == forward;
                    count += if leaves { 1 } else { -1 };
                    if leaves && (way, triangle) < first {
                        first = (way, triangle);
                    }
                }
            }
        }
        (count, (first.1 != NONE).then_some(first.1))
    }

    /// The closest of the triangles that `counts`, by the squared `distances` to those of a leaf, if any of it is wanted.
    fn closest(
        &self,
        point: Vec3,
        max_distance: f32,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        counts: impl Fn(u32) -> bool,
        distances: impl Fn(&Leaf) -> Option<f32x4>,
    ) -> Option<(u32, ClosestPoint, f32)> {
        let at = Points::splat(point);
        let mut limit = max_distance * max_distance;
        let mut looks_left = if self.is_crowded { MOST_LEAVES * OTHERS_A_LEAF } else { usize::MAX };
        let mut best = NONE;
        let mut stack = [(0_u32, 0.0_f32); STACK];
        let mut height = usize::from(!self.packs.is_empty());
        while height > 0 && looks_left > 0 {
            height -= 1;
            let (child, distance) = stack[height];
            if distance > limit {
                continue;
            }
            if child & LEAF == 0 {
                let pack = &self.packs[child as usize];
                let distances = pack.bounds.distances_squared(at);
                let near = distances.simd_le(f32x4::splat(limit)).to_bitmask();
                let distances = distances.to_array();
                // The furthest first: the nearest is taken from the stack next.
                for &lane in &by_distance(distances)[LANES - near.count_ones() as usize..] {
                    if pack.children[lane] != NONE {
                        stack[height] = (pack.children[lane], distances[lane]);
                        height += 1;
                    }
                }
                continue;
            }
            let leaf = &self.leaves[(child & !LEAF) as usize];
            if self.is_crowded {
                let is_wanted = leaf.triangles.iter().any(|&triangle| counts(triangle));
                looks_left = looks_left.saturating_sub(if is_wanted { OTHERS_A_LEAF } else { 1 });
            }
            let Some(distances) = distances(leaf).map(f32x4::to_array) else { continue };
            for (&triangle, distance) in leaf.triangles.iter().zip(distances) {
                if distance <= limit && (distance < limit || triangle < best) && counts(triangle) {
                    (limit, best) = (distance, triangle);
                }
            }
        }
        (best != NONE).then(|| {
            let found = closest_point_on_triangle(point, triangles[best as usize].map(|v| positions[v as usize]));
            (best, found, found.point.distance_squared(point))
        })
    }
}

/// Children of an inner node; a leaf stands for itself.
fn children(bvh: &Bvh, node: u32) -> impl Iterator<Item = u32> {
    let (children, count) = match bvh.node(node) {
        BvhNode::Inner(children) => (children, 2),
        BvhNode::Leaf(_) => ([node; 2], 1),
    };
    children.into_iter().take(count)
}

impl Bounds {
    /// Boxes around nothing: nowhere near anything, and they widen no other.
    const NOTHING: Bounds = Bounds { min: Points::splat(Vec3::INFINITY), max: Points::splat(Vec3::NEG_INFINITY) };

    /// The box around each of four.
    fn around(boxes: [Bounds; LANES]) -> Bounds {
        Bounds {
            min: Points::across(boxes.map(|boxes| boxes.min), Points::min),
            max: Points::across(boxes.map(|boxes| boxes.max), Points::max),
        }
    }

    #[inline]
    fn distances_squared(&self, point: Points) -> f32x4 {
        let outside = self.min.minus(point).max(point.minus(self.max)).max(Points::splat(Vec3::ZERO));
        outside.dot(outside)
    }

    /// Which a ray along an axis may meet: a bit each.
    #[inline]
    fn hit_by(&self, point: Points, axis: usize, forward: bool) -> u32 {
        let [point, min, max] = [point, self.min, self.max].map(Points::axes);
        let is_ahead = if forward { max[axis].simd_ge(point[axis]) } else { min[axis].simd_le(point[axis]) };
        let is_over = |side: usize| min[side].simd_le(point[side]) & max[side].simd_ge(point[side]);
        (is_ahead & is_over((axis + 1) % 3) & is_over((axis + 2) % 3)).to_bitmask()
    }
}

/// Which of four distances is the furthest, and so on to the nearest; those that differ by rounding in any order.
#[inline]
fn by_distance(distances: [f32; LANES]) -> [usize; LANES] {
    // The bits of numbers from 0 on are in the order of the numbers. The last two tell which it is.
    let mut keys: [u32; LANES] = std::array::from_fn(|lane| distances[lane].to_bits() & !3 | lane as u32);
    // Five comparisons sort four, without a branch.
    for [a, b] in [[0, 1], [2, 3], [0, 2], [1, 3], [1, 2]] {
        (keys[a], keys[b]) = (keys[a].max(keys[b]), keys[a].min(keys[b]));
    }
    keys.map(|key| (key & 3) as usize)
}

impl Leaf {
    /// Of its triangles, of any length.
    #[inline]
    fn normals(&self) -> Points {
        let [a, b, c] = self.corners;
        b.minus(a).cross(c.minus(a))
    }

    /// To each triangle: to its plane where the point stands over its face, else to the nearest of its sides.
    #[inline]
    fn distances_squared(&self, point: Points) -> f32x4 {
        let [a, b, c] = self.corners;
        let (ab, bc, ca) = (b.minus(a), c.minus(b), a.minus(c));
        let (ap, bp, cp) = (point.minus(a), point.minus(b), point.minus(c));
        let normal = ca.cross(ab);
        let zero = f32x4::splat(0.0);
        let over_face = normal.cross(ab).dot(ap).simd_gt(zero)
            & normal.cross(bc).dot(bp).simd_gt(zero)
            & normal.cross(ca).dot(cp).simd_gt(zero);
        let height = normal.dot(ap);
        let to_plane = height * height / normal.dot(normal).fast_max(f32x4::splat(TINY));
        let to_sides = to_side(ap, ab).fast_min(to_side(bp, bc)).fast_min(to_side(cp, ca));
        over_face.select(to_plane, to_sides)
    }
}

/// Squared distance of a point from a side, both seen from the side's start.
#[inline]
fn to_side(point: Points, side: Points) -> f32x4 {
    let along = point.dot(side) / side.dot(side).fast_max(f32x4::splat(TINY));
    let along = along.fast_max(f32x4::splat(0.0)).fast_min(f32x4::splat(1.0));
    let away = point.minus(side.times(along));
    away.dot(away)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::any_point;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_finds_what_the_plain_tree_finds(
            positions in prop::collection::vec(any_point(), 60),
            triangles in prop::collection::vec((0..60_u32, 0..60_u32, 0..60_u32), 1..200),
            queries in prop::collection::vec(any_point(), 8),
            within in 0.05f32..2.0,
            shift in any_point(),
        ) {
            let triangles: Vec<[u32; 3]> = triangles.into_iter().map(|(a, b, c)| [a, b, c]).collect();
            let mut tree = SurfaceTree::build(&positions, &triangles);
            let moved: Vec<Vec3> = positions.iter().map(|&p| shift + Vec3::new(p.z, p.x, p.y * 1.7)).collect();
            tree.refit(&moved);
            let mut places = positions.clone();
            tree.fitted_to(&mut places);
            prop_assert!(triangles.iter().flatten().all(|&v| places[v as usize] == moved[v as usize]));
            let plain = Bvh::build(&moved, &triangles);
            for q in queries {
                let odd = |t: u32| t % 2 == 1;
                let found = tree.closest_where(q, within, &moved, &triangles, odd);
                let expected = plain.closest_where(q, within, &moved, &triangles, odd);
                prop_assert!(found.is_none_or(|f| odd(f.0)));
                match (found, expected) {
                    (Some(found), Some(expected)) => prop_assert!((found.2.sqrt() - expected.2.sqrt()).abs() < 1e-5),
                    (None, None) => {}
                    // At the limit itself rounding decides.
                    (one, other) => prop_assert!((one.or(other).unwrap().2.sqrt() - within).abs() < 1e-5),
                }
            }
        }
    }

    #[test]
    fn only_triangles_that_face_against_a_direction_are_found() {
        let positions = [0.0, 1.0, 2.0, 3.0].map(|y| [Vec3::ZERO, Vec3::X, Vec3::Z].map(|p| p + Vec3::Y * y)).concat();
        // By turns down and up.
        let triangles = [[0, 1, 2], [3, 5, 4], [6, 7, 8], [9, 11, 10]];
        let tree = SurfaceTree::build(&positions, &triangles);
        let at = Vec3::new(0.2, 0.9, 0.2);
        let found = |way: Vec3| tree.closest_against(way, at, f32::INFINITY, &positions, &triangles, |_| true);
        assert_eq!(found(Vec3::Y).unwrap().0, 0);
        assert_eq!(found(Vec3::NEG_Y).unwrap().0, 1);
        assert!(found(Vec3::X).is_none());
    }

    proptest! {
        #[test]
        fn rays_leave_a_closed_mesh_once_more_than_they_enter_it_from_inside_only(
            point in any_point(),
            shift in any_point(),
            axis in 0..3_usize,
            forward: bool,
        ) {
            // An octahedron, and one of half its size inside it that is turned inside out: between them is inside.
            let tips = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
            let positions = [1.0, 0.5].map(|size| tips.map(|tip| tip * size + shift)).concat();
            let outer = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
            let triangles = [outer, outer.map(|[a, b, c]| [a + 6, c + 6, b + 6])].concat();
            let tree = SurfaceTree::build(&positions, &triangles);
            let far = point.abs().element_sum();
            prop_assume!((far - 1.0).abs() > 1e-3 && (far - 0.5).abs() > 1e-3);
            let (leaves, through) = tree.leaves(point + shift, axis, forward);
            prop_assert_eq!(leaves, i32::from((0.5..1.0).contains(&far)));
            prop_assert!(leaves == 0 || through.is_some());
        }
    }

    #[test]
    fn a_ray_leaves_first_through_the_nearest_triangle_that_it_leaves_through() {
        let positions = [0.0, 1.0, 2.0, 3.0].map(|y| [Vec3::ZERO, Vec3::X, Vec3::Z].map(|p| p + Vec3::Y * y)).concat();
        // By turns down and up.
        let triangles = [[0, 1, 2], [3, 5, 4], [6, 7, 8], [9, 11, 10]];
        let tree = SurfaceTree::build(&positions, &triangles);
        let leaves = |y: f32, forward| tree.leaves(Vec3::new(0.2, y, 0.3), 1, forward);
        assert_eq!(leaves(0.5, true), (1, Some(1)));
        assert_eq!(leaves(1.5, true), (0, Some(3)));
        assert_eq!(leaves(2.5, false), (1, Some(2)));
        assert_eq!(leaves(4.0, true), (0, None));
        assert_eq!(tree.leaves(Vec3::new(0.7, 0.5, 0.7), 1, true), (0, None), "beside them");
        assert_eq!(SurfaceTree::build(&[], &[]).leaves(Vec3::ZERO, 0, true), (0, None));
    }

    #[test]
    fn nothing_is_closest_to_no_mesh_or_beyond_the_distance() {
        assert!(SurfaceTree::build(&[], &[]).closest_where(Vec3::ZERO, 1.0, &[], &[], |_| true).is_none());
        let (positions, triangles) = ([Vec3::X, Vec3::Y, Vec3::Z], [[0, 1, 2]]);
        let tree = SurfaceTree::build(&positions, &triangles);
        assert!(tree.closest_where(Vec3::ZERO, 0.5, &positions, &triangles, |_| true).is_none());
        assert!(tree.closest_where(Vec3::ZERO, f32::INFINITY, &positions, &triangles, |_| true).is_some());
    }

    #[test]
    fn of_triangles_in_one_place_the_first_is_closest() {
        let triangles = vec![[0, 1, 2]; 1000];
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let tree = SurfaceTree::build(&positions, &triangles);
        assert_eq!(tree.closest_where(Vec3::Z, 2.0, &positions, &triangles, |_| true).unwrap().0, 0);
    }
}
