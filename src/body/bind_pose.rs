//! The pose that the skins of a rig were bound in.
//!
//! ```text
//!  armature                at rest
//!    `-- hips              at rest, or upright as they were bound where they lean at rest     inverse binds know only
//!          `-- thigh       as the inverse binds of hips and thigh say                         one from the other
//! ```
//!
//! So the bound mesh stands where its skeleton's root stands, upright also in files whose meshes lie down.

use std::collections::BTreeMap;

use super::motion::{Local, affine, rest};
use crate::geometry::{DAffine3, DMat3, DQuat, DVec3, decompose};
use crate::import::Rig;

/// Cosine of the angle from the vertical within which an axis of a bound mesh stands upright.
const UPRIGHT: f64 = 0.98;
/// How far a root leans at rest at most for the mesh to stand as its file or its armature has it, radians: beyond that it was turned.
const LEANING: f64 = 1.05;
/// How many times as large a joint is at most as its inverse bind and that of the joint above say, for these to be of one pose.
const OF_ONE_SIZE: f64 = 2.0;

/// Where the uppermost joints of skins stand in the bind pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Roots {
    /// At rest, unless they lean there.
    Resting,
    /// Where the mesh stands as its file or its armature has it, before any joint moves it.
    AsBound,
}

/// Nodes in the pose the skins were bound in; `moved` are those that move some of the body's mesh.
///
/// A joint whose parent is a joint of the same skin stands as their inverse bind matrices say, `inverse(bind of joint) seen
/// from bind of parent`; other nodes stand at rest, the uppermost joints of a skin as `standing` says. Rest is a moment of the clip in
/// some files: a root that leans then is put upright. Joints that move nothing may have inverse binds that say nothing; what hangs from
/// such a one is an uppermost joint.
pub(super) fn bind(rig: &Rig, moved: impl Iterator<Item = u32>, standing: Roots) -> Vec<Local> {
    let says_something = with_children(rig, moved);
    let mut locals = rest(rig);
    let mut known = vec![false; locals.len()];
    let mut roots: Vec<Option<DAffine3>> = vec![None; locals.len()];
    for skin in &rig.skins {
        let inverse_bind: BTreeMap<u32, DAffine3> =
            skin.joints.iter().copied().zip(skin.inverse_bind.iter().copied()).collect();
        for (&joint, &own) in inverse_bind.iter().filter(|(joint, _)| (**joint as usize) < rig.nodes.len()) {
            let parent = rig.nodes[joint as usize].parent;
            let above = parent.and_then(|parent| Some((*inverse_bind.get(&parent)?, says_something[parent as usize])));
            let slot = joint as usize;
            match above.and_then(|(above, says_something)| seen_from(above, own, rig.nodes[slot].scale, says_something))
            {
                Some(local) if !std::mem::replace(&mut known[slot], true) => locals[slot] = local,
                Some(_) => {}
                None => roots[slot] = roots[slot].or(Some(own)),
            }
        }
    }
    let mut worlds: Vec<DAffine3> = Vec::with_capacity(locals.len());
    for (index, node) in rig.nodes.iter().enumerate() {
        let parent = node.parent.map_or(DAffine3::IDENTITY, |parent| worlds[parent as usize]);
        let world = parent * affine(node, locals[index]);
        let root = roots[index].filter(|_| !known[index] && node.matrix.is_none());
        let put_upright = root.and_then(|inverse_bind| {
            let bound = straight(world * inverse_bind, parent, standing)? * inverse_bind.inverse();
            Some((Local::of(parent.inverse() * bound)?, bound))
        });
        worlds.push(put_upright.map_or(world, |(_, world)| world));
        locals[index] = put_upright.map_or(locals[index], |(local, _)| local);
    }
    locals
}

/// For each node whether it is among `nodes` or hangs from one of them.
fn with_children(rig: &Rig, nodes: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut is_below = vec![false; rig.nodes.len()];
    nodes
        .filter_map(|node| Some(node as usize).filter(|&node| node < rig.nodes.len()))
        .for_each(|n| is_below[n] = true);
    for (index, node) in rig.nodes.iter().enumerate() {
        is_below[index] |= node.parent.is_some_and(|parent| is_below[parent as usize]);
    }
    is_below
}

/// Where a joint of this `scale` at rest was bound, seen from the joint `above` it, both by their inverse binds; none if that of the
/// upper one does not say.
fn seen_from(above: DAffine3, own: DAffine3, scale: DVec3, says_something: bool) -> Option<Local> {
    let local = Local::of(above * own.inverse()).filter(|_| own.matrix3.determinant() != 0.0)?;
    let [bound, rest] = [local.scale, scale].map(|scale| libm::cbrt(scale.abs().element_product()));
    let is_of_one_size = bound < OF_ONE_SIZE * rest && rest < OF_ONE_SIZE * bound;
    (is_of_one_size || says_something).then_some(local)
}

/// What puts a bound mesh upright, if it leans as `placed` has it or is to stand as it was bound: the way its file has it or else that
/// of the `armature` its root hangs on, whichever is nearer, in its own size.
fn straight(placed: DAffine3, armature: DAffine3, standing: Roots) -> Option<DAffine3> {
    let (place, turn, scale) = decompose(placed)?;
    if standing == Roots::Resting && is_upright(turn) || scale.min_element() <= 0.0 {
        return None;
    }
    let of_armature = decompose(armature).map(|(translation, turn, _)| (turn, translation));
    let candidates = [Some((DQuat::IDENTITY, DVec3::ZERO)), of_armature].into_iter().flatten();
    let angle = |(candidate, _): &(DQuat, DVec3)| 2.0 * libm::acos(candidate.dot(turn).abs().min(1.0));
    let near = candidates.filter(|(turn, _)| is_upright(*turn)).filter(|candidate| angle(candidate) < LEANING);
    let away = |(_, translation): &(DQuat, DVec3)| translation.distance(place);
    let nearer =
        |a: &(DQuat, DVec3), b: &(DQuat, DVec3)| angle(a).total_cmp(&angle(b)).then(away(a).total_cmp(&away(b)));
    let (turn, translation) = near.min_by(nearer)?;
    Some(DAffine3::from_scale_rotation_translation(scale, turn, translation))
}

/// Whether a mesh that is turned so has one of its axes upright.
fn is_upright(turn: DQuat) -> bool {
    DMat3::from_quat(turn).row(1).abs().max_element() > UPRIGHT
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    use super::*;
    use crate::body::motion::affines;
    use crate::import::{BodyNode, Skin};

    const HIPS_NODE: u32 = 1;
    const THIGH_NODE: u32 = 2;

    /// Armature, hips and a thigh, each relative to the one above; bound where `bound` has hips and thigh.
    fn rig(rest: [DAffine3; 3], bound: [DAffine3; 2]) -> Rig {
        let mut rig = Rig::default();
        for (index, (affine, name)) in rest.into_iter().zip(["armature", "hips", "thigh"]).enumerate() {
            let (translation, rotation, scale) = decompose(affine).expect("a transform");
            let parent = index.checked_sub(1).map(|parent| parent as u32);
            rig.nodes.push(BodyNode { name: name.to_owned(), parent, translation, rotation, scale, matrix: None });
        }
        let joints = vec![HIPS_NODE, THIGH_NODE];
        rig.skins.push(Skin { joints, inverse_bind: bound.map(|bound| bound.inverse()).to_vec() });
        rig
    }

    /// How the thigh places the mesh in the bind pose, of which `moved` move some.
    fn placed(rig: &Rig, moved: &[u32]) -> DAffine3 {
        placed_with(rig, moved, Roots::Resting)
    }

    fn placed_with(rig: &Rig, moved: &[u32], standing: Roots) -> DAffine3 {
        let locals = bind(rig, moved.iter().copied(), standing);
        rig.worlds(affines(rig, &locals))[THIGH_NODE as usize] * rig.skins[0].inverse_bind[1]
    }

    fn at(y: f64, turn: f64) -> DAffine3 {
        DAffine3::from_rotation_translation(DQuat::from_rotation_x(turn), DVec3::Y * y)
    }

    const HIPS: f64 = 0.9;

    #[test]
    fn a_root_that_leans_at_rest_is_put_upright_and_one_that_was_turned_is_not() {
        let bound = [at(HIPS, 0.0), at(HIPS, 0.0) * at(-0.1, 3.0)];
        let leaning = |turn: f64| placed(&rig([DAffine3::IDENTITY, at(0.7, turn), at(-0.1, 2.0)], bound), &[HIPS_NODE]);
        assert!(leaning(FRAC_PI_4).abs_diff_eq(DAffine3::IDENTITY, 1e-9), "where the file has the mesh");
        assert!(leaning(0.1).abs_diff_eq(at(0.7, 0.1) * at(HIPS, 0.0).inverse(), 1e-9), "at rest");
        assert!(leaning(FRAC_PI_2).abs_diff_eq(at(0.7, FRAC_PI_2) * at(HIPS, 0.0).inverse(), 1e-9), "lies on purpose");
    }

    #[test]
    fn a_mesh_that_lies_is_put_upright_as_its_armature_has_it() {
        let bound = [at(HIPS, 0.0), at(HIPS, 0.0) * at(-0.1, 3.0)];
        let armature = at(0.2, -FRAC_PI_2);
        let placed = placed(&rig([armature, at(0.8, 0.5), at(-0.1, 2.0)], bound), &[HIPS_NODE]);
        assert!(placed.abs_diff_eq(armature, 1e-9), "{placed}");
    }

    #[test]
    fn a_mesh_stands_as_it_was_bound_in_its_file_or_as_its_armature_has_it() {
        let bound = [at(HIPS, 0.0), at(HIPS, 0.0) * at(-0.1, 3.0)];
        let beside =
            |armature| placed_with(&rig([armature, at(0.8, 0.1), at(-0.1, 2.0)], bound), &[HIPS_NODE], Roots::AsBound);
        assert!(beside(DAffine3::IDENTITY).abs_diff_eq(DAffine3::IDENTITY, 1e-9), "it leans by little at rest");
        let far = DAffine3::from_translation(DVec3::X * 5.0);
        assert!(beside(far).abs_diff_eq(far, 1e-9), "with its armature");
        let lying = at(0.2, -FRAC_PI_2);
        assert!(beside(lying).abs_diff_eq(lying, 1e-9), "lies on purpose");
    }

    #[test]
    fn what_hangs_from_a_joint_that_moves_nothing_and_was_bound_in_another_size_stands_at_rest() {
        let small = DAffine3::from_scale(DVec3::splat(0.01));
        let bound = [DAffine3::IDENTITY, small * at(90.0, 0.0)];
        let rest = [DAffine3::IDENTITY, DAffine3::IDENTITY, at(HIPS, 0.0)];
        let mesh = |moved: &[u32]| placed(&rig(rest, bound), moved).matrix3.determinant();
        assert!((mesh(&[THIGH_NODE]) - 1e6).abs() < 1e-3, "of its own joint's size");
        assert!((mesh(&[HIPS_NODE, THIGH_NODE]) - 1.0).abs() < 1e-9, "of the size of what moves it too");
    }
}
