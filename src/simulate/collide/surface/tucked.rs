//! Cloth that was tucked into a part of the body, and does not see that until it has left it.
//!
//! ```text
//!    pin o                  how its maker tucked it in is how deep it may lie: what hangs from the pins would else sink further and
//!  --|---|------- coat      further into the coat, and draw what is outside after it
//!    |   o  began here
//!    |...........  goes no deeper
//! ```

use super::{BodySurface, Nearest};
use crate::geometry::Vec3;
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::collide::{Contact, Touch, push_out};

/// A shell of the body that a particle started inside of and has not left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unseen {
    pub(super) shell: u32,
    /// How deep in it the particle was tucked, metres; infinite if it was not.
    pub(super) deepest: f32,
}

/// What a particle finds of the shells it does not see.
#[derive(Default)]
pub(super) struct Tucked {
    /// Those it has left.
    pub(super) left: Vec<u32>,
    /// Where it is put that was deeper than it began.
    pub(super) raised: Option<(Vec3, Contact)>,
}

impl BodySurface<'_> {
    /// What a particle that went from `previous` to `position` in this substep finds of the shells it does not see.
    pub(super) fn look_out(&self, particle: u32, position: Vec3, previous: Vec3, touch: Touch) -> Tucked {
        let mut tucked = Tucked::default();
        for &Unseen { shell, deepest } in &self.hidden_from(particle).unseen {
            let at = tucked.raised.as_ref().map_or(position, |(raised, _)| *raised);
            let Some(nearest) = self.nearest_of_shell(at, shell) else {
                tucked.left.push(shell);
                continue;
            };
            let Nearest { triangle, distance, normal, surface_motion, .. } = nearest;
            if distance > touch.thickness {
                tucked.left.push(shell);
            } else if distance < -deepest {
                let most = surface_motion.length() + at.distance(previous) + touch.rise;
                let depth = (-deepest - distance).min(most);
                let raised = push_out(at, previous, normal, depth, surface_motion, touch.friction);
                let joint = Some(self.joint_of[triangle as usize]);
                let (level, margin) = (normal.dot(raised), 0.0);
                let contact = Contact { particle, normal, level, margin, surface_motion, joint, collider: None };
                tucked.raised = Some((raised, contact));
            }
        }
        tucked
    }
}

impl Unseen {
    /// A blank one to be read into.
    pub(super) const BLANK: Unseen = Unseen { shell: 0, deepest: f32::INFINITY };

    /// All of it, on a body of so many shells.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>, shells: usize) -> Archived {
        archive.index(&mut self.shell, shells, "parts of the body")?;
        archive.f32(&mut self.deepest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Moment;
    use crate::simulate::collide::surface::Look;
    use crate::simulate::collide::surface::fixtures::prisms;
    use crate::simulate::collide::surface::hidden::Hidden;

    const TOUCH: Touch = Touch { thickness: 0.002, friction: 0.0, rise: 1.0 };

    #[test]
    fn what_was_tucked_in_goes_no_deeper_than_it_began_until_it_has_left() {
        let body = prisms(&[&[[0.0, -0.2], [0.2, -0.2], [0.2, 0.0], [0.0, 0.0]]], 0.2);
        let mut surface = BodySurface::new(&body, Moment::At(0.0), 2, 0.1);
        let inside = |deepest| Hidden { unseen: vec![Unseen { shell: 0, deepest }], ..Hidden::default() }.boxed();
        surface.hidden = vec![inside(0.03), inside(f32::INFINITY)];
        let height = |surface: &BodySurface<'_>, particle: u32, y: f32| {
            let at = Vec3::new(0.1, y, 0.01);
            let answer = surface.ask(particle, Look::Whole, at, at, TOUCH);
            (answer.pushed.map_or(y, |(pushed, _)| pushed.y), answer.hidden.is_none())
        };
        assert_eq!(height(&surface, 0, -0.02), (-0.02, false), "it may lie there");
        let (raised, sees_all) = height(&surface, 0, -0.05);
        assert!((raised + 0.03).abs() < 1e-6 && !sees_all, "{raised}");
        assert_eq!(height(&surface, 1, -0.05), (-0.05, false), "it was not tucked in, but is deep inside");
        assert_eq!(height(&surface, 0, 0.003), (0.003, true));
        surface.hidden[0] = None;
        let (out, _) = height(&surface, 0, -0.02);
        assert!((out - 0.002).abs() < 1e-6, "{out}");
    }
}
