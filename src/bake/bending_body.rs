//! A rigged body for the tests of the writers.

use crate::geometry::{DAffine3, DQuat, DVec3, Vec3};
use crate::import::{BodyNode, BodyPart, Clip, Interpolation, MorphTarget, Rig, Skin, SkinWeights, Track, TrackValues};

/// A post of `rings` rings under an armature, bending at joints half a metre apart, with a morph target, six influences a
/// vertex and a rigid box on its last joint.
pub(super) fn bending_body() -> Rig {
    let node = |name: &str, parent, translation| BodyNode {
        name: name.to_owned(),
        parent,
        translation,
        rotation: DQuat::IDENTITY,
        scale: DVec3::ONE,
        matrix: None,
    };
    let mut nodes = vec![node("Armature", None, DVec3::ZERO), node("Post", Some(0), DVec3::new(0.0, 0.1, 0.0))];
    for joint in 0..6 {
        let parent = if joint == 0 { 0 } else { joint + 1 };
        nodes.push(node(
            &format!("joint{joint}"),
            Some(parent),
            DVec3::new(0.0, if joint == 0 { 0.0 } else { 0.25 }, 0.0),
        ));
    }
    let inverse_bind = (0..6).map(|j| DAffine3::from_translation(DVec3::new(0.0, -0.25 * f64::from(j), 0.0))).collect();
    Rig {
        name: "post".to_owned(),
        nodes,
        parts: vec![post(30, 12), rigid_box()],
        skins: vec![Skin { joints: (2..8).collect(), inverse_bind }],
        clips: vec![bow()],
        ..Rig::default()
    }
}

/// Turn of each of the six joints after some seconds.
pub(super) fn bend(seconds: f64) -> DQuat {
    let half = 0.15 * libm::sin(2.0 * seconds);
    DQuat::from_xyzw(libm::sin(half), 0.0, 0.0, libm::cos(half))
}

/// The first joint bows within a second.
fn bow() -> Clip {
    let values = TrackValues::Rotation(vec![DQuat::IDENTITY, bend(1.0)]);
    let track = Track { node: 2, times: vec![0.0, 1.0], interpolation: Interpolation::Linear, values };
    Clip { name: "bow".to_owned(), tracks: vec![track] }
}

fn post(rings: usize, columns: usize) -> BodyPart {
    let mut weights = SkinWeights { starts: vec![0], ..SkinWeights::default() };
    let (mut positions, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for ring in 0..=rings {
        let height = 1.5 * ring as f32 / rings as f32;
        for column in 0..columns {
            let angle = std::f32::consts::TAU * column as f32 / columns as f32;
            let normal = Vec3::new(libm::cosf(angle), 0.0, libm::sinf(angle));
            positions.push(normal * 0.08 + Vec3::Y * height);
            normals.push(normal);
            let raw: Vec<f32> = (0..6_u8).map(|j| libm::expf(-8.0 * (height - 0.25 * f32::from(j)).powi(2))).collect();
            weights.joints.extend(0..6);
            weights.weights.extend(raw.iter().map(|weight| weight / raw.iter().sum::<f32>()));
            weights.starts.push(weights.joints.len() as u32);
        }
    }
    for ring in 0..rings as u32 {
        for column in 0..columns as u32 {
            let (next, width) = ((column + 1) % columns as u32, columns as u32);
            let [a, b, c, d] =
                [ring * width + column, ring * width + next, (ring + 1) * width + next, (ring + 1) * width + column];
            triangles.extend([[a, d, c], [a, c, b]]);
        }
    }
    let bulge = MorphTarget { positions: normals.iter().map(|n| *n * 0.05).collect(), normals: Vec::new() };
    BodyPart {
        name: "Post".to_owned(),
        node: 1,
        skin: Some(0),
        positions,
        normals,
        texcoords: Vec::new(),
        colours: Vec::new(),
        triangles,
        weights,
        morph_targets: vec![bulge],
        morph_weights: vec![0.0],
        material: None,
    }
}

fn rigid_box() -> BodyPart {
    let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32) * 0.2 - Vec3::splat(0.1);
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    BodyPart {
        name: "Box".to_owned(),
        node: 7,
        skin: None,
        positions: (0..8).map(corner).collect(),
        normals: Vec::new(),
        texcoords: Vec::new(),
        colours: Vec::new(),
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        weights: SkinWeights::default(),
        morph_targets: Vec::new(),
        morph_weights: Vec::new(),
        material: None,
    }
}
