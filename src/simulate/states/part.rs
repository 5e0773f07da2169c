//! What a state watches: the surroundings of a joint, or a collider.

use crate::body::{Body, JointId, Moment, lacking};
use crate::geometry::Vec3;
use crate::simulate::collide::{Contact, Primitives, UnknownColliderJoint};
use crate::simulate::parameters::{CollisionState, Parameters};
use crate::topology::{ParticleId, Topology};

/// Most moments of a clip at which contact sets are looked for.
const CONTACT_SAMPLES: u32 = 64;

/// A state that cannot be what it says.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// A joint that the body does not have.
    #[error("collision state `{state}` watches joint `{joint}`, {known}")]
    UnknownJoint {
        /// Name of the state.
        state: String,
        /// Name of the joint.
        joint: String,
        /// What the body has instead.
        known: String,
    },
    /// A collider that the scene does not have.
    #[error("collision state `{state}` watches collider `{collider}`, which the scene does not have")]
    UnknownCollider {
        /// Name of the state.
        state: String,
        /// Name of the collider.
        collider: String,
    },
    /// Phases of a clip that is no cycle.
    #[error("collision state `{state}` has phases, but the body has no animation whose cycle they could be of")]
    NoCycle {
        /// Name of the state.
        state: String,
    },
    /// A collider's joint does not exist.
    #[error(transparent)]
    Collider(#[from] UnknownColliderJoint),
}

/// What a state watches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// The body within `radius` metres of a joint.
    Joint { joint: JointId, radius: f32 },
    /// A collider, by its index.
    Collider(usize),
}

impl Part {
    /// What each state watches; none for a state that holds when no other does.
    pub(super) fn of_states(parameters: &Parameters, body: Option<&Body>) -> Result<Vec<Option<Part>>, StateError> {
        parameters.states.iter().map(|state| Part::of(state, parameters, body)).collect()
    }

    fn of(state: &CollisionState, parameters: &Parameters, body: Option<&Body>) -> Result<Option<Part>, StateError> {
        if let Some(name) = &state.joint {
            let found = body.and_then(|b| b.joint_named(name));
            let unknown =
                || StateError::UnknownJoint { state: state.name.clone(), joint: name.clone(), known: lacking(body) };
            return Ok(Some(Part::Joint { joint: found.ok_or_else(unknown)?, radius: state.radius }));
        }
        let Some(name) = &state.collider else { return Ok(None) };
        let found = parameters.colliders.iter().position(|c| c.name == *name);
        let unknown = || StateError::UnknownCollider { state: state.name.clone(), collider: name.clone() };
        Ok(Some(Part::Collider(found.ok_or_else(unknown)?)))
    }

    /// Whether a contact of a particle at `at` is with this part, `joints` being where joints are.
    pub(super) fn is_touched(&self, contact: &Contact, at: Vec3, joints: &[Vec3]) -> bool {
        match *self {
            Part::Joint { joint, radius } => {
                let place = joints.get(joint.0 as usize);
                contact.joint.is_some() && place.is_some_and(|j| j.distance_squared(at) < radius * radius)
            }
            Part::Collider(index) => contact.collider == Some(index as u32),
        }
    }
}

/// For each state an estimate of the particles it adds to the fixed ones, ascending: those that come within the state's radius
/// of its joint or its collider's surface at any time of the clip, if the garment stayed as it starts. Empty for a state
/// that watches nothing. A pass that looks ahead finds those that do touch.
///
/// # Errors
/// A joint or collider that does not exist, or phases of a clip that is no cycle.
pub fn contact_sets(
    parameters: &Parameters,
    body: Option<&Body>,
    topology: &Topology,
) -> Result<Vec<Vec<ParticleId>>, StateError> {
    let parts = Part::of_states(parameters, body)?;
    let mut colliders = Primitives::new(&parameters.colliders, body)?;
    let mut reached = vec![vec![false; topology.positions.len()]; parts.len()];
    for moment in moments(body) {
        colliders.move_to(body, moment);
        let joints = joint_places(body, moment);
        for ((part, state), reached) in parts.iter().zip(&parameters.states).zip(&mut reached) {
            let near = |p: Vec3| match *part {
                Some(Part::Joint { joint, radius }) => {
                    joints.get(joint.0 as usize).is_some_and(|j| j.distance_squared(p) < radius * radius)
                }
                Some(Part::Collider(index)) => colliders.distance(index, p) < state.radius,
                None => false,
            };
            reached.iter_mut().zip(&topology.positions).for_each(|(is, &p)| *is |= near(p));
        }
    }
    let ids = |reached: Vec<bool>| (0..).zip(reached).filter(|(_, is)| *is).map(|(i, _)| ParticleId(i)).collect();
    Ok(reached.into_iter().map(ids).collect())
}

/// Where all joints are.
pub(super) fn joint_places(body: Option<&Body>, moment: Moment) -> Vec<Vec3> {
    let transforms = body.map_or(Vec::new(), |b| b.joint_transforms(moment));
    transforms.iter().map(|t| t.translation.as_vec3()).collect()
}

fn moments(body: Option<&Body>) -> Vec<Moment> {
    let (first, last) = body.map_or((0.0, 0.0), Body::clip_range);
    let at = |i: u32| first + (last - first) * f64::from(i) / f64::from(CONTACT_SAMPLES);
    (0..=CONTACT_SAMPLES).map(|i| Moment::At(at(i))).collect()
}
