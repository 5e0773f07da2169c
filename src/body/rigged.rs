//! A rig with its clip: nodes, joints and parts at a moment.

use std::ops::Range;

use super::error::BodyError;
use super::motion::{self, Local};
use super::playback::Closing;
use super::skinning::{Columns, pose_part, to_columns};
use super::{JointId, Moment};
use crate::geometry::{DAffine3, Vec3};
use crate::import::{BodyNode, BodyPart, Clip, Rig};

/// A rig and which of its clips moves it.
#[derive(Clone, Debug)]
pub(super) struct Rigged {
    rig: Rig,
    clip: Option<usize>,
    /// Node of each [`JointId`], ascending.
    joints: Vec<u32>,
    bind: Vec<Local>,
    /// Where the clip closes, if it is played round and round.
    closing: Option<Closing>,
}

impl Rigged {
    pub(super) fn new(rig: Rig, clip: Option<&str>) -> Result<Rigged, BodyError> {
        let clip = match clip {
            Some(asked) => Some(find_clip(&rig, asked)?),
            None => (!rig.clips.is_empty()).then_some(0),
        };
        let rigid = rig.parts.iter().filter(|part| part.skin.is_none()).map(|part| part.node);
        let mut joints: Vec<u32> = rig.skins.iter().flat_map(|skin| skin.joints.iter().copied()).chain(rigid).collect();
        joints.sort_unstable();
        joints.dedup();
        let bind = motion::bind(&rig);
        Ok(Rigged { rig, clip, joints, bind, closing: None })
    }

    pub(super) fn closed(self, closing: Closing) -> Rigged {
        Rigged { closing: Some(closing), ..self }
    }

    pub(super) fn rig(&self) -> &Rig {
        &self.rig
    }

    pub(super) fn clip(&self) -> Option<&Clip> {
        self.rig.clips.get(self.clip?)
    }

    pub(super) fn clip_range(&self) -> (f64, f64) {
        self.clip().map_or((0.0, 0.0), motion::clip_range)
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.rig.parts.iter().map(|part| part.positions.len()).sum()
    }

    pub(super) fn part_vertices(&self) -> Vec<Range<u32>> {
        let mut start = 0;
        let mut next = |part: &BodyPart| {
            let range = start..start + part.positions.len() as u32;
            start = range.end;
            range
        };
        self.rig.parts.iter().map(&mut next).collect()
    }

    /// Triangles of all parts; those of mirrored parts are turned.
    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        let worlds = self.rig.rest_worlds();
        let mut triangles = Vec::new();
        for (part, vertices) in self.rig.parts.iter().zip(self.part_vertices()) {
            let mirrored = self.rig.is_mirrored(part, &worlds);
            triangles.extend(part.triangles.iter().map(|&[a, b, c]| {
                let turned = if mirrored { [a, c, b] } else { [a, b, c] };
                turned.map(|corner| corner + vertices.start)
            }));
        }
        triangles
    }

    pub(super) fn joint_names(&self) -> Vec<String> {
        let name = |&joint: &u32| self.rig.nodes.get(joint as usize).map_or(String::new(), |node| node.name.clone());
        self.joints.iter().map(name).collect()
    }

    /// Local transforms of all nodes.
    pub(super) fn locals(&self, moment: Moment) -> Vec<Local> {
        match moment {
            Moment::Bind => self.bind.clone(),
            Moment::At(seconds) => {
                let locals = self.locals_of_clip(seconds);
                match self.closing.and_then(|closing| Some((closing.ends, closing.part(seconds)?))) {
                    None => locals,
                    Some((ends, part)) => {
                        let [start, end] = ends.map(|seconds| self.locals_of_clip(seconds));
                        motion::carried_over(&locals, &end, &start, part)
                    }
                }
            }
            Moment::FromBind { seconds, amount } => {
                motion::between(&self.bind, &self.locals(Moment::At(seconds)), amount)
            }
        }
    }

    /// Local transforms of all nodes as the clip has them.
    fn locals_of_clip(&self, seconds: f64) -> Vec<Local> {
        let mut locals = motion::rest(&self.rig);
        if let Some(clip) = self.clip() {
            motion::apply(clip, seconds, &mut locals);
        }
        locals
    }

    /// World transforms of all nodes.
    fn worlds(&self, moment: Moment) -> Vec<DAffine3> {
        let locals = self.locals(moment);
        let affine = |(node, local): (&BodyNode, &Local)| node.matrix.unwrap_or_else(|| local.affine());
        let locals: Vec<DAffine3> = self.rig.nodes.iter().zip(&locals).map(affine).collect();
        self.rig.worlds(&locals)
    }

    pub(super) fn pose(&self, moment: Moment, out: &mut Vec<Vec3>) {
        let worlds = self.worlds(moment);
        let columns = |skin| self.rig.skin_matrices(skin, &worlds).into_iter().map(to_columns).collect();
        let skins: Vec<Vec<Columns>> = self.rig.skins.iter().map(columns).collect();
        for part in &self.rig.parts {
            let weights = self.part_morph_weights(part, moment);
            let node = worlds.get(part.node as usize).copied().map(to_columns);
            let skin = part.skin.and_then(|skin| skins.get(skin as usize)).map(Vec::as_slice);
            pose_part(part, &weights, skin.unwrap_or(node.as_slice()), out);
        }
    }

    pub(super) fn morph_weights(&self, part: usize, moment: Moment) -> Vec<f32> {
        self.rig.parts.get(part).map_or(Vec::new(), |part| self.part_morph_weights(part, moment))
    }

    fn part_morph_weights(&self, part: &BodyPart, moment: Moment) -> Vec<f32> {
        let rest = || part.morph_weights.clone();
        if part.morph_targets.is_empty() {
            return Vec::new();
        }
        let of_clip = |seconds| self.clip().and_then(|clip| motion::morph_weights(clip, part.node, seconds));
        let at = |seconds| {
            let mut weights = of_clip(seconds)?;
            if let Some((closing, share)) = self.closing.and_then(|c| Some((c, c.part(seconds)?))) {
                let [start, end] = closing.ends.map(|seconds| of_clip(seconds).unwrap_or_default());
                for ((weight, start), end) in weights.iter_mut().zip(&start).zip(&end) {
                    *weight += (start - end) * share as f32;
                }
            }
            Some(weights)
        };
        match moment {
            Moment::Bind => rest(),
            Moment::At(seconds) => at(seconds).unwrap_or_else(rest),
            Moment::FromBind { seconds, amount } => {
                let target = at(seconds).unwrap_or_else(rest);
                rest().iter().zip(&target).map(|(from, to)| from + (to - from) * amount as f32).collect()
            }
        }
    }

    pub(super) fn main_joint(&self, vertex: u32) -> Option<JointId> {
        let (part, vertices) =
            self.rig.parts.iter().zip(self.part_vertices()).find(|(_, range)| range.contains(&vertex))?;
        let node = match part.skin.and_then(|skin| self.rig.skins.get(skin as usize)) {
            None => part.node,
            Some(skin) => {
                let influences = part.weights.of((vertex - vertices.start) as usize);
                let (joint, _) = influences.max_by(|(a, x), (b, y)| x.total_cmp(y).then(b.cmp(a)))?;
                skin.joints.get(joint).copied()?
            }
        };
        self.joints.binary_search(&node).ok().map(|index| JointId(index as u32))
    }

    pub(super) fn parent_joint(&self, joint: JointId) -> Option<JointId> {
        let parent = |node: u32| self.rig.nodes.get(node as usize).and_then(|node| node.parent);
        let mut above = std::iter::successors(parent(*self.joints.get(joint.0 as usize)?), |&node| parent(node));
        above.find_map(|node| self.joints.binary_search(&node).ok()).map(|index| JointId(index as u32))
    }

    pub(super) fn joint_transforms(&self, moment: Moment) -> Vec<DAffine3> {
        let worlds = self.worlds(moment);
        let world = |&node: &u32| worlds.get(node as usize).copied().unwrap_or(DAffine3::IDENTITY);
        self.joints.iter().map(world).collect()
    }
}

/// A clip by its exact name, else by its name in other case, else by its number.
fn find_clip(rig: &Rig, asked: &str) -> Result<usize, BodyError> {
    let named = |same: &dyn Fn(&str) -> bool| rig.clips.iter().position(|clip| same(&clip.name));
    let exact = named(&|name| name == asked);
    let similar = || named(&|name| name.to_lowercase() == asked.to_lowercase());
    let number = || asked.parse().ok().filter(|&index: &usize| index < rig.clips.len());
    exact.or_else(similar).or_else(number).ok_or_else(|| {
        let length = |clip: &Clip| {
            let (first, last) = motion::clip_range(clip);
            (clip.name.clone(), last - first)
        };
        BodyError::UnknownClip { asked: asked.to_owned(), clips: rig.clips.iter().map(length).collect() }
    })
}
