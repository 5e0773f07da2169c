//! Invariants of posed bodies. The comparison with Blender is `.ci/skinning_check.py`.

use std::fs;
use std::path::Path;

use toile::body::{Body, BodyError, Moment};
use toile::geometry::Vec3;
use toile::import::BodyAsset;
use toile::import::gltf::read_rig;

/// Folder, clip, whether it closes.
const BODIES: [(&str, &str, bool); 4] = [
    ("makehuman_gait_skirt", "walk_opensim_normal_gait", true),
    ("cesium_man_skirt", "animation 0", false),
    ("fox_blanket", "Walk", true),
    ("kaykit_mage_cape", "Walking_A", true),
];

/// The bodies that are there, with their clips.
fn bodies() -> Vec<(Body, &'static str, bool)> {
    let mut bodies = Vec::new();
    for (folder, clip, closes) in BODIES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/assets").join(folder);
        let Ok(bytes) = fs::read(folder.join("body.glb")) else {
            println!("skipped: no {}", folder.display());
            continue;
        };
        let rig = read_rig(&bytes, &folder, "body").expect("the file is valid");
        bodies.push((Body::new(BodyAsset::Rig(rig), Some(clip)).expect("the clip is there"), clip, closes));
    }
    bodies
}

fn pose(body: &Body, moment: Moment) -> Vec<Vec3> {
    let mut positions = Vec::new();
    body.pose(moment, &mut positions);
    positions
}

fn greatest_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max)
}

#[test]
fn poses_are_finite_and_of_the_bodys_size() {
    for (body, name, _) in bodies() {
        for step in 0..40 {
            let positions = pose(&body, Moment::At(f64::from(step) * 0.037 - 0.2));
            assert_eq!(positions.len(), body.vertex_count());
            assert!(positions.iter().all(|p| p.is_finite() && f64::from(p.length()) < 3.0 * body.height()), "{name}");
        }
    }
}

#[test]
fn weights_sum_to_one() {
    for (body, name, _) in bodies() {
        for part in body.rig().expect("it is a rig").parts.iter().filter(|part| part.skin.is_some()) {
            for vertex in 0..part.positions.len() {
                let sum: f32 = part.weights.of(vertex).map(|(_, weight)| weight).sum();
                assert!((sum - 1.0).abs() < 1.0e-6, "{name}: {sum} on vertex {vertex} of {}", part.name);
            }
        }
    }
}

#[test]
fn rigid_parts_keep_their_shape() {
    for (body, name, _) in bodies() {
        let rig = body.rig().expect("it is a rig");
        let (first, later) = (pose(&body, Moment::Bind), pose(&body, Moment::At(0.41)));
        for (part, range) in rig.parts.iter().zip(body.part_vertices()).filter(|(part, _)| part.skin.is_none()) {
            let range = range.start as usize..range.end as usize;
            let (first, later) = (&first[range.clone()], &later[range]);
            for (a, b) in first.iter().zip(later).skip(1) {
                let change = (a.distance(first[0]) - b.distance(later[0])).abs();
                assert!(change < 1.0e-5 * body.height() as f32, "{name}: {}", part.name);
            }
        }
    }
}

#[test]
fn closed_clips_repeat_and_open_ones_hold() {
    for (body, name, closes) in bodies() {
        assert_eq!(body.is_cyclic(), closes, "{name}");
        let (first, last) = body.clip_range();
        let beyond = pose(&body, Moment::At(last + 0.3 * (last - first)));
        let expected = if closes { first + 0.3 * (last - first) } else { last };
        assert!(greatest_distance(&beyond, &pose(&body, Moment::At(expected))) < 1.0e-5 * body.height(), "{name}");
    }
}

#[test]
fn the_way_from_the_bind_pose_starts_there_and_ends_in_the_clip() {
    for (body, name, _) in bodies() {
        let seconds = body.clip_range().0;
        let start = pose(&body, Moment::FromBind { seconds, amount: 0.0 });
        let end = pose(&body, Moment::FromBind { seconds, amount: 1.0 });
        let tolerance = 1.0e-5 * body.height();
        assert!(greatest_distance(&start, &pose(&body, Moment::Bind)) < tolerance, "{name}");
        assert!(greatest_distance(&end, &pose(&body, Moment::At(seconds))) < tolerance, "{name}");
    }
}

#[test]
fn main_joints_move_with_their_vertices() {
    for (body, name, _) in bodies() {
        for vertex in (0..body.vertex_count() as u32).step_by(101) {
            let joint = body.main_joint(vertex);
            assert!(!body.joint_names()[joint.0 as usize].is_empty(), "{name}");
            assert!(body.joint_transform(joint, Moment::At(0.2)).is_finite(), "{name}");
        }
    }
}

#[test]
fn a_clip_is_found_by_name_in_any_case_or_by_number_and_others_are_listed() {
    for (body, name, _) in bodies() {
        let rig = body.rig().expect("it is a rig");
        for asked in [name.to_uppercase().as_str(), "0"] {
            assert!(Body::new(BodyAsset::Rig(rig.clone()), Some(asked)).is_ok(), "{asked}");
        }
        let Err(BodyError::UnknownClip { clips, .. }) = Body::new(BodyAsset::Rig(rig.clone()), Some("no such")) else {
            panic!("{name}: a clip that is not there was found");
        };
        assert!(clips.iter().any(|(clip, seconds)| clip == name && *seconds > 0.5));
    }
}
