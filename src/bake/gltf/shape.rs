//! Shape of a block of vertices during a span of frames: the base and a displacement for every later frame.

use std::sync::Arc;

use gltf_json as json;
use json::Index;
use json::accessor::{Accessor, Type};
use json::mesh::MorphTarget;
use rayon::prelude::*;

use super::super::normals::smooth_normals;
use super::binary::Content;
use super::document::{Document, floats};
use crate::geometry::Vec3;

/// Vertices that share accessors, as points that move.
pub(super) struct MovingBlock {
    /// Point of each vertex.
    points: Vec<u32>,
    /// Triangles around these points, over points, for the normals.
    triangles: Vec<[u32; 3]>,
}

/// Accessors of a block's shape.
pub(super) struct Shape {
    pub(super) positions: Index<Accessor>,
    pub(super) normals: Index<Accessor>,
    pub(super) targets: Vec<MorphTarget>,
}

impl MovingBlock {
    /// Takes from all `triangles` those around the given points.
    pub(super) fn new(points: Vec<u32>, triangles: &[[u32; 3]], point_count: usize) -> MovingBlock {
        let mut is_here = vec![false; point_count];
        for &point in &points {
            is_here[point as usize] = true;
        }
        let is_around = |triangle: &&[u32; 3]| triangle.iter().any(|&point| is_here[point as usize]);
        MovingBlock { points, triangles: triangles.iter().filter(is_around).copied().collect() }
    }

    /// Normals of all points that have triangles here.
    fn normals(&self, frame: &[Vec3]) -> Vec<Vec3> {
        smooth_normals(frame, &self.triangles)
    }

    /// One value a vertex, from one a point.
    fn vertices(&self, value: impl Fn(usize) -> Vec3) -> impl Iterator<Item = Vec3> {
        self.points.iter().map(move |&point| value(point as usize))
    }
}

/// Adds the first of `frames` as base and the others as targets. Bounds are found now, bytes when they are written.
pub(super) fn push_shape<'a>(document: &mut Document<'a>, block: &'a MovingBlock, frames: &'a [Vec<Vec3>]) -> Shape {
    let (base, later) = (&*frames[0], &frames[1..]);
    let base_normals = Arc::new(block.normals(base));
    let count = block.points.len();
    let positions = bytes_of(block.vertices(|p| base[p]));
    let positions =
        document.push_positions(count, bounds(block.vertices(|p| base[p])), Content::Ready(positions.into()));
    let normals = bytes_of(block.vertices(|p| base_normals[p]));
    let normals = document.push_attribute(floats(Type::Vec3), count, Content::Ready(normals.into()));
    let all_bounds: Vec<[Vec3; 2]> =
        later.par_iter().map(|frame| bounds(block.vertices(|p| frame[p] - base[p]))).collect();
    let targets = later.iter().zip(all_bounds).map(|(frame, bounds)| {
        let moved = move || bytes_of(block.vertices(|p| frame[p] - base[p]));
        let base_normals = Arc::clone(&base_normals);
        let turned = move || {
            let normals = block.normals(frame);
            bytes_of(block.vertices(|p| normals[p] - base_normals[p]))
        };
        MorphTarget {
            positions: Some(document.push_positions(count, bounds, Content::Made(Box::new(moved)))),
            normals: Some(document.push_attribute(floats(Type::Vec3), count, Content::Made(Box::new(turned)))),
            tangents: None,
        }
    });
    let targets = targets.collect();
    Shape { positions, normals, targets }
}

/// Vectors as bytes.
pub(super) fn bytes_of(vectors: impl Iterator<Item = Vec3>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(12 * vectors.size_hint().0);
    for v in vectors {
        bytes.extend(v.x.to_le_bytes());
        bytes.extend(v.y.to_le_bytes());
        bytes.extend(v.z.to_le_bytes());
    }
    bytes
}

/// Smallest and greatest components.
pub(super) fn bounds(vectors: impl Iterator<Item = Vec3>) -> [Vec3; 2] {
    let all = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let [min, max] = vectors.fold(all, |[min, max], v| [min.min(v), max.max(v)]);
    if min.x <= max.x { [min, max] } else { [Vec3::ZERO; 2] }
}
