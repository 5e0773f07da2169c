//! How often a mesh winds around a point (Jacobson et al. 2013): 1 inside a closed surface, 2 inside two nested ones,
//! in between near a hole.
//!
//! Each triangle adds its solid angle over 4 pi. Far away a cluster of neighbouring triangles counts as one dipole
//! (Barill et al. 2018), so that a query costs the number of clusters.

use crate::geometry::{Bvh, DVec3, Vec3};

/// Triangles a cluster holds. Queries cost about `triangles / CLUSTER + 3 CLUSTER`.
const CLUSTER: usize = 64;
/// Distance, in radii of the cluster, beyond which it counts as a dipole. Less is faster; 3 errs by about 0.01.
const FAR: f64 = 3.0;

/// A posed mesh prepared for winding numbers.
pub(crate) struct WindingField<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    order: &'a [u32],
    clusters: Vec<Dipole>,
}

/// A cluster seen from afar.
struct Dipole {
    centre: DVec3,
    /// Furthest corner from the centre, metres.
    radius: f64,
    /// Sum of the triangles' area vectors, m2.
    area: DVec3,
}

impl<'a> WindingField<'a> {
    /// `bvh` is fitted to `positions`; its order makes the clusters compact.
    pub(crate) fn new(bvh: &'a Bvh, positions: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Self {
        let order = bvh.triangle_order();
        let clusters = order.chunks(CLUSTER).map(|run| Dipole::new(run, positions, triangles)).collect();
        WindingField { positions, triangles, order, clusters }
    }

    /// The generalised winding number at `point`.
    pub(crate) fn at(&self, point: DVec3) -> f64 {
        let solid_angle: f64 = self
            .order
            .chunks(CLUSTER)
            .zip(&self.clusters)
            .map(|(run, dipole)| {
                let offset = dipole.centre - point;
                let distance = offset.length();
                if distance > FAR * dipole.radius {
                    return dipole.area.dot(offset) / (distance * distance * distance);
                }
                run.iter().map(|&t| solid_angle(corners(self.positions, self.triangles, t).map(|c| c - point))).sum()
            })
            .sum();
        solid_angle / (4.0 * std::f64::consts::PI)
    }
}

impl Dipole {
    fn new(run: &[u32], positions: &[Vec3], triangles: &[[u32; 3]]) -> Dipole {
        let (mut centre, mut weight, mut area) = (DVec3::ZERO, 0.0, DVec3::ZERO);
        for &t in run {
            let [a, b, c] = corners(positions, triangles, t);
            let normal = 0.5 * (b - a).cross(c - a);
            // The smallest area keeps the centre defined for a run of degenerate triangles.
            let size = normal.length().max(f64::MIN_POSITIVE.sqrt());
            centre += (a + b + c) / 3.0 * size;
            weight += size;
            area += normal;
        }
        let centre = centre / weight;
        let all_corners = run.iter().flat_map(|&t| corners(positions, triangles, t));
        let radius = all_corners.map(|c| c.distance_squared(centre)).fold(0.0, f64::max).sqrt();
        Dipole { centre, radius, area }
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
