//! A mesh whose points are known in every frame -> base mesh, morph targets and their weights.

use std::collections::BTreeMap;

use gltf_json as json;
use json::accessor::Accessor;
use json::animation::{Interpolation, Property};
use json::mesh::{Mesh, Primitive, Semantic};
use json::scene::Node;
use json::validation::Checked::{self, Valid};
use json::{Extras, Index};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::super::Bake;
use super::appearance::{MaterialOffset, add_appearance};
use super::document::Document;
use super::identity::push_identity_weights;
use super::layout::{Block, Layout, MeshLayout};
use super::shape::{MovingBlock, Shape, push_shape};
use super::span::{Span, spans};
use super::still::{StillAttribute, push_still_attributes, texcoord_sets};
use crate::geometry::{DVec3, Vec3};
use crate::simulate::Timeline;

/// A layout and the points that move it.
pub(super) struct MovingMesh<'a> {
    layout: &'a Layout,
    /// Where positions count from, metres in the world.
    origin: DVec3,
    /// Positions of all points, a list a frame.
    frames: &'a [Vec<Vec3>],
    /// Parallel to the layout's blocks.
    blocks: Vec<MovingBlock>,
}

impl<'a> MovingMesh<'a> {
    /// The garment, its vertices moved by their particles.
    pub(super) fn of_garment(bake: &Bake<'a>, layout: &'a Layout) -> MovingMesh<'a> {
        let mesh = MovingMesh::new(layout, &bake.cache.frames, |vertex| bake.particle_of_vertex[vertex as usize].0);
        MovingMesh { origin: bake.origin, ..mesh }
    }

    /// A layout whose vertex `v` is at point `point_of_vertex(v)`.
    pub(super) fn new(
        layout: &'a Layout,
        frames: &'a [Vec<Vec3>],
        point_of_vertex: impl Fn(u32) -> u32,
    ) -> MovingMesh<'a> {
        let points_of = |block: &Block| -> Vec<u32> { block.vertices.iter().map(|&v| point_of_vertex(v)).collect() };
        let points: Vec<Vec<u32>> = layout.blocks.iter().map(points_of).collect();
        let primitives = layout.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let triangles: Vec<[u32; 3]> = primitives
            .flat_map(|p| p.triangles.iter().map(|t| t.map(|corner| points[p.block][corner as usize])))
            .collect();
        let point_count = frames.first().map_or(0, Vec::len);
        let blocks = points.into_iter().map(|points| MovingBlock::new(points, &triangles, point_count)).collect();
        MovingMesh { layout, origin: DVec3::ZERO, frames, blocks }
    }

    /// Adds meshes, nodes and tracks.
    pub(super) fn add_to(&'a self, document: &mut Document<'a>, timeline: &Timeline) {
        let materials = add_appearance(document, &self.layout.appearance);
        let still: Vec<Vec<StillAttribute>> =
            self.layout.blocks.iter().map(|block| push_still_attributes(document, block)).collect();
        for span in spans(timeline, self.frames.len()) {
            let shapes =
                self.blocks.iter().map(|block| push_shape(document, block, &self.frames[span.range()])).collect();
            let looks = Looks { materials, still: &still, shapes };
            let keys = SpanKeys::push(document, &span);
            for mesh in &self.layout.meshes {
                let index = looks.push_mesh(document, mesh, &span);
                keys.push_node(document, (index, mesh), &span, self.origin);
            }
        }
    }
}

/// What the primitives of a span refer to; lists parallel to the layout's blocks.
struct Looks<'a> {
    materials: MaterialOffset,
    still: &'a [Vec<StillAttribute>],
    shapes: Vec<Shape>,
}

impl Looks<'_> {
    fn push_mesh(&self, document: &mut Document<'_>, mesh: &MeshLayout, span: &Span<'_>) -> Index<Mesh> {
        let primitives = mesh.primitives.iter().map(|primitive| {
            let indices = document.push_triangles(&primitive.triangles);
            self.primitive(document, primitive.block, primitive.material, indices)
        });
        let primitives = primitives.collect();
        let names = span.target_names();
        let moves = !names.is_empty();
        document.root.push(Mesh {
            extensions: None,
            extras: mesh_extras(mesh.extras[1].as_ref(), moves.then_some(&names)),
            name: Some(span.name(mesh.mesh_name.as_ref().unwrap_or(&mesh.name))),
            primitives,
            weights: moves.then(|| vec![0.0; names.len()]),
        })
    }

    fn primitive(
        &self,
        document: &mut Document<'_>,
        block: usize,
        material: Option<u32>,
        indices: Index<Accessor>,
    ) -> Primitive {
        let (shape, still) = (&self.shapes[block], &self.still[block]);
        let moving = [(Valid(Semantic::Positions), shape.positions), (Valid(Semantic::Normals), shape.normals)];
        let attributes: BTreeMap<Checked<Semantic>, Index<Accessor>> =
            moving.into_iter().chain(still.clone()).collect();
        let material = material.and_then(|m| document.looks.material(self.materials, m, texcoord_sets(still)));
        Primitive {
            attributes,
            extensions: None,
            extras: None,
            indices: Some(indices),
            material: material.map(Index::new),
            mode: Valid(json::mesh::Mode::Triangles),
            targets: (!shape.targets.is_empty()).then(|| shape.targets.clone()),
        }
    }
}

/// What the source says beside the mesh, and the names of its morph targets, which take the place of those that the source has.
fn mesh_extras(of_source: Option<&Value>, names: Option<&Vec<String>>) -> Extras {
    let mut extras = of_source.cloned();
    if let Some(Value::Object(fields)) = &mut extras {
        fields.remove("targetNames");
    }
    if let Some(names) = names {
        let names = json!(names);
        match &mut extras {
            Some(Value::Object(fields)) => drop(fields.insert("targetNames".to_owned(), names)),
            _ => extras = Some(json!({ "targetNames": names })),
        }
    }
    to_raw_value(&extras?).ok()
}

/// Key times and values that all meshes of a span share.
struct SpanKeys {
    weights: Option<[Index<Accessor>; 2]>,
    visibility: Option<[Index<Accessor>; 2]>,
}

impl SpanKeys {
    fn push(document: &mut Document<'_>, span: &Span<'_>) -> SpanKeys {
        let times = span.times();
        let weights =
            (times.len() > 1).then(|| [document.push_times(&times), push_identity_weights(document, times.len() - 1)]);
        let visibility = span.visibility().map(|(times, scales)| {
            let scales: Vec<f32> = scales.iter().flat_map(|&scale| [scale; 3]).collect();
            [document.push_times(&times), document.push_numbers(json::accessor::Type::Vec3, &scales)]
        });
        SpanKeys { weights, visibility }
    }

    fn push_node(
        &self,
        document: &mut Document<'_>,
        (mesh, layout): (Index<Mesh>, &MeshLayout),
        span: &Span<'_>,
        origin: DVec3,
    ) {
        let name = Some(span.name(&layout.name));
        let extras = layout.extras[0].as_ref().and_then(|extras| to_raw_value(extras).ok());
        let scale = (!span.is_first()).then_some([0.0; 3]);
        // Whole metres: exact in `f32` wherever cloth may be.
        let translation = (origin != DVec3::ZERO).then(|| origin.as_vec3().to_array());
        let node =
            document.push_root_node(Node { mesh: Some(mesh), name, translation, scale, extras, ..Node::default() });
        if let Some(keys) = self.weights {
            document.push_track(node, Property::MorphTargetWeights, Interpolation::Linear, keys);
        }
        if let Some(keys) = self.visibility {
            document.push_track(node, Property::Scale, Interpolation::Step, keys);
        }
    }
}
