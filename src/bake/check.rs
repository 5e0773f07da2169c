//! Whether all outputs can be written, asked before anything is simulated.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{BakeError, Output};
use crate::import::folder_of;
use crate::simulate::Timeline;

/// What to do with files that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Stop with an error that names them.
    #[default]
    Refuse,
    /// Replace them, each in one step.
    Allow,
}

/// Checks that every file of every output can be written: nothing in the way, no folder missing that cannot be made, no
/// input among them, no file twice. Missing folders are made by [`write`](super::write), not here.
///
/// # Errors
/// The first output at fault; for [`BakeError::Exists`] all files in the way.
pub fn check_outputs(
    outputs: &[Output],
    timeline: &Timeline,
    inputs: &[PathBuf],
    overwrite: Overwrite,
) -> Result<(), BakeError> {
    let inputs: Vec<PathBuf> = inputs.iter().flat_map(|path| [real_name(path), real_file(path)]).collect();
    let mut seen = BTreeSet::new();
    for output in outputs {
        output.check_times(timeline)?;
        check_folder(&output.path)?;
        for file in output.files(timeline) {
            check_file(&file, &inputs, &mut seen)?;
        }
    }
    let files = outputs.iter().flat_map(|output| output.files(timeline));
    let existing: Vec<PathBuf> = files.filter(|file| file.symlink_metadata().is_ok()).collect();
    match overwrite {
        Overwrite::Refuse if !existing.is_empty() => Err(BakeError::Exists { paths: existing }),
        _ => Ok(()),
    }
}

/// Checks that a file beside the outputs, a report say, can be written: as [`check_outputs`], with `outputs` for the files
/// that are written too.
///
/// # Errors
/// What is in the way.
pub fn check_side_file(
    path: &Path,
    outputs: &[PathBuf],
    inputs: &[PathBuf],
    overwrite: Overwrite,
) -> Result<(), BakeError> {
    let inputs: Vec<PathBuf> = inputs.iter().flat_map(|path| [real_name(path), real_file(path)]).collect();
    let mut seen = outputs.iter().map(|output| real_name(output)).collect();
    check_folder(path)?;
    check_file(path, &inputs, &mut seen)?;
    match overwrite {
        Overwrite::Refuse if path.symlink_metadata().is_ok() => Err(BakeError::Exists { paths: vec![path.to_owned()] }),
        _ => Ok(()),
    }
}

/// A file must be no folder, no stdout, no input, and not among those `seen` before.
fn check_file(file: &Path, inputs: &[PathBuf], seen: &mut BTreeSet<PathBuf>) -> Result<(), BakeError> {
    let (name, path) = (real_name(file), file.to_owned());
    if file == Path::new("-") {
        return Err(BakeError::IsStdout);
    }
    if inputs.contains(&name) {
        return Err(BakeError::IsInput { path });
    }
    if file.is_dir() {
        return Err(BakeError::IsFolder { path });
    }
    if !seen.insert(name) {
        return Err(BakeError::Twice { path });
    }
    Ok(())
}

/// The nearest folder that exists above `path` must take new files.
pub(super) fn check_folder(path: &Path) -> Result<(), BakeError> {
    let nearest = nearest_folder(path);
    if !nearest.is_dir() {
        return Err(BakeError::ParentIsNotAFolder { path: path.to_owned(), blocker: nearest.to_owned() });
    }
    tempfile::tempfile_in(nearest).map_err(BakeError::io(nearest, "write into this folder"))?;
    Ok(())
}

/// The nearest thing above `path` that exists.
pub(super) fn nearest_folder(path: &Path) -> &Path {
    folder_of(path).ancestors().map(or_here).find(|folder| folder.exists()).unwrap_or(Path::new("."))
}

fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// The name in its real folder: what a rename onto `path` replaces.
pub(super) fn real_name(path: &Path) -> PathBuf {
    let mut missing: Vec<_> = path.file_name().into_iter().collect();
    let mut folder = folder_of(path);
    loop {
        if let Ok(real) = fs::canonicalize(folder) {
            return missing.iter().rev().fold(real, |path, part| path.join(part));
        }
        match (folder.parent(), folder.file_name()) {
            (Some(above), Some(name)) => {
                missing.push(name);
                folder = or_here(above);
            }
            _ => return path.to_owned(),
        }
    }
}

/// The file at the end of all symlinks.
pub(crate) fn real_file(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::FrameRate;

    const TIMELINE: Timeline = Timeline { first: 0, last: 11, fps: FrameRate::whole(30), start_frame: 1 };

    fn check(paths: &[PathBuf], inputs: &[PathBuf], overwrite: Overwrite) -> Result<(), BakeError> {
        let outputs: Vec<Output> = paths.iter().map(|p| Output::parse(p).expect("a known format")).collect();
        check_outputs(&outputs, &TIMELINE, inputs, overwrite)
    }

    #[test]
    fn files_in_the_way_are_all_named_unless_they_may_be_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let sequence = folder.path().join("walk.obj");
        for number in 1..=12 {
            fs::write(folder.path().join(format!("walk_{number:04}.obj")), "").expect("a file");
        }
        let message = check(std::slice::from_ref(&sequence), &[], Overwrite::Refuse).expect_err("exists").to_string();
        assert!(message.contains("walk_0010.obj and 2 more files exist already; add --force"), "{message}");
        check(&[sequence], &[], Overwrite::Allow).expect("may be replaced");
    }

    #[test]
    fn a_folder_that_is_missing_is_fine_and_a_file_in_its_place_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        check(&[folder.path().join("new/deeper/walk.glb")], &[], Overwrite::Refuse).expect("can be made");
        fs::write(folder.path().join("file"), "").expect("a file");
        let error = check(&[folder.path().join("file/walk.glb")], &[], Overwrite::Refuse).expect_err("blocked");
        assert!(matches!(error, BakeError::ParentIsNotAFolder { .. }), "{error}");
        fs::create_dir(folder.path().join("walk.glb")).expect("a folder");
        let error = check(&[folder.path().join("walk.glb")], &[], Overwrite::Allow).expect_err("a folder");
        assert!(matches!(error, BakeError::IsFolder { .. }), "{error}");
    }

    #[test]
    fn a_line_for_stdout_is_no_file_unless_it_is_meant() {
        let check = |path: &str| check_side_file(Path::new(path), &[], &[], Overwrite::Refuse);
        assert!(matches!(check("-"), Err(BakeError::IsStdout)));
        assert!(check("./-").is_ok());
    }

    #[test]
    fn an_input_is_never_an_output_by_any_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let input = folder.path().join("coat_0003.obj");
        fs::write(&input, "").expect("a file");
        let roundabout = folder.path().join("../").join(folder.path().file_name().expect("a name")).join("coat.obj");
        let error = check(&[roundabout], &[input], Overwrite::Allow).expect_err("the input");
        assert!(matches!(error, BakeError::IsInput { .. }), "{error}");
    }

    #[test]
    fn gltf_has_no_time_before_zero() {
        let outputs = ["x.glb", "x.pc2"].map(|path| Output::parse(path).expect("a known format"));
        let early = Timeline { start_frame: -5, ..TIMELINE };
        let error = check_outputs(&outputs[..1], &early, &[], Overwrite::Refuse).expect_err("negative");
        assert!(error.to_string().contains("--start-frame 0"), "{error}");
        check_outputs(&outputs[1..], &early, &[], Overwrite::Refuse).expect("PC2 may start anywhere");
    }

    #[test]
    fn no_file_is_written_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let error = check(&[path("x.obj"), path("./x_####.obj")], &[], Overwrite::Refuse).expect_err("twice");
        assert!(matches!(error, BakeError::Twice { .. }), "{error}");
        check(&[path("x.glb"), path("x.gltf"), path("x.pc2"), path("x.obj")], &[], Overwrite::Refuse).expect("differ");
    }
}
