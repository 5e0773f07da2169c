//! Collision between the particles: cloth cuts corners over limbs, the more the coarser it is.
//!
//! ```text
//!        o---------x---------o     x: middles of edges and faces are kept out too; what pushes them out moves their
//!      (     body surface     )       particles, in the ratio of their mobilities
//! ```
//!
//! The push changes places, not velocities: a knee lifts the cloth on it, it does not kick it.

use rayon::prelude::*;

use super::surface::Probe;
use super::{BodySurface, Contact, Touch};
use crate::geometry::Vec3;
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::cloth::Cloth;
use crate::topology::Topology;

/// Part of the thickness that middles of coarse cloth keep in every substep: their particles keep all of it. More holds on to cloth
/// that two parts of a body squeeze.
const CLEARANCE: f32 = 0.5;
/// Part that those of fine cloth are left with at the end of a frame. With half of the thickness knees come through faces, whose
/// corners are further from the middles than the limb's surface is flat.
const BAKED_CLEARANCE: f32 = 0.9;
/// Middles one task takes at least.
const MIDDLES_PER_TASK: usize = 256;

/// A point of the cloth between particles.
#[derive(Clone, Copy, Debug)]
struct Middle {
    particles: [usize; 3],
    weights: [f32; 3],
}

/// All middles of edges and faces.
#[derive(Debug)]
pub(in crate::simulate) struct Between {
    middles: Vec<Middle>,
    /// What each knows of the body; of coarse cloth only.
    probes: Option<Vec<Probe>>,
}

impl Between {
    /// Those of a cloth. If it is coarse they collide in every substep; finer cloth lets through less, and is brought out at the
    /// end of a frame.
    pub(in crate::simulate) fn new(topology: &Topology, is_coarse: bool) -> Between {
        let edge = |e: &[crate::topology::ParticleId; 2]| {
            let [a, b] = e.map(|p| p.index());
            Middle { particles: [a, b, a], weights: [0.5, 0.5, 0.0] }
        };
        let face =
            |t: &[crate::topology::ParticleId; 3]| Middle { particles: t.map(|p| p.index()), weights: [1.0 / 3.0; 3] };
        let middles: Vec<Middle> = topology.edges.iter().map(edge).chain(topology.triangles.iter().map(face)).collect();
        Between { probes: is_coarse.then(|| vec![Probe::BLANK; middles.len()]), middles }
    }

    /// What it knows of the body's `surface`.
    pub(in crate::simulate) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
        surface: Option<&BodySurface<'_>>,
    ) -> Archived {
        let triangles = surface.map_or(0, BodySurface::triangles);
        let probes = self.probes.as_deref_mut().unwrap_or_default();
        archive.each(probes, |archive, probe| probe.archive(archive, triangles))
    }

    /// Forgets what it knows of the body, which was moved by other means.
    pub(in crate::simulate) fn forget(&mut self) {
        self.probes.iter_mut().for_each(|probes| probes.fill(Probe::BLANK));
    }

    /// Keeps middles out of the body. `contacts` are those of the particles.
    pub(in crate::simulate) fn collide(
        &mut self,
        surface: &mut BodySurface<'_>,
        cloth: &mut Cloth,
        touch: Touch,
        frame_ends: bool,
        contacts: &[Contact],
    ) {
        match &mut self.probes {
            Some(probes) => keep_out(&self.middles, probes, surface, cloth, touch, frame_ends),
            None if frame_ends => bring_out(&self.middles, surface, cloth, touch, contacts),
            None => {}
        }
    }
}

/// Pushes middles of coarse cloth out of the body.
fn keep_out(
    middles: &[Middle],
    probes: &mut [Probe],
    surface: &mut BodySurface<'_>,
    cloth: &mut Cloth,
    touch: Touch,
    frame_ends: bool,
) {
    let touch = Touch { thickness: CLEARANCE * touch.thickness, ..touch };
    let seen = |index: usize| middles[index].sees(surface).then(|| middles[index].at(cloth));
    let asking = surface.looks(probes, seen, frame_ends);
    surface.fit_for(&asking);
    let surface = &*surface;
    let answers: Vec<(Vec3, Probe)> = asking
        .par_iter()
        .with_min_len(MIDDLES_PER_TASK)
        .map(|&(index, look)| {
            let index = index as usize;
            surface.clear(middles[index].at(cloth), &probes[index], look, touch)
        })
        .collect();
    for (&(index, _), (way, probe)) in asking.iter().zip(answers) {
        probes[index as usize] = probe;
        if way != Vec3::ZERO {
            middles[index as usize].push(way, cloth);
        }
    }
}

/// Pushes middles out once, of cloth so fine that a limb comes through only next to particles that lie on it: they start from what
/// those know.
fn bring_out(middles: &[Middle], surface: &BodySurface<'_>, cloth: &mut Cloth, touch: Touch, contacts: &[Contact]) {
    let touch = Touch { thickness: BAKED_CLEARANCE * touch.thickness, ..touch };
    let mut touches = vec![false; cloth.len()];
    contacts.iter().for_each(|contact| touches[contact.particle as usize] = true);
    let push = |middle: &Middle| {
        let on_body = middle.particles.into_iter().find(|&p| touches[p]).filter(|_| middle.sees(surface))?;
        let place = middle.at(cloth);
        let way = surface.way_out_beside(on_body, place, touch)?;
        Some((*middle, Push { goal: place + way, way }))
    };
    let pushes: Vec<(Middle, Push)> = middles.par_iter().with_min_len(MIDDLES_PER_TASK).filter_map(push).collect();
    for (middle, Push { goal, way }) in pushes {
        // Its neighbours may have taken it part of the way, or there already.
        let left = (goal - middle.at(cloth)).dot(way);
        if left > 0.0 {
            middle.push(way * (left / way.length_squared()), cloth);
        }
    }
}

/// What a middle asks for.
#[derive(Clone, Copy, Debug)]
struct Push {
    goal: Vec3,
    /// From where it was to the goal.
    way: Vec3,
}

impl Middle {
    fn at(&self, cloth: &Cloth) -> Vec3 {
        let [a, b, c] = self.particles.map(|p| cloth.points[p].at);
        a * self.weights[0] + b * self.weights[1] + c * self.weights[2]
    }

    fn sees(&self, surface: &BodySurface<'_>) -> bool {
        self.particles.iter().all(|&p| surface.sees_all(p))
    }

    fn push(&self, push: Vec3, cloth: &mut Cloth) {
        let parts = self.particles.into_iter().zip(self.weights).filter(|&(_, weight)| weight > 0.0);
        let mobility: f32 = parts.clone().map(|(p, weight)| weight * weight * cloth.points[p].inverse_mass).sum();
        if mobility <= 0.0 {
            return;
        }
        for (particle, weight) in parts {
            let way = push * (weight * cloth.points[particle].inverse_mass / mobility);
            cloth.points[particle].at += way;
            cloth.previous[particle].at += way;
        }
    }
}
