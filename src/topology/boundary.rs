//! Boundary loops: hems, waistbands, sleeves.
//!
//! ```text
//!        \   |   /          From the open side (a, b) the walk turns around b through the faces of its fan until the next
//!   ------\  |  /------     open side (b, c). So two fans that touch in one particle give two loops, and the winding of
//!     a    \ | /    c       the faces does not matter.
//! ==========>b==========>
//! ```

use super::edges::EdgeFaces;
use super::{ParticleId, count_of};
use crate::geometry::Vec3;
use crate::import::Polygons;

/// All loops, highest first.
pub(super) fn loops(
    positions: &[Vec3],
    polygons: &Polygons,
    edges: &EdgeFaces,
    notices: &mut Vec<String>,
) -> Vec<Vec<ParticleId>> {
    let mut visited = vec![false; edges.len()];
    let mut loops = Vec::new();
    let mut broken = Vec::new();
    for start in 0..edges.len() {
        if visited[start] || !edges.is_boundary(start) {
            continue;
        }
        let (chain, closed) = walk(start, polygons, edges, &mut visited);
        if !closed {
            broken.push(chain[0] as usize);
        }
        loops.push(canonical(chain));
    }
    notices.extend(count_of("boundaries end at an edge with more than two faces, from particles", &broken));
    let height =
        |chain: &[u32]| chain.iter().map(|&p| f64::from(positions[p as usize].y)).sum::<f64>() / chain.len() as f64;
    let mut ranked: Vec<(f64, Vec<u32>)> = loops.into_iter().map(|chain| (height(&chain), chain)).collect();
    ranked.sort_by(|(h, c), (k, d)| k.total_cmp(h).then_with(|| c.cmp(d)));
    ranked.into_iter().map(|(_, chain)| chain.into_iter().map(ParticleId).collect()).collect()
}

/// Follows the boundary from edge `start`: its particles, and whether it came back.
fn walk(start: usize, polygons: &Polygons, edges: &EdgeFaces, visited: &mut [bool]) -> (Vec<u32>, bool) {
    let [first, mut at] = edges.ends(start);
    let mut chain = vec![first];
    let mut edge = start;
    loop {
        visited[edge] = true;
        match next_open_edge(edge, at, polygons, edges) {
            Some(next) if next == start => return (chain, true),
            Some(next) if !visited[next] => {
                chain.push(at);
                let [a, b] = edges.ends(next);
                at = if a == at { b } else { a };
                edge = next;
            }
            _ => {
                chain.push(at);
                return (chain, false);
            }
        }
    }
}

/// The open edge at the other end of the fan of faces around `pivot` that begins with the open edge `edge`.
fn next_open_edge(edge: usize, pivot: u32, polygons: &Polygons, edges: &EdgeFaces) -> Option<usize> {
    let mut side = *edges.sides(edge).first()? as usize;
    // Each face of the fan is crossed once; no fan has more sides than the mesh.
    for _ in 0..polygons.corners.len() {
        let other = other_side_at(side, pivot, polygons, edges);
        let crossed = edges.edge_of(other);
        if edges.is_boundary(crossed) {
            return Some(crossed);
        }
        side = edges.across(other)?;
    }
    None
}

/// The polygon's other side that ends or starts at `pivot`.
fn other_side_at(side: usize, pivot: u32, polygons: &Polygons, edges: &EdgeFaces) -> usize {
    let range = polygons.range(edges.polygon_of(side));
    let (len, i) = (range.len(), side - range.start);
    let starts_at_pivot = polygons.corners[side] == pivot;
    range.start + if starts_at_pivot { (i + len - 1) % len } else { (i + 1) % len }
}

/// The chain from its smallest particle on, towards the smaller of its neighbours.
fn canonical(mut chain: Vec<u32>) -> Vec<u32> {
    let smallest = (0..chain.len()).min_by_key(|&i| chain[i]).unwrap_or(0);
    chain.rotate_left(smallest);
    if chain.len() > 2 && chain[chain.len() - 1] < chain[1] {
        chain[1..].reverse();
    }
    chain
}
