//! Which pose of the body a garment was made for.

use super::collide::BodySurface;
use super::{StartPose, Timeline};
use crate::body::{Body, Moment};
use crate::geometry::{Aabb, Vec3};
use crate::topology::Topology;

/// A garment that lies inside the body by this part of its particles more fits worse, however close it is elsewhere.
const INSIDE_TOLERANCE: f32 = 0.005;
/// Part of the particles, the closest ones, by whose distance two poses are compared when neither cuts the garment.
const CLOSEST_PART: usize = 4;

/// The pose the garment fits better: the one that cuts less of it, then the one it lies closer to. Ties go to the first frame,
/// since that is what the bake shows.
pub fn detect_start(topology: &Topology, body: &Body, timeline: &Timeline) -> StartPose {
    let first = Fit::measure(topology, body, Moment::At(timeline.clip_seconds(0)));
    let bind = Fit::measure(topology, body, Moment::Bind);
    if (first.inside - bind.inside).abs() > INSIDE_TOLERANCE {
        return if bind.inside < first.inside { StartPose::Bind } else { StartPose::First };
    }
    if bind.closest < first.closest { StartPose::Bind } else { StartPose::First }
}

/// How a garment lies on a body.
struct Fit {
    /// Part of the particles inside the body.
    inside: f32,
    /// Mean distance of the closest quarter of the particles, metres.
    closest: f32,
}

impl Fit {
    fn measure(topology: &Topology, body: &Body, moment: Moment) -> Fit {
        let mut positions: Vec<Vec3> = Vec::new();
        body.pose(moment, &mut positions);
        let far = Aabb::around(&positions).union(Aabb::around(&topology.positions)).size().length();
        let surface = BodySurface::new(body, moment, 0, far);
        let mut distances: Vec<f32> = topology.positions.iter().map(|&p| surface.distance(p)).collect();
        distances.sort_unstable_by(f32::total_cmp);
        let inside = distances.iter().take_while(|d| **d < 0.0).count();
        let closest = &distances[..distances.len().div_ceil(CLOSEST_PART)];
        let mean = closest.iter().map(|d| d.max(0.0)).sum::<f32>() / closest.len().max(1) as f32;
        Fit { inside: inside as f32 / distances.len().max(1) as f32, closest: mean }
    }
}
