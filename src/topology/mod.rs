//! [`Garment`](crate::import::Garment) -> [`Topology`]: particles (welded vertices), edges, quads, boundary loops, components.

use crate::geometry::Vec3;
use crate::import::Polygons;

/// Index of a particle: one or more file vertices at one place, simulated as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParticleId(pub u32);

impl ParticleId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The simulated mesh of a garment and how it relates to the file's vertices.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Particle of each file vertex.
    pub particle_of_vertex: Vec<ParticleId>,
    /// Position of each particle in the file, metres: the rest shape.
    pub positions: Vec<Vec3>,
    /// Faces over particle indices, triangles of a file paired back to quads where they were one; degenerate and duplicate faces left out.
    pub polygons: Polygons,
    /// [`Topology::polygons`] cut into triangles (for area, wind, collision), consistently wound where the surface allows.
    pub triangles: Vec<[ParticleId; 3]>,
    /// Each edge of [`Topology::polygons`] once, smaller particle first, ascending.
    pub edges: Vec<[ParticleId; 2]>,
    /// Boundary loops, each a closed chain of particles, in the order `toile inspect` numbers them: highest first
    /// (mean height), ties by smallest particle.
    pub boundary_loops: Vec<Vec<ParticleId>>,
    /// Connected component of each particle, numbered by smallest particle.
    pub component_of_particle: Vec<u32>,
    /// Number of components.
    pub component_count: usize,
    /// What is odd about the mesh (non-manifold edges, degenerate faces, loose vertices, ...), in plain words with counts and places.
    pub notices: Vec<String>,
}
