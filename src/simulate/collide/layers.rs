//! Cloth against cloth: particles are kept off the triangles of other layers.
//!
//! ```text
//!      o  particle, seen on this side when the pair was found      depth = gap - side (p - c) . n
//!      |
//!  ----c----- triangle                                             p moves along side n, a b c against it
//! ```
//!
//! Pairs that come near are looked for every few substeps. Each remembers the side it was found on, so that a particle that
//! slips through between two looks is brought back. Cloth that lies closer than the gap at rest may lie as close as that.

use rayon::prelude::*;

use super::Touch;
use crate::geometry::{Aabb, Bvh, Feature, Vec3, closest_point_on_triangle};
use crate::simulate::cloth::Cloth;
use crate::topology::Topology;

/// Gap between layers as a part of the mean edge: less lets edges slip between particles, more makes cloth thick.
const GAP: f32 = 0.35;
/// How near pairs are looked for, in gaps.
const REACH: f32 = 3.0;
/// How far from a triangle, in gaps, cloth of the same sheet is too near to fold back onto it.
const SHEET: f32 = 5.0;
/// Triangles that a particle is kept off at a time, the nearest ones.
const NEAREST: usize = 8;
/// Substeps from one look to the next.
const LOOK_EVERY: u32 = 4;
/// Part of its rest distance that a pair closer than the gap at rest keeps.
const REST_PART: f32 = 0.8;
/// Particles one task takes at least.
const PARTICLES_PER_TASK: usize = 256;

/// A particle near a triangle of another part of the cloth.
#[derive(Clone, Copy, Debug)]
struct Pair {
    particle: u32,
    triangle: u32,
    /// 1 where the triangle's normal points, -1 behind it.
    side: f32,
    gap: f32,
}

/// Pairs of cloth that may touch.
#[derive(Debug)]
pub(in crate::simulate) struct Layers {
    triangles: Vec<[u32; 3]>,
    rest: Vec<Vec3>,
    /// Unit normal of each triangle at rest.
    rest_normals: Vec<Vec3>,
    /// Particles that share a face with each particle, itself included, ascending, one list after the other.
    ring_starts: Vec<u32>,
    rings: Vec<u32>,
    bvh: Bvh,
    positions: Vec<Vec3>,
    pairs: Vec<Pair>,
    gap: f32,
    substeps_to_look: u32,
}

impl Layers {
    pub(in crate::simulate) fn new(topology: &Topology) -> Layers {
        let triangles: Vec<[u32; 3]> = topology.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let (ring_starts, rings) = rings(topology.positions.len(), &triangles);
        let rest = &topology.positions;
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| rest[i as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        Layers {
            rest_normals: triangles.iter().map(normal).collect(),
            bvh: Bvh::build(&topology.positions, &triangles),
            triangles,
            rest: topology.positions.clone(),
            ring_starts,
            rings,
            positions: Vec::new(),
            pairs: Vec::new(),
            gap: GAP * topology.mean_edge(),
            substeps_to_look: 0,
        }
    }

    /// Pushes layers apart.
    pub(in crate::simulate) fn collide(&mut self, cloth: &mut Cloth, touch: Touch) {
        if self.substeps_to_look == 0 {
            self.look(cloth);
            self.substeps_to_look = LOOK_EVERY;
        }
        self.substeps_to_look -= 1;
        for pair in &self.pairs {
            separate(pair, self.triangles[pair.triangle as usize], cloth, touch);
        }
    }

    fn look(&mut self, cloth: &Cloth) {
        self.positions.clear();
        self.positions.extend(cloth.points[..cloth.len()].iter().map(|p| p.at));
        self.bvh.refit(&self.positions, &self.triangles);
        let found: Vec<Vec<Pair>> = (0..self.positions.len() as u32)
            .into_par_iter()
            .with_min_len(PARTICLES_PER_TASK)
            .map(|particle| self.pairs_of(particle))
            .collect();
        self.pairs.clear();
        self.pairs.extend(found.into_iter().flatten());
    }

    fn pairs_of(&self, particle: u32) -> Vec<Pair> {
        let position = self.positions[particle as usize];
        let reach = REACH * self.gap;
        let ring =
            &self.rings[self.ring_starts[particle as usize] as usize..self.ring_starts[particle as usize + 1] as usize];
        let mut pairs = Vec::new();
        self.bvh.overlapping(&Aabb { min: position, max: position }.inflated(reach), |triangle| {
            let corners = self.triangles[triangle as usize];
            if self.is_beside(particle, triangle) || corners.iter().any(|c| ring.binary_search(c).is_ok()) {
                return;
            }
            let places = corners.map(|c| self.positions[c as usize]);
            let closest = closest_point_on_triangle(position, places);
            if closest.point.distance_squared(position) > reach * reach {
                return;
            }
            let gap = self.gap_of(particle, corners);
            let [a, b, c] = places;
            let side = if (position - closest.point).dot((b - a).cross(c - a)) < 0.0 { -1.0 } else { 1.0 };
            pairs.push((closest.point.distance_squared(position), Pair { particle, triangle, side, gap }));
        });
        pairs.sort_unstable_by(|(d, p), (e, q)| d.total_cmp(e).then(p.triangle.cmp(&q.triangle)));
        pairs.into_iter().take(NEAREST).map(|(_, pair)| pair).collect()
    }

    /// Whether a triangle lies next to a particle in the same sheet, where only bending keeps cloth apart.
    fn is_beside(&self, particle: u32, triangle: u32) -> bool {
        let between = self.rest[particle as usize] - self.rest[self.triangles[triangle as usize][0] as usize];
        let squared = between.length_squared();
        let lift = between.dot(self.rest_normals[triangle as usize]);
        squared < (SHEET * self.gap) * (SHEET * self.gap) && lift * lift < 0.25 * squared
    }

    /// Distance that a pair keeps, metres.
    fn gap_of(&self, particle: u32, corners: [u32; 3]) -> f32 {
        let place = self.rest[particle as usize];
        let rest_point = closest_point_on_triangle(place, corners.map(|c| self.rest[c as usize])).point;
        self.gap.min(REST_PART * rest_point.distance(place))
    }
}

fn separate(pair: &Pair, corners: [u32; 3], cloth: &mut Cloth, touch: Touch) {
    let p = pair.particle as usize;
    let [a, b, c] = corners.map(|i| i as usize);
    let position = cloth.points[p].at;
    let places = [a, b, c].map(|i| cloth.points[i].at);
    let cross = (places[1] - places[0]).cross(places[2] - places[0]);
    let lift = (position - places[0]).dot(cross) * pair.side;
    if lift > 0.0 && lift * lift > pair.gap * pair.gap * cross.length_squared() {
        return; // further from the triangle's plane than the gap, as most pairs are
    }
    let closest = closest_point_on_triangle(position, places);
    let away = position - closest.point;
    let squared = away.length_squared();
    let (distance, normal) = match closest.feature {
        Feature::Face => {
            let normal = cross.normalize_or_zero() * pair.side;
            (away.dot(normal), normal)
        }
        _ if squared < pair.gap * pair.gap && squared > 0.0 => {
            let distance = squared.sqrt();
            (distance, away / distance)
        }
        _ => return,
    };
    if distance >= pair.gap || normal == Vec3::ZERO {
        return;
    }
    let weights = closest.barycentric;
    let w = [p, a, b, c].map(|i| cloth.points[i].inverse_mass);
    let mobility = w[0] + w[1] * weights.x * weights.x + w[2] * weights.y * weights.y + w[3] * weights.z * weights.z;
    if mobility <= 0.0 {
        return;
    }
    let moved = |i: usize| cloth.points[i].at - cloth.previous[i].at;
    let relative = moved(p) - moved(a) * weights.x - moved(b) * weights.y - moved(c) * weights.z;
    let closing = (-relative.dot(normal)).max(0.0);
    let depth = (pair.gap - distance).min(closing + touch.rise);
    let slip = relative - normal * relative.dot(normal);
    let length = slip.length();
    let grip = if length > 0.0 { (touch.friction * depth / length).min(1.0) } else { 0.0 };
    let push = (normal * depth - slip * grip) / mobility;
    cloth.points[p].at += push * w[0];
    cloth.points[a].at -= push * (w[1] * weights.x);
    cloth.points[b].at -= push * (w[2] * weights.y);
    cloth.points[c].at -= push * (w[3] * weights.z);
}

fn rings(particles: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<(u32, u32)> =
        triangles.iter().flat_map(|t| t.iter().flat_map(|&a| t.iter().map(move |&b| (a, b)))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut starts = vec![0_u32; particles + 1];
    for &(a, _) in &pairs {
        starts[a as usize + 1] += 1;
    }
    for i in 0..particles {
        starts[i + 1] += starts[i];
    }
    (starts, pairs.into_iter().map(|(_, b)| b).collect())
}
