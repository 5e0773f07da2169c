//! A clean document -> [`Garment`]: every triangle primitive at rest, in world space.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use gltf::Semantic;
use gltf::accessor::DataType;

use super::error::GltfError;
use super::format::dimensions_name;
use super::rig::{self, PartSource, Wanted};
use super::sanitise::Clean;
use super::values::{Values, to_numbers};
use crate::geometry::{DAffine3, DVec3};
use crate::import::garment::origin_for;
use crate::import::obj::MAX_COORDINATE;
use crate::import::{
    Appearance, BodyPart, FileFrame, Garment, GarmentSkin, GarmentSource, GltfPrimitive, GltfSource, Group, Polygons,
    RawAttribute, Rig, SkinWeights, VertexAttribute,
};

/// Reads a garment.
pub(super) fn read(
    clean: &Clean<'_>,
    appearance: Appearance,
    values: &mut Values<'_, '_>,
    name: &str,
    frame: FileFrame,
) -> Result<Garment, GltfError> {
    let (rig, sources) = rig::read(clean, appearance, values, name, Wanted::Rest)?;
    let mut work = Assembly::new(&rig);
    for (part, &source) in rig.parts.iter().zip(&sources) {
        work.add(part, source, clean, values);
    }
    work.check_places(values);
    values.faults.check()?;
    let (mut garment, primitives) = work.finish(name, frame, values);
    garment.source = GarmentSource::Gltf(GltfSource { primitives, appearance: rig.appearance });
    Ok(garment)
}

/// A garment while its parts come in.
struct Assembly<'r> {
    rig: &'r Rig,
    worlds: Vec<DAffine3>,
    /// Per skin, mesh space to world at rest.
    skins: Vec<Vec<DAffine3>>,
    positions: Vec<DVec3>,
    polygons: Polygons,
    primitives: Vec<GltfPrimitive>,
    groups: Vec<(String, Vec<u32>)>,
    group_numbers: BTreeMap<String, usize>,
    attributes: BTreeMap<String, Vec<f32>>,
    weights: SkinWeights,
    /// Vertices by node and accessors: primitives that share these share vertices.
    shared: BTreeMap<(usize, Vec<usize>), Range<u32>>,
}

impl<'r> Assembly<'r> {
    fn new(rig: &'r Rig) -> Assembly<'r> {
        let worlds = rig.rest_worlds();
        Assembly {
            rig,
            skins: rig.skins.iter().map(|skin| rig.skin_matrices(skin, &worlds)).collect(),
            worlds,
            positions: Vec::new(),
            polygons: Polygons::default(),
            primitives: Vec::new(),
            groups: Vec::new(),
            group_numbers: BTreeMap::new(),
            attributes: BTreeMap::new(),
            weights: SkinWeights { starts: vec![0], ..SkinWeights::default() },
            shared: BTreeMap::new(),
        }
    }

    fn add(&mut self, part: &BodyPart, source: PartSource, clean: &Clean<'_>, values: &mut Values<'_, '_>) {
        let Some(node) = clean.document.nodes().nth(source.node) else { return };
        let Some(mesh) = node.mesh() else { return };
        let Some(primitive) = mesh.primitives().nth(source.primitive) else { return };
        let key = (source.node, shaping_accessors(&primitive));
        let vertices = self.shared.get(&key).cloned().unwrap_or_else(|| self.add_vertices(part));
        self.shared.insert(key, vertices.clone());
        let polygons = self.add_triangles(part, &vertices, self.rig.is_mirrored(part, &self.worlds));
        let material = part.material.and_then(|index| self.rig.appearance.materials.get(index as usize));
        let material = material.and_then(|material| material.get("name")).and_then(|name| name.as_str());
        let names: BTreeSet<&str> = [node.name(), mesh.name(), material].into_iter().flatten().collect();
        for name in names {
            self.add_to_group(name, &polygons);
        }
        let attributes = self.read_attributes(&primitive, &vertices, values);
        let name = part.name.clone();
        let extras = [(0, source.node), (1, mesh.index())].map(|(list, index)| clean.extras[list].get(&index).cloned());
        self.primitives.push(GltfPrimitive {
            node: source.node as u32,
            name,
            mesh_name: mesh.name().map(str::to_owned),
            extras,
            material: part.material,
            vertices,
            polygons,
            attributes,
        });
    }

    fn add_vertices(&mut self, part: &BodyPart) -> Range<u32> {
        let start = self.positions.len() as u32;
        self.add_positions(part);
        let first_joint = self.first_joint(part);
        for vertex in 0..part.positions.len() {
            if part.skin.is_some() {
                for (joint, weight) in part.weights.of(vertex) {
                    self.weights.joints.push((first_joint + joint).min(usize::from(u16::MAX)) as u16);
                    self.weights.weights.push(weight);
                }
            }
            self.weights.starts.push(self.weights.joints.len() as u32);
        }
        start..self.positions.len() as u32
    }

    /// Vertices at rest in the world, by linear blend skinning; see `body` for posed ones.
    fn add_positions(&mut self, part: &BodyPart) {
        let node = self.worlds.get(part.node as usize).copied().unwrap_or(DAffine3::IDENTITY);
        let skin = part.skin.and_then(|skin| self.skins.get(skin as usize));
        for (vertex, position) in part.positions.iter().enumerate() {
            let position = position.as_dvec3();
            let moved = |(joint, weight): (usize, f32)| {
                let matrix = skin.and_then(|skin| skin.get(joint)).copied().unwrap_or(node);
                matrix.transform_point3(position) * f64::from(weight)
            };
            let position = match skin {
                Some(_) => part.weights.of(vertex).map(moved).sum::<DVec3>(),
                None => node.transform_point3(position),
            };
            self.positions.push(position);
        }
    }

    /// Matrices may take a vertex anywhere; one fault a primitive.
    fn check_places(&self, values: &mut Values<'_, '_>) {
        let is_near = |p: &DVec3| p.abs().max_element() <= f64::from(MAX_COORDINATE);
        for primitive in &self.primitives {
            let range = primitive.vertices.start as usize..primitive.vertices.end as usize;
            let places = self.positions.get(range).unwrap_or_default();
            if let Some((vertex, place)) = places.iter().enumerate().find(|(_, place)| !is_near(place)) {
                let expected =
                    format_args!("coordinates up to {MAX_COORDINATE:e}: look at its nodes' matrices and scales");
                values.faults.push(
                    format_args!("mesh {:?}", primitive.name),
                    format_args!("vertex {vertex} at {place:?} in the scene"),
                    expected,
                );
            }
        }
    }

    /// Number of joints of all skins before the part's.
    fn first_joint(&self, part: &BodyPart) -> usize {
        self.rig.skins.iter().take(part.skin.unwrap_or(0) as usize).map(|skin| skin.joints.len()).sum()
    }

    fn add_triangles(&mut self, part: &BodyPart, vertices: &Range<u32>, mirrored: bool) -> Range<u32> {
        let start = self.polygons.len() as u32;
        for &[a, b, c] in &part.triangles {
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            self.polygons.push(&[a, b, c].map(|corner| corner + vertices.start));
        }
        start..self.polygons.len() as u32
    }

    fn add_to_group(&mut self, name: &str, polygons: &Range<u32>) {
        let next = self.groups.len();
        let number = *self.group_numbers.entry(name.to_owned()).or_insert(next);
        if number == next {
            self.groups.push((name.to_owned(), Vec::new()));
        }
        if let Some((_, members)) = self.groups.get_mut(number) {
            members.extend(polygons.clone());
        }
    }

    /// Attributes that are written back as they are; colours and custom ones can also be selected by.
    fn read_attributes(
        &mut self,
        primitive: &gltf::Primitive<'_>,
        vertices: &Range<u32>,
        values: &mut Values<'_, '_>,
    ) -> Vec<RawAttribute> {
        let mut attributes = Vec::new();
        for (semantic, accessor) in primitive.attributes() {
            if matches!(semantic, Semantic::Positions | Semantic::Normals | Semantic::Joints(_) | Semantic::Weights(_))
            {
                continue;
            }
            let semantic = semantic.to_string();
            let Some((accessor, bytes)) = values.packed(accessor.index(), &format!("{semantic:?}")) else { continue };
            if semantic == "COLOR_0" || semantic.starts_with('_') {
                let numbers = to_numbers(&bytes, accessor.data, accessor.normalized);
                let first = numbers.into_iter().step_by(accessor.dimensions.multiplicity());
                self.set_attribute(&semantic, vertices, first);
            }
            let element_type = dimensions_name(accessor.dimensions).to_owned();
            let (data, normalized, bytes) = if needs_quantization(&semantic, accessor.data, accessor.normalized) {
                let numbers = to_numbers(&bytes, accessor.data, accessor.normalized);
                (DataType::F32, false, numbers.into_iter().flat_map(f32::to_le_bytes).collect())
            } else {
                (accessor.data, accessor.normalized, pad_elements(bytes, accessor.element_size()))
            };
            let component_type = data.as_gl_enum();
            attributes.push(RawAttribute { semantic, component_type, element_type, normalized, bytes });
        }
        attributes
    }

    fn set_attribute(&mut self, name: &str, vertices: &Range<u32>, numbers: impl Iterator<Item = f32>) {
        let all = self.attributes.entry(name.to_owned()).or_default();
        all.resize(self.positions.len().max(all.len()), 0.0);
        for (slot, number) in all.iter_mut().skip(vertices.start as usize).zip(numbers) {
            *slot = number;
        }
    }

    /// The garment without its source, and the primitives that belong there.
    fn finish(self, name: &str, frame: FileFrame, values: &mut Values<'_, '_>) -> (Garment, Vec<GltfPrimitive>) {
        let count = self.positions.len();
        let metres = |position: &DVec3| frame.to_metres_far(*position);
        let origin = origin_for(&self.polygons, |vertex| metres(&self.positions[vertex]));
        let attributes = self.attributes.into_iter().map(|(name, mut values)| {
            values.resize(count, 0.0);
            VertexAttribute { name, values }
        });
        let joints = self.rig.skins.iter().flat_map(|skin| &skin.joints);
        let names =
            joints.map(|&joint| self.rig.nodes.get(joint as usize).map_or(String::new(), |node| node.name.clone()));
        let joint_names: Vec<String> = names.collect();
        let skinned = !joint_names.is_empty() && joint_names.len() <= usize::from(u16::MAX);
        let mut notices = self.rig.notices.clone();
        notices.append(&mut values.notices);
        let garment = Garment {
            name: name.to_owned(),
            positions: self.positions.iter().map(|position| (metres(position) - origin).as_vec3()).collect(),
            origin,
            polygons: self.polygons,
            groups: self.groups.into_iter().map(|(name, polygons)| Group { name, polygons }).collect(),
            attributes: attributes.collect(),
            skin: skinned.then_some(GarmentSkin { joint_names, weights: self.weights }),
            frame,
            source: GarmentSource::Gltf(GltfSource::default()),
            notices,
        };
        (garment, self.primitives)
    }
}

/// Whether only `KHR_mesh_quantization` lets an attribute have such numbers.
fn needs_quantization(semantic: &str, data: DataType, normalized: bool) -> bool {
    let is_core = match data {
        DataType::F32 => true,
        DataType::U8 | DataType::U16 => normalized,
        _ => false,
    };
    semantic.starts_with("TEXCOORD_") && !is_core
}

/// The accessors that decide where a primitive's vertices are.
fn shaping_accessors(primitive: &gltf::Primitive<'_>) -> Vec<usize> {
    let shaping =
        |semantic: &Semantic| matches!(semantic, Semantic::Positions | Semantic::Joints(_) | Semantic::Weights(_));
    let attributes =
        primitive.attributes().filter(|(semantic, _)| shaping(semantic)).map(|(_, accessor)| accessor.index());
    let targets = primitive.morph_targets().filter_map(|target| Some(target.positions()?.index()));
    attributes.chain(targets).collect()
}

/// Pads every element of `size` bytes to a multiple of four.
fn pad_elements(bytes: Vec<u8>, size: usize) -> Vec<u8> {
    let padded = size.next_multiple_of(4);
    if padded == size {
        return bytes;
    }
    let mut wide = Vec::with_capacity(bytes.len() / size * padded);
    for element in bytes.chunks_exact(size) {
        wide.extend_from_slice(element);
        wide.resize(wide.len() + padded - size, 0);
    }
    wide
}
