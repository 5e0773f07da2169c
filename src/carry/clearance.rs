//! What keeps carried cloth out of a body.
//!
//! ```text
//!        o p        n: the body's smooth normal at the point c closest to p
//!        |  keep    wall: n . p >= n . c + keep
//!    ----c----      What is far inside was put there by the artist, or by the simulation, and is left there.
//! ```

use rayon::prelude::*;

use crate::body::{Body, Moment};
use crate::geometry::{Bvh, Vec3, area_normals, joined_triangles, smooth_step};

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
        let triangles = joined_triangles(&pose, body.triangles());
        Clearance { bvh: Bvh::build(&pose, &triangles), triangles }
    }

    /// The plane before each of `points` that is near, the body's vertices being at `pose`.
    pub(super) fn planes(
        &self,
        pose: &[Vec3],
        points: impl IndexedParallelIterator<Item = (Vec3, Depth)>,
        reach: Reach,
    ) -> Vec<Option<Plane>> {
        let mut bvh = self.bvh.clone();
        bvh.refit(pose, &self.triangles);
        let normals = area_normals(pose, self.triangles.iter().copied());
        let furthest = reach.near.max(2.0 * reach.shallow);
        let plane = |(point, depth): (Vec3, Depth)| {
            let (triangle, closest, _) = bvh.closest(point, furthest, pose, &self.triangles)?;
            let unit = |corner: u32| normals[corner as usize].normalize_or_zero();
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
}
