//! [`Garment`] -> [`Topology`]: particles (welded vertices), edges, quads, boundary loops, components.
//!
//! ```text
//! vertices --weld--> particles --clean--> polygons --wind--> --pair--> quads --> edges, triangles, loops, components
//!                                                                   numbered: parts to be simulated side by side
//! ```
//!
//! Every step counts what it had to leave out or change and says so in [`Topology::notices`].

mod adjacency;
mod boundary;
mod components;
mod edges;
mod faces;
#[cfg(test)]
pub(crate) mod grids;
mod numbering;
mod part;
mod parts;
mod quads;
pub mod resample;
mod sewing;
mod ways;
mod weld;
mod winding;

use crate::geometry::{Aabb, Vec3};
use crate::import::{Garment, Polygons};
pub use adjacency::Adjacency;
use components::DisjointSets;
pub(crate) use edges::EdgeFaces;
pub use parts::Parts;
pub use sewing::Seams;

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
    /// Position of each particle in the file, metres: the rest shape. It is the position of its first vertex.
    pub positions: Vec<Vec3>,
    /// Faces over particle indices, triangles of a file paired back to quads where they were one; degenerate and duplicate faces left out.
    pub polygons: Polygons,
    /// [`Topology::polygons`] cut into triangles (for area, wind, collision), consistently wound where the surface allows.
    /// Polygon `i` with `n` corners gives `n - 2` of them, in order: from index `polygons.starts[i] - 2 i` on.
    pub triangles: Vec<[ParticleId; 3]>,
    /// Each edge of [`Topology::polygons`] once, smaller particle first, ascending.
    pub edges: Vec<[ParticleId; 2]>,
    /// Each edge of the file's faces once: [`Topology::edges`], and the diagonals of quads that the file has as two triangles.
    /// Smaller particle first, ascending.
    pub file_edges: Vec<[ParticleId; 2]>,
    /// The face of the file that each of [`Topology::polygons`] is; of a quad paired from two triangles the first. Strips of seams,
    /// which come last, are none.
    pub file_faces: Vec<u32>,
    /// Particles that share an edge with each particle, ascending.
    pub neighbours: Adjacency,
    /// Boundary loops, each a closed chain of particles, in the order `toile inspect` numbers them: highest first
    /// (mean height), ties by smallest particle. One that ends at an edge with more than two faces is an open chain.
    pub boundary_loops: Vec<Vec<ParticleId>>,
    /// Connected component of each particle, numbered by smallest particle. A loose particle is one of its own.
    pub component_of_particle: Vec<u32>,
    /// Number of components.
    pub component_count: usize,
    /// Particles that no face uses, ascending: nothing holds them.
    pub loose: Vec<ParticleId>,
    /// Gaps between open edges that [`Topology::sewn`] fills.
    pub seams: Seams,
    /// Ranges of particles that are simulated side by side; a single one until [`Topology::numbered`] makes more.
    pub parts: Parts,
    /// What is odd about the mesh (non-manifold edges, degenerate faces, loose vertices, ...), in plain words with counts and places.
    pub notices: Vec<String>,
}

impl Topology {
    /// Mean length of [`Topology::edges`] at rest, metres; 0 without edges.
    pub fn mean_edge(&self) -> f32 {
        let length = |&[a, b]: &[ParticleId; 2]| self.positions[a.index()].distance(self.positions[b.index()]);
        self.edges.iter().map(length).sum::<f32>() / self.edges.len().max(1) as f32
    }

    /// Whether each component has any of these `particles`, or is sewn to one that has.
    pub fn components_with(&self, particles: &[ParticleId]) -> Vec<bool> {
        let component = |p: &ParticleId| self.component_of_particle[p.index()];
        let mut sewn = DisjointSets::new(self.component_count);
        for [a, b, c] in &self.seams.strips {
            sewn.join(component(a), component(b));
            sewn.join(component(b), component(c));
        }
        let mut found = vec![false; self.component_count];
        particles.iter().for_each(|p| found[sewn.root(component(p)) as usize] = true);
        (0..self.component_count as u32).map(|c| found[sewn.root(c) as usize]).collect()
    }

    /// Box around each component at rest, metres.
    pub fn component_bounds(&self) -> Vec<Aabb> {
        let mut bounds = vec![Aabb::EMPTY; self.component_count];
        for (&component, &place) in self.component_of_particle.iter().zip(&self.positions) {
            let known = &mut bounds[component as usize];
            *known = known.with(place);
        }
        bounds
    }
}

/// A garment that no cloth can be made of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// Every face is degenerate.
    #[error("{garment}: no face has three corners at different places ({faces} faces in the file)")]
    NoFaces {
        /// Name of the garment.
        garment: String,
        /// Faces in the file.
        faces: usize,
    },
    /// Every face is a line, or its corners are all but one point.
    #[error("{garment}: its faces have no area; are its units right, and was it scaled to nothing or flattened?")]
    NoArea {
        /// Name of the garment.
        garment: String,
    },
    /// A face refers to a vertex that does not exist.
    #[error("{garment}: face {face} uses vertex {vertex}, but there are {vertices}")]
    NoSuchVertex {
        /// Name of the garment.
        garment: String,
        /// Index of the face, from 0.
        face: usize,
        /// Index of the vertex, from 0.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
}

/// Area of all faces below which they are none, square metres: a square micrometre. Masses of less leave the range of 32-bit numbers.
const LEAST_AREA: f64 = 1e-12;

/// Builds the simulated mesh of a garment. Positions must be finite.
///
/// # Errors
/// A face refers to a vertex that does not exist, no face has three corners at different places, or the faces have no area.
pub fn build(garment: &Garment) -> Result<Topology, TopologyError> {
    check_indices(garment)?;
    let welded = weld::weld(&garment.positions, &garment.polygons);
    let topology = assemble(garment, welded)?;
    if topology.seams.joins.is_empty() {
        return Ok(topology);
    }
    assemble(garment, weld::Welded::joined(&topology.particle_of_vertex, &topology.seams.joins))
}

/// The mesh of the garment whose particles are `welded`.
fn assemble(garment: &Garment, welded: weld::Welded) -> Result<Topology, TopologyError> {
    let mut notices = Vec::new();
    let positions = welded.positions(&garment.positions);
    let (mut polygons, mut file_faces) = faces::over_particles(&garment.polygons, &welded, &mut notices);
    if polygons.is_empty() {
        return Err(TopologyError::NoFaces { garment: garment.name.clone(), faces: garment.polygons.len() });
    }
    winding::unify(&mut polygons, &mut notices);
    let file_edges = EdgeFaces::of(&polygons, positions.len()).edges();
    let mut polygons = quads::pair_triangles(&positions, polygons, &mut file_faces);
    let edge_faces = EdgeFaces::of(&polygons, positions.len());
    edge_faces.notice_non_manifold(&mut notices);
    let edges = edge_faces.edges();
    let neighbours = Adjacency::of_edges(positions.len(), &edges);
    let (component_of_particle, component_count) = components::number(positions.len(), &edges);
    polygons.starts.shrink_to_fit();
    polygons.corners.shrink_to_fit();
    let triangles = faces::triangles(&positions, &polygons, &mut notices);
    if faces::area(&positions, &triangles) < LEAST_AREA {
        return Err(TopologyError::NoArea { garment: garment.name.clone() });
    }
    let loose = faces::loose(positions.len(), &polygons, &mut notices);
    let parts = Parts::whole(positions.len());
    let boundary_loops = boundary::loops(&positions, &polygons, &edge_faces, &mut notices);
    Ok(Topology {
        seams: sewing::seams(&positions, &polygons, &edge_faces, &boundary_loops, &neighbours),
        boundary_loops,
        file_edges,
        file_faces,
        particle_of_vertex: welded.particle_of_vertex,
        positions,
        polygons,
        triangles,
        edges,
        neighbours,
        component_of_particle,
        component_count,
        loose,
        parts,
        notices,
    })
}

fn check_indices(garment: &Garment) -> Result<(), TopologyError> {
    let vertices = garment.positions.len();
    for (face, polygon) in garment.polygons.iter().enumerate() {
        if let Some(&vertex) = polygon.iter().find(|&&v| v as usize >= vertices) {
            return Err(TopologyError::NoSuchVertex { garment: garment.name.clone(), face, vertex, vertices });
        }
    }
    Ok(())
}

/// "12 faces WHAT (the first: 3, 8, 9)": how notices count things.
fn count_of(what: &str, places: &[usize]) -> Option<String> {
    const SHOWN: usize = 3;
    let shown: Vec<String> = places.iter().take(SHOWN).map(usize::to_string).collect();
    let more = if places.len() > SHOWN { ", ..." } else { "" };
    (!places.is_empty()).then(|| format!("{} {what}: {}{more}", places.len(), shown.join(", ")))
}

#[cfg(test)]
pub(crate) mod properties;
#[cfg(test)]
mod tests;
