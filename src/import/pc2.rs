//! Point Cache 2: positions of a mesh's vertices, frame by frame. `bake::pc2` has the layout.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use super::read::open_limited;
use super::{FileFrame, ImportError};
use crate::geometry::Vec3;

/// Largest point cache that is read, bytes: it takes as much memory.
pub const MAX_POINT_CACHE_BYTES: u64 = 768 << 20;
/// Bytes before the first position.
const HEADER: usize = 32;
/// Largest number of a first frame; what is beyond counts as none.
const FARTHEST_START: f32 = 1e6;

/// What is wrong with a point cache.
#[derive(Debug, thiserror::Error)]
pub enum PointCacheError {
    /// Another file, or another version.
    #[error("{}: this is no Point Cache 2 file of version 1", path.display())]
    NotOne {
        /// The path as given.
        path: PathBuf,
    },
    /// It moves another number of vertices than the mesh has.
    #[error("{}: it moves {found} vertices, but the mesh has {expected}; give the mesh it was baked for", path.display())]
    OtherMesh {
        /// The path as given.
        path: PathBuf,
        /// Vertices of the cache.
        found: i64,
        /// Vertices of the mesh.
        expected: usize,
    },
    /// More or fewer bytes than its header says.
    #[error("{}: its header speaks of {expected} bytes, but it has {found}; it was cut off or is damaged", path.display())]
    Length {
        /// The path as given.
        path: PathBuf,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        found: u64,
    },
    /// A header and nothing else.
    #[error("{}: it moves nothing (no frame or no vertex); bake it again", path.display())]
    NoFrames {
        /// The path as given.
        path: PathBuf,
    },
    /// A coordinate that is no number.
    #[error("{}: frame {frame} puts vertex {vertex} nowhere (NaN or infinity)", path.display())]
    NotFinite {
        /// The path as given.
        path: PathBuf,
        /// Index of the frame.
        frame: usize,
        /// Index of the vertex.
        vertex: usize,
    },
}

/// Positions of `vertices` vertices in each frame, metres, Y up, and the number of the first frame.
///
/// # Errors
/// The file cannot be read, is none, or belongs to another mesh.
pub fn read_point_cache(path: &Path, vertices: usize, frame: FileFrame) -> Result<(i64, Vec<Vec<Vec3>>), ImportError> {
    let (file, size) = open_limited(path, MAX_POINT_CACHE_BYTES)?;
    parse_point_cache(path, BufReader::new(file), size, vertices, frame)
}

/// As [`read_point_cache`], of `size` bytes; `path` is what messages call them.
///
/// # Errors
/// As there.
pub fn parse_point_cache(
    path: &Path,
    mut bytes: impl Read,
    size: u64,
    vertices: usize,
    frame: FileFrame,
) -> Result<(i64, Vec<Vec<Vec3>>), ImportError> {
    let path = || path.to_owned();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::UnexpectedEof => PointCacheError::NotOne { path: path() }.into(),
        _ => ImportError::Io { path: path(), source },
    };
    let mut header = [0; HEADER];
    bytes.read_exact(&mut header).map_err(failed)?;
    let (start, samples) = check_header(&path(), &header, size, vertices)?;
    let mut frames = Vec::with_capacity(samples);
    let mut numbers = vec![0; 12 * vertices];
    for index in 0..samples {
        bytes.read_exact(&mut numbers).map_err(failed)?;
        let place = |p: &[f32; 3]| frame.to_metres(Vec3::from_array(*p));
        let words = numbers.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect::<Vec<f32>>();
        let places: Vec<Vec3> = words.as_chunks().0.iter().map(place).collect();
        if let Some(vertex) = places.iter().position(|place| !place.is_finite()) {
            return Err(PointCacheError::NotFinite { path: path(), frame: index, vertex }.into());
        }
        frames.push(places);
    }
    Ok((start, frames))
}

/// Number of the first frame and number of frames, if the header fits the file's size and the mesh.
fn check_header(
    path: &Path,
    header: &[u8; HEADER],
    size: u64,
    vertices: usize,
) -> Result<(i64, usize), PointCacheError> {
    let path = || path.to_owned();
    let words = header.as_chunks::<4>().0;
    let integer = |word: usize| words.get(word).map_or(0, |w| i32::from_le_bytes(*w));
    let (version, points, samples) = (integer(3), integer(4), integer(7));
    let start = f32::from_bits(integer(5) as u32);
    if !header.starts_with(b"POINTCACHE2\0") || version != 1 || points < 0 || samples < 0 {
        return Err(PointCacheError::NotOne { path: path() });
    }
    if points as usize != vertices {
        return Err(PointCacheError::OtherMesh { path: path(), found: i64::from(points), expected: vertices });
    }
    let positions = (points as u64 * samples as u64).saturating_mul(12);
    let expected = positions.saturating_add(HEADER as u64);
    if expected != size {
        return Err(PointCacheError::Length { path: path(), expected, found: size });
    }
    if samples == 0 || points == 0 {
        return Err(PointCacheError::NoFrames { path: path() });
    }
    let is_number = start.abs() <= FARTHEST_START;
    Ok((if is_number { start.round() as i64 } else { 0 }, samples as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(points: i32, samples: i32, numbers: &[f32]) -> Vec<u8> {
        let mut bytes = b"POINTCACHE2\0".to_vec();
        for word in [1, points] {
            bytes.extend(i32::to_le_bytes(word));
        }
        bytes.extend(3_f32.to_le_bytes());
        bytes.extend(1_f32.to_le_bytes());
        bytes.extend(samples.to_le_bytes());
        bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        bytes
    }

    fn read(bytes: &[u8], vertices: usize) -> Result<(i64, Vec<Vec<Vec3>>), PointCacheError> {
        match parse_point_cache(Path::new("a.pc2"), bytes, bytes.len() as u64, vertices, FileFrame::default()) {
            Err(ImportError::PointCache(error)) => Err(error),
            other => Ok(other.expect("no other error")),
        }
    }

    #[test]
    fn positions_are_read_frame_by_frame() {
        let (first, frames) = read(&file(1, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 1).expect("a cache");
        assert_eq!(first, 3);
        assert_eq!(frames, [vec![Vec3::new(1.0, 2.0, 3.0)], vec![Vec3::new(4.0, 5.0, 6.0)]]);
    }

    #[test]
    fn what_is_no_cache_of_this_mesh_is_refused_with_its_reason() {
        let good = file(1, 1, &[0.0; 3]);
        assert!(matches!(read(&good[..20], 1), Err(PointCacheError::NotOne { .. })));
        assert!(matches!(read(&good, 2), Err(PointCacheError::OtherMesh { found: 1, expected: 2, .. })));
        assert!(matches!(read(&good[..40], 1), Err(PointCacheError::Length { .. })));
        assert!(matches!(read(&file(i32::MAX, i32::MAX, &[]), i32::MAX as usize), Err(PointCacheError::Length { .. })));
        assert!(matches!(read(&file(-1, 1, &[]), 1), Err(PointCacheError::NotOne { .. })));
        let nan = file(1, 2, &[0.0, 0.0, 0.0, 0.0, f32::NAN, 0.0]);
        assert!(matches!(read(&nan, 1), Err(PointCacheError::NotFinite { frame: 1, vertex: 0, .. })));
        assert!(matches!(read(&file(1, 0, &[]), 1), Err(PointCacheError::NoFrames { .. })));
        assert!(matches!(read(&file(0, i32::MAX, &[]), 0), Err(PointCacheError::NoFrames { .. })));
    }
}
