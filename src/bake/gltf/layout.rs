//! How a mesh is laid out in glTF: blocks of vertices, meshes of primitives, materials.

use serde_json::Value;

use super::wedges::Wedges;
use crate::geometry::{Vec3, triangulate_as_drawn};
use crate::import::{
    Appearance, Garment, GarmentSource, GltfPrimitive, GltfSource, ObjSource, RawAttribute, linear_from_srgb,
    with_pictures,
};

use super::appearance::cloth_material;

/// The parts of a mesh that do not move.
pub(super) struct Layout {
    /// Vertices, each block with accessors of its own.
    pub(super) blocks: Vec<Block>,
    /// Meshes, each on a node of its own.
    pub(super) meshes: Vec<MeshLayout>,
    /// What the primitives' materials refer to.
    pub(super) appearance: Appearance,
}

/// Vertices that share accessors.
pub(super) struct Block {
    /// Vertex of the garment (or body) that each of them is.
    pub(super) vertices: Vec<u32>,
    /// Attributes beside position and normal.
    pub(super) attributes: Vec<RawAttribute>,
}

/// A mesh and the node that carries it.
#[derive(Default)]
pub(super) struct MeshLayout {
    /// Name of the node.
    pub(super) name: String,
    /// Name of the mesh, where it has another.
    pub(super) mesh_name: Option<String>,
    /// `extras` of node and mesh, as JSON.
    pub(super) extras: [Option<Value>; 2],
    pub(super) primitives: Vec<PrimitiveLayout>,
}

/// Triangles of one material.
pub(super) struct PrimitiveLayout {
    pub(super) block: usize,
    /// Corner numbers in the block.
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) material: Option<u32>,
}

impl Layout {
    /// The garment as its file has it, faces cut into triangles.
    pub(super) fn of_garment(garment: &Garment) -> Layout {
        let mut layout = match &garment.source {
            GarmentSource::Obj(source) => of_obj(garment, source),
            GarmentSource::Gltf(source) => of_gltf(garment, source),
        };
        for block in &mut layout.blocks {
            block.attributes.retain(|attribute| attribute.semantic != VERTEX_ID);
            block.attributes.push(vertex_ids(&block.vertices));
        }
        for mesh in &mut layout.meshes {
            mesh.primitives.retain(|primitive| !primitive.triangles.is_empty());
        }
        layout.meshes.retain(|mesh| !mesh.primitives.is_empty());
        layout
    }
}

/// Attribute that leads back to the source's vertex order: importers re-order and split vertices, but keep attributes.
const VERTEX_ID: &str = "_VERTEX_ID";

/// glTF component type of `f32`.
const FLOAT: u32 = 5126;

fn of_obj(garment: &Garment, source: &ObjSource) -> Layout {
    let wedges = Wedges::of(garment, source);
    let mut primitives: Vec<PrimitiveLayout> = Vec::new();
    let mut place_of_material = Vec::new();
    for polygon in 0..garment.polygons.len() {
        let material = source.polygon_materials.get(polygon).copied().flatten();
        let place = place_of_material.iter().position(|m| *m == material).unwrap_or_else(|| {
            place_of_material.push(material);
            primitives.push(PrimitiveLayout { block: 0, triangles: Vec::new(), material: None });
            primitives.len() - 1
        });
        let range = garment.polygons.range(polygon);
        primitives[place].material = Some(place as u32);
        primitives[place].triangles.extend(triangles_of(garment, polygon, &wedges.of_corner[range]));
    }
    let materials = place_of_material
        .iter()
        .map(|material| cloth_material(material.and_then(|index| source.materials.get(index as usize))));
    let appearance = with_pictures(materials.collect(), &source.pictures);
    let attributes = [texcoords_top_down(&wedges), linear_colours(&wedges, &source.colours)];
    let block = Block { attributes: attributes.into_iter().flatten().collect(), vertices: wedges.vertices };
    Layout {
        blocks: vec![block],
        meshes: vec![MeshLayout { name: garment.name.clone(), primitives, ..MeshLayout::default() }],
        appearance,
    }
}

fn of_gltf<'s>(garment: &Garment, source: &'s GltfSource) -> Layout {
    let mut blocks = Vec::new();
    let mut owners: Vec<&GltfPrimitive> = Vec::new();
    let mut meshes: Vec<MeshLayout> = Vec::new();
    for primitives in source.primitives.chunk_by(|a, b| a.node == b.node) {
        let layout = |primitive: &'s GltfPrimitive| {
            let is_alike =
                |o: &&GltfPrimitive| o.vertices == primitive.vertices && o.attributes == primitive.attributes;
            let block = owners.iter().position(is_alike).unwrap_or_else(|| {
                owners.push(primitive);
                blocks.push(Block {
                    vertices: primitive.vertices.clone().collect(),
                    attributes: primitive.attributes.clone(),
                });
                blocks.len() - 1
            });
            let first = primitive.vertices.start;
            let triangles = primitive.polygons.clone().flat_map(|polygon| {
                let corners: Vec<u32> = garment.polygons.get(polygon as usize).iter().map(|v| v - first).collect();
                triangles_of(garment, polygon as usize, &corners)
            });
            PrimitiveLayout { block, triangles: triangles.collect(), material: primitive.material }
        };
        let of_node = &primitives[0];
        meshes.push(MeshLayout {
            name: of_node.name.clone(),
            mesh_name: of_node.mesh_name.clone(),
            extras: of_node.extras.clone(),
            primitives: primitives.iter().map(layout).collect(),
        });
    }
    Layout { blocks, meshes, appearance: source.appearance.clone() }
}

/// Triangles of a polygon; `numbers` says what each corner is called.
fn triangles_of(garment: &Garment, polygon: usize, numbers: &[u32]) -> Vec<[u32; 3]> {
    let corners: Vec<_> = garment.polygons.get(polygon).iter().map(|&v| garment.positions[v as usize]).collect();
    triangulate_as_drawn(&corners).into_iter().map(|triangle| triangle.map(|corner| numbers[corner])).collect()
}

/// Texture coordinates with V down, as glTF counts it.
fn texcoords_top_down(wedges: &Wedges) -> Option<RawAttribute> {
    let bytes: Vec<u8> = wedges.texcoords.iter().flat_map(|t| [t.x, 1.0 - t.y]).flat_map(f32::to_le_bytes).collect();
    (!bytes.is_empty()).then(|| RawAttribute {
        semantic: "TEXCOORD_0".to_owned(),
        component_type: FLOAT,
        element_type: "VEC2".to_owned(),
        normalized: false,
        bytes,
    })
}

/// Vertex colours, which an OBJ file has in sRGB.
fn linear_colours(wedges: &Wedges, colours: &[Vec3]) -> Option<RawAttribute> {
    let colour = |&vertex: &u32| colours.get(vertex as usize).copied().unwrap_or(Vec3::ONE);
    let components = wedges
        .vertices
        .iter()
        .flat_map(|vertex| colour(vertex).to_array().map(|c| linear_from_srgb(c.clamp(0.0, 1.0))));
    (!colours.is_empty()).then(|| RawAttribute {
        semantic: "COLOR_0".to_owned(),
        component_type: FLOAT,
        element_type: "VEC3".to_owned(),
        normalized: false,
        bytes: components.flat_map(f32::to_le_bytes).collect(),
    })
}

fn vertex_ids(vertices: &[u32]) -> RawAttribute {
    RawAttribute {
        semantic: VERTEX_ID.to_owned(),
        component_type: FLOAT,
        element_type: "SCALAR".to_owned(),
        normalized: false,
        bytes: vertices.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect(),
    }
}
