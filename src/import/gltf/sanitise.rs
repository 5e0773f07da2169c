//! A document as found -> a document that the `gltf` crate may see, and accessors whose bytes exist.
//!
//! Only what a baker reads is copied: nodes of the scene, their meshes and skins, animations of these nodes. Everything
//! copied is checked; indices stay those of the file, so that messages name them. The crate's own validation is not used: it
//! panics on bad indices and refuses valid files (no min/max, zero-filled accessors, quantisation).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::accessor::Accessor;
use super::appearance::read_appearance;
use super::buffers::Buffers;
use super::element::{Element, shown};
use super::error::{Faults, GltfError};
use super::format::{Format, dimensions_name};
use super::tree::{Forest, Tree};
use super::{draco, meshopt};
use crate::import::Appearance;

/// Extensions that may be required: they change looks only, or toile reads what they allow.
const HARMLESS_EXTENSIONS: [&str; 7] = [
    draco::NAME,
    meshopt::NAME,
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_texture_basisu",
    "EXT_texture_webp",
    "KHR_lights_punctual",
];

/// What of a file is drawn and moved, checked.
#[derive(Debug)]
pub(super) struct Clean<'a> {
    /// The typed document.
    pub(super) document: gltf::Document,
    /// Its nodes.
    pub(super) tree: Tree,
    /// Accessors in use.
    pub(super) accessors: BTreeMap<usize, Accessor>,
    /// The bytes they lie in.
    pub(super) buffers: Buffers<'a>,
    /// Materials and images.
    pub(super) appearance: Appearance,
    /// `extras` of nodes and meshes, by index.
    pub(super) extras: [BTreeMap<usize, Value>; 2],
    /// What was odd.
    pub(super) notices: Vec<String>,
}

/// The state of the work.
pub(super) struct Sanitiser<'a, 'v> {
    pub(super) source: Element<'v>,
    pub(super) buffers: Buffers<'a>,
    pub(super) faults: Faults,
    pub(super) notices: Vec<String>,
    pub(super) material_count: usize,
    /// Number of morph targets of each mesh in use.
    pub(super) morph_targets: BTreeMap<usize, usize>,
    pub(super) accessors: BTreeMap<usize, Option<Accessor>>,
}

/// Checks `json` and copies what matters.
pub(super) fn sanitise<'a>(json: &Value, buffers: Buffers<'a>) -> Result<Clean<'a>, GltfError> {
    let not_an_object = || GltfError::AssetVersion { found: shown(json) };
    let source = Element::root(json).ok_or_else(not_an_object)?;
    check_version(&source)?;
    let (faults, notices) = (Faults::default(), Vec::new());
    let (morph_targets, accessors) = (BTreeMap::new(), BTreeMap::new());
    let mut work = Sanitiser { source, buffers, faults, notices, material_count: 0, morph_targets, accessors };
    check_extensions(&work.source, &mut work.faults)?;
    let appearance = read_appearance(&work.source, &mut work.buffers, &mut work.notices);
    work.material_count = appearance.materials.len();

    let forest = Forest::of(&work.source, &mut work.faults);
    work.faults.check()?;
    let drawn = forest.drawn(work.scene_roots(&forest));
    let (meshes, skins) = work.used_by(&drawn);
    let skins = work.skins(&skins);
    let joints: Vec<usize> = skins.values().flat_map(|(_, joints)| joints.iter().copied()).collect();
    let tree = forest.tree(drawn, &joints);
    let nodes = work.nodes(&tree);
    let extras = [work.extras("nodes", &tree.order), work.extras("meshes", &meshes)];
    let meshes = work.meshes(&meshes);
    let animations = work.animations(&tree);
    work.faults.check()?;

    let skins = skins.into_iter().map(|(index, (skin, _))| (index, skin)).collect();
    let document = work.document(nodes, meshes, skins, animations)?;
    let accessors = work.accessors.into_iter().filter_map(|(index, accessor)| Some((index, accessor?))).collect();
    let Sanitiser { buffers, notices, .. } = work;
    Ok(Clean { document, tree, accessors, buffers, appearance, extras, notices })
}

fn check_version(source: &Element<'_>) -> Result<(), GltfError> {
    let asset = source.get("asset");
    let version = asset.and_then(|asset| asset.get("version"));
    match version.and_then(Value::as_str) {
        Some(text) if text == "2" || text.starts_with("2.") => Ok(()),
        _ => Err(GltfError::AssetVersion { found: version.map_or("nothing".to_owned(), shown) }),
    }
}

fn check_extensions(source: &Element<'_>, faults: &mut Faults) -> Result<(), GltfError> {
    for extension in source.array("extensionsRequired", faults) {
        let name = extension.as_str().unwrap_or_default();
        if HARMLESS_EXTENSIONS.contains(&name) || name.starts_with("KHR_materials_") {
            continue;
        }
        let advice = match name {
            "KHR_meshopt_compression" => "export without compression, or decompress it (`gltf-transform copy` does)",
            _ => "export without it",
        };
        return Err(GltfError::RequiredExtension { name: name.chars().take(64).collect(), advice });
    }
    Ok(())
}

impl<'v> Sanitiser<'_, 'v> {
    /// Roots of the scene that is shown: the default scene, else the first, else all nodes.
    fn scene_roots(&mut self, forest: &Forest) -> Vec<usize> {
        let scenes = self.source.array("scenes", &mut self.faults).len();
        let chosen = (scenes > 0).then(|| self.source.index("scene", "scenes", scenes, &mut self.faults)).flatten();
        let index = chosen.unwrap_or(0);
        if scenes > 1 {
            self.notices.push(format!("scenes[{index}] is read, of {scenes}; what only others show is left out"));
        }
        match self.source.item("scenes", index, &mut self.faults) {
            Some(scene) => {
                let nodes = self.source.array("nodes", &mut self.faults).len();
                scene.indices("nodes", "nodes", nodes, &mut self.faults)
            }
            None => forest.roots(),
        }
    }

    /// Meshes and skins on the drawn nodes.
    fn used_by(&mut self, drawn: &[bool]) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let (mesh_count, skin_count) = (self.count("meshes"), self.count("skins"));
        let (mut meshes, mut skins) = (BTreeSet::new(), BTreeSet::new());
        for index in (0..drawn.len()).filter(|&index| drawn.get(index) == Some(&true)) {
            let Some(node) = self.source.item("nodes", index, &mut self.faults) else { continue };
            if let Some(mesh) = node.index("mesh", "meshes", mesh_count, &mut self.faults) {
                meshes.insert(mesh);
                skins.extend(node.index("skin", "skins", skin_count, &mut self.faults));
            }
        }
        (meshes, skins)
    }

    /// What the application that wrote the file adds to these items of a list.
    fn extras<'i>(&mut self, list: &str, items: impl IntoIterator<Item = &'i usize>) -> BTreeMap<usize, Value> {
        let extras = |&index: &usize| {
            let item = self.source.item(list, index, &mut self.faults)?;
            Some((index, item.get("extras")?.clone()))
        };
        items.into_iter().filter_map(extras).collect()
    }

    pub(super) fn count(&mut self, list: &str) -> usize {
        self.source.array(list, &mut self.faults).len()
    }

    /// Skins with their joints.
    fn skins(&mut self, used: &BTreeSet<usize>) -> BTreeMap<usize, (Value, Vec<usize>)> {
        let (node_count, mut skins) = (self.count("nodes"), BTreeMap::new());
        for &index in used {
            let Some(skin) = self.source.item("skins", index, &mut self.faults) else { continue };
            let joints = skin.indices("joints", "nodes", node_count, &mut self.faults);
            if joints.is_empty() {
                self.faults.push(
                    skin.place_of("joints"),
                    "no joint",
                    "at least one joint: remove the skin or rebind it",
                );
            }
            let mut clean = json!({ "joints": joints });
            if let Some((accessor, count)) = self.accessor(&skin, "inverseBindMatrices", Format::Matrices) {
                if count < joints.len() {
                    let expected = format_args!("one for each of {} joints", joints.len());
                    self.faults.push(skin.place_of("inverseBindMatrices"), format_args!("{count} matrices"), expected);
                }
                clean["inverseBindMatrices"] = accessor.into();
            }
            skins.insert(index, (clean, joints));
        }
        skins
    }

    /// The accessor that field `key` names, checked for its use: its index and count.
    pub(super) fn accessor(&mut self, user: &Element<'_>, key: &str, format: Format) -> Option<(usize, usize)> {
        let accessors = self.count("accessors");
        let index = user.index(key, "accessors", accessors, &mut self.faults)?;
        if !self.accessors.contains_key(&index) {
            let accessor = Accessor::check(&self.source, index, &mut self.buffers, &mut self.faults);
            self.accessors.insert(index, accessor);
        }
        let accessor = self.accessors.get(&index)?.as_ref()?;
        if !format.allows(accessor.data, accessor.dimensions) {
            let found = format_args!("accessors[{index}], {}", accessor.type_name());
            self.faults.push(user.place_of(key), found, format.expected());
            return None;
        }
        Some((index, accessor.count))
    }

    fn document(
        &mut self,
        nodes: Vec<Value>,
        meshes: BTreeMap<usize, Value>,
        skins: BTreeMap<usize, Value>,
        animations: Vec<Value>,
    ) -> Result<gltf::Document, GltfError> {
        let accessors = (0..self.count("accessors")).map(|index| self.accessor_json(index)).collect();
        let meshes = by_index(self.count("meshes"), meshes, &json!({ "primitives": [] }));
        let skins = by_index(self.count("skins"), skins, &json!({ "joints": [] }));
        let materials = vec![json!({}); self.material_count];
        let mut clean = Map::new();
        let lists = [("nodes", nodes), ("meshes", meshes), ("skins", skins), ("animations", animations)];
        clean.extend(lists.map(|(key, list)| (key.to_owned(), Value::Array(list))));
        clean.insert("accessors".to_owned(), Value::Array(accessors));
        clean.insert("materials".to_owned(), Value::Array(materials));
        clean.insert("asset".to_owned(), json!({ "version": "2.0" }));
        let root: gltf::json::Root = serde_json::from_value(Value::Object(clean))?;
        Ok(gltf::Document::from_json_without_validation(root))
    }

    fn accessor_json(&self, index: usize) -> Value {
        match self.accessors.get(&index) {
            Some(Some(accessor)) => json!({
                "componentType": accessor.data.as_gl_enum(),
                "type": dimensions_name(accessor.dimensions),
                "count": accessor.count,
                "normalized": accessor.normalized,
            }),
            _ => json!({ "componentType": 5126, "type": "SCALAR", "count": 1 }),
        }
    }
}

/// A list of `length` items, `filler` where `items` has none.
fn by_index(length: usize, mut items: BTreeMap<usize, Value>, filler: &Value) -> Vec<Value> {
    (0..length).map(|index| items.remove(&index).unwrap_or_else(|| filler.clone())).collect()
}
