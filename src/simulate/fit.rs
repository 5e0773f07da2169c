//! Which pose of the body a garment was made for.

use super::collide::BodySurface;
use super::{StartPose, Timeline};
use crate::body::{Body, JointId, Moment};
use crate::geometry::{Aabb, DVec3, Vec3};
use crate::topology::Topology;

/// Part of the particles that may lie inside the body of a garment that fits: a hem that a cuff was tucked into, say.
const TUCKED_IN: f32 = 0.005;
/// Part of the particles inside the body from which on a garment is too narrow for it. Collars, waistbands and hems that were tucked in
/// are less.
const TOO_NARROW: f32 = 0.2;
/// The most by which a garment is tried wider, percent.
const WIDEST: u32 = 50;

/// Part of the particles, the closest ones, by whose distance two poses are compared when neither cuts the garment.
const CLOSEST_PART: usize = 4;

/// Part of the depth in the first frame below which cloth is clearly less deep inside the body in the bind pose. One that is too
/// narrow is cut evenly in the pose it was made for, and deeply by a few limbs in any other. Cloth that fits neither pose is not
/// carried through more of the body's motion than needed: limbs go far from the bind pose.
const CLEARLY: f32 = 0.7;
/// Part of the depths of all particles together in the first frame below which less is inside in the bind pose, where nothing is
/// deeper there. Of a cape that a raised arm cuts in the bind pose less is inside too, but deeper.
const CLEARLY_LESS: f32 = 0.8;
/// The same where the deepest is hardly deeper there, and how deep that may be, as a part of the other.
const FAR_LESS: f32 = 0.6;
const HARDLY_DEEPER: f32 = 1.1;

/// How many times as far from the body as in the other pose, and by which part of the body's size at least, cloth lies beside it: a
/// body that has walked out of its garment is not inside it.
const BESIDE: f32 = 3.0;
const BESIDE_AT_LEAST: f32 = 0.02;

/// Depth of a particle inside the body from which on the cloth may have been made for another place, metres.
const DEEP: f32 = 0.005;
/// Parts of depth and distance in another place below which cloth is much less deep and much closer.
const MUCH_LESS_DEEP: f32 = 0.25;
const MUCH_CLOSER: f32 = 0.5;
/// Part of the distance in another place up to which cloth is not moved away: a waist that is cut on one side there is a fifth closer.
const NO_FURTHER: f32 = 1.5;

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
    /// Diagonal of the body, metres.
    size: f32,
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

    /// The pose the garment fits better: the only one that it is near, or not beside, else the only one that does not cut it, else the one
    /// it lies closer to; if both cut it, it must be clearly less deep inside the body in the bind pose. Ties go to the first frame,
    /// since that is what the bake shows.
    pub fn better(&self) -> StartPose {
        let PoseFits { first, bind } = self;
        let bind_fits = match (first.cuts(), bind.cuts()) {
            _ if self.is_on_one() => bind.closest < first.closest,
            (false, false) => bind.closest < first.closest,
            (true, true) => bind.is_less_deep_than(first),
            (first_cuts, _) => first_cuts,
        };
        if bind_fits { StartPose::Bind } else { StartPose::First }
    }

    /// Whether the garment is on the body in one pose only.
    fn is_on_one(&self) -> bool {
        let PoseFits { first, bind } = self;
        first.is_near != bind.is_near || first.is_beside(bind) || bind.is_beside(first)
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
        if self.is_on_one() {
            let [first, bind] = [first, bind].map(|fit| fit.closest);
            return format!("it is {bind:.2} m from the body in the bind pose, {first:.2} m in the first frame");
        }
        if first.cuts() != bind.cuts() {
            let (first, bind) = (first.inside, bind.inside);
            return format!("{bind} of its vertices are inside the body in the bind pose, {first} in the first frame");
        }
        if first.cuts() {
            let depths = |fit: &Fit| {
                let [mean, most] = [fit.total_depth() / fit.inside as f32, fit.deepest()].map(|depth| depth * 1000.0);
                format!("{} of its vertices {mean:.1} mm deep on average, {most:.1} at most,", fit.inside)
            };
            let [first, bind] = [first, bind].map(depths);
            return format!(
                "it begins inside the body in both poses, {bind} in the bind pose, {first} in the first frame"
            );
        }
        let [first, bind] = [first, bind].map(|fit| fit.closest * 1000.0);
        format!(
            "its closest vertices are {bind:.1} mm from the body in the bind pose, {first:.1} mm in the first frame"
        )
    }
}

/// Whether so many particles inside the body, of all of a garment, say that it is too narrow.
pub(super) fn is_too_narrow(inside: usize, all: usize) -> bool {
    inside as f32 > TOO_NARROW * all as f32
}

/// Percent of its width and depth, about its middle, from which on a garment at `origin` lies outside the body at `moment`; none if up
/// to 150 it does not.
pub fn fitting_width(topology: &Topology, origin: DVec3, body: &Body, moment: Moment) -> Option<u32> {
    let way = (origin - body.origin(moment)).as_vec3();
    let middle = Aabb::around(&topology.positions).centre();
    let mut positions = Vec::new();
    body.pose(moment, &mut positions);
    let size = Aabb::around(&positions).size().length();
    let surface = BodySurface::new(body, moment, 0, NEAR * size);
    let most = TUCKED_IN * topology.positions.len() as f32;
    let fits = |percent: &u32| {
        let wider = *percent as f32 / 100.0;
        let at = |&p: &Vec3| middle + (p - middle) * Vec3::new(wider, 1.0, wider) + way;
        let inside = topology.positions.iter().filter(|p| surface.distance(at(p)) < 0.0);
        inside.take(most as usize + 1).count() as f32 <= most
    };
    (100..=100 + WIDEST).find(fits)
}

impl Fit {
    /// Measures the garment as its file has it, positions counted from `origin`, against the body at `moment`.
    pub fn measure(topology: &Topology, origin: DVec3, body: &Body, moment: Moment) -> Fit {
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
        Fit::of(particles.iter().map(place).collect(), size)
    }

    /// That of particles in these `places` on a body of `size` metres.
    fn of(places: Vec<Place>, size: f32) -> Fit {
        let mut distances: Vec<f32> = places.iter().map(|p| p.distance.abs()).collect();
        distances.sort_unstable_by(f32::total_cmp);
        let closest = &distances[..distances.len().div_ceil(CLOSEST_PART)];
        let closest = closest.iter().sum::<f32>() / closest.len().max(1) as f32;
        Fit {
            inside: places.iter().filter(|p| p.distance < 0.0).count(),
            closest,
            is_near: closest <= NEAR * size,
            size,
            places,
        }
    }

    /// Whether the garment is too narrow for the body.
    pub fn is_too_narrow(&self) -> bool {
        is_too_narrow(self.inside, self.places.len())
    }

    /// Depth of the deepest particle inside the body, metres; 0 where none is.
    pub fn deepest(&self) -> f32 {
        self.places.iter().map(|p| -p.distance).fold(0.0, f32::max)
    }

    /// Whether the body cuts clearly less deep into the garment here than in the `other` pose.
    fn is_less_deep_than(&self, other: &Fit) -> bool {
        let is_less = |deepest: f32, total: f32| {
            self.deepest() <= deepest * other.deepest() && self.total_depth() < total * other.total_depth()
        };
        self.deepest() < CLEARLY * other.deepest() || is_less(1.0, CLEARLY_LESS) || is_less(HARDLY_DEEPER, FAR_LESS)
    }

    /// Whether the garment lies much further from the body here than in the `other` pose.
    fn is_beside(&self, other: &Fit) -> bool {
        self.closest > (BESIDE * other.closest).max(BESIDE_AT_LEAST * self.size)
    }

    /// Depths of all particles inside the body together, metres.
    fn total_depth(&self) -> f32 {
        self.places.iter().map(|p| (-p.distance).max(0.0)).sum()
    }

    /// Whether the garment lies clearly better here than in the `other` place: much less deep inside the body and not further from it,
    /// or much closer and no deeper. What is moved away from a body is less deep too.
    pub fn is_clearly_better_than(&self, other: &Fit) -> bool {
        if self.is_near != other.is_near {
            return self.is_near;
        }
        let [depth, other_depth] = [self, other].map(Fit::deepest);
        let is_less_deep = other_depth > DEEP && depth < MUCH_LESS_DEEP * other_depth;
        is_less_deep && self.closest < NO_FURTHER * other.closest
            || depth <= other_depth && self.closest < MUCH_CLOSER * other.closest
    }

    /// Whether the body cuts through the garment.
    pub fn cuts(&self) -> bool {
        self.inside as f32 > TUCKED_IN * self.places.len() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fit of a hundred particles, so many of them that deep in the body, metres, and the others 5 mm off it.
    fn fit(inside: usize, depth: f32) -> Fit {
        let place = |index| Place { distance: if index < inside { -depth } else { 0.005 }, joint: JointId(0) };
        Fit::of((0..100).map(place).collect(), 1.0)
    }

    #[test]
    fn a_place_is_clearly_better_where_cloth_is_much_less_deep_or_much_closer() {
        let better = |here: &Fit, there: &Fit| here.is_clearly_better_than(there);
        let (outside, deep) = (fit(0, 0.0), fit(20, 0.02));
        assert!(better(&outside, &deep));
        assert!(!better(&deep, &outside));
        assert!(!better(&fit(20, 0.01), &deep), "not much less deep");
        assert!(!better(&outside, &fit(20, 0.004)), "hardly inside");
        assert!(!better(&Fit { closest: 0.03, ..outside.clone() }, &deep), "moved away");
        assert!(!better(&outside, &outside));
        assert!(better(&outside, &Fit { closest: 0.02, ..outside.clone() }), "much closer");
        assert!(!better(&deep, &Fit { closest: 0.02, ..outside }), "closer, but deep inside");
    }

    #[test]
    fn a_body_that_has_walked_out_of_its_garment_is_not_inside_it() {
        let better = |first: &Fit, bind: &Fit| PoseFits { first: first.clone(), bind: bind.clone() }.better();
        let (cut, clear) = (fit(20, 0.010), fit(0, 0.0));
        let away = Fit { closest: 0.2, ..clear.clone() };
        assert_eq!(better(&clear, &cut), StartPose::First);
        assert_eq!(better(&away, &cut), StartPose::Bind);
        assert_eq!(better(&cut, &away), StartPose::First);
        assert_eq!(better(&Fit { closest: 0.015, ..clear }, &cut), StartPose::First, "loosely worn");
    }

    #[test]
    fn a_garment_that_is_too_narrow_all_round_was_not_made_for_a_pose_whose_limbs_cut_it_deeply() {
        let better = |first: Fit, bind: Fit| PoseFits { first, bind }.better();
        assert_eq!(better(fit(15, 0.034), fit(26, 0.012)), StartPose::Bind, "more of it, but less deep");
        assert_eq!(better(fit(20, 0.040), fit(90, 0.020)), StartPose::Bind, "cut evenly, which is deeper all in all");
        assert_eq!(better(fit(26, 0.012), fit(15, 0.034)), StartPose::First);
        assert_eq!(better(fit(26, 0.012), fit(26, 0.011)), StartPose::First, "what is nearly as deep is no reason");
        assert_eq!(better(fit(60, 0.074), fit(13, 0.059)), StartPose::Bind, "nearly as deep, but with a fifth of it");
        assert_eq!(better(fit(60, 0.050), fit(30, 0.057)), StartPose::First, "deeper, if with half of it");
        assert_eq!(better(fit(60, 0.050), fit(45, 0.050)), StartPose::Bind, "as deep with three quarters of it");
        assert_eq!(better(fit(60, 0.050), fit(32, 0.054)), StartPose::Bind, "hardly deeper, with half of it");
        assert_eq!(better(fit(60, 0.050), fit(40, 0.054)), StartPose::First, "hardly deeper, with two thirds of it");
    }

    #[test]
    fn cloth_inside_the_body_is_tucked_in_if_it_is_little_and_too_narrow_if_it_is_much() {
        assert!(!fit(0, 0.01).is_too_narrow() && !fit(15, 0.06).is_too_narrow());
        assert!(fit(26, 0.012).is_too_narrow() && fit(100, 0.008).is_too_narrow());
        assert_eq!((fit(0, 0.01).deepest(), fit(15, 0.06).deepest()), (0.0, 0.06));
    }
}
