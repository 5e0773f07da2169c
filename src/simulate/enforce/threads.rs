//! The threads of a cloth, piece by piece.

use crate::simulate::batch::Lines;
use crate::simulate::cloth::Cloth;
use crate::simulate::threads::{Cutter, threads};
use crate::springs::{BendSpring, SpringNetwork};
use crate::topology::{ParticleId, Parts};

/// Threads of stretch springs for each node of the cloth's parts, their particles counted from the node's first. Every spring is in
/// one of them at least: in two where pieces of a thread meet, and more where windows hold these together (see
/// [`crate::simulate::threads`]).
pub(super) fn lines(springs: &SpringNetwork, cloth: &Cloth, parts: &Parts) -> Vec<Lines> {
    let bends: Vec<BendSpring> = springs.bend.iter().filter(|bend| springs.is_along_edges(bend)).copied().collect();
    let mut of_nodes: Vec<Vec<(Vec<u32>, Vec<f32>)>> = vec![Vec::new(); parts.nodes()];
    let mut is_in_thread = vec![false; springs.stretch.len()];
    let mut cutter = Cutter::new(cloth.len(), parts);
    let pieces = threads(&bends, cloth.len()).into_iter().flat_map(|thread| cutter.pieces(&thread));
    for piece in pieces {
        let edges = piece.particles.windows(2).map(|ends| {
            let edge =
                springs.stretch_between(ParticleId(ends[0]), ParticleId(ends[1])).expect("threads go along edges");
            is_in_thread[edge] = true;
            springs.stretch[edge].rest_length
        });
        let (lengths, first) = (edges.collect(), parts.range(piece.node).start as u32);
        of_nodes[piece.node].push((piece.particles.iter().map(|p| p - first).collect(), lengths));
    }
    for (spring, _) in springs.stretch.iter().zip(is_in_thread).filter(|(_, is_in_thread)| !is_in_thread) {
        let ends = [spring.a.0, spring.b.0];
        let node = parts.node_of(&ends);
        let first = parts.range(node).start as u32;
        of_nodes[node].push((ends.map(|p| p - first).to_vec(), vec![spring.rest_length]));
    }
    let lines = |(node, threads): (usize, Vec<_>)| Lines::new(&threads, parts.range(node).len());
    of_nodes.into_iter().enumerate().map(lines).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::pins::Pins;
    use crate::topology::{Topology, build, grids};

    /// Edges of all threads, the smaller particle first, and how many threads there are.
    fn edges(topology: &Topology) -> (BTreeSet<[u32; 2]>, usize) {
        let cloth = Cloth::at_rest(topology, &Pins::default(), 0.2);
        let lines = lines(&SpringNetwork::build(topology), &cloth, &topology.parts);
        let of_node = |(node, lines): (usize, &Lines)| {
            let first = topology.parts.range(node).start as u32;
            lines
                .threads()
                .into_iter()
                .map(move |thread| thread.into_iter().map(|p| p + first).collect::<Vec<u32>>())
                .collect::<Vec<_>>()
        };
        let threads: Vec<Vec<u32>> = lines.iter().enumerate().flat_map(of_node).collect();
        let ends = |ends: &[u32]| [ends[0].min(ends[1]), ends[0].max(ends[1])];
        (threads.iter().flat_map(|thread| thread.windows(2).map(ends)).collect(), threads.len())
    }

    fn springs(topology: &Topology) -> BTreeSet<[u32; 2]> {
        topology.edges.iter().map(|ends| ends.map(|p| p.0)).collect()
    }

    #[test]
    fn the_threads_of_a_grid_are_its_rows_and_columns() {
        let topology = build(&grids::grid(9, 5)).expect("a grid");
        assert_eq!(edges(&topology), (springs(&topology), 14));
    }

    #[test]
    fn every_spring_is_in_a_thread_of_tubes_and_of_cloth_in_parts() {
        let tube = build(&grids::tube(40, 3)).expect("a tube");
        assert_eq!(edges(&tube).0, springs(&tube));
        let (halved, _) = build(&grids::grid(60, 60)).expect("a grid").halved(2, &[ParticleId(0)]);
        assert_eq!(edges(&halved).0, springs(&halved));
    }
}
