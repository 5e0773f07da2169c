//! Whether a garment that nothing holds, or a piece of it, is still on the body.
//!
//! ```text
//!      worn            off             o  a place of the garment
//!     o--v            v                v  the vertex of the body nearest to it when it was put on
//!                      \  way
//!                       o
//! ```

use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::examine::is_interrupted;
use super::percentiles::percentiles;
use crate::body::{Body, Moment};
use crate::geometry::{Aabb, Bvh, Vec3};
use crate::simulate::PointCache;
use crate::topology::{ParticleId, Topology};

/// Places of a piece that are followed, at most.
const PLACES: usize = 64;
/// Pieces with less than this part of all particles are not looked for.
const PIECE: f32 = 0.01;
/// Distance from the body, as a part of the garment's size, within which it is worn: half of its places are nearer.
const WORN: f32 = 0.25;
/// Way from where the body would carry it, likewise, from which on it is off: half of its places went further.
const OFF: f32 = 0.5;

/// Cloth and what holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hung<'a> {
    /// The cloth that was simulated.
    pub(crate) topology: &'a Topology,
    /// Its pins, ascending.
    pub(crate) pins: &'a [ParticleId],
    /// How it moved.
    pub(crate) cache: &'a PointCache,
}

/// Cloth that came off the body and stayed off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ComeOff {
    /// Where it was worn, metres, if it is a piece and others are held.
    pub(crate) piece: Option<Vec3>,
    /// First and last frame.
    pub(crate) frames: [i64; 2],
    /// How far it is at last from where the body would carry it, metres.
    pub(crate) metres: f32,
}

/// What of a garment, made for the body as it is at `start`, comes off it: all of one that has no pins, the pieces without pins of
/// another. Whoever is interrupted learns nothing.
pub(super) fn come_off(
    hung: Hung<'_>,
    (body, start): (&Body, Moment),
    interrupted: Option<&AtomicBool>,
) -> Vec<ComeOff> {
    let Hung { topology, pins, cache } = hung;
    let pieces = loose_pieces(topology, pins);
    if pieces.is_empty() {
        return Vec::new();
    }
    let mut posed = Vec::new();
    body.pose(start, &mut posed);
    let tree = Bvh::build(&posed, body.surface());
    let nearest = |place: Vec3| {
        let (triangle, closest, _) = tree.closest(place, f32::INFINITY, &posed, body.surface())?;
        Some(body.surface()[triangle as usize][closest.barycentric.max_position()] as usize)
    };
    let held = Held::of(topology, pins);
    let worn = pieces.into_iter().filter_map(|piece| Piece::worn(&piece, &held, &posed, nearest));
    let worn: Vec<Piece> = worn.collect();
    if worn.is_empty() {
        return Vec::new();
    }
    let ways_in = |pose: &mut Vec<Vec3>, (index, particles): (usize, &Vec<Vec3>)| {
        if is_interrupted(interrupted) {
            return vec![0.0; worn.len()];
        }
        body.pose(Moment::At(cache.timeline.clip_seconds(index)), pose);
        worn.iter().map(|piece| piece.way(particles, pose)).collect()
    };
    let ways: Vec<Vec<f32>> = cache.frames.par_iter().enumerate().map_init(Vec::new, ways_in).collect();
    let last = cache.timeline.first + ways.len() as i64 - 1;
    let came_off = |(number, piece): (usize, &Piece)| {
        let off = ways.iter().rev().take_while(|ways| ways[number] > OFF * piece.bounds.size().length()).count();
        let at = (!pins.is_empty()).then(|| piece.bounds.centre());
        (off > 0).then(|| ComeOff {
            piece: at,
            frames: [last - off as i64 + 1, last],
            metres: ways[ways.len() - 1][number],
        })
    };
    worn.iter().enumerate().filter_map(came_off).collect()
}

/// Cloth that is followed.
struct Piece {
    /// Particles, and the vertices of the body nearest to them when it was put on.
    places: Vec<(usize, usize)>,
    /// From the vertices to the particles then, metres.
    worn: Vec<Vec3>,
    bounds: Aabb,
}

impl Piece {
    /// That of these particles, if the body as it is `posed` wears it, or if it lies on cloth that is held.
    fn worn(
        particles: &[usize],
        held: &Held<'_>,
        posed: &[Vec3],
        nearest: impl Fn(Vec3) -> Option<usize>,
    ) -> Option<Piece> {
        let rest = &held.topology.positions;
        let followed = particles.iter().step_by(particles.len().div_ceil(PLACES).max(1));
        let places: Vec<(usize, usize)> = followed.filter_map(|&p| Some((p, nearest(rest[p])?))).collect();
        let bounds = Aabb::around(particles.iter().map(|&p| &rest[p]));
        let worn: Vec<Vec3> = places.iter().map(|&(particle, vertex)| rest[particle] - posed[vertex]).collect();
        let off = |&(particle, vertex): &(usize, usize)| {
            rest[particle].distance(posed[vertex]).min(held.distance(rest[particle]))
        };
        let is_worn = median(places.iter().map(off)) <= WORN * bounds.size().length();
        (!places.is_empty() && is_worn).then_some(Piece { places, worn, bounds })
    }

    /// How far it is from where the body would carry it, metres.
    fn way(&self, particles: &[Vec3], posed: &[Vec3]) -> f32 {
        let apart = self.places.iter().map(|&(particle, vertex)| particles[particle] - posed[vertex]);
        median(apart.zip(&self.worn).map(|(now, before)| now.distance(*before)))
    }
}

/// The cloth of pieces that hang on pins.
struct Held<'a> {
    topology: &'a Topology,
    triangles: Vec<[u32; 3]>,
    tree: Bvh,
}

impl Held<'_> {
    fn of<'a>(topology: &'a Topology, pins: &[ParticleId]) -> Held<'a> {
        let is_held = topology.components_with(pins);
        let triangles = topology.triangles.iter().map(|triangle| triangle.map(|p| p.0));
        let is_of_held = |t: &[u32; 3]| is_held[topology.component_of_particle[t[0] as usize] as usize];
        let triangles: Vec<[u32; 3]> = triangles.filter(is_of_held).collect();
        Held { topology, tree: Bvh::build(&topology.positions, &triangles), triangles }
    }

    /// How far a place is from it, metres; infinite if nothing is held.
    fn distance(&self, place: Vec3) -> f32 {
        let closest = self.tree.closest(place, f32::INFINITY, &self.topology.positions, &self.triangles);
        closest.map_or(f32::INFINITY, |(_, _, squared)| squared.sqrt())
    }
}

/// Particles of the pieces that hang on none of `pins`; all together if there are no pins.
fn loose_pieces(topology: &Topology, pins: &[ParticleId]) -> Vec<Vec<usize>> {
    let count = topology.positions.len();
    if pins.is_empty() {
        return vec![(0..count).collect()];
    }
    let is_held = topology.components_with(pins);
    let mut pieces = vec![Vec::new(); topology.component_count];
    for (particle, &component) in topology.component_of_particle.iter().enumerate() {
        if !is_held[component as usize] {
            pieces[component as usize].push(particle);
        }
    }
    pieces.retain(|piece| !piece.is_empty() && piece.len() as f32 >= PIECE * count as f32);
    pieces
}

/// The middle one of these lengths; 0 of none.
fn median(lengths: impl Iterator<Item = f32>) -> f32 {
    let [middle] = percentiles(&mut lengths.collect::<Vec<f32>>(), [0.5]);
    middle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::import::{BodyAsset, MeshSequence};
    use crate::simulate::{FrameRate, Timeline};
    use crate::topology::build;
    use crate::topology::grids::{grid, joined};

    /// What is told of a sheet of 1 m on a body that does not move, which sinks by so many metres a frame.
    fn told(above: f32, sinking: f32) -> Vec<ComeOff> {
        told_of(&build(&grid(5, 5)).expect("a sheet"), &[], above, sinking)
    }

    /// The same of any cloth with pins.
    fn told_of(topology: &Topology, pins: &[ParticleId], above: f32, sinking: f32) -> Vec<ComeOff> {
        let behind: Vec<Vec3> = topology.positions.iter().map(|p| *p - Vec3::Z * above).collect();
        let triangles = topology.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let sequence = MeshSequence { frames: vec![behind], triangles, ..MeshSequence::default() };
        let body = Body::new(BodyAsset::Sequence(sequence), None).expect("a body");
        let sunk = |frame: usize| topology.positions.iter().map(|p| *p - Vec3::Y * sinking * frame as f32).collect();
        let timeline = Timeline { first: 7, last: 10, fps: FrameRate::whole(10), start_frame: 1 };
        let cache = PointCache { timeline, frames: (0..timeline.len()).map(sunk).collect() };
        come_off(Hung { topology, pins, cache: &cache }, (&body, Moment::Bind), None)
    }

    #[test]
    fn what_sinks_by_more_than_half_of_its_size_has_come_off() {
        assert_eq!(told(0.01, 0.1), []);
        assert_eq!(told(0.01, 0.5), [ComeOff { piece: None, frames: [9, 10], metres: 1.5 }]);
        assert_eq!(told(0.5, 0.5), [], "it was never worn");
    }

    #[test]
    fn a_piece_comes_off_though_another_is_pinned() {
        let both = joined(grid(5, 5), &grid(5, 5), |p| p + Vec3::X * 2.0);
        let topology = build(&both).expect("two sheets");
        let off = told_of(&topology, &[ParticleId(3)], 0.01, 0.5);
        let middle = Aabb::around(&topology.positions[25..]).centre();
        assert_eq!(off, [ComeOff { piece: Some(middle), frames: [9, 10], metres: 1.5 }]);
        assert_eq!(told_of(&topology, &[ParticleId(3), ParticleId(30)], 0.01, 0.5), []);
        let trim = joined(grid(5, 5), &grid(5, 5), |p| p * 0.5 + Vec3::Z * 0.01);
        let topology = build(&trim).expect("two sheets");
        let off = told_of(&topology, &[ParticleId(3)], 0.5, 0.5);
        assert_eq!(off.len(), 1, "it was worn on the other, and not on the body");
    }
}
