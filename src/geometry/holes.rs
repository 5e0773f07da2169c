//! Holes of a triangle mesh, and lids on them.
//!
//! ```text
//!    \\  |  /        a rim goes round a hole in the sense of the triangles beside it; a lid goes round the other way
//!   --o->-o--
//!     ^ lid |        and is cut into triangles between the vertices that are there
//!   --o-<-o--
//! ```

use super::{Vec3, joined_triangles, triangulate};

/// An edge between the smaller and the larger vertex, whether the triangle runs along it in that sense, and the triangle.
pub(super) type Side = ([u32; 2], bool, u32);

/// Lids on all holes of a mesh whose rim is no longer than `longest` metres, facing as the triangles around them do. Vertices in the
/// same place are one.
pub fn lids(positions: &[Vec3], triangles: &[[u32; 3]], longest: f32) -> Vec<[u32; 3]> {
    let rims = holes(&joined_triangles(positions, triangles));
    let lid = |rim: &Vec<[u32; 2]>| {
        let backwards: Vec<u32> = rim.iter().rev().map(|edge| edge[1]).collect();
        let at: Vec<Vec3> = backwards.iter().map(|&v| positions[v as usize]).collect();
        triangulate(&at).into_iter().map(|t| t.map(|corner| backwards[corner])).collect::<Vec<_>>()
    };
    let is_short = |rim: &&Vec<[u32; 2]>| {
        let length: f32 = rim.iter().map(|[a, b]| positions[*a as usize].distance(positions[*b as usize])).sum();
        let is_closed = rim.first().zip(rim.last()).is_some_and(|(first, last)| first[0] == last[1]);
        is_closed && length <= longest
    };
    rims.iter().filter(is_short).flat_map(lid).collect()
}

/// All sides of all triangles, those of an edge next to each other.
pub(super) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::with_capacity(3 * triangles.len());
    for (index, &[a, b, c]) in (0..).zip(triangles) {
        let edges = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to);
        sides.extend(edges.map(|(from, to)| ([from.min(to), from.max(to)], from < to, index)));
    }
    sides.sort_unstable();
    sides
}

/// Edges with a triangle on one side only, in its sense, hole by hole.
pub(super) fn holes(triangles: &[[u32; 3]]) -> Vec<Vec<[u32; 2]>> {
    let sides = sides(triangles);
    let open = sides.chunk_by(|a, b| a.0 == b.0).filter(|edge| edge.len() == 1).map(|edge| edge[0]);
    let mut edges: Vec<[u32; 2]> =
        open.map(|([low, high], rises, _)| if rises { [low, high] } else { [high, low] }).collect();
    edges.sort_unstable();
    let mut is_used = vec![false; edges.len()];
    let mut holes = Vec::new();
    for first in 0..edges.len() {
        let mut hole = Vec::new();
        let mut next = Some(first).filter(|&e| !is_used[e]);
        while let Some(edge) = next {
            is_used[edge] = true;
            hole.push(edges[edge]);
            let from = edges.partition_point(|e| e[0] < edges[edge][1]);
            next = (from..edges.len()).take_while(|&e| edges[e][0] == edges[edge][1]).find(|&e| !is_used[e]);
        }
        if !hole.is_empty() {
            holes.push(hole);
        }
    }
    holes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::DVec3;

    #[test]
    fn a_lid_makes_a_closed_surface_of_an_open_one() {
        let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32);
        let positions: Vec<Vec3> = (0..8).map(corner).collect();
        // A cube without the side at z = 1, wound outward.
        let open = [
            [0, 2, 3],
            [0, 3, 1],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ];
        let lid = lids(&positions, &open, 4.1);
        assert_eq!(lid.len(), 2);
        let whole = [&open[..], &lid].concat();
        assert!(holes(&whole).is_empty());
        let at = |v: u32| positions[v as usize].as_dvec3();
        let volume: f64 = whole.iter().map(|t| at(t[0]).dot(DVec3::cross(at(t[1]), at(t[2]))) / 6.0).sum();
        assert!((volume - 1.0).abs() < 1e-6, "{volume}");
        assert!(lids(&positions, &open, 3.9).is_empty());
        assert!(lids(&positions, &whole, 9.0).is_empty());
    }
}
