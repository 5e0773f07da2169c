//! What a run tells its user, in plain words.

use super::super::Timeline;
use crate::body::Body;

/// What is likely to have torn the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspect {
    /// Pins next to it.
    Pins,
    /// A body that it touches.
    Body,
    /// Nothing but itself.
    Cloth,
}

/// The likely cause of a divergence, and what to do about it.
pub(super) fn advice(notices: &[String], suspect: Suspect, substeps: u32) -> String {
    if let Some(notice) = notices.first() {
        return notice.clone();
    }
    let likely = match suspect {
        Suspect::Pins => {
            "it is next to pins, which are likely pulled apart or jerked: pin less, or move them more slowly"
        }
        Suspect::Body => "it touches the body, whose parts likely cross there: a body motion without that",
        Suspect::Cloth => {
            "look there for pins that are pulled apart or body parts that cross, or try a stiffer body motion"
        }
    };
    let more = substeps.saturating_mul(2);
    format!("{likely}; or try --substeps {more}")
}

/// Says in which frames the cloth was carried along.
pub(super) fn taken_cuts(frames: &[i64]) -> Option<String> {
    let frames = listed(frames)?;
    Some(format!("the body jumps into {frames}: the cloth was carried along there, as over a cut"))
}

/// Says in which frames the cloth was led over to another pose.
pub(super) fn led_cuts(frames: &[i64]) -> Option<String> {
    let frames = listed(frames)?;
    Some(format!(
        "the body jumps into {frames} and another pose: the cloth was led over to it, as in a preroll; if the clip begins with a pose \
         that is not of its motion, leave that out with --frames"
    ))
}

/// One frame or several, in words.
fn listed(frames: &[i64]) -> Option<String> {
    let all: Vec<String> = frames.iter().map(i64::to_string).collect();
    match all.as_slice() {
        [] => None,
        [frame] => Some(format!("frame {frame}")),
        frames => Some(format!("frames {}", frames.join(", "))),
    }
}

/// Says that the body stops and goes, where it holds each of its poses for so many frames.
pub(super) fn held_poses(frames: f64) -> Option<String> {
    /// Frames that a pose may be held beyond one without a word: keys that are not exactly at frames.
    const SLACK: f64 = 0.1;
    (frames > 1.0 + SLACK).then(|| {
        format!(
            "the clip holds each pose (STEP keys) for {frames:.1} frames: the body stops and goes, and the cloth with it; \
             for cloth that flows give the clip LINEAR keys, or --fps as many as it has keys a second"
        )
    })
}

/// Says that the body stands still before the start of its clip or after its end, if these are inside the frames.
pub(super) fn beside_the_clip(body: &Body, timeline: &Timeline) -> Vec<String> {
    /// Frames beyond either end that are no more than the next key of a cycle would be.
    const SLACK: f64 = 1.5;
    if body.is_still() || body.is_cyclic() {
        return Vec::new();
    }
    let (start, end) = body.clip_range();
    let [start, end] = [start, end].map(|at| at / timeline.fps.seconds(1));
    let (first, last) = (timeline.first, timeline.last);
    let begins = start.ceil() as i64;
    let before = (first as f64 <= start - SLACK).then(|| {
        let until = begins.min(last);
        format!("the clip begins at frame {begins}: the body stands still in frames {first} to {until}; choose others with --frames")
    });
    let after = (last as f64 >= end + SLACK).then(|| {
        format!(
            "the clip ends at frame {end:.0} and its last pose is not its first: the body stands still from there on; bake a cycle with --loop, or \
             less with --frames"
        )
    });
    before.into_iter().chain(after).collect()
}

/// Says which of the cuts that the user named are in no frame that is baked, but the first.
pub(super) fn no_cuts(named: &[i64], timeline: &Timeline) -> Option<String> {
    let not_baked = |frame: &&i64| !(timeline.first + 1..=timeline.last).contains(frame);
    let frames = listed(&named.iter().filter(not_baked).copied().collect::<Vec<_>>())?;
    Some(format!("no cut leads into {frames}: frames {} to {} are baked", timeline.first, timeline.last))
}

/// Says which frames diverged at first.
pub(super) fn done_again(frames: &[i64]) -> Option<String> {
    let (first, last) = (frames.first()?, frames.last()?);
    let count = frames.len();
    Some(format!("{count} frames from {first} to {last} diverged at first and were done again with more substeps"))
}
