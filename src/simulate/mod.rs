//! Forces, integration, enforcement, collision and the frame loop.

mod cache;
mod parameters;
mod timeline;

pub use cache::PointCache;
pub use parameters::{Collider, CollisionState, Enforcement, Fabric, Parameters, Shape, Wind};
pub use timeline::{FrameRate, Timeline};
