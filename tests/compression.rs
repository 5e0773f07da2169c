//! Compressed glTF files pose as the plain ones that they were made of; quantized ones come back as files that need no extension.
//!
//! `tests/data/limb_*.glb` were made by another program, gltf-transform 4.5, of the file that
//! `cargo test --test compression -- --ignored` writes to the temporary folder:
//! `draco limb.glb limb_draco.glb`, the same with `--method sequential`, `meshopt limb.glb limb_meshopt.glb`, and
//! `meshopt --level medium` for `limb_meshopt_medium.glb`, which has no filters.

mod glb;

use std::fs;
use std::path::Path;
use std::process::Command;

use glb::{Parts, glb, taken_apart};
use serde_json::{Value, json};
use toile::body::{Body, Moment};
use toile::geometry::Vec3;
use toile::import::BodyAsset;
use toile::import::gltf::{GltfError, read_garment, read_rig};

/// Vertices around the limb and along it.
const AROUND: usize = 12;
const ALONG: usize = 10;

/// A tube that bends at a knee in its middle, with every attribute that a body has.
fn limb() -> Vec<u8> {
    let mut file = Parts::default();
    let count = (AROUND + 1) * ALONG;
    let (mut positions, mut normals, mut texcoords) = (Vec::new(), Vec::new(), Vec::new());
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for i in 0..count {
        let (column, row) = (i % (AROUND + 1), i / (AROUND + 1));
        let (along, around) = (row as f32 / (ALONG - 1) as f32, column as f32 / AROUND as f32);
        let (sin, cos) = libm::sincosf(std::f32::consts::TAU * around);
        let radius = 0.09 - 0.03 * along + 0.01 * cos;
        positions.extend([radius * sin, 0.8 - 0.8 * along, radius * cos]);
        normals.extend([sin, 0.0, cos]);
        texcoords.extend([around, along]);
        joints.extend([0_u8, 1, 0, 0]);
        let shin = ((along - 0.35) / 0.3).clamp(0.0, 1.0);
        weights.extend([1.0 - shin, shin, 0.0, 0.0]);
    }
    let across = AROUND + 1;
    let corners = (0..across * (ALONG - 1)).filter(|i| i % across < AROUND);
    let corners = corners.flat_map(|i| [i, i + across, i + 1, i + 1, i + across, i + across + 1]);
    let corners: Vec<u8> = corners.flat_map(|i| (i as u16).to_le_bytes()).collect();
    let moved = |y: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
    let turns = (0..9).flat_map(|key| {
        let (sin, cos) = libm::sincosf(0.07 * key as f32);
        [sin * 0.8, 0.0, sin * 0.6, cos]
    });
    let (times, turns): (Vec<f32>, Vec<f32>) = ((0..9).map(|key| 0.125 * key as f32).collect(), turns.collect());
    let attributes = json!({
        "POSITION": file.floats(&positions, "VEC3"), "NORMAL": file.floats(&normals, "VEC3"),
        "TEXCOORD_0": file.floats(&texcoords, "VEC2"), "JOINTS_0": file.add(&joints, 5121, count, "VEC4"),
        "WEIGHTS_0": file.floats(&weights, "VEC4"),
    });
    let accessor = &mut file.accessors[0]; // POSITION
    (accessor["min"], accessor["max"]) = (json!([-0.1, 0.0, -0.1]), json!([0.1, 0.8, 0.1]));
    let document = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0, "skin": 0, "name": "limb" },
            { "name": "hip", "translation": [0, 0.8, 0], "children": [2] }, { "name": "knee", "translation": [0, -0.4, 0] }],
        "meshes": [{ "name": "limb", "primitives": [{ "attributes": attributes,
            "indices": file.add(&corners, 5123, corners.len() / 2, "SCALAR") }] }],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": file.floats(&[moved(-0.8), moved(-0.4)].concat(), "MAT4") }],
        "animations": [{ "name": "kick", "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }],
            "samplers": [{ "input": file.floats(&times, "SCALAR"), "output": file.floats(&turns, "VEC4") }] }],
        "accessors": file.accessors, "bufferViews": file.views, "buffers": [{ "byteLength": file.binary.len() }],
    });
    glb(&document, &file.binary)
}

impl Parts {
    fn floats(&mut self, numbers: &[f32], kind: &str) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let components = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        self.add(&bytes, 5126, numbers.len() / components, kind)
    }
}

fn compressed(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).expect("a file of the repository")
}

/// The corners of all triangles at a few moments of the clip.
fn posed(bytes: &[u8]) -> Vec<[Vec3; 3]> {
    let rig = read_rig(bytes, Path::new("."), "limb").unwrap_or_else(|error| panic!("{error}"));
    assert!(rig.notices.is_empty(), "{:?}", rig.notices);
    let body = Body::new(BodyAsset::Rig(rig), Some("kick")).expect("the clip is there");
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for moment in [0.0, 0.3, 0.81, 1.0] {
        body.pose(Moment::At(moment), &mut positions);
        triangles.extend(body.triangles().iter().map(|corners| corners.map(|corner| positions[corner as usize])));
    }
    triangles
}

/// Each triangle is one of the plain file's, none of them twice.
fn assert_same(name: &str, tolerance: f32) {
    let (plain, packed) = (posed(&limb()), posed(&compressed(name)));
    assert_eq!(packed.len(), plain.len(), "{name}");
    let of_a_moment = plain.len() / 4;
    for (plain, packed) in plain.chunks(of_a_moment).zip(packed.chunks(of_a_moment)) {
        let mut met = vec![false; of_a_moment];
        for triangle in packed {
            let distance = |other: &[Vec3; 3]| {
                let turned = |by: usize| (0..3).map(|k| other[(k + by) % 3].distance(triangle[k])).fold(0.0, f32::max);
                (0..3).map(turned).fold(f32::INFINITY, f32::min)
            };
            let nearest = plain.iter().map(distance).enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).expect("triangles");
            assert!(nearest.1 < tolerance, "{name}: {} m from the nearest triangle", nearest.1);
            assert!(!std::mem::replace(&mut met[nearest.0], true), "{name}: triangle {} twice", nearest.0);
        }
    }
}

#[test]
fn draco_gives_what_it_was_made_of() {
    assert_same("limb_draco.glb", 2e-4); // 14 bits of 0.8 m, weights of 8 bits
    assert_same("limb_sequential.glb", 2e-4);
}

#[test]
fn meshopt_gives_what_it_was_made_of() {
    assert_same("limb_meshopt.glb", 2e-3); // turns of 8 to 12 bits
    assert_same("limb_meshopt_medium.glb", 2e-3);
}

#[test]
fn compressed_garments_are_read_too() {
    let plain = read_garment(&limb(), Path::new("."), "limb").expect("plain");
    for name in ["limb_draco.glb", "limb_meshopt.glb"] {
        let garment = read_garment(&compressed(name), Path::new("."), "limb").expect(name);
        assert_eq!(garment.polygons.len(), plain.polygons.len(), "{name}");
    }
}

/// What is said of a compressed file after a change of its JSON.
fn refused(name: &str, pointer: &str, value: Value) -> String {
    let (mut document, binary) = taken_apart(&compressed(name)).expect("a GLB file");
    *document.pointer_mut(pointer).unwrap_or_else(|| panic!("{name} has no {pointer}")) = value;
    match read_rig(&glb(&document, &binary), Path::new("."), "limb") {
        Err(GltfError::Faults(faults)) => faults.to_string(),
        other => panic!("{pointer}: {:?}", other.map(|_| "read")),
    }
}

#[test]
fn damage_is_named_with_its_place() {
    let draco = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression";
    let cases = [
        ("limb_draco.glb", format!("{draco}/attributes/POSITION"), json!(77), "77, which the stream has not"),
        ("limb_draco.glb", format!("{draco}/bufferView"), json!(99), "bufferView"),
        ("limb_draco.glb", "/meshes/0/primitives/0/indices".to_owned(), json!(null), "indices: found none"),
        ("limb_draco.glb", "/bufferViews/2/byteLength".to_owned(), json!(30), "a Draco stream that cannot be read"),
        ("limb_meshopt.glb", view("mode"), json!("PLAIN"), "mode: found none that is known"),
        ("limb_meshopt.glb", view("filter"), json!("COLOR"), "filter: found none that is known"),
        ("limb_meshopt.glb", view("byteStride"), json!(5), "elements of 5 bytes"),
        ("limb_meshopt.glb", view("byteLength"), json!(9), "data that ends too early"),
        ("limb_meshopt.glb", view("byteOffset"), json!(1), "another version of the encoding"),
        ("limb_meshopt.glb", view("count"), json!(1_u64 << 40), "more outside data than is read"),
    ];
    for (name, pointer, value, expected) in cases {
        let message = refused(name, &pointer, value);
        assert!(message.contains(expected), "{name} {pointer}: {message}");
    }
}

/// A field of a compressed view of attributes.
fn view(key: &str) -> String {
    let (document, _) = taken_apart(&compressed("limb_meshopt.glb")).expect("a GLB file");
    let is_plain = |view: &Value| {
        let packed = &view["extensions"]["EXT_meshopt_compression"];
        packed["mode"] == "ATTRIBUTES" && (key != "filter" || packed["filter"].is_string())
    };
    let views = document["bufferViews"].as_array().expect("views");
    let index = views.iter().position(is_plain).expect("a view of attributes");
    format!("/bufferViews/{index}/extensions/EXT_meshopt_compression/{key}")
}

#[test]
#[ignore = "writes the file that the compressed ones are made of"]
fn plain_file_for_the_compressors() {
    let path = std::env::temp_dir().join("limb.glb");
    fs::write(&path, limb()).expect("a file");
    println!("{}", path.display());
}

#[test]
fn meshes_of_one_name_stay_apart_and_quantized_texture_coordinates_stay_valid() {
    let mut parts = Parts::default();
    let places: Vec<u8> = [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0_f32]]
        .iter()
        .flatten()
        .flat_map(|c| c.to_le_bytes())
        .collect();
    let position = parts.add(&places, 5126, 4, "VEC3");
    (parts.accessors[position]["min"], parts.accessors[position]["max"]) = (json!([0, 0, 0]), json!([1, 1, 0]));
    let indices: Vec<u8> = [0, 3, 2, 0, 2, 1_u16].iter().flat_map(|i| i.to_le_bytes()).collect();
    let indices = parts.add(&indices, 5123, 6, "SCALAR");
    // Whole numbers that a transform of the texture would bring down, and signed ones that stand for -1 to 1.
    let whole: Vec<u8> = [0, 0, 4095, 0, 4095, 4095, 0, 4095_u16].iter().flat_map(|n| n.to_le_bytes()).collect();
    let whole = parts.add(&whole, 5123, 4, "VEC2");
    let signed = parts.add(&[0, 0, 0, 0, 127, 0, 0, 0, 127, 129, 0, 0, 0, 129, 0, 0], 5120, 4, "VEC2");
    parts.accessors[signed]["normalized"] = json!(true);
    let view = parts.accessors[signed]["bufferView"].as_u64().expect("a view") as usize;
    parts.views[view]["byteStride"] = json!(4);
    let mesh = |texcoord: usize| {
        let attributes = json!({ "POSITION": position, "TEXCOORD_0": texcoord });
        json!({ "name": "cloth", "primitives": [{ "attributes": attributes, "indices": indices }] })
    };
    let document = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 1] }, { "nodes": [1] }],
        "nodes": [{ "name": "sheet", "mesh": 0 }, { "name": "sheet", "mesh": 1, "translation": [0, 0, 1] }],
        "meshes": [mesh(whole), mesh(signed)], "accessors": parts.accessors, "bufferViews": parts.views,
        "buffers": [{ "byteLength": parts.binary.len() }],
        "extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"],
    });
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("sheets.glb"), glb(&document, &parts.binary)).expect("written");
    let line = "bake --garment sheets.glb --pin vertex:0 --pin-to world --preroll 0 --frames 0..1 --out back.glb";
    let mut toile = Command::new(env!("CARGO_BIN_EXE_toile"));
    let output = toile.args(line.split(' ')).current_dir(folder.path()).output().expect("toile runs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && words.contains("scenes[0] is read, of 2"), "{words}");
    let (back, binary) = taken_apart(&fs::read(folder.path().join("back.glb")).expect("a file")).expect("a GLB");
    assert!(back.get("extensionsRequired").is_none(), "{back}");
    let names = |list: &str| -> Vec<&str> {
        back[list].as_array().expect("a list").iter().filter_map(|item| item["name"].as_str()).collect()
    };
    assert_eq!((names("nodes"), names("meshes")), (vec!["sheet"; 2], vec!["cloth"; 2]));
    let texcoords = |mesh: usize| -> Vec<f32> {
        let index = back["meshes"][mesh]["primitives"][0]["attributes"]["TEXCOORD_0"].as_u64().expect("an accessor");
        let accessor = &back["accessors"][index as usize];
        assert_eq!((accessor["componentType"].as_u64(), accessor.get("normalized")), (Some(5126), None));
        let view = &back["bufferViews"][accessor["bufferView"].as_u64().expect("a view") as usize];
        let start = view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
        let bytes = binary[start as usize..][..32].as_chunks::<4>().0;
        bytes.iter().map(|&number| f32::from_le_bytes(number)).collect()
    };
    assert_eq!(texcoords(0), [0.0, 0.0, 4095.0, 0.0, 4095.0, 4095.0, 0.0, 4095.0]);
    assert_eq!(texcoords(1), [0.0, 0.0, 1.0, 0.0, 1.0, -1.0, 0.0, -1.0]);
}
