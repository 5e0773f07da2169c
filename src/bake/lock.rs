//! One bake at a time on an output.
//!
//! A lock is held on a file beside each output, and ends with the process whatever ends that. The file goes when its holder
//! is done; who finds it locked leaves.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::beside::{UNFINISHED, beside, unfinished};
use super::check::{check_folder, real_name};
use super::staging::missing_folders;
use super::{BakeError, Output};
use crate::import::folder_of;

/// Times that a lock is taken again which vanished at the moment it was taken.
const TRIES: u32 = 100;

/// Outputs that are held; dropped, they are free, and folders that were made for them and stayed empty are gone.
#[derive(Debug)]
pub struct OutputLocks {
    locks: Vec<(PathBuf, File)>,
    /// Deepest first.
    new_folders: Vec<PathBuf>,
}

impl OutputLocks {
    /// Takes all `outputs`, making folders that are missing, and removes what killed bakes left unfinished there.
    ///
    /// # Errors
    /// [`BakeError::Busy`] if another process holds one; what is wrong with a folder.
    pub fn take(outputs: &[Output]) -> Result<OutputLocks, BakeError> {
        let paths: Vec<PathBuf> = outputs.iter().map(|output| output.path.clone()).collect();
        paths.iter().try_for_each(|path| check_folder(path))?;
        let mut held = OutputLocks { locks: Vec::new(), new_folders: missing_folders(&paths) };
        // In one order for all processes: of two that want the same outputs one gets them.
        let mut wanted: Vec<(PathBuf, &Output)> =
            outputs.iter().map(|output| (real_name(&beside(output, "lock")), output)).collect();
        wanted.sort_by(|one, other| one.0.cmp(&other.0));
        wanted.dedup_by(|one, other| one.0 == other.0);
        for (lock, output) in wanted {
            let folder = folder_of(&lock);
            fs::create_dir_all(folder).map_err(BakeError::io(folder, "create the folder"))?;
            let file = take(&lock, &output.path)?;
            held.locks.push((lock, file));
            sweep(&output.path);
        }
        Ok(held)
    }
}

impl Drop for OutputLocks {
    fn drop(&mut self) {
        // Removed while it is held: who waits for it notices that it is gone. What cannot be removed blocks nobody.
        self.locks.drain(..).for_each(|(path, file)| {
            drop(fs::remove_file(path));
            drop(file);
        });
        self.new_folders.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

/// Locks the file at `lock`, for `output`.
fn take(lock: &Path, output: &Path) -> Result<File, BakeError> {
    for _ in 0..TRIES {
        let file = open(lock).map_err(BakeError::io(lock, "open the lock file"))?;
        match file.try_lock() {
            Ok(()) if is_at(&file, lock) => return Ok(file),
            // Its holder removed it between both.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BakeError::Busy { path: output.to_owned() }),
            // A file system without locks: nothing is known of others.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(BakeError::io(lock, "lock it")(error)),
        }
    }
    Err(BakeError::Busy { path: output.to_owned() })
}

/// Opens a lock file, or makes it; whatever else has its name is an error.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    plain(&mut options);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
}

/// Follows no link and waits for nobody.
#[cfg(unix)]
pub(super) fn plain(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags((rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits() as i32);
}

#[cfg(not(unix))]
pub(super) fn plain(_: &mut OpenOptions) {}

/// Whether the file that is open is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let name = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => name(open) == name(there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Removes files that a killed bake left unfinished for `output`: nobody else writes there now.
fn sweep(output: &Path) {
    let begin = unfinished(output);
    let Ok(entries) = fs::read_dir(folder_of(output)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let bytes = name.as_encoded_bytes();
        if bytes.starts_with(begin.as_encoded_bytes()) && bytes.ends_with(UNFINISHED.as_bytes()) {
            drop(fs::remove_file(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(folder: &Path, names: &[&str]) -> Vec<Output> {
        names.iter().map(|name| Output::parse(folder.join(name)).expect("a format")).collect()
    }

    #[test]
    fn an_output_is_held_until_it_is_let_go_and_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = OutputLocks::take(&outputs(folder.path(), &["new/b.glb", "a.obj"])).expect("free");
        let roundabout = outputs(folder.path(), &["new/../new/b.glb"]);
        assert!(matches!(OutputLocks::take(&roundabout), Err(BakeError::Busy { .. })));
        let other = OutputLocks::take(&outputs(folder.path(), &["new/c.glb"])).expect("another output");
        drop(other);
        drop(held);
        drop(OutputLocks::take(&roundabout).expect("free again"));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_file_that_a_dead_process_left_locks_nobody_out_and_its_rests_are_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [".a.glb.toile-lock", ".a.glb.toile-x1.part", ".b.glb.toile-x1.part", "a.glb.part"] {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        drop(OutputLocks::take(&outputs(folder.path(), &["a.glb"])).expect("nobody holds it"));
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).expect("a folder").flatten().map(|e| e.file_name()).collect();
        left.sort();
        assert_eq!(left, [".b.glb.toile-x1.part", "a.glb.part"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_lock_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), folder.path().join(".a.glb.toile-lock"))
            .expect("a link");
        assert!(matches!(OutputLocks::take(&outputs(folder.path(), &["a.glb"])), Err(BakeError::Io { .. })));
        assert!(!folder.path().join("elsewhere").exists());
    }
}
