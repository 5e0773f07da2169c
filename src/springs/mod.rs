//! [`Topology`](crate::topology::Topology) -> stretch, shear and bend springs (Provot 1995) as the mesh has them.

use crate::topology::ParticleId;

/// A distance spring between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// One end.
    pub a: ParticleId,
    /// The other end.
    pub b: ParticleId,
    /// Distance at rest, metres.
    pub rest_length: f32,
}

/// A bend spring: `a` and `b` lie opposite each other across `middle` (the paper's distance-2 spring).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BendSpring {
    /// One end.
    pub a: ParticleId,
    /// The particle between the ends; on a quad grid its neighbour towards both.
    pub middle: ParticleId,
    /// The other end.
    pub b: ParticleId,
    /// Distance from `a` to `b` at rest, metres.
    pub rest_length: f32,
}

/// All springs of a garment, each kind in ascending order of its particles.
#[derive(Clone, Debug, Default)]
pub struct SpringNetwork {
    /// Mesh edges that are not diagonals of a quad.
    pub stretch: Vec<Spring>,
    /// Diagonals of quads; of larger polygons every (i, i + 2).
    pub shear: Vec<Spring>,
    /// Straight ahead across a vertex.
    pub bend: Vec<BendSpring>,
}
