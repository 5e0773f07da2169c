//! [`BodyAsset`](crate::import::BodyAsset) + clip -> a triangle mesh at any moment.

use crate::geometry::{DAffine3, DQuat, DVec3, Vec3};
use crate::import::Rig;

/// A moment in a body's life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// The pose the skin was bound in: vertices where the mesh itself has them (skinned parts), rigid parts on nodes at rest.
    Bind,
    /// The clip at this many seconds on its own time line, held (or wrapped, for a clip that closes) outside its keys.
    At(f64),
    /// On the way from [`Moment::Bind`] to the clip at `seconds`: joint rotations are interpolated, `amount` in [0, 1].
    FromBind {
        /// Where the way leads.
        seconds: f64,
        /// How far along it.
        amount: f64,
    },
}

/// A joint, or a node that carries a rigid mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub u32);

/// A body with the clip that moves it. Vertices of all parts one after the other; topology never changes.
#[derive(Clone, Debug)]
pub struct Body {
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    joint_names: Vec<String>,
    clip_range: (f64, f64),
}

impl Body {
    /// Number of vertices of all parts.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Triangles of all parts.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Names of all joints, indexed by [`JointId`].
    pub fn joint_names(&self) -> &[String] {
        &self.joint_names
    }

    /// First and last key of the clip, seconds.
    pub fn clip_range(&self) -> (f64, f64) {
        self.clip_range
    }

    /// Whether the clip's last pose is its first (within a millimetre for a person), so that it is repeated outside its keys.
    pub fn is_cyclic(&self) -> bool {
        false
    }

    /// Vertex positions at `moment`, metres. `positions` is cleared and filled with [`Body::vertex_count`] entries.
    pub fn pose(&self, moment: Moment, positions: &mut Vec<Vec3>) {
        let _ = moment;
        positions.clear();
    }

    /// The joint with the greatest weight on `vertex`; for a rigid part its node.
    pub fn main_joint(&self, vertex: u32) -> JointId {
        let _ = vertex;
        JointId(0)
    }

    /// World transform of a joint at `moment`.
    pub fn joint_transform(&self, joint: JointId, moment: Moment) -> DAffine3 {
        let _ = (joint, moment);
        DAffine3::IDENTITY
    }

    /// The rig that moves this body; none for a mesh sequence.
    pub fn rig(&self) -> Option<&Rig> {
        None
    }

    /// Translation, rotation and scale of every node of the rig at `moment`, relative to its parent.
    pub fn node_transforms_local(&self, moment: Moment) -> Vec<(DVec3, DQuat, DVec3)> {
        let _ = moment;
        Vec::new()
    }

    /// Weights of the morph targets of a part of the rig at `moment`.
    pub fn morph_weights(&self, part: usize, moment: Moment) -> Vec<f32> {
        let _ = (part, moment);
        Vec::new()
    }
}
