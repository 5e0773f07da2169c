//! Collision states: what each adds to the fixed particles, and which one is in force.

use super::cloth::Point;
use super::collide::Contact;
use super::parameters::CollisionState;
use crate::body::{Body, JointId, Moment};
use crate::geometry::Vec3;
use crate::topology::{ParticleId, Topology};

/// Contacts near the joint from which its state begins ...
const CONTACTS_ON: usize = 8;
/// ... and below which it ends.
const CONTACTS_OFF: usize = 4;
/// A state is kept this long at least, seconds: shorter visits make the cloth twitch.
const DWELL_SECONDS: f64 = 0.15;
/// Most moments of a clip at which contact sets are looked for.
const CONTACT_SAMPLES: u32 = 64;

/// A state that names a joint the body does not have.
#[derive(Debug, thiserror::Error)]
#[error("collision state `{state}` watches joint `{joint}`, which the body does not have")]
pub struct UnknownStateJoint {
    state: String,
    joint: String,
}

/// For each state the particles it adds to the fixed ones, ascending: those that the part's ball of `radius` around the joint
/// reaches at any time of the clip, with the garment as it starts. Empty for a state without joint.
///
/// # Errors
/// A joint that does not exist.
pub fn contact_sets(
    states: &[CollisionState],
    body: Option<&Body>,
    topology: &Topology,
) -> Result<Vec<Vec<ParticleId>>, UnknownStateJoint> {
    let joints = joints_of(states, body)?;
    let reached = |(state, joint): (&CollisionState, &Option<JointId>)| {
        let (Some(joint), Some(body)) = (joint, body) else { return Vec::new() };
        let path = joint_path(body, *joint);
        let near = |p: Vec3| path.iter().any(|j| j.distance_squared(p) < state.radius * state.radius);
        let particles = (0..).zip(&topology.positions);
        particles.filter(|&(_, &p)| near(p)).map(|(i, _)| ParticleId(i)).collect()
    };
    Ok(states.iter().zip(&joints).map(reached).collect())
}

fn joints_of(states: &[CollisionState], body: Option<&Body>) -> Result<Vec<Option<JointId>>, UnknownStateJoint> {
    let joint_of = |state: &CollisionState| {
        let Some(name) = &state.joint else { return Ok(None) };
        let found = body.and_then(|b| b.joint_names().iter().position(|n| n == name));
        let unknown = || UnknownStateJoint { state: state.name.clone(), joint: name.clone() };
        found.map(|j| Some(JointId(j as u32))).ok_or_else(unknown)
    };
    states.iter().map(joint_of).collect()
}

fn joint_path(body: &Body, joint: JointId) -> Vec<Vec3> {
    let (first, last) = body.clip_range();
    let at = |i: u32| first + (last - first) * f64::from(i) / f64::from(CONTACT_SAMPLES);
    let place = |i| body.joint_transform(joint, Moment::At(at(i))).translation.as_vec3();
    (0..=CONTACT_SAMPLES).map(place).collect()
}

/// Chooses the state in force, frame by frame.
#[derive(Debug)]
pub(super) struct StateTracker {
    joints: Vec<Option<JointId>>,
    states: Vec<CollisionState>,
    current: usize,
    seconds_in_current: f64,
}

impl StateTracker {
    pub(super) fn new(states: &[CollisionState], body: Option<&Body>) -> Result<Self, UnknownStateJoint> {
        let joints = joints_of(states, body)?;
        Ok(StateTracker { joints, states: states.to_vec(), current: 0, seconds_in_current: f64::INFINITY })
    }

    /// The state for `frame`, after a frame of `seconds` that ended with `contacts` of particles at `points`.
    pub(super) fn update(
        &mut self,
        frame: i64,
        seconds: f64,
        body: Option<(&Body, Moment)>,
        contacts: &[Contact],
        points: &[Point],
    ) -> usize {
        self.seconds_in_current += seconds;
        let next = self
            .scheduled(frame)
            .or_else(|| (self.seconds_in_current >= DWELL_SECONDS).then(|| self.by_contact(body, contacts, points)));
        if let Some(next) = next.filter(|&n| n != self.current) {
            self.current = next;
            self.seconds_in_current = 0.0;
        }
        self.current
    }

    fn scheduled(&self, frame: i64) -> Option<usize> {
        let holds = |state: &CollisionState| state.frames.iter().any(|&(first, last)| (first..=last).contains(&frame));
        self.states.iter().position(holds)
    }

    /// The state with most contacts near its joint, if they are enough; else the first.
    fn by_contact(&self, body: Option<(&Body, Moment)>, contacts: &[Contact], points: &[Point]) -> usize {
        let Some((body, moment)) = body else { return 0 };
        let count = |state: usize| {
            let Some(joint) = self.joints[state] else { return 0 };
            let at = body.joint_transform(joint, moment).translation.as_vec3();
            let radius = self.states[state].radius;
            let near = |c: &&Contact| c.joint.is_some() && points[c.particle as usize].at.distance(at) < radius;
            contacts.iter().filter(near).count()
        };
        let counts = (0..self.states.len()).map(|state| (state, count(state)));
        let needed = |state| if state == self.current { CONTACTS_OFF } else { CONTACTS_ON };
        let candidates = counts.filter(|&(state, n)| n >= needed(state));
        candidates.fold((0, 0), |best, this| if this.1 > best.1 { this } else { best }).0
    }
}
