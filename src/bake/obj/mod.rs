//! OBJ sequences: one file a frame, the same faces in each.
//!
//! An OBJ garment is written as its file's own bytes with other coordinates; a glTF garment gets a fresh text.

mod fresh;
mod number;
mod verbatim;

use std::io::Write;

use rayon::prelude::*;

use self::fresh::FreshText;
use self::verbatim::VerbatimText;
use super::staging::{Staged, stage};
use super::{Bake, BakeError, Output};
use crate::import::GarmentSource;

/// A text that differs from frame to frame in its coordinates only.
trait FrameText: Sync {
    /// Writes frame `index`.
    fn write(&self, bake: &Bake<'_>, index: usize, sink: &mut dyn Write) -> std::io::Result<()>;
}

/// Stages all files of the sequence.
pub(super) fn stage_sequence(bake: &Bake<'_>, output: &Output) -> Result<Vec<Staged>, BakeError> {
    match &bake.garment.source {
        GarmentSource::Obj(source) => stage_frames(bake, output, &VerbatimText::of(bake, source)),
        GarmentSource::Gltf(source) => stage_frames(bake, output, &FreshText::of(bake, source)),
    }
}

fn stage_frames(bake: &Bake<'_>, output: &Output, text: &impl FrameText) -> Result<Vec<Staged>, BakeError> {
    let stage_frame = |index| {
        bake.check_interrupt()?;
        let path = output.frame_path(bake.cache.timeline.frame_number(index));
        stage(&path, &output.path, |sink| text.write(bake, index, sink).map_err(BakeError::io(&path, "write it")))
    };
    (0..bake.cache.frames.len()).into_par_iter().map(stage_frame).collect()
}
