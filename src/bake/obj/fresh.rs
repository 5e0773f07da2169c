//! A new OBJ text for a garment that came from glTF: an object a primitive, a normal a vertex.

use std::io::{self, Write};

use super::super::Bake;
use super::super::normals::smooth_normals;
use super::FrameText;
use super::number::{write_position, write_vec2, write_vec3};
use crate::geometry::Vec2;
use crate::import::{GltfPrimitive, GltfSource, RawAttribute};

/// The parts of the text that no frame changes, and the triangles for the normals.
pub(super) struct FreshText {
    texcoords: Vec<u8>,
    faces: Vec<u8>,
    /// Over particles.
    triangles: Vec<[u32; 3]>,
}

impl FreshText {
    /// Writes texture coordinates and faces once.
    pub(super) fn of(bake: &Bake<'_>, source: &GltfSource) -> FreshText {
        let polygons = bake.garment.polygons.iter().filter(|polygon| polygon.len() == 3);
        let triangles = polygons.map(|p| [p[0], p[1], p[2]].map(|v| bake.particle_of_vertex[v as usize].0)).collect();
        let mut text = FreshText { texcoords: Vec::new(), faces: Vec::new(), triangles };
        let mut texcoord_count = 0;
        for primitive in &source.primitives {
            let texcoords = primitive.attributes.iter().find(|a| a.semantic == "TEXCOORD_0").and_then(decode);
            // Writing to memory cannot fail.
            let _ = text.push_primitive(bake, source, primitive, texcoords.as_deref(), texcoord_count);
            texcoord_count += texcoords.map_or(0, |list| list.len());
        }
        text
    }

    fn push_primitive(
        &mut self,
        bake: &Bake<'_>,
        source: &GltfSource,
        primitive: &GltfPrimitive,
        texcoords: Option<&[Vec2]>,
        texcoords_before: usize,
    ) -> io::Result<()> {
        for texcoord in texcoords.into_iter().flatten() {
            self.texcoords.extend(b"vt ");
            write_vec2(Vec2::new(texcoord.x, 1.0 - texcoord.y), &mut self.texcoords)?;
            self.texcoords.push(b'\n');
        }
        writeln!(self.faces, "o {}", one_line(&primitive.name))?;
        if let Some(name) = material_name(source, primitive) {
            writeln!(self.faces, "usemtl {}", one_line(name))?;
        }
        let texcoord_of = |vertex| texcoords_before + (vertex - primitive.vertices.start) as usize + 1;
        for polygon in primitive.polygons.clone() {
            self.faces.push(b'f');
            for &vertex in bake.garment.polygons.get(polygon as usize) {
                let number = vertex + 1;
                match texcoords {
                    Some(_) => write!(self.faces, " {number}/{}/{number}", texcoord_of(vertex))?,
                    None => write!(self.faces, " {number}//{number}")?,
                }
            }
            self.faces.push(b'\n');
        }
        Ok(())
    }
}

impl FrameText for FreshText {
    fn write(&self, bake: &Bake<'_>, index: usize, sink: &mut dyn Write) -> io::Result<()> {
        for position in bake.cache.vertex_positions(index, bake.particle_of_vertex) {
            sink.write_all(b"v ")?;
            write_position(bake, position, sink)?;
            sink.write_all(b"\n")?;
        }
        sink.write_all(&self.texcoords)?;
        let normals = smooth_normals(&bake.cache.frames[index], &self.triangles);
        for particle in bake.particle_of_vertex {
            sink.write_all(b"vn ")?;
            write_vec3(bake.garment.frame.to_file(normals[particle.index()]).normalize_or_zero(), sink)?;
            sink.write_all(b"\n")?;
        }
        sink.write_all(&self.faces)
    }
}

fn material_name<'a>(source: &'a GltfSource, primitive: &GltfPrimitive) -> Option<&'a str> {
    source.appearance.materials.get(primitive.material? as usize)?.get("name")?.as_str()
}

/// A name without line breaks, and without a backslash at its end, which would join it with the next line.
fn one_line(name: &str) -> String {
    name.replace(|c: char| c.is_control(), " ").trim_end_matches(['\\', ' ']).to_owned()
}

/// Texture coordinates as numbers; none when the attribute is not what glTF allows.
fn decode(attribute: &RawAttribute) -> Option<Vec<Vec2>> {
    let bytes = &attribute.bytes;
    let pairs = match attribute.component_type {
        5126 => bytes.chunks_exact(8).map(|c| Vec2::new(f32_at(c, 0), f32_at(c, 4))).collect(),
        5123 => bytes.chunks_exact(4).map(|c| Vec2::new(u16_at(c, 0), u16_at(c, 2)) / 65535.0).collect(),
        5121 => bytes.chunks_exact(4).map(|c| Vec2::new(c[0].into(), c[1].into()) / 255.0).collect(),
        _ => return None,
    };
    Some(pairs)
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u16_at(bytes: &[u8], at: usize) -> f32 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]]).into()
}
