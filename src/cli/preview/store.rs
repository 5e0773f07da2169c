//! Where simulations for previews are kept.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::quick::Simulated;
use crate::geometry::Vec3;
use crate::simulate::{PointCache, Timeline};

/// Bytes of all kept simulations, at most.
const KEPT: u64 = 1 << 30;
/// Start of a file that keeps one.
const MAGIC: &[u8; 16] = b"toile preview 1\n";

/// A folder of kept simulations: the user's cache folder.
pub(super) struct Store {
    folder: PathBuf,
}

impl Store {
    pub(super) fn open() -> Option<Store> {
        let folder = dirs::cache_dir()?.join("toile").join("previews");
        fs::create_dir_all(&folder).ok()?;
        Some(Store { folder })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key)
    }

    /// What was kept under `key`; none if that is damaged.
    pub(super) fn read(&self, key: &str, timeline: Timeline, particles: usize) -> Option<Simulated> {
        let frames = timeline.len();
        let path = self.path(key);
        let expected = MAGIC.len() + frames * (4 + 12 * particles);
        if fs::metadata(&path).ok()?.len() != expected as u64 {
            return None;
        }
        let bytes = fs::read(&path).ok()?;
        let mut words = bytes.strip_prefix(MAGIC)?.chunks_exact(4).map(|w| [w[0], w[1], w[2], w[3]]);
        let states = words.by_ref().take(frames).map(|w| u32::from_le_bytes(w) as usize).collect();
        let numbers: Vec<f32> = words.map(f32::from_le_bytes).collect();
        let frames = numbers.chunks(3 * particles).map(|frame| frame.chunks(3).map(Vec3::from_slice).collect());
        let cache = PointCache { timeline, frames: frames.collect() };
        // That it was used keeps it from being removed first.
        let _ = fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(Simulated { cache, states })
    }

    pub(super) fn keep(&self, key: &str, simulated: &Simulated) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        let mut sink = io::BufWriter::new(file.as_file_mut());
        sink.write_all(MAGIC)?;
        for &state in &simulated.states {
            sink.write_all(&(state as u32).to_le_bytes())?;
        }
        for position in simulated.cache.frames.iter().flatten() {
            for number in position.to_array() {
                sink.write_all(&number.to_le_bytes())?;
            }
        }
        sink.flush()?;
        drop(sink);
        file.persist(self.path(key)).map_err(|error| error.error)?;
        self.make_room(KEPT)
    }

    /// Removes those that were not used for longest until all take no more than so many bytes.
    fn make_room(&self, most: u64) -> io::Result<()> {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let about = entry.metadata()?;
            if about.is_file() && is_key(&entry.path()) {
                files.push((about.modified()?, about.len(), entry.path()));
            }
        }
        files.sort();
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in files {
            if total <= most {
                break;
            }
            fs::remove_file(path)?;
            total -= bytes;
        }
        Ok(())
    }
}

/// Whether a file is one that we keep.
fn is_key(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.len() == 64 && name.to_string_lossy().bytes().all(|b| b.is_ascii_hexdigit()))
}
