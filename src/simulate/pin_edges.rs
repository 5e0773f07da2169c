//! Pins give before they tear the cloth between them.
//!
//! The body's skin stretches where cloth does not, and a pin that is kept clear of another part of the body leaves its
//! neighbours: an edge between two pins could become as long as it likes. A hood pinned to the head and to both arms is torn when
//! the arms go down, if its pins do not.
//!
//! ```text
//!     o==o==o      o==o         o  pins; what edges join is one group
//!      \ .   .     |  |         .  way along the cloth between the nearest pins of two groups that are near a particle: the
//!       .     .    o..o            shortest between two pins holds them as an edge does; so does one between two of a group
//!       o==o   o                   that is shorter than along its pins
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rayon::prelude::*;

use super::archive::{Archive, Archived};
use super::collide::Floor;
use super::marks::Marks;
use crate::geometry::{Lists, Points, Vec3};
use crate::pins::Pins;
use crate::topology::{Adjacency, ParticleId, Topology};

/// Stretch of what is between two pins beyond which they give: a little less than what no collision may cause.
const MOST: f32 = 0.2;
/// Stretch beyond which pins give whatever is in their way: a thigh that goes through a waistband tears it no more than it must.
const TORN: f32 = 0.23;
/// Passes over edges that are longer: a ring of a hundred pins whose joints go apart takes all of them.
const PASSES: u32 = 200;

/// Groups of pins, the nearest ones, between which the ways through a particle count. With only the nearest of all a third group that is
/// a little nearer hides that two others are pulled apart.
const NEAREST: usize = 4;

/// How long ways are between two pins of one group that count, in mean edges, and how many particles are looked at to find them: pins
/// that are further from each other go along with the body's skin.
const NEAR: f32 = 4.0;
const MOST_LOOKS: usize = 128;
/// Part of the way along the pins below which another is shorter: by more than rounding.
const SHORTER: f32 = 0.999;

/// How often pins are drawn together above the floors that they have where they have come to. Drawn together once, without floors, those
/// around a neck go through it.
const ROUNDS: u32 = 4;

/// How far pins may give before somebody is told, as a part of the body's size: 20 mm on a grown-up. Skin that stretches at a waist
/// asks for less.
const TOLD: f32 = 0.01;

/// What holds two pins together.
#[derive(Debug)]
pub(super) struct PinEdges {
    edges: Vec<PinEdge>,
    /// The edges of each pin.
    edges_of: Lists<u32>,
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
    /// Of a cloth with these pins.
    pub(super) fn new(pins: &Pins, topology: &Topology) -> PinEdges {
        let pin = |p: ParticleId| pins.particles.binary_search(&p).ok();
        let of_file =
            topology.file_edges.iter().filter_map(|&[a, b]| Some(([pin(a)?, pin(b)?], length(topology, [a, b]))));
        let of_file: Vec<([usize; 2], f32)> = of_file.collect();
        let groups = groups(pins.particles.len(), of_file.iter().map(|&(ends, _)| ends));
        let ways = ways(pins, &groups, topology);
        let edge = |(ends, rest_length)| PinEdge { ends, longest: rest_length * (1.0 + MOST) };
        let all = of_file.into_iter().chain(ways).chain(short_cuts(pins, &groups, topology));
        let edges: Vec<PinEdge> = all.map(edge).collect();
        let ends = (0..).zip(&edges).flat_map(|(index, edge)| edge.ends.map(|end| (end as u32, index)));
        PinEdges { edges_of: Lists::gathered(pins.particles.len(), ends), edges, given: 0.0 }
    }

    /// Brings `targets` that `clear` brings out of the body, and tells their floors, together where they are too far apart.
    pub(super) fn keep(&mut self, targets: &mut [Vec3], mut clear: impl FnMut(&mut [Vec3], &mut Vec<Option<Floor>>)) {
        let mut floors = Vec::new();
        clear(targets, &mut floors);
        let aims = if self.are_kept(targets) { return } else { targets.to_vec() };
        for _ in 0..ROUNDS {
            self.draw_together(targets, &floors);
            clear(targets, &mut floors);
            if self.are_kept(targets) {
                break;
            }
        }
        self.draw_together(targets, &floors);
        if self.edges.iter().any(|edge| edge.is_torn(targets)) {
            self.draw_together(targets, &[]);
        }
        let given = targets.iter().zip(aims).map(|(target, aim)| target.distance_squared(aim)).fold(0.0, f32::max);
        self.given = self.given.max(given.sqrt());
    }

    fn are_kept(&self, targets: &[Vec3]) -> bool {
        self.edges.iter().all(|edge| edge.half_too_long(targets).is_none())
    }

    /// Says how far pins gave on a body of that size, if they did.
    pub(super) fn notice(&self, body_size: f32) -> Option<String> {
        (self.given > TOLD * body_size).then(|| {
            format!(
                "pins leave their places by up to {:.0} mm: other parts of the body come there, or what carries them goes further apart \
                 than the cloth between them reaches; pin less, or what moves together",
                1000.0 * self.given
            )
        })
    }

    /// How far pins gave.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.f32(&mut self.given)
    }

    /// Draws pins together in passes over all edges in their order. Of an edge whose pins have not moved since it was found short
    /// enough that still holds, so only the others are looked at.
    fn draw_together(&self, targets: &mut [Vec3], floors: &[Option<Floor>]) {
        let count = self.edges.len();
        let mut due = Marks::of(count, |first| {
            let four = self.edges[first..].iter().take(Points::LANES);
            four.zip(0..).fold(0, |bits, (edge, lane)| bits | u32::from(edge.half_too_long(targets).is_some()) << lane)
        });
        let mut next = Marks::none(count);
        for _ in 0..PASSES {
            let mut is_kept = true;
            let mut from = 0;
            while let Some(index) = due.take_first(&mut from) {
                let Some(way) = self.edges[index].half_too_long(targets) else { continue };
                let [a, b] = self.edges[index].ends;
                targets[a] += way;
                targets[b] -= way;
                for other in self.edges_at([a, b]) {
                    if other > index { due.add(other) } else { next.add(other) }
                }
                is_kept = false;
            }
            if is_kept {
                return;
            }
            for (pin, (target, floor)) in targets.iter_mut().zip(floors).enumerate() {
                let depth = floor.map_or(0.0, |floor| floor.level - floor.normal.dot(*target));
                *target += floor.map_or(Vec3::ZERO, |floor| floor.normal) * depth.max(0.0);
                if depth > 0.0 {
                    self.edges_at([pin]).for_each(|edge| next.add(edge));
                }
            }
            std::mem::swap(&mut due, &mut next);
        }
    }

    /// The edges of pins.
    fn edges_at<const N: usize>(&self, pins: [usize; N]) -> impl Iterator<Item = usize> {
        pins.into_iter().flat_map(|pin| self.edges_of.of(pin as u32)).map(|&edge| edge as usize)
    }
}

impl PinEdge {
    fn is_torn(&self, targets: &[Vec3]) -> bool {
        let [a, b] = self.ends.map(|end| targets[end]);
        a.distance(b) > self.longest * ((1.0 + TORN) / (1.0 + MOST))
    }

    /// Way from its first end to the second by which both ends have to come together; none if it is short enough.
    fn half_too_long(&self, targets: &[Vec3]) -> Option<Vec3> {
        let PinEdge { ends: [a, b], longest } = *self;
        let between = targets[b] - targets[a];
        let squared = between.length_squared();
        (squared > longest * longest).then(|| between * (0.5 * (1.0 - longest / squared.sqrt())))
    }
}

/// The shortest ways between pins of different `groups`, metres: of all pins of another group the nearest holds a pin, for to the others
/// that leads further.
fn ways(pins: &Pins, groups: &[usize], topology: &Topology) -> BTreeMap<[usize; 2], f32> {
    let reached = reached(pins, groups, topology);
    let mut ways: BTreeMap<[usize; 2], f32> = BTreeMap::new();
    for &[a, b] in &topology.edges {
        for from in &reached[a.index()] {
            for to in reached[b.index()].iter().filter(|to| groups[to.pin] != groups[from.pin]) {
                let way = ways.entry([from.pin.min(to.pin), from.pin.max(to.pin)]).or_insert(f32::INFINITY);
                *way = way.min(from.way + length(topology, [a, b]) + to.way);
            }
        }
    }
    let mut shortest: BTreeMap<(usize, usize), f32> = BTreeMap::new();
    for (&[a, b], &way) in &ways {
        for key in [(a, groups[b]), (b, groups[a])] {
            let known = shortest.entry(key).or_insert(f32::INFINITY);
            *known = known.min(way);
        }
    }
    ways.retain(|&[a, b], way| *way <= shortest[&(a, groups[b])].max(shortest[&(b, groups[a])]));
    ways
}

/// A pin that a particle is near.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// Index of the pin.
    pin: usize,
    /// Along edges, metres.
    way: f32,
}

/// For each particle the nearest pins, of different `groups`, along the edges of the cloth.
fn reached(pins: &Pins, groups: &[usize], topology: &Topology) -> Vec<Vec<Reached>> {
    let mut reached: Vec<Vec<Reached>> = vec![Vec::new(); topology.positions.len()];
    let at_pin = |(pin, particle): (usize, &ParticleId)| Reverse((0, particle.0, pin));
    // Ways as bits, which order like the positive numbers they are.
    let mut front: BinaryHeap<Reverse<(u32, u32, usize)>> = pins.particles.iter().enumerate().map(at_pin).collect();
    while let Some(Reverse((bits, particle, pin))) = front.pop() {
        let (here, way) = (ParticleId(particle), f32::from_bits(bits));
        let known = &mut reached[here.index()];
        if known.len() == NEAREST || known.iter().any(|other| groups[other.pin] == groups[pin]) {
            continue;
        }
        known.push(Reached { pin, way });
        for &next in topology.neighbours.of(here) {
            front.push(Reverse(((way + length(topology, [here, next])).to_bits(), next.0, pin)));
        }
    }
    reached
}

/// Ways through cloth that is not pinned between pins that are joined by others: those that are shorter than along these, metres. A
/// pinned edge that goes around a bay is drawn straight by less than tears the cloth in the bay.
fn short_cuts(pins: &Pins, groups: &[usize], topology: &Topology) -> Vec<([usize; 2], f32)> {
    let most = NEAR * topology.mean_edge();
    let pin = |p: ParticleId| pins.particles.binary_search(&p).ok();
    let from = |(index, &from): (usize, &ParticleId)| {
        let through_cloth = nearest(from, most, topology, |here, _| here == from || pin(here).is_none());
        let is_joined = |other: &usize| *other > index && groups[*other] == groups[index];
        let others = through_cloth.into_iter().filter_map(|(p, way)| Some((pin(p).filter(is_joined)?, way)));
        let others: Vec<(usize, f32)> = others.collect();
        if others.is_empty() {
            return Vec::new();
        }
        let along_pins = nearest(from, most, topology, |_, to| pin(to).is_some());
        let is_shorter = |&(other, way): &(usize, f32)| {
            let along = along_pins.iter().find(|(p, _)| *p == pins.particles[other]);
            along.is_none_or(|(_, along)| way < SHORTER * along)
        };
        others.into_iter().filter(is_shorter).map(|(other, way)| ([index, other], way)).collect()
    };
    pins.particles.par_iter().enumerate().flat_map_iter(from).collect()
}

/// The particles that are no further than `most` metres from one along the edges that lead on, from one to another, and how far they
/// are: the nearest ones, of many.
fn nearest(
    start: ParticleId,
    most: f32,
    topology: &Topology,
    leads_on: impl Fn(ParticleId, ParticleId) -> bool,
) -> Vec<(ParticleId, f32)> {
    let mut found: Vec<(ParticleId, f32)> = Vec::new();
    let mut front = BinaryHeap::from([Reverse((0, start))]);
    while let Some(Reverse((bits, here))) = front.pop() {
        if found.len() == MOST_LOOKS || found.iter().any(|(p, _)| *p == here) {
            continue;
        }
        let way = f32::from_bits(bits);
        found.push((here, way));
        for &next in topology.neighbours.of(here).iter().filter(|next| leads_on(here, **next)) {
            let further = way + length(topology, [here, next]);
            if further <= most {
                front.push(Reverse((further.to_bits(), next)));
            }
        }
    }
    found
}

/// Of an edge at rest, metres.
fn length(topology: &Topology, [a, b]: [ParticleId; 2]) -> f32 {
    topology.positions[a.index()].distance(topology.positions[b.index()])
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
    use crate::topology::{build, grids};

    #[test]
    fn pins_that_are_pulled_apart_give_and_others_stay_where_they_are() {
        let topology = build(&grids::grid(5, 1 + 1)).expect("a strip");
        let pins = Pins { particles: (0..5).map(ParticleId).collect(), ..Pins::default() };
        let mut edges = PinEdges::new(&pins, &topology);
        let rest: Vec<Vec3> = topology.positions[..5].to_vec();
        let mut targets = rest.clone();
        edges.keep(&mut targets, |_, _| {});
        assert_eq!(targets, rest);
        targets[2] += Vec3::Z * 3.0 * topology.mean_edge();
        (0..20).for_each(|_| edges.keep(&mut targets, |_, _| {}));
        for i in 0..4 {
            let stretch = targets[i].distance(targets[i + 1]) / rest[i].distance(rest[i + 1]) - 1.0;
            assert!(stretch < MOST + 0.01, "{stretch}");
        }
    }

    #[test]
    fn looking_only_where_pins_moved_gives_what_looking_everywhere_gives() {
        let topology = build(&grids::grid(13, 9)).expect("a sheet");
        let pins = Pins { particles: (0..13 * 9).map(ParticleId).collect(), ..Pins::default() };
        let edges = PinEdges::new(&pins, &topology);
        let places = || pins.particles.iter().map(|p| topology.positions[p.index()]);
        // A third of it is pulled out, in ways that cannot all be had above the floors.
        let pull = |(i, place): (usize, Vec3)| place + Vec3::new(0.3, -0.2, 0.1) * ((i * 37 % 11) as f32 / 11.0);
        let pulled: Vec<Vec3> = places().enumerate().map(|(i, p)| if i < 40 { pull((i, p)) } else { p }).collect();
        let floor = |i: usize| i.is_multiple_of(5).then_some(Floor { normal: Vec3::Y, level: 0.02 });
        let floors: Vec<Option<Floor>> = (0..pulled.len()).map(floor).collect();
        let mut everywhere = pulled.clone();
        for _ in 0..PASSES {
            for edge in &edges.edges {
                let way = edge.half_too_long(&everywhere).unwrap_or_default();
                everywhere[edge.ends[0]] += way;
                everywhere[edge.ends[1]] -= way;
            }
            for (place, floor) in everywhere.iter_mut().zip(&floors) {
                *place += floor.map_or(Vec3::ZERO, |f| f.normal * (f.level - f.normal.dot(*place)).max(0.0));
            }
        }
        let mut targets = pulled.clone();
        edges.draw_together(&mut targets, &floors);
        assert_ne!(targets, pulled);
        assert_eq!(targets, everywhere);
    }

    #[test]
    fn groups_of_pins_are_no_further_apart_than_the_cloth_between_them_reaches() {
        let topology = build(&grids::grid(5, 1 + 1)).expect("a strip");
        // The edges across at both ends of a strip of four squares, and 1 m of cloth between them.
        let pins = Pins { particles: [0, 4, 5, 9].map(ParticleId).to_vec(), ..Pins::default() };
        let mut edges = PinEdges::new(&pins, &topology);
        let rest: Vec<Vec3> = pins.particles.iter().map(|p| topology.positions[p.index()]).collect();
        let pulled = |way: f32| {
            let apart = |(place, sign): (&Vec3, f32)| *place + Vec3::X * sign * way;
            rest.iter().zip([-1.0, 1.0, -1.0, 1.0]).map(apart).collect::<Vec<Vec3>>()
        };
        let mut targets = pulled(0.05);
        edges.keep(&mut targets, |_, _| {});
        assert_eq!((targets, edges.notice(1.0)), (pulled(0.05), None), "as far as cloth gives");
        let mut targets = pulled(1.0);
        edges.keep(&mut targets, |_, _| {});
        for [left, right] in [[0, 1], [2, 3]] {
            let apart = targets[left].distance(targets[right]);
            assert!((apart - (1.0 + MOST)).abs() < 1e-3, "{apart} m");
        }
        let notice = edges.notice(1.0).expect("they gave by 0.9 m");
        assert!(notice.contains("by up to 900 mm"), "{notice}");
    }

    /// The longest of eight edges in a row, which are a metre long together at rest, as a part of its own rest length.
    fn longest(pins: &[Vec3]) -> f32 {
        pins.windows(2).map(|ends| 8.0 * ends[0].distance(ends[1])).fold(0.0, f32::max)
    }

    #[test]
    fn pins_that_parts_of_the_body_push_apart_leave_these_before_they_tear_the_cloth() {
        let topology = build(&grids::grid(9, 2)).expect("a strip");
        let pins = Pins { particles: (0..9).map(ParticleId).collect(), ..Pins::default() };
        let mut edges = PinEdges::new(&pins, &topology);
        let mut targets: Vec<Vec3> = pins.particles.iter().map(|p| topology.positions[p.index()]).collect();
        // Both ends are pushed outwards, a metre of cloth between them.
        edges.keep(&mut targets, |pins, floors| {
            let middle = pins.iter().sum::<Vec3>() / 9.0;
            *floors = vec![None; 9];
            for (pin, normal) in [(0, Vec3::NEG_X), (8, Vec3::X)] {
                let level = normal.dot(middle) + 1.0;
                pins[pin] += normal * (level - normal.dot(pins[pin])).max(0.0);
                floors[pin] = Some(Floor { normal, level });
            }
        });
        let longest = longest(&targets);
        assert!(longest < 1.0 + TORN, "{longest}");
    }

    #[test]
    fn a_group_that_is_nearer_does_not_hide_that_two_others_are_pulled_apart() {
        let topology = build(&grids::grid(5, 2)).expect("a strip");
        // The upper corners, 1 m apart, and the middle of the lower edge.
        let pins = Pins { particles: [0, 4, 7].map(ParticleId).to_vec(), ..Pins::default() };
        let mut edges = PinEdges::new(&pins, &topology);
        let mut targets: Vec<Vec3> = pins.particles.iter().map(|p| topology.positions[p.index()]).collect();
        (targets[0], targets[1]) = (targets[0] - Vec3::X * 0.2, targets[1] + Vec3::X * 0.2);
        edges.keep(&mut targets, |_, _| {});
        let apart = targets[0].distance(targets[1]);
        assert!((apart - (1.0 + MOST)).abs() < 1e-3, "{apart} m");
    }

    #[test]
    fn a_pinned_edge_around_a_bay_is_drawn_straight_by_no_more_than_the_cloth_in_it_reaches() {
        let topology = build(&grids::grid(5, 5)).expect("a sheet");
        // Around three sides of the middle square's upper neighbour: two edges across it, six along the pins.
        let pins = Pins { particles: [6, 8, 11, 13, 16, 17, 18].map(ParticleId).to_vec(), ..Pins::default() };
        let at_rest = |p: &ParticleId| topology.positions[p.index()];
        let mut targets: Vec<Vec3> = pins.particles.iter().map(at_rest).collect();
        let mut edges = PinEdges::new(&pins, &topology);
        assert!(edges.are_kept(&targets));
        // Drawn straight, no edge longer than at rest.
        let order = [0, 2, 4, 5, 6, 3, 1];
        order.iter().zip(0u8..).for_each(|(&pin, place)| targets[pin] = Vec3::X * 0.25 * f32::from(place));
        edges.keep(&mut targets, |_, _| {});
        let across = targets[0].distance(targets[1]);
        assert!(across < 2.0 * 0.25 * (1.0 + MOST) + 1e-3, "{across}");
        let straight =
            PinEdges::new(&Pins { particles: (0..5).map(ParticleId).collect(), ..Pins::default() }, &topology);
        assert_eq!(straight.edges.len(), 4, "along a straight one there are none");
    }

    /// What brings pins out of a body and tells their floors.
    type Clear<'a> = &'a dyn Fn(&mut [Vec3], &mut Vec<Option<Floor>>);

    #[test]
    fn pins_that_are_drawn_together_go_around_the_body_and_not_through_it() {
        const RADIUS: f32 = 0.3;
        let topology = build(&grids::grid(9, 2)).expect("a strip");
        let pins = Pins { particles: (0..9).map(ParticleId).collect(), ..Pins::default() };
        let over_column = |i: usize| {
            let x = 0.15 * i as f32 - 0.6;
            Vec3::new(x, (RADIUS * RADIUS - x * x).max(0.0).sqrt(), 0.0)
        };
        let kept = |clear: Clear<'_>| {
            let mut edges = PinEdges::new(&pins, &topology);
            let mut targets: Vec<Vec3> = (0..9).map(over_column).collect();
            edges.keep(&mut targets, clear);
            (targets.iter().map(|pin| RADIUS - pin.length()).fold(0.0, f32::max), longest(&targets))
        };
        let (through, _) = kept(&|_, _| {});
        let (deepest, longest) = kept(&|pins, floors| {
            pins.iter_mut().for_each(|pin| *pin *= (RADIUS / pin.length()).max(1.0));
            let floor = |pin: &Vec3| Some(Floor { normal: pin.normalize(), level: RADIUS });
            *floors = pins.iter().map(floor).collect();
        });
        assert!(through > 0.01, "the column is not in the way: {through} m");
        assert!(deepest < 0.001 && longest < 1.02 * (1.0 + MOST), "{deepest} m, {longest}");
    }
}
