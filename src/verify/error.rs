//! Why nothing could be proven either way.

use std::io;
use std::path::{Path, PathBuf};

/// Outputs could not be compared with their report.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// There is no report.
    #[error("{}: no such file", path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// The operating system refuses to read a file that is there.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{}: is no regular file", path.display())]
    NotAFile {
        /// The path as given.
        path: PathBuf,
    },
    /// Far more than a report has.
    #[error("{}: has {found} bytes, more than the {limit} that a report may have; bake in parts (--frames A..B), with a report each", path.display())]
    Large {
        /// The report.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// No JSON, or without what a report has.
    #[error("{}: is no report that outputs can be proven against; bake with --report FILE.json", path.display())]
    NotAReport {
        /// The file.
        path: PathBuf,
        /// What is missing or wrong, and where.
        source: serde_json::Error,
    },
    /// Its parts do not fit each other.
    #[error("{}: {key}: {found}, but {expected} expected", path.display())]
    Contradiction {
        /// The report.
        path: PathBuf,
        /// Key of the report.
        key: &'static str,
        /// What it says.
        found: String,
        /// What the rest of the report makes of it.
        expected: String,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl VerifyError {
    /// What the operating system says about `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> VerifyError {
        let path = path.to_owned();
        move |source| VerifyError::Io { path, source }
    }
}
