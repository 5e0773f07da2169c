//! What is opened beside the file that is named, and how large files may be.

use std::io;
use std::path::{Path, PathBuf};

/// What reading a file may ask for. Default: files beneath its own folder, and the usual sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Folders beside the file's own beneath which its buffers, images and material libraries may lie.
    pub folders: Vec<PathBuf>,
    /// Largest file that is read, bytes; what grows with files may grow in proportion. Default: what the format's reader says.
    pub max_file_bytes: Option<u64>,
}

impl Access {
    /// Whether files may name files that do not lie beneath their own folder.
    pub(super) fn leads_out(&self) -> bool {
        !self.folders.is_empty()
    }

    /// Largest file that is read, bytes, where it is usually `usual`.
    pub(super) fn limit(&self, usual: u64) -> u64 {
        self.max_file_bytes.unwrap_or(usual)
    }

    /// How much of something is read, where it is usually `usual` in files of at most `usual_bytes`: in proportion more where larger
    /// files are read, and never less.
    pub(super) fn raised(&self, usual: usize, usual_bytes: u64) -> usize {
        let bytes = self.limit(usual_bytes).max(usual_bytes);
        usize::try_from(usual as u128 * u128::from(bytes) / u128::from(usual_bytes)).unwrap_or(usize::MAX)
    }

    /// The real path of `name` as seen from `folder`, if it lies beneath that or another allowed folder, whatever symbolic links
    /// are on the way.
    pub(super) fn resolve(&self, folder: &Path, name: &Path) -> io::Result<Option<PathBuf>> {
        let own = folder.canonicalize()?;
        let path = own.join(name).canonicalize()?;
        let is_allowed = |other: &PathBuf| other.canonicalize().is_ok_and(|other| path.starts_with(other));
        Ok((path.starts_with(&own) || self.folders.iter().any(is_allowed)).then_some(path))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn limits_grow_with_the_largest_file_and_never_shrink() {
        let raised = |max_file_bytes| Access { max_file_bytes, ..Access::default() }.raised(300, 1000);
        assert_eq!([None, Some(10), Some(1000), Some(2500)].map(raised), [300, 300, 300, 750]);
        assert!(raised(Some(u64::MAX)) > 1 << 50);
    }

    #[test]
    fn only_what_lies_beneath_an_allowed_folder_is_found() {
        let root = tempfile::tempdir().expect("a folder");
        for (folder, file) in [("hero", "own.bin"), ("shared", "red.png"), ("secret", "key")] {
            fs::create_dir(root.path().join(folder)).expect("a folder");
            fs::write(root.path().join(folder).join(file), "x").expect("a file");
        }
        let hero = root.path().join("hero");
        let closed = Access::default();
        let open = Access { folders: vec![root.path().join("shared"), root.path().join("none")], ..Access::default() };
        let finds =
            |access: &Access, name: &str| access.resolve(&hero, Path::new(name)).is_ok_and(|path| path.is_some());
        assert!(finds(&closed, "own.bin") && finds(&open, "own.bin"));
        assert!(!finds(&closed, "../shared/red.png") && finds(&open, "../shared/red.png"));
        assert!(!finds(&open, "../secret/key") && !finds(&open, "../shared/../secret/key"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret/key", root.path().join("shared/link")).expect("a link");
            assert!(!finds(&open, "../shared/link"));
        }
    }
}
