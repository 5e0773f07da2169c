//! Implicit surfaces: distance-like functions of a point, negative inside, and their smooth union.
//!
//! ```text
//!            ______                 u, v  half axes of the elliptic cross-section, from the stations
//!   cap  ,--'  |   `-----.          w     along the axis; in front of the first and behind the last
//!       (------+----------)---> w         station the tube is closed by half an ellipsoid
//!        `--.__|___.-----'
//! ```
//!
//! The distance to an ellipse is the first-order estimate `k0 (k0 - 1) / k1` with `k0 = |p / r|`, `k1 = |p / r^2|`
//! (Quilez, *Ellipsoid - distance*): zero on the surface, correct slope beside it, too large or small far away.
//! Only `+ - * / sqrt` are used, so values have the same bits on every machine.

use crate::geometry::DVec3;

/// A function of space whose zero set is a closed surface, negative inside; metres near the surface.
pub(super) trait Field {
    /// Value at `p`.
    fn value(&self, p: DVec3) -> f64;

    /// Slope at `p` by central differences.
    fn gradient(&self, p: DVec3) -> DVec3 {
        /// Metres: far below every feature, far above the rounding of `f64`.
        const STEP: f64 = 1e-5;
        let slope = |axis: DVec3| (self.value(p + axis * STEP) - self.value(p - axis * STEP)) / (2.0 * STEP);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
    }

    /// The point of the surface near `p`, by two Newton steps along the gradient: from 1 cm away they come within a
    /// micrometre.
    fn project(&self, p: DVec3) -> DVec3 {
        (0..2).fold(p, |p, _| {
            let gradient = self.gradient(p);
            p - gradient * (self.value(p) / gradient.length_squared().max(1e-12))
        })
    }
}

impl<F: Fn(DVec3) -> f64> Field for F {
    fn value(&self, p: DVec3) -> f64 {
        self(p)
    }
}

/// One cross-section of a [`Tube`], metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Station {
    /// Place along the axis.
    pub(super) along: f64,
    /// Half width along `u`.
    pub(super) half_u: f64,
    /// Half width along `v`.
    pub(super) half_v: f64,
    /// Centre along `v`, off the axis.
    pub(super) centre_v: f64,
}

/// Shorthand for a table row: along, half width u, half width v, centre v.
pub(super) const fn station(along: f64, half_u: f64, half_v: f64, centre_v: f64) -> Station {
    Station { along, half_u, half_v, centre_v }
}

/// A straight tube of varying elliptic cross-section with ellipsoidal ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tube {
    /// Where `along` is 0.
    pub(super) origin: DVec3,
    /// Unit directions u, v, w; the axis is w.
    pub(super) frame: [DVec3; 3],
    /// At least two cross-sections, ascending along the axis.
    pub(super) stations: &'static [Station],
    /// Length of the rounded end before the first and behind the last station.
    pub(super) caps: [f64; 2],
}

impl Field for Tube {
    fn value(&self, p: DVec3) -> f64 {
        let [u, v, w] = self.frame.map(|axis| axis.dot(p - self.origin));
        let (first, last) = (self.stations[0].along, self.stations[self.stations.len() - 1].along);
        let section = cross_section(self.stations, w);
        let (over, cap) = if w < first { (w - first, self.caps[0]) } else { ((w - last).max(0.0), self.caps[1]) };
        ellipsoid(DVec3::new(u, v - section.centre_v, over), DVec3::new(section.half_u, section.half_v, cap))
    }
}

/// First-order distance to the ellipsoid of half axes `radii` around the origin.
pub(super) fn ellipsoid(p: DVec3, radii: DVec3) -> f64 {
    let k0 = (p / radii).length();
    let k1 = (p / (radii * radii)).length();
    if k1 < 1e-9 { -radii.min_element() } else { k0 * (k0 - 1.0) / k1 }
}

/// Distance to a cone with round ends of radii `radii` around `ends`.
pub(super) fn round_cone(p: DVec3, ends: [DVec3; 2], radii: [f64; 2]) -> f64 {
    let axis = ends[1] - ends[0];
    let t = ((p - ends[0]).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
    p.distance(ends[0] + axis * t) - (radii[0] + (radii[1] - radii[0]) * t)
}

/// Cubic smooth minimum: equal to `min` where the arguments differ by more than `radius`, twice differentiable
/// between (Quilez, *Smooth minimum*).
pub(super) fn smooth_min(a: f64, b: f64, radius: f64) -> f64 {
    let h = (radius - (a - b).abs()).max(0.0) / radius;
    a.min(b) - h * h * h * radius / 6.0
}

/// Counterpart of [`smooth_min`].
pub(super) fn smooth_max(a: f64, b: f64, radius: f64) -> f64 {
    -smooth_min(-a, -b, radius)
}

/// The cross-section at `along` by cubic Hermite interpolation, constant beyond the ends.
pub(super) fn cross_section(stations: &[Station], along: f64) -> Station {
    let last = stations.len() - 1;
    let next = stations.partition_point(|s| s.along <= along);
    if next == 0 || next > last {
        return stations[next.min(last)];
    }
    let interpolate = |value: fn(&Station) -> f64| hermite(stations, next - 1, along, value);
    station(along, interpolate(|s| s.half_u), interpolate(|s| s.half_v), interpolate(|s| s.centre_v))
}

fn hermite(stations: &[Station], left: usize, along: f64, value: fn(&Station) -> f64) -> f64 {
    let (a, b) = (&stations[left], &stations[left + 1]);
    let length = b.along - a.along;
    let t = (along - a.along) / length;
    let (from, to) = (tangent(stations, left, value) * length, tangent(stations, left + 1, value) * length);
    let (t2, t3) = (t * t, t * t * t);
    (2.0 * t3 - 3.0 * t2 + 1.0) * value(a)
        + (t3 - 2.0 * t2 + t) * from
        + (3.0 * t2 - 2.0 * t3) * value(b)
        + (t3 - t2) * to
}

/// Slope at a station: that of the parabola through it and its neighbours, level at the ends.
fn tangent(stations: &[Station], at: usize, value: fn(&Station) -> f64) -> f64 {
    if at == 0 || at + 1 == stations.len() {
        return 0.0;
    }
    let [a, b, c] = [&stations[at - 1], &stations[at], &stations[at + 1]];
    let (before, after) = (b.along - a.along, c.along - b.along);
    let (rise, climb) = ((value(b) - value(a)) / before, (value(c) - value(b)) / after);
    (rise * after + climb * before) / (before + after)
}
