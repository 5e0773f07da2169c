//! Chooses the state in force, frame by frame: by its schedule, else by what touches.

use super::part::StateError;
use crate::body::Body;
use crate::simulate::Timeline;
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::parameters::{CollisionState, Parameters};

/// Contacts with the part from which its state begins ...
const CONTACTS_ON: usize = 8;
/// ... and below which it ends.
const CONTACTS_OFF: usize = 4;
/// A state is kept this long at least, seconds: shorter visits make the cloth twitch.
const DWELL_SECONDS: f64 = 0.15;

/// Chooses the state in force, frame by frame.
#[derive(Debug)]
pub(super) struct Chooser {
    states: Vec<CollisionState>,
    timeline: Timeline,
    /// Start and length of the clip's cycle, seconds.
    cycle: Option<(f64, f64)>,
    current: usize,
    seconds_in_current: f64,
}

impl Chooser {
    pub(super) fn new(
        parameters: &Parameters,
        body: Option<&Body>,
        timeline: &Timeline,
    ) -> Result<Chooser, StateError> {
        let cycle = body.map(Body::clip_range).map(|(first, last)| (first, last - first)).filter(|c| c.1 > 0.0);
        if let Some(state) = parameters.states.iter().find(|s| cycle.is_none() && !s.phases.is_empty()) {
            return Err(StateError::NoCycle { state: state.name.clone() });
        }
        let states = parameters.states.clone();
        Ok(Chooser { states, timeline: *timeline, cycle, current: 0, seconds_in_current: f64::INFINITY })
    }

    /// The state in force, of so many, and since when.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>, states: usize) -> Archived {
        archive.place(&mut self.current, states, "states")?;
        archive.f64(&mut self.seconds_in_current)
    }

    /// The state from `frame` (on the clip's time line) on, after a frame that ended with these numbers of contacts with each
    /// state's part.
    pub(super) fn choose(&mut self, frame: i64, counts: &[usize]) -> usize {
        self.seconds_in_current += self.timeline.fps.seconds(1);
        let next = self
            .scheduled(frame)
            .or_else(|| (self.seconds_in_current >= DWELL_SECONDS).then(|| self.by_contact(counts)));
        if let Some(next) = next.filter(|&n| n != self.current) {
            self.current = next;
            self.seconds_in_current = 0.0;
        }
        self.current
    }

    /// The first state whose schedule has `frame` in it.
    pub(super) fn scheduled(&self, frame: i64) -> Option<usize> {
        let seconds = self.timeline.fps.seconds(frame);
        let phase = self.cycle.map(|(start, length)| ((seconds - start) / length).rem_euclid(1.0));
        let holds = |state: &CollisionState| {
            state.frames.iter().any(|&(first, last)| (first..=last).contains(&frame))
                || state.seconds.iter().any(|&(first, last)| (first..=last).contains(&seconds))
                || phase.is_some_and(|phase| state.phases.iter().any(|&range| is_within(range, phase)))
        };
        self.states.iter().position(holds)
    }

    /// The state without schedule with most contacts with its part, if they are enough; else the first.
    fn by_contact(&self, counts: &[usize]) -> usize {
        let needed = |state| if state == self.current { CONTACTS_OFF } else { CONTACTS_ON };
        let has_schedule = |state: usize| self.states[state].has_schedule();
        let candidates =
            counts.iter().copied().enumerate().filter(|&(state, n)| n >= needed(state) && !has_schedule(state));
        candidates.fold((0, 0), |best, this| if this.1 > best.1 { this } else { best }).0
    }
}

/// Whether a phase is in a range of the cycle, which may go over its end: `(0.9, 0.1)`.
fn is_within((from, to): (f64, f64), phase: f64) -> bool {
    if from <= to { (from..=to).contains(&phase) } else { phase >= from || phase <= to }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::FrameRate;

    fn chooser(states: Vec<CollisionState>) -> Chooser {
        let timeline = Timeline { first: 0, last: 99, fps: FrameRate::whole(10), start_frame: 1 };
        Chooser { states, timeline, cycle: Some((0.5, 2.0)), current: 0, seconds_in_current: f64::INFINITY }
    }

    fn named(name: &str) -> CollisionState {
        CollisionState { name: name.to_owned(), ..CollisionState::default() }
    }

    #[test]
    fn schedules_count_frames_seconds_or_phases_of_the_cycle() {
        let states = vec![
            named("free"),
            CollisionState { frames: vec![(3, 4)], ..named("frames") },
            CollisionState { seconds: vec![(0.6, 0.7)], ..named("seconds") },
            // The cycle runs from frame 5 to frame 25 and again: these phases are frames 23 to 27, or 3 to 7.
            CollisionState { phases: vec![(0.88, 0.12)], ..named("phases") },
        ];
        let mut chooser = chooser(states);
        let chosen: Vec<usize> = (0..9).map(|frame| chooser.choose(frame, &[0; 4])).collect();
        // The first state whose schedule has the frame is chosen.
        assert_eq!(&chosen[..6], [0, 0, 0, 1, 1, 3]);
        let scheduled: Vec<Option<usize>> = (21..30).map(|frame| chooser.scheduled(frame)).collect();
        assert_eq!(scheduled, [None, None, Some(3), Some(3), Some(3), Some(3), Some(3), None, None]);
        assert_eq!((6..9).map(|frame| chooser.scheduled(frame)).collect::<Vec<_>>(), [Some(2), Some(2), None]);
    }

    #[test]
    fn a_state_begins_with_many_contacts_and_ends_with_few() {
        let mut chooser = chooser(vec![named("free"), named("left"), named("right")]);
        let counts = [[0, 7, 0], [0, 8, 0], [0, 5, 9], [0, 5, 9], [0, 0, 5], [0, 0, 3], [0, 0, 3]];
        let chosen: Vec<usize> = (0..).zip(counts).map(|(frame, counts)| chooser.choose(frame, &counts)).collect();
        // Each is kept for two frames (0.2 s) at least.
        assert_eq!(chosen, [0, 1, 1, 2, 2, 0, 0]);
    }
}
