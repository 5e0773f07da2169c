//! The pose that the skins of a rig were bound in.
//!
//! ```text
//!  armature                at rest
//!    `-- hips              at rest, or upright as they were bound where they lean at rest     inverse binds know only
//!          `-- thigh       as the inverse binds of hips and thigh say                         one from the other
//! ```
//!
//! So the bound mesh stands where its skeleton's root stands, upright also in files whose meshes lie down.

use super::motion::{Local, affine, rest};
use crate::geometry::{DAffine3, DMat3, DQuat, DVec3, decompose};
use crate::import::{Rig, Skin};

/// Cosine of the angle from the vertical within which an axis of a bound mesh stands upright.
const UPRIGHT: f64 = 0.98;
/// How far a root leans at rest at most for the mesh to stand as its file or its armature has it, radians: beyond that it was turned.
const LEANING: f64 = 1.05;
/// How many times as large a joint is at most as its inverse bind and that of the joint above say, for these to be of one pose.
const OF_ONE_SIZE: f64 = 2.0;

/// Nodes in the pose the skins were bound in.
///
/// A joint whose parent is a joint of the same skin stands as their inverse bind matrices say, `inverse(bind of joint) seen
/// from bind of parent`; other nodes, the uppermost joints of a skin among them, stand at rest. Rest is a moment of the clip in some
/// files: a root that leans then is put upright. Joints that move nothing may have inverse binds that say nothing; what hangs from
/// such a one is an uppermost joint.
pub(super) fn bind(rig: &Rig) -> Vec<Local> {
    let mut locals = rest(rig);
    let mut known = vec![false; locals.len()];
    let mut roots: Vec<Option<DAffine3>> = vec![None; locals.len()];
    for (index, skin) in rig.skins.iter().enumerate() {
        let bound = Bound::of(rig, index, skin);
        for joint in skin.joints.iter().map(|&joint| joint as usize).filter(|&joint| joint < rig.nodes.len()) {
            if let Some(local) = bound.seen_from_parent(joint) {
                if !std::mem::replace(&mut known[joint], true) {
                    locals[joint] = local;
                }
            } else {
                roots[joint] = roots[joint].or(bound.inverse_bind[joint]);
            }
        }
    }
    let mut worlds: Vec<DAffine3> = Vec::with_capacity(locals.len());
    for (index, node) in rig.nodes.iter().enumerate() {
        let parent = node.parent.map_or(DAffine3::IDENTITY, |parent| worlds[parent as usize]);
        let world = parent * affine(node, locals[index]);
        let root = roots[index].filter(|_| !known[index] && node.matrix.is_none());
        let put_upright = root.and_then(|inverse_bind| {
            let bound = upright(world * inverse_bind, parent)? * inverse_bind.inverse();
            Some((Local::of(parent.inverse() * bound)?, bound))
        });
        worlds.push(put_upright.map_or(world, |(_, world)| world));
        locals[index] = put_upright.map_or(locals[index], |(local, _)| local);
    }
    locals
}

/// A skin and what it says of where its joints were bound.
struct Bound<'a> {
    rig: &'a Rig,
    /// Inverse bind matrix of each node that is a joint of the skin.
    inverse_bind: Vec<Option<DAffine3>>,
    /// Which nodes move some of its mesh, or hang from one that does.
    moves: Vec<bool>,
}

impl<'a> Bound<'a> {
    fn of(rig: &'a Rig, index: usize, skin: &Skin) -> Bound<'a> {
        let (mut inverse_bind, mut moves) = (vec![None; rig.nodes.len()], vec![false; rig.nodes.len()]);
        for (&joint, inverse) in skin.joints.iter().zip(&skin.inverse_bind) {
            if let Some(slot) = inverse_bind.get_mut(joint as usize) {
                *slot = Some(*inverse);
            }
        }
        for part in rig.parts.iter().filter(|part| part.skin == Some(index as u32)) {
            let weighted = part.weights.joints.iter().zip(&part.weights.weights).filter(|(_, weight)| **weight > 0.0);
            for joint in weighted.filter_map(|(&joint, _)| skin.joints.get(usize::from(joint))) {
                moves.get_mut(*joint as usize).into_iter().for_each(|moves| *moves = true);
            }
        }
        for (index, node) in rig.nodes.iter().enumerate() {
            moves[index] |= node.parent.is_some_and(|parent| moves[parent as usize]);
        }
        Bound { rig, inverse_bind, moves }
    }

    /// Where a joint was bound, seen from the joint above it; none for an uppermost one.
    fn seen_from_parent(&self, joint: usize) -> Option<Local> {
        let parent = self.rig.nodes[joint].parent? as usize;
        let (above, own) = (self.inverse_bind[parent]?, self.inverse_bind[joint]?);
        let local = Local::of(above * own.inverse()).filter(|_| own.matrix3.determinant() != 0.0)?;
        let [bound, rest] = [local.scale, self.rig.nodes[joint].scale].map(|s| libm::cbrt(s.abs().element_product()));
        let is_of_one_size = bound < OF_ONE_SIZE * rest && rest < OF_ONE_SIZE * bound;
        (is_of_one_size || self.moves[parent]).then_some(local)
    }
}

/// What puts a bound mesh upright, if it leans as `placed` has it: the way its file has it or else that of the `armature` its root hangs
/// on, whichever is nearer, in its own size.
fn upright(placed: DAffine3, armature: DAffine3) -> Option<DAffine3> {
    let (_, turn, scale) = decompose(placed)?;
    let is_upright = DMat3::from_quat(turn).row(1).abs().max_element() > UPRIGHT;
    if is_upright || scale.min_element() <= 0.0 {
        return None;
    }
    let of_armature = decompose(armature).map(|(translation, turn, _)| (turn, translation));
    let candidates = [Some((DQuat::IDENTITY, DVec3::ZERO)), of_armature].into_iter().flatten();
    let angle = |(candidate, _): &(DQuat, DVec3)| 2.0 * libm::acos(candidate.dot(turn).abs().min(1.0));
    let stands = |(turn, _): &(DQuat, DVec3)| DMat3::from_quat(*turn).row(1).abs().max_element() > UPRIGHT;
    let near = candidates.filter(stands).filter(|candidate| angle(candidate) < LEANING);
    let (turn, translation) = near.min_by(|a, b| angle(a).total_cmp(&angle(b)))?;
    Some(DAffine3::from_scale_rotation_translation(scale, turn, translation))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    use super::*;
    use crate::import::{BodyNode, BodyPart, SkinWeights};

    /// Armature, hips and a thigh, each relative to the one above; bound where `bound` has hips and thigh, and moving the mesh as
    /// `weighted` says.
    fn rig(rest: [DAffine3; 3], bound: [DAffine3; 2], weighted: &[u16]) -> Rig {
        let mut rig = Rig::default();
        for (index, (affine, name)) in rest.into_iter().zip(["armature", "hips", "thigh"]).enumerate() {
            let (translation, rotation, scale) = decompose(affine).expect("a transform");
            let parent = index.checked_sub(1).map(|parent| parent as u32);
            rig.nodes.push(BodyNode { name: name.to_owned(), parent, translation, rotation, scale, matrix: None });
        }
        rig.skins.push(Skin { joints: vec![1, 2], inverse_bind: bound.map(|bound| bound.inverse()).to_vec() });
        let weights =
            SkinWeights { joints: weighted.to_vec(), weights: vec![1.0; weighted.len()], ..Default::default() };
        rig.parts.push(BodyPart { skin: Some(0), weights, ..BodyPart::default() });
        rig
    }

    /// How the thigh places the mesh in the bind pose.
    fn placed(rig: &Rig) -> DAffine3 {
        let locals = bind(rig);
        let worlds = rig.worlds(rig.nodes.iter().zip(locals).map(|(node, local)| affine(node, local)));
        worlds[2] * rig.skins[0].inverse_bind[1]
    }

    fn at(y: f64, turn: f64) -> DAffine3 {
        DAffine3::from_rotation_translation(DQuat::from_rotation_x(turn), DVec3::Y * y)
    }

    const HIPS: f64 = 0.9;

    #[test]
    fn a_root_that_leans_at_rest_is_put_upright_and_one_that_was_turned_is_not() {
        let bound = [at(HIPS, 0.0), at(HIPS, 0.0) * at(-0.1, 3.0)];
        let leaning = |turn: f64| placed(&rig([DAffine3::IDENTITY, at(0.7, turn), at(-0.1, 2.0)], bound, &[0, 1]));
        assert!(leaning(FRAC_PI_4).abs_diff_eq(DAffine3::IDENTITY, 1e-9), "where the file has the mesh");
        assert!(leaning(0.1).abs_diff_eq(at(0.7, 0.1) * at(HIPS, 0.0).inverse(), 1e-9), "at rest");
        assert!(leaning(FRAC_PI_2).abs_diff_eq(at(0.7, FRAC_PI_2) * at(HIPS, 0.0).inverse(), 1e-9), "lies on purpose");
    }

    #[test]
    fn a_mesh_that_lies_is_put_upright_as_its_armature_has_it() {
        let bound = [at(HIPS, 0.0), at(HIPS, 0.0) * at(-0.1, 3.0)];
        let armature = at(0.2, -FRAC_PI_2);
        let placed = placed(&rig([armature, at(0.8, 0.5), at(-0.1, 2.0)], bound, &[0, 1]));
        assert!(placed.abs_diff_eq(armature, 1e-9), "{placed}");
    }

    #[test]
    fn what_hangs_from_a_joint_that_moves_nothing_and_was_bound_in_another_size_stands_at_rest() {
        let small = DAffine3::from_scale(DVec3::splat(0.01));
        let bound = [DAffine3::IDENTITY, small * at(90.0, 0.0)];
        let rest = [DAffine3::IDENTITY, DAffine3::IDENTITY, at(HIPS, 0.0)];
        let mesh = |weighted: &[u16]| placed(&rig(rest, bound, weighted)).matrix3.determinant();
        assert!((mesh(&[1]) - 1e6).abs() < 1e-3, "of its own joint's size");
        assert!((mesh(&[0, 1]) - 1.0).abs() < 1e-9, "of the size of what moves it too");
    }
}
