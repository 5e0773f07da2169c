//! What is drawn.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::colour::{Colour, from_srgb};
use super::material::{Alpha, Material};
use crate::geometry::{Vec2, Vec3, area_normals, join};

/// Grey of a body.
pub(super) const GREY: Colour = from_srgb([170, 170, 174]);
/// Of a surface that is only there to be drawn on.
const FAINT: Colour = from_srgb([212, 213, 217]);
/// Colour of cloth that has none of its own.
pub(super) const CLOTH: Colour = from_srgb([64, 120, 168]);

/// Materials of the triangles of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Surfacing {
    /// What there is.
    pub materials: Vec<Material>,
    /// Index of each triangle's material.
    pub of: Vec<u32>,
    /// Texture coordinates of each triangle's corners, V down; empty where no material has a texture.
    pub texcoords: Vec<[Vec2; 3]>,
    /// Colour of each vertex, by which its material is multiplied; empty for none.
    pub tints: Vec<Colour>,
}

impl Surfacing {
    /// Of a triangle.
    pub(super) fn material(&self, triangle: usize) -> &Material {
        &self.materials[self.of[triangle] as usize]
    }

    /// Where a point of a triangle is on its texture, if it has one: `pixels` are the places of its corners in the picture.
    pub(super) fn place(
        &self,
        triangle: usize,
        pixels: [Vec2; 3],
        weights: Vec3,
    ) -> Option<([Vec2; 3], [Vec2; 3], Vec3)> {
        Some((*self.texcoords.get(triangle)?, pixels, weights))
    }

    /// The same material all over; `texcoords` and `tints` are those of the vertices, which may be none.
    pub(super) fn uniform(
        material: Material,
        triangles: &[[u32; 3]],
        texcoords: &[Vec2],
        tints: Vec<Colour>,
    ) -> Surfacing {
        let at = |v: u32| texcoords.get(v as usize).copied().unwrap_or_default();
        let texcoords = match &material.texture {
            Some(_) => triangles.iter().map(|t| t.map(at)).collect(),
            None => Vec::new(),
        };
        Surfacing { materials: vec![material], of: vec![0; triangles.len()], texcoords, tints }
    }
}

/// A surface in a picture.
#[derive(Clone, Debug)]
pub struct Mesh<'a> {
    /// Vertices, metres.
    pub positions: &'a [Vec3],
    /// Corners; each indexes `positions`.
    pub triangles: &'a [[u32; 3]],
    /// Unit normal of each vertex.
    pub normals: Vec<Vec3>,
    /// Its colour.
    pub paint: Paint,
}

impl Mesh<'_> {
    /// Whether nothing is seen through a triangle.
    pub(super) fn is_opaque(&self, triangle: usize) -> bool {
        match &self.paint {
            Paint::Materials(surfacing) => surfacing.material(triangle).alpha == Alpha::Ignored,
            Paint::Plain(_) | Paint::PerVertex(_) => true,
        }
    }

    /// The part that is seen of a triangle at a point of it, 0 to 1: `pixels` are the places of its corners in the picture.
    pub(super) fn coverage(&self, triangle: usize, pixels: [Vec2; 3], weights: Vec3) -> f32 {
        match &self.paint {
            Paint::Materials(surfacing) => {
                surfacing.material(triangle).coverage(|| surfacing.place(triangle, pixels, weights))
            }
            Paint::Plain(_) | Paint::PerVertex(_) => 1.0,
        }
    }
}

/// The colour of a surface.
#[derive(Clone, Debug, PartialEq)]
pub enum Paint {
    /// One for all of it.
    Plain(Colour),
    /// One for each vertex.
    PerVertex(Vec<Colour>),
    /// A material for each triangle.
    Materials(Arc<Surfacing>),
}

impl Paint {
    /// Neutral grey, for bodies.
    pub fn body() -> Paint {
        Paint::Plain(GREY)
    }

    /// So light that what is drawn on it or lies before it stands out.
    pub fn faint() -> Paint {
        Paint::Plain(FAINT)
    }

    /// A fabric's own.
    pub fn cloth() -> Paint {
        Paint::Plain(CLOTH)
    }
}

/// Cosine between the normals of two vertices in one place up to which the edge there is sharp. At seams of a texture they are
/// the same.
const SHARP: f32 = 0.95;

/// Which vertices of a mesh are one place: a file splits them at the seams of its texture.
#[derive(Clone, Debug)]
pub struct Smoothing {
    /// For each vertex the first in the same place.
    first: Vec<u32>,
}

impl Smoothing {
    /// Of a mesh whose vertices are at `positions` when nothing has moved.
    pub fn of(positions: &[Vec3]) -> Smoothing {
        Smoothing { first: join(positions) }
    }

    /// Of a part of a mesh: `first` has for each the first of the mesh in the same place. Vertices that only other parts have there
    /// stay apart, and so do those whose `normals` say that an edge is sharp; an empty list says nothing.
    pub(super) fn of_part(first: &[u32], normals: &[Vec3]) -> Smoothing {
        let normal = |vertex: u32| normals.get(vertex as usize).map_or(Vec3::ZERO, |n| n.normalize_or_zero());
        let is_smooth = |one: Vec3, other: Vec3| one == Vec3::ZERO || other == Vec3::ZERO || one.dot(other) > SHARP;
        let mut own: Vec<u32> = (0..first.len() as u32).collect();
        let mut seen: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (vertex, &place) in (0..).zip(first) {
            let here = seen.entry(place).or_default();
            match here.iter().find(|&&known| is_smooth(normal(known), normal(vertex))) {
                Some(&known) => own[vertex as usize] = known,
                None => here.push(vertex),
            }
        }
        Smoothing { first: own }
    }

    /// Of so many vertices that all are places of their own.
    pub fn none(vertices: usize) -> Smoothing {
        Smoothing { first: (0..vertices as u32).collect() }
    }

    /// How many vertices there are.
    pub(super) fn vertices(&self) -> usize {
        self.first.len()
    }

    /// Vertices that are in the same place as an earlier one, which stands second.
    pub(super) fn seams(&self) -> Vec<[u32; 2]> {
        (0..)
            .zip(&self.first)
            .filter(|(vertex, first)| vertex != *first)
            .map(|(vertex, &first)| [vertex, first])
            .collect()
    }

    /// Unit normals of the vertices, weighted by area; zero where there is none.
    pub fn normals(&self, positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
        let mut sums = area_normals(positions, triangles.iter().copied());
        for (vertex, &first) in self.first.iter().enumerate().filter(|&(vertex, &first)| vertex != first as usize) {
            let own = sums[vertex];
            sums[first as usize] += own;
        }
        self.first.iter().map(|&v| sums[v as usize].normalize_or_zero()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_in_one_place_are_smooth_unless_their_normals_differ() {
        let first = [0, 0, 0, 0, 4];
        let joined = |normals: &[Vec3]| Smoothing::of_part(&first, normals).first;
        assert_eq!(joined(&[]), [0, 0, 0, 0, 4]);
        let tilted = Vec3::new(0.1, 1.0, 0.0);
        assert_eq!(joined(&[Vec3::Y, Vec3::X, tilted, Vec3::X * 2.0, Vec3::Y]), [0, 1, 0, 1, 4]);
        assert_eq!(joined(&[Vec3::Y, Vec3::ZERO, -Vec3::Y, Vec3::Y, Vec3::Y]), [0, 0, 2, 0, 4]);
    }
}
