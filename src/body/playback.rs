//! How a clip is played: faster or slower, or round and round.
//!
//! ```text
//!  clip  |--------[ start ........ start + seconds ]------|      what the file has
//!                  \                             /
//!  played    first [ ............................ ] last         what a bake sees: clip = start + (played - first) * rate
//!                                    |<- blend ->|               the gap between both ends is taken up here
//! ```
//!
//! A loop ends in exactly the pose that it starts in: the difference of both is added to the poses before its end, more and
//! more (`smoothstep`, so that no speed jumps), rotations as rotations.

use super::error::BodyError;
use crate::geometry::smooth_step;

/// How many times as fast a clip is played, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    /// Seconds of the clip ...
    pub numerator: u32,
    /// ... that are played in this many.
    pub denominator: u32,
}

impl Speed {
    /// As the file has it.
    pub const ONE: Speed = Speed { numerator: 1, denominator: 1 };

    /// Seconds of the clip after so many played ones.
    pub fn clip_seconds(self, played: f64) -> f64 {
        played * f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// Seconds in which so many of the clip are played.
    pub fn played_seconds(self, clip: f64) -> f64 {
        clip * f64::from(self.denominator) / f64::from(self.numerator)
    }
}

/// A part of a clip that is played round and round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// When it starts, as played, seconds.
    pub first: f64,
    /// When it starts again, as played, seconds.
    pub last: f64,
    /// Where it starts in the clip, seconds.
    pub clip_start: f64,
    /// Its length in the clip, seconds.
    pub clip_seconds: f64,
    /// Length of the part before its end in which the body goes over into its first pose, as played, seconds; none: the clip
    /// must close by itself.
    pub blend: Option<f64>,
}

/// From played seconds to those of the clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Playback {
    /// Once, at a speed.
    Once(Speed),
    /// Round and round.
    Round(Cycle),
}

impl Playback {
    /// Seconds of the clip that are played in one.
    pub(super) fn rate(&self) -> f64 {
        match self {
            Playback::Once(speed) => speed.clip_seconds(1.0),
            Playback::Round(cycle) => cycle.clip_seconds / (cycle.last - cycle.first),
        }
    }

    /// Seconds of the clip at `seconds` as played.
    pub(super) fn clip_seconds(&self, seconds: f64) -> f64 {
        match self {
            Playback::Once(speed) => speed.clip_seconds(seconds),
            Playback::Round(cycle) => {
                let length = cycle.last - cycle.first;
                cycle.clip_start + (seconds - cycle.first).rem_euclid(length) * (cycle.clip_seconds / length)
            }
        }
    }
}

/// Part of a clip's length by which a cycle may miss whole rounds of it and still be made of them.
const WHOLE: f64 = 1e-6;
/// Part of a cycle in which its small gap is taken up when nobody says.
const CLOSING: f64 = 0.25;

/// The end of a cycle, where it closes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closing {
    /// First and last moment of the cycle in the clip, seconds.
    pub(super) ends: [f64; 2],
    /// From when on it closes, seconds of the clip.
    from: f64,
}

impl Closing {
    /// Of `cycle`; if it is made of whole rounds of a clip with these `keys`, of each round.
    pub(super) fn of(cycle: &Cycle, keys: (f64, f64)) -> Closing {
        let Cycle { first, last, clip_start, clip_seconds, blend } = *cycle;
        let round = keys.1 - keys.0;
        let is_whole = round > 0.0 && ((clip_seconds / round).round() * round - clip_seconds).abs() <= WHOLE * round;
        let [start, length] = if is_whole { [keys.0, round] } else { [clip_start, clip_seconds] };
        let taken_up = blend.map_or(CLOSING * length, |blend| blend / (last - first) * clip_seconds);
        let end = start + length;
        Closing { ends: [start, end], from: end - taken_up.clamp(0.0, length) }
    }

    /// Part of the gap to add at `seconds` of the clip; none while it is nothing.
    pub(super) fn part(&self, seconds: f64) -> Option<f64> {
        let end = self.ends[1];
        (seconds > self.from && end > self.from).then(|| smooth_step(self.from, end, seconds))
    }
}

/// Distance between the poses at both ends of a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gap {
    /// Vertex that is furthest from where it starts.
    pub(super) vertex: u32,
    /// How far, metres.
    pub(super) metres: f64,
    /// How far the body goes as a whole: its mean vertex, metres.
    pub(super) travel: f64,
}

/// Part of the body's height that it may travel over a cycle: 17 cm of a person.
const TRAVEL: f64 = 0.1;

/// Whether a cycle with this gap can be closed.
pub(super) fn check(
    gap: &Gap,
    cycle: &Cycle,
    tolerance: f64,
    height: f64,
    joint: impl Fn(u32) -> String,
) -> Result<(), BodyError> {
    if gap.travel > TRAVEL * height {
        return Err(BodyError::Travels { metres: gap.travel });
    }
    if gap.metres > tolerance && cycle.blend.is_none() {
        let (vertex, millimetres) = (gap.vertex, gap.metres * 1000.0);
        return Err(BodyError::Open { millimetres, vertex, joint: joint(vertex) });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CYCLE: Cycle = Cycle { first: 2.0, last: 4.0, clip_start: 10.0, clip_seconds: 1.0, blend: Some(0.5) };

    #[test]
    fn a_cycle_is_played_round_and_round_at_its_own_rate() {
        let at = |seconds| Playback::Round(CYCLE).clip_seconds(seconds);
        assert_eq!([at(2.0), at(3.0), at(4.0), at(5.0), at(1.0)], [10.0, 10.5, 10.0, 10.5, 10.5]);
    }

    #[test]
    fn speeds_are_fractions() {
        let third = Speed { numerator: 1, denominator: 3 };
        assert_eq!(Playback::Once(third).clip_seconds(3.0), 1.0);
        assert_eq!(third.played_seconds(1.0), 3.0);
    }

    #[test]
    fn the_gap_is_taken_up_before_the_end_and_whole_at_the_end() {
        let closing = Closing::of(&CYCLE, (0.0, 0.0));
        assert_eq!(closing.part(10.75), None);
        assert_eq!([closing.part(10.875), closing.part(11.0)], [Some(0.5), Some(1.0)]);
        assert_eq!(Closing::of(&Cycle { blend: Some(0.0), ..CYCLE }, (0.0, 0.0)).part(11.0), None);
    }

    #[test]
    fn of_several_rounds_each_closes() {
        let closing = Closing::of(&Cycle { blend: None, clip_seconds: 2.0, ..CYCLE }, (9.5, 10.5));
        assert_eq!(closing.ends, [9.5, 10.5]);
        assert_eq!([closing.part(10.25), closing.part(10.375)], [None, Some(0.5)]);
    }

    #[test]
    fn what_travels_or_does_not_close_is_refused() {
        let gap = Gap { vertex: 7, metres: 0.02, travel: 0.01 };
        let name = |_| "shin".to_owned();
        let open = Cycle { blend: None, ..CYCLE };
        assert!(check(&gap, &CYCLE, 0.001, 1.7, name).is_ok());
        let refused = check(&gap, &open, 0.001, 1.7, name).unwrap_err().to_string();
        assert!(refused.contains("20.0 mm") && refused.contains("vertex 7") && refused.contains("shin"), "{refused}");
        let walker = Gap { travel: 1.5, ..gap };
        assert!(matches!(check(&walker, &CYCLE, 0.001, 1.7, name), Err(BodyError::Travels { .. })));
    }
}
