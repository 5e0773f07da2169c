//! What is tried with bytes that nobody has checked: read them, and make sure that what was read is sound.
//!
//! The fuzzer calls these functions (`fuzz/` takes this file as its library), and so does the test on a stable compiler. A new
//! kind of input gets a function here, a line in [`TARGETS`], a file in `fuzz/fuzz_targets` with its `[[bin]]`, and seeds.
//! Files that made a target fail go to `regressions/TARGET`, made as small as they can be.

use std::ops::ControlFlow;
use std::path::Path;

use sha2::{Digest, Sha256};
use toile::bake::read_checkpoint;
use toile::body::{Body, Moment};
use toile::correction::CorrectionMap;
use toile::geometry::Vec3;
use toile::import::gltf::{read_garment, read_rig};
use toile::import::{
    BodyAsset, FileFrame, Garment, GarmentSource, MeshSequence, Rig, obj as obj_file, parse_point_cache,
};
use toile::pins::{PinCarrier, PinSelector, Pins, bind, select};
use toile::simulate::{
    Collider, FrameRate, Laps, Parameters, Setup, Shape, SimulationError, StartPose, StateMode, Timeline, run, run_from,
};
use toile::springs::SpringNetwork;
use toile::topology::{self, Topology};
use toile::verify::{Search, Status, verify};

/// A target: its name and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 7] = [
    ("obj", obj),
    ("gltf", gltf),
    ("preset", preset),
    ("pc2", pc2),
    ("simulate", simulate),
    ("checkpoint", checkpoint),
    ("report", report),
];

/// Largest cloth and body that are simulated, vertices and triangles: more would only be slow.
const MOST_VERTICES: usize = 400;
const MOST_TRIANGLES: usize = 800;
/// Nothing is here: files beside the document are not found.
const NOWHERE: &str = "/nowhere";

/// An OBJ file as a garment, and its springs.
pub fn obj(bytes: &[u8]) {
    if let Ok(garment) = obj_file::read_garment(bytes, "coat", FileFrame::default()) {
        check_garment(&garment);
        build(&garment);
    }
}

/// A glTF or GLB file as a garment and as a body.
pub fn gltf(bytes: &[u8]) {
    if let Ok(garment) = read_garment(bytes, Path::new(NOWHERE), "coat") {
        check_garment(&garment);
        build(&garment);
    }
    if let Some((body, moments)) = body_of(bytes) {
        let mut positions = Vec::new();
        for &seconds in &moments {
            for moment in [Moment::At(seconds), Moment::FromBind { seconds, amount: 0.5 }] {
                body.pose(moment, &mut positions);
                assert_eq!(positions.len(), body.vertex_count());
                assert!(positions.iter().all(|p| p.is_finite()), "a vertex is nowhere at {moment:?}");
            }
        }
    }
}

/// A scene.
pub fn preset(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(scene) = toile::preset::parse("scene", "scene.json", text, None) {
        let finite = [scene.parameters.drag, scene.parameters.fabric.areal_density, scene.parameters.fabric.thickness];
        assert!(finite.iter().all(|number| number.is_finite()) && scene.parameters.gravity.is_finite());
    }
}

/// A point cache of a mesh with as many vertices as its header says.
pub fn pc2(bytes: &[u8]) {
    let points = bytes.get(16..20).and_then(|word| word.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word));
    let vertices = (points as usize).min(bytes.len());
    let size = bytes.len() as u64;
    if let Ok((_, frames)) = parse_point_cache(Path::new("walk.pc2"), bytes, size, vertices, FileFrame::default()) {
        assert!(!frames.is_empty());
        assert!(frames.iter().all(|frame| frame.len() == vertices && frame.iter().all(|p| p.is_finite())));
    }
}

/// Three frames of whatever a mesh file holds: an OBJ file hangs by its highest loop, a glTF file is worn by what it shows as
/// well.
pub fn simulate(bytes: &[u8]) {
    let is_gltf = bytes.starts_with(b"glTF") || bytes.starts_with(b"{");
    let garment = match is_gltf {
        true => read_garment(bytes, Path::new(NOWHERE), "coat").ok(),
        false => obj_file::read_garment(bytes, "coat", FileFrame::default()).ok(),
    };
    let Some(garment) = garment else { return };
    let Some(topology) = build(&garment).filter(|t| is_small(t.positions.len(), t.triangles.len())) else { return };
    let body = is_gltf.then(|| body_of(bytes)).flatten();
    let body = body.filter(|(body, _)| is_small(body.vertex_count(), body.triangles().len()));
    hang(&garment, topology, body.as_ref().map(|(body, moments)| (body, moments[0])));
}

/// A kept bake: the file as it is, and as if whoever changed it had put the right hash at its end; goes on from its state. The
/// first byte of its heading is the number of its scene.
pub fn checkpoint(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("walk.glb.checkpoint");
    let content = &bytes[..bytes.len().saturating_sub(Sha256::output_size())];
    for file in [bytes.to_vec(), [content, &Sha256::digest(content)].concat()] {
        let is_written = std::fs::write(&path, file).is_ok();
        let Some(found) = is_written.then(|| read_checkpoint(&path).ok().flatten()).flatten() else { continue };
        let scene = KeptScene::new(found.heading.first().copied().unwrap_or(0));
        let mut state = found.state;
        let source: &mut dyn std::io::Read = &mut state;
        let run = run_from(&scene.setup(), Some(source), &mut |_, _| ControlFlow::Continue(()));
        let simulation = match run {
            Ok(simulation) => simulation,
            Err(SimulationError::Diverged { good, .. }) => *good,
            Err(_) => continue,
        };
        assert!(simulation.cache.frames.iter().flatten().all(|p| p.is_finite()), "a particle is nowhere");
    }
}

/// The report of a bake up to the first byte that is 0, and behind it the file that each of its outputs is.
pub fn report(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let output = bytes.get(end + 1..).unwrap_or_default();
    let names = ["walk.pc2", "walk.glb", "walk_0001.obj"].map(|name| folder.path().join(name));
    let path = folder.path().join("report.json");
    let is_written = |path: &Path, bytes: &[u8]| std::fs::write(path, bytes).is_ok();
    if is_written(&path, &bytes[..end]) && names.iter().all(|name| is_written(name, output)) {
        let search = Search { folder: Some(folder.path()), interrupted: None };
        if let Ok(verdict) = verify(&path, &search) {
            let is_proven = verdict.outputs.iter().all(|output| output.status == Status::Ok);
            assert_eq!(verdict.is_proven, is_proven);
            assert!(verdict.outputs.iter().all(|output| output.status != Status::Ok || output.faults.is_empty()));
        }
    }
}

/// What a kept bake is of: small scenes that between them keep everything that is ever kept.
#[derive(Debug)]
pub struct KeptScene {
    topology: Topology,
    springs: SpringNetwork,
    maps: [CorrectionMap; 1],
    body: Option<Body>,
    pins: Pins,
    parameters: Parameters,
    timeline: Timeline,
}

impl KeptScene {
    /// How many there are.
    pub const COUNT: u8 = 3;

    /// A sheet that falls on a ball (0), the same as a loop (1), or on a body that comes up, found out beforehand (2).
    pub fn new(number: u8) -> KeptScene {
        let sheet = obj_file::read_garment(SHEET, "sheet", FileFrame::default()).expect("a garment");
        let topology = topology::build(&sheet).expect("a mesh");
        let (topology, pinned) = topology.numbered(&[toile::topology::ParticleId(0)]);
        let pins = bind(pinned, &PinCarrier::World, &sheet, &topology, None).expect("pins");
        let springs = SpringNetwork::build(&topology);
        let common = Parameters { preroll: 1, substeps: Some(2), retries: 1, ..Parameters::default() };
        let ball = Shape::Sphere { centre: Vec3::new(0.5, -0.2, 0.5), radius: 0.2 };
        let colliders = vec![Collider { name: "ball".into(), shape: ball, joint: None }];
        let parameters = match number % KeptScene::COUNT {
            0 => Parameters { colliders, ..common },
            1 => Parameters { colliders, laps: Some(Laps { most: 3, ..Laps::default() }), ..common },
            _ => Parameters { state_mode: Some(StateMode::Contacts), look_ahead: true, ..common },
        };
        let body = (number % KeptScene::COUNT == 2).then(rising_body);
        let maps = [CorrectionMap::build("all", &pins.particles, &topology, &springs, &parameters.map_options())];
        let timeline = Timeline { first: 0, last: 3, fps: FrameRate::whole(30), start_frame: 1 };
        KeptScene { topology, springs, maps, body, pins, parameters, timeline }
    }

    /// What is simulated.
    pub fn setup(&self) -> Setup<'_> {
        Setup {
            topology: &self.topology,
            springs: &self.springs,
            maps: &self.maps,
            body: self.body.as_ref(),
            pins: &self.pins,
            parameters: &self.parameters,
            timeline: &self.timeline,
            start: StartPose::First,
        }
    }
}

/// Nine particles, lying flat.
const SHEET: &[u8] = b"v 0 0 0\nv .5 0 0\nv 1 0 0\nv 0 0 .5\nv .5 0 .5\nv 1 0 .5\nv 0 0 1\nv .5 0 1\nv 1 0 1\n\
f 1 4 5 2\nf 2 5 6 3\nf 4 7 8 5\nf 5 8 9 6\n";

/// A pyramid that rises through where the sheet lies.
fn rising_body() -> Body {
    let corners = [[0.5, -0.05, 0.5], [0.2, -0.6, 0.2], [0.8, -0.6, 0.2], [0.5, -0.6, 0.8]].map(Vec3::from);
    let frame = |i: u8| corners.iter().map(|p| *p + Vec3::Y * (0.05 * f32::from(i))).collect();
    let sequence = MeshSequence {
        name: "body".to_owned(),
        triangles: vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
        first_frame: 0,
        frames: (0..4).map(frame).collect(),
        files: Vec::new(),
        notices: Vec::new(),
    };
    Body::new(BodyAsset::Sequence(sequence), None).expect("a body")
}

fn is_small(vertices: usize, triangles: usize) -> bool {
    vertices <= MOST_VERTICES && triangles <= MOST_TRIANGLES
}

/// Simulates a garment on a body from a moment of its clip on, seconds.
fn hang(garment: &Garment, topology: Topology, body: Option<(&Body, f64)>) {
    let at = |(body, seconds)| (body, Moment::At(seconds));
    let selector: PinSelector = "loop:top".parse().expect("a selector");
    let pinned = select(&[selector], garment, &topology, body.map(at)).unwrap_or_default();
    let (topology, pinned) = topology.numbered(&pinned);
    let carrier = if body.is_some() { PinCarrier::Body } else { PinCarrier::World };
    let Ok(pins) = bind(pinned, &carrier, garment, &topology, body.map(at)) else { return };
    let springs = SpringNetwork::build(&topology);
    let parameters = Parameters { preroll: 0, substeps: Some(2), retries: 1, ..Parameters::default() };
    let maps = [CorrectionMap::build("all", &pins.particles, &topology, &springs, &parameters.map_options())];
    let first = body.map_or(0, |(_, seconds)| (seconds * 30.0).round() as i64);
    let timeline = Timeline { first, last: first + 2, fps: FrameRate::whole(30), start_frame: 1 };
    let setup = Setup {
        topology: &topology,
        springs: &springs,
        maps: &maps,
        body: body.map(|(body, _)| body),
        pins: &pins,
        parameters: &parameters,
        timeline: &timeline,
        start: StartPose::First,
    };
    let frames = match run(&setup, &mut |_| ControlFlow::Continue(())) {
        Ok(simulation) => simulation.cache.frames,
        Err(SimulationError::Diverged { good, .. }) => good.cache.frames,
        Err(_) => return,
    };
    assert!(frames.iter().flatten().all(|p| p.is_finite()), "a particle is nowhere");
}

fn check_garment(garment: &Garment) {
    let vertices = garment.positions.len();
    assert!(garment.positions.iter().all(|p| p.is_finite()), "a vertex is nowhere");
    assert!(garment.polygons.corners.iter().all(|&v| (v as usize) < vertices));
    assert!(garment.groups.iter().flat_map(|g| &g.polygons).all(|&p| (p as usize) < garment.polygons.len()));
    assert!(garment.attributes.iter().all(|a| a.values.len() == vertices));
    if let GarmentSource::Gltf(source) = &garment.source {
        let fits = |p: &toile::import::GltfPrimitive| p.vertices.end as usize <= vertices;
        assert!(source.primitives.iter().all(fits));
    }
}

fn build(garment: &Garment) -> Option<Topology> {
    let topology = topology::build(garment).ok()?;
    let particles = topology.positions.len();
    assert_eq!(topology.particle_of_vertex.len(), garment.positions.len());
    assert!(topology.particle_of_vertex.iter().all(|p| p.index() < particles));
    let springs = SpringNetwork::build(&topology);
    let all = springs.stretch.iter().chain(&springs.shear);
    for spring in all {
        assert!(spring.a.index() < particles && spring.b.index() < particles && spring.rest_length.is_finite());
    }
    Some(topology)
}

/// The body of a glTF file, and moments of its clip at which it is somewhere.
fn body_of(bytes: &[u8]) -> Option<(Body, Vec<f64>)> {
    let rig: Rig = read_rig(bytes, Path::new(NOWHERE), "body").ok()?;
    let body = Body::new(BodyAsset::Rig(rig), None).ok()?;
    let (start, end) = body.clip_range();
    let moments = vec![start, 0.5 * (start + end), end];
    body.check_places(&moments).ok()?;
    Some((body, moments))
}
