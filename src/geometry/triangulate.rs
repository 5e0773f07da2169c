//! Polygons -> triangles without new vertices.
//!
//! ```text
//!   3 ------- 2        4 --- 3
//!   |       / |       /   / / \        every corner is kept, collinear ones too: a corner without a triangle
//!   |    /    |      /  /  /   2       would be a particle without mass
//!   | /       |     / /   /  /
//!   0 ------- 1     0 ---- 1
//! ```
//!
//! Ear clipping in the polygon's mean plane (Newell normal), best-shaped ear first. Source: Meisters, *Polygons have
//! ears*, 1975; shape measure: area over the sum of squared sides.

mod rounds;

use super::{DVec3, Vec3};

/// Corners up to which the best ear is searched (quadratic time). Larger polygons are cut as a fan, if they are convex as seen from
/// the first corner, or ear after ear round the ring.
const MAX_EAR_CORNERS: usize = 256;

/// Shape below which a corner counts as straight or reflex: an ear of this flatness is taken only when nothing else is left.
const FLAT_EAR: f64 = 1e-9;

/// Cuts the polygon with these corners into exactly `points.len() - 2` triangles of corner indices, wound as the polygon
/// is. Fewer than three corners give none.
pub fn triangulate(points: &[Vec3]) -> Vec<[usize; 3]> {
    match points.len() {
        0..3 => Vec::new(),
        3 => vec![[0, 1, 2]],
        n if n > MAX_EAR_CORNERS => cut_large(&flatten(points)),
        _ => clip_ears(points),
    }
}

/// Cuts a polygon as programs draw it: a quad along the diagonal of its first corner, unless that turns a triangle over; anything else as
/// [`triangulate`] does. What is drawn twice, as both sides of thick cloth, is cut alike, however even the quads are.
pub fn triangulate_as_drawn(points: &[Vec3]) -> Vec<[usize; 3]> {
    let &[a, b, c, d] = points else { return triangulate(points) };
    let normal = polygon_normal(points);
    let is_valid = [[a, b, c], [a, c, d]].iter().all(|triangle| polygon_normal(triangle).dot(normal) > 0.0);
    if is_valid { vec![[0, 1, 2], [0, 2, 3]] } else { triangulate(points) }
}

fn cut_large(flat: &[[f64; 2]]) -> Vec<[usize; 3]> {
    let fan = || (1..flat.len() - 1).map(|i| [0, i, i + 1]);
    if fan().all(|[a, b, c]| cross(flat[a], flat[b], flat[c]) > 0.0) {
        fan().collect()
    } else {
        rounds::clip_ears(flat)
    }
}

/// Area-weighted normal of a polygon, twice its area long (Newell).
pub fn polygon_normal(corners: &[Vec3]) -> Vec3 {
    let Some(&origin) = corners.first() else { return Vec3::ZERO };
    let fan = corners.windows(2).skip(1);
    fan.map(|pair| (pair[0] - origin).cross(pair[1] - origin)).fold(Vec3::ZERO, |sum, normal| sum + normal)
}

fn clip_ears(points: &[Vec3]) -> Vec<[usize; 3]> {
    let flat = flatten(points);
    let mut ring: Vec<usize> = (0..points.len()).collect();
    // Cutting an ear makes no corner reflex that was none, so that only these can ever lie in one.
    let mut reflex: Vec<usize> = (0..points.len())
        .filter(|&i| {
            let (before, after) = neighbours(i, points.len());
            cross(flat[before], flat[i], flat[after]) <= 0.0
        })
        .collect();
    let mut quality: Vec<f64> = (0..ring.len()).map(|i| ear_quality(&flat, &ring, i, &reflex)).collect();
    let mut triangles = Vec::with_capacity(points.len() - 2);
    while ring.len() > 3 {
        let best = (1..ring.len()).fold(0, |best, i| if quality[i] > quality[best] { i } else { best });
        let (before, after) = neighbours(best, ring.len());
        triangles.push([ring[before], ring[best], ring[after]]);
        let cut = ring.remove(best);
        reflex.retain(|&p| p != cut);
        quality.remove(best);
        let at = best % ring.len();
        for i in [neighbours(at, ring.len()).0, at] {
            quality[i] = ear_quality(&flat, &ring, i, &reflex);
        }
    }
    triangles.push([ring[0], ring[1], ring[2]]);
    triangles
}

fn neighbours(i: usize, len: usize) -> (usize, usize) {
    ((i + len - 1) % len, (i + 1) % len)
}

/// The corners in the plane across the Newell normal, counter-clockwise.
fn flatten(points: &[Vec3]) -> Vec<[f64; 2]> {
    let point = |i: usize| points[i % points.len()].as_dvec3() - points[0].as_dvec3();
    let normal = (1..points.len()).fold(DVec3::ZERO, |sum, i| sum + point(i).cross(point(i + 1)));
    let normal = normal.try_normalize().unwrap_or(DVec3::Z);
    let (u, v) = normal.any_orthonormal_pair();
    (0..points.len()).map(|i| [point(i).dot(u), point(i).dot(v)]).collect()
}

/// Shape of the ear at ring position `i`: at most 0.15 (equilateral), 0 for a flat one, below that for no ear at all. `reflex` are
/// the corners that may lie in it.
fn ear_quality(flat: &[[f64; 2]], ring: &[usize], i: usize, reflex: &[usize]) -> f64 {
    let (before, after) = neighbours(i, ring.len());
    let (a, b, c) = (flat[ring[before]], flat[ring[i]], flat[ring[after]]);
    let Some(quality) = shape([a, b, c]) else { return 0.0 };
    if quality <= FLAT_EAR {
        return quality.min(0.0) - FLAT_EAR;
    }
    let blocked = reflex.iter().map(|&p| flat[p]).any(|p| p != a && p != b && p != c && inside(p, a, b, c));
    if blocked { -1.0 } else { quality }
}

/// Signed area of a triangle over the sum of its squared sides; none for a point.
fn shape([a, b, c]: [[f64; 2]; 3]) -> Option<f64> {
    let sides =
        [(a, b), (b, c), (c, a)].iter().map(|(p, q)| (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2)).sum::<f64>();
    (sides > 0.0).then(|| cross(a, b, c) / 2.0 / sides)
}

/// Twice the signed area of triangle `a b c`.
fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn inside(p: [f64; 2], a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> bool {
    cross(a, b, p) >= 0.0 && cross(b, c, p) >= 0.0 && cross(c, a, p) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[Vec3], triangles: &[[usize; 3]]) -> f32 {
        triangles.iter().map(|t| t.map(|i| points[i])).map(|[a, b, c]| (b - a).cross(c - a).z / 2.0).sum()
    }

    fn polygon(corners: &[(f32, f32)]) -> Vec<Vec3> {
        corners.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect()
    }

    #[test]
    fn a_quad_is_drawn_along_the_diagonal_of_its_first_corner_unless_that_turns_a_triangle_over() {
        let quad = [Vec3::ZERO, Vec3::X, Vec3::new(1.1, 1.0, 0.1), Vec3::Y];
        assert_eq!(triangulate_as_drawn(&quad), [[0, 1, 2], [0, 2, 3]]);
        let arrow = [Vec3::X, Vec3::new(0.2, 0.2, 0.0), Vec3::Y, Vec3::ZERO];
        let is_over =
            |t: &[usize; 3]| polygon_normal(&t.map(|corner| arrow[corner])).dot(polygon_normal(&arrow)) <= 0.0;
        assert!([[0, 1, 2], [0, 2, 3]].iter().any(is_over));
        assert!(!triangulate_as_drawn(&arrow).iter().any(is_over));
    }

    #[test]
    fn a_concave_polygon_keeps_its_area() {
        let arrow = polygon(&[(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 0.5), (0.0, 2.0)]);
        let triangles = triangulate(&arrow);
        assert_eq!(triangles.len(), 3);
        assert!((area(&arrow, &triangles) - 2.5).abs() < 1e-6);
        assert!(triangles.iter().all(|&t| area(&arrow, &[t]) > 0.0));
    }

    #[test]
    fn a_dart_is_cut_at_its_reflex_corner() {
        let dart = polygon(&[(0.0, 0.0), (2.0, -1.0), (0.5, 0.0), (2.0, 1.0)]);
        let triangles = triangulate(&dart);
        assert!(triangles.iter().all(|&t| area(&dart, &[t]) > 0.0), "{triangles:?}");
    }

    #[test]
    fn collinear_corners_get_a_triangle_with_area() {
        let square = polygon(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]);
        let triangles = triangulate(&square);
        assert!(triangles.iter().any(|t| t.contains(&1) && area(&square, &[*t]) > 0.1), "{triangles:?}");
    }

    #[test]
    fn a_polygon_without_area_still_gives_all_triangles() {
        for n in [3, 4, 5, 6, 7, 8, 5000] {
            assert_eq!(triangulate(&vec![Vec3::ONE; n]).len(), n - 2);
        }
    }

    /// Corners at these radii, evenly turned.
    fn star(count: usize, radius: impl Fn(usize) -> f32) -> Vec<Vec3> {
        let angle = |i: usize| std::f32::consts::TAU * i as f32 / count as f32;
        let at = |i: usize| Vec3::new(libm::cosf(angle(i)), libm::sinf(angle(i)), 0.0) * radius(i);
        (0..count).map(at).collect()
    }

    /// Twice the area that the corners go round.
    fn area_within(points: &[Vec3]) -> f64 {
        let pairs = points.iter().zip(points.iter().cycle().skip(1));
        pairs.map(|(p, q)| f64::from(p.x) * f64::from(q.y) - f64::from(p.y) * f64::from(q.x)).sum::<f64>() / 2.0
    }

    #[test]
    fn a_star_of_thousands_of_corners_is_covered_once() {
        let spiked = |i: usize| if i.is_multiple_of(2) { 0.5 } else { 0.25 };
        let wavy = |i: usize| 1.0 + 0.3 * libm::sinf(i as f32 * 0.05) + 0.05 * libm::sinf(i as f32);
        for points in [star(3000, spiked), star(3000, wavy), star(300, spiked)] {
            let triangles = triangulate(&points);
            assert_eq!(triangles.len(), points.len() - 2);
            let areas: Vec<f64> = triangles.iter().map(|&t| f64::from(area(&points, &[t]))).collect();
            assert!(areas.iter().all(|&area| area > 0.0), "{areas:?}");
            let (sum, expected) = (areas.iter().sum::<f64>(), area_within(&points));
            assert!((sum / expected - 1.0).abs() < 1e-4, "{sum} {expected}");
        }
    }

    #[test]
    fn a_large_comb_keeps_all_corners_and_its_area() {
        let teeth = 1000_u16;
        let tooth = |i: u16| [(f32::from(i), 1.0), (f32::from(i) + 0.5, 0.1)];
        let mut corners: Vec<(f32, f32)> = (0..teeth).flat_map(tooth).collect();
        corners.extend([(f32::from(teeth), 1.0), (f32::from(teeth), 0.0), (0.0, 0.0)]);
        corners.reverse();
        let comb = polygon(&corners);
        let triangles = triangulate(&comb);
        let mut used: Vec<usize> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!((triangles.len(), used.len()), (comb.len() - 2, comb.len()));
        let expected = 0.55 * f32::from(teeth);
        assert!((area(&comb, &triangles) / expected - 1.0).abs() < 1e-4);
        assert!(triangles.iter().all(|&t| area(&comb, &[t]) > 0.0));
    }

    #[test]
    fn large_convex_polygons_stay_fans_but_for_straight_sides() {
        let round = star(1000, |_| 1.0);
        assert!(triangulate(&round).iter().enumerate().all(|(i, t)| *t == [0, i + 1, i + 2]));
        let side = |from: Vec3, to: Vec3| (0..100_u8).map(move |i| from.lerp(to, f32::from(i) / 100.0));
        let corners = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y];
        let square: Vec<Vec3> = (0..4).flat_map(|i| side(corners[i], corners[(i + 1) % 4])).collect();
        let triangles = triangulate(&square);
        assert!((area(&square, &triangles) - 1.0).abs() < 1e-4);
        for corner in 0..square.len() {
            let own: Vec<[usize; 3]> = triangles.iter().copied().filter(|t| t.contains(&corner)).collect();
            assert!(area(&square, &own) > 1e-6, "corner {corner} has no mass");
        }
    }

    #[test]
    fn a_large_polygon_that_crosses_itself_is_cut_in_bounded_time() {
        let golden = |i: u16| 2.4 * f32::from(i);
        let corners: Vec<(f32, f32)> = (0..20_000).map(|i| (libm::cosf(golden(i)), libm::sinf(golden(i)))).collect();
        let triangles = triangulate(&polygon(&corners));
        let mut used: Vec<usize> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!((triangles.len(), used.len()), (19_998, 20_000));
    }
}
