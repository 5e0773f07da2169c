//! Which particles are inside the body.
//!
//! A particle is inside where the body winds around it by more than [`INSIDE`]. A winding number is dear, but it changes only
//! across the surface: what one particle is, its neighbours are too, as far as the cloth's edges reach without touching a
//! triangle. One number a patch is enough.
//!
//! ```text
//!     o--o--o--o  ? \        o  the winding number of one of them
//!     |  |  |  |     )       ?  the edge to it touches the body: a winding number of its own
//!     o--o--o--o  ? /
//! ```
//!
//! That holds for bodies of closed shells only. Near an open one the winding number fades instead of jumping, and each
//! particle needs its own.

use super::winding::WindingField;
use crate::geometry::{Aabb, Bvh, DVec3, Vec3};
use crate::topology::{Adjacency, ParticleId};

/// Winding number above which a point is inside: halfway between out (0) and in (1).
const INSIDE: f64 = 0.5;
/// Part of the product of lengths by which a volume may miss zero and still count as zero: far above what rounding does, so
/// that no touch is overlooked. A touch too many costs time only.
const DOUBTFUL: f64 = 1e-12;

/// A body as it stands at one moment.
#[derive(Clone, Copy)]
pub(super) struct PosedBody<'a> {
    /// Its vertices, metres.
    pub(super) positions: &'a [Vec3],
    /// Its triangles.
    pub(super) triangles: &'a [[u32; 3]],
    /// A tree over them, fitted to the positions.
    pub(super) bvh: &'a Bvh,
}

impl PosedBody<'_> {
    /// All `particles` inside, ascending, each by its own winding number.
    pub(super) fn inside_one_by_one(&self, particles: &[Vec3]) -> Vec<usize> {
        let field = WindingField::new(self.bvh, self.positions, self.triangles);
        (0..particles.len()).filter(|&i| self.winds_around(particles[i], &field)).collect()
    }

    /// All `particles` inside, ascending, patch by patch. The body's shells must be closed.
    pub(super) fn inside_by_patches(&self, particles: &[Vec3], neighbours: &Adjacency) -> Vec<usize> {
        let field = WindingField::new(self.bvh, self.positions, self.triangles);
        let mut known: Vec<Option<bool>> = vec![None; particles.len()];
        let mut patch = Vec::new();
        for seed in 0..particles.len() {
            if known[seed].is_some() {
                continue;
            }
            let is_inside = self.winds_around(particles[seed], &field);
            known[seed] = Some(is_inside);
            patch.push(seed);
            while let Some(from) = patch.pop() {
                for to in neighbours.of(ParticleId(from as u32)).iter().map(|p| p.index()) {
                    if known[to].is_none() && !self.is_touched_by(particles[from], particles[to]) {
                        known[to] = Some(is_inside);
                        patch.push(to);
                    }
                }
            }
        }
        (0..particles.len()).filter(|&i| known[i] == Some(true)).collect()
    }

    fn winds_around(&self, point: Vec3, field: &WindingField<'_>) -> bool {
        self.bvh.bounds().distance_squared(point) == 0.0 && field.at(point.as_dvec3()) > INSIDE
    }

    /// Whether the segment from `p` to `q` meets a triangle, or nearly.
    fn is_touched_by(&self, p: Vec3, q: Vec3) -> bool {
        let mut touched = false;
        self.bvh.overlapping(&Aabb::around(&[p, q]), |triangle| {
            let corners = self.triangles[triangle as usize].map(|v| self.positions[v as usize].as_dvec3());
            touched = touched || may_meet([p.as_dvec3(), q.as_dvec3()], corners);
        });
        touched
    }
}

/// Whether a segment meets a triangle: its ends lie on both sides of the plane, and its line passes all three sides of the
/// triangle in the same sense. In doubt it does.
fn may_meet([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (a, b, c, along) = (a - p, b - p, c - p, q - p);
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let l = along.length();
    let normal = (b - a).cross(c - a);
    let (from, to) = (-normal.dot(a), normal.dot(along - a));
    let flat = DOUBTFUL * (la + lb) * (la + lc) * (la + l);
    if (from > flat && to > flat) || (from < -flat && to < -flat) {
        return false;
    }
    let sides = [(along.dot(a.cross(b)), la * lb), (along.dot(b.cross(c)), lb * lc), (along.dot(c.cross(a)), lc * la)];
    let passes = |sign: f64| sides.iter().all(|&(volume, scale)| sign * volume >= -DOUBTFUL * scale * l);
    passes(1.0) || passes(-1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Octahedra with vertices of their own: closed shells, nested, overlapping or apart.
    fn octahedra(shells: &[(Vec3, f32)]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        let positions = shells.iter().flat_map(|&(centre, radius)| axes.map(|a| centre + a * radius)).collect();
        let triangles = (0..shells.len() as u32).flat_map(|i| faces.map(|f| f.map(|v| v + 6 * i))).collect();
        (positions, triangles)
    }

    fn any_point() -> impl Strategy<Value = Vec3> {
        (-1f32..1.0, -1f32..1.0, -1f32..1.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
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

    proptest! {
        #[test]
        fn patches_find_the_particles_that_single_winding_numbers_find(
            shells in prop::collection::vec((any_point(), 0.2f32..0.9), 1..5),
            mut particles in prop::collection::vec(any_point(), 1..200),
        ) {
            let (positions, triangles) = octahedra(&shells);
            // Edges along the planes of symmetry run into corners and edges of the shells.
            particles.extend(shells.iter().flat_map(|&(c, r)| [c, c + Vec3::X * r * 1.5, c + Vec3::Y * r * 1.5]));
            let bvh = Bvh::build(&positions, &triangles);
            let body = PosedBody { positions: &positions, triangles: &triangles, bvh: &bvh };
            let by_patches = body.inside_by_patches(&particles, &chain(particles.len()));
            prop_assert_eq!(by_patches, body.inside_one_by_one(&particles));
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
