//! Numbers the particles of a large cloth anew: what is near in the cloth is near in memory, and halves of it that are
//! simulated side by side are ranges.
//!
//! ```text
//!   pin                  The cloth is halved by planes, again and again. A plane that runs along the way from the pins to
//!    x-----.-----x       the hem parts little: tension passes along it, not through it. Each part is numbered away from
//!    | 0 ./ \. 3 |       the pins, in bands of one edge's length and along each band.
//!    | . / 1|2\ .|
//!    --------------      Small cloth is one part and keeps the numbers its file has.
//! ```

use super::{Adjacency, ParticleId, Parts, Topology};
use crate::geometry::{Aabb, Vec3, ordered_bits};

/// Particles from which a cloth is cut in two; in twice as many parts for every four times as many particles, so that parts
/// grow with the cloth. More parts feed more threads, but cuts cost quality: what lies on them is corrected by itself.
/// 40 000 particles hang as well in 2 parts as in one, in 4 they stretch by a twentieth more, in 8 by a seventh.
const LARGE: usize = 20_000;
/// Particles by which planes are chosen.
const SAMPLES: usize = 4096;
/// Part of the samples, around the middle one, by which a plane is judged.
const SLAB: f32 = 0.1;
/// What cutting an edge across the way from the pins costs, where cutting one along it costs 1 more.
const EDGE_COST: f32 = 0.2;
/// Normals that planes may have, before they are made unit vectors.
const NORMALS: [Vec3; 13] = {
    let n = Vec3::new;
    [
        n(1.0, 0.0, 0.0),
        n(0.0, 1.0, 0.0),
        n(0.0, 0.0, 1.0),
        n(1.0, 1.0, 0.0),
        n(1.0, -1.0, 0.0),
        n(1.0, 0.0, 1.0),
        n(1.0, 0.0, -1.0),
        n(0.0, 1.0, 1.0),
        n(0.0, 1.0, -1.0),
        n(1.0, 1.0, 1.0),
        n(1.0, 1.0, -1.0),
        n(1.0, -1.0, 1.0),
        n(1.0, -1.0, -1.0),
    ]
};

impl Topology {
    /// The same cloth, numbered for being simulated while `fixed` are held, and the fixed particles by their new numbers,
    /// ascending.
    pub fn numbered(self, fixed: &[ParticleId]) -> (Topology, Vec<ParticleId>) {
        let larger = self.positions.len() / LARGE;
        let halvings = if larger > 0 { larger.ilog2() / 2 + 1 } else { 0 };
        self.halved(halvings, fixed)
    }

    /// As [`Topology::numbered`], halved so many times.
    pub(crate) fn halved(self, halvings: u32, fixed: &[ParticleId]) -> (Topology, Vec<ParticleId>) {
        let particles = self.positions.len();
        if halvings == 0 {
            return (self, fixed.to_vec());
        }
        let mut order: Vec<u32> = (0..particles as u32).collect();
        let mut starts = vec![0];
        Cuts::new(&self, fixed).cut(&mut order, halvings, &mut starts);
        let mut numbers = vec![ParticleId(0); particles];
        (0..).zip(&order).for_each(|(new, &old)| numbers[old as usize] = ParticleId(new));
        let mut fixed: Vec<ParticleId> = fixed.iter().map(|p| numbers[p.index()]).collect();
        fixed.sort_unstable();
        (self.with_numbers(&order, &numbers, Parts::new(starts)), fixed)
    }

    /// Particle `old` becomes `numbers[old]`; `order` is the inverse.
    fn with_numbers(mut self, order: &[u32], numbers: &[ParticleId], parts: Parts) -> Topology {
        let renumber = |p: &mut ParticleId| *p = numbers[p.index()];
        let renumber_edges = |edges: &mut Vec<[ParticleId; 2]>| {
            for edge in edges.iter_mut() {
                edge.iter_mut().for_each(renumber);
                edge.sort_unstable();
            }
            edges.sort_unstable();
        };
        self.particle_of_vertex.iter_mut().for_each(renumber);
        self.polygons.corners.iter_mut().for_each(|p| *p = numbers[*p as usize].0);
        self.triangles.iter_mut().flatten().for_each(renumber);
        renumber_edges(&mut self.edges);
        renumber_edges(&mut self.file_edges);
        self.boundary_loops.iter_mut().flatten().for_each(renumber);
        self.loose.iter_mut().for_each(renumber);
        self.loose.sort_unstable();
        self.positions = order.iter().map(|&old| self.positions[old as usize]).collect();
        self.component_of_particle = order.iter().map(|&old| self.component_of_particle[old as usize]).collect();
        self.neighbours = Adjacency::of_edges(self.positions.len(), &self.edges);
        self.parts = parts;
        self
    }
}

/// What decides where a cloth is cut.
struct Cuts<'a> {
    topology: &'a Topology,
    /// Distance from where sweeps begin, metres.
    distances: Vec<f32>,
    bands_per_metre: f32,
}

impl Cuts<'_> {
    fn new<'a>(topology: &'a Topology, fixed: &[ParticleId]) -> Cuts<'a> {
        let edge = topology.mean_edge();
        let bands_per_metre = if edge > 0.0 { 1.0 / edge } else { 0.0 };
        Cuts { topology, distances: distances(topology, fixed), bands_per_metre }
    }

    /// Halves `particles` as often as asked, orders what is left, and notes where each part ends.
    fn cut(&self, particles: &mut [u32], halvings: u32, starts: &mut Vec<u32>) {
        let normal = self.best_normal(particles);
        let along = |p: u32| self.topology.positions[p as usize].dot(normal);
        if halvings == 0 {
            let band = |p: u32| (self.distances[p as usize] * self.bands_per_metre) as u32;
            particles.sort_by_cached_key(|&p| (band(p), sortable(along(p)), p));
            starts.push(starts.last().map_or(0, |&start| start + particles.len() as u32));
            return;
        }
        let middle = particles.len() / 2;
        particles.select_nth_unstable_by_key(middle, |&p| (sortable(along(p)), p));
        let (left, right) = particles.split_at_mut(middle);
        self.cut(left, halvings - 1, starts);
        self.cut(right, halvings - 1, starts);
    }

    /// Normal of the plane through the middle of `particles` that cuts the fewest edges, those along the way from the fixed
    /// particles counting most.
    fn best_normal(&self, particles: &[u32]) -> Vec3 {
        let step = particles.len().div_ceil(SAMPLES).max(1);
        let samples: Vec<(Vec3, Vec3)> =
            particles.iter().step_by(step).map(|&p| (self.topology.positions[p as usize], self.way_down(p))).collect();
        let normals = NORMALS.map(|n| n.normalize());
        let costs = normals.map(|normal| cost(&samples, normal));
        let best = (1..normals.len()).fold(0, |best, i| if costs[i] < costs[best] { i } else { best });
        normals[best]
    }

    /// Direction in which the distance from the fixed particles grows; zero where there are none.
    fn way_down(&self, particle: u32) -> Vec3 {
        let at = |p: u32| (self.topology.positions[p as usize], self.distances[p as usize]);
        let (here, distance) = at(particle);
        let slopes = self.topology.neighbours.of(ParticleId(particle)).iter().map(|q| {
            let (there, further) = at(q.0);
            (there - here) * ((further - distance) / (there - here).length_squared().max(f32::MIN_POSITIVE))
        });
        slopes.sum::<Vec3>().normalize_or_zero()
    }
}

/// What a cut across `normal` in the middle of the samples (places and ways down) costs: particles per length there, each
/// with what its edges are worth.
fn cost(samples: &[(Vec3, Vec3)], normal: Vec3) -> f32 {
    let along = |s: &(Vec3, Vec3)| s.0.dot(normal);
    let mut sorted: Vec<(f32, f32)> = samples.iter().map(|s| (along(s), s.1.dot(normal).powi(2) + EDGE_COST)).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = (0.5 * SLAB * sorted.len() as f32) as usize;
    let slab = &sorted[sorted.len() / 2 - half..(sorted.len() / 2 + half + 1).min(sorted.len())];
    let width = slab[slab.len() - 1].0 - slab[0].0;
    slab.iter().map(|s| s.1).sum::<f32>() / width.max(f32::MIN_POSITIVE)
}

/// A number whose order is that of the float; both zeros are one.
fn sortable(value: f32) -> u32 {
    ordered_bits(value + 0.0)
}

/// Distances along edges from the nearest of `fixed`, metres; where no way leads, straight from the middle of such cloth.
fn distances(topology: &Topology, fixed: &[ParticleId]) -> Vec<f32> {
    let mut distances = topology.along_edges(fixed);
    let free = || (0..distances.len()).filter(|&p| distances[p].is_infinite());
    let middle = Aabb::around(&free().map(|p| topology.positions[p]).collect::<Vec<_>>()).centre();
    let places = distances.iter_mut().zip(&topology.positions).filter(|(distance, _)| distance.is_infinite());
    places.for_each(|(distance, place)| *distance = place.distance(middle));
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    fn halved(columns: u32, rows: u32, halvings: u32, pins: &[u32]) -> (Topology, Topology, Vec<ParticleId>) {
        let plain = build(&grids::grid(columns, rows)).expect("a grid");
        let fixed: Vec<ParticleId> = pins.iter().map(|&p| ParticleId(p)).collect();
        let (topology, fixed) = plain.clone().halved(halvings, &fixed);
        (plain, topology, fixed)
    }

    #[test]
    fn a_small_cloth_keeps_its_numbers() {
        let (plain, topology, fixed) = halved(7, 5, 0, &[0, 6]);
        assert_eq!(topology.positions, plain.positions);
        assert_eq!((topology.parts, fixed), (Parts::whole(35), vec![ParticleId(0), ParticleId(6)]));
        let (plain, _) = plain.clone().numbered(&[]);
        assert_eq!(plain.parts.leaves(), 1);
    }

    #[test]
    fn new_numbers_are_the_same_cloth_in_file_order() {
        let (plain, topology, fixed) = halved(23, 17, 3, &[0, 22]);
        assert_eq!(topology.parts.leaves(), 8);
        assert_eq!(topology.parts.range(0), 0..23 * 17);
        let place = |t: &Topology, vertex: usize| t.positions[t.particle_of_vertex[vertex].index()];
        for vertex in 0..plain.particle_of_vertex.len() {
            assert_eq!(place(&topology, vertex), place(&plain, vertex));
        }
        let shape = |t: &Topology, p: u32| t.positions[p as usize].to_array().map(f32::to_bits);
        let faces = |t: &Topology| t.polygons.corners.iter().map(|&p| shape(t, p)).collect::<Vec<_>>();
        assert_eq!(faces(&topology), faces(&plain));
        let loops = |t: &Topology| t.boundary_loops.iter().flatten().map(|p| shape(t, p.0)).collect::<Vec<_>>();
        assert_eq!(loops(&topology), loops(&plain));
        let edges = |t: &Topology| {
            let mut edges: Vec<_> = t.edges.iter().map(|e| e.map(|p| shape(t, p.0))).collect();
            edges.iter_mut().for_each(|e| e.sort_unstable());
            edges.sort_unstable();
            edges
        };
        assert_eq!(edges(&topology), edges(&plain));
        assert!(topology.edges.is_sorted() && topology.edges.iter().all(|[a, b]| a < b));
        let mut held: Vec<_> = fixed.iter().map(|p| shape(&topology, p.0)).collect();
        held.sort_unstable();
        let mut expected = vec![shape(&plain, 0), shape(&plain, 22)];
        expected.sort_unstable();
        assert_eq!(held, expected);
    }

    #[test]
    fn cuts_run_from_the_pins_to_the_hem() {
        // A curtain held along its top row, twice as wide as high: both halves of each cut have pins.
        let top: Vec<u32> = (0..40).collect();
        let (_, topology, fixed) = halved(40, 20, 2, &top);
        for leaf in 3..7 {
            let range = topology.parts.range(leaf);
            assert_eq!(fixed.iter().filter(|p| range.contains(&p.index())).count(), 10, "of part {leaf}");
        }
    }
}
