//! What can be wrong with a file.

use std::path::PathBuf;

/// A file could not be read as a garment or a body. Messages name the place, what was found and expected, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// No such file.
    #[error("{}: no such file", path.display())]
    Missing {
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
}
