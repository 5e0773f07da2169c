//! Scenes, fabrics and meshes that are compiled in, so that `toile bake skirt_walk` works in any folder.

use super::fabric::FabricFile;

/// Scenes: name and JSON.
pub(crate) const SCENES: &[(&str, &str)] = &[
    ("skirt_walk", include_str!("../../presets/skirt_walk.json")),
    ("short_skirt_walk", include_str!("../../presets/short_skirt_walk.json")),
    ("cape_walk", include_str!("../../presets/cape_walk.json")),
    ("tunic_walk", include_str!("../../presets/tunic_walk.json")),
    ("flag", include_str!("../../presets/flag.json")),
    ("curtain", include_str!("../../presets/curtain.json")),
    ("tablecloth", include_str!("../../presets/tablecloth.json")),
    ("papers/ozgen_hang", include_str!("../../presets/papers/ozgen_hang.json")),
    ("papers/ozgen_edge", include_str!("../../presets/papers/ozgen_edge.json")),
    ("papers/ozgen_ball", include_str!("../../presets/papers/ozgen_ball.json")),
    ("papers/ozgen_orders", include_str!("../../presets/papers/ozgen_orders.json")),
    ("papers/gu_10", include_str!("../../presets/papers/gu_10.json")),
    ("papers/gu_20", include_str!("../../presets/papers/gu_20.json")),
    ("papers/gu_30", include_str!("../../presets/papers/gu_30.json")),
    ("papers/gu_40", include_str!("../../presets/papers/gu_40.json")),
    ("papers/gu_50", include_str!("../../presets/papers/gu_50.json")),
    ("papers/pilley", include_str!("../../presets/papers/pilley.json")),
    ("papers/pilley_stiff", include_str!("../../presets/papers/pilley_stiff.json")),
    ("papers/macri_5", include_str!("../../presets/papers/macri_5.json")),
    ("papers/macri_10", include_str!("../../presets/papers/macri_10.json")),
    ("papers/macri_15", include_str!("../../presets/papers/macri_15.json")),
    ("papers/macri_20", include_str!("../../presets/papers/macri_20.json")),
    ("papers/macri_30", include_str!("../../presets/papers/macri_30.json")),
    ("papers/macri_50", include_str!("../../presets/papers/macri_50.json")),
];

/// Fabrics: name and JSON.
pub(crate) const FABRICS: &[(&str, &str)] = &[
    ("silk", include_str!("../../presets/fabrics/silk.json")),
    ("cotton", include_str!("../../presets/fabrics/cotton.json")),
    ("wool", include_str!("../../presets/fabrics/wool.json")),
    ("denim", include_str!("../../presets/fabrics/denim.json")),
    ("leather", include_str!("../../presets/fabrics/leather.json")),
];

/// Meshes: file name and bytes.
const MESHES: &[(&str, &[u8])] = &[
    ("walker.glb", include_bytes!("../../meshes/walker.glb")),
    ("long_skirt.obj", include_bytes!("../../meshes/long_skirt.obj")),
    ("short_skirt.obj", include_bytes!("../../meshes/short_skirt.obj")),
    ("cape.obj", include_bytes!("../../meshes/cape.obj")),
    ("tunic.obj", include_bytes!("../../meshes/tunic.obj")),
    ("flag.obj", include_bytes!("../../meshes/flag.obj")),
    ("pole.obj", include_bytes!("../../meshes/pole.obj")),
    ("curtain.obj", include_bytes!("../../meshes/curtain.obj")),
    ("tablecloth.obj", include_bytes!("../../meshes/tablecloth.obj")),
    ("table.obj", include_bytes!("../../meshes/table.obj")),
];

/// The bytes of the built-in mesh called `file_name`.
pub fn mesh(file_name: &str) -> Option<&'static [u8]> {
    MESHES.iter().find(|(name, _)| *name == file_name).map(|&(_, bytes)| bytes)
}

/// Names of all built-in scenes.
pub fn scene_names() -> Vec<&'static str> {
    SCENES.iter().map(|&(name, _)| name).collect()
}

/// Names of all built-in fabrics.
pub fn fabric_names() -> Vec<&'static str> {
    FABRICS.iter().map(|&(name, _)| name).collect()
}

/// The JSON of the built-in scene or fabric called `name`.
pub fn json(name: &str) -> Option<&'static str> {
    SCENES.iter().chain(FABRICS).find(|(known, _)| *known == name).map(|&(_, json)| json)
}

/// All built-in fabrics with their names.
pub fn fabrics() -> Vec<(&'static str, FabricFile)> {
    // A test reads them all, so none is lost here.
    FABRICS.iter().filter_map(|&(name, json)| Some((name, serde_json::from_str(json).ok()?))).collect()
}
