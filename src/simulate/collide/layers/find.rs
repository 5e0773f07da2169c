//! Which pairs of cloth may touch: a look.

use rayon::prelude::*;

use super::{Ball, Layers, Pair, REACH, Sided};
use crate::geometry::{Feature, closest_point_on_triangle};
use crate::simulate::cloth::Cloth;
use crate::simulate::collide::edges::{Crossing, EdgePair};

/// How far from a triangle, in gaps, cloth of the same sheet is too near to fold back onto it.
const SHEET: f32 = 2.5;
/// How far from a triangle, in gaps, others are within reach of a look.
const NEIGHBOURHOOD: f32 = 8.0;
/// Part of their distance at rest beyond which the cloth between two triangles has no fold.
const UNFOLDED: f32 = 0.85;
/// Triangles that a particle is kept off at a time, the nearest ones.
pub(super) const NEAREST: usize = 8;
/// Edges that an edge is kept off at a time, the nearest ones.
const NEAREST_EDGES: usize = 4;
/// Part of its rest distance that a pair closer than the gap at rest keeps.
const REST_PART: f32 = 0.8;
/// Pairs of triangles one task takes at least.
const PAIRS_PER_TASK: usize = 2048;

impl Layers {
    /// Finds the pairs: for each particle the nearest triangles of other parts.
    pub(super) fn look(&mut self, cloth: &Cloth) {
        self.positions.clear();
        self.positions.extend(cloth.points[..cloth.len()].iter().map(|p| p.at));
        self.folds.refit(&self.positions);
        let reach = REACH * self.gap;
        let near = self.folds.pairs(reach);
        if near.is_empty() {
            self.pairs.clear();
            self.edge_pairs.clear();
            self.tangles.clear();
            return;
        }
        self.fit_balls();
        let balls = &self.balls;
        let overlap = |pair: &[u32; 2]| {
            let [one, other] = pair.map(|t| balls[t as usize]);
            one.is_within(other.radius, other.centre)
        };
        self.tangles.find(&near, overlap, &self.edges, self.folds.triangles(), &self.positions);
        let may_touch = |&&[s, t]: &&[u32; 2]| {
            let [one, other] = [s, t].map(|t| self.balls[t as usize]);
            !self.are_beside(s, t) && one.is_within(reach + other.radius, other.centre)
        };
        let near: Vec<[u32; 2]> = near.par_iter().filter(may_touch).flat_map_iter(|&[s, t]| [[s, t], [t, s]]).collect();
        let pairs_of = |near: &[[u32; 2]]| {
            let mut found = Vec::new();
            near.iter().for_each(|&triangles| self.find_pairs(triangles, &mut found));
            found
        };
        let found: Vec<Pair> = near.par_chunks(PAIRS_PER_TASK).flat_map_iter(pairs_of).collect();
        let edge_pairs_of = |near: &[[u32; 2]]| {
            let mut found = Vec::new();
            near.chunks_exact(2).for_each(|both| self.find_edge_pairs(both[0], &mut found));
            found
        };
        let found_edges: Vec<EdgePair> = near.par_chunks(PAIRS_PER_TASK).flat_map_iter(edge_pairs_of).collect();
        self.pairs = nearest(found, &self.pairs, NEAREST);
        self.edge_pairs = nearest(found_edges, &self.edge_pairs, NEAREST_EDGES);
        self.let_go();
    }

    /// Fits the balls around triangles and edges to the cloth as it is now.
    pub(super) fn fit_balls(&mut self) {
        let Layers { folds, edges, positions, balls, edge_balls, .. } = self;
        let place = |p: u32| positions[p as usize];
        folds.triangles().par_iter().map(|corners| Ball::around(corners.map(place))).collect_into_vec(balls);
        let of_edge = |ends: &[u32; 2]| {
            let [a, b] = ends.map(place);
            Ball { centre: a.midpoint(b), radius: 0.5 * a.distance(b) }
        };
        edges.items().par_iter().map(of_edge).collect_into_vec(edge_balls);
    }

    /// Adds the edges that one triangle asks for, each with those that the other asks for.
    fn find_edge_pairs(&self, triangles: [u32; 2], found: &mut Vec<EdgePair>) {
        let reach = REACH * self.gap;
        let [ours, theirs] = triangles.map(|t| self.edges.range(t));
        for first in ours {
            for second in theirs.clone() {
                let other = self.edge_balls[second];
                if self.edge_balls[first].is_within(reach + other.radius, other.centre) {
                    found.extend(self.edge_pair_of(self.edges.items()[first], self.edges.items()[second]));
                }
            }
        }
    }

    /// Two edges, if they are near and no neighbours.
    fn edge_pair_of(&self, first: [u32; 2], second: [u32; 2]) -> Option<EdgePair> {
        let places = |ends: [u32; 2]| ends.map(|p| self.positions[p as usize]);
        let reach = REACH * self.gap;
        let crossing = Crossing::of(places(first), places(second));
        let squared = crossing.between.length_squared();
        let is_near = squared <= reach * reach && crossing.normal.is_some();
        if !is_near || first.iter().any(|&p| self.is_next_to(p, second)) {
            return None;
        }
        let at_rest = |ends: [u32; 2]| ends.map(|p| self.rest[p as usize]);
        let rest = Crossing::of(at_rest(first), at_rest(second)).between.length();
        Some(EdgePair {
            ends: [first, second],
            side: crossing.side(),
            gap: self.gap.min(REST_PART * rest),
            distance: squared.sqrt(),
        })
    }

    /// Whether a particle shares a face with one of `others`.
    fn is_next_to<const N: usize>(&self, particle: u32, others: [u32; N]) -> bool {
        let ring = self.rings.of(particle);
        others.iter().any(|p| ring.binary_search(p).is_ok())
    }

    /// Adds the particles that one triangle asks for, each with the other triangle.
    fn find_pairs(&self, [asking, triangle]: [u32; 2], found: &mut Vec<Pair>) {
        for &particle in self.particles.of(asking) {
            if self.balls[triangle as usize].is_within(REACH * self.gap, self.positions[particle as usize]) {
                found.extend(self.pair_of(particle, triangle));
            }
        }
    }

    /// A particle and a triangle, if they are near and no neighbours.
    pub(super) fn pair_of(&self, particle: u32, triangle: u32) -> Option<Pair> {
        let position = self.positions[particle as usize];
        let reach = REACH * self.gap;
        let corners = self.folds.triangles()[triangle as usize];
        if self.is_next_to(particle, corners) {
            return None;
        }
        let places = corners.map(|c| self.positions[c as usize]);
        let closest = closest_point_on_triangle(position, places);
        let squared = closest.point.distance_squared(position);
        if squared > reach * reach {
            return None;
        }
        let [a, b, c] = places;
        let side = if (position - closest.point).dot((b - a).cross(c - a)) < 0.0 { -1.0 } else { 1.0 };
        let is_over_face = closest.feature == Feature::Face;
        let gap = self.gap_of(particle, corners);
        Some(Pair { particle, triangle, side, gap, distance: squared.sqrt(), is_over_face })
    }

    /// Whether two triangles lie next to each other in the same sheet, where only bending keeps cloth apart, or near each other
    /// with no fold between them.
    pub(super) fn are_beside(&self, one: u32, other: u32) -> bool {
        let [here, there] = [one, other].map(|t| self.rest_centres[t as usize]);
        let between = there - here;
        let at_rest = between.length_squared();
        let is_level = |triangle: u32| {
            let [a, b, c] = self.folds.triangles()[triangle as usize].map(|corner| self.rest[corner as usize]);
            let along = between.dot((b - a).cross(c - a).normalize_or_zero());
            along * along < 0.25 * at_rest
        };
        let within = |gaps: f32| at_rest < (gaps * self.gap) * (gaps * self.gap);
        let now = || self.balls[one as usize].centre.distance_squared(self.balls[other as usize].centre);
        let is_unfolded = || within(NEIGHBOURHOOD) && now() > UNFOLDED * UNFOLDED * at_rest;
        (within(SHEET) || is_unfolded()) && is_level(one) && is_level(other)
    }

    /// Distance that a pair keeps, metres.
    fn gap_of(&self, particle: u32, corners: [u32; 3]) -> f32 {
        let place = self.rest[particle as usize];
        let rest_point = closest_point_on_triangle(place, corners.map(|c| self.rest[c as usize])).point;
        self.gap.min(REST_PART * rest_point.distance(place))
    }
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
