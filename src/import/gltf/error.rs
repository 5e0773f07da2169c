//! What can be wrong with a glTF or GLB file.

use std::fmt;

/// Faults that are printed before the rest is only counted.
const FAULTS_SHOWN: usize = 10;

/// A glTF or GLB file that cannot be read. The caller puts the file's name in front.
#[derive(Debug, thiserror::Error)]
pub enum GltfError {
    /// No byte at all.
    #[error("the file is empty: export it again")]
    Empty,
    /// The first bytes belong to another kind of file.
    #[error("found {found}, expected glTF JSON or a GLB container: unpack or convert it first")]
    NotGltf {
        /// What the first bytes look like.
        found: &'static str,
    },
    /// A container of another version.
    #[error("GLB container of version {found}, expected version 2: export it again as glTF 2.0")]
    ContainerVersion {
        /// The version in the header.
        found: u32,
    },
    /// The container's header or a chunk header contradicts the file's length.
    #[error(
        "{place} says {declared} bytes, found {found}: the file is damaged or cut off, export or download it again"
    )]
    ContainerLength {
        /// `GLB header`, `JSON chunk`, ...
        place: &'static str,
        /// Length it declares.
        declared: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The first chunk of a container is not JSON.
    #[error("the GLB container has no JSON chunk: export it again")]
    NoJsonChunk,
    /// The text is no JSON.
    #[error("the JSON cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// The text is too long.
    #[error(
        "the JSON has {found} bytes, expected at most {limit}: move data into buffers, or give a larger --max-file-mb"
    )]
    JsonTooLong {
        /// Length of the text.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// `asset.version` is missing or not 2.x.
    #[error("asset.version: found {found}, expected \"2.0\": export it again as glTF 2.0")]
    AssetVersion {
        /// What is there, as JSON.
        found: String,
    },
    /// An extension without which the file cannot be shown, and which toile does not know.
    #[error("extensionsRequired: found {name:?}, which toile cannot read: {advice}")]
    RequiredExtension {
        /// Name of the extension.
        name: String,
        /// What to do.
        advice: &'static str,
    },
    /// Faults of single elements.
    #[error("{0}")]
    Faults(Faults),
    /// Nothing in the scene has triangles.
    #[error(
        "no triangle mesh in the scene ({meshes} meshes, {nodes} nodes in the file){seen}: export the mesh with its faces"
    )]
    NoTriangles {
        /// Number of meshes in the file.
        meshes: usize,
        /// Number of nodes in the file.
        nodes: usize,
        /// What was found instead, if anything.
        seen: String,
    },
}

/// One fault: where, what is there, what should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// JSON path, with the name where there is one.
    pub place: String,
    /// What is there.
    pub found: String,
    /// What should be, or what to do.
    pub expected: String,
}

/// All faults of a file; the first ten are kept, the others counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The first faults.
    pub first: Vec<Fault>,
    /// Number of all faults.
    pub count: usize,
}

impl Faults {
    /// Notes a fault.
    pub(super) fn push(&mut self, place: impl fmt::Display, found: impl fmt::Display, expected: impl fmt::Display) {
        if self.first.len() < FAULTS_SHOWN {
            let (place, found, expected) = (place.to_string(), found.to_string(), expected.to_string());
            self.first.push(Fault { place, found, expected });
        }
        self.count += 1;
    }

    /// The faults as an error, if there are any.
    pub(super) fn check(&mut self) -> Result<(), GltfError> {
        if self.count == 0 { Ok(()) } else { Err(GltfError::Faults(std::mem::take(self))) }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.first.iter().enumerate() {
            let line = if i == 0 { "" } else { "\n  " };
            write!(out, "{line}{}: found {}, expected {}", fault.place, fault.found, fault.expected)?;
        }
        match self.count - self.first.len().min(self.count) {
            0 => Ok(()),
            more => write!(out, "\n  and {more} more"),
        }
    }
}
