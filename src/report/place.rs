//! Places on a garment in words.

use crate::geometry::{Aabb, Vec3};

/// Where `rest` lies on a garment that fills `bounds` at rest: `right hem`, `left front upper part`. The wearer faces +Z,
/// as in glTF, so that +X is on their left.
pub(crate) fn describe(rest: Vec3, bounds: &Aabb) -> String {
    let part = (rest - bounds.min) / bounds.size().max(Vec3::splat(f32::MIN_POSITIVE));
    let height = match part.y {
        y if y > 0.9 => "top edge",
        y if y > 0.6 => "upper part",
        y if y > 0.35 => "middle",
        y if y > 0.08 => "lower part",
        _ => "hem",
    };
    let side = match part.x {
        x if x > 0.65 => "left ",
        x if x < 0.35 => "right ",
        _ if part.z > 0.5 => "front ",
        _ => "back ",
    };
    format!("{side}{height}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_those_of_the_wearer() {
        let bounds = Aabb { min: Vec3::new(-1.0, 0.0, -1.0), max: Vec3::new(1.0, 1.0, 1.0) };
        assert_eq!(describe(Vec3::new(-0.9, 0.0, 0.0), &bounds), "right hem");
        assert_eq!(describe(Vec3::new(0.0, 0.7, 0.9), &bounds), "front upper part");
    }
}
