//! Garment -> everything that is simulated of it, and back.

use rayon::prelude::*;

use super::inputs::Inputs;
use crate::body::{Body, Moment};
use crate::carry::{self, Outfit, Rest, Wardrobe, Wearer};
use crate::cli::failure::{Failure, UsageError};
use crate::correction::{CorrectionMaps, MapOptions};
use crate::geometry::{Aabb, DVec3, Vec3};
use crate::import::Garment;
use crate::pins::{PinCarrier, PinSelector, Pins};
use crate::preset::Scene;
use crate::report::Simulated;
use crate::simulate::{
    Integrator, Parameters, PointCache, PoseFits, SpringConstants, StartPose, StateError, StateMode, Timeline,
    contact_sets,
};
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
    /// What follows the cloth; none if it is the whole garment.
    pub(crate) rest: Option<Rest>,
    /// What was odd, in plain words.
    pub(crate) notices: Vec<String>,
}

impl Cloth {
    /// The garment as it is written and measured.
    pub(crate) fn whole(&self) -> &Topology {
        self.rest.as_ref().map_or(&self.topology, |rest| &rest.whole)
    }

    /// How much of the garment is simulated.
    pub(crate) fn counts(&self) -> Simulated {
        let particles = self.topology.positions.len();
        match &self.rest {
            None => Simulated { particles, ..Simulated::default() },
            Some(Rest { excluded_vertices, carried_vertices, .. }) => {
                Simulated { particles, excluded_vertices: *excluded_vertices, carried_vertices: *carried_vertices }
            }
        }
    }
}

/// Builds the cloth of `scene`, with correction maps as `options` ask for.
pub(crate) fn build(scene: &Scene, inputs: &Inputs, options: &MapOptions) -> Result<Cloth, Failure> {
    let Inputs { garment, body, timeline, .. } = inputs;
    let body = body.as_ref();
    let whole = topology::build(garment)?;
    let mut notices = whole.notices.clone();
    let barefoot = body.and_then(|_| carry::without_footwear(&scene.choice, garment, &whole));
    let choice = barefoot.as_ref().map_or(&scene.choice, |barefoot| &barefoot.choice);
    let excluded = carry::excluded(choice, garment, &whole)?;
    let (start, of_start) = match body {
        Some(_) if inputs.is_of_body && scene.garment_pose.is_none() => (StartPose::Bind, Vec::new()),
        Some(body) => {
            start_pose(scene.garment_pose, &fits(&whole, garment.origin, excluded.as_deref(), body, timeline))
        }
        None => (StartPose::First, Vec::new()),
    };
    notices.extend(of_start);
    notices.extend(barefoot.as_ref().map(|barefoot| barefoot.notice.clone()));
    check_place(garment, body, start, timeline)?;
    let is_worn = scene.pins.iter().any(|pin| *pin != PinSelector::None);
    notices.extend(
        body.filter(|_| is_worn).and_then(|body| away_note(&whole, body, start.moment(timeline.clip_seconds(0)))),
    );
    let wardrobe = Wardrobe {
        choice,
        excluded: excluded.as_deref(),
        garment,
        pins: &scene.pins,
        carrier: &scene.carrier,
        body: body.map(|body| (body, start.moment(timeline.clip_seconds(0)))),
    };
    let Outfit { cloth: topology, pins, rest, notices: of_outfit } = carry::outfit(&wardrobe, whole)?;
    notices.extend(of_outfit);
    notices.extend(body.into_iter().flat_map(|body| taken_joints(scene, body)));
    if pins.particles.is_empty() {
        notices.insert(0, "nothing is pinned: the cloth falls until something holds it".to_owned());
    }
    if scene.parameters.integrator == Integrator::Xpbd && scene.parameters.springs != SpringConstants::default() {
        notices.push("simulation.springs has no effect with xpbd, which takes the values of the fabric".to_owned());
    }
    let springs = SpringNetwork::build(&topology);
    let cloth = Cloth { topology, springs, pins, maps: CorrectionMaps::default(), start, rest, notices };
    Ok(Cloth { maps: maps(&cloth, &scene.parameters, body, options)?, ..cloth })
}

/// How what is worn of the garment fits the poses it may have been made for.
fn fits(whole: &Topology, origin: DVec3, excluded: Option<&[bool]>, body: &Body, timeline: &Timeline) -> PoseFits {
    let Some(excluded) = excluded else { return PoseFits::measure(whole, origin, body, timeline) };
    PoseFits::measure(&carry::left_over(whole, excluded).0, origin, body, timeline)
}

/// The frames of `simulation` for the whole garment, `keep` metres off the body; none if that is what was simulated.
pub(crate) fn carried(cloth: &Cloth, body: Option<&Body>, keep: f32, simulated: &PointCache) -> Option<PointCache> {
    let carry = &cloth.rest.as_ref()?.carry;
    let timeline = simulated.timeline;
    let body = body.filter(|_| carry.needs_body());
    let frame = |(index, positions): (usize, &Vec<Vec3>)| {
        let moment = Moment::At(timeline.clip_seconds(index));
        let mut pose = Vec::new();
        if let Some(body) = body {
            body.pose(moment, &mut pose);
        }
        carry.carried(&cloth.topology, positions, body.map(|body| Wearer { body, pose: &pose, moment, keep }))
    };
    let frames = simulated.frames.par_iter().enumerate().map(frame).collect();
    Some(PointCache { timeline, frames })
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

/// Says which joints are meant by names that the body does not have.
fn taken_joints(scene: &Scene, body: &Body) -> Vec<String> {
    let pins = scene.pins.iter().filter_map(|pin| if let PinSelector::Joint(name) = pin { Some(name) } else { None });
    let carrier = if let PinCarrier::Joint(name) = &scene.carrier { Some(name) } else { None };
    let states = scene.parameters.states.iter().filter(|_| scene.parameters.state_mode() == StateMode::Named);
    let colliders = scene.parameters.colliders.iter().filter_map(|collider| collider.joint.as_ref());
    let mut asked: Vec<&String> =
        pins.chain(carrier).chain(states.filter_map(|state| state.joint.as_ref())).chain(colliders).collect();
    asked.sort_unstable();
    asked.dedup();
    let taken = |name: &&String| {
        let found = body.joint_names().get(body.joint_named(name)?.0 as usize)?;
        (found != *name).then(|| format!("joint `{name}` is taken as the body's `{found}`"))
    };
    asked.iter().filter_map(taken).collect()
}

/// Stops where the garment is told to be made for a pose that is nowhere near it.
fn check_place(
    garment: &Garment,
    body: Option<&Body>,
    start: StartPose,
    timeline: &Timeline,
) -> Result<(), UsageError> {
    let moment = start.moment(timeline.clip_seconds(0));
    match body.map(|body| (body.origin(moment) - garment.origin).length()) {
        Some(metres) if metres > 0.0 => Err(UsageError::Elsewhere { pose: start, metres }),
        _ => Ok(()),
    }
}

/// Says when a garment lies beside the body that it is worn by.
fn away_note(garment: &Topology, body: &Body, moment: Moment) -> Option<String> {
    /// Distance between the boxes around both, in diagonals of the body's.
    const AWAY: f32 = 0.1;
    let mut pose = Vec::new();
    body.pose(moment, &mut pose);
    let corners = garment.triangles.iter().flatten().map(|p| &garment.positions[p.index()]);
    let [ours, theirs] = [Aabb::around(corners), Aabb::around(&pose)];
    let gap = (ours.min - theirs.max).max(theirs.min - ours.max).max(Vec3::ZERO).length();
    let is_away = gap.is_finite() && gap > AWAY * theirs.size().length();
    is_away.then(|| {
        format!(
            "the garment is {gap:.2} m away from the body in the pose it was made for: was it made for another body, or is one of the files in \
             another unit or Z up? toile inspect --garment G --body B says which flags fit"
        )
    })
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
