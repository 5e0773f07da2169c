//! Selectors -> pinned particles, and what carries them.
//!
//! A pin is bound once, to the body as it stands when the simulation starts, and asked for its place at every substep:
//!
//! ```text
//!        n  o pin = foot + offset in the triangle's own frame (t, n x t, n)
//!        | /
//!  a ----+------ b        the foot keeps its barycentric coordinates
//!         \   /
//!           c
//! ```

mod bind;
mod select;
mod selector;
mod surface;

pub use bind::{BindError, Binding, Pins, bind};
pub use select::{SelectError, select};
pub use selector::{LoopChoice, PinCarrier, PinSelector, SelectorError};
