//! Broken, hostile and odd-but-valid glTF files: a clear error or a right result, never a panic.

mod glb;

use std::fs;
use std::path::{Path, PathBuf};

use glb::glb;
use proptest::prelude::*;
use serde_json::{Value, json};
use toile::body::{Body, Moment};
use toile::import::gltf::{GltfError, read_garment, read_rig};
use toile::import::{BodyAsset, Garment, Rig};

/// Files of the collection that are valid, if odd.
const ODD_BUT_VALID: [&str; 3] = ["44_minmax_missing.glb", "46_morph_zero_filled.glb", "71_anim_no_node.glb"];

fn malformed_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/assets/malformed");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "glb" || end == "gltf")).collect();
    paths.sort();
    paths
}

#[test]
fn every_file_of_the_collection_gives_an_error_or_a_finite_mesh() {
    for path in malformed_files() {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let bytes = fs::read(&path).expect("the file can be read");
        let folder = path.parent().expect("the file is in a folder");
        let outcome = read_rig(&bytes, folder, "body");
        match &outcome {
            Ok(_) => println!("{name}: read"),
            Err(error) => println!("{name}: {error}"),
        }
        let garment = read_garment(&bytes, folder, "body"); // never looks at animations
        assert!(garment.is_ok() || outcome.is_err(), "{name}");
        assert!(outcome.is_ok() || !ODD_BUT_VALID.contains(&name), "{name}");
        // Its byte order mark is fine; its buffer names no data, so it cannot be read.
        assert!(name != "15_bom.gltf" || matches!(outcome, Err(GltfError::Faults(_))), "{name}");
        if let Ok(rig) = outcome {
            assert_finite(rig, name);
        }
    }
}

fn assert_finite(rig: Rig, name: &str) {
    let body = Body::new(BodyAsset::Rig(rig), None).expect("no clip is asked for");
    let mut positions = Vec::new();
    for moment in [Moment::Bind, Moment::At(0.3), Moment::FromBind { seconds: 0.3, amount: 0.5 }] {
        body.pose(moment, &mut positions);
        assert_eq!(positions.len(), body.vertex_count(), "{name}");
        assert!(positions.iter().all(|position| position.is_finite()), "{name} at {moment:?}");
    }
}

/// A triangle on two joints with an animation: attributes, then indices, matrices and keys in one binary chunk.
fn small_document() -> (Value, Vec<u8>) {
    let mut binary = Vec::new();
    let mut views = Vec::new();
    let mut add = |floats: &[f32], bytes: &[u8]| {
        let start = binary.len();
        binary.extend(floats.iter().flat_map(|number| number.to_le_bytes()));
        binary.extend_from_slice(bytes);
        views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": binary.len() - start }));
        binary.resize(binary.len().next_multiple_of(4), 0);
    };
    add(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], &[]);
    add(&[], &[0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    add(&[1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[]);
    add(&[], &[0, 0, 1, 0, 2, 0]);
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    add(&[identity, identity].concat(), &[]);
    add(&[0.0, 1.0], &[]);
    add(&[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0], &[]);
    let accessor = |view: usize, component: u32, count: usize, kind: &str| json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0, "skin": 0 }, { "name": "hip", "children": [2] }, { "name": "knee" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 }, "indices": 3 }] }],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": 4 }],
        "animations": [{
            "name": "turn",
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
            "samplers": [{ "input": 5, "output": 6 }],
        }],
        "accessors": [
            accessor(0, 5126, 3, "VEC3"), accessor(1, 5121, 3, "VEC4"), accessor(2, 5126, 3, "VEC4"),
            accessor(3, 5123, 3, "SCALAR"), accessor(4, 5126, 2, "MAT4"), accessor(5, 5126, 2, "SCALAR"),
            accessor(6, 5126, 2, "VEC4"),
        ],
        "bufferViews": views,
        "buffers": [{ "byteLength": binary.len() }],
    });
    (document, binary)
}

fn rig_of(bytes: &[u8]) -> Result<Rig, GltfError> {
    read_rig(bytes, Path::new("/nowhere"), "body")
}

fn garment_of(bytes: &[u8]) -> Result<Garment, GltfError> {
    read_garment(bytes, Path::new("/nowhere"), "garment")
}

/// The small document with the value at a JSON pointer replaced (or added, where its parent is there).
fn changed(pointer: &str, value: Value) -> Vec<u8> {
    let (mut document, binary) = small_document();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer has a slash");
    match document.pointer_mut(parent).expect("the parent is there") {
        Value::Object(object) => drop(object.insert(key.to_owned(), value)),
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        other => panic!("{other} has no fields"),
    }
    glb(&document, &binary)
}

#[test]
fn the_small_document_is_read() {
    let (document, binary) = small_document();
    let rig = rig_of(&glb(&document, &binary)).expect("it is valid");
    assert_eq!((rig.parts[0].triangles.as_slice(), rig.clips[0].tracks.len()), (&[[0, 1, 2]][..], 1));
    assert_finite(rig, "small document");
}

#[test]
fn faults_name_the_place_and_what_is_expected() {
    let cases = [
        ("/accessors/0/count", json!(4_000_000_000_u64), "accessors[0]"),
        ("/accessors/0/byteOffset", json!(u64::MAX), "accessors[0]"),
        ("/accessors/0/type", json!("VEC2"), "POSITION"),
        ("/accessors/3/componentType", json!(5126), "accessors[3]"),
        ("/meshes/0/primitives/0/indices", json!(5), "indices"),
        ("/bufferViews/0/byteStride", json!(13), "bufferViews[0].byteStride"),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "bufferViews[0]"),
        ("/meshes/0/primitives/0/attributes/POSITION", json!(99), "POSITION"),
        ("/meshes/0/primitives/0/attributes/NORMAL", json!(5), "NORMAL"),
        ("/nodes/2/children", json!([1]), "nodes["),
        ("/nodes/0/children", json!([2]), "second parent"),
        ("/nodes/1/rotation", json!([0, 0, 0, 0]), "rotation"),
        ("/nodes/1/translation", json!([1.0e300, 0, 0]), "translation"),
        ("/skins/0/joints", json!([]), "joints"),
        ("/skins/0/joints", json!([1, 2, 0]), "inverseBindMatrices"),
        ("/skins/0/joints", json!([1]), "JOINTS"),
        ("/animations/0/samplers/0/interpolation", json!("WEIRD"), "interpolation"),
        ("/animations/0/samplers/0/output", json!(4), "output"),
        ("/buffers/0/byteLength", json!(1_u64 << 40), "buffers[0]"),
        ("/buffers/0/uri", json!("../../etc/passwd"), "out of the file's folder"),
        ("/extensionsRequired", json!(["KHR_meshopt_compression"]), "KHR_meshopt_compression"),
        ("/asset/version", json!("1.0"), "asset.version"),
        ("/meshes/0/primitives/0/mode", json!(0), "no triangle mesh"),
        (
            "/accessors/0/sparse",
            json!({ "count": 1, "indices": { "bufferView": 2, "componentType": 5125 }, "values": { "bufferView": 0 } }),
            "sparse",
        ),
    ];
    for (pointer, value, expected) in cases {
        let message = rig_of(&changed(pointer, value)).expect_err(pointer).to_string();
        assert!(message.contains(expected), "{pointer}: {message}");
    }
}

#[test]
fn odd_but_valid_documents_are_read() {
    let cases = [
        ("/scenes", json!([])),
        ("/scene", json!(null)),
        ("/nodes/0/camera", json!(7)),
        ("/images", json!([{}, { "uri": "file:///etc/passwd" }, 3])),
        ("/materials", json!([{ "normalTexture": { "index": 8 } }])),
        ("/meshes/0/primitives/0/material", json!(5)),
        ("/meshes/0/primitives/0/attributes/TANGENT", json!(77)),
        ("/extensionsRequired", json!(["KHR_mesh_quantization"])),
        ("/animations/0/channels/0/target", json!({ "path": "pointer" })),
        ("/nodes/1/scale", json!([0, 0, 0])),
        ("/skins/0/skeleton", json!(500)),
    ];
    for (pointer, value) in cases {
        let bytes = changed(pointer, value);
        assert_finite(rig_of(&bytes).unwrap_or_else(|error| panic!("{pointer}: {error}")), pointer);
        assert!(garment_of(&bytes).is_ok(), "{pointer}");
    }
}

#[test]
fn at_most_ten_faults_are_printed_and_the_others_counted() {
    let nodes: Vec<Value> = (0..25).map(|_| json!({ "children": [999] })).collect();
    let message = rig_of(&changed("/nodes", nodes.into())).expect_err("children are out of range").to_string();
    assert_eq!((message.lines().count(), message.contains("and 15 more")), (11, true), "{message}");
}

#[test]
fn quantised_positions_are_unpacked() {
    let (mut document, mut binary) = small_document();
    let start = binary.len();
    binary.extend([0_i16, 0, 0, 0, 32767, 0, 0, 0, 0, -32767, 0, 0].iter().flat_map(|number| number.to_le_bytes()));
    document["bufferViews"][0] = json!({ "buffer": 0, "byteOffset": start, "byteLength": 24, "byteStride": 8 });
    document["accessors"][0]["componentType"] = json!(5122);
    document["accessors"][0]["normalized"] = json!(true);
    document["buffers"][0]["byteLength"] = json!(binary.len());
    document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let rig = rig_of(&glb(&document, &binary)).expect("it is valid");
    assert_eq!(
        rig.parts[0].positions.iter().map(|p| p.to_array()).collect::<Vec<_>>(),
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]
    );
}

#[test]
fn a_mirrored_node_still_faces_outward() {
    let (mut document, binary) = small_document();
    document["nodes"][0] = json!({ "mesh": 0, "scale": [-1, 1, 1] });
    let garment = garment_of(&glb(&document, &binary)).expect("it is valid");
    assert_eq!(garment.polygons.get(0), [0, 2, 1]);
    assert_eq!(garment.positions[1].to_array(), [-1.0, 0.0, 0.0]);
}

#[test]
fn repeated_use_of_one_large_accessor_meets_the_limit() {
    let (mut document, binary) = small_document();
    document["accessors"][0] = json!({ "componentType": 5126, "count": 4_000_000, "type": "VEC3" });
    document["meshes"][0]["primitives"] =
        (0..1000).map(|_| json!({ "attributes": { "POSITION": 0 } })).collect::<Vec<_>>().into();
    let message = rig_of(&glb(&document, &binary)).expect_err("it is too much").to_string();
    assert!(message.contains("MiB"), "{message}");
}

#[test]
fn a_chain_of_200_000_nodes_is_walked() {
    let (mut document, binary) = small_document();
    let mut nodes: Vec<Value> = (1..200_000).map(|child| json!({ "children": [child] })).collect();
    nodes.push(json!({ "mesh": 0, "translation": [0, 0, 1] }));
    document["nodes"] = nodes.into();
    document["scenes"][0]["nodes"] = json!([0]);
    document["animations"] = json!([]);
    let rig = rig_of(&glb(&document, &binary)).expect("it is valid");
    assert_eq!(rig.nodes.len(), 200_000);
    assert_finite(rig, "chain");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let (document, binary) = small_document();
        let mut bytes = glb(&document, &binary);
        for (index, value) in flips {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        let _ = garment_of(&bytes);
        if let Ok(rig) = rig_of(&bytes) {
            let body = Body::new(BodyAsset::Rig(rig), None).expect("no clip is asked for");
            body.pose(Moment::FromBind { seconds: 0.5, amount: 0.5 }, &mut Vec::new());
        }
    }
}
