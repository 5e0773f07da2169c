//! `toile compare` as scripts see it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A small sheet hung by two corners.
const SHEET: &str = r#"{
    "garment": {"grid": {"columns": 5, "rows": 5, "width": 1, "height": 1, "plane": "xz", "at": [0, 1, 0]}},
    "pins": ["vertex:0,4"], "pin_to": "world", "frames": [0, 9],
    "simulation": {"preroll": 0, "substeps": 4, "self_collision": false},
    "compare": {"methods": ["none", "provot:3", "directional", "tethers"], "source": "nobody"}
}"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("sheet.json"), SHEET).expect("a file");
    folder
}

fn compare(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    command.arg("compare").args(arguments).current_dir(folder).output().expect("toile runs")
}

fn done(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&done(output)).expect("one JSON document")
}

#[test]
fn the_preset_says_what_is_compared_and_the_table_has_a_row_a_method() {
    let table = done(&compare(folder().path(), &["sheet.json"]));
    assert!(table.contains("25 particles, 40 stretch, 32 shear"), "{table}");
    assert!(table.contains("source: nobody"), "{table}");
    let rows: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("method")).collect();
    let methods: Vec<&str> = rows[1..].iter().filter_map(|row| row.split_whitespace().next()).collect();
    assert_eq!(methods, ["none", "provot:3", "directional:1", "tethers:2"]);
}

#[test]
fn flags_win_over_the_preset() {
    let line = [
        "sheet.json",
        "--methods",
        "tethers:1,none",
        "--substeps",
        "2,8",
        "--frames",
        "0..3",
        "--repeat",
        "2",
        "--json",
    ];
    let document = json(&compare(folder().path(), &line));
    let scene = &document["scenes"][0];
    assert_eq!(scene["frames"], serde_json::json!({"first": 0, "last": 3, "fps": 30.0, "start_frame": 1, "cuts": []}));
    let trials = scene["trials"].as_array().expect("a list");
    let said: Vec<(&str, u64)> = trials
        .iter()
        .map(|t| (t["method"].as_str().expect("a name"), t["substeps"].as_u64().expect("a number")))
        .collect();
    assert_eq!(said, [("tethers:1", 2), ("tethers:1", 8), ("none", 2), ("none", 8)]);
    assert!(trials.iter().all(|t| t["milliseconds_per_frame"].as_f64().is_some_and(|ms| ms > 0.0)));
    assert!(trials[0]["overhead"].is_number() && trials[2]["overhead"].is_null());
}

#[test]
fn every_order_of_springs_is_a_row_of_the_directional_method_alone() {
    let folder = folder();
    let orders = SHEET.replace(r#""source""#, r#""orders": ["hvs", "svh"], "source""#);
    fs::write(folder.path().join("orders.json"), orders).expect("a file");
    let document = json(&compare(folder.path(), &["orders.json", "--json"]));
    let trials = document["scenes"][0]["trials"].as_array().expect("a list");
    let orders: Vec<Option<&str>> = trials.iter().map(|t| t["order"].as_str()).collect();
    assert_eq!(orders, [None, None, Some("hvs"), Some("svh"), None]);
}

#[test]
fn a_method_that_blows_up_is_a_row_and_no_failure() {
    let folder = folder();
    let torn =
        SHEET.replace(r#""pins": ["vertex:0,4"]"#, r#""fabric": {"stretch_stiffness": 1}, "pins": ["vertex:0,4"]"#);
    let heavy = torn.replace(r#""preroll": 0"#, r#""gravity": [0, -900, 0], "preroll": 0"#);
    fs::write(folder.path().join("heavy.json"), heavy).expect("a file");
    let document = json(&compare(folder.path(), &["heavy.json", "--methods", "none,pbd:40", "--json"]));
    let trials = document["scenes"][0]["trials"].as_array().expect("a list");
    assert!(trials[0]["diverged"]["frame"].is_i64(), "{}", trials[0]);
    assert!(trials[0]["diverged"]["reason"].as_str().is_some_and(|r| r.contains("times as long")), "{}", trials[0]);
    assert!(trials[1]["diverged"].is_null(), "{}", trials[1]["diverged"]);
}

#[test]
fn files_are_written_whole_and_not_replaced() {
    let folder = folder();
    let line =
        ["sheet.json", "flag", "--methods", "none,tethers", "--frames", "0..2", "--out", "a.svg", "--out", "b.json"];
    let table = done(&compare(folder.path(), &line));
    assert!(table.contains("\nflag: "), "{table}");
    let svg = fs::read_to_string(folder.path().join("a.svg")).expect("a picture");
    let svg = roxmltree::Document::parse(&svg).expect("XML");
    assert_eq!(svg.descendants().filter(|n| n.tag_name().name() == "polyline").count(), 4);
    let written: Value =
        serde_json::from_slice(&fs::read(folder.path().join("b.json")).expect("a file")).expect("JSON");
    assert_eq!(written["scenes"][1]["scene"], "flag");
    assert!(written["scenes"][1]["trials"][0]["inside"]["max_mm"].is_number(), "the flag has a pole");

    let again = compare(folder.path(), &line);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--force"));
}

#[test]
fn what_cannot_be_compared_is_told_why() {
    let refused = |arguments: &[&str], words: &[&str]| {
        let folder = folder();
        let output = compare(folder.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        words.iter().for_each(|word| assert!(message.contains(word), "`{word}` is not in\n{message}"));
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "{arguments:?} left something behind");
    };
    refused(&[], &["Usage"]);
    refused(&["sheet.json", "--methods", "provt"], &["provt", "none", "provot", "directional", "tethers"]);
    refused(&["sheet.json", "--methods", "tethers:0"], &["tethers"]);
    refused(&["sheet.json", "--substeps", "0"], &["1..=1000"]);
    refused(&["sheet.json", "--out", "plot.gif"], &[".svg or .json"]);
    refused(&["sheet.json", "--out", "sheet.json", "--force"], &["is an input"]);
    refused(&["papers/ozgen_hong"], &["did you mean `papers/ozgen_hang`?"]);
}

#[test]
fn a_preset_names_its_faulty_methods_and_grids() {
    let folder = folder();
    let faulty = SHEET.replace("provot:3", "provot:x").replace(r#""columns": 5"#, r#""columns": 1"#);
    fs::write(folder.path().join("faulty.json"), faulty).expect("a file");
    let message = compare(folder.path(), &["faulty.json"]).stderr;
    let message = String::from_utf8_lossy(&message).into_owned();
    assert!(message.contains("garment.grid.columns: 1 is out of range, allowed 2 to 2000"), "{message}");
    let faulty = SHEET.replace("provot:3", "provot:x");
    fs::write(folder.path().join("faulty.json"), faulty).expect("a file");
    let message = compare(folder.path(), &["faulty.json"]).stderr;
    let message = String::from_utf8_lossy(&message).into_owned();
    assert!(message.contains("compare.methods[1]: `x` is no number for `provot`"), "{message}");
}
