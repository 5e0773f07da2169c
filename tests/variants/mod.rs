//! One walker in many disguises: the same motion as other files would say it.

mod edits;
mod encode;
mod names;
mod scene;

pub(crate) use edits::*;
pub(crate) use encode::{Encoding, Faces, Interpolated, JointType, WeightType, encode};
pub(crate) use names::CONVENTIONS;
pub(crate) use scene::{Bake, Baked, bake, garment};

use std::path::Path;

use toile::import::Rig;
use toile::import::gltf::read_rig;

/// The walker of the built-in scenes with its walk.
pub(crate) fn walker() -> Rig {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/walker.glb");
    let bytes = std::fs::read(&path).expect("the walker");
    let mut rig = read_rig(&bytes, path.parent().expect("a folder"), "walker").expect("a rig");
    rig.clips.retain(|clip| clip.name == "walk");
    rig
}
