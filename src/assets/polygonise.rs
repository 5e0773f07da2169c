//! An implicit surface as a triangle mesh: surface nets on a rectilinear grid (Gibson, *Constrained Elastic Surface
//! Nets*, 1998), then vertices are evened out within the surface and projected onto it.
//!
//! ```text
//!    +-----+-----+      each cell that the surface crosses holds one vertex;
//!    |  o--|--o  |      each grid edge that the surface crosses becomes a quad of the four cells around it,
//!    +--/--+-----+      split along its shorter diagonal
//!    | o   | out |
//!    +-----+-----+
//! ```
//!
//! A face of a cell whose corners alternate inside and outside would join four quads in one edge; its outside corner
//! nearest to the surface is counted as inside. With that the mesh is manifold as long as no cell holds two sheets:
//! gaps must be wider than two cells.

use std::collections::BTreeMap;

use super::implicit::Field;
use super::surface::{Surface, neighbours};
use crate::geometry::DVec3;

/// Grid planes along each axis, ascending, metres.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Positions of the planes across x, y and z.
    pub(super) planes: [Vec<f64>; 3],
}

impl Grid {
    /// Planes symmetric to 0 (spacing `spacing(|x|)`) across x, from `low` to `high` across y and z.
    pub(super) fn new(half_width: f64, low: [f64; 2], high: [f64; 2], spacing: impl Fn(usize, f64) -> f64) -> Grid {
        let right = planes(0.0, half_width, |x| spacing(0, x));
        let left = right[1..].iter().rev().map(|x| -x);
        Grid {
            planes: [
                left.chain(right.iter().copied()).collect(),
                planes(low[0], high[0], |y| spacing(1, y)),
                planes(low[1], high[1], |z| spacing(2, z)),
            ],
        }
    }

    fn point(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        DVec3::new(self.planes[0][i], self.planes[1][j], self.planes[2][k])
    }

    fn size(&self) -> [usize; 3] {
        [self.planes[0].len(), self.planes[1].len(), self.planes[2].len()]
    }
}

fn planes(low: f64, high: f64, spacing: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut all = vec![low];
    let mut at = low;
    while at < high {
        at += spacing(at);
        all.push(at);
    }
    all
}

/// The zero set of `field` inside `grid`, every vertex on it.
pub(super) fn polygonise(field: &impl Field, grid: &Grid) -> Surface {
    /// Rounds of evening out; more change nothing the eye sees.
    const ROUNDS: usize = 12;
    let (mut positions, quads) = surface_net(field, grid);
    // Along the sides of the quads only: their diagonals differ from left to right.
    let neighbours = neighbours(positions.len(), &quads);
    for _ in 0..ROUNDS {
        let evened = |v: usize| evened(&positions, &neighbours[v], positions[v]);
        positions = (0..positions.len()).map(|v| field.project(evened(v))).collect();
    }
    let triangles = quads.into_iter().flat_map(|quad| split(&positions, quad)).collect();
    Surface { positions, triangles }
}

/// Halfway to the mean of the neighbours.
fn evened(positions: &[DVec3], neighbours: &[u32], at: DVec3) -> DVec3 {
    let sum: DVec3 = neighbours.iter().map(|&n| positions[n as usize]).sum();
    at.lerp(sum / neighbours.len() as f64, 0.5)
}

fn surface_net(field: &impl Field, grid: &Grid) -> (Vec<DVec3>, Vec<[u32; 4]>) {
    let samples = Samples::of(field, grid);
    let nodes = grid.size().map(|n| n - 1);
    let (mut positions, mut quads) = (Vec::new(), Vec::new());
    let mut vertex_of = BTreeMap::new();
    for cell in cells(nodes) {
        if let Some(vertex) = samples.vertex(grid, cell) {
            vertex_of.insert(cell, positions.len() as u32);
            positions.push(vertex);
        }
    }
    for node in cells(nodes) {
        for axis in 0..3 {
            quads.extend(samples.crossing(node, axis).and_then(|inward| quad(&vertex_of, node, axis, inward)));
        }
    }
    (positions, quads)
}

/// Field values at the grid's nodes.
struct Samples {
    values: Vec<f64>,
    size: [usize; 3],
}

impl Samples {
    fn of(field: &impl Field, grid: &Grid) -> Samples {
        let size = grid.size();
        let mut samples = Samples { values: cells(size).map(|node| field.value(grid.point(node))).collect(), size };
        while samples.untangle() > 0 {}
        samples
    }

    /// Counts one outside corner of every face with alternating corners as inside; returns how many there were.
    fn untangle(&mut self) -> usize {
        let mut tangled = 0;
        for node in cells(self.size.map(|n| n - 1)) {
            for (u, v) in [(1, 2), (2, 0), (0, 1)] {
                let (mut right, mut up, mut far) = (node, node, node);
                right[u] += 1;
                up[v] += 1;
                (far[u], far[v]) = (right[u], up[v]);
                let inside = [node, right, far, up].map(|corner| self.at(corner) < 0.0);
                if inside[0] == inside[2] && inside[1] == inside[3] && inside[0] != inside[1] {
                    let [a, b] = if inside[0] { [right, up] } else { [node, far] };
                    let nearer = self.index(if self.at(a) <= self.at(b) { a } else { b });
                    self.values[nearer] = -f64::EPSILON;
                    tangled += 1;
                }
            }
        }
        tangled
    }

    fn at(&self, node: [usize; 3]) -> f64 {
        self.values[self.index(node)]
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.size[1] + j) * self.size[2] + k
    }

    /// Mean of the crossings of a cell's edges; none when the surface misses the cell.
    fn vertex(&self, grid: &Grid, [i, j, k]: [usize; 3]) -> Option<DVec3> {
        let corner = |bits: usize| [i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2 & 1)];
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for (from, to) in (0..8).flat_map(|from| [1, 2, 4].map(|bit| (from, from | bit))).filter(|(a, b)| a != b) {
            let (a, b) = (self.at(corner(from)), self.at(corner(to)));
            if (a < 0.0) != (b < 0.0) {
                sum += grid.point(corner(from)).lerp(grid.point(corner(to)), a / (a - b));
                count += 1.0;
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// Whether the surface crosses the edge from `node` along `axis`; true when the edge runs inwards.
    fn crossing(&self, node: [usize; 3], axis: usize) -> Option<bool> {
        let mut end = node;
        end[axis] += 1;
        let (a, b) = (self.at(node), self.at(end));
        ((a < 0.0) != (b < 0.0)).then_some(b < 0.0)
    }
}

/// All index triples below `size`, the last index fastest.
fn cells([x, y, z]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..x).flat_map(move |i| (0..y).flat_map(move |j| (0..z).map(move |k| [i, j, k])))
}

/// The vertices of the four cells around a grid edge, counter-clockwise from outside.
fn quad(vertex_of: &BTreeMap<[usize; 3], u32>, node: [usize; 3], axis: usize, inward: bool) -> Option<[u32; 4]> {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let cell = |back_u: usize, back_v: usize| {
        let mut cell = node;
        cell[u] = node[u].checked_sub(back_u)?;
        cell[v] = node[v].checked_sub(back_v)?;
        vertex_of.get(&cell).copied()
    };
    let around = [cell(1, 1)?, cell(0, 1)?, cell(0, 0)?, cell(1, 0)?];
    let [a, b, c, d] = around;
    Some(if inward { [d, c, b, a] } else { around })
}

fn split(positions: &[DVec3], [a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    let squared = |p: u32, q: u32| positions[p as usize].distance_squared(positions[q as usize]);
    if squared(a, c) <= squared(b, d) { [[a, b, c], [a, c, d]] } else { [[b, c, d], [b, d, a]] }
}
