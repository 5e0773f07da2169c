//! Forces, integration, enforcement, collision and the frame loop.
//!
//! A substep is a list of stages that know nothing of each other: `forces` change velocities, `cloth` integrates them,
//! `elasticity` resists bending and shear, `enforce` limits stretch, `collide` keeps the cloth out of bodies.

mod batch;
mod cache;
mod cloth;
mod collide;
mod elasticity;
mod enforce;
mod fit;
mod forces;
mod guard;
mod method;
mod parameters;
mod run;
mod schedule;
mod states;
mod timeline;

pub use cache::PointCache;
pub use cloth::particle_areas;
pub use collide::UnknownColliderJoint;
pub use fit::detect_start;
pub use guard::Fault;
pub use method::{Enforcement, Integrator, Method, MethodError, MethodSettings, MethodSpec};
pub use parameters::{Collider, CollisionState, Fabric, Parameters, Shape, SpringConstants, Wind};
pub use run::{Progress, Setup, Simulation, SimulationError, run};
pub use schedule::StartPose;
pub use states::{UnknownStateJoint, contact_sets};
pub use timeline::{FrameRate, Timeline};
