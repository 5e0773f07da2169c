//! What keeps carried cloth out of a body.
//!
//! ```text
//!        o p        n: the body's smooth normal at the point c closest to p
//!        |  keep    wall: n . p >= n . c + keep
//!    ----c----      What is far inside was put there by the artist, or by the simulation, and is left there.
//! ```

use rayon::prelude::*;

use super::tighten::Wall;
use crate::body::Body;
use crate::geometry::{Bvh, Vec3, area_normals, joined_triangles, smooth_step};
use crate::topology::ParticleId;

/// Distances from a body, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reach {
    /// What cloth keeps.
    pub(super) keep: f32,
    /// How far away it is looked at.
    pub(super) near: f32,
    /// Depth to which it is brought out; none of what is twice as deep.
    pub(super) shallow: f32,
}

/// How much of what is inside a body is meant to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Depth {
    /// All: the simulation kept it out of the body as far as it should be.
    Meant,
    /// What is deep: it lies between simulated particles.
    Shallow,
    /// What is no nearer than this to the body, or no deeper in it, metres.
    AsFar(f32),
}

/// A plane before a body: unit normal, and the least component along it, metres.
pub(super) type Plane = (Vec3, f32);

/// A body that carried cloth is kept out of.
#[derive(Clone, Debug)]
pub(super) struct Clearance {
    triangles: Vec<[u32; 3]>,
    bvh: Bvh,
}

impl Clearance {
    /// Built for the body's vertices at `pose`.
    pub(super) fn new(body: &Body, pose: &[Vec3]) -> Clearance {
        let triangles = joined_triangles(pose, body.surface());
        Clearance { bvh: Bvh::build(pose, &triangles), triangles }
    }

    /// The same with its vertices at `pose`.
    pub(super) fn at<'a>(&'a self, pose: &'a [Vec3]) -> Posed<'a> {
        let mut bvh = self.bvh.clone();
        bvh.refit(pose, &self.triangles);
        let normals = area_normals(pose, self.triangles.iter().copied());
        Posed { triangles: &self.triangles, bvh, normals, pose }
    }
}

/// The body at a moment.
#[derive(Debug)]
pub(super) struct Posed<'a> {
    triangles: &'a [[u32; 3]],
    bvh: Bvh,
    normals: Vec<Vec3>,
    pose: &'a [Vec3],
}

/// The surface next to a point.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    /// The smooth normal.
    normal: Vec3,
    /// Component of the closest point along it, metres.
    ground: f32,
    /// Distance of the point along it, metres; negative inside.
    distance: f32,
    /// Distance of the point in any direction, metres.
    off: f32,
}

impl Posed<'_> {
    /// The plane before each of `points` that is near.
    pub(super) fn planes(
        &self,
        points: impl IndexedParallelIterator<Item = (Vec3, Depth)>,
        reach: Reach,
    ) -> Vec<Option<Plane>> {
        let furthest = reach.near.max(2.0 * reach.shallow);
        let plane = |(point, depth): (Vec3, Depth)| {
            let Nearest { normal, ground, distance, .. } = self.nearest(point, furthest)?;
            // From shallow to deep the plane comes to stand where the cloth is.
            let part = match depth {
                Depth::Meant => 1.0,
                Depth::Shallow => smooth_step(1.0, 2.0, f64::from(-distance / reach.shallow)) as f32,
                Depth::AsFar(given) => return Some((normal, ground + reach.keep.min(given))),
            };
            let level = reach.keep + (distance - reach.keep).min(0.0) * part;
            Some((normal, ground + level))
        };
        points.map(plane).collect()
    }

    /// The surface next to `point`, if it is not further than `within` metres.
    fn nearest(&self, point: Vec3, within: f32) -> Option<Nearest> {
        let (triangle, closest, squared) = self.bvh.closest(point, within, self.pose, self.triangles)?;
        let unit = |corner: u32| self.normals[corner as usize].normalize_or_zero();
        let [a, b, c] = self.triangles[triangle as usize].map(unit);
        let weights = closest.barycentric;
        let normal = (a * weights.x + b * weights.y + c * weights.z).try_normalize()?;
        let distance = (point - closest.point).dot(normal);
        Some(Nearest { normal, ground: closest.point.dot(normal), distance, off: squared.sqrt() })
    }

    /// Distance of `point` from the surface, metres, negative inside, and the surface's normal there, if that is not further than
    /// `within` metres.
    pub(super) fn signed_distance(&self, point: Vec3, within: f32) -> Option<(f32, Vec3)> {
        let Nearest { normal, off, distance, .. } = self.nearest(point, within)?;
        Some((off.copysign(distance), normal))
    }

    /// Walls that keep each of `particles`, of which the cloth is at the first place and carrying has it at the second, as far from the
    /// body as the cloth is.
    pub(super) fn walls_as_far(
        &self,
        particles: &[(ParticleId, [Vec3; 2])],
        reach: Reach,
        may_move: &[bool],
    ) -> Vec<Wall> {
        let point = |&(p, [simulated, placed]): &(ParticleId, [Vec3; 2])| {
            let far = self.nearest(simulated, reach.near).map_or(reach.keep, |nearest| nearest.distance);
            (p, placed, Depth::AsFar(far))
        };
        self.walls(&particles.par_iter().map(point).collect::<Vec<_>>(), reach, may_move)
    }

    /// Walls before those of `particles`, `placed` by carrying, that are near.
    pub(super) fn walls_before(
        &self,
        particles: impl Iterator<Item = u32>,
        placed: &[Vec3],
        reach: Reach,
        may_move: &[bool],
    ) -> Vec<Wall> {
        let point = |p: u32| (ParticleId(p), placed[p as usize], Depth::Shallow);
        self.walls(&particles.map(point).collect::<Vec<_>>(), reach, may_move)
    }

    /// The wall before each of `particles`, which are at these places, where the body is near.
    fn walls(&self, particles: &[(ParticleId, Vec3, Depth)], reach: Reach, may_move: &[bool]) -> Vec<Wall> {
        let planes = self.planes(particles.par_iter().map(|&(_, at, depth)| (at, depth)), reach);
        let wall =
            |(&(p, ..), plane): (&(ParticleId, Vec3, Depth), Option<Plane>)| Wall::new(&[(p, 1.0)], plane?, may_move);
        particles.iter().zip(planes).filter_map(wall).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_into_the_body_goes_out_as_far_as_it_is_simulated() {
        let (pose, triangles) = ([Vec3::NEG_X, Vec3::Z, Vec3::X], [[0, 1, 2]]);
        let bvh = Bvh::build(&pose, &triangles);
        let ground = Posed { triangles: &triangles, bvh, normals: vec![Vec3::Y; 3], pose: &pose };
        let reach = Reach { keep: 0.01, near: 0.2, shallow: 0.02 };
        let height = |simulated: f32, drawn: f32| {
            let at = |y: f32| Vec3::new(0.1, y, 0.2);
            let mut places = [at(drawn)];
            let walls = ground.walls_as_far(&[(ParticleId(0), [at(simulated), places[0]])], reach, &[true]);
            walls.iter().for_each(|wall| _ = wall.hold(&mut places));
            places[0].y
        };
        for (simulated, drawn, expected) in
            [(0.05, -0.03, 0.01), (0.004, -0.03, 0.004), (-0.02, -0.03, -0.02), (0.05, 0.03, 0.03), (0.5, -0.1, 0.01)]
        {
            let found = height(simulated, drawn);
            assert!((found - expected).abs() < 1e-6, "{simulated} {drawn}: {found}");
        }
    }
}
