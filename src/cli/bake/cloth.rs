//! Garment -> everything that is simulated of it.

use crate::body::{Body, Moment};
use crate::cli::failure::Failure;
use crate::cli::stages;
use crate::correction::CorrectionMap;
use crate::import::Garment;
use crate::pins::{self, Pins};
use crate::preset::Scene;
use crate::simulate::{StartPose, Timeline, contact_sets, detect_start};
use crate::springs::SpringNetwork;
use crate::topology::{ParticleId, Topology};

/// Name of the only correction map of a scene without collision states.
const ONLY_STATE: &str = "default";

/// A garment ready to be simulated.
#[derive(Debug)]
pub(crate) struct Cloth {
    pub(crate) topology: Topology,
    pub(crate) springs: SpringNetwork,
    pub(crate) pins: Pins,
    pub(crate) maps: Vec<CorrectionMap>,
    pub(crate) start: StartPose,
}

/// Builds the cloth of `scene`. A goal of a correction map is corrected at most `visit_limit` times.
pub(crate) fn build(
    scene: &Scene,
    garment: &Garment,
    body: Option<&Body>,
    timeline: &Timeline,
    visit_limit: u32,
) -> Result<Cloth, Failure> {
    let topology = stages::build_topology(garment)?;
    let springs = stages::build_springs(&topology);
    let start = body.map_or(StartPose::First, |body| detect_start(&topology, body, timeline));
    let posed = body.map(|body| (body, start_moment(start, timeline)));
    let pinned = pins::select(&scene.pins, garment, &topology, posed)?;
    let pins = pins::bind(pinned, &scene.carrier, garment, &topology, posed)?;
    let map = |state: &str, added: &[ParticleId]| {
        stages::build_map(state, union(&pins.particles, added), &topology, &springs, visit_limit)
    };
    let states = &scene.parameters.states;
    let maps = if states.is_empty() {
        vec![map(ONLY_STATE, &[])]
    } else {
        let added = contact_sets(states, body, &topology)?;
        states.iter().zip(&added).map(|(state, added)| map(&state.name, added)).collect()
    };
    Ok(Cloth { topology, springs, pins, maps, start })
}

fn start_moment(start: StartPose, timeline: &Timeline) -> Moment {
    match start {
        StartPose::Bind => Moment::Bind,
        StartPose::First => Moment::At(timeline.clip_seconds(0)),
    }
}

/// All particles of both, ascending, each once.
fn union(a: &[ParticleId], b: &[ParticleId]) -> Vec<ParticleId> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}
