//! Cloth stays whole whatever collides with it.
//!
//! Where body parts pull cloth apart, or push it away from its pins, it slips through them instead of tearing. How soon is a
//! question of how the garment was made: a collar that its artist tucked into the body cannot leave it without tearing.
//!
//! ```text
//!    o pin, inside          near such pins the cloth keeps its length and stays tucked in, unless that draws into the body what
//!  --|--------- surface     was pushed out of it; further away it keeps its distance from the body until it would tear
//!    o--o--o--
//! ```

use std::sync::OnceLock;

use wide::f32x4;

use super::cloth::{Cloth, Point};
use super::collide::Contacts;
use super::enforce::mend;
use super::marks::Marks;
use crate::correction::Tether;
use crate::geometry::{Lists, Points};
use crate::springs::Spring;
use crate::topology::{ParticleId, Topology};

/// Stretch that no collision may cause.
const TEARING: f32 = 0.24;
/// The same near the pins of cloth that is tucked in.
const TUCKED: f32 = 0.025;
/// How often it is looked whether that draws anything into the body.
const ROUNDS: u32 = 5;
/// How far from such pins, along the cloth, as a part of the body's size.
const NEAR: f32 = 0.06;
/// Passes over what would tear, and over what has torn where a frame ends: short edges beside others take long to come together.
const PASSES: u32 = 12;
const LAST_PASSES: u32 = 40;
/// Passes before those last ones which bring torn edges further together than they must, and by which part of what they are too
/// long: a ring of edges around the top of a hood shortens no other way. Where edges cannot all be short, they end unevenly.
const FURTHER_PASSES: u32 = 60;
const FURTHER: f32 = 0.4;
/// How often edges are brought together and pushed out of what they touch before.
const ROUNDS_ON_BODY: u32 = 8;
/// How often all of these are made at most, while an edge is longer than that: a long ring comes together slowly.
const MOST_AGAIN: u32 = 8;
const STILL_TORN: f32 = 0.247;

/// How far each edge of the file may stretch.
#[derive(Debug)]
pub(super) struct Whole<'a> {
    edges: &'a [[ParticleId; 2]],
    /// Metres.
    rest_lengths: Vec<f32>,
    /// Which edges are near pins of cloth that is tucked into the body; none of other cloth.
    near_pins: Option<Vec<bool>>,
    /// The edges at each particle, from when one is too long: most cloth stays whole.
    at_particles: OnceLock<Lists<u32>>,
}

impl<'a> Whole<'a> {
    /// The limits of a cloth on a body of `body_size` metres, which `is_tucked` into it or not.
    pub(super) fn new(
        topology: &'a Topology,
        tethers: &[Option<Tether>],
        is_tucked: bool,
        body_size: f32,
    ) -> Whole<'a> {
        let near_pin = |p: &ParticleId| tethers[p.index()].is_some_and(|t| t.length < NEAR * body_size);
        let at_rest = |p: ParticleId| topology.positions[p.index()];
        let edges = &topology.file_edges;
        Whole {
            edges,
            rest_lengths: edges.iter().map(|&[a, b]| at_rest(a).distance(at_rest(b))).collect(),
            near_pins: is_tucked.then(|| edges.iter().map(|ends| ends.iter().all(near_pin)).collect()),
            at_particles: OnceLock::new(),
        }
    }

    /// Brings edges that collisions have pulled too far apart back together, whatever is in the way; where a frame ends, all that
    /// can be. What is within the tighter limit is within the other. Bodies are touched in `contacts`.
    pub(super) fn keep(&self, cloth: &mut Cloth, contacts: &Contacts, frame_ends: bool) {
        let torn = |edge: usize| self.torn(edge);
        let is_whole = match &self.near_pins {
            Some(near_pins) => self.keep_tucked(cloth, contacts, near_pins),
            None => self.shorten(cloth, PASSES, 0.0, torn),
        };
        if !frame_ends || is_whole {
            return;
        }
        for _ in 0..MOST_AGAIN {
            self.shorten(cloth, FURTHER_PASSES, FURTHER, torn);
            self.shorten(cloth, LAST_PASSES, 0.0, torn);
            if self.beyond(cloth, &|edge| self.rest_lengths[edge] * (1.0 + STILL_TORN)).are_none() {
                break;
            }
        }
    }

    /// Brings edges that are too long together as far as what the cloth touches lets them: `keep_out` is called after each round. What
    /// stays too long must go through that.
    pub(super) fn draw_together(&self, cloth: &mut Cloth, mut keep_out: impl FnMut(&mut Cloth)) {
        for _ in 0..ROUNDS_ON_BODY {
            if self.shorten(cloth, PASSES, FURTHER, |edge| self.torn(edge)) {
                return;
            }
            keep_out(cloth);
        }
    }

    /// The edges beyond their `longest`.
    fn beyond(&self, cloth: &Cloth, longest: &(impl Fn(usize) -> f32 + Sync)) -> Marks {
        Marks::of(self.edges.len(), |first| self.exceeding(cloth, first, longest))
    }

    /// The same in the middle of a frame within the tighter limits, but for edges of particles that these would draw into what they
    /// touch: held by its tucked neighbours, cloth that is outside would go into an arm.
    fn keep_tucked(&self, cloth: &mut Cloth, contacts: &Contacts, near_pins: &[bool]) -> bool {
        let before = cloth.points.clone();
        let mut is_pressed = vec![false; before.len()];
        let longest = |edge: usize, is_pressed: &[bool]| {
            let is_tight = near_pins[edge] && !self.edges[edge].iter().any(|end| is_pressed[end.index()]);
            if is_tight { self.rest_lengths[edge] * (1.0 + TUCKED) } else { self.torn(edge) }
        };
        for _ in 0..ROUNDS {
            let is_whole = self.shorten(cloth, PASSES, 0.0, |edge| longest(edge, &is_pressed));
            let drawn_in = contacts.iter().filter(|contact| contact.is_violated(cloth));
            let pressed: Vec<usize> =
                drawn_in.map(|contact| contact.particle as usize).filter(|&particle| !is_pressed[particle]).collect();
            if pressed.is_empty() {
                return is_whole;
            }
            pressed.into_iter().for_each(|particle| is_pressed[particle] = true);
            cloth.points.clone_from(&before);
        }
        self.shorten(cloth, PASSES, 0.0, |edge| longest(edge, &is_pressed))
    }

    /// Shortens edges beyond their `longest`, one after the other, again and again; tells whether there was none when it began.
    ///
    /// Few edges are too long: each pass looks at those only that the pass before, or the pass itself, has left or drawn longer.
    fn shorten(&self, cloth: &mut Cloth, passes: u32, further: f32, longest: impl Fn(usize) -> f32 + Sync) -> bool {
        let mut due = self.beyond(cloth, &longest);
        if due.are_none() {
            return true;
        }
        let at_particles = self.at_particles.get_or_init(|| self.edges_at_particles(cloth.len()));
        let mut next = Marks::none(self.edges.len());
        for _ in 0..passes {
            let mut from = 0;
            while let Some(edge) = due.take_first(&mut from) {
                let longest = longest(edge);
                if !self.exceeds(cloth, edge, longest) {
                    continue;
                }
                self.mend(cloth, edge, longest, further);
                for other in self.edges[edge].iter().flat_map(|end| at_particles.of(end.0)).map(|&other| other as usize)
                {
                    if other > edge { due.add(other) } else { next.add(other) }
                }
            }
            std::mem::swap(&mut due, &mut next);
        }
        false
    }

    /// Which of the four edges from `first` on, or of fewer, are beyond their `longest`: a bit each.
    fn exceeding(&self, cloth: &Cloth, first: usize, longest: impl Fn(usize) -> f32) -> u32 {
        let edges = &self.edges[first..];
        let Some(ends) = edges.first_chunk::<{ Points::LANES }>() else {
            let exceeds = |edge: usize| u32::from(self.exceeds(cloth, edge, longest(edge)));
            return (0..edges.len()).fold(0, |bits, lane| bits | exceeds(first + lane) << lane);
        };
        let places = |end: usize| Point::four(ends.each_ref().map(|ends| &cloth.points[ends[end].index()]));
        let longest = f32x4::new(std::array::from_fn(|lane| longest(first + lane)));
        places(0).minus(places(1)).length_squared().simd_gt(longest * longest).to_bitmask()
    }

    fn exceeds(&self, cloth: &Cloth, edge: usize, longest: f32) -> bool {
        let [a, b] = self.edges[edge].map(|end| cloth.points[end.index()].at);
        a.distance_squared(b) > longest * longest
    }

    fn mend(&self, cloth: &mut Cloth, edge: usize, longest: f32, further: f32) {
        let [a, b] = self.edges[edge];
        let excess = cloth.points[a.index()].at.distance(cloth.points[b.index()].at) - longest;
        mend(cloth, &Spring { a, b, rest_length: longest - further * excess.min(longest) }, 0.0);
    }

    /// Length that no edge may exceed, metres.
    fn torn(&self, edge: usize) -> f32 {
        self.rest_lengths[edge] * (1.0 + TEARING)
    }

    fn edges_at_particles(&self, particles: usize) -> Lists<u32> {
        Lists::gathered(particles, (0..).zip(self.edges).flat_map(|(edge, ends)| ends.map(|end| (end.0, edge))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Vec3, any_point};
    use crate::pins::Pins;
    use crate::simulate::collide::{Contact, Held};
    use crate::topology::grids::tube;
    use crate::topology::{build, grids};
    use proptest::prelude::*;

    /// A column of ten particles pinned at its top, every edge pulled to twice its length, after `keep` so many times: its longest
    /// stretch next to the pin and anywhere.
    fn kept(is_tucked: bool, times: u32, frame_ends: bool) -> [f32; 2] {
        let topology = build(&grids::grid(2, 10)).expect("a grid");
        let top: Vec<ParticleId> = (0..2).map(ParticleId).collect();
        let pins = Pins { particles: top.clone(), ..Pins::default() };
        let tethers = crate::correction::tethers(&topology, &top);
        let mut cloth = Cloth::at_rest(&topology, &pins, 0.1);
        let origin = cloth.points[0].at;
        cloth.points.iter_mut().for_each(|p| p.at = origin + (p.at - origin) * 2.0);
        for pin in &top {
            cloth.points[pin.index()].at = topology.positions[pin.index()];
        }
        let edge = topology.mean_edge();
        let whole = Whole::new(&topology, &tethers, is_tucked, 1.5 * edge / NEAR);
        let contacts = Contacts::new(cloth.len());
        (0..times).for_each(|_| whole.keep(&mut cloth, &contacts, frame_ends));
        let stretch = |&[a, b]: &[ParticleId; 2]| {
            let length = |at: &dyn Fn(ParticleId) -> Vec3| at(a).distance(at(b));
            length(&|p| cloth.points[p.index()].at) / length(&|p| topology.positions[p.index()]) - 1.0
        };
        let near = |e: &&[ParticleId; 2]| e.iter().all(|p| p.index() < 4);
        [
            topology.file_edges.iter().filter(near).map(stretch).fold(0.0, f32::max),
            topology.file_edges.iter().map(stretch).fold(0.0, f32::max),
        ]
    }

    proptest! {
        #[test]
        fn looking_at_what_has_moved_shortens_as_looking_at_all_does(
            ways in prop::collection::vec(any_point(), 48),
            scale in 0f32..0.3,
            passes in 0u32..20,
            further in 0f32..0.5,
        ) {
            let topology = build(&grids::grid(6, 8)).expect("a grid");
            let pins = Pins { particles: vec![ParticleId(0), ParticleId(1), ParticleId(40)], ..Pins::default() };
            let mut cloth = Cloth::at_rest(&topology, &pins, 0.1);
            cloth.points.iter_mut().zip(&ways).for_each(|(point, way)| point.at += *way * scale);
            let whole = Whole::new(&topology, &vec![None; cloth.len()], false, 1.0);
            let (before, mut simple) = (cloth.clone(), cloth.clone());
            for _ in 0..passes {
                for edge in 0..whole.edges.len() {
                    if whole.exceeds(&simple, edge, whole.torn(edge)) {
                        whole.mend(&mut simple, edge, whole.torn(edge), further);
                    }
                }
            }
            let is_whole = whole.shorten(&mut cloth, passes, further, |edge| whole.torn(edge));
            prop_assert_eq!(&cloth.points, &simple.points);
            let was_whole = (0..whole.edges.len()).all(|edge| !whole.exceeds(&before, edge, whole.torn(edge)));
            prop_assert_eq!(is_whole, was_whole);
        }
    }

    #[test]
    fn no_edge_stays_longer_than_its_limit_and_tucked_cloth_has_a_tighter_one() {
        let [near, anywhere] = kept(false, 200, false);
        assert!(near > 0.5 * TEARING && anywhere < TEARING + 1e-3, "{near} {anywhere}");
        let [near, anywhere] = kept(true, 200, false);
        assert!(near < TUCKED + 1e-3 && anywhere < TEARING + 1e-3 && anywhere > 0.5 * TEARING, "{near} {anywhere}");
        let [[_, on_the_way], [_, at_the_end]] = [false, true].map(|frame_ends| kept(false, 1, frame_ends));
        assert!(on_the_way > 2.0 * TEARING && at_the_end < TEARING + 0.05, "{on_the_way} {at_the_end}");
    }

    #[test]
    fn tucked_cloth_stretches_where_its_limit_would_draw_what_was_pushed_out_into_the_body() {
        let topology = build(&grids::grid(2, 10)).expect("a grid");
        let top: Vec<ParticleId> = (0..2).map(ParticleId).collect();
        let pins = Pins { particles: top.clone(), ..Pins::default() };
        let tethers = crate::correction::tethers(&topology, &top);
        let edge = topology.positions[2].distance(topology.positions[0]);
        let whole = Whole::new(&topology, &tethers, true, 3.0 * edge / NEAR);
        // A surface below the pins, which are inside, has pushed the second row out to where its edges are longer by a fifth.
        let kept = |margin: f32| {
            let mut cloth = Cloth::at_rest(&topology, &pins, 0.1);
            cloth.points.iter_mut().skip(2).for_each(|p| p.at.y -= 0.2 * edge);
            let contact = |particle: u32| {
                let level = -cloth.points[particle as usize].at.y;
                Contact { margin, ..Contact::with_plane(particle, Vec3::NEG_Y, level) }
            };
            let contacts = Contacts::of([contact(2), contact(3)], cloth.len());
            whole.keep(&mut cloth, &contacts, false);
            cloth.points[2].at.distance(cloth.points[0].at) / edge - 1.0
        };
        let (inside, near) = (kept(0.05 * edge), kept(0.5 * edge));
        assert!((inside - 0.2).abs() < 1e-3, "{inside}");
        assert!(near < 0.5 * TEARING, "it may come nearer to the body without being in it: {near}");
    }

    #[test]
    fn torn_edges_come_together_outside_of_the_body_if_others_can_give() {
        let topology = build(&grids::grid(2, 10)).expect("a grid");
        let pins = Pins { particles: vec![ParticleId(0), ParticleId(1)], ..Pins::default() };
        let edge = topology.mean_edge();
        let whole = Whole::new(&topology, &vec![None; topology.positions.len()], false, 1.0);
        // A surface has pushed the rows from the fifth on down, and its edges to the fourth are longer by half.
        let stretched_and_in = |draws_together: bool| {
            let mut cloth = Cloth::at_rest(&topology, &pins, 0.1);
            cloth.points.iter_mut().skip(8).for_each(|p| p.at.y -= 0.5 * edge);
            let below =
                |particle: u32| Contact::with_plane(particle, Vec3::NEG_Y, -cloth.points[particle as usize].at.y);
            let contacts = Contacts::of([below(8), below(9)], cloth.len());
            if draws_together {
                let held = Held::by(&contacts);
                whole.draw_together(&mut cloth, |cloth| held.keep_out(cloth, 0.0));
            }
            whole.keep(&mut cloth, &contacts, true);
            let torn = (0..whole.edges.len()).any(|e| whole.exceeds(&cloth, e, whole.torn(e) + 1e-3 * edge));
            let depth =
                |contact: &Contact| contact.level - contact.normal.dot(cloth.points[contact.particle as usize].at);
            (torn, contacts.iter().map(depth).fold(0.0, f32::max) / edge)
        };
        let [(_, as_before), (torn, now)] = [false, true].map(stretched_and_in);
        assert!(as_before > 0.05 && !torn && now < 0.01, "{as_before} {torn} {now}");
    }

    /// The longest stretch that a frame leaves in a hood of so many short edges around its top, which a head pushes open.
    fn left_of_hood(around: u32) -> f32 {
        let mut hood = tube(around, 3);
        let top = hood.positions.iter().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max);
        let narrow = |p: &mut Vec3| *p *= if p.y == top { Vec3::new(0.1, 1.0, 0.1) } else { Vec3::ONE };
        hood.positions.iter_mut().for_each(narrow);
        let topology = build(&hood).expect("a hood");
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.1);
        let open = |p: &mut Vec3| *p *= if p.y == top { Vec3::new(1.3, 1.0, 1.3) } else { Vec3::ONE };
        cloth.points.iter_mut().for_each(|p| open(&mut p.at));
        let whole = Whole::new(&topology, &vec![None; topology.positions.len()], false, 1.0);
        let contacts = Contacts::new(cloth.len());
        whole.keep(&mut cloth, &contacts, true);
        let length = |ends: [Vec3; 2]| ends[0].distance(ends[1]);
        let stretch = |ends: &[ParticleId; 2]| {
            length(ends.map(|p| cloth.points[p.index()].at)) / length(ends.map(|p| topology.positions[p.index()])) - 1.0
        };
        topology.file_edges.iter().map(stretch).fold(0.0, f32::max)
    }

    #[test]
    fn a_ring_of_short_edges_that_a_head_pushes_open_is_all_but_closed_where_a_frame_ends() {
        for around in [64, 96] {
            let longest = left_of_hood(around);
            assert!(longest < STILL_TORN + 1e-3, "{around}: {longest}");
        }
    }
}
