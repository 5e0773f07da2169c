//! Joints of the mannequin and their bind pose.
//!
//! In bind pose all joints are turned like the world, so inverse bind matrices are pure translations. Angles are
//! given against the *anatomical* position instead (upright, legs and arms hanging straight down), as gait
//! laboratories do; [`Skeleton::local_rotation`] converts.

use super::anatomy::{ARM_SPREAD, BALL_OF_FOOT, FOREARM, HEAD_BASE, HIP, LEG_SPREAD, NECK_BASE, SHOULDER, THIGH};
use super::anatomy::{TOE_OUT, UPPER_ARM};
use super::figure::{ankle, arm_direction, foot_direction, leg_direction};
use crate::geometry::{DAffine3, DQuat, DVec3};

/// Number of joints.
pub(super) const JOINTS: usize = 22;

/// A joint; the order is the one in the file, parents first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Joint {
    Root,
    Pelvis,
    Spine,
    Chest,
    Neck,
    Head,
    ClavicleL,
    UpperArmL,
    ForearmL,
    HandL,
    ClavicleR,
    UpperArmR,
    ForearmR,
    HandR,
    ThighL,
    ShinL,
    FootL,
    ToeL,
    ThighR,
    ShinR,
    FootR,
    ToeR,
}

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The character's left, +X.
    Left,
    /// The character's right, -X.
    Right,
}

impl Side {
    /// +1 for left, -1 for right.
    pub(super) fn sign(self) -> f64 {
        if self == Side::Left { 1.0 } else { -1.0 }
    }

    /// Clavicle, upper arm, forearm, hand.
    pub(super) fn arm(self) -> [Joint; 4] {
        match self {
            Side::Left => [Joint::ClavicleL, Joint::UpperArmL, Joint::ForearmL, Joint::HandL],
            Side::Right => [Joint::ClavicleR, Joint::UpperArmR, Joint::ForearmR, Joint::HandR],
        }
    }

    /// Thigh, shin, foot, toe.
    pub(super) fn leg(self) -> [Joint; 4] {
        match self {
            Side::Left => [Joint::ThighL, Joint::ShinL, Joint::FootL, Joint::ToeL],
            Side::Right => [Joint::ThighR, Joint::ShinR, Joint::FootR, Joint::ToeR],
        }
    }
}

/// A joint in bind pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointRest {
    /// Name in the file.
    pub(super) name: &'static str,
    /// Parent; the root has none.
    pub(super) parent: Option<Joint>,
    /// Position in the world.
    pub(super) position: DVec3,
    /// Turns the anatomical position into the bind pose, in the world.
    pub(super) from_anatomical: DQuat,
}

/// All joints in bind pose, in the order of [`Joint`].
#[derive(Clone, Debug)]
pub(super) struct Skeleton {
    /// Indexed by `Joint as usize`.
    pub(super) joints: Vec<JointRest>,
}

impl Skeleton {
    /// The skeleton of [`super::anatomy`].
    pub(super) fn new() -> Skeleton {
        let mut joints = trunk();
        joints.extend(arm(Side::Left));
        joints.extend(arm(Side::Right));
        joints.extend(leg(Side::Left));
        joints.extend(leg(Side::Right));
        Skeleton { joints }
    }

    /// Offset of a joint from its parent.
    pub(super) fn offset(&self, joint: usize) -> DVec3 {
        let rest = &self.joints[joint];
        rest.position - rest.parent.map_or(DVec3::ZERO, |p| self.joints[p as usize].position)
    }

    /// Rotation of the file's joint for the anatomical rotation `anatomical` against its parent.
    pub(super) fn local_rotation(&self, joint: usize, anatomical: DQuat) -> DQuat {
        let rest = &self.joints[joint];
        let parent = rest.parent.map_or(DQuat::IDENTITY, |p| self.joints[p as usize].from_anatomical);
        parent * anatomical * rest.from_anatomical.inverse()
    }

    /// For each joint, what a rigid part bound to it undergoes from bind pose to `pose`.
    pub(super) fn deformations(&self, pose: &Pose) -> Vec<DAffine3> {
        let mut world: Vec<DAffine3> = Vec::with_capacity(JOINTS);
        for (joint, rest) in self.joints.iter().enumerate() {
            let moved = if joint == Joint::Pelvis as usize { pose.pelvis_shift } else { DVec3::ZERO };
            let rotation = self.local_rotation(joint, pose.rotations[joint]);
            let local = DAffine3::from_rotation_translation(rotation, self.offset(joint) + moved);
            world.push(rest.parent.map_or(local, |p| world[p as usize] * local));
        }
        let unbound = |(w, rest): (DAffine3, &JointRest)| w * DAffine3::from_translation(-rest.position);
        world.into_iter().zip(&self.joints).map(unbound).collect()
    }
}

/// Rotations against the anatomical position and the way of the pelvis from its place in bind pose.
#[derive(Clone, Debug)]
pub(super) struct Pose {
    /// Indexed by `Joint as usize`.
    pub(super) rotations: [DQuat; JOINTS],
    /// Metres.
    pub(super) pelvis_shift: DVec3,
}

impl Pose {
    /// The anatomical position.
    pub(super) fn anatomical() -> Pose {
        Pose { rotations: [DQuat::IDENTITY; JOINTS], pelvis_shift: DVec3::ZERO }
    }

    /// Sets the rotation of a joint.
    pub(super) fn turn(&mut self, joint: Joint, rotation: DQuat) {
        self.rotations[joint as usize] = rotation;
    }
}

fn trunk() -> Vec<JointRest> {
    let joint = |name, parent, position| JointRest { name, parent, position, from_anatomical: DQuat::IDENTITY };
    vec![
        joint("root", None, DVec3::ZERO),
        joint("pelvis", Some(Joint::Root), DVec3::new(0.0, 0.960, -0.010)),
        joint("spine", Some(Joint::Pelvis), DVec3::new(0.0, 1.060, -0.020)),
        joint("chest", Some(Joint::Spine), DVec3::new(0.0, 1.190, -0.025)),
        joint("neck", Some(Joint::Chest), NECK_BASE),
        joint("head", Some(Joint::Neck), HEAD_BASE),
    ]
}

fn arm(side: Side) -> [JointRest; 4] {
    let names = match side {
        Side::Left => ["clavicle_l", "upper_arm_l", "forearm_l", "hand_l"],
        Side::Right => ["clavicle_r", "upper_arm_r", "forearm_r", "hand_r"],
    };
    let [clavicle, upper_arm, forearm, _] = side.arm();
    let along = |length: f64| SHOULDER + arm_direction() * length;
    let hanging = DQuat::from_rotation_z(side.sign() * ARM_SPREAD);
    [
        rest(side, names[0], Joint::Chest, DVec3::new(0.025, 1.395, 0.0), DQuat::IDENTITY),
        rest(side, names[1], clavicle, SHOULDER, hanging),
        rest(side, names[2], upper_arm, along(UPPER_ARM), hanging),
        rest(side, names[3], forearm, along(UPPER_ARM + FOREARM), hanging),
    ]
}

fn leg(side: Side) -> [JointRest; 4] {
    let names = match side {
        Side::Left => ["thigh_l", "shin_l", "foot_l", "toe_l"],
        Side::Right => ["thigh_r", "shin_r", "foot_r", "toe_r"],
    };
    let [thigh, shin, foot, _] = side.leg();
    let spread = DQuat::from_rotation_z(side.sign() * LEG_SPREAD);
    let toe_out = DQuat::from_rotation_y(side.sign() * TOE_OUT);
    let ball = ankle() + foot_direction() * BALL_OF_FOOT;
    [
        rest(side, names[0], Joint::Pelvis, HIP, spread),
        rest(side, names[1], thigh, HIP + leg_direction() * THIGH, spread),
        rest(side, names[2], shin, ankle(), toe_out),
        rest(side, names[3], foot, DVec3::new(ball.x, 0.020, ball.z), toe_out),
    ]
}

/// A joint of the left side, or its mirror image.
fn rest(side: Side, name: &'static str, parent: Joint, left: DVec3, from_anatomical: DQuat) -> JointRest {
    let position = DVec3::new(side.sign() * left.x, left.y, left.z);
    JointRest { name, parent: Some(parent), position, from_anatomical }
}
