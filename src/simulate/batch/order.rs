//! Which constraint goes into which batch.

use rayon::prelude::*;

use super::LANES;
use super::colours::{ALONE, Colours};
use crate::correction::Tether;
use crate::springs::Spring;
use crate::topology::Parts;

/// What constraints are ordered by: the parts of the cloth, and in each of them the distance from the fixed particles.
#[derive(Debug)]
pub(in crate::simulate) struct Bands<'a> {
    parts: &'a Parts,
    /// Distance of each particle from the fixed ones, in mean edge lengths.
    distances: Vec<f32>,
}

/// Where a constraint stands in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    node: u32,
    band: u32,
    colour: u32,
    index: u32,
}

impl<'a> Bands<'a> {
    /// Bands of one mean stretch spring each. Particles without tether are all in band 0.
    pub(in crate::simulate) fn new(parts: &'a Parts, tethers: &[Option<Tether>], stretch: &[Spring]) -> Bands<'a> {
        let mean = stretch.iter().map(|s| s.rest_length).sum::<f32>() / stretch.len().max(1) as f32;
        let per_band = if mean > 0.0 { 1.0 / mean } else { 0.0 };
        let distances = tethers.iter().map(|t| t.map_or(0.0, |t| t.length * per_band)).collect();
        Bands { parts, distances }
    }

    /// The parts of the cloth.
    pub(in crate::simulate) fn parts(&self) -> &Parts {
        self.parts
    }

    /// Band of a constraint: that of the middle of its particles.
    fn of<const N: usize>(&self, particles: &[u32; N]) -> u32 {
        let sum: f32 = particles.iter().map(|&p| self.distances[p as usize]).sum();
        (sum / N as f32) as u32
    }

    /// Calls `batch` for each batch of constraints with the node of [`Parts`] it belongs to and their indices: by node, then
    /// by band, then by colour, then in their own order. `particles_of` gives the particles of each of `count` constraints.
    pub(super) fn batches_of<const N: usize>(
        &self,
        count: usize,
        particles_of: impl Fn(usize) -> [u32; N] + Sync,
        mut batch: impl FnMut(usize, &[u32]),
    ) {
        let slot = |index: usize| {
            let particles = particles_of(index);
            let (node, band) = (self.parts.node_of(&particles) as u32, self.of(&particles));
            Slot { node, band, colour: 0, index: index as u32 }
        };
        let mut slots: Vec<Slot> = (0..count).into_par_iter().map(slot).collect();
        slots.par_sort_unstable();
        let mut colours = Colours::new(self.distances.len());
        let mut indices = Vec::new();
        for band in slots.chunk_by_mut(|a, b| (a.node, a.band) == (b.node, b.band)) {
            colours.start_over();
            band.iter_mut().for_each(|slot| slot.colour = colours.take(&particles_of(slot.index as usize)));
            band.sort_unstable();
            for run in band.chunk_by(|a, b| a.colour == b.colour) {
                indices.clear();
                indices.extend(run.iter().map(|slot| slot.index));
                let size = if run[0].colour == ALONE { 1 } else { LANES };
                indices.chunks(size).for_each(|constraints| batch(run[0].node as usize, constraints));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{ParticleId, build, grids};

    /// Batches of these constraints, having checked that each is in one batch of its node and none shares a particle with
    /// another of its batch.
    fn check(constraints: &[[u32; 2]], bands: &Bands<'_>) {
        let mut seen = vec![0; constraints.len()];
        bands.batches_of(
            constraints.len(),
            |i| constraints[i],
            |node, batch| {
                let mut particles: Vec<u32> = batch.iter().flat_map(|&c| constraints[c as usize]).collect();
                let (all, range) = (particles.len(), bands.parts.range(node));
                assert!(particles.iter().all(|&p| range.contains(&(p as usize))));
                particles.sort_unstable();
                particles.dedup();
                assert_eq!(particles.len(), all);
                batch.iter().for_each(|&c| seen[c as usize] += 1);
            },
        );
        assert!(seen.iter().all(|&n| n == 1));
    }

    #[test]
    fn no_particle_is_twice_in_a_batch_and_no_constraint_is_lost() {
        let constraints: Vec<[u32; 2]> = (0..40).flat_map(|i| [[i, i + 1], [0, i + 2]]).collect();
        let parts = Parts::whole(42);
        check(&constraints, &Bands { parts: &parts, distances: (0..42).map(|i| i as f32 / 5.0).collect() });
    }

    #[test]
    fn every_edge_belongs_to_one_part_or_to_one_cut() {
        let topology = build(&grids::grid(30, 20)).expect("a grid");
        let (topology, fixed) = topology.halved(3, &[ParticleId(0), ParticleId(29)]);
        assert_eq!((topology.parts.leaves(), fixed.len()), (8, 2));
        let tethers = crate::correction::tethers(&topology, &fixed);
        let edges: Vec<[u32; 2]> = topology.edges.iter().map(|e| e.map(|p| p.0)).collect();
        check(&edges, &Bands::new(&topology.parts, &tethers, &[]));
        let in_parts = edges.iter().filter(|e| topology.parts.node_of(&e[..]) >= 7).count();
        assert!(in_parts > edges.len() * 3 / 4, "{in_parts} of {}", edges.len());
    }
}
