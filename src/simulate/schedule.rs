//! Where the body is at every time of a bake, the preroll before the first frame included.
//!
//! ```text
//!  bind pose ~~~~~~~~~~ blends into ~~~~~~~~~~ clip, running      garment fitted to the bind pose
//!  first pose, held .......| whole cycles of the clip .......     garment fitted to the first frame, clip that closes
//!  first pose, held ........................................     ... clip that does not close
//!  |<---------------- preroll ------------------------------>|first frame|-->
//! ```

use super::Timeline;
use crate::body::{Body, Moment};
use crate::geometry::smooth_step;

/// Part of the preroll in which the body goes from the bind pose into the clip; the rest lets the cloth come to rest.
const BLEND_PART: f64 = 0.6;

/// Which pose of the body the garment was made for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize, schemars::JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[clap(rename_all = "snake_case")]
pub enum StartPose {
    /// The pose the skin was bound in.
    Bind,
    /// The first frame that is baked.
    First,
}

impl StartPose {
    /// The moment of this pose, the first frame that is baked showing the clip at `first_seconds`.
    pub fn moment(self, first_seconds: f64) -> Moment {
        match self {
            StartPose::Bind => Moment::Bind,
            StartPose::First => Moment::At(first_seconds),
        }
    }
}

impl std::fmt::Display for StartPose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartPose::Bind => write!(f, "the bind pose"),
            StartPose::First => write!(f, "the first frame"),
        }
    }
}

/// The body's motion through preroll and bake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    start: StartPose,
    first_seconds: f64,
    preroll_seconds: f64,
    clip_start: f64,
    period: Option<f64>,
    over_cut: Option<OverCut>,
}

/// A way over a cut that no frame shows, in the place of the frames before it.
#[derive(Clone, Copy, Debug)]
struct OverCut {
    /// The poses before and after it, seconds of the clip.
    ends: [f64; 2],
    /// When it begins, seconds after the first baked frame.
    start: f64,
    seconds: f64,
}

impl Schedule {
    pub(super) fn new(body: Option<&Body>, timeline: &Timeline, preroll: u32, start: StartPose) -> Schedule {
        let (clip_start, clip_end) = body.map_or((0.0, 0.0), Body::clip_range);
        let period = body.filter(|b| b.is_cyclic()).map(|_| clip_end - clip_start).filter(|&p| p > 0.0);
        Schedule {
            start,
            first_seconds: timeline.clip_seconds(0),
            preroll_seconds: timeline.fps.seconds(i64::from(preroll)),
            clip_start,
            period,
            over_cut: None,
        }
    }

    /// From now on the body goes over the cut between two times, in the last of `seconds` before the second. `None`: as its clip says.
    pub(super) fn go_over(&mut self, cut: Option<[f64; 2]>, seconds: f64) {
        self.over_cut = cut.map(|ends| OverCut {
            ends: ends.map(|end| self.first_seconds + end),
            start: ends[1] - seconds,
            seconds,
        });
    }

    /// The body's pose `seconds` after the first baked frame (negative in the preroll).
    pub(super) fn moment(&self, seconds: f64) -> Moment {
        let clip = self.first_seconds + seconds;
        if let Some(OverCut { ends, start, seconds: whole }) = self.over_cut {
            let amount = smooth_step(0.0, whole * BLEND_PART, seconds - start);
            return Moment::Between { seconds: ends, amount };
        }
        if seconds >= 0.0 || self.preroll_seconds <= 0.0 {
            return Moment::At(clip);
        }
        match (self.start, self.period) {
            (StartPose::Bind, period) => {
                let seconds_into = self.preroll_seconds + seconds;
                let target = if period.is_some() { clip } else { clip.max(self.clip_start).min(self.first_seconds) };
                let blend = self.preroll_seconds * BLEND_PART;
                if seconds_into >= blend {
                    return Moment::At(target);
                }
                Moment::FromBind { seconds: target, amount: smooth_step(0.0, blend, seconds_into) }
            }
            (StartPose::First, Some(period)) => {
                let running = (self.preroll_seconds / period).floor() * period;
                Moment::At(self.first_seconds + seconds.max(-running))
            }
            (StartPose::First, None) => Moment::At(self.first_seconds),
        }
    }

    /// The body's pose on the way from one time to another, both as seconds after the first baked frame, `part` of the way along.
    ///
    /// A clip that holds its poses jumps from one to the next at its keys, within no time: what cloth would take for a blow. Seen
    /// from frame to frame it moves as any other, and so it is led here.
    pub(super) fn glide(&self, [from, to]: [f64; 2], part: f64) -> Moment {
        match [from, to].map(|seconds| self.moment(seconds)) {
            [Moment::At(from), Moment::At(to)] if from == to => Moment::At(to),
            [Moment::At(from), Moment::At(to)] => Moment::Between { seconds: [from, to], amount: part },
            _ => self.moment(from + (to - from) * part),
        }
    }

    /// The pose that garment and pins are bound in.
    pub(super) fn start_moment(&self) -> Moment {
        self.start.moment(self.first_seconds)
    }
}
