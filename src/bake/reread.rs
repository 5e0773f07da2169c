//! What was written, read again by other means: the `gltf` crate, and a reader of OBJ and PC2 of its own.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::fixtures::{Scene, gltf_skirt, skirt};
use super::{BakeError, Output, Overwrite, Written, write};
use crate::geometry::Vec3;
use crate::import::{BodyAsset, FileFrame, GarmentSource, Unit, UpAxis, read_body};

fn written(scene: &Scene, names: &[&str]) -> (tempfile::TempDir, Vec<Written>) {
    let folder = tempfile::tempdir().expect("a folder");
    let outputs: Vec<Output> =
        names.iter().map(|name| Output::parse(folder.path().join(name)).expect("a format")).collect();
    let files = write(&outputs, &scene.bake(), Overwrite::Refuse).expect("written");
    (folder, files)
}

/// Accessors of a glTF as numbers.
struct Gltf {
    document: gltf::Document,
    buffer: Vec<u8>,
}

impl Gltf {
    fn open(path: &Path) -> Gltf {
        let gltf::Gltf { document, blob } = gltf::Gltf::open(path).expect("a valid glTF");
        let buffer = blob.unwrap_or_else(|| fs::read(path.with_extension("bin")).expect("the buffer"));
        Gltf { document, buffer }
    }

    fn vectors(&self, accessor: gltf::Accessor<'_>) -> Vec<Vec3> {
        let view = accessor.view().expect("a view");
        let bytes = &self.buffer[view.offset() + accessor.offset()..][..accessor.count() * 12];
        let number = |c: &[u8], i: usize| f32::from_le_bytes(c[i..i + 4].try_into().expect("four bytes"));
        bytes.chunks_exact(12).map(|c| Vec3::new(number(c, 0), number(c, 4), number(c, 8))).collect()
    }

    /// Positions of a primitive in each of its frames.
    fn frames(&self, primitive: &gltf::Primitive<'_>) -> Vec<Vec<Vec3>> {
        let base = self.vectors(primitive.get(&gltf::Semantic::Positions).expect("positions"));
        let target = |target: gltf::mesh::MorphTarget<'_>| {
            let moved = self.vectors(target.positions().expect("displacements"));
            base.iter().zip(moved).map(|(&base, delta)| base + delta).collect()
        };
        std::iter::once(base.clone()).chain(primitive.morph_targets().map(target)).collect()
    }
}

#[test]
fn a_bake_of_two_materials_is_a_body_whose_parts_have_only_what_is_theirs() {
    let scene = skirt(6, 10, 5, FileFrame::default());
    let (_folder, files) = written(&scene, &["walk.glb"]);
    let mesh = Gltf::open(&files[0].path);
    let shared = mesh.document.meshes().next().expect("a mesh");
    let all: Vec<usize> = shared.primitives().map(|p| mesh.frames(&p)[0].len()).collect();
    let BodyAsset::Rig(rig) = read_body(&files[0].path, FileFrame::default()).expect("a body") else {
        panic!("no sequence")
    };
    assert_eq!((rig.parts.len(), all[0]), (2, all[1]), "both have the same accessors");
    let used: Vec<usize> = rig.parts.iter().map(|part| part.positions.len()).collect();
    assert!(used.iter().all(|&used| used < all[0]) && used.iter().sum::<usize>() >= all[0], "{used:?} of {all:?}");
    for (part, primitive) in rig.parts.iter().zip(shared.primitives()) {
        let frames = mesh.frames(&primitive);
        assert_eq!((part.morph_targets.len(), part.normals.len()), (frames.len() - 1, part.positions.len()));
        let corners: BTreeSet<u32> = part.triangles.iter().flatten().copied().collect();
        assert!((0..part.positions.len() as u32).eq(corners), "each is a corner");
        let mut weights = vec![0.0; frames.len() - 1];
        weights[2] = 1.0;
        let places: BTreeSet<_> = part.morphed(&weights).iter().map(|p| p.to_array().map(f32::to_bits)).collect();
        assert!(places.is_subset(&frames[3].iter().map(|p| p.to_array().map(f32::to_bits)).collect()));
    }
}

#[test]
fn a_glb_has_the_vertices_of_the_file_in_its_order_in_every_frame() {
    let scene = skirt(6, 10, 5, FileFrame::default());
    let (_folder, files) = written(&scene, &["walk.glb"]);
    let glb = Gltf::open(&files[0].path);
    let mesh = glb.document.meshes().next().expect("a mesh");
    let count = scene.garment.positions.len();
    assert_eq!(mesh.primitives().len(), 2, "one a material");
    for primitive in mesh.primitives() {
        let frames = glb.frames(&primitive);
        assert_eq!(frames.len(), 5);
        assert_eq!(frames[0].len(), count + 7, "the seam is split");
        for (index, frame) in frames.iter().enumerate() {
            for (vertex, expected) in scene.cache.vertex_positions(index, &scene.particle_of_vertex).enumerate() {
                let error = (frame[vertex] - expected).abs().max_element();
                assert!(
                    if index == 0 { error == 0.0 } else { error < 1e-6 },
                    "frame {index}, vertex {vertex}: {error}"
                );
            }
            for row in 0..7 {
                assert_eq!(frame[count + row], frame[row * 10], "seam duplicates are bit-identical");
            }
        }
    }
}

#[test]
fn a_frame_is_one_target_at_its_time() {
    let mut scene = skirt(2, 4, 4, FileFrame::default());
    scene.cache.timeline.start_frame = 11;
    let (_folder, files) = written(&scene, &["walk.glb"]);
    let glb = Gltf::open(&files[0].path);
    let animations: Vec<_> = glb.document.animations().collect();
    assert_eq!(animations.len(), 1);
    assert_eq!(animations[0].name(), Some("skirt"));
    let channel = animations[0].channels().next().expect("weights");
    let reader = channel.reader(|_| Some(&glb.buffer));
    let times: Vec<f32> = reader.read_inputs().expect("times").collect();
    assert_eq!(times, [11.0_f32 / 30.0, 12.0 / 30.0, 13.0 / 30.0, 14.0 / 30.0]);
    let Some(gltf::animation::util::ReadOutputs::MorphTargetWeights(weights)) = reader.read_outputs() else {
        panic!("morph weights")
    };
    let weights: Vec<f32> = weights.into_f32().collect();
    assert_eq!(weights, [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]);
    let mesh = glb.document.meshes().next().expect("a mesh");
    assert_eq!(mesh.weights(), Some(&[0.0; 3][..]));
    assert_eq!(
        mesh.extras().as_ref().expect("extras").get(),
        r#"{"targetNames":["frame_0012","frame_0013","frame_0014"]}"#
    );
}

#[test]
fn a_single_frame_is_a_plain_mesh() {
    let (_folder, files) = written(&skirt(2, 4, 1, FileFrame::default()), &["pose.glb"]);
    let glb = Gltf::open(&files[0].path);
    assert!(glb.document.nodes().all(|node| node.extras().is_none()));
    assert_eq!(glb.document.animations().len(), 0);
    let mesh = glb.document.meshes().next().expect("a mesh");
    assert!(mesh.weights().is_none());
    assert_eq!(mesh.primitives().next().expect("a primitive").morph_targets().len(), 0);
}

#[test]
fn a_long_bake_is_split_in_time_and_every_span_fits_a_mesh() {
    let scene = skirt(2, 4, 300, FileFrame::default());
    let (_folder, files) = written(&scene, &["long.glb"]);
    let glb = Gltf::open(&files[0].path);
    let names: Vec<_> = glb.document.nodes().map(|node| node.name().unwrap_or_default().to_owned()).collect();
    assert_eq!(names, ["skirt_0001_0150", "skirt_0150_0300"]);
    let second = glb.document.meshes().nth(1).expect("a mesh").primitives().next().expect("a primitive");
    let expected: Vec<Vec3> = scene.cache.vertex_positions(149, &scene.particle_of_vertex).collect();
    assert_eq!(glb.frames(&second)[0][..expected.len()], expected, "the border frame begins the second span");
}

#[test]
fn a_gltf_garment_keeps_its_primitives_and_attributes_and_normals_cross_its_seams() {
    let scene = gltf_skirt(4, 8, 3);
    let (_folder, files) = written(&scene, &["walk.gltf"]);
    assert_eq!(files.len(), 2);
    let glb = Gltf::open(&files[1].path);
    let nodes: Vec<_> = glb.document.nodes().map(|node| node.name().unwrap_or_default().to_owned()).collect();
    assert_eq!(nodes, ["band", "skirt"]);
    let parsed = |extras: &gltf::json::Extras| -> Value {
        serde_json::from_str(extras.as_ref().expect("extras").get()).expect("JSON")
    };
    assert!(glb.document.nodes().all(|node| parsed(node.extras()) == json!({ "cloth": true })));
    for (mesh, name) in glb.document.meshes().zip(["band mesh", "skirt mesh"]) {
        assert_eq!(mesh.name(), Some(name));
        let (names, what) = (["frame_0002", "frame_0003"], "the source's targets are not these");
        assert_eq!(parsed(mesh.extras()), json!({ "cut": "A", "targetNames": names }), "{what}");
    }
    let primitives: Vec<_> = glb.document.meshes().flat_map(|m| m.primitives().collect::<Vec<_>>()).collect();
    let GarmentSource::Gltf(source) = &scene.garment.source else { panic!("a glTF garment") };
    for (primitive, source) in primitives.iter().zip(&source.primitives) {
        assert!(primitive.get(&gltf::Semantic::TexCoords(0)).is_some());
        assert!(primitive.get(&gltf::Semantic::Extras("VERTEX_ID".to_owned())).is_some());
        assert_eq!(glb.frames(primitive)[0].len(), source.vertices.len());
    }
    let normals = |i: usize| glb.vectors(primitives[i].get(&gltf::Semantic::Normals).expect("normals"));
    let (band, skirt) = (normals(0), normals(1));
    assert_eq!(band[0], band[8], "across the texture seam");
    assert_eq!(band[9..18], skirt[..9], "across the material border");
}

/// Lines of an OBJ that begin with `word`.
fn lines<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.split_whitespace().next() == Some(word)).collect()
}

fn numbers(line: &str) -> Vec<f32> {
    line.split('#')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(1)
        .map(|w| w.parse().expect("a number"))
        .collect()
}

#[test]
fn obj_frames_are_the_file_with_other_coordinates() {
    let frame = FileFrame { unit: Unit::Centimetre, up: UpAxis::Z };
    let scene = skirt(4, 8, 3, frame);
    let (_folder, files) = written(&scene, &["seq/walk.obj"]);
    assert_eq!(files.len(), 3);
    let GarmentSource::Obj(source) = &scene.garment.source else { panic!("an OBJ garment") };
    let original = String::from_utf8(source.text.clone()).expect("text");
    for (index, file) in files.iter().enumerate() {
        let text = fs::read_to_string(&file.path).expect("text");
        for word in ["f", "vt", "g", "o", "usemtl", "mtllib", "#"] {
            assert_eq!(lines(&text, word), lines(&original, word));
        }
        assert_eq!(text.matches("\r\n").count(), original.matches("\r\n").count());
        assert!(text.ends_with("# the end, without a line end"));
        let expected = scene.cache.vertex_positions(index, &scene.particle_of_vertex);
        for (line, expected) in lines(&text, "v").iter().zip(expected) {
            let expected = frame.to_file(expected);
            assert_eq!(numbers(line), [expected.x, expected.y, expected.z, 1.0], "shortest text reads back exactly");
        }
    }
}

#[test]
fn obj_normals_turn_with_the_surface() {
    let mut scene = skirt(4, 8, 2, FileFrame::default());
    scene.cache.frames[0] = scene.garment.positions.clone();
    // A quarter turn about z: (x, y) becomes (-y, x).
    scene.cache.frames[1] = scene.garment.positions.iter().map(|p| Vec3::new(-p.y, p.x, p.z)).collect();
    let (_folder, files) = written(&scene, &["walk.obj"]);
    let normals = |file: &Written| -> Vec<Vec3> {
        let text = fs::read_to_string(&file.path).expect("text");
        lines(&text, "vn").iter().map(|line| Vec3::from_slice(&numbers(line))).collect()
    };
    let (rest, turned) = (normals(&files[0]), normals(&files[1]));
    assert_eq!(rest.len(), 40);
    for (rest, turned) in rest.iter().zip(turned) {
        assert!((Vec3::new(-rest.y, rest.x, rest.z) - turned).length() < 1e-5, "{rest} {turned}");
    }
}

#[test]
fn a_gltf_garment_becomes_a_complete_obj() {
    let scene = gltf_skirt(4, 8, 2);
    let (_folder, files) = written(&scene, &["walk.##.obj"]);
    let text = fs::read_to_string(&files[1].path).expect("text");
    let count = scene.garment.positions.len();
    assert_eq!([lines(&text, "v").len(), lines(&text, "vt").len(), lines(&text, "vn").len()], [count; 3]);
    assert_eq!(lines(&text, "f").len(), scene.garment.polygons.len());
    assert_eq!(lines(&text, "o"), ["o band", "o skirt"]);
    assert_eq!(lines(&text, "usemtl"), ["usemtl band", "usemtl skirt"]);
    for (line, polygon) in lines(&text, "f").iter().zip(scene.garment.polygons.iter()) {
        let corners: Vec<String> = polygon.iter().map(|v| format!("{0}/{0}/{0}", v + 1)).collect();
        assert_eq!(*line, format!("f {}", corners.join(" ")));
    }
    assert!(files[1].path.ends_with("walk.02.obj"));
}

#[test]
fn a_pc2_holds_every_vertex_bit_for_bit() {
    let frame = FileFrame { unit: Unit::Inch, up: UpAxis::Z };
    let scene = skirt(4, 8, 3, frame);
    let (_folder, files) = written(&scene, &["walk.pc2"]);
    let bytes = fs::read(&files[0].path).expect("a file");
    let count = scene.garment.positions.len();
    let int = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!((int(12), int(16), float(20), float(24), int(28)), (1, count as i32, 1.0, 1.0, 3));
    assert_eq!(bytes.len(), 32 + 3 * count * 12);
    for index in 0..3 {
        for (vertex, expected) in scene.cache.vertex_positions(index, &scene.particle_of_vertex).enumerate() {
            let at = 32 + (index * count + vertex) * 12;
            assert_eq!([float(at), float(at + 4), float(at + 8)], frame.to_file(expected).to_array());
        }
    }
}

#[test]
fn the_same_bake_gives_the_same_bytes_and_the_hash_is_of_the_file() {
    let scene = skirt(4, 8, 3, FileFrame::default());
    let names = ["a.glb", "a.gltf", "a.pc2", "a.obj"];
    let ((_one, first), (_two, second)) = (written(&scene, &names), written(&scene, &names));
    assert_eq!(first.len(), 1 + 2 + 1 + 3);
    for (a, b) in first.iter().zip(&second) {
        assert_eq!((a.bytes, &a.sha256), (b.bytes, &b.sha256));
        let bytes = fs::read(&a.path).expect("a file");
        assert_eq!(a.bytes, bytes.len() as u64);
        assert_eq!(a.sha256, format!("{:x}", Sha256::digest(&bytes)));
    }
}

#[test]
fn nothing_is_written_when_a_position_is_not_finite_or_the_user_stops() {
    let folder = tempfile::tempdir().expect("a folder");
    let outputs = ["a.glb", "a.pc2"].map(|name| Output::parse(folder.path().join(name)).expect("a format"));
    let mut scene = skirt(2, 4, 3, FileFrame::default());
    let stop = std::sync::atomic::AtomicBool::new(true);
    let mut bake = scene.bake();
    bake.interrupted = Some(&stop);
    assert!(matches!(write(&outputs, &bake, Overwrite::Refuse), Err(BakeError::Interrupted)));
    scene.cache.frames[2][5].y = f32::NAN;
    let error = write(&outputs, &scene.bake(), Overwrite::Refuse).expect_err("not finite");
    assert!(matches!(error, BakeError::NotFinite { frame: 3, particle: 5 }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
