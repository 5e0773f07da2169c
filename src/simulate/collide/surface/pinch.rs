//! Cloth between the two sides of a joint that bends until they leave no room for it: a sleeve at the elbow, trousers at the back of
//! the knee.
//!
//! ```text
//!      thigh            pushed out of thigh and shin by turns a particle would come out on the far side of one, and its leg stay
//!    ---------\\        stuck in the cloth once the knee stretches; so it lies on the skin where it was, goes with that wherever
//!        o     )       that goes, and sees nothing else until the two sides part
//!    ---------//
//!      shin            "flypapering", after Baraff, Witkin & Kass, Untangling Cloth, SIGGRAPH 2003
//! ```
//!
//! What a fast joint closes over from one look to the next, touched by neither side, is pinched where it is found.
//!
//! Of two sides it goes with the one that it was worn next to: a sleeve that went with the chest would be drawn through the arm when
//! that swings.
//!
//! Only cloth that was worn there, and close, is pinched: neither does a fist keep the hem that it touches, nor an elbow the cape
//! that hangs over it.

use super::ask::Found;
use super::{BodySurface, Nearest, weighted};
use crate::geometry::{ClosestPoint, Vec3, closest_point_on_triangle};
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::collide::mesh::SurfaceMesh;
use crate::simulate::collide::{Contact, Touch};

/// Distance from the body at the start up to which cloth is fitted to it, as a part of the search radius: 20 mm on a grown-up.
const FITTED: f32 = 0.33;
/// Cosine of the angle between the normals of two sides from which on they face each other.
const OPPOSED: f32 = -0.5;
/// Gap between two sides up to which they keep hold of a particle, in thicknesses; they take hold of it where it is one.
const LET_GO: f32 = 1.5;
/// How far the cloth may draw a particle from its place along the skin in a substep, in thicknesses, before that slides after it. With
/// none the cloth would be held nowhere; never sliding, a place that has come to lie 50 mm from where the cloth can be pulls on all that
/// is beside it, and keeps the particle in the shin when the knee stretches.
const GIVE: f32 = 2.0;
/// How far the cloth draws a particle clear of the body, in thicknesses, before it is let go: a dress that is drawn tight over a bent
/// waist is out of its crease, and what stays in there is drawn into the body with all that is beside it.
const LET_OUT: f32 = 6.0;
/// Highest that a particle lies above the skin that holds it, in thicknesses.
const HIGHEST: f32 = 0.5;

/// The place on the skin where a particle is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pinch {
    triangle: u32,
    barycentric: Vec3,
    /// Height above the triangle, metres.
    height: f32,
}

impl BodySurface<'_> {
    /// Where a particle at `point`, which touches what is nearer than `thickness`, is pinched by what is `nearest`, if it is.
    pub(super) fn pinch(
        &self,
        particle: u32,
        point: Vec3,
        nearest: &Nearest,
        thickness: f32,
        touch: Touch,
    ) -> Option<Pinch> {
        let &Nearest { triangle, distance, normal, .. } = nearest;
        let worn = self.worn_on[particle as usize].filter(|worn| worn.distance < FITTED * self.search_radius)?;
        if !self.hang_together(triangle, worn.triangle) {
            return None;
        }
        let place = point - normal * distance;
        let touches = distance < thickness;
        let opposed = if touches { self.opposed_within(touch.thickness, triangle, place, normal) } else { None };
        let apart = |side: u32| self.buried.bound_apart(side, worn.triangle);
        match opposed {
            Some((other, closest, _)) if apart(other) < apart(triangle) => {
                Some(Pinch { triangle: other, barycentric: closest.barycentric, height: 0.0 })
            }
            None if !(self.is_buried(triangle) && self.is_enclosed(point)) => None,
            _ => {
                let barycentric = closest_point_on_triangle(place, self.corners(triangle)).barycentric;
                Some(Pinch { triangle, barycentric, height: distance.clamp(0.0, HIGHEST * touch.thickness) })
            }
        }
    }

    /// Where a pinched particle, which the cloth has drawn to `point`, is kept; None if it is free again.
    pub(super) fn hold(&self, particle: u32, point: Vec3, pinch: Pinch, touch: Touch) -> Option<Found> {
        let pinch = self.slid(pinch, point, GIVE * touch.thickness);
        let Pinch { triangle, height, .. } = pinch;
        let [place, before] = [&self.positions, &self.previous].map(|positions| pinch.place(&self.mesh, positions));
        let normal = self.face_normal(triangle);
        if place.distance(point) > LET_OUT * touch.thickness && self.is_clear(point, touch.thickness) {
            return None;
        }
        let is_held = self.opposed_within(LET_GO * touch.thickness, triangle, place, normal).is_some()
            || self.is_inside(triangle, place, |through| self.is_one_skin(triangle, through));
        is_held.then(|| {
            let at = place + normal * height;
            let contact = Contact {
                particle,
                normal,
                level: normal.dot(at),
                margin: height,
                surface_motion: place - before,
                joint: Some(self.joint_of[triangle as usize]),
                collider: None,
            };
            let probe = self.blank_probe(at, triangle, 0.0).next_to(triangle);
            Found { pushed: Some((at, contact)), probe, yielded: Vec::new(), pinch: Some(pinch) }
        })
    }

    /// Whether a point is `thickness` away from all of the body that is no inside of a joint. Where that begins, at the lips of a
    /// crease, the surface next to a point does not tell on which side it is.
    fn is_clear(&self, point: Vec3, thickness: f32) -> bool {
        self.nearest_unburied(point, self.search_radius).is_none_or(|nearest| nearest.distance >= thickness)
            && !self.is_enclosed(point)
    }

    /// The same pinch, but that its place slides along the skin until `point` is no further than `most` metres from it that way. A
    /// walk that ends in a crease goes over that.
    fn slid(&self, pinch: Pinch, point: Vec3, most: f32) -> Pinch {
        let place = pinch.place(&self.mesh, &self.positions);
        let normal = self.face_normal(pinch.triangle);
        let along = (point - place) - normal * (point - place).dot(normal);
        let away = along.length();
        if away <= most {
            return pinch;
        }
        let goal = place + along * (1.0 - most / away);
        let walked = self.mesh.walk(&self.positions, pinch.triangle, goal).filter(|found| found.2 <= most * most);
        let found = walked.or_else(|| {
            let counts = |t: u32| self.is_one_skin(pinch.triangle, t) && self.hang_together(pinch.triangle, t);
            self.tree.closest_where(goal, self.search_radius, &self.positions, &self.mesh.triangles, counts)
        });
        found.map_or(pinch, |(triangle, closest, _)| Pinch { triangle, barycentric: closest.barycentric, ..pinch })
    }

    /// The other side of a joint that faces a triangle with this `normal`, at a `place` on it, within a `gap`.
    fn opposed_within(&self, gap: f32, triangle: u32, place: Vec3, normal: Vec3) -> Option<(u32, ClosestPoint, f32)> {
        let counts = |other: u32| {
            other != triangle
                && self.is_one_skin(triangle, other)
                && self.face_normal(other).dot(normal) < OPPOSED
                && self.hang_together(triangle, other)
        };
        self.closest_facing(normal, place, gap, counts)
    }
}

impl Pinch {
    /// A blank one to be read into.
    pub(super) const BLANK: Pinch = Pinch { triangle: 0, barycentric: Vec3::ZERO, height: 0.0 };

    /// The place on the skin, the body's vertices being at `positions`.
    fn place(&self, mesh: &SurfaceMesh, positions: &[Vec3]) -> Vec3 {
        weighted(mesh.triangles[self.triangle as usize], self.barycentric, positions)
    }

    /// All of it, on a body of so many triangles.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>, triangles: usize) -> Archived {
        archive.index(&mut self.triangle, triangles, "triangles of the body")?;
        archive.vec3(&mut self.barycentric)?;
        archive.f32(&mut self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Body, JointId, Moment};
    use crate::simulate::collide::surface::fixtures::{prism_corners, prisms};
    use crate::simulate::collide::surface::{Look, Worn};

    /// Triangle of the lower leg's inner side.
    const LOWER: u32 = 12;
    const LENGTH: f32 = 0.06;
    /// A pinch in the middle of that triangle.
    const PINCH: Pinch = Pinch { triangle: LOWER, barycentric: Vec3::splat(1.0 / 3.0), height: 0.001 };
    const TOUCH: Touch = Touch { thickness: 0.004, friction: 0.3, rise: 0.001 };

    /// A V that opens towards x, whose legs' inner sides end at `half` above and below its middle; they cross where that is
    /// negative.
    fn v_outline(half: f32) -> [[f32; 2]; 7] {
        let [inner, outer] = [half, half + 0.03];
        [[0.02, 0.0], [0.1, inner], [0.1, outer], [0.0, 0.02], [0.0, -0.02], [0.1, -outer], [0.1, -inner]]
    }

    /// A body whose triangles all move with one joint, around one particle.
    fn in_one_part(body: &Body) -> BodySurface<'_> {
        let mut surface = BodySurface::new(body, Moment::At(0.0), 1, 0.06);
        surface.joint_of.fill(JointId(0));
        surface
    }

    fn bend(surface: &mut BodySurface<'_>, half: f32) {
        surface.previous = std::mem::replace(&mut surface.positions, prism_corners(&v_outline(half), LENGTH).collect());
        surface.is_fitted = false;
        surface.fit();
        surface.note_way();
        surface.buried.forget(&surface.patches);
    }

    /// Bends the V, half a millimetre at a time, around a particle on the inner side of its lower leg until its legs cross, and
    /// back; the particle's height above that side where they have crossed, and at the end.
    fn heights(worn: Worn) -> [f32; 2] {
        let body = prisms(&[&v_outline(0.03)], LENGTH);
        let mut surface = in_one_part(&body);
        surface.worn_on = vec![Some(worn)];
        let mut at = Vec3::new(0.06, -0.013, 0.0);
        let mut heights = Vec::new();
        for step in 0..=180 {
            let half = 0.00025 + 0.0005 * (step as f32 - 90.0).abs() - 0.015;
            bend(&mut surface, half);
            let answer = surface.ask(0, Look::Whole, at, at, TOUCH);
            at = answer.pushed.map_or(at, |(pushed, _)| pushed);
            (surface.hidden[0], surface.probes[0]) = (answer.hidden, answer.probe.at(at));
            heights.push(at.y + half * (at.x - 0.02) / 0.08);
        }
        [heights[90], heights[180]]
    }

    #[test]
    fn cloth_in_a_bent_joint_goes_with_the_skin_and_is_between_its_sides_when_that_opens() {
        let [crossed, opened] = heights(Worn { triangle: LOWER, distance: 0.002 });
        assert!((-0.001..0.003).contains(&crossed), "inside the upper leg, on the lower one: {crossed}");
        assert!((0.0..0.03).contains(&opened), "between the legs again: {opened}");
    }

    #[test]
    fn a_pinch_slides_only_after_what_is_drawn_far_from_it() {
        let body = prisms(&[&v_outline(0.03)], LENGTH);
        let surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.06);
        let place = |pinch: Pinch| pinch.place(&surface.mesh, &surface.positions);
        let along = (surface.corners(LOWER)[1] - surface.corners(LOWER)[0]).normalize();
        let slid = |away: f32| {
            let point = place(PINCH) + along * away + surface.face_normal(LOWER) * 0.03;
            place(surface.slid(PINCH, point, 0.008)).distance(place(PINCH))
        };
        assert_eq!(slid(0.007), 0.0);
        assert!((slid(0.012) - 0.004).abs() < 1e-5, "{}", slid(0.012));
    }

    #[test]
    fn a_pinch_slides_over_a_ridge_at_which_a_walk_ends() {
        // The skin goes up and down between the place and the goal, which is as high as both.
        let outline = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.02], [0.06, 0.02], [0.05, 0.06], [0.04, 0.02], [0.0, 0.02]];
        let body = prisms(&[&outline], LENGTH);
        let surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.06);
        let start = Vec3::new(0.02, 0.02, 0.0);
        let triangle = surface.nearest_where(start, |_| true).expect("the upper side").triangle;
        let barycentric = closest_point_on_triangle(start, surface.corners(triangle)).barycentric;
        let pinch = Pinch { triangle, barycentric, height: 0.0 };
        let walked = surface.mesh.walk(&surface.positions, triangle, Vec3::new(0.09, 0.02, 0.0)).expect("a place");
        assert!(walked.2 > 0.01 * 0.01, "the walk ends {} m before the goal", walked.2.sqrt());
        let slid = surface.slid(pinch, Vec3::new(0.092, 0.02, 0.0), 0.002);
        let place = slid.place(&surface.mesh, &surface.positions);
        assert!(place.distance(Vec3::new(0.09, 0.02, 0.0)) < 1e-4, "{place}");
    }

    #[test]
    fn what_the_cloth_has_drawn_out_of_a_fold_is_let_go() {
        let body = prisms(&[&v_outline(0.001)], LENGTH);
        let surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.06);
        let place = PINCH.place(&surface.mesh, &surface.positions);
        let is_held = |point: Vec3| surface.hold(0, point, PINCH, TOUCH).is_some();
        assert!(is_held(place));
        assert!(is_held(place + Vec3::Y * 0.025), "inside the upper leg");
        assert!(!is_held(place + Vec3::Y * 0.05), "above it");
    }

    #[test]
    fn what_the_surface_at_the_lips_of_a_crease_takes_for_outside_is_not_let_go() {
        let body = prisms(&[&v_outline(0.03)], LENGTH);
        let mut surface = in_one_part(&body);
        bend(&mut surface, -0.02);
        let inside = Vec3::new(0.0432, 0.006, 0.0007);
        let nearest = surface.nearest_unburied(inside, 0.06).expect("a lip");
        assert!(nearest.distance > 2.0 * TOUCH.thickness, "{}", nearest.distance);
        assert!(!surface.is_clear(inside, TOUCH.thickness));
        assert!(surface.is_clear(inside + Vec3::Y * 0.1, TOUCH.thickness));
    }

    #[test]
    fn what_was_worn_in_a_crease_and_is_inside_below_its_lips_goes_out_through_what_encloses_it() {
        let body = prisms(&[&v_outline(0.03)], LENGTH);
        let mut surface = in_one_part(&body);
        bend(&mut surface, -0.02);
        let inside = Vec3::new(0.0432, 0.006, 0.0007);
        let nearest = surface.nearest_unburied(inside, 0.06).expect("a lip");
        assert!(surface.enclosing(0, inside, &nearest, 0.06).is_none(), "worn elsewhere");
        surface.worn_on = vec![Some(Worn { triangle: LOWER, distance: 0.03 })];
        let enclosing = surface.enclosing(0, inside, &nearest, 0.06).expect("a side");
        assert!(enclosing.distance < 0.0 && enclosing.normal.dot(nearest.normal) < 0.0);
        let out = inside + enclosing.normal * (TOUCH.thickness - enclosing.distance);
        assert!(!surface.is_enclosed(out), "{out}");
        assert!(surface.enclosing(0, out, &nearest, 0.06).is_none(), "outside");
    }

    #[test]
    fn what_a_joint_has_closed_over_at_once_goes_with_the_skin_too() {
        let body = prisms(&[&v_outline(0.03)], LENGTH);
        let mut surface = in_one_part(&body);
        let pinched = |surface: &mut BodySurface<'_>, distance: f32| {
            surface.worn_on = vec![Some(Worn { triangle: LOWER, distance })];
            let inside = Vec3::new(0.05, 0.0, 0.0007);
            surface.ask(0, Look::Whole, inside, inside, TOUCH).hidden.is_some_and(|hidden| hidden.pinch.is_some())
        };
        assert!(!pinched(&mut surface, 0.002), "between the open legs");
        bend(&mut surface, -0.02);
        assert!(pinched(&mut surface, 0.002));
        assert!(!pinched(&mut surface, 0.04), "a cape");
    }

    #[test]
    fn cloth_between_two_sides_goes_with_the_one_that_it_was_worn_next_to() {
        let body = prisms(&[&v_outline(0.03)], LENGTH);
        let mut surface = in_one_part(&body);
        let upper = surface.nearest_where(Vec3::new(0.06, 0.014, 0.0), |_| true).expect("a side").triangle;
        bend(&mut surface, 0.001);
        let below_the_middle = Vec3::new(0.07, -0.0002, 0.0);
        let mut side = |worn: u32| {
            surface.worn_on = vec![Some(Worn { triangle: worn, distance: 0.002 })];
            let answer = surface.ask(0, Look::Whole, below_the_middle, below_the_middle, TOUCH);
            let pinch = answer.hidden.expect("a pinch").pinch.expect("a pinch");
            surface.face_normal(pinch.triangle).y
        };
        assert!(side(LOWER) > 0.5);
        assert!(side(upper) < -0.5);
    }

    #[test]
    fn cloth_that_hangs_over_a_joint_is_not_pinched() {
        let [crossed, _] = heights(Worn { triangle: LOWER, distance: 0.04 });
        assert!(!(-0.001..0.003).contains(&crossed), "{crossed}");
    }
}
