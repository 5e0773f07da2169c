//! The garment's own OBJ file with other coordinates: comments, groups, faces and line ends stay byte for byte.
//!
//! A `vn` of the file is turned as the surface turns around the corners that use it: the mean, weighted by their angles,
//! of the rotations that take each corner's frame at rest to its frame now.
//!
//! ```text
//!        n                 n  normal of the polygon
//!        |   . next        t  from the previous corner to the next, along the polygon
//!        | .               b  n x t
//!   prev o------- t        rotation = [t b n] now  x  [t b n] at rest, transposed
//! ```
//!
//! Known limit: a `vn` that many corners share (one normal for a flat sheet) can only turn as all of them do in the mean.

use std::io::{self, Write};
use std::ops::Range;

use super::super::Bake;
use super::super::normals::angle_between;
use super::FrameText;
use super::number::{write_position, write_vec3};
use crate::geometry::{Mat3, Vec3, polygon_normal};
use crate::import::ObjSource;

/// The file's bytes and where its coordinates are.
pub(super) struct VerbatimText<'a> {
    source: &'a ObjSource,
    /// Bytes to replace, ascending, none overlapping.
    patches: Vec<(Range<usize>, Patch)>,
    /// Corners that turn a normal, grouped by nothing: each names its normal.
    turns: Vec<Turn>,
}

/// What takes the place of bytes.
#[derive(Clone, Copy)]
enum Patch {
    Position(usize),
    Normal(usize),
}

/// A corner that uses a `vn`.
struct Turn {
    /// The normal, index into the file's.
    normal: usize,
    polygon: usize,
    /// Place in the polygon.
    corner: usize,
    /// Transposed frame at rest.
    from_rest: Mat3,
    /// Angle at rest, radians.
    weight: f32,
}

impl<'a> VerbatimText<'a> {
    /// Finds what is to be replaced.
    pub(super) fn of(bake: &Bake<'_>, source: &'a ObjSource) -> VerbatimText<'a> {
        let positions = source.position_spans.iter().enumerate().map(|(i, span)| (span.clone(), Patch::Position(i)));
        let normals = source.normal_spans.iter().enumerate().map(|(i, span)| (span.clone(), Patch::Normal(i)));
        let mut patches: Vec<_> = positions.chain(normals).collect();
        patches.sort_by_key(|(span, _)| span.start);
        VerbatimText { source, patches, turns: turns(bake, source) }
    }

    /// The file's normals in a frame, in file axes.
    fn normals(&self, bake: &Bake<'_>, positions: &[Vec3]) -> Vec<Vec3> {
        let file = bake.garment.frame;
        let rest: Vec<Vec3> = self.source.normals.iter().map(|&n| file.to_metres(n).normalize_or_zero()).collect();
        let mut sums = vec![Vec3::ZERO; rest.len()];
        for turn in &self.turns {
            let polygon = corners(bake, turn.polygon, positions);
            if let Some(now) = corner_frame(&polygon, turn.corner) {
                sums[turn.normal] += now * (turn.from_rest * rest[turn.normal]) * turn.weight;
            }
        }
        let turned = sums.iter().zip(&rest).map(|(sum, &rest)| sum.try_normalize().unwrap_or(rest));
        turned.map(|normal| file.to_file(normal).normalize_or_zero()).collect()
    }
}

impl FrameText for VerbatimText<'_> {
    fn write(&self, bake: &Bake<'_>, index: usize, sink: &mut dyn Write) -> io::Result<()> {
        let positions: Vec<Vec3> = bake.cache.vertex_positions(index, bake.particle_of_vertex).collect();
        let normals = self.normals(bake, &positions);
        let text = &self.source.text;
        let mut written = 0;
        for (span, patch) in &self.patches {
            sink.write_all(&text[written..span.start])?;
            match *patch {
                Patch::Position(vertex) => write_position(bake, positions[vertex], sink)?,
                Patch::Normal(normal) => write_vec3(normals[normal], sink)?,
            }
            written = span.end;
        }
        sink.write_all(&text[written..])
    }
}

/// Corners that use a normal and have a frame at rest.
fn turns(bake: &Bake<'_>, source: &ObjSource) -> Vec<Turn> {
    if source.normal_spans.is_empty() {
        return Vec::new();
    }
    let polygons = &bake.garment.polygons;
    let all = (0..polygons.len()).flat_map(|polygon| polygons.range(polygon).enumerate().map(move |at| (polygon, at)));
    let turn = |(polygon, (corner, index)): (usize, (usize, usize))| {
        let normal = source.corners.get(index)?.normal? as usize;
        let rest = corners(bake, polygon, &bake.garment.positions);
        let frame = corner_frame(&rest, corner)?;
        let (previous, here, next) = around(&rest, corner);
        let weight = angle_between(previous - here, next - here);
        (normal < source.normals.len()).then_some(Turn {
            normal,
            polygon,
            corner,
            from_rest: frame.transpose(),
            weight,
        })
    };
    all.filter_map(turn).collect()
}

fn corners(bake: &Bake<'_>, polygon: usize, positions: &[Vec3]) -> Vec<Vec3> {
    bake.garment.polygons.get(polygon).iter().map(|&vertex| positions[vertex as usize]).collect()
}

/// Positions before, at and after a corner.
fn around(polygon: &[Vec3], corner: usize) -> (Vec3, Vec3, Vec3) {
    let count = polygon.len();
    (polygon[(corner + count - 1) % count], polygon[corner], polygon[(corner + 1) % count])
}

/// Orthonormal axes (t, b, n) of the surface at a corner; none where it has no area.
fn corner_frame(polygon: &[Vec3], corner: usize) -> Option<Mat3> {
    let (previous, here, next) = around(polygon, corner);
    let n = polygon_normal(polygon).try_normalize()?;
    let chord = (next - here).normalize_or_zero() - (previous - here).normalize_or_zero();
    let t = chord.reject_from_normalized(n).try_normalize()?;
    Some(Mat3::from_cols(t, n.cross(t), n))
}
