//! Where an output is now: reports move, and outputs with them.

use std::path::{Component, Path, PathBuf};

/// A file that was found.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// Whether it is not where the report says, but beside the report.
    pub(super) is_beside_report: bool,
}

impl Place {
    /// Looks for the output `named` by the report at `report`: in `folder`, if one is given, else as it is written and then beside
    /// the report; there by its relative path first, then by what is left of that without its first folders. None if no regular file is there.
    pub(super) fn find(named: &str, report: &Path, folder: Option<&Path>) -> Option<Place> {
        let named = Path::new(named);
        let is_file = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        let within = |folder: &Path| {
            let relative = named.is_relative().then(|| folder.join(named));
            relative.into_iter().chain(endings(named).map(|ending| folder.join(ending))).find(is_file)
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

/// The endings of a path that are names only, the longest first: `d/seq/x`, `seq/x`, `x`.
fn endings(path: &Path) -> impl Iterator<Item = PathBuf> {
    let ending = |skipped: usize| path.components().skip(skipped).collect::<PathBuf>();
    let is_name = |component: Component<'_>| matches!(component, Component::Normal(_));
    (0..path.components().count()).map(ending).filter(move |ending| ending.components().all(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_found_where_its_last_folders_have_moved_with_the_report() {
        let folder = tempfile::tempdir().unwrap();
        let place = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(place("moved/seq")).unwrap();
        for file in ["moved/seq/walk_0001.obj", "moved/walk.glb"] {
            std::fs::write(place(file), "").unwrap();
        }
        let report = place("moved/walk.json");
        for named in ["d/seq/walk_0001.obj", "../d/seq/walk_0001.obj", "/gone/d/seq/walk_0001.obj"] {
            let found = Place::find(named, &report, None).expect(named);
            assert_eq!((found.path, found.is_beside_report), (place("moved/seq/walk_0001.obj"), true));
            let found = Place::find(named, &report, Some(&place("moved"))).expect(named);
            assert_eq!((found.path, found.is_beside_report), (place("moved/seq/walk_0001.obj"), false));
        }
        assert_eq!(Place::find("d/walk.glb", &report, None).unwrap().path, place("moved/walk.glb"));
        assert!(Place::find("d/seq/..", &report, None).is_none());
        assert!(Place::find("d/walk_0001.obj", &report, None).is_none());
    }
}
