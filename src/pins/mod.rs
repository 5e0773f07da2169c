//! Selectors -> pinned particles, and what carries them.

mod selector;

pub use selector::{LoopChoice, PinCarrier, PinSelector, SelectorError};
