//! Pins keep clear of the body's surface.

use super::look::free_way;
use super::{BodySurface, Probe};
use crate::body::JointId;
use crate::geometry::Vec3;

/// Part of its clearance that a pin keeps from the surface that carries it when another part of the body presses on it.
const SQUEEZED: f32 = 0.25;

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
        let mut probes = std::mem::take(&mut self.pin_probes);
        probes.resize(pins.len(), Probe::BLANK);
        for ((pin, clearance), probe) in pins.iter_mut().zip(clearances).zip(&mut probes) {
            if let Some(clearance) = *clearance {
                *pin = self.clear_pin(*pin, clearance, &carries, probe);
            }
        }
        self.pin_probes = probes;
    }

    /// `probe` is what the pin knows of the parts that do not carry it.
    fn clear_pin(&self, pin: Vec3, clearance: f32, carries: impl Fn(JointId) -> bool, probe: &mut Probe) -> Vec3 {
        let own = |t: u32| carries(self.joint_of[t as usize]);
        let Some((distance, normal)) = self.nearest_where(pin, own) else { return pin };
        let pushed = pin + normal * (clearance - distance).max(0.0);
        if self.is_free(probe, pushed) {
            return pushed;
        }
        let foreign = self.nearest_where(pushed, |t| !own(t)).map_or(f32::INFINITY, |(distance, _)| distance);
        *probe = self.blank_probe(pushed, free_way(foreign.min(self.search_radius), clearance));
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
