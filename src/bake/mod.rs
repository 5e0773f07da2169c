//! [`PointCache`] -> files: glTF with a morph target a frame, OBJ sequences, Point Cache 2.
//!
//! Vertex identity is a promise: what is written has the garment file's vertices in the file's order. Only positions and
//! normals move; faces, texture coordinates, materials and groups are the file's.

#[cfg(test)]
mod bending_body;
mod beside;
mod check;
mod checkpoint;
mod error;
#[cfg(test)]
mod fixtures;
mod gltf;
mod lock;
mod normals;
mod obj;
mod output;
mod pc2;
#[cfg(test)]
mod reread;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod samples;
mod space;
mod staging;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use check::real_file;
pub use check::{Overwrite, check_outputs, check_side_file};
pub use checkpoint::{Checkpoint, CheckpointError, checkpoint_path, read_checkpoint, write_checkpoint};
pub use error::BakeError;
pub use lock::OutputLocks;
pub use output::{Format, Output, has_placeholder, numbered};
pub use space::check_space;
pub(crate) use staging::hex;
pub use staging::{FileSet, write_file};

use crate::body::Body;
use crate::geometry::{DVec3, Vec3};
use crate::import::Garment;
use crate::simulate::PointCache;
use crate::topology::ParticleId;

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct Bake<'a> {
    /// The garment as its file has it.
    pub garment: &'a Garment,
    /// Particle of each garment vertex.
    pub particle_of_vertex: &'a [ParticleId],
    /// Particle positions in every frame.
    pub cache: &'a PointCache,
    /// Where positions of the cache count from, metres in the world.
    pub origin: DVec3,
    /// The body, for glTF outputs, in the same animation. Default: left out.
    pub body: Option<&'a Body>,
    /// Name of the animation in glTF outputs. Default: the garment's name.
    pub clip: Option<&'a str>,
    /// Becomes true when the user wants to stop.
    pub interrupted: Option<&'a AtomicBool>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
}

/// Writes all outputs; one entry a file, in the order of `outputs`, sequences in frame order. Every file is complete
/// before the first gets its name, so an error or an interruption leaves what was there before.
///
/// # Errors
/// [`BakeError`]: nothing to write, a position that is not finite, a format's limits, or the operating system.
pub fn write(outputs: &[Output], bake: &Bake<'_>, overwrite: Overwrite) -> Result<Vec<Written>, BakeError> {
    bake.check_frames()?;
    outputs.iter().try_for_each(|output| output.check_times(&bake.cache.timeline))?;
    let paths: Vec<PathBuf> = outputs.iter().map(|output| output.path.clone()).collect();
    let new_folders = staging::missing_folders(&paths);
    write_all(outputs, bake, overwrite).inspect_err(|_| {
        // Those with something in them stay.
        new_folders.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    })
}

fn write_all(outputs: &[Output], bake: &Bake<'_>, overwrite: Overwrite) -> Result<Vec<Written>, BakeError> {
    let mut staged = Vec::new();
    for output in outputs {
        match output.format {
            Format::Glb => staged.extend(gltf::stage_glb(bake, output)?),
            Format::Gltf => staged.extend(gltf::stage_gltf(bake, output)?),
            Format::ObjSequence => staged.extend(obj::stage_sequence(bake, output)?),
            Format::Pc2 => {
                staged.push(staging::stage(&output.path, &output.path, |sink| pc2::write(bake, &output.path, sink))?)
            }
        }
    }
    bake.check_interrupt()?;
    staging::commit(staged, overwrite)
}

impl Bake<'_> {
    /// There are frames, and every position in them is finite.
    fn check_frames(&self) -> Result<(), BakeError> {
        if self.cache.frames.is_empty() {
            return Err(BakeError::NoFrames);
        }
        for (index, frame) in self.cache.frames.iter().enumerate() {
            if let Some(particle) = frame.iter().position(|p| !p.is_finite()) {
                return Err(BakeError::NotFinite { frame: self.cache.timeline.frame_number(index), particle });
            }
        }
        Ok(())
    }

    /// A position of the cache in the world and in the garment file's units and axes; none where positions count from the
    /// world's origin, and `f32` says it as well.
    fn far_in_file(&self, position: Vec3) -> Option<DVec3> {
        let is_far = self.origin != DVec3::ZERO;
        is_far.then(|| self.garment.frame.to_file_far(position.as_dvec3() + self.origin))
    }

    /// Stops the bake when the user asked for it.
    fn check_interrupt(&self) -> Result<(), BakeError> {
        match self.interrupted {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(BakeError::Interrupted),
            _ => Ok(()),
        }
    }
}
