//! Long bakes, split in time: each span of frames is a mesh of its own, shown only in its time.
//!
//! ```text
//! frames    1 ........ 250 ........ 499        WebGL 2, OpenGL ES 3 and engines built on them stop at 256 targets a mesh,
//! mesh A    |----------|                       and key values grow with the square of the targets.
//! mesh B               |-----------|           The frame on the border is in both, so no moment is without a mesh.
//! scale A   1          0                       Scale keys hold (STEP), hence one mesh is shown at any moment.
//! scale B   0          1
//! ```

use std::ops::RangeInclusive;

use crate::simulate::Timeline;

/// Most frames in one mesh: one base and 249 targets.
const MOST_FRAMES: usize = 250;

/// Frames that one mesh shows.
pub(super) struct Span<'t> {
    timeline: &'t Timeline,
    first: usize,
    last: usize,
    /// Last frame of the bake.
    end: usize,
}

/// The frames of a bake as overlapping spans of about equal length; one span when they fit one mesh.
pub(super) fn spans(timeline: &Timeline, frames: usize) -> Vec<Span<'_>> {
    let end = frames.saturating_sub(1);
    let count = end.div_ceil(MOST_FRAMES - 1).max(1);
    (0..count).map(|i| Span { timeline, first: end * i / count, last: end * (i + 1) / count, end }).collect()
}

impl Span<'_> {
    /// Indices of the frames, border frames included.
    pub(super) fn range(&self) -> RangeInclusive<usize> {
        self.first..=self.last
    }

    /// Whether the bake starts here.
    pub(super) fn is_first(&self) -> bool {
        self.first == 0
    }

    /// Name of a mesh during this span: its own, with the frames when there are several spans.
    pub(super) fn name(&self, mesh: &str) -> String {
        let number = |index| self.timeline.frame_number(index);
        if self.is_whole() {
            mesh.to_owned()
        } else {
            format!("{mesh}_{:04}_{:04}", number(self.first), number(self.last))
        }
    }

    /// Names of the morph targets: the frames after the first.
    pub(super) fn target_names(&self) -> Vec<String> {
        self.range().skip(1).map(|index| format!("frame_{:04}", self.timeline.frame_number(index))).collect()
    }

    /// Time of each frame, seconds.
    pub(super) fn times(&self) -> Vec<f32> {
        self.range().map(|index| self.seconds(index)).collect()
    }

    /// Times when the mesh appears or vanishes and its scale from then on; none when it is always there.
    pub(super) fn visibility(&self) -> Option<(Vec<f32>, Vec<f32>)> {
        if self.is_whole() {
            return None;
        }
        let mut keys = vec![(self.seconds(self.first), 1.0)];
        if self.first > 0 {
            keys.insert(0, (self.seconds(0), 0.0));
        }
        if self.last < self.end {
            keys.push((self.seconds(self.last), 0.0));
        }
        Some(keys.into_iter().unzip())
    }

    fn is_whole(&self) -> bool {
        self.first == 0 && self.last == self.end
    }

    fn seconds(&self, index: usize) -> f32 {
        self.timeline.output_seconds(index) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::FrameRate;

    const TIMELINE: Timeline = Timeline { first: 0, last: 0, fps: FrameRate::whole(1), start_frame: 1 };

    #[test]
    fn spans_cover_all_frames_share_their_borders_and_fit_a_mesh() {
        for frames in [1, 2, 249, 250, 251, 300, 499, 500, 1000, 1201] {
            let spans = spans(&TIMELINE, frames);
            assert_eq!(spans[0].first, 0);
            assert_eq!(spans[spans.len() - 1].last, frames - 1);
            assert!(spans.windows(2).all(|pair| pair[0].last == pair[1].first));
            assert!(spans.iter().all(|span| span.range().count() <= MOST_FRAMES), "{frames}");
        }
        assert_eq!(spans(&TIMELINE, 250).len(), 1);
        assert_eq!(spans(&TIMELINE, 251).len(), 2);
    }

    #[test]
    fn exactly_one_span_is_shown_at_any_moment() {
        let spans = spans(&TIMELINE, 600);
        for half_second in 0..1300 {
            let seconds = half_second as f32 / 2.0;
            let scale = |span: &Span<'_>| {
                let (times, scales) = span.visibility().expect("split");
                scales[times.partition_point(|&time| time <= seconds).saturating_sub(1)]
            };
            assert_eq!(spans.iter().map(scale).sum::<f32>(), 1.0, "at {seconds} s");
        }
    }

    #[test]
    fn targets_are_named_by_their_frame_and_meshes_by_their_span() {
        let spans = spans(&TIMELINE, 300);
        assert_eq!(spans[1].name("skirt"), "skirt_0150_0300");
        assert_eq!(spans[1].target_names()[0], "frame_0151");
    }
}
