//! Pins give before they tear the cloth between them.
//!
//! The body's skin stretches where cloth does not, and a pin that is kept clear of another part of the body leaves its
//! neighbours: an edge between two pins could become as long as it likes.

use crate::geometry::Vec3;
use crate::pins::Pins;
use crate::topology::{ParticleId, Topology};

/// Stretch of an edge between two pins beyond which they give: a little less than what no collision may cause.
const MOST: f32 = 0.2;
/// Passes over edges that are longer: a ring of a hundred pins whose joints go apart takes all of them.
const PASSES: u32 = 200;

/// The edges of the file between two pins.
#[derive(Debug)]
pub(super) struct PinEdges(Vec<PinEdge>);

#[derive(Clone, Copy, Debug)]
struct PinEdge {
    /// Indices of the pins.
    ends: [usize; 2],
    /// Metres.
    longest: f32,
}

impl PinEdges {
    pub(super) fn new(pins: &Pins, topology: &Topology) -> PinEdges {
        let pin = |p: ParticleId| pins.particles.binary_search(&p).ok();
        let edge = |&[a, b]: &[ParticleId; 2]| {
            let rest_length = topology.positions[a.index()].distance(topology.positions[b.index()]);
            Some(PinEdge { ends: [pin(a)?, pin(b)?], longest: rest_length * (1.0 + MOST) })
        };
        PinEdges(topology.file_edges.iter().filter_map(edge).collect())
    }

    /// Brings `targets` of pins that are too far apart together.
    pub(super) fn keep(&self, targets: &mut [Vec3]) {
        for _ in 0..PASSES {
            let mut is_kept = true;
            for &PinEdge { ends: [a, b], longest } in &self.0 {
                let between = targets[b] - targets[a];
                let squared = between.length_squared();
                if squared > longest * longest {
                    let way = between * (0.5 * (1.0 - longest / squared.sqrt()));
                    targets[a] += way;
                    targets[b] -= way;
                    is_kept = false;
                }
            }
            if is_kept {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    #[test]
    fn pins_that_are_pulled_apart_give_and_others_stay_where_they_are() {
        let topology = build(&grids::grid(5, 1 + 1)).expect("a strip");
        let pins = Pins { particles: (0..5).map(ParticleId).collect(), ..Pins::default() };
        let edges = PinEdges::new(&pins, &topology);
        let rest: Vec<Vec3> = topology.positions[..5].to_vec();
        let mut targets = rest.clone();
        edges.keep(&mut targets);
        assert_eq!(targets, rest);
        targets[2] += Vec3::Z * 3.0 * topology.mean_edge();
        (0..20).for_each(|_| edges.keep(&mut targets));
        for i in 0..4 {
            let stretch = targets[i].distance(targets[i + 1]) / rest[i].distance(rest[i + 1]) - 1.0;
            assert!(stretch < MOST + 0.01, "{stretch}");
        }
    }
}
