//! The state of the cloth: one entry a particle in every list.
//!
//! A [`Point`] is four floats, so that batches of constraints can load and store particles with vector instructions.

use std::ops::Range;

use rayon::prelude::*;
use wide::f32x4;

use super::archive::{Archive, Archived, fits};
use crate::geometry::{Points, Vec3};
use crate::pins::Pins;
use crate::springs::Spring;
use crate::topology::{ParticleId, Parts, Topology};

/// Particles that a task takes where each takes a few operations.
pub(super) const CHUNK: usize = 4096;
/// Change of speed in a substep, m/s, from which a particle that goes back where it came from does so because it is squeezed.
const HOP: f32 = 2.0;

/// A particle's place (or velocity) and mobility.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub(super) struct Point {
    /// Metres, or metres a second.
    pub(super) at: Vec3,
    /// 1/kg; 0 for a pinned particle, and for velocities.
    pub(super) inverse_mass: f32,
}

impl Point {
    /// The places of four, side by side.
    pub(super) fn four(points: [&Point; Points::LANES]) -> Points {
        let row = |point: &Point| f32x4::new([point.at.x, point.at.y, point.at.z, point.inverse_mass]);
        let [x, y, z, _] = f32x4::transpose(points.map(row));
        Points::of_axes([x, y, z])
    }
}

/// Particles of the cloth in a row.
#[derive(Debug)]
pub(super) struct Span<'a> {
    /// The first of them.
    first: u32,
    /// Where they are.
    points: &'a mut [Point],
    /// Where they were at the start of the substep.
    previous: &'a [Point],
}

impl Span<'_> {
    /// Places of some of them, by their numbers in the cloth, metres.
    pub(super) fn places<const N: usize>(&self, particles: [u32; N]) -> [Vec3; N] {
        particles.map(|particle| self.points[self.index(particle)].at)
    }

    /// Place of one of them, metres.
    pub(super) fn place_mut(&mut self, particle: u32) -> &mut Vec3 {
        let index = self.index(particle);
        &mut self.points[index].at
    }

    /// Way of one of them in the substep so far, metres.
    pub(super) fn way(&self, particle: u32) -> Vec3 {
        let index = self.index(particle);
        self.points[index].at - self.previous[index].at
    }

    /// Mobility of one of them, 1/kg; 0 if it is pinned.
    pub(super) fn inverse_mass(&self, particle: u32) -> f32 {
        self.points[self.index(particle)].inverse_mass
    }

    /// Whether all of these are among them.
    #[inline]
    pub(super) fn has<const N: usize>(&self, particles: [u32; N]) -> bool {
        particles.iter().all(|particle| (particle.wrapping_sub(self.first) as usize) < self.points.len())
    }

    fn index(&self, particle: u32) -> usize {
        (particle - self.first) as usize
    }
}

/// Particles in motion.
#[derive(Clone, Debug, Default)]
pub(super) struct Cloth {
    /// Where particles are.
    pub(super) points: Vec<Point>,
    /// Where they were at the start of the substep.
    pub(super) previous: Vec<Point>,
    /// How fast they go.
    pub(super) velocities: Vec<Point>,
    /// Length of the substep that made the velocities, seconds; 0 at the start.
    pub(super) stepped: f32,
}

impl Cloth {
    /// Cloth at rest in its file's shape. Each triangle gives a third of its mass to each corner.
    pub(super) fn at_rest(topology: &Topology, pins: &Pins, areal_density: f32) -> Cloth {
        let areas = particle_areas(topology);
        let mean = areas.iter().sum::<f32>() / areas.len().max(1) as f32;
        // A loose vertex or one with only sliver faces gets a tenth of the usual mass instead of none.
        let floor = (0.1 * mean).max(f32::MIN_POSITIVE);
        let places = topology.positions.iter().zip(&areas);
        let particle = |(&at, area): (&Vec3, &f32)| Point { at, inverse_mass: 1.0 / (areal_density * area.max(floor)) };
        let mut points: Vec<Point> = places.map(particle).collect();
        for pin in &pins.particles {
            points[pin.index()].inverse_mass = 0.0;
        }
        let velocities = vec![Point::default(); points.len()];
        Cloth { previous: points.clone(), points, velocities, stepped: 0.0 }
    }

    /// A copy to go back to: places and velocities.
    pub(super) fn saved(&self) -> Cloth {
        let mut saved = Cloth::default();
        self.save_in(&mut saved);
        saved
    }

    /// Makes `saved` such a copy.
    pub(super) fn save_in(&self, saved: &mut Cloth) {
        for (to, from) in [(&mut saved.points, &self.points), (&mut saved.velocities, &self.velocities)] {
            to.resize(from.len(), Point::default());
            copy(from, to);
        }
        saved.stepped = self.stepped;
    }

    /// Goes back to a copy that was saved.
    pub(super) fn restore(&mut self, saved: &Cloth) {
        self.points.copy_from_slice(&saved.points);
        self.velocities.copy_from_slice(&saved.velocities);
        self.stepped = saved.stepped;
    }

    /// Everything but masses, which the garment gives.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        for list in [&mut self.points, &mut self.previous, &mut self.velocities] {
            archive.each(list, |archive, point| archive.vec3(&mut point.at))?;
        }
        archive.f32(&mut self.stepped)?;
        fits(self.is_finite(), "places")
    }

    /// Number of particles.
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// Places of all particles, metres.
    pub(super) fn positions(&self) -> Vec<Vec3> {
        self.points.par_iter().with_min_len(CHUNK).map(|p| p.at).collect()
    }

    /// Places of some particles, metres.
    pub(super) fn places<const N: usize>(&self, particles: [u32; N]) -> [Vec3; N] {
        particles.map(|particle| self.points[particle as usize].at)
    }

    /// All particles in a row.
    pub(super) fn span(&mut self) -> Span<'_> {
        Span { first: 0, points: &mut self.points, previous: &self.previous }
    }

    /// Those of each leaf of the cloth's parts.
    pub(super) fn spans(&mut self, parts: &Parts) -> Vec<Span<'_>> {
        let (mut points, previous) = (&mut self.points[..], &self.previous);
        let span = |range: Range<usize>| {
            let (these, others) = std::mem::take(&mut points).split_at_mut(range.len());
            points = others;
            Span { first: range.start as u32, points: these, previous: &previous[range] }
        };
        parts.leaf_ranges().map(span).collect()
    }

    /// Whether a particle is not pinned.
    pub(super) fn is_free(&self, particle: usize) -> bool {
        self.points[particle].inverse_mass > 0.0
    }

    /// How many times as long as at rest a spring is.
    pub(super) fn elongation(&self, spring: &Spring) -> f32 {
        let [a, b] = [spring.a, spring.b].map(|end| self.points[end.index()].at);
        a.distance(b) / spring.rest_length
    }

    /// Speed of the fastest particle, m/s.
    pub(super) fn speed(&self) -> f32 {
        let velocities = self.velocities.par_iter().with_min_len(CHUNK);
        velocities.map(|velocity| velocity.at.length_squared()).reduce(|| 0.0, f32::max).sqrt()
    }

    /// How far the particle went that went furthest since the cloth was as it was `before`, metres.
    pub(super) fn furthest_way(&self, before: &Cloth) -> f32 {
        let ways = self.points.par_iter().zip(&before.points).with_min_len(CHUNK);
        ways.map(|(now, before)| now.at.distance_squared(before.at)).reduce(|| 0.0, f32::max).sqrt()
    }

    /// Whether all places and velocities are numbers.
    pub(super) fn is_finite(&self) -> bool {
        let is_finite = |points: &[Point]| points.iter().all(|p| p.at.is_finite());
        [&self.points, &self.velocities].iter().all(|list| list.par_chunks(CHUNK).all(is_finite))
    }

    /// Begins a substep: places are those it starts from.
    pub(super) fn start_substep(&mut self, seconds: f32) {
        copy(&self.points, &mut self.previous);
        self.stepped = seconds;
    }

    /// Puts pinned particles where they must be at the end of the substep.
    pub(super) fn place_pins(&mut self, pins: &[ParticleId], targets: &[Vec3]) {
        for (pin, &target) in pins.iter().zip(targets) {
            self.points[pin.index()].at = target;
        }
    }

    /// Adds to the velocities what moved particles beside the `ways` that an integrator had them go, in a substep of
    /// `seconds`; if it `calms` them, only half of it to one that would hop back: what two surfaces squeeze hops from one to the
    /// other otherwise, and carries what is next to it along.
    pub(super) fn correct_velocities(&mut self, ways: &[Vec3], seconds: f32, calms: bool) {
        let rate = 1.0 / seconds;
        let places = self.points.par_chunks(CHUNK).zip(self.previous.par_chunks(CHUNK)).zip(ways.par_chunks(CHUNK));
        self.velocities.par_chunks_mut(CHUNK).zip(places).for_each(|(velocities, ((points, previous), ways))| {
            for (((velocity, now), before), way) in velocities.iter_mut().zip(points).zip(previous).zip(ways) {
                let change = ((now.at - before.at) - *way) * rate;
                let hops_back = || change.length_squared() > HOP * HOP && (velocity.at + change).dot(velocity.at) < 0.0;
                velocity.at += if calms && hops_back() { change * 0.5 } else { change };
            }
        });
    }
}

fn copy(from: &[Point], to: &mut [Point]) {
    to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Area of cloth that belongs to each particle, m2: a third of each of its triangles.
pub fn particle_areas(topology: &Topology) -> Vec<f32> {
    let mut areas = vec![0.0; topology.positions.len()];
    for corners in &topology.triangles {
        let [a, b, c] = corners.map(|p| topology.positions[p.index()]);
        let third = (b - a).cross(c - a).length() / 6.0;
        for particle in corners {
            areas[particle.index()] += third;
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speed along x of a particle that goes at `speed` and is put back to where it came from so fast that it would go at
    /// `speed_back`.
    fn corrected(speed: f32, speed_back: f32, calms: bool) -> f32 {
        let seconds = 1.0 / 512.0;
        let point = |x: f32| Point { at: Vec3::X * x, inverse_mass: 1.0 };
        let (points, velocities) =
            (vec![point(speed_back * seconds)], vec![Point { at: Vec3::X * speed, ..point(0.0) }]);
        let mut cloth = Cloth { points, previous: vec![point(0.0)], velocities, stepped: seconds };
        cloth.correct_velocities(&[Vec3::X * (speed * seconds)], seconds, calms);
        cloth.velocities[0].at.x
    }

    #[test]
    fn what_hops_from_side_to_side_is_calmed() {
        assert_eq!(corrected(4.0, -4.0, false), -4.0);
        assert_eq!(corrected(4.0, -4.0, true), 0.0);
        assert_eq!(corrected(0.5, -0.5, true), -0.5, "slowly");
        assert_eq!(corrected(16.0, 1.0, true), 1.0, "onwards");
    }
}
