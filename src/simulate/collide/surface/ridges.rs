//! Edges of the body that stand out between edges of the cloth.
//!
//! ```text
//!        o                       o  particles, both outside; b  an edge of the body, which falls away from it on both sides
//!          \   b                    the edges are closest where they cross: the cloth's goes out along the normal of both
//!      ______\/ \______
//!            /\   \    o
//! ```

use super::corners::{REACH, UPRIGHT};
use super::{BodySurface, NONE};
use crate::geometry::{Aabb, Feature, Vec3};
use crate::simulate::collide::edges::Crossing;

/// How far over an edge of the body, in thicknesses, an edge of the cloth may be: settling can draw it that far onto it.
const OVER: f32 = 0.5;
/// Triangles of the body around an edge of the cloth that are looked at, at most: an edge that is longer than those of the body by far
/// has middles and faces beside it.
const MOST_TRIANGLES: usize = 64;
/// Sine of the angle by which the surface turns at an edge of the body, times the length of the cloth's, in thicknesses, up to which
/// particles keep the cloth clear of it: the edge stands out by a fourth of that between them.
const BLUNT: f32 = 1.0;

/// An edge of the body that crosses one of the cloth.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate::collide) struct Ridge {
    /// Where on the cloth's edge, as a part of it.
    pub(in crate::simulate::collide) along: f32,
    /// Outward unit normal.
    pub(in crate::simulate::collide) normal: Vec3,
    /// Where the body's edge is along the normal, metres.
    pub(in crate::simulate::collide) level: f32,
}

/// Some triangles, each once.
struct Around {
    triangles: [u32; MOST_TRIANGLES],
    count: usize,
}

impl Around {
    /// Two different ones.
    fn new([first, second]: [u32; 2]) -> Around {
        let mut triangles = [NONE; MOST_TRIANGLES];
        triangles[..2].copy_from_slice(&[first, second]);
        Around { triangles, count: 2 }
    }

    fn all(&self) -> &[u32] {
        &self.triangles[..self.count]
    }

    /// Adds one, if there is room.
    fn add(&mut self, triangle: u32) {
        if self.count < MOST_TRIANGLES {
            self.triangles[self.count] = triangle;
            self.count += 1;
        }
    }
}

impl BodySurface<'_> {
    /// The ridges of the body next to the edge from one particle to another, at `ends`, of cloth that keeps `thickness`, or through it.
    /// None where another part of the body is near, too.
    pub(in crate::simulate::collide) fn ridges_at(
        &self,
        particles: [u32; 2],
        ends: [Vec3; 2],
        thickness: f32,
    ) -> Vec<Ridge> {
        let probes = particles.map(|particle| &self.probes[particle as usize]);
        if probes.iter().any(|probe| probe.triangle == NONE || probe.room <= 2.0 * thickness) {
            return Vec::new();
        }
        // Mostly both lie on one triangle, or one to either side of an edge.
        let [first, second] = probes.map(|probe| probe.triangle);
        if first == second {
            return Vec::new();
        }
        if let Some(edge) = (0..3_u8).find(|&edge| self.across(first, edge) == Some(second)) {
            return self.ridge([first, second], edge, ends, thickness).into_iter().collect();
        }
        let (mut around, mut ridges) = (Around::new([first, second]), Vec::new());
        self.look_around(&mut around, ends, thickness);
        for &triangle in around.all() {
            for (edge, across) in (0..3_u8).filter_map(|edge| Some((edge, self.across(triangle, edge)?))) {
                // What two of the triangles share is looked at once.
                if triangle < across || !around.all().contains(&across) {
                    ridges.extend(self.ridge([triangle, across], edge, ends, thickness));
                }
            }
        }
        ridges
    }

    /// Adds the triangles that hang together with the first ones, as far as they may be next to the way between `ends`.
    fn look_around(&self, around: &mut Around, ends: [Vec3; 2], thickness: f32) {
        let region = Aabb::around(&ends).inflated(thickness);
        let mut next = 0;
        while let Some(&here) = around.all().get(next) {
            for across in (0..3_u8).filter_map(|edge| self.across(here, edge)) {
                if !around.all().contains(&across) && Aabb::around(&self.corners(across)).overlaps(&region) {
                    around.add(across);
                }
            }
            next += 1;
        }
    }

    /// The edge of one triangle to another, if the surface falls away from it on both sides and the cloth's edge is next to it.
    fn ridge(&self, [triangle, across]: [u32; 2], edge: u8, ends: [Vec3; 2], thickness: f32) -> Option<Ridge> {
        let corners = self.corners(triangle);
        let [a, b] = [usize::from(edge), (usize::from(edge) + 1) % 3].map(|corner| corners[corner]);
        let normals = [triangle, across].map(|triangle| self.mesh.face_normal(&self.positions, triangle as usize));
        let areas = normals.map(Vec3::length_squared);
        // The other's corner beyond the edge: that of the three that is furthest from the first's plane.
        let beyond = self.corners(across).map(|corner| (corner - a).dot(normals[0]));
        let fall = beyond.into_iter().fold(0.0, f32::min);
        let rise = beyond.into_iter().fold(0.0, f32::max);
        let square_sine = fall * fall * a.distance_squared(b);
        let blunt = BLUNT * thickness;
        let is_sharp = square_sine * ends[0].distance_squared(ends[1]) > blunt * blunt * areas[0] * areas[1];
        if rise > -fall || !is_sharp {
            return None;
        }
        let crossing = Crossing::of(ends, [a, b]);
        let normal = crossing.normal?;
        let out = normals.map(Vec3::normalize_or_zero).into_iter().sum::<Vec3>().normalize_or_zero();
        let normal = if normal.dot(out) < 0.0 { -normal } else { normal };
        let height = -crossing.between.dot(normal);
        let is_next_to = (-REACH * thickness..OVER * thickness).contains(&height) && normal.dot(out) >= UPRIGHT;
        let level = a.lerp(b, crossing.along[1]).dot(normal);
        is_next_to.then_some(Ridge { along: crossing.along[0], normal, level })
    }

    /// The triangle across an edge of one.
    fn across(&self, triangle: u32, edge: u8) -> Option<u32> {
        self.mesh.around(triangle, Feature::Edge(edge)).first().copied()
    }
}
