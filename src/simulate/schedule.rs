//! Where the body is at every time of a bake, the preroll before the first frame included.
//!
//! ```text
//!  bind pose ~~~~~~~~~~ blends into ~~~~~~~~~~ clip, running      garment fitted to the bind pose
//!  bind pose ~~~~~~~~~~ blends into ~~ a pose, from which it runs ... clip that turns right round meanwhile
//!  first pose, held .......| whole cycles of the clip .......     garment fitted to the first frame, clip that closes
//!  first pose, held ........................................     ... clip that does not close
//!  |<---------------- preroll ------------------------------>|first frame|-->
//! ```

use super::Timeline;
use crate::body::{Body, Moment};
use crate::geometry::{DAffine3, smooth_step};

/// Part of the preroll in which the body goes from the bind pose into the clip; the rest lets the cloth come to rest.
const BLEND_PART: f64 = 0.6;
/// How much further than the clip a body goes from frame to frame that jumps on its way into it: so many times, and a part of its
/// height.
const JUMP: (f64, f64) = (3.0, 0.01);
/// Distance from a joint, as a part of the body's height, of what is looked at to tell how far it turns.
const LEVER: f64 = 0.1;

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
    /// Whether the bind pose goes into a pose of the clip that stands instead of into the running clip.
    goes_into_pose: bool,
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
        let mut schedule = Schedule {
            start,
            first_seconds: timeline.clip_seconds(0),
            preroll_seconds: timeline.fps.seconds(i64::from(preroll)),
            clip_start,
            period,
            goes_into_pose: false,
            over_cut: None,
        };
        schedule.goes_into_pose = body.is_some_and(|body| schedule.jumps(body, timeline, preroll));
        schedule
    }

    /// Whether the body jumps on its way from the bind pose into the running clip: joints take the shorter turn, and where the clip
    /// turns on past half a turn that is all at once the one the other way round.
    fn jumps(&self, body: &Body, timeline: &Timeline, preroll: u32) -> bool {
        let moment = |frame: u32| self.moment(timeline.fps.seconds(i64::from(frame) - i64::from(preroll)));
        let blend = |frame: u32| match moment(frame) {
            Moment::FromBind { seconds, amount } => Some((seconds, amount)),
            _ => None,
        };
        let jumps = |((from, _), (to, amount)): ((f64, f64), (f64, f64))| {
            let blended = [from, to].map(|seconds| Moment::FromBind { seconds, amount });
            let way = |moments: [Moment; 2]| furthest_joint(body, moments);
            way(blended) > JUMP.0 * way([from, to].map(Moment::At)) + JUMP.1 * body.height()
        };
        (1..preroll).filter_map(|frame| blend(frame - 1).zip(blend(frame))).any(jumps)
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
                let blend = self.preroll_seconds * BLEND_PART;
                let clip = if self.goes_into_pose {
                    clip.max(self.first_seconds - self.preroll_seconds + blend)
                } else {
                    clip
                };
                let target = if period.is_some() { clip } else { clip.max(self.clip_start).min(self.first_seconds) };
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

/// The longest way of a joint, and of what is a little beside it and turns with it, between two moments, metres.
fn furthest_joint(body: &Body, moments: [Moment; 2]) -> f64 {
    let lever = LEVER * body.height();
    let [from, to] = moments.map(|moment| body.joint_transforms(moment));
    let places = |joint: &DAffine3| {
        let m = joint.matrix3;
        [m.x_axis, m.y_axis, m.z_axis].map(|axis| joint.translation + axis.normalize_or_zero() * lever)
    };
    let way = |(from, to): (&DAffine3, &DAffine3)| {
        let ways = places(from).into_iter().zip(places(to)).map(|(from, to)| from.distance(to));
        ways.fold(from.translation.distance(to.translation), f64::max)
    };
    from.iter().zip(&to).map(way).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::geometry::{DQuat, DVec3};
    use crate::import::gltf::read_rig;
    use crate::import::{BodyAsset, Interpolation, Track, TrackValues};
    use crate::simulate::FrameRate;

    const PREROLL: u32 = 60;

    /// The walker, who turns right round so many times in a cycle while he walks.
    fn walker(turns: f64) -> Body {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/walker.glb");
        let bytes = std::fs::read(&path).expect("the walker");
        let mut rig = read_rig(&bytes, path.parent().expect("a folder"), "walker").expect("a rig");
        rig.clips.retain(|clip| clip.name == "walk");
        let root = rig.nodes.iter().position(|node| node.parent.is_none()).expect("a root") as u32;
        let tracks = &mut rig.clips[0].tracks;
        tracks.retain(|track| track.node != root || !matches!(track.values, TrackValues::Rotation(_)));
        let last = tracks.iter().filter_map(|track| track.times.last().copied()).fold(0.0, f32::max);
        let keys = (0..=8_u8).map(f64::from);
        let rotation = |key: f64| DQuat::from_axis_angle(DVec3::Y, key / 8.0 * turns * std::f64::consts::TAU);
        tracks.push(Track {
            node: root,
            times: keys.clone().map(|key| last * (key / 8.0) as f32).collect(),
            interpolation: Interpolation::Linear,
            values: TrackValues::Rotation(keys.map(rotation).collect()),
        });
        Body::new(BodyAsset::Rig(rig), None).expect("a body")
    }

    /// How far he goes from frame to frame at most, while he goes from the bind pose into the clip, times as far as in the clip.
    fn leap(body: &Body) -> (bool, f64) {
        let timeline = Timeline { first: 0, last: 29, fps: FrameRate::whole(30), start_frame: 0 };
        let schedule = Schedule::new(Some(body), &timeline, PREROLL, StartPose::Bind);
        let way = |frame: i64| {
            furthest_joint(body, [frame - 1, frame].map(|frame| schedule.moment(timeline.fps.seconds(frame))))
        };
        let most = |frames: std::ops::Range<i64>| frames.map(way).fold(0.0, f64::max);
        (schedule.goes_into_pose, most(1 - i64::from(PREROLL)..1) / most(1..30))
    }

    #[test]
    fn who_turns_right_round_does_not_jump_on_his_way_into_the_clip() {
        let (goes_into_pose, leap) = leap(&walker(1.0));
        assert!(goes_into_pose && leap < 1.5, "{leap}");
    }

    #[test]
    fn who_only_walks_goes_into_the_running_clip() {
        let (goes_into_pose, leap) = leap(&walker(0.0));
        assert!(!goes_into_pose && leap < 1.5, "{leap}");
    }
}
