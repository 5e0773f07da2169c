//! What tells quickly that parts of the cloth are apart, four triangles at a time.
//!
//! ```text
//!      ( ball )  ( ball )        balls further apart than the reach, or
//!
//!        /\
//!       /__\     a triangle      wholly on one side of the other's plane, further than the reach
//!    ------------- plane
//! ```

use wide::f32x4;

use crate::geometry::{Points, Vec3};

/// The plane in which a triangle lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Unit length; zero of a triangle without area.
    normal: Vec3,
    /// Distance from the origin, metres.
    offset: f32,
}

impl Plane {
    /// Whether what has these corners lies wholly on one side of the plane, further than `reach`.
    pub(super) fn is_clear_of<const N: usize>(self, corners: [Vec3; N], reach: f32) -> bool {
        let heights = corners.map(|corner| self.normal.dot(corner) - self.offset);
        heights.iter().all(|&height| height > reach) || heights.iter().all(|&height| height < -reach)
    }
}

/// Balls and planes of up to four triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    centres: Points,
    radii: f32x4,
    /// Unit length; zero of triangles without area.
    normals: Points,
    /// Distances of the planes from the origin, metres.
    offsets: f32x4,
}

/// One triangle, as it is compared with the four of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    pub(super) triangle: u32,
    corners: [Vec3; 3],
    centre: Vec3,
    radius: f32,
    pub(super) plane: Plane,
}

impl Block {
    /// Around the triangles of a leaf; the first stands in for those it lacks.
    pub(super) fn around(leaf: &[[u32; 3]], positions: &[Vec3]) -> Block {
        let place = |lane: usize, corner: usize| positions[leaf.get(lane).unwrap_or(&leaf[0])[corner] as usize];
        let [a, b, c] = [0, 1, 2].map(|corner| Points::of(std::array::from_fn(|lane| place(lane, corner))));
        let centres = a.plus(b).plus(c).times(f32x4::splat(1.0 / 3.0));
        let [to_a, to_b, to_c] = [a, b, c].map(|corner| corner.minus(centres).length_squared());
        let across = b.minus(a).cross(c.minus(a));
        let length = across.length_squared().sqrt();
        let has_area = length.simd_gt(f32x4::splat(f32::MIN_POSITIVE));
        let normals = across.times(has_area.select(f32x4::ONE / length, f32x4::ZERO));
        Block { centres, radii: to_a.max(to_b).max(to_c).sqrt(), normals, offsets: normals.dot(a) }
    }

    /// The triangle of one lane, with its index and corners.
    pub(super) fn single(&self, lane: usize, triangle: u32, corners: [Vec3; 3]) -> Single {
        let of = |lanes: f32x4| lanes.to_array()[lane];
        Single {
            triangle,
            corners,
            centre: self.centres.lane(lane),
            radius: of(self.radii),
            plane: Plane { normal: self.normals.lane(lane), offset: of(self.offsets) },
        }
    }

    /// Which triangles may be within `reach` of another: a bit each.
    pub(super) fn may_be_within(&self, reach: f32, other: &Single) -> u32 {
        let most = self.radii + f32x4::splat(other.radius + reach);
        let is_near = self.centres.minus(Points::splat(other.centre)).length_squared().simd_le(most * most);
        let heights = other.corners.map(|corner| self.normals.dot(Points::splat(corner)) - self.offsets);
        let lowest = heights[0].fast_min(heights[1]).fast_min(heights[2]);
        let highest = heights[0].fast_max(heights[1]).fast_max(heights[2]);
        let reaches = lowest.simd_le(f32x4::splat(reach)) & highest.simd_ge(f32x4::splat(-reach));
        (is_near & reaches).to_bitmask()
    }
}

impl Single {
    /// Whether a point may be within `reach` of the triangle.
    pub(super) fn may_be_within(&self, reach: f32, point: Vec3) -> bool {
        let most = self.radius + reach;
        self.centre.distance_squared(point) <= most * most && !self.plane.is_clear_of([point], reach)
    }

    /// Whether a triangle whose plane comes within `reach` of this one may itself do so.
    pub(super) fn is_within(&self, reach: f32, other: &Single) -> bool {
        !self.plane.is_clear_of(other.corners, reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{any_point, closest_point_on_triangle};
    use proptest::prelude::*;

    const LEAF: [[u32; 3]; 2] = [[0, 1, 2], [3, 4, 5]];

    /// The two triangles of six points: the second as a bit of the first's block, and as a point of view.
    fn are_told_apart(positions: &[Vec3], reach: f32) -> bool {
        let block = Block::around(&LEAF, positions);
        let [one, other] =
            [0, 1].map(|lane| block.single(lane, lane as u32, LEAF[lane].map(|p| positions[p as usize])));
        block.may_be_within(reach, &one) & 2 == 0 || !one.is_within(reach, &other)
    }

    proptest! {
        #[test]
        fn what_is_near_is_never_told_apart(
            positions in prop::collection::vec(any_point(), 6),
            reach in 0f32..2.0,
        ) {
            let theirs = [positions[3], positions[4], positions[5]];
            let distance = |corner: &Vec3| closest_point_on_triangle(*corner, theirs).point.distance(*corner);
            if positions[..3].iter().any(|corner| distance(corner) < 0.999 * reach) {
                prop_assert!(!are_told_apart(&positions, reach));
            }
        }
    }

    #[test]
    fn a_triangle_above_another_is_clear_of_it() {
        let low = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let both = |other: [Vec3; 3]| [low, other].concat();
        let above = both(low.map(|corner| corner + Vec3::Z));
        assert!(are_told_apart(&above, 0.9));
        assert!(!are_told_apart(&above, 1.1));
        let beside = both(low.map(|corner| corner + Vec3::X * 3.0));
        assert!(are_told_apart(&beside, 0.5), "by their balls");
        let upright = both([Vec3::Z, Vec3::X + Vec3::Z, Vec3::Z * 2.0]);
        assert!(are_told_apart(&upright, 0.9), "by the plane of either");
        let line = both([Vec3::Z, Vec3::Z, Vec3::X + Vec3::Z]);
        assert!(!are_told_apart(&line, 1.1), "without area");
    }
}
