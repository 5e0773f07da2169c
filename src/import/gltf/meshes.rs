//! Meshes: primitives of triangles with attributes of one length. Glossary and types: glTF 2.0, section 3.7.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::element::{Element, shown};
use super::format::Format;
use super::sanitise::Sanitiser;

/// Lowest `mode` with triangles (4 list, 5 strip, 6 fan).
const TRIANGLES: u64 = 4;

impl Sanitiser<'_, '_> {
    /// The meshes in use.
    pub(super) fn meshes(&mut self, used: &BTreeSet<usize>) -> BTreeMap<usize, Value> {
        let mut meshes = BTreeMap::new();
        for &index in used {
            if let Some(mesh) = self.source.item("meshes", index, &mut self.faults) {
                let clean = self.mesh(index, &mesh);
                meshes.insert(index, clean);
            }
        }
        meshes
    }

    /// Primitives that cannot be used stay as empty ones, so that their numbers stay.
    fn mesh(&mut self, number: usize, mesh: &Element<'_>) -> Value {
        let mut primitives = Vec::new();
        let mut targets = None;
        for index in 0..mesh.array("primitives", &mut self.faults).len() {
            let primitive = mesh.item("primitives", index, &mut self.faults);
            let clean = primitive.as_ref().and_then(|primitive| Some((primitive, self.primitive(primitive)?)));
            if let Some((primitive, clean)) = &clean {
                let count = clean["targets"].as_array().map_or(0, Vec::len);
                let first = *targets.get_or_insert(count);
                if count != first {
                    let expected = format_args!("{first}, as the mesh's other primitives have");
                    self.faults.push(primitive.place_of("targets"), format_args!("{count} morph targets"), expected);
                }
            }
            primitives.push(clean.map_or(json!({ "attributes": {} }), |(_, clean)| clean));
        }
        self.morph_targets.insert(number, targets.unwrap_or(0));
        let mut clean = json!({ "primitives": primitives });
        if let Some(weights) = mesh.numbers("weights", None, &mut self.faults) {
            clean["weights"] = weights.into();
        }
        if let Some(name) = mesh.name() {
            clean["name"] = name.into();
        }
        clean
    }

    fn primitive(&mut self, primitive: &Element<'_>) -> Option<Value> {
        let mode = primitive.integer("mode", &mut self.faults).unwrap_or(TRIANGLES);
        if mode < TRIANGLES {
            let kind = if mode == 0 { "points" } else { "lines" };
            self.notices.push(format!("{}: {kind} are left out; only triangles are baked", primitive.place()));
            return None;
        }
        if mode > 6 {
            self.faults.push(primitive.place_of("mode"), mode, "4, 5 or 6 (triangles, strip, fan)");
            return None;
        }
        let attributes = primitive.child("attributes", &mut self.faults)?;
        if attributes.get("POSITION").is_none() {
            self.notices.push(format!("{}: left out, it has no POSITION", primitive.place()));
            return None;
        }
        // What is decompressed is a list, whatever it was before.
        let mode = if self.decompress(primitive, &attributes)? { TRIANGLES } else { mode };
        let (_, vertices) = self.accessor(&attributes, "POSITION", Format::Position)?;
        let mut clean = json!({ "mode": mode, "attributes": self.attributes(&attributes, vertices) });
        if let Some((indices, _)) = self.accessor(primitive, "indices", Format::Indices) {
            clean["indices"] = indices.into();
        }
        if let Some(targets) = self.targets(primitive, vertices) {
            clean["targets"] = targets;
        }
        if let Some(material) = self.material(primitive) {
            clean["material"] = material.into();
        }
        Some(clean)
    }

    fn attributes(&mut self, attributes: &Element<'_>, vertices: usize) -> Map<String, Value> {
        let mut clean = Map::new();
        for (semantic, value) in attributes.entries() {
            match format_of(semantic) {
                Some(format) => clean.extend(self.vertex_accessor(attributes, semantic, format, vertices)),
                None if semantic == "TANGENT" || value.is_null() => {}
                None => {
                    let name = shown(&semantic.as_str().into());
                    self.notices
                        .push(format!("{}: attribute {name} is left out, glTF has no such name", attributes.place()));
                }
            }
        }
        clean
    }

    fn targets(&mut self, primitive: &Element<'_>, vertices: usize) -> Option<Value> {
        let count = primitive.array("targets", &mut self.faults).len();
        let mut targets = Vec::new();
        for index in 0..count {
            let target = primitive.item("targets", index, &mut self.faults)?;
            let mut clean = Map::new();
            for (semantic, format) in [("POSITION", Format::Position), ("NORMAL", Format::Normal)] {
                clean.extend(self.vertex_accessor(&target, semantic, format, vertices));
            }
            targets.push(Value::Object(clean));
        }
        (count > 0).then_some(Value::Array(targets))
    }

    /// An accessor with an element for each vertex.
    fn vertex_accessor(
        &mut self,
        user: &Element<'_>,
        semantic: &str,
        format: Format,
        vertices: usize,
    ) -> Option<(String, Value)> {
        let (index, count) = self.accessor(user, semantic, format)?;
        if count != vertices {
            let expected = format_args!("{vertices}, one for each POSITION");
            self.faults.push(user.place_of(semantic), format_args!("{count} elements in accessors[{index}]"), expected);
            return None;
        }
        Some((semantic.to_owned(), index.into()))
    }

    fn material(&mut self, primitive: &Element<'_>) -> Option<usize> {
        let material = primitive.integer("material", &mut self.faults)? as usize;
        if material < self.material_count {
            return Some(material);
        }
        let count = self.material_count;
        self.notices.push(format!("{}: material {material} of {count} is left out", primitive.place()));
        None
    }
}

/// Format of an attribute that is read; none for others.
pub(super) fn format_of(semantic: &str) -> Option<Format> {
    match semantic {
        "POSITION" => return Some(Format::Position),
        "NORMAL" => return Some(Format::Normal),
        _ if semantic.starts_with('_') => return Some(Format::Custom),
        _ => {}
    }
    let (name, set) = semantic.rsplit_once('_')?;
    let number: u32 = set.parse().ok()?;
    if number.to_string() != set {
        return None;
    }
    match name {
        "TEXCOORD" => Some(Format::TexCoord),
        "COLOR" => Some(Format::Colour),
        "JOINTS" => Some(Format::Joints),
        "WEIGHTS" => Some(Format::Weights),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_that_gltf_has_are_read() {
        assert_eq!(format_of("TEXCOORD_0"), Some(Format::TexCoord));
        assert_eq!(format_of("_PIN"), Some(Format::Custom));
        for name in ["TEXCOORD_00", "TEXCOORD", "JOINTS_-1", "WEIGHTS_99999999999", "pin", "TANGENT", ""] {
            assert_eq!(format_of(name), None, "{name}");
        }
    }
}
