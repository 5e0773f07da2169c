//! The weights of frame-by-frame morph targets as a sparse accessor: zero everywhere, but one where frame and target meet.

use std::borrow::Cow;

use gltf_json as json;
use json::Index;
use json::accessor::{Accessor, ComponentType, IndexComponentType, Type, sparse};
use json::validation::Checked::Valid;
use json::validation::USize64;

use super::binary::Content;
use super::document::{Document, accessor, floats};

/// Adds key values for `targets + 1` keys: the base, then each target alone.
pub(super) fn push_identity_weights(document: &mut Document<'_>, targets: usize) -> Index<Accessor> {
    let places: Vec<u8> = (0..targets).flat_map(|k| (((k + 1) * targets + k) as u32).to_le_bytes()).collect();
    let ones: Vec<u8> = (0..targets).flat_map(|_| 1_f32.to_le_bytes()).collect();
    let indices = document.push_view(places.len(), None, Content::Ready(Cow::Owned(places)));
    let values = document.push_view(ones.len(), None, Content::Ready(Cow::Owned(ones)));
    let mut weights = accessor(floats(Type::Scalar), (targets + 1) * targets, None);
    weights.sparse = Some(sparse::Sparse {
        count: USize64::from(targets),
        indices: sparse::Indices {
            buffer_view: indices,
            byte_offset: USize64(0),
            component_type: Valid(IndexComponentType(ComponentType::U32)),
            extensions: None,
            extras: None,
        },
        values: sparse::Values { buffer_view: values, byte_offset: USize64(0), extensions: None, extras: None },
        extensions: None,
        extras: None,
    });
    document.root.push(weights)
}
