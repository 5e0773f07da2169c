//! Cuts: frames into which the body jumps from the one before.
//!
//! ```text
//!  way of the      |         |             |   a jump is much longer than the ways before and after it explain; sampled more
//!  mean vertex     |         |           | |   often than its keys, a clip takes several frames for one
//!  in a frame   _._|_._   or |_._._   _._| |_._
//! ```
//!
//! No time passes over a cut: the cloth is carried along as if it were stiff, its velocities turned with it. A body that is in
//! another pose there, as after the T-pose that a motion capture begins with, would stand in the cloth: it goes over to that pose as it
//! does in a preroll, and no frame shows that.

use super::cloth::Cloth;
use crate::geometry::{RigidMotion, Vec3};
use crate::topology::ParticleId;

/// Way of the body's mean vertex over a jump, as a part of the body's size, at least: 0.3 m of a grown-up.
const JUMP: f32 = 0.15;
/// How many times the way in the frame before and after at least.
const SUDDEN: f32 = 4.0;
/// Longest way between two keys that a jump is sampled on, seconds of the clip: of 24 keys a second ...
const KEY_SECONDS: f64 = 1.0 / 24.0;
/// ... and the frames that it may always take.
const ALWAYS: usize = 4;
/// What is left of the body's way when the best rigid motion is taken out, as a part of its size, from which on it is in another
/// pose: 4 cm of a grown-up in the mean.
const OTHER_POSE: f32 = 0.02;
/// Furthest that it goes over to another pose, as a part of its size: on a longer way it would leave the cloth behind.
const NEAR: f32 = 1.0;
/// Weight of the body beside that of the pins: little, it turns with them where they are too few or in a line to tell.
const BODY_WEIGHT: f64 = 1e-3;

/// Most frames that one jump takes where each shows so many `seconds` of a clip.
pub(super) fn longest_jump(seconds: f64) -> usize {
    ALWAYS.max((KEY_SECONDS / seconds).ceil() as usize)
}

/// Frames of `frames` into which a body of `body_size` metres jumps, `longest` of them in a row at most: indices from 1 on. `pose` gives
/// its vertices in each.
pub(super) fn jumps(
    frames: usize,
    longest: usize,
    body_size: f32,
    mut pose: impl FnMut(usize, &mut Vec<Vec3>),
) -> Vec<usize> {
    let (mut before, mut now) = (Vec::new(), Vec::new());
    let mut ways = Vec::new();
    for frame in 0..frames {
        std::mem::swap(&mut before, &mut now);
        pose(frame, &mut now);
        if frame > 0 {
            let sum: f64 = before.iter().zip(&now).map(|(a, b)| f64::from(a.distance(*b))).sum();
            ways.push((sum / now.len().max(1) as f64) as f32);
        }
    }
    let mut found = Vec::new();
    let mut way = 0;
    while way < ways.len() {
        let length = (1..=longest.min(ways.len() - way)).rev().find(|&length| is_jump(&ways, way, length, body_size));
        found.extend((0..length.unwrap_or(0)).map(|i| way + i + 1));
        way += length.unwrap_or(1);
    }
    found
}

/// Whether `length` ways from `first` on are one jump.
fn is_jump(ways: &[f32], first: usize, length: usize, body_size: f32) -> bool {
    let jump = &ways[first..first + length];
    let around = [first.checked_sub(1), Some(first + length)].map(|i| i.and_then(|i| ways.get(i)).copied());
    let usual = around.into_iter().flatten().fold(0.0, f32::max);
    // A jump that ends the clip, or starts it, has one side to be compared with; of a clip of two poses nothing is known.
    around.iter().any(Option::is_some)
        && jump.iter().all(|&way| way > SUDDEN * usual)
        && jump.iter().sum::<f32>() > JUMP * body_size
}

/// Whether a body of `body_size` metres that goes `from` one pose `to` another must lead the cloth over.
pub(super) fn leads_over(from: &[Vec3], to: &[Vec3], body_size: f32) -> bool {
    let pairs = from.iter().zip(to).map(|(&a, &b)| (a, b, 1.0));
    let motion = RigidMotion::best_fit(pairs.clone());
    let sums = pairs.fold([0.0; 2], |[way, left], (a, b, _)| {
        [way + f64::from(a.distance(b)), left + f64::from(motion.point(a).distance(b))]
    });
    let [way, left] = sums.map(|sum| (sum / from.len().max(1) as f64) as f32);
    left > OTHER_POSE * body_size && way < NEAR * body_size
}

/// Where the body and its pins are before a cut or after it.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    pub(super) pins: Vec<Vec3>,
    pub(super) body: Vec<Vec3>,
}

impl Stand {
    /// The motion of the pins to where they stand after a cut; of the whole body, when nothing is pinned.
    pub(super) fn motion_to(&self, after: &Stand) -> RigidMotion {
        let each = |weight: f64, count: usize| weight / count.max(1) as f64;
        let (pin, vertex) = (each(1.0, self.pins.len()), each(BODY_WEIGHT, self.body.len()));
        let pins = self.pins.iter().zip(&after.pins).map(move |(&a, &b)| (a, b, pin));
        let body = self.body.iter().zip(&after.body).map(move |(&a, &b)| (a, b, vertex));
        RigidMotion::best_fit(pins.chain(body))
    }
}

impl Cloth {
    /// Carries the cloth along, and the pins to where they must be.
    pub(super) fn carry(&mut self, motion: &RigidMotion, pins: &[ParticleId], targets: &[Vec3]) {
        self.points.iter_mut().for_each(|point| point.at = motion.point(point.at));
        self.velocities.iter_mut().for_each(|velocity| velocity.at = motion.vector(velocity.at));
        self.place_pins(pins, targets);
        self.previous.copy_from_slice(&self.points);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames into which a point jumps that is at these places, on a body of 1 m.
    fn jumps_of(places: &[f32]) -> Vec<usize> {
        jumps(places.len(), ALWAYS, 1.0, |frame, pose| *pose = vec![Vec3::X * places[frame]])
    }

    #[test]
    fn a_jump_is_far_and_sudden() {
        assert_eq!(jumps_of(&[0.0, 0.01, 0.02, 5.0, 5.01]), [3]);
        assert_eq!(jumps_of(&[0.0, 0.01, 0.02, 5.0]), [3]);
        assert_eq!(jumps_of(&[0.0, 5.0, 5.01, 5.02]), [1]);
        // Far but not sudden: a fast car. Sudden but not far: a twitch.
        assert_eq!(jumps_of(&[0.0, 1.0, 2.0, 3.0]), [] as [usize; 0]);
        assert_eq!(jumps_of(&[0.0, 0.0, 0.1, 0.1]), [] as [usize; 0]);
        assert_eq!(jumps_of(&[0.0, 0.1, 0.3, 0.6, 1.0, 1.5, 2.1]), [] as [usize; 0]);
        assert_eq!(jumps_of(&[0.0, 5.0]), [] as [usize; 0]);
    }

    #[test]
    fn a_jump_that_is_sampled_between_its_keys_takes_several_frames() {
        assert_eq!(jumps_of(&[0.0, 0.0, 2.5, 5.0, 5.0]), [2, 3]);
        assert_eq!(jumps_of(&[0.0, 0.01, 0.5, 5.0, 5.01, 0.0, 0.01]), [2, 3, 5]);
    }

    #[test]
    fn a_jump_takes_the_more_frames_the_less_of_the_clip_each_shows() {
        assert_eq!([1.0 / 30.0, 1.0 / 120.0, 1.0 / 240.0, 1.0 / 480.0].map(longest_jump), [4, 5, 10, 20]);
        let places = [0.0, 0.01, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.01];
        let found = |longest| jumps(places.len(), longest, 1.0, |frame, pose| *pose = vec![Vec3::X * places[frame]]);
        assert_eq!(found(longest_jump(1.0 / 150.0)), [2, 3, 4, 5, 6, 7]);
        assert_eq!(found(ALWAYS), [] as [usize; 0]);
    }

    #[test]
    fn a_body_leads_over_to_another_pose_that_is_near() {
        let straight: Vec<Vec3> = (0..10).map(|i| Vec3::X * i as f32 * 0.1).collect();
        let bent: Vec<Vec3> = straight.iter().map(|p| Vec3::new(p.x.min(0.5), (p.x - 0.5).max(0.0), 0.0)).collect();
        let moved = |by: f32, points: &[Vec3]| points.iter().map(|p| *p + Vec3::Z * by).collect::<Vec<_>>();
        assert!(leads_over(&straight, &moved(0.3, &bent), 1.0));
        assert!(!leads_over(&straight, &moved(0.3, &straight), 1.0), "the same pose elsewhere");
        assert!(!leads_over(&straight, &moved(5.0, &bent), 1.0), "too far away");
    }

    #[test]
    fn cloth_goes_with_the_pins_and_where_they_cannot_tell_with_the_body() {
        let body = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        // A half turn about y, and 5 m along x.
        let moved = |p: &Vec3| Vec3::new(5.0 - p.x, p.y, -p.z);
        let before = Stand { pins: vec![Vec3::Y, Vec3::Y * 2.0], body };
        let after =
            Stand { pins: before.pins.iter().map(moved).collect(), body: before.body.iter().map(moved).collect() };
        let point = Vec3::new(0.3, 0.4, 0.5);
        let motion = before.motion_to(&after);
        assert!(motion.point(point).distance(moved(&point)) < 1e-5, "{}", motion.point(point));
        assert!(motion.vector(Vec3::X).distance(Vec3::NEG_X) < 1e-5);
    }
}
