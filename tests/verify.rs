//! Outputs against the report of their bake: what is right passes, whatever is changed is found.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output as Done};

use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use toile::bake::{Bake, Output, Overwrite, write};
use toile::geometry::{DVec3, Vec3};
use toile::import::{FileFrame, Garment, Unit, UpAxis};
use toile::report::checksum;
use toile::simulate::{FrameRate, PointCache, Timeline};
use toile::topology::ParticleId;
use toile::verify::{FileVerdict, Search, Status, Verdict, VerifyError, verify};

/// Rows and columns of the sheet: more vertices than a group of sums has.
const SIDE: usize = 40;
/// All formats.
const OUTPUTS: [&str; 4] = ["walk.glb", "walk.gltf", "walk.obj", "walk.pc2"];

/// A bake that was made up, and its report.
struct Baked {
    folder: TempDir,
    report: Value,
}

/// How the made-up bake is written.
#[derive(Clone, Copy)]
struct Way {
    frame: FileFrame,
    origin: DVec3,
    frames: usize,
    side: usize,
}

impl Default for Way {
    fn default() -> Way {
        Way { frame: FileFrame::default(), origin: DVec3::ZERO, frames: 5, side: SIDE }
    }
}

/// A sheet with a seam of texture coordinates and a vertex that no face has, whose vertices go their own ways.
fn garment(way: Way) -> Garment {
    let n = way.side;
    let mut text = String::from("# a sheet\nv 9 9 9\n");
    for i in 0..n * n {
        let p = way.frame.to_file(Vec3::new((i % n) as f32, 0.0, (i / n) as f32) * 0.03);
        text += &format!("v {} {} {}\n", p.x, p.y, p.z);
    }
    text += "vt 0 0\nvt 1 0\n";
    for (row, column) in (0..n - 1).flat_map(|r| (0..n - 1).map(move |c| (r, c))) {
        let (i, t) = (row * n + column + 2, 1 + column / (n / 2));
        text += &format!("f {i}/{t} {}/{t} {}/{t} {}/{t}\n", i + n, i + n + 1, i + 1);
    }
    toile::import::obj::read_garment(text.as_bytes(), "sheet", way.frame).unwrap()
}

fn cache(count: usize, frames: usize) -> PointCache {
    let timeline = Timeline {
        first: 7,
        last: 6 + frames as i64,
        fps: FrameRate { numerator: 30000, denominator: 1001 },
        start_frame: 3,
    };
    let position = |vertex: usize, frame: usize| {
        let (v, t) = (vertex as f32, frame as f32 * 0.1);
        let wave = Vec3::new(libm::sinf(v + t), libm::cosf(0.7 * v - t), libm::sinf(0.3 * v + 2.0 * t));
        Vec3::new(vertex as f32 % 40.0 * 0.03, 1.0, (vertex / 40) as f32 * 0.03 + 0.1 * t) + 0.1 * wave
    };
    let frames = (0..frames).map(|frame| (0..count).map(|vertex| position(vertex, frame)).collect()).collect();
    PointCache { timeline, frames }
}

fn baked(way: Way, names: &[&str]) -> Baked {
    let folder = tempfile::tempdir().unwrap();
    let garment = garment(way);
    let vertices = garment.positions.len();
    let particles: Vec<ParticleId> = (0..vertices as u32).map(ParticleId).collect();
    let cache = cache(vertices, way.frames);
    let bake = Bake {
        garment: &garment,
        particle_of_vertex: &particles,
        cache: &cache,
        origin: way.origin,
        body: None,
        clip: None,
        interrupted: None,
    };
    let outputs: Vec<Output> = names.iter().map(|name| Output::parse(folder.path().join(name)).unwrap()).collect();
    let written = write(&outputs, &bake, Overwrite::Refuse).unwrap();
    let bits = cache.frames.iter().flatten().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes);
    let Timeline { first, last, start_frame, fps } = cache.timeline;
    let up = if way.frame.up == UpAxis::Z { "z" } else { "y" };
    let report = json!({
        "garment": {"name": "sheet", "vertices": vertices, "loose_vertices": 1},
        "frames": {"first": first, "last": last, "fps": fps.per_second(), "start_frame": start_frame, "cuts": []},
        "coordinates": {
            "metres_per_unit": way.frame.unit.metres_exactly(), "up": up, "origin_m": way.origin.to_array()
        },
        "checksums": checksum::measure(&cache, &particles, way.origin),
        "outputs": written.iter().map(|w| json!({"path": w.path, "bytes": w.bytes, "sha256": w.sha256})).collect::<Vec<_>>(),
        "position_hash": format!("{:x}", Sha256::digest(bits.collect::<Vec<u8>>())),
    });
    Baked { folder, report }
}

impl Baked {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn verify(&self) -> Verdict {
        self.try_verify().unwrap()
    }

    fn try_verify(&self) -> Result<Verdict, VerifyError> {
        verify_text(self.folder.path(), &serde_json::to_vec(&self.report).unwrap())
    }

    /// Puts other bytes into a file and its length and hash into the report, so that nothing but its content tells.
    fn replace(&mut self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
        let outputs = self.report["outputs"].as_array_mut().unwrap();
        let output = outputs.iter_mut().find(|o| o["path"].as_str().unwrap().ends_with(name)).unwrap();
        output["bytes"] = bytes.len().into();
        output["sha256"] = format!("{:x}", Sha256::digest(bytes)).into();
    }
}

fn verify_text(folder: &Path, report: &[u8]) -> Result<Verdict, VerifyError> {
    let path = folder.join("report.json");
    fs::write(&path, report).unwrap();
    verify(&path, &Search { folder: None, interrupted: None })
}

fn of<'a>(verdict: &'a Verdict, name: &str) -> &'a FileVerdict {
    verdict.outputs.iter().find(|output| output.path.ends_with(name)).unwrap()
}

fn words(output: &FileVerdict) -> String {
    output.faults.iter().map(|fault| format!("{fault}\n")).collect()
}

#[test]
fn what_was_written_is_proven_in_every_format_unit_and_place() {
    let centimetres = FileFrame { unit: Unit::Centimetre, up: UpAxis::Z };
    let metres = FileFrame { unit: Unit::Metre, up: UpAxis::Z };
    let far = DVec3::new(12000.0, 3.0, -7000.0);
    let ways = [
        (Way::default(), true),
        (Way { frame: metres, ..Way::default() }, true),
        (Way { frame: centimetres, ..Way::default() }, false),
        (Way { origin: far, ..Way::default() }, false),
        (Way { origin: far, frame: centimetres, ..Way::default() }, false),
        (Way { frames: 1, ..Way::default() }, true),
        (Way { frames: 600, side: 4, ..Way::default() }, true),
    ];
    for (number, (way, is_exact)) in ways.into_iter().enumerate() {
        let verdict = baked(way, &OUTPUTS).verify();
        for output in &verdict.outputs {
            assert_eq!(output.status, Status::Ok, "way {number}, {}: {}", output.path, words(output));
            assert!(output.notes.is_empty(), "{:?}", output.notes);
        }
        assert!(verdict.is_proven);
        assert_eq!(verdict.outputs.len(), 4 + way.frames);
        for name in ["walk.glb", "walk.gltf", "walk.pc2"] {
            assert_eq!(of(&verdict, name).frames, way.frames, "way {number}, {name}");
        }
        let exact = ["walk.pc2", "walk_0003.obj"].map(|name| of(&verdict, name).tolerance_m == Some(0.0));
        assert_eq!(exact, [is_exact; 2], "way {number}");
        let glb = of(&verdict, "walk.glb").tolerance_m.unwrap();
        assert!(glb > 0.0 && glb < 1e-4, "way {number}: {glb}");
    }
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let baked = baked(Way::default(), &OUTPUTS);
    let files: Vec<PathBuf> =
        ["walk.glb", "walk.bin", "walk.gltf", "walk_0005.obj", "walk.pc2"].map(|name| baked.path(name)).to_vec();
    for file in files {
        let good = fs::read(&file).unwrap();
        for k in 0..30 {
            let at = k * (good.len() - 1) / 29;
            let mut bad = good.clone();
            bad[at] ^= 1 << (k % 8);
            fs::write(&file, &bad).unwrap();
            let verdict = baked.verify();
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(words(of(&verdict, name)).contains("SHA-256"), "{name}, byte {at}");
        }
        fs::write(&file, good).unwrap();
    }
    assert!(baked.verify().is_proven);
}

#[test]
fn frames_that_changed_places_are_found_by_their_positions() {
    let mut baked = baked(Way::default(), &OUTPUTS);
    let [a, b] = ["walk_0004.obj", "walk_0006.obj"].map(|name| fs::read(baked.path(name)).unwrap());
    baked.replace("walk_0004.obj", &b);
    baked.replace("walk_0006.obj", &a);
    let verdict = baked.verify();
    let differ = verdict.outputs.iter().filter(|output| output.status == Status::Differs);
    let differ: Vec<&str> = differ.map(|output| output.path.rsplit('/').next().unwrap()).collect();
    // The last also says that not every bit of the whole sequence is right.
    assert_eq!(differ, ["walk_0004.obj", "walk_0006.obj", "walk_0007.obj"]);
    assert!(words(of(&verdict, "walk_0004.obj")).contains("frame 4: the sum of vertices 0 to 1023 is off"));
}

/// Moves coordinate `x` of an `f32` list.
fn move_float(bytes: &mut [u8], at: usize, by: f32) {
    let moved = f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) + by;
    bytes[at..at + 4].copy_from_slice(&moved.to_le_bytes());
}

/// Where the numbers of accessor `index` start in a GLB, and its document.
fn glb_json(bytes: &[u8]) -> (Value, usize) {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), 28 + length)
}

#[test]
fn a_vertex_that_moved_by_a_fifth_of_a_millimetre_is_found_and_named() {
    let (vertex, by) = (1234, 0.0002);
    let mut baked = baked(Way::default(), &OUTPUTS);
    let mut pc2 = fs::read(baked.path("walk.pc2")).unwrap();
    move_float(&mut pc2, 32 + 12 * (2 * (SIDE * SIDE + 1) + vertex), by);
    baked.replace("walk.pc2", &pc2);

    let mut glb = fs::read(baked.path("walk.glb")).unwrap();
    let (json, binary) = glb_json(&glb);
    let accessor = json["meshes"][0]["primitives"][0]["targets"][1]["POSITION"].as_u64().unwrap() as usize;
    let view = json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let offset = json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    move_float(&mut glb, binary + offset + 12 * vertex, by);
    baked.replace("walk.glb", &glb);

    let obj = fs::read_to_string(baked.path("walk_0005.obj")).unwrap();
    let mut lines: Vec<String> = obj.lines().map(str::to_owned).collect();
    let numbers: Vec<f32> = lines[1 + vertex].split(' ').skip(1).map(|word| word.parse().unwrap()).collect();
    lines[1 + vertex] = format!("v {} {} {}", numbers[0] + by, numbers[1], numbers[2]);
    baked.replace("walk_0005.obj", (lines.join("\n") + "\n").as_bytes());

    let verdict = baked.verify();
    for (name, slack) in [("walk.pc2", 0), ("walk_0005.obj", 0), ("walk.glb", 40)] {
        let output = of(&verdict, name);
        let fault = &output.faults[0];
        assert_eq!(fault.frame(), Some(5), "{name}: {fault}");
        let about = fault.vertex().unwrap();
        assert!(about.abs_diff(vertex as u64) <= slack, "{name}: {fault}");
        assert!(fault.to_string().contains("vertices 1024 to 1600 is off by 0.2"), "{name}: {fault}");
    }
    assert_eq!(of(&verdict, "walk.gltf").status, Status::Ok);
}

#[test]
fn a_number_that_is_none_is_found_in_every_format() {
    let mut baked = baked(Way::default(), &OUTPUTS);
    let mut pc2 = fs::read(baked.path("walk.pc2")).unwrap();
    pc2[32 + 12 * 7..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    baked.replace("walk.pc2", &pc2);
    let obj = fs::read_to_string(baked.path("walk_0003.obj")).unwrap();
    let mut lines: Vec<&str> = obj.lines().collect();
    lines[8] = "v 1 nan 2";
    baked.replace("walk_0003.obj", lines.join("\n").as_bytes());
    lines[8] = "v 1 2";
    baked.replace("walk_0004.obj", lines.join("\n").as_bytes());
    let verdict = baked.verify();
    for (name, expected) in [
        ("walk.pc2", "frame 3: the position of vertex 7 is not a finite number"),
        ("walk_0003.obj", "frame 3: the position of vertex 7 is not a finite number"),
        ("walk_0004.obj", "frame 4: line 9: vertex 7 has no three numbers"),
    ] {
        assert!(words(of(&verdict, name)).contains(expected), "{name}: {}", words(of(&verdict, name)));
    }
}

/// A change to a document.
type Edit<'a> = &'a dyn Fn(&mut Value);

/// A GLB with another document.
fn with_json(glb: &[u8], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut json, binary) = glb_json(glb);
    edit(&mut json);
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = glb[..8].to_vec();
    bytes.extend(((20 + text.len() + 8 + glb.len() - binary) as u32).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.extend(&glb[binary - 8..]);
    bytes
}

#[test]
fn a_gltf_that_shows_other_frames_than_it_has_is_found() {
    let mut baked = baked(Way { frames: 600, side: 4, ..Way::default() }, &["walk.glb"]);
    let glb = fs::read(baked.path("walk.glb")).unwrap();
    let channels = |json: &Value, path: &str| -> Vec<usize> {
        let channels = json["animations"][0]["channels"].as_array().unwrap();
        (0..channels.len()).filter(|&i| channels[i]["target"]["path"] == path).collect()
    };
    let edits: [(&str, Edit<'_>); 8] = [
        ("is shown by two meshes", &|json| {
            let scale = channels(json, "scale")[1];
            json["animations"][0]["channels"].as_array_mut().unwrap().remove(scale);
            json["nodes"][1]["scale"] = json!([1, 1, 1]);
        }),
        ("is not shown", &|json| {
            let scale = channels(json, "scale")[1];
            json["animations"][0]["channels"].as_array_mut().unwrap().remove(scale);
        }),
        ("the sum of vertices 0 to 16 is off", &|json| {
            let targets = json["meshes"][1]["primitives"][0]["targets"].as_array_mut().unwrap();
            targets.swap(3, 4);
        }),
        ("linear keys", &|json| json["animations"][0]["samplers"][0]["interpolation"] = json!("STEP")),
        ("node 0 refers", &|json| json["nodes"][0]["rotation"] = json!([0, 1, 0, 0])),
        ("is off by", &|json| json["nodes"][0]["translation"] = json!([0, 0.0002, 0])),
        ("vertex 0 is not shown", &|json| {
            let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
            let id = attributes.as_object_mut().unwrap().remove("_VERTEX_ID").unwrap();
            attributes["_OTHER"] = id;
        }),
        ("refers to something that is not there", &|json| {
            let base = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap() as usize;
            json["accessors"][base]["count"] = json!(1_u64 << 60);
        }),
    ];
    for (expected, edit) in edits {
        baked.replace("walk.glb", &with_json(&glb, edit));
        let verdict = baked.verify();
        let found = words(of(&verdict, "walk.glb"));
        assert!(found.contains(expected), "`{expected}` is not in\n{found}");
    }
    baked.replace("walk.glb", &with_json(&glb, |_| ()));
    assert!(baked.verify().is_proven);
}

#[test]
fn frames_that_are_missing_or_misnamed_are_found() {
    let mut baked = baked(Way { side: 4, ..Way::default() }, &["walk.obj", "walk.pc2"]);
    let whole = baked.report.clone();
    baked.report["outputs"].as_array_mut().unwrap().remove(4);
    let verdict = baked.verify();
    assert!(words(of(&verdict, "walk_0006.obj")).contains("has 4 frames, the report says 5"));
    baked.report = whole.clone();
    let other = baked.path("walk_0009.obj");
    fs::rename(baked.path("walk_0005.obj"), &other).unwrap();
    baked.report["outputs"][2]["path"] = json!(other);
    assert!(words(of(&baked.verify(), "walk_0009.obj")).contains("should be frame 5"));
    baked.report = whole;
    let verdict = baked.verify();
    assert_eq!(of(&verdict, "walk_0005.obj").status, Status::Missing);
    assert_eq!(of(&verdict, "walk_0007.obj").status, Status::Ok);
}

#[test]
fn a_report_that_is_none_is_refused_and_says_why() {
    let baked = baked(Way { side: 4, frames: 2, ..Way::default() }, &["walk.pc2"]);
    let text = serde_json::to_vec(&baked.report).unwrap();
    for length in (0..text.len()).step_by(37) {
        let refused = verify_text(baked.folder.path(), &text[..length]);
        assert!(matches!(refused, Err(VerifyError::NotAReport { .. })), "the first {length} bytes");
    }
    let edits: [(&str, Value, &str); 9] = [
        ("/frames/last", json!(i64::MAX), "checksums"),
        ("/frames/first", json!(i64::MIN), "checksums"),
        ("/frames/start_frame", json!(i64::MIN), "frames"),
        ("/frames/fps", json!(0), "frames"),
        ("/garment/vertices", json!(1_u64 << 40), "garment.vertices"),
        ("/garment/vertices", json!(100_000), "checksums"),
        ("/coordinates/metres_per_unit", json!(0), "coordinates.metres_per_unit"),
        ("/outputs/0/sha256", json!("0"), "outputs"),
        ("/outputs", json!([]), "outputs"),
    ];
    for (pointer, value, key) in edits {
        let mut report = baked.report.clone();
        *report.pointer_mut(pointer).unwrap() = value;
        let refused = verify_text(baked.folder.path(), &serde_json::to_vec(&report).unwrap()).unwrap_err();
        assert!(
            matches!(&refused, VerifyError::Contradiction { key: found, .. } if *found == key),
            "{pointer}: {refused}"
        );
    }
    for text in [&b"[]"[..], b"{}", b"<!DOCTYPE html>", &b"[".repeat(100_000)] {
        assert!(matches!(verify_text(baked.folder.path(), text), Err(VerifyError::NotAReport { .. })));
    }
    let missing = verify(&baked.path("none.json"), &Search { folder: None, interrupted: None });
    assert!(matches!(missing, Err(VerifyError::Missing { .. })));
    let folder = verify(baked.folder.path(), &Search { folder: None, interrupted: None });
    assert!(matches!(folder, Err(VerifyError::NotAFile { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever is in a file whose length and hash the report knows: a verdict, never a crash.
    #[test]
    fn no_content_is_our_fault(
        file in 0_usize..5, edits in prop::collection::vec((0.0..1.0, any::<u8>()), 0..6), cut in prop::option::of(0.0..1.0)
    ) {
        let mut baked = baked(Way { side: 4, frames: 3, ..Way::default() }, &OUTPUTS);
        let name = ["walk.glb", "walk.gltf", "walk.bin", "walk_0004.obj", "walk.pc2"][file];
        let mut bytes = fs::read(baked.path(name)).unwrap();
        for (at, byte) in edits {
            let at = (bytes.len() as f64 * at) as usize;
            bytes[at] = byte;
        }
        bytes.truncate((bytes.len() as f64 * cut.unwrap_or(1.0)) as usize);
        baked.replace(name, &bytes);
        prop_assert!(baked.try_verify().is_ok());
    }
}

/// Runs toile in `folder`.
fn toile(folder: &Path, arguments: &[&str]) -> Done {
    Command::new(env!("CARGO_BIN_EXE_toile")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_command_proves_a_bake_and_tells_scripts_by_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        ["bake", "flag", "--frames", "0..2", "--preroll", "0", "--with-body", "--quiet", "--report", "r/flag.json"];
    let outputs = ["--out", "a/flag.glb", "--out", "flag.gltf", "--out", "a/f_####.obj", "--out", "flag.pc2"];
    let done = toile(folder.path(), &[&line[..], &outputs].concat());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let done = toile(folder.path(), &["verify", "r/flag.json"]);
    assert_eq!(done.status.code(), Some(0), "{}{}", text(&done.stdout), text(&done.stderr));
    let told = text(&done.stdout);
    assert_eq!(told.lines().filter(|line| line.starts_with("ok ")).count(), 7, "{told}");
    assert!(told.contains("flag.pc2: 3 frames, positions to the bit") && told.contains("flag.bin: bytes"), "{told}");
    assert!(told.contains("a/f_0001.obj: 1 frame, positions to the bit"), "{told}");

    // Delivered elsewhere: by name, and beside the report.
    let delivered = folder.path().join("delivered");
    fs::create_dir(&delivered).unwrap();
    for name in ["a/flag.glb", "flag.gltf", "flag.bin", "a/f_0001.obj", "a/f_0002.obj", "a/f_0003.obj", "flag.pc2"] {
        let file = Path::new(name).file_name().unwrap();
        fs::rename(folder.path().join(name), delivered.join(file)).unwrap();
    }
    let done = toile(folder.path(), &["verify", "r/flag.json"]);
    assert_eq!(done.status.code(), Some(66), "{}", text(&done.stdout));
    assert!(text(&done.stdout).contains("missing  flag.pc2") && text(&done.stderr).contains("--folder DIR"));
    let done = toile(folder.path(), &["verify", "r/flag.json", "--folder", "delivered", "--json"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stdout));
    let verdict: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&verdict["is_proven"], &verdict["outputs"][0]["status"]), (&json!(true), &json!("ok")));
    fs::rename(folder.path().join("r/flag.json"), delivered.join("flag.json")).unwrap();
    let done = toile(folder.path(), &["verify", "delivered/flag.json"]);
    assert_eq!(done.status.code(), Some(0));
    assert!(text(&done.stdout).contains("found beside the report"), "{}", text(&done.stdout));

    fs::write(delivered.join("flag.pc2"), "POINTCACHE").unwrap();
    let done = toile(folder.path(), &["verify", "delivered/flag.json"]);
    assert_eq!(done.status.code(), Some(3), "{}", text(&done.stdout));
    assert!(text(&done.stdout).contains("differs  flag.pc2: ends within its header"), "{}", text(&done.stdout));
    assert_eq!(toile(folder.path(), &["verify", "delivered/flag.pc2"]).status.code(), Some(65));
    assert_eq!(toile(folder.path(), &["verify", "nothing.json"]).status.code(), Some(66));
}
