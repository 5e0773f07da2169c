//! Where the cloth goes through itself, measured on the finished frames.
//!
//! ```text
//!        /        a pair of triangles crosses when an edge of one goes through the other; pairs that share a particle,
//!   ----/----     and pairs that cross in the garment's own file, do not count
//!      /
//! ```

use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use serde::Serialize;

use super::FRAMES_A_TASK;
use super::examine::is_interrupted;
use crate::geometry::{DVec3, FoldPairs, Folds, Vec3, pierces};
use crate::simulate::PointCache;
use crate::topology::Topology;

/// Triangles beyond which one tree serves all frames: it takes 80 bytes a triangle.
const MOST_CLONED: usize = 500_000;

/// Self-crossings over all frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Crossings {
    /// Most pairs of triangles that cross in one frame.
    pub max_pairs: usize,
    /// Sum of the pairs over all frames.
    pub pair_frames: u64,
    /// Where they are in the frame that has most; none when nothing crosses.
    pub worst: Option<WorstCrossing>,
    /// Pairs of each frame.
    #[serde(skip)]
    pub frames: Vec<usize>,
    /// Frames of which not all pairs were looked at.
    #[serde(skip)]
    pub coarse_frames: usize,
}

impl Crossings {
    /// Says in how many frames there may be more crossings than were counted, if in any.
    pub fn coarse_notice(&self) -> Option<String> {
        let frames = self.coarse_frames;
        let words = "too many faces of the cloth lie on each other to look at all of them: there are more self-crossings than are told";
        (frames > 0).then(|| format!("in {frames} frame(s) {words}"))
    }
}

/// A crossing in the worst frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorstCrossing {
    /// Frame, as on the clip's time line.
    pub frame: i64,
    /// A vertex of each triangle of its first pair, as indices in the garment's file.
    pub vertices: [u32; 2],
}

/// The pairs of one frame that do not cross at rest.
#[derive(Clone, Copy, Debug, Default)]
struct InFrame {
    count: usize,
    first: Option<[u32; 2]>,
    /// Whether not all pairs were looked at.
    is_coarse: bool,
}

/// Measures all frames. `first_vertices` are the smallest file vertices of the particles.
/// Whoever is interrupted leaves frames out.
pub(super) fn measure(
    cache: &PointCache,
    topology: &Topology,
    first_vertices: &[u32],
    interrupted: Option<&AtomicBool>,
) -> Crossings {
    if topology.triangles.is_empty() {
        return Crossings::default();
    }
    let mut folds = Folds::new(&topology.positions, topology.drawn_indices());
    let at_rest = crossing_pairs(&mut folds, &topology.positions).pairs;
    let new_pairs = |folds: &mut Folds, positions: &Vec<Vec3>| {
        if is_interrupted(interrupted) {
            return InFrame::default();
        }
        let FoldPairs { pairs, is_all } = crossing_pairs(folds, positions);
        let mut new = pairs.into_iter().filter(|pair| at_rest.binary_search(pair).is_err());
        let first = new.next();
        InFrame { count: first.iter().len() + new.count(), first, is_coarse: !is_all }
    };
    let frames = &cache.frames;
    let found: Vec<InFrame> = if frames.len() <= FRAMES_A_TASK || topology.triangles.len() > MOST_CLONED {
        frames.iter().map(|positions| new_pairs(&mut folds, positions)).collect()
    } else {
        let of_task = |folds: &mut Folds, task: &[Vec<Vec3>]| -> Vec<_> {
            task.iter().map(|positions| new_pairs(folds, positions)).collect()
        };
        frames.par_chunks(FRAMES_A_TASK).map_init(|| folds.clone(), of_task).flatten_iter().collect()
    };
    let triangles = folds.triangles();
    let worst = found.iter().enumerate().max_by_key(|(index, found)| (found.count, std::cmp::Reverse(*index)));
    let vertex = |triangle: u32| first_vertices[triangles[triangle as usize][0] as usize];
    Crossings {
        max_pairs: worst.map_or(0, |(_, found)| found.count),
        pair_frames: found.iter().map(|found| found.count as u64).sum(),
        worst: worst.and_then(|(index, found)| {
            let frame = cache.timeline.first + index as i64;
            found.first.map(|pair| WorstCrossing { frame, vertices: pair.map(vertex) })
        }),
        frames: found.iter().map(|found| found.count).collect(),
        coarse_frames: found.iter().filter(|found| found.is_coarse).count(),
    }
}

/// All pairs of triangles that cross, smaller index first, ascending.
fn crossing_pairs(folds: &mut Folds, positions: &[Vec3]) -> FoldPairs {
    folds.refit(positions);
    let triangles = folds.triangles();
    let crosses = |[s, t]: [u32; 2]| {
        let [one, other] = [s.min(t), s.max(t)].map(|t| triangles[t as usize]);
        let corners = |t: [u32; 3]| t.map(|p| positions[p as usize].as_dvec3());
        !one.iter().any(|p| other.contains(p)) && cross(corners(one), corners(other))
    };
    let FoldPairs { mut pairs, is_all } = folds.pairs_apart(crosses);
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    FoldPairs { pairs, is_all }
}

/// Whether an edge of one triangle goes through the other. Triangles that only touch, or lie in one plane, do not cross.
fn cross(one: [DVec3; 3], other: [DVec3; 3]) -> bool {
    let edges = |t: [DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let separates = |t: [DVec3; 3], points: [DVec3; 3]| {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]);
        let sides = points.map(|p| normal.dot(p - t[0]));
        sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0)
    };
    !separates(one, other)
        && !separates(other, one)
        && (edges(one).iter().any(|&edge| pierces(edge, other)) || edges(other).iter().any(|&edge| pierces(edge, one)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{FrameRate, Timeline};
    use crate::topology::{build, grids};

    #[test]
    fn a_sheet_folded_through_itself_crosses_and_a_flat_or_curled_one_does_not() {
        let topology = build(&grids::grid(13, 13)).expect("a grid");
        let half = topology.positions[6].x;
        // The right half is turned about the middle column by `angle`, far enough to come back through the left half that a
        // wave lifts.
        let folded = |angle: f32, wave: f32| -> Vec<Vec3> {
            let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
            let turn = |p: &Vec3| {
                let x = (p.x - half).max(0.0);
                let lift = wave * libm::sinf(20.0 * p.y) * f32::from(p.x < half);
                Vec3::new(p.x.min(half) + x * cos, p.y + 0.001 * x, p.z + x * sin + lift)
            };
            topology.positions.iter().map(turn).collect()
        };
        let timeline = Timeline { first: 5, last: 7, fps: FrameRate::whole(30), start_frame: 1 };
        let frames = vec![folded(0.0, 0.0), folded(2.5, 0.0), folded(3.12, 0.1)];
        let first_vertices: Vec<u32> = (0..topology.positions.len() as u32).collect();
        let crossings = measure(&PointCache { timeline, frames }, &topology, &first_vertices, None);
        assert_eq!(crossings.frames[..2], [0, 0]);
        assert!(crossings.frames[2] > 10, "{:?}", crossings.frames);
        assert_eq!(crossings.max_pairs, crossings.frames[2]);
        assert_eq!(crossings.worst.expect("some").frame, 7);
    }

    #[test]
    fn what_crosses_in_the_file_is_how_the_garment_was_made() {
        let mut garment = grids::grid(5, 5);
        // One corner is pulled through the opposite quarter.
        garment.positions[0] = garment.positions[18] + Vec3::Z * 0.05;
        garment.positions[1].z -= 0.05;
        let topology = build(&garment).expect("a grid");
        let timeline = Timeline { first: 0, last: 0, fps: FrameRate::whole(30), start_frame: 1 };
        let cache = PointCache { timeline, frames: vec![topology.positions.clone()] };
        let first_vertices: Vec<u32> = (0..25).collect();
        assert_eq!(
            measure(&cache, &topology, &first_vertices, None),
            Crossings { frames: vec![0], ..Crossings::default() }
        );
    }
}
