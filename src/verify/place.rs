//! Where an output is now: reports move, and outputs with them.

use std::path::{Path, PathBuf};

/// A file that was found.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// Whether it is not where the report says, but beside the report.
    pub(super) is_beside_report: bool,
}

impl Place {
    /// Looks for the output `named` by the report at `report`: in `folder`, if one is given, else as it is written and then beside
    /// the report; there by its relative path first, then by its name. None if no regular file is there.
    pub(super) fn find(named: &str, report: &Path, folder: Option<&Path>) -> Option<Place> {
        let named = Path::new(named);
        let is_file = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        let within = |folder: &Path| {
            let relative = named.is_relative().then(|| folder.join(named));
            let by_name = named.file_name().map(|name| folder.join(name));
            relative.into_iter().chain(by_name).find(is_file)
        };
        if let Some(folder) = folder {
            return within(folder).map(|path| Place { path, is_beside_report: false });
        }
        let as_written = Some(named.to_owned()).filter(is_file).map(|path| Place { path, is_beside_report: false });
        as_written.or_else(|| {
            let beside = report.parent().unwrap_or(Path::new(""));
            within(beside).map(|path| Place { path, is_beside_report: true })
        })
    }
}
