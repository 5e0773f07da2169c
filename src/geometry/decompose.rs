//! A matrix -> translation, rotation and scale.

use super::{DAffine3, DMat3, DQuat, DVec3};

/// Translation, rotation (unit length) and scale of `affine`; none if it is flat or not finite. A mirrored one has a
/// negative X scale. Shear is left out.
pub fn decompose(affine: DAffine3) -> Option<(DVec3, DQuat, DVec3)> {
    let m = affine.matrix3;
    let sign = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    let scale = DVec3::new(sign * m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
    if scale.abs().min_element() <= 0.0 || !affine.is_finite() {
        return None;
    }
    let axes = DMat3::from_cols(m.x_axis / scale.x, m.y_axis / scale.y, m.z_axis / scale.z);
    Some((affine.translation, DQuat::from_mat3(&axes).normalize(), scale))
}
