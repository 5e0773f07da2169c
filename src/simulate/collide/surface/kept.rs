//! What cloth keeps of its thickness: less where it is tight.
//!
//! ```text
//!   loose   o---o---o    thickness             tight   o--o--o    half of it at least
//!          ===========  body                          =========
//! ```
//!
//! Trousers of a fitted pattern have no cloth to spare. Two millimetres off a thigh they are 4 % too long around it, and a thigh that
//! swells in a step takes more; on the skin they are 2 % too long. Skin and cloth give way to each other there, and what stands out
//! between particles has its own care: corners and ridges of the body under faces and edges of the cloth.

use super::BodySurface;
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::cloth::Cloth;
use crate::simulate::tight::Tightness;

/// Stretch beyond that of the fabric, around a particle, from which it gives way, and by which more it gives way wholly: below, the
/// cloth of walks hangs and lies.
const TIGHT: f32 = 0.005;
const TIGHTER: f32 = 0.012;
/// Part of the thickness that is always kept.
const LEAST: f32 = 0.5;
/// Parts of the way to what it should keep that a particle goes in a frame: soon nearer, gently further.
const NEARER: f32 = 0.5;
const FURTHER: f32 = 0.1;

/// The parts of the thickness that particles keep, 0 to 1.
#[derive(Clone, Debug)]
pub(in crate::simulate::collide) struct Kept(Vec<f32>);

impl Kept {
    /// All of it, for so many particles.
    pub(in crate::simulate::collide) fn all(particles: usize) -> Kept {
        Kept(vec![1.0; particles])
    }

    /// That of one particle.
    pub(in crate::simulate::collide) fn of(&self, particle: usize) -> f32 {
        self.0[particle]
    }

    /// Notes that of a pin, which gives way to nothing.
    pub(in crate::simulate::collide) fn note(&mut self, pin: usize, part: f32) {
        self.0[pin] = part;
    }

    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.each(&mut self.0, Archive::f32)
    }

    /// Brings the `free` ones a frame nearer to what goes with their tightness beyond `slack`.
    fn give_way(&mut self, tightness: &[f32], slack: f32, free: impl Fn(usize) -> bool) {
        for (particle, (kept, tight)) in self.0.iter_mut().zip(tightness).enumerate() {
            let wanted = (1.0 - (tight - slack - TIGHT) / TIGHTER).clamp(LEAST, 1.0);
            if free(particle) && *kept != wanted {
                *kept += (wanted - *kept) * if wanted < *kept { NEARER } else { FURTHER };
            }
        }
    }
}

impl BodySurface<'_> {
    /// Notes which part of the thickness a pin keeps.
    pub(in crate::simulate) fn note_pin(&mut self, pin: usize, part: f32) {
        self.kept.note(pin, part);
    }

    /// Lets `cloth` nearer to the body where it stretches more than a fabric which gives by `slack` does. To be called once a frame.
    pub(in crate::simulate) fn give_way(&mut self, cloth: &Cloth, tightness: &Tightness, slack: f32) {
        self.kept.give_way(tightness.around(), slack, |particle| cloth.is_free(particle));
    }

    /// What particles keep of the thickness.
    pub(in crate::simulate::collide) fn kept(&self) -> &Kept {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::pins::Pins;
    use crate::simulate::collide::{Contact, Contacts};
    use crate::springs::SpringNetwork;
    use crate::topology::{ParticleId, build, grids::grid};

    /// What the particles of a sheet that is stretched along x by so much keep after some frames; those up to `lying` lie on a body.
    fn kept(by: f32, lying: u32, frames: u32, mut kept: Kept) -> Kept {
        let topology = build(&grid(6, 6)).expect("a sheet");
        let springs = SpringNetwork::build(&topology);
        let mut cloth = Cloth::at_rest(&topology, &Pins { particles: vec![ParticleId(0)], ..Pins::default() }, 0.2);
        cloth.points.iter_mut().for_each(|point| point.at.x *= 1.0 + by);
        let contacts = (0..lying).map(|particle| Contact::with_plane(particle, Vec3::Z, 0.0));
        let contacts = Contacts::of(contacts, cloth.len());
        let mut tightness = Tightness::none(cloth.len());
        (0..60).for_each(|_| tightness.measure(&cloth, &springs.stretch, &contacts, |_| false));
        for _ in 0..frames {
            kept.give_way(tightness.around(), 0.0, |particle| cloth.is_free(particle));
        }
        kept
    }

    #[test]
    fn tight_cloth_comes_nearer_and_goes_back_and_pins_stay() {
        let all = || Kept::all(36);
        assert_eq!(kept(0.005, 36, 9, all()).0, all().0, "a walk's stretch");
        assert_eq!(kept(0.08, 0, 9, all()).0, all().0, "it hangs");
        let tight = kept(0.08, 36, 9, all());
        assert_eq!(tight.of(0), 1.0, "a pin");
        assert!(tight.0[1..].iter().all(|part| (LEAST..LEAST + 0.01).contains(part)), "{tight:?}");
        let half = kept(0.08, 18, 9, all());
        assert!(half.of(8) < LEAST + 0.05 && half.of(30) == 1.0, "{half:?}");
        let later = kept(0.0, 36, 1, tight.clone());
        assert!(later.of(8) > tight.of(8) && later.of(8) < LEAST + 0.1, "at once: {later:?}");
        assert!(kept(0.0, 36, 60, tight).0.iter().all(|part| *part > 0.99), "it stays near");
    }
}
