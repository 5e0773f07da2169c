//! Bodies for tests.

use crate::body::Body;
use crate::geometry::Vec3;
use crate::import::{BodyAsset, MeshSequence};

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
