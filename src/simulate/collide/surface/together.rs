//! What of the body belongs together: by the skeleton, where the body was bound, and by its skin.

use super::BodySurface;
use crate::body::JointId;

/// Distance, in the pose that a body was bound in, of what may bury each other, as a part of the search radius: 12 cm on a
/// grown-up.
const NEAR: f32 = 2.0;
/// The same of parts that only hang on the same joint: 4 cm on a grown-up. Thighs further down rub each other.
const BESIDE: f32 = 0.8;
/// The same of parts with a joint in common that is at most [`COUSINS`] above either, where one skin goes over both and faces one way:
/// 21 cm on a grown-up. A runner's thigh folds up against the belly around the hip.
const FOLDED: f32 = 3.5;
const COUSINS: usize = 2;
/// Cosine of the angle between the normals of such places in the pose they were bound in, at least.
const ONE_WAY: f32 = 0.5;

impl BodySurface<'_> {
    /// Whether two triangles are near each other in the bind pose and by the skeleton: one's joint is above the other's, or both hang
    /// on the same joint, as a neck and a shoulder do, or one skin leads from one to the other around a joint that folds. With one
    /// joint between them that skin may be long: a calf lies on all of its thigh.
    pub(super) fn hang_together(&self, a: u32, b: u32) -> bool {
        let [joint_a, joint_b] = [a, b].map(|t| self.joint_of[t as usize]);
        let is_in_line = |from: JointId, to: JointId| self.body.line_of(from).any(|joint| joint == to);
        let above = |joint: JointId| self.body.parent_joint(joint);
        let are_siblings = || above(joint_a).is_some() && above(joint_a) == above(joint_b);
        let apart = self.buried.bound_apart(a, b);
        apart < NEAR * self.search_radius && (is_in_line(joint_a, joint_b) || is_in_line(joint_b, joint_a))
            || apart < BESIDE * self.search_radius && are_siblings()
            || apart < FOLDED * self.search_radius && self.are_folded([a, b])
            || self.share_joint_and_skin(a, b)
    }

    /// Whether two triangles are on the two sides of a joint, and one skin goes over both.
    pub(super) fn share_joint_and_skin(&self, a: u32, b: u32) -> bool {
        let [joint_a, joint_b] = [a, b].map(|t| self.joint_of[t as usize]);
        self.are_next(joint_a, joint_b) && self.is_one_skin(a, b)
    }

    /// Whether one joint hangs on the other.
    pub(super) fn are_next(&self, a: JointId, b: JointId) -> bool {
        let hangs_on = |a: JointId, b: JointId| self.body.parent_joint(a) == Some(b);
        hangs_on(a, b) || hangs_on(b, a)
    }

    /// Whether a particle was worn on what a triangle hangs together with.
    pub(super) fn was_worn_with(&self, particle: u32, triangle: u32) -> bool {
        self.worn_on[particle as usize].is_some_and(|worn| self.hang_together(triangle, worn.triangle))
    }

    /// Whether one skin that faces one way in the bind pose goes over two triangles whose joints are cousins.
    fn are_folded(&self, [a, b]: [u32; 2]) -> bool {
        let [normal_a, normal_b] = [a, b].map(|t| self.buried.bound_normals[t as usize]);
        let near = |t: u32| self.body.line_of(self.joint_of[t as usize]).take(COUSINS + 1);
        normal_a.dot(normal_b) > ONE_WAY
            && self.is_one_skin(a, b)
            && near(a).any(|joint| near(b).any(|other| other == joint))
    }

    /// Whether one skin goes over both, as none does over the parts of a robot.
    pub(super) fn is_one_skin(&self, a: u32, b: u32) -> bool {
        self.mesh.shell_of[a as usize] == self.mesh.shell_of[b as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::limbs;
    use super::*;
    use crate::body::Moment;
    use crate::geometry::Vec3;

    #[test]
    fn what_one_skin_goes_over_hangs_together_further_around_a_joint_on_the_side_that_folds() {
        let [pelvis, belly, thigh] =
            [0.3, 0.0, -0.3].map(|y| [Vec3::new(-0.1, y, -0.02), Vec3::new(0.1, y + 0.3, 0.02)]);
        // Triangles of the front from its middle line up and down, 0.3 m apart, and one of the thigh's back.
        let (front, front_below, back_below) = (14, 26, 25);
        let body = limbs(&[pelvis, belly, thigh]);
        let mut surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        assert!(!surface.hang_together(front, front_below), "two shells");
        surface.mesh.shell_of.fill(0);
        assert!(surface.hang_together(front, front_below));
        assert!(!surface.hang_together(front, back_below), "they face away from each other");
        assert!(!surface.hang_together(front + 1, front_below), "further than a thigh folds");
    }

    #[test]
    fn what_one_skin_goes_over_hangs_together_with_all_of_the_next_part() {
        let [thigh, calf] = [0.0, -0.5].map(|y| [Vec3::new(-0.1, y, -0.02), Vec3::new(0.1, y + 0.5, 0.02)]);
        // A triangle of the thigh's back from its top down, and one of the shin's.
        let (back, shin) = (0, 14);
        let body = limbs(&[thigh, calf]);
        let mut surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.1);
        assert!(!surface.hang_together(back, shin), "two shells, far from each other");
        surface.mesh.shell_of.fill(0);
        assert!(surface.hang_together(back, shin));
    }
}
