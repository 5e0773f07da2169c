//! OBJ sequences: one file a frame, the same faces in each.
//!
//! A sequence is given by its first file (`walk_0001.obj`, then every number that follows), by a pattern (`walk_####.obj`: all
//! numbers there are) or by the folder that holds it. A file without a number is a body that stands still; so is `man2.obj`
//! where there is no `man3.obj`: a number of one or two digits may be a version, one of three and more counts frames.

mod alike;
mod files;

use std::path::{Path, PathBuf};

use super::scan::Limits;
use super::{MAX_BYTES, ObjError, checked_scan};
use crate::geometry::{Vec3, triangulate};
use crate::import::{Access, FileFrame, MeshSequence, Polygons};
use alike::Mould;
pub(crate) use files::SequenceFiles;

/// Vertices of all frames together that are usually read: 600 MB of positions.
const MAX_VERTICES: usize = 50_000_000;

/// Files that do not make a sequence.
#[derive(Debug, thiserror::Error)]
pub enum SequenceError {
    /// No file of that name or pattern.
    #[error("{}: no such OBJ sequence; expected files such as {}", path.display(), example)]
    Missing {
        /// The path as given.
        path: PathBuf,
        /// A file name that would have fitted.
        example: String,
    },
    /// The folder cannot be listed.
    #[error("{}: cannot list the folder", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A folder with more than one sequence.
    #[error("{}: several OBJ sequences in the folder; give one of {}", path.display(), .patterns.join(", "))]
    Several {
        /// The folder.
        path: PathBuf,
        /// The sequences as patterns.
        patterns: Vec<String>,
    },
    /// A frame is missing in the middle.
    #[error("{}: frame is missing, the sequence goes on with {next}", path.display())]
    Gap {
        /// The file that should be there.
        path: PathBuf,
        /// The next file that is.
        next: String,
    },
    /// A frame is another mesh.
    #[error("{}: {what} than in {first}; all frames of a sequence need the same vertices and faces in the same order", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// What differs, with numbers.
        what: String,
        /// Name of the first file.
        first: String,
    },
    /// More than toile reads.
    #[error("{}: with this frame the sequence has more than {limit} vertices; a larger --max-file-mb takes more, in proportion to {}", path.display(), MAX_BYTES / 1_000_000)]
    TooLarge {
        /// The file that is too much.
        path: PathBuf,
        /// How many are read.
        limit: usize,
    },
    /// A frame cannot be read.
    #[error(transparent)]
    Obj(#[from] ObjError),
}

/// Takes the frames of a sequence one after the other.
pub(crate) struct SequenceReader {
    frame: FileFrame,
    limits: Limits,
    /// Vertices of all frames together that are read.
    most_vertices: usize,
    first_file: String,
    /// The first file, if others may be read by it.
    mould: Option<Mould>,
    polygons: Polygons,
    sequence: MeshSequence,
}

impl SequenceReader {
    pub(crate) fn new(files: &SequenceFiles, frame: FileFrame, access: &Access) -> SequenceReader {
        let (name, first_frame) = (files.name().to_owned(), files.first_frame());
        let notices = files.notice().map(str::to_owned).into_iter().collect();
        let paths = files.paths().to_vec();
        let sequence = MeshSequence { name, first_frame, notices, files: paths, ..MeshSequence::default() };
        SequenceReader {
            frame,
            limits: Limits::of(access),
            most_vertices: access.raised(MAX_VERTICES, MAX_BYTES),
            first_file: String::new(),
            mould: None,
            polygons: Polygons::default(),
            sequence,
        }
    }

    /// Takes the first frame.
    pub(crate) fn begin(&mut self, path: &Path, bytes: &[u8]) -> Result<(), SequenceError> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let scan = checked_scan(bytes, &name, self.limits)?;
        let positions = self.to_metres(&scan.numbers.positions);
        self.sequence.notices.extend(scan.notices.into_words(&name));
        self.first_file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.sequence.triangles = triangles(&positions, &scan.numbers.polygons);
        self.polygons = scan.numbers.polygons;
        let has_later = self.sequence.files.len() > 1;
        self.mould = has_later.then(|| Mould::of(bytes)).flatten();
        self.add(path, positions)
    }

    /// The vertices of a later frame, metres.
    pub(crate) fn read(&self, path: &Path, bytes: &[u8]) -> Result<Vec<Vec3>, SequenceError> {
        if let Some(places) = self.mould.as_ref().and_then(|mould| mould.places(bytes)) {
            return Ok(self.to_metres(&places));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let numbers = checked_scan(bytes, &name, self.limits)?.numbers;
        let vertices = self.sequence.frames.first().map_or(0, Vec::len);
        match difference(vertices, &self.polygons, numbers.positions.len(), &numbers.polygons) {
            Some(what) => Err(SequenceError::Differs { path: path.to_owned(), what, first: self.first_file.clone() }),
            None => Ok(self.to_metres(&numbers.positions)),
        }
    }

    /// Adds the vertices of the next frame.
    pub(crate) fn add(&mut self, path: &Path, positions: Vec<Vec3>) -> Result<(), SequenceError> {
        if (self.sequence.frames.len() + 1).saturating_mul(positions.len()) > self.most_vertices {
            return Err(SequenceError::TooLarge { path: path.to_owned(), limit: self.most_vertices });
        }
        self.sequence.frames.push(positions);
        Ok(())
    }

    fn to_metres(&self, places: &[Vec3]) -> Vec<Vec3> {
        places.iter().map(|&place| self.frame.to_metres(place)).collect()
    }

    pub(crate) fn finish(self) -> MeshSequence {
        self.sequence
    }
}

/// What differs from the first frame, in plain words.
fn difference(first_vertices: usize, first: &Polygons, vertices: usize, polygons: &Polygons) -> Option<String> {
    if vertices != first_vertices {
        return Some(format!("{vertices} vertices instead of {first_vertices}"));
    }
    if polygons.len() != first.len() {
        return Some(format!("{} faces instead of {}", polygons.len(), first.len()));
    }
    let other = (0..first.len()).find(|&i| first.get(i) != polygons.get(i))?;
    Some(format!("other corners of face {}", other + 1))
}

fn triangles(positions: &[Vec3], polygons: &Polygons) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for polygon in polygons.iter() {
        let corners: Vec<Vec3> = polygon.iter().filter_map(|&v| positions.get(v as usize).copied()).collect();
        triangles.extend(triangulate(&corners).into_iter().map(|t| t.map(|i| polygon[i])));
    }
    without_duplicates(triangles)
}

/// Each triangle once, however often it is said: where thousands lie on each other nothing can be found quickly.
fn without_duplicates(triangles: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let from_smallest = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min();
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    let key = |index: u32| (from_smallest(triangles[index as usize]), index);
    order.sort_unstable_by_key(|&index| key(index));
    let mut is_first = vec![true; triangles.len()];
    for pair in order.windows(2).filter(|pair| key(pair[0]).0 == key(pair[1]).0) {
        is_first[pair[1] as usize] = false;
    }
    triangles.into_iter().zip(is_first).filter_map(|(triangle, is_first)| is_first.then_some(triangle)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_frame_is_the_same_whether_it_is_read_by_the_first_or_thoroughly() {
        let first = "mtllib a_1.mtl\nv 0 1 2\nv 1 0 0\nv 0 0 1\nvn 0 0 1\nusemtl red\nf 1//1 2//1 3//1\n";
        let path = Path::new("a_1.obj");
        let reader = |mould: bool| {
            let files = SequenceFiles::find(path).expect("a still body");
            let mut reader = SequenceReader::new(&files, FileFrame::default(), &Access::default());
            reader.begin(path, first.as_bytes()).expect("a frame");
            assert!(reader.mould.is_none(), "there is no other file");
            reader.mould = if mould { Mould::of(first.as_bytes()) } else { None };
            assert_eq!(reader.mould.is_some(), mould);
            reader
        };
        let [by_first, thorough] = [true, false].map(reader);
        for place in ["-0 .1 1e-3", "16777217 0.1 -3.4028e-39", "1 2 3 4", "1 2 3 1 0 0", "1 2", "1e9 1e10 0", "1 x 0"]
        {
            let text = first.replace("v 0 1 2", &format!("v {place}")).replace("a_1", "b");
            let [one, other] = [&by_first, &thorough].map(|reader| reader.read(path, text.as_bytes()));
            let bits =
                |places: Vec<Vec3>| places.iter().flat_map(|p| p.to_array()).map(f32::to_bits).collect::<Vec<_>>();
            let [one, other] = [one, other].map(|read| read.map(bits).map_err(|error| error.to_string()));
            assert_eq!(one, other, "{place}");
        }
        let other_face = first.replace("f 1//1 2//1 3//1", "f 1//1 3//1 2//1");
        let refused = by_first.read(path, other_face.as_bytes()).expect_err("other corners").to_string();
        assert!(refused.contains("other corners of face 1"), "{refused}");
    }
}
