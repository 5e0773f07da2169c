//! Where two parts of the body cross or squeeze: which of them a particle keeps to.

use super::{BodySurface, ROOM};
use crate::body::JointId;
use crate::geometry::Vec3;

/// Part of a pushed particle's distance from one part of the body within which another part squeezes it.
const SQUEEZING: f32 = 0.99;
/// Depth in another part of the body from which a particle counts as where both cross, as a part of the search radius: 6 mm on a
/// grown-up. In less it lies pressed between them.
const CROSSED: f32 = 0.1;

impl BodySurface<'_> {
    /// The parts that a particle at `point` has yielded to and not left yet.
    pub(super) fn still_yielded(&self, particle: u32, point: Vec3, thickness: f32) -> Vec<JointId> {
        let mut yielded = self.yielded[particle as usize].clone();
        yielded.retain(|&joint| self.distance_to_part(point, joint) <= thickness);
        yielded
    }

    /// Signed distance from the part that a joint moves, metres; the search radius when there is nothing of it within that.
    fn distance_to_part(&self, point: Vec3, joint: JointId) -> f32 {
        let of_joint = |t: u32| self.joint_of[t as usize] == joint;
        self.nearest_where(point, of_joint).map_or(self.search_radius, |(distance, _)| distance)
    }

    /// The part of the body that crosses the part `own` at a particle that was pushed out of that along `normal`: the particle
    /// lies well behind a surface that faces it. There is no place outside of both.
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
        own: JointId,
        counts: impl Fn(u32) -> bool,
    ) -> Option<JointId> {
        let is_other = |t: u32| self.joint_of[t as usize] != own && counts(t);
        let (triangle, ..) = self.closest_facing(normal, pushed, ROOM * self.search_radius, is_other)?;
        let other = self.joint_of[triangle as usize];
        (self.distance_to_part(pushed, other) < -CROSSED * self.search_radius).then_some(other)
    }

    /// How much a particle belongs to the part that a joint moves: most where the pins are, less where it was worn at the start.
    pub(super) fn claim(&self, particle: u32, joint: JointId) -> u8 {
        match self.home.binary_search(&joint) {
            Ok(_) => 2,
            Err(_) => u8::from(self.worn_on[particle as usize] == Some(joint)),
        }
    }

    /// Says which joints, ascending, carry pins.
    pub(in crate::simulate) fn set_home(&mut self, joints: &[JointId]) {
        self.home = joints.to_vec();
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
            Some((foreign, away)) if foreign < distance && away.dot(normal) < 0.0 => {
                (0.5 * (distance - foreign)).min(distance.max(0.0))
            }
            _ => 0.0,
        }
    }
}
