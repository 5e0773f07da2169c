//! The planes of a mesh's faces, which tell most of what does not meet them, four faces at a time.

use wide::f32x4;

use crate::geometry::{Bvh, BvhNode, Points, Vec3, lanes};

/// Part of a product of lengths that a height above a face has, times the other lengths of the face, to be no doubt of rounding.
const CLEAR: f32 = 1e-5;

/// The planes of the faces of all leaves of a tree.
pub(super) struct Planes {
    /// By the numbers of nodes; those of inner nodes are nothing.
    of_node: Vec<Four>,
}

/// The planes of up to four faces, as rounding allows to tell what is beside them.
#[derive(Clone, Copy)]
struct Four {
    corners: Points,
    /// As long as twice the areas.
    normals: Points,
    /// How far products with the normals may be off, for each metre from the corner.
    doubts: f32x4,
    /// A bit for each face.
    all: u32,
}

impl Planes {
    /// Those of `triangles` at `positions`, to which `tree` is fitted.
    pub(super) fn of(tree: &Bvh, positions: &[Vec3], triangles: &[[u32; 3]]) -> Planes {
        let of_node = |node: u32| match tree.node(node) {
            BvhNode::Leaf(leaf) => Four::of(leaf, positions, triangles),
            BvhNode::Inner(_) => Four::NONE,
        };
        Planes { of_node: (0..tree.node_count() as u32).map(of_node).collect() }
    }

    /// The faces of a leaf that a segment may meet, by their places in it: of the others both ends are on one side for sure.
    pub(super) fn may_meet(&self, node: u32, segment: [Vec3; 2]) -> impl Iterator<Item = usize> {
        lanes(self.of_node[node as usize].may_meet(segment))
    }
}

impl Four {
    const NONE: Four =
        Four { corners: Points::splat(Vec3::ZERO), normals: Points::splat(Vec3::ZERO), doubts: f32x4::ZERO, all: 0 };

    fn of(leaf: &[u32], positions: &[Vec3], triangles: &[[u32; 3]]) -> Four {
        let [a, b, c] = Points::corners(leaf.iter().map(|&triangle| triangles[triangle as usize]), positions);
        let (u, v) = (b.minus(a), c.minus(a));
        let doubts = f32x4::splat(CLEAR) * size(u) * size(v);
        Four { corners: a, normals: u.cross(v), doubts, all: (1 << leaf.len()) - 1 }
    }

    fn may_meet(&self, segment: [Vec3; 2]) -> u32 {
        let ways = segment.map(|point| Points::splat(point).minus(self.corners));
        let [from, to] = ways.map(|way| self.normals.dot(way));
        let doubt = self.doubts * (size(ways[0]) + size(ways[1]));
        let is_above = from.simd_gt(doubt) & to.simd_gt(doubt);
        let is_below = from.simd_lt(-doubt) & to.simd_lt(-doubt);
        !(is_above | is_below).to_bitmask() & self.all
    }
}

/// The sums of the coordinates without their signs: no less than the lengths.
fn size(ways: Points) -> f32x4 {
    let [x, y, z] = ways.axes();
    x.abs() + y.abs() + z.abs()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::inside::may_meet;
    use super::*;
    use crate::geometry::any_point;

    /// Whether the planes of these faces, or the second's alone, tell that a segment does not meet it.
    fn are_clear(faces: [[Vec3; 3]; 2], segment: [Vec3; 2]) -> bool {
        let (positions, triangles) = (faces.concat(), [[0, 1, 2], [3, 4, 5]]);
        let four = Four::of(&[0, 1], &positions, &triangles);
        four.may_meet(segment) & 2 == 0
    }

    proptest! {
        #[test]
        fn what_is_clear_of_the_plane_of_a_face_does_not_meet_it(
            other in [any_point(), any_point(), any_point()],
            face in [any_point(), any_point(), any_point()],
            segment in [any_point(), any_point()],
            height in -1e-5f32..1e-5,
        ) {
            let exact = |points: [Vec3; 2]| points.map(|p| p.as_dvec3());
            let meets = |segment: [Vec3; 2]| may_meet(exact(segment), face.map(|p| p.as_dvec3()));
            prop_assert!(!are_clear([other, face], segment) || !meets(segment));
            // Nearly in the plane, where only rounding tells.
            let normal = (face[1] - face[0]).cross(face[2] - face[0]);
            let nearly = [face[0].lerp(face[1], 0.3), face[1].lerp(face[2], 0.6)].map(|p| p + normal * height);
            prop_assert!(!are_clear([other, face], nearly) || !meets(nearly));
        }
    }

    #[test]
    fn a_segment_above_a_face_is_clear_of_its_plane() {
        let faces = [[Vec3::ONE, Vec3::X, Vec3::Z], [Vec3::ZERO, Vec3::X, Vec3::Y]];
        assert!(are_clear(faces, [Vec3::Z, Vec3::Z + Vec3::X]));
        assert!(are_clear(faces, [-Vec3::Z, -Vec3::Z + Vec3::X]));
        assert!(!are_clear(faces, [-Vec3::Z, Vec3::Z]));
    }

    #[test]
    fn a_tree_of_nothing_meets_nothing() {
        let tree = Bvh::build(&[], &[]);
        let planes = Planes::of(&tree, &[], &[]);
        assert_eq!(planes.may_meet(0, [Vec3::ZERO, Vec3::X]).count(), 0);
    }
}
