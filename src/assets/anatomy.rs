//! The mannequin's measures in bind pose (A-pose), metres, Y up, facing +Z, the character's left at +X.
//!
//! Stature 1.70 m. Heights and lengths follow the fractions of stature of Drillis and Contini (1966) as printed in
//! Winter, *Biomechanics and Motor Control of Human Movement*, figure 4.1: hip 0.530, knee 0.285, ankle 0.039, forearm
//! 0.146, foot 0.152. Shoulders (0.818 there) are 2 cm lower and upper arms (0.186) 2.5 cm shorter, which suits the
//! narrow shoulders of a dressmaker's figure. Girths are about those of a slim adult
//! (waist 0.67, hip 0.95, bust 0.88, thigh 0.52, calf 0.34 m).

use super::implicit::{Station, station};
use crate::geometry::DVec3;

/// Stature.
pub(super) const STATURE: f64 = 1.70;
/// Height of the natural waist, the narrowest level of the trunk.
pub(super) const WAIST: f64 = 1.06;
/// Angle of the legs to the vertical in bind pose, radians (4 degrees).
pub(super) const LEG_SPREAD: f64 = 0.07;
/// Angle of the arms to the vertical in bind pose, radians (48 degrees).
pub(super) const ARM_SPREAD: f64 = 0.84;
/// Angle of the feet to the walking direction, radians (6 degrees).
pub(super) const TOE_OUT: f64 = 0.105;

/// Hip joint centre, left.
pub(super) const HIP: DVec3 = DVec3::new(0.090, 0.900, 0.0);
/// Hip to knee.
pub(super) const THIGH: f64 = 0.4165;
/// Knee to ankle.
pub(super) const SHIN: f64 = 0.4180;
/// Shoulder joint centre, left.
pub(super) const SHOULDER: DVec3 = DVec3::new(0.166, 1.372, -0.020);
/// Shoulder to elbow.
pub(super) const UPPER_ARM: f64 = 0.290;
/// Elbow to wrist.
pub(super) const FOREARM: f64 = 0.245;
/// Ankle to the joints of the toes, in the horizontal plane.
pub(super) const BALL_OF_FOOT: f64 = 0.125;

/// Trunk from the pelvic floor to the base of the neck: height, half width, half depth, middle of the depth.
pub(super) const TRUNK: [Station; 13] = [
    station(0.825, 0.080, 0.052, -0.022),
    station(0.880, 0.148, 0.096, -0.018),
    station(0.930, 0.154, 0.101, -0.012),
    station(0.985, 0.143, 0.096, -0.002),
    station(1.030, 0.126, 0.089, 0.004),
    station(1.065, 0.120, 0.086, 0.005),
    station(1.110, 0.124, 0.089, 0.005),
    station(1.190, 0.136, 0.098, 0.001),
    station(1.260, 0.145, 0.102, -0.004),
    station(1.325, 0.142, 0.096, -0.013),
    station(1.375, 0.116, 0.080, -0.020),
    station(1.410, 0.084, 0.062, -0.022),
    station(1.435, 0.058, 0.048, -0.020),
];

/// Neck, along its own axis from [`NECK_BASE`].
pub(super) const NECK: [Station; 4] = [
    station(-0.03, 0.058, 0.056, 0.0),
    station(0.02, 0.053, 0.054, 0.0),
    station(0.07, 0.050, 0.053, 0.0),
    station(0.13, 0.049, 0.052, 0.0),
];
/// Where the neck joint is.
pub(super) const NECK_BASE: DVec3 = DVec3::new(0.0, 1.425, -0.024);
/// Where the head joint is, behind and above the chin.
pub(super) const HEAD_BASE: DVec3 = DVec3::new(0.0, 1.530, -0.006);

/// Leg from hip joint to ankle: distance, half width, half depth, middle of the depth (the calf lies behind the axis).
pub(super) const LEG: [Station; 12] = [
    station(0.000, 0.080, 0.088, -0.008),
    station(0.100, 0.077, 0.085, -0.003),
    station(0.200, 0.067, 0.075, 0.003),
    station(0.300, 0.056, 0.062, 0.004),
    station(0.370, 0.050, 0.055, 0.002),
    station(0.4165, 0.048, 0.053, 0.001),
    station(0.460, 0.047, 0.051, -0.005),
    station(0.530, 0.050, 0.054, -0.013),
    station(0.600, 0.046, 0.050, -0.014),
    station(0.700, 0.035, 0.039, -0.009),
    station(0.785, 0.030, 0.036, -0.007),
    station(0.8345, 0.031, 0.038, -0.007),
];

/// Foot from heel to toes: distance in front of the ankle, half width, half height, middle of the height.
pub(super) const FOOT: [Station; 7] = [
    station(-0.035, 0.029, 0.034, 0.033),
    station(0.000, 0.032, 0.044, 0.042),
    station(0.045, 0.035, 0.040, 0.037),
    station(0.095, 0.042, 0.030, 0.028),
    station(0.135, 0.044, 0.023, 0.021),
    station(0.165, 0.041, 0.019, 0.017),
    station(0.180, 0.036, 0.017, 0.015),
];

/// Arm from shoulder joint to finger tips, palm towards the thigh: distance, half width across the palm's normal
/// plane (`u`), half width from thumb side to little finger side (`v`), its middle.
pub(super) const ARM: [Station; 16] = [
    station(0.000, 0.046, 0.049, 0.000),
    station(0.060, 0.045, 0.048, 0.000),
    station(0.130, 0.040, 0.043, 0.000),
    station(0.210, 0.037, 0.039, 0.000),
    station(0.270, 0.035, 0.037, 0.000),
    station(0.300, 0.035, 0.037, 0.000),
    station(0.340, 0.035, 0.039, 0.002),
    station(0.390, 0.033, 0.038, 0.002),
    station(0.460, 0.026, 0.031, 0.001),
    station(0.520, 0.021, 0.026, 0.000),
    station(0.550, 0.020, 0.026, 0.000),
    station(0.580, 0.020, 0.033, 0.001),
    station(0.620, 0.020, 0.038, 0.002),
    station(0.650, 0.019, 0.037, 0.001),
    station(0.680, 0.017, 0.032, 0.000),
    station(0.695, 0.016, 0.028, -0.001),
];
