//! Forces, integration, enforcement, collision and the frame loop.
//!
//! A substep is a list of stages that know nothing of each other: `integrate` carries the cloth as `forces` and its own
//! resistance want (`elasticity` with `xpbd`, `spring_forces` with all other integrators), `enforce` limits stretch,
//! `collide` keeps the cloth out of bodies.

mod archive;
mod batch;
mod cache;
mod cloth;
mod collide;
mod cuts;
mod elasticity;
mod energy;
mod enforce;
mod fit;
mod forces;
mod guard;
mod guide;
mod integrate;
mod laps;
mod marks;
mod method;
mod momentum;
mod pace;
mod parameters;
mod pin_edges;
mod regime;
mod run;
mod schedule;
mod simulation;
mod spring_forces;
mod states;
mod sweep;
mod threads;
mod tight;
mod timeline;
mod whole;

pub use archive::ArchiveError;
pub use cache::PointCache;
pub use cloth::particle_areas;
pub use collide::UnknownColliderJoint;
pub use fit::{Fit, Place, PoseFits, fitting_width};
pub use guard::Fault;
pub use integrate::MatrixTooLarge;
pub use laps::Laps;
pub use method::{Enforcement, Integrator, Method, MethodError, MethodSettings, MethodSpec};
pub use parameters::{
    Collider, CollisionState, Fabric, Parameters, Shape, SpringConstants, StateMode, StateUse, StateUseError, Wind,
};
pub use regime::warnings;
pub use run::{Snapshot, run, run_from};
pub use schedule::StartPose;
pub use simulation::{LapNumber, LoopOutcome, Progress, Setup, Simulation, SimulationError};
pub use states::{MapValidity, StateError, contact_sets};
pub use timeline::{FrameRate, Timeline};
