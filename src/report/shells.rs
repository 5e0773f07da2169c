//! Shells of a body that were modelled inside out.

use std::collections::BTreeMap;

use crate::geometry::Vec3;

/// `triangles` with those of each closed shell of negative volume turned round, so that every shell winds around its inside
/// once. Open shells have no inside and stay.
pub(crate) fn turn_inside_out_shells(triangles: &[[u32; 3]], positions: &[Vec3]) -> Vec<[u32; 3]> {
    let places = number_places(positions);
    let shell_of_place = connect(triangles, &places);
    let shell_of = |triangle: &[u32; 3]| shell_of_place[places[triangle[0] as usize] as usize];
    let mut edge_balance: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    let mut volumes: BTreeMap<u32, f64> = BTreeMap::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| places[v as usize]);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            // A closed, consistently wound shell passes each edge as often in one direction as in the other.
            *edge_balance.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
        let [p, q, r] = triangle.map(|v| positions[v as usize].as_dvec3());
        *volumes.entry(shell_of(triangle)).or_default() += p.dot(q.cross(r));
    }
    for ((place, _), _) in edge_balance.into_iter().filter(|&(_, balance)| balance != 0) {
        volumes.insert(shell_of_place[place as usize], 0.0);
    }
    triangles.iter().map(|t| if volumes[&shell_of(t)] < 0.0 { [t[0], t[2], t[1]] } else { *t }).collect()
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
