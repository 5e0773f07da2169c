//! When a point of the cloth asks where the body is, and what it knows from then on.

use rayon::prelude::*;

use super::{BodySurface, Nearest, PARTICLES_PER_TASK, ROOM};
use crate::geometry::{ClosestPoint, Vec3};
use crate::simulate::archive::{Archive, Archived, fits};
use crate::simulate::collide::mesh::NONE;

/// Slack that keeps a particle from being skipped by a hair, as a part of the search radius.
const SKIP_SAFETY: f32 = 0.02;
/// Part of [`ROOM`] from which on what is left of it is ample: no other part is looked for again.
const AMPLE: f32 = 0.75;
/// How far a point may move along the surface before it asks the whole body again, as a part of the search radius: 8 mm on a
/// grown-up. In between it walks from the triangle that was closest to its neighbours.
const WALK: f32 = 0.15;

/// Part of the cloth's points, one over this, that ask the whole body at once without others joining in that soon must: it is made
/// ready for them anyway. Not a part of the body's triangles: those that are hidden must change nothing.
const FEW: usize = 8;

/// What a point of the cloth knows of the body from when it asked last.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate::collide) struct Probe {
    /// Where it was.
    place: Vec3,
    /// How far it and the body may move from there before they can touch, metres.
    free_way: f32,
    /// The patch of the body that was closest, or the one that stands for all of it: what moves around it can touch.
    patch: u32,
    /// [`Patches::way`](super::patches::Patches::way) around it at that time.
    body_way: f64,
    /// [`BodySurface::motions`] at that time.
    motion: u32,
    /// The triangle that was closest.
    pub(super) triangle: u32,
    /// How far it and the triangle may move against each other before it asks the whole body again, metres.
    walk: f32,
    /// How far it and the body may move before another part of the body, that faces it, can touch too, metres.
    pub(super) room: f32,
}

impl Probe {
    /// One that knows nothing.
    pub(in crate::simulate::collide) const BLANK: Probe = Probe {
        place: Vec3::ZERO,
        free_way: f32::NEG_INFINITY,
        patch: 0,
        body_way: 0.0,
        motion: 0,
        triangle: NONE,
        walk: 0.0,
        room: 0.0,
    };

    /// All that it knows of a body of so many triangles and patches.
    pub(in crate::simulate::collide) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
        [triangles, patches]: [usize; 2],
    ) -> Archived {
        archive.vec3(&mut self.place)?;
        archive.f32(&mut self.free_way)?;
        archive.index(&mut self.patch, patches, "patches of the body")?;
        archive.f64(&mut self.body_way)?;
        archive.u32(&mut self.motion)?;
        archive.u32(&mut self.triangle)?;
        archive.f32(&mut self.walk)?;
        archive.f32(&mut self.room)?;
        fits(self.triangle == NONE || (self.triangle as usize) < triangles, "triangles of the body")
    }

    /// The same of a point to which another triangle matters, and which must ask again at once.
    pub(super) fn next_to(self, triangle: u32) -> Probe {
        Probe { triangle, ..self.at_once() }
    }

    /// The same of a point that must ask again at once.
    pub(super) fn at_once(self) -> Probe {
        Probe { free_way: 0.0, ..self }
    }

    /// The same of the point at `place`, where it was pushed to.
    pub(super) fn at(self, place: Vec3) -> Probe {
        Probe { place, ..self }
    }
}

/// Which way a point asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulate::collide) enum Look {
    /// From the triangle it knows.
    Walk,
    /// The whole body.
    Whole,
}

/// When a point that walks asks the whole body again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Again {
    Done,
    HalfDone,
    Begun,
}

impl Again {
    /// Whether a point goes on walking that has `left` metres of a `whole` walk.
    fn allows(self, left: f32, whole: f32) -> bool {
        match self {
            Again::Done => left > 0.0,
            Again::HalfDone => left > 0.5 * whole,
            Again::Begun => left > 0.75 * whole,
        }
    }
}

impl BodySurface<'_> {
    /// How a point of the cloth that is at `place` now must ask; not at all if it cannot touch.
    #[inline]
    fn look(&self, probe: &Probe, place: Vec3, again: Again) -> Option<Look> {
        if self.is_free(probe, place) { None } else { Some(self.look_of_near(probe, place, again)) }
    }

    /// The same of one that can touch.
    fn look_of_near(&self, probe: &Probe, place: Vec3, again: Again) -> Look {
        let way = self.way_since(probe, place);
        let walked = if self.has_just_asked(probe) { 0.0 } else { way };
        let may_walk = probe.triangle != NONE
            && again.allows(probe.walk - walked, WALK * self.search_radius)
            && again.allows(probe.room - way, ROOM * self.search_radius);
        if may_walk { Look::Walk } else { Look::Whole }
    }

    /// Makes the whole body ready to be asked, if anybody does.
    pub(in crate::simulate::collide) fn fit_for(&mut self, asking: &[(u32, Look)]) {
        if asking.iter().any(|&(_, look)| look == Look::Whole) {
            self.fit();
        }
    }

    /// The points that must ask, of those `at` a place, and how. If a few must ask the whole body, those ask it too that soon must: it
    /// is made ready for that only once.
    pub(in crate::simulate::collide) fn looks(
        &self,
        probes: &[Probe],
        at: impl Fn(usize) -> Option<Vec3> + Sync,
        frame_ends: bool,
    ) -> Vec<(u32, Look)> {
        let looks = |again: Again| -> Vec<(u32, Look)> {
            let of_some = |(some, probes): (usize, &[Probe])| {
                let look = |(probe, point): (&Probe, usize)| {
                    let look = self.look(probe, at(point)?, again)?;
                    Some((point as u32, look))
                };
                probes.iter().zip(some * PARTICLES_PER_TASK..).filter_map(look).collect::<Vec<_>>()
            };
            let all: Vec<_> = probes.par_chunks(PARTICLES_PER_TASK).enumerate().map(of_some).collect();
            all.concat()
        };
        if frame_ends {
            return looks(Again::Begun);
        }
        let must = looks(Again::Done);
        let whole = must.iter().filter(|&&(_, look)| look == Look::Whole).count();
        let are_few = whole > 0 && whole * FEW < probes.len();
        if are_few && !self.is_fitted { looks(Again::HalfDone) } else { must }
    }

    /// What a point that is at `place` knows after a look that left it `free_way`, among the triangles that `counts`.
    pub(super) fn probe_of(
        &self,
        place: Vec3,
        nearest: &Nearest,
        free_way: f32,
        before: &Probe,
        counts: impl Fn(u32) -> bool,
    ) -> Probe {
        let known = self.blank_probe(place, nearest.triangle, free_way);
        let whole = WALK * self.search_radius;
        let way = self.way_since(before, place);
        let (walk, room) = if nearest.is_whole {
            let left = before.room - way;
            // One that is far away moves on further than a walk before it asks again.
            let room = || if free_way < whole { self.room(place, nearest, counts) } else { 0.0 };
            (whole, if left > AMPLE * ROOM * self.search_radius { left } else { room() })
        } else if self.has_just_asked(before) {
            (before.walk - (place - before.place).distance(nearest.surface_motion), before.room - way)
        } else {
            (before.walk - way, before.room - way)
        };
        Probe { triangle: nearest.triangle, walk, room, ..known }
    }

    /// How much further away than the nearest surface the nearest of another part is that faces it, metres; 0 where that part
    /// crosses it.
    fn room(&self, point: Vec3, nearest: &Nearest, counts: impl Fn(u32) -> bool) -> f32 {
        let (near, most) = (nearest.distance.abs(), ROOM * self.search_radius);
        self.closest_facing(nearest.normal, point, near + most, counts).map_or(most, |found| {
            let is_other = self.joint_of[found.0 as usize] != self.joint_of[nearest.triangle as usize];
            let crosses = is_other && self.nearest_of(point, found).distance < 0.0;
            if crosses { 0.0 } else { found.2.sqrt() - near }
        })
    }

    /// The closest triangle that faces a surface with this `normal`, among those that `counts`.
    pub(super) fn closest_facing(
        &self,
        normal: Vec3,
        point: Vec3,
        radius: f32,
        counts: impl Fn(u32) -> bool,
    ) -> Option<(u32, ClosestPoint, f32)> {
        self.tree.closest_against(normal, point, radius, &self.positions, &self.mesh.triangles, counts)
    }

    /// Whether a point asked at the motion before this one.
    fn has_just_asked(&self, probe: &Probe) -> bool {
        probe.motion.wrapping_add(1) == self.motions
    }

    /// How far a point that is at `place` now and the body can have moved against each other since it asked, metres.
    fn way_since(&self, probe: &Probe, place: Vec3) -> f32 {
        place.distance(probe.place) + (self.patches.way(probe.patch) - probe.body_way) as f32
    }

    /// Whether a point that is at `place` now cannot touch yet.
    pub(super) fn is_free(&self, probe: &Probe, place: Vec3) -> bool {
        probe.free_way - self.way_since(probe, place) > 0.0
    }

    /// What a point at `place` knows that has asked now and been told no more than its `free_way` from the triangle `nearest` to it.
    pub(super) fn blank_probe(&self, place: Vec3, nearest: u32, free_way: f32) -> Probe {
        // Only what is that near to the patch counts for it.
        self.probe_around(self.patches.of(nearest), place, free_way.min(self.search_radius))
    }

    /// What a point at `place` knows that has asked now and found nothing within the search radius.
    pub(super) fn far_probe(&self, place: Vec3, thickness: f32, before: &Probe) -> Probe {
        let (patch, distance) = self.patches.near(place, before.patch);
        self.probe_around(patch, place, free_way(distance, thickness))
    }

    fn probe_around(&self, patch: u32, place: Vec3, free_way: f32) -> Probe {
        Probe { place, free_way, patch, body_way: self.patches.way(patch), motion: self.motions, ..Probe::BLANK }
    }
}

/// How far a point at `distance` from the body and the body may move before they are nearer than `thickness`, metres.
pub(super) fn free_way(distance: f32, thickness: f32) -> f32 {
    distance * (1.0 - SKIP_SAFETY) - thickness
}
