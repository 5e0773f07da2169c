//! Constraints in batches of eight that share no particle, so that a batch is one run of vector instructions and gives bit
//! for bit what its eight constraints give one after the other.
//!
//! ```text
//! band 0 (next to the pins)     colour 0: [8][8][8 + idle]   colour 1: [8][8 + idle]  ...
//! band 1 (one edge further)     colour 0: ...
//! ```
//!
//! Bands are distances from the fixed particles in edge lengths. Going through them in order carries a correction from the
//! pins to the hem within one pass, as the paper's directional order does; colours inside a band make it parallel.

mod kernel;
mod order;

pub(super) use kernel::{Batches, BendBatch, DistanceBatch, Kernel, Step, Sweep};
pub(super) use order::{Bands, batches_of};

/// Constraints a batch holds.
pub(super) const LANES: usize = 8;
