//! Lists of neighbours, one after the other.

use super::ParticleId;

/// For each particle a list of particles (compressed rows).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    starts: Vec<u32>,
    items: Vec<ParticleId>,
}

impl Adjacency {
    /// Neighbours over edges; each list in the order of `edges`, ascending when the edges are.
    pub fn of_edges(particles: usize, edges: &[[ParticleId; 2]]) -> Adjacency {
        let mut starts = vec![0_u32; particles + 1];
        for end in edges.iter().flatten() {
            starts[end.index() + 1] += 1;
        }
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items = vec![ParticleId(0); 2 * edges.len()];
        for &[a, b] in edges {
            for (from, to) in [(b, a), (a, b)] {
                items[next[from.index()] as usize] = to;
                next[from.index()] += 1;
            }
        }
        let mut adjacency = Adjacency { starts, items };
        for particle in 0..particles {
            let range = adjacency.range(particle);
            adjacency.items[range].sort_unstable();
        }
        adjacency
    }

    /// The particle's list.
    pub fn of(&self, particle: ParticleId) -> &[ParticleId] {
        &self.items[self.range(particle.index())]
    }

    fn range(&self, particle: usize) -> std::ops::Range<usize> {
        self.starts[particle] as usize..self.starts[particle + 1] as usize
    }
}
