//! glTF and GLB files -> [`Garment`] and [`Rig`].
//!
//! ```text
//! bytes -> container -> JSON -> sanitise -> gltf::Document, checked accessors -> surfaces, skins, clips -> Garment, Rig
//! ```
//!
//! The `gltf` crate panics on some invalid files and refuses some valid ones. It serves as the typed document here and sees
//! only what `sanitise` has checked and copied; its validation, its accessor readers and its file access are not used.
//!
//! Compressed geometry is decoded on the way (`draco` by primitive, `meshopt` by buffer view). Not read: instancing, tangents.

mod accessor;
mod animations;
mod appearance;
mod buffers;
mod clip;
mod container;
mod draco;
mod element;
mod error;
mod format;
mod garment;
mod influences;
mod json;
mod limits;
mod meshes;
mod meshopt;
mod nodes;
mod resource;
mod rig;
mod sanitise;
mod surface;
mod tree;
mod values;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::buffers::Buffers;
use self::limits::{MAX_JSON_BYTES, MAX_JSON_MEMORY};
use self::resource::Resources;
use self::rig::Wanted;
use self::sanitise::{Clean, sanitise};
use self::values::Values;
use super::read::MAX_GLTF_BYTES;
use super::{Access, FileFrame, Garment, Rig};

pub use error::{Fault, Faults, GltfError};

/// Reads the triangle meshes of the default scene as one garment, at rest, in world space.
///
/// `bytes` are the file's, `folder` is where it lies (buffers and images are read from beneath it only), `name` is its stem.
///
/// # Errors
/// [`GltfError`] for everything that is wrong with the file; it does not name the file.
pub fn read_garment(bytes: &[u8], folder: &Path, name: &str) -> Result<Garment, GltfError> {
    read_garment_in(bytes, folder, name, FileFrame::default(), &Access::default())
}

/// [`read_garment`] of a file in other units or axes than those of glTF, with what it may open.
pub(super) fn read_garment_in(
    bytes: &[u8],
    folder: &Path,
    name: &str,
    frame: FileFrame,
    access: &Access,
) -> Result<Garment, GltfError> {
    let mut clean = open(bytes, folder, access)?;
    let appearance = std::mem::take(&mut clean.appearance);
    garment::read(&clean, appearance, &mut Values::of(&clean, access), name, frame)
}

/// Reads nodes, triangle meshes, skins and animations of the default scene.
///
/// `bytes` are the file's, `folder` is where it lies (buffers and images are read from beneath it only), `name` is its stem.
///
/// # Errors
/// [`GltfError`] for everything that is wrong with the file; it does not name the file.
pub fn read_rig(bytes: &[u8], folder: &Path, name: &str) -> Result<Rig, GltfError> {
    read_rig_in(bytes, folder, name, &Access::default())
}

/// [`read_rig`] with what it may open.
pub(super) fn read_rig_in(bytes: &[u8], folder: &Path, name: &str, access: &Access) -> Result<Rig, GltfError> {
    let mut clean = open(bytes, folder, access)?;
    let appearance = std::mem::take(&mut clean.appearance);
    let (rig, _) = rig::read(&clean, appearance, &mut Values::of(&clean, access), name, Wanted::Motion)?;
    Ok(rig)
}

/// The files in which the `things` of a document lie (`buffers`, `images`), as far as they may be opened, each once; none for bytes
/// that are no glTF.
pub(crate) fn files_of(things: &[&str], bytes: &[u8], folder: &Path, access: &Access) -> BTreeSet<PathBuf> {
    let Ok((document, _)) = document(bytes, access) else { return BTreeSet::new() };
    let resources = Resources::new(folder, access);
    let all = things.iter().filter_map(|things| document.get(things).and_then(Value::as_array)).flatten();
    all.filter_map(|thing| resources.file(thing.get("uri")?.as_str()?)).collect()
}

fn open<'a>(bytes: &'a [u8], folder: &'a Path, access: &'a Access) -> Result<Clean<'a>, GltfError> {
    let (json, binary) = document(bytes, access)?;
    let count = json.get("buffers").and_then(Value::as_array).map_or(0, Vec::len);
    sanitise(&json, Buffers::new(count, binary, Resources::new(folder, access)))
}

/// The JSON of a file and its binary chunk.
fn document<'a>(bytes: &'a [u8], access: &Access) -> Result<(Value, Option<&'a [u8]>), GltfError> {
    let container = container::split(bytes, access.raised(MAX_JSON_BYTES, MAX_GLTF_BYTES))?;
    let json = json::parse(container.json, access.raised(MAX_JSON_MEMORY, MAX_GLTF_BYTES))?;
    Ok((json, container.binary))
}
