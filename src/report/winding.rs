//! How often a mesh winds around a point (Jacobson et al. 2013): 1 inside a closed surface, 2 where two overlap,
//! in between near a hole.
//!
//! Each triangle adds its solid angle over 4 pi. Seen from afar a group of neighbouring triangles counts as one dipole, and
//! the groups are a tree (Barill et al. 2018), so that a query costs about the logarithm of their number:
//!
//! ```text
//! levels[0]   |0-3|4-7|8-11|12-15| ...   dipoles of four triangles in the order of the bounding volume hierarchy
//! levels[1]   |  0-7  |    8-15   | ...   of two dipoles below
//! ```

use crate::geometry::{Bvh, DVec3, Vec3};

/// Triangles that share a dipole on the lowest level.
const GROUP: usize = 4;
/// Distance, in radii of the group, beyond which it counts as a dipole. Less is faster; 2 errs by about 0.02.
const FAR: f64 = 2.0;

/// A posed mesh prepared for winding numbers.
pub(crate) struct WindingField<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    order: &'a [u32],
    levels: Vec<Vec<Dipole>>,
}

/// A group of triangles seen from afar.
#[derive(Clone, Copy)]
struct Dipole {
    centre: DVec3,
    /// Radius of a ball around the centre that holds the group, metres.
    radius: f64,
    /// Sum of the triangles' area vectors, m2.
    area_vector: DVec3,
    /// Sum of the triangles' areas, m2.
    area: f64,
}

impl<'a> WindingField<'a> {
    /// The triangles are taken in the order of `bvh`, which makes the groups compact.
    pub(crate) fn new(bvh: &'a Bvh, positions: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Self {
        let order = bvh.triangle_order();
        let lowest = order.chunks(GROUP).map(|run| Dipole::of_triangles(run, positions, triangles)).collect();
        let mut levels: Vec<Vec<Dipole>> = vec![lowest];
        while let Some(below) = levels.last().filter(|l| l.len() > 1) {
            levels.push(below.chunks(2).map(Dipole::of_dipoles).collect());
        }
        WindingField { positions, triangles, order, levels }
    }

    /// The generalised winding number at `point`.
    pub(crate) fn at(&self, point: DVec3) -> f64 {
        let top = self.levels.len() - 1;
        let solid_angle: f64 = (0..self.levels[top].len()).map(|i| self.group(top, i, point)).sum();
        solid_angle / (4.0 * std::f64::consts::PI)
    }

    /// Solid angle of a group.
    fn group(&self, level: usize, index: usize, point: DVec3) -> f64 {
        let dipole = &self.levels[level][index];
        let offset = dipole.centre - point;
        let distance = offset.length();
        if distance > FAR * dipole.radius {
            return dipole.area_vector.dot(offset) / (distance * distance * distance);
        }
        if level > 0 {
            let below = self.levels[level - 1].len();
            return (2 * index..(2 * index + 2).min(below)).map(|i| self.group(level - 1, i, point)).sum();
        }
        let run = &self.order[GROUP * index..(GROUP * (index + 1)).min(self.order.len())];
        run.iter().map(|&t| solid_angle(corners(self.positions, self.triangles, t).map(|c| c - point))).sum()
    }
}

impl Dipole {
    fn of_triangles(run: &[u32], positions: &[Vec3], triangles: &[[u32; 3]]) -> Dipole {
        let single = |&t: &u32| {
            let [a, b, c] = corners(positions, triangles, t);
            let centre = (a + b + c) / 3.0;
            let area_vector = 0.5 * (b - a).cross(c - a);
            let radius = [a, b, c].iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
            Dipole { centre, radius, area_vector, area: area_vector.length() }
        };
        Dipole::of_dipoles(&run.iter().map(single).collect::<Vec<_>>())
    }

    fn of_dipoles(parts: &[Dipole]) -> Dipole {
        // The smallest weight keeps the centre defined for a group without area.
        let weight = |d: &Dipole| d.area.max(1e-150);
        let total: f64 = parts.iter().map(weight).sum();
        let centre = parts.iter().map(|d| d.centre * (weight(d) / total)).sum::<DVec3>();
        Dipole {
            centre,
            radius: parts.iter().map(|d| d.centre.distance(centre) + d.radius).fold(0.0, f64::max),
            area_vector: parts.iter().map(|d| d.area_vector).sum(),
            area: parts.iter().map(|d| d.area).sum(),
        }
    }
}

/// Signed solid angle of a triangle seen from the origin (van Oosterom & Strackee 1983), positive from behind.
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(numerator, denominator)
}

fn corners(positions: &[Vec3], triangles: &[[u32; 3]], triangle: u32) -> [DVec3; 3] {
    triangles[triangle as usize].map(|v| positions[v as usize].as_dvec3())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of `rings` x `2 rings` quads cut into triangles, wound outwards.
    fn sphere(rings: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let segments = 2 * rings;
        let at = |ring: u32, segment: u32| {
            let polar = std::f32::consts::PI * ring as f32 / rings as f32;
            let around = 2.0 * std::f32::consts::PI * (segment % segments) as f32 / segments as f32;
            let radius = libm::sinf(polar);
            Vec3::new(radius * libm::cosf(around), libm::cosf(polar), -radius * libm::sinf(around))
        };
        let positions = (0..=rings).flat_map(|r| (0..segments).map(move |s| at(r, s))).collect();
        let quad = |r: u32, s: u32| {
            let [a, b] = [s, (s + 1) % segments].map(|s| r * segments + s);
            [[a, a + segments, b + segments], [a, b + segments, b]]
        };
        (positions, (0..rings).flat_map(|r| (0..segments).flat_map(move |s| quad(r, s))).collect())
    }

    #[test]
    fn a_sphere_winds_once_around_its_inside_and_not_around_the_rest() {
        let (positions, triangles) = sphere(40);
        let bvh = Bvh::build(&positions, &triangles);
        let field = WindingField::new(&bvh, &positions, &triangles);
        for step in 0..40 {
            let radius = 0.05 * f64::from(step);
            let expected = if radius < 1.0 { 1.0 } else { 0.0 };
            // 0.05 is far from the threshold of 0.5 that tells inside from outside.
            let at = field.at(DVec3::new(0.6, 0.48, 0.64) * radius);
            assert!(step == 20 || (at - expected).abs() < 0.05, "{at} at radius {radius}");
        }
    }
}
