//! What the mannequin and its clips promise.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::anatomy::STATURE;
use super::figure::Figure;
use super::motion::{Motion, Soles, idle, walk};
use super::skeleton::{Joint, Pose, Side, Skeleton};
use super::skin_surface;
use super::skinning::{Influences, deform, skin};
use super::surface::Surface;
use crate::geometry::{DQuat, DVec3};

/// Hip flexion, knee flexion and ankle dorsiflexion at 0, 10, ... 90 % of the cycle, degrees: the measured motion
/// `normal.mot` of the OpenSim tutorials, interpolated.
const MEASURED: [[f64; 3]; 10] = [
    [24.6, 3.9, -1.7],
    [21.6, 16.5, -2.3],
    [11.4, 13.6, 4.0],
    [-0.3, 6.2, 6.9],
    [-10.8, 2.4, 9.8],
    [-16.7, 9.7, 9.0],
    [-8.6, 36.8, -11.9],
    [11.1, 58.2, -5.8],
    [23.0, 42.6, 2.1],
    [25.1, 9.0, 0.6],
];

struct Walker {
    surface: Surface,
    weights: Vec<Influences>,
    skeleton: Skeleton,
    soles: Soles,
}

static WALKER: LazyLock<Walker> = LazyLock::new(|| {
    let figure = Figure::new();
    let surface = skin_surface(&figure);
    let weights = skin(&figure, &surface);
    let soles = Soles::of(&surface, &weights);
    Walker { surface, weights, skeleton: Skeleton::new(), soles }
});

impl Walker {
    fn clips(&self) -> [Motion; 2] {
        [walk(&self.skeleton, &self.soles), idle(&self.skeleton, &self.soles)]
    }

    fn posed(&self, pose: &Pose) -> Vec<DVec3> {
        let deformations = self.skeleton.deformations(pose);
        self.surface.positions.iter().zip(&self.weights).map(|(&p, w)| deform(w, &deformations, p)).collect()
    }

    /// Middle of the ball of the left foot in a pose.
    fn left_ball(&self, pose: &Pose) -> DVec3 {
        let is_ball = |p: &DVec3| p.x > 0.0 && p.y < 0.025 && p.z > 0.09 && p.z < 0.13;
        let posed = self.posed(pose);
        let ball: Vec<DVec3> =
            self.surface.positions.iter().zip(posed).filter(|(p, _)| is_ball(p)).map(|(_, q)| q).collect();
        ball.iter().sum::<DVec3>() / ball.len() as f64
    }

    fn share(&self, vertex: usize, joints: &[Joint]) -> f32 {
        let of = |j: u8| joints.iter().any(|&joint| joint as usize == usize::from(j));
        self.weights[vertex].iter().filter(|&&(j, _)| of(j)).map(|&(_, weight)| weight).sum()
    }
}

/// Halfway between two poses, as a player interpolates.
fn halfway(a: &Pose, b: &Pose) -> Pose {
    Pose {
        rotations: std::array::from_fn(|j| a.rotations[j].slerp(b.rotations[j], 0.5)),
        pelvis_shift: a.pelvis_shift.lerp(b.pelvis_shift, 0.5),
    }
}

/// Angle about x between where a rotation takes the downward axis and down, degrees; positive is forward.
fn forward_angle(rotation: DQuat) -> f64 {
    let down = rotation * DVec3::NEG_Y;
    libm::atan2(down.z, -down.y).to_degrees()
}

fn leg_angles(pose: &Pose, side: Side) -> [f64; 3] {
    let [thigh, shin, foot, _] = side.leg().map(|joint| forward_angle(pose.rotations[joint as usize]));
    [thigh, -shin, foot]
}

#[test]
fn the_skin_is_one_closed_manifold_surface() {
    let surface = &WALKER.surface;
    let sides: Vec<(u32, u32)> =
        surface.triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect();
    let unique: BTreeSet<(u32, u32)> = sides.iter().copied().collect();
    assert_eq!(unique.len(), sides.len(), "two triangles run along a side in the same direction");
    assert!(unique.iter().all(|&(a, b)| unique.contains(&(b, a))), "a side has one triangle only");
    let euler = surface.positions.len() + surface.triangles.len() - sides.len() / 2;
    assert_eq!(euler, 2, "a sphere has no holes and no handles");
    assert!((6_000..15_000).contains(&surface.triangles.len()));
}

#[test]
fn the_skin_is_symmetric_and_stands_on_the_ground() {
    let key = |p: DVec3| [p.x, p.y, p.z].map(|c| (c * 1e6).round() as i64);
    let all: BTreeSet<[i64; 3]> = WALKER.surface.positions.iter().map(|&p| key(p)).collect();
    for &[x, y, z] in &all {
        assert!(all.contains(&[-x, y, z]), "no mirror image of ({x}, {y}, {z}) um");
    }
    let heights = || WALKER.surface.positions.iter().map(|p| p.y);
    assert!(heights().fold(f64::INFINITY, f64::min).abs() < 1e-3);
    assert!((heights().fold(0.0, f64::max) - STATURE).abs() < 2e-3);
}

#[test]
fn weights_sum_to_one_and_stay_on_their_limb() {
    for (vertex, p) in WALKER.surface.positions.iter().enumerate() {
        let sum: f32 = WALKER.weights[vertex].iter().map(|&(_, weight)| weight).sum();
        assert!(sum.to_bits() == 1.0_f32.to_bits(), "weights at {p} sum to {sum}");
        let (own, other) = if p.x > 0.0 { (Side::Left, Side::Right) } else { (Side::Right, Side::Left) };
        // At the crotch both thighs pull a little; on the thighs themselves never.
        let most = if p.y < 0.75 { 0.0 } else { 0.05 };
        if p.x.abs() > 0.04 {
            assert!(WALKER.share(vertex, &other.leg()) <= most, "the other leg moves {p}");
        }
        if p.y < 1.20 && p.x.abs() < 0.25 {
            assert!(WALKER.share(vertex, &own.arm()) == 0.0, "the arm moves the trunk at {p}");
        }
    }
}

#[test]
fn clips_close() {
    for clip in WALKER.clips() {
        let (first, last) = (&clip.poses[0], &clip.poses[clip.poses.len() - 1]);
        assert_eq!(first.rotations, last.rotations, "{}", clip.name);
        assert_eq!(first.pelvis_shift, last.pelvis_shift, "{}", clip.name);
    }
}

#[test]
fn hip_knee_and_ankle_follow_the_measured_walk() {
    let [walk, _] = WALKER.clips();
    let steps = walk.poses.len() - 1;
    for (tenth, measured) in MEASURED.iter().enumerate() {
        let at = tenth as f64 / 10.0 * steps as f64;
        let (from, share) = (at.floor() as usize, at - at.floor());
        for side in [Side::Left, Side::Right] {
            let half = if side == Side::Left { 0 } else { steps / 2 };
            let angles = |key: usize| leg_angles(&walk.poses[(key + half) % steps], side);
            let (before, after) = (angles(from), angles(from + 1));
            for joint in 0..3 {
                let angle = before[joint] + (after[joint] - before[joint]) * share;
                // The Fourier fit keeps to 1.4 degrees; straight lines between keys add half a degree at the knee.
                let off = (angle - measured[joint]).abs();
                assert!(off < 2.0, "{side:?} joint {joint} at {tenth}0 %: {angle}, measured {}", measured[joint]);
            }
        }
    }
}

#[test]
fn soles_neither_sink_nor_hover() {
    for clip in WALKER.clips() {
        for pair in clip.poses.windows(2) {
            for pose in [&pair[0], &halfway(&pair[0], &pair[1])] {
                let lowest = WALKER.soles.lowest(&WALKER.skeleton, pose);
                assert!((-0.002..0.005).contains(&lowest), "{}: lowest sole point at {lowest} m", clip.name);
            }
        }
    }
}

#[test]
fn the_standing_foot_moves_with_the_ground() {
    let [walk, _] = WALKER.clips();
    // Flat on the ground from 10 to 45 % of the cycle.
    let ball: Vec<DVec3> = walk.poses[3..15].iter().map(|pose| WALKER.left_ball(pose)).collect();
    let step = (ball[ball.len() - 1] - ball[0]) / (ball.len() - 1) as f64;
    let speed = -step.z * 30.0;
    assert!((1.1..1.4).contains(&speed), "walks at {speed} m/s");
    for (key, p) in ball.iter().enumerate() {
        let slip = *p - (ball[0] + step * key as f64);
        assert!(slip.length() < 0.015, "slips by {slip} at key {}", key + 3);
    }
}

#[test]
fn arms_swing_against_the_legs_and_keep_off_the_hips() {
    let [walk, _] = WALKER.clips();
    let first = &walk.poses[0];
    let [_, left_arm, ..] = Side::Left.arm();
    let [_, right_arm, ..] = Side::Right.arm();
    assert!(leg_angles(first, Side::Left)[0] > 20.0);
    assert!(forward_angle(first.rotations[left_arm as usize]) < -15.0);
    assert!(forward_angle(first.rotations[right_arm as usize]) > 5.0);
    let below_elbow = |v: usize| [Side::Left, Side::Right].iter().any(|side| WALKER.share(v, &side.arm()[2..]) > 0.5);
    let thigh_or_hip = |v: usize| WALKER.share(v, &[Joint::Pelvis, Joint::ThighL, Joint::ThighR]) > 0.5;
    let count = WALKER.surface.positions.len();
    for pose in walk.poses.iter().step_by(4) {
        let posed = WALKER.posed(pose);
        let hips: Vec<DVec3> = (0..count).filter(|&v| thigh_or_hip(v)).map(|v| posed[v]).collect();
        for hand in (0..count).filter(|&v| below_elbow(v)).map(|v| posed[v]) {
            let gap = hips.iter().map(|hip| hip.distance_squared(hand)).fold(f64::INFINITY, f64::min).sqrt();
            assert!(gap > 0.06, "a hand is {gap} m from the hip");
        }
    }
}
