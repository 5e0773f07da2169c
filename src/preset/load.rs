//! Finds a preset by name or path and reads it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::error::{PresetError, closest_word};
use super::file::SceneFile;
use super::scene::Scene;
use super::{builtin, check, duplicates, schema};

/// Largest preset file read, bytes. The built-in ones have about one thousand.
const SIZE_LIMIT: usize = 1 << 20;

/// The scene of the built-in preset called `name_or_path`, or of the JSON file there.
///
/// # Errors
/// If there is neither, or the file is not a scene; all faults are named at once.
pub fn load(name_or_path: &str) -> Result<Scene, PresetError> {
    if let Some((name, json)) = builtin::SCENES.iter().find(|(name, _)| *name == name_or_path) {
        return parse(name, name, json, None);
    }
    let path = Path::new(name_or_path);
    if !path.exists() {
        return Err(not_found(name_or_path));
    }
    let text = read(path)?;
    let file = path.file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
    let name = path.file_stem().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
    let scene = parse(&name, &file, &text, Some(path.parent().unwrap_or(Path::new(""))))?;
    Ok(Scene { preset: Some(path.to_owned()), ..scene })
}

fn not_found(name: &str) -> PresetError {
    let known = builtin::scene_names();
    let suggestion = closest_word(name, known.iter().copied()).map(str::to_owned);
    let is_path = name.contains(['/', '\\']) || Path::new(name).extension().is_some();
    if is_path && suggestion.is_none() {
        return PresetError::Missing { path: name.into() };
    }
    PresetError::Unknown { name: name.to_owned(), suggestion, known }
}

fn read(path: &Path) -> Result<String, PresetError> {
    let failed = |source| PresetError::Io { path: path.to_owned(), source };
    // Only regular files are opened: a pipe would block.
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(PresetError::NotAFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(SIZE_LIMIT as u64 + 1).read_to_end(&mut bytes)).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| PresetError::NotText { path: path.to_owned() })
}

/// Reads the JSON of a scene. `file` is what messages call it, `folder` where it looks for meshes.
///
/// # Errors
/// If it is not a scene.
pub fn parse(name: &str, file: &str, json: &str, folder: Option<&Path>) -> Result<Scene, PresetError> {
    if json.len() > SIZE_LIMIT {
        return Err(PresetError::TooLong { file: file.to_owned(), limit: SIZE_LIMIT });
    }
    let json = json.strip_prefix('\u{feff}').unwrap_or(json);
    let syntax = |source| PresetError::Syntax { file: file.to_owned(), source };
    let value: Value = serde_json::from_str(json).map_err(syntax)?;
    if ["checksums", "retakes"].iter().all(|key| value.get(key).is_some()) {
        return Err(PresetError::Report { file: file.to_owned() });
    }
    let mut faults = duplicates::faults(json);
    faults.append(&mut check::faults(&schema::scene(), &value));
    if faults.is_empty() {
        let scene_file: SceneFile = serde_json::from_value(value).map_err(syntax)?;
        let scene = scene_file.scene(name, folder, &mut faults);
        if faults.is_empty() {
            return Ok(scene);
        }
    }
    Err(PresetError::Faults { file: file.to_owned(), faults })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correction::SpringOrder;
    use crate::pins::{LoopChoice, PinSelector};
    use crate::preset::MeshSource;
    use crate::simulate::{Enforcement, Integrator, SpringConstants};

    fn message(json: &str) -> String {
        parse("scene", "scene.json", json, None).unwrap_err().to_string()
    }

    #[test]
    fn every_built_in_scene_is_read() {
        for name in builtin::scene_names() {
            let scene = load(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scene.name, name);
            assert!(!scene.description.is_empty() && !scene.pins.is_empty());
            for mesh in scene.garment.iter().chain(scene.body.iter().map(|body| &body.mesh)) {
                let is_there = match mesh {
                    MeshSource::BuiltIn(file) => builtin::mesh(file).is_some(),
                    MeshSource::Sheet(_) => true,
                    MeshSource::File(_) => false,
                };
                assert!(is_there, "{name}: {mesh:?}");
            }
        }
    }

    #[test]
    fn every_built_in_fabric_matches_its_schema() {
        for (name, json) in builtin::FABRICS {
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(check::faults(&schema::fabric(), &value), [], "{name}");
        }
        assert_eq!(builtin::fabrics().len(), builtin::FABRICS.len());
    }

    #[test]
    fn the_walking_skirt_has_the_states_of_the_paper() {
        let scene = load("skirt_walk").unwrap();
        let states: Vec<_> =
            scene.parameters.states.iter().map(|s| (s.name.as_str(), s.joint.as_deref(), s.radius)).collect();
        let expected =
            [("no_knee", None, 0.12), ("left_knee", Some("shin_l"), 0.25), ("right_knee", Some("shin_r"), 0.25)];
        assert_eq!(states, expected);
        assert_eq!(scene.frames, Some((0, 63)));
        assert_eq!(scene.garment, Some(MeshSource::BuiltIn("long_skirt.obj".to_owned())));
    }

    #[test]
    fn a_scene_without_details_is_the_default_one() {
        let scene = parse("scene", "", r#"{"garment": {"mesh": "coat.obj"}, "pins": ["loop:top"]}"#, None).unwrap();
        let expected = Scene {
            name: "scene".to_owned(),
            garment: Some(MeshSource::BuiltIn("coat.obj".to_owned())),
            pins: vec![PinSelector::Loop(LoopChoice::Top)],
            ..Scene::default()
        };
        assert_eq!(scene, expected);
    }

    #[test]
    fn a_scene_chooses_its_method_and_its_springs() {
        let json = r#"{
            "garment": {"mesh": "coat.obj"},
            "simulation": {"integrator": "semi_implicit", "springs": {"stretch": 900, "damping": 0.02},
                           "enforcement": {"method": "directional", "tolerance": 0.05, "visit_limit": 3, "order": "vsh"}}
        }"#;
        let parameters = parse("scene", "", json, None).unwrap().parameters;
        assert_eq!(parameters.integrator, Integrator::SemiImplicit);
        let springs = SpringConstants { stretch: Some(900.0), damping: Some(0.02), ..SpringConstants::default() };
        assert_eq!(parameters.springs, springs);
        let order = SpringOrder::Vsh;
        assert_eq!(parameters.enforcement, Enforcement::Directional { tolerance: 0.05, visit_limit: 3, order });
        let options = parameters.map_options();
        assert_eq!((options.visit_limit, options.order), (3, order.kinds()));
    }

    #[test]
    fn a_method_that_cannot_be_is_refused() {
        let json = r#"{
            "garment": {"mesh": "coat.obj"},
            "simulation": {"integrator": "rk5", "springs": {"shear": -1},
                           "enforcement": {"method": "tethers", "visit_limit": 5, "order": "hsh"}}
        }"#;
        let message = message(json);
        for line in [
            "simulation.integrator: \"rk5\" is not allowed here; did you mean `rk4`?",
            "simulation.springs.shear: -1 is out of range, allowed 0 to 10000000",
            "simulation.enforcement.visit_limit: 5 is out of range, allowed 1 to 4",
            "simulation.enforcement.order: \"hsh\" is not allowed here",
        ] {
            assert!(message.contains(line), "{line}\nis not in\n{message}");
        }
    }

    #[test]
    fn all_faults_are_named_at_once_with_path_range_and_suggestion() {
        let json = r#"{
            "garment": {"mesh": 7, "units": "cmm"}, "fabrc": "silk", "fps": 5000,
            "simulation": {"drag": -1, "gravity": [0, -9.81], "states": [{"name": "a"}, {"nam": "b", "radius": "wide"}],
                           "enforcement": {"method": "provt"}, "substeps": 2.5}
        }"#;
        let message = message(json);
        for line in [
            "scene.json: fabrc: no such key; did you mean `fabric`?",
            "scene.json: fps: 5000 is out of range, allowed 1 to 1000",
            "scene.json: garment.mesh: 7 is a number, expected a text",
            "scene.json: garment.units: \"cmm\" is not allowed here; did you mean `cm`?; allowed are m, cm, mm, in",
            "scene.json: simulation.drag: -1 is out of range, allowed 0 to 100",
            "scene.json: simulation.gravity: has 2 entries, allowed 3",
            "scene.json: simulation.enforcement.method: \"provt\" is not allowed here; did you mean `provot`?",
            "scene.json: simulation.states[1].nam: no such key; did you mean `name`?",
            "scene.json: simulation.states[1].radius: \"wide\" is a text, expected a number",
            "scene.json: simulation.states[1]: the key `name` is missing",
            "scene.json: and 1 more",
        ] {
            assert!(message.contains(line), "{line}\nis not in\n{message}");
        }
    }

    #[test]
    fn values_that_do_not_fit_together_are_refused() {
        let json = r#"{
            "garment": {}, "fabric": "slik", "frames": [10, 2], "pins": ["ring:top"], "pin_to": "sky",
            "simulation": {"colliders": [{"name": "both", "sphere": {"centre": [0, 0, 0], "radius": 1},
                           "plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}],
                           "enforcement": {"method": "none", "passes": 3}}
        }"#;
        let message = message(json);
        for line in [
            "fabric: `slik` is not allowed here; did you mean `silk`?",
            "frames: the last frame, 2, is before the first, 10",
            "pins[0]: `ring:top` is no pin selector",
            "pin_to: `sky` carries no pins",
            "garment: a garment is exactly one of mesh and grid",
            "simulation.colliders[0]: a collider is exactly one of plane, sphere and capsule",
            "simulation.enforcement.passes: means nothing to this method",
        ] {
            assert!(message.contains(line), "{line}\nis not in\n{message}");
        }
    }

    #[test]
    fn states_that_cannot_be_are_refused() {
        let json = r#"{
            "garment": {"mesh": "coat.obj"},
            "simulation": {"colliders": [{"name": "table", "plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}},
                                         {"name": "wall", "plane": {"point": [0, 0, 0], "normal": [1, 0, 0]}},
                                         {"name": "wall", "plane": {"point": [1, 0, 0], "normal": [-1, 0, 0]}}],
                           "states": [{"name": "c", "collider": "wall"},
                                      {"name": "a", "collider": "ball", "frames": [[0, 3], [9, 5]]},
                                      {"name": "b", "collider": "table", "joint": "knee", "seconds": [[1, 0.5]]}]}
        }"#;
        let inconsistent = message(json);
        for line in [
            "simulation.states[0].collider: there are 2 colliders `wall`; give them names of their own",
            "simulation.states[1].frames[1]: the range ends before it starts; write [first, last]",
            "simulation.states[1].collider: there is no collider `ball`; there are table, wall, wall",
            "simulation.states[2].seconds[0]: the range ends before it starts",
            "simulation.states[2].collider: a state watches a joint or a collider, not both",
        ] {
            assert!(inconsistent.contains(line), "{line}\nis not in\n{inconsistent}");
        }
        let json = r#"{
            "garment": {"mesh": "coat.obj"},
            "simulation": {"states": [{"name": "a", "phases": [[0.9, 0.1], [0.5, 1.5]]}], "state_mode": "contact"}
        }"#;
        let out_of_range = message(json);
        for line in [
            "simulation.states[0].phases[1][1]: 1.5 is out of range, allowed 0 to 1",
            "simulation.state_mode: \"contact\" is not allowed here; did you mean `contacts`?",
        ] {
            assert!(out_of_range.contains(line), "{line}\nis not in\n{out_of_range}");
        }
        assert!(!out_of_range.contains("phases[0]"), "a range over the end of the cycle is fine");
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let deep = "[".repeat(100_000);
        let nested = format!("{}{}", r#"{"garment":"#.repeat(60), "}".repeat(60));
        for json in ["", "{", "null", "[]", "7", "\"scene\"", "\u{feff}{}", &deep, &nested, r#"{"garment": null}"#] {
            assert!(parse("scene", "scene.json", json, None).is_err(), "{json:.40}");
        }
    }

    #[test]
    fn a_misspelt_preset_is_recognised() {
        assert!(load("skirt_wak").unwrap_err().to_string().contains("did you mean `skirt_walk`?"));
        assert!(matches!(load("nowhere/skirt.json"), Err(PresetError::Missing { .. })));
    }
}
