//! Normal walking as Fourier series: joint angles of one leg and of the pelvis over a gait cycle.
//!
//! Source: one measured cycle of normal walking, the motion `normal.mot` of the OpenSim tutorials
//! (opensim-org/opensim-models). The coefficients are least-squares fits of ours to its numbers: within 0.1 degrees
//! for the hip, 1.4 for the knee, 0.5 for the ankle. Pelvis list and rotation keep odd harmonics only and tilt even
//! ones, which makes left and right equal half a cycle apart.
//!
//! Arms swing after Perry (1992, chapter 8): the shoulder over 32 degrees, furthest back at the heel strike of the
//! same side; the elbow from 20 degrees bent (arm back) to 44 (arm in front).
//!
//! The phase is 0 at a leg's heel strike and 1 at the next; toe-off is near 0.62. Angles in degrees.

use core::f64::consts::TAU;

/// A periodic curve: mean, then (harmonic, cosine, sine).
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    mean: f64,
    terms: &'static [(f64, f64, f64)],
}

impl Curve {
    /// Value at a phase of any integer part.
    pub(super) fn at(&self, phase: f64) -> f64 {
        let term = |&(n, cosine, sine): &(f64, f64, f64)| {
            let angle = TAU * n * (phase - phase.floor());
            cosine * libm::cos(angle) + sine * libm::sin(angle)
        };
        self.mean + self.terms.iter().map(term).sum::<f64>()
    }
}

/// Thigh in front of the pelvis' own vertical.
pub(super) const HIP_FLEXION: Curve = Curve {
    mean: 8.02,
    terms: &[
        (1.0, 20.44, -5.03),
        (2.0, -4.07, -0.27),
        (3.0, 0.38, 1.60),
        (4.0, -0.17, -0.13),
        (5.0, -0.10, 0.24),
        (6.0, 0.11, -0.03),
    ],
};

/// Thigh towards the other leg.
pub(super) const HIP_ADDUCTION: Curve =
    Curve { mean: 1.69, terms: &[(1.0, 0.73, 3.97), (2.0, -0.03, -0.78), (3.0, -1.14, 0.56), (4.0, 0.11, -0.08)] };

/// Thigh turned inwards.
pub(super) const HIP_ROTATION: Curve =
    Curve { mean: -0.02, terms: &[(1.0, -0.32, 2.39), (2.0, 0.42, 2.03), (3.0, 0.17, 0.42), (4.0, -0.07, -0.37)] };

/// Shin behind the thigh's line.
pub(super) const KNEE_FLEXION: Curve = Curve {
    mean: 19.99,
    terms: &[
        (1.0, -3.73, -18.70),
        (2.0, -12.74, 10.58),
        (3.0, 1.22, 4.23),
        (4.0, -0.45, 0.34),
        (5.0, 0.05, 0.60),
        (6.0, 0.32, -0.23),
    ],
};

/// Foot up from a right angle to the shin.
pub(super) const ANKLE_DORSIFLEXION: Curve = Curve {
    mean: 1.09,
    terms: &[
        (1.0, -2.01, 4.95),
        (2.0, 0.12, -5.93),
        (3.0, -3.23, 1.29),
        (4.0, 2.00, -0.59),
        (5.0, -0.62, -0.86),
        (6.0, 0.61, 0.27),
        (7.0, 0.19, -0.60),
    ],
};

/// Pelvis leaning forward.
pub(super) const PELVIS_TILT: Curve = Curve { mean: 1.99, terms: &[(2.0, -0.05, -0.45)] };

/// Own side of the pelvis down.
pub(super) const PELVIS_LIST: Curve = Curve { mean: 0.0, terms: &[(1.0, -1.76, -2.50), (3.0, 1.04, -0.42)] };

/// Own side of the pelvis forward.
pub(super) const PELVIS_ROTATION: Curve = Curve { mean: 0.0, terms: &[(1.0, 1.78, 2.55), (3.0, 0.56, -0.24)] };

/// Upper arm in front of the vertical.
pub(super) const SHOULDER_FLEXION: Curve = Curve { mean: -6.0, terms: &[(1.0, -16.0, -1.5)] };

/// Forearm in front of the upper arm's line.
pub(super) const ELBOW_FLEXION: Curve = Curve { mean: 30.0, terms: &[(1.0, -11.5, -3.0)] };
