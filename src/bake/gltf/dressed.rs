//! A garment and a rigged body in one document: what the nodes, skins and tracks become.

use std::path::Path;

use gltf::animation::Property;

use super::super::fixtures::{Scene, bend, bending_body, skirt};
use super::super::staging::{commit, stage};
use super::super::{Output, Overwrite};
use super::body::RigMotion;
use super::container;
use super::document::Document;
use super::layout::Layout;
use super::moving_mesh::MovingMesh;
use crate::geometry::{DAffine3, DVec3, Vec3};
use crate::import::{FileFrame, Rig};

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
    super::super::write(&[pc2], &scene.bake(), Overwrite::Allow).expect("written");
    std::fs::write(path.with_extension("body.pc2"), pc2_of(&skinned(&motion))).expect("written");
}

fn write_dressed(path: &Path, scene: &Scene, motion: &RigMotion<'_>) {
    let layout = Layout::of_garment(&scene.garment);
    let garment = MovingMesh::of_garment(&scene.bake(), &layout);
    let mut document = Document::new("walk");
    garment.add_to(&mut document, &scene.cache.timeline);
    let times: Vec<f32> = (0..60).map(|index| scene.cache.timeline.output_seconds(index) as f32).collect();
    motion.add_to(&mut document, &times);
    let staged = stage(path, |sink| container::write_glb(&document, &scene.bake(), path, sink)).expect("staged");
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

/// Point lists as Point Cache 2, first sample at frame 1.
fn pc2_of(frames: &[Vec<Vec3>]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0\x01\0\0\0".to_vec();
    bytes.extend((frames[0].len() as u32).to_le_bytes());
    bytes.extend([1_f32, 1.0].into_iter().flat_map(f32::to_le_bytes));
    bytes.extend((frames.len() as u32).to_le_bytes());
    bytes.extend(frames.iter().flatten().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes));
    bytes
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
