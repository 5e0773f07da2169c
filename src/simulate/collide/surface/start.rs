//! Particles that start inside the body: tucked in, or by accident.

use rayon::prelude::*;

use super::{BodySurface, SHALLOW};
use crate::correction::Tether;
use crate::geometry::{Aabb, Vec3};
use crate::pins::Pins;
use crate::topology::ParticleId;

/// Part of the pins that must start inside the body for the garment to count as tucked in ...
const HELD: f32 = 0.1;
/// ... and how deep they must be in the mean, as a part of the search radius: 3 mm on a grown-up.
const MEANT: f32 = 0.05;

/// A shell that a particle starts inside of.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct Start {
    pub(in crate::simulate::collide) shell: u32,
    /// Its triangle that is nearest to the particle.
    pub(in crate::simulate::collide) triangle: u32,
    /// Metres.
    pub(in crate::simulate::collide) depth: f32,
    /// Whether it holds the pin that the particle hangs from: it was tucked in.
    pub(in crate::simulate::collide) is_held: bool,
}

impl Start {
    /// Says that it was not tucked in after all.
    pub(in crate::simulate) fn let_go(&mut self) {
        self.is_held = false;
    }

    /// Particles that start inside the body without having been tucked in, and the depth of the deepest, metres.
    pub(in crate::simulate) fn count_free(starts: &[Vec<Start>]) -> (usize, f32) {
        Start::count(starts, |start| !start.is_held)
    }

    /// The same of those that were tucked in.
    pub(in crate::simulate) fn count_held(starts: &[Vec<Start>]) -> (usize, f32) {
        Start::count(starts, |start| start.is_held)
    }

    fn count(starts: &[Vec<Start>], counts: impl Fn(&&Start) -> bool) -> (usize, f32) {
        let depths = starts.iter().filter_map(|own| own.iter().filter(&counts).map(|s| s.depth).reduce(f32::max));
        depths.fold((0, 0.0), |(count, deepest), depth| (count + 1, deepest.max(depth)))
    }
}

impl BodySurface<'_> {
    /// The shells that each particle, at `points`, starts inside of.
    pub(in crate::simulate) fn starts(&self, points: &[Vec3], tethers: &[Option<Tether>]) -> Vec<Vec<Start>> {
        let mut boxes = vec![Aabb::EMPTY; self.mesh.shells];
        for (triangle, &shell) in self.mesh.triangles.iter().zip(&self.mesh.shell_of) {
            for &corner in triangle {
                boxes[shell as usize] = boxes[shell as usize].with(self.positions[corner as usize]);
            }
        }
        let inside = |point: Vec3| -> Vec<Start> {
            let around = (0..self.mesh.shells as u32).filter(|&s| boxes[s as usize].distance_squared(point) == 0.0);
            let start = |shell: u32| {
                let (triangle, distance) = self.nearest_of_shell(point, shell)?;
                (distance < 0.0).then_some(Start { shell, triangle, depth: -distance, is_held: false })
            };
            around.filter_map(start).collect()
        };
        let mut starts: Vec<Vec<Start>> = points.par_iter().map(|&p| inside(p)).collect();
        let shells_of: Vec<Vec<u32>> = starts.iter().map(|own| own.iter().map(|s| s.shell).collect()).collect();
        for (own, tether) in starts.iter_mut().zip(tethers) {
            let Some(tether) = tether else { continue };
            own.iter_mut().for_each(|s| s.is_held = shells_of[tether.root.index()].contains(&s.shell));
        }
        starts
    }

    /// Notes which shells each particle, at `points`, does not see: those it lies deep inside of, and those that hold the pin it
    /// hangs from as well.
    pub(in crate::simulate) fn note_start(&mut self, points: &[Vec3], starts: &[Vec<Start>]) {
        self.fit();
        let deepest = SHALLOW * self.search_radius;
        let unseen = |(&point, own): (&Vec3, &Vec<Start>)| -> Vec<u32> {
            let is_unseen = |s: &&Start| s.is_held || self.distance_to_shell(point, s.shell) < -deepest;
            own.iter().filter(is_unseen).map(|s| s.shell).collect()
        };
        self.unseen = points.iter().zip(starts).map(unseen).collect();
        let nearest = |&point: &Vec3| {
            self.tree.closest_where(point, f32::INFINITY, &self.positions, &self.mesh.triangles, |_| true)
        };
        let worn_on = |point: &Vec3| nearest(point).map(|(triangle, ..)| self.joint_of[triangle as usize]);
        self.worn_on = points.par_iter().map(worn_on).collect();
    }

    /// Whether a part of the pins starts so far inside the body that its maker must have meant it, as those of a collar that was
    /// tucked in.
    pub(in crate::simulate) fn holds_part_of(&self, pins: &Pins, starts: &[Vec<Start>]) -> bool {
        let depth = |p: &ParticleId| starts[p.index()].iter().map(|s| s.depth).reduce(f32::max);
        let depths: Vec<f32> = pins.particles.iter().filter_map(depth).collect();
        let held = depths.len() as f32;
        held > HELD * pins.particles.len() as f32 && depths.iter().sum::<f32>() > MEANT * self.search_radius * held
    }

    /// Signed distance from a shell, metres; infinite where it has no triangle.
    pub(super) fn distance_to_shell(&self, point: Vec3, shell: u32) -> f32 {
        self.nearest_of_shell(point, shell).map_or(f32::INFINITY, |(_, distance)| distance)
    }

    /// The triangle of a shell that is nearest to a point, and the signed distance from it, metres.
    fn nearest_of_shell(&self, point: Vec3, shell: u32) -> Option<(u32, f32)> {
        let in_shell = |t: u32| self.mesh.shell_of[t as usize] == shell;
        let found = self.tree.closest_where(point, f32::INFINITY, &self.positions, &self.mesh.triangles, in_shell)?;
        let nearest = self.nearest_of(point, found);
        Some((nearest.triangle, nearest.distance))
    }
}
