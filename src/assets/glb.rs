//! The mannequin as a binary glTF file: one skinned mesh, its skeleton, its clips.
//!
//! Nodes 0 to 21 are the joints in the order of [`Joint`], node 22 holds the mesh.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gltf_json as json;
use json::Index;
use json::accessor::{ComponentType, Type};
use json::animation::{Channel, Interpolation, Property, Sampler, Target};
use json::buffer::Target as ViewTarget;
use json::mesh::{Mode, Semantic};
use json::validation::Checked::Valid;
use json::validation::USize64;

use super::AssetError;
use super::accessor::{Data, components};
use super::motion::Motion;
use super::skeleton::{JOINTS, Joint, Skeleton};
use super::skinning::Influences;
use super::surface::Surface;
use crate::geometry::{DQuat, DVec3};

/// What the file holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mannequin<'a> {
    /// Skin in bind pose.
    pub(super) surface: &'a Surface,
    /// Unit normals, one a vertex.
    pub(super) normals: &'a [DVec3],
    /// Influences, one a vertex.
    pub(super) weights: &'a [Influences],
    /// Joints in bind pose.
    pub(super) skeleton: &'a Skeleton,
    /// Clips.
    pub(super) motions: &'a [Motion],
}

/// The bytes of the file.
///
/// # Errors
/// When the JSON part cannot be serialised.
pub(super) fn encode(mannequin: &Mannequin) -> Result<Vec<u8>, AssetError> {
    let mut document = Document::default();
    document.add_joints(mannequin.skeleton);
    document.add_mesh(mannequin);
    for motion in mannequin.motions {
        document.add_clip(motion, mannequin.skeleton);
    }
    document.finish()
}

/// A document under construction: the JSON and the binary chunk it points into.
#[derive(Default)]
struct Document {
    root: json::Root,
    binary: Vec<u8>,
}

impl Document {
    fn add_joints(&mut self, skeleton: &Skeleton) {
        for (index, rest) in skeleton.joints.iter().enumerate() {
            let children: Vec<_> = (0..JOINTS as u32)
                .filter(|&child| skeleton.joints[child as usize].parent.is_some_and(|p| p as usize == index))
                .map(Index::new)
                .collect();
            let translation = (index > 0).then(|| skeleton.offset(index).as_vec3().to_array());
            let children = (!children.is_empty()).then_some(children);
            self.root.nodes.push(json::Node { children, translation, name: Some(rest.name.into()), ..node() });
        }
        let inverse_bind = skeleton.joints.iter().flat_map(|rest| {
            let [x, y, z] = (-rest.position).as_vec3().to_array();
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
        });
        let matrices = self.accessor(Data::floats(inverse_bind, Type::Mat4, None));
        self.root.skins.push(json::Skin {
            extensions: None,
            extras: None,
            inverse_bind_matrices: Some(matrices),
            joints: (0..JOINTS as u32).map(Index::new).collect(),
            name: Some("mannequin".into()),
            skeleton: Some(Index::new(Joint::Root as u32)),
        });
    }

    fn add_mesh(&mut self, mannequin: &Mannequin) {
        let primitive = self.primitive(mannequin);
        self.root.materials.push(grey());
        self.root.meshes.push(json::Mesh {
            extensions: None,
            extras: None,
            name: Some("mannequin".into()),
            primitives: vec![primitive],
            weights: None,
        });
        let (mesh, skin) = (Some(Index::new(0)), Some(Index::new(0)));
        self.root.nodes.push(json::Node { mesh, skin, name: Some("mannequin".into()), ..node() });
        self.root.scenes.push(json::Scene {
            extensions: None,
            extras: None,
            name: Some("walker".into()),
            nodes: vec![Index::new(Joint::Root as u32), Index::new(JOINTS as u32)],
        });
        self.root.scene = Some(Index::new(0));
    }

    fn primitive(&mut self, mannequin: &Mannequin) -> json::mesh::Primitive {
        let vertices = Some(ViewTarget::ArrayBuffer);
        let influences = || mannequin.weights.iter().flatten();
        let joints = influences().map(|&(joint, _)| joint).collect();
        let attributes = BTreeMap::from([
            (Valid(Semantic::Positions), self.accessor(Data::points(&mannequin.surface.positions))),
            (
                Valid(Semantic::Normals),
                self.accessor(Data::floats(components(mannequin.normals), Type::Vec3, vertices)),
            ),
            (Valid(Semantic::Joints(0)), self.accessor(Data::bytes(joints, ComponentType::U8, Type::Vec4, vertices))),
            (
                Valid(Semantic::Weights(0)),
                self.accessor(Data::floats(influences().map(|&(_, weight)| weight), Type::Vec4, vertices)),
            ),
        ]);
        let corners = mannequin.surface.triangles.iter().flatten();
        let indices = corners.flat_map(|&corner| (corner as u16).to_le_bytes()).collect();
        let elements = Some(ViewTarget::ElementArrayBuffer);
        json::mesh::Primitive {
            attributes,
            extensions: None,
            extras: None,
            indices: Some(self.accessor(Data::bytes(indices, ComponentType::U16, Type::Scalar, elements))),
            material: Some(Index::new(0)),
            mode: Valid(Mode::Triangles),
            targets: None,
        }
    }

    fn add_clip(&mut self, motion: &Motion, skeleton: &Skeleton) {
        let steps = (motion.poses.len() - 1) as f64;
        let times: Vec<f32> = (0..motion.poses.len()).map(|k| (k as f64 * motion.duration / steps) as f32).collect();
        let bounds = [vec![times[0]], vec![times[times.len() - 1]]];
        let times = self.accessor(Data { bounds: Some(bounds), ..Data::floats(times, Type::Scalar, None) });
        let mut clip = json::Animation {
            extensions: None,
            extras: None,
            channels: Vec::new(),
            name: Some(motion.name.into()),
            samplers: Vec::new(),
        };
        for joint in 1..JOINTS {
            let rotations: Vec<DQuat> =
                motion.poses.iter().map(|pose| skeleton.local_rotation(joint, pose.rotations[joint])).collect();
            let keys = continuous(&rotations).into_iter().flat_map(|q| q.as_quat().normalize().to_array());
            let keys = self.accessor(Data::floats(keys, Type::Vec4, None));
            add_channel(&mut clip, joint, Property::Rotation, times, keys);
        }
        let pelvis = Joint::Pelvis as usize;
        let places: Vec<DVec3> = motion.poses.iter().map(|pose| skeleton.offset(pelvis) + pose.pelvis_shift).collect();
        let keys = self.accessor(Data::floats(components(&places), Type::Vec3, None));
        add_channel(&mut clip, pelvis, Property::Translation, times, keys);
        self.root.animations.push(clip);
    }

    fn accessor(&mut self, data: Data) -> Index<json::Accessor> {
        let offset = self.binary.len();
        let length = data.bytes.len();
        self.binary.extend_from_slice(&data.bytes);
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let view = self.root.push(json::buffer::View {
            buffer: Index::new(0),
            byte_length: USize64::from(length),
            byte_offset: Some(USize64::from(offset)),
            byte_stride: None,
            name: None,
            target: data.target.map(Valid),
            extensions: None,
            extras: None,
        });
        self.root.push(data.accessor(view))
    }

    fn finish(mut self) -> Result<Vec<u8>, AssetError> {
        self.root.asset.generator = Some("toile".into());
        self.root.buffers.push(json::Buffer {
            byte_length: USize64::from(self.binary.len()),
            name: None,
            uri: None,
            extensions: None,
            extras: None,
        });
        let header = gltf::binary::Header { magic: *b"glTF", version: 2, length: 0 };
        let json = Cow::Owned(json::serialize::to_vec(&self.root)?);
        let glb = gltf::Glb { header, json, bin: Some(Cow::Owned(self.binary)) };
        Ok(glb.to_vec()?)
    }
}

/// The same rotations, each on the hemisphere of the one before, so that players that do not check turn the short way.
fn continuous(rotations: &[DQuat]) -> Vec<DQuat> {
    let mut all: Vec<DQuat> = Vec::with_capacity(rotations.len());
    for &q in rotations {
        let flipped = all.last().is_some_and(|before| before.dot(q) < 0.0);
        all.push(if flipped { -q } else { q });
    }
    all
}

fn add_channel(
    clip: &mut json::Animation,
    joint: usize,
    path: Property,
    input: Index<json::Accessor>,
    output: Index<json::Accessor>,
) {
    let sampler = Index::new(clip.samplers.len() as u32);
    let interpolation = Valid(Interpolation::Linear);
    clip.samplers.push(Sampler { extensions: None, extras: None, input, interpolation, output });
    let target = Target { extensions: None, extras: None, node: Index::new(joint as u32), path: Valid(path) };
    clip.channels.push(Channel { sampler, target, extensions: None, extras: None });
}

fn node() -> json::Node {
    json::Node { name: None, ..json::Node::default() }
}

fn grey() -> json::Material {
    json::Material {
        name: Some("mannequin".into()),
        pbr_metallic_roughness: json::material::PbrMetallicRoughness {
            base_color_factor: json::material::PbrBaseColorFactor([0.55, 0.54, 0.52, 1.0]),
            metallic_factor: json::material::StrengthFactor(0.0),
            roughness_factor: json::material::StrengthFactor(0.7),
            ..Default::default()
        },
        ..Default::default()
    }
}
