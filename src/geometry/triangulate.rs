//! Polygon -> triangles.
//!
//! Quads are cut along the shorter diagonal that leaves both halves facing the polygon's way, convex polygons into a
//! fan, the others by ear clipping in the plane of the polygon (crate `earcutr`). Degenerate polygons fall back to a
//! fan: n corners always give n - 2 triangles.

use super::Vec3;

/// Cuts a polygon with the given corners into triangles of corner numbers, wound like the polygon.
/// Fewer than three corners give none.
pub fn triangulate(corners: &[Vec3]) -> Vec<[usize; 3]> {
    match corners.len() {
        0..3 => Vec::new(),
        3 => vec![[0, 1, 2]],
        4 => triangulate_quad(corners),
        _ => triangulate_ngon(corners),
    }
}

/// Area-weighted normal of a polygon, twice its area long (Newell).
pub fn polygon_normal(corners: &[Vec3]) -> Vec3 {
    let Some(&origin) = corners.first() else { return Vec3::ZERO };
    let fan = corners.windows(2).skip(1);
    fan.map(|pair| (pair[0] - origin).cross(pair[1] - origin)).fold(Vec3::ZERO, |sum, normal| sum + normal)
}

fn triangulate_quad(corners: &[Vec3]) -> Vec<[usize; 3]> {
    const ACROSS_0_2: [[usize; 3]; 2] = [[0, 1, 2], [0, 2, 3]];
    const ACROSS_1_3: [[usize; 3]; 2] = [[0, 1, 3], [1, 2, 3]];
    let normal = polygon_normal(corners);
    let faces_outward = |triangles: [[usize; 3]; 2]| {
        triangles.iter().all(|&[a, b, c]| (corners[b] - corners[a]).cross(corners[c] - corners[a]).dot(normal) > 0.0)
    };
    let shorter_is_1_3 = corners[1].distance_squared(corners[3]) < corners[0].distance_squared(corners[2]);
    let (first, second) = if shorter_is_1_3 { (ACROSS_1_3, ACROSS_0_2) } else { (ACROSS_0_2, ACROSS_1_3) };
    let chosen = if !faces_outward(first) && faces_outward(second) { second } else { first };
    chosen.to_vec()
}

fn triangulate_ngon(corners: &[Vec3]) -> Vec<[usize; 3]> {
    let fan = || (1..corners.len() - 1).map(|i| [0, i, i + 1]).collect();
    let normal = polygon_normal(corners);
    if is_convex(corners, normal) {
        return fan();
    }
    let flat = project(corners, normal);
    match earcutr::earcut(&flat, &[], 2) {
        Ok(ears) if ears.len() == 3 * (corners.len() - 2) => wound_like(&flat, &ears),
        _ => fan(),
    }
}

/// Whether no corner turns against the polygon's normal.
fn is_convex(corners: &[Vec3], normal: Vec3) -> bool {
    let count = corners.len();
    (0..count).all(|i| {
        let (previous, corner, next) = (corners[(i + count - 1) % count], corners[i], corners[(i + 1) % count]);
        (corner - previous).cross(next - corner).dot(normal) >= 0.0
    })
}

/// Corners in the coordinate plane that the polygon lies in most nearly, mirrored so that it winds counter-clockwise.
fn project(corners: &[Vec3], normal: Vec3) -> Vec<f64> {
    let size = normal.abs();
    let (u, v, along) = if size.x >= size.y && size.x >= size.z {
        (Vec3::Y, Vec3::Z, normal.x)
    } else if size.y >= size.z {
        (Vec3::Z, Vec3::X, normal.y)
    } else {
        (Vec3::X, Vec3::Y, normal.z)
    };
    let mirror = if along < 0.0 { -1.0 } else { 1.0 };
    corners.iter().flat_map(|p| [f64::from(p.dot(u)) * mirror, f64::from(p.dot(v))]).collect()
}

/// Ears as triangles that wind counter-clockwise like `flat` does.
fn wound_like(flat: &[f64], ears: &[usize]) -> Vec<[usize; 3]> {
    let turn = |a: usize, b: usize, c: usize| {
        let (ax, ay) = (flat[2 * a], flat[2 * a + 1]);
        (flat[2 * b] - ax) * (flat[2 * c + 1] - ay) - (flat[2 * b + 1] - ay) * (flat[2 * c] - ax)
    };
    let triangle = |ear: &[usize]| {
        let (a, b, c) = (ear[0], ear[1], ear[2]);
        if turn(a, b, c) < 0.0 { [a, c, b] } else { [a, b, c] }
    };
    ears.chunks_exact(3).map(triangle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(points: &[(f32, f32)]) -> Vec<Vec3> {
        points.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect()
    }

    fn signed_areas(corners: &[Vec3]) -> Vec<f32> {
        let area = |[a, b, c]: [usize; 3]| (corners[b] - corners[a]).cross(corners[c] - corners[a]).z / 2.0;
        triangulate(corners).into_iter().map(area).collect()
    }

    #[test]
    fn a_quad_is_cut_along_its_shorter_diagonal() {
        let kite = flat(&[(-1.0, 0.0), (0.0, -0.4), (1.0, 0.0), (0.0, 0.4)]);
        assert_eq!(triangulate(&kite), [[0, 1, 3], [1, 2, 3]]);
    }

    #[test]
    fn an_arrow_head_is_cut_inside_although_the_other_diagonal_is_shorter() {
        let arrow = flat(&[(0.0, 0.0), (1.0, -1.0), (0.2, 0.0), (1.0, 1.0)]);
        assert!(signed_areas(&arrow).iter().all(|&area| area > 0.0));
        let dart = flat(&[(0.0, 0.0), (-3.0, -1.0), (4.0, 0.0), (-3.0, 1.0)]);
        assert_eq!(triangulate(&dart), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn a_concave_polygon_is_covered_exactly_in_either_winding() {
        let mut comb = flat(&[(0.0, 0.0), (5.0, 0.0), (5.0, 2.0), (4.0, 0.5), (3.0, 2.0), (2.0, 0.5), (0.0, 2.0)]);
        for sign in [1.0, -1.0] {
            let areas = signed_areas(&comb);
            let whole = polygon_normal(&comb).z / 2.0;
            assert!(areas.iter().all(|area| area * sign >= 0.0), "{areas:?}");
            assert!((areas.iter().sum::<f32>() - whole).abs() < 1e-5);
            comb.reverse();
        }
    }

    #[test]
    fn a_polygon_without_area_still_gives_all_its_triangles() {
        let line = flat(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]);
        assert_eq!(triangulate(&line).len(), 3);
        assert!(triangulate(&line[..2]).is_empty());
    }
}
