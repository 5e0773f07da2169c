//! Garment -> everything that is simulated of it.

use super::inputs::Inputs;
use crate::body::{Body, Moment};
use crate::cli::failure::Failure;
use crate::correction::{CorrectionMaps, MapOptions};
use crate::pins::{self, Pins};
use crate::preset::Scene;
use crate::simulate::{Parameters, PoseFits, StartPose, StateError, StateMode, Timeline, contact_sets};
use crate::springs::SpringNetwork;
use crate::topology::{self, ParticleId, Topology};

/// Name of the only correction map of a scene without collision states.
const ONLY_STATE: &str = "default";

/// A garment ready to be simulated.
#[derive(Debug)]
pub(crate) struct Cloth {
    pub(crate) topology: Topology,
    pub(crate) springs: SpringNetwork,
    pub(crate) pins: Pins,
    pub(crate) maps: CorrectionMaps,
    pub(crate) start: StartPose,
    /// How `start` was found, in plain words.
    pub(crate) notices: Vec<String>,
}

/// Builds the cloth of `scene`, with correction maps as `options` ask for.
pub(crate) fn build(scene: &Scene, inputs: &Inputs, options: &MapOptions) -> Result<Cloth, Failure> {
    let Inputs { garment, body, timeline, .. } = inputs;
    let body = body.as_ref();
    let topology = topology::build(garment)?;
    let (start, notices) = match body {
        Some(body) => start_pose(scene.garment_pose, &PoseFits::measure(&topology, body, timeline)),
        None => (StartPose::First, Vec::new()),
    };
    let posed = body.map(|body| (body, start_moment(start, timeline)));
    let pinned = pins::select(&scene.pins, garment, &topology, posed)?;
    let (topology, pinned) = topology.numbered(&pinned);
    let springs = SpringNetwork::build(&topology);
    let pins = pins::bind(pinned, &scene.carrier, garment, &topology, posed)?;
    let cloth = Cloth { topology, springs, pins, maps: CorrectionMaps::default(), start, notices };
    Ok(Cloth { maps: maps(&cloth, &scene.parameters, body, options)?, ..cloth })
}

/// The correction maps of `cloth` for the collision states that `parameters` use.
pub(crate) fn maps(
    cloth: &Cloth,
    parameters: &Parameters,
    body: Option<&Body>,
    options: &MapOptions,
) -> Result<CorrectionMaps, StateError> {
    let states = held_by_states(parameters, body, &cloth.topology)?;
    Ok(CorrectionMaps::build(&states, &cloth.pins.particles, &cloth.topology, &cloth.springs, options))
}

/// The pose the garment is taken to be made for, and why, unless that makes no difference.
fn start_pose(given: Option<StartPose>, fits: &PoseFits) -> (StartPose, Vec<String>) {
    let (better, reason) = (fits.better(), fits.reason());
    let notice = match given {
        _ if fits.are_alike() => None,
        None => Some(format!("the garment is taken as made for {better}: {reason}; --garment-pose says otherwise")),
        Some(given) if given != better => {
            Some(format!("the garment is taken as made for {given}, as told; {better} would fit better: {reason}"))
        }
        Some(_) => None,
    };
    (given.unwrap_or(better), notice.into_iter().collect())
}

fn start_moment(start: StartPose, timeline: &Timeline) -> Moment {
    match start {
        StartPose::Bind => Moment::Bind,
        StartPose::First => Moment::At(timeline.clip_seconds(0)),
    }
}

/// Name of each collision state in use and the particles it holds beside the pins; one that holds none if there are no states.
fn held_by_states(
    parameters: &Parameters,
    body: Option<&Body>,
    topology: &Topology,
) -> Result<Vec<(String, Vec<ParticleId>)>, StateError> {
    if parameters.state_mode() != StateMode::Named {
        return Ok(vec![(ONLY_STATE.to_owned(), Vec::new())]);
    }
    let held = contact_sets(parameters, body, topology)?;
    Ok(parameters.states.iter().map(|state| state.name.clone()).zip(held).collect())
}
