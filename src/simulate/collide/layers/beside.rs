//! Which triangles lie beside each other in one sheet, or near each other with no fold between them: only bending keeps them apart.
//!
//! ```text
//!      1___2___3___.            1 and 3 are level at rest, and as far from each other as then: beside.
//!     /   /   /   /
//!                               Folded at 2 they are nearer than then, and kept off each other.
//! ```

use wide::f32x4;

use super::Layers;
use super::bounds::centres;
#[cfg(test)]
use super::centre;
use super::find::{NEIGHBOURHOOD, Near, turned};
use crate::geometry::{Points, Vec3, lanes};

/// How far from a triangle, in gaps, cloth of the same sheet is too near to fold back onto it.
const SHEET: f32 = 2.5;
/// Part of their distance at rest beyond which the cloth between two triangles has no fold.
const UNFOLDED: f32 = 0.85;
/// How far off the plane of the other the centre of a triangle of the same sheet is at most, as a part of their distance, squared.
const LEVEL: f32 = 0.25;

/// The triangles of a leaf at rest.
#[derive(Clone, Copy, Debug)]
struct AtRest {
    centres: Points,
    /// Their normals, as long as twice their areas, and the squares of these lengths.
    across: Points,
    squared: f32x4,
}

impl AtRest {
    fn of(leaf: &[[u32; 3]], rest: &[Vec3]) -> AtRest {
        let [a, b, c] = Points::corners(leaf.iter().copied(), rest);
        let across = b.minus(a).cross(c.minus(a));
        AtRest { centres: centres([a, b, c]), across, squared: across.length_squared() }
    }

    /// One of them four times.
    fn lane(&self, lane: usize) -> AtRest {
        let [centres, across] = [self.centres, self.across].map(|points| Points::splat(points.lane(lane)));
        AtRest { centres, across, squared: f32x4::splat(self.squared.to_array()[lane]) }
    }
}

impl Layers {
    /// Pairs of triangles of two leaves that are `near` each other and not beside each other: for each of the first leaf, then for each
    /// of the second.
    pub(super) fn not_beside(&self, [a, b]: [u32; 2], near: Near) -> [Near; 2] {
        let at_rest =
            [a, b].map(|leaf| AtRest::of(self.folds.triangles_of(&self.folds.leaves()[leaf as usize]), &self.rest));
        let level = |lane: usize| if near[lane] == 0 { 0 } else { self.level([a, b], at_rest, lane) & near[lane] };
        let level = std::array::from_fn(level);
        [self.without([a, b], near, level), self.without([b, a], turned(near), turned(level))]
    }

    /// Which triangles of the second leaf seem to be beside one of the first: a bit each.
    fn level(&self, [a, b]: [u32; 2], [ours, others]: [AtRest; 2], lane: usize) -> u32 {
        let one = ours.lane(lane);
        let between = others.centres.minus(one.centres);
        let at_rest = between.length_squared();
        let centre = self.blocks.of(a).centres().lane(lane);
        let now = self.blocks.of(b).centres().minus(Points::splat(centre)).length_squared();
        let within = |gaps: f32| at_rest.simd_lt(f32x4::splat((gaps * self.gap) * (gaps * self.gap)));
        let is_level = |triangles: AtRest| {
            let along = between.dot(triangles.across);
            (along * along).simd_le(f32x4::splat(LEVEL) * at_rest * triangles.squared)
        };
        let is_unfolded = within(NEIGHBOURHOOD) & now.simd_gt(f32x4::splat(UNFOLDED * UNFOLDED) * at_rest);
        let is_near = (within(SHEET) | is_unfolded) & at_rest.simd_gt(f32x4::ZERO);
        (is_near & is_level(one) & is_level(others)).to_bitmask()
    }

    /// Those `near` without those that are `level` and not known to lie in different sheets.
    fn without(&self, [a, b]: [u32; 2], near: Near, level: Near) -> Near {
        if self.sheets.are_one() {
            return std::array::from_fn(|lane| near[lane] & !level[lane]);
        }
        let [ours, theirs] = self.of_leaves([a, b]);
        std::array::from_fn(|lane| {
            let are_beside =
                |other: &usize| !self.sheets.are_apart(ours.start + lane as u32, theirs.start + *other as u32);
            lanes(level[lane]).filter(are_beside).fold(near[lane], |near, other| near & !(1 << other))
        })
    }

    /// The same of one triangle and another, whether they are near or not: the simple twin.
    #[cfg(test)]
    pub(super) fn are_beside(&self, one: u32, other: u32) -> bool {
        let corners = |triangle: u32| self.folds.triangles()[triangle as usize];
        let at_rest = |triangle: u32| corners(triangle).map(|corner| self.rest[corner as usize]);
        let between = self.rest_centre(other) - self.rest_centre(one);
        let squared = between.length_squared();
        let is_level = |triangle: u32| {
            let [a, b, c] = at_rest(triangle);
            let across = (b - a).cross(c - a);
            let along = between.dot(across);
            along * along <= LEVEL * squared * across.length_squared()
        };
        let within = |gaps: f32| squared < (gaps * self.gap) * (gaps * self.gap);
        let [here, there] = [one, other].map(|triangle| centre(self.expected_places(corners(triangle))));
        let is_unfolded = within(NEIGHBOURHOOD) && here.distance_squared(there) > UNFOLDED * UNFOLDED * squared;
        let is_near = squared > 0.0 && (within(SHEET) || is_unfolded);
        is_near && is_level(one) && is_level(other) && !self.sheets.are_apart(one, other)
    }
}
