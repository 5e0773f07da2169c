//! Values between keys: LINEAR, STEP and CUBICSPLINE of glTF 2.0, appendix C.
//!
//! ```text
//! spline:  p(t) = (2t^3 - 3t^2 + 1) v0 + T (t^3 - 2t^2 + t) b0 + (-2t^3 + 3t^2) v1 + T (t^3 - t^2) a1,   T = t1 - t0
//! slerp:   q(t) = (sin((1 - t) h) q0 + sin(t h) q1) / sin(h),   cos(h) = q0 . q1 >= 0
//! ```
//!
//! `sin` and `acos` come from `libm`: those of std differ between machines.

use std::ops::{Add, Mul};

use crate::geometry::DQuat;
use crate::import::Interpolation;

/// Above this cosine two rotations are so close that a straight line is as good as an arc, and better conditioned.
const NEARLY_PARALLEL: f64 = 1.0 - 1.0e-9;

/// Where a moment lies between keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Span {
    /// On a key, or held outside all of them.
    Key(usize),
    /// Between key `before` and the next.
    Between {
        /// The earlier key.
        before: usize,
        /// How far on the way, in (0, 1).
        amount: f64,
        /// Seconds between the two keys.
        seconds: f64,
    },
}

impl Span {
    /// Finds `seconds` among ascending key times.
    pub(super) fn find(times: &[f32], seconds: f64) -> Span {
        let after = times.partition_point(|&time| f64::from(time) <= seconds);
        let Some(before) = after.checked_sub(1) else { return Span::Key(0) };
        match (times.get(before), times.get(after)) {
            (Some(&start), Some(&end)) if f64::from(start) < seconds => {
                let (start, end) = (f64::from(start), f64::from(end));
                Span::Between { before, amount: (seconds - start) / (end - start), seconds: end - start }
            }
            _ => Span::Key(before),
        }
    }

    /// The value here. `value` gives the stored value `index`; `linear` interpolates two of them.
    pub(super) fn value<T>(
        self,
        interpolation: Interpolation,
        value: impl Fn(usize) -> T,
        linear: impl Fn(T, T, f64) -> T,
    ) -> T
    where
        T: Mul<f64, Output = T> + Add<Output = T>,
    {
        match (self, interpolation) {
            (Span::Key(key), Interpolation::CubicSpline) => value(3 * key + 1),
            (Span::Key(key), _) | (Span::Between { before: key, .. }, Interpolation::Step) => value(key),
            (Span::Between { before, amount, .. }, Interpolation::Linear) => {
                linear(value(before), value(before + 1), amount)
            }
            (Span::Between { before, amount: t, seconds }, Interpolation::CubicSpline) => {
                let (t2, t3) = (t * t, t * t * t);
                let start = value(3 * before + 1) * (2.0 * t3 - 3.0 * t2 + 1.0);
                let leaving = value(3 * before + 2) * (seconds * (t3 - 2.0 * t2 + t));
                let arriving = value(3 * before + 3) * (seconds * (t3 - t2));
                let end = value(3 * before + 4) * (3.0 * t2 - 2.0 * t3);
                start + leaving + end + arriving
            }
        }
    }
}

/// From `a` to `b` along the shorter arc; both unit length.
pub(super) fn slerp(a: DQuat, b: DQuat, amount: f64) -> DQuat {
    let cosine = a.dot(b);
    let b = if cosine < 0.0 { -b } else { b };
    let cosine = cosine.abs();
    if cosine > NEARLY_PARALLEL {
        return (a * (1.0 - amount) + b * amount).normalize();
    }
    let angle = libm::acos(cosine);
    let (from, to) = (libm::sin((1.0 - amount) * angle), libm::sin(amount * angle));
    (a * from + b * to).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_the_keys_the_nearest_is_held() {
        let times = [1.0, 2.0, 4.0];
        assert_eq!(Span::find(&times, 0.0), Span::Key(0));
        assert_eq!(Span::find(&times, 2.0), Span::Key(1));
        assert_eq!(Span::find(&times, 9.0), Span::Key(2));
        assert_eq!(Span::find(&times, 3.0), Span::Between { before: 1, amount: 0.5, seconds: 2.0 });
    }

    #[test]
    fn a_spline_through_a_line_with_its_slope_is_that_line() {
        // value 2t: tangents 2 everywhere; (in, value, out) a key
        let keys = [2.0, 0.0, 2.0, 2.0, 8.0, 2.0];
        for seconds in [0.5, 1.0, 3.9] {
            let span = Span::find(&[0.0, 4.0], seconds);
            let value = span.value(Interpolation::CubicSpline, |i| keys[i], |_, _, _| unreachable!());
            assert!((value - 2.0 * seconds).abs() < 1.0e-12);
        }
    }

    #[test]
    fn slerp_takes_the_shorter_arc_at_even_speed() {
        let turn = |angle: f64| DQuat::from_xyzw(0.0, libm::sin(angle / 2.0), 0.0, libm::cos(angle / 2.0));
        for sign in [1.0, -1.0] {
            let half = slerp(turn(0.2), turn(1.4) * sign, 0.25);
            assert!(half.dot(turn(0.5)).abs() > 1.0 - 1.0e-14);
        }
    }
}
