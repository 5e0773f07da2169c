//! Pins keep clear of the body's surface.

use rayon::prelude::*;

use super::look::free_way;
use super::{BodySurface, Nearest, Probe};
use crate::body::JointId;
use crate::geometry::Vec3;
use crate::simulate::collide::mesh::NONE;
use crate::topology::ParticleId;

/// Part of its clearance that a pin keeps from the surface that carries it when another part of the body presses on it.
const SQUEEZED: f32 = 0.25;

/// Pins one task takes at least.
const PINS_PER_TASK: usize = 32;

/// The plane that a pin keeps above: that of the surface below it, as far away as the pin keeps from it.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct Floor {
    /// Outward unit normal of the body.
    pub(in crate::simulate) normal: Vec3,
    /// Where the pin must be along the normal at least, metres.
    pub(in crate::simulate) level: f32,
}

impl BodySurface<'_> {
    /// Moves each of `pins`, which are these `particles`, to at least its clearance from the parts of the body that carry pins
    /// (`carries(joint)`) or hang together with what it was worn on, and tells its `floors`. Where another part comes nearer than
    /// that, an arm over a waistband, it gives way towards the carrying surface. A pin without clearance stays.
    pub(in crate::simulate) fn clear_pins(
        &mut self,
        particles: &[ParticleId],
        pins: &mut [Vec3],
        clearances: &[Option<f32>],
        carries: impl Fn(JointId) -> bool + Sync,
        floors: &mut Vec<Option<Floor>>,
    ) {
        floors.clear();
        floors.resize(pins.len(), None);
        let mut probes = std::mem::take(&mut self.pin_probes);
        probes.resize(pins.len(), Probe::BLANK);
        if probes.iter().zip(&*pins).zip(clearances).any(|((probe, pin), c)| c.is_some() && !self.is_far(probe, *pin)) {
            self.fit();
        }
        let known = particles.par_iter().zip(clearances).zip(&mut probes);
        let pins = pins.par_iter_mut().zip(floors).zip(known).with_min_len(PINS_PER_TASK);
        pins.for_each(|((pin, floor), ((particle, clearance), probe))| {
            if let Some(clearance) = *clearance {
                let carrier = |t: u32| carries(self.joint_of[t as usize]);
                let joined = |t: u32| self.was_worn_with(particle.0, t);
                (*pin, *floor) = self.clear_pin(*pin, clearance, [&carrier, &joined], probe);
            }
        });
        self.pin_probes = probes;
    }

    /// Whether a pin that knows no triangle is still too far from all of them to know one now.
    fn is_far(&self, probe: &Probe, pin: Vec3) -> bool {
        probe.triangle == NONE && self.is_free(probe, pin)
    }

    /// Where a pin is clear of the triangles that carry it and of those `joined` to them, and its floor. `probe` is what it knows of
    /// those that do not carry it, and which of those that do was nearest.
    fn clear_pin(
        &self,
        pin: Vec3,
        clearance: f32,
        [carrier, joined]: [&dyn Fn(u32) -> bool; 2],
        probe: &mut Probe,
    ) -> (Vec3, Option<Floor>) {
        if self.is_far(probe, pin) {
            return (pin, None);
        }
        let own = |t: u32| carrier(t) || joined(t);
        let nearest = self.nearest_knowing(probe.triangle, self.search_radius, pin, own);
        let Some(Nearest { triangle, distance, normal, .. }) = nearest else {
            *probe = self.far_probe(pin, self.search_radius, probe);
            return (pin, None);
        };
        probe.triangle = triangle;
        let pushed = pin + normal * (clearance - distance).max(0.0);
        let level = normal.dot(pin) + clearance - distance;
        if self.is_free(probe, pushed) {
            return (pushed, Some(Floor { normal, level }));
        }
        let foreign = self.nearest_where(pushed, |t| !carrier(t));
        let distance_to_foreign = foreign.as_ref().map_or(f32::INFINITY, |foreign| foreign.distance);
        *probe = match &foreign {
            Some(foreign) => self.blank_probe(pushed, foreign.triangle, free_way(foreign.distance, clearance)),
            None => self.far_probe(pushed, clearance, probe),
        };
        probe.triangle = triangle;
        // Of a part that is joined near the pin only, the rest would take the pin for far inside.
        if foreign.is_some_and(|foreign| joined(foreign.triangle)) {
            return (pushed, Some(Floor { normal, level }));
        }
        let most = distance.max(clearance) - SQUEEZED * clearance;
        let given = pushed - normal * (clearance - distance_to_foreign).clamp(0.0, most);
        (given, Some(Floor { normal, level: level.min(normal.dot(given)) }))
    }

    /// Distance that a pin at `pin` keeps from the parts that carry it, at most `thickness`; none for one that starts inside.
    pub(in crate::simulate) fn pin_clearance(
        &self,
        pin: Vec3,
        thickness: f32,
        carries: impl Fn(JointId) -> bool,
    ) -> Option<f32> {
        let nearest = self.nearest_where(pin, |t| carries(self.joint_of[t as usize]));
        let distance = nearest.map_or(self.search_radius, |nearest| nearest.distance).min(self.distance(pin));
        (distance > 0.0).then(|| distance.min(thickness))
    }
}
