//! Meshes and skins of a rigged body.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use gltf_json as json;
use json::Index;
use json::accessor::{Accessor, ComponentType, Type};
use json::mesh::{Mesh, MorphTarget, Primitive, Semantic};
use json::scene::Node;
use json::validation::Checked::{self, Valid};

use super::appearance::MaterialOffset;
use super::binary::Content;
use super::document::{Document, Element, floats};
use super::shape::{bounds, bytes_of};
use super::skin::Influences;
use crate::geometry::{DMat4, Vec3};
use crate::import::{BodyPart, Rig, Skin};

/// Most joints that `u8` numbers tell apart.
const FEW_JOINTS: usize = 256;

/// Neighbouring parts that make one glTF mesh: on one node, with one skin and as many morph targets.
pub(super) struct PartGroup {
    /// Indices of the parts.
    pub(super) parts: Range<usize>,
    /// Number of morph targets.
    pub(super) targets: usize,
}

impl PartGroup {
    /// Groups all parts that have triangles.
    pub(super) fn all(rig: &Rig) -> Vec<PartGroup> {
        let key = |part: &BodyPart| (part.node, part.skin, part.morph_targets.len());
        let mut groups: Vec<PartGroup> = Vec::new();
        for (i, part) in rig.parts.iter().enumerate().filter(|(_, part)| !part.triangles.is_empty()) {
            match groups.last_mut() {
                Some(group) if group.parts.end == i && key(&rig.parts[group.parts.start]) == key(part) => {
                    group.parts.end += 1;
                }
                _ => groups.push(PartGroup { parts: i..i + 1, targets: part.morph_targets.len() }),
            }
        }
        groups
    }
}

/// Adds the mesh of a group of parts. `weights` are its morph weights in the first frame.
pub(super) fn push_part_mesh<'a>(
    document: &mut Document<'a>,
    rig: &'a Rig,
    group: &PartGroup,
    materials: MaterialOffset,
    weights: Option<&Vec<f32>>,
) -> Index<Mesh> {
    let parts = &rig.parts[group.parts.clone()];
    let joints = |part: &BodyPart| part.skin.map_or(0, |skin| rig.skins[skin as usize].joints.len());
    let primitives = parts.iter().map(|part| push_primitive(document, part, joints(part), materials)).collect();
    let weights = weights.filter(|weights| weights.len() == group.targets).cloned();
    document.root.push(Mesh {
        extensions: None,
        extras: None,
        name: Some(parts[0].name.clone()),
        primitives,
        weights: (group.targets > 0).then(|| weights.unwrap_or_else(|| vec![0.0; group.targets])),
    })
}

/// Adds a skin whose joints are the given nodes of the rig.
pub(super) fn push_skin(document: &mut Document<'_>, skin: &Skin, nodes: &[Index<Node>]) -> Index<json::Skin> {
    let matrices: Vec<f32> =
        skin.inverse_bind.iter().flat_map(|&bind| DMat4::from(bind).as_mat4().to_cols_array()).collect();
    let matrices = document.push_numbers(Type::Mat4, &matrices);
    document.root.push(json::Skin {
        extensions: None,
        extras: None,
        inverse_bind_matrices: Some(matrices),
        joints: skin.joints.iter().map(|&joint| nodes[joint as usize]).collect(),
        name: None,
        skeleton: None,
    })
}

fn push_primitive<'a>(
    document: &mut Document<'a>,
    part: &'a BodyPart,
    joints: usize,
    materials: MaterialOffset,
) -> Primitive {
    let mut attributes = push_shape(document, part);
    if joints > 0 {
        push_weights(document, part, joints, &mut attributes);
    }
    let texcoord_sets = u64::from(!part.texcoords.is_empty());
    let material = part.material.and_then(|material| document.looks.material(materials, material, texcoord_sets));
    let turns = !part.normals.is_empty() && part.morph_targets.iter().any(|target| !target.normals.is_empty());
    let targets: Vec<MorphTarget> =
        part.morph_targets.iter().map(|target| push_target(document, part.positions.len(), target, turns)).collect();
    Primitive {
        attributes,
        extensions: None,
        extras: None,
        indices: Some(document.push_triangles(&part.triangles)),
        material: material.map(Index::new),
        mode: Valid(json::mesh::Mode::Triangles),
        targets: (!targets.is_empty()).then_some(targets),
    }
}

type Attributes = BTreeMap<Checked<Semantic>, Index<Accessor>>;

fn push_shape(document: &mut Document<'_>, part: &BodyPart) -> Attributes {
    let positions = || part.positions.iter().copied();
    let mut attributes = Attributes::new();
    let accessor = document.push_positions(positions().len(), bounds(positions()), ready(bytes_of(positions())));
    attributes.insert(Valid(Semantic::Positions), accessor);
    if !part.normals.is_empty() {
        let units = part.normals.iter().map(|normal| normal.try_normalize().unwrap_or(Vec3::Y));
        let accessor = document.push_attribute(floats(Type::Vec3), part.normals.len(), ready(bytes_of(units)));
        attributes.insert(Valid(Semantic::Normals), accessor);
    }
    if !part.texcoords.is_empty() {
        let bytes = part.texcoords.iter().flat_map(|t| t.to_array()).flat_map(f32::to_le_bytes).collect();
        let accessor = document.push_attribute(floats(Type::Vec2), part.texcoords.len(), ready(bytes));
        attributes.insert(Valid(Semantic::TexCoords(0)), accessor);
    }
    attributes
}

fn push_weights(document: &mut Document<'_>, part: &BodyPart, joints: usize, attributes: &mut Attributes) {
    let count = part.positions.len();
    let influences = Influences::of(&part.weights, count);
    let wide = joints > FEW_JOINTS;
    let component = if wide { ComponentType::U16 } else { ComponentType::U8 };
    for set in 0..influences.sets {
        let element = Element { component, shape: Type::Vec4 };
        let accessor = document.push_attribute(element, count, ready(influences.joint_bytes(set, wide)));
        attributes.insert(Valid(Semantic::Joints(set as u32)), accessor);
        let accessor = document.push_attribute(floats(Type::Vec4), count, ready(influences.weight_bytes(set)));
        attributes.insert(Valid(Semantic::Weights(set as u32)), accessor);
    }
}

/// Adds one morph target of `count` vertices; a list that is empty in the source means zero. With one that turns normals, all do.
fn push_target(
    document: &mut Document<'_>,
    count: usize,
    target: &crate::import::MorphTarget,
    turns: bool,
) -> MorphTarget {
    let dense = |list: &[Vec3]| if list.is_empty() { vec![Vec3::ZERO; count] } else { list.to_vec() };
    let positions = dense(&target.positions);
    let extent = bounds(positions.iter().copied());
    let bytes = bytes_of(positions.into_iter());
    let normals = turns.then(|| bytes_of(dense(&target.normals).into_iter()));
    MorphTarget {
        positions: Some(document.push_positions(count, extent, ready(bytes))),
        normals: normals.map(|bytes| document.push_attribute(floats(Type::Vec3), count, ready(bytes))),
        tangents: None,
    }
}

fn ready<'a>(bytes: Vec<u8>) -> Content<'a> {
    Content::Ready(Cow::Owned(bytes))
}
