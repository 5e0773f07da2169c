//! How far mesh edges are stretched, over all frames.

use serde::Serialize;

use crate::geometry::Vec3;
use crate::simulate::PointCache;
use crate::topology::Topology;

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

/// Measures all edges in all frames. Memory does not grow with the number of frames.
pub fn measure(cache: &PointCache, topology: &Topology, first_vertices: &[u32]) -> Stretch {
    let edges = Edges::new(topology);
    let frames: Vec<FrameStretch> =
        (cache.timeline.first..).zip(&cache.frames).filter_map(|(number, frame)| edges.frame(number, frame)).collect();
    let worst = frames.iter().copied().reduce(|a, b| if b.stretch > a.stretch { b } else { a });
    let all = || cache.frames.iter().flat_map(|frame| edges.stretches(frame).map(|(_, s)| s));
    let [p50, p95] = order_statistics(all, [0.5, 0.95]).map(f64::from);
    Stretch {
        p50,
        p95,
        max: worst.map_or(0.0, |w| f64::from(w.stretch)),
        worst: worst.map(|w| WorstStretch {
            frame: w.frame,
            vertices: topology.file_edges[w.edge].map(|p| first_vertices[p.index()]),
        }),
        frames,
    }
}

/// Edges that have a length at rest, with that length.
pub(super) struct Edges<'a> {
    topology: &'a Topology,
    rest_lengths: Vec<f32>,
}

impl<'a> Edges<'a> {
    pub(super) fn new(topology: &'a Topology) -> Self {
        let length = |&[a, b]: &[_; 2]| -> f32 { distance(&topology.positions, a, b) };
        Edges { topology, rest_lengths: topology.file_edges.iter().map(length).collect() }
    }

    pub(super) fn stretches(&self, frame: &'a [Vec3]) -> impl Iterator<Item = (usize, f32)> + '_ {
        let edges = self.topology.file_edges.iter().zip(&self.rest_lengths).enumerate();
        edges
            .filter(|&(_, (_, &rest))| rest > 0.0)
            .map(move |(index, (&[a, b], &rest))| (index, distance(frame, a, b) / rest - 1.0))
    }

    fn frame(&self, number: i64, frame: &[Vec3]) -> Option<FrameStretch> {
        let (edge, stretch) = self.stretches(frame).reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        let mut sorted: Vec<f32> = self.stretches(frame).map(|(_, s)| s).collect();
        sorted.sort_unstable_by(f32::total_cmp);
        let [p50, p95] = [0.5, 0.95].map(|q| sorted[((q * sorted.len() as f64).ceil() as usize).max(1) - 1]);
        Some(FrameStretch { frame: number, p50, p95, stretch, edge })
    }
}

fn distance(positions: &[Vec3], a: crate::topology::ParticleId, b: crate::topology::ParticleId) -> f32 {
    positions[a.index()].distance(positions[b.index()])
}

/// The smallest value that at least a part `q` of `values` does not exceed, for each `q`; 0 for no values. Exact, in two
/// passes of 65 536 counters: the upper halves of the ordered bits, then the lower halves of those that share the upper.
pub(super) fn order_statistics<const N: usize, I: Iterator<Item = f32>>(
    values: impl Fn() -> I,
    quantiles: [f64; N],
) -> [f32; N] {
    let mut upper = vec![0u64; 1 << 16];
    values().for_each(|v| upper[(ordered_bits(v) >> 16) as usize] += 1);
    let total: u64 = upper.iter().sum();
    if total == 0 {
        return [0.0; N];
    }
    quantiles.map(|q| {
        let rank = ((q * total as f64).ceil() as u64).clamp(1, total);
        let (high, rank) = bucket(&upper, rank);
        let mut lower = vec![0u64; 1 << 16];
        let same_upper = values().map(ordered_bits).filter(|bits| bits >> 16 == high);
        same_upper.for_each(|bits| lower[(bits & 0xffff) as usize] += 1);
        from_ordered_bits(high << 16 | bucket(&lower, rank).0)
    })
}

/// The counter that holds the value of this rank (from 1), and its rank among those.
fn bucket(counters: &[u64], mut rank: u64) -> (u32, u64) {
    for (index, &count) in counters.iter().enumerate() {
        if rank <= count {
            return (index as u32, rank);
        }
        rank -= count;
    }
    (counters.len() as u32 - 1, rank)
}

/// Bits that compare as the numbers do.
fn ordered_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

fn from_ordered_bits(bits: u32) -> f32 {
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn order_statistics_are_those_of_the_sorted_values(values in prop::collection::vec(-2f32..2.0, 1..300)) {
            let mut sorted = values.clone();
            sorted.sort_by(f32::total_cmp);
            let at = |q: f64| sorted[(q * sorted.len() as f64).ceil() as usize - 1];
            prop_assert_eq!(order_statistics(|| values.iter().copied(), [0.5, 0.95]), [at(0.5), at(0.95)]);
        }
    }

    #[test]
    fn a_cloth_drawn_to_twice_its_width_is_stretched_by_one() {
        use crate::simulate::{FrameRate, Timeline};
        use crate::topology::ParticleId;
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
