//! Still bodies turned on a lathe: a round table for the tablecloth, a pole for the flag.
//!
//! A profile (radius, height) from the bottom of the axis to its top is turned around the Y axis; quarter circles round
//! the rims. The ends lie on the axis, so the meshes are closed.

use core::f64::consts::{FRAC_PI_2, TAU};

use super::pattern::{Corner, Group, Pattern};
use crate::geometry::DVec3;

/// Height of the table's top, metres.
pub(super) const TABLE_TOP: f64 = 0.74;

/// A round table on one leg: radius 0.45 m, the rim rounded by 1.5 cm.
pub(super) fn table() -> Pattern {
    let top = TABLE_TOP;
    let mut profile = vec![[0.0, 0.0]];
    profile.extend((1..=11).map(|i| [0.02 * f64::from(i), 0.0]));
    profile.extend(rim(0.235, 0.015, 0.015));
    profile.extend([[0.15, 0.034], [0.08, 0.045], [0.045, 0.075]]);
    profile.extend((1..=11).map(|i| [0.035, 0.075 + 0.05 * f64::from(i)]));
    profile.extend([[0.050, 0.675], [0.10, 0.700], [0.18, 0.708], [0.28, 0.710], [0.36, 0.710]]);
    profile.extend(rim(0.435, top - 0.015, 0.015));
    profile.extend((1..22).map(|i| [0.435 - 0.02 * f64::from(i), top]));
    profile.push([0.0, top]);
    turned("table", &profile, 96, DVec3::ZERO)
}

/// A flag pole of 4 cm diameter and 3.1 m height, its surface 1 cm from the hoist.
pub(super) fn pole() -> Pattern {
    let mut profile = vec![[0.0, 0.0], [0.010, 0.0]];
    profile.extend((0..=62).map(|i| [0.020, 0.05 * f64::from(i) * 3.09 / 3.10]));
    profile.extend([[0.014, 3.104], [0.0, 3.110]]);
    turned("pole", &profile, 24, DVec3::new(-0.030, 0.0, 0.0))
}

/// Points of a half circle around (radius, height), from below outwards to above.
fn rim(radius: f64, height: f64, round: f64) -> Vec<[f64; 2]> {
    (-4..=4)
        .map(|i| f64::from(i) / 4.0 * FRAC_PI_2)
        .map(|angle| [radius + round * libm::cos(angle), height + round * libm::sin(angle)])
        .collect()
}

/// The closed surface of `profile` turned around the vertical through `foot`.
fn turned(name: &'static str, profile: &[[f64; 2]], segments: usize, foot: DVec3) -> Pattern {
    let rings = &profile[1..profile.len() - 1];
    let angle = |segment: usize| TAU * segment as f64 / segments as f64;
    let on_ring = |[radius, height]: [f64; 2], segment: usize| {
        foot + DVec3::new(radius * libm::sin(angle(segment)), height, radius * libm::cos(angle(segment)))
    };
    let mut positions: Vec<DVec3> =
        rings.iter().flat_map(|&ring| (0..segments).map(move |s| on_ring(ring, s))).collect();
    let (bottom, top) = (positions.len(), positions.len() + 1);
    positions.extend([foot + DVec3::Y * profile[0][1], foot + DVec3::Y * profile[profile.len() - 1][1]]);
    let texcoords = positions.iter().map(|p| [p.x, p.z]).collect();
    let corner = |ring: usize, segment: usize| -> Corner { [ring * segments + segment % segments; 2] };
    let last = rings.len() - 1;
    let mut faces: Vec<Vec<Corner>> = Vec::new();
    for s in 0..segments {
        faces.push(vec![[bottom; 2], corner(0, s + 1), corner(0, s)]);
        faces.extend((0..last).map(|r| vec![corner(r, s), corner(r, s + 1), corner(r + 1, s + 1), corner(r + 1, s)]));
        faces.push(vec![[top; 2], corner(last, s), corner(last, s + 1)]);
    }
    Pattern { name, positions, texcoords, groups: vec![Group { name, faces }] }
}
