//! A triangle mesh in double precision, as the generators build it.

use crate::geometry::DVec3;

/// Triangles, counter-clockwise seen from outside; metres.
#[derive(Clone, Debug, Default)]
pub(super) struct Surface {
    /// Vertex positions.
    pub(super) positions: Vec<DVec3>,
    /// Corner indices.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Neighbours of each vertex along the mesh edges, ascending.
    pub(super) fn neighbours(&self) -> Vec<Vec<u32>> {
        neighbours(self.positions.len(), &self.triangles)
    }
}

/// Neighbours of each of `vertices` vertices along the sides of `polygons`, ascending.
pub(super) fn neighbours<const N: usize>(vertices: usize, polygons: &[[u32; N]]) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); vertices];
    for polygon in polygons {
        for (corner, &from) in polygon.iter().enumerate() {
            let to = polygon[(corner + 1) % N];
            around[from as usize].push(to);
            around[to as usize].push(from);
        }
    }
    for list in &mut around {
        list.sort_unstable();
        list.dedup();
    }
    around
}
