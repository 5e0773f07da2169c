//! Bodies for tests.

use crate::body::Body;
use crate::geometry::{DQuat, DVec3, Vec3};
use crate::import::{BodyAsset, BodyNode, BodyPart, MeshSequence, Rig};

/// A body of prisms that stands: each as [`prism`] has it.
pub(super) fn prisms(outlines: &[&[[f32; 2]]], length: f32) -> Body {
    let mut mesh = MeshSequence { frames: vec![Vec::new()], ..MeshSequence::default() };
    outlines.iter().for_each(|outline| prism(outline, length, &mut mesh));
    mesh.frames.push(mesh.frames[0].clone());
    Body::new(BodyAsset::Sequence(mesh), None).expect("a body")
}

/// The outline of a slab 40 cm wide.
pub(super) fn slab(bottom: f32, top: f32) -> [[f32; 2]; 4] {
    [[-0.2, bottom], [0.2, bottom], [0.2, top], [-0.2, top]]
}

/// Adds a prism along z, of half a `length` either way, whose cross-section runs counter-clockwise through `outline`, closed by fans
/// around its first corner.
fn prism(outline: &[[f32; 2]], length: f32, mesh: &mut MeshSequence) {
    let (count, first) = (outline.len() as u32, mesh.frames[0].len() as u32);
    mesh.frames[0].extend(prism_corners(outline, length));
    for here in 0..count {
        let [a, b] = [here, (here + 1) % count].map(|corner| first + corner);
        mesh.triangles.extend([[a, b, b + count], [a, b + count, a + count]]);
    }
    for here in 1..count - 1 {
        let [a, b, c] = [0, here, here + 1].map(|corner| first + corner);
        mesh.triangles.extend([[a, c, b], [a, b, c].map(|corner| corner + count)]);
    }
}

/// Where the corners of a prism are.
pub(super) fn prism_corners(outline: &[[f32; 2]], length: f32) -> impl Iterator<Item = Vec3> {
    [-0.5 * length, 0.5 * length].into_iter().flat_map(|z| outline.iter().map(move |[x, y]| Vec3::new(*x, *y, z)))
}

/// Boxes from corner to corner: their corners, and triangles.
fn mesh_of(boxes: &[[Vec3; 2]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for [low, high] in boxes {
        let first = corners.len() as u32;
        let pick = |i: u32, axis: usize| if i & (1 << axis) == 0 { low[axis] } else { high[axis] };
        let corner = |i: u32| Vec3::new(pick(i, 0), pick(i, 1), pick(i, 2));
        corners.extend((0..8).map(corner));
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for side in sides {
            let [a, b, c, d] = side.map(|corner| first + corner);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (corners, triangles)
}

/// The same as one body.
pub(super) fn boxes(boxes: &[[Vec3; 2]]) -> Body {
    let (corners, triangles) = mesh_of(boxes);
    let mesh = MeshSequence { frames: vec![corners; 2], triangles, ..MeshSequence::default() };
    Body::new(BodyAsset::Sequence(mesh), None).expect("a body")
}

/// The first box with others that hang on it, each a rigid part of its own.
pub(super) fn limbs(boxes: &[[Vec3; 2]]) -> Body {
    let mut rig = Rig::default();
    for (index, limb) in (0..).zip(boxes) {
        let (positions, triangles) = mesh_of(&[*limb]);
        rig.nodes.push(BodyNode {
            name: format!("limb {index}"),
            parent: (index > 0).then_some(0),
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            scale: DVec3::ONE,
            matrix: None,
        });
        rig.parts.push(BodyPart { node: index, positions, triangles, ..BodyPart::default() });
    }
    Body::new(BodyAsset::Rig(rig), None).expect("a body")
}
