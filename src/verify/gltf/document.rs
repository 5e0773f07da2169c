//! The JSON of a glTF: the keys that say where vertices are, and when.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::fault::Fault;

/// Objects that a document may have: a small one of three bytes takes hundreds when it is taken apart.
const MAX_OBJECTS: usize = 1 << 20;

/// The document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<View>,
    #[serde(default)]
    pub(super) buffers: Vec<Buffer>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) animations: Vec<Animation>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: String,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) byte_length: u64,
    pub(super) uri: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    pub(super) primitives: Vec<Primitive>,
    #[serde(default)]
    pub(super) weights: Vec<f32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<String, usize>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub(super) mesh: Option<usize>,
    #[serde(default)]
    pub(super) translation: [f64; 3],
    #[serde(default = "no_turn")]
    pub(super) rotation: [f64; 4],
    #[serde(default = "no_scale")]
    pub(super) scale: [f64; 3],
    pub(super) matrix: Option<Vec<f64>>,
    #[serde(default)]
    pub(super) weights: Vec<f32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Animation {
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<usize>,
    pub(super) path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub(super) input: usize,
    pub(super) output: usize,
    #[serde(default = "linear")]
    pub(super) interpolation: String,
}

fn no_turn() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

fn no_scale() -> [f64; 3] {
    [1.0; 3]
}

fn linear() -> String {
    "LINEAR".to_owned()
}

impl Document {
    /// Takes the text apart.
    pub(super) fn parse(json: &[u8]) -> Result<Document, Fault> {
        if json.iter().filter(|&&byte| byte == b'{').count() > MAX_OBJECTS {
            return Err(Fault::Json { why: format!("more than {MAX_OBJECTS} objects") });
        }
        serde_json::from_slice(json).map_err(|error| Fault::Json { why: error.to_string() })
    }

    /// Nodes of the scene that is shown.
    pub(super) fn roots(&self) -> &[usize] {
        self.scenes.get(self.scene.unwrap_or(0)).map_or(&[], |scene| &scene.nodes)
    }
}
