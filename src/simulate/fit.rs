//! Which pose of the body a garment was made for.

use super::collide::BodySurface;
use super::{StartPose, Timeline};
use crate::body::{Body, Moment};
use crate::geometry::{Aabb, Vec3};
use crate::topology::Topology;

/// Part of the particles that may lie inside the body of a garment that fits: a hem that a cuff was tucked into, say.
const TUCKED_IN: f32 = 0.005;
/// Part of the particles, the closest ones, by whose distance two poses are compared when both or neither cut the garment.
const CLOSEST_PART: usize = 4;

/// The pose the garment fits better: the only one that does not cut it, else the one it lies closer to. Ties go to the first
/// frame, since that is what the bake shows.
pub fn detect_start(topology: &Topology, body: &Body, timeline: &Timeline) -> StartPose {
    let first = Fit::measure(topology, body, Moment::At(timeline.clip_seconds(0)));
    let bind = Fit::measure(topology, body, Moment::Bind);
    let bind_fits = if first.cuts == bind.cuts { bind.closest < first.closest } else { first.cuts };
    if bind_fits { StartPose::Bind } else { StartPose::First }
}

/// How a garment lies on a body.
struct Fit {
    /// Whether the body cuts through it.
    cuts: bool,
    /// Mean distance of the closest quarter of the particles from the body's surface, metres.
    closest: f32,
}

impl Fit {
    fn measure(topology: &Topology, body: &Body, moment: Moment) -> Fit {
        let mut positions: Vec<Vec3> = Vec::new();
        body.pose(moment, &mut positions);
        let far = Aabb::around(&positions).union(Aabb::around(&topology.positions)).size().length();
        let surface = BodySurface::new(body, moment, 0, far);
        let signed = topology.positions.iter().map(|&p| surface.distance(p));
        let (mut distances, inside): (Vec<f32>, Vec<bool>) = signed.map(|d| (d.abs(), d < 0.0)).unzip();
        let inside = inside.into_iter().filter(|&inside| inside).count();
        distances.sort_unstable_by(f32::total_cmp);
        let closest = &distances[..distances.len().div_ceil(CLOSEST_PART)];
        Fit {
            cuts: inside as f32 > TUCKED_IN * distances.len() as f32,
            closest: closest.iter().sum::<f32>() / closest.len().max(1) as f32,
        }
    }
}
