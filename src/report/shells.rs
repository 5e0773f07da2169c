//! The shells of a body: which are modelled inside out, and whether all are closed.

use std::collections::BTreeMap;

use crate::geometry::Vec3;

/// A body's shells as found in one pose.
pub(super) struct Shells {
    /// The triangles, those of each closed shell of negative volume turned round, so that every closed shell winds around its
    /// inside once. Open shells have no inside and stay.
    pub(super) triangles: Vec<[u32; 3]>,
    /// No edge is open.
    closed: bool,
    /// Pairs of vertices in one place: closed shells hang together by them.
    joined: Vec<[u32; 2]>,
}

impl Shells {
    /// The shells of `triangles`. Vertices in the same place (UV seams) are one.
    pub(super) fn find(triangles: &[[u32; 3]], positions: &[Vec3]) -> Shells {
        let places = number_places(positions);
        let shell_of_place = connect(triangles, &places);
        let shell_of = |triangle: &[u32; 3]| shell_of_place[places[triangle[0] as usize] as usize];
        let mut volumes: BTreeMap<u32, f64> = BTreeMap::new();
        for triangle in triangles {
            let [p, q, r] = triangle.map(|v| positions[v as usize].as_dvec3());
            *volumes.entry(shell_of(triangle)).or_default() += p.dot(q.cross(r));
        }
        let open = open_edges(triangles, &places);
        for &(place, _) in &open {
            volumes.insert(shell_of_place[place as usize], 0.0);
        }
        let turned = |t: &[u32; 3]| if volumes[&shell_of(t)] < 0.0 { [t[0], t[2], t[1]] } else { *t };
        Shells {
            triangles: triangles.iter().map(turned).collect(),
            closed: open.is_empty(),
            joined: joined(triangles, &places),
        }
    }

    /// Whether all shells are closed in another pose too: a pose may pull vertices apart that were in one place.
    pub(super) fn are_closed(&self, positions: &[Vec3]) -> bool {
        self.closed && self.joined.iter().all(|&[a, b]| positions[a as usize] == positions[b as usize])
    }
}

/// Edges, from the smaller place to the larger, that are not passed as often in one direction as in the other. A closed,
/// consistently wound shell has none.
fn open_edges(triangles: &[[u32; 3]], places: &[u32]) -> Vec<(u32, u32)> {
    let mut sides: Vec<((u32, u32), i32)> = Vec::with_capacity(3 * triangles.len());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| places[v as usize]);
        let side = |from: u32, to: u32| ((from.min(to), from.max(to)), if from < to { 1 } else { -1 });
        sides.extend([(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to).map(|(f, t)| side(f, t)));
    }
    sides.sort_unstable();
    let same_edge = sides.chunk_by(|a, b| a.0 == b.0);
    same_edge.filter(|edge| edge.iter().map(|side| side.1).sum::<i32>() != 0).map(|edge| edge[0].0).collect()
}

/// Each used vertex that is not the first in its place, with the first.
fn joined(triangles: &[[u32; 3]], places: &[u32]) -> Vec<[u32; 2]> {
    let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut first_in = BTreeMap::new();
    let pairs = vertices.into_iter().map(|v| [*first_in.entry(places[v as usize]).or_insert(v), v]);
    pairs.filter(|[first, v]| first != v).collect()
}

/// Numbers the places of vertices: those with the same bits (UV seams) share one.
fn number_places(positions: &[Vec3]) -> Vec<u32> {
    let mut numbers = BTreeMap::new();
    positions
        .iter()
        .map(|&p| {
            // Adding zero turns -0 into 0.
            let bits = (p + Vec3::ZERO).to_array().map(f32::to_bits);
            let next = numbers.len() as u32;
            *numbers.entry(bits).or_insert(next)
        })
        .collect()
}

/// Smallest place of each place's connected shell.
fn connect(triangles: &[[u32; 3]], places: &[u32]) -> Vec<u32> {
    let count = places.iter().max().map_or(0, |&m| m + 1);
    let mut parent: Vec<u32> = (0..count).collect();
    let root = |parent: &mut Vec<u32>, mut place: u32| {
        while parent[place as usize] != place {
            parent[place as usize] = parent[parent[place as usize] as usize];
            place = parent[place as usize];
        }
        place
    };
    for triangle in triangles {
        let roots = triangle.map(|v| root(&mut parent, places[v as usize]));
        let smallest = roots[0].min(roots[1]).min(roots[2]);
        roots.iter().for_each(|&r| parent[r as usize] = smallest);
    }
    (0..count).map(|place| root(&mut parent, place)).collect()
}
