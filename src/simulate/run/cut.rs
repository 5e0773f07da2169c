//! Cuts: frames into which the body jumps.

use super::{Simulator, Stop};
use crate::geometry::Vec3;
use crate::simulate::Setup;
use crate::simulate::cuts::{self, Stand};

/// Frames that lead over cuts, beside those over one, for each that is baked, from which on no cut is led over.
const MOST_LED: usize = 8;

impl Simulator<'_> {
    /// Finds the frames into which the body jumps, and adds those that the scene names.
    pub(super) fn find_cuts(&mut self) {
        let Setup { body, parameters, timeline, .. } = self.setup;
        let first = -i64::from(parameters.preroll);
        let last = timeline.len() as i64 - 1;
        let named = parameters.cuts.iter().map(|frame| frame - timeline.first);
        self.cuts = named.filter(|frame| (first + 1..=last).contains(frame)).collect();
        if let Some(body) = body.filter(|body| !body.is_still()) {
            let pose = |frame: usize, pose: &mut Vec<Vec3>| body.pose(self.moment_of(first + frame as i64), pose);
            let longest = cuts::longest_jump(timeline.fps.seconds(1) * body.clip_rate());
            let found = cuts::jumps((last - first + 1) as usize, longest, self.body_size, pose);
            self.cuts.extend(found.into_iter().map(|frame| first + frame as i64));
        }
        self.cuts.sort_unstable();
        self.cuts.dedup();
    }

    /// Goes on to `frame`, into which the body jumps.
    pub(super) fn cut_to(&mut self, frame: i64) {
        let on_time_line = self.setup.timeline.first + frame;
        let before = (self.cloth.saved(), self.states.fading().clone(), self.retried.len());
        let is_led = self.leads_over(frame) && self.lead_over(frame).is_ok();
        let had_to_retry = self.retried.len() > before.2;
        self.retried.truncate(before.2);
        if is_led {
            self.retried.extend(had_to_retry.then_some(on_time_line));
            if !self.led.contains(&on_time_line) {
                self.led.push(on_time_line);
            }
            return;
        }
        self.cloth.restore(&before.0);
        self.states.start_frame(before.1);
        let [from, to] = [frame - 1, frame].map(|frame| self.stand(frame));
        self.cloth.carry(&from.motion_to(&to), &self.setup.pins.particles, &self.pin_targets);
        self.motion.restart();
        self.budget.reset();
        self.contacts.clear();
    }

    /// Whether the body goes over to another pose in the cut into `frame`, a baked one, and the scene has the cloth settle after such
    /// ways. A clip that jumps all the time would take ages.
    fn leads_over(&self, frame: i64) -> bool {
        let preroll = self.setup.parameters.preroll as usize;
        let takes_ages = self.cuts.len().saturating_sub(1) * preroll > MOST_LED * self.setup.timeline.len();
        let Some(body) = self.setup.body.filter(|_| frame > 0 && preroll > 0 && !takes_ages) else { return false };
        let [from, to] = [frame - 1, frame].map(|frame| {
            let mut pose = Vec::new();
            body.pose(self.moment_of(frame), &mut pose);
            pose
        });
        cuts::leads_over(&from, &to, self.body_size)
    }

    /// Takes the cloth over the cut into `frame` with the body, as in a preroll.
    fn lead_over(&mut self, frame: i64) -> Result<(), Stop> {
        let (fps, frames) = (self.setup.timeline.fps, i64::from(self.setup.parameters.preroll));
        self.schedule.go_over(Some([frame - 1, frame].map(|frame| fps.seconds(frame))), fps.seconds(frames));
        // The lap before knows nothing of that way.
        let guide = self.guide.take();
        let led = (frame - frames + 1..=frame).try_for_each(|on_the_way| self.advance(on_the_way).map(drop));
        self.guide = guide;
        self.schedule.go_over(None, 0.0);
        self.place(frame);
        self.set_off(frame);
        led
    }

    /// Places body and pins as they are in `frame`.
    fn stand(&mut self, frame: i64) -> Stand {
        let moment = self.moment_of(frame);
        self.place(frame);
        self.aim_pins(moment);
        let mut body = Vec::new();
        self.setup.body.iter().for_each(|b| b.pose(moment, &mut body));
        Stand { pins: self.pin_targets.clone(), body }
    }
}
