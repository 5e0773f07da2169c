//! How the triangles of a body hang together.

use crate::geometry::Vec3;

/// No neighbour across an edge.
pub(super) const NONE: u32 = u32::MAX;

/// For each vertex the smallest vertex with the same coordinates.
pub(super) fn join(positions: &[Vec3]) -> Vec<u32> {
    let key = |&v: &u32| positions[v as usize].to_array().map(|c| (c + 0.0).to_bits());
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|v| (key(v), *v));
    let mut joined = vec![0; positions.len()];
    let mut first = 0;
    for (i, vertex) in order.iter().enumerate() {
        if i == 0 || key(vertex) != key(&first) {
            first = *vertex;
        }
        joined[*vertex as usize] = first;
    }
    joined
}

/// Triangle across each edge. An edge of three or more triangles pairs those that run along it in opposite directions,
/// smallest first; what is left over has no neighbour.
pub(super) fn neighbours(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut edges: Vec<(u32, u32, bool, u32)> = Vec::with_capacity(3 * triangles.len());
    for (index, triangle) in (0..).zip(triangles) {
        for edge in 0..3 {
            let (a, b) = (triangle[edge], triangle[(edge + 1) % 3]);
            edges.push((a.min(b), a.max(b), a < b, 3 * index + edge as u32));
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![[NONE; 3]; triangles.len()];
    for run in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let backward = run.iter().filter(|e| !e.2).map(|e| e.3);
        let forward = run.iter().filter(|e| e.2).map(|e| e.3);
        for (one, other) in forward.zip(backward) {
            neighbours[one as usize / 3][one as usize % 3] = other / 3;
            neighbours[other as usize / 3][other as usize % 3] = one / 3;
        }
    }
    neighbours
}

pub(super) fn triangles_at_corners(vertices: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; vertices + 1];
    for &corner in triangles.iter().flatten() {
        starts[corner as usize + 1] += 1;
    }
    for vertex in 0..vertices {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts.clone();
    let mut at_corners = vec![0; 3 * triangles.len()];
    for (index, triangle) in (0..).zip(triangles) {
        for &corner in triangle {
            at_corners[next[corner as usize] as usize] = index;
            next[corner as usize] += 1;
        }
    }
    (starts, at_corners)
}

/// The shell (connected piece of surface) of each triangle, numbered by first triangle, and their number.
pub(super) fn shells(neighbours: &[[u32; 3]]) -> (Vec<u32>, usize) {
    let mut shells = vec![NONE; neighbours.len()];
    let mut count = 0;
    let mut open = Vec::new();
    for first in 0..neighbours.len() {
        if shells[first] != NONE {
            continue;
        }
        shells[first] = count;
        open.push(first);
        while let Some(triangle) = open.pop() {
            for &next in neighbours[triangle].iter().filter(|&&n| n != NONE) {
                if shells[next as usize] == NONE {
                    shells[next as usize] = count;
                    open.push(next as usize);
                }
            }
        }
        count += 1;
    }
    (shells, count as usize)
}
