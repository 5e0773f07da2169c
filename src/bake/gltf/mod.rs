//! glTF 2.0: the garment as a mesh with one morph target a frame, and the body that wears it.
//!
//! ```text
//! frame 1 = base mesh, frame k = base + target k-1 at weight 1; linear between two frames, so at most two are active
//!
//!   weight of target   2   3   4            Encodings compared in Blender, three.js and engines: dense f32 targets
//!   key of frame 1     0   0   0            with linear identity weights are the only ones all of them show exactly.
//!               2      1   0   0            The identity is a sparse accessor: n ones instead of n x n numbers.
//!               3      0   1   0
//!               4      0   0   1
//! ```
//!
//! Normals are morphed too: Blender derives its own, three.js and every engine need them.

mod appearance;
mod binary;
mod body;
mod body_mesh;
mod container;
mod document;
#[cfg(test)]
mod dressed;
mod identity;
mod layout;
mod moving_mesh;
mod shape;
mod skin;
mod span;
mod still;
mod tracks;
mod wedges;

#[cfg(test)]
pub(super) use self::dressed::write_dressed_sample;

use self::body::{RigMotion, SequenceMesh};
use self::document::Document;
use self::layout::Layout;
use self::moving_mesh::MovingMesh;
use super::staging::{Staged, stage};
use super::{Bake, BakeError, Output};

/// Stages the one file of a `.glb`.
pub(super) fn stage_glb(bake: &Bake<'_>, output: &Output) -> Result<Vec<Staged>, BakeError> {
    with_document(bake, output, |document| {
        let staged =
            stage(&output.path, &output.path, |sink| container::write_glb(document, bake, &output.path, sink))?;
        Ok(vec![staged])
    })
}

/// Stages the `.bin`, then the `.gltf` that refers to it.
pub(super) fn stage_gltf(bake: &Bake<'_>, output: &Output) -> Result<Vec<Staged>, BakeError> {
    let buffer = output.buffer_path();
    with_document(bake, output, |document| {
        let bin = stage(&buffer, &output.path, |sink| document.binary.write(bake, &buffer, sink))?;
        let json =
            stage(&output.path, &output.path, |sink| container::write_json(document, &buffer, &output.path, sink))?;
        Ok(vec![bin, json])
    })
}

/// Plans the document: everything but the bytes of the frames, which are made while they are written.
fn with_document<T>(
    bake: &Bake<'_>,
    output: &Output,
    write: impl FnOnce(&mut Document<'_>) -> Result<T, BakeError>,
) -> Result<T, BakeError> {
    let layout = Layout::of_garment(bake.garment);
    if layout.meshes.is_empty() {
        return Err(BakeError::NoFaces { path: output.path.clone(), garment: bake.garment.name.clone() });
    }
    let timeline = &bake.cache.timeline;
    let times: Vec<f32> = (0..bake.cache.frames.len()).map(|index| timeline.output_seconds(index) as f32).collect();
    let garment = MovingMesh::of_garment(bake, &layout);
    let rig = bake.body.and_then(|body| RigMotion::of(body, timeline));
    let sequence = bake.body.filter(|body| body.rig().is_none()).map(|body| SequenceMesh::of(body, timeline));
    let sequence = sequence.as_ref().map(SequenceMesh::moving);

    let mut document = Document::new(bake.clip.unwrap_or(&bake.garment.name));
    garment.add_to(&mut document, timeline);
    if let Some(sequence) = &sequence {
        sequence.add_to(&mut document, timeline);
    }
    if let Some(rig) = &rig {
        rig.add_to(&mut document, &times);
    }
    write(&mut document)
}
