//! Which pairs of cloth may touch: a look.
//!
//! ```text
//!    o-----------x----------->      What is near each other at x, half way to the next look, may touch before that. On which
//!   now                             sides of each other it is tells the place where it is now.
//! ```

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::bounds::Ball;
use super::{Layers, Pair, REACH, Sided};
use crate::geometry::{Aabb, Feature, FoldPairs, Points, Vec3, closest_point_on_triangle, lanes};
use crate::simulate::cloth::{CHUNK, Cloth, Point};
use crate::simulate::collide::edges::{Crossing, EdgePair, Edges};
use crate::simulate::collide::untangle::Tangle;

/// How far from a triangle, in gaps, others are within reach of a look.
pub(super) const NEIGHBOURHOOD: f32 = 8.0;
/// Triangles that a particle is kept off at a time, the nearest ones.
pub(super) const NEAREST: usize = 8;
/// Edges that an edge is kept off at a time, the nearest ones.
const NEAREST_EDGES: usize = 4;
/// Part of its rest distance that a pair closer than the gap at rest keeps.
const REST_PART: f32 = 0.8;
/// Pairs of leaves that one task takes, and that are looked into before the nearest of what was found are sorted out, if that is
/// much.
const LEAVES_PER_TASK: usize = 128;
const LEAVES_AT_A_TIME: usize = 128 * LEAVES_PER_TASK;
const MUCH: usize = 1 << 20;
/// Edges that go through triangles and are brought out: real cloth has some hundred.
const MOST_TANGLES: usize = 1 << 17;

/// Particles of a ring from which on it is searched instead of looked through.
const WIDE: usize = 32;

/// The bits of four.
const FOUR: u32 = (1 << Points::LANES) - 1;

/// For each triangle of a leaf, which of those of another may be near: a bit each.
pub(super) type Near = [u32; Points::LANES];

/// Which triangles of another leaf may be within reach of each of a leaf, and through the planes of which of these it goes.
#[derive(Clone, Copy, Debug, Default)]
struct Nearness {
    near: Near,
    through: Near,
}

/// What a look finds, as it is found.
#[derive(Debug, Default)]
struct Found {
    pairs: Vec<Pair>,
    edge_pairs: Vec<EdgePair>,
    tangles: Vec<Tangle>,
}

impl Found {
    fn add(&mut self, other: Found) {
        self.pairs.extend(other.pairs);
        self.edge_pairs.extend(other.edge_pairs);
        self.tangles.extend(other.tangles);
    }

    /// Keeps no more than a look needs, if that is much; tells whether it left out edges that go through triangles.
    fn sort_out(&mut self) -> bool {
        if self.pairs.len() > MUCH {
            self.pairs = nearest(std::mem::take(&mut self.pairs), &[], NEAREST);
        }
        if self.edge_pairs.len() > MUCH {
            self.edge_pairs = nearest(std::mem::take(&mut self.edge_pairs), &[], NEAREST_EDGES);
        }
        let are_many = self.tangles.len() > MOST_TANGLES;
        self.tangles.truncate(MOST_TANGLES);
        are_many
    }
}

impl Layers {
    /// Pairs of leaves in which cloth may touch where it is expected.
    fn leaves_near(&mut self) -> FoldPairs {
        self.folds.refit(&self.expected);
        let near = self.folds.pairs_of_leaves(REACH * self.gap);
        self.blocks.fit(&near.pairs, &self.folds, &self.expected);
        near
    }

    /// Finds the pairs: for each particle the nearest triangles of other parts.
    pub(super) fn look(&mut self, cloth: &Cloth) {
        self.expect(cloth);
        let FoldPairs { pairs: leaves, is_all } = self.leaves_near();
        self.is_heaped |= !is_all;
        if leaves.is_empty() {
            self.pairs.clear();
            self.edge_pairs.clear();
            self.tangles.clear();
            return;
        }
        let mut found = Found::default();
        for leaves in leaves.chunks(LEAVES_AT_A_TIME) {
            let more: Vec<Found> =
                leaves.par_chunks(LEAVES_PER_TASK).map(|leaves| self.look_into(leaves, cloth)).collect();
            more.into_iter().for_each(|more| found.add(more));
            self.is_heaped |= found.sort_out();
        }
        self.tangles.renew(found.tangles, self.edges.items(), self.folds.triangles());
        self.pairs = nearest(found.pairs, &self.pairs, NEAREST);
        self.edge_pairs = nearest(found.edge_pairs, &self.edge_pairs, NEAREST_EDGES);
        self.let_go();
    }

    /// For each particle whether it lies over another sheet at rest, or is a corner of what lies beneath one.
    pub(super) fn covered_at_rest(&mut self) -> Vec<bool> {
        self.expected.clone_from(&self.rest);
        let FoldPairs { pairs, .. } = self.leaves_near();
        let covered: Vec<AtomicBool> = self.rest.iter().map(|_| AtomicBool::new(false)).collect();
        pairs.par_iter().with_min_len(LEAVES_PER_TASK).for_each(|&[a, b]| {
            let Nearness { near, .. } = self.nearness([a, b]);
            self.note_covered([a, b], near, &covered);
            self.note_covered([b, a], turned(near), &covered);
        });
        self.expected.clear();
        covered.into_iter().map(AtomicBool::into_inner).collect()
    }

    /// Notes the particles that triangles of one leaf ask for and that lie over triangles of the other at rest, and the corners of these.
    fn note_covered(&self, leaves: [u32; 2], near: Near, covered: &[AtomicBool]) {
        self.for_particles_near(leaves, near, |particle, triangle| {
            let corners = self.folds.triangles()[triangle as usize];
            let place = self.rest[particle as usize];
            let closest = closest_point_on_triangle(place, corners.map(|c| self.rest[c as usize]));
            let is_over = closest.feature == Feature::Face && closest.point.distance(place) <= REACH * self.gap;
            if is_over && !self.is_next_to(particle, corners) {
                let all = [particle].into_iter().chain(corners);
                all.for_each(|p| covered[p as usize].store(true, Ordering::Relaxed));
            }
        });
    }

    /// Notes where particles get half way to the next look, at the pace of this substep.
    fn expect(&mut self, cloth: &Cloth) {
        let substeps = 0.5 * (self.look_every - 1) as f32;
        let half_way = |(now, before): (&Point, &Point)| now.at + (now.at - before.at) * substeps;
        let places = cloth.points.par_iter().zip(&cloth.previous).with_min_len(CHUNK);
        places.map(half_way).collect_into_vec(&mut self.expected);
    }

    /// What is found in pairs of leaves.
    fn look_into(&self, pairs: &[[u32; 2]], cloth: &Cloth) -> Found {
        let mut found = Found::default();
        for &[a, b] in pairs {
            let Nearness { near, through } = self.nearness([a, b]);
            if near != [0; Points::LANES] {
                self.find_tangles([a, b], through, cloth, &mut found.tangles);
                let [ours, theirs] = self.not_beside([a, b], near);
                if [ours, theirs] == [[0; Points::LANES]; 2] {
                    continue;
                }
                self.find_pairs([a, b], ours, cloth, &mut found.pairs);
                self.find_pairs([b, a], theirs, cloth, &mut found.pairs);
                self.find_edge_pairs([a, b], ours, cloth, &mut found.edge_pairs);
            }
        }
        found
    }

    /// How near the triangles of the second leaf may be to those of the first. Of a leaf with itself each pair once.
    fn nearness(&self, [a, b]: [u32; 2]) -> Nearness {
        let [ours, theirs] = self.of_leaves([a, b]);
        let [our_block, block] = [a, b].map(|leaf| self.blocks.of(leaf));
        let mut nearness = Nearness::default();
        for (lane, triangle) in ours.enumerate() {
            let others = (1 << if a == b { lane } else { theirs.len() }) - 1;
            let one = our_block.ball(lane);
            let masks = block.may_be_within_and_through(REACH * self.gap, one, self.corners(triangle));
            [nearness.near[lane], nearness.through[lane]] = masks.map(|mask| mask & others);
        }
        nearness
    }

    pub(super) fn of_leaves(&self, leaves: [u32; 2]) -> [Range<u32>; 2] {
        leaves.map(|leaf| self.folds.leaves()[leaf as usize].clone())
    }

    fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.expected_places(self.folds.triangles()[triangle as usize])
    }

    pub(super) fn expected_places<const N: usize>(&self, particles: [u32; N]) -> [Vec3; N] {
        particles.map(|p| self.expected[p as usize])
    }

    /// Adds the edges that go through triangles now, among triangles that will each lie on both sides of the other's plane. Those that
    /// share an edge do not go through each other.
    fn find_tangles(&self, [a, b]: [u32; 2], through: Near, cloth: &Cloth, found: &mut Vec<Tangle>) {
        let [ours, theirs] = self.of_leaves([a, b]);
        let (our_block, triangles) = (self.blocks.of(a), self.folds.triangles());
        let bounds_now = |corners: [u32; 3]| Aabb::around(&cloth.places(corners));
        for (triangle, through) in theirs.zip(turned(through)).filter(|(_, through)| *through != 0) {
            let corners = triangles[triangle as usize];
            let bounds = bounds_now(corners);
            for lane in lanes(through & our_block.planes_through(self.corners(triangle))) {
                let one = ours.start + lane as u32;
                let our_corners = triangles[one as usize];
                let shared = our_corners.iter().filter(|corner| corners.contains(corner)).count();
                if shared < 2 && bounds_now(our_corners).overlaps(&bounds) {
                    found.extend(Tangle::between([one, triangle], &self.edges, triangles, cloth));
                }
            }
        }
    }

    /// Adds the particles that triangles of one leaf ask for, each with the triangles of the other that are near.
    fn find_pairs(&self, leaves: [u32; 2], near: Near, cloth: &Cloth, found: &mut Vec<Pair>) {
        self.for_particles_near(leaves, near, |particle, triangle| {
            found.extend(self.pair_of(particle, triangle, cloth));
        });
    }

    /// Calls `visit` with each particle that a triangle of one leaf asks for, and each triangle of the other leaf that may be near it.
    fn for_particles_near(&self, [asking, other]: [u32; 2], near: Near, mut visit: impl FnMut(u32, u32)) {
        let [asking, others] = self.of_leaves([asking, other]);
        let block = self.blocks.of(other);
        for (near, asking) in near.into_iter().zip(asking).filter(|(near, _)| *near != 0) {
            for &particle in self.particles.of(asking) {
                let at = self.expected[particle as usize];
                for lane in lanes(near & block.may_be_within(REACH * self.gap, Ball::at(at), [at])) {
                    visit(particle, others.start + lane as u32);
                }
            }
        }
    }

    /// Adds the edges that triangles of one leaf ask for, each with those that triangles of the other that are near ask for.
    fn find_edge_pairs(&self, [a, b]: [u32; 2], near: Near, cloth: &Cloth, found: &mut Vec<EdgePair>) {
        let [ours, theirs] = self.of_leaves([a, b]);
        let first = self.edges.range(theirs.start).start;
        let edges = &self.edges.items()[first..self.edges.range(theirs.end - 1).end];
        let asked_by = |bits, other: usize| {
            let range = self.edges.range(theirs.start + other as u32);
            bits | ((1 << (range.end - first)) - (1 << (range.start - first)))
        };
        let asked: Near = near.map(|near| lanes(near).fold(0, asked_by));
        let asked_by_any = asked.into_iter().fold(0, |any, asked| any | asked);
        for (start, some) in (0..).step_by(Points::LANES).zip(edges.chunks(Points::LANES)) {
            if asked_by_any >> start & FOUR == 0 {
                continue;
            }
            let four = Edges::of(some.iter().map(|&edge| self.expected_places(edge)));
            for (asked, one) in asked.into_iter().zip(ours.clone()) {
                let asked = asked >> start & FOUR;
                for &first in self.edges.of(one).iter().filter(|_| asked != 0) {
                    let may_cross = four.may_cross_within(REACH * self.gap, self.expected_places(first));
                    let pairs = lanes(may_cross & asked).filter_map(|lane| self.edge_pair_of(first, some[lane], cloth));
                    found.extend(pairs);
                }
            }
        }
    }

    /// Two edges, if they get near and are no neighbours.
    fn edge_pair_of(&self, first: [u32; 2], second: [u32; 2], cloth: &Cloth) -> Option<EdgePair> {
        let reach = REACH * self.gap;
        if first.iter().any(|&p| self.is_next_to(p, second)) {
            return None;
        }
        let crossing = Crossing::within(reach, self.expected_places(first), self.expected_places(second))?;
        let at_rest = |ends: [u32; 2]| ends.map(|p| self.rest[p as usize]);
        let rest = Crossing::of(at_rest(first), at_rest(second)).between.length();
        Some(EdgePair {
            ends: [first, second],
            side: Crossing::of(cloth.places(first), cloth.places(second)).side(),
            gap: self.gap.min(REST_PART * rest),
            distance: crossing.between.length(),
        })
    }

    /// Whether a particle shares a face with one of `others`.
    fn is_next_to<const N: usize>(&self, particle: u32, others: [u32; N]) -> bool {
        let ring = self.rings.of(particle);
        if ring.len() > WIDE {
            return others.iter().any(|p| ring.binary_search(p).is_ok());
        }
        // All of a usual ring at once: which comparison finds it cannot be foretold.
        ring.iter().fold(false, |any, p| others.iter().fold(any, |any, other| any | (other == p)))
    }

    /// A particle and a triangle, if they get near and are no neighbours.
    pub(super) fn pair_of(&self, particle: u32, triangle: u32, cloth: &Cloth) -> Option<Pair> {
        let reach = REACH * self.gap;
        let corners = self.folds.triangles()[triangle as usize];
        if self.is_next_to(particle, corners) {
            return None;
        }
        let expected = self.expected[particle as usize];
        let squared =
            closest_point_on_triangle(expected, self.expected_places(corners)).point.distance_squared(expected);
        if squared > reach * reach {
            return None;
        }
        let [position] = cloth.places([particle]);
        let [a, b, c] = cloth.places(corners);
        let closest = closest_point_on_triangle(position, [a, b, c]);
        let side = if (position - closest.point).dot((b - a).cross(c - a)) < 0.0 { -1.0 } else { 1.0 };
        let is_over_face = closest.feature == Feature::Face;
        let gap = self.gap_of(particle, corners);
        Some(Pair { particle, triangle, side, gap, distance: squared.sqrt(), is_over_face })
    }

    /// Distance that a pair keeps, metres.
    fn gap_of(&self, particle: u32, corners: [u32; 3]) -> f32 {
        let place = self.rest[particle as usize];
        let rest_point = closest_point_on_triangle(place, corners.map(|c| self.rest[c as usize])).point;
        self.gap.min(REST_PART * rest_point.distance(place))
    }
}

/// The same for each triangle of the other leaf.
pub(super) fn turned(near: Near) -> Near {
    std::array::from_fn(|other| (0..Points::LANES).fold(0, |bits, one| bits | (near[one] >> other & 1) << one))
}

/// The `most` nearest pairs of each thing among those `found`, with the sides that are `known` of them from the look before.
fn nearest<P: Sided + Send>(mut found: Vec<P>, known: &[P], most: usize) -> Vec<P> {
    found.par_sort_unstable_by(|p, q| {
        let ([(one, other), (next, its_other)], distances) = ([p, q].map(P::things), [p, q].map(P::distance));
        one.cmp(&next).then(distances[0].total_cmp(&distances[1])).then(other.cmp(&its_other))
    });
    let mut pairs = Vec::new();
    let mut known = known;
    for run in found.chunk_by(|p, q| p.things().0 == q.things().0) {
        known = &known[known.partition_point(|pair| pair.things().0 < run[0].things().0)..];
        let before = |pair: &P| known.iter().take(most).find(|known| known.things() == pair.things());
        pairs.extend(run.iter().take(most).map(|pair| before(pair).map_or(*pair, |known| pair.remembering(*known))));
    }
    pairs
}
