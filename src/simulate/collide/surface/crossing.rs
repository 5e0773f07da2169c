//! Where two parts of the body cross or squeeze: which of them a particle keeps to.

use super::{BodySurface, NONE, Nearest, ROOM};
use crate::body::JointId;
use crate::geometry::{ClosestPoint, Vec3};
use crate::simulate::collide::{Contact, Contacts, Touch};

/// Part of a pushed particle's distance from one part of the body within which another part squeezes it.
const SQUEEZING: f32 = 0.99;
/// Depth in another part of the body from which a particle counts as where both cross, as a part of the search radius: 6 mm on a
/// grown-up. In less it lies pressed between them.
const CROSSED: f32 = 0.1;
/// Distance from what a particle keeps to from which on it is not between two parts any more, as a part of the search radius:
/// 15 mm on a grown-up.
const APART: f32 = 0.25;
/// How much further than the surface that a particle lies on the opposite one is at most where both squeeze it, in thicknesses.
const SQUEEZED: f32 = 0.5;

impl BodySurface<'_> {
    /// The parts that a particle at `point` has yielded to and not left yet, nor can leave, each with its surface there.
    pub(super) fn still_yielded(&self, particle: u32, point: Vec3, thickness: f32) -> Vec<(JointId, Nearest)> {
        let part = |&joint: &JointId| Some((joint, self.nearest_of_part(point, joint)?));
        let mut parts: Vec<(JointId, Nearest)> = self.hidden_from(particle).yielded.iter().filter_map(part).collect();
        parts.retain(|(_, part)| part.distance <= thickness);
        let crossed: Vec<JointId> = parts.iter().map(|&(joint, _)| joint).collect();
        let is_kept_to = |t: u32| !crossed.contains(&self.joint_of[t as usize]);
        // What a thigh leaves behind when the knee stretches is inside the shin and no longer between the two.
        if crossed.is_empty() || self.nearest_within(APART * self.search_radius, point, is_kept_to).is_none() {
            return Vec::new();
        }
        parts.retain(|(_, part)| !self.comes_out_between(point, part, is_kept_to, thickness));
        parts
    }

    /// Whether a `point` inside a `part` of the body would come out of it between that part and what it keeps to: there they do not
    /// cross any more.
    ///
    /// ```text
    ///        \  kept to        cloth that is drawn tight across the fold between them does not go with the surface that it keeps
    ///     x   \                to; left alone until it is far from that, it would lie in a thigh which has left the belly
    ///   ===o===\
    ///    crossed
    /// ```
    fn comes_out_between(&self, point: Vec3, part: &Nearest, is_kept_to: impl Fn(u32) -> bool, thickness: f32) -> bool {
        let outside = point + part.normal * (thickness - part.distance);
        let kept_to = self.nearest_within(APART * self.search_radius, outside, is_kept_to);
        kept_to.is_some_and(|kept_to| kept_to.distance > 0.0 && kept_to.normal.dot(part.normal) < 0.0)
    }

    /// Where a particle that is inside a part it has `yielded` to is pressed by that, onto what it keeps to.
    ///
    /// ```text
    ///      /  arm  \       left alone it would hang anywhere inside the arm
    ///  ---|----o----|---
    ///     |    v    |
    ///   ==|=========|==  torso
    /// ```
    ///
    /// A thigh does not press cloth onto the calf that folds into it: it would be stuck in the thigh when the knee stretches.
    pub(super) fn pressed(
        &self,
        particle: u32,
        point: Vec3,
        kept_to: &Nearest,
        yielded: &[(JointId, Nearest)],
        touch: Touch,
    ) -> Option<(Vec3, Contact)> {
        let &Nearest { triangle, distance, normal, surface_motion, .. } = kept_to;
        let own = self.joint_of[triangle as usize];
        let presses = |(joint, part): &(JointId, Nearest)| part.distance < 0.0 && !self.are_next(*joint, own);
        let above = distance - touch.thickness;
        (above > 0.0 && yielded.iter().any(presses)).then(|| {
            let way = above.min(touch.rise);
            let at = point - normal * way;
            let (level, margin, joint) = (normal.dot(at), distance - way, Some(own));
            (at, Contact { particle, normal, level, margin, surface_motion, joint, collider: None })
        })
    }

    /// The surface next to a point of the part that a joint moves, within the search radius.
    fn nearest_of_part(&self, point: Vec3, joint: JointId) -> Option<Nearest> {
        self.closest_of_part(point, joint).map(|found| self.nearest_of(point, found))
    }

    /// The closest triangle of the part that a joint moves, within the search radius: its point and the squared distance.
    fn closest_of_part(&self, point: Vec3, joint: JointId) -> Option<(u32, ClosestPoint, f32)> {
        let of_joint = |t: u32| self.joint_of[t as usize] == joint;
        self.tree.closest_where(point, self.search_radius, &self.positions, &self.mesh.triangles, of_joint)
    }

    /// The part of the body that crosses the part of the triangle `own` at a particle that was pushed out of that along `normal`:
    /// the particle lies well behind a surface that faces it, and so does what it was pushed out of, `height` below it. There is no
    /// place outside of both. In a gap that is narrower than the thickness it is pushed into the other part though nothing crosses.
    ///
    /// ```text
    ///      other part            the particle keeps to the part that carries pins, else to that which it was worn on, else to its
    ///     |          |           own, and does not see the other until it has left that: pushed out of both by turns it would
    ///   --|----o-----|-- own     shake, and come out on the far side of an arm, which would take it along
    ///     |__________|
    /// ```
    pub(super) fn crossing(
        &self,
        pushed: Vec3,
        normal: Vec3,
        height: f32,
        own: u32,
        counts: impl Fn(u32) -> bool,
    ) -> Option<JointId> {
        let joint = self.joint_of[own as usize];
        let is_other = |t: u32| self.joint_of[t as usize] != joint && counts(t);
        let (triangle, ..) = self.closest_facing(normal, pushed, ROOM * self.search_radius, is_other)?;
        let other = self.joint_of[triangle as usize];
        let found = self.closest_of_part(pushed, other)?;
        let is_behind = self.nearest_of(pushed, found).distance < -CROSSED * self.search_radius;
        let below = pushed - normal * height;
        let is_inside = || self.nearest_of_part(below, other).is_some_and(|other| other.distance < 0.0);
        (is_behind && is_inside() && !self.goes_over(&found, joint) && !self.hang_together(own, found.0))
            .then_some(other)
    }

    /// Whether what was found lies where another part goes over into the part `own`, a shin into a thigh: nothing crosses there.
    fn goes_over(&self, (triangle, closest, _): &(u32, ClosestPoint, f32), own: JointId) -> bool {
        self.mesh.around(*triangle, closest.feature).iter().any(|&around| self.joint_of[around as usize] == own)
    }

    /// How much a particle belongs to the part that a joint moves: most where the pins are, less where it was worn at the start.
    pub(super) fn claim(&self, particle: u32, joint: JointId) -> u8 {
        match self.home.binary_search(&joint) {
            Ok(_) => 2,
            Err(_) => u8::from(
                self.worn_on[particle as usize].is_some_and(|worn| self.joint_of[worn.triangle as usize] == joint),
            ),
        }
    }

    /// Says which joints, ascending, carry pins.
    pub(in crate::simulate) fn set_home(&mut self, joints: &[JointId]) {
        self.home = joints.to_vec();
    }

    /// Whether two parts of the body leave a particle no room to keep `thickness` from both, or it is inside one that it does not see.
    pub(in crate::simulate) fn is_squeezed(&self, particle: usize, thickness: f32) -> bool {
        let probe = &self.probes[particle];
        self.hidden[particle].is_some() || probe.triangle != NONE && probe.room <= SQUEEZED * thickness
    }

    /// The particles that two parts of the body squeeze, ascending: they touch, and have no room to keep `thickness`.
    pub(in crate::simulate) fn squeezed(&self, contacts: &Contacts, thickness: f32) -> Vec<usize> {
        let touches = contacts.touching(self.probes.len());
        let is_squeezed = |&particle: &usize| touches[particle] && self.is_squeezed(particle, thickness);
        (0..touches.len()).filter(is_squeezed).collect()
    }

    /// How far a particle that was pushed to `distance` along `normal` must go back to be midway where another part of the body
    /// is nearer than that: pushed out of one part into the other by turns it would shake. Where both parts overlap it stays on
    /// the surface of the first.
    ///
    /// ```text
    ///   ====== one part ======
    ///      |  distance
    ///      o  pushed         back by (distance - foreign) / 2, to (distance + foreign) / 2 from both
    ///      |  foreign
    ///   ===== other part =====
    /// ```
    pub(super) fn squeeze(&self, pushed: Vec3, normal: Vec3, distance: f32, counts: impl Fn(u32) -> bool) -> f32 {
        match self.nearest_within(SQUEEZING * distance, pushed, counts) {
            Some(foreign) if foreign.distance < distance && foreign.normal.dot(normal) < 0.0 => {
                (0.5 * (distance - foreign.distance)).min(distance.max(0.0))
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::hidden::Hidden;
    use super::*;
    use crate::body::{Body, Moment};
    use crate::simulate::collide::surface::{Look, fixtures::prisms, fixtures::slab};

    const HOUSE: JointId = JointId(0);
    const ROOF: JointId = JointId(1);
    const SLAB: JointId = JointId(2);

    fn house_and_slab() -> Body {
        let house = [[0.0, -0.1], [0.04, -0.1], [0.04, 0.0], [0.02, 0.01], [0.0, 0.0]];
        let slab = [[0.02, -0.095], [0.08, -0.095], [0.08, -0.065], [0.02, -0.065]];
        prisms(&[&house, &slab], 1.0)
    }

    fn in_parts(body: &Body) -> BodySurface<'_> {
        let mut surface = BodySurface::new(body, Moment::At(0.0), 1, 0.1);
        // The third and fourth side of the house are its roof; six triangles of front and back follow the ten of sides.
        let part = |triangle| match triangle {
            4..8 => ROOF,
            0..16 => HOUSE,
            _ => SLAB,
        };
        surface.joint_of = (0..surface.mesh.triangles.len()).map(part).collect();
        surface
    }

    #[test]
    fn a_part_that_goes_over_into_another_does_not_cross_it_but_one_that_stands_through_it_does() {
        let body = house_and_slab();
        let surface = in_parts(&body);
        // The second side, of two triangles from the third on, is the wall at x = 0.04.
        let crossing = |y: f32| surface.crossing(Vec3::new(0.041, y, 0.0), Vec3::X, 0.001, 2, |_| true);
        assert!(
            surface.nearest_of_part(Vec3::new(0.041, -0.02, 0.0), ROOF).is_some_and(|roof| roof.distance < -0.019),
            "it lies behind the roof's edge"
        );
        assert_eq!(crossing(-0.02), None);
        assert_eq!(crossing(-0.08), Some(SLAB));
    }

    #[test]
    fn parts_with_a_gap_between_them_do_not_cross_though_it_is_narrower_than_the_thickness() {
        for (gap, expected) in [(0.002, None), (-0.002, Some(ROOF))] {
            let body = prisms(&[&slab(-0.05, 0.0), &slab(gap, 0.05)], 0.4);
            let mut surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
            surface.joint_of = (0..24).map(|triangle| if triangle < 12 { HOUSE } else { ROOF }).collect();
            // The third side, of two triangles from the fifth on, is the top of the lower slab.
            let crossing = surface.crossing(Vec3::new(0.01, 0.015, 0.02), Vec3::Y, 0.015, 4, |_| true);
            assert_eq!(crossing, expected, "{gap}");
        }
    }

    /// What the particle still yields to at this place beside the wall.
    fn yielded_at(surface: &BodySurface<'_>, x: f32) -> Vec<JointId> {
        let parts = surface.still_yielded(0, Vec3::new(x, -0.08, 0.0), 0.004);
        parts.into_iter().map(|(joint, _)| joint).collect()
    }

    #[test]
    fn a_particle_yields_while_it_is_next_to_what_it_keeps_to() {
        let body = house_and_slab();
        let mut surface = in_parts(&body);
        surface.hidden[0] = Hidden { yielded: vec![SLAB], ..Hidden::default() }.boxed();
        let yielded = |x: f32| yielded_at(&surface, x);
        assert_eq!(yielded(0.05), [SLAB]);
        assert!(yielded(0.075).is_empty(), "inside the slab, far from the house");
        assert!(yielded(0.09).is_empty(), "outside of both");
    }

    #[test]
    fn what_a_particle_yields_to_presses_it_onto_what_it_keeps_to() {
        let body = house_and_slab();
        let mut surface = in_parts(&body);
        surface.hidden[0] = Hidden { yielded: vec![SLAB], ..Hidden::default() }.boxed();
        let touch = Touch { thickness: 0.004, friction: 0.3, rise: 0.003 };
        let at = |x: f32| {
            let place = Vec3::new(x, -0.08, 0.0);
            let answer = surface.ask(0, Look::Whole, place, place, touch);
            answer.pushed.map(|(pushed, contact)| {
                assert!(pushed.distance(Vec3::new(pushed.x, -0.08, 0.0)) < 1e-6 && contact.joint == Some(HOUSE));
                pushed.x
            })
        };
        assert!(at(0.05).is_some_and(|x| (x - 0.047).abs() < 1e-6), "gently");
        assert!(at(0.045).is_some_and(|x| (x - 0.044).abs() < 1e-6), "as far as the surface");
        assert!(at(0.042).is_some_and(|x| (x - 0.044).abs() < 1e-6), "not into it");
        assert_eq!(at(0.09), None, "it is outside of both");
    }

    #[test]
    fn a_particle_comes_out_of_what_does_not_cross_what_it_keeps_to_any_more() {
        let body = house_and_slab();
        let mut surface = in_parts(&body);
        surface.hidden[0] = Hidden { yielded: vec![SLAB], ..Hidden::default() }.boxed();
        let yielded = |surface: &BodySurface<'_>| yielded_at(surface, 0.048);
        assert_eq!(yielded(&surface), [SLAB], "its end is inside the house");
        // Its end is at x = 0.046 now, 6 mm from the wall.
        surface.positions.iter_mut().filter(|p| p.y < -0.06 && p.y > -0.099).for_each(|p| p.x += 0.026);
        surface.is_fitted = false;
        surface.fit();
        assert!(yielded(&surface).is_empty());
    }
}
