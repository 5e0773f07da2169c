//! glTF and GLB files -> [`Garment`] and [`Rig`].
//!
//! ```text
//! bytes -> container -> JSON -> sanitise -> gltf::Document, checked accessors -> surfaces, skins, clips -> Garment, Rig
//! ```
//!
//! The `gltf` crate panics on some invalid files and refuses some valid ones. It serves as the typed document here and sees
//! only what `sanitise` has checked and copied; its validation, its accessor readers and its file access are not used.
//!
//! Not read: compressed geometry (Draco, meshopt), instancing, tangents.

mod accessor;
mod animations;
mod appearance;
mod buffers;
mod clip;
mod container;
mod element;
mod error;
mod format;
mod garment;
mod influences;
mod json;
mod limits;
mod meshes;
mod nodes;
mod resource;
mod rig;
mod sanitise;
mod surface;
mod tree;
mod values;

use std::path::Path;

use self::buffers::Buffers;
use self::resource::Resources;
use self::rig::Clips;
use self::sanitise::{Clean, sanitise};
use self::values::Values;
use super::{FileFrame, Garment, Rig};

pub use error::{Fault, Faults, GltfError};

/// Reads the triangle meshes of the default scene as one garment, at rest, in world space.
///
/// `bytes` are the file's, `folder` is where it lies (buffers and images are read from beneath it only), `name` is its stem.
///
/// # Errors
/// [`GltfError`] for everything that is wrong with the file; it does not name the file.
pub fn read_garment(bytes: &[u8], folder: &Path, name: &str) -> Result<Garment, GltfError> {
    read_garment_in(bytes, folder, name, FileFrame::default())
}

/// [`read_garment`] of a file in other units or axes than those of glTF.
pub(super) fn read_garment_in(bytes: &[u8], folder: &Path, name: &str, frame: FileFrame) -> Result<Garment, GltfError> {
    let mut clean = open(bytes, folder)?;
    let appearance = std::mem::take(&mut clean.appearance);
    garment::read(&clean, appearance, &mut Values::of(&clean.accessors, &clean.buffers), name, frame)
}

/// Reads nodes, triangle meshes, skins and animations of the default scene.
///
/// `bytes` are the file's, `folder` is where it lies (buffers and images are read from beneath it only), `name` is its stem.
///
/// # Errors
/// [`GltfError`] for everything that is wrong with the file; it does not name the file.
pub fn read_rig(bytes: &[u8], folder: &Path, name: &str) -> Result<Rig, GltfError> {
    let mut clean = open(bytes, folder)?;
    let appearance = std::mem::take(&mut clean.appearance);
    let (rig, _) = rig::read(&clean, appearance, &mut Values::of(&clean.accessors, &clean.buffers), name, Clips::Read)?;
    Ok(rig)
}

fn open<'a>(bytes: &'a [u8], folder: &'a Path) -> Result<Clean<'a>, GltfError> {
    let container = container::split(bytes)?;
    let json = json::parse(container.json)?;
    sanitise(&json, Buffers::new(container.binary, Resources::beneath(folder)))
}
