//! Coarser cloth: edges collapse until few enough particles are left.
//!
//! ```text
//!     a --- u           a --- u      v moves onto its neighbour u; both triangles of the edge vanish. Cost: the length of
//!    / \  ^/ \         / \   /|\     the edge, and how far the surface moves: that of u from the planes around v.
//!   /   \v/   \  ->   /   \ / | \
//!   \  / | \  /       \   _/  | /    Not done where it would change how the cloth hangs together (link condition), turn a
//!    \/  |  \/         \/     |/     triangle over, or move a border, a pin or a seam of more than two faces.
//! ```
//!
//! Source: Hoppe et al., *Mesh optimization*, 1993 (collapses, link condition); Lindstrom and Turk, *Fast and memory
//! efficient polygonal simplification*, 1998 (planes of the mesh as it is now).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Place, Resampled};
use crate::geometry::{DVec3, Vec3, closest_point_on_triangle};
use crate::import::Polygons;
use crate::topology::{EdgeFaces, ParticleId, Topology};

/// What a distance of the surface costs, against the same length of an edge. More keeps folds, less keeps edges alike.
const SURFACE_COST: f64 = 8.0;
/// Cosine of the angle by which a triangle may turn.
const LEAST_TURN: f64 = 0.5;
/// Least shape of a triangle that a collapse makes: twice its area over its longest side squared; 0.87 for equal sides.
const LEAST_SHAPE: f64 = 0.15;
/// Triangles of a particle from which on neither it nor a neighbour onto it collapses: the time of each such collapse grows with
/// the square of their number. Vertices of garments have twenty at most; hubs of absurd fans have thousands.
const MOST_AROUND: usize = 96;
/// Triangles a component keeps at least.
const LEAST_TRIANGLES: u32 = 8;

/// `topology` with about `particles` particles, not fewer than its shape and `held`, its pins, allow.
pub(super) fn coarsened(topology: &Topology, particles: usize, held: &[ParticleId]) -> Resampled {
    let mut mesh = Mesh::new(topology, held);
    mesh.collapse_to(particles);
    mesh.finish(topology)
}

/// What may happen to a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Inner,
    Border,
    /// Where more than two faces meet, or several borders: stays.
    Fixed,
}

/// A collapse that may be the next: cost, particle, its state when this was noted, neighbour.
type Candidate = Reverse<(u64, u32, u32, u32)>;

struct Mesh<'a> {
    positions: &'a [Vec3],
    triangles: Vec<Option<[u32; 3]>>,
    /// Triangles of each particle.
    around: Vec<Vec<u32>>,
    kinds: Vec<Kind>,
    is_held: Vec<bool>,
    component: &'a [u32],
    /// Triangles that each component has left.
    left: Vec<u32>,
    /// Where each particle went; itself while it is there.
    went_to: Vec<u32>,
    /// How often the surroundings of each particle changed.
    version: Vec<u32>,
    queue: BinaryHeap<Candidate>,
    particles: usize,
}

impl<'a> Mesh<'a> {
    fn new(topology: &'a Topology, held: &[ParticleId]) -> Self {
        let count = topology.positions.len();
        let triangles: Vec<[u32; 3]> = topology.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let mut around = vec![Vec::new(); count];
        let mut left = vec![0; topology.component_count];
        for (index, triangle) in triangles.iter().enumerate() {
            triangle.iter().for_each(|&p| around[p as usize].push(index as u32));
            left[topology.component_of_particle[triangle[0] as usize] as usize] += 1;
        }
        let mut is_held = vec![false; count];
        held.iter().for_each(|p| is_held[p.index()] = true);
        let mut mesh = Mesh {
            positions: &topology.positions,
            kinds: kinds(&triangles, count),
            triangles: triangles.into_iter().map(Some).collect(),
            around,
            is_held,
            component: &topology.component_of_particle,
            left,
            went_to: (0..count as u32).collect(),
            version: vec![0; count],
            queue: BinaryHeap::new(),
            particles: count,
        };
        (0..count as u32).for_each(|v| mesh.note(v));
        mesh
    }

    fn collapse_to(&mut self, particles: usize) {
        while self.particles > particles {
            let Some(Reverse((_, v, version, u))) = self.queue.pop() else { return };
            // Elsewhere its component may have lost triangles since.
            let is_as_noted = self.version[v as usize] == version && self.went_to[v as usize] == v;
            if is_as_noted && self.can_lose(v, 2) {
                self.collapse(v, u);
            }
        }
    }

    /// Notes the cheapest collapse of `v` that is allowed now.
    fn note(&mut self, v: u32) {
        if self.kinds[v as usize] == Kind::Fixed || self.is_hub(v) {
            return;
        }
        let ring = self.ring(v);
        let goals = ring.iter().filter(|&&u| !self.is_hub(u));
        let mut costs: Vec<(f64, u32)> = goals.map(|&u| (self.cost(v, u), u)).collect();
        costs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if let Some(&(cost, u)) = costs.iter().find(|&&(_, u)| self.is_allowed(v, u, &ring)) {
            // Costs are positive: their bits are in the order of their values.
            self.queue.push(Reverse((cost.to_bits(), v, self.version[v as usize], u)));
        }
    }

    fn is_hub(&self, v: u32) -> bool {
        self.around[v as usize].len() > MOST_AROUND
    }

    fn at(&self, p: u32) -> DVec3 {
        self.positions[p as usize].as_dvec3()
    }

    fn triangles_of(&self, v: u32) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.around[v as usize].iter().filter_map(|&t| self.triangles[t as usize])
    }

    /// Particles that share a triangle with `v`, ascending.
    fn ring(&self, v: u32) -> Vec<u32> {
        let mut ring: Vec<u32> = self.triangles_of(v).flatten().filter(|&p| p != v).collect();
        ring.sort_unstable();
        ring.dedup();
        ring
    }

    fn cost(&self, v: u32, u: u32) -> f64 {
        let way = self.at(u) - self.at(v);
        let off = |triangle: [u32; 3]| normal(triangle.map(|p| self.at(p))).normalize_or_zero().dot(way).powi(2);
        let furthest = self.triangles_of(v).map(off).fold(self.off_border(v, u), f64::max);
        way.length_squared() + SURFACE_COST * SURFACE_COST * furthest
    }

    /// Square of the distance of `v`, if it is on a border, from the border without it.
    fn off_border(&self, v: u32, u: u32) -> f64 {
        if self.kinds[v as usize] != Kind::Border {
            return 0.0;
        }
        let on_border = |p: &u32| self.triangles_of(v).filter(|t| t.contains(p)).count() == 1;
        let Some(other) = self.ring(v).into_iter().find(|p| *p != u && on_border(p)) else { return 0.0 };
        let (from, along) = (self.at(v) - self.at(other), (self.at(u) - self.at(other)).normalize_or_zero());
        (from - along * from.dot(along)).length_squared()
    }

    fn is_allowed(&self, v: u32, u: u32, ring: &[u32]) -> bool {
        if self.is_held[v as usize] && !self.is_held[u as usize] {
            return false;
        }
        let shared: Vec<[u32; 3]> = self.triangles_of(v).filter(|t| t.contains(&u)).collect();
        if self.kinds[v as usize] == Kind::Border && shared.len() != 1 {
            return false;
        }
        let common = self.ring(u).into_iter().filter(|p| ring.binary_search(p).is_ok()).count();
        common == shared.len()
            && self.can_lose(v, shared.len() as u32)
            && self.triangles_of(v).filter(|t| !t.contains(&u)).all(|t| self.stays_fair(t, v, u))
    }

    /// Whether the component of `v` may lose so many triangles.
    fn can_lose(&self, v: u32, triangles: u32) -> bool {
        self.left[self.component[v as usize] as usize] >= LEAST_TRIANGLES + triangles
    }

    /// Whether the triangle neither turns over nor becomes a needle when its corner `v` moves to `u`.
    fn stays_fair(&self, triangle: [u32; 3], v: u32, u: u32) -> bool {
        let before = normal(triangle.map(|p| self.at(p)));
        let corners = triangle.map(|p| self.at(if p == v { u } else { p }));
        let after = normal(corners);
        let [a, b, c] = corners;
        let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
        let shape_was = {
            let [a, b, c] = triangle.map(|p| self.at(p));
            before.length() / a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a))
        };
        let is_fair = after.length() >= LEAST_SHAPE.min(shape_was) * longest;
        is_fair && after.dot(before) >= LEAST_TURN * after.length() * before.length()
    }

    fn collapse(&mut self, v: u32, u: u32) {
        let touched = self.ring(v);
        let mut moved = std::mem::take(&mut self.around[v as usize]);
        moved.retain(|&t| {
            let Some(mut triangle) = self.triangles[t as usize] else { return false };
            if triangle.contains(&u) {
                self.triangles[t as usize] = None;
                self.left[self.component[v as usize] as usize] -= 1;
                return false;
            }
            triangle.iter_mut().filter(|p| **p == v).for_each(|p| *p = u);
            self.triangles[t as usize] = Some(triangle);
            true
        });
        self.around[u as usize].extend(moved);
        for &p in &touched {
            if self.is_hub(p) {
                continue;
            }
            let Mesh { around, triangles, .. } = self;
            around[p as usize].retain(|&t| triangles[t as usize].is_some());
        }
        self.went_to[v as usize] = u;
        self.particles -= 1;
        for p in touched {
            self.version[p as usize] += 1;
            self.note(p);
        }
    }

    /// The particle that stands for `v`.
    fn stand_in(&self, mut v: u32) -> u32 {
        while self.went_to[v as usize] != v {
            v = self.went_to[v as usize];
        }
        v
    }

    fn finish(self, topology: &Topology) -> Resampled {
        let count = self.positions.len() as u32;
        let kept: Vec<u32> = (0..count).filter(|&v| self.went_to[v as usize] == v).collect();
        let mut number = vec![u32::MAX; count as usize];
        (0..).zip(&kept).for_each(|(new, &old)| number[old as usize] = new);
        let mut polygons = Polygons::default();
        self.triangles.iter().flatten().for_each(|t| polygons.push(&t.map(|p| number[p as usize])));
        let places = (0..count).map(|v| match self.stand_in(v) {
            own if own == v => Place::Particle(ParticleId(number[v as usize])),
            other => self.closest_from(v, other, &number),
        });
        let places = places.collect();
        let positions = kept.iter().map(|&p| topology.positions[p as usize]).collect();
        Resampled {
            topology: Topology::of_mesh(positions, polygons),
            places,
            between: kept.iter().map(|&p| vec![(ParticleId(p), 1.0)]).collect(),
        }
    }

    /// The place of `v` on the surface around `start`, found by walking from triangle to triangle as long as they come
    /// closer: what only lies near in space is not on the way.
    fn closest_from(&self, v: u32, start: u32, number: &[u32]) -> Place {
        let point = self.positions[v as usize];
        let closest = |triangle: [u32; 3]| {
            let found = closest_point_on_triangle(point, triangle.map(|p| self.positions[p as usize]));
            (found.point.distance_squared(point), triangle, found.barycentric)
        };
        let mut best: Option<(f32, [u32; 3], Vec3)> = None;
        let mut front = vec![start];
        loop {
            let nearest = front.iter().flat_map(|&p| self.triangles_of(p)).map(closest);
            let nearest = nearest.reduce(|a, b| if b.0 < a.0 { b } else { a });
            match nearest {
                Some(found) if best.is_none_or(|(distance, ..)| found.0 < distance) => {
                    front = found.1.into_iter().filter(|&p| !self.is_hub(p)).collect();
                    best = Some(found);
                }
                _ => break,
            }
        }
        match best {
            Some((_, triangle, weights)) => {
                Place::Surface { corners: triangle.map(|p| ParticleId(number[p as usize])), weights }
            }
            // No particle of a cloth without loose ones is without a triangle.
            None => Place::Particle(ParticleId(number[start as usize])),
        }
    }
}

/// Twice the area, along the normal.
fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

fn kinds(triangles: &[[u32; 3]], particles: usize) -> Vec<Kind> {
    let mut polygons = Polygons::default();
    triangles.iter().for_each(|t| polygons.push(t));
    let edges = EdgeFaces::of(&polygons, particles);
    let mut open_edges = vec![0; particles];
    let mut kinds = vec![Kind::Inner; particles];
    for edge in 0..edges.len() {
        let faces = edges.sides(edge).len();
        for end in edges.ends(edge).map(|p| p as usize) {
            match faces {
                1 => open_edges[end] += 1,
                2 => {}
                _ => kinds[end] = Kind::Fixed,
            }
        }
    }
    for (kind, open) in kinds.iter_mut().zip(open_edges).filter(|(kind, _)| **kind == Kind::Inner) {
        *kind = match open {
            0 => Kind::Inner,
            2 => Kind::Border,
            _ => Kind::Fixed,
        };
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    #[test]
    fn a_flat_sheet_keeps_its_outline_and_its_area() {
        let fine = build(&grids::grid(41, 41)).expect("a grid");
        let coarse = coarsened(&fine, 200, &[]);
        let t = &coarse.topology;
        assert!((190..=230).contains(&t.positions.len()), "{}", t.positions.len());
        assert_eq!((t.component_count, t.boundary_loops.len(), t.loose.len()), (1, 1, 0));
        // Every particle of the fine sheet lies on the coarse one.
        for (place, at) in coarse.places.iter().zip(&fine.positions) {
            let found = match place {
                Place::Particle(p) => t.positions[p.index()],
                Place::Surface { corners, weights } => {
                    let [a, b, c] = corners.map(|p| t.positions[p.index()]);
                    a * weights.x + b * weights.y + c * weights.z
                }
            };
            assert!(found.distance(*at) < 1e-4, "{found} {at}");
        }
    }

    #[test]
    fn sheets_that_lie_on_each_other_stay_two_and_pins_stay() {
        let one = grids::grid(31, 31);
        let both = grids::joined(one.clone(), &one, |p| p + Vec3::Z * 0.002);
        let fine = build(&both).expect("two sheets");
        let pins: Vec<ParticleId> = (0..31).map(ParticleId).collect();
        let coarse = coarsened(&fine, 120, &pins);
        let t = &coarse.topology;
        assert_eq!((t.component_count, t.boundary_loops.len()), (2, 2));
        for (place, component) in coarse.places.iter().zip(&fine.component_of_particle) {
            let found = match place {
                Place::Particle(p) => vec![*p],
                Place::Surface { corners, .. } => corners.to_vec(),
            };
            assert!(found.iter().all(|p| t.component_of_particle[p.index()] == *component));
        }
        let held = |p: &&Vec<(ParticleId, f32)>| pins.contains(&p[0].0);
        assert!(coarse.between.iter().filter(held).count() >= 2, "the ends of the pinned row stay");
        // Whatever lay on the pinned row still hangs between pins.
        for pin in &pins {
            if let Place::Surface { corners, weights } = coarse.places[pin.index()] {
                let is_pin = |p: &ParticleId| pins.contains(&coarse.between[p.index()][0].0);
                let parts = corners.iter().zip(weights.to_array()).filter(|(p, _)| is_pin(p));
                assert!(parts.map(|(_, w)| w).sum::<f32>() > 0.99);
            }
        }
    }

    #[test]
    fn the_hub_of_a_fan_stays_and_its_rim_goes() {
        let mut fan = grids::grid(2, 1500);
        fan.polygons = Polygons::default();
        fan.positions.push(Vec3::new(5.0, -0.5, 1.0));
        (0..2998).for_each(|i| fan.polygons.push(&[3000, i, i + 2]));
        let fine = build(&fan).expect("a fan");
        let coarse = coarsened(&fine, 500, &[]);
        assert!(matches!(coarse.places.last(), Some(Place::Particle(_))));
        assert!(coarse.topology.positions.len() < fine.positions.len());
    }

    #[test]
    fn no_number_makes_a_cloth_vanish() {
        for garment in [grids::grid(5, 5), grids::tube(9, 6)] {
            let fine = build(&garment).expect("a mesh");
            let coarse = coarsened(&fine, 0, &[]).topology;
            assert!(coarse.triangles.len() >= LEAST_TRIANGLES as usize, "{}", coarse.triangles.len());
            assert_eq!(coarse.boundary_loops.len(), fine.boundary_loops.len());
        }
    }
}
