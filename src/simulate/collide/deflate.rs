//! A body that is drawn in where cloth starts inside it, and grows back under the cloth.
//!
//! ```text
//!   ----o---------o----   surface           ----o---------o----
//!        \       /        cloth inside         \__     __/       drawn in along its normals, by as much as the cloth is deep;
//!         o--o--o                              o--o--o         further away by less and less
//!                                               -----
//! ```
//!
//! Pushed out at once each particle would go to the nearest side, of an arm to any. The drawn-in body is whole and takes the
//! cloth with it as a sheet.

use super::mesh::SurfaceMesh;
use super::surface::Start;
use crate::geometry::{SurfaceTree, Vec3};

/// How much less a vertex is drawn in than its neighbour at most, as a part of their distance.
const SLOPE: f32 = 0.5;
/// Part of the body's thickness under a vertex by which it may be drawn in: from both sides something must stay.
const MOST: f32 = 0.4;
/// Cosine below which two normals point against each other.
const OPPOSITE: f32 = -0.3;
/// Sweeps over the body's edges in which depths spread at most.
const SWEEPS: u32 = 200;

/// A body's vertices at full size and how they are drawn in.
#[derive(Debug)]
pub(super) struct Deflated {
    full: Vec<Vec3>,
    /// Way of each vertex from full size to fully drawn in, metres.
    inward: Vec<Vec3>,
}

impl Deflated {
    /// The body at `positions` drawn in so that cloth which `starts` inside and was not tucked in lies `clearance` outside of
    /// it; none if there is no such cloth.
    pub(super) fn new(
        mesh: &SurfaceMesh,
        tree: &SurfaceTree,
        positions: &[Vec3],
        starts: &[Vec<Start>],
        clearance: f32,
    ) -> Option<Deflated> {
        let mut depths = vec![0.0_f32; positions.len()];
        for start in starts.iter().flatten().filter(|s| !s.is_held) {
            for &corner in &mesh.triangles[start.triangle as usize] {
                depths[corner as usize] = depths[corner as usize].max(start.depth + clearance);
            }
        }
        depths.iter().any(|&d| d > 0.0).then(|| {
            spread(&mut depths, mesh, positions, |own, other, way| own.max(other - SLOPE * way));
            let normal = |v: usize| mesh.corner_normal(positions, v as u32).normalize_or_zero();
            let normals: Vec<Vec3> =
                (0..depths.len()).map(|v| if depths[v] > 0.0 { normal(v) } else { Vec3::ZERO }).collect();
            for (v, depth) in depths.iter_mut().enumerate().filter(|(_, depth)| **depth > 0.0) {
                *depth = MOST * thickness(mesh, tree, positions, positions[v], normals[v], *depth / MOST);
            }
            spread(&mut depths, mesh, positions, |own, other, way| own.min(other + way));
            let inward = normals.iter().zip(&depths).map(|(&normal, &depth)| normal * -depth).collect();
            Deflated { full: positions.to_vec(), inward }
        })
    }

    /// The vertices at full size.
    pub(super) fn full(&self) -> &[Vec3] {
        &self.full
    }

    /// The vertices when they are back to `part` of their full size, 0 to 1.
    pub(super) fn at(&self, part: f32, positions: &mut Vec<Vec3>) {
        positions.clear();
        let left = (1.0 - part).clamp(0.0, 1.0);
        positions.extend(self.full.iter().zip(&self.inward).map(|(&full, &inward)| full + inward * left));
    }
}

/// Lets every vertex take what `from(own, neighbour's, their distance)` says, until nothing changes.
fn spread(depths: &mut [f32], mesh: &SurfaceMesh, positions: &[Vec3], from: impl Fn(f32, f32, f32) -> f32) {
    for _ in 0..SWEEPS {
        let mut has_changed = false;
        for triangle in &mesh.triangles {
            let corners = triangle.map(|v| v as usize);
            for (a, b) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)].map(|(a, b)| (corners[a], corners[b])) {
                let taken = from(depths[a], depths[b], positions[a].distance(positions[b]));
                has_changed |= taken != depths[a];
                depths[a] = taken;
            }
        }
        if !has_changed {
            return;
        }
    }
}

/// Distance from a place on the surface to the opposite side of the body, metres; at most `most`.
fn thickness(mesh: &SurfaceMesh, tree: &SurfaceTree, positions: &[Vec3], at: Vec3, normal: Vec3, most: f32) -> f32 {
    let is_opposite = |t: u32| {
        let [a, b, c] = mesh.triangles[t as usize].map(|v| positions[v as usize]);
        let middle = (a + b + c) / 3.0;
        let is_under = (middle - at).dot(normal) < 0.0;
        is_under && mesh.face_normal(positions, t as usize).normalize_or_zero().dot(normal) < OPPOSITE
    };
    let found = tree.closest_where(at, most, positions, &mesh.triangles, is_opposite);
    found.map_or(most, |(_, _, squared)| squared.sqrt())
}
