//! What is in a body that is a sequence of OBJ files.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::size_advice;
use crate::body::Body;
use crate::cli::bake::inputs::stands_on_z;
use crate::cli::failure::Failure;
use crate::geometry::Aabb;
use crate::import::{BodyAsset, MeshSequence, Unit};

/// What is in a sequence.
#[derive(Debug, Serialize)]
pub(super) struct SequenceFacts {
    /// Its folder, pattern or first file.
    pub(super) file: PathBuf,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
    /// Numbers of the first and the last file.
    pub(super) frames: [i64; 2],
    /// Of the first frame, metres.
    pub(super) size: [f32; 3],
    /// Whether the last pose is the first.
    pub(super) is_closed: bool,
    /// What is odd.
    pub(super) notices: Vec<String>,
    /// What to do about it.
    pub(super) advice: Vec<String>,
}

impl SequenceFacts {
    pub(super) fn of(file: &Path, sequence: MeshSequence, read_in: Unit) -> Result<SequenceFacts, Failure> {
        let first = sequence.frames.first().map_or(&[][..], Vec::as_slice);
        let size = Aabb::around(first).size();
        let last = sequence.first_frame + sequence.frames.len() as i64 - 1;
        let mut facts = SequenceFacts {
            file: file.to_owned(),
            vertices: first.len(),
            triangles: sequence.triangles.len(),
            frames: [sequence.first_frame, last],
            size: size.to_array(),
            is_closed: false,
            notices: sequence.notices.clone(),
            advice: size_advice(size.max_element(), read_in, "body-units").into_iter().collect(),
        };
        let body = Body::new(BodyAsset::Sequence(sequence), None)?;
        facts.is_closed = body.is_cyclic();
        if stands_on_z(&body) {
            facts.advice.push("it lies on its side as read, along Z: add --body-up z".to_owned());
        }
        Ok(facts)
    }
}
