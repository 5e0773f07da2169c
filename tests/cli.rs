//! The command as scripts see it: exit codes, messages, stdout, and nothing written on failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs toile in `folder`.
fn toile(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toile")).args(arguments).current_dir(folder).output().expect("toile runs")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn mesh(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes").join(name);
    path.to_str().expect("a readable path").to_owned()
}

/// Real bodies and broken files, where they are present.
fn shared_assets(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/assets").join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {}", path.display());
    None
}

/// The arguments fail with this code and all these words, and leave the folder empty.
fn assert_refused(arguments: &[&str], code: i32, words: &[&str]) {
    let folder = folder();
    let output = toile(folder.path(), arguments);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    for word in words {
        assert!(message.contains(word), "{arguments:?}: `{word}` is not in\n{message}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0, "{arguments:?} left something behind");
}

#[test]
fn nothing_replaces_what_an_input_names() {
    let folder = folder();
    let bake = |arguments: &[&str]| toile(folder.path(), &[&["bake"], arguments].concat());
    let baked = bake(&["skirt_walk", "--frames", "0..1", "--preroll", "0", "--with-body", "--out", "scene.gltf"]);
    assert!(baked.status.success(), "{}", stderr(&baked));
    fs::rename(folder.path().join("scene.gltf"), folder.path().join("hero.gltf")).expect("another name");
    let skirt = "mtllib silk.mtl\nv -1 1 0\nv 1 1 0\nv 0 0 0\nf 1 2 3\n";
    fs::write(folder.path().join("skirt.obj"), skirt).expect("a garment");
    fs::write(folder.path().join("silk.mtl"), "newmtl silk\n").expect("a library");
    let worn = ["--garment", "skirt.obj", "--body", "hero.gltf", "--frames", "0..1", "--preroll", "0", "--force"];
    for (more, file) in
        [(["--out", "scene.gltf"].as_slice(), "scene.bin"), (&["--out", "x.pc2", "--report", "silk.mtl"], "silk.mtl")]
    {
        let before = fs::read(folder.path().join(file)).expect("an input");
        let refused = bake(&[worn.as_slice(), more].concat());
        assert!(stderr(&refused).contains(&format!("{file}: is an input of this bake")), "{}", stderr(&refused));
        assert!(fs::read(folder.path().join(file)).expect("an input") == before, "{file} was replaced");
    }
}

#[test]
fn frames_cuts_and_places_that_are_likely_not_meant_are_said() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("an input");
    write("far.obj", "v 5 1 0\nv 5.4 1 0\nv 5.4 0.6 0\nv 5 0.6 0\nf 1 2 3 4\n");
    for frame in 10..13 {
        let corner = 0.1 * f64::from(frame);
        let faces = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
        write(
            &format!("body_{frame}.obj"),
            &format!("v {corner} 0 0\nv {corner} 0 1\nv {corner} 1 0\nv 2 0 0\n{faces}"),
        );
    }
    let said = |arguments: &[&str], words: &str| {
        let output = toile(folder.path(), &[&["bake", "--force", "--out", "x.pc2"], arguments].concat());
        let said = stderr(&output);
        assert!(output.status.success() && said.contains(words), "{arguments:?}: `{words}` is not in\n{said}");
    };
    said(
        &["skirt_walk", "--preroll", "0", "--frames", "0..2", "--cut", "2", "--cut", "7"],
        "no cut leads into frame 7: frames 0 to 2",
    );
    let worn =
        ["--garment", "far.obj", "--body", "body_10.obj", "--preroll", "0", "--frames", "2..5", "--pin", "loop:top"];
    said(&worn, "the body stands still in frames 2 to 5");
    said(&worn, "m away from the body in the pose it was made for");
    for body in [["--body", "body_10.obj"].as_slice(), &["body_##.obj"]] {
        let inspected = toile(folder.path(), &[&["inspect"], body].concat());
        let said = stdout(&inspected);
        assert!(said.contains("4 vertices, 4 triangles") && said.contains("3 files, frames 10 to 12 "), "{said}");
    }
    let part = ["--exclude", "group:hem", "--frames", "0..1", "--preroll", "0"];
    let two = "v 0 1 0\nv 1 1 0\nv 1 0 0\nv 0 0 0\ng top\nf 1 2 3\ng hem\nv 3 1 0\nv 4 1 0\nv 4 0 0\nf 5 6 7\n";
    write("two.obj", two);
    said(&[&["--garment", "two.obj", "--pin", "group:hem"], part.as_slice()].concat(), "--pin group:hem holds nothing");
}

#[test]
fn what_an_obj_sequence_leaves_behind_is_said() {
    let folder = folder();
    fs::create_dir(folder.path().join("wardrobe")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join("wardrobe").join(name), text).expect("an input");
    write("skirt.obj", "mtllib silk.mtl\nv -1 1 0\nv 1 1 0\nv 0 0 0\nf 1 2 3\n");
    write("silk.mtl", "newmtl silk\n");
    let said = |frames: &str, out: &str| {
        let arguments =
            ["bake", "--garment", "wardrobe/skirt.obj", "--frames", frames, "--preroll", "0", "--force", "--out", out];
        let output = toile(folder.path(), &arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let of_materials = "its materials are in `silk.mtl` beneath the garment's folder";
    assert!(said("0..4", "a_%03d.obj").contains(of_materials));
    assert!(folder.path().join("a_005.obj").exists());
    assert!(said("0..2", "a_%03d.obj").contains("2 more frames of an older bake, 4 to 5, stay"));
    assert!(!said("0..2", "wardrobe/a.obj").contains(of_materials));
    assert!(!said("0..2", "a.pc2").contains(of_materials));
}

#[test]
fn flags_that_mean_nothing_to_what_is_asked_are_refused() {
    for flag in [&["--speed", "2"], &["--cut", "3"], &["--garment-pose", "first"], &["--max-penetration-mm", "1"]] {
        assert_refused(&[&["bake", "curtain"], flag.as_slice()].concat(), 2, &[flag[0], "needs a body"]);
    }
    assert_refused(&["bake", "curtain", "--with-body"], 2, &["--with-body needs a body"]);
    let pole = mesh("pole.obj");
    assert_refused(&["preview", &pole, "--fabric", "silk", "--out", "x.png"], 2, &["--fabric means nothing", "a file"]);
    assert_refused(&["preview", &pole, "--mesh", &pole, "--out", "x.png"], 2, &["--mesh means nothing", "a file"]);
    assert_refused(&["preview", "flag", "--fps", "25", "--out", "x.png"], 2, &["--fps means nothing", "a preset"]);
}

#[test]
fn a_list_of_vertices_has_ranges_too() {
    let folder = folder();
    fs::write(folder.path().join("pins.txt"), "\u{feff}0..1 2..3\n\n 5, 7 \n").expect("a list");
    let flag = mesh("flag.obj");
    let report = |pins: &str| {
        let arguments = [
            "bake",
            "--garment",
            &flag,
            "--frames",
            "0..2",
            "--preroll",
            "0",
            "--force",
            "--out",
            "x.pc2",
            "--json",
            "--pin",
            pins,
        ];
        let output = toile(folder.path(), &arguments);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        report["position_hash"].clone()
    };
    assert_eq!(report("vertices:pins.txt"), report("vertex:0..3,5,7"));
    assert_ne!(report("vertices:pins.txt"), report("vertex:0..3,5"));
}

#[test]
fn wrong_usage_exits_with_2() {
    assert_refused(&[], 2, &["Usage"]);
    assert_refused(&["bake"], 2, &["nothing to bake", "hint: `toile presets list`"]);
    assert_refused(&["bake", "skirt_wak"], 2, &["did you mean `skirt_walk`?"]);
    assert_refused(&["bake", "flag", "--pin", "ring:top"], 2, &["is no pin selector", "loop:top"]);
    assert_refused(&["bake", "flag", "--fabric", "slik"], 2, &["did you mean `silk`?"]);
    assert_refused(&["bake", "flag", "--fps", "0"], 2, &["30000/1001"]);
    assert_refused(&["bake", "flag", "--frames", "9..2"], 2, &["before the first"]);
    assert_refused(&["bake", "flag", "--substeps", "0"], 2, &["1..=1000"]);
    assert_refused(&["bake", "flag", "--integrator", "verlte"], 2, &["no integrator `verlte`", "xpbd, verlet,"]);
    assert_refused(&["bake", "flag", "--enforce", "provot:0"], 2, &["the passes a substep, 1 to 1000"]);
    assert_refused(&["bake", "flag", "--out", "flag.fbx"], 2, &[".fbx", ".glb"]);
    assert_refused(&["bake", "flag", "--states", "contact"], 2, &["none, named, contacts"]);
    assert_refused(&["compare", "flag", "--states", "contact"], 2, &["no states `contact`", "contacts+ahead"]);
    assert_refused(
        &["compare", "skirt_walk", "--near", "knee:0.1"],
        2,
        &["joint `knee`, which the body does not have", "shin_l"],
    );
    assert_refused(&["compare", "skirt_walk", "--near", "shin_l"], 2, &["no JOINT:RADIUS"]);
    assert_refused(&["presets", "show", "nothing"], 2, &["skirt_walk"]);
}

#[test]
fn an_animation_that_does_not_exist_lists_those_that_do() {
    assert_refused(&["bake", "skirt_walk", "--animation", "run"], 2, &["run", "walk", "1.07 s", "idle"]);
}

#[test]
fn a_pin_selector_that_matches_nothing_lists_what_there_is() {
    assert_refused(&["bake", "flag", "--pin", "loop:7"], 2, &["loop:0", "vertices", "mean height"]);
    assert_refused(&["bake", "flag", "--pin", "group:nothing"], 2, &["hoist"]);
    assert_refused(&["bake", "flag", "--pin", "box:90,90,90,91,91,91"], 2, &["matches no vertex"]);
}

#[test]
fn missing_inputs_exit_with_66() {
    assert_refused(&["bake", "--garment", "nowhere.obj"], 66, &["nowhere.obj: no such file"]);
    assert_refused(&["bake", "flag", "--body", "nowhere.glb"], 66, &["nowhere.glb: no such file"]);
    assert_refused(&["inspect", "nowhere.glb"], 66, &["nowhere.glb"]);
    assert_refused(&["bake", "nowhere.json"], 66, &["nowhere.json: no such preset file"]);
}

#[test]
fn a_preset_with_faults_names_them_all() {
    let folder = folder();
    let preset = folder.path().join("scene.json");
    fs::write(&preset, r#"{"garment": {"mesh": "x.obj"}, "fabrc": 1, "simulation": {"drag": -1}}"#).expect("a file");
    let preset = preset.to_str().expect("a readable path");
    let words = [
        "scene.json: fabrc: no such key; did you mean `fabric`?",
        "scene.json: simulation.drag: -1 is out of range, allowed 0 to 100",
    ];
    assert_refused(&["bake", preset], 2, &words);
}

#[test]
fn a_bake_writes_its_outputs_and_report_and_refuses_to_replace_them() {
    let folder = folder();
    let line = ["bake", "flag", "--frames", "0..3", "--preroll", "2", "--out", "a/flag.glb", "--out", "flag.pc2"];
    let arguments = [&line[..], &["--report", "report.json"]].concat();
    let output = toile(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "a/flag.glb\nflag.pc2\n");
    assert!(stderr(&output).contains("6/6 frames"), "{}", stderr(&output));
    let report = fs::read(folder.path().join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["frames"], serde_json::json!({"first": 0, "last": 3, "fps": 30.0, "start_frame": 1, "cuts": []}));
    assert_eq!(report["outputs"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["position_hash"].as_str().map(str::len), Some(64));
    assert!(report["penetration"]["max_mm"].is_number(), "the flag has a pole");

    let before = fs::read(folder.path().join("a/flag.glb")).expect("the output");
    let again = toile(folder.path(), &arguments);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
    let forced = toile(folder.path(), &[&arguments[..], &["--force", "--threads", "1", "--quiet"]].concat());
    assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
    assert_eq!(stderr(&forced), "");
    assert_eq!(
        fs::read(folder.path().join("a/flag.glb")).expect("the output"),
        before,
        "the bytes depend on the threads"
    );
}

#[test]
fn a_gate_that_fails_exits_with_3_and_keeps_the_outputs() {
    let folder = folder();
    let line = ["bake", "flag", "--frames", "0..2", "--preroll", "0", "--out", "flag.pc2", "--max-stretch", "0"];
    let output = toile(folder.path(), &line);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("a quality gate failed: stretch is"), "{}", stderr(&output));
    assert!(folder.path().join("flag.pc2").exists());
}

#[test]
fn a_report_for_people_is_one_page_that_needs_nothing_else() {
    let folder = folder();
    let line = ["bake", "flag", "--frames", "0..4", "--preroll", "0", "--out", "flag.pc2", "--max-self-crossings", "0"];
    let output = toile(
        folder.path(),
        &[&line[..], &["--report", "r.html", "--report", "r.json", "--max-stretch", "0"]].concat(),
    );
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let page = fs::read_to_string(folder.path().join("r.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("gate: stretch is") && page.contains("most stretched"), "the verdict is missing");
    // Five frames of the course, the most stretched place, and whatever else went wrong.
    assert!(page.matches("data:image/png;base64,").count() >= 6);
    for fetched in ["<script", "<link", "href=", "src=\"http", "url("] {
        assert!(!page.contains(fetched), "{fetched}");
    }
    let start = page.find("<svg").expect("a timeline");
    let end = page.find("</svg>").expect("its end") + "</svg>".len();
    let drawing = roxmltree::Document::parse(&page[start..end]).expect("a drawing");
    let curves = drawing.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "polyline")));
    // Two of stretch, two of depth (the flag has a pole), one of self-crossings.
    let points: Vec<usize> = curves.map(|c| c.attribute("points").map_or(0, |p| p.split(' ').count())).collect();
    assert_eq!(points, [5; 5]);
    let report = fs::read(folder.path().join("r.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["steadiness"], serde_json::json!({"frozen": [], "jumping": []}));
    let [(_, figures)] = report["by_state"].as_object().expect("states").iter().collect::<Vec<_>>()[..] else {
        panic!("{report}")
    };
    assert_eq!((&figures["frames"], &figures["stretch_max"]), (&serde_json::json!(5), &report["stretch"]["max"]));
}

const INTEGRATORS: [&str; 7] =
    ["xpbd", "verlet", "explicit_euler", "symplectic_euler", "rk4", "implicit", "semi_implicit"];
const METHODS: [&str; 8] =
    ["none", "provot", "provot_two_stage", "provot_sorted", "gu", "gu_cumulative", "directional", "tethers"];

#[test]
fn every_integrator_bakes_with_every_enforcement() {
    let folder = folder();
    let rows = (0..6)
        .flat_map(|r| (0..6).map(move |c| format!("v {} {} {}\n", 0.2 * f64::from(c), 1.0 - 0.2 * f64::from(r), 0)));
    let faces = (0..5).flat_map(|r| (0..5).map(move |c| (r * 6 + c + 1, r * 6 + c + 7)));
    let faces = faces.map(|(above, below)| format!("f {above} {below} {} {}\n", below + 1, above + 1));
    fs::write(folder.path().join("sheet.obj"), rows.chain(faces).collect::<String>()).expect("a file");
    for integrator in INTEGRATORS {
        for method in METHODS {
            let line = ["bake", "--garment", "sheet.obj", "--pin", "loop:top", "--preroll", "0", "--frames", "0..3"];
            let method_line = ["--integrator", integrator, "--enforce", method, "--out", "x.pc2", "--force", "--json"];
            let output = toile(folder.path(), &[&line[..], &method_line].concat());
            assert_eq!(output.status.code(), Some(0), "{integrator}/{method}: {}", stderr(&output));
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
            assert!(report["stretch"]["max"].as_f64().is_some_and(|s| s < 0.5), "{integrator}/{method}");
        }
    }
}

#[test]
fn the_flag_flies_with_other_methods_and_stops_where_they_cannot_follow() {
    let folder = folder();
    let bake = |method: &[&str]| {
        let line = ["bake", "flag", "--preroll", "0", "--frames", "0..2", "--out", "x.pc2", "--force"];
        toile(folder.path(), &[&line[..], method].concat())
    };
    for method in [["implicit", "directional:2"], ["semi_implicit", "provot_sorted"], ["verlet", "gu"]] {
        let output = bake(&["--integrator", method[0], "--enforce", method[1]]);
        assert_eq!(output.status.code(), Some(0), "{method:?}: {}", stderr(&output));
    }
    let directional = bake(&["--enforce", "directional"]);
    assert!(stderr(&directional).contains("note: directional enforcement is outside"), "{}", stderr(&directional));
    fs::remove_file(folder.path().join("x.pc2")).expect("the output");
    let diverged = bake(&["--integrator", "rk4", "--enforce", "none", "--substeps", "1"]);
    assert_eq!(diverged.status.code(), Some(3), "{}", stderr(&diverged));
    assert!(stderr(&diverged).contains("rk4 follows these springs with substeps of at most"), "{}", stderr(&diverged));
    assert!(!folder.path().join("x.pc2").exists());
}

#[test]
fn json_goes_to_stdout_alone() {
    let folder = folder();
    let line = ["bake", "flag", "--frames", "0..1", "--preroll", "0", "--out", "flag.pc2", "--json"];
    let json = |arguments: &[&str]| {
        let output = toile(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("one JSON document")
    };
    assert_eq!(json(&line)["garment"]["name"], "flag");
    assert_eq!(json(&["presets", "list", "--json"])["scenes"][0]["name"], "skirt_walk");
    assert!(json(&["presets", "schema"])["$schema"].as_str().is_some_and(|s| s.contains("2020-12")));
    let alone = json(&["inspect", "--json", "--body", &mesh("walker.glb")]);
    let facts = json(&["inspect", "--json", &mesh("walker.glb"), &mesh("flag.obj")]);
    assert_eq!(alone["files"][0], facts["files"][0]);
    assert_eq!(facts["files"][0]["kind"], "body");
    assert_eq!(facts["files"][1]["kind"], "garment");
}

/// Every line of stderr as JSON, and of those with a stage, all stages in their order.
fn json_lines(output: &Output) -> (Vec<serde_json::Value>, Vec<String>) {
    let lines: Vec<serde_json::Value> = stderr(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect();
    let mut stages: Vec<String> = lines.iter().filter_map(|line| Some(line["stage"].as_str()?.to_owned())).collect();
    stages.dedup();
    (lines, stages)
}

#[test]
fn progress_for_programs_is_a_json_document_a_line() {
    let folder = folder();
    let bake = |arguments: &[&str]| toile(folder.path(), &[&["bake", "--progress", "json"], arguments].concat());
    let flag = ["flag", "--frames", "0..8", "--out", "x.pc2", "--report", "x.json"];
    let done = bake(&[&flag[..], &["--preroll", "40", "-v"]].concat());
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    let (lines, stages) = json_lines(&done);
    let expected = ["import", "building", "preroll", "simulating", "measuring", "writing"];
    assert_eq!(stages, expected, "{}", stderr(&done));
    assert!(lines.iter().any(|line| line["message"].as_str().is_some_and(|m| m.contains("stretch: median"))));
    assert!(lines.iter().any(|line| line["detail"].is_string()));
    let last = lines.iter().rfind(|line| line["stage"] == "simulating").expect("a line");
    assert_eq!(last["frames"], 49);
    assert!(last["substeps"].as_u64().is_some_and(|n| n > 0) && last["seconds_since_frame"].is_number(), "{last}");
    assert!(lines.iter().all(|line| line.get("percent").is_none_or(|p| (0.0..=100.0).contains(&p.as_f64().unwrap()))));
    let report = fs::read(folder.path().join("x.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    if cfg!(target_os = "linux") {
        assert!(last["peak_memory_mib"].as_f64().is_some_and(|mib| mib > 1.0));
        assert!(report["peak_memory_mib"].as_f64() >= last["peak_memory_mib"].as_f64());
    }
    let bytes = fs::read(folder.path().join("x.pc2")).expect("the output");

    // Notes and errors are lines of their own; watching changes nothing.
    let refused = bake(&flag);
    let (lines, _) = json_lines(&refused);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        lines.last().is_some_and(|line| line["error"].as_str().is_some_and(|e| e.contains("--force"))),
        "{lines:?}"
    );
    let silent = ["--force", "--progress", "none", "--preroll", "40"];
    let done = toile(folder.path(), &[&["bake"], &flag[..], &silent].concat());
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    assert!(!stderr(&done).contains("/49 frames"), "{}", stderr(&done));
    assert_eq!(fs::read(folder.path().join("x.pc2")).expect("the output"), bytes);
}

#[test]
fn progress_of_a_loop_tells_lap_and_residual() {
    let folder = folder();
    let line = ["bake", "short_skirt_walk", "--loop", "--loop-laps", "3", "--loop-tolerance", "0", "--preroll", "2"];
    let rest = ["--simulate-as", "300", "--out", "x.pc2", "--progress", "json", "--quiet"];
    let done = toile(folder.path(), &[&line[..], &rest].concat());
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    let (lines, stages) = json_lines(&done);
    assert!(stages.contains(&"lap".to_owned()), "{stages:?}");
    assert!(lines.iter().all(|line| line["stage"].is_string()), "quiet leaves out messages");
    let first = lines.iter().find(|line| line["stage"] == "lap").expect("a lap");
    assert_eq!((&first["lap"], &first["laps"]), (&1.into(), &3.into()));
    let last = lines.iter().rfind(|line| line["stage"] == "lap").expect("a lap");
    assert!(last["lap"] == 3 && last["loop_residual_mm"].as_f64().is_some_and(|mm| mm > 0.0), "{last}");
}

#[test]
fn a_map_lists_every_correction() {
    let folder = folder();
    let output = toile(folder.path(), &["map", "flag", "--out", "map.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let map: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("map.json")).expect("a file")).expect("JSON");
    let state = &map["states"][0];
    let corrections = state["corrections"].as_array().expect("a list").len();
    let fixed = state["fixed"].as_array().expect("a list").len();
    let particles = map["particle_of_vertex"].as_array().expect("a list").iter().filter_map(|p| p.as_u64()).max();
    assert_eq!(Some(corrections + fixed), particles.map(|p| p as usize + 1));
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_checkpoint_behind_and_exits_with_130() {
    let folder = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_toile"))
        .args(["bake", "skirt_walk", "--frames", "0..5000", "--out", "skirt.glb"])
        .current_dir(folder.path())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("toile runs");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().expect("a pipe")));
    let simulates = lines.by_ref().any(|line| line.expect("text").contains("preroll"));
    assert!(simulates);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    lines.for_each(drop);
    assert_eq!(child.wait().expect("an exit").code(), Some(130));
    let left: Vec<_> = fs::read_dir(folder.path()).expect("the folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, [".skirt.glb.toile-checkpoint"]);
}

#[test]
fn no_malformed_file_is_our_fault() {
    let Some(assets) = shared_assets("malformed") else { return };
    for entry in fs::read_dir(assets).expect("the folder") {
        let path = entry.expect("an entry").path();
        let file = path.to_str().expect("a readable path");
        let folder = folder();
        let inspected = toile(folder.path(), &["inspect", file]);
        assert!(matches!(inspected.status.code(), Some(0 | 65 | 66)), "{file}: {}", stderr(&inspected));
        let line = ["bake", "--garment", file, "--frames", "0..1", "--preroll", "1", "--out", "x.pc2"];
        let baked = toile(folder.path(), &line);
        assert!(matches!(baked.status.code(), Some(0 | 65 | 66)), "{file}: {}", stderr(&baked));
        let written = fs::read_dir(folder.path()).expect("the folder").count();
        assert_eq!(written, usize::from(baked.status.success()), "{file}");
    }
}

/// The short skirt with every coordinate times `scale`, in `folder`; its path.
fn scaled_skirt(folder: &Path, scale: f64) -> String {
    let text = fs::read_to_string(mesh("short_skirt.obj")).expect("the built-in mesh");
    let scaled = text.lines().map(|line| match line.strip_prefix("v ") {
        Some(numbers) => {
            let numbers = numbers.split_whitespace().map(|n| n.parse::<f64>().expect("a number") * scale);
            format!("v {}", numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(" "))
        }
        None => line.to_owned(),
    });
    let path = folder.join(format!("skirt_times_{scale}.obj"));
    fs::write(&path, scaled.collect::<Vec<_>>().join("\n")).expect("a file");
    path.to_str().expect("a readable path").to_owned()
}

#[test]
fn a_garment_of_another_size_than_its_body_is_told_what_to_do() {
    let folder = folder();
    for (scale, words) in [(100.0, "--units cm"), (10.0, "--units cm"), (0.1, "by about 10;"), (0.01, "by about 100;")]
    {
        let skirt = scaled_skirt(folder.path(), scale);
        assert_refused(&["bake", "short_skirt_walk", "--garment", &skirt], 2, &[words, "--units m"]);
    }
}

#[test]
fn absurd_numbers_are_refused_with_their_range() {
    let flag = |flag: &str, value: &str, word: &str| {
        assert_refused(&["bake", "flag", flag, value, "--out", "x.pc2"], 2, &[word]);
    };
    flag("--fps", "1e9", "between 1 and 1000");
    flag("--fps", "-30", "between 1 and 1000");
    flag("--fps", "nan", "between 1 and 1000");
    flag("--frames", "0..100000000", "-1000000 to 1000000");
    flag("--frames", "0..1000000", "bake fewer at a time");
    flag("--substeps", "-1", "1..=1000");
    flag("--threads", "0", "1..=1024");
    flag("--wind", "nan,0,0", "no wind");
    flag("--max-stretch", "nan", "no limit");
    flag("--pin", "within:nan", "a positive number");
}

#[test]
fn a_preset_that_is_no_preset_is_refused_for_what_it_is() {
    let folder = folder();
    let garment = r#""garment": {"mesh": "x.obj"}"#;
    let twice = format!(r#"{{{garment}, "simulation": {{"drag": 1, "drag": 2}}}}"#);
    let long = format!(r#"{{{garment}, "description": "{}"}}"#, "a".repeat(2 << 20));
    let cases: [(&str, &[u8], &str); 8] = [
        ("mesh.obj", b"v 0 0 0", "mesh.obj: is not JSON; a mesh is baked with --garment mesh.obj"),
        ("model.fbx", b"Kaydara FBX", "is not JSON; a preset is a JSON file, meshes are .obj, .gltf and .glb"),
        ("binary.fbx", b"Kaydara \xff", "is no UTF-8 text; a preset is a JSON file, meshes are"),
        ("twice.json", twice.as_bytes(), "twice.json: simulation.drag: stands here twice"),
        ("long.json", long.as_bytes(), "long.json: has more than 1048576 bytes"),
        ("deep.json", &[b'['; 100_000], "recursion limit"),
        ("latin1.json", b"{\"description\": \"\xe9\"}", "is no UTF-8 text"),
        ("mesh.json", b"v 0 0 0", "is not JSON"),
    ];
    for (name, bytes, words) in cases {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        assert_refused(&["bake", path.to_str().expect("a readable path")], 2, &[words]);
    }
    assert_refused(&["bake", folder.path().to_str().expect("a readable path")], 2, &["is no regular file"]);
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_never_opened() {
    let folder = folder();
    for (name, kind) in [("pipe.obj", "garment"), ("pipe.glb", "body"), ("pipe.json", "preset")] {
        let pipe = folder.path().join(name);
        let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        let pipe = pipe.to_str().expect("a readable path");
        match kind {
            "garment" => assert_refused(&["bake", "--garment", pipe], 65, &["no regular file"]),
            "body" => assert_refused(&["bake", "flag", "--body", pipe], 65, &["no regular file"]),
            _ => assert_refused(&["bake", pipe], 2, &["no regular file"]),
        }
    }
    assert_refused(&["bake", "--garment", "/dev/zero"], 65, &["no regular file"]);
    assert_refused(&["bake", "flag", "--pin", "vertices:/dev/zero"], 65, &["regular file"]);
}

#[test]
fn neither_output_nor_report_replaces_an_input_or_another_output() {
    let folder = folder();
    let file = |name: &str| folder.path().join(name);
    fs::copy(mesh("flag.obj"), file("flag_0002.obj")).expect("a copy");
    fs::write(file("pins.txt"), "0\n1\n").expect("a file");
    let preset = r#"{"garment": {"mesh": "flag_0002.obj"}, "pins": ["vertices:pins.txt"], "frames": [0, 1]}"#;
    fs::write(file("flag.json"), preset).expect("a file");
    fs::create_dir(file("folder")).expect("a folder");
    let files = || {
        let names = ["flag_0002.obj", "pins.txt", "flag.json"];
        names.map(|name| fs::read(file(name)).expect("an input"))
    };
    let before = files();
    let refused = |line: &[&str], word: &str| {
        let output = toile(folder.path(), &[&["bake", "flag.json", "--preroll", "0", "--force"], line].concat());
        assert_eq!(output.status.code(), Some(2), "{line:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(word), "{line:?}: {}", stderr(&output));
        assert_eq!(files(), before, "{line:?}");
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 4, "{line:?} left something behind");
    };
    refused(&["--out", "flag.obj"], "is an input");
    refused(&["--out", "folder/../flag.obj"], "is an input");
    refused(&["--out", "x.pc2", "--out", "./x.pc2"], "two outputs");
    for report in ["flag.json", "pins.txt", "flag_0002.obj"] {
        refused(&["--out", "x.pc2", "--report", report], "is an input");
    }
    refused(&["--out", "x.pc2", "--report", "x.pc2"], "two outputs");
    refused(&["--out", "x.pc2", "--report", "folder"], "is a folder");
    refused(&["--out", "x.pc2", "--report", "pins.txt/report.json"], "not a folder");
}

#[test]
fn inspect_estimates_the_memory_that_bakes_take() {
    let folder = folder();
    let json = |arguments: &[&str]| {
        let output = toile(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("one JSON document")
    };
    // Twenty frames instead of all, for the sake of time.
    let near = |estimate: &serde_json::Value, line: &[&str]| {
        let bake = ["--frames", "0..19", "--preroll", "0", "--json", "--force", "--out", "x.pc2"];
        let Some(peak) = json(&[&["bake"], line, &bake].concat())["peak_memory_mib"].as_f64() else { return };
        let [all, each, frames] = ["peak_mib", "mib_per_frame", "frames"].map(|key| estimate[key].as_f64().expect(key));
        let ratio = (all - each * (frames - 20.0)) / peak;
        assert!((0.5..2.0).contains(&ratio), "{line:?}: {estimate} instead of {peak} MiB");
    };
    for scene in ["flag", "tablecloth"] {
        let facts = json(&["inspect", "--json", "--garment", &mesh(&format!("{scene}.obj"))]);
        near(&facts["files"][0]["memory"], &[scene]);
    }
    let (garment, body) = (mesh("short_skirt.obj"), mesh("walker.glb"));
    let facts = json(&["inspect", "--json", "--garment", &garment, "--body", &body, "--animation", "walk"]);
    near(&facts["fit"]["memory"], &["short_skirt_walk"]);
    let words = stdout(&toile(folder.path(), &["inspect", &mesh("flag.obj")]));
    assert!(words.contains("memory      about ") && words.contains(" MiB to bake 100 frames, "), "{words}");
}
