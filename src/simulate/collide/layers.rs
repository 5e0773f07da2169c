//! Cloth against cloth: particles are kept off the triangles of other layers.
//!
//! ```text
//!      o  particle, seen on this side when the pair was found      depth = gap - side (p - c) . n
//!      |
//!  ----c----- triangle                                             p moves along side n, a b c against it
//! ```
//!
//! Pairs that come near are looked for every few substeps, where particles will be half way to the next look. Each remembers the
//! side it was found on for as long as the particle stays over the triangle, so that one that slips through is brought back;
//! what is found when it has gone through already has no side to go back to, and is untangled. Cloth that lies closer than the
//! gap at rest may lie as close as that.

mod beside;
mod bounds;
mod find;
mod sheets;

use std::ops::Range;

use rayon::prelude::*;
use wide::f32x4;

use bounds::Blocks;
use sheets::Sheets;

use super::edges::EdgePair;
use super::untangle::Tangles;
use super::{Touch, push_apart};
use crate::geometry::{Feature, Folds, Lists, Points, Vec3, closest_point_on_triangle};
use crate::simulate::archive::{Archive, Archived, fits};
use crate::simulate::cloth::{CHUNK, Cloth, Point, Span};
use crate::topology::{Parts, Topology};

/// Gap between layers as a part of the mean edge: less lets edges slip between particles, more makes cloth thick.
const GAP: f32 = 0.35;
/// How near pairs are looked for, in gaps.
const REACH: f32 = 2.5;
/// Substeps, and seconds, from one look to the next at most, if particles have moved against each other by then.
const LOOK_EVERY: u32 = 6;
const LOOK_WITHIN: f32 = 1.0 / 59.0;

/// Two things of the cloth that may touch, and know on which sides of each other they belong.
pub(super) trait Sided: Copy {
    /// What is kept off.
    type Thing: Ord;
    /// What it is kept off.
    type Other: Ord;

    /// Both.
    fn things(&self) -> (Self::Thing, Self::Other);
    /// Their distance half way from the look that found them to the next, as far as that could tell, metres.
    fn distance(&self) -> f32;
    /// The distance that they keep, metres.
    fn gap(&self) -> f32;
    /// The pair with what was `known` of it before, as far as that still holds.
    fn remembering(self, known: Self) -> Self;
    /// The particles of both, in a cloth of these triangles. Pairs that ascend by what is kept off ascend by the first of these.
    fn particles(&self, triangles: &[[u32; 3]]) -> [u32; 4];
    /// Pushes these particles apart if both are too near or on the wrong sides of each other.
    fn separate(&mut self, particles: [u32; 4], span: &mut Span<'_>, touch: Touch);
}

/// A particle near a triangle of another part of the cloth.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    particle: u32,
    triangle: u32,
    /// 1 where the triangle's normal points, -1 behind it.
    side: f32,
    gap: f32,
    /// As [`Sided::distance`].
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

    fn gap(&self) -> f32 {
        self.gap
    }

    fn remembering(self, known: Pair) -> Pair {
        if self.is_over_face { Pair { side: known.side, ..self } } else { self }
    }

    fn particles(&self, triangles: &[[u32; 3]]) -> [u32; 4] {
        let [a, b, c] = triangles[self.triangle as usize];
        [self.particle, a, b, c]
    }

    // In its loops a call would cost more than what most pairs need; the same holds for edges.
    #[inline(always)]
    fn separate(&mut self, particles: [u32; 4], span: &mut Span<'_>, touch: Touch) {
        let [position, places @ ..] = span.places(particles);
        let cross = (places[1] - places[0]).cross(places[2] - places[0]);
        let lift = (position - places[0]).dot(cross) * self.side;
        if lift > 0.0 && lift * lift > self.gap * self.gap * cross.length_squared() {
            return; // further from the triangle's plane than the gap, as most pairs are
        }
        let closest = closest_point_on_triangle(position, places);
        let away = position - closest.point;
        let squared = away.length_squared();
        let (distance, normal) = match closest.feature {
            Feature::Face => {
                let normal = cross.normalize_or_zero() * self.side;
                (away.dot(normal), normal)
            }
            _ => {
                // Beyond an edge there are no sides: here a particle may go around the hem.
                self.side = if lift < 0.0 { -self.side } else { self.side };
                let distance = squared.sqrt();
                (distance, if distance > 0.0 { away / distance } else { Vec3::ZERO })
            }
        };
        if distance < self.gap && normal != Vec3::ZERO {
            let weights = closest.barycentric;
            push_apart(span, particles, [1.0, -weights.x, -weights.y, -weights.z], normal, self.gap - distance, touch);
        }
    }
}

impl Pair {
    fn archive(&mut self, archive: &mut Archive<'_>, particles: usize, triangles: usize) -> Archived {
        archive.index(&mut self.particle, particles, "layers")?;
        archive.index(&mut self.triangle, triangles, "layers")?;
        archive.f32(&mut self.side)?;
        archive.f32(&mut self.gap)?;
        archive.f32(&mut self.distance)?;
        archive.bool(&mut self.is_over_face)
    }
}

/// Pairs of cloth that may touch.
#[derive(Debug)]
pub(in crate::simulate) struct Layers {
    rest: Vec<Vec3>,
    /// Particles that share a face with each particle, itself included, ascending.
    rings: Lists<u32>,
    /// Particles and edges that each triangle asks for: it is the first that has them.
    particles: Lists<u32>,
    edges: Lists<[u32; 2]>,
    folds: Folds,
    sheets: Sheets,
    /// Where the last look expected the particles half way to the next; empty before the first.
    expected: Vec<Vec3>,
    /// What bounds the triangles of leaves of the tree there, of those that the last look looked into.
    blocks: Blocks,
    /// The parts of the cloth in which layers are pushed apart side by side.
    parts: Parts,
    /// Pairs of both kinds ascend by what is kept off.
    pairs: Vec<Pair>,
    edge_pairs: Vec<EdgePair>,
    tangles: Tangles,
    gap: f32,
    /// Substeps from one look to the next, and what is left of them.
    look_every: u32,
    substeps_to_look: u32,
    /// Whether there were more pairs than are looked at.
    is_heaped: bool,
}

impl Layers {
    pub(in crate::simulate) fn new(topology: &Topology) -> Layers {
        let rest = &topology.positions;
        let folds = Folds::new(rest, topology.triangles.iter().map(|t| t.map(|p| p.0)).collect());
        let triangles = folds.triangles();
        let edges = Lists::edges_by_first_triangle(triangles);
        let mut layers = Layers {
            rings: Lists::rings(rest.len(), triangles),
            particles: Lists::by_first_triangle(triangles, |t| *t),
            tangles: Tangles::default(),
            edges,
            folds,
            sheets: Sheets::default(),
            rest: rest.clone(),
            expected: Vec::new(),
            blocks: Blocks::default(),
            parts: topology.parts.clone(),
            pairs: Vec::new(),
            edge_pairs: Vec::new(),
            gap: Layers::gap(topology),
            look_every: LOOK_EVERY,
            substeps_to_look: 0,
            is_heaped: false,
        };
        layers.sheets = Sheets::at_rest(&mut layers);
        layers
    }

    /// The gap between the layers of a cloth, metres.
    pub(in crate::simulate) fn gap(topology: &Topology) -> f32 {
        GAP * topology.mean_edge()
    }

    /// Centre of a triangle at rest.
    fn rest_centre(&self, triangle: u32) -> Vec3 {
        centre(self.folds.triangles()[triangle as usize].map(|corner| self.rest[corner as usize]))
    }

    /// Says that not all of the cloth is kept apart, if so.
    pub(in crate::simulate) fn heaped_notice(&self) -> Option<String> {
        let words = "too many faces of the cloth lie on each other to keep all of them apart";
        self.is_heaped.then(|| words.to_owned())
    }

    /// What the last look found.
    pub(in crate::simulate) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        let Layers { rest, edges, folds, expected, pairs, edge_pairs, tangles, .. } = self;
        let (particles, triangles) = (rest.len(), folds.triangles());
        archive.list(expected, || Vec3::ZERO, Archive::vec3)?;
        fits(expected.is_empty() || expected.len() == particles, "layers")?;
        archive.list(pairs, Pair::default, |archive, pair| pair.archive(archive, particles, triangles.len()))?;
        archive.list(edge_pairs, EdgePair::default, |archive, pair| pair.archive(archive, particles))?;
        tangles.archive(archive, edges.items(), triangles)?;
        archive.u32(&mut self.substeps_to_look)
    }

    /// Pushes layers apart, in a substep of so many seconds.
    pub(in crate::simulate) fn collide(&mut self, cloth: &mut Cloth, touch: Touch, seconds: f32) {
        let looks = self.substeps_to_look == 0;
        if looks {
            self.look_every = ((LOOK_WITHIN / seconds) as u32).clamp(1, LOOK_EVERY);
        }
        self.substeps_to_look = if looks { self.look_every } else { self.substeps_to_look } - 1;
        if !looks && self.pairs.is_empty() && self.edge_pairs.is_empty() && self.tangles.is_empty() {
            return;
        }
        let mut off = self.off(cloth);
        // From there on others can touch than those found then.
        if looks && off > 0.5 * (REACH - 1.0) * self.gap {
            self.look(cloth);
            off = self.off(cloth);
        }
        let closer = 2.0 * off;
        self.push_apart(cloth, closer, touch);
        self.tangles.shorten(&mut cloth.span(), touch);
    }

    /// Pushes those pairs apart that can be nearer than their gap, `closer` than when they were found: those of each part of a large
    /// cloth while those of the others are, then those across parts.
    fn push_apart(&mut self, cloth: &mut Cloth, closer: f32, touch: Touch) {
        let Layers { folds, parts, pairs, edge_pairs, .. } = self;
        let triangles = folds.triangles();
        let (pairs, edge_pairs) = (of_leaves(parts, pairs, triangles), of_leaves(parts, edge_pairs, triangles));
        let of_spans = cloth.spans(parts).into_par_iter().zip(pairs).zip(edge_pairs);
        let across = of_spans.map(|((mut span, pairs), edge_pairs)| {
            let mut push = Push { span: &mut span, triangles, closer, touch };
            (push.apart(pairs), push.apart(edge_pairs))
        });
        let (pairs, edge_pairs): (Vec<Vec<&mut Pair>>, Vec<Vec<&mut EdgePair>>) = across.unzip();
        let mut push = Push { span: &mut cloth.span(), triangles, closer, touch };
        push.apart(pairs.into_iter().flatten());
        push.apart(edge_pairs.into_iter().flatten());
    }

    /// How far particles are from where the last look expected them, beside all moving together, at most, metres.
    fn off(&self, cloth: &Cloth) -> f32 {
        if self.expected.is_empty() {
            return f32::INFINITY;
        }
        let chunks = || cloth.points.par_chunks(CHUNK).zip(self.expected.par_chunks(CHUNK));
        let sums: Vec<Vec3> = chunks().map(|(points, expected)| ways(points, expected).sum()).collect();
        let together = sums.into_iter().sum::<Vec3>() / self.expected.len() as f32;
        chunks().map(|(points, expected)| furthest(points, expected, together)).reduce(|| 0.0, f32::max).sqrt()
    }

    /// Particles of cloth that may touch, one of either side of each pair.
    pub(in crate::simulate) fn near(&self) -> impl Iterator<Item = [u32; 2]> {
        self.pairs.iter().map(|pair| [pair.particle, self.folds.triangles()[pair.triangle as usize][0]])
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
}

fn centre([a, b, c]: [Vec3; 3]) -> Vec3 {
    (a + b + c) * (1.0 / 3.0)
}

/// The way of each particle from where it was `expected`.
fn ways<'a>(points: &'a [Point], expected: &'a [Vec3]) -> impl Iterator<Item = Vec3> + 'a {
    points.iter().zip(expected).map(|(point, expected)| point.at - *expected)
}

/// The square of the furthest of these, beside all moving `together`.
fn furthest(points: &[Point], expected: &[Vec3], together: Vec3) -> f32 {
    let ((fours, few), (fours_expected, few_expected)) = (points.as_chunks(), expected.as_chunks());
    let of_few = ways(few, few_expected).map(|way| way.distance_squared(together)).fold(0.0, f32::max);
    let of_four = |(points, expected): (&[Point; Points::LANES], &[Vec3; Points::LANES])| {
        let ways = Point::four(points.each_ref()).minus(Points::of(*expected));
        ways.minus(Points::splat(together)).length_squared()
    };
    let of_fours = fours.iter().zip(fours_expected).map(of_four).fold(f32x4::ZERO, f32x4::fast_max);
    of_fours.to_array().into_iter().fold(of_few, f32::max)
}

/// Pushes pairs of particles apart that are all in one span.
struct Push<'a, 'b> {
    span: &'a mut Span<'b>,
    triangles: &'a [[u32; 3]],
    /// How much closer pairs can be than when they were found, metres.
    closer: f32,
    touch: Touch,
}

impl Push<'_, '_> {
    /// Pushes those apart that can be nearer than their gap; returns those of them that have particles elsewhere.
    fn apart<'p, P: Sided + 'p>(&mut self, pairs: impl IntoIterator<Item = &'p mut P>) -> Vec<&'p mut P> {
        let mut across = Vec::new();
        for pair in pairs.into_iter().filter(|pair| pair.distance() - self.closer < pair.gap()) {
            let particles = pair.particles(self.triangles);
            if self.span.has(particles) {
                pair.separate(particles, self.span, self.touch);
            } else {
                across.push(pair);
            }
        }
        across
    }
}

/// The pairs whose first particle is in each leaf of the parts, of pairs that ascend by it.
fn of_leaves<'a, P: Sided>(parts: &Parts, mut pairs: &'a mut [P], triangles: &[[u32; 3]]) -> Vec<&'a mut [P]> {
    let of_leaf = |range: Range<usize>| {
        let end = pairs.partition_point(|pair| (pair.particles(triangles)[0] as usize) < range.end);
        let (these, others) = std::mem::take(&mut pairs).split_at_mut(end);
        pairs = others;
        these
    };
    parts.leaf_ranges().map(of_leaf).collect()
}

#[cfg(test)]
mod tests;
