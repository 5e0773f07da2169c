//! What can go wrong when results are written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::space::readable;

/// Results could not be written. Messages name the place, what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum BakeError {
    /// No writer has that extension.
    #[error("{}: no writer for {}; use .glb, .gltf, .obj (a numbered sequence) or .pc2", path.display(), Extension(path))]
    UnknownFormat {
        /// The path as given.
        path: PathBuf,
    },
    /// The format is planned.
    #[error("{}: {} cannot be written yet; use .glb, .gltf, .obj (a numbered sequence) or .pc2", path.display(), Extension(path))]
    LaterFormat {
        /// The path as given.
        path: PathBuf,
    },
    /// Files are in the way.
    #[error("{} already; add --force to replace {}", Existing(paths), if paths.len() == 1 { "it" } else { "them" })]
    Exists {
        /// All files that would be replaced.
        paths: Vec<PathBuf>,
    },
    /// A folder has the output's name.
    #[error("{}: is a folder; name a file in it", path.display())]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// `-`, which elsewhere means stdout.
    #[error("-: outputs are files; `./-` names one so, and `bake --json` prints its report")]
    IsStdout,
    /// A part of the path is a file.
    #[error("{}: cannot be made, {} is not a folder", path.display(), blocker.display())]
    ParentIsNotAFolder {
        /// The output.
        path: PathBuf,
        /// The part of it that is a file.
        blocker: PathBuf,
    },
    /// The output would replace what it is made from.
    #[error("{}: is an input of this bake; write to another name", path.display())]
    IsInput {
        /// The output.
        path: PathBuf,
    },
    /// Two outputs are one file.
    #[error("{}: two outputs write this file; give each its own name", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
    },
    /// glTF has no times before zero.
    #[error("{}: glTF has no times before zero, and frame {start_frame} is one; use --start-frame 0 or greater", path.display())]
    NegativeTime {
        /// The output.
        path: PathBuf,
        /// Number of the first frame.
        start_frame: i64,
    },
    /// The simulation gave no frame.
    #[error("nothing to write: the bake has no frames")]
    NoFrames,
    /// glTF needs at least one face.
    #[error("{}: {garment} has no face, and glTF cannot say a mesh of loose points; use .obj or .pc2", path.display())]
    NoFaces {
        /// The output.
        path: PathBuf,
        /// Name of the garment.
        garment: String,
    },
    /// A position is infinite or not a number.
    #[error(
        "nothing written: particle {particle} has no finite position in frame {frame}; use more substeps or a shorter bake"
    )]
    NotFinite {
        /// Output number of the frame.
        frame: i64,
        /// The particle.
        particle: usize,
    },
    /// A length does not fit its field.
    #[error("{}: {what} is {found}, the format holds at most {limit}; {advice}", path.display())]
    TooLarge {
        /// The output.
        path: PathBuf,
        /// What is too long.
        what: &'static str,
        /// How long it is.
        found: u64,
        /// The most the format can say.
        limit: u64,
        /// What to do about it.
        advice: &'static str,
    },
    /// The document could not be put into words: a fault of ours.
    #[error("{}: the glTF document could not be written as JSON; please report this", path.display())]
    Json {
        /// The output.
        path: PathBuf,
        /// The reason.
        source: serde_json::Error,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done: `create the folder`, `write it`, ...
        action: &'static str,
        /// Its reason.
        source: io::Error,
    },
    /// Another process bakes to the same place.
    #[error("{}: another bake is writing it; wait for that, or write to another name", path.display())]
    Busy {
        /// The output.
        path: PathBuf,
    },
    /// The disk is too small for the outputs.
    #[error(
        "{}: needs about {} with all that is written there, and its disk has {} left; free some, bake fewer frames, or write \
         elsewhere",
        path.display(), readable(*needed), readable(*free)
    )]
    NoSpace {
        /// The output.
        path: PathBuf,
        /// Bytes that all outputs up to this one take on its disk.
        needed: u64,
        /// Bytes that are left there.
        free: u64,
    },
    /// Some of the finished files have their names, and the operating system refused the next.
    #[error("{}: cannot {action}; {}; add --force to write all of them again", path.display(), AlreadyThere(written))]
    Partly {
        /// The file that was refused.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// Files that are written, whole.
        written: Vec<PathBuf>,
        /// Its reason.
        source: io::Error,
    },
    /// Interrupted; nothing was left behind.
    #[error("interrupted while writing; no output was changed")]
    Interrupted,
}

impl BakeError {
    /// Wraps the operating system's refusal to `action` at `path`.
    pub(super) fn io<'a>(path: &'a Path, action: &'static str) -> impl FnOnce(io::Error) -> BakeError + 'a {
        move |source| BakeError::Io { path: path.to_owned(), action, source }
    }
}

/// Extension of a path in words.
struct Extension<'a>(&'a Path);

impl fmt::Display for Extension<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.extension() {
            Some(extension) => write!(f, ".{}", extension.to_string_lossy()),
            None => f.write_str("a name without extension"),
        }
    }
}

/// Paths that are named in one message.
const SHOWN: usize = 10;

/// The first paths and how many more there are.
struct Paths<'a>(&'a [PathBuf]);

impl fmt::Display for Paths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, path) in self.0.iter().take(SHOWN).enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}", path.display())?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more files"),
        }
    }
}

/// Paths with the verb.
struct Existing<'a>(&'a [PathBuf]);

impl fmt::Display for Existing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Paths(self.0), if self.0.len() == 1 { "exists" } else { "exist" })
    }
}

/// What of a bake is there.
struct AlreadyThere<'a>(&'a [PathBuf]);

impl fmt::Display for AlreadyThere<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            0 => f.write_str("none of its files is there"),
            1 => write!(f, "of its files only {} is there, whole", self.0[0].display()),
            count => write!(f, "{count} of its files are there, whole: {}", Paths(self.0)),
        }
    }
}
