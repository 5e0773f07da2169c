//! What one particle finds of the body, and where that pushes it.

use super::hidden::Hidden;
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
    /// What it does not see from now on.
    pub(super) hidden: Option<Box<Hidden>>,
}

/// The same of what a particle sees.
pub(super) struct Found {
    pub(super) pushed: Option<(Vec3, Contact)>,
    pub(super) probe: Probe,
    /// Parts it yields to from now on.
    pub(super) yielded: Vec<JointId>,
    /// Where a joint pinches it from now on.
    pub(super) pinch: Option<Pinch>,
}

impl BodySurface<'_> {
    /// What a particle that went from `previous` to `position` in this substep finds, and where it is pushed to.
    pub(super) fn ask(&self, particle: u32, look: Look, position: Vec3, previous: Vec3, touch: Touch) -> Answer {
        let touch = touch.keeping(self.kept.of(particle as usize));
        let hidden = self.hidden_from(particle);
        let held = hidden.pinch.and_then(|pinch| self.hold(particle, position, pinch, touch));
        let Tucked { left, raised } = match held {
            Some(_) => Tucked::default(),
            None => self.look_out(particle, position, previous, touch),
        };
        let at = raised.as_ref().map_or(position, |(raised, _)| *raised);
        let found = held.unwrap_or_else(|| self.ask_of_seen(particle, look, at, previous, touch));
        let Found { pushed, probe, yielded, pinch } = found;
        let unseen = hidden.unseen.iter().filter(|unseen| !left.contains(&unseen.shell)).copied().collect();
        Answer { pushed: pushed.or(raised), probe, hidden: Hidden { unseen, yielded, pinch }.boxed() }
    }

    /// The same of what it sees.
    fn ask_of_seen(&self, particle: u32, look: Look, position: Vec3, previous: Vec3, touch: Touch) -> Found {
        let lifted = touch.thickness + self.over.lift(particle);
        let before = &self.probes[particle as usize];
        let unseen = &self.hidden_from(particle).unseen;
        let yields_to = self.still_yielded(particle, position, touch.thickness);
        let mut yielded: Vec<JointId> = yields_to.iter().map(|&(joint, _)| joint).collect();
        let sees_all = unseen.is_empty() && yielded.is_empty();
        let clear = |distance: f32| if sees_all { free_way(distance, lifted) } else { 0.0 };
        let seen = |t: u32| {
            sees_all
                || !unseen.iter().any(|unseen| unseen.shell == self.mesh.shell_of[t as usize])
                    && !yields_to.iter().any(|&(joint, _)| joint == self.joint_of[t as usize])
        };
        let way = position.distance(previous);
        // A particle that was outside is at most as deep inside as it and the body have moved.
        let radius = self.search_radius.max(way + self.furthest_way);
        let Some(nearest) = self.nearest(position, before, look, radius, seen) else {
            let far = self.far_probe(position, lifted, before);
            let probe = if sees_all { far } else { far.at_once() };
            return Found { pushed: None, probe, yielded, pinch: None };
        };
        let nearest = self.enclosing_shell(particle, position, &nearest, seen).unwrap_or(nearest);
        let free_way = if nearest.distance >= lifted { clear(nearest.distance) } else { 0.0 };
        let mut probe = self.probe_of(position, &nearest, free_way, before, seen);
        let is_lifted = probe.room > 2.0 * lifted && self.over.faces(particle, nearest.normal);
        let thickness = if is_lifted { lifted } else { touch.thickness };
        let is_alone = probe.room > 2.0 * thickness;
        let may_be_pinched = sees_all && !is_alone;
        let pinch = if may_be_pinched { self.pinch(particle, position, &nearest, thickness, touch) } else { None };
        let touched = if sees_all && self.is_buried_at(&nearest, position) {
            let other = self.nearest_unburied(position, radius);
            let other = match other {
                Some(other) if other.distance < 0.0 => Some(other),
                in_front => self.way_out_of_overlap(position, &nearest, radius).or(in_front),
            };
            probe = probe.next_to(other.as_ref().map_or(nearest.triangle, |other| other.triangle));
            other
        } else {
            Some(nearest)
        };
        if let Some((at, contact)) =
            self.pressed(particle, position, &nearest, &yields_to, Touch { thickness, ..touch })
        {
            return Found { pushed: Some((at, contact)), probe, yielded, pinch };
        }
        let may_be_enclosed = may_be_pinched && probe.room <= 0.0 && pinch.is_none();
        let enclosing = || may_be_enclosed.then(|| self.enclosing(particle, position, &nearest, radius)).flatten();
        let Some(nearest) = touched.filter(|nearest| nearest.distance < thickness).or_else(enclosing) else {
            return Found { pushed: None, probe, yielded, pinch };
        };
        let Nearest { triangle, distance, normal, surface_motion, .. } = nearest;
        let seen = |t: u32| seen(t) && !(sees_all && self.is_buried(t));
        // Cloth that is deep inside comes out at a gentle speed, but never slower than body and particle move.
        let way = surface_motion.length() + way + touch.rise;
        let depth = (thickness - distance).min(way);
        let pushed = push_out(position, previous, normal, depth, surface_motion, touch.friction);
        let own = self.joint_of[triangle as usize];
        let height = (distance + depth).max(0.0);
        let crossing = if is_alone { None } else { self.crossing(pushed, normal, height, triangle, seen) };
        if let Some(other) = crossing {
            let keeps_to_own = self.claim(particle, own) >= self.claim(particle, other);
            yielded.push(if keeps_to_own { other } else { own });
            if !keeps_to_own {
                return Found { pushed: None, probe: Probe::BLANK, yielded, pinch: None };
            }
        }
        let is_free = is_alone || crossing.is_some();
        let back = if is_free { 0.0 } else { self.squeeze(pushed, normal, distance + depth, seen) };
        let pushed = pushed - normal * back;
        let joint = Some(own);
        let level = normal.dot(pushed);
        let margin = (distance + depth - back).max(0.0);
        let contact = Contact { particle, normal, level, margin, surface_motion, joint, collider: None };
        Found { pushed: Some((pushed, contact)), probe, yielded, pinch }
    }
}
