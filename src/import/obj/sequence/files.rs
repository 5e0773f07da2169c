//! Which files make a sequence.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::SequenceError;
use crate::import::folder_of;

/// The files of a sequence, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SequenceFiles {
    name: String,
    first_frame: i64,
    paths: Vec<PathBuf>,
    notice: Option<String>,
}

/// Digits from which on a number counts frames even if the next file is missing; fewer may be a version.
const FRAME_DIGITS: usize = 3;

/// What may stand between a name and its number.
const SEPARATORS: [char; 4] = ['_', '-', '.', ' '];

/// Numbered files of one folder: (number, file name), ascending.
type Numbered = Vec<(i64, String)>;

impl SequenceFiles {
    /// Whether a path names a sequence by what stands for its digits: `####`, `*` or `%04d`. A file of that very name is no pattern.
    pub(crate) fn is_pattern(path: &Path) -> bool {
        path.file_name().is_some_and(|name| split_pattern(&name.to_string_lossy()).is_some()) && !path.is_file()
    }

    /// Looks for the files that `path` means: a folder, a pattern, or the first file.
    pub(crate) fn find(path: &Path) -> Result<SequenceFiles, SequenceError> {
        let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            return SequenceFiles::in_folder(path);
        }
        if SequenceFiles::is_pattern(path) {
            return SequenceFiles::by_pattern(path, &file_name);
        }
        let Some((prefix, number)) = numbered(&file_name) else { return Ok(SequenceFiles::still(path, None)) };
        let mut sequences = list(folder_of(path))?;
        let mut files = sequences.remove(prefix).unwrap_or_default();
        files.retain(|&(n, ref name)| n > number || *name == file_name);
        if files.first().is_none_or(|(_, name)| *name != file_name) {
            files.insert(0, (number, file_name.clone()));
        }
        if let [_, (next, other), ..] = files.as_slice()
            && file_name.len() - prefix.len() - ".obj".len() < FRAME_DIGITS
            && number.checked_add(1) != Some(*next)
        {
            let note = format!(
                "{file_name} is a still body: it is no sequence with {other}, as a number between them is missing \
                 (give {prefix}####.obj if it is)"
            );
            return Ok(SequenceFiles::still(path, Some(note)));
        }
        SequenceFiles::of(folder_of(path), prefix, files)
    }

    /// One file, whatever number its name has.
    fn still(path: &Path, notice: Option<String>) -> SequenceFiles {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        SequenceFiles { name, first_frame: 0, paths: vec![path.to_owned()], notice }
    }

    /// How an unclear name was taken, in plain words.
    pub(crate) fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn first_frame(&self) -> i64 {
        self.first_frame
    }

    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn in_folder(folder: &Path) -> Result<SequenceFiles, SequenceError> {
        let mut sequences = list(folder)?;
        match (sequences.len(), sequences.pop_first()) {
            (1, Some((prefix, files))) => SequenceFiles::of(folder, &prefix, files),
            (_, Some((prefix, _))) => {
                let all = std::iter::once(prefix).chain(sequences.into_keys());
                let patterns = all.map(|prefix| format!("{prefix}####.obj")).collect();
                Err(SequenceError::Several { path: folder.to_owned(), patterns })
            }
            (_, None) => Err(SequenceError::Missing { path: folder.to_owned(), example: "walk_0001.obj".to_owned() }),
        }
    }

    fn by_pattern(path: &Path, file_name: &str) -> Result<SequenceFiles, SequenceError> {
        let (prefix, rest) = split_pattern(file_name).unwrap_or((file_name, ""));
        let example = format!("{prefix}0001{rest}");
        let missing = || SequenceError::Missing { path: path.to_owned(), example: example.clone() };
        if !rest.eq_ignore_ascii_case(".obj") {
            return Err(missing());
        }
        let files = list(folder_of(path))?.remove(prefix).ok_or_else(missing)?;
        SequenceFiles::of(folder_of(path), prefix, files)
    }

    /// Checks that no number is missing or there twice.
    fn of(folder: &Path, prefix: &str, files: Numbered) -> Result<SequenceFiles, SequenceError> {
        let first_frame = files.first().map_or(0, |f| f.0);
        let mut wanted = first_frame;
        let mut paths = Vec::with_capacity(files.len());
        for (number, name) in files {
            if number != wanted {
                let digits = name.len() - prefix.len() - ".obj".len();
                let path = folder.join(format!("{prefix}{wanted:0digits$}.obj"));
                return Err(SequenceError::Gap { path, next: name });
            }
            wanted = number.saturating_add(1);
            paths.push(folder.join(name));
        }
        let name = prefix.trim_end_matches(SEPARATORS).to_owned();
        let name = if name.is_empty() { "body".to_owned() } else { name };
        Ok(SequenceFiles { name, first_frame, paths, notice: None })
    }
}

/// What stands before and after the digits of a pattern: `####`, `*`, or as in C `%d` and `%04d`; none if it has none.
fn split_pattern(file_name: &str) -> Option<(&str, &str)> {
    let at = file_name.find(['#', '*', '%'])?;
    let (prefix, digits) = file_name.split_at(at);
    let rest = match digits.strip_prefix('%') {
        Some(width) => width.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('d')?,
        None => digits.strip_prefix('*').unwrap_or_else(|| digits.trim_start_matches('#')),
    };
    Some((prefix, rest))
}

/// All numbered OBJ files of a folder by what stands before their number.
fn list(folder: &Path) -> Result<BTreeMap<String, Numbered>, SequenceError> {
    let fail = |source| SequenceError::Folder { path: folder.to_owned(), source };
    let mut sequences: BTreeMap<String, Numbered> = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let name = entry.map_err(fail)?.file_name().to_string_lossy().into_owned();
        if let Some((prefix, number)) = numbered(&name) {
            sequences.entry(prefix.to_owned()).or_default().push((number, name.clone()));
        }
    }
    sequences.values_mut().for_each(|files| files.sort_unstable());
    Ok(sequences)
}

/// What stands before the number of `walk_0001.obj`, and the number. That of `walk_-001.obj` is below zero; the dash of `walk-001.obj`
/// stands between name and number.
fn numbered(file_name: &str) -> Option<(&str, i64)> {
    let at = file_name.len().checked_sub(".obj".len())?;
    let stem = file_name.get(..at)?;
    if !file_name.get(at..)?.eq_ignore_ascii_case(".obj") {
        return None;
    }
    let name = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let before_sign = name.strip_suffix('-').filter(|prefix| prefix.ends_with(SEPARATORS));
    let prefix = before_sign.unwrap_or(name);
    stem.get(prefix.len()..)?.parse().ok().map(|number| (prefix, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        names.iter().for_each(|name| fs::write(folder.path().join(name), "").unwrap());
        folder
    }

    fn names(files: &SequenceFiles) -> Vec<String> {
        files.paths().iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_sequence_is_found_by_first_file_pattern_and_folder() {
        let folder = folder(&["walk_0009.obj", "walk_0010.obj", "walk_0011.OBJ", "note.txt", "chair.obj"]);
        let by_file = SequenceFiles::find(&folder.path().join("walk_0010.obj")).unwrap();
        assert_eq!(
            (names(&by_file), by_file.first_frame()),
            (vec!["walk_0010.obj".into(), "walk_0011.OBJ".into()], 10)
        );
        let patterns = ["", "walk_####.obj", "walk_*.obj", "walk_%04d.obj", "walk_%d.obj"];
        for path in patterns.map(|pattern| folder.path().join(pattern)) {
            let files = SequenceFiles::find(&path).unwrap();
            assert_eq!((files.name(), files.first_frame(), files.paths().len()), ("walk", 9, 3));
        }
        let still = SequenceFiles::find(&folder.path().join("chair.obj")).unwrap();
        assert_eq!((still.name(), still.paths().len()), ("chair", 1));
    }

    #[test]
    fn frames_before_zero_come_first() {
        let folder = folder(&["n_-002.obj", "n_-001.obj", "n_0000.obj", "n_0001.obj", "x-1.obj", "x-2.obj", "y_-.obj"]);
        for pattern in ["n_-002.obj", "n_####.obj", "n_*.obj"] {
            let files = SequenceFiles::find(&folder.path().join(pattern)).unwrap();
            assert_eq!((files.name(), files.first_frame()), ("n", -2), "{pattern}");
            assert_eq!(names(&files), ["n_-002.obj", "n_-001.obj", "n_0000.obj", "n_0001.obj"], "{pattern}");
        }
        let from_zero = SequenceFiles::find(&folder.path().join("n_0000.obj")).unwrap();
        assert_eq!((from_zero.first_frame(), from_zero.paths().len()), (0, 2));
        let dashed = SequenceFiles::find(&folder.path().join("x-1.obj")).unwrap();
        assert_eq!((dashed.name(), dashed.first_frame(), dashed.paths().len()), ("x", 1, 2));
        fs::remove_file(folder.path().join("n_-001.obj")).unwrap();
        let error = SequenceFiles::find(&folder.path().join("n_####.obj")).unwrap_err().to_string();
        assert!(error.contains("n_-001.obj"), "{error}");
    }

    #[test]
    fn a_file_that_is_called_like_a_pattern_is_that_file() {
        let folder = folder(&["hero#2.obj", "hero1.obj", "v%02d.obj"]);
        for name in ["hero#2.obj", "v%02d.obj"] {
            let files = SequenceFiles::find(&folder.path().join(name)).unwrap();
            assert_eq!(names(&files), [name]);
        }
    }

    #[test]
    fn a_gap_names_the_missing_file() {
        let folder = folder(&["w1.obj", "w2.obj", "w4.obj"]);
        let error = SequenceFiles::find(folder.path()).unwrap_err().to_string();
        assert!(error.contains("w3.obj") && error.contains("w4.obj"), "{error}");
    }

    #[test]
    fn a_short_number_without_a_successor_is_a_version_and_a_long_one_a_frame() {
        let folder = folder(&["man2.obj", "man4.obj", "walk_0001.obj", "walk_0003.obj"]);
        let still = SequenceFiles::find(&folder.path().join("man2.obj")).unwrap();
        assert_eq!((still.name(), names(&still)), ("man2", vec!["man2.obj".into()]));
        assert!(still.notice().unwrap().contains("man4.obj"));
        assert!(SequenceFiles::find(&folder.path().join("man4.obj")).unwrap().notice().is_none());
        let error = SequenceFiles::find(&folder.path().join("walk_0001.obj")).unwrap_err().to_string();
        assert!(error.contains("walk_0002.obj"), "{error}");
        assert!(SequenceFiles::find(&folder.path().join("man####.obj")).is_err());
        for pattern in ["walk_####_hi.obj", "walk_*_hi.obj", "walk_%04d.glb"] {
            assert!(SequenceFiles::find(&folder.path().join(pattern)).is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_folder_with_two_sequences_names_both() {
        let folder = folder(&["run_1.obj", "walk_1.obj"]);
        let error = SequenceFiles::find(folder.path()).unwrap_err().to_string();
        assert!(error.contains("run_####.obj, walk_####.obj"), "{error}");
    }
}
