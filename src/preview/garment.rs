//! The materials of a garment, on the cloth that is made of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::material::{Material, materials};
use super::mesh::{Paint, Surfacing};
use crate::geometry::Vec2;
use crate::import::{self, Garment, GarmentSource, GltfSource, ObjCorner, ObjSource, RawAttribute, with_pictures};
use crate::topology::{ParticleId, Topology};

/// Colours of a garment's polygons, in the order of its file.
#[derive(Debug)]
pub struct Outfit {
    materials: Vec<Material>,
    /// Material of each polygon.
    of: Vec<u32>,
    /// Texture coordinates of each corner, V down; empty without textures.
    texcoords: Vec<Vec2>,
    /// What could not be shown.
    pub notices: Vec<String>,
}

impl Outfit {
    /// Of a garment; none if its file says nothing of its looks.
    pub fn of(garment: &Garment) -> Option<Outfit> {
        match &garment.source {
            GarmentSource::Obj(source) => of_obj(source, garment),
            GarmentSource::Gltf(source) => of_gltf(source, garment),
        }
    }

    /// For the triangles of a mesh of the garment's polygons, each cut into two less than it has corners. None if it has
    /// not so many.
    pub fn on_polygons(self, garment: &Garment, triangles: usize) -> Option<Paint> {
        let sizes = garment.polygons.iter().map(|polygon| polygon.len().saturating_sub(2));
        let of: Vec<u32> = self.of.iter().zip(sizes).flat_map(|(&of, count)| vec![of; count]).collect();
        let plain = |material: &Material| Material::plain(material.factor);
        let materials = self.materials.iter().map(plain).collect();
        (of.len() == triangles)
            .then(|| Paint::Materials(Arc::new(Surfacing { materials, of, texcoords: Vec::new(), tints: Vec::new() })))
    }

    /// For the triangles of cloth that was made of the whole garment.
    pub fn on_cloth(self, garment: &Garment, topology: &Topology) -> Paint {
        let faces = Faces::of(garment, topology);
        let mut surfacing =
            Surfacing { materials: self.materials, of: Vec::new(), texcoords: Vec::new(), tints: Vec::new() };
        let mut triangles = topology.drawn_triangles();
        for (polygon, &face) in topology.polygons.iter().zip(&topology.file_faces) {
            let material = self.of.get(face as usize).copied().unwrap_or(0);
            for corners in triangles.by_ref().take(polygon.len().saturating_sub(2)) {
                surfacing.of.push(material);
                if !self.texcoords.is_empty() {
                    let texcoord = |p: ParticleId| {
                        faces.corner(garment, topology, polygon, p).map_or(Vec2::ZERO, |corner| self.texcoords[corner])
                    };
                    surfacing.texcoords.push(corners.map(texcoord));
                }
            }
        }
        Paint::Materials(Arc::new(surfacing))
    }
}

/// Which polygons of the file use each particle.
struct Faces {
    starts: Vec<u32>,
    polygons: Vec<u32>,
}

impl Faces {
    fn of(garment: &Garment, topology: &Topology) -> Faces {
        let particle = |vertex: u32| topology.particle_of_vertex[vertex as usize].0;
        let polygons = (0..).zip(garment.polygons.iter());
        let mut uses: Vec<(u32, u32)> =
            polygons.flat_map(|(index, polygon)| polygon.iter().map(move |&v| (particle(v), index))).collect();
        uses.sort_unstable();
        uses.dedup();
        let count = topology.positions.len() as u32;
        let starts = (0..=count).map(|p| uses.partition_point(|&(particle, _)| particle < p) as u32).collect();
        Faces { starts, polygons: uses.into_iter().map(|(_, polygon)| polygon).collect() }
    }

    /// The corner of the file that a particle is in one of the cloth's polygons, which may be two triangles of the file.
    fn corner(&self, garment: &Garment, topology: &Topology, polygon: &[u32], particle: ParticleId) -> Option<usize> {
        let range = self.starts[particle.index()] as usize..self.starts[particle.index() + 1] as usize;
        let here: BTreeSet<u32> = polygon.iter().copied().collect();
        let of_vertex = |vertex: &u32| topology.particle_of_vertex[*vertex as usize].0;
        let is_part = |face: &&u32| garment.polygons.get(**face as usize).iter().all(|v| here.contains(&of_vertex(v)));
        let face = *self.polygons[range].iter().find(is_part)? as usize;
        let at = garment.polygons.get(face).iter().position(|v| of_vertex(v) == particle.0)?;
        Some(garment.polygons.range(face).start + at)
    }
}

fn of_obj(source: &ObjSource, garment: &Garment) -> Option<Outfit> {
    let is_known = |m: &import::Material| m.base_colour.is_some() || m.base_picture.is_some();
    let looks = with_pictures(source.materials.iter().map(|m| m.to_gltf([1.0; 3])).collect(), &source.pictures);
    let (mut materials, notices) = materials(&looks);
    for (material, _) in materials.iter_mut().zip(&source.materials).filter(|(_, of_file)| !is_known(of_file)) {
        *material = Material::cloth();
    }
    // Polygons that name no material.
    materials.push(Material::cloth());
    let none = materials.len() as u32 - 1;
    let polygons = 0..garment.polygons.len();
    let of = polygons.map(|i| source.polygon_materials.get(i).copied().flatten().unwrap_or(none)).collect();
    let is_textured = materials.iter().any(|material| material.texture.is_some());
    let texcoord = |corner: &ObjCorner| {
        let texcoord = corner.texcoord.and_then(|index| source.texcoords.get(index as usize));
        texcoord.map_or(Vec2::ZERO, |texcoord| Vec2::new(texcoord.x, 1.0 - texcoord.y))
    };
    let texcoords = source.corners.iter().filter(|_| is_textured).map(texcoord).collect();
    source.materials.iter().any(is_known).then_some(Outfit { materials, of, texcoords, notices })
}

fn of_gltf(source: &GltfSource, garment: &Garment) -> Option<Outfit> {
    let (mut materials, notices) = materials(&source.appearance);
    materials.push(Material::cloth());
    let none = materials.len() as u32 - 1;
    let mut of = vec![none; garment.polygons.len()];
    let mut texcoords = vec![Vec2::ZERO; garment.polygons.corners.len()];
    let mut is_textured = false;
    for primitive in &source.primitives {
        let range = primitive.polygons.start as usize..primitive.polygons.end as usize;
        let Some(material) = primitive.material.filter(|&material| material < none) else { continue };
        let own = primitive.attributes.iter().find(|a| a.semantic == "TEXCOORD_0").and_then(pairs);
        let needs = materials[material as usize].texture.is_some();
        // A texture without coordinates shows nothing.
        let material = if needs && own.is_none() { none } else { material };
        of[range.clone()].fill(material);
        if let Some(own) = own.filter(|_| needs) {
            is_textured = true;
            for corner in range.flat_map(|polygon| garment.polygons.range(polygon)) {
                let vertex = garment.polygons.corners[corner].checked_sub(primitive.vertices.start);
                texcoords[corner] = vertex.and_then(|v| own.get(v as usize).copied()).unwrap_or_default();
            }
        }
    }
    if !is_textured {
        texcoords.clear();
    }
    of.iter().any(|&material| material != none).then_some(Outfit { materials, of, texcoords, notices })
}

/// Texture coordinates as numbers (glTF 2.0, section 3.7.2.1: floats, or normalised bytes or shorts).
fn pairs(attribute: &RawAttribute) -> Option<Vec<Vec2>> {
    let short = |bytes: &[u8]| f32::from(u16::from_le_bytes([bytes[0], bytes[1]])) / 65_535.0;
    let byte = |byte: u8| f32::from(byte) / 255.0;
    let float = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let bytes = &attribute.bytes;
    match attribute.component_type {
        5126 => Some(bytes.chunks_exact(8).map(|c| Vec2::new(float(&c[..4]), float(&c[4..]))).collect()),
        5123 => Some(bytes.chunks_exact(4).map(|c| Vec2::new(short(&c[..2]), short(&c[2..]))).collect()),
        5121 => Some(bytes.chunks_exact(4).map(|c| Vec2::new(byte(c[0]), byte(c[1]))).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Access, FileFrame, obj};
    use crate::preview::colour::Colour;
    use crate::topology;

    const QUADS: &[u8] = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nusemtl red\nf 1 2 5 4\n\
        usemtl blue\nf 2 3 6\nf 2 6 5\n";

    #[test]
    fn polygons_of_an_obj_file_keep_their_colours_on_cloth() {
        let library = |_: &str, _| Some(b"newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n".to_vec());
        let garment =
            obj::read_garment_with_materials(QUADS, "two", FileFrame::default(), &library, &Access::default())
                .expect("a garment");
        let topology = topology::build(&garment).expect("cloth");
        let Paint::Materials(on) = Outfit::of(&garment).expect("colours").on_cloth(&garment, &topology) else {
            panic!()
        };
        assert_eq!(on.of.len(), topology.triangles.len());
        for (triangle, &of) in topology.drawn_triangles().zip(&on.of) {
            let right = triangle.iter().any(|p| topology.positions[p.index()].x > 1.5);
            assert_eq!(on.materials[of as usize].factor, if right { Colour::Z } else { Colour::X });
        }
        let outfit = Outfit::of(&garment).expect("colours");
        assert!(matches!(outfit.on_polygons(&garment, 4), Some(Paint::Materials(on)) if on.of == [0, 0, 1, 1]));
        let plain = obj::read_garment(QUADS, "two", FileFrame::default()).expect("a garment");
        assert!(Outfit::of(&plain).is_none());
    }

    #[test]
    fn corners_of_two_triangles_that_are_one_quad_are_found() {
        let garment = obj::read_garment(QUADS, "two", FileFrame::default()).expect("a garment");
        let topology = topology::build(&garment).expect("cloth");
        let faces = Faces::of(&garment, &topology);
        for polygon in topology.polygons.iter() {
            for &p in polygon {
                let corner = faces.corner(&garment, &topology, polygon, ParticleId(p)).expect("a corner");
                assert_eq!(topology.particle_of_vertex[garment.polygons.corners[corner] as usize].0, p);
            }
        }
    }
}
