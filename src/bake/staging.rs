//! Files that appear whole or not at all: written beside their place under a temporary name, brought to the disk, and
//! renamed only when every output of the bake is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempPath;

use super::beside::{UNFINISHED, unfinished};
use super::{BakeError, Overwrite, Written};
use crate::import::folder_of;

/// Bytes gathered before they go to the operating system.
const BUFFER: usize = 1 << 18;

/// A complete file under a temporary name; dropping it removes the file.
pub(super) struct Staged {
    temporary: TempPath,
    written: Written,
}

/// Writes a file meant for `path` under a temporary name in the same folder, which is made when missing. The name begins as
/// those of all files of `output`.
///
/// # Errors
/// [`BakeError::Io`]; nothing is left behind.
pub(super) fn stage(
    path: &Path,
    output: &Path,
    content: impl FnOnce(&mut dyn Write) -> Result<(), BakeError>,
) -> Result<Staged, BakeError> {
    stage_hashed(path, output, |sink| content(sink))
}

/// As [`stage`], for content that says its own hash.
pub(super) fn stage_hashed(
    path: &Path,
    output: &Path,
    content: impl FnOnce(&mut HashingFile) -> Result<(), BakeError>,
) -> Result<Staged, BakeError> {
    let folder = folder_of(path);
    fs::create_dir_all(folder).map_err(BakeError::io(folder, "create the folder"))?;
    let file = temporary_in(folder, output).map_err(BakeError::io(folder, "write into this folder"))?;
    let (file, temporary) = file.into_parts();
    let mut sink = HashingFile { file: BufWriter::with_capacity(BUFFER, file), hash: Sha256::new(), bytes: 0 };
    content(&mut sink)?;
    let HashingFile { file, hash, bytes } = sink;
    let file = file.into_inner().map_err(|e| BakeError::io(path, "write it")(e.into_error()))?;
    file.sync_all().map_err(BakeError::io(path, "bring it to the disk"))?;
    Ok(Staged { temporary, written: Written { path: path.to_owned(), bytes, sha256: hex(&hash.finalize()) } })
}

/// Gives all staged files their names and brings the folders to the disk.
///
/// # Errors
/// [`BakeError::Exists`] when a file has appeared in the meantime and must not be replaced, [`BakeError::Io`];
/// [`BakeError::Partly`] once some files have their names.
pub(super) fn commit(staged: Vec<Staged>, overwrite: Overwrite) -> Result<Vec<Written>, BakeError> {
    let mut folders: Vec<PathBuf> = staged.iter().map(|s| folder_of(&s.written.path).to_owned()).collect();
    folders.sort();
    folders.dedup();
    let mut written: Vec<Written> = Vec::with_capacity(staged.len());
    for file in staged {
        match file.rename(overwrite) {
            Ok(file) => written.push(file),
            Err(error) => return Err(partly(error, &written)),
        }
    }
    for folder in folders {
        sync_folder(&folder)
            .map_err(|source| BakeError::io(&folder, "bring the folder to the disk")(source))
            .map_err(|error| partly(error, &written))?;
    }
    Ok(written)
}

/// The error of a file after others of the same bake were `written`.
fn partly(error: BakeError, written: &[Written]) -> BakeError {
    let files = || written.iter().map(|file| file.path.clone()).collect();
    match error {
        BakeError::Io { path, action, source } if !written.is_empty() => {
            BakeError::Partly { path, action, written: files(), source }
        }
        BakeError::Exists { paths } if !written.is_empty() => BakeError::Partly {
            path: paths.into_iter().next().unwrap_or_default(),
            action: "rename the finished file to it",
            written: files(),
            source: io::ErrorKind::AlreadyExists.into(),
        },
        error => error,
    }
}

impl Staged {
    fn rename(self, overwrite: Overwrite) -> Result<Written, BakeError> {
        let path = &self.written.path;
        let renamed = match overwrite {
            Overwrite::Allow => self.temporary.persist(path),
            Overwrite::Refuse => self.temporary.persist_noclobber(path),
        };
        match renamed {
            Ok(()) => Ok(self.written),
            Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(BakeError::Exists { paths: vec![self.written.path] })
            }
            Err(e) => Err(BakeError::io(&self.written.path, "rename the finished file to it")(e.error)),
        }
    }
}

/// Files beside the outputs of a bake that appear together, whole, or not at all.
#[derive(Default)]
pub struct FileSet(Vec<Staged>);

impl FileSet {
    /// Writes one more under a temporary name. The name begins as those of all files of `output`.
    ///
    /// # Errors
    /// [`BakeError::Io`]; nothing is left behind but folders that were missing.
    pub fn add(
        &mut self,
        path: &Path,
        output: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), BakeError> {
        self.0.push(stage(path, output, |sink| content(sink).map_err(BakeError::io(path, "write it")))?);
        Ok(())
    }

    /// Gives all of them their names.
    ///
    /// # Errors
    /// As [`FileSet::add`], or that a file is there that may not be replaced.
    pub fn commit(self, overwrite: Overwrite) -> Result<(), BakeError> {
        commit(self.0, overwrite).map(|_| ())
    }
}

/// Writes one file whole or not at all, beside the outputs of a bake; what is there is replaced.
///
/// # Errors
/// [`BakeError::Io`]; nothing is left behind but folders that were missing.
pub fn write_file(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), BakeError> {
    let mut files = FileSet::default();
    files.add(path, path, content)?;
    files.commit(Overwrite::Allow)
}

/// Folders that are missing for `files`, deepest first.
pub(super) fn missing_folders(files: &[PathBuf]) -> Vec<PathBuf> {
    let above = files.iter().flat_map(|file| folder_of(file).ancestors());
    let mut missing: Vec<PathBuf> =
        above.filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()).map(Path::to_owned).collect();
    missing.sort();
    missing.dedup();
    missing.reverse();
    missing
}

/// A file that counts and hashes what passes through.
pub(super) struct HashingFile {
    file: BufWriter<File>,
    hash: Sha256,
    bytes: u64,
}

impl HashingFile {
    /// SHA-256 of what has passed.
    pub(super) fn hash_so_far(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }
}

impl Write for HashingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hash.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A temporary file with the permissions a new file gets, not the private ones of a secret.
fn temporary_in(folder: &Path, output: &Path) -> io::Result<tempfile::NamedTempFile> {
    let (mut builder, begin) = (tempfile::Builder::new(), unfinished(output));
    builder.prefix(&begin).suffix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems bring no folders to the disk.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    fn stage_text(path: &Path, text: &str) -> Staged {
        stage(path, path, |sink| sink.write_all(text.as_bytes()).map_err(BakeError::io(path, "write it")))
            .expect("staged")
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/walk.pc2");
        let staged = stage_text(&path, "abc");
        assert!(!path.exists());
        let written = commit(vec![staged], Overwrite::Refuse).expect("committed");
        assert_eq!(fs::read(&path).expect("a file"), b"abc");
        assert_eq!(written[0].bytes, 3);
        assert_eq!(written[0].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(names(&folder.path().join("new")), ["walk.pc2"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_beside_the_outputs_is_whole_and_as_readable_as_they_are() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let [output, beside] = ["walk.pc2", "new/report.json"].map(|name| folder.path().join(name));
        commit(vec![stage_text(&output, "abc")], Overwrite::Refuse).expect("committed");
        write_file(&beside, |sink| sink.write_all(b"{}")).expect("written");
        assert_eq!(fs::read(&beside).expect("a file"), b"{}");
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode();
        assert_eq!(mode(&beside), mode(&output));
        write_file(&beside, |_| Err(io::Error::other("full"))).expect_err("the content failed");
        assert_eq!(names(&folder.path().join("new")), ["report.json"]);
        assert_eq!(fs::read(&beside).expect("a file"), b"{}");
    }

    #[test]
    fn an_error_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("walk.pc2");
        let failed = stage(&path, &path, |sink| {
            sink.write_all(b"half").map_err(BakeError::io(&path, "write it"))?;
            Err(BakeError::Interrupted)
        });
        assert!(failed.is_err());
        drop(stage_text(&path, "whole, but never committed"));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_file_that_appeared_in_the_meantime_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("walk.pc2");
        let staged = stage_text(&path, "new");
        fs::write(&path, "someone else's").expect("a file");
        let error = commit(vec![staged], Overwrite::Refuse).map(|_| ()).expect_err("in the way");
        assert!(matches!(error, BakeError::Exists { .. }), "{error}");
        assert_eq!(fs::read(&path).expect("a file"), b"someone else's");
        assert_eq!(names(folder.path()), ["walk.pc2"]);
    }

    #[test]
    fn where_one_of_several_files_is_refused_it_is_told_which_are_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["a.pc2", "b.pc2", "c.pc2"].map(|name| folder.path().join(name));
        let staged = || paths.iter().map(|path| stage_text(path, "new")).collect();
        fs::create_dir(&paths[1]).expect("a folder");
        let message = commit(staged(), Overwrite::Allow).map(|_| ()).expect_err("a folder is there").to_string();
        assert!(message.contains("b.pc2: cannot rename") && message.contains("only"), "{message}");
        assert!(message.contains("a.pc2 is there, whole") && message.contains("--force"), "{message}");
        assert_eq!(names(folder.path()), ["a.pc2", "b.pc2"]);
        fs::remove_dir(&paths[1]).expect("the folder");
        commit(staged(), Overwrite::Allow).expect("repaired");
        assert_eq!(names(folder.path()), ["a.pc2", "b.pc2", "c.pc2"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_in_the_way_is_replaced_and_what_it_points_at_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let (target, path) = (folder.path().join("precious"), folder.path().join("walk.pc2"));
        fs::write(&target, "precious").expect("a file");
        std::os::unix::fs::symlink(&target, &path).expect("a link");
        commit(vec![stage_text(&path, "new")], Overwrite::Allow).expect("committed");
        assert_eq!(fs::read(&target).expect("a file"), b"precious");
        assert!(!path.symlink_metadata().expect("a file").is_symlink());
    }
}
