//! What particles touch in a substep.

use rayon::prelude::*;

use crate::body::JointId;
use crate::geometry::Vec3;
use crate::simulate::cloth::{CHUNK, Cloth};

/// A particle pushed out of a body in this substep.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct Contact {
    pub(in crate::simulate) particle: u32,
    /// Outward unit normal of the surface.
    pub(in crate::simulate) normal: Vec3,
    /// Where the particle was pushed to, along the normal: its plane, metres.
    pub(in crate::simulate) level: f32,
    /// Distance of that plane from where the particle must not be, metres.
    pub(in crate::simulate) margin: f32,
    /// Way of the surface point in this substep, metres.
    pub(in crate::simulate) surface_motion: Vec3,
    /// Joint of the body that is touched, if it is the body.
    pub(in crate::simulate) joint: Option<JointId>,
    /// Index of the collider that is touched, if it is one.
    pub(in crate::simulate) collider: Option<u32>,
}

impl Contact {
    /// Of a particle with something that stands still.
    #[cfg(test)]
    pub(in crate::simulate) fn with_plane(particle: u32, normal: Vec3, level: f32) -> Contact {
        let surface_motion = Vec3::ZERO;
        Contact { particle, normal, level, margin: 0.0, surface_motion, joint: None, collider: None }
    }

    /// Whether the particle is where it must not be.
    pub(in crate::simulate) fn is_violated(&self, cloth: &Cloth) -> bool {
        self.level - self.normal.dot(cloth.points[self.particle as usize].at) > self.margin
    }
}

/// The contacts of a substep: for each chunk of particles, in the order in which they were found.
#[derive(Debug)]
pub(in crate::simulate) struct Contacts {
    of_chunks: Vec<Vec<Contact>>,
}

impl Contacts {
    /// None yet, of a cloth of so many particles.
    pub(in crate::simulate) fn new(particles: usize) -> Contacts {
        Contacts { of_chunks: vec![Vec::new(); particles.div_ceil(CHUNK)] }
    }

    /// These, of a cloth of so many particles.
    #[cfg(test)]
    pub(in crate::simulate) fn of(contacts: impl IntoIterator<Item = Contact>, particles: usize) -> Contacts {
        let mut all = Contacts::new(particles);
        contacts.into_iter().for_each(|contact| all.push(contact));
        all
    }

    /// Forgets all.
    pub(in crate::simulate) fn clear(&mut self) {
        self.of_chunks.iter_mut().for_each(Vec::clear);
    }

    /// Adds one.
    pub(super) fn push(&mut self, contact: Contact) {
        self.of_chunks[contact.particle as usize / CHUNK].push(contact);
    }

    /// Puts newer contacts with the body's mesh in the place of those of the same of `particles` particles.
    pub(super) fn renew(&mut self, newer: Contacts, particles: usize) {
        let is_newer = newer.touching(particles);
        let is_of_mesh = |contact: &Contact| contact.joint.is_some() && contact.collider.is_none();
        for (contacts, newer) in self.of_chunks.iter_mut().zip(newer.of_chunks) {
            contacts.retain(|contact| !(is_of_mesh(contact) && is_newer[contact.particle as usize]));
            contacts.extend(newer);
        }
    }

    /// Those of each chunk.
    pub(super) fn of_chunks(&self) -> &[Vec<Contact>] {
        &self.of_chunks
    }

    /// The same, to be added to.
    pub(super) fn of_chunks_mut(&mut self) -> &mut [Vec<Contact>] {
        &mut self.of_chunks
    }

    /// Whether there are none.
    pub(in crate::simulate) fn is_empty(&self) -> bool {
        self.of_chunks.iter().all(Vec::is_empty)
    }

    /// All of them.
    pub(in crate::simulate) fn iter(&self) -> impl Iterator<Item = &Contact> {
        self.of_chunks.iter().flatten()
    }

    /// For each particle of a cloth of so many whether it touches.
    pub(in crate::simulate) fn touching(&self, particles: usize) -> Vec<bool> {
        let mut touching = vec![false; particles];
        self.iter().for_each(|contact| touching[contact.particle as usize] = true);
        touching
    }

    /// How far the surfaces went that are touched, at most, metres.
    pub(in crate::simulate) fn furthest_way(&self) -> f32 {
        let way = |contact: &Contact| contact.surface_motion.length_squared();
        let of_chunk = |contacts: &Vec<Contact>| contacts.iter().map(way).fold(0.0, f32::max);
        self.of_chunks.par_iter().map(of_chunk).reduce(|| 0.0, f32::max).sqrt()
    }

    /// Whether all surfaces that are touched stand still.
    pub(in crate::simulate) fn stand(&self) -> bool {
        self.of_chunks.par_iter().all(|contacts| contacts.iter().all(|contact| contact.surface_motion == Vec3::ZERO))
    }

    /// Removes the speed at which the push-out would throw particles off, in a substep of so many seconds: relative to the surface
    /// they neither leave nor enter.
    pub(in crate::simulate) fn settle_velocities(&self, cloth: &mut Cloth, seconds: f32) {
        let chunks = cloth.velocities.par_chunks_mut(CHUNK).zip(&self.of_chunks).enumerate();
        chunks.for_each(|(chunk, (velocities, contacts))| {
            for contact in contacts {
                let velocity = &mut velocities[contact.particle as usize - chunk * CHUNK].at;
                let leaving = (*velocity - contact.surface_motion / seconds).dot(contact.normal);
                *velocity -= contact.normal * leaving;
            }
        });
    }
}
