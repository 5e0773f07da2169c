//! `toile presets`: what is built in.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::{PresetsAction, PresetsArguments};
use super::console::Console;
use super::failure::{Failure, UsageError};
use super::interrupt::Interrupt;
use super::{print, print_json};
use crate::preset::{FabricFile, Published, builtin, schema};
use crate::report::laboratory::{self, LaboratoryFigures};

/// Lists, shows or tests presets.
pub(crate) fn run(arguments: &PresetsArguments, console: &Console, interrupt: &Interrupt) -> Result<(), Failure> {
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
        PresetsAction::Test { fabrics, cell_mm, json } => {
            let tests = test(fabrics, *cell_mm, console, interrupt)?;
            if *json { print_json(&tests) } else { print(&table(&tests)) }
        }
        PresetsAction::Schema { fabric: false } => print_json(&schema::scene()),
        PresetsAction::Schema { fabric: true } => print_json(&schema::fabric()),
    }
}

/// What the tests found of a fabric, and what others did.
#[derive(Debug, Serialize)]
struct FabricTest {
    fabric: &'static str,
    #[serde(flatten)]
    found: LaboratoryFigures,
    published: Published,
}

/// Tests the fabrics of these names, or all.
fn test(names: &[String], cell_mm: f32, console: &Console, interrupt: &Interrupt) -> Result<Vec<FabricTest>, Failure> {
    let known = builtin::fabrics();
    if let Some(name) = names.iter().find(|name| known.iter().all(|(fabric, _)| fabric != name)) {
        return Err(UsageError::NoSuchPreset { name: name.clone(), known: builtin::fabric_names() }.into());
    }
    let is_wanted = |fabric: &str| names.is_empty() || names.iter().any(|name| name == fabric);
    let one = |(name, file): (&'static str, FabricFile)| {
        console.stage(&format!("testing {name}"));
        let found = laboratory::test(&file.fabric(), cell_mm / 1000.0, &mut || interrupt.is_requested())?;
        Ok(FabricTest { fabric: name, found, published: file.published })
    };
    known.into_iter().filter(|(name, _)| is_wanted(name)).map(one).collect()
}

fn table(tests: &[FabricTest]) -> String {
    let range = |range: Option<[f64; 2]>, scale: f64| match range.map(|r| r.map(|v| v * scale)) {
        Some([low, high]) if low < high => format!("{low:.0} to {high:.0}"),
        Some([value, _]) => format!("{value:.0}"),
        None => "not seen".to_owned(),
    };
    let mut text =
        String::from("fabric     drape coefficient   published   bending length   of its values   published\n");
    for FabricTest { fabric, found, published } in tests {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{fabric:9} {:15.0} % {:>11} {:13.1} mm {:12.1} mm {:>11}",
            100.0 * found.drape_coefficient,
            range(published.drape_coefficient, 100.0),
            found.bending_length_mm,
            found.expected_bending_length_mm,
            range(published.bending_length_mm, 1.0),
        );
    }
    text
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
