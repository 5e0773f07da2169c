//! What `--out` asks for: a path, the format its extension names, and the files that come of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::BakeError;
use crate::import::folder_of;
use crate::simulate::Timeline;

/// Digits of a frame number when the name does not say. Default: `4`, as `$F4` and most sequence loaders expect.
const PADDING: usize = 4;
/// Digits that `%0Nd` may ask for.
const MOST_DIGITS: usize = 19;

/// Formats toile writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Binary glTF, one file.
    Glb,
    /// glTF as JSON with a `.bin` beside it.
    Gltf,
    /// One OBJ file a frame.
    ObjSequence,
    /// Point Cache 2: positions only, for the artist's own mesh.
    Pc2,
}

/// One `--out`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The path as given.
    pub path: PathBuf,
    /// What its extension names.
    pub format: Format,
}

impl Output {
    /// Takes the format from the extension of `path`, in upper or lower case.
    ///
    /// # Errors
    /// [`BakeError::UnknownFormat`] and [`BakeError::LaterFormat`].
    pub fn parse(path: impl Into<PathBuf>) -> Result<Output, BakeError> {
        let path = path.into();
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let format = match extension.as_deref() {
            Some("glb") => Format::Glb,
            Some("gltf") => Format::Gltf,
            Some("obj") => Format::ObjSequence,
            Some("pc2") => Format::Pc2,
            Some("abc" | "usda" | "mdd") => return Err(BakeError::LaterFormat { path }),
            _ => return Err(BakeError::UnknownFormat { path }),
        };
        Ok(Output { path, format })
    }

    /// Every file this output consists of, in the order they are written.
    pub fn files(&self, timeline: &Timeline) -> Vec<PathBuf> {
        match self.format {
            Format::Glb | Format::Pc2 => vec![self.path.clone()],
            Format::Gltf => vec![self.buffer_path(), self.path.clone()],
            Format::ObjSequence => (0..timeline.len()).map(|i| self.frame_path(timeline.frame_number(i))).collect(),
        }
    }

    /// Says which frames of a longer sequence stay beside those that are about to be replaced: whoever reads them reads a mix of both.
    pub(crate) fn left_beside(&self, timeline: &Timeline) -> Option<String> {
        let replaces = self.format == Format::ObjSequence && self.files(timeline).iter().any(|file| file.exists());
        if !replaces || timeline.is_empty() {
            return None;
        }
        let pattern = frame_pattern(&self.path).to_string_lossy().into_owned();
        let Placeholder { start, end, .. } = placeholder(&pattern)?;
        let written = timeline.frame_number(0)..=timeline.frame_number(timeline.len() - 1);
        let number = |entry: std::io::Result<std::fs::DirEntry>| -> Option<i64> {
            let name = entry.ok()?.file_name().into_string().ok()?;
            let number = name.strip_prefix(&pattern[..start])?.strip_suffix(&pattern[end..])?.parse().ok()?;
            (!written.contains(&number) && self.frame_path(number).file_name()? == name.as_str()).then_some(number)
        };
        let numbers: Vec<i64> = std::fs::read_dir(folder_of(&self.path)).ok()?.filter_map(number).collect();
        let (first, last) = (numbers.iter().min()?, numbers.iter().max()?);
        let count = numbers.len();
        Some(format!(
            "{count} more frames of an older bake, {first} to {last}, stay beside {}: remove them, who reads the sequence reads them too",
            self.path.display()
        ))
    }

    /// glTF key times start at zero or later.
    pub(super) fn check_times(&self, timeline: &Timeline) -> Result<(), BakeError> {
        match self.format {
            Format::Glb | Format::Gltf if timeline.start_frame < 0 => {
                Err(BakeError::NegativeTime { path: self.path.clone(), start_frame: timeline.start_frame })
            }
            _ => Ok(()),
        }
    }

    /// The `.bin` beside a `.gltf`.
    pub(super) fn buffer_path(&self) -> PathBuf {
        self.path.with_extension("bin")
    }

    /// File of one frame of a sequence.
    pub(super) fn frame_path(&self, number: i64) -> PathBuf {
        numbered(&self.path, number)
    }
}

/// File of one frame of a sequence: `####` in the name is the number, padded to as many digits, `%04d` is, padded to four, and `*` to as
/// many as without any of them, where `walk.obj` becomes `walk_0001.obj`.
pub fn numbered(path: &Path, number: i64) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let numbered = match placeholder(&name) {
        Some(Placeholder { start, end, digits }) => format!("{}{number:0digits$}{}", &name[..start], &name[end..]),
        None => {
            let stem = Path::new(&name).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            format!("{stem}_{number:0PADDING$}{}", &name[stem.len()..])
        }
    };
    path.with_file_name(numbered)
}

/// The name of a sequence's files, with `#` for the digits of their numbers.
pub(super) fn frame_pattern(path: &Path) -> OsString {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(Placeholder { start, end, digits }) = placeholder(&name) {
        return format!("{}{}{}", &name[..start], "#".repeat(digits), &name[end..]).into();
    }
    let mut pattern = path.file_stem().unwrap_or_default().to_owned();
    pattern.push(format!("_{}", "#".repeat(PADDING)));
    if let Some(extension) = path.extension() {
        pattern.push(".");
        pattern.push(extension);
    }
    pattern
}

/// Whether the name of a file says where the number of a frame goes.
pub fn has_placeholder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| placeholder(&name.to_string_lossy()).is_some())
}

/// Where the number goes in a name, and how many digits it has at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Placeholder {
    start: usize,
    end: usize,
    digits: usize,
}

/// The last run of `#` in a name; without any the last `%04d`, `%d` or `*`, as bodies are read by.
fn placeholder(name: &str) -> Option<Placeholder> {
    if let Some(end) = name.rfind('#').map(|last| last + 1) {
        let start = name[..end].trim_end_matches('#').len();
        return Some(Placeholder { start, end, digits: end - start });
    }
    let printf = name.match_indices('%').rev().find_map(|(start, _)| of_printf(name, start));
    printf.or_else(|| name.rfind('*').map(|start| Placeholder { start, end: start + 1, digits: PADDING }))
}

/// `%d` or `%04d` that starts there: `%done` is no number.
fn of_printf(name: &str, start: usize) -> Option<Placeholder> {
    let after = &name[start + 1..];
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let width = &after[..after.len() - rest.len()];
    let digits = if width.is_empty() { 1 } else { width.parse().ok().filter(|digits| *digits <= MOST_DIGITS)? };
    let is_number = rest.starts_with('d') && !rest[1..].starts_with(char::is_alphabetic);
    is_number.then_some(Placeholder { start, end: start + 1 + width.len() + 1, digits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::FrameRate;

    #[test]
    fn frames_of_a_longer_sequence_that_stay_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["walk_0001.obj", "walk_0005.obj", "walk_0009.obj", "walk_07.obj", "walk_a.obj", "other_0008.obj"] {
            std::fs::write(folder.path().join(name), "").expect("room");
        }
        let left = |name: &str, frames: i64| {
            let timeline = Timeline { first: 0, last: frames - 1, fps: FrameRate::whole(30), start_frame: 1 };
            Output::parse(folder.path().join(name)).expect("a format").left_beside(&timeline)
        };
        assert!(left("walk.obj", 4).is_some_and(|note| note.starts_with("2 more frames of an older bake, 5 to 9, ")));
        assert!(
            left("walk_####.obj", 5).is_some_and(|note| note.starts_with("1 more frames of an older bake, 9 to 9, "))
        );
        assert_eq!(left("walk.obj", 9), None);
        assert_eq!(left("new.obj", 4), None, "nothing of it is replaced");
        assert_eq!(left("walk_0001.glb", 4), None);
    }

    fn frame_path(pattern: &str, number: i64) -> String {
        Output::parse(pattern).expect("an OBJ").frame_path(number).to_string_lossy().into_owned()
    }

    #[test]
    fn frame_numbers_go_before_the_extension_or_where_the_name_says() {
        assert_eq!(frame_path("seq/walk.obj", 1), "seq/walk_0001.obj");
        assert_eq!(frame_path("walk.OBJ", 12345), "walk_12345.OBJ");
        assert_eq!(frame_path("a#b/walk.######.obj", 7), "a#b/walk.000007.obj");
        assert_eq!(frame_path("walk.##.obj", -3), "walk.-3.obj");
        assert_eq!(frame_path("tag#1_####.obj", 2), "tag#1_0002.obj");
        assert_eq!(frame_path("walk_%05d.obj", 7), "walk_00007.obj");
        assert_eq!(frame_path("walk_%d.obj", 12), "walk_12.obj");
        assert_eq!(frame_path("walk_*.obj", 7), "walk_0007.obj");
        assert_eq!(frame_path("50%d_####.obj", 7), "50%d_0007.obj");
        assert_eq!(frame_path("silk 50%.obj", 7), "silk 50%_0007.obj");
        assert_eq!(frame_path("50%done.obj", 7), "50%done_0007.obj");
        assert_eq!(frame_path("%99999999999d.obj", 7), "%99999999999d_0007.obj");
    }

    #[test]
    fn the_extension_decides_the_format_and_unknown_ones_are_told_what_there_is() {
        assert_eq!(Output::parse("a/b.GLB").expect("known").format, Format::Glb);
        let unknown = Output::parse("walk.fbx").expect_err("not written").to_string();
        assert_eq!(unknown, "walk.fbx: no writer for .fbx; use .glb, .gltf, .obj (a numbered sequence) or .pc2");
        assert!(Output::parse("walk").expect_err("none").to_string().contains("without extension"));
        assert!(Output::parse("walk.abc").expect_err("later").to_string().contains("yet"));
    }

    #[test]
    fn a_sequence_has_a_file_a_frame_and_a_gltf_its_buffer() {
        let timeline = Timeline { first: 0, last: 2, fps: FrameRate::whole(30), start_frame: 9 };
        let files = Output::parse("x.obj").expect("an OBJ").files(&timeline);
        assert_eq!(files, ["x_0009.obj", "x_0010.obj", "x_0011.obj"].map(PathBuf::from));
        assert_eq!(Output::parse("x.gltf").expect("a glTF").files(&timeline), ["x.bin", "x.gltf"].map(PathBuf::from));
    }
}
