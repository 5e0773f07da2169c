//! The report as a file.

use std::path::Path;

use super::Report;
use crate::bake::{self, BakeError};

/// Writes `report` to `path` as JSON, whole or not at all; what is there is replaced.
///
/// # Errors
/// What the operating system refuses.
pub fn write_report(report: &Report, path: &Path) -> Result<(), BakeError> {
    bake::write_file(path, |sink| {
        serde_json::to_writer_pretty(&mut *sink, report)?;
        sink.write_all(b"\n")
    })
}

/// Writes the report for people to `path`, likewise.
///
/// # Errors
/// What the operating system refuses.
pub fn write_page(page: &str, path: &Path) -> Result<(), BakeError> {
    bake::write_file(path, |sink| sink.write_all(page.as_bytes()))
}
