//! What tells quickly that parts of the cloth are apart, four triangles at a time.
//!
//! ```text
//!      ( ball )  ( ball )        balls further apart than the reach, or
//!
//!        /\
//!       /__\     a triangle      wholly on one side of the other's plane, further than the reach
//!    ------------- plane
//! ```

use rayon::prelude::*;
use wide::f32x4;

use crate::geometry::{Folds, Points, Vec3};

/// No place.
const NOWHERE: u32 = u32::MAX;

/// A ball around a piece of cloth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    centre: Vec3,
    radius: f32,
}

impl Ball {
    /// Around nothing but a point.
    pub(super) fn at(centre: Vec3) -> Ball {
        Ball { centre, radius: 0.0 }
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

impl Block {
    /// Around the triangles of a leaf.
    pub(super) fn around(leaf: &[[u32; 3]], positions: &[Vec3]) -> Block {
        let [a, b, c] = Points::corners(leaf.iter().copied(), positions);
        let centres = centres([a, b, c]);
        let [to_a, to_b, to_c] = [a, b, c].map(|corner| corner.minus(centres).length_squared());
        let across = b.minus(a).cross(c.minus(a));
        let length = across.length_squared().sqrt();
        let has_area = length.simd_gt(f32x4::splat(f32::MIN_POSITIVE));
        let normals = across.times(has_area.select(f32x4::ONE / length, f32x4::ZERO));
        Block { centres, radii: to_a.max(to_b).max(to_c).sqrt(), normals, offsets: normals.dot(a) }
    }

    /// Centres of the triangles.
    pub(super) fn centres(&self) -> Points {
        self.centres
    }

    /// Around the triangle of one lane.
    pub(super) fn ball(&self, lane: usize) -> Ball {
        Ball { centre: self.centres.lane(lane), radius: self.radii.to_array()[lane] }
    }

    /// Which triangles may be within `reach` of what has these corners, and a ball around it: a bit each.
    pub(super) fn may_be_within<const N: usize>(&self, reach: f32, ball: Ball, corners: [Vec3; N]) -> u32 {
        (self.is_near(reach, ball) & within(reach, self.heights(corners))).to_bitmask()
    }

    /// The same, and which of these have planes that what has these corners goes through.
    pub(super) fn may_be_within_and_through(&self, reach: f32, ball: Ball, corners: [Vec3; 3]) -> [u32; 2] {
        let near = self.is_near(reach, ball);
        let heights = self.heights(corners);
        [reach, 0.0].map(|reach| (near & within(reach, heights)).to_bitmask())
    }

    /// Through which triangles' planes goes what has these corners: a bit each.
    pub(super) fn planes_through<const N: usize>(&self, corners: [Vec3; N]) -> u32 {
        within(0.0, self.heights(corners)).to_bitmask()
    }

    fn is_near(&self, reach: f32, ball: Ball) -> f32x4 {
        let most = self.radii + f32x4::splat(ball.radius + reach);
        self.centres.minus(Points::splat(ball.centre)).length_squared().simd_le(most * most)
    }

    /// The lowest and the highest of these corners above each plane, metres.
    fn heights<const N: usize>(&self, corners: [Vec3; N]) -> [f32x4; 2] {
        let heights = corners.map(|corner| self.normals.dot(Points::splat(corner)) - self.offsets);
        let lowest = heights.into_iter().fold(f32x4::splat(f32::INFINITY), f32x4::fast_min);
        [lowest, heights.into_iter().fold(f32x4::splat(f32::NEG_INFINITY), f32x4::fast_max)]
    }
}

/// The blocks of those leaves of a tree that a look looks into.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Place of each leaf among the blocks.
    places: Vec<u32>,
    blocks: Vec<Block>,
}

impl Blocks {
    /// Fits those of all leaves of `pairs` to the cloth at `positions`.
    pub(super) fn fit(&mut self, pairs: &[[u32; 2]], folds: &Folds, positions: &[Vec3]) {
        self.blocks.clear();
        if pairs.is_empty() {
            return;
        }
        self.places.clear();
        self.places.resize(folds.leaves().len(), NOWHERE);
        let mut leaves = Vec::new();
        for &leaf in pairs.as_flattened() {
            let place = &mut self.places[leaf as usize];
            if *place == NOWHERE {
                *place = leaves.len() as u32;
                leaves.push(&folds.leaves()[leaf as usize]);
            }
        }
        let of_leaf = |leaf| Block::around(folds.triangles_of(leaf), positions);
        leaves.into_par_iter().map(of_leaf).collect_into_vec(&mut self.blocks);
    }

    /// That of a leaf of those pairs.
    pub(super) fn of(&self, leaf: u32) -> &Block {
        &self.blocks[self.places[leaf as usize] as usize]
    }
}

/// Centres of triangles with these corners.
pub(super) fn centres([a, b, c]: [Points; 3]) -> Points {
    a.plus(b).plus(c).times(f32x4::splat(1.0 / 3.0))
}

/// Of which planes what is so high at its lowest and its highest lies not wholly on one side, further than `reach`.
fn within(reach: f32, [lowest, highest]: [f32x4; 2]) -> f32x4 {
    lowest.simd_le(f32x4::splat(reach)) & highest.simd_ge(f32x4::splat(-reach))
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
        let may_be_within = |lane: usize| {
            let corners = LEAF[lane].map(|p| positions[p as usize]);
            block.may_be_within(reach, block.ball(lane), corners) & 2 >> lane != 0
        };
        !may_be_within(0) || !may_be_within(1)
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
