//! How the cloth around each particle is turned from how it lay at rest.
//!
//! ```text
//!        n              n  mean normal of the particle's triangles
//!    \   |   /          within the tangent plane: the rotation that takes the edges at rest closest to the edges now
//!   --\--o--/--
//!      /   \            an exact rotation for cloth that only moves, whatever it is stretched
//! ```
//!
//! And how much it is bent since: the change of curvature along the edges around it, their root mean square.

use crate::geometry::{Mat3, Vec3, area_normals};
use crate::topology::{ParticleId, Topology};

/// Most that a fold stretches or crushes what lies on it; beyond, it is pressed onto the cloth.
const FOLD_STRAIN: f32 = 0.02;

/// How a particle's surroundings are now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// How they are turned.
    pub(super) rotation: Mat3,
    /// How much more they are bent than at rest, 1/m.
    pub(super) bend: f32,
    /// Part of its distance from the cloth that what lies here keeps.
    pub(super) height: f32,
}

impl Turn {
    /// Presses what lies here up to `height` metres off the cloth onto it, as far as it is bent.
    pub(super) fn press(&mut self, height: f32) {
        let strain = self.bend * height;
        self.height = if strain > FOLD_STRAIN { FOLD_STRAIN / strain } else { 1.0 };
    }
}

/// The frames of a cloth at rest.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    rest: Vec<Mat3>,
}

impl Turns {
    pub(super) fn new(topology: &Topology) -> Turns {
        let normals = normals(topology, &topology.positions);
        Turns { rest: normals.into_iter().map(axes_around).collect() }
    }

    /// How each particle's surroundings are, the cloth being at `positions`.
    pub(super) fn at(&self, topology: &Topology, positions: &[Vec3]) -> Vec<Turn> {
        let normals = normals(topology, positions);
        let turn = |particle: usize| {
            let (rest, now) = (self.rest[particle], axes_around(normals[particle]));
            let (mut along, mut across, mut bends) = (0.0_f32, 0.0_f32, 0.0_f32);
            let neighbours = topology.neighbours.of(ParticleId(particle as u32));
            for neighbour in neighbours.iter().map(|p| p.index()) {
                let was = topology.positions[neighbour] - topology.positions[particle];
                let is = positions[neighbour] - positions[particle];
                let more = curvature(is, now.z_axis, normals[neighbour])
                    - curvature(was, rest.z_axis, self.rest[neighbour].z_axis);
                bends += more * more;
                let (was, is) = (rest.transpose() * was, now.transpose() * is);
                along += was.x * is.x + was.y * is.y;
                across += was.x * is.y - was.y * is.x;
            }
            let length = (along * along + across * across).sqrt();
            let (cosine, sine) = if length > 0.0 { (along / length, across / length) } else { (1.0, 0.0) };
            let x = now.x_axis * cosine + now.y_axis * sine;
            Turn {
                rotation: Mat3::from_cols(x, now.z_axis.cross(x), now.z_axis) * rest.transpose(),
                bend: (bends / neighbours.len().max(1) as f32).sqrt(),
                height: 1.0,
            }
        };
        (0..positions.len()).map(turn).collect()
    }
}

/// Curvature along an edge between places with unit normals `from` and `to`, 1/m.
fn curvature(edge: Vec3, from: Vec3, to: Vec3) -> f32 {
    let squared = edge.length_squared();
    if squared > 0.0 { (to - from).dot(edge) / squared } else { 0.0 }
}

/// Unit normals of the particles, weighted by area; up where there is none.
pub(super) fn normals(topology: &Topology, positions: &[Vec3]) -> Vec<Vec3> {
    let sums = area_normals(positions, topology.triangles.iter().map(|t| t.map(|p| p.0)));
    sums.into_iter().map(|sum| sum.try_normalize().unwrap_or(Vec3::Y)).collect()
}

/// Right-handed axes, the third along the unit vector `normal`.
fn axes_around(normal: Vec3) -> Mat3 {
    let (x, y) = normal.any_orthonormal_pair();
    Mat3::from_cols(x, y, normal)
}

/// The rotation nearest to the sum of rotations that are alike; the first of them if they are not.
pub(super) fn mean(rotations: impl Iterator<Item = Mat3>) -> Mat3 {
    /// Steps of Newton's method: it doubles the digits in each, from a sum whose part of the way is at most a few per cent.
    const STEPS: usize = 12;
    let (mut sum, mut first, mut count) = (Mat3::ZERO, None, 0.0_f32);
    for rotation in rotations {
        first.get_or_insert(rotation);
        sum += rotation;
        count += 1.0;
    }
    let mut mean = sum * (1.0 / count.max(1.0));
    for _ in 0..STEPS {
        if mean.determinant() < 1e-3 {
            return first.unwrap_or(Mat3::IDENTITY);
        }
        mean = (mean + mean.inverse().transpose()) * 0.5;
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Quat;
    use crate::topology::{build, grids};

    #[test]
    fn cloth_that_moves_as_a_whole_turns_with_it_however_it_is_stretched() {
        let cloth = build(&grids::tube(12, 5)).expect("a tube");
        let turns = Turns::new(&cloth);
        let turn = Mat3::from_quat(Quat::from_xyzw(0.5, -0.1, 0.3, 0.8).normalize());
        for stretch in [1.0, 1.2] {
            let moved: Vec<Vec3> = cloth.positions.iter().map(|&p| turn * (p * stretch) + Vec3::X).collect();
            for found in turns.at(&cloth, &moved).iter().map(|turn| turn.rotation) {
                assert!((found - turn).to_cols_array().iter().all(|c| c.abs() < 1e-4), "{found}");
            }
        }
    }

    #[test]
    fn a_sheet_rolled_up_is_bent_along_as_its_radius_says() {
        let sheet = build(&grids::grid(20, 20)).expect("a grid");
        let turns = Turns::new(&sheet);
        let size = crate::geometry::Aabb::around(&sheet.positions).size().max_element();
        let radius = size / 2.0;
        let rolled =
            |p: &Vec3| Vec3::new(radius * libm::sinf(p.x / radius), p.y, p.z + radius * libm::cosf(p.x / radius));
        let rolled: Vec<Vec3> = sheet.positions.iter().map(rolled).collect();
        // Of the four edges around an inner particle two bend.
        let found = turns.at(&sheet, &rolled)[10 * 20 + 10].bend * radius;
        assert!((found - 0.5_f32.sqrt()).abs() < 0.02, "{found}");
        assert!(turns.at(&sheet, &sheet.positions).iter().all(|turn| turn.bend < 1e-3 / radius));
    }

    #[test]
    fn the_mean_of_rotations_is_a_rotation_between_them() {
        let about_z = |sine: f32| {
            let cosine = (1.0 - sine * sine).sqrt();
            Mat3::from_cols(Vec3::new(cosine, sine, 0.0), Vec3::new(-sine, cosine, 0.0), Vec3::Z)
        };
        let found = mean([about_z(0.5), about_z(-0.5)].into_iter());
        assert!((found - Mat3::IDENTITY).to_cols_array().iter().all(|c| c.abs() < 1e-5), "{found}");
        let opposite = [Mat3::IDENTITY, Mat3::from_diagonal(Vec3::new(-1.0, -1.0, 1.0))];
        assert_eq!(mean(opposite.into_iter()), Mat3::IDENTITY);
    }
}
