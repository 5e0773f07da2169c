//! Meshes as files: those that are compiled in or made are unpacked for as long as they are read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::failure::{Failure, UsageError};
use crate::preset::{MeshSource, builtin};

/// A mesh file that can be read while this lives.
#[derive(Debug)]
pub(crate) struct MeshFile {
    path: PathBuf,
    _folder: Option<TempDir>,
}

impl MeshFile {
    /// Finds the file of `source`, unpacking it if it has none.
    ///
    /// # Errors
    /// No such built-in mesh, or no room for it.
    pub(crate) fn of(source: &MeshSource) -> Result<MeshFile, Failure> {
        let (name, bytes) = match source {
            MeshSource::File(path) => return Ok(MeshFile { path: path.clone(), _folder: None }),
            MeshSource::BuiltIn(name) => {
                let bytes = builtin::mesh(name).ok_or_else(|| UsageError::NoSuchMesh { name: name.clone() })?;
                (name.as_str(), Cow::Borrowed(bytes))
            }
            MeshSource::Sheet(sheet) => ("sheet.obj", Cow::Owned(sheet.to_obj().into_bytes())),
        };
        let unpack = || {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join(name);
            std::fs::write(&path, bytes)?;
            Ok(MeshFile { path, _folder: Some(folder) })
        };
        unpack().map_err(|source| Failure::System { what: "to unpack a built-in mesh", source })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
