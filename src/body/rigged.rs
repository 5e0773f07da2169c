//! A rig with its clip: nodes, joints and parts at a moment.

use std::borrow::Cow;
use std::ops::Range;

use super::bind_pose::{self, Roots};
use super::error::BodyError;
use super::motion::{self, Local, affines};
use super::parts::FRAMES;
use super::playback::Closing;
use super::skinning::{Columns, pose_part, to_columns};
use super::{JointId, Moment};
use crate::geometry::{Aabb, DAffine3, DVec3, Vec3, nearby_origin, smooth_step};
use crate::import::{BodyPart, Clip, Rig};

/// A rig and which of its clips moves it.
#[derive(Clone, Debug)]
pub(super) struct Rigged {
    rig: Rig,
    clip: Option<usize>,
    /// Node of each [`JointId`], ascending.
    joints: Vec<u32>,
    bind: Vec<Local>,
    /// World transforms of all nodes in the bind pose, as the file has them.
    bind_worlds: Vec<DAffine3>,
    /// Where the bind pose's roots stand.
    roots: Roots,
    /// Where the clip closes, if it is played round and round.
    closing: Option<Closing>,
    /// Part of the body that each of `joints` moves; their sum is 1.
    shares: Vec<f64>,
    /// Diagonal of the box around the bind pose, metres.
    size: f64,
    /// Where positions count from, metres in the world.
    origins: Origins,
}

/// Where positions of the bind pose and of the clip count from.
#[derive(Clone, Copy, Debug, Default)]
struct Origins {
    bind: DVec3,
    clip: DVec3,
    /// Way by which the bind pose stands elsewhere than in the file.
    bind_way: DVec3,
}

/// How far a joint that was bound in two places is from the one to the other at least, as a part of the body's size.
const BESIDE: f64 = 1e-3;
/// How far the clip may begin from the bind pose, as parts of the body's size, for the way from one to the other to lead over the
/// ground, and from where on it turns and bends on the spot instead: cloth would be dragged along.
const ELSEWHERE: [f64; 2] = [0.3, 0.6];

impl Rigged {
    pub(super) fn new(rig: Rig, clip: Option<&str>) -> Result<Rigged, BodyError> {
        let clip = match clip {
            Some(asked) => Some(find_clip(&rig, asked)?),
            None => (!rig.clips.is_empty()).then_some(0),
        };
        Ok(Rigged::of(rig, clip, Roots::Resting))
    }

    /// A rig moved by the clip of that index.
    fn of(rig: Rig, clip: Option<usize>, roots: Roots) -> Rigged {
        let rigid = rig.parts.iter().filter(|part| part.skin.is_none()).map(|part| part.node);
        let mut joints: Vec<u32> = rig.skins.iter().flat_map(|skin| skin.joints.iter().copied()).chain(rigid).collect();
        joints.sort_unstable();
        joints.dedup();
        let shares = shares(&rig, &joints);
        let moved = joints.iter().zip(&shares).filter(|(_, share)| **share > 0.0).map(|(joint, _)| *joint);
        let bind = bind_pose::bind(&rig, moved, roots);
        let (size, origins) = (0.0, Origins::default());
        let bind_worlds = rig.worlds(affines(&rig, &bind));
        let mut body = Rigged { rig, clip, joints, bind, bind_worlds, roots, closing: None, shares, size, origins };
        let middle = |moment| nearby_origin(body.middle(&body.worlds_in_file(moment)));
        let clip = middle(Moment::At(body.clip_range().0));
        body.origins = Origins { bind: middle(Moment::Bind), clip, ..Origins::default() };
        let mut bound = Vec::new();
        body.pose(Moment::Bind, &mut bound);
        body.size = f64::from(Aabb::around(&bound).size().length());
        body
    }

    /// The same body with another rig, whose clips are the same.
    pub(super) fn with_rig(&self, rig: Rig) -> Rigged {
        Rigged::of(rig, self.clip, self.roots)
    }

    /// The same body bound where its mesh stands in its file; none if it stands there.
    pub(super) fn bound_as_in_file(&self) -> Option<Rigged> {
        let other = Rigged::of(self.rig.clone(), self.clip, Roots::AsBound);
        let ways = self.bind_worlds.iter().zip(&other.bind_worlds).map(|(own, other)| {
            let [own, other] = [own, other].map(|world| world.translation);
            own.distance(other)
        });
        (ways.fold(0.0, f64::max) > BESIDE * self.size).then_some(other)
    }

    pub(super) fn origin(&self, moment: Moment) -> DVec3 {
        match moment {
            Moment::Bind => self.origins.bind,
            _ => self.origins.clip,
        }
    }

    pub(super) fn counted_from(self, bind: DVec3, clip: DVec3) -> Rigged {
        Rigged { origins: Origins { bind, clip, ..self.origins }, ..self }
    }

    pub(super) fn with_bind_moved(self, bind_way: DVec3) -> Rigged {
        Rigged { origins: Origins { bind_way, ..self.origins }, ..self }
    }

    /// Where the body is as a whole, metres in the world.
    pub(super) fn middle_at(&self, moment: Moment) -> DVec3 {
        self.middle(&self.worlds(moment)) + self.origin(moment)
    }

    /// Where nodes have the body as a whole: its joints, as much as each moves of it.
    fn middle(&self, worlds: &[DAffine3]) -> DVec3 {
        let place = |&node: &u32| worlds.get(node as usize).map_or(DVec3::ZERO, |world| world.translation);
        self.joints.iter().map(place).zip(&self.shares).map(|(place, share)| place * *share).sum()
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
            Moment::Between { seconds, amount } => {
                let [from, to] = seconds.map(|seconds| self.locals(Moment::At(seconds)));
                motion::between(&from, &to, amount)
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

    /// Transforms of all nodes, from where positions count at `moment`.
    fn worlds(&self, moment: Moment) -> Vec<DAffine3> {
        let mut worlds = self.worlds_in_file(moment).into_owned();
        let way = match moment {
            Moment::Bind => self.origins.bind_way,
            Moment::At(_) | Moment::Between { .. } => DVec3::ZERO,
            Moment::FromBind { seconds, amount } => self.way_beside_clip(&worlds, seconds, amount),
        };
        let way = way - self.origin(moment);
        if way != DVec3::ZERO {
            worlds.iter_mut().for_each(|world| world.translation += way);
        }
        worlds
    }

    /// What brings a pose between bind pose and clip to where the clip is, if that is elsewhere. At the start the bind pose stands
    /// there on its own ground; at the end nothing is left to go.
    fn way_beside_clip(&self, worlds: &[DAffine3], seconds: f64, amount: f64) -> DVec3 {
        let in_clip = self.worlds_in_file(Moment::At(seconds));
        let [bind, clip] = [&self.bind_worlds, &in_clip[..]].map(|worlds| self.middle(worlds));
        let way = self.way_to(&in_clip);
        let goes = (bind + way).lerp(clip, amount) - self.middle(worlds);
        goes * (way.length() / (clip - bind).length().max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// The way by which the bind pose comes to stand where the clip is at `seconds`, metres; zero where that is near.
    pub(super) fn way_to_clip(&self, seconds: f64) -> DVec3 {
        self.way_to(&self.worlds_in_file(Moment::At(seconds)))
    }

    /// The same with the clip's world transforms of all nodes.
    fn way_to(&self, in_clip: &[DAffine3]) -> DVec3 {
        let [near, far] = ELSEWHERE.map(|part| part * self.size.max(f64::MIN_POSITIVE));
        let way = self.way_of_root(in_clip, near);
        let gone = |way: DVec3| way * smooth_step(near, far, way.length());
        gone(DVec3::new(way.x, 0.0, way.z)) + gone(DVec3::Y * way.y)
    }

    /// The way from the bind pose to the clip of the uppermost node that goes as the body does, but for `near` metres: limbs that
    /// swing do not count in it.
    fn way_of_root(&self, in_clip: &[DAffine3], near: f64) -> DVec3 {
        let middle = self.middle(in_clip) - self.middle(&self.bind_worlds);
        let mut ways = self.bind_worlds.iter().zip(in_clip).map(|(bind, clip)| clip.translation - bind.translation);
        ways.find(|way| way.distance(middle) <= near).unwrap_or(middle)
    }

    /// World transforms of all nodes.
    fn worlds_in_file(&self, moment: Moment) -> Cow<'_, [DAffine3]> {
        match moment {
            Moment::Bind => Cow::Borrowed(&self.bind_worlds),
            _ => Cow::Owned(self.rig.worlds(affines(&self.rig, &self.locals(moment)))),
        }
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
        let at = |seconds| at(seconds).unwrap_or_else(rest);
        let between = |from: Vec<f32>, to: Vec<f32>, amount: f64| {
            from.iter().zip(&to).map(|(from, to)| from + (to - from) * amount as f32).collect()
        };
        match moment {
            Moment::Bind => rest(),
            Moment::At(seconds) => at(seconds),
            Moment::FromBind { seconds, amount } => between(rest(), at(seconds), amount),
            Moment::Between { seconds: [from, to], amount } => between(at(from), at(to), amount),
        }
    }

    /// The triangles of meshes that no skeleton moves, but morph targets.
    pub(super) fn morphing_triangles(&self) -> Vec<[u32; 3]> {
        let own = |(part, vertices): (&BodyPart, Range<u32>)| {
            part.triangles.iter().map(|t| t.map(|corner| corner + vertices.start)).collect::<Vec<_>>()
        };
        let parts = self.rig.parts.iter().zip(self.part_vertices());
        parts.filter(|(part, _)| self.morphs(part)).flat_map(own).collect()
    }

    /// The node of the first of them, or any.
    pub(super) fn morphing_joint(&self) -> JointId {
        let first = self.rig.parts.iter().find(|part| self.morphs(part));
        JointId(first.and_then(|part| self.joints.binary_search(&part.node).ok()).unwrap_or(0) as u32)
    }

    fn morphs(&self, part: &BodyPart) -> bool {
        let is_animated = |clip: &Clip| motion::morph_weights(clip, part.node, 0.0).is_some();
        part.skin.is_none() && !part.morph_targets.is_empty() && self.clip().is_some_and(is_animated)
    }

    /// Some poses of the clip, if anything morphs.
    pub(super) fn sampled_frames(&self) -> Vec<Vec<Vec3>> {
        let (first, last) = self.clip_range();
        let posed = |frame: usize| {
            let mut positions = Vec::new();
            self.pose(Moment::At(first + (last - first) * frame as f64 / FRAMES as f64), &mut positions);
            positions
        };
        let any_morphs = self.rig.parts.iter().any(|part| self.morphs(part));
        if any_morphs { (0..=FRAMES).map(posed).collect() } else { Vec::new() }
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

/// Part of the body that each of `joints` moves.
fn shares(rig: &Rig, joints: &[u32]) -> Vec<f64> {
    let mut shares = vec![0.0; joints.len()];
    for part in &rig.parts {
        for (node, weight) in (0..part.positions.len()).flat_map(|vertex| rig.movers(part, vertex)) {
            if let Ok(index) = joints.binary_search(&node) {
                shares[index] += f64::from(weight);
            }
        }
    }
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|share| if sum > 0.0 { share / sum } else { 0.0 }).collect()
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
