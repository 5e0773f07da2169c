//! Names of what stands beside an output while it is baked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::output::frame_pattern;
use super::staging::hex;
use super::{Format, Output};

/// Bytes of an output's name that are kept: file systems take names of 255 bytes, and more is added to this one.
const LONGEST: usize = 180;

/// The file beside an output that `kind` says, hidden: `walk.glb` has `.walk.glb.toile-lock`. Sequences that write the same files
/// have the same.
pub(super) fn beside(output: &Output, kind: &str) -> PathBuf {
    let name = match output.format {
        Format::ObjSequence => frame_pattern(&output.path),
        _ => output.path.file_name().unwrap_or_default().to_owned(),
    };
    output.path.with_file_name(hidden(name, kind))
}

/// How the names of unfinished files for `path` begin.
pub(super) fn unfinished(path: &Path) -> OsString {
    hidden(path.file_name().unwrap_or_default().to_owned(), "")
}

/// How the names of unfinished files end.
pub(super) const UNFINISHED: &str = ".part";

fn hidden(name: OsString, kind: &str) -> OsString {
    let mut hidden = OsString::from(".");
    if name.len() <= LONGEST {
        hidden.push(name);
    } else {
        hidden.push(&hex(&Sha256::digest(name.as_encoded_bytes()))[..32]);
    }
    hidden.push(".toile-");
    hidden.push(kind);
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock_of(path: &str) -> PathBuf {
        beside(&Output::parse(path).expect("a format"), "lock")
    }

    #[test]
    fn what_stands_beside_an_output_is_hidden_and_named_after_it() {
        assert_eq!(lock_of("out/walk.glb"), Path::new("out/.walk.glb.toile-lock"));
        assert_eq!(lock_of("walk.obj"), Path::new(".walk_####.obj.toile-lock"));
        assert_eq!(lock_of("walk.obj"), lock_of("walk_####.obj"));
        assert_ne!(lock_of("walk.obj"), lock_of("walk_##.obj"));
        let long = lock_of(&format!("{}.glb", "x".repeat(250)));
        assert!(long.file_name().is_some_and(|name| name.len() < 80));
    }
}
