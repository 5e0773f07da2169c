//! Which frames are baked, and how the body's clip is played in them.

use crate::body::{Body, BodyError, Cycle};
use crate::cli::failure::{Failure, UsageError};
use crate::preset::{CycleChoice, Scene};
use crate::simulate::{FrameRate, Timeline};

/// Last frame of a bake that nothing gives a length.
const LAST_FRAME: i64 = 119;
/// Part of a frame by which a key may miss a frame and still be on it.
const ON_FRAME: f64 = 1e-3;
/// Number of the last frame that a whole clip may have, as for the frames of a preset.
const MOST_FRAMES: f64 = 1e6;
/// Fewest frames of a loop.
const SHORTEST_LOOP: u32 = 2;

/// The frames of `scene` and the body as it is played in them; `note` gets what is odd.
pub(super) fn play(
    scene: &Scene,
    body: Option<Body>,
    note: &mut impl FnMut(&[String]),
) -> Result<(Option<Body>, Timeline), Failure> {
    let body = body.map(|body| body.at_speed(scene.speed));
    let Some(choice) = scene.cycle else {
        let timeline = timeline(scene, body.as_ref())?;
        return Ok((body, timeline));
    };
    let lap = Lap::new(scene, body.as_ref(), choice)?;
    note(lap.note(scene, choice).as_slice());
    let timeline = lap.timeline(scene);
    let looped = |body: Body| if body.is_still() { Ok(body) } else { body.looped(lap.cycle(scene, choice)) };
    Ok((body.map(looped).transpose().map_err(|error: BodyError| Failure::from(error))?, timeline))
}

/// A loop has no use for a pass that only looks ahead.
pub(super) fn check_loop(scene: &Scene) -> Result<(), UsageError> {
    match scene.parameters.laps {
        Some(_) if scene.parameters.takes_two_passes() => Err(UsageError::LoopLooksAhead),
        _ => Ok(()),
    }
}

/// The frames of `scene`; the whole clip of its body if the scene does not say, four seconds if nothing moves.
fn timeline(scene: &Scene, body: Option<&Body>) -> Result<Timeline, UsageError> {
    let (first, last) = match (scene.frames, body.filter(|body| !body.is_still())) {
        (Some(frames), _) => frames,
        (None, Some(body)) => whole_clip(body, scene.fps).map(|clip| (clip.first, clip.last))?,
        (None, None) => (0, LAST_FRAME),
    };
    Ok(Timeline { first, last, fps: scene.fps, start_frame: scene.start_frame })
}

/// All frames of a body's clip; one if it stands still.
///
/// # Errors
/// Nobody waits for so many frames: the key times are wrong.
pub(crate) fn whole_clip(body: &Body, fps: FrameRate) -> Result<Timeline, UsageError> {
    let (start, end) = body.clip_range();
    let clip = (start * fps.per_second(), end * fps.per_second());
    if clip.0.abs().max(clip.1.abs()) > MOST_FRAMES {
        return Err(UsageError::LongClip { start, end, fps: fps.per_second(), most: MOST_FRAMES });
    }
    let (first, last) = whole_frames(clip.0, clip.1);
    Ok(Timeline { first, last, fps, start_frame: first })
}

/// First and last frame inside the clip; at least one.
fn whole_frames(start: f64, end: f64) -> (i64, i64) {
    let first = (start - ON_FRAME).ceil() as i64;
    (first, ((end + ON_FRAME).floor() as i64).max(first))
}

/// The part of the clip that is gone round, at the scene's speed, and the frames that show it.
struct Lap {
    /// Its start, seconds.
    start: f64,
    /// Its length, seconds.
    seconds: f64,
    /// Frame that shows its start.
    first: i64,
    /// Frames of it.
    frames: u32,
}

impl Lap {
    /// The frames of `scene`, which is a loop; the whole clip if the scene does not say.
    fn new(scene: &Scene, body: Option<&Body>, choice: CycleChoice) -> Result<Lap, UsageError> {
        let clip = body.map(Body::clip_range).filter(|(start, end)| end > start);
        let (first, start, seconds) = match (scene.frames, clip) {
            (Some((first, last)), _) => (first, scene.fps.seconds(first), scene.fps.seconds(last - first)),
            (None, Some((start, end))) => ((start * scene.fps.per_second()).round() as i64, start, end - start),
            (None, None) => (0, 0.0, scene.fps.seconds(LAST_FRAME + 1)),
        };
        if seconds * scene.fps.per_second() > MOST_FRAMES {
            return Err(UsageError::LongClip {
                start,
                end: start + seconds,
                fps: scene.fps.per_second(),
                most: MOST_FRAMES,
            });
        }
        let nearest = (seconds * scene.fps.per_second()).round() as u32;
        let frames = choice.frames.unwrap_or(nearest);
        if frames < SHORTEST_LOOP || seconds <= 0.0 {
            return Err(UsageError::ShortLoop { frames: seconds * scene.fps.per_second() });
        }
        if let Some(blend) = choice.blend.filter(|blend| *blend > frames) {
            return Err(UsageError::LongBlend { blend, frames });
        }
        Ok(Lap { start, seconds, first, frames })
    }

    fn timeline(&self, scene: &Scene) -> Timeline {
        let last = self.first + i64::from(self.frames);
        Timeline { first: self.first, last, fps: scene.fps, start_frame: scene.start_frame }
    }

    fn cycle(&self, scene: &Scene, choice: CycleChoice) -> Cycle {
        let last = self.first + i64::from(self.frames);
        Cycle {
            first: scene.fps.seconds(self.first),
            last: scene.fps.seconds(last),
            clip_start: scene.speed.clip_seconds(self.start),
            clip_seconds: scene.speed.clip_seconds(self.seconds),
            blend: choice.blend.map(|frames| scene.fps.seconds(i64::from(frames))),
        }
    }

    /// Says when a clip of no whole number of frames is played faster or slower than it is.
    fn note(&self, scene: &Scene, choice: CycleChoice) -> Option<String> {
        let (frames, asked) = (self.seconds * scene.fps.per_second(), f64::from(self.frames));
        let percent = (frames / asked - 1.0) * 100.0;
        let how = if percent > 0.0 { "faster" } else { "slower" };
        ((frames - asked).abs() > ON_FRAME).then(|| {
            let advice = if choice.frames.is_none() { "; --loop-frames N chooses another number" } else { "" };
            format!(
                "the loop is {frames:.2} frames long and is played in {asked}, {:.1} % {how}{advice}",
                percent.abs()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Speed;

    #[test]
    fn a_clip_is_baked_from_its_first_to_its_last_whole_frame() {
        assert_eq!(whole_frames(0.0, 32.0), (0, 32));
        assert_eq!(whole_frames(1.25, 60.000_01), (2, 60));
        assert_eq!(whole_frames(1.000_01, 30.6), (1, 30));
        assert_eq!(whole_frames(0.2, 0.4), (1, 1));
    }

    #[test]
    fn a_loop_of_frames_plays_them_in_as_many_frames_as_asked() {
        let speed = Speed { numerator: 2, denominator: 1 };
        let scene = Scene { frames: Some((10, 42)), fps: FrameRate::whole(32), speed, ..Scene::default() };
        let choice = CycleChoice { frames: None, blend: Some(4) };
        let lap = Lap::new(&scene, None, choice).unwrap();
        let cycle = lap.cycle(&scene, choice);
        assert_eq!((lap.timeline(&scene).last, lap.note(&scene, choice)), (42, None));
        assert_eq!((cycle.clip_start, cycle.clip_seconds, cycle.blend), (0.625, 2.0, Some(0.125)));
        let choice = CycleChoice { frames: Some(24), blend: None };
        let shorter = Lap::new(&scene, None, choice).unwrap();
        assert_eq!((shorter.timeline(&scene).len(), shorter.cycle(&scene, choice).clip_seconds), (25, 2.0));
        assert!(shorter.note(&scene, choice).is_some_and(|note| note.ends_with("33.3 % faster")));
        let blended = |blend| Lap::new(&scene, None, CycleChoice { blend: Some(blend), ..choice });
        assert!(blended(24).is_ok() && matches!(blended(25), Err(UsageError::LongBlend { blend: 25, frames: 24 })));
        let short = Scene { frames: Some((3, 3)), ..scene };
        assert!(matches!(Lap::new(&short, None, choice), Err(UsageError::ShortLoop { .. })));
    }
}
