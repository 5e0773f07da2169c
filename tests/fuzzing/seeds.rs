//! Small files of every kind that is read, made by our own code.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use toile::bake::{Bake, Output, Overwrite, checkpoint_path, write, write_checkpoint};
use toile::geometry::DVec3;
use toile::import::{FileFrame, obj};
use toile::simulate::{FrameRate, PointCache, Progress, Snapshot, Timeline, run_from};

use super::glb::{Parts, glb, taken_apart};
use super::targets::KeptScene;

const ODD_OBJ: &str = "mtllib a.mtl\no coat\ng left sleeve\nusemtl Silk #2\nv 0 0 0 1 .5 .25\nv 1 0 0\nv 1 1e-3 0\n\
v 0 1 \\\n 0\nv .5 .5 1 1\nvt 0 0\nvt 1\nvn 0 0 1\ns off\nf 1/1/1 2/2/1 3//1 -2\nf 1 2 3 # comment\nusemtl b\n\
f -5/-1 -4/-2 -3/1\nf 1 2 5\nl 1 2\np 1\nvp 0 1\n";

/// Seeds of a target.
pub(crate) fn of(target: &str) -> Vec<Vec<u8>> {
    match target {
        "obj" => [vec![ODD_OBJ.into(), sheet(4).into_bytes(), sheet(9).into_bytes()], baked(&["walk.obj"])].concat(),
        "gltf" => [vec![rigged(4), as_text(&rigged(3))], compressed(), baked(&["walk.glb"])].concat(),
        "preset" => presets(),
        "pc2" => baked(&["walk.pc2"]),
        "simulate" => [vec![sheet(5).into_bytes(), ODD_OBJ.into(), rigged(5)], baked(&["walk.glb"])].concat(),
        "checkpoint" => kept(),
        "report" => reports(),
        _ => Vec::new(),
    }
}

/// What is kept of each scene after two frames, after its middle, where a loop is in a later lap and a pass that looks ahead is
/// over, and at its end.
fn kept() -> Vec<Vec<u8>> {
    (0..KeptScene::COUNT).flat_map(kept_of).collect()
}

fn kept_of(number: u8) -> Vec<Vec<u8>> {
    let scene = KeptScene::new(number);
    let mut states = Vec::new();
    let mut watch = |now: Progress, snapshot: &mut Snapshot<'_>| {
        if [2, now.total / 2 + 1].contains(&now.done) {
            let mut state = Vec::new();
            snapshot.write(&mut state).expect("memory takes everything");
            states.push(state);
        }
        ControlFlow::Continue(())
    };
    let mut simulation = run_from(&scene.setup(), None, &mut watch).expect("a simulation");
    let mut state = Vec::new();
    simulation.write(&mut state).expect("memory takes everything");
    states.push(state);
    for state in &states {
        let mut state = state.as_slice();
        let again = run_from(&scene.setup(), Some(&mut state), &mut |_, _| ControlFlow::Continue(()));
        assert_eq!(again.expect("a simulation").cache.frames, simulation.cache.frames);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = Output::parse(folder.path().join("walk.glb")).expect("a format");
    let file = |state: &Vec<u8>| {
        write_checkpoint(&output, &[number], &mut |sink| sink.write_all(state)).expect("written");
        fs::read(checkpoint_path(&output)).expect("a file")
    };
    states.iter().map(file).collect()
}

/// The compressed files of the repository.
fn compressed() -> Vec<Vec<u8>> {
    let read =
        |name: &str| fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).expect("a file");
    ["limb_draco.glb", "limb_sequential.glb", "limb_meshopt.glb"].map(read).to_vec()
}

/// A square sheet of `n` by `n` vertices, quads, with texture coordinates.
fn sheet(n: usize) -> String {
    let vertex = |i: usize| format!("v {} {} 0\nvt {0} {1}\n", (i % n) as f32 / n as f32, (i / n) as f32 / n as f32);
    let corner = |i: usize| format!("{}/{0}", i + 1);
    let face = |i: usize| format!("f {} {} {} {}\n", corner(i), corner(i + 1), corner(i + n + 1), corner(i + n));
    let faces = (0..n * (n - 1)).filter(|i| i % n + 1 < n).map(face);
    (0..n * n).map(vertex).chain(faces).collect()
}

/// What our own writers make of three frames of a sheet.
fn baked(names: &[&str]) -> Vec<Vec<u8>> {
    let garment = obj::read_garment(sheet(4).as_bytes(), "sheet", FileFrame::default()).expect("a garment");
    let topology = toile::topology::build(&garment).expect("a mesh");
    let timeline = Timeline { first: 0, last: 2, fps: FrameRate::whole(30), start_frame: 1 };
    let frame = |i: i16| topology.positions.iter().map(|p| *p * (1.0 + 0.1 * f32::from(i))).collect();
    let cache = PointCache { timeline, frames: (0..3).map(frame).collect() };
    let bake = Bake {
        garment: &garment,
        particle_of_vertex: &topology.particle_of_vertex,
        cache: &cache,
        origin: DVec3::ZERO,
        body: None,
        clip: None,
        interrupted: None,
    };
    let folder = tempfile::tempdir().expect("a folder");
    let outputs: Vec<Output> = names.iter().map(|n| Output::parse(folder.path().join(n)).expect("a format")).collect();
    let written = write(&outputs, &bake, Overwrite::Refuse).expect("written");
    written.iter().take(2).map(|file| fs::read(&file.path).expect("a file")).collect()
}

/// Reports with their outputs behind them, and one alone.
fn reports() -> Vec<Vec<u8>> {
    let files = [("walk.pc2", "walk.pc2"), ("walk.glb", "walk.glb"), ("walk.obj", "walk_0001.obj")].map(reported);
    let alone = files[0].split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
    files.into_iter().chain([alone]).collect()
}

/// The report of a bake of a sheet, and the one file of its output behind it.
fn reported((output, file): (&str, &str)) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("sheet.obj"), sheet(3)).expect("a file");
    let line = ["bake", "--garment", "sheet.obj", "--pin", "loop:top", "--pin-to", "world", "--preroll", "0"];
    let more = ["--frames", "0..0", "--start-frame", "1", "--report", "report.json", "--out", output];
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    let done = command.args(line).args(more).current_dir(folder.path()).output().expect("toile runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report = fs::read(folder.path().join("report.json")).expect("a report");
    let file = fs::read(folder.path().join(file)).expect("an output");
    [&report[..], &[0], &file].concat()
}

fn presets() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets");
    let names =
        ["flag.json", "skirt_walk.json", "tablecloth.json", "papers/ozgen_ball.json", "papers/ozgen_orders.json"];
    let files = names.iter().map(|name| fs::read(folder.join(name)).expect("a preset"));
    let odd = json!({
        "garment": { "grid": { "columns": 5, "rows": 4, "width": 1, "height": 1 } }, "pins": ["loop:top", "vertex:0,2..3"],
        "fps": "30000/1001", "frames": [0, 2], "loop": { "frames": 8 }, "fabric": { "from": "silk", "thickness": 0.002 },
        "simulation": { "preroll": 0, "wind": { "velocity": [1, 0, 0] }, "colliders": [
            { "name": "ball", "sphere": { "centre": [0, 0, 0], "radius": 0.2 } } ] },
    });
    files.chain([odd.to_string().into_bytes()]).collect()
}

/// A sheet of `n` by `n` vertices on two joints that turn, with a morph target and a sparse accessor, as GLB.
fn rigged(n: usize) -> Vec<u8> {
    let mut file = Parts::default();
    let count = n * n;
    let place = |i: usize| [(i % n) as f32 / n as f32, (i / n) as f32 / n as f32, 0.1 * (i % 2) as f32];
    let floats = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let repeated = |element: &[f32], times: usize| floats(&element.repeat(times));
    let corners = (0..n * (n - 1)).filter(|i| i % n + 1 < n).flat_map(|i| [i, i + 1, i + n, i + 1, i + n + 1, i + n]);
    let indices: Vec<u8> = corners.flat_map(|i| (i as u16).to_le_bytes()).collect();
    let identity = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let position = file.add(&floats(&(0..count).flat_map(place).collect::<Vec<f32>>()), 5126, count, "VEC3");
    let normal = file.add(&repeated(&[0.0, 0.0, 1.0], count), 5126, count, "VEC3");
    let texcoord = file.add(&repeated(&[0.5, 0.25], count), 5126, count, "VEC2");
    let joints = file.add(&[0, 1, 0, 0].repeat(count), 5121, count, "VEC4");
    let weights = file.add(&repeated(&[0.75, 0.25, 0.0, 0.0], count), 5126, count, "VEC4");
    let corners = file.add(&indices, 5123, indices.len() / 2, "SCALAR");
    let binds = file.add(&repeated(&identity, 2), 5126, 2, "MAT4");
    let times = file.add(&floats(&[0.0, 0.5, 1.0]), 5126, 3, "SCALAR");
    let turns = file.add(&floats(&[0., 0., 0., 1., 0., 0.1, 0., 0.995, 0., 0., 0., 1.]), 5126, 3, "VEC4");
    let steps = file.add(&repeated(&[0.0, 0.1, 0.0], 9), 5126, 9, "VEC3");
    let amounts = file.add(&floats(&[0.0, 1.0, 0.0]), 5126, 3, "SCALAR");
    let (at, to) = (file.view(&[1, 0, 3, 0]), file.view(&repeated(&[0.0, 0.0, 0.1], 2)));
    file.accessors.push(json!({ "componentType": 5126, "count": count, "type": "VEC3", "sparse": { "count": 2,
        "indices": { "bufferView": at, "componentType": 5123 }, "values": { "bufferView": to } } }));
    let primitive = json!({ "attributes": { "POSITION": position, "NORMAL": normal, "TEXCOORD_0": texcoord,
        "JOINTS_0": joints, "WEIGHTS_0": weights }, "indices": corners, "material": 0, "mode": 4,
        "targets": [{ "POSITION": amounts + 1 }] });
    let channel = |sampler: usize, node: usize, path: &str| json!({ "sampler": sampler, "target": { "node": node, "path": path } });
    let document = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0, "skin": 0, "name": "body" }, { "name": "hip", "children": [2], "rotation": [0, 0, 0, 1] },
            { "name": "knee", "translation": [0, 0.5, 0], "scale": [1, 1, 1] }],
        "meshes": [{ "name": "cloth", "primitives": [primitive], "weights": [0.5] }],
        "materials": [{ "name": "silk", "pbrMetallicRoughness": { "baseColorFactor": [1, 0, 0, 1] } }],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": binds }],
        "animations": [{ "name": "walk", "channels": [channel(0, 1, "rotation"), channel(1, 2, "translation"), channel(2, 0, "weights")],
            "samplers": [{ "input": times, "output": turns }, { "input": times, "output": steps, "interpolation": "CUBICSPLINE" },
                { "input": times, "output": amounts, "interpolation": "STEP" }] }],
        "accessors": file.accessors, "bufferViews": file.views, "buffers": [{ "byteLength": file.binary.len() }],
    });
    glb(&document, &file.binary)
}

/// A GLB file as JSON with its bytes inside.
fn as_text(file: &[u8]) -> Vec<u8> {
    use base64::Engine;
    let (mut document, binary) = taken_apart(file).expect("a GLB file");
    let data = base64::engine::general_purpose::STANDARD.encode(binary);
    document["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{data}").into();
    document.to_string().into_bytes()
}
