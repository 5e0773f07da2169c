//! Statements -> numbers, names and spans: the one pass over the file.

use std::ops::Range;

use super::MAX_BYTES;
use super::batch::{Batch, Numbers};
use super::error::{ObjError, ObjFault, ObjFaults};
use super::lines::{MAX_WORDS, Statements, text};
use super::names::{Belonging, MAX_NAMES, Names};
use super::notices::Notices;
use super::words::{Counts, corner, is_decimal, is_finite_decimal};
use crate::geometry::Vec3;
use crate::import::Access;

/// Vertices, texture coordinates and normals that are usually read, each. Bounds memory: about 90 bytes for one of each.
pub const MAX_ELEMENTS: usize = 3_000_000;

/// Face corners that are usually read. Bounds memory: about 40 bytes each.
pub const MAX_CORNERS: usize = 10_000_000;

/// More of anything is never read: indices have 32 bits.
const MOST: usize = 1 << 30;

/// Largest magnitude of a coordinate, file units: beyond it squares and sums leave the range of 32-bit numbers.
pub const MAX_COORDINATE: f32 = 1e9;

/// Corners of a face that are read.
const MAX_FACE_CORNERS: usize = MAX_WORDS - 2;

/// Names that a statement gives MTL libraries: all its words, then each.
pub(super) fn library_names(s: &Statements<'_>) -> impl Iterator<Item = String> {
    std::iter::once(s.rest()).chain((1..s.words.len()).map(|i| s.word(i))).map(text)
}

/// `mtllib` names that are kept.
const MAX_LIBRARIES: usize = 16;

/// How much of a file is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Vertices, texture coordinates and normals, each.
    elements: usize,
    corners: usize,
    /// Of objects, groups and materials.
    names: usize,
}

impl Limits {
    /// In proportion to the largest file.
    pub(super) fn of(access: &Access) -> Limits {
        let raised = |usual| access.raised(usual, MAX_BYTES).min(MOST);
        Limits { elements: raised(MAX_ELEMENTS), corners: raised(MAX_CORNERS), names: raised(MAX_NAMES) }
    }
}

/// All that a garment or body needs of an OBJ file, in file order.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) numbers: Numbers,
    pub(super) names: Names,
    pub(super) position_spans: Vec<Range<usize>>,
    pub(super) normal_spans: Vec<Range<usize>>,
    /// Where the index of each corner's normal starts, for the corners that have one.
    pub(super) normal_indices: Vec<usize>,
    /// Colour of `v x y z r g b` with its vertex, ascending.
    pub(super) colours: Vec<(u32, Vec3)>,
    /// Line of each polygon.
    pub(super) polygon_lines: Vec<u32>,
    /// Names given by `mtllib`: all words, then each word.
    pub(super) libraries: Vec<String>,
    pub(super) faults: ObjFaults,
    pub(super) notices: Notices,
    counts: Counts,
    corner_count: usize,
    batch: Batch,
    batch_vertex_lines: Vec<u32>,
    batch_faces: Vec<(u32, Belonging)>,
}

impl Scan {
    /// Reads all statements of `bytes`. Faults of single lines are collected; only excess stops the reading.
    pub(super) fn run(name: &str, bytes: &[u8], limits: Limits) -> Result<Scan, ObjError> {
        let mut scan = Scan::default();
        let mut statements = Statements::new(bytes);
        while statements.advance() {
            scan.statement(&statements);
            if let Some((what, limit)) = scan.excess(limits) {
                return Err(ObjError::TooMany { name: name.to_owned(), line: statements.line, what, limit });
            }
            if scan.batch.is_full() {
                scan.read_batch(name)?;
            }
        }
        scan.read_batch(name)?;
        Ok(scan)
    }

    /// Number of `v` lines, readable or not.
    pub(super) fn vertex_count(&self) -> usize {
        self.counts.vertices
    }

    fn statement(&mut self, s: &Statements) {
        match s.word(0) {
            b"v" => self.vertex(s),
            b"vt" => self.texcoord(s),
            b"vn" => self.normal(s),
            b"f" | b"fo" => self.face(s),
            b"o" => self.names.object(&text(s.rest())),
            b"g" => {
                let words: Vec<String> = (1..s.words.len()).map(|i| text(s.word(i))).collect();
                self.names.group_set(&text(s.rest()), &words);
            }
            b"usemtl" => self.names.material(&text(s.rest())),
            b"mtllib" => {
                let room = MAX_LIBRARIES - self.libraries.len().min(MAX_LIBRARIES);
                self.libraries.extend(library_names(s).take(room));
            }
            b"s" => {}
            other => self.notices.unknown(s.line, other),
        }
    }

    fn excess(&self, Limits { elements, corners, names }: Limits) -> Option<(&'static str, usize)> {
        let counts = [
            ("vertices", self.counts.vertices, elements),
            ("texture coordinates", self.counts.texcoords, elements),
            ("normals", self.counts.normals, elements),
            ("face corners", self.corner_count, corners),
            ("names of objects, groups and materials", self.names.len(), names),
        ];
        counts.into_iter().find(|&(_, count, limit)| count > limit).map(|(what, _, limit)| (what, limit))
    }

    fn vertex(&mut self, s: &Statements) {
        let index = self.counts.vertices as u32;
        self.counts.vertices += 1;
        let found = s.words.len() - 1;
        if found < 3 {
            return self.faults.push(s.line, ObjFault::TooFewCoordinates { found });
        }
        let colour = if found >= 6 { 1..7 } else { 1..4 };
        if let Some(word) = colour.map(|i| s.word(i)).find(|word| !is_decimal(word)) {
            return self.faults.push(s.line, ObjFault::NotANumber { word: word.to_vec() });
        }
        if found >= 6 {
            let number = |i| std::str::from_utf8(s.word(i)).ok().and_then(|word| word.parse().ok());
            let component = |i| number(i).filter(|c: &f32| c.is_finite()).unwrap_or(0.0);
            self.colours.push((index, Vec3::new(component(4), component(5), component(6))));
        }
        self.position_spans.push(s.words[1].start..s.words[3].end);
        self.batch_vertex_lines.push(s.line);
        self.batch.push("v", (1..4).map(|i| s.word(i)));
    }

    /// A bad texture coordinate or normal moves nothing: it becomes 0 with a notice.
    fn texcoord(&mut self, s: &Statements) {
        self.counts.texcoords += 1;
        let good = (1..s.words.len().min(3)).all(|i| is_finite_decimal(s.word(i))) && s.words.len() > 1;
        if !good {
            self.notices.bad_texcoord(s.line);
        }
        let v = if s.words.len() > 2 { s.word(2) } else { b"0" };
        self.batch.push("vt", if good { [s.word(1), v] } else { [&b"0"[..], b"0"] });
    }

    fn normal(&mut self, s: &Statements) {
        self.counts.normals += 1;
        let good = (1..4).all(|i| is_finite_decimal(s.word(i)));
        if !good {
            self.notices.bad_normal(s.line);
        }
        let end = s.words.last().map_or(0, |word| word.end);
        let span = if good { s.words[1].start..s.words[3].end } else { s.words[0].end..end };
        self.normal_spans.push(span);
        self.batch.push("vn", (1..4).map(|i| if good { s.word(i) } else { b"0" }));
    }

    fn face(&mut self, s: &Statements) {
        if s.words.len() - 1 > MAX_FACE_CORNERS {
            return self.faults.push(s.line, ObjFault::GiantFace { limit: MAX_FACE_CORNERS });
        }
        let corners: Result<Vec<_>, ObjFault> = (1..s.words.len()).map(|i| corner(s.word(i), self.counts)).collect();
        match corners {
            Err(fault) => self.faults.push(s.line, fault),
            Ok(corners) if distinct_below_three(corners.iter().map(|c| c.0)) => self.notices.dropped_face(s.line),
            Ok(corners) => {
                self.corner_count += corners.len();
                let with_normals = s.words[1..].iter().zip(&corners).filter(|(_, (_, corner))| corner.normal.is_some());
                self.normal_indices.extend(with_normals.filter_map(|(word, _)| s.after_last(word, b'/')));
                self.batch.push_face(&corners);
                self.batch_faces.push((s.line, self.names.current()));
            }
        }
    }

    fn read_batch(&mut self, name: &str) -> Result<(), ObjError> {
        let start = self.numbers.positions.len();
        let fail = |source| ObjError::Reader { name: name.to_owned(), source };
        self.batch.read(&mut self.numbers).map_err(fail)?;
        let positions = self.numbers.positions.get(start..).unwrap_or_default();
        for (line, position) in self.batch_vertex_lines.drain(..).zip(positions) {
            if let Some(&value) = position.to_array().iter().find(|c| c.abs() > MAX_COORDINATE) {
                self.faults.push(line, ObjFault::TooFar { value, limit: MAX_COORDINATE });
            }
        }
        for (line, belonging) in self.batch_faces.drain(..) {
            self.polygon_lines.push(line);
            self.names.enter(belonging);
        }
        Ok(())
    }
}

/// Whether there are fewer than three different vertices.
fn distinct_below_three(mut vertices: impl Iterator<Item = u32>) -> bool {
    let Some(a) = vertices.next() else { return true };
    let Some(b) = vertices.find(|&v| v != a) else { return true };
    !vertices.any(|v| v != a && v != b)
}
