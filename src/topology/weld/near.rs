//! Open edges that nearly lie on each other: first those of a badly rounded file, then those across which the surface goes on.
//!
//! Each open edge is put into a grid by its middle. Edges that match differ in length by at most twice the gap, so there is a
//! grid for every power of two of the length, with cells of a few gaps.

use super::{EdgeSide, Side, goes_on, inward, join_ends, open_sides};
use crate::geometry::{Aabb, DVec3, Vec3};
use crate::import::Polygons;
use crate::topology::components::DisjointSets;

/// Edges of one cell that are compared with each other: bounds the time on absurd heaps of edges.
const MAX_CELL: usize = 16;

/// How wide a seam may gape to be closed.
#[derive(Clone, Copy, Debug)]
pub(in crate::topology) struct Gap {
    /// Fraction of the shorter edge.
    pub(in crate::topology) of_edge: f64,
    /// Fraction of the garment's largest side.
    pub(in crate::topology) of_garment: f64,
    /// Greatest cosine of the angle between the two faces: what turns back on itself is the rim of thick cloth.
    pub(in crate::topology) fold: f64,
}

impl Gap {
    /// Its width beside an edge of so many metres, the garment's largest side being `garment` metres.
    pub(in crate::topology) fn beside(&self, edge: f64, garment: f64) -> f64 {
        (self.of_edge * edge).min(self.of_garment * garment)
    }
}

/// Closes seams whose edges lie within the gap, unless that would weld two vertices of one face. `all` are the sides as joined so
/// far. Whether any was closed.
pub(super) fn join_near_seams(
    sets: &mut DisjointSets,
    all: &[EdgeSide],
    positions: &[Vec3],
    polygons: &Polygons,
    gap: Gap,
) -> bool {
    let open = open_sides(all);
    let matches = matches(&open, positions, polygons, gap);
    if matches.is_empty() {
        return false;
    }
    let before: Vec<u32> = (0..positions.len() as u32).map(|v| sets.root(v)).collect();
    let joined = |kept: &dyn Fn(&Side) -> bool| {
        let mut sets = DisjointSets::new(positions.len());
        before.iter().enumerate().for_each(|(v, &root)| sets.join(v as u32, root));
        for &(s, t, forward) in matches.iter().filter(|(s, _, _)| kept(&open[*s])) {
            join_ends(&mut sets, &open[s], &open[t], forward);
        }
        sets
    };
    let mut trial = joined(&|_| true);
    let roots: Vec<u32> = (0..positions.len() as u32).map(|v| trial.root(v)).collect();
    let mut folded = vec![false; positions.len()];
    for polygon in polygons.iter() {
        let mut corners: Vec<(u32, u32)> = polygon.iter().map(|&v| (roots[v as usize], before[v as usize])).collect();
        corners.sort_unstable();
        let pairs = corners.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
        pairs.for_each(|pair| folded[pair[0].0 as usize] = true);
    }
    *sets = joined(&|side: &Side| side.ends.iter().all(|&v| !folded[roots[v as usize] as usize]));
    true
}

/// Pairs of open sides (indices into `open`) within the gap, and whether they run the same way.
fn matches(open: &[Side], positions: &[Vec3], polygons: &Polygons, gap: Gap) -> Vec<(usize, usize, bool)> {
    let garment = largest_side(positions);
    let segments: Vec<Segment> = open.iter().map(|side| Segment::new(side, positions, gap, garment)).collect();
    let mut cells: Vec<(u64, u32)> =
        segments.iter().enumerate().map(|(i, s)| (s.cell(s.octave(s.length), s.middle), i as u32)).collect();
    cells.sort_unstable();
    let mut found = Vec::new();
    for (i, segment) in segments.iter().enumerate() {
        for cell in segment.cells_around() {
            let start = cells.partition_point(|c| c.0 < cell);
            let others = cells[start..].iter().take(MAX_CELL).take_while(|c| c.0 == cell).map(|c| c.1 as usize);
            for j in others.filter(|&j| j > i) {
                let (s, t) = (&open[i], &open[j]);
                if let Some(forward) = segment.lies_on(&segments[j])
                    && goes_on(s, t, forward, positions, polygons)
                    && fold(s, t, positions, polygons) < gap.fold
                {
                    found.push((i, j, forward));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Cosine of the angle between the faces of two sides: -1 where the surface goes straight on.
fn fold(s: &Side, t: &Side, positions: &[Vec3], polygons: &Polygons) -> f64 {
    let [into, onto] = [s, t].map(|side| inward(side, positions, polygons).normalize_or_zero());
    into.dot(onto)
}

/// The largest side of the box around the positions.
pub(in crate::topology) fn largest_side(positions: &[Vec3]) -> f64 {
    Aabb::around(positions).size().max_element().max(0.0).into()
}

struct Segment {
    ends: [DVec3; 2],
    middle: DVec3,
    length: f64,
    /// Widest gap to what matches.
    tolerance: f64,
    /// Side of a grid's cells, as a fraction of the edge.
    cell: f64,
}

impl Segment {
    fn new(side: &Side, positions: &[Vec3], gap: Gap, garment: f64) -> Segment {
        let ends = side.ends.map(|v| positions[v as usize].as_dvec3());
        let length = ends[0].distance(ends[1]);
        let tolerance = gap.beside(length, garment);
        Segment { ends, middle: (ends[0] + ends[1]) / 2.0, length, tolerance, cell: 4.0 * gap.of_edge }
    }

    /// Whether the segments match, and if so whether they run the same way.
    fn lies_on(&self, other: &Segment) -> Option<bool> {
        let tolerance = self.tolerance.min(other.tolerance);
        let ([a, b], [c, d]) = (self.ends, other.ends);
        let within = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| p.distance(q) <= tolerance && r.distance(s) <= tolerance;
        if within(a, c, b, d) { Some(true) } else { within(a, d, b, c).then_some(false) }
    }

    /// Power of two of a length.
    fn octave(&self, length: f64) -> u64 {
        length.to_bits() >> 52
    }

    /// Key of the grid cell around `point` in the grid of an octave. Different cells may share a key; matches are checked.
    fn cell(&self, octave: u64, point: DVec3) -> u64 {
        let size = self.cell * f64::from_bits(octave << 52);
        let coordinates = (point / size).floor().to_array().map(|c| c as i64 as u64);
        coordinates.iter().fold(octave, |key, c| (key ^ c).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
    }

    /// Keys of all cells that may hold a match.
    fn cells_around(&self) -> Vec<u64> {
        let reach = self.tolerance;
        let mut octaves = [self.octave(self.length - 2.0 * reach), self.octave(self.length + 2.0 * reach)].to_vec();
        octaves.dedup();
        let mut keys = Vec::new();
        for octave in octaves {
            for corner in 0..27 {
                let step = DVec3::new(f64::from(corner % 3), f64::from(corner / 3 % 3), f64::from(corner / 9));
                keys.push(self.cell(octave, self.middle + (step - DVec3::ONE) * reach));
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}
