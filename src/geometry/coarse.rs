//! A coarser surface for meshes made of needles, or of the same triangles over and over.
//!
//! ```text
//!    \\ | | //         A search tree sorts triangles by boxes. Those of a bundle of needles all overlap, as those of copies do:
//!     \\| |//          each query costs all triangles. Where the needles' vertices are nearly in one place they become one, and
//!      \||/           a bundle of thousands becomes one of some hundred; copies become one.
//! ```
//!
//! Meshes made for anything have few of either, and stay as they are.

use std::collections::BTreeMap;

use super::{Aabb, Vec3, join};

/// Needles and copies from which on a mesh is made coarser. Fewer cost little.
const MANY: usize = 8192;
/// Distance up to which vertices are nearly in one place, as a part of the mesh's diagonal: 1 mm on a grown-up.
const NEAR: f32 = 1.0 / 2048.0;
/// Longest side of a needle, at least, in times its shortest.
const SLENDER: f32 = 32.0;

/// `triangles` without the needles and copies that cloth cannot feel, over some of the vertices at `positions`. None for a mesh
/// that has few of them.
pub fn coarse_surface(positions: &[Vec3], triangles: &[[u32; 3]]) -> Option<Vec<[u32; 3]>> {
    let joined = join(positions);
    let welded: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| joined[v as usize])).collect();
    let near = NEAR * Aabb::around(positions).size().length();
    let needles: Vec<[u32; 3]> = welded.iter().copied().filter(|t| is_needle(positions, *t, near)).collect();
    let copies = welded.len() - without_copies(&welded).len();
    if needles.len() + copies < MANY {
        return None;
    }
    let merged = merged(positions, &needles, near);
    let corners = welded.iter().map(|t| t.map(|v| merged.get(&v).copied().unwrap_or(v)));
    let whole: Vec<[u32; 3]> = corners.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    Some(without_copies(&whole))
}

fn is_needle(positions: &[Vec3], triangle: [u32; 3], near: f32) -> bool {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    let sides = [a.distance(b), b.distance(c), c.distance(a)];
    let (shortest, longest) = (sides.into_iter().fold(f32::INFINITY, f32::min), sides.into_iter().fold(0.0, f32::max));
    shortest < near && longest > SLENDER * shortest
}

/// For each vertex of `needles` the smallest of them in its cell, of a grid of this width.
fn merged(positions: &[Vec3], needles: &[[u32; 3]], width: f32) -> BTreeMap<u32, u32> {
    let cell = |v: u32| (positions[v as usize] / width).floor().to_array().map(|c| (c + 0.0).to_bits());
    let mut vertices = needles.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    let mut first_in: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    vertices.into_iter().map(|v| (v, *first_in.entry(cell(v)).or_insert(v))).collect()
}

/// Each triangle once of those with the same corners in the same sense, in their order.
fn without_copies(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let from_smallest = |[a, b, c]: [u32; 3]| match a.min(b).min(c) {
        least if least == a => [a, b, c],
        least if least == b => [b, c, a],
        _ => [c, a, b],
    };
    let mut order: Vec<([u32; 3], usize)> = triangles.iter().map(|&t| from_smallest(t)).zip(0..).collect();
    order.sort_unstable();
    order.dedup_by_key(|(triangle, _)| *triangle);
    order.sort_unstable_by_key(|&(_, index)| index);
    order.into_iter().map(|(_, index)| triangles[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disc of needles from its middle to `count` places on its edge, 0.5 m away.
    fn disc(count: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let at = |i: u32| {
            let angle = std::f32::consts::TAU * i as f32 / count as f32;
            Vec3::new(0.5 * libm::cosf(angle), 0.5 * libm::sinf(angle), 0.0)
        };
        let positions = std::iter::once(Vec3::ZERO).chain((0..count).map(at)).collect();
        (positions, (0..count).map(|i| [0, 1 + i, 1 + (i + 1) % count]).collect())
    }

    fn area(positions: &[Vec3], triangles: &[[u32; 3]]) -> f32 {
        let corners = triangles.iter().map(|t| t.map(|v| positions[v as usize]));
        corners.map(|[a, b, c]| (b - a).cross(c - a).z / 2.0).sum()
    }

    #[test]
    fn thousands_of_needles_become_as_many_as_their_places_allow() {
        let (positions, triangles) = disc(60_000);
        let coarse = coarse_surface(&positions, &triangles).expect("needles");
        assert!((1000..8000).contains(&coarse.len()), "{}", coarse.len());
        assert!((area(&positions, &coarse) - area(&positions, &triangles)).abs() < 0.003);
        // What has no rim but the disc's edge keeps none but that.
        let mut spokes = std::collections::BTreeMap::new();
        for [_, from, to] in &coarse {
            *spokes.entry(*from).or_insert(0) += 1;
            *spokes.entry(*to).or_insert(0) -= 1;
        }
        assert!(spokes.values().all(|&sum| sum == 0));
    }

    #[test]
    fn copies_become_one_and_turned_ones_stay() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
        let mut triangles = vec![[0, 1, 2]; MANY];
        triangles.extend([[1, 2, 0], [0, 2, 1], [1, 3, 2]]);
        assert_eq!(coarse_surface(&positions, &triangles), Some(vec![[0, 1, 2], [0, 2, 1], [1, 3, 2]]));
    }

    #[test]
    fn a_mesh_with_some_needles_stays_as_it_is() {
        let (positions, triangles) = disc(MANY as u32 - 1);
        assert_eq!(coarse_surface(&positions, &triangles), None);
    }
}
