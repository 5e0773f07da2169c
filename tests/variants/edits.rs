//! Changes to a rig that say the same motion otherwise, or make it a harder one.

use toile::body::{Body, Moment};
use toile::geometry::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use toile::import::{
    BodyAsset, BodyNode, BodyPart, Interpolation, MorphTarget, Rig, Skin, SkinWeights, Track, TrackValues,
};

use super::names::CONVENTIONS;

/// A node that does nothing yet.
fn plain_node(name: &str) -> BodyNode {
    BodyNode {
        name: name.to_owned(),
        parent: None,
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        scale: DVec3::ONE,
        matrix: None,
    }
}

/// A rotation about x.
pub(crate) fn about_x(degrees: f64) -> DQuat {
    let half = degrees.to_radians() / 2.0;
    DQuat::from_xyzw(libm::sin(half), 0.0, 0.0, libm::cos(half))
}

/// Puts a node above all others.
pub(crate) fn under(rig: &mut Rig, change: impl FnOnce(&mut BodyNode)) {
    for node in &mut rig.nodes {
        node.parent = Some(node.parent.map_or(0, |parent| parent + 1));
    }
    let mut above = plain_node(&format!("above {}", rig.nodes.len()));
    change(&mut above);
    rig.nodes.insert(0, above);
    rig.parts.iter_mut().for_each(|part| part.node += 1);
    rig.skins.iter_mut().flat_map(|skin| &mut skin.joints).for_each(|joint| *joint += 1);
    rig.clips.iter_mut().flat_map(|clip| &mut clip.tracks).for_each(|track| track.node += 1);
}

/// All lengths times `factor`.
pub(crate) fn scaled(rig: &mut Rig, factor: f64) {
    rig.nodes.iter_mut().for_each(|node| node.translation *= factor);
    for part in &mut rig.parts {
        part.positions.iter_mut().for_each(|p| *p *= factor as f32);
    }
    for bind in rig.skins.iter_mut().flat_map(|skin| &mut skin.inverse_bind) {
        bind.translation *= factor;
    }
    for track in rig.clips.iter_mut().flat_map(|clip| &mut clip.tracks) {
        if let TrackValues::Translation(keys) = &mut track.values {
            keys.iter_mut().for_each(|key| *key *= factor);
        }
    }
}

/// Everything seen from axes that are turned by `turn`, an isometry of determinant +1 or -1: mesh, joints and keys.
pub(crate) fn seen_from(rig: &mut Rig, turn: DMat3) {
    let back = turn.transpose();
    let is_mirror = turn.determinant() < 0.0;
    let rotation = |q: DQuat| {
        let m = turn * DMat3::from_quat(q) * back;
        DQuat::from_mat3(&m)
    };
    // Only axes change places and signs.
    let scale = |s: DVec3| (turn * s).abs();
    let bind = |m: DAffine3| DAffine3 { matrix3: turn * m.matrix3 * back, translation: turn * m.translation };
    for node in &mut rig.nodes {
        node.translation = turn * node.translation;
        node.rotation = rotation(node.rotation);
        node.scale = scale(node.scale);
    }
    for part in &mut rig.parts {
        for p in part.positions.iter_mut().chain(&mut part.normals) {
            *p = (turn * p.as_dvec3()).as_vec3();
        }
        if is_mirror {
            part.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
    }
    rig.skins.iter_mut().flat_map(|skin| &mut skin.inverse_bind).for_each(|m| *m = bind(*m));
    for track in rig.clips.iter_mut().flat_map(|clip| &mut clip.tracks) {
        match &mut track.values {
            TrackValues::Translation(keys) => keys.iter_mut().for_each(|key| *key = turn * *key),
            TrackValues::Rotation(keys) => keys.iter_mut().for_each(|key| *key = rotation(*key)),
            TrackValues::Scale(keys) => keys.iter_mut().for_each(|key| *key = scale(*key)),
            TrackValues::MorphWeights { .. } => {}
        }
    }
}

/// Z up instead of Y up.
pub(crate) fn z_up() -> DMat3 {
    DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y)
}

/// Left and right change places.
pub(crate) fn mirrored() -> DMat3 {
    DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0))
}

/// All triangles the other way round.
pub(crate) fn inside_out(rig: &mut Rig) {
    rig.parts.iter_mut().flat_map(|part| &mut part.triangles).for_each(|t| t.swap(1, 2));
}

/// Takes away triangles with a corner that `is_gone` says.
pub(crate) fn cut_away(rig: &mut Rig, is_gone: impl Fn(Vec3) -> bool) {
    for part in &mut rig.parts {
        let BodyPart { triangles, positions, .. } = part;
        triangles.retain(|t| !t.iter().any(|&v| is_gone(positions[v as usize])));
    }
}

/// The part of the triangles that `belongs` says, with vertices of its own.
fn taken(part: &BodyPart, belongs: impl Fn(&[u32; 3]) -> bool) -> BodyPart {
    let mut number = vec![u32::MAX; part.positions.len()];
    let mut own = BodyPart {
        positions: Vec::new(),
        normals: Vec::new(),
        triangles: Vec::new(),
        weights: SkinWeights { starts: vec![0], ..SkinWeights::default() },
        ..part.clone()
    };
    for triangle in part.triangles.iter().filter(|t| belongs(t)) {
        let corner = |&v: &u32| {
            let old = v as usize;
            if number[old] == u32::MAX {
                number[old] = own.positions.len() as u32;
                own.positions.push(part.positions[old]);
                own.normals.push(part.normals[old]);
                for (joint, weight) in part.weights.of(old) {
                    own.weights.joints.push(joint as u16);
                    own.weights.weights.push(weight);
                }
                own.weights.starts.push(own.weights.joints.len() as u32);
            }
            number[old]
        };
        let corners: Vec<u32> = triangle.iter().map(corner).collect();
        own.triangles.push([corners[0], corners[1], corners[2]]);
    }
    own
}

/// Upper and lower body as two meshes with skins of their own; the second one's joints are in the opposite order.
pub(crate) fn two_skins(rig: &mut Rig) {
    let whole = rig.parts.remove(0);
    let is_low = |t: &[u32; 3]| t.iter().all(|&v| whole.positions[v as usize].y < 0.85);
    let mut low = taken(&whole, is_low);
    let high = taken(&whole, |t| !is_low(t));
    let last = rig.skins[0].joints.len() as u16 - 1;
    low.weights.joints.iter_mut().for_each(|joint| *joint = last - *joint);
    low.skin = Some(1);
    let backwards = Skin {
        joints: rig.skins[0].joints.iter().rev().copied().collect(),
        inverse_bind: rig.skins[0].inverse_bind.iter().rev().copied().collect(),
    };
    rig.skins.push(backwards);
    rig.parts = vec![high, low];
}

/// Number of a joint of the skin.
fn joint(rig: &Rig, name: &str) -> usize {
    let found = rig.skins[0].joints.iter().position(|&node| rig.nodes[node as usize].name == name);
    found.expect("a joint of that name")
}

/// Vertices that a joint moves most follow it alone.
pub(crate) fn hardened(rig: &mut Rig, name: &str) {
    let own = joint(rig, name);
    let part = &mut rig.parts[0];
    let mut weights = SkinWeights { starts: vec![0], ..SkinWeights::default() };
    for vertex in 0..part.positions.len() {
        let all: Vec<(usize, f32)> = part.weights.of(vertex).collect();
        let main = all.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(joint, _)| joint);
        let kept = if main == own { vec![(own, 1.0)] } else { all };
        weights.joints.extend(kept.iter().map(|(joint, _)| *joint as u16));
        weights.weights.extend(kept.iter().map(|(_, weight)| *weight));
        weights.starts.push(weights.joints.len() as u32);
    }
    part.weights = weights;
}

/// The triangles that follow one joint alone become a rigid mesh on its node.
pub(crate) fn rigid_limb(rig: &mut Rig, name: &str) {
    hardened(rig, name);
    let own = joint(rig, name);
    let whole = rig.parts.remove(0);
    let follows = |v: u32| whole.weights.of(v as usize).all(|(joint, _)| joint == own);
    let is_limb = |t: &[u32; 3]| t.iter().all(|&v| follows(v));
    let mut limb = taken(&whole, is_limb);
    let rest = taken(&whole, |t| !is_limb(t));
    let to_joint = rig.skins[0].inverse_bind[own];
    limb.positions.iter_mut().for_each(|p| *p = to_joint.transform_point3(p.as_dvec3()).as_vec3());
    limb.normals.iter_mut().for_each(|n| *n = to_joint.transform_vector3(n.as_dvec3()).as_vec3());
    limb.skin = None;
    limb.weights = SkinWeights::default();
    limb.node = rig.skins[0].joints[own];
    limb.name = format!("rigid {name}");
    rig.parts = vec![rest, limb];
}

/// A belly that grows and shrinks by a morph target, at its largest in the middle of the walk.
pub(crate) fn belly(rig: &mut Rig, metres: f32) {
    let part = &mut rig.parts[0];
    let bulge = |p: &Vec3| {
        let way = (*p - Vec3::new(0.0, 0.98, 0.1)) / Vec3::new(0.14, 0.12, 0.12);
        Vec3::Z * metres * (1.0 - way.length_squared()).max(0.0)
    };
    part.morph_targets =
        vec![MorphTarget { positions: part.positions.iter().map(bulge).collect(), normals: Vec::new() }];
    part.morph_weights = vec![0.0];
    let times = vec![0.0, 0.3, 0.6, 1.066_666_7];
    let values = TrackValues::MorphWeights { targets: 1, weights: vec![0.0, 1.0, 0.5, 0.0] };
    let node = part.node;
    rig.clips[0].tracks.push(Track { node, times, interpolation: Interpolation::Linear, values });
}

/// The same walk by morph targets alone: one a key, no joint moves anything.
pub(crate) fn morphs_alone(rig: &mut Rig) {
    const KEYS: usize = 17;
    let body = Body::new(BodyAsset::Rig(rig.clone()), None).expect("a clip");
    let (first, last) = body.clip_range();
    let times: Vec<f64> = (0..KEYS).map(|key| first + (last - first) * key as f64 / (KEYS - 1) as f64).collect();
    let pose = |moment: Moment| {
        let mut positions = Vec::new();
        body.pose(moment, &mut positions);
        positions
    };
    let bind = pose(Moment::Bind);
    let target = |&seconds: &f64| {
        let ways = pose(Moment::At(seconds)).iter().zip(&bind).map(|(at, bind)| *at - *bind).collect();
        MorphTarget { positions: ways, normals: Vec::new() }
    };
    let part = &mut rig.parts[0];
    part.positions.clone_from(&bind);
    part.morph_targets = times.iter().map(target).collect();
    part.morph_weights = vec![0.0; KEYS];
    part.weights = SkinWeights::default();
    (part.skin, part.node) = (None, 0);
    let weights = (0..KEYS * KEYS).map(|i| if i / KEYS == i % KEYS { 1.0 } else { 0.0 }).collect();
    let values = TrackValues::MorphWeights { targets: KEYS, weights };
    let times = times.iter().map(|&seconds| seconds as f32).collect();
    rig.clips[0].tracks = vec![Track { node: 0, times, interpolation: Interpolation::Linear, values }];
    rig.nodes = vec![plain_node("walker")];
    rig.skins.clear();
}

/// Keys begin later.
pub(crate) fn later(rig: &mut Rig, seconds: f32) {
    let tracks = rig.clips.iter_mut().flat_map(|clip| &mut clip.tracks);
    tracks.flat_map(|track| &mut track.times).for_each(|time| *time += seconds);
}

/// Keys end early, so that the last pose is not the first.
pub(crate) fn ends_at(rig: &mut Rig, seconds: f32) {
    for track in rig.clips.iter_mut().flat_map(|clip| &mut clip.tracks) {
        let left = track.times.iter().filter(|&&time| time <= seconds).count();
        track.times.truncate(left);
        match &mut track.values {
            TrackValues::Translation(keys) | TrackValues::Scale(keys) => keys.truncate(left),
            TrackValues::Rotation(keys) => keys.truncate(left),
            TrackValues::MorphWeights { targets, weights } => weights.truncate(left * *targets),
        }
    }
}

/// The uppermost node goes from `from` on at a steady velocity, m/s.
pub(crate) fn walks_away(rig: &mut Rig, from: DVec3, velocity: DVec3) {
    let (first, last) = (0.0_f32, 1.066_666_7_f32);
    under(rig, |node| node.name = "motion".to_owned());
    let keys = [first, last].map(|time| from + velocity * f64::from(time));
    rig.clips[0].tracks.push(Track {
        node: 0,
        times: vec![first, last],
        interpolation: Interpolation::Linear,
        values: TrackValues::Translation(keys.to_vec()),
    });
}

/// Joint names of another convention, right ones made from left ones.
pub(crate) fn renamed(rig: &mut Rig, convention: usize) {
    const OURS: [&str; 12] = [
        "pelvis",
        "spine",
        "chest",
        "neck",
        "head",
        "upper_arm_l",
        "forearm_l",
        "hand_l",
        "thigh_l",
        "shin_l",
        "foot_l",
        "toe_l",
    ];
    for node in &mut rig.nodes {
        let left = node.name.strip_suffix("_r").map(|stem| format!("{stem}_l"));
        let theirs = |ours: &str| OURS.iter().position(|o| *o == ours).map(|i| CONVENTIONS[convention].1[i]);
        node.name = match (theirs(&node.name), left.as_deref().and_then(theirs)) {
            (Some(name), _) => name.to_owned(),
            (None, Some(name)) => other_side(name),
            (None, None) => format!("{} of {}", node.name, CONVENTIONS[convention].0),
        };
    }
}

/// The right one of a left joint.
pub(crate) fn other_side(left: &str) -> String {
    if left.contains("Left") {
        left.replace("Left", "Right")
    } else if let Some(stem) = left.strip_suffix(".L") {
        format!("{stem}.R")
    } else if let Some(stem) = left.strip_suffix(".l") {
        format!("{stem}.r")
    } else {
        format!("r{}", &left[1..])
    }
}

/// A ball of two rings and two poles with vertices of its own, on the joint.
pub(crate) fn ball(rig: &mut Rig, name: &str, centre: Vec3, radius: f32, inward: bool) {
    let own = joint(rig, name) as u16;
    let part = &mut rig.parts[0];
    let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    let first = part.positions.len() as u32;
    for axis in axes {
        part.positions.push(centre + axis * radius);
        part.normals.push(axis);
        part.weights.joints.push(own);
        part.weights.weights.push(1.0);
        part.weights.starts.push(part.weights.joints.len() as u32);
    }
    part.triangles.extend(faces.map(|[a, b, c]| if inward { [a, c, b] } else { [a, b, c] }.map(|v: u32| v + first)));
}

/// The body as a robot: a prism of eight sides on each joint that has another below it, closed and a little into its neighbours.
pub(crate) fn robot(rig: &mut Rig) {
    let skin = rig.skins.remove(0);
    rig.parts.clear();
    let place = |node: u32| {
        let index = skin.joints.iter().position(|joint| *joint == node)?;
        Some(-skin.inverse_bind[index].translation)
    };
    for &node in &skin.joints {
        let Some(from) = place(node) else { continue };
        let name = rig.nodes[node as usize].name.clone();
        let below = (0..rig.nodes.len()).filter(|&child| rig.nodes[child].parent == Some(node));
        let to = below.filter_map(|child| place(child as u32)).next().unwrap_or(from + DVec3::Y * 0.15);
        let (wide, deep) = match name.trim_end_matches("_l").trim_end_matches("_r") {
            "root" => continue,
            "pelvis" | "spine" => (0.1, 0.06),
            "chest" => (0.13, 0.09),
            "thigh" => (0.075, 0.075),
            "shin" => (0.055, 0.055),
            "head" => (0.08, 0.1),
            _ => (0.035, 0.035),
        };
        let part = prism((to - from).as_vec3(), wide, deep);
        rig.parts.push(BodyPart { name: format!("{name} shell"), node, ..part });
    }
}

/// A prism from the origin to `along`, reaching over both ends by a tenth.
fn prism(along: Vec3, wide: f32, deep: f32) -> BodyPart {
    const SIDES: u32 = 8;
    let axis = along.normalize_or(Vec3::Y);
    let first = if axis.x.abs() < 0.8 { axis.cross(Vec3::Z).cross(axis) } else { Vec3::Z.reject_from_normalized(axis) };
    let first = if first.length() > 0.1 { first.normalize() } else { Vec3::X };
    let first = if axis.y.abs() > 0.7 { Vec3::X.reject_from_normalized(axis).normalize() } else { first };
    let second = axis.cross(first);
    let mut positions: Vec<Vec3> = Vec::new();
    for end in [-0.1, 1.1] {
        for side in 0..SIDES {
            let angle = std::f32::consts::TAU * side as f32 / SIDES as f32;
            positions.push(along * end + first * (libm::cosf(angle) * wide) + second * (libm::sinf(angle) * deep));
        }
        positions.push(along * end);
    }
    let mut triangles = Vec::new();
    for side in 0..SIDES {
        let next = (side + 1) % SIDES;
        let up = SIDES + 1;
        triangles.extend([[side, next, up + next], [side, up + next, up + side]]);
        triangles.extend([[SIDES, next, side], [up + SIDES, up + side, up + next]]);
    }
    BodyPart { normals: vec![Vec3::Y; positions.len()], positions, triangles, ..BodyPart::default() }
}
