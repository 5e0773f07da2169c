//! What property tests draw.

use proptest::prelude::*;

use super::Vec3;

/// A point in the cube from -1 to 1.
pub(crate) fn any_point() -> impl Strategy<Value = Vec3> {
    (-1f32..1.0, -1f32..1.0, -1f32..1.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}
