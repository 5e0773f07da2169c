//! The rigid motion that brings points best to others.
//!
//! ```text
//! minimise  sum w |R (p - p0) + q0 - q|^2      p0, q0: weighted means;  R: the greatest eigenvector, as a quaternion, of a 4 x 4
//!                                              matrix made of  sum w (p - p0) (q - q0)^T
//! ```
//!
//! B. K. P. Horn, *Closed-form solution of absolute orientation using unit quaternions*, 1987. The eigenvector is found by
//! Jacobi's rotations: half turns and flat or straight sets of points need no care.

use super::{DQuat, DVec3, Vec3};

/// Jacobi sweeps over the matrix: three are enough for most, each squares the error.
const SWEEPS: u32 = 12;

/// A turn about one point and a way to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    rotation: DQuat,
    from: DVec3,
    to: DVec3,
}

impl RigidMotion {
    /// The motion that brings each first point nearest to its second, the third number being its weight. Without any weight
    /// nothing moves.
    pub fn best_fit(pairs: impl Iterator<Item = (Vec3, Vec3, f64)> + Clone) -> RigidMotion {
        let total: f64 = pairs.clone().map(|(.., weight)| weight).sum();
        if total <= 0.0 {
            return RigidMotion { rotation: DQuat::IDENTITY, from: DVec3::ZERO, to: DVec3::ZERO };
        }
        let mean = |place: fn((Vec3, Vec3, f64)) -> DVec3| pairs.clone().map(place).sum::<DVec3>() / total;
        let (from, to) = (mean(|(p, _, w)| p.as_dvec3() * w), mean(|(_, q, w)| q.as_dvec3() * w));
        let mut products = [[0.0; 3]; 3];
        for (p, q, weight) in pairs {
            let (p, q) = ((p.as_dvec3() - from) * weight, q.as_dvec3() - to);
            for (row, p) in products.iter_mut().zip(p.to_array()) {
                row.iter_mut().zip(q.to_array()).for_each(|(sum, q)| *sum += p * q);
            }
        }
        RigidMotion { rotation: rotation(products), from, to }
    }

    /// Where it brings a point.
    pub fn point(&self, point: Vec3) -> Vec3 {
        (self.rotation * (point.as_dvec3() - self.from) + self.to).as_vec3()
    }

    /// Cosine of half the angle that it turns by: 1 where it turns nothing, 0 of a half turn.
    pub fn half_cosine(&self) -> f64 {
        self.rotation.w.abs()
    }

    /// The same motion so far on its way, 0 to 1, by the shorter turn; fastest in the middle of a large one.
    pub fn part(&self, amount: f64) -> RigidMotion {
        let shorter = if self.rotation.w < 0.0 { -self.rotation } else { self.rotation };
        let rotation = (DQuat::IDENTITY * (1.0 - amount) + shorter * amount).normalize();
        RigidMotion { rotation, from: self.from, to: self.from.lerp(self.to, amount) }
    }

    /// The motion back.
    pub fn inverse(&self) -> RigidMotion {
        RigidMotion { rotation: self.rotation.inverse(), from: self.to, to: self.from }
    }

    /// How it turns a direction or a velocity.
    pub fn vector(&self, vector: Vec3) -> Vec3 {
        (self.rotation * vector.as_dvec3()).as_vec3()
    }
}

/// The rotation that agrees best with sums of products.
fn rotation(s: [[f64; 3]; 3]) -> DQuat {
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = s;
    let mut matrix = [
        [xx + yy + zz, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ];
    let mut vectors = [[0.0; 4]; 4];
    (0..4).for_each(|i| vectors[i][i] = 1.0);
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            turn(&mut matrix, &mut vectors, p, q);
        }
    }
    let greatest = (1..4).fold(0, |best, i| if matrix[i][i] > matrix[best][best] { i } else { best });
    let [w, x, y, z] = [0, 1, 2, 3].map(|row: usize| vectors[row][greatest]);
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// Turns rows and columns `p` and `q` so that what they have in common goes (Golub and Van Loan, algorithm 8.4.1).
fn turn(matrix: &mut [[f64; 4]; 4], vectors: &mut [[f64; 4]; 4], p: usize, q: usize) {
    let shared = matrix[p][q];
    if shared == 0.0 {
        return;
    }
    let ratio = (matrix[q][q] - matrix[p][p]) / (2.0 * shared);
    let tangent = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    let mix = |a: f64, b: f64| (cosine * a - sine * b, sine * a + cosine * b);
    for row in matrix.iter_mut().chain(vectors.iter_mut()) {
        (row[p], row[q]) = mix(row[p], row[q]);
    }
    let (of_p, of_q) = (matrix[p], matrix[q]);
    matrix[p] = std::array::from_fn(|column| mix(of_p[column], of_q[column]).0);
    matrix[q] = std::array::from_fn(|column| mix(of_p[column], of_q[column]).1);
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [Vec3; 5] = [
        Vec3::new(0.1, 0.9, 0.0),
        Vec3::new(-0.2, 1.0, 0.1),
        Vec3::new(0.0, 1.1, -0.15),
        Vec3::new(0.15, 0.95, 0.1),
        Vec3::new(0.3, 0.2, 0.2),
    ];

    fn check(points: &[Vec3], axis: DVec3, angle: f64) {
        let turn = DQuat::from_axis_angle(axis.normalize(), angle);
        let moved = |p: Vec3| (turn * p.as_dvec3() + DVec3::new(5.0, 0.3, -2.0)).as_vec3();
        let motion = RigidMotion::best_fit(points.iter().map(|&p| (p, moved(p), 1.0)));
        for &p in points {
            let miss = motion.point(p).distance(moved(p));
            assert!(miss < 2e-6, "{miss} m after {angle} about {axis}");
        }
    }

    #[test]
    fn any_rigid_motion_is_found_half_turns_too() {
        for axis in [DVec3::X, DVec3::Y, DVec3::new(1.0, -2.0, 0.5)] {
            for angle in [0.0, 1e-4, 0.7, 2.0, std::f64::consts::PI] {
                check(&POINTS, axis, angle);
                check(&POINTS[..2], axis, angle);
                check(&POINTS[..1], axis, angle);
            }
        }
    }

    #[test]
    fn half_of_a_motion_twice_is_all_of_it_and_its_inverse_leads_back() {
        for angle in [0.0, 0.7, 3.0, std::f64::consts::PI] {
            let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), angle);
            let motion = RigidMotion { rotation: turn, from: DVec3::ZERO, to: DVec3::ZERO };
            assert!((motion.half_cosine() - libm::cos(0.5 * angle)).abs() < 1e-12);
            for point in POINTS {
                let half = motion.part(0.5);
                assert!(half.point(half.point(point)).distance(motion.point(point)) < 1e-5);
                assert!(motion.inverse().point(motion.point(point)).distance(point) < 1e-5);
                assert!(motion.part(0.0).point(point).distance(point) < 1e-6);
                assert!(motion.part(1.0).point(point).distance(motion.point(point)) < 1e-6);
            }
        }
    }

    #[test]
    fn nothing_moves_nothing() {
        let motion = RigidMotion::best_fit(std::iter::empty());
        assert_eq!((motion.point(Vec3::ONE), motion.vector(Vec3::X)), (Vec3::ONE, Vec3::X));
    }
}
