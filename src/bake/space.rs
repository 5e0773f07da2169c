//! Whether the disk has room for what a bake writes, asked before it begins.

use std::collections::BTreeMap;
use std::path::Path;

use super::check::nearest_folder;
use super::{BakeError, Format, Output};
use crate::import::{Garment, GarmentSource};

/// Bytes of a position, or a normal, in binary formats.
const TRIPLE: u64 = 12;
/// Bytes of a line with a position in an OBJ file, at least.
const LINE: u64 = 8;
/// What a text may shrink to when its numbers are written anew.
const SHORTER: u64 = 2;

/// Stops a bake of so many frames whose outputs are larger than what is free on their disks. What is counted is positions
/// and normals: a disk that is nearly full can still turn out too small.
///
/// # Errors
/// [`BakeError::NoSpace`] for the first disk that is too small.
pub fn check_space(outputs: &[Output], garment: &Garment, frames: usize) -> Result<(), BakeError> {
    let free = |output: &Output| free_at(nearest_folder(&output.path));
    check(outputs, |output| size(output, garment, frames as u64), free)
}

/// A disk, and its free bytes.
#[derive(Clone, Copy, Debug)]
struct Free {
    disk: u64,
    bytes: u64,
}

fn check(
    outputs: &[Output],
    size: impl Fn(&Output) -> u64,
    free: impl Fn(&Output) -> Option<Free>,
) -> Result<(), BakeError> {
    let mut needed: BTreeMap<u64, u64> = BTreeMap::new();
    for output in outputs {
        let Some(Free { disk, bytes }) = free(output) else { continue };
        let sum = needed.entry(disk).or_default();
        *sum = sum.saturating_add(size(output));
        if *sum > bytes {
            return Err(BakeError::NoSpace { path: output.path.clone(), needed: *sum, free: bytes });
        }
    }
    Ok(())
}

/// Bytes of an output at least.
fn size(output: &Output, garment: &Garment, frames: u64) -> u64 {
    let vertices = garment.positions.len() as u64;
    let of_frame = match output.format {
        Format::Glb | Format::Gltf => vertices_of_faces(garment).saturating_mul(2 * TRIPLE),
        Format::Pc2 => vertices.saturating_mul(TRIPLE),
        Format::ObjSequence => match &garment.source {
            GarmentSource::Obj(source) => source.text.len() as u64 / SHORTER,
            GarmentSource::Gltf(_) => vertices.saturating_mul(LINE),
        },
    };
    of_frame.saturating_mul(frames)
}

/// Vertices that are a corner of something: no others are in a glTF.
fn vertices_of_faces(garment: &Garment) -> u64 {
    let mut is_corner = vec![false; garment.positions.len()];
    garment.polygons.corners.iter().for_each(|&vertex| is_corner[vertex as usize] = true);
    is_corner.into_iter().filter(|is| *is).count() as u64
}

#[cfg(unix)]
fn free_at(folder: &Path) -> Option<Free> {
    use std::os::unix::fs::MetadataExt;
    let disk = folder.metadata().ok()?.dev();
    let room = rustix::fs::statvfs(folder).ok()?;
    // File systems that do not know say that they have no blocks at all.
    (room.f_blocks > 0).then(|| Free { disk, bytes: room.f_bavail.saturating_mul(room.f_frsize) })
}

#[cfg(not(unix))]
fn free_at(_: &Path) -> Option<Free> {
    None
}

/// A number of bytes for people.
pub(super) fn readable(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::fixtures::{gltf_skirt, skirt};
    use crate::bake::{Overwrite, write};
    use crate::import::FileFrame;

    fn outputs(names: &[&str]) -> Vec<Output> {
        names.iter().map(|name| Output::parse(*name).expect("a format")).collect()
    }

    #[test]
    fn outputs_on_one_disk_must_fit_together() {
        let all = outputs(&["a.glb", "b.glb", "c.glb"]);
        let free = |output: &Output| Some(Free { disk: u64::from(output.path == Path::new("c.glb")), bytes: 250 });
        check(&all, |_| 125, free).expect("250 bytes");
        let error = check(&all, |_| 126, free).expect_err("252 bytes").to_string();
        assert!(error.starts_with("b.glb: needs about 0.3 kB"), "{error}");
        check(&all, |_| u64::MAX, |_| None).expect("nothing is known");
    }

    #[test]
    fn sizes_are_below_those_of_what_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        for scene in [skirt(12, 16, 20, FileFrame::default()), gltf_skirt(12, 16, 20)] {
            for name in ["a.glb", "a.gltf", "a.pc2", "a.obj"] {
                let output = Output::parse(folder.path().join(name)).expect("a format");
                let least = size(&output, &scene.garment, 20);
                let files = write(&[output], &scene.bake(), Overwrite::Allow).expect("written");
                let written: u64 = files.iter().map(|file| file.bytes).sum();
                assert!((written / 20..=written).contains(&least), "{name}: {least} of {written} bytes");
            }
        }
    }
}
