//! How far the body has moved around each place: a hand that swings does not hurry what lies on the hips.
//!
//! ```text
//!    +-----+   +-----+          the ways of a patch and of all within reach of it, the furthest of them, add up to how far
//!    |  p  |   |  q  |          what is next to the patch may be from where it was seen last; q beyond reach r does not count
//!    +-----+ r +-----+
//! ```
//!
//! A point at distance d from a triangle of a patch that asks again before it and the body have gone d together meets nothing from
//! beyond 2 d of the patch until then: that comes within reach, and counts, first. One that knows no triangle reckons from the patch's
//! box, whose corners can go further than its vertices, and with a wider reach.

use rayon::prelude::*;
use wide::f32x4;

use crate::geometry::{Aabb, Lists, Points, Vec3};

/// Edge of the cells of space that cut the body into patches, in search radii: a hand and a hip are apart.
const CELL: f32 = 4.0;
/// Patches at most: to compare more with each other takes time. Larger bodies get larger cells.
const MOST: usize = 128;
/// How far from a patch others count for points next to one of its triangles, in search radii.
const REACH: f32 = 2.05;
/// The same for points that know no triangle within the search radius.
const WIDE: f32 = 4.1;
/// How far from a patch's box such points are at most, in search radii; those further away wait for the whole body.
const FAR: f32 = 2.0;
/// How far the corner of a box goes whose vertices go one metre, at most: each of its sides goes one.
const CORNER: f32 = 1.75;
/// Patches that one task takes at least.
const PATCHES_PER_TASK: usize = 32;

/// Patches of a body's surface that moves.
#[derive(Debug)]
pub(super) struct Patches {
    /// Of each triangle.
    patch_of: Vec<u32>,
    /// Vertices of each patch, ascending.
    vertices: Lists<u32>,
    /// Boxes around the patches, four at a time; the last four may lack some.
    now: Vec<[Points; 2]>,
    /// Boxes around what each went through in the last motion.
    bounds: Vec<[Points; 2]>,
    search_radius: f32,
    /// How far the body has gone around each patch since the beginning, then within the wide reach of each, and last how far all of it
    /// has, metres.
    pub(super) ways: Vec<f64>,
}

impl Patches {
    /// Those of `triangles` for points that ask within `search_radius` metres. What is far from a triangle at `positions`, or inside of
    /// the body there, does not change its patch.
    pub(super) fn new(positions: &[Vec3], triangles: &[[u32; 3]], search_radius: f32) -> Patches {
        let middle = |t: &[u32; 3]| t.iter().map(|&corner| positions[corner as usize]).sum::<Vec3>() / 3.0;
        let middles: Vec<Vec3> = triangles.iter().map(middle).collect();
        let mut edge = CELL * search_radius;
        let (patch_of, count) = loop {
            let (patch_of, count) = cells(&middles, edge);
            if count <= MOST {
                break (patch_of, count);
            }
            edge *= 2.0;
        };
        let of_triangle = |(patch, corners): (&u32, &[u32; 3])| corners.map(|corner| (*patch, corner));
        let mut entries: Vec<(u32, u32)> = patch_of.iter().zip(triangles).flat_map(of_triangle).collect();
        entries.sort_unstable();
        entries.dedup();
        let vertices = Lists::gathered(count, entries.iter().copied());
        let ways = vec![0.0; 2 * count + 1];
        let mut patches = Patches { patch_of, vertices, now: Vec::new(), bounds: Vec::new(), search_radius, ways };
        patches.note(positions, positions);
        patches
    }

    pub(super) fn count(&self) -> usize {
        self.ways.len() / 2
    }

    /// The patch of a triangle.
    pub(super) fn of(&self, triangle: u32) -> u32 {
        self.patch_of[triangle as usize]
    }

    /// What stands for the whole body among the patches.
    pub(super) fn whole(&self) -> u32 {
        self.ways.len() as u32 - 1
    }

    /// How far the whole body has gone since the beginning, metres.
    pub(super) fn way_of_all(&self) -> f64 {
        self.way(self.whole())
    }

    /// How far the body has gone around each patch since the beginning, metres.
    pub(super) fn near_ways(&self) -> &[f64] {
        &self.ways[..self.count()]
    }

    /// How far the body has gone around a patch since the beginning, metres.
    pub(super) fn way(&self, patch: u32) -> f64 {
        self.ways[patch as usize]
    }

    /// Adds the motion `from` where the body was noted last `to` other positions; the way of the vertex that went furthest, metres.
    pub(super) fn advance(&mut self, from: &[Vec3], to: &[Vec3]) -> f32 {
        std::mem::swap(&mut self.now, &mut self.bounds);
        let own = self.note(from, to);
        let furthest = own.iter().flat_map(|ways| ways.to_array()).fold(0.0, f32::max);
        if furthest == 0.0 {
            return furthest;
        }
        for (bounds, now) in self.bounds.iter_mut().zip(&self.now) {
            *bounds = [bounds[0].min(now[0]), bounds[1].max(now[1])];
        }
        let reaches = [REACH, WIDE].map(|reach| reach * self.search_radius);
        let around = |patch: usize| {
            let low = Points::splat(self.bounds[patch / Points::LANES][0].lane(patch % Points::LANES));
            let high = Points::splat(self.bounds[patch / Points::LANES][1].lane(patch % Points::LANES));
            let most = self.bounds.iter().zip(&own).fold([f32x4::ZERO; 2], |most, ([min, max], ways)| {
                let squared = distances_squared([*min, *max], [low, high]);
                let counted = |reach: f32| squared.simd_le(f32x4::splat(reach * reach)).select(*ways, f32x4::ZERO);
                [most[0].fast_max(counted(reaches[0])), most[1].fast_max(counted(reaches[1]))]
            });
            most.map(|most| most.to_array().into_iter().fold(0.0, f32::max))
        };
        let count = self.count();
        let most: Vec<[f32; 2]> = (0..count).into_par_iter().with_min_len(PATCHES_PER_TASK).map(around).collect();
        for (patch, [near, wide]) in most.into_iter().enumerate() {
            self.ways[patch] += f64::from(near);
            self.ways[count + patch] += f64::from(wide);
        }
        self.ways[2 * count] += f64::from(furthest);
        furthest
    }

    /// What stands for the body around a point that has nothing of it within the search radius: a patch, with its wide reach, or the
    /// whole; and how far the point and that may go together before they touch, metres. The patch that was `known` to be near is found
    /// at once.
    pub(super) fn near(&self, point: Vec3, known: u32) -> (u32, f32) {
        let at = Points::splat(point);
        let (search_radius, count) = (self.search_radius, self.count());
        if known != self.whole() {
            let patch = known as usize % count;
            let squared = distances_squared(self.now[patch / Points::LANES], [at; 2]).to_array();
            if squared[patch % Points::LANES] <= search_radius * search_radius {
                return ((count + patch) as u32, search_radius);
            }
        }
        let (mut nearest, mut least) = (self.whole(), f32::INFINITY);
        for ([min, max], first) in self.now.iter().zip((0..).step_by(Points::LANES)) {
            let squared = distances_squared([*min, *max], [at; 2]);
            if squared.simd_lt(f32x4::splat(least)).any() {
                for (squared, patch) in squared.to_array().into_iter().zip(first..) {
                    if squared < least {
                        (nearest, least) = (patch, squared);
                    }
                }
            }
        }
        let distance = least.sqrt();
        let free = distance.max(search_radius);
        if distance > FAR * search_radius {
            return (self.whole(), free);
        }
        (count as u32 + nearest, free.min((WIDE * search_radius - distance) / CORNER))
    }

    /// Fits the boxes to where a motion leads; the way of the vertex of each patch that went furthest, metres.
    pub(super) fn note(&mut self, from: &[Vec3], to: &[Vec3]) -> Vec<f32x4> {
        let vertices = &self.vertices;
        let of_patch = |patch: usize| {
            let mut bounds = Aabb::EMPTY;
            let mut furthest = 0.0_f32;
            for &vertex in vertices.of(patch as u32) {
                let [from, to] = [from[vertex as usize], to[vertex as usize]];
                bounds = bounds.with(to);
                furthest = furthest.max(from.distance_squared(to));
            }
            (bounds, furthest.sqrt())
        };
        let patches = self.count();
        let fours = (0..patches.div_ceil(Points::LANES)).into_par_iter().with_min_len(PATCHES_PER_TASK / Points::LANES);
        let four = |four: usize| {
            let of_lane = |lane: usize| {
                let patch = four * Points::LANES + lane;
                if patch < patches { of_patch(patch) } else { (Aabb::EMPTY, 0.0) }
            };
            let four: [(Aabb, f32); Points::LANES] = std::array::from_fn(of_lane);
            let corners = [four.map(|(bounds, _)| bounds.min), four.map(|(bounds, _)| bounds.max)];
            (corners.map(Points::of), f32x4::new(four.map(|(_, way)| way)))
        };
        let mut ways = Vec::new();
        fours.map(four).unzip_into_vecs(&mut self.now, &mut ways);
        ways
    }
}

/// The cell of space with this edge that each point is in, of those that have some, and how many those are.
fn cells(points: &[Vec3], edge: f32) -> (Vec<u32>, usize) {
    let cell = |point: &Vec3| point.to_array().map(|coordinate| (coordinate / edge).floor() as i32);
    let mut all: Vec<[i32; 3]> = points.iter().map(cell).collect();
    let cell_of = all.clone();
    all.sort_unstable();
    all.dedup();
    let number = |cell: &[i32; 3]| all.partition_point(|other| other < cell) as u32;
    (cell_of.iter().map(number).collect(), all.len())
}

/// Squared distances between boxes, from their least to their greatest coordinates.
#[inline]
fn distances_squared([min, max]: [Points; 2], [low, high]: [Points; 2]) -> f32x4 {
    min.minus(high).max(low.minus(max)).max(Points::splat(Vec3::ZERO)).length_squared()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::{SurfaceTree, any_point};

    const SEARCH_RADIUS: f32 = 0.2;

    /// Octahedra around some places, each of a patch of its own or more.
    fn balls(places: &[Vec3]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        let positions = places.iter().flat_map(|&place| axes.map(|axis| place + axis * 0.05)).collect();
        let triangles = (0..places.len() as u32).flat_map(|ball| faces.map(|f| f.map(|v| v + 6 * ball))).collect();
        (positions, triangles)
    }

    #[test]
    fn what_moves_far_away_does_not_count_until_it_comes_near() {
        let at = |hand: f32| balls(&[Vec3::ZERO, Vec3::X * hand]).0;
        let triangles = balls(&[Vec3::ZERO; 2]).1;
        let mut from = at(2.0);
        let mut patches = Patches::new(&from, &triangles, SEARCH_RADIUS);
        let (hip, hand) = (patches.of(0), patches.of(8));
        assert_ne!(hip, hand);
        let mut ways = Vec::new();
        for step in [1.5, 1.0, 0.3] {
            let to = at(step);
            let furthest = patches.advance(&from, &to);
            assert!((furthest - from[6].distance(to[6])).abs() < 1e-6, "{furthest}");
            from = to;
            ways.push([hip, hand, patches.whole()].map(|patch| (patches.way(patch) * 10.0).round()));
        }
        assert_eq!(ways, [[0.0, 5.0, 5.0], [0.0, 10.0, 10.0], [7.0, 17.0, 17.0]]);
    }

    #[test]
    fn a_point_far_from_all_of_the_body_waits_for_all_of_it() {
        let (positions, triangles) = balls(&[Vec3::ZERO, Vec3::X * 2.0]);
        let patches = Patches::new(&positions, &triangles, SEARCH_RADIUS);
        let (patch, distance) = patches.near(Vec3::Y, 0);
        assert_eq!(patch, patches.whole());
        assert!((0.9..=0.951).contains(&distance), "{distance}");
        let (patch, distance) = patches.near(Vec3::X * 2.1, 0);
        assert_ne!(patch, patches.whole());
        assert_eq!(distance, SEARCH_RADIUS);
    }

    proptest! {
        #[test]
        fn nothing_comes_nearer_to_a_point_than_the_way_around_its_patch(
            starts in prop::collection::vec(any_point(), 1..6),
            steps in prop::collection::vec(prop::collection::vec(any_point(), 7), 1..12),
            point in any_point(),
            known in 0_u32..64,
        ) {
            let (mut from, triangles) = balls(&starts);
            let tree = SurfaceTree::build(&from, &triangles);
            let mut patches = Patches::new(&from, &triangles, SEARCH_RADIUS);
            let known = known.min(patches.whole());
            let found = tree.closest_where(point, SEARCH_RADIUS, &from, &triangles, |_| true);
            let (patch, distance) = found.map_or_else(
                || patches.near(point, known),
                |(triangle, _, squared)| (patches.of(triangle), squared.sqrt()),
            );
            let before = patches.way(patch);
            for step in steps {
                let mut to = from.clone();
                to.iter_mut().zip(step.iter().cycle()).for_each(|(vertex, way)| *vertex += *way * 0.1);
                patches.advance(&from, &to);
                from = to;
                let left = distance - (patches.way(patch) - before) as f32;
                if left <= 0.0 {
                    break;
                }
                let tree = SurfaceTree::build(&from, &triangles);
                let nearer = tree.closest_where(point, left - 1e-4, &from, &triangles, |_| true);
                prop_assert!(nearer.is_none(), "{nearer:?} within {left}");
            }
        }
    }
}
