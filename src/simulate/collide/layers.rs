//! Cloth against cloth: particles are kept off the triangles of other layers.
//!
//! ```text
//!      o  particle, seen on this side when the pair was found      depth = gap - side (p - c) . n
//!      |
//!  ----c----- triangle                                             p moves along side n, a b c against it
//! ```
//!
//! Pairs that come near are looked for every few substeps. Each remembers the side it was found on for as long as the particle
//! stays over the triangle, so that one that slips through is brought back; what is found when it has gone through already
//! has no side to go back to, and is untangled. Cloth that lies closer than the gap at rest may lie as close as that.

use rayon::prelude::*;

use super::edges::{Crossing, EdgePair};
use super::lists::Lists;
use super::untangle::Tangles;
use super::{Touch, push_apart};
use crate::geometry::{Feature, Folds, Vec3, closest_point_on_triangle};
use crate::simulate::cloth::{CHUNK, Cloth, Point};
use crate::topology::Topology;

/// Gap between layers as a part of the mean edge: less lets edges slip between particles, more makes cloth thick.
const GAP: f32 = 0.35;
/// How near pairs are looked for, in gaps.
const REACH: f32 = 2.5;
/// How far from a triangle, in gaps, cloth of the same sheet is too near to fold back onto it.
const SHEET: f32 = 2.5;
/// How far from a triangle, in gaps, others are within reach of a look.
const NEIGHBOURHOOD: f32 = 8.0;
/// Part of their distance at rest beyond which the cloth between two triangles has no fold.
const UNFOLDED: f32 = 0.85;
/// Triangles that a particle is kept off at a time, the nearest ones.
const NEAREST: usize = 8;
/// Edges that an edge is kept off at a time, the nearest ones.
const NEAREST_EDGES: usize = 4;
/// Substeps from one look to the next, if particles have moved against each other by then.
const LOOK_EVERY: u32 = 4;
/// Part of its rest distance that a pair closer than the gap at rest keeps.
const REST_PART: f32 = 0.8;
/// Pairs of triangles one task takes at least.
const PAIRS_PER_TASK: usize = 2048;

/// Two things of the cloth that may touch, and know on which sides of each other they belong.
pub(super) trait Sided: Copy {
    /// What is kept off.
    type Thing: Ord;
    /// What it is kept off.
    type Other: Ord;

    /// Both.
    fn things(&self) -> (Self::Thing, Self::Other);
    /// Their distance when they were found, metres.
    fn distance(&self) -> f32;
    /// The pair with what was `known` of it before, as far as that still holds.
    fn remembering(self, known: Self) -> Self;
}

/// A particle near a triangle of another part of the cloth.
#[derive(Clone, Copy, Debug)]
struct Pair {
    particle: u32,
    triangle: u32,
    /// 1 where the triangle's normal points, -1 behind it.
    side: f32,
    gap: f32,
    /// Distance when the pair was found, metres.
    distance: f32,
    /// Whether the particle was over the triangle's face then, not beyond its edges.
    is_over_face: bool,
}

impl Sided for Pair {
    type Thing = u32;
    type Other = u32;

    fn things(&self) -> (u32, u32) {
        (self.particle, self.triangle)
    }

    fn distance(&self) -> f32 {
        self.distance
    }

    fn remembering(self, known: Pair) -> Pair {
        if self.is_over_face { Pair { side: known.side, ..self } } else { self }
    }
}

/// Pairs of cloth that may touch.
#[derive(Debug)]
pub(in crate::simulate) struct Layers {
    rest: Vec<Vec3>,
    /// Centre and unit normal of each triangle at rest.
    rest_faces: Vec<(Vec3, Vec3)>,
    /// Particles that share a face with each particle, itself included, ascending.
    rings: Lists<u32>,
    /// Particles and edges that each triangle asks for: it is the first that has them.
    particles: Lists<u32>,
    edges: Lists<[u32; 2]>,
    folds: Folds,
    /// Where the particles were at the last look; empty before the first.
    positions: Vec<Vec3>,
    /// A ball around each triangle and each edge, as they were then.
    balls: Vec<Ball>,
    edge_balls: Vec<Ball>,
    pairs: Vec<Pair>,
    edge_pairs: Vec<EdgePair>,
    tangles: Tangles,
    gap: f32,
    substeps_to_look: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ball {
    centre: Vec3,
    radius: f32,
}

impl Ball {
    fn around(corners: [Vec3; 3]) -> Ball {
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        Ball { centre, radius: corners.iter().map(|c| c.distance_squared(centre)).fold(0.0, f32::max).sqrt() }
    }

    fn is_within(self, reach: f32, point: Vec3) -> bool {
        let most = self.radius + reach;
        self.centre.distance_squared(point) <= most * most
    }
}

impl Layers {
    pub(in crate::simulate) fn new(topology: &Topology) -> Layers {
        let rest = &topology.positions;
        let folds = Folds::new(rest, topology.triangles.iter().map(|t| t.map(|p| p.0)).collect());
        let triangles = folds.triangles();
        let face = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| rest[i as usize]);
            ((a + b + c) / 3.0, (b - a).cross(c - a).normalize_or_zero())
        };
        let edges = Lists::by_first_triangle(triangles, |&[a, b, c]| {
            [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
        });
        Layers {
            rings: Lists::rings(rest.len(), triangles),
            rest_faces: triangles.iter().map(face).collect(),
            particles: Lists::by_first_triangle(triangles, |t| *t),
            tangles: Tangles::new(edges.items(), triangles),
            edges,
            edge_balls: Vec::new(),
            folds,
            rest: rest.clone(),
            positions: Vec::new(),
            balls: Vec::new(),
            pairs: Vec::new(),
            edge_pairs: Vec::new(),
            gap: GAP * topology.mean_edge(),
            substeps_to_look: 0,
        }
    }

    /// Pushes layers apart.
    pub(in crate::simulate) fn collide(&mut self, cloth: &mut Cloth, touch: Touch) {
        let looks = self.substeps_to_look == 0;
        self.substeps_to_look = if looks { LOOK_EVERY } else { self.substeps_to_look } - 1;
        if !looks && self.pairs.is_empty() && self.edge_pairs.is_empty() && self.tangles.is_empty() {
            return;
        }
        let mut moved = self.moved(cloth);
        // From there on others can touch than those found then.
        if looks && moved > 0.5 * (REACH - 1.0) * self.gap {
            self.look(cloth);
            moved = 0.0;
        }
        let closer = 2.0 * moved;
        for pair in self.pairs.iter_mut().filter(|pair| pair.distance - closer < pair.gap) {
            separate(pair, self.folds.triangles()[pair.triangle as usize], cloth, touch);
        }
        for pair in self.edge_pairs.iter_mut().filter(|pair| pair.distance - closer < pair.gap) {
            pair.separate(cloth, touch);
        }
        self.tangles.shorten(cloth, touch);
    }

    /// How far particles have moved since the last look beside all moving together, at most, metres.
    fn moved(&self, cloth: &Cloth) -> f32 {
        if self.positions.is_empty() {
            return f32::INFINITY;
        }
        let chunks = || cloth.points.par_chunks(CHUNK).zip(self.positions.par_chunks(CHUNK));
        let sums: Vec<Vec3> = chunks().map(|(points, before)| ways(points, before).sum()).collect();
        let together = sums.into_iter().sum::<Vec3>() / self.positions.len() as f32;
        let furthest = |way: Vec3| way.distance_squared(together);
        chunks()
            .map(|(points, before)| ways(points, before).map(furthest).fold(0.0, f32::max))
            .reduce(|| 0.0, f32::max)
            .sqrt()
    }

    /// Particles of cloth that may touch, one of either side of each pair.
    pub(in crate::simulate) fn near(&self) -> impl Iterator<Item = [u32; 2]> {
        self.pairs.iter().map(|pair| [pair.particle, self.folds.triangles()[pair.triangle as usize][0]])
    }

    /// Finds the pairs: for each particle the nearest triangles of other parts.
    fn look(&mut self, cloth: &Cloth) {
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

    /// Drops the pairs that hold cloth on the sides where it is crossed, so that it can be untangled.
    fn let_go(&mut self) {
        let side = |particle: u32, triangle: u32| {
            let first = self.pairs.partition_point(|pair| pair.particle < particle);
            let mut of_particle = self.pairs[first..].iter().take_while(|pair| pair.particle == particle);
            of_particle.find(|pair| pair.triangle == triangle).map(|pair| pair.side)
        };
        let held = self.tangles.held(side);
        if held.is_empty() {
            return;
        }
        let is_held = |p: &u32| held.binary_search(p).is_ok();
        let triangles = self.folds.triangles();
        self.pairs.retain(|pair| !is_held(&pair.particle) || !triangles[pair.triangle as usize].iter().any(is_held));
        self.edge_pairs.retain(|pair| !pair.ends.iter().all(|ends| ends.iter().any(is_held)));
    }

    /// Fits the balls around triangles and edges to the cloth as it is now.
    fn fit_balls(&mut self) {
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
    fn pair_of(&self, particle: u32, triangle: u32) -> Option<Pair> {
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
    fn are_beside(&self, one: u32, other: u32) -> bool {
        let [(here, one_normal), (there, other_normal)] = [one, other].map(|t| self.rest_faces[t as usize]);
        let between = there - here;
        let at_rest = between.length_squared();
        let is_level = |normal: Vec3| between.dot(normal) * between.dot(normal) < 0.25 * at_rest;
        let within = |gaps: f32| at_rest < (gaps * self.gap) * (gaps * self.gap);
        let now = || self.balls[one as usize].centre.distance_squared(self.balls[other as usize].centre);
        let is_unfolded = || within(NEIGHBOURHOOD) && now() > UNFOLDED * UNFOLDED * at_rest;
        (within(SHEET) || is_unfolded()) && is_level(one_normal) && is_level(other_normal)
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

/// How far each particle has moved from where it was `before`.
fn ways<'a>(points: &'a [Point], before: &'a [Vec3]) -> impl Iterator<Item = Vec3> + 'a {
    points.iter().zip(before).map(|(point, before)| point.at - *before)
}

fn separate(pair: &mut Pair, corners: [u32; 3], cloth: &mut Cloth, touch: Touch) {
    let p = pair.particle as usize;
    let [a, b, c] = corners.map(|i| i as usize);
    let position = cloth.points[p].at;
    let places = [a, b, c].map(|i| cloth.points[i].at);
    let cross = (places[1] - places[0]).cross(places[2] - places[0]);
    let lift = (position - places[0]).dot(cross) * pair.side;
    if lift > 0.0 && lift * lift > pair.gap * pair.gap * cross.length_squared() {
        return; // further from the triangle's plane than the gap, as most pairs are
    }
    let closest = closest_point_on_triangle(position, places);
    let away = position - closest.point;
    let squared = away.length_squared();
    let (distance, normal) = match closest.feature {
        Feature::Face => {
            let normal = cross.normalize_or_zero() * pair.side;
            (away.dot(normal), normal)
        }
        _ => {
            // Beyond an edge there are no sides: here a particle may go around the hem.
            pair.side = if lift < 0.0 { -pair.side } else { pair.side };
            let distance = squared.sqrt();
            (distance, if distance > 0.0 { away / distance } else { Vec3::ZERO })
        }
    };
    if distance < pair.gap && normal != Vec3::ZERO {
        let weights = closest.barycentric;
        push_apart(cloth, [p, a, b, c], [1.0, -weights.x, -weights.y, -weights.z], normal, pair.gap - distance, touch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pins::Pins;
    use crate::topology::{build, grids};
    use proptest::prelude::*;

    /// A sheet one metre wide rolled up, unstretched, as a scroll of `turns` turns that are `pitch` metres apart.
    fn scroll(topology: &Topology, turns: f32, pitch: f32) -> Vec<Vec3> {
        let growth = pitch / std::f32::consts::TAU;
        let most = turns * std::f32::consts::TAU;
        let core = (1.0 - 0.5 * growth * most * most) / most;
        let roll = |p: &Vec3| {
            let angle = ((core * core + 2.0 * growth * p.x).sqrt() - core) / growth;
            let radius = core + growth * angle;
            Vec3::new(radius * libm::cosf(angle), radius * libm::sinf(angle), p.y)
        };
        topology.positions.iter().map(roll).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_look_misses_no_pair_of_a_folded_sheet(turns in 0.3f32..2.5, pitch in 0.2f32..1.5) {
            let topology = build(&grids::grid(24, 9)).expect("a grid");
            let mut layers = Layers::new(&topology);
            let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.1);
            let places = scroll(&topology, turns, pitch * layers.gap);
            for (point, place) in cloth.points.iter_mut().zip(places) {
                point.at = place;
            }
            layers.look(&cloth);
            layers.fit_balls();
            let found = layers.pairs.clone();
            for particle in 0..cloth.len() as u32 {
                let triangles = layers.folds.triangles().len();
                let asks = |t: &u32| layers.particles.of(*t).contains(&particle);
                let asking = (0..triangles as u32).find(asks).expect("one asks for it");
                let others = (0..triangles as u32).filter(|&t| t != asking && !layers.are_beside(asking, t));
                let all = others.filter_map(|t| layers.pair_of(particle, t));
                let mut all: Vec<(f32, u32)> = all.map(|pair| (pair.distance, pair.triangle)).collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let expected: Vec<u32> = all.into_iter().take(NEAREST).map(|(_, t)| t).collect();
                let pairs: Vec<u32> =
                    found.iter().filter(|p| p.particle == particle).map(|p| p.triangle).collect();
                prop_assert_eq!(pairs, expected, "of particle {}", particle);
            }
        }
    }

    #[test]
    fn a_flat_sheet_has_no_pairs_to_look_at() {
        let topology = build(&grids::grid(33, 33)).expect("a grid");
        let mut layers = Layers::new(&topology);
        layers.folds.refit(&topology.positions);
        assert!(layers.folds.pairs(layers.gap).is_empty());
    }

    /// A sheet of one metre whose right half lies turned over on its left one, 5 cm above it, and dips 5 mm below it around
    /// the place `dip` of its rest shape.
    fn dipping_fold(topology: &Topology, dip: Vec3) -> Vec<Vec3> {
        let place = |p: &Vec3| {
            let over = (p.x - 0.5).max(0.0);
            let radius = 0.025;
            let angle = (over / radius).min(std::f32::consts::PI);
            let back = over - radius * angle;
            let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
            let off = p.distance(dip);
            let depth = if back > 0.0 { 0.055 * (1.0 - off * off / 0.01).max(0.0) } else { 0.0 };
            Vec3::new(p.x.min(0.5) + radius * sin - back, p.y, radius * (1.0 - cos) - depth)
        };
        topology.positions.iter().map(place).collect()
    }

    /// How many edges go through triangles before and after so many substeps with no other force, with a look every time.
    fn tangles_before_and_after(places: &[Vec3], topology: &Topology, substeps: usize) -> [usize; 2] {
        let mut layers = Layers::new(topology);
        let mut cloth = Cloth::at_rest(topology, &Pins::default(), 0.1);
        for (point, place) in cloth.points.iter_mut().zip(places) {
            point.at = *place;
        }
        let touch = Touch { thickness: 1e-3, friction: 0.3, rise: 1e-3 };
        layers.look(&cloth);
        let before = layers.tangles.count();
        for _ in 0..substeps {
            cloth.start_substep(1.0 / 300.0);
            layers.look(&cloth);
            layers.collide(&mut cloth, touch);
        }
        layers.look(&cloth);
        [before, layers.tangles.count()]
    }

    #[test]
    fn a_layer_that_starts_dipped_through_another_comes_out() {
        let topology = build(&grids::grid(33, 33)).expect("a grid");
        let [low, high] = [topology.positions[0], topology.positions[33 * 33 - 1]];
        let middle = low.midpoint(high);
        // In the middle of the layer, where the contour is closed, and at its hem, where it is open.
        for x in [0.8, 1.0] {
            let dip = Vec3::new(low.x + x, middle.y, middle.z);
            let places = dipping_fold(&topology, dip);
            let [before, after] = tangles_before_and_after(&places, &topology, 200);
            assert!(before > 3, "{before} with the dip at {x}");
            assert_eq!(after, 0, "of {before} with the dip at {x}");
        }
    }

    #[test]
    fn a_flat_sheet_stays_where_it_is() {
        let topology = build(&grids::grid(9, 9)).expect("a grid");
        let mut layers = Layers::new(&topology);
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.1);
        cloth.start_substep(1.0 / 300.0);
        layers.collide(&mut cloth, Touch { thickness: 1e-3, friction: 0.3, rise: 1e-3 });
        assert_eq!(cloth.positions(), topology.positions);
    }

    #[test]
    fn cloth_two_edges_away_is_beside_until_it_is_folded_back() {
        let topology = build(&grids::grid(9, 9)).expect("a grid");
        let mut layers = Layers::new(&topology);
        let of_column = |column: u32| {
            let is_in = |t: &[u32; 3]| t.iter().all(|p| [column, column + 1].contains(&(p % 9)) && p / 9 < 2);
            layers.folds.triangles().iter().position(is_in).expect("a triangle") as u32
        };
        let [one, other] = [of_column(2), of_column(4)];
        layers.positions.clone_from(&topology.positions);
        layers.fit_balls();
        assert!(layers.are_beside(one, other));
        let crease = topology.positions[4].x;
        layers.positions.iter_mut().for_each(|p| p.x = crease - (p.x - crease).abs());
        layers.fit_balls();
        assert!(!layers.are_beside(one, other));
    }
}
