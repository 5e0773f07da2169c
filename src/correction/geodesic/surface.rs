//! The triangles to march over, unfolded once.

use crate::geometry::DVec3;
use crate::topology::{ParticleId, Topology};

/// Positions and triangles, with the triangles of each particle.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub(super) positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Where each particle's triangles start in `around`; one more entry than particles.
    starts: Vec<u32>,
    around: Vec<u32>,
}

impl Surface {
    pub(super) fn new(topology: &Topology) -> Surface {
        let positions: Vec<DVec3> = topology.positions.iter().map(|p| p.as_dvec3()).collect();
        let triangles = triangles(topology);
        let mut starts = vec![0_u32; positions.len() + 1];
        triangles.iter().flatten().for_each(|&p| starts[p as usize + 1] += 1);
        for i in 0..positions.len() {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut around = vec![0; 3 * triangles.len()];
        for (index, triangle) in triangles.iter().enumerate() {
            for &p in triangle {
                around[next[p as usize] as usize] = index as u32;
                next[p as usize] += 1;
            }
        }
        Surface { positions, triangles, starts, around }
    }

    /// The other two corners of each triangle at a particle.
    pub(super) fn wedges(&self, particle: u32) -> impl Iterator<Item = [u32; 2]> + '_ {
        let range = self.starts[particle as usize] as usize..self.starts[particle as usize + 1] as usize;
        self.around[range].iter().map(move |&t| match self.triangles[t as usize] {
            [p, x, y] | [x, p, y] | [x, y, p] if p == particle => [x, y],
            [_, x, y] => [x, y],
        })
    }

    pub(super) fn distance(&self, a: u32, b: u32) -> f64 {
        self.positions[a as usize].distance(self.positions[b as usize])
    }

    /// Distance of `c` from a root that is `from_a` and `from_b` away from `a` and `b`, if the way crosses a-b.
    pub(super) fn across(&self, [a, b]: [u32; 2], [from_a, from_b]: [f64; 2], c: u32) -> Option<f64> {
        let [pa, pb, pc] = [a, b, c].map(|p| self.positions[p as usize]);
        let base = (pb - pa).length();
        let along = (pb - pa) / base;
        // The root at (x, y), y >= 0, and c at (u, -v), v > 0, both from a along a-b.
        let x = (from_a * from_a - from_b * from_b + base * base) / (2.0 * base);
        let y = (from_a * from_a - x * x).max(0.0).sqrt();
        let u = (pc - pa).dot(along);
        let v = (pc - pa - along * u).length();
        let crossing = x + (u - x) * y / (y + v);
        let distance = ((u - x) * (u - x) + (y + v) * (y + v)).sqrt();
        (y + v > 0.0 && crossing >= 0.0 && crossing <= base).then_some(distance)
    }
}

/// Triangles of all polygons; of quads both ways to cut them.
fn triangles(topology: &Topology) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(2 * topology.triangles.len());
    for (index, polygon) in topology.polygons.iter().enumerate() {
        if let &[a, b, c, d] = polygon {
            triangles.extend([[a, b, c], [a, c, d], [a, b, d], [b, c, d]]);
        } else {
            let first = topology.polygons.starts[index] as usize - 2 * index;
            let own = &topology.triangles[first..first + polygon.len() - 2];
            triangles.extend(own.iter().map(|t| t.map(|ParticleId(p)| p)));
        }
    }
    triangles
}
