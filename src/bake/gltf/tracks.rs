//! Motion of nodes, sampled once a frame -> animation tracks. What does not move gets none.

use gltf_json as json;
use json::Index;
use json::accessor::{Accessor, Type};
use json::animation::{Interpolation, Property};
use json::scene::Node;

use super::document::Document;

/// Translations (metres), scales and quaternion components that differ by no more than this do not move: it is a tenth of
/// the hundredth of a millimetre that positions are promised to.
const STILL: f32 = 1e-6;

/// Adds a linear track unless all values are the same. `components` numbers a frame, one frame after the other.
pub(super) fn push_sampled_track(
    document: &mut Document<'_>,
    node: Index<Node>,
    property: Property,
    times: Index<Accessor>,
    components: usize,
    values: &[f32],
) {
    if is_still(values, components) {
        return;
    }
    let shape = match property {
        Property::Translation | Property::Scale => Type::Vec3,
        Property::Rotation => Type::Vec4,
        Property::MorphTargetWeights => Type::Scalar,
    };
    let values = document.push_numbers(shape, values);
    document.push_track(node, property, Interpolation::Linear, [times, values]);
}

/// Quaternions with their signs chosen so that neighbours interpolate the short way.
pub(super) fn continuous(rotations: impl Iterator<Item = [f32; 4]>) -> Vec<f32> {
    let mut values: Vec<f32> = Vec::new();
    for rotation in rotations {
        let previous = values.last_chunk::<4>();
        let dot = previous.map_or(0.0, |p| p.iter().zip(&rotation).map(|(a, b)| a * b).sum::<f32>());
        values.extend(rotation.map(|component| if dot < 0.0 { -component } else { component }));
    }
    values
}

fn is_still(values: &[f32], components: usize) -> bool {
    let (first, later) = values.split_at(components.min(values.len()));
    later.chunks(components.max(1)).all(|frame| frame.iter().zip(first).all(|(a, b)| (a - b).abs() <= STILL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_keep_their_sign_from_frame_to_frame() {
        let frames = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -0.6, -0.8], [0.0, 0.0, 0.8, 0.6]];
        assert_eq!(continuous(frames.into_iter())[4..], [0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 0.8, 0.6]);
    }

    #[test]
    fn rounding_is_no_motion() {
        assert!(is_still(&[1.0, 2.0, 1.0 + 1e-7, 2.0], 2));
        assert!(!is_still(&[1.0, 2.0, 1.0, 2.001], 2));
        assert!(is_still(&[], 3));
    }
}
