//! Which outline of a piece of clothing is its upper one.
//!
//! ```text
//!      neck            sleeves, armholes and legs come in pairs, one on either side:
//!   __/    \__         what holds a garment lies around its middle, however high
//!  (  |    |  )        the arms are
//!     |    |
//!     |____| hem
//! ```

use std::ops::Range;

use crate::geometry::{Aabb, Vec2, Vec3};
use crate::topology::{ParticleId, Topology};

/// Part of an outline's height that counts as its top edge.
const TOP_PART: f32 = 0.125;
/// Part of its piece's height from which on an outline goes from top to bottom: neck, front and hem of an open jacket are one.
const TALL: f32 = 0.5;
/// Length of an outline, as a part of the longest of its piece, up to which it is a buttonhole or an eyelet and no edge to hold.
const HOLE: f32 = 0.03;
/// Area that an outline goes around, as a part of its piece's, up to which it is a hole: closed cloth with its thickness has such
/// where its parts were sewn badly. A neck goes around a five hundredth of a thick gown.
const PINHOLE: f32 = 0.0005;
/// The same up to which it is a slit, a seam that was not closed, if both its sides are close together. A belt is as narrow, but that
/// is all of it.
const SLIT: f32 = 0.02;
/// How close both sides of a slit are, as a part of its length, and how far along it they are from each other at least.
const CLOSE: f32 = 0.02;
const OTHER_SIDE: f32 = 0.125;
/// Part of an outline along which its other side is close, of a slit: of an open jacket whose fronts nearly meet those are less.
const MOSTLY: f32 = 0.6;
/// Particles of an outline at which that is looked at.
const LOOKS: usize = 64;
/// Ways around the middle of a closed piece in which its upper rim is looked for.
const WAYS: usize = 64;
/// Part of its height that counts as its upper rim.
const RIM: f32 = 0.03;
/// Area of a piece, as a part of that of the largest, up to which it may be a collar.
const COLLAR: f32 = 0.08;
/// Its depth, as a part of its width or the other way round, from which on it goes around something: an epaulette does not.
const AROUND: f32 = 0.4;
/// Outlines of a piece beyond which none are taken for pairs: it is lace.
const MOST: usize = 64;
/// Part by which the lengths of a pair may differ.
const ALIKE: f32 = 0.25;
/// Way along an outline, as a part of its length, over which it is looked at for corners: fine meshes round them.
const ROUNDED: f32 = 0.02;
/// Particles to either side that are looked at for that, at most.
const MOST_AROUND: usize = 256;
/// Cosine of the angle by which an outline turns at a corner, at most: 45 degrees.
const CORNER: f32 = 0.7;
/// How far an outline goes down beyond a corner where a side begins, at least, as a part of its length there.
const STEEP: f32 = 0.4;
/// How far a pair may lie off the middle, as a part of the distance between the two.
const OFF_THE_MIDDLE: f32 = 0.25;

/// The particles of the upper outline of each separate piece: a jacket and trousers are both held. Of a piece that is closed all
/// around, as cloth modelled with its thickness is, those of its upper rim; of a collar all of its outline, for it is sewn on below.
pub(super) fn top(topology: &Topology) -> Vec<ParticleId> {
    let pieces = pieces(topology);
    let rims = upper_rims(topology, &pieces);
    let largest = pieces.iter().max_by(|a, b| a.area.total_cmp(&b.area));
    let top = |(piece, rim): (&Piece<'_>, _)| match &piece.outlines[..] {
        [] => rim,
        [only] if largest.is_some_and(|largest| piece.is_collar_of(largest)) => only.particles.to_vec(),
        _ => piece.top(),
    };
    pieces.iter().zip(rims).flat_map(top).collect()
}

/// For each piece without outlines what is highest of it in every way around its middle.
fn upper_rims(topology: &Topology, pieces: &[Piece<'_>]) -> Vec<Vec<ParticleId>> {
    let mut highest = vec![[f32::MIN; WAYS]; pieces.len()];
    let closed = |particle: usize| {
        let component = topology.component_of_particle[particle] as usize;
        let piece = &pieces[component];
        // A loose vertex is no piece of cloth.
        let is_closed = piece.outlines.is_empty() && piece.area > 0.0;
        is_closed.then(|| (component, piece.way_to(topology.positions[particle])))
    };
    for (particle, place) in topology.positions.iter().enumerate() {
        if let Some((component, way)) = closed(particle) {
            highest[component][way] = highest[component][way].max(place.y);
        }
    }
    let mut rims = vec![Vec::new(); pieces.len()];
    for (particle, place) in topology.positions.iter().enumerate() {
        if let Some((component, way)) = closed(particle)
            && place.y >= highest[component][way] - RIM * pieces[component].bounds.size().y
        {
            rims[component].push(ParticleId(particle as u32));
        }
    }
    rims
}

/// The particles of the lowest outline of each separate piece.
pub(super) fn bottom(topology: &Topology) -> Vec<ParticleId> {
    pieces(topology)
        .iter()
        .filter_map(|piece| piece.outlines.last())
        .flat_map(|lowest| lowest.particles.to_vec())
        .collect()
}

/// For each boundary loop of a garment whether it is one of a pair, left and right, as sleeves, armholes and legs are.
pub fn paired_loops(topology: &Topology) -> Vec<bool> {
    let mut is_paired = vec![false; topology.boundary_loops.len()];
    for piece in pieces(topology) {
        piece.outlines.iter().filter(|one| piece.is_paired(one)).for_each(|one| is_paired[one.number] = true);
    }
    is_paired
}

/// A separate piece of a garment with its outlines, the highest first. Buttonholes are none.
struct Piece<'a> {
    bounds: Aabb,
    /// m2.
    area: f32,
    outlines: Vec<Outline<'a>>,
}

struct Outline<'a> {
    /// Among the garment's boundary loops.
    number: usize,
    particles: &'a [ParticleId],
    places: Vec<Vec3>,
    bounds: Aabb,
    /// Metres.
    length: f32,
}

fn pieces(topology: &Topology) -> Vec<Piece<'_>> {
    let piece = |bounds| Piece { bounds, area: 0.0, outlines: Vec::new() };
    let mut pieces: Vec<Piece<'_>> = topology.component_bounds().into_iter().map(piece).collect();
    for triangle in &topology.triangles {
        let [a, b, c] = triangle.map(|p| topology.positions[p.index()]);
        let piece = topology.component_of_particle[triangle[0].index()];
        pieces[piece as usize].area += (b - a).cross(c - a).length() / 2.0;
    }
    for (number, particles) in topology.boundary_loops.iter().enumerate().filter(|(_, particles)| !particles.is_empty())
    {
        let piece = topology.component_of_particle[particles[0].index()];
        pieces[piece as usize].outlines.push(Outline::of(number, particles, topology));
    }
    for Piece { outlines, area, .. } in &mut pieces {
        let longest = outlines.iter().map(|outline| outline.length).fold(0.0, f32::max);
        outlines.retain(|outline| outline.length >= HOLE * longest && !outline.is_hole(*area));
    }
    pieces
}

impl Piece<'_> {
    /// The highest outline around its middle; its upper edge only, where it is the only one or goes from top to bottom.
    fn top(&self) -> Vec<ParticleId> {
        let Some(top) = self.outlines.iter().find(|one| !self.is_paired(one)).or(self.outlines.first()) else {
            return Vec::new();
        };
        let is_tall = top.bounds.size().y > TALL * self.bounds.size().y;
        if is_tall || self.outlines.len() == 1 { top.upper_edge() } else { top.particles.to_vec() }
    }

    /// Whether it is a small band around the upper part of the `garment`, open in front: wider than high.
    fn is_collar_of(&self, garment: &Piece<'_>) -> bool {
        let size = self.bounds.size();
        let across = Vec2::new(size.x, size.z);
        self.area <= COLLAR * garment.area
            && across.min_element() >= AROUND * across.max_element()
            && size.y <= across.length()
            && self.bounds.min.y >= garment.bounds.centre().y
    }

    /// In which of the ways around its middle a place lies.
    fn way_to(&self, place: Vec3) -> usize {
        let across = place - self.bounds.centre();
        let turn = libm::atan2f(across.x, across.z) / std::f32::consts::TAU + 0.5;
        ((turn * WAYS as f32) as usize).min(WAYS - 1)
    }

    fn is_paired(&self, one: &Outline<'_>) -> bool {
        let is_other = |other: &&Outline<'_>| other.number != one.number;
        self.outlines.len() <= MOST && self.outlines.iter().filter(is_other).any(|other| self.are_pair(one, other))
    }

    /// Whether two outlines are about as long and lie on either side of the middle.
    fn are_pair(&self, one: &Outline<'_>, other: &Outline<'_>) -> bool {
        let flat = |place: Vec3| Vec2::new(place.x, place.z);
        let [here, there] = [one, other].map(|outline| outline.bounds.centre());
        let (across, middle) = (flat(there - here), flat(here.midpoint(there)));
        let distance = across.length();
        let beyond = |place: &Vec3| (flat(*place) - middle).dot(across);
        let off = beyond(&self.bounds.centre()).abs();
        (one.length - other.length).abs() <= ALIKE * one.length.max(other.length)
            && (there.y - here.y).abs() < distance
            && off < OFF_THE_MIDDLE * distance * distance
            && one.places.iter().all(|place| beyond(place) < 0.0)
            && other.places.iter().all(|place| beyond(place) > 0.0)
    }
}

impl<'a> Outline<'a> {
    fn of(number: usize, particles: &'a [ParticleId], topology: &Topology) -> Outline<'a> {
        let places: Vec<Vec3> = particles.iter().map(|p| topology.positions[p.index()]).collect();
        let next = places.iter().cycle().skip(1);
        let length = places.iter().zip(next).map(|(a, b)| a.distance(*b)).sum();
        Outline { number, particles, bounds: Aabb::around(&places), places, length }
    }

    /// Whether it goes around next to nothing of a piece with this `area`.
    fn is_hole(&self, area: f32) -> bool {
        let first = self.place(0);
        let fan = self.places.windows(2).map(|ends| (ends[0] - first).cross(ends[1] - first)).sum::<Vec3>();
        let enclosed = fan.length() / 2.0;
        enclosed < PINHOLE * area && self.length * self.length < area || enclosed < SLIT * area && self.is_narrow()
    }

    /// Whether its other side is close along most of it.
    fn is_narrow(&self) -> bool {
        let mut along = vec![0.0];
        along.extend(self.places.windows(2).scan(0.0, |way, ends| {
            *way += ends[0].distance(ends[1]);
            Some(*way)
        }));
        let is_close = |&i: &usize| {
            let is_other = |j: usize| {
                let way = (along[i] - along[j]).abs();
                way.min(self.length - way) > OTHER_SIDE * self.length
            };
            let near = |j: usize| self.place(i).distance(self.place(j)) < CLOSE * self.length;
            (0..self.places.len()).any(|j| is_other(j) && near(j))
        };
        let looks = || (0..self.places.len()).step_by(self.places.len().div_ceil(LOOKS));
        looks().filter(is_close).count() as f32 > MOSTLY * looks().count() as f32
    }

    /// What lies in the top part of its height, as of a cape, flag or curtain, but for the sides that go down from its corners. All of
    /// it, when the cloth lies about flat.
    ///
    /// ```text
    ///      ___corner______corner___
    ///     /   the upper edge       \   sides: the finer the mesh, the more of their particles lie in the top part
    /// ```
    fn upper_edge(&self) -> Vec<ParticleId> {
        let size = self.bounds.size();
        if size.y < TOP_PART * size.x.max(size.z) {
            return self.particles.to_vec();
        }
        let from = self.bounds.max.y - TOP_PART * size.y;
        let count = self.places.len();
        let is_high = |i: usize| self.places[i % count].y >= from;
        let begins = (0..count).filter(|&i| is_high(i) && !is_high(i + count - 1));
        let ends = begins.map(|first| (first, (first..first + count).take_while(|&i| is_high(i)).count()));
        let turns: Vec<f32> = (0..count).map(|i| self.turn(i)).collect();
        let runs = ends.map(|(first, length)| self.between_sides(first..first + length, &turns));
        runs.flatten().map(|i| self.particles[i % count]).collect()
    }

    /// What is left of a run of its particles without the sides at its ends, counted on beyond the last particle. `turns` are those
    /// of all particles.
    fn between_sides(&self, run: Range<usize>, turns: &[f32]) -> Range<usize> {
        let corners: Vec<usize> = run.clone().filter(|&i| self.is_corner(i, turns)).collect();
        // Of a peak both sides are the upper edge.
        let [first, .., last] = corners[..] else { return run };
        let start = if self.goes_down((run.start..=first).rev()) { first } else { run.start };
        let end = if self.goes_down(last..run.end) { last + 1 } else { run.end };
        start..end
    }

    /// Whether it turns more sharply at a particle than around it.
    fn is_corner(&self, i: usize, turns: &[f32]) -> bool {
        let turn = |i: usize| turns[i % turns.len()];
        let is_near = |j: &usize| self.place(*j).distance(self.place(i)) < ROUNDED * self.length;
        let is_sharpest = |forward: bool| self.from(i, forward).take_while(is_near).all(|j| turn(i) <= turn(j));
        turn(i) < CORNER && is_sharpest(true) && is_sharpest(false)
    }

    /// Cosine of the angle by which it turns at a particle.
    fn turn(&self, i: usize) -> f32 {
        let here = self.place(i);
        let is_far = |j: &usize| self.place(*j).distance(here) >= ROUNDED * self.length;
        let [ahead, behind] = [true, false].map(|forward| {
            let way = || self.from(i, forward);
            way().find(is_far).or_else(|| way().last()).map_or(here, |j| self.place(j))
        });
        (here - behind).normalize_or_zero().dot((ahead - here).normalize_or_zero())
    }

    /// The particles behind or before one, the next first.
    fn from(&self, i: usize, forward: bool) -> impl Iterator<Item = usize> + use<> {
        let count = self.places.len();
        (1..count.min(MOST_AROUND)).map(move |way| if forward { i + way } else { i + count - way })
    }

    /// Whether it goes down steeply along these particles.
    fn goes_down(&self, mut side: impl Iterator<Item = usize>) -> bool {
        let Some(first) = side.next() else { return false };
        let (mut length, mut last) = (0.0, first);
        for next in side {
            length += self.place(last).distance(self.place(next));
            last = next;
        }
        self.place(first).y - self.place(last).y > STEEP * length
    }

    fn place(&self, i: usize) -> Vec3 {
        self.places[i % self.places.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Garment;
    use crate::pins::select;
    use crate::topology;
    use crate::topology::grids::{grid, joined, tube};

    /// A tube and, far below and beside it, a second garment.
    fn beside(first: Garment, second: &Garment) -> Garment {
        joined(first, second, |p| p + Vec3::new(5.0, -3.0, 0.0))
    }

    fn pinned(choice: &str, garment: &Garment) -> Vec<u32> {
        let topology = topology::build(garment).expect("a mesh");
        let found = select(&[choice.parse().expect("a selector")], garment, &topology, None);
        found.expect("pins").into_iter().map(|p| p.0).collect()
    }

    #[test]
    fn the_top_loop_is_that_of_each_piece() {
        let jacket_and_trousers = beside(tube(12, 5), &tube(12, 4));
        let upper: Vec<u32> = (0..12).collect();
        assert_eq!(pinned("loop:top", &jacket_and_trousers), [upper.clone(), (60..72).collect()].concat());
        assert_eq!(pinned("loop:bottom", &jacket_and_trousers), (48..60).chain(96..108).collect::<Vec<_>>());
        assert_eq!(pinned("loop:0", &jacket_and_trousers), upper);
    }

    #[test]
    fn a_buttonhole_above_the_waist_is_no_top_loop() {
        let fine = tube(60, 8);
        // A tab with a hole, 4 particles around each, stands above the waist and is sewn to it by an edge.
        let mut strapped = fine.clone();
        let first = strapped.positions.len() as u32;
        let ring = |radius: f32, up: f32| {
            [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].map(|(x, y)| Vec3::new(1.0, up + y * radius, x * radius))
        };
        strapped.positions.extend(ring(0.03, 0.2).into_iter().chain(ring(0.1, 0.2)));
        (0..4).for_each(|i| strapped.polygons.push(&[i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i].map(|v| first + v)));
        strapped.polygons.push(&[first + 7, first + 6, 1, 0]);
        let holes = topology::build(&strapped).expect("a mesh").boundary_loops.len();
        assert_eq!(holes, 3, "hole, waist with tab, hem");
        let top = pinned("loop:top", &strapped);
        assert!((2..60).all(|v| top.contains(&v)), "the waist is held: {top:?}");
        assert!(!top.contains(&first), "the hole is not");
    }

    #[test]
    fn of_closed_cloth_the_upper_rim_is_the_top_whatever_holes_it_has() {
        let (inner, mut thick) = (tube(120, 8), tube(120, 8));
        let count = inner.positions.len() as u32;
        thick.positions.extend(inner.positions.iter().map(|p| Vec3::new(1.01 * p.x, p.y, 1.01 * p.z)));
        let outside = inner.polygons.iter().map(|quad| quad.iter().rev().map(|v| v + count).collect::<Vec<_>>());
        outside.for_each(|quad| thick.polygons.push(&quad));
        for first in [0, count - 120] {
            let rim = |i: u32| [first + i, first + (i + 1) % 120].map(|v| [v, v + count]);
            (0..120).map(rim).for_each(|[[a, c], [b, d]]| thick.polygons.push(&[a, b, d, c]));
        }
        let upper: Vec<u32> = (0..120).chain(count..count + 120).collect();
        assert_eq!(pinned("loop:top", &thick), upper);
        // A quad of the rim is missing, and of the uppermost quads of the inside a quarter is not sewn to the next.
        let first = thick.positions.len() as u32;
        let mut worn = Garment { polygons: Default::default(), ..thick.clone() };
        worn.positions.extend((121..150).map(|v| thick.positions[v] + 0.01 * Vec3::Y));
        for (i, quad) in thick.polygons.iter().enumerate().filter(|&(i, _)| i != 2 * 7 * 120 + 30) {
            let apart = |v: u32| if i < 120 && (121..150).contains(&v) { first + v - 121 } else { v };
            worn.polygons.push(&quad.iter().copied().map(apart).collect::<Vec<_>>());
        }
        assert_eq!(pinned("loop:0", &worn).len(), 4, "a hole in the rim");
        assert_eq!(pinned("loop:1", &worn).len(), 60, "a slit");
        assert_eq!(pinned("loop:top", &worn), upper);
    }

    #[test]
    fn a_straight_open_vest_whose_fronts_nearly_meet_is_no_slit() {
        // Its neck is as wide as its hem, and a column in front is all but cut out: what it goes around adds up to next to nothing.
        let whole = tube(120, 20);
        let mut vest = Garment { polygons: Default::default(), ..whole.clone() };
        let first = vest.positions.len() as u32;
        vest.positions.extend((0..20).map(|row| whole.positions[row * 120] - 0.01 * Vec3::Z));
        for (i, quad) in whole.polygons.iter().enumerate() {
            let is_armhole = (5..8).contains(&(i / 120)) && [20, 21, 22, 98, 99, 100].contains(&(i % 120));
            let front = |v: u32| if i % 120 == 119 && v.is_multiple_of(120) { first + v / 120 } else { v };
            let quad: Vec<u32> = quad.iter().copied().map(front).collect();
            if !is_armhole {
                vest.polygons.push(&quad);
            }
        }
        let topology = topology::build(&vest).expect("a mesh");
        assert_eq!(topology.boundary_loops.len(), 3, "armholes, and neck, fronts and hem");
        let top = pinned("loop:top", &vest);
        assert!((1..120).all(|v| top.contains(&v)), "{top:?}");
        assert!(top.iter().all(|&v| v < 120 || v >= first), "{top:?}");
    }

    #[test]
    fn of_a_piece_with_one_outline_the_upper_edge_is_the_top() {
        let skirt_and_flag = beside(tube(12, 5), &grid(7, 7));
        assert_eq!(pinned("loop:top", &skirt_and_flag), (0..12).chain(60..67).collect::<Vec<_>>());
    }

    #[test]
    fn a_collar_of_its_own_is_held_all_around() {
        let shirt = tube(24, 12);
        let bounds = Aabb::around(&shirt.positions);
        let strip = grid(20, 3);
        let (width, height) = (bounds.size().x, bounds.size().y);
        let along = Aabb::around(&strip.positions).size();
        let bent = |p: Vec3, up: f32, times: f32| {
            let angle = 5.5 * p.x / along.x;
            let radius = 0.15 * width * times;
            let y = bounds.min.y + up * height + 0.15 * times * height * p.y / along.y;
            Vec3::new(radius * libm::sinf(angle), y, radius * libm::cosf(angle))
        };
        let held = |place: &dyn Fn(Vec3) -> Vec3| {
            let garment = joined(shirt.clone(), &strip, place);
            pinned("loop:top", &garment).into_iter().filter(|&p| p >= 24 * 12).count()
        };
        let rim = 2 * 20 + 2;
        assert_eq!(held(&|p| bent(p, 0.9, 1.0)), rim, "a collar");
        assert!(held(&|p| bent(p, 0.3, 1.0)) < rim, "a ruffle");
        assert!(held(&|p| bent(p, 0.9, 1.0) * Vec3::new(1.0, 1.0, 0.1)) < rim, "an epaulette");
        assert!(held(&|p| bent(p, 0.9, 2.5)) < rim, "a cape");
    }

    #[test]
    fn the_sides_of_fine_cloth_are_no_part_of_its_upper_edge() {
        assert_eq!(pinned("loop:top", &grid(41, 41)), (0..41).collect::<Vec<_>>());
        let mut sagging = grid(41, 41);
        // It sags in the middle.
        sagging.positions.iter_mut().take(41).for_each(|p| p.y -= 0.2 * p.x * (1.0 - p.x));
        assert_eq!(pinned("loop:top", &sagging), (0..41).collect::<Vec<_>>());
    }

    #[test]
    fn both_sides_of_a_peak_are_its_upper_edge() {
        let mut shawl = grid(41, 41);
        shawl.positions.iter_mut().take(41).for_each(|p| p.y += 0.5 - (p.x - 0.5).abs());
        assert_eq!(pinned("loop:top", &shawl), (13..=27).collect::<Vec<_>>());
    }

    /// A tube of 12 x 5 without the quads at these rows and columns, its top row this much lower.
    fn cut(scoop: f32, is_cut: impl Fn(u32, u32) -> bool) -> Garment {
        let whole = tube(12, 5);
        let mut garment = Garment { polygons: Default::default(), ..whole.clone() };
        garment.positions[..12].iter_mut().for_each(|p| p.y -= scoop);
        let kept = (0..).zip(whole.polygons.iter()).filter(|&(i, _)| !is_cut(i / 12, i % 12));
        kept.for_each(|(_, quad)| garment.polygons.push(quad));
        garment
    }

    /// Holes on the left and the right, in the second row.
    fn is_armhole(row: u32, column: u32) -> bool {
        row == 1 && [11, 0, 5, 6].contains(&column)
    }

    #[test]
    fn armholes_above_a_scooped_neck_do_not_hold_a_top() {
        let vest = cut(0.3, is_armhole);
        let topology = topology::build(&vest).expect("a mesh");
        assert_eq!(paired_loops(&topology), [true, true, false, false], "armholes, neck, hem");
        assert_eq!(pinned("loop:top", &vest), (0..12).collect::<Vec<_>>());
        assert_eq!(paired_loops(&topology::build(&tube(12, 5)).expect("a mesh")), [false; 2]);
    }

    #[test]
    fn of_an_open_jacket_the_collar_is_the_top() {
        let jacket = cut(0.0, |row, column| is_armhole(row, column) || column == 2);
        assert_eq!(paired_loops(&topology::build(&jacket).expect("a mesh")), [true, true, false]);
        assert_eq!(pinned("loop:top", &jacket), (0..12).collect::<Vec<_>>());
    }
}
