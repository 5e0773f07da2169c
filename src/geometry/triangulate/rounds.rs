//! Ears of polygons with thousands of corners, in time that grows little faster than their number.
//!
//! ```text
//!    2   4   6   8      The ring is gone round: each ear that is met is cut (2, 4, 6, 8), and the corner behind it is left for
//!   / \ / \ / \ / \     the next round, so that no corner collects all triangles. Corners that may lie in an ear are looked up
//!  1   3   5   7   9    in a grid.
//! ```
//!
//! Polygons that cross themselves have rounds without an ear. Then any corner is cut, and no polygon is looked at for long.

use super::{FLAT_EAR, cross, inside, neighbours, shape};

/// Cells and corners that are looked at for each corner of the polygon, at most; then ears are no longer checked.
const LOOKS_A_CORNER: usize = 256;
/// Cells of the grid along each axis, at most.
const MOST_CELLS: usize = 256;

/// Cuts a polygon into triangles of its corners, about one on each corner a round.
pub(super) fn clip_ears(flat: &[[f64; 2]]) -> Vec<[usize; 3]> {
    let mut ring = Ring::new(flat);
    let mut triangles = Vec::with_capacity(flat.len() - 2);
    let (mut at, mut least) = (0, Ear::Whole);
    let mut left = flat.len();
    let mut tried = 0;
    while left > 3 {
        if tried == left {
            (tried, least) = (0, least.lesser());
        }
        if ring.ear(at) < least {
            tried += 1;
            at = ring.after[at];
            continue;
        }
        triangles.push([ring.before[at], at, ring.after[at]]);
        at = ring.cut(at);
        left -= 1;
        (tried, least) = (0, Ear::Whole);
    }
    triangles.push([ring.before[at], at, ring.after[at]]);
    triangles
}

/// How good a corner is to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ear {
    /// It is reflex, or others lie in it.
    No,
    /// It is straight.
    Flat,
    /// It has area, and nothing lies in it; or nobody has looked.
    Whole,
}

impl Ear {
    fn lesser(self) -> Ear {
        if self == Ear::Whole { Ear::Flat } else { Ear::No }
    }
}

/// The corners that are left.
struct Ring<'a> {
    flat: &'a [[f64; 2]],
    before: Vec<usize>,
    after: Vec<usize>,
    /// Corners that may lie in ears: cutting an ear makes none reflex that was none.
    is_reflex: Vec<bool>,
    grid: Grid,
    looks_left: usize,
}

impl<'a> Ring<'a> {
    fn new(flat: &'a [[f64; 2]]) -> Ring<'a> {
        let count = flat.len();
        let (before, after): (Vec<usize>, Vec<usize>) = (0..count).map(|i| neighbours(i, count)).unzip();
        let is_reflex: Vec<bool> = (0..count).map(|i| cross(flat[before[i]], flat[i], flat[after[i]]) <= 0.0).collect();
        let grid = Grid::of(flat, &is_reflex);
        Ring { flat, before, after, is_reflex, grid, looks_left: LOOKS_A_CORNER * count }
    }

    /// Takes a corner out; gives the one from which to go on.
    fn cut(&mut self, corner: usize) -> usize {
        let (before, after) = (self.before[corner], self.after[corner]);
        (self.after[before], self.before[after]) = (after, before);
        self.is_reflex[corner] = false;
        for i in [before, after] {
            let turn = cross(self.flat[self.before[i]], self.flat[i], self.flat[self.after[i]]);
            self.is_reflex[i] &= turn <= 0.0;
        }
        // Along straight sides the next ear is here.
        let onward = self.after[after];
        if self.shape(onward) > FLAT_EAR { onward } else { after }
    }

    fn triangle(&self, corner: usize) -> [[f64; 2]; 3] {
        [self.before[corner], corner, self.after[corner]].map(|i| self.flat[i])
    }

    fn shape(&self, corner: usize) -> f64 {
        shape(self.triangle(corner)).unwrap_or(0.0)
    }

    fn ear(&mut self, corner: usize) -> Ear {
        if self.looks_left == 0 {
            return Ear::Whole;
        }
        self.looks_left -= 1;
        let shape = self.shape(corner);
        if shape > FLAT_EAR && !self.is_blocked(self.triangle(corner)) {
            Ear::Whole
        } else if shape.abs() <= FLAT_EAR {
            Ear::Flat
        } else {
            Ear::No
        }
    }

    /// Whether a reflex corner lies in a triangle.
    fn is_blocked(&mut self, triangle: [[f64; 2]; 3]) -> bool {
        let Ring { flat, is_reflex, grid, looks_left, .. } = self;
        let [a, b, c] = triangle;
        let [columns, rows] = grid.around(triangle);
        for row in rows {
            for cell in columns.clone().map(|column| row * grid.side + column) {
                let corners = &mut grid.corners[cell];
                *looks_left = looks_left.saturating_sub(1 + corners.len());
                corners.retain(|&corner| is_reflex[corner]);
                let mut places = corners.iter().map(|&corner| flat[corner]);
                if places.any(|p| !triangle.contains(&p) && inside(p, a, b, c)) {
                    return true;
                }
                if *looks_left == 0 {
                    return false;
                }
            }
        }
        false
    }
}

/// Reflex corners by where they are.
struct Grid {
    least: [f64; 2],
    /// Cells a unit of length.
    scale: [f64; 2],
    /// Cells along each axis.
    side: usize,
    corners: Vec<Vec<usize>>,
}

impl Grid {
    fn of(flat: &[[f64; 2]], is_reflex: &[bool]) -> Grid {
        let count = is_reflex.iter().filter(|is_reflex| **is_reflex).count();
        let side = count.isqrt().clamp(1, MOST_CELLS);
        let bound = |axis: usize, pick: fn(f64, f64) -> f64| flat.iter().map(|p| p[axis]).fold(flat[0][axis], pick);
        let least = [0, 1].map(|axis| bound(axis, f64::min));
        let scale = [0, 1].map(|axis| side as f64 / (bound(axis, f64::max) - least[axis]));
        let mut grid = Grid { least, scale, side, corners: vec![Vec::new(); side * side] };
        for corner in (0..flat.len()).filter(|&corner| is_reflex[corner]) {
            let [column, row] = [0, 1].map(|axis| grid.cell(flat[corner][axis], axis));
            grid.corners[row * side + column].push(corner);
        }
        grid
    }

    /// Row or column of a coordinate; the first of a grid without size.
    fn cell(&self, coordinate: f64, axis: usize) -> usize {
        (((coordinate - self.least[axis]) * self.scale[axis]) as usize).min(self.side - 1)
    }

    /// Columns and rows that a triangle may be in.
    fn around(&self, triangle: [[f64; 2]; 3]) -> [std::ops::RangeInclusive<usize>; 2] {
        [0, 1].map(|axis| {
            let [a, b, c] = triangle.map(|corner| self.cell(corner[axis], axis));
            a.min(b).min(c)..=a.max(b).max(c)
        })
    }
}
