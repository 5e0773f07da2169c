//! What of the body lies inside the body: both sides of a bent elbow, of a knee, of the ball in a robot's joint.
//!
//! ```text
//!       \\  upper arm  /            o is inside the forearm, but in front of the surface nearest to it, which is the upper
//!        \\           /             arm's and lies inside the forearm itself: that surface does not count
//!     ----\\---x------/----
//!          \\  o    /    forearm
//!     ------\\-----/------
//! ```
//!
//! An arm that crosses the torso is another thing: cloth between them keeps to one (`crossing`).

use std::sync::atomic::{AtomicU8, Ordering};

use super::patches::Patches;
use super::{BodySurface, Nearest};
use crate::body::{Body, Moment};
use crate::geometry::{Vec3, closest_point_on_triangle};

/// Length of its edges up to which a triangle is inside where its middle is, the same way: 5 cm on a grown-up.
const SMALL: f32 = 1.0;
/// Cosine of the angle between a triangle's normal and the way out through it, at least.
const STRAIGHT: f32 = 0.5;
/// Distance from which on one side of a crease has left what was between both, as a part of the search radius: 6 mm on a grown-up.
const LEFT: f32 = 0.1;
/// How far outside a triangle it is asked whether that is inside, as a part of the search radius.
const OUTSIDE: f32 = 0.05;
/// Way of the body after which all is asked anew, the same way: 9 mm on a grown-up. A runner's elbow closes within a frame.
const STALE: f32 = 0.15;

/// Which triangles are known to be inside the body. That does not outlive a frame: a bake that was interrupted starts with the next one
/// and knows nothing.
#[derive(Debug)]
pub(super) struct Buried {
    /// For each triangle 0 if nobody has asked, 1 if it is outside, 2 if inside. What threads write at once is the same.
    known: Vec<AtomicU8>,
    /// Middles of the triangles in the bind pose.
    pub(super) bound: Vec<Vec3>,
    /// Their unit normals there.
    pub(super) bound_normals: Vec<Vec3>,
    /// How far the body had gone when all was forgotten last, metres.
    body_way: f64,
    /// How far it had gone around each patch when what is known there was forgotten last.
    ways: Vec<f64>,
    /// Whether a frame has ended since the body moved.
    frame_ended: bool,
}

impl Buried {
    pub(super) fn new(body: &Body, triangles: &[[u32; 3]], patches: &Patches) -> Buried {
        let mut bound = Vec::new();
        body.pose(Moment::Bind, &mut bound);
        let corners = || triangles.iter().map(|t| t.map(|v| bound[v as usize]));
        let bound_normals = corners().map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero()).collect();
        let known = triangles.iter().map(|_| AtomicU8::new(0)).collect();
        Buried {
            known,
            bound: corners().map(middle).collect(),
            bound_normals,
            body_way: 0.0,
            ways: vec![0.0; patches.count()],
            frame_ended: true,
        }
    }

    /// How far apart two triangles are in the bind pose, metres.
    pub(super) fn bound_apart(&self, a: u32, b: u32) -> f32 {
        self.bound[a as usize].distance(self.bound[b as usize])
    }

    /// Forgets what it knows of another pose, if the body has gone any way since it last did.
    pub(super) fn forget(&mut self, patches: &Patches) {
        if patches.way_of_all() != self.body_way {
            self.body_way = patches.way_of_all();
            self.ways.copy_from_slice(patches.near_ways());
            self.known.iter_mut().for_each(|known| *known.get_mut() = 0);
        }
    }

    /// Forgets, as the body moves on into a frame, what was known where the last one ended.
    pub(super) fn move_on(&mut self, patches: &Patches) {
        if std::mem::take(&mut self.frame_ended) {
            self.forget(patches);
        }
    }

    /// Forgets what it knows of another pose where a frame ends, and what it knows of where the body has gone too far since.
    pub(super) fn renew(&mut self, patches: &Patches, search_radius: f32, frame_ends: bool) {
        self.frame_ended = frame_ends;
        if frame_ends {
            self.forget(patches);
        } else {
            self.forget_stale(patches, f64::from(STALE * search_radius));
        }
    }

    /// Forgets what it knows where the body has gone further than `most` metres since it last did.
    fn forget_stale(&mut self, patches: &Patches, most: f64) {
        let renewed = |(way, known): (&f64, &mut f64)| {
            let is_stale = way - *known > most;
            if is_stale {
                *known = *way;
            }
            is_stale
        };
        let is_stale: Vec<bool> = patches.near_ways().iter().zip(&mut self.ways).map(renewed).collect();
        if !is_stale.contains(&true) {
            return;
        }
        for (triangle, known) in (0..).zip(&mut self.known) {
            if is_stale[patches.of(triangle) as usize] {
                *known.get_mut() = 0;
            }
        }
    }
}

impl BodySurface<'_> {
    /// Whether the surface next to a point lies inside a part of the body that it hangs together with. A strap over the middle of a
    /// pouch does not bury all of its side.
    pub(super) fn is_buried_at(&self, nearest: &Nearest, point: Vec3) -> bool {
        if !self.is_buried(nearest.triangle) {
            return false;
        }
        let [a, b, c] = self.corners(nearest.triangle);
        let is_small = [(a, b), (b, c), (c, a)].iter().all(|(a, b)| a.distance(*b) < SMALL * self.search_radius);
        is_small || self.lies_inside(nearest.triangle, point - nearest.normal * nearest.distance)
    }

    /// The same of a triangle, by its middle.
    pub(super) fn is_buried(&self, triangle: u32) -> bool {
        let known = &self.buried.known[triangle as usize];
        match known.load(Ordering::Relaxed) {
            0 => {
                let is_buried = self.lies_inside(triangle, middle(self.corners(triangle)));
                known.store(1 + u8::from(is_buried), Ordering::Relaxed);
                is_buried
            }
            known => known == 2,
        }
    }

    /// The surface nearest to a point within `radius`, of what is not inside the body.
    pub(super) fn nearest_unburied(&self, point: Vec3, radius: f32) -> Option<Nearest> {
        self.nearest_within(radius, point, |t| !self.is_buried(t))
    }

    /// What encloses a particle in the crease of a joint that seems to be in front of the `nearest` surface: the other side, within
    /// `radius`. Cloth that was worn there comes out there; other cloth, a cape that a knee has closed over, once that surface has
    /// left it, and of the other side of the same skin only: what a hand has caught would be pushed through the hand.
    ///
    /// ```text
    ///     thigh  |  /            /  what of the shin is inside the thigh, which ends at x
    ///    --------x               o  enclosed by the thigh, for all that the shin says
    ///       o   /
    ///    ------/  shin
    /// ```
    pub(super) fn enclosing(&self, particle: u32, point: Vec3, nearest: &Nearest, radius: f32) -> Option<Nearest> {
        let &Nearest { triangle, normal, distance, .. } = nearest;
        let was_worn_there = self.was_worn_with(particle, triangle);
        let may_come_out = was_worn_there || distance > LEFT * self.search_radius;
        if !may_come_out || !self.is_enclosed(point) {
            return None;
        }
        let is_behind = |t: u32| (point - self.corners(t)[0]).dot(self.face_normal(t)) < 0.0;
        let is_other_side = |t: u32| match was_worn_there {
            true => self.hang_together(triangle, t),
            false => self.share_joint_and_skin(triangle, t),
        };
        let counts = |t: u32| is_behind(t) && is_other_side(t) && !self.is_buried(t);
        let found = self.closest_facing(normal, point, radius, counts)?;
        Some(self.nearest_of(point, found)).filter(|nearest| nearest.distance < 0.0)
    }

    /// The surface through which a point goes out that is inside parts which overlap, next to the `nearest` one, which is inside the
    /// body: what it lies behind within `radius`, of what hangs together with that and is not inside the body itself.
    ///
    /// ```text
    ///    ------x----------
    ///    arm   |   o           the sleeve's rim x inside the arm is nearest, and what is outside near it says "in front"
    ///    ------x----------
    ///          ----------- sleeve
    /// ```
    pub(super) fn way_out_of_overlap(&self, point: Vec3, nearest: &Nearest, radius: f32) -> Option<Nearest> {
        if !self.is_enclosed_all_around(point) {
            return None;
        }
        let leads_out = |t: u32| {
            let place = closest_point_on_triangle(point, self.corners(t)).point;
            let inward = point - place;
            inward.dot(self.face_normal(t)) < -STRAIGHT * inward.length() && !self.lies_inside(t, place)
        };
        let counts = |t: u32| self.hang_together(nearest.triangle, t) && leads_out(t);
        self.nearest_within(radius, point, counts).filter(|nearest| nearest.distance < 0.0)
    }

    /// Whether a point lies inside the body, as far as most rays along the axes tell.
    pub(super) fn is_enclosed(&self, point: Vec3) -> bool {
        let [x, y] = [0, 1].map(|axis| self.is_enclosed_along(axis, point));
        if x == y { x } else { self.is_enclosed_along(2, point) }
    }

    /// The same as far as every one of those rays tells: next to an open shoe they do not agree.
    fn is_enclosed_all_around(&self, point: Vec3) -> bool {
        (0..3).all(|axis| self.is_enclosed_along(axis, point))
    }

    /// Whether a ray along an axis leaves the body more often than it enters it. Thousands of triangles in one place have no inside,
    /// and take long.
    fn is_enclosed_along(&self, axis: usize, point: Vec3) -> bool {
        !self.tree.is_crowded() && self.tree.leaves(point, axis, true).0 > 0
    }

    /// Whether a place on a triangle lies inside the body, and `counts` where two rays from it leave that.
    pub(super) fn is_inside(&self, triangle: u32, place: Vec3, counts: impl Fn(u32) -> bool) -> bool {
        let normal = self.face_normal(triangle);
        let outside = place + normal * (OUTSIDE * self.search_radius);
        let by_size = |a: &usize, b: &usize| normal[*b].abs().total_cmp(&normal[*a].abs());
        let mut axes = [0, 1, 2];
        axes.sort_by(by_size);
        // A hole can deceive one ray. Thousands of triangles in one place have no inside, and take long.
        !self.tree.is_crowded()
            && axes[..2].iter().all(|&axis| {
                let (leaves, through) = self.tree.leaves(outside, axis, normal[axis] >= 0.0);
                leaves > 0 && through.is_some_and(&counts)
            })
    }

    /// Whether a place on a triangle lies inside a part of the body that it hangs together with.
    fn lies_inside(&self, triangle: u32, place: Vec3) -> bool {
        self.is_inside(triangle, place, |through| self.hang_together(triangle, through))
    }
}

fn middle([a, b, c]: [Vec3; 3]) -> Vec3 {
    (a + b + c) / 3.0
}

#[cfg(test)]
mod tests {
    use super::super::Look;
    use super::super::fixtures::{boxes, limbs};
    use super::*;
    use crate::simulate::collide::Touch;

    /// Two boxes along x, y from 0 to 0.04 each, which overlap from x = 0 to 0.04: the bones of a robot's joint.
    fn bones() -> Body {
        let bone = |left: f32, right: f32, low: f32| [Vec3::new(left, low, -0.02), Vec3::new(right, low + 0.04, 0.02)];
        boxes(&[bone(-0.1, 0.04, 0.0), bone(0.0, 0.1, -0.005)])
    }

    #[test]
    fn a_stud_in_the_middle_of_a_side_buries_only_what_it_covers() {
        let (plate, stud) = ([Vec3::ZERO, Vec3::new(0.3, 0.05, 0.3)], Vec3::new(0.2, 0.05, 0.1));
        let body = boxes(&[plate, [stud - Vec3::splat(0.02), stud + Vec3::splat(0.02)]]);
        let surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        let touch = Touch { thickness: 0.002, friction: 0.0, rise: 1.0 };
        let pushed = |at: Vec3| surface.ask(0, Look::Whole, at, at, touch).pushed.map(|(place, _)| place - at);
        assert!(
            (0..surface.mesh.triangles.len() as u32).any(|t| surface.is_buried(t)),
            "the half of the side under the stud"
        );
        let way = pushed(stud + Vec3::new(0.06, -0.001, 0.0)).expect("a push");
        assert!((way - Vec3::Y * 0.003).length() < 1e-6, "{way:?}");
        let way = pushed(stud + Vec3::new(0.001, 0.001, 0.016)).expect("a push");
        assert!((way - Vec3::Z * 0.006).length() < 1e-6, "out of the stud, {way:?}");
    }

    #[test]
    fn the_end_of_a_bone_inside_another_is_buried() {
        let body = bones();
        let surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        let buried: Vec<u32> = (0..surface.mesh.triangles.len() as u32).filter(|&t| surface.is_buried(t)).collect();
        // The last side of the first box, at x = 0.04, and the fifth of the second, at x = 0.
        assert_eq!(buried, [10, 11, 20, 21]);
    }

    #[test]
    fn a_particle_in_front_of_a_buried_face_goes_out_of_the_body() {
        let body = bones();
        let surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        // 5 mm in front of the first bone's end, 10 mm below the top of the second.
        let inside = Vec3::new(0.045, 0.025, 0.0);
        assert!(surface.distance(inside) > 0.0, "the nearest surface says outside");
        let touch = Touch { thickness: 0.002, friction: 0.0, rise: 1.0 };
        let (pushed, contact) = surface.ask(0, Look::Whole, inside, inside, touch).pushed.expect("a push");
        assert!((pushed - Vec3::new(0.045, 0.037, 0.0)).length() < 1e-6, "{pushed:?}");
        assert_eq!(contact.normal, Vec3::Y);
        let clear = Vec3::new(0.045, 0.05, 0.0);
        assert!(surface.ask(0, Look::Whole, clear, clear, touch).pushed.is_none());
    }

    #[test]
    fn a_particle_in_front_of_what_reaches_into_a_part_goes_out_of_that_part() {
        // A bone whose top, 14 cm long, reaches 4 cm into a thicker one: by its middle, that top is not inside.
        let bone = [Vec3::new(-0.1, 0.0, -0.02), Vec3::new(0.04, 0.04, 0.02)];
        let body = boxes(&[bone, [Vec3::new(0.0, -0.02, -0.05), Vec3::new(0.1, 0.06, 0.05)]]);
        let surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        let inside = Vec3::new(0.045, 0.039, 0.0);
        let in_front = surface.nearest_unburied(inside, 0.1).expect("the rim of the bone's top");
        assert!(in_front.distance > 0.005, "{}", in_front.distance);
        let touch = Touch { thickness: 0.002, friction: 0.0, rise: 1.0 };
        let (pushed, contact) = surface.ask(0, Look::Whole, inside, inside, touch).pushed.expect("a push");
        assert!((pushed - Vec3::new(0.045, 0.062, 0.0)).length() < 1e-6, "{pushed:?}");
        assert!((contact.normal - Vec3::Y).length() < 1e-6, "{:?}", contact.normal);
        let beside = Vec3::new(0.045, 0.07, 0.0);
        assert!(surface.ask(0, Look::Whole, beside, beside, touch).pushed.is_none());
    }

    #[test]
    fn the_end_of_a_neck_inside_a_shoulder_is_buried_and_what_reaches_in_from_afar_is_not() {
        let trunk = [Vec3::new(-0.1, -0.3, -0.02), Vec3::new(0.1, -0.01, 0.02)];
        let neck = [Vec3::new(-0.02, 0.0, -0.02), Vec3::new(0.02, 0.06, 0.02)];
        let shoulder = [Vec3::new(0.0, 0.005, -0.015), Vec3::new(0.06, 0.035, 0.015)];
        let body = limbs(&[trunk, neck, shoulder]);
        let mut surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        let buried: Vec<u32> = (24..36).filter(|&t| surface.is_buried(t)).collect();
        // The fifth side, at x = 0, inside the neck.
        assert_eq!(buried, [32, 33]);
        *surface.patches.ways.last_mut().expect("that of all") += 1.0;
        surface.buried.forget(&surface.patches);
        surface.buried.bound.iter_mut().skip(24).for_each(|middle| middle.x += 0.1);
        assert!((24..36).all(|t| !surface.is_buried(t)), "a hand that was bound elsewhere");
    }

    #[test]
    fn what_a_joint_has_closed_over_comes_out_of_its_other_side_once_the_first_has_left_it() {
        let thigh = [Vec3::new(-0.1, 0.0, -0.05), Vec3::new(0.1, 0.5, 0.05)];
        let shin = [Vec3::new(-0.02, 0.2, -0.15), Vec3::new(0.02, 0.3, -0.04)];
        let body = limbs(&[thigh, shin]);
        let mut surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        let out = |surface: &BodySurface<'_>, in_front: f32| {
            let point = Vec3::new(0.005, 0.24, -0.04 + in_front);
            let nearest = surface.nearest_where(point, |t| t >= 12).expect("the shin");
            assert!((nearest.distance - in_front).abs() < 1e-6, "{}", nearest.distance);
            surface.enclosing(0, point, &nearest, 0.1).map(|found| found.normal * -found.distance)
        };
        assert!(out(&surface, 0.015).is_none(), "two skins");
        surface.mesh.shell_of.fill(0);
        let way = out(&surface, 0.015).expect("a way");
        assert!((way - Vec3::NEG_Z * 0.025).length() < 1e-6, "{way:?}");
        assert!(out(&surface, 0.005).is_none(), "still between the two");
    }

    #[test]
    fn parts_that_were_bound_apart_bury_nothing() {
        let body = bones();
        let mut surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        surface.buried.bound.iter_mut().skip(12).for_each(|middle| middle.y += 1.0);
        assert!((0..surface.mesh.triangles.len() as u32).all(|t| !surface.is_buried(t)));
    }

    #[test]
    fn what_is_known_is_asked_anew_where_the_body_has_gone_too_far_or_a_frame_ends_or_begins() {
        let body = boxes(&[[Vec3::ZERO, Vec3::splat(0.04)]]);
        let mut surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.06);
        let mut is_known_after = |way: f64, frame_ends: Option<bool>| {
            surface.is_buried(0);
            surface.patches.ways.iter_mut().for_each(|known| *known += way);
            match frame_ends {
                Some(frame_ends) => surface.buried.renew(&surface.patches, surface.search_radius, frame_ends),
                None => surface.buried.move_on(&surface.patches),
            }
            surface.buried.known[0].load(Ordering::Relaxed) != 0
        };
        assert!(!is_known_after(0.001, None), "from before the first frame");
        assert!(is_known_after(0.001, None), "within a frame");
        assert!(is_known_after(0.007, Some(false)));
        assert!(!is_known_after(0.002, Some(false)), "10 mm in all");
        assert!(!is_known_after(0.001, Some(true)), "a frame ends");
        assert!(!is_known_after(0.001, None), "the next begins");
    }
}
