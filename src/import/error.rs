//! What can be wrong with a file.

use std::path::PathBuf;

use super::gltf::GltfError;
use super::obj::{ObjError, SequenceError};
use super::pc2::PointCacheError;

/// A file could not be read as a garment or a body. Messages name the place, what was found and expected, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// No such file.
    #[error("{}: no such file", path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// A folder where a file is wanted.
    #[error("{}: this is a folder; give a file (a body may be a folder of numbered OBJ files)", path.display())]
    Directory {
        /// The path as given.
        path: PathBuf,
    },
    /// A pipe, socket or device.
    #[error("{}: this is no regular file; pipes and devices are not read", path.display())]
    NotAFile {
        /// The path as given.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: cannot read it", path.display())]
    Io {
        /// The path as given.
        path: PathBuf,
        /// Its reason.
        source: std::io::Error,
    },
    /// Nothing in it.
    #[error("{}: the file is empty", path.display())]
    Empty {
        /// The path as given.
        path: PathBuf,
    },
    /// More bytes than toile reads.
    #[error("{}: {bytes} bytes, but at most {limit} are read; --max-file-mb {} reads it", path.display(), bytes.div_ceil(1_000_000))]
    TooLarge {
        /// The path as given.
        path: PathBuf,
        /// Size of the file.
        bytes: u64,
        /// Largest size that is read.
        limit: u64,
    },
    /// The extension says nothing to us.
    #[error("{}: garments and bodies are read from .obj, .glb and .gltf files; {advice}", path.display())]
    UnknownExtension {
        /// The path as given.
        path: PathBuf,
        /// What the content looks like and what to do.
        advice: String,
    },
    /// The content is another format than the extension says.
    #[error("{}: the file is {what}; {advice}", path.display())]
    Foreign {
        /// The path as given.
        path: PathBuf,
        /// The format found.
        what: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// Bad OBJ data.
    #[error(transparent)]
    Obj(#[from] ObjError),
    /// Files of a sequence do not fit together.
    #[error(transparent)]
    Sequence(#[from] SequenceError),
    /// Bad point cache.
    #[error(transparent)]
    PointCache(#[from] PointCacheError),
    /// Bad glTF data.
    #[error("{}: {error}", path.display())]
    Gltf {
        /// The path as given.
        path: PathBuf,
        /// What is wrong with it.
        error: GltfError,
    },
}

/// The three ways in which reading fails: exit codes and scripts tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFailure {
    /// The input is not there.
    Missing,
    /// The input is there, but what it holds is not right.
    BadData,
    /// The operating system could not read it.
    Io,
}

impl ImportError {
    /// Which way it failed.
    pub fn failure(&self) -> ImportFailure {
        match self {
            ImportError::Missing { .. } | ImportError::Sequence(SequenceError::Missing { .. }) => {
                ImportFailure::Missing
            }
            ImportError::Io { .. } | ImportError::Sequence(SequenceError::Folder { .. }) => ImportFailure::Io,
            _ => ImportFailure::BadData,
        }
    }
}
