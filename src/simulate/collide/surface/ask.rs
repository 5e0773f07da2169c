//! What one particle finds of the body, and where that pushes it.

use super::look::{Look, Probe, free_way};
use super::pinch::Pinch;
use super::tucked::Tucked;
use super::{BodySurface, Nearest};
use crate::body::JointId;
use crate::geometry::Vec3;
use crate::simulate::collide::{Contact, Touch, push_out};

/// What a query of one particle found.
pub(super) struct Answer {
    pub(super) pushed: Option<(Vec3, Contact)>,
    pub(super) probe: Probe,
    /// Shells it has left.
    pub(super) left: Vec<u32>,
    /// Parts it yields to from now on.
    pub(super) yields: Vec<JointId>,
    /// Where a joint pinches it from now on.
    pub(super) pinch: Option<Pinch>,
}

impl BodySurface<'_> {
    /// What a particle that went from `previous` to `position` in this substep finds, and where it is pushed to.
    pub(super) fn ask(&self, particle: u32, look: Look, position: Vec3, previous: Vec3, touch: Touch) -> Answer {
        if let Some(held) =
            self.pinched[particle as usize].and_then(|pinch| self.hold(particle, position, pinch, touch))
        {
            return held;
        }
        let Tucked { left, raised } = self.look_out(particle, position, previous, touch);
        let at = raised.as_ref().map_or(position, |(raised, _)| *raised);
        let answer = self.ask_of_seen(particle, look, at, previous, touch);
        Answer { left, pushed: answer.pushed.or(raised), ..answer }
    }

    /// The same of what it sees.
    fn ask_of_seen(&self, particle: u32, look: Look, position: Vec3, previous: Vec3, touch: Touch) -> Answer {
        let thickness = touch.thickness;
        let before = &self.probes[particle as usize];
        let unseen = &self.unseen[particle as usize];
        let mut yields = self.still_yielded(particle, position, thickness);
        let sees_all = unseen.is_empty() && yields.is_empty();
        let clear = |distance: f32| if sees_all { free_way(distance, thickness) } else { 0.0 };
        let yielded = yields.clone();
        let seen = |t: u32| {
            sees_all
                || !unseen.iter().any(|unseen| unseen.shell == self.mesh.shell_of[t as usize])
                    && !yielded.contains(&self.joint_of[t as usize])
        };
        let way = position.distance(previous);
        // A particle that was outside is at most as deep inside as it and the body have moved.
        let radius = self.search_radius.max(way + self.furthest_way);
        let Some(nearest) = self.nearest(position, before, look, radius, seen) else {
            let probe = self.probe_of(position, None, clear(self.search_radius), before, seen);
            return Answer { pushed: None, probe, left: Vec::new(), yields, pinch: None };
        };
        let free_way = if nearest.distance >= thickness { clear(nearest.distance) } else { 0.0 };
        let mut probe = self.probe_of(position, Some(&nearest), free_way, before, seen);
        let is_alone = probe.room > 2.0 * thickness;
        let may_be_pinched = sees_all && !is_alone && nearest.distance < thickness;
        let pinch = if may_be_pinched { self.pinch(particle, position, &nearest, touch) } else { None };
        let touched = if sees_all && self.is_buried_at(&nearest, position) {
            let other = self.nearest_unburied(position, radius);
            probe = probe.next_to(other.as_ref().map_or(nearest.triangle, |other| other.triangle));
            other
        } else {
            Some(nearest)
        };
        let Some(nearest) = touched.filter(|nearest| nearest.distance < thickness) else {
            return Answer { pushed: None, probe, left: Vec::new(), yields, pinch };
        };
        let Nearest { triangle, distance, normal, surface_motion, .. } = nearest;
        let seen = |t: u32| seen(t) && !(sees_all && self.is_buried(t));
        // Cloth that is deep inside comes out at a gentle speed, but never slower than body and particle move.
        let way = surface_motion.length() + way + touch.rise;
        let depth = (thickness - distance).min(way);
        let pushed = push_out(position, previous, normal, depth, surface_motion, touch.friction);
        let own = self.joint_of[triangle as usize];
        let crossing = if is_alone { None } else { self.crossing(pushed, normal, triangle, seen) };
        if let Some(other) = crossing {
            let keeps_to_own = self.claim(particle, own) >= self.claim(particle, other);
            yields.push(if keeps_to_own { other } else { own });
            if !keeps_to_own {
                return Answer { pushed: None, probe: Probe::BLANK, left: Vec::new(), yields, pinch: None };
            }
        }
        let is_free = is_alone || crossing.is_some();
        let back = if is_free { 0.0 } else { self.squeeze(pushed, normal, distance + depth, seen) };
        let pushed = pushed - normal * back;
        let joint = Some(own);
        let level = normal.dot(pushed);
        let margin = (distance + depth - back).max(0.0);
        let contact = Contact { particle, normal, level, margin, surface_motion, joint, collider: None };
        Answer { pushed: Some((pushed, contact)), probe, left: Vec::new(), yields, pinch }
    }
}
