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
    let missing = inspect("../shared/square.bin", &["shard"]);
    assert!(missing.status.code() == Some(2) && stderr(&missing).contains("there is no such folder"), "{missing:?}");
    let absolute = |folder: &str| path(folder).join("square.bin").display().to_string();
    assert_eq!(inspect(&absolute("shared"), &["shared"]).status.code(), Some(0));
    for (folder, allowed) in [("shared", &[][..]), ("secret", &["shared"])] {
        assert_eq!(inspect(&absolute(folder), allowed).status.code(), Some(65), "{folder}");
    }
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

/// A disc of needles in the plane of the sheet, from one of this many corners on its edge.
fn disc(corners: u32) -> String {
    let mut text = String::new();
    for corner in 0..corners {
        let angle = std::f32::consts::TAU * corner as f32 / corners as f32;
        writeln!(text, "v {} {} 0", libm::cosf(angle), libm::sinf(angle)).expect("memory");
    }
    let faces = (2..corners).map(|corner| format!("f 1 {corner} {}\n", corner + 1));
    text + &faces.collect::<String>()
}

/// Large triangles without order, none joined to another.
fn heap_of_pieces(pieces: u32) -> String {
    let coordinate = |seed: u32| f64::from(seed.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
    let mut text = String::new();
    for corner in 0..3 * pieces {
        let [x, y, z] = [0, 1, 2].map(|axis| coordinate(3 * corner + axis));
        writeln!(text, "v {x} {y} {z}").expect("memory");
    }
    (0..pieces).for_each(|i| writeln!(text, "f {} {} {}", 3 * i + 1, 3 * i + 2, 3 * i + 3).expect("memory"));
    text
}

#[test]
fn bodies_of_needles_copies_and_pieces_are_baked_and_told_of() {
    let folder = folder();
    fs::write(folder.path().join("disc.obj"), disc(65_000)).expect("a file");
    // Each has vertices of its own: faces with the same corners are left out when a file is read.
    let copies = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\n".repeat(20_000);
    fs::write(folder.path().join("copies.obj"), copies).expect("a file");
    fs::write(folder.path().join("pieces.obj"), heap_of_pieces(4000)).expect("a file");
    for (body, notice) in [("disc.obj", Some("needles")), ("copies.obj", Some("same place")), ("pieces.obj", None)] {
        let bake = ["bake", "--garment", "sheet.obj", "--body", body, "--pin", "none", "--frames", "0..2"];
        let output = toile(folder.path(), &[&bake[..], &["--preroll", "0", "--substeps", "4", "--force"]].concat());
        assert_eq!(output.status.code(), Some(0), "{body}: {}", stderr(&output));
        assert!(notice.is_none_or(|words| stderr(&output).contains(words)), "{body}: {}", stderr(&output));
    }
}

#[test]
fn names_of_megabytes_are_cut_in_messages() {
    let folder = folder();
    let (mut document, binary) = moving_square(1.0, 1.0);
    let name = "n ".repeat(1_000_000);
    document["nodes"][0]["name"] = name.as_str().into();
    put_square(&folder, "names.gltf", (document, binary));
    let put = |file: &str, preset: Value| fs::write(folder.path().join(file), preset.to_string()).expect("a file");
    let long = "x".repeat(400_000);
    put("group.json", json!({ "garment": { "mesh": "sheet.obj" }, "pins": [format!("group:{long}")] }));
    put(
        "part.json",
        json!({ "garment": { "mesh": "sheet.obj", "include": [format!("group:{long}")] }, "pins": ["none"] }),
    );
    put("selector.json", json!({ "garment": { "mesh": "sheet.obj" }, "pins": [long] }));
    put("mesh.json", json!({ "garment": { "mesh": format!("{long}.obj") }, "pins": ["none"] }));
    for (arguments, words) in [
        (&["bake", "--garment", "sheet.obj", "--body", "names.gltf", "--pin", "joint:none"][..], "no joint `none`"),
        (&["bake", "--garment", "names.gltf", "--pin", "group:none"], "no group `none`"),
        (&["bake", "group.json"], "no group `xxx"),
        (&["bake", "group.json", "--progress", "json"], "no group `xxx"),
        (&["bake", "part.json"], "no group `xxx"),
        (&["bake", "selector.json"], "is no pin selector"),
        (&["bake", "mesh.json"], "xxx"),
    ] {
        let output = toile(folder.path(), arguments);
        let message = stderr(&output);
        assert!(matches!(output.status.code(), Some(2 | 65 | 66 | 74)), "{arguments:?}: {}", message.len());
        assert!(message.contains(words), "{arguments:?}: {message:.400}");
        assert!(message.len() < 20_000, "{arguments:?}: {} bytes", message.len());
    }
}

#[test]
fn a_larger_file_may_have_more_in_it() {
    let folder = folder();
    let names: String = (0..100_001).map(|i| format!("g {i}\n")).collect();
    fs::write(folder.path().join("names.obj"), names + SHEET).expect("a file");
    let inspect = ["inspect", "names.obj"];
    assert_refused(&folder, &inspect, 65, &["more than 100000 names", "--max-file-mb", "in proportion to 268"]);
    assert_refused(&folder, &[&inspect[..], &["--max-file-mb", "10"]].concat(), 65, &["more than 100000 names"]);
    let output = toile(folder.path(), &[&inspect[..], &["--max-file-mb", "600"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn pictures_that_play_have_an_end() {
    let folder = folder();
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend([1_i32, 6].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend([0.0_f32, 1.0].iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(200_000_i32.to_le_bytes());
    bytes.resize(32 + 200_000 * 6 * 12, 0);
    fs::write(folder.path().join("long.pc2"), bytes).expect("a file");
    for out in [&["--out", "a.gif"][..], &["--out", "a.png", "--animated"]] {
        let preview = ["preview", "long.pc2", "--mesh", "sheet.obj", "--size", "32x32"];
        assert_refused(&folder, &[&preview[..], out].concat(), 2, &["5000 at most", "--frames A..B", "x.html"]);
    }
}

/// A folder with a small bake in every format and its report, `r.json`.
fn baked() -> (TempDir, Value) {
    let folder = folder();
    let bake = ["bake", "--garment", "sheet.obj", "--pin", "none", "--frames", "0..1", "--preroll", "0", "--quiet"];
    let outputs = ["--out", "a.pc2", "--out", "b.glb", "--out", "c.gltf", "--out", "d_#.obj", "--report", "r.json"];
    let output = toile(folder.path(), &[&bake[..], &outputs].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = fs::read(folder.path().join("r.json")).expect("a report");
    (folder, serde_json::from_slice(&report).expect("JSON"))
}

fn put_report(folder: &TempDir, report: &Value) {
    fs::write(folder.path().join("r.json"), report.to_string()).expect("a report");
}

/// JSON pointers to all that `verify` reads of a report.
fn places(value: &Value, place: &str, places: &mut Vec<String>) {
    places.push(place.to_owned());
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(key, inner)| self::places(inner, &format!("{place}/{key}"), places));
        }
        Value::Array(items) => {
            items
                .iter()
                .take(2)
                .enumerate()
                .for_each(|(i, inner)| self::places(inner, &format!("{place}/{i}"), places));
        }
        _ => {}
    }
}

#[test]
fn no_report_makes_verify_fail_otherwise_than_with_words() {
    let (folder, report) = baked();
    let read = ["garment", "frames", "coordinates", "checksums", "outputs", "position_hash"];
    let report: Value =
        read.iter().map(|&key| (key.to_owned(), report[key].clone())).collect::<serde_json::Map<_, _>>().into();
    let mut found = Vec::new();
    places(&report, "", &mut found);
    let extremes = [
        json!(null),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e308),
        json!(""),
        json!("\u{1b}[2J"),
        json!([]),
        json!({}),
        json!("../../etc/passwd"),
        json!("/dev/zero"),
        json!("/proc/self/mem"),
        json!("9".repeat(3000)),
    ];
    let search = toile::verify::Search { folder: None, interrupted: None };
    let path = folder.path().join("r.json");
    for place in &found {
        for extreme in &extremes {
            let mut changed = report.clone();
            *changed.pointer_mut(place).expect("a place") = extreme.clone();
            put_report(&folder, &changed);
            if let Ok(verdict) = toile::verify::verify(&path, &search) {
                assert!(verdict.outputs.len() <= 8, "{place} {extreme}");
            }
        }
        let (parent, key) = place.rsplit_once('/').unwrap_or_default();
        let mut changed = report.clone();
        if let Some(object) = changed.pointer_mut(parent).and_then(Value::as_object_mut) {
            object.remove(key);
            put_report(&folder, &changed);
            let without = toile::verify::verify(&path, &search);
            assert!(without.is_err() || !read.contains(&key), "without {place}");
        }
    }
    for text in
        ["[".repeat(1_000_000), "{\"garment\":".repeat(100_000), format!("{{\"frames\":{}}}", "9".repeat(1_000_000))]
    {
        fs::write(&path, text).expect("a report");
        assert_refused(&folder, &["verify", "r.json"], 65, &["r.json"]);
    }
}

#[test]
fn reports_and_documents_that_would_take_all_memory_are_refused() {
    let (folder, mut report) = baked();
    let large = fs::File::create(folder.path().join("large.json")).expect("a file");
    large.set_len(200 << 20).expect("room");
    assert_refused(&folder, &["verify", "large.json"], 65, &["large.json", "134217728", "--frames A..B"]);
    let document = format!("{{\"nodes\":[{}{{}}]}}", "{},".repeat(1 << 20));
    fs::write(folder.path().join("c.gltf"), &document).expect("a document");
    assert_refused(&folder, &["verify", "r.json"], 3, &[]);
    let output = toile(folder.path(), &["verify", "r.json"]);
    assert!(
        stdout(&output).contains("c.gltf: its JSON cannot be read: more than 1048576 objects"),
        "{}",
        stdout(&output)
    );
    report["outputs"][0]["path"] = format!("{}.obj", "0".repeat(10_000)).into();
    put_report(&folder, &report);
    assert_refused(&folder, &["verify", "r.json"], 65, &["outputs.path", "a name of 10004 bytes"]);
}

#[test]
#[cfg(unix)]
fn what_is_no_regular_file_is_no_output_and_no_report() {
    let (folder, _) = baked();
    let at = |name: &str| folder.path().join(name);
    let replaced = |name: &str, make: &dyn Fn(&Path)| {
        fs::remove_file(at(name)).expect("an output");
        make(&at(name));
    };
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
    replaced("a.pc2", &pipe);
    replaced("b.glb", &|path| fs::create_dir(path).expect("a folder"));
    replaced("c.bin", &|path| std::os::unix::fs::symlink("/dev/zero", path).expect("a link"));
    replaced("d_1.obj", &|path| std::os::unix::fs::symlink("d_1.obj", path).expect("a link"));
    let output = toile(folder.path(), &["verify", "r.json"]);
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(3), "{told}{}", stderr(&output));
    for line in ["missing  a.pc2", "missing  b.glb", "missing  c.bin", "missing  d_1.obj", "differs  c.gltf: "] {
        assert!(told.contains(line), "{line} is not in\n{told}");
    }
    fs::remove_file(at("r.json")).expect("the report");
    pipe(&at("r.json"));
    assert_refused(&folder, &["verify", "r.json"], 65, &["no regular file"]);
}

#[test]
fn documents_whose_meshes_share_what_they_need_are_no_work_without_end() {
    let (folder, _) = baked();
    let text = fs::read(folder.path().join("c.gltf")).expect("a document");
    let mut document: Value = serde_json::from_slice(&text).expect("JSON");
    let nodes = document["nodes"].as_array_mut().expect("nodes");
    let cloth = nodes.iter().find(|node| node.get("mesh").is_some()).expect("the cloth").clone();
    nodes.extend(std::iter::repeat_n(cloth, 200_000));
    let all: Vec<usize> = (0..nodes.len()).collect();
    document["scenes"][0]["nodes"] = json!(all);
    fs::write(folder.path().join("c.gltf"), document.to_string()).expect("a document");
    let output = toile(folder.path(), &["verify", "r.json"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).contains("differs  c.gltf: "), "{}", stdout(&output));
}
