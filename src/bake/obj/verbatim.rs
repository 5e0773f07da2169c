//! The garment's own OBJ file with other coordinates: comments, groups, faces and line ends stay byte for byte. Only where corners of
//! several particles share a `vn`, one for a flat sheet say, each particle gets its own behind it, and faces refer to that.
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

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use super::super::Bake;
use super::super::normals::angle_between;
use super::FrameText;
use super::number::{write_position, write_vec3};
use crate::geometry::{Mat3, Vec3, polygon_normal};
use crate::import::{ObjCorner, ObjSource};

/// The file's bytes and where its coordinates are.
pub(super) struct VerbatimText<'a> {
    text: Cow<'a, [u8]>,
    patches: Patches,
    /// Normals at rest, of unit length, in metres and with Y up.
    rest_normals: Vec<Vec3>,
    /// Corners that turn a normal, grouped by nothing: each names its normal.
    turns: Vec<Turn>,
}

/// Which bytes of a text are coordinates, ascending, none overlapping.
type Patches = Vec<(Range<usize>, Patch)>;

/// What takes the place of bytes.
#[derive(Clone, Copy)]
enum Patch {
    Position(usize),
    Normal(usize),
}

/// A corner that uses a `vn`.
struct Turn {
    /// The normal, index into those of the text.
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
        let users = Users::of(bake, source);
        let rest = |&n: &Vec3| bake.garment.frame.to_metres(n).normalize_or_zero();
        let rest_of = |(normal, ends): (&Vec3, &[usize])| std::iter::repeat_n(rest(normal), ends[1] - ends[0]);
        let rest_normals = source.normals.iter().zip(users.starts.windows(2)).flat_map(rest_of).collect();
        let (text, patches) = if users.share() {
            let (text, patches) = users.own_normals(source);
            (Cow::Owned(text), patches)
        } else {
            (Cow::Borrowed(source.text.as_slice()), coordinates(source))
        };
        VerbatimText { text, patches, rest_normals, turns: turns(bake, source, &users) }
    }

    /// The text's normals in a frame, in file axes.
    fn normals(&self, bake: &Bake<'_>, positions: &[Vec3]) -> Vec<Vec3> {
        let mut sums = vec![Vec3::ZERO; self.rest_normals.len()];
        for turn in &self.turns {
            let polygon = corners(bake, turn.polygon, positions);
            if let Some(now) = corner_frame(&polygon, turn.corner) {
                sums[turn.normal] += now * (turn.from_rest * self.rest_normals[turn.normal]) * turn.weight;
            }
        }
        let turned = sums.iter().zip(&self.rest_normals).map(|(sum, &rest)| sum.try_normalize().unwrap_or(rest));
        turned.map(|normal| bake.garment.frame.to_file(normal).normalize_or_zero()).collect()
    }
}

impl FrameText for VerbatimText<'_> {
    fn write(&self, bake: &Bake<'_>, index: usize, sink: &mut dyn Write) -> io::Result<()> {
        let positions: Vec<Vec3> = bake.cache.vertex_positions(index, bake.particle_of_vertex).collect();
        let normals = self.normals(bake, &positions);
        let mut written = 0;
        for (span, patch) in &self.patches {
            sink.write_all(&self.text[written..span.start])?;
            // A normal that is none begins right behind its keyword.
            if self.text[..span.start].ends_with(b"n") {
                sink.write_all(b" ")?;
            }
            match *patch {
                Patch::Position(vertex) => write_position(bake, positions[vertex], sink)?,
                Patch::Normal(normal) => write_vec3(normals[normal], sink)?,
            }
            written = span.end;
        }
        sink.write_all(&self.text[written..])
    }
}

/// Those of the file's own text.
fn coordinates(source: &ObjSource) -> Patches {
    let positions = source.position_spans.iter().enumerate().map(|(i, span)| (span.clone(), Patch::Position(i)));
    let normals = source.normal_spans.iter().enumerate().map(|(i, span)| (span.clone(), Patch::Normal(i)));
    let mut patches: Vec<_> = positions.chain(normals).collect();
    patches.sort_by_key(|(span, _)| span.start);
    patches
}

/// The own normals of a text: of each `vn` of its file one for every particle that uses it, and one if none does.
struct Users {
    /// Of each `vn`, the first of its own; and the end.
    starts: Vec<usize>,
    /// Of each corner that has a normal, its own.
    of_corners: Vec<Option<u32>>,
}

impl Users {
    fn of(bake: &Bake<'_>, source: &ObjSource) -> Users {
        let count = source.normals.len();
        let particle = |vertex: &u32| bake.particle_of_vertex[*vertex as usize].0;
        let normal = |corner: &ObjCorner| corner.normal.filter(|&normal| (normal as usize) < count);
        let corners = || source.corners.iter().map(normal).zip(bake.garment.polygons.corners.iter().map(particle));
        let mut users: Vec<[u32; 2]> = corners().filter_map(|(normal, particle)| Some([normal?, particle])).collect();
        users.sort_unstable();
        users.dedup();
        let (mut starts, mut used) = (vec![0], vec![0]);
        for normal in 0..count as u32 {
            let of_this = users[used[normal as usize]..].iter().take_while(|user| user[0] == normal).count();
            used.push(used[normal as usize] + of_this);
            starts.push(starts[normal as usize] + of_this.max(1));
        }
        let own = |(normal, particle): (Option<u32>, u32)| {
            let place = users.binary_search(&[normal?, particle]).ok()?;
            let normal = normal? as usize;
            Some((starts[normal] + place - used[normal]) as u32)
        };
        Users { of_corners: corners().map(own).collect(), starts }
    }

    /// Whether corners of several particles use the same.
    fn share(&self) -> bool {
        self.starts.last() >= Some(&self.starts.len())
    }

    /// The file's bytes with a `vn` for every particle that uses one.
    fn own_normals(&self, source: &ObjSource) -> (Vec<u8>, Patches) {
        enum Part {
            Coordinates(Patch),
            Index(u32),
        }
        let of_corner = |(&start, own): (&usize, u32)| {
            let digits = source.text[start..].iter().take_while(|b| b.is_ascii_digit() || b"+-".contains(b)).count();
            (start..start + digits, Part::Index(own))
        };
        let indices = source.normal_indices.iter().zip(self.of_corners.iter().copied().flatten()).map(of_corner);
        let coordinates = coordinates(source).into_iter().map(|(span, patch)| (span, Part::Coordinates(patch)));
        let mut parts: Vec<_> = coordinates.chain(indices).collect();
        parts.sort_by_key(|(span, _)| span.start);

        let line_end = if source.text.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
        let (mut text, mut patches, mut read) = (Vec::new(), Vec::new(), 0);
        for (span, part) in parts {
            text.extend(&source.text[read..span.start]);
            let start = text.len();
            match part {
                Part::Index(own) => text.extend((own + 1).to_string().bytes()),
                Part::Coordinates(Patch::Position(vertex)) => {
                    text.extend(&source.text[span.clone()]);
                    patches.push((start..text.len(), Patch::Position(vertex)));
                }
                Part::Coordinates(Patch::Normal(normal)) => {
                    text.extend(&source.text[span.clone()]);
                    let own = self.starts[normal]..self.starts[normal + 1];
                    patches.push((start..text.len(), Patch::Normal(own.start)));
                    for own in own.skip(1) {
                        text.extend(line_end.bytes().chain(*b"vn "));
                        patches.push((text.len()..text.len(), Patch::Normal(own)));
                    }
                }
            }
            read = span.end;
        }
        text.extend(&source.text[read..]);
        (text, patches)
    }
}

/// Corners that use a normal and have a frame at rest.
fn turns(bake: &Bake<'_>, source: &ObjSource, users: &Users) -> Vec<Turn> {
    if source.normal_spans.is_empty() {
        return Vec::new();
    }
    let polygons = &bake.garment.polygons;
    let all = (0..polygons.len()).flat_map(|polygon| polygons.range(polygon).enumerate().map(move |at| (polygon, at)));
    let turn = |(polygon, (corner, index)): (usize, (usize, usize))| {
        let normal = users.of_corners.get(index).copied().flatten()? as usize;
        let rest = corners(bake, polygon, &bake.garment.positions);
        let frame = corner_frame(&rest, corner)?;
        let (previous, here, next) = around(&rest, corner);
        let weight = angle_between(previous - here, next - here);
        Some(Turn { normal, polygon, corner, from_rest: frame.transpose(), weight })
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
