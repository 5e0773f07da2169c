//! Pins keep clear of the body's surface.

use super::BodySurface;
use super::look::SKIP_SAFETY;
use crate::body::JointId;
use crate::geometry::Vec3;

/// Part of its clearance that a pin keeps from the surface that carries it when another part of the body presses on it.
const SQUEEZED: f32 = 0.25;

/// How far it is from a pin to parts of the body that do not carry it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PinRoom {
    /// Where the pin was when it was looked for.
    place: Vec3,
    /// [`BodySurface::way_so_far`] at that time.
    body_way: f64,
    /// How far pin and body may move before one of them can be nearer than the pin's clearance, metres.
    room: f32,
}

impl PinRoom {
    const UNKNOWN: PinRoom = PinRoom { place: Vec3::ZERO, body_way: 0.0, room: f32::NEG_INFINITY };
}

impl BodySurface<'_> {
    /// Moves each of `pins` to at least its clearance from the parts of the body that carry pins (`carries(joint)`). Where another
    /// part comes nearer than that, an arm over a waistband, it gives way towards the carrying surface. A pin without clearance
    /// stays.
    pub(in crate::simulate) fn clear_pins(
        &mut self,
        pins: &mut [Vec3],
        clearances: &[Option<f32>],
        carries: impl Fn(JointId) -> bool,
    ) {
        self.fit();
        let mut rooms = std::mem::take(&mut self.pin_rooms);
        rooms.resize(pins.len(), PinRoom::UNKNOWN);
        for ((pin, clearance), room) in pins.iter_mut().zip(clearances).zip(&mut rooms) {
            if let Some(clearance) = *clearance {
                *pin = self.clear_pin(*pin, clearance, &carries, room);
            }
        }
        self.pin_rooms = rooms;
    }

    fn clear_pin(&self, pin: Vec3, clearance: f32, carries: impl Fn(JointId) -> bool, room: &mut PinRoom) -> Vec3 {
        let own = |t: u32| carries(self.joint_of[t as usize]);
        let Some((distance, normal)) = self.nearest_where(pin, own) else { return pin };
        let pushed = pin + normal * (clearance - distance).max(0.0);
        if pushed.distance(room.place) + self.way_since(room.body_way) < room.room {
            return pushed;
        }
        let foreign = self.nearest_where(pushed, |t| !own(t)).map_or(f32::INFINITY, |(distance, _)| distance);
        let free = foreign.min(self.search_radius) * (1.0 - SKIP_SAFETY);
        *room = PinRoom { place: pushed, body_way: self.way_so_far, room: free - clearance };
        let most = distance.max(clearance) - SQUEEZED * clearance;
        pushed - normal * (clearance - foreign).clamp(0.0, most)
    }

    /// Distance that a pin at `pin` keeps from the parts that carry it, at most `thickness`; none for one that starts inside.
    pub(in crate::simulate) fn pin_clearance(
        &self,
        pin: Vec3,
        thickness: f32,
        carries: impl Fn(JointId) -> bool,
    ) -> Option<f32> {
        let nearest = self.nearest_where(pin, |t| carries(self.joint_of[t as usize]));
        let distance = nearest.map_or(self.search_radius, |(distance, _)| distance).min(self.distance(pin));
        (distance > 0.0).then(|| distance.min(thickness))
    }
}
