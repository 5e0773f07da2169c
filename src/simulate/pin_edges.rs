//! Pins give before they tear the cloth between them.
//!
//! The body's skin stretches where cloth does not, and a pin that is kept clear of another part of the body leaves its
//! neighbours: an edge between two pins could become as long as it likes. A hood pinned to the head and to both arms is torn when
//! the arms go down, if its pins do not.
//!
//! ```text
//!     o==o==o                   o  pins; what edges join is one group
//!      \ .   .                  .  way along the cloth from where a particle's nearest pin is one of another group than its
//!       .     .                    neighbour's: the shortest between two pins holds them as an edge does
//!       o==o   o
//! ```

use std::collections::BTreeMap;

use super::archive::{Archive, Archived};
use crate::correction::Tether;
use crate::geometry::Vec3;
use crate::pins::Pins;
use crate::topology::{Adjacency, ParticleId, Topology};

/// Stretch of what is between two pins beyond which they give: a little less than what no collision may cause.
const MOST: f32 = 0.2;
/// Passes over edges that are longer: a ring of a hundred pins whose joints go apart takes all of them.
const PASSES: u32 = 200;

/// How far pins may give before somebody is told, as a part of the body's size: 20 mm on a grown-up. Skin that stretches at a waist
/// asks for less.
const TOLD: f32 = 0.01;

/// What holds two pins together.
#[derive(Debug)]
pub(super) struct PinEdges {
    edges: Vec<PinEdge>,
    /// How far the pin gave that gave most, metres.
    given: f32,
}

#[derive(Clone, Copy, Debug)]
struct PinEdge {
    /// Indices of the pins.
    ends: [usize; 2],
    /// Metres.
    longest: f32,
}

impl PinEdges {
    /// Of cloth whose particles have these `tethers` to their nearest pins.
    pub(super) fn new(pins: &Pins, topology: &Topology, tethers: &[Option<Tether>]) -> PinEdges {
        let pin = |p: ParticleId| pins.particles.binary_search(&p).ok();
        let length = |[a, b]: [ParticleId; 2]| topology.positions[a.index()].distance(topology.positions[b.index()]);
        let of_file = topology.file_edges.iter().filter_map(|&[a, b]| Some(([pin(a)?, pin(b)?], length([a, b]))));
        let of_file: Vec<([usize; 2], f32)> = of_file.collect();
        let groups = groups(pins.particles.len(), of_file.iter().map(|&(ends, _)| ends));
        let mut ways: BTreeMap<[usize; 2], f32> = BTreeMap::new();
        for &[a, b] in &topology.file_edges {
            let (Some(from), Some(to)) = (tethers[a.index()], tethers[b.index()]) else { continue };
            let (Some(first), Some(second)) = (pin(from.root), pin(to.root)) else { continue };
            if groups[first] != groups[second] {
                let way = ways.entry([first.min(second), first.max(second)]).or_insert(f32::INFINITY);
                *way = way.min(from.length + length([a, b]) + to.length);
            }
        }
        let edge = |(ends, rest_length)| PinEdge { ends, longest: rest_length * (1.0 + MOST) };
        PinEdges { edges: of_file.into_iter().chain(ways).map(edge).collect(), given: 0.0 }
    }

    /// Brings `targets` of pins that are too far apart together.
    pub(super) fn keep(&mut self, targets: &mut [Vec3]) {
        if self.edges.iter().all(|edge| edge.half_too_long(targets).is_none()) {
            return;
        }
        let aims = targets.to_vec();
        self.draw_together(targets);
        let given = targets.iter().zip(aims).map(|(target, aim)| target.distance_squared(aim)).fold(0.0, f32::max);
        self.given = self.given.max(given.sqrt());
    }

    /// Says how far pins gave on a body of that size, if they did.
    pub(super) fn notice(&self, body_size: f32) -> Option<String> {
        (self.given > TOLD * body_size).then(|| {
            format!(
                "pins are pulled further apart than the cloth between them reaches: they leave their places by up to {:.0} mm; pin \
                 less, or what moves together",
                1000.0 * self.given
            )
        })
    }

    /// How far pins gave.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.f32(&mut self.given)
    }

    fn draw_together(&self, targets: &mut [Vec3]) {
        for _ in 0..PASSES {
            let mut is_kept = true;
            for edge in &self.edges {
                if let Some(way) = edge.half_too_long(targets) {
                    let [a, b] = edge.ends;
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

impl PinEdge {
    /// Way from its first end to the second by which both ends have to come together; none if it is short enough.
    fn half_too_long(&self, targets: &[Vec3]) -> Option<Vec3> {
        let PinEdge { ends: [a, b], longest } = *self;
        let between = targets[b] - targets[a];
        let squared = between.length_squared();
        (squared > longest * longest).then(|| between * (0.5 * (1.0 - longest / squared.sqrt())))
    }
}

/// The group of each of so many pins, of those that `edges` join.
fn groups(pins: usize, edges: impl Iterator<Item = [usize; 2]>) -> Vec<usize> {
    let edges: Vec<[ParticleId; 2]> = edges.map(|ends| ends.map(|end| ParticleId(end as u32))).collect();
    let neighbours = Adjacency::of_edges(pins, &edges);
    let mut groups = vec![usize::MAX; pins];
    for first in 0..pins {
        let mut front = vec![first];
        while let Some(pin) = front.pop() {
            if groups[pin] == usize::MAX {
                groups[pin] = first;
                front.extend(neighbours.of(ParticleId(pin as u32)).iter().map(|next| next.index()));
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correction::tethers;
    use crate::topology::{build, grids};

    #[test]
    fn pins_that_are_pulled_apart_give_and_others_stay_where_they_are() {
        let topology = build(&grids::grid(5, 1 + 1)).expect("a strip");
        let pins = Pins { particles: (0..5).map(ParticleId).collect(), ..Pins::default() };
        let mut edges = PinEdges::new(&pins, &topology, &tethers(&topology, &pins.particles));
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

    #[test]
    fn groups_of_pins_are_no_further_apart_than_the_cloth_between_them_reaches() {
        let topology = build(&grids::grid(5, 1 + 1)).expect("a strip");
        // The edges across at both ends of a strip of four squares, and 1 m of cloth between them.
        let pins = Pins { particles: [0, 4, 5, 9].map(ParticleId).to_vec(), ..Pins::default() };
        let mut edges = PinEdges::new(&pins, &topology, &tethers(&topology, &pins.particles));
        let rest: Vec<Vec3> = pins.particles.iter().map(|p| topology.positions[p.index()]).collect();
        let pulled = |way: f32| {
            let apart = |(place, sign): (&Vec3, f32)| *place + Vec3::X * sign * way;
            rest.iter().zip([-1.0, 1.0, -1.0, 1.0]).map(apart).collect::<Vec<Vec3>>()
        };
        let mut targets = pulled(0.05);
        edges.keep(&mut targets);
        assert_eq!((targets, edges.notice(1.0)), (pulled(0.05), None), "as far as cloth gives");
        let mut targets = pulled(1.0);
        edges.keep(&mut targets);
        for [left, right] in [[0, 1], [2, 3]] {
            let apart = targets[left].distance(targets[right]);
            assert!((apart - (1.0 + MOST)).abs() < 1e-3, "{apart} m");
        }
        let notice = edges.notice(1.0).expect("they gave by 0.9 m");
        assert!(notice.contains("by up to 900 mm"), "{notice}");
    }
}
