//! Files that mean harm, or are wrong by far: each ends in words and an exit code, and shows nothing that steers a terminal.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const SHEET: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nf 1 2 3 4\nf 2 5 6 3\n";

fn toile(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toile")).args(arguments).current_dir(folder).output().expect("toile runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder with a sheet of six vertices.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("sheet.obj"), SHEET).expect("a file");
    folder
}

/// The arguments fail with this code and all these words.
fn assert_refused(folder: &TempDir, arguments: &[&str], code: i32, words: &[&str]) {
    let output = toile(folder.path(), arguments);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    for word in words {
        assert!(message.contains(word), "{arguments:?}: `{word}` is not in\n{message}");
    }
}

/// A square of two triangles on a node that moves to `goal` metres along X until `end` seconds.
fn moving_square(goal: f32, end: f32) -> (Value, Vec<u8>) {
    let floats = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, end, 0.0, 0.0, 0.0, goal, 0.0, 0.0];
    let mut binary: Vec<u8> = floats.iter().flat_map(|x: &f32| x.to_le_bytes()).collect();
    binary.extend([0_u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes()));
    let view = |start: usize, length: usize| json!({ "buffer": 0, "byteOffset": start, "byteLength": length });
    let accessor = |view: usize, component: u32, count: usize, kind: &str| json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "name": "square" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "animations": [{
            "name": "away",
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
            "samplers": [{ "input": 2, "output": 3 }],
        }],
        "accessors": [accessor(0, 5126, 4, "VEC3"), accessor(3, 5123, 6, "SCALAR"), accessor(1, 5126, 2, "SCALAR"), accessor(2, 5126, 2, "VEC3")],
        "bufferViews": [view(0, 48), view(48, 8), view(56, 24), view(80, 12)],
        "buffers": [{ "byteLength": 92, "uri": "square.bin" }],
    });
    (document, binary)
}

fn put_square(folder: &TempDir, name: &str, (document, binary): (Value, Vec<u8>)) {
    fs::write(folder.path().join(name), document.to_string()).expect("a document");
    fs::write(folder.path().join("square.bin"), binary).expect("a buffer");
}

#[test]
fn a_body_that_leaves_the_world_is_refused_with_its_joint_and_moment() {
    let folder = folder();
    put_square(&folder, "away.gltf", moving_square(3e38, 1.0));
    let bake = ["bake", "--garment", "sheet.obj", "--body", "away.gltf", "--pin", "none", "--frames", "0..3"];
    assert_refused(&folder, &bake, 65, &["at 0.033 s", "joint `square`", "--frames"]);
}

#[test]
fn a_clip_without_end_is_refused_before_anything_waits_for_it() {
    let folder = folder();
    put_square(&folder, "long.gltf", moving_square(1.0, 1e9));
    for arguments in [
        &["bake", "--garment", "sheet.obj", "--body", "long.gltf", "--pin", "none"][..],
        &["inspect", "--garment", "sheet.obj", "--body", "long.gltf"],
        &["preview", "long.gltf", "--out", "long.png"],
    ] {
        assert_refused(&folder, arguments, 2, &["1000000000 s", "key times", "--frames A..B"]);
    }
}

#[test]
fn cloth_without_area_is_refused() {
    let folder = folder();
    fs::write(folder.path().join("line.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n")
        .expect("a file");
    fs::write(folder.path().join("dot.obj"), "v 1e-40 0 0\nv 0 1e-40 0\nv 0 0 1e-40\nf 1 2 3\n").expect("a file");
    for name in ["line", "dot"] {
        let file = format!("{name}.obj");
        assert_refused(&folder, &["bake", "--garment", &file, "--pin", "none"], 65, &[name, "no area"]);
    }
}

#[test]
fn a_garment_that_a_matrix_throws_away_is_refused() {
    let folder = folder();
    let (mut document, binary) = moving_square(1.0, 1.0);
    document["nodes"][0]["scale"] = json!([1e30, 1, 1]);
    put_square(&folder, "far.gltf", (document, binary));
    let bake = ["bake", "--garment", "far.gltf", "--pin", "none", "--frames", "0..1"];
    assert_refused(&folder, &bake, 65, &["far.gltf", "square", "vertex 1", "matrices and scales"]);
}

#[test]
fn a_point_cache_without_frames_is_refused() {
    let folder = folder();
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend([1, 6, 0, 0, 0].iter().flat_map(|word: &i32| word.to_le_bytes()));
    fs::write(folder.path().join("empty.pc2"), bytes).expect("a file");
    let preview = ["preview", "empty.pc2", "--mesh", "sheet.obj", "--out", "empty.png"];
    assert_refused(&folder, &preview, 65, &["empty.pc2", "bake it again"]);
}

#[test]
fn files_in_other_folders_are_read_only_where_that_is_allowed() {
    let root = tempfile::tempdir().expect("a folder");
    let path = |name: &str| root.path().join(name);
    ["hero", "shared", "secret"].iter().for_each(|name| fs::create_dir(path(name)).expect("a folder"));
    let (mut document, binary) = moving_square(1.0, 1.0);
    fs::write(path("shared/square.bin"), &binary).expect("a buffer");
    fs::write(path("secret/square.bin"), &binary).expect("a buffer");
    let inspect = |uri: &str, allowed: &[&str]| {
        document["buffers"][0]["uri"] = uri.into();
        fs::write(path("hero/square.gltf"), document.to_string()).expect("a document");
        let allowed = allowed.iter().flat_map(|folder| ["--allow-dir", folder]);
        let arguments: Vec<&str> = ["inspect", "hero/square.gltf"].into_iter().chain(allowed).collect();
        toile(root.path(), &arguments)
    };
    let mut inspect = inspect;
    let refused = inspect("../shared/square.bin", &[]);
    assert_eq!(refused.status.code(), Some(65));
    assert!(stderr(&refused).contains("--allow-dir"), "{}", stderr(&refused));
    assert_eq!(inspect("../shared/square.bin", &["shared"]).status.code(), Some(0));
    for uri in ["../secret/square.bin", "../shared/../secret/square.bin", "%2e%2e/secret/square.bin"] {
        assert_eq!(inspect(uri, &["shared"]).status.code(), Some(65), "{uri}");
    }
    let absolute = path("shared/square.bin").display().to_string();
    assert_eq!(inspect(&absolute, &["shared"]).status.code(), Some(65), "absolute paths are none of glTF's");
}

#[test]
fn the_largest_file_is_a_choice() {
    let folder = folder();
    let mut text = SHEET.to_owned();
    writeln!(text, "# {}", "x".repeat(1_500_000)).expect("memory");
    fs::write(folder.path().join("long.obj"), text).expect("a file");
    assert_refused(&folder, &["inspect", "long.obj", "--max-file-mb", "1"], 65, &["long.obj", "--max-file-mb 2"]);
    assert_eq!(toile(folder.path(), &["inspect", "long.obj", "--max-file-mb", "2"]).status.code(), Some(0));
    assert_eq!(toile(folder.path(), &["inspect", "long.obj"]).status.code(), Some(0));
}

#[test]
fn a_byte_order_mark_before_the_json_does_no_harm() {
    let folder = folder();
    put_square(&folder, "square.gltf", moving_square(1.0, 1.0));
    let text = fs::read(folder.path().join("square.gltf")).expect("the document");
    fs::write(folder.path().join("marked.gltf"), [b"\xef\xbb\xbf", text.as_slice()].concat()).expect("a file");
    let output = toile(folder.path(), &["inspect", "marked.gltf"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn names_from_files_do_not_steer_the_terminal_or_forge_lines() {
    let folder = folder();
    let (mut document, binary) = moving_square(1.0, 1.0);
    let name = "a\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\nerror: forged";
    document["nodes"][0]["name"] = name.into();
    document["animations"][0]["name"] = name.into();
    put_square(&folder, "names.gltf", (document, binary));
    fs::write(folder.path().join("names.obj"), format!("o {}\ng \u{202e}x\n{SHEET}", name.replace('\n', "")))
        .expect("a file");
    let preset = json!({ "garment": { "mesh": "sheet.obj" }, name: 1 }).to_string();
    fs::write(folder.path().join("names.json"), preset).expect("a file");
    for arguments in [
        &["inspect", "names.gltf"][..],
        &["inspect", "names.gltf", "--json"],
        &["inspect", "names.obj"],
        &["inspect", "names.obj", "--json"],
        &["bake", "--garment", "names.obj", "--pin", "group:none"],
        &["bake", "names.json"],
    ] {
        let output = toile(folder.path(), arguments);
        let words = stdout(&output) + &stderr(&output);
        let steers = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{2069}').contains(&c);
        assert!(!words.contains(steers), "{arguments:?}: {words:?}");
        assert!(!words.lines().any(|line| line.starts_with("error: forged")), "{arguments:?}: {words}");
    }
}

#[test]
fn fans_and_heaps_of_faces_take_no_more_than_their_size() {
    let folder = folder();
    let mut fan = String::from("v 0 0 0\n");
    (0..15_000).for_each(|i| writeln!(fan, "v {} {} 1", i % 100, i / 100).expect("memory"));
    (0..14_999).for_each(|i| writeln!(fan, "f 1 {} {}", i + 2, i + 3).expect("memory"));
    fs::write(folder.path().join("fan.obj"), fan).expect("a file");
    fs::write(folder.path().join("heap.obj"), SHEET.to_owned() + &"f 1 2 3\n".repeat(20_000)).expect("a file");
    let common = ["--pin", "none", "--frames", "0..0", "--preroll", "0", "--substeps", "1", "--force"];
    for (garment, body) in [("fan.obj", None), ("heap.obj", None), ("sheet.obj", Some("heap.obj"))] {
        let body = body.map(|body| ["--body", body]);
        let arguments = ["bake", "--garment", garment].into_iter().chain(common).chain(body.into_iter().flatten());
        let output = toile(folder.path(), &arguments.collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{garment}: {}", stderr(&output));
    }
}
