//! How far mesh edges are stretched, over all frames.

use rayon::prelude::*;
use serde::Serialize;

use super::FRAMES_A_TASK;
use super::percentiles::{LowerCounts, UpperCounts, percentiles};
use crate::geometry::Vec3;
use crate::simulate::PointCache;
use crate::topology::{ParticleId, Topology};

/// Stretch `(l - l0) / l0` of all mesh edges in all frames; negative where the cloth is compressed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stretch {
    /// Half of all edges are stretched less.
    pub p50: f64,
    /// 95 % of all edges are stretched less.
    pub p95: f64,
    /// The most stretched edge.
    pub max: f64,
    /// Where that is; none without edges or frames.
    pub worst: Option<WorstStretch>,
    /// What each frame is like.
    #[serde(skip)]
    pub frames: Vec<FrameStretch>,
}

/// The most stretched edge of a bake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorstStretch {
    /// Frame, as on the clip's time line.
    pub frame: i64,
    /// Both ends, as vertices of the garment's file.
    pub vertices: [u32; 2],
}

/// The stretch of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameStretch {
    /// Frame, as on the clip's time line.
    pub frame: i64,
    /// Half of its edges are stretched less.
    pub p50: f32,
    /// 95 % of its edges are stretched less.
    pub p95: f32,
    /// Stretch of its most stretched edge.
    pub stretch: f32,
    /// That edge: index into [`Topology::file_edges`].
    pub edge: usize,
}

/// Stretch averaged over frames: of each frame its median, 95th percentile and most stretched edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StretchFigures {
    /// Mean of the medians.
    pub p50: f64,
    /// Mean of the 95th percentiles.
    pub p95: f64,
    /// Mean of the largest.
    pub max: f64,
}

impl Stretch {
    /// Averages over the later half of the frames, where the cloth hangs rather than falls.
    pub fn last_half(&self) -> StretchFigures {
        let frames = &self.frames[self.frames.len().div_ceil(2)..];
        let mean = |figure: fn(&FrameStretch) -> f32| {
            frames.iter().map(|f| f64::from(figure(f))).sum::<f64>() / frames.len().max(1) as f64
        };
        StretchFigures { p50: mean(|f| f.p50), p95: mean(|f| f.p95), max: mean(|f| f.stretch) }
    }
}

/// Percentiles of interest: the median and what 5 % exceed.
const QUANTILES: [f64; 2] = [0.5, 0.95];

/// Measures all edges in all frames. Memory does not grow with the number of frames.
pub fn measure(cache: &PointCache, topology: &Topology, first_vertices: &[u32]) -> Stretch {
    let edges = Edges::new(topology);
    let frames = || cache.frames.par_iter().enumerate().with_min_len(FRAMES_A_TASK);
    let look = |mut seen: Seen, (index, frame): (usize, &Vec<Vec3>)| {
        edges.stretches(frame, &mut seen.stretches);
        seen.upper.count(&seen.stretches);
        seen.frames.extend(edges.summary(cache.timeline.first + index as i64, &mut seen.stretches));
        seen
    };
    let Seen { frames: of_frames, upper, .. } =
        frames().fold(Seen::nothing, look).reduce(Seen::nothing, Seen::followed_by);
    let nothing = || (upper.lower(QUANTILES), Vec::new());
    let look_again = |(mut lower, mut stretches): (LowerCounts<2>, Vec<f32>), (_, frame): (usize, &Vec<Vec3>)| {
        edges.stretches(frame, &mut stretches);
        lower.count(&stretches);
        (lower, stretches)
    };
    let (lower, _) = frames().fold(nothing, look_again).reduce(nothing, |a, b| (a.0.merge(&b.0), a.1));
    let [p50, p95] = lower.percentiles().map(f64::from);
    let worst = of_frames.iter().copied().reduce(|a, b| if b.stretch > a.stretch { b } else { a });
    Stretch {
        p50,
        p95,
        max: worst.map_or(0.0, |w| f64::from(w.stretch)),
        worst: worst.map(|w| WorstStretch {
            frame: w.frame,
            vertices: topology.file_edges[w.edge].map(|p| first_vertices[p.index()]),
        }),
        frames: of_frames,
    }
}

/// What is known of some successive frames.
struct Seen {
    frames: Vec<FrameStretch>,
    upper: UpperCounts,
    /// Stretches of the last, in no order.
    stretches: Vec<f32>,
}

impl Seen {
    fn nothing() -> Seen {
        Seen { frames: Vec::new(), upper: UpperCounts::new(), stretches: Vec::new() }
    }

    fn followed_by(mut self, other: Seen) -> Seen {
        self.frames.extend(other.frames);
        Seen { upper: self.upper.merge(&other.upper), ..self }
    }
}

/// Edges that have a length at rest.
pub(super) struct Edges {
    /// Both particles of each.
    pub(super) ends: Vec<[ParticleId; 2]>,
    rest_lengths: Vec<f32>,
    /// Indices into [`Topology::file_edges`].
    in_file: Vec<usize>,
}

impl Edges {
    pub(super) fn new(topology: &Topology) -> Edges {
        let length = |[a, b]: [ParticleId; 2]| topology.positions[a.index()].distance(topology.positions[b.index()]);
        let lengths = topology.file_edges.iter().map(|&edge| length(edge));
        let (in_file, rest_lengths): (Vec<usize>, Vec<f32>) = lengths.enumerate().filter(|&(_, l)| l > 0.0).unzip();
        Edges { ends: in_file.iter().map(|&edge| topology.file_edges[edge]).collect(), rest_lengths, in_file }
    }

    /// Puts the stretch of each edge into `stretches`.
    pub(super) fn stretches(&self, frame: &[Vec3], stretches: &mut Vec<f32>) {
        stretches.clear();
        stretches.extend(self.ends.iter().map(|[a, b]| frame[a.index()].distance_squared(frame[b.index()])));
        // A loop of its own takes several roots at a time.
        for (stretch, rest) in stretches.iter_mut().zip(&self.rest_lengths) {
            *stretch = stretch.sqrt() / rest - 1.0;
        }
    }

    /// Sums up the `stretches` of a frame, and leaves them in another order.
    fn summary(&self, frame: i64, stretches: &mut [f32]) -> Option<FrameStretch> {
        let (edge, stretch) = stretches.iter().copied().enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        let [p50, p95] = percentiles(stretches, QUANTILES);
        Some(FrameStretch { frame, p50, p95, stretch, edge: self.in_file[edge] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cloth_drawn_to_twice_its_width_is_stretched_by_one() {
        use crate::simulate::{FrameRate, Timeline};
        let topology = Topology {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            file_edges: vec![[ParticleId(0), ParticleId(1)], [ParticleId(0), ParticleId(2)]],
            ..Topology::default()
        };
        let cache = PointCache {
            timeline: Timeline { first: 7, last: 8, fps: FrameRate::whole(30), start_frame: 1 },
            frames: vec![topology.positions.clone(), vec![Vec3::ZERO, Vec3::X * 2.0, Vec3::Y]],
        };
        let stretch = measure(&cache, &topology, &[10, 11, 12]);
        assert_eq!((stretch.p50, stretch.p95, stretch.max), (0.0, 1.0, 1.0));
        assert_eq!(stretch.worst, Some(WorstStretch { frame: 8, vertices: [10, 11] }));
        assert_eq!(stretch.frames[1], FrameStretch { frame: 8, p50: 0.0, p95: 1.0, stretch: 1.0, edge: 0 });
        assert_eq!(stretch.last_half(), StretchFigures { p50: 0.0, p95: 1.0, max: 1.0 });
    }
}
