//! Laps of a cycle, until one repeats the one before; and how the rest is closed.
//!
//! ```text
//!  frame      0  1  2 ........ n
//!  lap k - 1     a1 a2 ....... an          an is where lap k starts
//!  lap k         b1 b2 ....... bn
//!  written    an (1 - w) b + w a  an       w: 0 at the start, 1 at the end, without a jump of speed (smoothstep)
//! ```
//!
//! The last frame is the first again, to the bit: a player that goes from the last key to the first skips no time and shows no
//! jump. A mean of two laps stretches no edge more than the more stretched of both.

use super::archive::{Archive, Archived, fits};
use super::guide::Guide;
use super::simulation::{LapNumber, LoopOutcome, Simulation};
use super::states::MapValidity;
use super::timeline::Timeline;
use crate::geometry::{Vec3, smooth_step};

/// Laps that are simulated with no lap before to be drawn to: what the preroll has left behind goes.
const FREE_LAPS: u32 = 1;
/// Rates, per second, at which the cloth is drawn to the lap before, lap by lap.
const RATES: [f32; 3] = [16.0, 32.0, 64.0];
/// Rate at which it is drawn in all laps after, to what the last of those was drawn to: drawn to each other without end, laps go
/// astray again by small steps.
const LAST_RATE: f32 = 128.0;

/// How laps are simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laps {
    /// Most of them, two or more. Default: `16`.
    pub most: u32,
    /// Furthest that any particle may be in any frame of a lap from where it was in the lap before, metres; the same for the way
    /// that it goes from frame to frame. Default: `0.001`.
    pub tolerance: f32,
}

impl Default for Laps {
    fn default() -> Self {
        Laps { most: 16, tolerance: 1e-3 }
    }
}

/// One lap: all its frames but the one it starts from.
#[derive(Clone, Debug, Default)]
pub(super) struct Lap {
    frames: Vec<Vec<Vec3>>,
    states: Vec<usize>,
    validity: Vec<MapValidity>,
    substeps: Vec<u32>,
}

/// All laps so far: the last two of them, and how they repeat each other.
#[derive(Debug)]
pub(super) struct Race {
    laps: Laps,
    fps: f64,
    before: Option<Lap>,
    last: Option<Lap>,
    /// The two laps in a row that differ least, unless those are the last two: laps that go round in circles differ by much again.
    best: Option<[Lap; 2]>,
    outcome: LoopOutcome,
}

impl Lap {
    /// Adds a frame.
    pub(super) fn push(&mut self, places: Vec<Vec3>, state: usize, validity: MapValidity, substeps: u32) {
        self.frames.push(places);
        self.states.push(state);
        self.validity.push(validity);
        self.substeps.push(substeps);
    }

    /// Its frames, `count` of them if that is known, of so many particles and in so many states.
    fn archive(
        &mut self,
        archive: &mut Archive<'_>,
        count: Option<usize>,
        particles: usize,
        states: usize,
    ) -> Archived {
        archive.frames(&mut self.frames, particles, count)?;
        archive.list(&mut self.states, || 0, |archive, state| archive.place(state, states, "states"))?;
        archive.list(&mut self.validity, MapValidity::default, |archive, validity| validity.archive(archive))?;
        archive.list(&mut self.substeps, || 0, Archive::u32)?;
        let lengths = [self.states.len(), self.validity.len(), self.substeps.len()];
        fits(lengths == [self.frames.len(); 3], "laps")
    }

    /// Number of its frames so far.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The frames of this lap, which starts where `before` ends, led over from its own end at the start.
    ///
    /// What the next lap is drawn to must end where this one does: drawn to the mean that is written it would end where the lap
    /// `before` does, and laps would alternate.
    fn periodic(&self, before: &Lap) -> Vec<Vec<Vec3>> {
        let count = self.frames.len() as f64;
        let (Some(start), Some(end)) = (before.frames.last(), self.frames.last()) else { return Vec::new() };
        let led_over = |(frame, places): (u32, &Vec<Vec3>)| {
            let part = 1.0 - smooth_step(0.0, count, f64::from(frame)) as f32;
            let gaps = start.iter().zip(end).map(|(start, end)| *end - *start);
            places.iter().zip(gaps).map(|(place, gap)| *place + gap * part).collect()
        };
        (1..).zip(&self.frames).map(led_over).collect()
    }

    /// Furthest that a particle is from where it was in the other lap, metres, and largest difference of the ways it goes in a
    /// frame.
    fn residuals(&self, other: &Lap) -> [f32; 2] {
        let gaps = |frame: usize| {
            let places = self.frames[frame].iter().zip(&other.frames[frame]);
            places.map(|(a, b)| *a - *b).collect::<Vec<Vec3>>()
        };
        let longest = |ways: &mut dyn Iterator<Item = Vec3>| ways.map(|way| way.length()).fold(0.0, f32::max);
        let mut furthest = [0.0_f32; 2];
        let mut before: Option<Vec<Vec3>> = None;
        for frame in 0..self.frames.len().min(other.frames.len()) {
            let now = gaps(frame);
            furthest[0] = furthest[0].max(longest(&mut now.iter().copied()));
            if let Some(before) = before {
                furthest[1] = furthest[1].max(longest(&mut now.iter().zip(&before).map(|(a, b)| *a - *b)));
            }
            before = Some(now);
        }
        furthest
    }
}

impl Race {
    pub(super) fn new(laps: Laps, timeline: &Timeline) -> Race {
        let outcome = LoopOutcome { tolerance: laps.tolerance, ..LoopOutcome::default() };
        Race { laps, fps: timeline.fps.per_second(), before: None, last: None, best: None, outcome }
    }

    /// Number of the lap under way, from 1.
    pub(super) fn number(&self) -> LapNumber {
        let residual = self.outcome.residuals.last().copied();
        LapNumber { number: self.outcome.laps.saturating_add(1), most: self.laps.most, residual }
    }

    /// All laps, that `under_way` too, of so many frames, particles and states.
    pub(super) fn archive(
        &mut self,
        under_way: &mut Lap,
        archive: &mut Archive<'_>,
        [frames, particles, states]: [usize; 3],
    ) -> Archived {
        under_way.archive(archive, None, particles, states)?;
        fits(under_way.frames.len() <= frames, "laps")?;
        for lap in [&mut self.before, &mut self.last] {
            archive.option(lap, Lap::default, |archive, lap| lap.archive(archive, Some(frames), particles, states))?;
        }
        archive.option(&mut self.best, Default::default, |archive, laps: &mut [Lap; 2]| {
            laps.iter_mut().try_for_each(|lap| lap.archive(archive, Some(frames), particles, states))
        })?;
        self.outcome.archive(archive)?;
        fits(self.best.is_none() || self.outcome.laps > 2, "laps")?;
        fits(self.outcome.laps < self.laps.most, "laps")?;
        let known = [&self.last, &self.before].map(Option::is_some);
        fits(known == [self.outcome.laps >= 1, self.outcome.laps >= 2], "laps")
    }

    /// Ends a lap. Whether it repeats the one before, or was the last allowed.
    pub(super) fn end_lap(&mut self, lap: Lap) -> bool {
        let earlier = std::mem::replace(&mut self.before, self.last.replace(lap));
        self.outcome.laps += 1;
        let Some((last, before)) = self.last.as_ref().zip(self.before.as_ref()) else { return false };
        let [places, ways] = last.residuals(before);
        if self.outcome.residuals.iter().all(|&residual| places < residual) {
            self.best = None;
        } else if self.best.is_none() {
            self.best = earlier.zip(self.before.clone()).map(<[Lap; 2]>::from);
        }
        self.outcome.residuals.push(places);
        self.outcome.velocity_residuals.push(ways * self.fps as f32);
        self.outcome.is_closed = places <= self.laps.tolerance && ways <= self.laps.tolerance;
        self.outcome.is_closed || self.outcome.laps >= self.laps.most
    }

    /// Changes what the next lap is drawn to, from `guide`.
    pub(super) fn next_guide(&self, guide: Option<Guide>) -> Option<Guide> {
        let drawn = self.outcome.laps.checked_sub(FREE_LAPS + 1)?;
        match RATES.get(drawn as usize) {
            Some(&rate) => Some(Guide::new(self.last.as_ref()?.periodic(self.before.as_ref()?), rate)),
            None => guide.map(|guide| guide.with_rate(LAST_RATE)),
        }
    }

    /// The mean of two laps in a row that closes: frames 1 to the last.
    fn closed([before, last]: &[Lap; 2]) -> Vec<Vec<Vec3>> {
        let count = last.frames.len() as f64;
        let mean = |(frame, (b, a)): (u32, (&Vec<Vec3>, &Vec<Vec3>))| {
            let part = smooth_step(0.0, count, f64::from(frame)) as f32;
            a.iter().zip(b).map(|(a, b)| b.lerp(*a, part)).collect()
        };
        (1..).zip(last.frames.iter().zip(&before.frames)).map(mean).collect()
    }

    /// Writes the closed cycle to `result`, its last frame first too: of the last two laps, or of those that differ less.
    pub(super) fn finish(self, result: &mut Simulation) {
        let last_two = self.before.zip(self.last).map(<[Lap; 2]>::from);
        let Some(laps) = self.best.filter(|_| !self.outcome.is_closed).or(last_two) else { return };
        result.cache.frames = from_its_end(Race::closed(&laps));
        let [_, last] = laps;
        result.states = from_its_end(last.states);
        result.validity = from_its_end(last.validity);
        result.substeps = from_its_end(last.substeps);
        result.repetition = Some(self.outcome);
    }
}

impl LoopOutcome {
    /// Says that the cloth did not come to repeat itself.
    pub(super) fn notice(&self) -> Option<String> {
        let (lap, residual) = self.repeated()?;
        let (laps, residual, tolerance) = (self.laps, 1000.0 * residual, 1000.0 * self.tolerance);
        (!self.is_closed).then(|| {
            format!(
                "after {laps} laps the cloth still differs by {residual:.1} mm from lap to lap, more than {tolerance} mm; laps {} \
                 and {lap}, which differ least, were blended: look at the result, or give it more laps (--loop-laps) or a duller \
                 fabric",
                lap - 1
            )
        })
    }
}

/// What belongs to frames 1 to n -> to frames 0 to n, the last of which is the first.
fn from_its_end<T: Clone>(mut frames: Vec<T>) -> Vec<T> {
    if let Some(end) = frames.last().cloned() {
        frames.insert(0, end);
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::FrameRate;

    const TIMELINE: Timeline = Timeline { first: 0, last: 4, fps: FrameRate::whole(10), start_frame: 0 };

    fn lap(places: [f32; 4]) -> Lap {
        let mut lap = Lap::default();
        for x in places {
            lap.push(vec![Vec3::X * x], 0, MapValidity::default(), 8);
        }
        lap
    }

    fn race(laps: &[[f32; 4]]) -> Race {
        let mut race = Race::new(Laps { most: 4, tolerance: 0.01 }, &TIMELINE);
        for places in laps {
            race.end_lap(lap(*places));
        }
        race
    }

    #[test]
    fn a_race_ends_when_a_lap_repeats_the_one_before() {
        let mut race = race(&[[1.0, 2.0, 1.0, 0.0]]);
        assert!(!race.end_lap(lap([1.5, 2.0, 1.0, 0.0])));
        assert!(race.end_lap(lap([1.502, 2.0, 1.0, 0.0])));
        assert!((race.outcome.residuals[0] - 0.5).abs() < 1e-6 && race.outcome.residuals.len() == 2);
        // The way from frame 1 to frame 2 differs by 0.5 m in 0.1 s.
        assert!((race.outcome.velocity_residuals[0] - 5.0).abs() < 1e-5);
        assert!(race.outcome.is_closed && race.outcome.notice().is_none());
    }

    #[test]
    fn a_race_without_end_is_ended_and_says_so() {
        let mut race = race(&[[0.0; 4], [1.0; 4], [0.0; 4]]);
        assert!(race.end_lap(lap([1.0; 4])));
        assert!(race.outcome.notice().is_some_and(|n| n.contains("after 4 laps") && n.contains("1000.0 mm")));
    }

    #[test]
    fn of_laps_that_never_repeat_those_that_differ_least_are_closed() {
        let mut result = Simulation::of(TIMELINE);
        race(&[[0.0; 4], [2.0; 4], [2.1; 4], [9.0; 4]]).finish(&mut result);
        assert!(result.cache.frames.iter().all(|frame| (2.0..=2.1).contains(&frame[0].x)));
        let outcome = result.repetition.expect("a loop");
        let (lap, residual) = outcome.repeated().expect("laps");
        assert!(lap == 3 && (residual - 0.1).abs() < 1e-6);
        assert!(outcome.notice().is_some_and(|n| n.contains("by 100.0 mm") && n.contains("laps 2 and 3,")));
    }

    #[test]
    fn what_is_left_is_closed_without_a_jump_of_place() {
        let mut result = Simulation::of(TIMELINE);
        // The second lap ends 1 m from where it started.
        race(&[[0.0; 4], [0.25, 0.5, 0.75, 1.0]]).finish(&mut result);
        let places: Vec<f32> = result.cache.frames.iter().map(|frame| frame[0].x).collect();
        assert_eq!(places.len(), TIMELINE.len());
        assert_eq!(places[0].to_bits(), places[4].to_bits());
        assert!(places.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.25), "{places:?}");
        assert_eq!(result.states.len(), TIMELINE.len());
    }

    #[test]
    fn the_first_laps_are_free_and_the_later_ones_are_drawn() {
        assert!(race(&[[0.0; 4]]).next_guide(None).is_none());
        assert!(race(&[[0.0; 4], [1.0; 4]]).next_guide(None).is_some());
    }
}
