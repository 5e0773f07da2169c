//! Normals of a moving surface: angle-weighted means of the triangle normals around each point (Thürmer and Wüthrich,
//! Computing vertex normals from polygonal facets, 1998).
//!
//! Points are welded across texture seams, so a seam does not show in the shading. The weights are the ones Blender
//! uses: then its automatic normals equal the ones in the file, and follow the deformation exactly.

use crate::geometry::Vec3;

/// Unit normal of each point; up where no triangle gives one.
pub(super) fn smooth_normals(points: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; points.len()];
    for &triangle in triangles {
        let corners = triangle.map(|i| points[i as usize]);
        let Some(normal) = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize() else { continue };
        for (corner, &point) in triangle.iter().enumerate() {
            let here = corners[corner];
            let angle = angle_between(corners[(corner + 1) % 3] - here, corners[(corner + 2) % 3] - here);
            normals[point as usize] += normal * angle;
        }
    }
    normals.into_iter().map(|normal| normal.try_normalize().unwrap_or(Vec3::Y)).collect()
}

/// Angle between two vectors, radians; 0 when one of them has no direction.
pub(super) fn angle_between(a: Vec3, b: Vec3) -> f32 {
    match (a.try_normalize(), b.try_normalize()) {
        (Some(a), Some(b)) => libm::acosf(a.dot(b).clamp(-1.0, 1.0)),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_corner_points_along_the_diagonal_however_its_faces_are_cut() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 1.0, 0.0)];
        // The face between x and y is two triangles at the corner, the others one.
        let triangles = [[0, 4, 1], [0, 2, 4], [0, 3, 2], [0, 1, 3]];
        let normal = smooth_normals(&points, &triangles)[0];
        assert!((normal - Vec3::splat(-1.0).normalize()).length() < 1e-6, "{normal}");
    }

    #[test]
    fn points_without_area_look_up_and_nothing_is_nan() {
        let points = [Vec3::ZERO, Vec3::ZERO, Vec3::X, Vec3::new(f32::MIN_POSITIVE, 0.0, 0.0)];
        let normals = smooth_normals(&points, &[[0, 1, 2], [0, 3, 1]]);
        assert_eq!(normals, [Vec3::Y; 4]);
    }
}
