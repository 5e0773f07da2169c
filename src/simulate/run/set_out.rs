//! Cloth sets out with the body: from where it was made to where the clip begins, and at the speed at which the body goes off.
//!
//! ```text
//!   bind pose, made there          the same pose where the clip is         first frame
//!        o ------------ carried along ------------> o ~~ preroll ~~> o ------ v ------>
//!                                                                        v: that of the body as a whole
//! ```

use super::Simulator;
use crate::body::{Body, Moment};
use crate::geometry::{DVec3, Vec3};

/// Way within which the body stays where it is, as a part of its size.
const STANDS: f64 = 1e-5;
/// How far a vertex may lie elsewhere in the same pose, the same way: far away from the world's origin `f32` is coarse.
const SAME: f64 = 2e-3;
impl Simulator<'_> {
    /// Takes the cloth along to where the body is in `frame`, if that is the pose it starts in at another place.
    pub(super) fn go_to(&mut self, frame: i64) {
        let Some(body) = self.setup.body else { return };
        let (start, there) = (self.schedule.start_moment(), self.moment_of(frame));
        let way = if start == there { None } else { way_between(body, start, there, self.body_size) };
        if let Some(way) = way {
            self.cloth.points.iter_mut().chain(&mut self.cloth.previous).for_each(|point| point.at += way);
        }
    }

    /// Gives the cloth the speed that the body as a whole goes off with, if it stood still up to the first frame: a walk that
    /// begins at full speed would leave it behind.
    pub(super) fn set_in_motion(&mut self) {
        let step = self.setup.timeline.fps.seconds(1);
        let stood = self.setup.parameters.preroll == 0
            || self.setup.body.is_some_and(|body| {
                let [before, now] = [-step, 0.0].map(|seconds| body.middle(self.schedule.moment(seconds)));
                before.distance(now) <= STANDS * f64::from(self.body_size)
            });
        if stood {
            self.set_off(0);
        }
    }

    /// Gives cloth that hangs still the speed that the body as a whole goes off with from `frame` on.
    pub(super) fn set_off(&mut self, frame: i64) {
        let is_worn = !self.pin_joints.is_empty() || self.setup.pins.particles.is_empty() && self.setup.hits_body();
        let jumps = self.cuts.binary_search(&(frame + 1)).is_ok();
        let Some(body) = self.setup.body.filter(|body| is_worn && !jumps && !body.is_still()) else { return };
        let [now, after] = [frame, frame + 1].map(|frame| body.middle(self.moment_of(frame)));
        let velocity = ((after - now) / self.setup.timeline.fps.seconds(1)).as_vec3();
        self.cloth.velocities.iter_mut().for_each(|v| v.at += velocity);
        self.guard.note_drive(velocity.length());
        self.motion.restart();
        self.budget.reset();
    }
}

/// The way from one pose to another that is the same but for its place, metres; none if it is another pose or hardly moves.
fn way_between(body: &Body, from: Moment, to: Moment, body_size: f32) -> Option<Vec3> {
    let [mut before, mut after] = [Vec::new(), Vec::new()];
    body.pose(from, &mut before);
    body.pose(to, &mut after);
    let ways = before.iter().zip(&after).map(|(a, b)| b.as_dvec3() - a.as_dvec3());
    let way = ways.clone().sum::<DVec3>() / before.len().max(1) as f64;
    let least = STANDS * f64::from(body_size);
    let is_same = ways.clone().all(|own| own.distance(way) <= SAME * f64::from(body_size));
    (is_same && way.length() > least).then(|| way.as_vec3())
}
