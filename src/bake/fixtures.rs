//! A waving skirt for the tests of the writers, from an OBJ and from a glTF file.

use std::ops::Range;

use serde_json::json;

use crate::geometry::{Vec2, Vec3};
use crate::import::{
    FileFrame, Garment, GarmentSource, GltfPrimitive, GltfSource, Material, ObjCorner, ObjSource, Polygons,
    RawAttribute,
};
use crate::simulate::{FrameRate, PointCache, Timeline};
use crate::topology::ParticleId;

use super::Bake;

/// A garment, how its vertices are welded, and its motion.
pub(super) struct Scene {
    pub(super) garment: Garment,
    pub(super) particle_of_vertex: Vec<ParticleId>,
    pub(super) cache: PointCache,
}

impl Scene {
    /// All of it, without a body.
    pub(super) fn bake(&self) -> Bake<'_> {
        Bake {
            garment: &self.garment,
            particle_of_vertex: &self.particle_of_vertex,
            cache: &self.cache,
            origin: crate::geometry::DVec3::ZERO,
            body: None,
            clip: None,
            interrupted: None,
        }
    }
}

/// A skirt of `rows` x `columns` quads from an OBJ file in `frame`, waving for `frames` frames at 30 a second: a texture
/// seam, two materials, a hexagon among the quads, a loose vertex, normals, comments and mixed line ends.
pub(super) fn skirt(rows: usize, columns: usize, frames: usize, frame: FileFrame) -> Scene {
    let (positions, mut text) = ObjText::skirt(rows, columns, frame);
    text.push("# the end, without a line end");
    let garment = Garment {
        name: "skirt".to_owned(),
        positions,
        origin: crate::geometry::DVec3::ZERO,
        polygons: text.polygons,
        groups: Vec::new(),
        attributes: Vec::new(),
        skin: None,
        frame,
        source: GarmentSource::Obj(text.source),
        notices: Vec::new(),
    };
    moving(garment, frames)
}

/// The same skirt from a glTF file: two primitives, the seam and the material border as vertices of their own.
pub(super) fn gltf_skirt(rows: usize, columns: usize, frames: usize) -> Scene {
    let mut garment = skirt(rows, columns, 1, FileFrame::default()).garment;
    let mut source = GltfSource::default();
    (garment.positions, garment.polygons) = (Vec::new(), Polygons::default());
    for (name, rows) in [("band", 0..1), ("skirt", 1..rows)] {
        source.appearance.materials.push(serde_json::json!({ "name": name, "doubleSided": true }));
        let material = Some(source.appearance.materials.len() as u32 - 1);
        source.primitives.push(gltf_panel(&mut garment, name, material, rows, columns));
    }
    garment.source = GarmentSource::Gltf(source);
    moving(garment, frames)
}

fn gltf_panel(
    garment: &mut Garment,
    name: &str,
    material: Option<u32>,
    rows: Range<usize>,
    columns: usize,
) -> GltfPrimitive {
    let (first_vertex, first_polygon) = (garment.positions.len() as u32, garment.polygons.len() as u32);
    let mut texcoords = Vec::new();
    for row in rows.start..=rows.end {
        for column in 0..=columns {
            garment.positions.push(skirt_point(row, column % columns, columns));
            texcoords
                .extend([column as f32 / columns as f32, row as f32 / 20.0].into_iter().flat_map(f32::to_le_bytes));
        }
    }
    let width = columns as u32 + 1;
    for row in 0..rows.len() as u32 {
        for column in 0..columns as u32 {
            let [a, b] = [row, row + 1].map(|row| first_vertex + row * width + column);
            garment.polygons.push(&[a, b, b + 1]);
            garment.polygons.push(&[a, b + 1, a + 1]);
        }
    }
    let attribute = RawAttribute {
        semantic: "TEXCOORD_0".to_owned(),
        component_type: 5126,
        element_type: "VEC2".to_owned(),
        normalized: false,
        bytes: texcoords,
    };
    GltfPrimitive {
        node: rows.start as u32,
        name: name.to_owned(),
        mesh_name: Some(format!("{name} mesh")),
        extras: [Some(json!({ "cloth": true })), Some(json!({ "targetNames": ["smile"], "cut": "A" }))],
        material,
        vertices: first_vertex..garment.positions.len() as u32,
        polygons: first_polygon..garment.polygons.len() as u32,
        attributes: vec![attribute],
    }
}

/// Welds coincident vertices and lets the hem wave.
fn moving(garment: Garment, frames: usize) -> Scene {
    let mut particles: Vec<Vec3> = Vec::new();
    let weld = |&position: &Vec3| {
        let known = particles.iter().position(|&particle| particle == position);
        ParticleId(known.unwrap_or_else(|| {
            particles.push(position);
            particles.len() - 1
        }) as u32)
    };
    let particle_of_vertex = garment.positions.iter().map(weld).collect();
    let timeline = Timeline { first: 0, last: frames as i64 - 1, fps: FrameRate::whole(30), start_frame: 1 };
    let wave = |index: usize| particles.iter().map(|&p| waved(p, index as f32 / 30.0)).collect();
    let cache = PointCache { timeline, frames: (0..frames).map(wave).collect() };
    Scene { garment, particle_of_vertex, cache }
}

/// Where a point of the skirt is after some seconds; the waist stays.
fn waved(p: Vec3, seconds: f32) -> Vec3 {
    let below = 1.0 - p.y;
    let phase = 5.0 * seconds + 8.0 * below + 2.0 * libm::atan2f(p.z, p.x);
    p + Vec3::new(libm::sinf(phase), 0.3 * libm::sinf(1.7 * phase), libm::cosf(0.8 * phase)) * (0.15 * below)
}

fn skirt_point(row: usize, column: usize, columns: usize) -> Vec3 {
    let angle = std::f32::consts::TAU * column as f32 / columns as f32;
    let radius = 0.15 + 0.012 * row as f32;
    Vec3::new(radius * libm::cosf(angle), 1.0 - 0.03 * row as f32, radius * libm::sinf(angle))
}

/// An OBJ text and what a reader finds in it.
#[derive(Default)]
struct ObjText {
    source: ObjSource,
    polygons: Polygons,
}

impl ObjText {
    fn skirt(rows: usize, columns: usize, frame: FileFrame) -> (Vec<Vec3>, ObjText) {
        let mut text = ObjText::default();
        let mut positions = Vec::new();
        text.push("# a skirt\r\nmtllib skirt.mtl\no Skirt\n");
        for row in 0..=rows {
            for column in 0..columns {
                positions.push(text.position(skirt_point(row, column, columns), frame));
            }
        }
        positions.push(text.position(Vec3::new(0.0, 2.0, 0.0), frame));
        for row in 0..=rows {
            for column in 0..=columns {
                text.texcoord(Vec2::new(column as f32 / columns as f32, 1.0 - row as f32 / 20.0));
            }
        }
        for row in 0..=rows {
            for column in 0..columns {
                let p = skirt_point(row, column, columns);
                text.normal(frame.to_file(Vec3::new(p.x, 0.0, p.z)).normalize());
            }
        }
        text.materials();
        text.faces(rows, columns);
        (positions, text)
    }

    fn push(&mut self, words: &str) -> Range<usize> {
        let start = self.source.text.len();
        self.source.text.extend(words.bytes());
        start..self.source.text.len()
    }

    /// Writes a vertex and returns what a reader makes of it.
    fn position(&mut self, p: Vec3, frame: FileFrame) -> Vec3 {
        let p = frame.to_file(p);
        self.push("v  ");
        let span = self.push(&format!("{:.6} {:.6} {:.6}", p.x, p.y, p.z));
        let words = String::from_utf8_lossy(&self.source.text[span.clone()]).into_owned();
        let numbers: Vec<f32> = words.split(' ').map(|word| word.parse().expect("a number")).collect();
        self.source.position_spans.push(span);
        self.push(" 1.0 # w\r\n");
        frame.to_metres(Vec3::from_slice(&numbers))
    }

    fn texcoord(&mut self, t: Vec2) {
        self.push(&format!("vt {} {}\n", t.x, t.y));
        self.source.texcoords.push(t);
    }

    fn normal(&mut self, n: Vec3) {
        self.push("vn ");
        let span = self.push(&format!("{} {} {}", n.x, n.y, n.z));
        self.push("\n");
        self.source.normal_spans.push(span);
        self.source.normals.push(n);
    }

    fn materials(&mut self) {
        let denim = Material { name: "denim".to_owned(), base_colour: Some([0.05, 0.1, 0.3]), ..Material::default() };
        self.source.materials = vec![denim, Material { name: "wool".to_owned(), ..Material::default() }];
    }

    /// Quads, but in the first row the first two make a hexagon.
    fn faces(&mut self, rows: usize, columns: usize) {
        for row in 0..rows {
            if row < 2 {
                let material = ["denim", "wool"][row];
                self.push(&format!("g row{row}\nusemtl {material}\n"));
            }
            for column in usize::from(row == 0) * 2..columns {
                self.face(row, &[(row, column), (row + 1, column), (row + 1, column + 1), (row, column + 1)], columns);
            }
            if row == 0 {
                self.face(0, &[(0, 0), (1, 0), (1, 1), (1, 2), (0, 2), (0, 1)], columns);
            }
        }
    }

    fn face(&mut self, row: usize, corners: &[(usize, usize)], columns: usize) {
        self.push("f");
        let mut vertices = Vec::new();
        for &(row, column) in corners {
            let vertex = row * columns + column % columns;
            let (texcoord, normal) = (row * (columns + 1) + column, vertex);
            self.push(&format!(" {}/{}/", vertex + 1, texcoord + 1));
            self.source.normal_indices.push(self.source.text.len());
            self.push(&(normal + 1).to_string());
            self.source.corners.push(ObjCorner { texcoord: Some(texcoord as u32), normal: Some(normal as u32) });
            vertices.push(vertex as u32);
        }
        self.push("\n");
        self.polygons.push(&vertices);
        self.source.polygon_materials.push(Some(row.min(1) as u32));
    }
}

/// Point lists as Point Cache 2, first sample at frame 1.
pub(super) fn pc2_of(frames: &[Vec<Vec3>]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0\x01\0\0\0".to_vec();
    bytes.extend((frames[0].len() as u32).to_le_bytes());
    bytes.extend([1_f32, 1.0].into_iter().flat_map(f32::to_le_bytes));
    bytes.extend((frames.len() as u32).to_le_bytes());
    bytes.extend(frames.iter().flatten().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes));
    bytes
}
