//! Ways along the edges of the cloth.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{ParticleId, Topology};

impl Topology {
    /// Length of the shortest way along edges from each particle to one of `goals`, metres; infinite where no way leads.
    pub fn along_edges(&self, goals: &[ParticleId]) -> Vec<f32> {
        let mut lengths = vec![f32::INFINITY; self.positions.len()];
        goals.iter().for_each(|goal| lengths[goal.index()] = 0.0);
        // Lengths are positive: their bits are in the order of their values.
        let mut front: BinaryHeap<Reverse<(u32, u32)>> = goals.iter().map(|goal| Reverse((0, goal.0))).collect();
        while let Some(Reverse((bits, particle))) = front.pop() {
            let length = f32::from_bits(bits);
            if length > lengths[particle as usize] {
                continue;
            }
            for next in self.neighbours.of(ParticleId(particle)) {
                let further = length + self.positions[particle as usize].distance(self.positions[next.index()]);
                if further < lengths[next.index()] {
                    lengths[next.index()] = further;
                    front.push(Reverse((further.to_bits(), next.0)));
                }
            }
        }
        lengths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    #[test]
    fn the_way_along_the_edges_of_a_grid_goes_across_and_down() {
        let topology = build(&grids::grid(5, 5)).expect("a grid");
        let lengths = topology.along_edges(&[ParticleId(0)]);
        for (particle, length) in lengths.into_iter().enumerate() {
            let expected = 0.25 * (particle % 5 + particle / 5) as f32;
            assert!((length - expected).abs() < 1e-6, "{particle}: {length} m instead of {expected}");
        }
    }
}
