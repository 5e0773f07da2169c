//! The mannequin's clips: a walk on the measured gait curves and an idle stand.
//!
//! Both are in place: the root stays, the ground moves under the feet. The pelvis is set so that the lowest point of
//! the soles touches the ground at every key.

use core::f64::consts::TAU;

use super::gait::{
    ANKLE_DORSIFLEXION, ELBOW_FLEXION, HIP_ADDUCTION, HIP_FLEXION, HIP_ROTATION, KNEE_FLEXION, PELVIS_LIST,
    PELVIS_ROTATION, PELVIS_TILT, SHOULDER_FLEXION,
};
use super::skeleton::{Joint, Pose, Side, Skeleton};
use super::skinning::{Influences, deform};
use super::surface::Surface;
use crate::geometry::{DQuat, DVec3, smooth_step};

/// Keys of a closed clip at equal steps; the last equals the first.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    /// Name in the file.
    pub(super) name: &'static str,
    /// Seconds from the first to the last key.
    pub(super) duration: f64,
    /// One pose a key.
    pub(super) poses: Vec<Pose>,
}

/// What stands on the ground: the vertices of both soles with their influences.
#[derive(Clone, Debug)]
pub(super) struct Soles {
    vertices: Vec<(DVec3, Influences)>,
}

impl Soles {
    /// The vertices of `surface` less than 2.5 cm above the ground.
    pub(super) fn of(surface: &Surface, weights: &[Influences]) -> Soles {
        let pairs = surface.positions.iter().copied().zip(weights.iter().copied());
        Soles { vertices: pairs.filter(|(p, _)| p.y < 0.025).collect() }
    }

    /// Height of the lowest vertex in `pose`.
    pub(super) fn lowest(&self, skeleton: &Skeleton, pose: &Pose) -> f64 {
        let deformations = skeleton.deformations(pose);
        self.vertices.iter().map(|(p, w)| deform(w, &deformations, *p).y).fold(f64::INFINITY, f64::min)
    }
}

/// The walk: one cycle of 32 frames at 30 frames a second, the left heel striking at 0.
pub(super) fn walk(skeleton: &Skeleton, soles: &Soles) -> Motion {
    closed("walk", 32.0 / 30.0, 32, |phase| grounded(skeleton, soles, walking(phase)))
}

/// The idle stand: breathing, weight going from one leg to the other.
pub(super) fn idle(skeleton: &Skeleton, soles: &Soles) -> Motion {
    closed("idle", 4.0, 40, |phase| grounded(skeleton, soles, standing(skeleton, phase)))
}

fn closed(name: &'static str, duration: f64, steps: usize, pose: impl Fn(f64) -> Pose) -> Motion {
    let mut poses: Vec<Pose> = (0..steps).map(|k| pose(k as f64 / steps as f64)).collect();
    poses.push(poses[0].clone());
    Motion { name, duration, poses }
}

/// `pose` lowered or lifted until the soles touch the ground.
fn grounded(skeleton: &Skeleton, soles: &Soles, mut pose: Pose) -> Pose {
    pose.pelvis_shift.y -= soles.lowest(skeleton, &pose);
    pose
}

fn walking(phase: f64) -> Pose {
    let mut pose = Pose::anatomical();
    turn_trunk(&mut pose, phase);
    for side in [Side::Left, Side::Right] {
        let own = if side == Side::Left { phase } else { phase + 0.5 };
        turn_leg(&mut pose, side, own);
        swing_arm(&mut pose, side, own);
    }
    pose
}

/// Pelvis as measured; spine and chest turn against it and keep the head level.
fn turn_trunk(pose: &mut Pose, phase: f64) {
    /// Sway of the pelvis over the standing leg, metres (Perry 1992: 4 to 5 cm from side to side).
    const SWAY: f64 = 0.025;
    /// Phase of the left leg at which the pelvis is furthest left: where its foot slips sideways least.
    const FURTHEST: f64 = 0.37;
    /// The trunk turns with the arms, against the pelvis, degrees.
    const CHEST_TURN: f64 = 4.0;
    let (tilt, list, turn) = (PELVIS_TILT.at(phase), PELVIS_LIST.at(phase), PELVIS_ROTATION.at(phase));
    let pelvis = about_y(-turn) * about_z(-list) * about_x(tilt);
    let chest_turn = CHEST_TURN * libm::cos(TAU * phase);
    let chest = about_y(chest_turn) * about_z(0.25 * list) * about_x(1.5);
    let middle = pelvis.slerp(chest, 0.5);
    let neck = about_y(0.4 * chest_turn) * about_x(0.5);
    pose.turn(Joint::Pelvis, pelvis);
    pose.turn(Joint::Spine, pelvis.inverse() * middle);
    pose.turn(Joint::Chest, middle.inverse() * chest);
    pose.turn(Joint::Neck, chest.inverse() * neck);
    pose.turn(Joint::Head, neck.inverse());
    pose.pelvis_shift.x = SWAY * libm::cos(TAU * (phase - FURTHEST));
}

fn turn_leg(pose: &mut Pose, side: Side, phase: f64) {
    let [thigh, shin, foot, toe] = side.leg();
    let s = side.sign();
    let hip = about_x(-HIP_FLEXION.at(phase))
        * about_z(-s * (HIP_ADDUCTION.at(phase) - NARROWING))
        * about_y(-s * HIP_ROTATION.at(phase));
    pose.turn(thigh, hip);
    pose.turn(shin, about_x(KNEE_FLEXION.at(phase)));
    pose.turn(foot, about_x(-ANKLE_DORSIFLEXION.at(phase)));
    pose.turn(toe, about_x(-toe_extension(phase)));
}

/// Taken off the measured adduction, degrees: the mannequin's hips are narrower than its thighs would need.
const NARROWING: f64 = 1.5;

/// Toes stay on the ground while the heel rises, and up while the foot swings over it, degrees.
fn toe_extension(phase: f64) -> f64 {
    let own = phase - phase.floor();
    let push_off = 45.0 * smooth_step(0.38, 0.60, own) * (1.0 - smooth_step(0.60, 0.70, own));
    let swing = 14.0 * smooth_step(0.60, 0.70, own) * (1.0 - smooth_step(0.82, 0.98, own));
    push_off + swing
}

/// Way of the clavicles down from bind pose when the arms hang, degrees.
const SHOULDER_DROP: f64 = 5.0;

fn swing_arm(pose: &mut Pose, side: Side, phase: f64) {
    /// Upper arm off the vertical, degrees: keeps the hands a hand's width off the hips and off a skirt.
    const ABDUCTION: f64 = 17.0;
    let [clavicle, upper_arm, forearm, hand] = side.arm();
    let s = side.sign();
    pose.turn(clavicle, about_z(-s * SHOULDER_DROP));
    let abduction = about_z(s * (ABDUCTION + SHOULDER_DROP));
    pose.turn(upper_arm, about_x(-SHOULDER_FLEXION.at(phase)) * abduction * about_y(-s * 4.0));
    pose.turn(forearm, about_x(-ELBOW_FLEXION.at(phase)));
    pose.turn(hand, about_x(-6.0));
}

fn standing(skeleton: &Skeleton, phase: f64) -> Pose {
    /// Sideways way of the pelvis, metres.
    const SHIFT: f64 = 0.008;
    let mut pose = Pose::anatomical();
    let shift = SHIFT * libm::sin(TAU * phase);
    pose.pelvis_shift = DVec3::new(shift, 0.0, 0.0);
    let breath = 1.0 - libm::cos(TAU * 2.0 * phase);
    pose.turn(Joint::Spine, about_z(0.6 * libm::sin(TAU * phase)) * about_x(0.3 * breath));
    pose.turn(Joint::Chest, about_z(-0.6 * libm::sin(TAU * phase)) * about_x(-0.9 * breath));
    pose.turn(Joint::Neck, about_x(0.6 * breath));
    for side in [Side::Left, Side::Right] {
        stand_leg(&mut pose, skeleton, side, shift);
        hang_arm(&mut pose, side, breath);
    }
    pose
}

/// A straight leg, slightly apart, leaning so that its foot stays where it is while the hip moves by `shift`.
fn stand_leg(pose: &mut Pose, skeleton: &Skeleton, side: Side, shift: f64) {
    /// Legs off the vertical, degrees.
    const APART: f64 = 2.5;
    let [thigh, shin, foot, _] = side.leg();
    let length = skeleton.joints[thigh as usize].position.distance(skeleton.joints[foot as usize].position);
    let apart = libm::sin((side.sign() * APART).to_radians());
    let lean = libm::asin(apart - shift / length).to_degrees();
    pose.turn(thigh, about_z(lean) * about_x(-1.0));
    pose.turn(shin, about_x(2.0));
    pose.turn(foot, about_x(-1.0) * about_z(-lean));
}

fn hang_arm(pose: &mut Pose, side: Side, breath: f64) {
    let [clavicle, upper_arm, forearm, hand] = side.arm();
    let s = side.sign();
    pose.turn(clavicle, about_z(s * (0.6 * breath - SHOULDER_DROP)));
    pose.turn(upper_arm, about_x(2.0) * about_z(s * (16.0 + SHOULDER_DROP)) * about_y(-s * 6.0));
    pose.turn(forearm, about_x(-14.0));
    pose.turn(hand, about_x(-4.0));
}

fn about_x(degrees: f64) -> DQuat {
    DQuat::from_rotation_x(degrees.to_radians())
}

fn about_y(degrees: f64) -> DQuat {
    DQuat::from_rotation_y(degrees.to_radians())
}

fn about_z(degrees: f64) -> DQuat {
    DQuat::from_rotation_z(degrees.to_radians())
}
