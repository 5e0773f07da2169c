//! A garment as its file has it: vertex order, faces, groups and everything needed to write it back unchanged.

use std::ops::Range;

use serde_json::Value;

use super::{Appearance, FileFrame, Image, Material, SkinWeights};
use crate::geometry::{DVec3, Vec2, Vec3, nearby_origin};

/// A garment mesh. Vertices and polygons are the file's, in the file's order; positions are metres, Y up.
#[derive(Clone, Debug)]
pub struct Garment {
    /// File stem, for messages and names in the output.
    pub name: String,
    /// Vertex positions, metres, Y up, counted from [`Garment::origin`].
    pub positions: Vec<Vec3>,
    /// Where positions count from, metres in the world: its origin, unless the garment lies far away from it.
    pub origin: DVec3,
    /// Faces with three or more corners, in file order.
    pub polygons: Polygons,
    /// Named parts (OBJ objects and groups, materials; glTF nodes, meshes, materials).
    pub groups: Vec<Group>,
    /// Per-vertex values that `--pin attribute:NAME` can select by (glTF custom attributes, `COLOR_0`; OBJ vertex colours as `COLOR_0`).
    pub attributes: Vec<VertexAttribute>,
    /// The garment's own skin weights, when its file skins it.
    pub skin: Option<GarmentSkin>,
    /// Units and axes of the file.
    pub frame: FileFrame,
    /// What the writers need to give the file back with only its positions changed.
    pub source: GarmentSource,
    /// What was odd about the file and how it was taken, in plain words with the place (`coat.obj: line 12: ...`).
    pub notices: Vec<String>,
}

impl Garment {
    /// Counts positions from another point of the world.
    pub(crate) fn count_from(&mut self, origin: DVec3) {
        let way = self.origin - origin;
        if way != DVec3::ZERO {
            self.positions.iter_mut().for_each(|p| *p = (p.as_dvec3() + way).as_vec3());
            self.origin = origin;
        }
    }
}

/// The point that the vertices of `polygons` are best counted from; `position` gives each in the world, metres.
pub(super) fn origin_for(polygons: &Polygons, position: impl Fn(usize) -> DVec3) -> DVec3 {
    let sum: DVec3 = polygons.corners.iter().map(|&corner| position(corner as usize)).sum();
    nearby_origin(sum / polygons.corners.len().max(1) as f64)
}

/// Skin weights that came with a garment.
#[derive(Clone, Debug)]
pub struct GarmentSkin {
    /// Names of the joints the weights refer to.
    pub joint_names: Vec<String>,
    /// Weights per garment vertex.
    pub weights: SkinWeights,
}

/// Polygons with any number of corners: corner lists one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polygons {
    /// Vertex index of each corner.
    pub corners: Vec<u32>,
    /// Where each polygon's corners start; one more entry than polygons (empty when there are none).
    pub starts: Vec<u32>,
}

impl Polygons {
    /// Number of polygons.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no polygon.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Range of polygon `index` in [`Polygons::corners`].
    pub fn range(&self, index: usize) -> Range<usize> {
        self.starts[index] as usize..self.starts[index + 1] as usize
    }

    /// Vertex indices of polygon `index`.
    pub fn get(&self, index: usize) -> &[u32] {
        &self.corners[self.range(index)]
    }

    /// All polygons in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Appends a polygon.
    pub fn push(&mut self, polygon: &[u32]) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.corners.extend_from_slice(polygon);
        self.starts.push(self.corners.len() as u32);
    }
}

/// A named set of polygons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Name as in the file.
    pub name: String,
    /// Indices of its polygons, ascending.
    pub polygons: Vec<u32>,
}

/// One number per vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexAttribute {
    /// Name as in the file, `COLOR_0` or `_PIN` say.
    pub name: String,
    /// First component of the attribute per vertex.
    pub values: Vec<f32>,
}

/// Where a garment came from, with what its writers need.
#[derive(Clone, Debug)]
pub enum GarmentSource {
    /// An OBJ file.
    Obj(ObjSource),
    /// Primitives of a glTF file.
    Gltf(GltfSource),
}

impl GarmentSource {
    /// Forgets what only writing the same file again needs: of an OBJ file its bytes.
    pub fn forget_text(&mut self) {
        if let GarmentSource::Obj(source) = self {
            (source.text, source.position_spans) = (Vec::new(), Vec::new());
            (source.normal_spans, source.normal_indices) = (Vec::new(), Vec::new());
        }
    }
}

/// An OBJ file kept verbatim: a frame is written by replacing coordinates only.
#[derive(Clone, Debug, Default)]
pub struct ObjSource {
    /// The file's bytes.
    pub text: Vec<u8>,
    /// For each vertex, the bytes of [`ObjSource::text`] that hold its three coordinates ("1.0 2.0 3.0", without `v`,
    /// a `w` or a colour behind it).
    pub position_spans: Vec<Range<usize>>,
    /// For each `vn`, the bytes that hold its three components.
    pub normal_spans: Vec<Range<usize>>,
    /// Where the index of each corner's normal starts in [`ObjSource::text`], for the corners that have one, in order.
    pub normal_indices: Vec<usize>,
    /// Texture coordinates, in file order, V up as in OBJ.
    pub texcoords: Vec<Vec2>,
    /// Normals, in file order and file axes.
    pub normals: Vec<Vec3>,
    /// Per corner, parallel to [`Polygons::corners`]; empty when the file has neither texture coordinates nor normals.
    pub corners: Vec<ObjCorner>,
    /// Materials in order of first use.
    pub materials: Vec<Material>,
    /// Material of each polygon, index into [`ObjSource::materials`].
    pub polygon_materials: Vec<Option<u32>>,
    /// Pictures of the materials.
    pub pictures: Vec<Image>,
    /// Colour of each vertex as the file has it, red, green, blue in sRGB; empty if it has none.
    pub colours: Vec<Vec3>,
}

/// What a corner of an OBJ face refers to beside its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjCorner {
    /// Index into [`ObjSource::texcoords`].
    pub texcoord: Option<u32>,
    /// Index into [`ObjSource::normals`].
    pub normal: Option<u32>,
}

/// Primitives of a glTF file, with what toile does not touch.
#[derive(Clone, Debug, Default)]
pub struct GltfSource {
    /// Primitives in document order.
    pub primitives: Vec<GltfPrimitive>,
    /// Materials and images.
    pub appearance: Appearance,
}

/// A triangle primitive.
#[derive(Clone, Debug)]
pub struct GltfPrimitive {
    /// Its node, index into those of the file.
    pub node: u32,
    /// Name of its node, else its mesh.
    pub name: String,
    /// Name of its mesh, if any.
    pub mesh_name: Option<String>,
    /// `extras` of its node and its mesh, as JSON.
    pub extras: [Option<Value>; 2],
    /// Index into [`Appearance::materials`].
    pub material: Option<u32>,
    /// Its vertices in [`Garment::positions`]. Primitives that share accessors share the range.
    pub vertices: Range<u32>,
    /// Its polygons (triangles) in [`Garment::polygons`].
    pub polygons: Range<u32>,
    /// Attributes other than POSITION, NORMAL, TANGENT, JOINTS and WEIGHTS, dense, as in the file.
    pub attributes: Vec<RawAttribute>,
}

/// A vertex attribute as bytes, tightly packed (elements padded to 4 bytes as glTF requires).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawAttribute {
    /// `TEXCOORD_0`, `COLOR_0`, `_PIN`, ...
    pub semantic: String,
    /// glTF component type, 5120 to 5126.
    pub component_type: u32,
    /// `SCALAR`, `VEC2`, `VEC3` or `VEC4`.
    pub element_type: String,
    /// Whether integers stand for [0, 1] or [-1, 1].
    pub normalized: bool,
    /// The elements, one per vertex of the primitive.
    pub bytes: Vec<u8>,
}
