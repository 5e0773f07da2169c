//! The report as a JSON file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Report;
use crate::bake::write_whole;

/// The report could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot write the report", path.display())]
pub struct ReportError {
    path: PathBuf,
    source: io::Error,
}

/// Writes `report` to `path` as JSON, whole or not at all: to a temporary name in the same folder, flushed, renamed.
///
/// # Errors
/// What the operating system refuses.
pub fn write_report(report: &Report, path: &Path) -> Result<(), ReportError> {
    let content = |mut sink: &mut dyn Write| {
        serde_json::to_writer_pretty(&mut sink, report)?;
        sink.write_all(b"\n")
    };
    write_whole(path, content).map_err(|source| ReportError { path: path.to_owned(), source })
}
