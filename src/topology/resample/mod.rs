//! The same cloth with more or fewer particles, to be simulated in place of a mesh that is too coarse or too fine.
//!
//! ```text
//!   finer:   x-----x      x--+--+--x     every edge in k pieces, quads stay quads, the surface stays where it is
//!            |     |  ->  +--+--+--+
//!            x-----x      x--+--+--x     coarser: edges collapse, shortest and flattest first; see `coarsen`
//! ```
//!
//! Both work along the surface: layers, components and folds that lie on each other are never joined.

mod coarsen;
mod refine;

use super::{ParticleId, Topology};
use crate::geometry::Vec3;

/// Most particles a cloth is given.
pub const MOST_PARTICLES: usize = 2_000_000;
/// Particles a cloth may have more or fewer than asked for, as a factor, to be simulated as it is.
const ALIKE: f64 = 1.25;

/// A cloth with other particles than the one it comes from.
#[derive(Clone, Debug)]
pub struct Resampled {
    /// The cloth.
    pub topology: Topology,
    /// Where each particle of the original lies on it.
    pub places: Vec<Place>,
    /// The particles of the original that each of its particles lies between, with weights of sum 1.
    pub between: Vec<Vec<(ParticleId, f32)>>,
}

/// A place on a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// One of its particles.
    Particle(ParticleId),
    /// On or above one of its triangles.
    Surface {
        /// The triangle.
        corners: [ParticleId; 3],
        /// Barycentric coordinates of the closest point.
        weights: Vec3,
    },
}

/// More particles than a cloth is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cloth would have {particles} particles, at most {MOST_PARTICLES} are simulated; ask for fewer")]
pub struct TooManyParticles {
    /// How many it would have.
    pub particles: usize,
}

/// `topology` with about `particles` particles; none if it has about as many. `held` are pinned: they stay borders of what
/// moves. Places that cannot be made coarser stay as they are.
///
/// # Errors
/// More particles than [`MOST_PARTICLES`].
pub fn resample(
    topology: &Topology,
    particles: usize,
    held: &[ParticleId],
) -> Result<Option<Resampled>, TooManyParticles> {
    let ratio = particles as f64 / topology.positions.len().max(1) as f64;
    if particles > MOST_PARTICLES {
        return Err(TooManyParticles { particles });
    }
    if ratio * ALIKE < 1.0 {
        return Ok(Some(coarsen::coarsened(topology, particles, held)));
    }
    // Every edge in k pieces gives about k^2 times as many particles.
    let pieces = ratio.sqrt().round() as usize;
    if pieces < 2 { Ok(None) } else { refine::refined(topology, pieces).map(Some) }
}
