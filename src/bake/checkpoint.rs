//! A bake that was stopped, in a file beside its first output: what tells it from others, and the state of its simulation.
//!
//! ```text
//! "toile checkpoint"   format   length and bytes of the heading   state ...   SHA-256 of all before
//!  16 bytes            u32      u64                                            32 bytes
//! ```
//!
//! The file is replaced in one step, so that a kill at any moment leaves the one before or the new one. Nothing in it is believed
//! before its hash is right.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::beside::beside;
use super::lock::plain;
use super::staging::{commit, stage_hashed};
use super::{BakeError, Output, Overwrite};

const MAGIC: &[u8; 16] = b"toile checkpoint";
/// Number of this format.
const FORMAT: u32 = 6;
/// Bytes of a SHA-256.
const HASH: usize = 32;
/// Most bytes of a heading.
const LONGEST_HEADING: u64 = 1 << 24;

/// Where the checkpoint of a bake is whose first output is this.
pub fn checkpoint_path(output: &Output) -> PathBuf {
    beside(output, "checkpoint")
}

/// A checkpoint that was found.
pub struct Checkpoint {
    /// What tells its bake from others.
    pub heading: Vec<u8>,
    /// The state of the simulation.
    pub state: Box<dyn Read + Send>,
}

/// A file is no checkpoint to go on from.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Something else has its name.
    #[error("{}: is no checkpoint of toile; delete it, or add --restart to replace it", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Its bytes are not those that were written.
    #[error("{}: the checkpoint is damaged; delete it, or add --restart to begin anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Another version of toile wrote it.
    #[error("{}: the checkpoint has format {found}, this toile writes {FORMAT}; add --restart to begin anew", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The operating system refused.
    #[error("{}: cannot read the checkpoint", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
}

/// Writes the checkpoint of a bake whose first output is this, whole or not at all; what was there is replaced.
///
/// # Errors
/// [`BakeError::Io`]; what was there before stays.
pub fn write_checkpoint(
    output: &Output,
    heading: &[u8],
    state: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), BakeError> {
    let path = &checkpoint_path(output);
    let staged = stage_hashed(path, &output.path, |sink| {
        let mut write = || {
            sink.write_all(MAGIC)?;
            sink.write_all(&FORMAT.to_le_bytes())?;
            sink.write_all(&(heading.len() as u64).to_le_bytes())?;
            sink.write_all(heading)?;
            state(sink)?;
            let hash = sink.hash_so_far();
            sink.write_all(&hash)
        };
        write().map_err(BakeError::io(path, "write it"))
    })?;
    commit(vec![staged], Overwrite::Allow).map(|_| ())
}

/// The checkpoint at `path`, if there is one.
///
/// # Errors
/// [`CheckpointError`].
pub fn read_checkpoint(path: &Path) -> Result<Option<Checkpoint>, CheckpointError> {
    let io = |source| CheckpointError::Io { path: path.to_owned(), source };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
        Ok(metadata) if !metadata.is_file() => return Err(CheckpointError::Foreign { path: path.to_owned() }),
        Ok(_) => {}
    }
    let mut options = OpenOptions::new();
    options.read(true);
    plain(&mut options);
    let mut file = options.open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let is_ours = is_hashed(&mut file, length).map_err(io)?;
    let mut reader = BufReader::new(file).take(length.saturating_sub(HASH as u64));
    let mut start = [0; MAGIC.len()];
    if reader.read_exact(&mut start).is_err() || start != *MAGIC {
        return Err(CheckpointError::Foreign { path: path.to_owned() });
    }
    let damaged = |_| CheckpointError::Damaged { path: path.to_owned() };
    if !is_ours {
        return Err(damaged(io::ErrorKind::InvalidData.into()));
    }
    let (mut format, mut bytes) = ([0; 4], [0; 8]);
    reader.read_exact(&mut format).map_err(damaged)?;
    let found = u32::from_le_bytes(format);
    if found != FORMAT {
        return Err(CheckpointError::Format { path: path.to_owned(), found });
    }
    reader.read_exact(&mut bytes).map_err(damaged)?;
    let bytes = u64::from_le_bytes(bytes).min(LONGEST_HEADING).min(reader.limit());
    let mut heading = Vec::new();
    reader.by_ref().take(bytes).read_to_end(&mut heading).map_err(io)?;
    Ok(Some(Checkpoint { heading, state: Box::new(reader) }))
}

/// Whether the last bytes of a file are the hash of those before; goes back to its start.
fn is_hashed(file: &mut File, length: u64) -> io::Result<bool> {
    let Some(content) = length.checked_sub(HASH as u64) else { return Ok(false) };
    let mut hash = Sha256::new();
    let mut reader = BufReader::with_capacity(1 << 18, &mut *file);
    io::copy(&mut reader.by_ref().take(content), &mut hash)?;
    let mut found = [0; HASH];
    reader.read_exact(&mut found)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(hash.finalize()[..] == found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output_in(folder: &tempfile::TempDir) -> Output {
        Output::parse(folder.path().join("walk.glb")).expect("a format")
    }

    fn written(state: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let output = output_in(&folder);
        write_checkpoint(&output, b"{}", &mut |sink| sink.write_all(state)).expect("written");
        (folder, checkpoint_path(&output))
    }

    #[test]
    fn what_was_written_is_read_back() {
        let numbers: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let (folder, path) = written(&numbers);
        let Checkpoint { heading, mut state } = read_checkpoint(&path).expect("readable").expect("there");
        let mut back = Vec::new();
        state.read_to_end(&mut back).expect("bytes");
        assert!(heading == b"{}" && back == numbers);
        assert!(read_checkpoint(&folder.path().join("none")).expect("nothing").is_none());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_write_that_fails_keeps_the_one_before() {
        let (folder, path) = written(b"old");
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let mut state = |sink: &mut dyn Write| sink.write_all(&[1; 9]).and(Err(full()));
        write_checkpoint(&output_in(&folder), b"{}", &mut state).expect_err("full");
        let mut found = read_checkpoint(&path).expect("readable").expect("there");
        let mut back = String::new();
        found.state.read_to_string(&mut back).expect("text");
        assert_eq!(back, "old");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn no_byte_may_change_and_none_be_missing() {
        let (_folder, path) = written(b"some state");
        let bytes = fs::read(&path).expect("a file");
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("a file");
            read_checkpoint(&path).map(|_| ()).expect_err("refused")
        };
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let error = read(&changed);
            let is_told = match at {
                0..16 => matches!(error, CheckpointError::Foreign { .. }),
                _ => matches!(error, CheckpointError::Damaged { .. }),
            };
            assert!(is_told, "byte {at}: {error}");
            assert!(matches!(read(&bytes[..at]), CheckpointError::Foreign { .. } | CheckpointError::Damaged { .. }));
        }
        assert!(matches!(read(b""), CheckpointError::Foreign { .. }));
    }

    #[test]
    fn another_format_says_so_and_a_heading_that_lies_takes_no_memory() {
        let (_folder, path) = written(b"");
        let with_hash = |content: &[u8]| {
            let hash = Sha256::digest(content);
            fs::write(&path, [content, &hash[..]].concat()).expect("a file");
            read_checkpoint(&path)
        };
        let start = [&MAGIC[..], &9_u32.to_le_bytes()].concat();
        assert!(matches!(with_hash(&start), Err(CheckpointError::Format { found: 9, .. })));
        let lying = [&MAGIC[..], &FORMAT.to_le_bytes(), &u64::MAX.to_le_bytes(), b"{}"].concat();
        let found = with_hash(&lying).expect("readable").expect("there");
        assert_eq!(found.heading, b"{}");
    }

    #[test]
    fn a_folder_or_a_link_in_its_place_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(matches!(read_checkpoint(folder.path()), Err(CheckpointError::Foreign { .. })));
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
            assert!(matches!(read_checkpoint(&link), Err(CheckpointError::Foreign { .. })));
        }
    }
}
