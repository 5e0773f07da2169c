//! The shells of a body: which are modelled inside out, and which are open.

use std::collections::BTreeMap;

use super::lids::Lids;
use crate::geometry::{Vec3, connect};

/// A body's shells as found in one pose.
pub(super) struct Shells {
    /// The triangles, those of each closed shell of negative volume turned round, so that every closed shell winds around its
    /// inside once. Open shells have no inside and stay.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Lids on the open ones.
    lids: Lids,
    /// Pairs of vertices in one place: shells hang together by them.
    joined: Vec<[u32; 2]>,
}

impl Shells {
    /// The shells of `triangles`. Vertices in the same place (UV seams) are one.
    pub(super) fn find(triangles: &[[u32; 3]], positions: &[Vec3]) -> Shells {
        let places = places(triangles, positions);
        let welded = weld(triangles, &places);
        let shell_of = connect(welded.iter().copied(), positions.len());
        let mut volumes: BTreeMap<u32, f64> = BTreeMap::new();
        for triangle in &welded {
            let [p, q, r] = triangle.map(|v| positions[v as usize].as_dvec3());
            *volumes.entry(shell_of[triangle[0] as usize]).or_default() += p.dot(q.cross(r));
        }
        let open = open_edges(&welded);
        for [vertex, _] in &open {
            volumes.insert(shell_of[*vertex as usize], 0.0);
        }
        let is_inside_out = |t: &[u32; 3]| volumes[&shell_of[t[0] as usize]] < 0.0;
        let turned =
            |(&[a, b, c], welded): (&[u32; 3], &[u32; 3])| if is_inside_out(welded) { [a, c, b] } else { [a, b, c] };
        Shells {
            triangles: triangles.iter().zip(&welded).map(turned).collect(),
            lids: Lids::on(&open, positions),
            joined: (0..).zip(&places).filter(|&(v, &place)| v != place).map(|(v, &place)| [place, v]).collect(),
        }
    }

    /// Lids on all holes in another pose, whose apexes are put behind its vertices. A pose may pull vertices apart that were in
    /// one place, and so open holes.
    pub(super) fn lids_in(&self, positions: &mut Vec<Vec3>) -> Lids {
        let mut lids = if self.joined.iter().all(|&[a, b]| positions[a as usize] == positions[b as usize]) {
            self.lids.clone()
        } else {
            Lids::on(&open_edges(&weld(&self.triangles, &places(&self.triangles, positions))), positions)
        };
        lids.fit(positions);
        lids
    }
}

/// Edges that are passed oftener in one direction than in the other, in that direction and as many times. A closed,
/// consistently wound shell has none.
fn open_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut sides: Vec<([u32; 2], i32)> = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in triangles {
        let edges = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to);
        sides.extend(edges.map(|(from, to)| if from < to { ([from, to], 1) } else { ([to, from], -1) }));
    }
    sides.sort_unstable();
    let excess = |edge: &[([u32; 2], i32)]| {
        let ([low, high], sum) = (edge[0].0, edge.iter().map(|side| side.1).sum::<i32>());
        std::iter::repeat_n(if sum > 0 { [low, high] } else { [high, low] }, sum.unsigned_abs() as usize)
    };
    sides.chunk_by(|a, b| a.0 == b.0).flat_map(excess).collect()
}

fn weld(triangles: &[[u32; 3]], places: &[u32]) -> Vec<[u32; 3]> {
    triangles.iter().map(|t| t.map(|v| places[v as usize])).collect()
}

/// Of each used vertex the smallest with the same bits (UV seams); an unused one stands for itself.
fn places(triangles: &[[u32; 3]], positions: &[Vec3]) -> Vec<u32> {
    // Adding zero turns -0 into 0.
    let bits = |v: u32| (positions[v as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut used = vec![false; positions.len()];
    triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    let mut in_order: Vec<_> = (0..).zip(&used).filter(|(_, used)| **used).map(|(v, _)| (bits(v), v)).collect();
    in_order.sort_unstable();
    let mut places: Vec<u32> = (0..positions.len() as u32).collect();
    for place in in_order.chunk_by(|a, b| a.0 == b.0) {
        place.iter().for_each(|&(_, v)| places[v as usize] = place[0].1);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_edges_keep_their_direction_and_number() {
        assert_eq!(open_edges(&[[0, 1, 2], [2, 1, 3]]), [[0, 1], [2, 0], [1, 3], [3, 2]]);
        // Two equal triangles leave each edge open twice, opposite ones none.
        assert_eq!(open_edges(&[[4, 5, 6]; 2]), [[4, 5], [4, 5], [6, 4], [6, 4], [5, 6], [5, 6]]);
        assert_eq!(open_edges(&[[4, 5, 6], [6, 5, 4]]), [[0; 2]; 0]);
    }
}
