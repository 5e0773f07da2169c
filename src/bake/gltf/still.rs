//! Vertex attributes that do not move: texture coordinates, colours, the artist's own.

use std::borrow::Cow;

use gltf_json as json;
use json::Index;
use json::accessor::{Accessor, ComponentType, Type};
use json::mesh::Semantic;
use json::validation::Checked;
use serde_json::Value;

use super::binary::Content;
use super::document::{Document, Element};
use super::layout::Block;
use crate::import::RawAttribute;

/// A semantic and its accessor.
pub(super) type StillAttribute = (Checked<Semantic>, Index<Accessor>);

/// Adds the attributes of a block; one that glTF has no word for is left out.
pub(super) fn push_still_attributes<'a>(document: &mut Document<'a>, block: &'a Block) -> Vec<StillAttribute> {
    let count = block.vertices.len();
    block.attributes.iter().filter_map(|attribute| push_still_attribute(document, attribute, count)).collect()
}

/// Number of consecutive texture coordinate sets from `TEXCOORD_0`.
pub(super) fn texcoord_sets(attributes: &[StillAttribute]) -> u64 {
    let has = |set: u32| attributes.iter().any(|(semantic, _)| *semantic == Checked::Valid(Semantic::TexCoords(set)));
    (0..).take_while(|&set| has(set)).count() as u64
}

fn push_still_attribute<'a>(
    document: &mut Document<'a>,
    attribute: &'a RawAttribute,
    count: usize,
) -> Option<StillAttribute> {
    let semantic = serde_json::from_value(Value::from(attribute.semantic.as_str())).ok()?;
    if semantic == Checked::Invalid {
        return None;
    }
    let element =
        Element { component: component_type(attribute.component_type)?, shape: shape(&attribute.element_type)? };
    if attribute.bytes.len() != count * element.padded_length() {
        return None;
    }
    let accessor = document.push_attribute(element, count, Content::Ready(Cow::Borrowed(&attribute.bytes)));
    document.root.accessors[accessor.value()].normalized = attribute.normalized;
    Some((semantic, accessor))
}

fn component_type(code: u32) -> Option<ComponentType> {
    match code {
        5120 => Some(ComponentType::I8),
        5121 => Some(ComponentType::U8),
        5122 => Some(ComponentType::I16),
        5123 => Some(ComponentType::U16),
        5125 => Some(ComponentType::U32),
        5126 => Some(ComponentType::F32),
        _ => None,
    }
}

fn shape(name: &str) -> Option<Type> {
    match name {
        "SCALAR" => Some(Type::Scalar),
        "VEC2" => Some(Type::Vec2),
        "VEC3" => Some(Type::Vec3),
        "VEC4" => Some(Type::Vec4),
        _ => None,
    }
}
