//! Normals of vertices.

use super::Vec3;

/// For each vertex the sum of its triangles' normals, each as long as twice its area.
pub fn area_normals(positions: &[Vec3], triangles: impl IntoIterator<Item = [u32; 3]>) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; positions.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|v| positions[v as usize]);
        let normal = (b - a).cross(c - a);
        corners.iter().for_each(|&v| sums[v as usize] += normal);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_triangles_count_more_and_vertices_without_any_have_none() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y * 2.0, Vec3::Z, Vec3::ONE];
        let normals = area_normals(&positions, [[0, 1, 2], [0, 3, 1]]);
        assert_eq!(normals, [Vec3::new(0.0, 1.0, 2.0), Vec3::new(0.0, 1.0, 2.0), Vec3::Z * 2.0, Vec3::Y, Vec3::ZERO]);
    }
}
