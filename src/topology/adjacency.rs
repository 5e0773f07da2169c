//! Lists of neighbours, one after the other.

use std::collections::VecDeque;

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

    /// Edges on the way from each particle to the nearest of `starts`; [`u32::MAX`] where no way leads.
    pub fn hops(&self, starts: &[ParticleId]) -> Vec<u32> {
        let mut hops = vec![u32::MAX; self.starts.len().saturating_sub(1)];
        starts.iter().for_each(|start| hops[start.index()] = 0);
        let mut front: VecDeque<ParticleId> = starts.iter().copied().collect();
        while let Some(particle) = front.pop_front() {
            for &next in self.of(particle) {
                if hops[next.index()] == u32::MAX {
                    hops[next.index()] = hops[particle.index()] + 1;
                    front.push_back(next);
                }
            }
        }
        hops
    }

    fn range(&self, particle: usize) -> std::ops::Range<usize> {
        self.starts[particle] as usize..self.starts[particle + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    #[test]
    fn hops_are_counted_from_the_nearest_start_along_edges() {
        let neighbours = build(&grids::grid(5, 5)).expect("a grid").neighbours;
        let starts = [0, 24].map(ParticleId);
        for (particle, hops) in neighbours.hops(&starts).into_iter().enumerate() {
            let from_first = particle % 5 + particle / 5;
            assert_eq!(hops as usize, from_first.min(8 - from_first), "{particle}");
        }
        assert_eq!(Adjacency::of_edges(3, &[[0, 1].map(ParticleId)]).hops(&[ParticleId(1)]), [1, 0, u32::MAX]);
    }
}
