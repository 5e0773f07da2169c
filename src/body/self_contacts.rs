//! Where a body touches itself: an arm on the torso, a thigh on the other.
//!
//! Between two such places there is no room for cloth, and where they cross none at all: no simulation can keep it out of both.
//!
//! ```text
//!      /  arm   \            /  arm   \
//!     o          |          |     o    |        o a vertex of one part
//!  --/----------------   ---|----------|----
//!     gap       torso        \___x____/  torso  x the nearest place of the other: it faces the vertex (gap), or the vertex
//!                                                 lies behind it (overlap)
//! ```
//!
//! A part is what one joint moves most. Parts that belong together by the skeleton (a forearm and its upper arm) meet at their
//! joint all the time: there they count only where they cross deeply, and as a crease.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{Body, JointId, Moment};
use crate::geometry::{Aabb, Feature, SurfaceTree, Vec3, area_normals, joined_triangles};

/// Moments at which a body is looked at, at most.
const SAMPLES: usize = 48;
/// Vertices of a body that are looked at, at most.
const VERTICES: usize = 6000;
/// How deep in another part a vertex is looked for, as a part of the body's height.
const DEEPEST: f32 = 0.06;
/// Distance in the bind pose up to which two places of parts that belong together meet at their joint, as a part of the height.
const NEAR: f32 = 0.06;
/// Depth from which parts that belong together cross deeply, the same way.
const DEEP: f32 = 0.02;
/// Joints between two parts, one above the other in the skeleton, that still belong together.
const BELONGING: usize = 3;
/// Samples without contact between two with it that change nothing: limbs that slide along each other.
const BRIDGED: usize = 2;

/// Two parts of a body that touch or cross for some frames.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfContact {
    /// First and last index of the frames, both inclusive; as exact as the body was sampled.
    pub frames: [usize; 2],
    /// The joints that move the parts, ascending.
    pub joints: [JointId; 2],
    /// Smallest distance of the parts, metres; negative: as deep as they cross.
    pub gap: f32,
    /// Whether they only fold into each other at the joint between them, as a bent knee does.
    pub is_crease: bool,
}

/// How near two parts are.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// Metres.
    gap: f32,
    is_crease: bool,
}

impl Near {
    fn and(self, other: Near) -> Near {
        Near { gap: self.gap.min(other.gap), is_crease: self.is_crease && other.is_crease }
    }
}

/// Parts that touch, by their joints, ascending.
type Touching = BTreeMap<[JointId; 2], Near>;

/// Finds where parts of `body` come nearer to each other than `gap` metres, or cross, at moments in the order of frames. Of many
/// moments, only some are looked at.
pub fn self_contacts(body: &Body, moments: &[Moment], gap: f32) -> Vec<SelfContact> {
    let parts = Parts::new(body);
    let step = moments.len().div_ceil(SAMPLES).max(1);
    let sampled: Vec<usize> = (0..moments.len()).step_by(step).collect();
    let mut trees: Vec<SurfaceTree> =
        parts.surfaces.iter().map(|part| SurfaceTree::build(&parts.bound, part)).collect();
    // Parts that the body was made with inside each other are not meant, but for what they cross more than that.
    let made = parts.touching(body, Moment::Bind, gap, &mut trees);
    let is_meant = |joints: &[JointId; 2], gap: f32| made.get(joints).is_none_or(|m| gap < m.gap - DEEP * parts.height);
    let touching = |trees: &mut Vec<SurfaceTree>, &index: &usize| {
        let mut found = parts.touching(body, moments[index], gap, trees);
        found.retain(|joints, near| is_meant(joints, near.gap));
        found
    };
    let found: Vec<Touching> = sampled.par_iter().map_init(|| trees.clone(), touching).collect();
    let mut runs = runs(&sampled, &found, BRIDGED * step);
    // Between two moments that were looked at it is as at the first.
    runs.iter_mut().for_each(|run| run.frames[1] = (run.frames[1] + step - 1).min(moments.len() - 1));
    runs
}

/// Joins folds of a body: in so many frames, at these indices of frames, parts of these joints cross by so many metres.
pub fn joined_folds(frames: usize, folds: impl IntoIterator<Item = (usize, [JointId; 2], f32)>) -> Vec<SelfContact> {
    let mut found = vec![Touching::new(); frames];
    for (index, joints, depth) in folds {
        let fold = Near { gap: -depth, is_crease: true };
        found[index].entry(joints).and_modify(|known| *known = known.and(fold)).or_insert(fold);
    }
    let every: Vec<usize> = (0..frames).collect();
    runs(&every, &found, BRIDGED)
}

/// Joins what touches in samples that are not more than `bridged` frames apart beside the usual step.
fn runs(sampled: &[usize], found: &[Touching], bridged: usize) -> Vec<SelfContact> {
    let step = sampled.get(1).map_or(1, |second| second - sampled[0]);
    let mut open: BTreeMap<[JointId; 2], SelfContact> = BTreeMap::new();
    let mut done = Vec::new();
    for (&frame, touching) in sampled.iter().zip(found) {
        for (&joints, &near) in touching {
            let new = SelfContact { frames: [frame; 2], joints, gap: near.gap, is_crease: near.is_crease };
            let run = open.entry(joints).or_insert_with(|| new.clone());
            if frame > run.frames[1] + step + bridged {
                done.push(std::mem::replace(run, new));
            } else {
                let both = Near { gap: run.gap, is_crease: run.is_crease }.and(near);
                (run.frames[1], run.gap, run.is_crease) = (frame, both.gap, both.is_crease);
            }
        }
    }
    done.extend(open.into_values());
    done.sort_by_key(|run| (run.frames, run.joints));
    done
}

/// The parts of a body and how they hang together.
struct Parts {
    /// Triangles over joined vertices; none has a corner twice.
    triangles: Vec<[u32; 3]>,
    /// Vertices that are looked at, with their joints.
    looked_at: Vec<(u32, JointId)>,
    /// Whether triangles of several parts, or of one side only, meet in a vertex.
    is_rim: Vec<bool>,
    /// Vertices in the pose the body was bound in.
    bound: Vec<Vec3>,
    /// Joints that move triangles, ascending.
    joints: Vec<JointId>,
    /// The triangles of each: what is nearest of one part would be far to seek among those of all others.
    surfaces: Vec<Vec<[u32; 3]>>,
    /// For each pair of [`Parts::joints`] whether they belong together.
    belong: Vec<bool>,
    height: f32,
}

impl Parts {
    fn new(body: &Body) -> Parts {
        let mut bound = Vec::new();
        body.pose(Moment::Bind, &mut bound);
        let triangles = joined_triangles(&bound, body.surface());
        let joint_of: Vec<JointId> = triangles.iter().map(|t| body.main_joint(t[0])).collect();
        let mut first: Vec<Option<JointId>> = vec![None; bound.len()];
        let mut is_rim = vec![false; bound.len()];
        for (triangle, &joint) in triangles.iter().zip(&joint_of) {
            for &corner in triangle {
                let known = *first[corner as usize].get_or_insert(joint);
                is_rim[corner as usize] |= known != joint;
            }
        }
        let used: Vec<(u32, JointId)> = (0..).zip(&first).filter_map(|(v, joint)| Some((v, (*joint)?))).collect();
        let looked_at = used.iter().step_by(used.len().div_ceil(VERTICES).max(1)).copied().collect();
        let mut joints = joint_of.clone();
        joints.sort_unstable();
        joints.dedup();
        let of_joint = |joint: &JointId| {
            let own = triangles.iter().zip(&joint_of).filter(|(_, of)| *of == joint);
            own.map(|(&triangle, _)| triangle).collect()
        };
        let surfaces = joints.iter().map(of_joint).collect();
        let lines: Vec<Vec<u32>> = joints.iter().map(|&joint| line(body, joint, &joints)).collect();
        let belong = lines.iter().flat_map(|a| lines.iter().map(|b| belong_together(a, b))).collect();
        Parts { triangles, looked_at, is_rim, bound, joints, surfaces, belong, height: body.height() as f32 }
    }

    fn belong(&self, a: JointId, b: JointId) -> bool {
        let index = |joint| self.joints.binary_search(&joint).unwrap_or(0);
        self.belong[index(a) * self.joints.len() + index(b)]
    }

    /// The parts that come nearer than `gap` at `moment`, and how near. `trees` are over each part's triangles, fitted to any
    /// pose.
    fn touching(&self, body: &Body, moment: Moment, gap: f32, trees: &mut [SurfaceTree]) -> Touching {
        let mut positions = Vec::new();
        body.pose(moment, &mut positions);
        trees.iter_mut().for_each(|tree| tree.refit(&positions));
        let normals = self.normals(&positions);
        let boxes = self.boxes(&positions, gap);
        let mut found = Touching::new();
        for &(vertex, joint) in &self.looked_at {
            let at = positions[vertex as usize];
            let parts = self.joints.iter().zip(&boxes).zip(trees.iter().zip(&self.surfaces));
            for ((&other, (bounds, reach)), (tree, surface)) in parts {
                if other == joint || bounds.distance_squared(at) > reach * reach {
                    continue;
                }
                let found_there = tree.closest_where(at, *reach, &positions, surface, |_| true);
                let Some((triangle, closest, squared)) = found_there else { continue };
                let corners = surface[triangle as usize].map(|v| v as usize);
                if self.is_at_rim(corners, closest.feature) {
                    continue;
                }
                let outward = normals[corners[0]] * closest.barycentric.x
                    + normals[corners[1]] * closest.barycentric.y
                    + normals[corners[2]] * closest.barycentric.z;
                let distance = squared.sqrt().copysign((at - closest.point).dot(outward));
                let faces = outward.dot(normals[vertex as usize]) < 0.0;
                let bound_apart = self.bound[vertex as usize].distance(self.bound[corners[0]]);
                let is_crease = self.belong(joint, other) && bound_apart < NEAR * self.height;
                let limit = if is_crease { -DEEP * self.height } else { gap };
                if distance < limit && (distance < 0.0 || faces) {
                    let near = Near { gap: distance, is_crease };
                    let pair = [joint.min(other), joint.max(other)];
                    found.entry(pair).and_modify(|known| *known = known.and(near)).or_insert(near);
                }
            }
        }
        found
    }

    /// Whether the closest point lies where the part ends: what is behind it there may be in front of its neighbour.
    fn is_at_rim(&self, corners: [usize; 3], feature: Feature) -> bool {
        match feature {
            Feature::Face => false,
            Feature::Edge(e) => {
                let e = usize::from(e);
                self.is_rim[corners[e]] && self.is_rim[corners[(e + 1) % 3]]
            }
            Feature::Corner(c) => self.is_rim[corners[usize::from(c)]],
        }
    }

    /// Unit normals of vertices, weighted by area.
    fn normals(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let normals = area_normals(positions, self.triangles.iter().copied());
        normals.into_iter().map(Vec3::normalize_or_zero).collect()
    }

    /// Box of each part, and how far away its surface is looked for, metres: what is inside is no deeper than half its thickness.
    fn boxes(&self, positions: &[Vec3], gap: f32) -> Vec<(Aabb, f32)> {
        let of_part = |part: &Vec<[u32; 3]>| {
            let bounds = part.as_flattened().iter().fold(Aabb::EMPTY, |b, &v| b.with(positions[v as usize]));
            let deepest = 0.5 * bounds.size().min_element();
            (bounds, (gap + deepest).min(DEEPEST * self.height).max(gap))
        };
        self.surfaces.iter().map(of_part).collect()
    }
}

/// The joints with triangles from `joint` up to the root, `joint` first, as indices of `joints`.
fn line(body: &Body, joint: JointId, joints: &[JointId]) -> Vec<u32> {
    body.line_of(joint).filter_map(|joint| joints.binary_search(&joint).ok()).map(|index| index as u32).collect()
}

/// Whether one of two joints is a few joints above the other.
fn belong_together(a: &[u32], b: &[u32]) -> bool {
    let is_near =
        |line: &[u32], joint: Option<&u32>| joint.is_some_and(|j| line.iter().take(BELONGING + 1).any(|x| x == j));
    is_near(a, b.first()) || is_near(b, a.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_go_on_over_a_sample_without_and_end_at_more() {
        let pair = [JointId(1), JointId(2)];
        let touching =
            |gap: Option<f32>, is_crease| gap.map(|gap| (pair, Near { gap, is_crease })).into_iter().collect();
        let sampled: Vec<usize> = (0..10).map(|i| 2 * i).collect();
        let gaps = [Some(-0.01), None, Some(-0.02), None, None, None, None, Some(0.001), None, None];
        let found: Vec<Touching> = (0..).zip(gaps).map(|(i, gap)| touching(gap, i < 2 || i == 7)).collect();
        let contact = |frames, gap, is_crease| SelfContact { frames, joints: pair, gap, is_crease };
        assert_eq!(runs(&sampled, &found, 4), [contact([0, 4], -0.02, false), contact([14, 14], 0.001, true)]);
    }
}
