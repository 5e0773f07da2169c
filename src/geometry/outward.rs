//! Triangles of a body turned so that they face outward.
//!
//! Files wind faces inward, some of them or all. Two things are put right, shell by shell:
//!
//! ```text
//!   a--b     neighbours run along their edge in opposite senses: a patch whose      V = sum of p . (q x r) / 6 > 0,
//!   | /|     triangles disagree is turned to what most of its area says             holes closed by fans around their
//!   |/ |                                                                            middles: a shell of negative volume
//!   c--d     here c->b and b->c                                                     is turned as a whole
//! ```
//!
//! A sheet encloses next to nothing and stays as it is; so does whatever cannot be wound consistently (a Moebius strip).

use super::holes::{Side, holes, sides};
use super::{DVec3, Vec3, connect, join};

/// Volume of an open shell, as a part of its area to the power of 3/2, from which it counts as a body rather than as a sheet: a
/// sphere has 0.094, a limb twenty times as long as wide 0.03. Less would turn capes and hair by chance.
const ENCLOSES: f64 = 0.01;

/// `triangles` with those that face inward turned round; all keep their first corner and their order.
pub fn outward(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let joined = join(positions);
    let mut welded: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| joined[v as usize])).collect();
    let sides = sides(&welded);
    let areas: Vec<f64> = welded.iter().map(|t| area(positions, *t)).collect();
    let mut is_turned = disagreeing(&sides, &areas);
    turn(&mut welded, &is_turned);
    for shell in shells(&sides, welded.len()) {
        if is_inside_out(positions, &welded, &shell, &areas) {
            shell.iter().for_each(|&t| is_turned[t as usize] ^= true);
        }
    }
    let mut turned = triangles.to_vec();
    turn(&mut turned, &is_turned);
    turned
}

fn turn(triangles: &mut [[u32; 3]], is_turned: &[bool]) {
    triangles.iter_mut().zip(is_turned).filter(|(_, turned)| **turned).for_each(|(t, _)| t.swap(1, 2));
}

fn area(positions: &[Vec3], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|v| positions[v as usize].as_dvec3());
    0.5 * (b - a).cross(c - a).length()
}

/// Which triangles must be turned so that those on both sides of an edge agree.
fn disagreeing(sides: &[Side], areas: &[f64]) -> Vec<bool> {
    // Where more than two meet, nobody knows which belong together.
    let pairs = sides.chunk_by(|a, b| a.0 == b.0).filter_map(|edge| match edge {
        [one, other] => Some((one.2, other.2, one.1 == other.1)),
        _ => None,
    });
    let links: Vec<(u32, u32, bool)> = pairs.collect();
    let neighbours = Links::new(&links, areas.len());
    let mut is_turned: Vec<Option<bool>> = vec![None; areas.len()];
    for first in 0..areas.len() {
        if is_turned[first].is_some() {
            continue;
        }
        let mut patch = vec![first];
        is_turned[first] = Some(false);
        let mut next = 0;
        while let Some(&triangle) = patch.get(next) {
            next += 1;
            for &(other, disagrees) in neighbours.of(triangle) {
                if is_turned[other as usize].is_none() {
                    is_turned[other as usize] = is_turned[triangle].map(|turned| turned ^ disagrees);
                    patch.push(other as usize);
                }
            }
        }
        let area =
            |turned: bool| patch.iter().filter(|&&t| is_turned[t] == Some(turned)).map(|&t| areas[t]).sum::<f64>();
        if area(true) > area(false) {
            patch.iter().for_each(|&t| is_turned[t] = is_turned[t].map(|turned| !turned));
        }
    }
    is_turned.into_iter().map(|turned| turned.unwrap_or(false)).collect()
}

/// Triangles that share edges, by triangle.
struct Links {
    starts: Vec<u32>,
    ends: Vec<(u32, bool)>,
}

impl Links {
    fn new(links: &[(u32, u32, bool)], triangles: usize) -> Links {
        let both = links.iter().flat_map(|&(a, b, disagrees)| [(a, b, disagrees), (b, a, disagrees)]);
        let mut all: Vec<(u32, u32, bool)> = both.collect();
        all.sort_unstable();
        let starts = (0..=triangles as u32).map(|t| all.partition_point(|link| link.0 < t) as u32).collect();
        Links { starts, ends: all.into_iter().map(|(_, to, disagrees)| (to, disagrees)).collect() }
    }

    fn of(&self, triangle: usize) -> &[(u32, bool)] {
        &self.ends[self.starts[triangle] as usize..self.starts[triangle + 1] as usize]
    }
}

/// Triangles that hang together by edges, piece by piece.
fn shells(sides: &[Side], triangles: usize) -> Vec<Vec<u32>> {
    let across = sides.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| [pair[0].2, pair[1].2]);
    let mut pieces: Vec<(u32, u32)> = connect(across, triangles).into_iter().zip(0..).collect();
    pieces.sort_unstable();
    pieces.chunk_by(|a, b| a.0 == b.0).map(|piece| piece.iter().map(|(_, t)| *t).collect()).collect()
}

/// Whether a shell encloses a negative volume.
fn is_inside_out(positions: &[Vec3], triangles: &[[u32; 3]], shell: &[u32], areas: &[f64]) -> bool {
    let own: Vec<[u32; 3]> = shell.iter().map(|&t| triangles[t as usize]).collect();
    let at = |v: u32| positions[v as usize].as_dvec3();
    let middle = own.iter().map(|t| at(t[0])).sum::<DVec3>() / own.len().max(1) as f64;
    let cone = |a: DVec3, b: DVec3, c: DVec3| (a - middle).dot((b - middle).cross(c - middle)) / 6.0;
    let mut volume: f64 = own.iter().map(|t| cone(at(t[0]), at(t[1]), at(t[2]))).sum();
    let rim = holes(&own);
    for hole in &rim {
        let apex = hole.iter().map(|edge| at(edge[0])).sum::<DVec3>() / hole.len() as f64;
        volume += hole.iter().map(|&[from, to]| cone(apex, at(to), at(from))).sum::<f64>();
    }
    let area: f64 = shell.iter().map(|&t| areas[t as usize]).sum();
    let least = if rim.is_empty() { 0.0 } else { ENCLOSES * area * area.sqrt() };
    volume < -least
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FACES: [[u32; 3]; 8] =
        [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

    fn octahedron(at: Vec3, radius: f32) -> Vec<Vec3> {
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        axes.iter().map(|&axis| at + axis * radius).collect()
    }

    proptest! {
        #[test]
        fn whatever_is_turned_and_cut_away_faces_outward_again(
            turned in prop::collection::vec(any::<bool>(), 8),
            hole in prop::option::of(0usize..8),
            far in -1000.0f32..1000.0,
        ) {
            let positions = octahedron(Vec3::splat(far), 1.0);
            let right: Vec<[u32; 3]> = (0..8).filter(|&i| hole != Some(i)).map(|i| FACES[i]).collect();
            let mut given = right.clone();
            turn(&mut given, &turned);
            let same = |a: &[u32; 3], b: &[u32; 3]| a[0] == b[0] && a[1] == b[1];
            prop_assert!(outward(&positions, &given).iter().zip(&right).all(|(a, b)| same(a, b)));
        }
    }

    #[test]
    fn every_shell_is_judged_on_its_own_and_seams_do_not_part_it() {
        let mut positions = octahedron(Vec3::ZERO, 1.0);
        positions.extend(octahedron(Vec3::X * 5.0, 1.0));
        // The second shell has vertices of its own for each face, and faces inward.
        let mut triangles = FACES.to_vec();
        for face in FACES {
            let first = positions.len() as u32;
            positions.extend(face.map(|v| Vec3::X * 5.0 + (positions[v as usize])));
            triangles.push([first, first + 2, first + 1]);
        }
        let found = outward(&positions, &triangles);
        assert_eq!(found[..8], FACES);
        assert!(found[8..].iter().all(|t| t[1] == t[0] + 1));
    }

    #[test]
    fn sheets_stay_as_they_are() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.1)];
        for sheet in [[[0, 1, 2], [1, 3, 2]], [[0, 2, 1], [1, 2, 3]]] {
            assert_eq!(outward(&corners, &sheet), sheet);
        }
        assert_eq!(outward(&corners, &[]), [[0; 3]; 0]);
        assert_eq!(outward(&corners, &[[0, 0, 1]]), [[0, 0, 1]]);
    }
}
