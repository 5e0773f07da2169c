//! Distances along the cloth, and the tethers made of them.
//!
//! Fast marching (Kimmel & Sethian, *Computing geodesic paths on manifolds*, 1998) with a point source per root in place of
//! the plane wave (Novotni & Klein, *Computing geodesic distances on triangular meshes*, 2002):
//!
//! ```text
//!              S                 The distances of a and b from a root put it at S, in the plane of the triangle and across
//!            / | \               a-b from c. If the straight line from S to c crosses a-b, c is |S c| away; else the way
//!       d_a /  |  \ d_b          to c leads over a or b. On flat cloth this is exact.
//!          /   |   \
//!         a ---+--- b            Quads count with both diagonals (four triangles), so that a symmetric cloth has symmetric
//!          \   |   /             tethers. A particle is visited again when a shorter way turns up: obtuse triangles do no
//!           \  |  /              harm.
//!              c
//! ```
//!
//! A triangle whose corners are nearest to different roots needs the distances from each of those roots, so a particle keeps
//! its [`NEAREST`] nearest roots. Around holes the result may be a little short or long; it is never below the straight line.

mod march;
mod surface;

use march::March;
use surface::Surface;

use crate::topology::{ParticleId, Topology};

/// Roots kept for a particle while marching. Behind a row of pins as dense as the mesh the path to the nearest one runs
/// between particles that have up to three others nearer.
const NEAREST: usize = 4;

/// Nearest root of a particle along the cloth (one-way tether).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tether {
    /// The fixed particle it hangs from.
    pub root: ParticleId,
    /// Geodesic rest distance to it, metres; never less than the straight line.
    pub length: f32,
}

/// A garment's rest shape, ready to measure distances from any set of fixed particles.
#[derive(Clone, Debug)]
pub struct Geodesics {
    surface: Surface,
}

impl Geodesics {
    /// Prepares the rest shape.
    pub fn new(topology: &Topology) -> Geodesics {
        Geodesics { surface: Surface::new(topology) }
    }

    /// Tether of each particle to the nearest of `fixed` along the cloth: none where no path leads to one. A fixed particle
    /// has itself, length 0.
    pub fn tethers(&self, fixed: &[ParticleId]) -> Vec<Option<Tether>> {
        self.tethers_within(fixed, f32::INFINITY)
    }

    /// As [`Geodesics::tethers`], none where it would be longer than `limit`, metres. The time goes with the area within the
    /// limit: meant for contacts, which change from frame to frame.
    pub fn tethers_within(&self, fixed: &[ParticleId], limit: f32) -> Vec<Option<Tether>> {
        March::run(&self.surface, fixed, f64::from(limit)).tethers(limit)
    }
}

/// Tether of each particle to the nearest of `fixed`, as [`Geodesics::tethers`].
pub fn tethers(topology: &Topology, fixed: &[ParticleId]) -> Vec<Option<Tether>> {
    Geodesics::new(topology).tethers(fixed)
}
