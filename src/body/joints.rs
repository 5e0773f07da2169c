//! The joints of a body, and the parts that stand for joints where there are none.

use super::source::Source;
use super::{Body, Moment, anatomy};
use crate::geometry::DAffine3;
use crate::import::listed;

/// A joint, or a node that carries a rigid mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub u32);

/// Most joints named where one is not there.
const NAMES_SHOWN: usize = 30;

/// That a body has no joint that was named, and which it has, as the rest of a sentence that names the joint.
pub(crate) fn lacking(body: Option<&Body>) -> String {
    body.map_or("but there is no body".to_owned(), |body| {
        format!("which the body does not have; it has {}", listed(body.joint_names(), NAMES_SHOWN))
    })
}

impl Body {
    /// Names of all joints, indexed by [`JointId`]. Behind them are the parts, by how they move, of a mesh that no joint moves: an
    /// OBJ sequence, or one that morphs.
    pub fn joint_names(&self) -> &[String] {
        &self.joint_names
    }

    /// Name of a joint; empty for one that the body has not.
    pub fn joint_name(&self, joint: JointId) -> &str {
        self.joint_names.get(joint.0 as usize).map_or("", String::as_str)
    }

    /// The joint of this name; else the one that a name of another convention means: `left_knee`, `LeftLeg` and `shin.L` are the
    /// same joint.
    pub fn joint_named(&self, name: &str) -> Option<JointId> {
        anatomy::find_joint(&self.joint_names, name).map(|index| JointId(index as u32))
    }

    /// The joint with the greatest weight on `vertex`; for a rigid part its node, for what moves without joints the part it moves
    /// with.
    pub fn main_joint(&self, vertex: u32) -> JointId {
        match (self.parts.of(vertex), &self.source) {
            (0, Source::Rigged(body)) => body.main_joint(vertex).unwrap_or(JointId(0)),
            (part, _) => self.joint_of_part(part),
        }
    }

    /// The nearest joint above `joint` in the skeleton; of a part the one next to it on the way to the largest.
    pub fn parent_joint(&self, joint: JointId) -> Option<JointId> {
        let part = (joint.0 + 1).saturating_sub(self.joints_of_file());
        match &self.source {
            _ if part > 0 => self.parts.above(part).map(|above| self.joint_of_part(above)),
            Source::Rigged(body) => body.parent_joint(joint),
            Source::Sequence(_) => None,
        }
    }

    /// Number of joints that the file has, a sequence counting as one.
    fn joints_of_file(&self) -> u32 {
        (self.joint_names.len() + 1 - self.parts.count()) as u32
    }

    fn joint_of_part(&self, part: u32) -> JointId {
        if part == 0 { self.jointless } else { JointId(self.joints_of_file() + part - 1) }
    }

    /// A joint and those above it, up to the root.
    pub fn line_of(&self, joint: JointId) -> impl Iterator<Item = JointId> {
        std::iter::successors(Some(joint), |&joint| self.parent_joint(joint))
    }

    /// Transforms of all joints at `moment`, from [`Body::origin`] on, indexed by [`JointId`]; identities for an OBJ
    /// sequence. Parts have that of what they are parts of.
    pub fn joint_transforms(&self, moment: Moment) -> Vec<DAffine3> {
        let mut transforms = match &self.source {
            Source::Rigged(body) => body.joint_transforms(self.in_clip(moment)),
            Source::Sequence(_) => vec![DAffine3::IDENTITY],
        };
        let whole = transforms.get(self.jointless.0 as usize).copied().unwrap_or(DAffine3::IDENTITY);
        transforms.resize(self.joint_names.len(), whole);
        transforms
    }

    /// Transform of one joint at `moment`, from [`Body::origin`] on.
    pub fn joint_transform(&self, joint: JointId, moment: Moment) -> DAffine3 {
        self.joint_transforms(moment).get(joint.0 as usize).copied().unwrap_or(DAffine3::IDENTITY)
    }
}
