//! The report as a JSON file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Report;

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
    write(report, path).map_err(|source| ReportError { path: path.to_owned(), source })
}

fn write(report: &Report, path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer_pretty(&mut file, report)?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
