//! Corners of the body that stand out through faces of the cloth.

use rayon::prelude::*;

use super::{BodySurface, SHALLOW};
use crate::geometry::{Aabb, SurfaceTree, Vec3};

/// How far a corner may stand out, in thicknesses.
pub(super) const REACH: f32 = 2.0;
/// How far under a face, in thicknesses, a corner may be: settling can draw the face that far onto it.
const UNDER: f32 = 1.0;
/// How far a corner stands out over a face held off beside it, in thicknesses, up to which the face is clear of it anyway.
const BLUNT: f32 = 0.3;
/// Cosine between a corner's normal and the way to the face from which on it stands under that face or through it, not beside.
pub(super) const UPRIGHT: f32 = 0.5;
/// Vertices of the body that one task takes at least.
const VERTICES_PER_TASK: usize = 256;

/// Faces of the cloth, as they are now.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate::collide) struct ClothFaces<'a> {
    /// Places of the particles, metres.
    pub(in crate::simulate::collide) places: &'a [Vec3],
    /// Corners.
    pub(in crate::simulate::collide) triangles: &'a [[u32; 3]],
    /// A tree over them, fitted to the places.
    pub(in crate::simulate::collide) tree: &'a SurfaceTree,
}

/// A vertex of the body that stands right under a face of the cloth, or through it.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate::collide) struct Corner {
    /// The face.
    pub(in crate::simulate::collide) triangle: u32,
    /// The point of the face that is nearest, barycentric.
    pub(in crate::simulate::collide) weights: Vec3,
    /// Outward unit normal of the body.
    pub(in crate::simulate::collide) normal: Vec3,
    /// Where the vertex is along the normal, metres.
    pub(in crate::simulate::collide) level: f32,
}

impl BodySurface<'_> {
    /// The body's vertices near cloth at `places` that keeps `thickness`, ascending, which a face of it could come to lie on:
    /// whose insides are `span` metres from what the particles and middles hold off.
    pub(in crate::simulate::collide) fn sharp_corners(
        &mut self,
        places: &[Vec3],
        thickness: f32,
        span: f32,
    ) -> Vec<u32> {
        let reach = REACH * thickness;
        let bounds = Aabb::around(places);
        let (mesh, positions) = (&self.mesh, &self.positions);
        let is_near = |vertex: &u32| bounds.distance_squared(positions[*vertex as usize]) <= reach * reach;
        let is_sharp =
            |&vertex: &u32| mesh.is_inner(vertex) && mesh.stands_out(positions, vertex, span) >= BLUNT * thickness;
        let vertices = || (0..positions.len() as u32).into_par_iter().with_min_len(VERTICES_PER_TASK);
        if self.furthest_way > 0.0 {
            return vertices().filter(is_near).filter(is_sharp).collect();
        }
        let way = self.patches.way_of_all();
        self.sharp = self.sharp.take().filter(|(known_at, _)| *known_at == way);
        let (_, sharp) = self.sharp.get_or_insert_with(|| (way, vertices().filter(is_sharp).collect()));
        sharp.iter().copied().filter(is_near).collect()
    }

    /// Those of `vertices` right under `faces` that keep `thickness`, or through them. Those where another part of the body is
    /// near, too, are left to the particles. The body must be ready to be asked.
    pub(in crate::simulate::collide) fn corners_at(
        &self,
        vertices: &[u32],
        faces: ClothFaces<'_>,
        thickness: f32,
    ) -> Vec<Corner> {
        let corner = |&vertex: &u32| {
            let at = self.positions[vertex as usize];
            let reach = REACH * thickness;
            let found = faces.tree.closest_where(at, reach, faces.places, faces.triangles, |_| true);
            let (triangle, closest, squared) = found?;
            let normal = self.mesh.corner_normal(&self.positions, vertex).normalize_or_zero();
            let height = (closest.point - at).dot(normal);
            if height >= UNDER * thickness || height.abs() < UPRIGHT * squared.sqrt() {
                return None;
            }
            let goes_out = || {
                let nearest = self.nearest_where(closest.point, |_| true);
                nearest.is_some_and(|out| out.distance > -SHALLOW * self.search_radius && out.normal.dot(normal) > 0.0)
            };
            let room = 2.0 * thickness - height.min(0.0);
            let is_alone = || self.closest_facing(normal, closest.point, room, |_| true).is_none();
            let corner = Corner { triangle, weights: closest.barycentric, normal, level: at.dot(normal) };
            ((height > 0.0 || goes_out()) && is_alone()).then_some(corner)
        };
        vertices.par_iter().with_min_len(VERTICES_PER_TASK).filter_map(corner).collect()
    }
}
