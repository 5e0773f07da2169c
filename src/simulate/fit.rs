//! Which pose of the body a garment was made for.

use super::collide::BodySurface;
use super::{StartPose, Timeline};
use crate::body::{Body, JointId, Moment};
use crate::geometry::{Aabb, DVec3, Vec3};
use crate::topology::Topology;

/// Part of the particles that may lie inside the body of a garment that fits: a hem that a cuff was tucked into, say.
const TUCKED_IN: f32 = 0.005;
/// Part of the particles, the closest ones, by whose distance two poses are compared when both or neither cut the garment.
const CLOSEST_PART: usize = 4;

/// Part of the distance in the first frame below which the bind pose is clearly closer. Cloth that fits neither pose is not
/// carried through more of the body's motion than needed: limbs go far from the bind pose.
const CLEARLY: f32 = 0.7;

/// Part of the body's size within which something worn lies near it.
const NEAR: f32 = 0.5;

/// How a garment lies on a body in the two poses it may have been made for.
#[derive(Clone, Debug)]
pub struct PoseFits {
    /// The first frame that is baked.
    pub first: Fit,
    /// The pose the skin was bound in.
    pub bind: Fit,
}

/// How a garment lies on a body in one pose.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Where each particle lies.
    pub places: Vec<Place>,
    /// Particles inside the body.
    pub inside: usize,
    /// Mean distance of the closest quarter of the particles from the body's surface, metres.
    pub closest: f32,
    /// Whether that is so little that the garment may be worn.
    pub is_near: bool,
}

/// Where a particle lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Distance from the body's surface, negative inside, metres.
    pub distance: f32,
    /// Joint that moves the surface there most.
    pub joint: JointId,
}

impl PoseFits {
    /// Measures the garment as its file has it, positions counted from `origin`, against the body in both poses.
    pub fn measure(topology: &Topology, origin: DVec3, body: &Body, timeline: &Timeline) -> PoseFits {
        let at = |moment| Fit::measure(topology, origin, body, moment);
        PoseFits { first: at(Moment::At(timeline.clip_seconds(0))), bind: at(Moment::Bind) }
    }

    /// The pose the garment fits better: the only one that it is near, else the only one that does not cut it, else the one it lies closer to; if both cut it, the
    /// bind pose must be clearly closer. Ties go to the first frame, since that is what the bake shows.
    pub fn better(&self) -> StartPose {
        let PoseFits { first, bind } = self;
        let bind_fits = match (first.cuts(), bind.cuts()) {
            _ if first.is_near != bind.is_near => bind.is_near,
            (false, false) => bind.closest < first.closest,
            (true, true) => bind.closest < CLEARLY * first.closest,
            (first_cuts, _) => first_cuts,
        };
        if bind_fits { StartPose::Bind } else { StartPose::First }
    }

    /// The fit in `pose`.
    pub fn of(&self, pose: StartPose) -> &Fit {
        match pose {
            StartPose::Bind => &self.bind,
            StartPose::First => &self.first,
        }
    }

    /// Whether it makes no difference which of both poses is taken.
    pub fn are_alike(&self) -> bool {
        self.first.places == self.bind.places
    }

    /// What speaks for [`PoseFits::better`], in plain words.
    pub fn reason(&self) -> String {
        let PoseFits { first, bind } = self;
        if first.is_near != bind.is_near {
            let [first, bind] = [first, bind].map(|fit| fit.closest);
            return format!("it is {bind:.2} m from the body in the bind pose, {first:.2} m in the first frame");
        }
        if first.cuts() != bind.cuts() {
            let (first, bind) = (first.inside, bind.inside);
            return format!("{bind} of its vertices are inside the body in the bind pose, {first} in the first frame");
        }
        let lies = if first.cuts() { "it begins inside the body in both poses; its" } else { "its" };
        let [first, bind] = [first, bind].map(|fit| fit.closest * 1000.0);
        format!(
            "{lies} closest vertices are {bind:.1} mm from the body in the bind pose, {first:.1} mm in the first frame"
        )
    }
}

impl Fit {
    fn measure(topology: &Topology, origin: DVec3, body: &Body, moment: Moment) -> Fit {
        let way = (origin - body.origin(moment)).as_vec3();
        let particles: Vec<Vec3> = topology.positions.iter().map(|&p| p + way).collect();
        let mut positions: Vec<Vec3> = Vec::new();
        body.pose(moment, &mut positions);
        let size = Aabb::around(&positions).size().length();
        let far = Aabb::around(&positions).union(Aabb::around(&particles)).size().length();
        let surface = BodySurface::new(body, moment, 0, far);
        let place = |&point: &Vec3| {
            let (distance, joint) = surface.nearest_joint(point).unwrap_or((far, JointId(0)));
            Place { distance, joint }
        };
        let places: Vec<Place> = particles.iter().map(place).collect();
        let mut distances: Vec<f32> = places.iter().map(|p| p.distance.abs()).collect();
        distances.sort_unstable_by(f32::total_cmp);
        let closest = &distances[..distances.len().div_ceil(CLOSEST_PART)];
        let closest = closest.iter().sum::<f32>() / closest.len().max(1) as f32;
        Fit {
            inside: places.iter().filter(|p| p.distance < 0.0).count(),
            closest,
            is_near: closest <= NEAR * size,
            places,
        }
    }

    /// Whether the body cuts through the garment.
    pub fn cuts(&self) -> bool {
        self.inside as f32 > TUCKED_IN * self.places.len() as f32
    }
}
