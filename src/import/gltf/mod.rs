//! glTF and GLB files.

use std::path::Path;

use super::{Garment, Rig};

/// A glTF file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}: glTF is not read yet")]
pub struct GltfError {
    name: String,
}

/// Reads a garment.
///
/// # Errors
/// Always.
pub fn read_garment(bytes: &[u8], folder: &Path, name: &str) -> Result<Garment, GltfError> {
    let _ = (bytes, folder);
    Err(GltfError { name: name.to_owned() })
}

/// Reads a body.
///
/// # Errors
/// Always.
pub fn read_rig(bytes: &[u8], folder: &Path, name: &str) -> Result<Rig, GltfError> {
    let _ = (bytes, folder);
    Err(GltfError { name: name.to_owned() })
}
