//! Clothes with a skin are taken in the pose they were bound in, as bodies are. Their file has them at rest, which is a moment of a clip
//! in many files: creased where joints bend, and elsewhere than the body that they were made for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::bake::real_file;
use crate::body::{Body, Moment};
use crate::carry;
use crate::cli::failure::Failure;
use crate::cli::mesh_file::MeshFile;
use crate::geometry::{Aabb, DAffine3, DVec3, Vec3, decompose};
use crate::import::obj::MAX_COORDINATE;
use crate::import::{self, Garment, GarmentSource};
use crate::preset::{MeshSource, Scene};
use crate::simulate::Fit;
use crate::topology;

/// How far apart vertices of one place may be, as a part of the body's height: what numbers that were written with four digits leave.
pub(super) const SAME: f64 = 1e-4;
/// Part of a garment's joints, at least, whose names the body's joints have, for it to be bound to the body's skeleton.
const OF_ONE_SKELETON: f64 = 0.5;
/// How many times as large a garment may be bound as at rest, and the other way round: inverse binds beyond that say something else.
const OF_ONE_SIZE: f32 = 2.0;

/// Where the vertices of a `garment` that is skinned to the `body`'s skeleton were bound, counted from its origin; none if that is where
/// they are, or if its file has animations that cannot be read.
pub(super) fn bound(scene: &Scene, garment: &Garment, body: &Body) -> Option<Vec<Vec3>> {
    let (GarmentSource::Gltf(_), Some(mesh)) = (&garment.source, &scene.garment) else { return None };
    if is_of_one_file(scene) {
        return positions_bound(garment, body);
    }
    if !is_of_one_skeleton(garment, body) {
        return None;
    }
    let file = MeshFile::of(mesh).ok()?;
    let own = Body::new(import::read_body_within(file.path(), scene.garment_frame, &scene.access).ok()?, None).ok()?;
    let mut positions = positions_bound(garment, &own)?;
    let way = way_between(&own, body);
    for position in &mut positions {
        *position = (way.transform_point3(position.as_dvec3() + garment.origin) - garment.origin).as_vec3();
    }
    positions.iter().all(is_place).then_some(positions)
}

/// Whether a file may have a vertex there.
fn is_place(position: &Vec3) -> bool {
    position.abs().cmple(Vec3::splat(MAX_COORDINATE)).all()
}

/// The `body` bound where its mesh stands in its file, if the `garment` lies clearly better there than where its skeleton's roots rest.
///
/// # Errors
/// The garment is no mesh, or what is chosen of it is not there.
pub(super) fn bound_under(scene: &Scene, garment: &Garment, body: &Body) -> Result<Option<Body>, Failure> {
    let Some(other) = body.bound_as_in_file() else { return Ok(None) };
    let whole = topology::build(garment)?;
    let worn = match carry::excluded(&scene.choice, garment, &whole)? {
        Some(excluded) => carry::left_over(&whole, &excluded).0,
        None => whole,
    };
    let [at_rest, in_file] = [body, &other].map(|body| Fit::measure(&worn, garment.origin, body, Moment::Bind));
    Ok(in_file.is_clearly_better_than(&at_rest).then_some(other))
}

/// How bodies of one skeleton were bound elsewhere than each other: where they stand at rest decides on that, and their files may rest in
/// other poses. None if that brings their joints no nearer to each other.
fn way_between(from: &Body, to: &Body) -> DAffine3 {
    let joints = |body: &Body| -> Vec<DAffine3> {
        let (transforms, origin) = (body.joint_transforms(Moment::Bind), body.origin(Moment::Bind));
        transforms.into_iter().map(|transform| DAffine3::from_translation(origin) * transform).collect()
    };
    let of_to: BTreeMap<&str, DAffine3> = to.joint_names().iter().map(String::as_str).zip(joints(to)).collect();
    let named = from.joint_names().iter().zip(joints(from));
    let pairs: Vec<(DAffine3, DAffine3)> =
        named.filter_map(|(name, joint)| Some((joint, *of_to.get(name.as_str())?))).collect();
    let rigid = |joint: DAffine3| {
        let (translation, rotation, _) = decompose(joint)?;
        Some(DAffine3::from_rotation_translation(rotation, translation))
    };
    let way = pairs.first().and_then(|&(from, to)| Some(rigid(to)? * rigid(from)?.inverse()));
    let apart = |way: DAffine3| -> f64 {
        pairs.iter().map(|(from, to)| way.transform_point3(from.translation).distance(to.translation)).sum()
    };
    way.filter(|way| apart(*way) < apart(DAffine3::IDENTITY)).unwrap_or(DAffine3::IDENTITY)
}

/// Where the vertices of a `garment` were bound in its file, read as a body; none if that is where they are.
fn positions_bound(garment: &Garment, own: &Body) -> Option<Vec<Vec3>> {
    let GarmentSource::Gltf(source) = &garment.source else { return None };
    let (pose, parts) = (bind_pose(own), own.part_vertices());
    if parts.len() != source.primitives.len() {
        return None;
    }
    let mut positions = garment.positions.clone();
    for (primitive, part) in source.primitives.iter().zip(&parts) {
        let [vertices, part] = [&primitive.vertices, part].map(|range| range.start as usize..range.end as usize);
        if vertices.len() != part.len() {
            return None;
        }
        for (slot, place) in positions[vertices].iter_mut().zip(&pose[part]) {
            *slot = (*place - garment.origin).as_vec3();
        }
    }
    let same = (SAME * own.height()) as f32;
    let is_elsewhere = positions.iter().zip(&garment.positions).any(|(bound, rest)| bound.distance(*rest) > same);
    let [bound, rest] = [&positions, &garment.positions].map(|positions| Aabb::around(positions).size().length());
    let is_of_one_size = bound <= OF_ONE_SIZE * rest && rest <= OF_ONE_SIZE * bound;
    (is_elsewhere && is_of_one_size && positions.iter().all(is_place)).then_some(positions)
}

/// Whether garment and body are read from one file, in the same units.
pub(super) fn is_of_one_file(scene: &Scene) -> bool {
    let (Some(MeshSource::File(garment)), Some(body)) = (&scene.garment, &scene.body) else { return false };
    let MeshSource::File(file) = &body.mesh else { return false };
    scene.garment_frame == body.frame && is_one_file(garment, file)
}

/// Whether both paths lead to one file.
pub(crate) fn is_one_file(one: &Path, other: &Path) -> bool {
    real_file(one) == real_file(other)
}

/// Whether most joints that move the garment have names of the body's joints.
fn is_of_one_skeleton(garment: &Garment, body: &Body) -> bool {
    let Some(skin) = &garment.skin else { return false };
    let of_body: BTreeSet<&str> =
        body.joint_names().iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let moving: BTreeSet<&str> = skin
        .weights
        .joints
        .iter()
        .filter_map(|&joint| skin.joint_names.get(usize::from(joint)))
        .map(String::as_str)
        .collect();
    let shared = moving.iter().filter(|name| of_body.contains(*name)).count();
    !moving.is_empty() && shared as f64 >= OF_ONE_SKELETON * moving.len() as f64
}

/// Vertices of a body as it was bound, in the world.
pub(super) fn bind_pose(body: &Body) -> Vec<DVec3> {
    let (mut pose, origin) = (Vec::new(), body.origin(Moment::Bind));
    body.pose(Moment::Bind, &mut pose);
    pose.iter().map(|place| place.as_dvec3() + origin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::FileFrame;
    use crate::preset::BodyChoice;

    #[test]
    fn clothes_of_a_body_are_taken_as_they_were_bound_whatever_pose_their_file_rests_in() {
        let walker = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/walker.glb");
        let folder = tempfile::tempdir().expect("a folder");
        let (upright, bent) = (folder.path().join("upright.glb"), folder.path().join("bent.glb"));
        let bytes = std::fs::read(&walker).expect("the walker");
        std::fs::write(&upright, &bytes).expect("room");
        let mut glb = gltf::binary::Glb::from_slice(&bytes).expect("a GLB");
        let mut json: serde_json::Value = serde_json::from_slice(&glb.json).expect("JSON");
        let thigh = json["skins"][0]["joints"][2].as_u64().expect("a joint") as usize;
        json["nodes"][thigh]["rotation"] = serde_json::json!([0.6, 0.0, 0.0, 0.8]);
        let root = json["skins"][0]["joints"][0].as_u64().expect("a joint") as usize;
        json["nodes"][root]["translation"] = serde_json::json!([0.1, -0.05, 0.3]);
        glb.json = serde_json::to_vec(&json).expect("JSON").into();
        std::fs::write(&bent, glb.to_vec().expect("a GLB")).expect("room");

        let read = |path: &Path| {
            let garment = import::read_garment(path, FileFrame::default()).expect("a garment");
            let asset = import::read_body(path, FileFrame::default()).expect("a body");
            (garment, Body::new(asset, Some("walk")).expect("a body"))
        };
        let scene = |garment: &Path, body: &Path| Scene {
            garment: Some(MeshSource::File(garment.to_owned())),
            body: Some(BodyChoice {
                mesh: MeshSource::File(body.to_owned()),
                frame: FileFrame::default(),
                animation: None,
            }),
            ..Scene::default()
        };
        let (standing, body) = read(&upright);
        let bound = |garment: &Path, file: &Path, read: &Garment, body: &Body| bound(&scene(garment, file), read, body);
        assert_eq!(bound(&upright, &upright, &standing, &body), None, "it rests as it was bound");
        let (kneeling, bent_body) = read(&bent);
        let moved = kneeling.positions.iter().zip(&standing.positions).filter(|(a, b)| a.distance(**b) > 0.05).count();
        assert!(moved > 100, "{moved} vertices of the leg");
        let positions = |file: &Path, body: &Body| bound(&bent, file, &kneeling, body).expect("it was bound elsewhere");
        let ways = |positions: &[Vec3]| -> Vec<Vec3> {
            positions.iter().zip(&standing.positions).map(|(bound, place)| *bound - *place).collect()
        };
        assert!(ways(&positions(&upright, &body)).iter().all(|way| way.length() < 1e-5), "where the body was bound");
        let aside = ways(&positions(&bent, &bent_body));
        assert!(aside[0].length() > 0.1, "its file has it aside");
        assert!(aside.iter().all(|way| way.distance(aside[0]) < 1e-5), "in the same pose");
        for scale in [1e30, f64::INFINITY] {
            let mut rig = bent_body.rig().expect("a rig").clone();
            let binds = &mut rig.skins[0].inverse_bind;
            binds.iter_mut().for_each(|bind| *bind = DAffine3::from_scale(DVec3::splat(scale)) * *bind);
            let vast = Body::new(import::BodyAsset::Rig(rig), None).expect("a body");
            assert_eq!(positions_bound(&kneeling, &vast), None, "{scale} times as large");
        }
        let mut rig = body.rig().expect("a rig").clone();
        rig.nodes.iter_mut().for_each(|node| node.name.push('_'));
        let other = Body::new(import::BodyAsset::Rig(rig), None).expect("a body");
        assert_eq!(bound(&bent, &upright, &kneeling, &other), None, "of another skeleton");
    }
}
