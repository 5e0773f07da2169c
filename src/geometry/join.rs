//! Vertices in the same place.

use super::Vec3;

/// For each vertex the smallest vertex with the same coordinates.
pub fn join(positions: &[Vec3]) -> Vec<u32> {
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

/// `triangles` over vertices that are joined where they are in one place at `positions`; those that lose a corner are left out.
pub fn joined_triangles(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let joined = join(positions);
    let corners = triangles.iter().map(|t| t.map(|v| joined[v as usize]));
    corners.filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_in_one_place_are_named_by_the_first_of_them() {
        let places = [Vec3::X, Vec3::ZERO, Vec3::X, Vec3::new(-0.0, 0.0, 0.0), Vec3::Y];
        assert_eq!(join(&places), [0, 1, 0, 1, 4]);
        assert_eq!(joined_triangles(&places, &[[0, 1, 4], [2, 3, 4], [0, 2, 4]]), [[0, 1, 4]; 2]);
    }
}
