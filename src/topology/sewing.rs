//! Open edges that run along each other with a gap between them -> strips of triangles that sew them together.
//!
//! ```text
//!    x-----x-----x-----x   panel           Garments cut from a pattern come as panels that are as far apart at their seams as
//!    |\   / \   /|\   /|   strip           cloth is thick. No edge of one need lie on one of the other, so nothing is welded:
//!    x---x---x---x---x-x   panel           the gap is filled.
//! ```
//!
//! Sewn is what goes on across the gap: rims of the two sides of thick cloth, and hems of two layers, turn back on themselves.
//! A slit is not sewn: its sides run along each other too, but meet at one end and are free at the other. A wide strip that is
//! wrapped to a sleeve is free at both, a hole that is a gap meets at both.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::weld::{GAPING, Gap, largest_side};
use super::{Adjacency, EdgeFaces, ParticleId, faces};
use crate::geometry::{Bvh, DVec3, Vec3, triangulate};
use crate::import::Polygons;

/// Widest gap: 5 mm of a long dress.
const SEWN: Gap = Gap { of_edge: 2.0, of_garment: 0.0035, fold: 0.5 };
/// Least cosine of the angle between edges that run along each other.
const ALONG: f64 = 0.7;
/// Fewest edges of a seam.
const FEWEST: usize = 4;
/// Least length of a seam, as a multiple of its widest gap.
const LONG: f64 = 8.0;
/// Edges of a hole that is filled where it is nearly a line.
const MOST_OF_SLIVER: usize = 8;
/// Open edges that are looked at for each of them, all together: bounds the time on heaps of edges.
const MOST_LOOKS: usize = 128;
/// Open edges on one side of a seam, at most, for each on the other.
const MOST_FINER: usize = 64;
/// Edges along a rim within which nothing is opposite.
const BESIDE: f64 = 4.0;
/// Part of a seam's length by which its ends are apart along the rim where they do not meet.
const APART: f64 = 0.1;

/// What sews the panels of a garment together.
#[derive(Clone, Debug, Default)]
pub struct Seams {
    /// Triangles that fill the gaps.
    pub strips: Vec<[ParticleId; 3]>,
    /// Particles across from each other that are so near that they are to be one.
    pub(super) joins: Vec<[ParticleId; 2]>,
    /// Length of the open edges that are sewn to others, metres.
    pub length: f64,
    /// The widest gap, metres.
    pub widest: f64,
}

impl Seams {
    /// What is sewn, in plain words; none if nothing is.
    pub fn notice(&self) -> Option<String> {
        let Seams { length, widest, .. } = self;
        let gap = widest * 1000.0;
        (*length > 0.0).then(|| {
            format!("open edges that run along each other up to {gap:.1} mm apart are sewn together, {length:.2} m of them; --no-seams leaves them open")
        })
    }

    /// The particles on both sides of the gaps that are next to each other, smaller first, ascending, and the edges along the gaps.
    pub fn across(&self) -> Vec<[ParticleId; 2]> {
        let sides = |&[a, b, c]: &[ParticleId; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
        let mut across: Vec<[ParticleId; 2]> = self.strips.iter().flat_map(sides).collect();
        across.sort_unstable();
        across.dedup();
        across
    }

    /// The same strips over other particles, but for triangles with one that is gone.
    pub(super) fn over(&self, number: impl Fn(ParticleId) -> Option<ParticleId>) -> Seams {
        let strip = |[a, b, c]: &[ParticleId; 3]| Some([number(*a)?, number(*b)?, number(*c)?]);
        let strips = self.strips.iter().filter_map(strip).collect();
        Seams { strips, joins: Vec::new(), ..*self }
    }
}

/// A boundary loop, or an open chain.
struct Rim<'a> {
    particles: &'a [ParticleId],
    is_closed: bool,
    /// Length along it up to each particle, and all of it, metres.
    along: Vec<f64>,
    /// Number of its first edge among those of all rims.
    first: usize,
}

/// An edge of a rim.
struct RimEdge {
    rim: usize,
    ends: [DVec3; 2],
    /// Metres.
    length: f64,
    /// Unit vectors along it, and into its face.
    along: DVec3,
    inward: DVec3,
}

/// What is opposite a particle of a rim.
#[derive(Clone, Copy)]
struct Opposite {
    rim: usize,
    /// Where along that rim, metres.
    at: f64,
    /// Whether both rims run the same way.
    forward: bool,
    gap: f64,
}

/// Particles of a rim one after the other, with what is opposite each, places along that rim not wrapped around.
struct Run {
    rim: usize,
    members: Vec<(usize, Opposite)>,
}

/// The seams of the mesh whose boundaries are `loops`.
pub(super) fn seams(
    positions: &[Vec3],
    polygons: &Polygons,
    edges: &EdgeFaces,
    loops: &[Vec<ParticleId>],
    neighbours: &Adjacency,
) -> Seams {
    Sewer::new(positions, polygons, edges, loops).seams(neighbours)
}

struct Sewer<'a> {
    positions: &'a [Vec3],
    rims: Vec<Rim<'a>>,
    edges: Vec<RimEdge>,
    /// The garment's largest side, metres.
    garment: f64,
}

impl<'a> Sewer<'a> {
    fn new(
        positions: &'a [Vec3],
        polygons: &Polygons,
        edge_faces: &EdgeFaces,
        loops: &'a [Vec<ParticleId>],
    ) -> Sewer<'a> {
        let at = |p: ParticleId| positions[p.index()].as_dvec3();
        let mut edges = Vec::new();
        let mut rims = Vec::new();
        for particles in loops.iter().filter(|particles| particles.len() > 1) {
            let number = rims.len();
            let is_closed = edge_faces
                .between(particles[particles.len() - 1], particles[0])
                .is_some_and(|edge| edge_faces.is_boundary(edge));
            let first = edges.len();
            let mut along = vec![0.0];
            let next = |i: usize| particles[(i + 1) % particles.len()];
            for (i, &a) in particles.iter().enumerate().take(particles.len() - usize::from(!is_closed)) {
                let ends = [a, next(i)].map(at);
                let inward = edge_faces.between(a, next(i)).map_or(DVec3::ZERO, |edge| {
                    let face = polygons.get(edge_faces.polygon_of(edge_faces.sides(edge)[0] as usize));
                    faces::inward([a.0, next(i).0], face, positions).normalize_or_zero()
                });
                let length = ends[0].distance(ends[1]);
                along.push(along[i] + length);
                edges.push(RimEdge {
                    rim: number,
                    ends,
                    length,
                    along: (ends[1] - ends[0]).normalize_or_zero(),
                    inward,
                });
            }
            rims.push(Rim { particles, is_closed, along, first });
        }
        Sewer { positions, rims, edges, garment: largest_side(positions) }
    }

    fn seams(&self, neighbours: &Adjacency) -> Seams {
        let opposite = self.opposite();
        let runs: Vec<Run> = (0..).zip(&opposite).flat_map(|(rim, opposite)| self.runs_of(rim, opposite)).collect();
        let mut is_sewn = vec![false; self.edges.len()];
        let mut seams = Seams::default();
        let mut near = Vec::new();
        for run in runs.iter().filter(|run| self.is_seam(run)) {
            let before = seams.strips.len();
            self.zip(run, &mut is_sewn, &mut seams.strips, &mut near);
            if seams.strips.len() > before {
                seams.widest = run.gap().max(seams.widest);
            }
        }
        let sewn = self.edges.iter().zip(&is_sewn).filter(|(_, is_sewn)| **is_sewn);
        seams.length = sewn.map(|(edge, _)| edge.length).sum();
        self.fill_slivers(&mut is_sewn, &mut seams.strips);
        seams.joins = joins(near, neighbours);
        seams
    }

    /// What is opposite each particle of each rim.
    fn opposite(&self) -> Vec<Vec<Option<Opposite>>> {
        let corners: Vec<Vec3> = self.edges.iter().flat_map(|edge| edge.ends).map(|p| p.as_vec3()).collect();
        let segments: Vec<[u32; 3]> = (0..self.edges.len() as u32).map(|i| [2 * i, 2 * i + 1, 2 * i + 1]).collect();
        let tree = Bvh::build(&corners, &segments);
        let looks_left = Cell::new(MOST_LOOKS * self.edges.len());
        let of = |rim: &Rim<'_>, i: usize| {
            let (point, beside, inward, edge_length) = self.around(rim, i);
            let most = SEWN.beside(edge_length, self.garment);
            let goes_on = |segment: u32| {
                looks_left.set(looks_left.get().saturating_sub(1));
                let edge = &self.edges[segment as usize];
                edge.inward.dot(inward) < SEWN.fold
                    && edge.along.dot(beside).abs() > ALONG
                    && !self.is_beside(rim, i, segment as usize, most.max(edge_length))
            };
            let may_look = looks_left.get() > 0;
            let found =
                may_look.then(|| tree.closest_where(point.as_vec3(), most as f32, &corners, &segments, goes_on));
            let (segment, _, squared) = found.flatten()?;
            let edge = &self.edges[segment as usize];
            let other = &self.rims[edge.rim];
            let on = (point - edge.ends[0]).dot(edge.along).clamp(0.0, edge.length);
            let at = other.along[segment as usize - other.first] + on;
            Some(Opposite { rim: edge.rim, at, forward: edge.along.dot(beside) > 0.0, gap: f64::from(squared).sqrt() })
        };
        self.rims.iter().map(|rim| (0..rim.particles.len()).map(|i| of(rim, i)).collect()).collect()
    }

    /// The place of particle `i` of a rim, unit vectors along the rim and into the surface there, and the mean length of its edges.
    fn around(&self, rim: &Rim<'_>, i: usize) -> (DVec3, DVec3, DVec3, f64) {
        let count = rim.along.len() - 1;
        let before = if i > 0 {
            i - 1
        } else if rim.is_closed {
            count - 1
        } else {
            0
        };
        let [before, after] = [before, i.min(count - 1)].map(|e| &self.edges[rim.first + e]);
        let length = (before.length + after.length) / 2.0;
        let way = (before.along + after.along).normalize_or_zero();
        let inward = (before.inward + after.inward).normalize_or_zero();
        (self.positions[rim.particles[i].index()].as_dvec3(), way, inward, length)
    }

    /// Whether an edge is so near along the same rim that it is not across from particle `i` of it.
    fn is_beside(&self, rim: &Rim<'_>, i: usize, segment: usize, length: f64) -> bool {
        let other = &self.rims[self.edges[segment].rim];
        other.first == rim.first && rim.way(rim.along[i], rim.along[segment - rim.first]) < BESIDE * length
    }

    /// Longest runs of particles of a rim that are opposite one stretch of a rim.
    fn runs_of(&self, number: usize, opposite: &[Option<Opposite>]) -> Vec<Run> {
        let rim = &self.rims[number];
        let count = rim.particles.len();
        let goes_on = |last: &Opposite, next: &Opposite, edge: usize| {
            let step = self.rims[next.rim].step(last.at, next.at);
            let onward = if next.forward { step } else { -step };
            let length = self.edges[rim.first + edge].length;
            let same = last.rim == next.rim && last.forward == next.forward;
            let widest = SEWN.of_garment * self.garment;
            (same && onward > -0.5 * length && onward < 3.0 * length + 2.0 * widest).then_some(step)
        };
        // A closed rim is gone around from where a run begins.
        let begins = |i: usize| {
            let before = (i + count - 1) % count;
            match (opposite[before], opposite[i]) {
                (Some(last), Some(next)) => goes_on(&last, &next, before).is_none(),
                _ => true,
            }
        };
        let start = if rim.is_closed { (0..count).find(|&i| begins(i)) } else { Some(0) };
        let ring = usize::from(start.is_none());
        let mut runs = Vec::new();
        let mut run: Vec<(usize, Opposite)> = Vec::new();
        let mut end = |members: Vec<(usize, Opposite)>| {
            if members.len() > FEWEST {
                runs.push(Run { rim: number, members });
            }
        };
        for i in (0..count + ring).map(|i| (start.unwrap_or(0) + i) % count) {
            let Some(next) = opposite[i] else {
                end(std::mem::take(&mut run));
                continue;
            };
            match run.last() {
                None => run.push((i, next)),
                Some((before, last)) => match goes_on(last, &next, *before) {
                    Some(step) => {
                        let at = last.at + step;
                        run.push((i, Opposite { at, ..next }));
                    }
                    None => {
                        end(std::mem::take(&mut run));
                        run.push((i, next));
                    }
                },
            }
        }
        end(run);
        runs
    }

    /// Length of a run, metres.
    fn length(&self, run: &Run) -> f64 {
        let rim = &self.rims[run.rim];
        run.members[1..].iter().zip(&run.members).map(|(_, (i, _))| self.edges[rim.first + i].length).sum()
    }

    /// Whether a run is long enough, and no slit.
    fn is_seam(&self, run: &Run) -> bool {
        let rim = &self.rims[run.rim];
        let length = self.length(run);
        let (first, last) = (run.members[0], run.members[run.members.len() - 1]);
        if length < LONG * run.gap() {
            return false;
        }
        if first.1.rim != run.rim {
            return true;
        }
        let edge = length / (run.members.len() - 1) as f64;
        let meet = |(i, opposite): (usize, Opposite)| {
            rim.way(rim.along[i], opposite.at) < APART * length + 2.0 * BESIDE * edge
        };
        meet(first) == meet(last)
    }

    /// Gap up to which particles across from each other are one: that of seams whose edges match.
    fn closed_by(&self, edge: usize) -> f64 {
        GAPING.beside(self.edges[edge].length, self.garment)
    }

    /// Fills small holes that are nearly lines, as between an edge and two that lie on it.
    fn fill_slivers(&self, is_sewn: &mut [bool], strips: &mut Vec<[ParticleId; 3]>) {
        for rim in self.rims.iter().filter(|rim| rim.is_closed && rim.particles.len() <= MOST_OF_SLIVER) {
            let edges = rim.first..rim.first + rim.particles.len();
            let longest = self.edges[edges.clone()].iter().max_by(|a, b| a.length.total_cmp(&b.length));
            let Some(longest) = longest else { continue };
            let corners: Vec<Vec3> = rim.particles.iter().map(|p| self.positions[p.index()]).collect();
            let off = |p: &Vec3| (p.as_dvec3() - longest.ends[0]).cross(longest.along).length();
            let width = corners.iter().map(off).fold(0.0, f64::max);
            let is_wide = width > (SEWN.of_garment * self.garment).min(GAPING.of_edge * longest.length);
            if is_wide || is_sewn[edges.clone()].contains(&true) {
                continue;
            }
            is_sewn[edges].fill(true);
            strips.extend(triangulate(&corners).into_iter().map(|t| t.map(|corner| rim.particles[corner])));
        }
    }

    /// Fills the gap of a run, but for edges that are sewn: of both ways on, to the next particle here or there, the shorter one. Notes
    /// particles across from each other that are as `near` as to be one.
    fn zip(
        &self,
        run: &Run,
        is_sewn: &mut [bool],
        strips: &mut Vec<[ParticleId; 3]>,
        near: &mut Vec<(u64, [ParticleId; 2])>,
    ) {
        let (rim, other) = (&self.rims[run.rim], &self.rims[run.members[0].1.rim]);
        let here: Vec<(ParticleId, usize)> =
            run.members.iter().map(|&(i, _)| (rim.particles[i], rim.first + i.min(rim.along.len() - 2))).collect();
        let there = other.stretch(run.members[0].1, run.members[run.members.len() - 1].1, MOST_FINER * here.len());
        let at = |p: ParticleId| self.positions[p.index()].as_dvec3();
        let (mut i, mut j) = (0, 0);
        let mut triangle = |corners: [ParticleId; 3], edge: usize| {
            let [a, b, c] = corners.map(at);
            let has_length = a != b && b != c && c != a;
            if has_length && !std::mem::replace(&mut is_sewn[edge], true) {
                strips.push(corners);
            }
        };
        while i + 1 < here.len() || j + 1 < there.len() {
            let (a, b) = (here[i].0, there[j].0);
            let gap = at(a).distance(at(b));
            if gap <= self.closed_by(here[i].1).min(self.closed_by(there[j].1)) {
                near.push((gap.to_bits(), [a, b]));
            }
            let along_here = i + 1 < here.len()
                && (j + 1 == there.len() || at(here[i + 1].0).distance(at(b)) <= at(a).distance(at(there[j + 1].0)));
            if along_here {
                triangle([here[i + 1].0, a, b], here[i].1);
                i += 1;
            } else {
                triangle([a, b, there[j + 1].0], there[j].1);
                j += 1;
            }
        }
    }
}

/// Of pairs with their gaps the nearest first, each particle once, none that share a face or a neighbour: faces would vanish.
fn joins(mut near: Vec<(u64, [ParticleId; 2])>, neighbours: &Adjacency) -> Vec<[ParticleId; 2]> {
    near.sort_unstable();
    let mut taken = BTreeSet::new();
    let is_free = |&(_, [a, b]): &(u64, [ParticleId; 2])| {
        let is_around = |p: &ParticleId| neighbours.of(a).binary_search(p).is_ok();
        let is_apart = a != b && !is_around(&b) && !neighbours.of(b).iter().any(is_around);
        is_apart && !taken.contains(&a) && !taken.contains(&b) && taken.insert(a) && taken.insert(b)
    };
    near.into_iter().filter(is_free).map(|(_, pair)| pair).collect()
}

impl Run {
    /// The widest gap, metres.
    fn gap(&self) -> f64 {
        self.members.iter().map(|(_, opposite)| opposite.gap).fold(0.0, f64::max)
    }
}

impl Rim<'_> {
    /// Length all along it.
    fn total(&self) -> f64 {
        self.along[self.along.len() - 1]
    }

    /// The shortest way along it from one place to another, against its direction negative.
    fn step(&self, from: f64, to: f64) -> f64 {
        let step = to - from;
        if self.is_closed { step - self.total() * (step / self.total()).round() } else { step }
    }

    /// Length of the shortest way along it.
    fn way(&self, from: f64, to: f64) -> f64 {
        self.step(from, to).abs()
    }

    /// Its particles from opposite one end of a run to the other, at most so many, each with its edge to the next.
    fn stretch(&self, first: Opposite, last: Opposite, most: usize) -> Vec<(ParticleId, usize)> {
        let count = self.along.len() - 1;
        let particles = self.particles.len() as isize;
        // Number of the nearest particle, going on counting around.
        let nearest = |at: f64| {
            let turns = if self.is_closed { (at / self.total()).floor() } else { 0.0 };
            let on = at - turns * self.total();
            let after = self.along.partition_point(|&a| a <= on).clamp(1, count);
            let is_after = self.along[after] - on < on - self.along[after - 1];
            turns as isize * count as isize + after as isize - isize::from(!is_after)
        };
        let (from, to) = (nearest(first.at), nearest(last.at));
        let particle = |i: isize| self.particles[i.rem_euclid(particles) as usize];
        let edge = |i: isize| self.first + i.rem_euclid(count as isize) as usize;
        if first.forward {
            (from..=to.max(from)).take(most).map(|i| (particle(i), edge(i))).collect()
        } else {
            (to.min(from)..=from).rev().take(most).map(|i| (particle(i), edge(i - 1))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::geometry::Vec3;
    use crate::import::{Garment, Polygons};
    use crate::topology::grids::{garment, grid, joined, tube};
    use crate::topology::{Topology, build};

    fn sewn(garment: &Garment) -> Option<Topology> {
        build(garment).expect("a mesh").sewn()
    }

    /// Two sheets of 1 m side by side, so far apart, with so many rows each.
    fn sheets(gap: f32, rows: [u32; 2]) -> Garment {
        let [left, right] = rows.map(|rows| sheet(9, rows));
        joined(left, &right, |p| p + Vec3::X * (1.0 + gap))
    }

    /// A sheet of 1 m.
    fn sheet(columns: u32, rows: u32) -> Garment {
        let mut sheet = grid(columns, rows);
        let height = sheet.positions.last().expect("a particle").y.abs();
        sheet.positions.iter_mut().for_each(|p| p.y /= height);
        sheet
    }

    /// Length of the longest boundary loop.
    fn outline(topology: &Topology) -> usize {
        topology.boundary_loops.iter().map(Vec::len).max().expect("an outline")
    }

    #[test]
    fn panels_whose_edges_run_along_each_other_are_sewn_however_finely_each_is_cut() {
        for rows in [[21, 21], [21, 34], [50, 13]] {
            let both = build(&sheets(0.005, rows)).expect("two sheets");
            assert_eq!(both.component_count, 2, "they are no one piece of the file");
            assert_eq!(
                both.components_with(&[crate::topology::ParticleId(3)]),
                [true; 2],
                "but what holds one holds both"
            );
            let sewn = both.sewn().expect("a seam");
            assert_eq!((sewn.component_count, sewn.boundary_loops.len()), (1, 1), "{rows:?}");
            assert_eq!(outline(&sewn), 2 * 16 + (rows[0] - 1 + rows[1] - 1) as usize + 2);
            assert_eq!(both.seams.strips.len() as u32, rows[0] + rows[1] - 2);
            let area = |t: &Topology| super::super::faces::area(&t.positions, &t.triangles);
            assert!((area(&sewn) - area(&both) - 0.005).abs() < 1e-5, "the strip is the gap");
            assert_eq!((sewn.file_edges.len(), sewn.positions.len()), (both.file_edges.len(), both.positions.len()));
            assert!((both.seams.widest - 0.005).abs() < 1e-5 && (both.seams.length - 2.0).abs() < 1e-5);
        }
    }

    #[test]
    fn a_panel_that_is_wound_the_other_way_is_turned() {
        let mut right = sheet(9, 34);
        for polygon in 0..right.polygons.len() {
            let range = right.polygons.range(polygon);
            right.polygons.corners[range].reverse();
        }
        let sewn = sewn(&joined(sheet(9, 21), &right, |p| p + Vec3::X * 1.005)).expect("a seam");
        let normal = |t: &[crate::topology::ParticleId; 3]| {
            let [a, b, c] = t.map(|p| sewn.positions[p.index()]);
            (b - a).cross(c - a).z
        };
        assert!(
            sewn.triangles.iter().map(normal).all(|z| z > 0.0) || sewn.triangles.iter().map(normal).all(|z| z < 0.0)
        );
    }

    #[test]
    fn what_is_far_apart_or_turns_back_on_itself_is_not_sewn() {
        assert!(sewn(&sheets(0.02, [21, 34])).is_none(), "too wide a gap");
        let layers = joined(sheet(9, 21), &sheet(9, 34), |p| p + Vec3::Z * 0.003);
        assert!(sewn(&layers).is_none(), "hems of layers");
    }

    /// A sheet of 21 x 21 particles in which those `rows` of the middle column are two particles each, 3 mm apart.
    fn cut(rows: std::ops::Range<u32>) -> Garment {
        let sheet = sheet(21, 21);
        let middle = |row: u32| row * 21 + 10;
        let mut polygons = Polygons::default();
        for (index, polygon) in sheet.polygons.iter().enumerate() {
            let copy = |v: u32| rows.clone().position(|row| v == middle(row)).map_or(v, |number| 441 + number as u32);
            let is_right = index % 20 >= 10;
            polygons.push(&polygon.iter().map(|&v| if is_right { copy(v) } else { v }).collect::<Vec<_>>());
        }
        let copies = rows.map(|row| sheet.positions[middle(row) as usize] + Vec3::X * 0.003);
        garment(sheet.positions.iter().copied().chain(copies).collect(), polygons)
    }

    #[test]
    fn a_slit_stays_open_and_a_gap_within_the_cloth_does_not() {
        let slit = build(&cut(9..21)).expect("a sheet");
        assert_eq!((slit.boundary_loops.len(), outline(&slit)), (1, 104));
        assert!(slit.sewn().is_none(), "both sides of it meet at its upper end");
        let gap = build(&cut(4..17)).expect("a sheet");
        assert_eq!((gap.boundary_loops.len(), gap.boundary_loops[0].len().min(gap.boundary_loops[1].len())), (2, 28));
        let sewn = gap.sewn().expect("a seam");
        assert!(sewn.boundary_loops.iter().all(|l| l.len() == 80 || l.len() < 12), "{:?}", sewn.boundary_loops);
    }

    #[test]
    fn a_panel_that_is_wrapped_to_a_sleeve_is_closed() {
        let mut sleeve = tube(24, 12);
        // The faces from the last column back to the first go to a column of their own, 3 mm before it.
        let count = sleeve.positions.len() as u32;
        let mut polygons = Polygons::default();
        for (index, polygon) in sleeve.polygons.iter().enumerate() {
            let last = index % 24 == 23;
            polygons.push(
                &polygon.iter().map(|&v| if last && v % 24 == 0 { count + v / 24 } else { v }).collect::<Vec<_>>(),
            );
        }
        let open: Vec<Vec3> = (0..12).map(|row| sleeve.positions[24 * row] - Vec3::Z * 0.003).collect();
        sleeve.positions.extend(open);
        let sleeve = build(&garment(sleeve.positions, polygons)).expect("a sleeve");
        assert_eq!(sleeve.boundary_loops.len(), 1, "one outline all around");
        let sewn = sleeve.sewn().expect("a seam");
        assert_eq!((sewn.boundary_loops.len(), sewn.component_count), (2, 1), "a cuff and an armhole");
    }

    #[test]
    fn edges_of_which_one_is_cut_finer_at_the_same_place_become_one() {
        let both = build(&sheets(0.0, [21, 41])).expect("two sheets");
        assert_eq!(both.positions.len(), 9 * 21 + 9 * 41 - 21, "particles at the same place are one");
        let sewn = both.sewn().expect("strips without area between the others");
        assert_eq!((sewn.component_count, sewn.boundary_loops.len()), (1, 1));
    }
}
