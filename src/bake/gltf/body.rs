//! The body beside the garment: nodes, skins, meshes and their motion, resampled at the frames of the bake.
//!
//! A mesh with a skin stands directly in the scene, because glTF takes its place from the joints alone and importers
//! warn about skinned meshes under other nodes. A body that is an OBJ sequence is written like the garment.

use gltf_json as json;
use json::Index;
use json::animation::Property;
use json::scene::{Node, UnitQuaternion};

use super::appearance::{add_appearance, body_material};
use super::body_mesh::{PartGroup, push_part_mesh, push_skin};
use super::document::Document;
use super::layout::{Block, Layout, MeshLayout, PrimitiveLayout};
use super::moving_mesh::MovingMesh;
use super::tracks::{continuous, push_sampled_track};
use crate::body::{Body, Moment};
use crate::geometry::{DMat4, DQuat, DVec3, Vec3};
use crate::import::{Appearance, Rig};
use crate::simulate::Timeline;

/// Translation, rotation and scale of a node.
pub(super) type Placement = (DVec3, DQuat, DVec3);

/// A rig and its motion: every node and morph weight in every frame.
pub(super) struct RigMotion<'a> {
    pub(super) rig: &'a Rig,
    /// Local transforms of all nodes, a list a frame.
    pub(super) nodes: Vec<Vec<Placement>>,
    /// Morph weights of each part, a list a frame.
    pub(super) morphs: Vec<Vec<Vec<f32>>>,
}

impl<'a> RigMotion<'a> {
    /// The clip of `body` at the frames of the bake; nothing when the body is a sequence.
    pub(super) fn of(body: &'a Body, timeline: &Timeline) -> Option<RigMotion<'a>> {
        let rig = body.rig()?;
        let moments: Vec<Moment> = moments(timeline).collect();
        let nodes = moments.iter().map(|&moment| body.node_transforms_local(moment)).collect();
        let weights = |part| moments.iter().map(|&moment| body.morph_weights(part, moment)).collect();
        Some(RigMotion { rig, nodes, morphs: (0..rig.parts.len()).map(weights).collect() })
    }

    /// Adds the rig to the document. `times` are those of the frames, seconds.
    pub(super) fn add_to(&'a self, document: &mut Document<'a>, times: &[f32]) {
        let materials = add_appearance(document, &self.rig.appearance);
        let mut tree = NodeTree::push(document, self);
        let skins: Vec<_> = self.rig.skins.iter().map(|skin| push_skin(document, skin, &tree.nodes)).collect();
        let times = (times.len() > 1).then(|| document.push_times(times));
        for group in PartGroup::all(self.rig) {
            let part = &self.rig.parts[group.parts.start];
            let morphs = &self.morphs[group.parts.start];
            let mesh = push_part_mesh(document, self.rig, &group, materials, morphs.first());
            let node = match part.skin {
                Some(skin) => tree.push_skinned(document, part.node, mesh, skins[skin as usize]),
                None => tree.attach(document, part.node, mesh),
            };
            if let Some(times) = times
                && group.targets > 0
            {
                let weights = morphs.concat();
                push_sampled_track(document, node, Property::MorphTargetWeights, times, group.targets, &weights);
            }
        }
        tree.finish(document, self);
        if let Some(times) = times {
            self.push_node_tracks(document, &tree.nodes, times);
        }
    }

    fn push_node_tracks(
        &self,
        document: &mut Document<'_>,
        nodes: &[Index<Node>],
        times: Index<json::accessor::Accessor>,
    ) {
        for (i, &node) in nodes.iter().enumerate() {
            if self.rig.nodes[i].matrix.is_some() || document.root.nodes[node.value()].skin.is_some() {
                continue;
            }
            let frames = || self.nodes.iter().map(move |frame| frame[i]);
            let translations: Vec<f32> = frames().flat_map(|(t, _, _)| t.as_vec3().to_array()).collect();
            let rotations = continuous(frames().map(|(_, r, _)| quaternion(r)));
            let scales: Vec<f32> = frames().flat_map(|(_, _, s)| s.as_vec3().to_array()).collect();
            push_sampled_track(document, node, Property::Translation, times, 3, &translations);
            push_sampled_track(document, node, Property::Rotation, times, 4, &rotations);
            push_sampled_track(document, node, Property::Scale, times, 3, &scales);
        }
    }
}

/// The nodes of a rig in the document. Children are entered last, when it is known which meshes have left the tree.
struct NodeTree {
    nodes: Vec<Index<Node>>,
    /// Nodes under each node.
    children: Vec<Vec<Index<Node>>>,
    /// Nodes that hang on a parent of the rig or on none, with that parent.
    parents: Vec<Option<usize>>,
    /// Whether the node stands in the scene by itself.
    is_free: Vec<bool>,
    is_joint: Vec<bool>,
}

impl NodeTree {
    fn push(document: &mut Document<'_>, motion: &RigMotion<'_>) -> NodeTree {
        let rig = motion.rig;
        let place = |i: usize| motion.nodes.first().map(|frame| frame[i]);
        let nodes = (0..rig.nodes.len()).map(|i| document.root.push(node(rig, i, place(i)))).collect();
        let parents: Vec<Option<usize>> = rig.nodes.iter().map(|node| node.parent.map(|p| p as usize)).collect();
        let mut is_joint = vec![false; rig.nodes.len()];
        for &joint in rig.skins.iter().flat_map(|skin| &skin.joints) {
            is_joint[joint as usize] = true;
        }
        let count = rig.nodes.len();
        NodeTree { nodes, children: vec![Vec::new(); count], parents, is_free: vec![false; count], is_joint }
    }

    /// Puts a skinned mesh into the scene: on its own node when that carries nothing else, without its transform.
    fn push_skinned(
        &mut self,
        document: &mut Document<'_>,
        node: u32,
        mesh: Index<json::Mesh>,
        skin: Index<json::Skin>,
    ) -> Index<Node> {
        let i = node as usize;
        let own = &document.root.nodes[self.nodes[i].value()];
        let name = own.name.clone();
        let carries_more = self.is_joint[i] || own.mesh.is_some() || self.parents.contains(&Some(i));
        let skinned = Node { mesh: Some(mesh), skin: Some(skin), name, ..Node::default() };
        if carries_more {
            return document.push_root_node(skinned);
        }
        self.is_free[i] = true;
        document.root.nodes[self.nodes[i].value()] = skinned;
        document.show(self.nodes[i]);
        self.nodes[i]
    }

    /// Puts a rigid mesh on its node, on a child when the node has a mesh already.
    fn attach(&mut self, document: &mut Document<'_>, node: u32, mesh: Index<json::Mesh>) -> Index<Node> {
        let i = node as usize;
        let own = &mut document.root.nodes[self.nodes[i].value()];
        if own.mesh.is_none() && !self.is_free[i] {
            own.mesh = Some(mesh);
            return self.nodes[i];
        }
        let name = own.name.clone();
        let child = document.root.push(Node { mesh: Some(mesh), name, ..Node::default() });
        self.children[i].push(child);
        child
    }

    /// Enters children, and the roots into the scene: under one node when there are several, since the joints of a skin
    /// need a common root.
    fn finish(&mut self, document: &mut Document<'_>, motion: &RigMotion<'_>) {
        let mut roots = Vec::new();
        for (i, parent) in self.parents.iter().enumerate().filter(|(i, _)| !self.is_free[*i]) {
            match parent {
                Some(parent) => self.children[*parent].push(self.nodes[i]),
                None => roots.push(self.nodes[i]),
            }
        }
        for (node, children) in self.nodes.iter().zip(&mut self.children) {
            let children = std::mem::take(children);
            document.root.nodes[node.value()].children = (!children.is_empty()).then_some(children);
        }
        match roots.as_slice() {
            [] => {}
            [root] => document.show(*root),
            _ => {
                let name = Some(motion.rig.name.clone());
                document.push_root_node(Node { name, children: Some(roots), ..Node::default() });
            }
        }
    }
}

/// A node with its transform in the first frame.
fn node(rig: &Rig, index: usize, placement: Option<Placement>) -> Node {
    let source = &rig.nodes[index];
    let name = Some(source.name.clone());
    if let Some(matrix) = source.matrix {
        let columns = DMat4::from(matrix).as_mat4().to_cols_array();
        return Node { name, matrix: Some(columns), ..Node::default() };
    }
    let rest = (source.translation, source.rotation, source.scale);
    let (translation, rotation, scale) = placement.unwrap_or(rest);
    let differs = |v: DVec3, neutral: DVec3| (v != neutral).then(|| v.as_vec3().to_array());
    Node {
        name,
        translation: differs(translation, DVec3::ZERO),
        rotation: (rotation != DQuat::IDENTITY).then(|| UnitQuaternion(quaternion(rotation))),
        scale: differs(scale, DVec3::ONE),
        ..Node::default()
    }
}

/// Unit quaternion (x, y, z, w).
fn quaternion(rotation: DQuat) -> [f32; 4] {
    rotation.normalize().to_array().map(|component| component as f32)
}

/// A body that is an OBJ sequence, posed at every frame of the bake.
pub(super) struct SequenceMesh {
    layout: Layout,
    frames: Vec<Vec<Vec3>>,
}

impl SequenceMesh {
    /// Poses `body`.
    pub(super) fn of(body: &Body, timeline: &Timeline) -> SequenceMesh {
        let frames = moments(timeline).map(|moment| {
            let mut positions = Vec::new();
            body.pose(moment, &mut positions);
            positions
        });
        let block = Block { vertices: (0..body.vertex_count() as u32).collect(), attributes: Vec::new() };
        let primitive = PrimitiveLayout { block: 0, triangles: body.triangles().to_vec(), material: Some(0) };
        let name = body.joint_names().first().map_or("body", String::as_str);
        let mesh = MeshLayout { name: name.to_owned(), primitives: vec![primitive], ..MeshLayout::default() };
        let appearance = Appearance { materials: vec![body_material()], ..Appearance::default() };
        SequenceMesh {
            layout: Layout { blocks: vec![block], meshes: vec![mesh], appearance },
            frames: frames.collect(),
        }
    }

    /// The mesh with its points.
    pub(super) fn moving(&self) -> MovingMesh<'_> {
        MovingMesh::new(&self.layout, &self.frames, |vertex| vertex)
    }
}

/// Moments of the body's clip that the frames show.
fn moments(timeline: &Timeline) -> impl Iterator<Item = Moment> {
    (0..timeline.len()).map(|index| Moment::At(timeline.clip_seconds(index)))
}
