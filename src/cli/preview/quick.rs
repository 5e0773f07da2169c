//! A quick version of a scene.

use sha2::{Digest, Sha256};

use super::store::Store;
use crate::bake;
use crate::cli::bake::cloth::Cloth;
use crate::cli::bake::identity::{Identity, Program};
use crate::cli::bake::inputs::Inputs;
use crate::cli::bake::simulate_scene;
use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::interrupt::Interrupt;
use crate::preset::Scene;
use crate::simulate::{PointCache, Timeline};

/// Particles of a quick version, and vertices of a garment from which on it is made coarser.
const PARTICLES: u32 = 2000;
const FINE: usize = 3000;

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
    let known = store.as_ref().zip(key.as_ref()).and_then(|(store, key)| store.read(key, inputs.timeline, particles));
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

/// What tells simulations apart, as for checkpoints. None if a file cannot be read again.
fn key(scene: &Scene, inputs: &Inputs) -> Option<String> {
    let build = Program::open().ok()?.build().ok()?;
    let identity = serde_json::to_vec(&(build, Identity::of(scene, inputs).ok()?)).ok()?;
    Some(bake::hex(&Sha256::digest(identity)))
}
