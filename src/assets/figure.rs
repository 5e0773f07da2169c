//! The mannequin as an implicit surface: tubes for trunk and limbs, ellipsoids for head, bust and seat, joined smoothly.
//!
//! Everything is evaluated at `(|x|, y, z)`, which makes the figure exactly symmetric and the legs two separate
//! tubes: the blend between leg and trunk ends at the crotch, where the gap between the thighs begins.

use super::anatomy::{
    ARM, ARM_SPREAD, FOOT, HEAD_BASE, HIP, LEG, LEG_SPREAD, NECK, NECK_BASE, SHIN, SHOULDER, THIGH, TOE_OUT, TRUNK,
};
use super::implicit::{Field, Tube, ellipsoid, round_cone, smooth_max, smooth_min};
use crate::geometry::{DVec3, smooth_step};

/// The whole figure or, for garments, a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    trunk: Tube,
    neck: Tube,
    leg: Tube,
    foot: Tube,
    arm: Tube,
}

impl Figure {
    /// The mannequin of [`super::anatomy`].
    pub(super) fn new() -> Figure {
        Figure {
            trunk: Tube {
                origin: DVec3::ZERO,
                frame: [DVec3::X, DVec3::Z, DVec3::Y],
                stations: &TRUNK,
                caps: [0.050, 0.02],
            },
            neck: Tube {
                origin: NECK_BASE,
                frame: frame_along(HEAD_BASE - NECK_BASE),
                stations: &NECK,
                caps: [0.03, 0.03],
            },
            leg: Tube { origin: HIP, frame: frame_along(leg_direction()), stations: &LEG, caps: [0.05, 0.03] },
            foot: foot(),
            arm: Tube { origin: SHOULDER, frame: frame_along(arm_direction()), stations: &ARM, caps: [0.045, 0.022] },
        }
    }

    /// Trunk with bust, seat and the slope of the shoulders, without neck and limbs.
    pub(super) fn trunk(&self, p: DVec3) -> f64 {
        let q = mirrored(p);
        let bust = ellipsoid(q - DVec3::new(0.070, 1.245, 0.070), DVec3::new(0.060, 0.062, 0.052));
        let seat = ellipsoid(q - DVec3::new(0.070, 0.880, -0.058), DVec3::new(0.076, 0.085, 0.066));
        let shoulder = round_cone(q, [DVec3::new(0.045, 1.412, -0.028), SHOULDER], [0.032, 0.040]);
        let trunk = smooth_min(self.trunk.value(q), bust, 0.05);
        smooth_min(smooth_min(trunk, seat, 0.06), shoulder, 0.07)
    }

    /// The leg on the side of `p`, with its foot.
    pub(super) fn leg(&self, p: DVec3) -> f64 {
        let q = mirrored(p);
        let foot = smooth_max(self.foot.value(q), -q.y, 0.006);
        smooth_min(self.leg.value(q), foot, 0.05)
    }

    /// The arm on the side of `p`, with its hand.
    pub(super) fn arm(&self, p: DVec3) -> f64 {
        let q = mirrored(p);
        let thumb =
            round_cone(q, [self.in_arm(-0.002, 0.018, 0.578), self.in_arm(-0.008, 0.052, 0.642)], [0.017, 0.013]);
        smooth_min(self.arm.value(q), thumb, 0.022)
    }

    /// Neck and head.
    pub(super) fn head(&self, p: DVec3) -> f64 {
        let q = mirrored(p);
        let skull = ellipsoid(q - DVec3::new(0.0, 1.608, -0.006), DVec3::new(0.074, 0.092, 0.094));
        let face = ellipsoid(q - DVec3::new(0.0, 1.556, 0.030), DVec3::new(0.056, 0.078, 0.060));
        let nose = round_cone(q, [DVec3::new(0.0, 1.600, 0.082), DVec3::new(0.0, 1.566, 0.090)], [0.007, 0.010]);
        let chin = ellipsoid(q - DVec3::new(0.0, 1.500, 0.052), DVec3::new(0.026, 0.022, 0.026));
        let head = smooth_min(smooth_min(smooth_min(skull, face, 0.05), chin, 0.05), nose, 0.03);
        smooth_min(head, self.neck.value(q), 0.04)
    }

    fn in_arm(&self, u: f64, v: f64, along: f64) -> DVec3 {
        let [axis_u, axis_v, axis_w] = self.arm.frame;
        self.arm.origin + axis_u * u + axis_v * v + axis_w * along
    }
}

impl Field for Figure {
    fn value(&self, p: DVec3) -> f64 {
        let trunk = smooth_min(self.trunk(p), self.head(p), 0.05);
        // Narrow between the thighs, where a gap must stay, wide over the hips.
        let blend = 0.035 + 0.045 * smooth_step(0.05, 0.12, p.x.abs());
        let with_legs = smooth_min(trunk, self.leg(p), blend);
        smooth_min(with_legs, self.arm(p), 0.045)
    }
}

/// Direction of the left leg in bind pose, from hip to ankle.
pub(super) fn leg_direction() -> DVec3 {
    DVec3::new(libm::sin(LEG_SPREAD), -libm::cos(LEG_SPREAD), 0.0)
}

/// Direction of the left arm in bind pose, from shoulder to wrist.
pub(super) fn arm_direction() -> DVec3 {
    DVec3::new(libm::sin(ARM_SPREAD), -libm::cos(ARM_SPREAD), 0.0)
}

/// Direction of the left foot in bind pose, from heel to toes.
pub(super) fn foot_direction() -> DVec3 {
    DVec3::new(libm::sin(TOE_OUT), 0.0, libm::cos(TOE_OUT))
}

/// The left ankle in bind pose.
pub(super) fn ankle() -> DVec3 {
    HIP + leg_direction() * (THIGH + SHIN)
}

fn foot() -> Tube {
    let (ankle, forward) = (ankle(), foot_direction());
    let origin = DVec3::new(ankle.x, 0.0, ankle.z - 0.004);
    Tube { origin, frame: [DVec3::Y.cross(forward), DVec3::Y, forward], stations: &FOOT, caps: [0.028, 0.024] }
}

/// Right-handed axes u, v, w: w along `direction`, v towards the front, u across.
fn frame_along(direction: DVec3) -> [DVec3; 3] {
    let w = direction.normalize();
    let v = (DVec3::Z - w * w.z).normalize();
    [v.cross(w), v, w]
}

fn mirrored(p: DVec3) -> DVec3 {
    DVec3::new(p.x.abs(), p.y, p.z)
}
