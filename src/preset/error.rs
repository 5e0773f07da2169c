//! What can be wrong with a preset.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::import::is_mesh_name;
use crate::pins::SelectorError;

/// Faults named in one message before the rest is only counted.
const FAULTS_SHOWN: usize = 10;
/// Characters of a path that a message shows: paths are made of the file's own keys.
const CHARACTERS_SHOWN: usize = 500;

/// A preset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PresetError {
    /// No built-in preset and no file has this name.
    #[error("no preset is called `{name}` and no file either{}; built in are {}", did_you_mean(.suggestion.as_deref()), .known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The built-in name closest to it.
        suggestion: Option<String>,
        /// All built-in names.
        known: Vec<&'static str>,
    },
    /// The file is not there.
    #[error("{}: no such preset file", path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: cannot read it", path.display())]
    Io {
        /// The path as given.
        path: PathBuf,
        /// Its reason.
        source: std::io::Error,
    },
    /// A folder, pipe or device.
    #[error("{}: is no regular file; a preset is a JSON file", path.display())]
    NotAFile {
        /// The path as given.
        path: PathBuf,
    },
    /// Bytes that are no UTF-8.
    #[error("{}: is no UTF-8 text; {}", path.display(), what_is_read(path))]
    NotText {
        /// The path as given.
        path: PathBuf,
    },
    /// What toile wrote beside a bake.
    #[error(
        "{file}: is the report of a bake, no preset; `toile verify {file}` checks what it names, and `toile preview` shows that"
    )]
    Report {
        /// File name.
        file: String,
    },
    /// No one writes a preset of this size.
    #[error("{file}: has more than {limit} bytes; that is no preset")]
    TooLong {
        /// File name.
        file: String,
        /// Largest size accepted, bytes.
        limit: usize,
    },
    /// The text is no JSON.
    #[error("{file}: is not JSON{}", unless_json(file))]
    Syntax {
        /// File name.
        file: String,
        /// What the parser says, with line and column.
        source: serde_json::Error,
    },
    /// The JSON does not say what a preset may say.
    #[error("{}", list(file, faults))]
    Faults {
        /// File name.
        file: String,
        /// All of them, in the order of the file's keys.
        faults: Vec<Fault>,
    },
}

/// One thing wrong with a value of a preset.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Keys and indices from the root, `simulation.states[1].radius` say; empty for the root.
    pub path: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Nested deeper than any preset needs.
    #[error("is nested deeper than {limit} levels")]
    TooDeep {
        /// Deepest level accepted.
        limit: usize,
    },
    /// A key that means nothing.
    #[error("no such key{}; known here are {}", did_you_mean(.suggestion.as_deref()), .known.join(", "))]
    UnknownKey {
        /// The known key closest to it.
        suggestion: Option<String>,
        /// All keys known at this place.
        known: Vec<String>,
    },
    /// A key that stands twice in its object.
    #[error("stands here twice; keep one")]
    DuplicateKey,
    /// A key that must be there.
    #[error("the key `{key}` is missing")]
    MissingKey {
        /// Its name.
        key: String,
    },
    /// A value of another JSON type.
    #[error("{found} is {kind}, expected {expected}")]
    WrongType {
        /// The value, shortened.
        found: String,
        /// Its type.
        kind: &'static str,
        /// Types that are accepted.
        expected: String,
    },
    /// A number outside its range.
    #[error("{found} is out of range, allowed {allowed}")]
    OutOfRange {
        /// The number.
        found: String,
        /// The range.
        allowed: String,
    },
    /// An array of another length.
    #[error("has {found} entries, allowed {allowed}")]
    WrongLength {
        /// Its length.
        found: usize,
        /// The range of lengths.
        allowed: String,
    },
    /// A word that is not among those that are allowed.
    #[error("{found} is not allowed here{}; allowed are {}", did_you_mean(.suggestion.as_deref()), .allowed.join(", "))]
    UnknownWord {
        /// The value.
        found: String,
        /// The allowed word closest to it.
        suggestion: Option<String>,
        /// All allowed words.
        allowed: Vec<String>,
    },
    /// A pin selector that cannot be read.
    #[error("{0}")]
    Selector(SelectorError),
    /// Values that are fine by themselves but not together, or text that cannot be read.
    #[error("{0}")]
    Inconsistent(String),
}

impl Fault {
    /// A fault at `path`.
    pub fn new(path: impl Into<String>, problem: Problem) -> Fault {
        Fault { path: path.into(), problem }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, problem) = (shortened(&self.path), &self.problem);
        if path.is_empty() { write!(f, "{problem}") } else { write!(f, "{path}: {problem}") }
    }
}

/// What a file that is no preset should be.
fn what_is_read(path: &Path) -> String {
    if is_mesh_name(path) {
        return format!("a mesh is baked with --garment {}", path.display());
    }
    "a preset is a JSON file, meshes are .obj, .gltf and .glb".to_owned()
}

/// The same of a file that is not called as one.
fn unless_json(file: &str) -> String {
    let path = Path::new(file);
    let is_called_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if is_called_json { String::new() } else { format!("; {}", what_is_read(path)) }
}

fn list(file: &str, faults: &[Fault]) -> String {
    let shown = faults.iter().take(FAULTS_SHOWN).map(|fault| format!("{file}: {fault}"));
    let mut lines: Vec<String> = shown.collect();
    if faults.len() > FAULTS_SHOWN {
        lines.push(format!("{file}: and {} more", faults.len() - FAULTS_SHOWN));
    }
    lines.join("\n")
}

/// A path with an end.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS_SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn did_you_mean(word: Option<&str>) -> String {
    word.map(|w| format!("; did you mean `{w}`?")).unwrap_or_default()
}

/// The candidate closest to `word`, if it is close enough to be a slip of the hand.
pub fn closest_word<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = candidates.into_iter().map(|c| (strsim::damerau_levenshtein(word, c), c));
    let (distance, best) = scored.min_by_key(|&(distance, _)| distance)?;
    (distance <= 1 + word.chars().count() / 4).then_some(best)
}
