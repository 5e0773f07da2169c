//! A body as its file has it: nodes, meshes, skins, clips; or meshes of one topology, frame by frame.

use std::f64::consts::FRAC_1_SQRT_2;
use std::path::PathBuf;

use super::{Appearance, FileFrame, UpAxis};
use crate::geometry::{DAffine3, DQuat, DVec3, Vec2, Vec3};

/// A body read from a file, nothing evaluated yet. Lengths are metres, Y up.
#[derive(Clone, Debug)]
pub enum BodyAsset {
    /// Nodes, skins and clips of a glTF file.
    Rig(Rig),
    /// An OBJ sequence.
    Sequence(MeshSequence),
}

/// Nodes, meshes, skins and clips of a glTF file, with every index checked.
#[derive(Clone, Debug, Default)]
pub struct Rig {
    /// File stem.
    pub name: String,
    /// Nodes of the chosen scene, each behind its parent.
    pub nodes: Vec<BodyNode>,
    /// Triangle meshes, one a primitive.
    pub parts: Vec<BodyPart>,
    /// Skins.
    pub skins: Vec<Skin>,
    /// Animations.
    pub clips: Vec<Clip>,
    /// Materials and images, for `--with-body`.
    pub appearance: Appearance,
    /// What was odd about the file and how it was taken, in plain words with the place.
    pub notices: Vec<String>,
}

impl Rig {
    /// Puts a rig of other units or axes into metres, Y up, by a node above all others.
    pub(crate) fn place(&mut self, frame: FileFrame) {
        if frame == FileFrame::default() {
            return;
        }
        for node in &mut self.nodes {
            node.parent = Some(node.parent.map_or(0, |parent| parent + 1));
        }
        self.nodes.insert(0, BodyNode::placing(frame));
        self.parts.iter_mut().for_each(|part| part.node += 1);
        self.skins.iter_mut().flat_map(|skin| &mut skin.joints).for_each(|joint| *joint += 1);
        self.clips.iter_mut().flat_map(|clip| &mut clip.tracks).for_each(|track| track.node += 1);
    }

    /// World transforms of all nodes, from their transforms relative to their parents.
    pub fn worlds(&self, locals: impl IntoIterator<Item = DAffine3>) -> Vec<DAffine3> {
        let mut worlds: Vec<DAffine3> = Vec::with_capacity(self.nodes.len());
        for (node, local) in self.nodes.iter().zip(locals) {
            let parent = node.parent.and_then(|parent| worlds.get(parent as usize));
            worlds.push(parent.map_or(local, |&parent| parent * local));
        }
        worlds
    }

    /// World transforms of all nodes at rest.
    pub fn rest_worlds(&self) -> Vec<DAffine3> {
        self.worlds(self.nodes.iter().map(BodyNode::rest))
    }

    /// What moves the vertices of a skin from mesh space to the world, one matrix a joint. A skinned part ignores its own
    /// node (glTF 2.0, section 3.7.3.3).
    pub fn skin_matrices(&self, skin: &Skin, worlds: &[DAffine3]) -> Vec<DAffine3> {
        let world = |joint: u32| worlds.get(joint as usize).copied().unwrap_or(DAffine3::IDENTITY);
        skin.joints.iter().zip(&skin.inverse_bind).map(|(&joint, &bind)| world(joint) * bind).collect()
    }

    /// Whether a part is seen as in a mirror, so that its triangles must be turned to keep facing outward. A skin is judged
    /// by its first joint.
    pub fn is_mirrored(&self, part: &BodyPart, worlds: &[DAffine3]) -> bool {
        let world = |node: u32| worlds.get(node as usize).copied().unwrap_or(DAffine3::IDENTITY);
        let skin = part.skin.and_then(|skin| self.skins.get(skin as usize));
        let first = skin.and_then(|skin| Some(world(*skin.joints.first()?) * *skin.inverse_bind.first()?));
        first.unwrap_or_else(|| world(part.node)).matrix3.determinant() < 0.0
    }

    /// The nodes that move a vertex of a part, each with its weight: joints of its skin, or the node that it hangs on.
    pub fn movers<'a>(&'a self, part: &'a BodyPart, vertex: usize) -> impl Iterator<Item = (u32, f32)> + 'a {
        let skin = part.skin.and_then(|skin| self.skins.get(skin as usize));
        let of_skin = move |skin: &'a Skin| {
            part.weights.of(vertex).filter_map(|(joint, weight)| Some((*skin.joints.get(joint)?, weight)))
        };
        let node = skin.is_none().then_some((part.node, 1.0));
        node.into_iter().chain(skin.into_iter().flat_map(of_skin))
    }
}

/// A node with its transform at rest.
#[derive(Clone, Debug)]
pub struct BodyNode {
    /// Name; `node 12` when the file gives none.
    pub name: String,
    /// Index of the parent, always smaller than the node's own.
    pub parent: Option<u32>,
    /// Translation at rest, metres.
    pub translation: DVec3,
    /// Rotation at rest, unit length.
    pub rotation: DQuat,
    /// Scale at rest.
    pub scale: DVec3,
    /// A matrix that no translation, rotation and scale can say (shear); such a node is never animated.
    pub matrix: Option<DAffine3>,
}

impl BodyNode {
    /// The node that brings a file's coordinates into metres, Y up.
    fn placing(frame: FileFrame) -> BodyNode {
        let rotation = match frame.up {
            UpAxis::Y => DQuat::IDENTITY,
            UpAxis::Z => DQuat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2),
        };
        let (name, scale) = ("units".to_owned(), DVec3::splat(f64::from(frame.unit.metres())));
        BodyNode { name, parent: None, translation: DVec3::ZERO, rotation, scale, matrix: None }
    }

    /// Transform at rest, relative to the parent.
    pub fn rest(&self) -> DAffine3 {
        let parts = DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation);
        self.matrix.unwrap_or(parts)
    }
}

/// A triangle mesh on a node.
#[derive(Clone, Debug, Default)]
pub struct BodyPart {
    /// Name of its node or mesh.
    pub name: String,
    /// Index of its node.
    pub node: u32,
    /// Index of its skin; a rigid mesh has none and follows its node.
    pub skin: Option<u32>,
    /// Positions in mesh space.
    pub positions: Vec<Vec3>,
    /// Normals in mesh space; empty when the file gives none.
    pub normals: Vec<Vec3>,
    /// First texture coordinates; empty when the file gives none.
    pub texcoords: Vec<Vec2>,
    /// Red, green and blue in linear light; empty when the file gives none.
    pub colours: Vec<Vec3>,
    /// Corner indices into [`BodyPart::positions`].
    pub triangles: Vec<[u32; 3]>,
    /// Weights; empty for a rigid mesh.
    pub weights: SkinWeights,
    /// Morph targets.
    pub morph_targets: Vec<MorphTarget>,
    /// Morph weights at rest, one a target.
    pub morph_weights: Vec<f32>,
    /// Index into [`Appearance::materials`].
    pub material: Option<u32>,
}

impl BodyPart {
    /// Positions in mesh space with the morph targets laid on by `weights`.
    pub fn morphed(&self, weights: &[f32]) -> Vec<Vec3> {
        let mut positions = self.positions.clone();
        for (target, &weight) in self.morph_targets.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0) {
            for (position, &displacement) in positions.iter_mut().zip(&target.positions) {
                *position += displacement * weight;
            }
        }
        positions
    }

    /// The same part without the triangles that are `left_out` and the vertices that only these have; none if nothing is left.
    pub(crate) fn without_triangles(&self, left_out: &[bool]) -> Option<BodyPart> {
        if !left_out.contains(&true) {
            return Some(self.clone());
        }
        let triangles = self.triangles.iter().zip(left_out).filter(|(_, left_out)| !**left_out);
        self.with_only(triangles.map(|(triangle, _)| *triangle).collect())
    }

    /// The same part with some of its `triangles`, and only the vertices that these have; none if there are none.
    pub(crate) fn with_only(&self, mut triangles: Vec<[u32; 3]>) -> Option<BodyPart> {
        let mut kept: Vec<u32> = triangles.iter().flatten().copied().collect();
        kept.sort_unstable();
        kept.dedup();
        let mut number = vec![0; self.positions.len()];
        (0..).zip(&kept).for_each(|(new, &old)| number[old as usize] = new);
        triangles.iter_mut().flatten().for_each(|corner| *corner = number[*corner as usize]);
        let morph_targets = self.morph_targets.iter().map(|target| MorphTarget {
            positions: chosen(&target.positions, &kept),
            normals: chosen(&target.normals, &kept),
        });
        (!triangles.is_empty()).then(|| BodyPart {
            name: self.name.clone(),
            positions: chosen(&self.positions, &kept),
            normals: chosen(&self.normals, &kept),
            texcoords: chosen(&self.texcoords, &kept),
            colours: chosen(&self.colours, &kept),
            triangles,
            weights: self.weights.chosen(&kept),
            morph_targets: morph_targets.collect(),
            morph_weights: self.morph_weights.clone(),
            ..*self
        })
    }
}

/// Values of the chosen vertices; none if there are none for any.
fn chosen<T: Copy>(values: &[T], vertices: &[u32]) -> Vec<T> {
    vertices.iter().filter_map(|&vertex| values.get(vertex as usize).copied()).collect()
}

/// Joint indices and weights of each vertex, any number a vertex, normalised to sum 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinWeights {
    /// Where each vertex's influences start; one more entry than vertices (empty when there are none).
    pub starts: Vec<u32>,
    /// Index into the joints of the skin.
    pub joints: Vec<u16>,
    /// Weight of that joint.
    pub weights: Vec<f32>,
}

impl SkinWeights {
    /// Influences of `vertex` as (joint of the skin, weight).
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        range.map(|i| (usize::from(self.joints[i]), self.weights[i]))
    }

    /// Those of the chosen vertices.
    fn chosen(&self, vertices: &[u32]) -> SkinWeights {
        if self.starts.is_empty() {
            return SkinWeights::default();
        }
        let mut chosen = SkinWeights { starts: vec![0], ..SkinWeights::default() };
        for &vertex in vertices {
            for (joint, weight) in self.of(vertex as usize) {
                chosen.joints.push(joint as u16);
                chosen.weights.push(weight);
            }
            chosen.starts.push(chosen.joints.len() as u32);
        }
        chosen
    }
}

/// Displacements of a morph target in mesh space.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Per vertex; empty means zero.
    pub positions: Vec<Vec3>,
    /// Per vertex; empty means zero.
    pub normals: Vec<Vec3>,
}

/// Joints of a skin.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Node of each joint.
    pub joints: Vec<u32>,
    /// Mesh space -> joint space at bind time, one a joint.
    pub inverse_bind: Vec<DAffine3>,
}

/// An animation.
#[derive(Clone, Debug)]
pub struct Clip {
    /// Name; `animation 0` when the file gives none.
    pub name: String,
    /// Channels with at least one key.
    pub tracks: Vec<Track>,
}

/// Keys of one property of one node.
#[derive(Clone, Debug)]
pub struct Track {
    /// Node the keys move.
    pub node: u32,
    /// Seconds, strictly ascending.
    pub times: Vec<f32>,
    /// How values between keys are found.
    pub interpolation: Interpolation,
    /// Key values: one a key, or for [`Interpolation::CubicSpline`] three (in-tangent, value, out-tangent).
    pub values: TrackValues,
}

/// Interpolation between keys, as in glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight, spherical for rotations.
    Linear,
    /// Hold until the next key.
    Step,
    /// Hermite spline with stored tangents.
    CubicSpline,
}

/// Key values of a track.
#[derive(Clone, Debug)]
pub enum TrackValues {
    /// Node translation, metres.
    Translation(Vec<DVec3>),
    /// Node rotation, (x, y, z, w).
    Rotation(Vec<DQuat>),
    /// Node scale.
    Scale(Vec<DVec3>),
    /// Morph weights, `targets` a value.
    MorphWeights {
        /// Number of morph targets.
        targets: usize,
        /// Weights of all keys one after the other.
        weights: Vec<f32>,
    },
}

/// Difference of two keys, as a part of their size and of 1, up to which they are one value: what is left of exact numbers after
/// an exporter's matrices.
const ROUNDING: f64 = 1e-5;

impl TrackValues {
    /// Whether the value of a key, of those without tangents, differs from that of the key before by more than rounding.
    pub fn changes_at(&self, key: usize) -> bool {
        let Some(before) = key.checked_sub(1) else { return false };
        let differ = |difference: f64, size: f64| difference > ROUNDING * size.max(1.0);
        match self {
            TrackValues::Translation(values) | TrackValues::Scale(values) => {
                let (Some(a), Some(b)) = (values.get(before), values.get(key)) else { return false };
                differ(a.distance(*b), b.length())
            }
            TrackValues::Rotation(values) => {
                // A rotation is what its negative is.
                let (Some(&a), Some(&b)) = (values.get(before), values.get(key)) else { return false };
                differ((a - b).length().min((a + b).length()), 1.0)
            }
            TrackValues::MorphWeights { targets, weights } => {
                let of = |key: usize| weights.get(key * targets..(key + 1) * targets).unwrap_or_default();
                of(before).iter().zip(of(key)).any(|(a, b)| differ(f64::from((a - b).abs()), 1.0))
            }
        }
    }
}

/// Meshes of one topology, frame by frame.
#[derive(Clone, Debug, Default)]
pub struct MeshSequence {
    /// File stem without the frame number.
    pub name: String,
    /// Corner indices.
    pub triangles: Vec<[u32; 3]>,
    /// Number in the first file's name.
    pub first_frame: i64,
    /// Vertex positions of each frame.
    pub frames: Vec<Vec<Vec3>>,
    /// The files, in order.
    pub files: Vec<PathBuf>,
    /// What was odd about the files and how it was taken, in plain words with the place.
    pub notices: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_change_of_a_key_and_a_rotation_is_its_negative() {
        let turn = DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8);
        let same = [
            TrackValues::Scale(vec![DVec3::ONE, DVec3::new(1.0, 1.0 - 1.2e-7, 1.0 + 1.2e-7)]),
            TrackValues::Translation(vec![DVec3::new(0.0, 18.47, 6.6), DVec3::new(4e-6, 18.47 - 6e-6, 6.6)]),
            TrackValues::Rotation(vec![turn, -turn]),
            TrackValues::MorphWeights { targets: 2, weights: vec![0.0, 1.0, 1e-7, 1.0] },
        ];
        assert!(same.iter().all(|values| !values.changes_at(1)), "{same:?}");
        let others = [
            TrackValues::Scale(vec![DVec3::ONE, DVec3::new(1.0, 0.999, 1.0)]),
            TrackValues::Translation(vec![DVec3::ZERO, DVec3::new(0.0, 0.001, 0.0)]),
            TrackValues::Rotation(vec![turn, DQuat::from_xyzw(0.0, 0.601, 0.0, 0.799_25)]),
            TrackValues::MorphWeights { targets: 2, weights: vec![0.0, 1.0, 0.0, 0.99] },
        ];
        assert!(others.iter().all(|values| values.changes_at(1)), "{others:?}");
        assert!(others.iter().all(|values| !values.changes_at(0)), "nothing is before the first key");
    }
}
