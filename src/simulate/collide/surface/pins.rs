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

/// Sine of the angle between the normals of the surface that carries a pin and of another part, from which on that presses it aside: less
/// and it presses it onto its own.
const BESIDE: f32 = 0.6;
/// How far it is pressed aside at most, in clearances. What is deeper in the other part goes aside less, and not at all from twice that:
/// there both cross.
const ASIDE: f32 = 3.0;

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
        let above = Some(Floor { normal, level });
        let at = |given: Vec3| (given, Some(Floor { normal, level: level.min(normal.dot(given)) }));
        if self.is_free(probe, pushed) {
            return (pushed, above);
        }
        let Some(foreign) = self.nearest_where(pushed, |t| !carrier(t)) else {
            *probe = self.far_probe(pushed, clearance, probe);
            probe.triangle = triangle;
            return at(pushed);
        };
        let free = free_way(foreign.distance, clearance);
        *probe = self.blank_probe(pushed, foreign.triangle, free);
        probe.triangle = triangle;
        // Of a part that is joined near the pin only, the rest would take the pin for far inside.
        if joined(foreign.triangle) {
            return (pushed, above);
        }
        let most = distance.max(clearance) - SQUEEZED * clearance;
        let given = pushed - normal * (clearance - foreign.distance).clamp(0.0, most);
        match self.hang_together(triangle, foreign.triangle) {
            true => at(given),
            false => at(given + pressed_aside(given, pushed, normal, &foreign, clearance)),
        }
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

/// How a pin goes aside, along the surface that carries it, whose normal is `carrying`, out of another part that it is inside of where it
/// is `given` to: the nearest surface of that was found from `found_at`.
fn pressed_aside(given: Vec3, found_at: Vec3, carrying: Vec3, foreign: &Nearest, clearance: f32) -> Vec3 {
    let along = foreign.normal - carrying * foreign.normal.dot(carrying);
    let sine = along.length();
    let missing = SQUEEZED * clearance - foreign.distance - foreign.normal.dot(given - found_at);
    if sine <= BESIDE || missing <= 0.0 {
        return Vec3::ZERO;
    }
    let part = (sine - BESIDE) / (1.0 - BESIDE);
    let most = ASIDE * clearance;
    along * (part * missing.min(2.0 * most - missing).max(0.0) / (sine * sine))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{prisms, slab};
    use super::*;
    use crate::body::Moment;

    #[test]
    fn a_pin_gives_way_to_what_comes_from_above_and_goes_aside_from_what_comes_from_the_side() {
        const CLEARANCE: f32 = 0.002;
        let torso = slab(-0.1, 0.0);
        // Where the corner of an arm is at the pin, 4 mm over it or beside it, and how the pin goes.
        let goes = |arm: [[f32; 2]; 4]| {
            let body = prisms(&[&torso, &arm], 0.4);
            let surface = BodySurface::new(&body, Moment::At(0.0), 1, 0.06);
            let carrier = |t: u32| surface.mesh.shell_of[t as usize] == 0;
            let at = Vec3::new(0.0, CLEARANCE, 0.02);
            let (given, _) = surface.clear_pin(at, CLEARANCE, [&carrier, &|_| false], &mut Probe::BLANK.clone());
            given - at
        };
        let over = goes([[-0.1, -0.002], [0.1, -0.002], [0.1, 0.2], [-0.1, 0.2]]);
        assert!((over + Vec3::Y * (1.0 - SQUEEZED) * CLEARANCE).length() < 1e-6, "{over:?}");
        let beside = goes([[-0.004, -0.05], [0.2, -0.05], [0.2, 0.2], [-0.004, 0.2]]);
        let aside = Vec3::new(-0.004 - SQUEEZED * CLEARANCE, beside.y, 0.0);
        assert!((beside - aside).length() < 1e-6 && beside.y < 0.0, "{beside:?}");
        let across = goes([[-0.02, -0.05], [0.2, -0.05], [0.2, 0.2], [-0.02, 0.2]]);
        assert!(across.x.abs() < 1e-6, "both cross there: {across:?}");
    }
}
