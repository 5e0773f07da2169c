//! A quick version of a scene, and a place to keep what was simulated.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::cli::bake::cloth::Cloth;
use crate::cli::bake::inputs::Inputs;
use crate::cli::bake::simulate_scene;
use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::interrupt::Interrupt;
use crate::geometry::Vec3;
use crate::preset::Scene;
use crate::simulate::{PointCache, Timeline};

/// Particles of a quick version, and vertices of a garment from which on it is made coarser.
const PARTICLES: u32 = 2000;
const FINE: usize = 3000;
/// Bytes of all kept simulations, at most.
const KEPT: u64 = 1 << 30;
/// Start of a file that keeps one.
const MAGIC: &[u8; 16] = b"toile preview 1\n";

/// What is kept of a simulation.
#[derive(Clone, Debug)]
pub(super) struct Simulated {
    pub(super) cache: PointCache,
    /// Index of the collision state in force in each frame.
    pub(super) states: Vec<usize>,
}

/// Leaves out what a first look can do without. Not the preroll: cloth that has not come to rest gets caught by arms.
pub(super) fn simplify(scene: &mut Scene) {
    scene.parameters.look_ahead = false;
    (scene.cycle, scene.parameters.laps) = (None, None);
}

/// Simulates a garment of so many vertices on fewer, if that is many.
pub(super) fn coarsen(scene: &mut Scene, vertices: usize) {
    if vertices > FINE && scene.choice.simulate_as.is_none() {
        scene.choice.simulate_as = Some(PARTICLES);
    }
}

/// One frame of cloth as it was made, for what does not move.
pub(super) fn still(inputs: &Inputs, cloth: &Cloth) -> Simulated {
    let timeline = Timeline { last: inputs.timeline.first, ..inputs.timeline };
    let cache = PointCache { timeline, frames: vec![cloth.topology.positions.clone()] };
    Simulated { cache, states: vec![0] }
}

/// Simulates `scene`, or finds it among what was kept.
pub(super) fn simulated(
    scene: &Scene,
    inputs: &Inputs,
    cloth: &Cloth,
    keeps: bool,
    console: &Console,
    interrupt: &Interrupt,
) -> Result<Simulated, Failure> {
    let store = Store::open().filter(|_| keeps);
    let particles = cloth.topology.positions.len();
    let key = key(scene, inputs);
    let known = store.as_ref().zip(key.as_ref()).and_then(|(store, key)| store.read(key, inputs, particles));
    if let Some(known) = known {
        console.detail("simulated before");
        return Ok(known);
    }
    let simulation = simulate_scene(scene, inputs, cloth, console, interrupt)?;
    let simulated = Simulated { cache: simulation.cache, states: simulation.states };
    if let Some((store, key)) = store.zip(key)
        && let Err(error) = store.keep(&key, &simulated)
    {
        console.detail(&format!("the simulation is not kept: {error}"));
    }
    Ok(simulated)
}

/// What tells scenes apart: everything they say and every byte they read, and the program. None if a file cannot be read again.
fn key(scene: &Scene, inputs: &Inputs) -> Option<String> {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    let program = std::env::current_exe().and_then(|program| program.metadata()?.modified()).ok();
    hash.update(format!("{program:?} {scene:?} {:?}", inputs.timeline));
    for file in &inputs.files {
        hash.update(fs::read(file).ok()?);
    }
    Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A folder of kept simulations: the user's cache folder.
struct Store {
    folder: PathBuf,
}

impl Store {
    fn open() -> Option<Store> {
        let folder = dirs::cache_dir()?.join("toile").join("previews");
        fs::create_dir_all(&folder).ok()?;
        Some(Store { folder })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key)
    }

    /// What was kept under `key`; none if that is damaged.
    fn read(&self, key: &str, inputs: &Inputs, particles: usize) -> Option<Simulated> {
        let frames = inputs.timeline.len();
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
        let cache = PointCache { timeline: inputs.timeline, frames: frames.collect() };
        // That it was used keeps it from being removed first.
        let _ = fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(Simulated { cache, states })
    }

    fn keep(&self, key: &str, simulated: &Simulated) -> io::Result<()> {
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
