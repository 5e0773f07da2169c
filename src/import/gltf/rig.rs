//! A clean document -> [`Rig`].

use std::collections::{BTreeMap, BTreeSet};

use gltf::scene::Transform;

use super::clip::read_clips;
use super::error::GltfError;
use super::limits::PART_BYTES;
use super::sanitise::Clean;
use super::surface::Surface;
use super::values::Values;
use crate::geometry::{DAffine3, DMat3, DQuat, DVec3, decompose};
use crate::import::{Appearance, BodyNode, BodyPart, MorphTarget, Rig, Skin};

/// Largest part of a matrix's length that its translation, rotation and scale may miss.
const SHEAR_TOLERANCE: f64 = 1.0e-5;

/// Where a part of a rig comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartSource {
    /// Index of its node in the document.
    pub(super) node: usize,
    /// Index of its primitive in the node's mesh.
    pub(super) primitive: usize,
}

/// What is wanted of a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Clips and morph targets, and of parts that share vertices only those that their triangles have.
    Motion,
    /// Every vertex where it is at rest: morph targets are laid on.
    Rest,
}

/// Reads nodes, skins, meshes and what else is `wanted`.
pub(super) fn read(
    clean: &Clean<'_>,
    appearance: Appearance,
    values: &mut Values<'_, '_>,
    name: &str,
    wanted: Wanted,
) -> Result<(Rig, Vec<PartSource>), GltfError> {
    let nodes: Vec<gltf::Node<'_>> = clean.document.nodes().collect();
    let mut rig = Rig { name: name.to_owned(), appearance, ..Rig::default() };
    rig.nodes = clean.tree.order.iter().filter_map(|&index| Some(read_node(nodes.get(index)?, clean))).collect();
    let skins = read_skins(clean, &nodes, values, &mut rig);
    let sources = read_parts(clean, (&nodes, &skins), wanted, values, &mut rig);
    if wanted == Wanted::Motion {
        rig.clips = read_clips(clean, &rig, values);
    }
    values.faults.check()?;
    if rig.parts.iter().all(|part| part.triangles.is_empty()) {
        let (meshes, nodes) = (clean.document.meshes().len(), nodes.len());
        let seen = clean.notices.first().map_or(String::new(), |notice| format!("; {notice}"));
        return Err(GltfError::NoTriangles { meshes, nodes, seen });
    }
    rig.notices = clean.notices.clone();
    rig.notices.append(&mut values.notices);
    Ok((rig, sources))
}

fn read_node(node: &gltf::Node<'_>, clean: &Clean<'_>) -> BodyNode {
    let name = node.name().map_or_else(|| format!("node {}", node.index()), str::to_owned);
    let parent = clean.tree.parents.get(node.index()).copied().flatten();
    let parent = parent.and_then(|parent| clean.tree.places.get(parent).copied().flatten());
    match node.transform() {
        Transform::Decomposed { translation, rotation, scale } => BodyNode {
            name,
            parent,
            translation: DVec3::from_array(translation.map(f64::from)),
            rotation: DQuat::from_array(rotation.map(f64::from)).normalize(),
            scale: DVec3::from_array(scale.map(f64::from)),
            matrix: None,
        },
        Transform::Matrix { matrix } => {
            let affine = affine_from_columns(&matrix.as_flattened().iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
            let (translation, rotation, scale, exact) = parts(affine);
            BodyNode { name, parent, translation, rotation, scale, matrix: (!exact).then_some(affine) }
        }
    }
}

/// The upper three rows of a column-major 4 x 4 matrix.
fn affine_from_columns(m: &[f64]) -> DAffine3 {
    let column = |i: usize| match m.get(4 * i..4 * i + 3) {
        Some(&[x, y, z]) => DVec3::new(x, y, z),
        _ => DVec3::ZERO,
    };
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

/// Translation, rotation and scale of a matrix, and whether they say it fully.
fn parts(affine: DAffine3) -> (DVec3, DQuat, DVec3, bool) {
    let Some((translation, rotation, scale)) = decompose(affine) else {
        let m = affine.matrix3;
        let scale = DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
        return (affine.translation, DQuat::IDENTITY, scale, false);
    };
    let again = DMat3::from_quat(rotation) * DMat3::from_diagonal(scale);
    let missed = (again - affine.matrix3).to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    (translation, rotation, scale, missed <= SHEAR_TOLERANCE * scale.abs().max_element())
}

/// Skins of drawn nodes; the index each document skin got.
fn read_skins(
    clean: &Clean<'_>,
    nodes: &[gltf::Node<'_>],
    values: &mut Values<'_, '_>,
    rig: &mut Rig,
) -> BTreeMap<usize, u32> {
    let mut numbers = BTreeMap::new();
    for &index in &clean.tree.order {
        let Some(skin) = nodes.get(index).and_then(gltf::Node::skin) else { continue };
        if numbers.contains_key(&skin.index()) {
            continue;
        }
        let places = skin.joints().map(|joint| clean.tree.places.get(joint.index()).copied().flatten());
        let joints: Vec<u32> = places.flatten().collect();
        let inverse_bind = match skin.inverse_bind_matrices() {
            None => Some(vec![DAffine3::IDENTITY; joints.len()]),
            Some(matrices) => {
                let place = format!("inverse bind matrices of skins[{}]", skin.index());
                values.numbers(matrices.index(), &place).map(|numbers| {
                    let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
                    numbers.chunks_exact(16).take(joints.len()).map(affine_from_columns).collect()
                })
            }
        };
        if let Some(inverse_bind) = inverse_bind {
            numbers.insert(skin.index(), rig.skins.len() as u32);
            rig.skins.push(Skin { joints, inverse_bind });
        }
    }
    numbers
}

fn read_parts(
    clean: &Clean<'_>,
    (nodes, skins): (&[gltf::Node<'_>], &BTreeMap<usize, u32>),
    wanted: Wanted,
    values: &mut Values<'_, '_>,
    rig: &mut Rig,
) -> Vec<PartSource> {
    let mut sources = Vec::new();
    for (place, &index) in clean.tree.order.iter().enumerate() {
        let Some(node) = nodes.get(index) else { continue };
        let Some(mesh) = node.mesh() else { continue };
        let skin = node.skin().and_then(|skin| skins.get(&skin.index()).copied());
        let shared = shared_positions(&mesh);
        for primitive in mesh.primitives().filter(|primitive| primitive.attributes().len() > 0) {
            if values.is_exhausted() {
                return sources;
            }
            if let Some(part) = read_part(node, &mesh, &primitive, (place as u32, skin), rig, values) {
                let shares = positions_of(&primitive).is_some_and(|accessor| shared.contains(&accessor));
                rig.parts.push(kept_of(part, shares, wanted, values));
                sources.push(PartSource { node: index, primitive: primitive.index() });
            }
        }
    }
    sources
}

/// The accessors that are the positions of several of a mesh's primitives.
fn shared_positions(mesh: &gltf::Mesh<'_>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    mesh.primitives()
        .filter_map(|primitive| positions_of(&primitive))
        .filter(|&accessor| !seen.insert(accessor))
        .collect()
}

fn positions_of(primitive: &gltf::Primitive<'_>) -> Option<usize> {
    primitive.get(&gltf::Semantic::Positions).map(|accessor| accessor.index())
}

/// What is kept of a part that has been read, and maybe `shares` its vertices with others.
fn kept_of(part: BodyPart, shares: bool, wanted: Wanted, values: &mut Values<'_, '_>) -> BodyPart {
    let before = bytes_of(&part);
    let kept = match wanted {
        Wanted::Motion if !shares => return part,
        Wanted::Motion => part.with_only(part.triangles.clone()).unwrap_or(part),
        Wanted::Rest => BodyPart { positions: part.morphed(&part.morph_weights), morph_targets: Vec::new(), ..part },
    };
    values.refund(before.saturating_sub(bytes_of(&kept)));
    kept
}

/// Bytes of what a part's vertices have, but for their weights.
fn bytes_of(part: &BodyPart) -> u64 {
    let of_target = |target: &MorphTarget| size_of_val(&*target.positions) + size_of_val(&*target.normals);
    let of_targets: usize = part.morph_targets.iter().map(of_target).sum();
    let of_vertices = size_of_val(&*part.positions) + size_of_val(&*part.normals) + size_of_val(&*part.texcoords);
    (of_targets + of_vertices + size_of_val(&*part.colours)) as u64
}

fn read_part(
    node: &gltf::Node<'_>,
    mesh: &gltf::Mesh<'_>,
    primitive: &gltf::Primitive<'_>,
    (place, skin): (u32, Option<u32>),
    rig: &Rig,
    values: &mut Values<'_, '_>,
) -> Option<BodyPart> {
    let title = mesh.name().map_or(String::new(), |name| format!(" {name:?}"));
    let where_it_is = format!("meshes[{}]{title}.primitives[{}]", mesh.index(), primitive.index());
    let joints = skin.and_then(|skin| rig.skins.get(skin as usize)).map_or(0, |skin| skin.joints.len());
    let skinned = joints > 0 && primitive.get(&gltf::Semantic::Joints(0)).is_some();
    values.charge(PART_BYTES, &where_it_is)?;
    let surface = Surface::read(primitive, if skinned { joints } else { 0 }, &where_it_is, values)?;
    let mut morph_weights = node.weights().or(mesh.weights()).map_or(Vec::new(), <[f32]>::to_vec);
    morph_weights.resize(surface.morph_targets.len(), 0.0);
    let name = node.name().or(mesh.name()).map_or_else(|| format!("mesh {}", mesh.index()), str::to_owned);
    Some(BodyPart {
        name,
        node: place,
        skin: skin.filter(|_| skinned),
        positions: surface.positions,
        normals: surface.normals,
        texcoords: surface.texcoords,
        colours: surface.colours,
        triangles: surface.triangles,
        weights: surface.weights,
        morph_targets: surface.morph_targets,
        morph_weights,
        material: primitive.material().index().map(|index| index as u32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_rotation_and_scale_are_decomposed_mirrored_or_not() {
        for scale in [DVec3::new(2.0, 0.5, 1.0), DVec3::new(-1.0, 3.0, 1.0)] {
            let rotation = DQuat::from_xyzw(0.1, -0.5, 0.2, 0.8).normalize();
            let affine = DAffine3::from_scale_rotation_translation(scale, rotation, DVec3::ONE);
            let (translation, turn, size, exact) = parts(affine);
            let again = DAffine3::from_scale_rotation_translation(size, turn, translation);
            assert!(exact && again.abs_diff_eq(affine, 1.0e-12));
        }
    }

    #[test]
    fn sheared_and_flat_matrices_stay_matrices() {
        let mut affine = DAffine3::IDENTITY;
        affine.matrix3.y_axis.x = 0.5;
        assert!(!parts(affine).3);
        assert!(!parts(DAffine3::from_scale(DVec3::ZERO)).3);
    }
}
