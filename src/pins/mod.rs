//! Selectors -> pinned particles, and what carries them.
//!
//! A pin is bound once, to the body as it stands when the simulation starts, and asked for its place at every substep.

mod anchor;
mod bind;
mod outlines;
mod select;
mod selector;

pub use anchor::Anchor;
pub use bind::{BindError, Binding, Pins, bind};
pub use outlines::paired_loops;
pub use select::{SelectError, select};
pub use selector::{LoopChoice, PinCarrier, PinSelector, SelectorError};
