//! Frames that stand still while they should not, and frames that jump.
//!
//! ```text
//! frozen    no particle moves, though the body does or the cloth does before and after
//! jumping   a particle goes much further than in the frames before and after, and than the body goes
//!
//!              x          way into the frame > 2 (longest of the ways before and after, and of the body) + 30 mm
//!    o--o--o  / \ o--o
//! ```

use rayon::prelude::*;
use serde::Serialize;

use crate::body::{Body, Moment};
use crate::geometry::Vec3;
use crate::simulate::PointCache;

/// Way of the body, or of the cloth before and after, in a frame from which cloth that stands still counts as frozen, metres.
const MOVES: f32 = 0.001;
/// Way up to which a particle stands still, metres.
const STILL: f32 = 1e-7;
/// How many times the usual way, and how many metres beside, is a jump.
const TIMES: f32 = 2.0;
const BESIDE: f32 = 0.03;

/// Frames that are wrong whatever they look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Steadiness {
    /// Frames that equal the one before, on the clip's time line.
    pub frozen: Vec<i64>,
    /// Frames into which cloth jumps.
    pub jumping: Vec<Jump>,
}

/// A frame that a particle jumps into.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Jump {
    /// Frame, as on the clip's time line.
    pub frame: i64,
    /// The vertex of the garment's file that jumps furthest.
    pub vertex: u32,
    /// How far it goes from the frame before, millimetres.
    pub mm: f64,
}

/// Looks at all frames. `first_vertices` are the smallest file vertices of the particles.
pub fn measure(cache: &PointCache, body: Option<&Body>, first_vertices: &[u32]) -> Steadiness {
    let frames = &cache.frames;
    let body_ways = body.map_or_else(|| vec![0.0; frames.len()], |body| body_ways(cache, body));
    let ways: Vec<f32> = (1..frames.len()).into_par_iter().map(|k| longest(&frames[k - 1], &frames[k])).collect();
    let way_into = |frame: usize| frame.checked_sub(1).and_then(|k| ways.get(k)).copied();
    let is_frozen = |&frame: &usize| {
        let around = [way_into(frame - 1), way_into(frame + 1)];
        let cloth_moves = around.iter().flatten().all(|&way| way > MOVES) && around.iter().any(Option::is_some);
        way_into(frame).is_some_and(|way| way <= STILL) && (cloth_moves || body_ways[frame] > MOVES)
    };
    let number = |frame: usize| cache.timeline.first + frame as i64;
    let jump_into = |frame: usize| {
        let (particle, way) = jump(frames, frame, body_ways[frame])?;
        Some(Jump { frame: number(frame), vertex: first_vertices[particle], mm: f64::from(way) * 1000.0 })
    };
    Steadiness {
        frozen: (1..frames.len()).filter(is_frozen).map(number).collect(),
        jumping: (1..frames.len()).into_par_iter().filter_map(jump_into).collect(),
    }
}

/// Way of the body's vertex that goes furthest into each frame, metres.
fn body_ways(cache: &PointCache, body: &Body) -> Vec<f32> {
    let (mut before, mut now) = (Vec::new(), Vec::new());
    let way = |frame: usize| {
        std::mem::swap(&mut before, &mut now);
        body.pose(Moment::At(cache.timeline.clip_seconds(frame)), &mut now);
        if frame == 0 { 0.0 } else { longest(&before, &now) }
    };
    (0..cache.frames.len()).map(way).collect()
}

fn longest(before: &[Vec3], now: &[Vec3]) -> f32 {
    before.iter().zip(now).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f32::max).sqrt()
}

/// The particle that jumps furthest into a frame, with its way; none if none does. In the first two frames and the last there
/// is nothing to tell a jump by.
fn jump(frames: &[Vec<Vec3>], frame: usize, body_way: f32) -> Option<(usize, f32)> {
    let [earlier, before, now, after] = [frame.checked_sub(2)?, frame - 1, frame, frame + 1].map(|k| frames.get(k));
    let (earlier, before, now, after) = (earlier?, before?, now?, after?);
    let jumps = (0..now.len()).filter_map(|particle| {
        let way = |from: &[Vec3], to: &[Vec3]| from[particle].distance(to[particle]);
        let into = way(before, now);
        let usual = way(earlier, before).max(way(now, after)).max(body_way);
        (into > TIMES * usual + BESIDE).then_some((particle, into))
    });
    jumps.reduce(|a, b| if b.1 > a.1 { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{FrameRate, Timeline};

    fn measured(places: &[f32]) -> Steadiness {
        let timeline = Timeline { first: 10, last: 9 + places.len() as i64, fps: FrameRate::whole(30), start_frame: 1 };
        let frames = places.iter().map(|&x| vec![Vec3::ZERO, Vec3::X * x]).collect();
        measure(&PointCache { timeline, frames }, None, &[7, 8])
    }

    #[test]
    fn cloth_that_moves_evenly_or_comes_to_rest_is_steady() {
        assert_eq!(measured(&[0.0, 0.02, 0.04, 0.06, 0.08]), Steadiness::default());
        assert_eq!(measured(&[0.0, 0.02, 0.03, 0.03, 0.03, 0.03]), Steadiness::default());
    }

    #[test]
    fn a_frame_that_equals_its_neighbour_on_the_way_is_frozen() {
        assert_eq!(measured(&[0.0, 0.02, 0.04, 0.04, 0.06, 0.08]).frozen, [13]);
    }

    #[test]
    fn a_particle_that_goes_far_in_one_frame_jumps() {
        let found = measured(&[0.0, 0.01, 0.02, 0.12, 0.13, 0.14]).jumping;
        let [jump] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((jump.frame, jump.vertex), (13, 8));
        assert!((jump.mm - 100.0).abs() < 1e-3);
    }
}
