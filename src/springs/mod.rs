//! [`Topology`] -> stretch, shear and bend springs (Provot 1995) as the mesh has them.
//!
//! ```text
//!   x --- x --- x     stretch: mesh edges                          (i, j)-(i + 1, j)
//!   | \ / | \ / |     shear:   both diagonals of a quad            (i, j)-(i + 1, j + 1)
//!   x --- x --- x     bend:    straight ahead across a particle,   (i, j)-(i + 2, j)
//!   | / \ | / \ |              along edges and along diagonals     (i, j)-(i + 2, j + 2)
//!   x --- x --- x
//! ```
//!
//! On a regular grid these are exactly the springs of Provot, *Deformation constraints in a mass-spring model*, 1995.

mod bend;
pub(crate) mod runs;

use crate::topology::{ParticleId, Topology};

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

impl Spring {
    /// Indices of its ends.
    pub(crate) fn ends(&self) -> [usize; 2] {
        [self.a.index(), self.b.index()]
    }
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
}

impl BendSpring {
    /// Distance from `a` to `b` at rest, metres.
    pub fn rest_length(&self, topology: &Topology) -> f32 {
        rest_length(topology, self.a, self.b)
    }
}

/// All springs of a garment, each kind in ascending order of its particles, `a` the smaller. No two springs of all kinds
/// join the same two particles.
#[derive(Clone, Debug, Default)]
pub struct SpringNetwork {
    /// Mesh edges that are not diagonals of a quad.
    pub stretch: Vec<Spring>,
    /// Diagonals of quads; of larger polygons every (i, i + 2).
    pub shear: Vec<Spring>,
    /// Straight ahead across a vertex.
    pub bend: Vec<BendSpring>,
}

impl SpringNetwork {
    /// The springs of a mesh; rest lengths are distances in [`Topology::positions`].
    pub fn build(topology: &Topology) -> SpringNetwork {
        let spring = |&[a, b]: &[ParticleId; 2]| Spring { a, b, rest_length: rest_length(topology, a, b) };
        let diagonals = diagonals(topology);
        SpringNetwork {
            stretch: topology.edges.iter().map(spring).collect(),
            shear: diagonals.iter().map(spring).collect(),
            bend: bend::springs(topology, &diagonals),
        }
    }

    /// Whether both arms of a bend are stretch springs, as along warp and weft.
    pub fn is_along_edges(&self, bend: &BendSpring) -> bool {
        [bend.a, bend.b].iter().all(|&end| self.stretch_between(end, bend.middle).is_some())
    }

    /// Index of the stretch spring between two particles.
    pub fn stretch_between(&self, a: ParticleId, b: ParticleId) -> Option<usize> {
        self.stretch.binary_search_by(|s| (s.a, s.b).cmp(&(a.min(b), a.max(b)))).ok()
    }
}

/// Of `shear` springs both diagonals of each quad that the file has as two triangles: one of the two is an edge of the file.
pub fn diagonals_of_paired(topology: &Topology, shear: &[Spring]) -> Vec<Spring> {
    let across = |quad: &[u32], i: usize| [quad[i].min(quad[i + 2]), quad[i].max(quad[i + 2])].map(ParticleId);
    let quads = topology.polygons.iter().filter(|polygon| polygon.len() == 4);
    let both = quads.map(|quad| [across(quad, 0), across(quad, 1)]);
    let is_of_file = |diagonal: &[ParticleId; 2]| topology.file_edges.binary_search(diagonal).is_ok();
    let mut paired: Vec<[ParticleId; 2]> = both.filter(|both| both.iter().any(is_of_file)).flatten().collect();
    paired.sort_unstable();
    shear.iter().filter(|s| paired.binary_search(&[s.a, s.b]).is_ok()).copied().collect()
}

/// Distance of two particles at rest, metres.
fn rest_length(topology: &Topology, a: ParticleId, b: ParticleId) -> f32 {
    let [a, b] = [a, b].map(|p| topology.positions[p.index()].as_dvec3());
    a.distance(b) as f32
}

/// Diagonals (i, i + 2) of all polygons with more than three corners, smaller particle first, ascending, without edges.
fn diagonals(topology: &Topology) -> Vec<[ParticleId; 2]> {
    let mut found = Vec::new();
    for polygon in topology.polygons.iter().filter(|polygon| polygon.len() > 3) {
        for (i, &a) in polygon.iter().enumerate() {
            let b = polygon[(i + 2) % polygon.len()];
            let pair = [ParticleId(a.min(b)), ParticleId(a.max(b))];
            if a != b && topology.edges.binary_search(&pair).is_err() {
                found.push(pair);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.shrink_to_fit();
    found
}

#[cfg(test)]
mod tests;
