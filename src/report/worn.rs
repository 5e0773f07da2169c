//! Whether a garment that nothing holds is still on the body.
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
use crate::topology::Topology;

/// Places that are followed, at most.
const PLACES: usize = 64;
/// Distance from the body, as a part of the garment's size, within which it is worn: half of its places are nearer.
const WORN: f32 = 0.25;
/// Way from where the body would carry it, likewise, from which on it is off: half of its places went further.
const OFF: f32 = 0.5;

/// A garment that came off the body and stayed off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ComeOff {
    /// First and last frame.
    pub(crate) frames: [i64; 2],
    /// How far it is at last from where the body would carry it, metres.
    pub(crate) metres: f32,
}

/// Whether the garment, made for the body as it is at `start`, comes off it. Whoever is interrupted learns nothing.
pub(super) fn comes_off(
    cache: &PointCache,
    topology: &Topology,
    (body, start): (&Body, Moment),
    interrupted: Option<&AtomicBool>,
) -> Option<ComeOff> {
    let mut posed = Vec::new();
    body.pose(start, &mut posed);
    let tree = Bvh::build(&posed, body.surface());
    let nearest = |place: Vec3| {
        let (triangle, closest, _) = tree.closest(place, f32::INFINITY, &posed, body.surface())?;
        Some(body.surface()[triangle as usize][closest.barycentric.max_position()] as usize)
    };
    let count = topology.positions.len();
    let followed = (0..count).step_by(count.div_ceil(PLACES).max(1));
    let places: Vec<(usize, usize)> = followed.filter_map(|p| Some((p, nearest(topology.positions[p])?))).collect();
    let size = Aabb::around(&topology.positions).size().length();
    let apart = |particles: &[Vec3], vertices: &[Vec3]| -> Vec<Vec3> {
        places.iter().map(|&(particle, vertex)| particles[particle] - vertices[vertex]).collect()
    };
    let worn = apart(&topology.positions, &posed);
    if places.is_empty() || median(worn.iter().map(|way| way.length())) > WORN * size {
        return None;
    }
    let way_in = |pose: &mut Vec<Vec3>, (index, particles): (usize, &Vec<Vec3>)| {
        if is_interrupted(interrupted) {
            return 0.0;
        }
        body.pose(Moment::At(cache.timeline.clip_seconds(index)), pose);
        median(apart(particles, pose).iter().zip(&worn).map(|(now, before)| now.distance(*before)))
    };
    let ways: Vec<f32> = cache.frames.par_iter().enumerate().map_init(Vec::new, way_in).collect();
    let off = ways.iter().rev().take_while(|way| **way > OFF * size).count();
    let last = cache.timeline.first + ways.len() as i64 - 1;
    (off > 0).then(|| ComeOff { frames: [last - off as i64 + 1, last], metres: ways[ways.len() - 1] })
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
    use crate::topology::grids::grid;

    /// What is told of a sheet of 1 m on a body that does not move, which sinks by so many metres a frame.
    fn told(above: f32, sinking: f32) -> Option<ComeOff> {
        let topology = build(&grid(5, 5)).expect("a sheet");
        let behind: Vec<Vec3> = topology.positions.iter().map(|p| *p - Vec3::Z * above).collect();
        let triangles = topology.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let sequence = MeshSequence { frames: vec![behind], triangles, ..MeshSequence::default() };
        let body = Body::new(BodyAsset::Sequence(sequence), None).expect("a body");
        let sunk = |frame: usize| topology.positions.iter().map(|p| *p - Vec3::Y * sinking * frame as f32).collect();
        let timeline = Timeline { first: 7, last: 10, fps: FrameRate::whole(10), start_frame: 1 };
        let cache = PointCache { timeline, frames: (0..timeline.len()).map(sunk).collect() };
        comes_off(&cache, &topology, (&body, Moment::Bind), None)
    }

    #[test]
    fn what_sinks_by_more_than_half_of_its_size_has_come_off() {
        assert_eq!(told(0.01, 0.1), None);
        assert_eq!(told(0.01, 0.5).map(|off| (off.frames, off.metres)), Some(([9, 10], 1.5)));
        assert_eq!(told(0.5, 0.5), None, "it was never worn");
    }
}
