//! `toile presets`: what is built in.

use std::fmt::Write;

use serde_json::{Value, json};

use super::arguments::{PresetsAction, PresetsArguments};
use super::failure::{Failure, UsageError};
use super::{print, print_json};
use crate::preset::{builtin, schema};

/// Lists or shows presets.
pub(crate) fn run(arguments: &PresetsArguments) -> Result<(), Failure> {
    match &arguments.action {
        PresetsAction::List { json: true } => print_json(&json!({
            "scenes": described(builtin::scene_names()),
            "fabrics": described(builtin::fabric_names()),
        })),
        PresetsAction::List { json: false } => print(&list()),
        PresetsAction::Show { name } => {
            let known = || [builtin::scene_names(), builtin::fabric_names()].concat();
            print(builtin::json(name).ok_or_else(|| UsageError::NoSuchPreset { name: name.clone(), known: known() })?)
        }
        PresetsAction::Schema { fabric: false } => print_json(&schema::scene()),
        PresetsAction::Schema { fabric: true } => print_json(&schema::fabric()),
    }
}

fn list() -> String {
    let mut text = String::new();
    for (heading, names) in [("Scenes", builtin::scene_names()), ("Fabrics", builtin::fabric_names())] {
        let width = names.iter().map(|n| n.len()).max().unwrap_or(0);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{heading}:");
        for name in names {
            let _ = writeln!(text, "  {name:width$}  {}", description(name));
        }
        text.push('\n');
    }
    text + "`toile bake SCENE [--fabric FABRIC]` bakes one, `toile presets show NAME` prints one to start your own from\n"
}

fn described(names: Vec<&str>) -> Vec<Value> {
    names.into_iter().map(|name| json!({"name": name, "description": description(name)})).collect()
}

fn description(name: &str) -> String {
    let value: Option<Value> = builtin::json(name).and_then(|text| serde_json::from_str(text).ok());
    value.and_then(|v| Some(v.get("description")?.as_str()?.to_owned())).unwrap_or_default()
}
