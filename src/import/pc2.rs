//! Point Cache 2: positions of a mesh's vertices, frame by frame. `bake::pc2` has the layout.

use std::path::{Path, PathBuf};

use super::read::read_limited;
use super::{FileFrame, ImportError};
use crate::geometry::Vec3;

/// Largest point cache that is read, bytes.
pub const MAX_POINT_CACHE_BYTES: u64 = 2 << 30;
/// Bytes before the first position.
const HEADER: usize = 32;

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
    let bytes = read_limited(path, MAX_POINT_CACHE_BYTES)?;
    Ok(parse(path, &bytes, vertices, frame)?)
}

fn parse(
    path: &Path,
    bytes: &[u8],
    vertices: usize,
    frame: FileFrame,
) -> Result<(i64, Vec<Vec<Vec3>>), PointCacheError> {
    let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok();
    let integer = |at: usize| word(at).map(i32::from_le_bytes);
    let path = || path.to_owned();
    let header = (integer(12), integer(16), word(20).map(f32::from_le_bytes), integer(28));
    let (Some(1), Some(points), Some(start), Some(samples)) = header else {
        return Err(PointCacheError::NotOne { path: path() });
    };
    if !bytes.starts_with(b"POINTCACHE2\0") || points < 0 || samples < 0 {
        return Err(PointCacheError::NotOne { path: path() });
    }
    if points as usize != vertices {
        return Err(PointCacheError::OtherMesh { path: path(), found: i64::from(points), expected: vertices });
    }
    let positions = (points as u64 * samples as u64).saturating_mul(12);
    let (expected, found) = (positions.saturating_add(HEADER as u64), bytes.len() as u64);
    if expected != found {
        return Err(PointCacheError::Length { path: path(), expected, found });
    }
    let number = |word: &[u8; 4]| f32::from_le_bytes(*word);
    let numbers: Vec<f32> = bytes[HEADER..].as_chunks().0.iter().map(number).collect();
    if let Some(at) = numbers.iter().position(|n| !n.is_finite()) {
        let (frame, vertex) = (at / 3 / vertices.max(1), at / 3 % vertices.max(1));
        return Err(PointCacheError::NotFinite { path: path(), frame, vertex });
    }
    let place = |p: &[f32; 3]| frame.to_metres(Vec3::from_array(*p));
    let frames = numbers.chunks(3 * vertices.max(1)).map(|frame| frame.as_chunks().0.iter().map(place).collect());
    Ok((if start.is_finite() { start.round() as i64 } else { 0 }, frames.collect()))
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
        parse(Path::new("a.pc2"), bytes, vertices, FileFrame::default())
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
        assert_eq!(read(&file(0, 5, &[]), 0).expect("an empty one").1.len(), 0);
    }
}
