//! What a body is made from: a rig or a sequence of meshes.

use std::borrow::Cow;

use super::rigged::Rigged;
use super::sequence::Sequence;
use super::{JointId, Moment};
use crate::geometry::Vec3;

/// What moves a body.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Rigged(Box<Rigged>),
    Sequence(Box<Sequence>),
}

impl Source {
    /// First and last key, seconds; (0, 0) without a clip.
    pub(super) fn clip_range(&self) -> (f64, f64) {
        match self {
            Source::Rigged(body) => body.clip_range(),
            Source::Sequence(body) => body.clip_range(),
        }
    }

    /// The triangles of what moves without joints.
    pub(super) fn jointless_triangles(&self) -> Vec<[u32; 3]> {
        match self {
            Source::Rigged(body) => body.morphing_triangles(),
            Source::Sequence(body) => body.triangles(),
        }
    }

    /// The joint that stands for what moves without joints as a whole.
    pub(super) fn jointless(&self) -> JointId {
        match self {
            Source::Rigged(body) => body.morphing_joint(),
            Source::Sequence(_) => JointId(0),
        }
    }

    /// Some frames of the clip, from which parts are found; none where joints move everything.
    pub(super) fn sampled_frames(&self) -> Vec<Cow<'_, [Vec3]>> {
        match self {
            Source::Rigged(body) => body.sampled_frames().into_iter().map(Cow::Owned).collect(),
            Source::Sequence(body) => body.sampled_frames().map(|frame| Cow::Borrowed(frame.as_slice())).collect(),
        }
    }

    /// Appends the vertices at a moment of the clip.
    pub(super) fn pose(&self, moment: Moment, positions: &mut Vec<Vec3>) {
        match self {
            Source::Rigged(body) => body.pose(moment, positions),
            Source::Sequence(body) => body.pose(moment, positions),
        }
    }
}
