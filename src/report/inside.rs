//! Which particles are inside the body.
//!
//! A particle is inside where the body winds around it by more than [`INSIDE`]. A winding number is dear, but that of a closed
//! surface is whole and changes only across the surface: what it is for one particle, it is for the neighbours too, as far as
//! the cloth's edges reach without touching a triangle. One number a patch is enough.
//!
//! ```text
//!     o--o--o--o  ? \        o  the winding number of one of them
//!     |  |  |  |     )       ?  the edge to it touches the body: a winding number of its own
//!     o--o--o--o  ? /
//! ```
//!
//! A body with holes is closed by lids ([`Lids`]). Near those its winding number fades instead of jumping, and each particle
//! needs one of its own around the lids, which are few triangles.

use std::cell::Cell;

use super::lids::Lids;
use super::planes::Planes;
use super::winding::WindingField;
use crate::geometry::{Aabb, Bvh, DVec3, Vec3};
use crate::topology::{Adjacency, ParticleId};

/// Winding number above which a point is inside: halfway between out (0) and in (1).
const INSIDE: f64 = 0.5;
/// Part of the product of lengths by which a volume may miss zero and still count as zero: far above what rounding does, so
/// that no touch is overlooked. A touch too many costs time only.
const DOUBTFUL: f64 = 1e-12;
/// Three sums of two lengths each, multiplied, are no more than so many times the third power of the longest coordinate: (2 sqrt 3)^3.
const OF_LONGEST: f64 = 42.0;

/// Triangles that edges are compared with, at most, in one frame: beyond it each touches. Most cloth scenes need a tenth.
const MOST_LOOKS: usize = 1 << 22;
/// The same for large bodies, for each of their triangles, and for large garments, for each particle: it has three edges, each of which
/// has a dozen triangles near it.
const LOOKS_A_TRIANGLE: usize = 64;
const LOOKS_A_PARTICLE: usize = 512;
/// The same for crowded bodies, each of whose triangles is near every edge.
const MOST_CROWDED_LOOKS: usize = 1 << 19;

/// A body as it stands at one moment.
#[derive(Clone, Copy)]
pub(super) struct PosedBody<'a> {
    /// Its vertices, metres, and behind them the apexes of its lids.
    pub(super) positions: &'a [Vec3],
    /// Its triangles.
    pub(super) triangles: &'a [[u32; 3]],
    /// A tree over them, fitted to the positions.
    pub(super) bvh: &'a Bvh,
    /// The planes of the triangles of its leaves.
    pub(super) planes: &'a Planes,
    /// Lids on its holes, fitted to the positions.
    pub(super) lids: &'a Lids,
    /// How often the triangles wind around points.
    pub(super) winding: &'a WindingField<'a>,
    /// How often the lids do.
    pub(super) lid_winding: &'a WindingField<'a>,
    /// How many more triangles edges are compared with.
    pub(super) looks_left: &'a Cell<usize>,
}

/// How many triangles edges are compared with in a frame, of a body with this tree and a garment of so many particles.
pub(super) fn looks(body: &Bvh, particles: usize) -> Cell<usize> {
    let triangles = body.triangle_order().len();
    Cell::new(match body.is_crowded() {
        true => MOST_CROWDED_LOOKS,
        false => MOST_LOOKS.max(LOOKS_A_TRIANGLE * triangles).max(LOOKS_A_PARTICLE * particles),
    })
}

impl PosedBody<'_> {
    /// All `particles` inside, ascending.
    pub(super) fn inside(&self, particles: &[Vec3], neighbours: &Adjacency) -> Vec<usize> {
        let windings = self.closed_windings(particles, neighbours);
        let is_inside = |&i: &usize| {
            self.may_wind_around(particles[i])
                && self.lid_winding.exceeds(INSIDE - windings[i], particles[i].as_dvec3())
        };
        (0..particles.len()).filter(is_inside).collect()
    }

    /// Whether more winding numbers were asked than can be computed: some of the last ones may be wrong.
    pub(super) fn is_coarse(&self) -> bool {
        self.winding.is_coarse() || self.lid_winding.is_coarse() || self.looks_left.get() == 0
    }

    /// Whether `point` is inside.
    pub(super) fn contains(&self, point: Vec3) -> bool {
        !self.inside(&[point], &Adjacency::of_edges(1, &[])).is_empty()
    }

    /// How often the body and its lids turned round, a closed surface, wind around each particle. Infinite, and above or below
    /// zero as they are inside or not, for particles on a lid.
    fn closed_windings(&self, particles: &[Vec3], neighbours: &Adjacency) -> Vec<f64> {
        let mut windings: Vec<f64> = vec![f64::NAN; particles.len()];
        let mut patch = Vec::new();
        for seed in 0..particles.len() {
            if !windings[seed].is_nan() {
                continue;
            }
            let winding = self.closed_winding(particles[seed]);
            windings[seed] = winding;
            patch.extend(winding.is_finite().then_some(seed));
            while let Some(from) = patch.pop() {
                for to in neighbours.of(ParticleId(from as u32)).iter().map(|p| p.index()) {
                    if windings[to].is_nan() && !self.is_touched_by(particles[from], particles[to]) {
                        windings[to] = winding;
                        patch.push(to);
                    }
                }
            }
        }
        windings
    }

    fn closed_winding(&self, point: Vec3) -> f64 {
        let at = point.as_dvec3();
        if !self.may_wind_around(point) {
            0.0
        } else if !self.is_on_lid(point) {
            (self.winding.at(at) - self.lid_winding.at(at)).round()
        } else if self.winding.exceeds(INSIDE, at) {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Whether `point` is in the body's box.
    fn may_wind_around(&self, point: Vec3) -> bool {
        self.bvh.bounds().distance_squared(point) == 0.0
    }

    /// Whether `point` lies in the plane of a lid's triangle near by, where the winding number of lids jumps.
    fn is_on_lid(&self, point: Vec3) -> bool {
        self.lids.any_overlapping(&Aabb::around(&[point]), |triangle| self.touches([point; 2], triangle))
    }

    /// Whether the segment from `p` to `q` meets a triangle of the body or a lid, or nearly.
    pub(super) fn is_touched_by(&self, p: Vec3, q: Vec3) -> bool {
        let region = Aabb::around(&[p, q]);
        let touches = |leaf: &[u32], place: usize| self.may_meet([p, q], self.triangles[leaf[place] as usize]);
        let touches_leaf = |node: u32, leaf: &[u32]| {
            !self.may_look(leaf.len()) || self.planes.may_meet(node, [p, q]).any(|place| touches(leaf, place))
        };
        self.bvh.any_leaf_overlapping(&region, touches_leaf)
            || self.lids.any_overlapping(&region, |triangle| self.touches([p, q], triangle))
    }

    /// Whether a segment meets a triangle, or nearly, or nobody may look any longer.
    fn touches(&self, segment: [Vec3; 2], triangle: [u32; 3]) -> bool {
        !self.may_look(1) || self.may_meet(segment, triangle)
    }

    /// Whether a segment may be compared with so many triangles more.
    fn may_look(&self, triangles: usize) -> bool {
        let left = self.looks_left.get();
        self.looks_left.set(left.saturating_sub(triangles));
        left > 0
    }

    fn may_meet(&self, segment: [Vec3; 2], triangle: [u32; 3]) -> bool {
        may_meet(segment.map(|p| p.as_dvec3()), triangle.map(|v| self.positions[v as usize].as_dvec3()))
    }
}

/// Whether a segment meets a triangle: its ends lie on both sides of the plane, and its line passes all three sides of the
/// triangle in the same sense. In doubt it does.
pub(super) fn may_meet([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (a, b, c, along) = (a - p, b - p, c - p, q - p);
    let normal = (b - a).cross(c - a);
    let (from, to) = (-normal.dot(a), normal.dot(along - a));
    let is_beside = |flat: f64| (from > flat && to > flat) || (from < -flat && to < -flat);
    // Most are far on one side of the plane: the longest coordinate tells, which is had without a root.
    let longest = a.abs().max(b.abs()).max(c.abs()).max(along.abs()).max_element();
    if is_beside(DOUBTFUL * OF_LONGEST * longest * longest * longest) {
        return false;
    }
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let l = along.length();
    if is_beside(DOUBTFUL * (la + lb) * (la + lc) * (la + l)) {
        return false;
    }
    let sides = [(along.dot(a.cross(b)), la * lb), (along.dot(b.cross(c)), lb * lc), (along.dot(c.cross(a)), lc * la)];
    let passes = |sign: f64| sides.iter().all(|&(volume, scale)| sign * volume >= -DOUBTFUL * scale * l);
    passes(1.0) || passes(-1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::shells::Shells;
    use super::*;
    use crate::geometry::any_point;

    /// Octahedra with vertices of their own: closed shells, nested, overlapping or apart.
    fn octahedra(shells: &[(Vec3, f32)]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        let positions = shells.iter().flat_map(|&(centre, radius)| axes.map(|a| centre + a * radius)).collect();
        let triangles = (0..shells.len() as u32).flat_map(|i| faces.map(|f| f.map(|v| v + 6 * i))).collect();
        (positions, triangles)
    }

    /// A chain through all points and back, with a chord from each to the fifth after it.
    fn chain(length: usize) -> Adjacency {
        let mut edges: Vec<[ParticleId; 2]> = (0..length)
            .flat_map(|i| [1, 5].map(|step| [i, (i + step) % length]))
            .filter(|[a, b]| a != b)
            .map(|[a, b]| [a.min(b), a.max(b)].map(|i| ParticleId(i as u32)))
            .collect();
        edges.sort_unstable_by_key(|e| e.map(|p| p.0));
        edges.dedup();
        Adjacency::of_edges(length, &edges)
    }

    /// The winding number of each of `particles` by the solid angles of all triangles.
    fn windings_one_by_one(positions: &[Vec3], triangles: &[[u32; 3]], particles: &[Vec3]) -> Vec<f64> {
        let solid_angle = |p: DVec3, t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| positions[v as usize].as_dvec3() - p);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * libm::atan2(a.dot(b.cross(c)), denominator)
        };
        let sum = |p: DVec3| triangles.iter().map(|t| solid_angle(p, t)).sum::<f64>();
        particles.iter().map(|p| sum(p.as_dvec3()) / (4.0 * std::f64::consts::PI)).collect()
    }

    /// The particles found inside that are not by single winding numbers, and the other way round; not those halfway.
    fn wrong(positions: &[Vec3], shells: &Shells, particles: &[Vec3], looks: usize) -> Vec<usize> {
        let bvh = Bvh::build(positions, &shells.triangles);
        let mut positions = positions.to_vec();
        let lids = &shells.lids_in(&mut positions);
        let winding = &WindingField::new(&bvh, &positions, &shells.triangles);
        let lid_winding = &lids.field(&positions);
        let (positions, triangles) = (&positions[..], &shells.triangles[..]);
        let looks_left = &Cell::new(looks);
        let planes = &Planes::of(&bvh, positions, triangles);
        let body = PosedBody { positions, triangles, bvh: &bvh, planes, lids, winding, lid_winding, looks_left };
        let found = body.inside(particles, &chain(particles.len()));
        let windings = windings_one_by_one(positions, triangles, particles);
        let is_inside = |i: usize| body.may_wind_around(particles[i]) && windings[i] > INSIDE;
        let differs = |&i: &usize| found.binary_search(&i).is_ok() != is_inside(i);
        (0..particles.len()).filter(differs).filter(|&i| (windings[i] - INSIDE).abs() > 1e-9).collect()
    }

    proptest! {
        #[test]
        fn patches_find_the_particles_that_single_winding_numbers_find(
            octahedra_at in prop::collection::vec((any_point(), 0.2f32..0.9), 1..5),
            turned in prop::collection::vec(0usize..40, 0..3),
            holes in prop::collection::vec(0usize..40, 0..12),
            pull in (0u32..30, any_point()),
            mut particles in prop::collection::vec(any_point(), 1..200),
        ) {
            let (mut positions, mut triangles) = octahedra(&octahedra_at);
            for &turned in &turned {
                if let Some(triangle) = triangles.get_mut(turned) {
                    triangle.swap(0, 1);
                }
            }
            let mut index = 0..;
            triangles.retain(|_| !holes.contains(&index.next().unwrap_or(0)));
            // Edges along the planes of symmetry run into corners and edges of the shells.
            let tips = |&(c, r): &(Vec3, f32)| [c, c + Vec3::X * r * 1.5, c + Vec3::Y * r * 1.5];
            particles.extend(octahedra_at.iter().flat_map(tips));
            let shells = Shells::find(&triangles, &positions);
            prop_assert_eq!(wrong(&positions, &shells, &particles, usize::MAX), [0; 0]);
            // Without looks left each particle has a winding number of its own.
            prop_assert_eq!(wrong(&positions, &shells, &particles, 20), [0; 0]);
            // A pose that pulls a corner away.
            if let Some(p) = positions.get_mut(pull.0 as usize) {
                *p += pull.1;
            }
            prop_assert_eq!(wrong(&positions, &shells, &particles, usize::MAX), [0; 0]);
        }

        #[test]
        fn a_segment_through_a_point_of_a_triangle_meets_it(
            corners in [any_point(), any_point(), any_point()],
            end in any_point(),
            weights in (0f64..1.0, 0f64..1.0, 0f64..1.0),
        ) {
            let [a, b, c] = corners.map(|p| p.as_dvec3());
            let sum = weights.0 + weights.1 + weights.2;
            prop_assume!(sum > 0.0);
            let on = (a * weights.0 + b * weights.1 + c * weights.2) / sum;
            let p = end.as_dvec3();
            prop_assert!(may_meet([p, p + (on - p) * 1.5], [a, b, c]));
            prop_assert!(may_meet([p, a + (a - p) * 0.5], [a, b, c]));
        }
    }

    #[test]
    fn a_segment_beside_before_or_behind_a_triangle_misses_it() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let meets = |p: [f64; 3], q: [f64; 3]| may_meet([p.into(), q.into()], triangle);
        assert!(meets([0.2, 0.2, 1.0], [0.2, 0.2, -1.0]));
        assert!(!meets([0.6, 0.6, 1.0], [0.6, 0.6, -1.0]));
        assert!(!meets([0.2, 0.2, 1.0], [0.2, 0.2, 0.1]));
        assert!(!meets([0.2, 0.2, -0.1], [0.2, 0.2, -1.0]));
    }
}
