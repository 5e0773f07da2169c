//! What a simulation takes and what it gives back.

use super::archive::{Archive, ArchiveError, Archived};
use super::guard::Fault;
use super::integrate::MatrixTooLarge;
use super::schedule::StartPose;
use super::states::{MapValidity, StateError};
use super::{Parameters, PointCache, Timeline, UnknownColliderJoint};
use crate::body::Body;
use crate::correction::CorrectionMap;
use crate::pins::Pins;
use crate::springs::SpringNetwork;
use crate::topology::{ParticleId, Topology};

/// Everything a simulation works on.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The cloth.
    pub topology: &'a Topology,
    /// Its springs.
    pub springs: &'a SpringNetwork,
    /// One correction map a collision state, in the order of [`Parameters::states`]; exactly one when no named states are used.
    pub maps: &'a [CorrectionMap],
    /// The body, if any.
    pub body: Option<&'a Body>,
    /// What is held.
    pub pins: &'a Pins,
    /// How.
    pub parameters: &'a Parameters,
    /// Which frames.
    pub timeline: &'a Timeline,
    /// What the garment was made for.
    pub start: StartPose,
}

impl Setup<'_> {
    /// Whether anything but the cloth itself may touch it.
    pub(super) fn collides(&self) -> bool {
        self.hits_body() || !self.parameters.colliders.is_empty()
    }

    /// Whether the body's mesh may touch the cloth.
    pub(super) fn hits_body(&self) -> bool {
        self.body.is_some() && self.parameters.body_collision
    }
}

/// How far a simulation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Frames done, preroll included.
    pub done: u32,
    /// Frames to do, preroll, passes and laps included; fewer if a lap repeats the one before.
    pub total: u32,
    /// Whether these are frames of the preroll.
    pub preroll: bool,
    /// Whether these are frames of a pass that only looks ahead.
    pub looks_ahead: bool,
    /// Which lap these are frames of, in a loop.
    pub lap: Option<LapNumber>,
    /// Substeps of the last frame; 0 before it and after a cut.
    pub substeps: u32,
}

/// One lap of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LapNumber {
    /// Its number, from 1.
    pub number: u32,
    /// Number of the last one at the latest.
    pub most: u32,
    /// How far the lap before it is from the one before that, metres; none for the first two.
    pub residual: Option<f32>,
}

/// How a loop was closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopOutcome {
    /// Laps simulated.
    pub laps: u32,
    /// Furthest that a particle is, in any frame of a lap, from where it was in the lap before, metres; from the second lap on.
    pub residuals: Vec<f32>,
    /// The same of velocities as they are played, m/s.
    pub velocity_residuals: Vec<f32>,
    /// Residual that was asked for, metres.
    pub tolerance: f32,
    /// Whether the last lap repeats the one before within the tolerance.
    pub is_closed: bool,
}

impl LoopOutcome {
    /// The lap that was closed with the one before it, from 1, and its residual, metres: the last if it repeats, else the one that comes
    /// nearest to it.
    pub fn repeated(&self) -> Option<(u32, f32)> {
        let residuals = || (2..).zip(self.residuals.iter().copied());
        if self.is_closed { residuals().last() } else { residuals().min_by(|(_, a), (_, b)| a.total_cmp(b)) }
    }

    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.u32(&mut self.laps)?;
        archive.numbers(&mut self.residuals)?;
        archive.numbers(&mut self.velocity_residuals)?;
        archive.f32(&mut self.tolerance)?;
        archive.bool(&mut self.is_closed)
    }
}

/// A finished simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The baked frames.
    pub cache: PointCache,
    /// Index of the collision state in force in each baked frame.
    pub states: Vec<usize>,
    /// Correction map of each state.
    pub maps: Vec<CorrectionMap>,
    /// How well the map in force fitted what touched, in each baked frame.
    pub validity: Vec<MapValidity>,
    /// Substeps of each baked frame.
    pub substeps: Vec<u32>,
    /// Frames, as [`Timeline`] numbers them, into which the body jumps: the cloth was carried along or led over.
    pub cuts: Vec<i64>,
    /// How the loop was closed, if it is one.
    pub repetition: Option<LoopOutcome>,
    /// What is doubtful about the method in this scene, in plain words: [`warnings`](super::warnings), and what came of it.
    pub notices: Vec<String>,
}

impl Simulation {
    /// A simulation of no frame yet.
    pub fn of(timeline: Timeline) -> Simulation {
        Simulation {
            cache: PointCache { timeline, frames: Vec::with_capacity(timeline.len()) },
            states: Vec::new(),
            maps: Vec::new(),
            validity: Vec::new(),
            substeps: Vec::new(),
            cuts: Vec::new(),
            repetition: None,
            notices: Vec::new(),
        }
    }
}

/// A simulation that did not finish.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The cloth exploded and more substeps did not help. Frames before it are kept.
    #[error("frame {frame} diverged at particle {}: {fault}, with {substeps} substeps; {advice}", particle.0)]
    Diverged {
        /// The frame.
        frame: i64,
        /// Where.
        particle: ParticleId,
        /// What is wrong.
        fault: Fault,
        /// Substeps of the last try.
        substeps: u32,
        /// What to do about it.
        advice: String,
        /// The good frames.
        good: Box<Simulation>,
    },
    /// The state to go on from is none of this scene's.
    #[error("cannot go on from where a simulation stopped")]
    Archive(#[from] ArchiveError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A state's joint, collider or cycle does not exist.
    #[error(transparent)]
    State(#[from] StateError),
    /// A collider's joint does not exist.
    #[error(transparent)]
    Collider(#[from] UnknownColliderJoint),
    /// The integrator needs too much memory.
    #[error(transparent)]
    Matrix(#[from] MatrixTooLarge),
}
