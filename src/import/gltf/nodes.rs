//! Node transforms, as in glTF 2.0, section 3.5.3.

use serde_json::{Map, Value, json};

use super::element::Element;
use super::error::Faults;
use super::sanitise::Sanitiser;
use super::tree::Tree;

/// Shortest rotation that has a direction.
const LEAST_ROTATION: f64 = 1.0e-6;

impl Sanitiser<'_, '_> {
    /// All nodes of the document; those that do not matter are empty.
    pub(super) fn nodes(&mut self, tree: &Tree) -> Vec<Value> {
        let mut nodes = vec![json!({}); tree.places.len()];
        for &index in &tree.order {
            let drawn = tree.drawn.get(index) == Some(&true);
            if let (Some(node), Some(slot)) = (self.source.item("nodes", index, &mut self.faults), nodes.get_mut(index))
            {
                *slot = clean_node(&node, drawn, &mut self.faults).into();
            }
        }
        nodes
    }
}

fn clean_node(node: &Element<'_>, drawn: bool, faults: &mut Faults) -> Map<String, Value> {
    let mut clean = Map::new();
    if let Some(name) = node.name() {
        clean.insert("name".to_owned(), name.into());
    }
    if drawn && node.get("mesh").is_some() {
        for key in ["mesh", "skin"] {
            clean.extend(node.integer(key, faults).map(|index| (key.to_owned(), index.into())));
        }
    }
    let parts = [("translation", 3), ("rotation", 4), ("scale", 3), ("matrix", 16), ("weights", 0)];
    for (key, length) in parts {
        let length = (length > 0).then_some(length);
        clean.extend(node.numbers(key, length, faults).map(|numbers| (key.to_owned(), numbers.into())));
    }
    let moved = ["translation", "rotation", "scale"].iter().any(|&key| node.get(key).is_some());
    if node.get("matrix").is_some() && moved {
        faults.push(node.place(), "both a matrix and translation, rotation or scale", "one or the other");
    }
    if let Some(rotation) = node.numbers("rotation", Some(4), &mut Faults::default())
        && rotation.iter().map(|x| x * x).sum::<f64>() < LEAST_ROTATION * LEAST_ROTATION
    {
        faults.push(node.place_of("rotation"), "a quaternion of length 0", "a unit quaternion");
    }
    clean
}
