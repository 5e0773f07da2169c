//! The closest point of a triangle.

use super::{DVec3, Vec3};

/// The part of a triangle a closest point lies on. Corners and edges are numbered 0..3, edge `i` runs from corner `i` to `i + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A corner.
    Corner(u8),
    /// The inside of an edge.
    Edge(u8),
    /// The inside of the face.
    Face,
}

/// Result of [`closest_point_on_triangle`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The point on the triangle.
    pub point: Vec3,
    /// Its barycentric coordinates, sum 1.
    pub barycentric: Vec3,
    /// Where on the triangle it lies.
    pub feature: Feature,
}

/// Closest point to `p` on triangle `a b c` by Voronoi regions (Ericson, *Real-Time Collision Detection*, 5.1.5).
/// A degenerate triangle gives one of its corners or edge points, never a NaN from finite input.
pub fn closest_point_on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> ClosestPoint {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return corner(a, 0);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return corner(b, 1);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        let t = d1 / (d1 - d3);
        return ClosestPoint { point: a + ab * t, barycentric: Vec3::new(1.0 - t, t, 0.0), feature: Feature::Edge(0) };
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return corner(c, 2);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        let t = d2 / (d2 - d6);
        return ClosestPoint { point: a + ac * t, barycentric: Vec3::new(1.0 - t, 0.0, t), feature: Feature::Edge(2) };
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 && (d4 - d3) + (d5 - d6) > 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return ClosestPoint {
            point: b + (c - b) * t,
            barycentric: Vec3::new(0.0, 1.0 - t, t),
            feature: Feature::Edge(1),
        };
    }
    let area = va + vb + vc;
    if area <= 0.0 {
        return corner(a, 0);
    }
    let inverse = 1.0 / area;
    let (v, w) = (vb * inverse, vc * inverse);
    ClosestPoint { point: a + ab * v + ac * w, barycentric: Vec3::new(1.0 - v - w, v, w), feature: Feature::Face }
}

fn corner(point: Vec3, index: u8) -> ClosestPoint {
    let mut barycentric = Vec3::ZERO;
    barycentric[usize::from(index)] = 1.0;
    ClosestPoint { point, barycentric, feature: Feature::Corner(index) }
}

/// Whether a segment goes through a triangle.
pub fn pierces([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let normal = (b - a).cross(c - a);
    let (from, to) = (normal.dot(p - a), normal.dot(q - a));
    if from * to >= 0.0 {
        return false;
    }
    let along = q - p;
    let side = |a: DVec3, b: DVec3| along.dot((a - p).cross(b - p));
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_voronoi_region_names_its_feature() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let feature = |x: f32, y: f32| closest_point_on_triangle(Vec3::new(x, y, 0.5), triangle).feature;
        assert_eq!(feature(-1.0, -1.0), Feature::Corner(0));
        assert_eq!(feature(2.0, -0.5), Feature::Corner(1));
        assert_eq!(feature(-0.5, 2.0), Feature::Corner(2));
        assert_eq!(feature(0.5, -1.0), Feature::Edge(0));
        assert_eq!(feature(1.0, 1.0), Feature::Edge(1));
        assert_eq!(feature(-1.0, 0.5), Feature::Edge(2));
        assert_eq!(feature(0.25, 0.25), Feature::Face);
    }

    #[test]
    fn a_triangle_without_area_gives_a_finite_point() {
        let p = Vec3::new(0.3, 1.0, 0.2);
        for triangle in [[Vec3::ZERO; 3], [Vec3::ZERO, Vec3::X, Vec3::X * 2.0], [Vec3::ZERO, Vec3::ZERO, Vec3::X]] {
            assert!(closest_point_on_triangle(p, triangle).point.is_finite());
        }
    }
}
