//! Edges and the faces on both sides of them.

use super::{ParticleId, count_of};
use crate::import::Polygons;

/// Faces of every edge, found by edge number; edges of every polygon side.
#[derive(Debug)]
pub(crate) struct EdgeFaces {
    ends: Vec<[u32; 2]>,
    /// Where each edge's sides start in `sides`; one more entry than edges.
    starts: Vec<u32>,
    /// Sides of polygons, as indices into the corners: the side from that corner to the next of its polygon.
    sides: Vec<u32>,
    /// Edge of each side.
    edge_of_side: Vec<u32>,
    /// Polygon of each side.
    polygon_of_side: Vec<u32>,
}

impl EdgeFaces {
    /// Sorts the sides of all polygons into edges. Sides whose ends are the same particle must not occur.
    pub(crate) fn of(polygons: &Polygons, particles: usize) -> EdgeFaces {
        let mut keys = Vec::with_capacity(polygons.corners.len());
        let mut polygon_of_side = Vec::with_capacity(polygons.corners.len());
        for (index, polygon) in polygons.iter().enumerate() {
            for (i, &a) in polygon.iter().enumerate() {
                let b = polygon[(i + 1) % polygon.len()];
                keys.push([a.min(b), a.max(b)]);
                polygon_of_side.push(index as u32);
            }
        }
        let sides = sort_by_ends(&keys, particles);
        let mut edges = EdgeFaces {
            ends: Vec::with_capacity(keys.len() / 2 + 1),
            starts: vec![0],
            sides,
            edge_of_side: vec![0; keys.len()],
            polygon_of_side,
        };
        for (i, &side) in edges.sides.iter().enumerate() {
            let key = keys[side as usize];
            if edges.ends.last() != Some(&key) {
                edges.ends.push(key);
                edges.starts.push(i as u32);
            }
            let last = edges.ends.len();
            edges.starts[last] = i as u32 + 1;
            edges.edge_of_side[side as usize] = last as u32 - 1;
        }
        edges
    }

    /// Number of edges.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Both ends of an edge, smaller first.
    pub(crate) fn ends(&self, edge: usize) -> [u32; 2] {
        self.ends[edge]
    }

    /// The edge between two particles, if there is one.
    pub(crate) fn between(&self, a: ParticleId, b: ParticleId) -> Option<usize> {
        self.ends.binary_search(&[a.0.min(b.0), a.0.max(b.0)]).ok()
    }

    /// Sides of polygons on the edge, in polygon order.
    pub(crate) fn sides(&self, edge: usize) -> &[u32] {
        &self.sides[self.starts[edge] as usize..self.starts[edge + 1] as usize]
    }

    /// Edge of a side.
    pub(crate) fn edge_of(&self, side: usize) -> usize {
        self.edge_of_side[side] as usize
    }

    /// Polygon of a side.
    pub(crate) fn polygon_of(&self, side: usize) -> usize {
        self.polygon_of_side[side] as usize
    }

    /// The one side across `side`, where the edge has exactly two.
    pub(crate) fn across(&self, side: usize) -> Option<usize> {
        match *self.sides(self.edge_of(side)) {
            [a, b] => Some(if a as usize == side { b as usize } else { a as usize }),
            _ => None,
        }
    }

    /// Whether only one face has this edge.
    pub(crate) fn is_boundary(&self, edge: usize) -> bool {
        self.sides(edge).len() == 1
    }

    /// All edges, smaller particle first, ascending.
    pub(crate) fn edges(&self) -> Vec<[ParticleId; 2]> {
        self.ends.iter().map(|ends| ends.map(ParticleId)).collect()
    }

    pub(super) fn notice_non_manifold(&self, notices: &mut Vec<String>) {
        let edges: Vec<usize> = (0..self.len()).filter(|&e| self.sides(e).len() > 2).collect();
        let places: Vec<usize> = edges.iter().map(|&e| self.ends[e][0] as usize).collect();
        notices.extend(count_of("edges with more than two faces, at particles", &places));
    }
}

/// Indices of `keys` in ascending order, equal keys by index: two counting passes, as fast for a million as it gets.
fn sort_by_ends(keys: &[[u32; 2]], particles: usize) -> Vec<u32> {
    let by_end = |order: Vec<u32>, end: usize| {
        let mut next = vec![0_u32; particles + 1];
        for key in keys {
            next[key[end] as usize + 1] += 1;
        }
        for i in 0..particles {
            next[i + 1] += next[i];
        }
        let mut sorted = vec![0; order.len()];
        for item in order {
            let slot = &mut next[keys[item as usize][end] as usize];
            sorted[*slot as usize] = item;
            *slot += 1;
        }
        sorted
    };
    by_end(by_end((0..keys.len() as u32).collect(), 1), 0)
}
