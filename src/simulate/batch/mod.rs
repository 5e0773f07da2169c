//! Constraints in batches of eight that share no particle, so that a batch is one run of vector instructions and gives bit
//! for bit what its eight constraints give one after the other.
//!
//! ```text
//! part   band 0 (next to the pins)     colour 0: [8][8][8][3]   colour 1: [8][8][5]  ...
//!        band 1 (one edge further)     colour 0: ...
//! part   ...
//! cut    what joins both parts, in bands again
//! ```
//!
//! Bands are distances from the fixed particles in edge lengths. Going through them in order carries a correction from the
//! pins to the hem within one pass, as the paper's directional order does; colours inside a band make it parallel. Parts of
//! a large cloth are passed through side by side. They depend on the cloth, never on the number of threads.

mod ahead;
mod colours;
mod kernel;
mod lines;
mod order;
mod sides;

pub(super) use ahead::Ahead;
pub(super) use colours::together;
pub(super) use kernel::{DistanceBatch, Kernel, Step, Sweep};
pub(super) use lines::{LineStep, Lines};
pub(super) use order::Bands;
pub(super) use sides::{Batched, Turn, side_by_side};

/// Constraints a batch holds.
pub(super) const LANES: usize = 8;
