//! Where positions count from, so that `f32` stays fine far away from the world's origin.

use super::DVec3;

/// Distance from the world's origin along an axis, metres, up to which positions count from it. `f32` has steps of 1
/// micrometre there; 10 km away they are 1 mm, and cloth shivers.
const NEAR: f64 = 16.0;

/// The point that positions around `centre` count from: the world's origin, moved by whole metres along the axes on which that
/// is far away.
pub fn nearby_origin(centre: DVec3) -> DVec3 {
    let along = |metres: f64| if metres.abs() <= NEAR || !metres.is_finite() { 0.0 } else { metres.round() };
    DVec3::new(along(centre.x), along(centre.y), along(centre.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_far_away_counts_from_elsewhere_and_by_whole_metres() {
        assert_eq!(nearby_origin(DVec3::new(-16.0, 0.9, 15.0)), DVec3::ZERO);
        assert_eq!(nearby_origin(DVec3::new(-9999.7, 0.9, 16.4)), DVec3::new(-10_000.0, 0.0, 16.0));
        assert_eq!(nearby_origin(DVec3::new(f64::NAN, f64::INFINITY, 0.0)), DVec3::ZERO);
    }
}
