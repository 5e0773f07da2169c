//! What keeps carried cloth out of a body.
//!
//! ```text
//!        o p        n: the body's smooth normal at the point c closest to p
//!        |  keep    wall: n . p >= n . c + keep
//!    ----c----      What is far inside was put there by the artist, or by the simulation, and is left there.
//! ```

use rayon::prelude::*;

use super::tighten::Wall;
use crate::body::{Body, Moment};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// All: the simulation kept it out of the body as far as it should be.
    Meant,
    /// What is deep: it lies between simulated particles.
    Shallow,
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
    pub(super) fn new(body: &Body, moment: Moment) -> Clearance {
        let mut pose = Vec::new();
        body.pose(moment, &mut pose);
        let triangles = joined_triangles(&pose, body.surface());
        Clearance { bvh: Bvh::build(&pose, &triangles), triangles }
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

impl Posed<'_> {
    /// The plane before each of `points` that is near.
    pub(super) fn planes(
        &self,
        points: impl IndexedParallelIterator<Item = (Vec3, Depth)>,
        reach: Reach,
    ) -> Vec<Option<Plane>> {
        let furthest = reach.near.max(2.0 * reach.shallow);
        let plane = |(point, depth): (Vec3, Depth)| {
            let (triangle, closest, _) = self.bvh.closest(point, furthest, self.pose, self.triangles)?;
            let unit = |corner: u32| self.normals[corner as usize].normalize_or_zero();
            let [a, b, c] = self.triangles[triangle as usize].map(unit);
            let weights = closest.barycentric;
            let normal = (a * weights.x + b * weights.y + c * weights.z).try_normalize()?;
            let distance = (point - closest.point).dot(normal);
            // From shallow to deep the plane comes to stand where the cloth is.
            let part = match depth {
                Depth::Meant => 1.0,
                Depth::Shallow => smooth_step(1.0, 2.0, f64::from(-distance / reach.shallow)) as f32,
            };
            let level = reach.keep + (distance - reach.keep).min(0.0) * part;
            Some((normal, closest.point.dot(normal) + level))
        };
        points.map(plane).collect()
    }

    /// Walls before those of `particles`, `placed` by carrying, that are near.
    pub(super) fn walls_before(
        &self,
        particles: impl Iterator<Item = u32>,
        placed: &[Vec3],
        reach: Reach,
        may_move: &[bool],
    ) -> Vec<Wall> {
        let particles: Vec<u32> = particles.collect();
        let points = particles.par_iter().map(|p| (placed[*p as usize], Depth::Shallow));
        let planes = self.planes(points, reach);
        let wall = |(p, plane): (&u32, Option<Plane>)| Wall::new(&[(ParticleId(*p), 1.0)], plane?, may_move);
        particles.iter().zip(planes).filter_map(wall).collect()
    }
}
