//! Connected parts, and the union-find they are found with.

use super::ParticleId;

/// Disjoint sets of `0..n`; the smallest member stands for its set.
#[derive(Debug)]
pub(super) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    pub(super) fn new(n: usize) -> Self {
        DisjointSets { parent: (0..n as u32).collect() }
    }

    /// Smallest member of the set of `i`.
    pub(super) fn root(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let grandparent = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = grandparent;
            i = grandparent;
        }
        i
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

/// Component of each particle, numbered by smallest particle, and their number.
pub(super) fn number(particles: usize, edges: &[[ParticleId; 2]]) -> (Vec<u32>, usize) {
    let mut sets = DisjointSets::new(particles);
    for &[a, b] in edges {
        sets.join(a.0, b.0);
    }
    let mut component_of = Vec::with_capacity(particles);
    let mut count = 0;
    for particle in 0..particles as u32 {
        let root = sets.root(particle);
        if root == particle {
            component_of.push(count);
            count += 1;
        } else {
            component_of.push(component_of[root as usize]);
        }
    }
    (component_of, count as usize)
}
