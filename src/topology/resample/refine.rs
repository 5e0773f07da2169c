//! Finer cloth: every edge in equal pieces.
//!
//! ```text
//!     c3 ---- c2          c2             grids over quads and triangles; larger and concave faces are cut into
//!     |  |  |  |          | \            triangles first; what lies on an edge belongs to both of its faces
//!     |--+--+--|          |--\
//!     |  |  |  |          |--+-\
//!     c0 ---- c1          c0 --- c1
//! ```

use super::{MOST_PARTICLES, Place, Resampled, TooManyParticles};
use crate::geometry::Vec3;
use crate::import::Polygons;
use crate::topology::{EdgeFaces, ParticleId, Topology};

/// `topology` with every edge in so many `pieces`, at least 2.
///
/// # Errors
/// More particles than [`MOST_PARTICLES`].
pub(super) fn refined(topology: &Topology, pieces: usize) -> Result<Resampled, TooManyParticles> {
    let cells = cells(topology);
    let edges = EdgeFaces::of(&cells, topology.positions.len());
    let inside = |corners: usize| if corners == 4 { (pieces - 1).pow(2) } else { (pieces - 1) * (pieces - 2) / 2 };
    let inner: usize = cells.iter().map(|cell| inside(cell.len())).fold(0, usize::saturating_add);
    let particles = topology.positions.len() + edges.len().saturating_mul(pieces - 1).saturating_add(inner);
    if particles > MOST_PARTICLES {
        return Err(TooManyParticles { particles });
    }
    let mut grid = Grid::new(topology, &edges, pieces);
    for (index, cell) in cells.iter().enumerate() {
        let sides: Vec<usize> = cells.range(index).map(|side| edges.edge_of(side)).collect();
        match *cell {
            [a, b, c, d] => grid.fill_quad([a, b, c, d], &sides),
            [a, b, c] => grid.fill_triangle([a, b, c], &sides),
            _ => {}
        }
    }
    Ok(grid.finish(topology))
}

/// The faces, larger and concave ones as their triangles.
fn cells(topology: &Topology) -> Polygons {
    let mut cells = Polygons::default();
    for (index, polygon) in topology.polygons.iter().enumerate() {
        let corners: Vec<Vec3> = polygon.iter().map(|&p| topology.positions[p as usize]).collect();
        if polygon.len() == 4 && is_convex(&corners) {
            cells.push(polygon);
        } else {
            topology.triangles_of(index).iter().for_each(|t| cells.push(&t.map(|p| p.0)));
        }
    }
    cells
}

fn is_convex(corners: &[Vec3]) -> bool {
    let n = corners.len();
    let turn = |i: usize| (corners[(i + 1) % n] - corners[i]).cross(corners[(i + 2) % n] - corners[(i + 1) % n]);
    let up: Vec3 = (0..n).map(turn).sum();
    (0..n).all(|i| turn(i).dot(up) > 0.0)
}

/// A mesh as it becomes finer.
struct Grid<'a> {
    edges: &'a EdgeFaces,
    pieces: usize,
    between: Vec<Vec<(ParticleId, f32)>>,
    polygons: Polygons,
    /// Number of the first particle inside the first edge.
    first_on_edge: usize,
}

impl<'a> Grid<'a> {
    /// The corners and what lies on edges.
    fn new(topology: &Topology, edges: &'a EdgeFaces, pieces: usize) -> Self {
        let corners = topology.positions.len();
        let mut between: Vec<Vec<(ParticleId, f32)>> =
            (0..corners as u32).map(|p| vec![(ParticleId(p), 1.0)]).collect();
        for edge in 0..edges.len() {
            let [a, b] = edges.ends(edge).map(ParticleId);
            between.extend((1..pieces).map(|step| {
                let part = step as f32 / pieces as f32;
                vec![(a, 1.0 - part), (b, part)]
            }));
        }
        Grid { edges, pieces, between, polygons: Polygons::default(), first_on_edge: corners }
    }

    /// The particle on an edge, so many pieces from its end `from`.
    fn on_edge(&self, edge: usize, from: u32, step: usize) -> u32 {
        let [a, b] = self.edges.ends(edge);
        let step = if from == a { step } else { self.pieces - step };
        match step {
            0 => a,
            s if s == self.pieces => b,
            s => (self.first_on_edge + edge * (self.pieces - 1) + s - 1) as u32,
        }
    }

    fn add(&mut self, between: Vec<(ParticleId, f32)>) -> u32 {
        self.between.push(between);
        self.between.len() as u32 - 1
    }

    fn fill_quad(&mut self, corners: [u32; 4], sides: &[usize]) {
        let [a, b, _, d] = corners;
        let k = self.pieces;
        let mut points = vec![0; (k + 1) * (k + 1)];
        for (row, column) in (0..=k).flat_map(|row| (0..=k).map(move |column| (row, column))) {
            points[row * (k + 1) + column] = match (row, column) {
                (0, step) => self.on_edge(sides[0], a, step),
                (r, step) if r == k => self.on_edge(sides[2], d, step),
                (step, 0) => self.on_edge(sides[3], a, step),
                (step, c) if c == k => self.on_edge(sides[1], b, step),
                _ => {
                    let [v, u] = [row, column].map(|step| step as f32 / k as f32);
                    let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
                    self.add(corners.map(ParticleId).into_iter().zip(weights).collect())
                }
            };
        }
        for (row, column) in (0..k).flat_map(|row| (0..k).map(move |column| (row, column))) {
            let first = row * (k + 1) + column;
            self.polygons.push(&[first, first + 1, first + k + 2, first + k + 1].map(|i| points[i]));
        }
    }

    fn fill_triangle(&mut self, corners: [u32; 3], sides: &[usize]) {
        let [a, b, _] = corners;
        let k = self.pieces;
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(k + 1);
        for row in 0..=k {
            let point = |grid: &mut Self, column: usize| match (row, column) {
                (0, step) => grid.on_edge(sides[0], a, step),
                (step, 0) => grid.on_edge(sides[2], a, step),
                (step, c) if step + c == k => grid.on_edge(sides[1], b, step),
                _ => {
                    let [v, u] = [row, column].map(|step| step as f32 / k as f32);
                    grid.add(corners.map(ParticleId).into_iter().zip([1.0 - u - v, u, v]).collect())
                }
            };
            let points = (0..=k - row).map(|column| point(self, column)).collect();
            rows.push(points);
        }
        for pair in rows.windows(2) {
            let (lower, upper) = (&pair[0], &pair[1]);
            for i in 0..upper.len() {
                self.polygons.push(&[lower[i], lower[i + 1], upper[i]]);
                if i + 1 < upper.len() {
                    self.polygons.push(&[lower[i + 1], upper[i + 1], upper[i]]);
                }
            }
        }
    }

    fn finish(self, topology: &Topology) -> Resampled {
        let place = |between: &Vec<(ParticleId, f32)>| match between[..] {
            [(only, _)] => topology.positions[only.index()],
            _ => between.iter().map(|(p, weight)| topology.positions[p.index()] * *weight).sum(),
        };
        let positions = self.between.iter().map(place).collect();
        Resampled {
            topology: Topology::of_mesh(positions, self.polygons),
            places: (0..self.first_on_edge as u32).map(|p| Place::Particle(ParticleId(p))).collect(),
            between: self.between,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    fn area(topology: &Topology) -> f32 {
        let area = |t: &[ParticleId; 3]| {
            let [a, b, c] = t.map(|p| topology.positions[p.index()]);
            (b - a).cross(c - a).length() / 2.0
        };
        topology.triangles.iter().map(area).sum()
    }

    #[test]
    fn quads_become_quads_of_the_same_surface() {
        let coarse = build(&grids::grid(4, 3)).expect("a grid");
        let fine = refined(&coarse, 3).expect("few particles");
        assert_eq!(fine.topology.positions.len(), 10 * 7);
        assert_eq!(fine.topology.polygons.len(), 6 * 9);
        assert!(fine.topology.polygons.iter().all(|polygon| polygon.len() == 4));
        assert_eq!(fine.topology.boundary_loops.len(), 1);
        assert!((area(&fine.topology) - area(&coarse)).abs() < 1e-5);
        assert_eq!(fine.topology.positions[..12], coarse.positions[..]);
    }

    #[test]
    fn triangles_are_cut_evenly_and_share_their_edges() {
        let mut two = grids::grid(2, 2);
        two.polygons = Polygons::default();
        // A kite, so that the triangles are no quad.
        two.positions[3] = two.positions[0] - (two.positions[1] + two.positions[2]) * -2.0;
        two.polygons.push(&[0, 1, 2]);
        two.polygons.push(&[1, 3, 2]);
        let coarse = Topology::of_mesh(two.positions.clone(), two.polygons);
        let fine = refined(&coarse, 4).expect("few particles").topology;
        assert_eq!(fine.triangles.len(), 2 * 16);
        // Each triangle has 15 points, five of them on the shared edge.
        assert_eq!(fine.positions.len(), 25);
        assert_eq!((fine.component_count, fine.boundary_loops.len(), fine.loose.len()), (1, 1, 0));
        assert!((area(&fine) - area(&coarse)).abs() < 1e-5);
    }

    #[test]
    fn silly_numbers_are_refused_before_they_take_memory() {
        let coarse = build(&grids::grid(4, 3)).expect("a grid");
        assert!(refined(&coarse, 1_000_000).is_err());
    }
}
