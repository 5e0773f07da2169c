//! A garment and a rigged body in one document: what the nodes, skins and tracks become.

use std::path::Path;

use gltf::animation::Property;

use super::super::bending_body::{bend, bending_body};
use super::super::fixtures::{Scene, pc2_of, skirt};
use super::super::staging::{commit, stage};
use super::super::{Bake, Output, Overwrite, write};
use super::body::RigMotion;
use super::container;
use super::document::Document;
use super::layout::Layout;
use super::moving_mesh::MovingMesh;
use crate::body::Body;
use crate::geometry::{DAffine3, DVec3, Vec3};
use crate::import::{BodyAsset, FileFrame, MeshSequence, Rig};

/// The body's motion at the frames of the scene: joints bend, the post bulges.
fn motion<'a>(rig: &'a Rig, scene: &Scene) -> RigMotion<'a> {
    let seconds = |index: usize| scene.cache.timeline.clip_seconds(index);
    let placement = |frame: usize, node: usize| {
        let rest = &rig.nodes[node];
        let rotation = if node >= 2 { bend(seconds(frame)) } else { rest.rotation };
        // The sign of a quaternion means nothing and must not matter.
        let rotation = if frame.is_multiple_of(3) { -rotation } else { rotation };
        (rest.translation, rotation, rest.scale)
    };
    let frames = 0..scene.cache.frames.len();
    let nodes = frames.clone().map(|f| (0..rig.nodes.len()).map(|n| placement(f, n)).collect()).collect();
    let bulge = frames.map(|frame| vec![0.5 - 0.5 * libm::cos(3.0 * seconds(frame)) as f32]).collect();
    RigMotion { rig, nodes, morphs: vec![bulge, vec![Vec::new(); scene.cache.frames.len()]] }
}

/// Writes `NAME.glb` with skirt and body, the skirt as `NAME.pc2` and the body's post as `NAME.body.pc2`.
pub(in super::super) fn write_dressed_sample(path: &Path) {
    let (scene, rig) = (skirt(40, 64, 60, FileFrame::default()), bending_body());
    let motion = motion(&rig, &scene);
    write_dressed(path, &scene, &motion);
    let pc2 = Output::parse(path.with_extension("pc2")).expect("a format");
    write(&[pc2], &scene.bake(), Overwrite::Allow).expect("written");
    std::fs::write(path.with_extension("body.pc2"), pc2_of(&skinned(&motion))).expect("written");
}

fn write_dressed(path: &Path, scene: &Scene, motion: &RigMotion<'_>) {
    let layout = Layout::of_garment(&scene.garment);
    let garment = MovingMesh::of_garment(&scene.bake(), &layout);
    let mut document = Document::new("walk");
    garment.add_to(&mut document, &scene.cache.timeline);
    let times: Vec<f32> = (0..60).map(|index| scene.cache.timeline.output_seconds(index) as f32).collect();
    motion.add_to(&mut document, &times);
    let staged = stage(path, path, |sink| container::write_glb(&document, &scene.bake(), path, sink)).expect("staged");
    commit(vec![staged], Overwrite::Allow).expect("written");
}

/// The post by linear blend skinning, world space.
fn skinned(motion: &RigMotion<'_>) -> Vec<Vec<Vec3>> {
    let (rig, post) = (motion.rig, &motion.rig.parts[0]);
    let frame = |index: usize| {
        let mut world: Vec<DAffine3> = Vec::new();
        for (node, &(translation, rotation, scale)) in rig.nodes.iter().zip(&motion.nodes[index]) {
            let local = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
            world.push(node.parent.map_or(local, |parent| world[parent as usize] * local));
        }
        let bulge = motion.morphs[0][index][0];
        let vertex = |v: usize| {
            let p = (post.positions[v] + post.morph_targets[0].positions[v] * bulge).as_dvec3();
            let skin = &rig.skins[0];
            let blended = post.weights.of(v).fold(DVec3::ZERO, |sum, (joint, weight)| {
                let matrix = world[skin.joints[joint] as usize] * skin.inverse_bind[joint];
                sum + matrix.transform_point3(p) * f64::from(weight)
            });
            blended.as_vec3()
        };
        (0..post.positions.len()).map(vertex).collect()
    };
    (0..motion.nodes.len()).map(frame).collect()
}

#[test]
fn body_and_garment_move_in_one_animation_and_still_nodes_have_no_track() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dressed.glb");
    write_dressed_sample(&path);
    let glb = gltf::Gltf::open(&path).expect("a valid glTF");
    let animations: Vec<_> = glb.animations().collect();
    assert_eq!(animations.len(), 1);
    assert_eq!(animations[0].name(), Some("walk"));
    let tracks: Vec<_> = animations[0]
        .channels()
        .map(|c| (c.target().node().name().unwrap_or_default().to_owned(), c.target().property()))
        .collect();
    assert_eq!(tracks[0], ("skirt".to_owned(), Property::MorphTargetWeights));
    assert_eq!(tracks[1], ("Post".to_owned(), Property::MorphTargetWeights));
    let joints: Vec<_> = (0..6).map(|joint| (format!("joint{joint}"), Property::Rotation)).collect();
    assert_eq!(tracks[2..], joints);
}

#[test]
fn a_skinned_mesh_stands_in_the_scene_and_a_rigid_one_on_its_joint() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dressed.glb");
    write_dressed_sample(&path);
    let glb = gltf::Gltf::open(&path).expect("a valid glTF");
    let roots: Vec<_> = glb.scenes().flat_map(|s| s.nodes()).map(|n| n.name().unwrap_or_default().to_owned()).collect();
    assert_eq!(roots, ["skirt", "Post", "Armature"]);
    let node = |name: &str| glb.nodes().find(|node| node.name() == Some(name)).expect("a node");
    assert!(node("Post").skin().is_some());
    assert!(node("joint5").mesh().is_some_and(|mesh| mesh.name() == Some("Box")));
    assert_eq!(node("Armature").children().count(), 1);
    let post = node("Post").mesh().expect("a mesh").primitives().next().expect("a primitive");
    assert!(post.get(&gltf::Semantic::Weights(1)).is_some(), "six influences need two sets");
}

/// The skirt with a body, written by the front door; names of the nodes and of the properties they move.
fn dressed_in(body: BodyAsset) -> (Vec<String>, Vec<(String, Property)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Output::parse(folder.path().join("dressed.gltf")).expect("a format");
    let (scene, body) = (skirt(2, 4, 10, FileFrame::default()), Body::new(body, None).expect("a body"));
    let bake = Bake { body: Some(&body), clip: body.clip_name(), ..scene.bake() };
    let files = write(&[output], &bake, Overwrite::Refuse).expect("written");
    let gltf = gltf::Gltf::open(&files[1].path).expect("a valid glTF");
    let name = |node: gltf::Node<'_>| node.name().unwrap_or_default().to_owned();
    let tracks = gltf.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>());
    (gltf.nodes().map(name).collect(), tracks.map(|c| (name(c.target().node()), c.target().property())).collect())
}

#[test]
fn a_rigged_body_brings_the_tracks_of_its_clip() {
    let (_, tracks) = dressed_in(BodyAsset::Rig(bending_body()));
    let expected = [("skirt", Property::MorphTargetWeights), ("joint0", Property::Rotation)];
    assert_eq!(tracks, expected.map(|(name, property)| (name.to_owned(), property)));
}

#[test]
fn a_body_that_is_a_sequence_of_meshes_is_morphed_like_the_garment() {
    let frame = |lift: f32| vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, lift, 0.0)];
    let sequence = MeshSequence {
        name: "dancer".to_owned(),
        triangles: vec![[0, 1, 2]],
        first_frame: 0,
        frames: (0..10_u8).map(|i| frame(1.0 + f32::from(i))).collect(),
        ..MeshSequence::default()
    };
    let (nodes, tracks) = dressed_in(BodyAsset::Sequence(sequence));
    assert_eq!(nodes, ["skirt", "dancer"]);
    assert_eq!(tracks[1], ("dancer".to_owned(), Property::MorphTargetWeights));
}
