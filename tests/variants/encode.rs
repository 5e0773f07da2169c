//! A rig as a binary glTF file, in one of the ways that exporters have of saying the same.

use serde_json::{Value, json};

use toile::geometry::{DAffine3, Vec3};
use toile::import::{BodyPart, Clip, Interpolation, Rig, Skin, TrackValues};

/// Component type of joint indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointType {
    Byte,
    Short,
}

/// Component type of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightType {
    Float,
    Byte,
    Short,
}

/// How triangles are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Faces {
    Indexed,
    /// No indices, three vertices a triangle.
    Soup,
    /// Three vertices a triangle with the triangle's normal, and indices.
    Split,
    /// One strip, stitched by flat triangles.
    Strip,
}

/// How keys are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interpolated {
    AsIs,
    Step,
    Spline,
}

/// A way to write a rig.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding {
    pub(crate) joints: JointType,
    pub(crate) weights: WeightType,
    /// Influences go to two sets of four, two to each.
    pub(crate) two_sets: bool,
    pub(crate) normals: bool,
    pub(crate) faces: Faces,
    /// Every third position comes from a sparse accessor.
    pub(crate) sparse: bool,
    pub(crate) keys: Interpolated,
}

impl Default for Encoding {
    fn default() -> Self {
        Encoding {
            joints: JointType::Byte,
            weights: WeightType::Float,
            two_sets: false,
            normals: true,
            faces: Faces::Indexed,
            sparse: false,
            keys: Interpolated::AsIs,
        }
    }
}

const FLOAT: u32 = 5126;
const SHORT: u32 = 5123;
const INTEGER: u32 = 5125;
const BYTE: u32 = 5121;

/// The bytes of the file.
pub(crate) fn encode(rig: &Rig, encoding: Encoding) -> Vec<u8> {
    let mut file = File::default();
    let skins: Vec<Value> = rig.skins.iter().map(|skin| file.skin(skin)).collect();
    let meshes: Vec<Value> = rig.parts.iter().map(|part| file.mesh(part, encoding)).collect();
    let animations: Vec<Value> = rig.clips.iter().map(|clip| file.clip(rig, clip, encoding.keys)).collect();
    let mut nodes: Vec<Value> = (0..rig.nodes.len()).map(|index| node(rig, index)).collect();
    let mut roots: Vec<usize> = (0..nodes.len()).filter(|&index| rig.nodes[index].parent.is_none()).collect();
    // Each part gets a node of its own, below the one that carries it.
    for (mesh, part) in rig.parts.iter().enumerate() {
        let index = nodes.len();
        let mut own = json!({ "name": part.name, "mesh": mesh });
        if let Some(skin) = part.skin {
            own["skin"] = json!(skin);
            roots.push(index);
        } else {
            child_of(&mut nodes[part.node as usize], index);
        }
        nodes.push(own);
    }
    let mut root = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": roots }], "nodes": nodes, "meshes": meshes,
        "accessors": file.accessors, "bufferViews": file.views, "buffers": [{ "byteLength": file.binary.len() }],
    });
    if !skins.is_empty() {
        root["skins"] = json!(skins);
    }
    if !animations.is_empty() {
        root["animations"] = json!(animations);
    }
    container(&root, file.binary)
}

fn node(rig: &Rig, index: usize) -> Value {
    let rest = &rig.nodes[index];
    let mut node = json!({ "name": rest.name });
    match rest.matrix {
        Some(matrix) => node["matrix"] = json!(columns(&matrix)),
        None => {
            node["translation"] = json!(rest.translation.to_array());
            node["rotation"] = json!(rest.rotation.to_array());
            node["scale"] = json!(rest.scale.to_array());
        }
    }
    (0..rig.nodes.len()).filter(|&child| rig.nodes[child].parent == Some(index as u32)).for_each(|child| {
        child_of(&mut node, child);
    });
    node
}

fn child_of(node: &mut Value, child: usize) {
    if node.get("children").is_none() {
        node["children"] = json!([]);
    }
    node["children"].as_array_mut().expect("children").push(json!(child));
}

fn columns(matrix: &DAffine3) -> Vec<f64> {
    let m = matrix.matrix3;
    let columns = [(m.x_axis, 0.0), (m.y_axis, 0.0), (m.z_axis, 0.0), (matrix.translation, 1.0)];
    columns.iter().flat_map(|(v, w)| [v.x, v.y, v.z, *w]).collect()
}

fn container(root: &Value, mut binary: Vec<u8>) -> Vec<u8> {
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF".to_vec();
    let total = 12 + 8 + text.len() + 8 + binary.len();
    [2, total as u32, text.len() as u32, 0x4E4F_534A].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.extend(text);
    [binary.len() as u32, 0x004E_4942].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.extend(binary);
    bytes
}

/// Buffers and accessors under construction.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.binary.len();
        self.binary.extend(bytes);
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        self.views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }));
        self.views.len() - 1
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }));
        self.accessors.len() - 1
    }

    fn floats(&mut self, values: impl IntoIterator<Item = f32>, kind: &str, width: usize) -> usize {
        let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
        self.accessor(&bytes, FLOAT, kind, bytes.len() / 4 / width)
    }

    fn points(&mut self, points: &[Vec3]) -> usize {
        let accessor = self.floats(points.iter().flat_map(|p| p.to_array()), "VEC3", 3);
        let all = |fold: fn(Vec3, Vec3) -> Vec3| points.iter().copied().reduce(fold).unwrap_or_default().to_array();
        self.accessors[accessor]["min"] = json!(all(Vec3::min));
        self.accessors[accessor]["max"] = json!(all(Vec3::max));
        accessor
    }

    /// Positions, every third of which lies elsewhere in the dense part.
    fn sparse_points(&mut self, points: &[Vec3]) -> usize {
        let moved = |(i, p): (usize, &Vec3)| if i % 3 == 0 { *p * 0.5 } else { *p };
        let dense: Vec<Vec3> = points.iter().enumerate().map(moved).collect();
        let accessor = self.points(&dense);
        let right: Vec<usize> = (0..points.len()).step_by(3).collect();
        let indices: Vec<u8> = right.iter().flat_map(|&i| (i as u32).to_le_bytes()).collect();
        let values: Vec<u8> = right.iter().flat_map(|&i| points[i].to_array()).flat_map(f32::to_le_bytes).collect();
        let (indices, values) = (self.view(&indices), self.view(&values));
        self.accessors[accessor]["sparse"] = json!({
            "count": right.len(),
            "indices": { "bufferView": indices, "componentType": INTEGER },
            "values": { "bufferView": values },
        });
        accessor
    }

    fn skin(&mut self, skin: &Skin) -> Value {
        let matrices = skin.inverse_bind.iter().flat_map(columns).map(|x| x as f32);
        let matrices = self.floats(matrices.collect::<Vec<_>>(), "MAT4", 16);
        json!({ "joints": skin.joints, "inverseBindMatrices": matrices })
    }

    fn mesh(&mut self, part: &BodyPart, encoding: Encoding) -> Value {
        // What each stored vertex is of the part's, and the normals.
        let corners: Vec<u32> = part.triangles.iter().flatten().copied().collect();
        let is_expanded = matches!(encoding.faces, Faces::Soup | Faces::Split);
        let of: Vec<u32> = if is_expanded { corners.clone() } else { (0..part.positions.len() as u32).collect() };
        let positions: Vec<Vec3> = of.iter().map(|&v| part.positions[v as usize]).collect();
        let stored = if encoding.sparse { self.sparse_points(&positions) } else { self.points(&positions) };
        let mut attributes = json!({ "POSITION": stored });
        if encoding.normals && encoding.faces != Faces::Soup {
            let flat = |t: &[Vec3]| [(t[1] - t[0]).cross(t[2] - t[0]).normalize_or(Vec3::Y); 3];
            let normals: Vec<Vec3> = match encoding.faces {
                Faces::Split => positions.chunks_exact(3).flat_map(flat).collect(),
                _ => of.iter().map(|&v| part.normals.get(v as usize).copied().unwrap_or(Vec3::Y)).collect(),
            };
            attributes["NORMAL"] = json!(self.floats(normals.iter().flat_map(|n| n.to_array()), "VEC3", 3));
        }
        if part.skin.is_some() {
            self.influences(part, &of, encoding, &mut attributes);
        }
        let mut primitive = json!({ "attributes": attributes });
        match encoding.faces {
            Faces::Soup => {}
            Faces::Split => primitive["indices"] = json!(self.indices(&(0..of.len() as u32).collect::<Vec<_>>())),
            Faces::Indexed => primitive["indices"] = json!(self.indices(&corners)),
            Faces::Strip => {
                primitive["mode"] = json!(5);
                primitive["indices"] = json!(self.indices(&strip(&part.triangles)));
            }
        }
        if !part.morph_targets.is_empty() {
            let targets = part.morph_targets.iter().map(|target| {
                let moved: Vec<Vec3> = of.iter().map(|&v| target.positions[v as usize]).collect();
                json!({ "POSITION": self.points(&moved) })
            });
            primitive["targets"] = targets.collect();
        }
        let mut mesh = json!({ "name": part.name, "primitives": [primitive] });
        if !part.morph_targets.is_empty() {
            mesh["weights"] = json!(part.morph_weights);
        }
        mesh
    }

    fn indices(&mut self, corners: &[u32]) -> usize {
        let bytes: Vec<u8> = corners.iter().flat_map(|c| c.to_le_bytes()).collect();
        self.accessor(&bytes, INTEGER, "SCALAR", corners.len())
    }

    fn influences(&mut self, part: &BodyPart, of: &[u32], encoding: Encoding, attributes: &mut Value) {
        let (sets, each) = if encoding.two_sets { (2, 2) } else { (1, 4) };
        for set in 0..sets {
            let (mut joints, mut weights) = (Vec::new(), Vec::new());
            for &vertex in of {
                let mut all: Vec<(usize, f32)> = part.weights.of(vertex as usize).collect();
                all.resize(8, (0, 0.0));
                let mut own = all[set * each..(set + 1) * each].to_vec();
                own.resize(4, (0, 0.0));
                joints.extend(own.iter().map(|(joint, _)| *joint as u16));
                weights.extend(own.iter().map(|(_, weight)| *weight));
            }
            let count = of.len();
            let joints = match encoding.joints {
                JointType::Byte => {
                    self.accessor(&joints.iter().map(|&j| j as u8).collect::<Vec<_>>(), BYTE, "VEC4", count)
                }
                JointType::Short => {
                    let bytes: Vec<u8> = joints.iter().flat_map(|j| j.to_le_bytes()).collect();
                    self.accessor(&bytes, SHORT, "VEC4", count)
                }
            };
            attributes[format!("JOINTS_{set}")] = json!(joints);
            attributes[format!("WEIGHTS_{set}")] = json!(self.weights(&weights, encoding.weights, count));
        }
    }

    fn weights(&mut self, weights: &[f32], kind: WeightType, count: usize) -> usize {
        let (bytes, component): (Vec<u8>, u32) = match kind {
            WeightType::Float => return self.floats(weights.iter().copied(), "VEC4", 4),
            WeightType::Byte => (weights.iter().map(|w| (w * 255.0).round() as u8).collect(), BYTE),
            WeightType::Short => {
                (weights.iter().flat_map(|w| ((w * 65535.0).round() as u16).to_le_bytes()).collect(), SHORT)
            }
        };
        let accessor = self.accessor(&bytes, component, "VEC4", count);
        self.accessors[accessor]["normalized"] = json!(true);
        accessor
    }

    fn clip(&mut self, rig: &Rig, clip: &Clip, keys: Interpolated) -> Value {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for track in &clip.tracks {
            let input = self.floats(track.times.iter().copied(), "SCALAR", 1);
            self.accessors[input]["min"] = json!([track.times[0]]);
            self.accessors[input]["max"] = json!([track.times[track.times.len() - 1]]);
            let (path, width, kind, values): (_, _, _, Vec<f32>) = match &track.values {
                TrackValues::Translation(v) => ("translation", 3, "VEC3", floats(v.iter().map(|v| v.to_array()))),
                TrackValues::Scale(v) => ("scale", 3, "VEC3", floats(v.iter().map(|v| v.to_array()))),
                TrackValues::Rotation(v) => ("rotation", 4, "VEC4", floats(v.iter().map(|v| v.to_array()))),
                TrackValues::MorphWeights { weights, targets } => ("weights", *targets, "SCALAR", weights.clone()),
            };
            let (interpolation, values) = match keys {
                Interpolated::AsIs if track.interpolation == Interpolation::Step => ("STEP", values),
                Interpolated::AsIs => ("LINEAR", values),
                Interpolated::Step => ("STEP", values),
                Interpolated::Spline => ("CUBICSPLINE", splined(&values, &track.times, width)),
            };
            let output = self.floats(values, kind, if kind == "SCALAR" { 1 } else { width });
            // Parts have nodes of their own, behind those of the rig: morph weights go there.
            let part = rig.parts.iter().position(|part| part.node == track.node);
            let node = match track.values {
                TrackValues::MorphWeights { .. } => rig.nodes.len() + part.expect("a part with these weights"),
                _ => track.node as usize,
            };
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        }
        json!({ "name": clip.name, "channels": channels, "samplers": samplers })
    }
}

fn floats<const N: usize>(values: impl Iterator<Item = [f64; N]>) -> Vec<f32> {
    values.flatten().map(|x| x as f32).collect()
}

/// Values between tangents that lead from the key before to the one after.
fn splined(values: &[f32], times: &[f32], width: usize) -> Vec<f32> {
    let key = |k: usize| &values[k * width..(k + 1) * width];
    let last = times.len() - 1;
    let tangent = |k: usize| -> Vec<f32> {
        let (before, after) = (k.saturating_sub(1), (k + 1).min(last));
        let seconds = (times[after] - times[before]).max(f32::MIN_POSITIVE);
        key(before).iter().zip(key(after)).map(|(a, b)| (b - a) / seconds).collect()
    };
    (0..=last).flat_map(|k| [tangent(k), key(k).to_vec(), tangent(k)].concat()).collect()
}

/// All triangles in one strip: repeated corners lead from one to the next without a face, and keep the sense.
fn strip(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut strip: Vec<u32> = Vec::new();
    for &[a, b, c] in triangles {
        if let Some(&last) = strip.last() {
            strip.extend([last, last, a]);
        }
        strip.extend([a, b, c]);
    }
    strip
}
