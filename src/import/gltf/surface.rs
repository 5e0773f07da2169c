//! A primitive -> a triangle mesh in mesh space.

use gltf::Semantic;
use gltf::mesh::Mode;

use super::influences::read_weights;
use super::values::Values;
use crate::geometry::{Vec2, Vec3};
use crate::import::{MorphTarget, SkinWeights};

/// The data of a primitive.
#[derive(Debug, Default)]
pub(super) struct Surface {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) texcoords: Vec<Vec2>,
    pub(super) colours: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) weights: SkinWeights,
    pub(super) morph_targets: Vec<MorphTarget>,
}

impl Surface {
    /// Reads `primitive`, whose place in the document is `place`; `joints` is the number of joints of its skin, 0 without.
    pub(super) fn read(
        primitive: &gltf::Primitive<'_>,
        joints: usize,
        place: &str,
        values: &mut Values<'_, '_>,
    ) -> Option<Surface> {
        let at = |name: &str| format!("{name} of {place}");
        let positions = values.vectors(primitive.get(&Semantic::Positions)?.index(), &at("POSITION"))?;
        let mut surface = Surface { positions, ..Surface::default() };
        if let Some(normals) = primitive.get(&Semantic::Normals) {
            surface.normals = values.vectors(normals.index(), &at("NORMAL"))?;
        }
        if let Some(texcoords) = primitive.get(&Semantic::TexCoords(0)) {
            surface.texcoords = values.texcoords(texcoords.index(), &at("TEXCOORD_0"))?;
        }
        if let Some(colours) = primitive.get(&Semantic::Colors(0)) {
            surface.colours = values.colours(&colours, &at("COLOR_0"))?;
        }
        if joints > 0 {
            surface.weights = read_weights(primitive, surface.positions.len(), joints, place, values)?;
        }
        for target in primitive.morph_targets() {
            let mut displacements = |accessor: Option<gltf::Accessor<'_>>, name| match accessor {
                Some(accessor) => values.vectors(accessor.index(), &at(name)),
                None => Some(Vec::new()),
            };
            let positions = displacements(target.positions(), "morph target POSITION")?;
            let normals = displacements(target.normals(), "morph target NORMAL")?;
            surface.morph_targets.push(MorphTarget { positions, normals });
        }
        surface.triangles = read_triangles(primitive, surface.positions.len(), place, values)?;
        Some(surface)
    }
}

fn read_triangles(
    primitive: &gltf::Primitive<'_>,
    vertices: usize,
    place: &str,
    values: &mut Values<'_, '_>,
) -> Option<Vec<[u32; 3]>> {
    let corners = match primitive.indices() {
        Some(indices) => values.integers(indices.index(), &format!("indices of {place}"))?,
        None => {
            values.charge(4 * vertices as u64, place)?;
            (0..vertices as u32).collect()
        }
    };
    if let Some(bad) = corners.iter().position(|&corner| corner as usize >= vertices) {
        let found = format!("vertex {} at index {bad}", corners.get(bad).copied().unwrap_or_default());
        values.faults.push(format_args!("{place}.indices"), found, format_args!("vertices below {vertices}"));
        return None;
    }
    values.charge(12 * corners.len() as u64, place)?;
    if primitive.mode() == Mode::Triangles && corners.len() % 3 != 0 {
        let rest = corners.len() % 3;
        values
            .notices
            .push(format!("{place}.indices: the last {rest} of {} make no triangle and are left out", corners.len()));
    }
    Some(triangulate(&corners, primitive.mode()))
}

/// Lists as they are; strips and fans unrolled with the winding of glTF 2.0, section 3.7.2.1, without their empty triangles.
fn triangulate(corners: &[u32], mode: Mode) -> Vec<[u32; 3]> {
    let whole = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle;
        a != b && b != c && c != a
    };
    match mode {
        Mode::TriangleStrip => {
            let turned = |(i, &[a, b, c]): (usize, &[u32; 3])| if i % 2 == 0 { [a, b, c] } else { [a, c, b] };
            let windows = corners.windows(3).filter_map(|three| three.first_chunk());
            windows.enumerate().map(turned).filter(whole).collect()
        }
        Mode::TriangleFan => {
            let Some((&hub, rim)) = corners.split_first() else { return Vec::new() };
            rim.iter().zip(rim.iter().skip(1)).map(|(&b, &c)| [b, c, hub]).filter(whole).collect()
        }
        _ => corners.as_chunks::<3>().0.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_the_winding_of_their_first_triangle() {
        assert_eq!(triangulate(&[0, 1, 2, 3, 3], Mode::TriangleStrip), [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(triangulate(&[0, 1, 2, 3], Mode::TriangleFan), [[1, 2, 0], [2, 3, 0]]);
        assert_eq!(triangulate(&[0, 1, 2, 3], Mode::Triangles), [[0, 1, 2]]);
        assert!(triangulate(&[], Mode::TriangleFan).is_empty());
    }
}
