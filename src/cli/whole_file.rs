//! Files that a command writes beside bakes: whole or not at all, never by accident over another.

use std::io::{self, Write};
use std::path::Path;

use super::failure::{Failure, UsageError};
use crate::bake;

/// Refuses to go on when `path` is there and may not be replaced.
pub(super) fn check_free(path: &Path, force: bool) -> Result<(), UsageError> {
    if path.exists() && !force {
        return Err(UsageError::Exists { path: path.to_owned() });
    }
    Ok(())
}

/// Writes the file when its content is complete.
pub(super) fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    bake::write_whole(path, content).map_err(|source| Failure::Write { path: path.to_owned(), source })
}
