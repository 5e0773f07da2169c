//! A run that goes on from what was written down at the end of a frame gives the frames of one that never stopped, to the bit,
//! and is written down the same at every later frame: nothing that it knows is left out.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod scene;

use std::ops::ControlFlow;

use scene::{Scene, flat, sheet, still};
use toile::body::{Body, Moment};
use toile::geometry::Vec3;
use toile::import::{BodyAsset, MeshSequence};
use toile::pins::{PinCarrier, PinSelector, bind, select};
use toile::simulate::{
    Collider, CollisionState, Enforcement, Integrator, Laps, Parameters, Shape, Simulation, SimulationError, StateMode,
    Wind,
};
use toile::springs::SpringNetwork;
use toile::topology;

/// Snapshots of a run that are gone on from: so many, spread over all of it.
const TRIED: usize = 7;

/// What a run gives, and what is written down after each of its frames.
fn run(scene: &Scene, frames: i64, from: Option<&[u8]>) -> (Result<Simulation, SimulationError>, Vec<Vec<u8>>) {
    let mut snapshots = Vec::new();
    let mut from = from;
    let source = from.as_mut().map(|bytes| bytes as &mut dyn std::io::Read);
    let result = scene.run_from(frames, source, &mut |_, snapshot| {
        let mut bytes = Vec::new();
        snapshot.write(&mut bytes).expect("memory takes everything");
        snapshots.push(bytes);
        ControlFlow::Continue(())
    });
    (result, snapshots)
}

/// All that a simulation says, to the bit.
fn bits(simulation: &mut Simulation) -> Vec<u8> {
    let mut bytes = Vec::new();
    simulation.write(&mut bytes).expect("memory takes everything");
    bytes
}

fn assert_goes_on(name: &str, scene: &Scene, frames: i64) -> Simulation {
    let mut undisturbed = scene.run(frames).expect(name);
    let (all, snapshots) = run(scene, frames, None);
    let whole = bits(&mut undisturbed);
    assert!(bits(&mut all.expect(name)) == whole, "{name}: to be written down changes a run");
    let count = snapshots.len();
    for tried in 0..TRIED {
        let at = tried * (count - 1) / (TRIED - 1);
        let (again, later) = run(scene, frames, Some(&snapshots[at]));
        assert_eq!(later.len(), count - 1 - at, "{name}: from {at} of {count} on");
        for (index, (later, before)) in later.iter().zip(&snapshots[at + 1..]).enumerate() {
            assert!(later == before, "{name}: from {at} of {count} on, {} frames later", index + 1);
        }
        assert!(bits(&mut again.expect(name)) == whole, "{name}: from {at} of {count} on, the result");
    }
    let (finished, later) = run(scene, frames, Some(&whole));
    assert!(later.is_empty() && bits(&mut finished.expect(name)) == whole, "{name}: what is finished");
    undisturbed
}

/// A sheet that falls onto a ball and folds.
fn falling(parameters: Parameters) -> Scene {
    let shape = Shape::Sphere { centre: Vec3::new(0.1, 1.1, 0.4), radius: 0.3 };
    let colliders = vec![Collider { name: "ball".to_owned(), shape, joint: None }];
    Scene::new(sheet(11, flat), "none", Parameters { colliders, ..parameters })
}

/// A sheet that hangs by a corner and swings.
fn swinging(parameters: Parameters) -> Scene {
    Scene::new(sheet(9, flat), "vertex:0..8", parameters)
}

/// A box that is 0.5 m wide, sways and turns once in `frames` frames.
fn swaying(frames: i64) -> Body {
    let pose = |frame: i64| {
        let part = libm::sin(std::f64::consts::TAU * frame as f64 / frames as f64);
        let (sine, cosine) = (libm::sin(0.6 * part) as f32, libm::cos(0.6 * part) as f32);
        let corner = |i: u32| {
            let sign = |bit: u32| if i & bit == 0 { -0.25 } else { 0.25 };
            let p = Vec3::new(sign(1), sign(2) + 1.25, sign(4));
            Vec3::new(cosine * p.x + sine * p.z + 0.15 * part as f32, p.y, cosine * p.z - sine * p.x)
        };
        (0..8).map(corner).collect()
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]]).collect();
    let frames = (0..=frames).map(pose).collect();
    let sequence = MeshSequence { name: "box".into(), triangles, first_frame: 0, frames, ..MeshSequence::default() };
    Body::new(BodyAsset::Sequence(sequence), None).expect("a body").with_sequence_rate(60.0)
}

/// A curtain of `n` x `n` vertices in front of the body, from pins that the body carries.
fn curtain(n: usize, body: Body, parameters: Parameters) -> Scene {
    sloping_curtain(n, 0.0, body, parameters)
}

/// One whose hem is so much further back than its pins, metres.
fn sloping_curtain(n: usize, back: f32, body: Body, parameters: Parameters) -> Scene {
    let garment = sheet(n, |x, down| Vec3::new(0.5 * x, 1.48 - 0.5 * down, 0.27 - back * down));
    let topology = topology::build(&garment).expect("a sheet");
    let posed = Some((&body, Moment::At(0.0)));
    let top = [format!("vertex:0..{}", n - 1).parse::<PinSelector>().expect("a selector")];
    let pinned = select(&top, &garment, &topology, posed).expect("pins");
    let (topology, pinned) = topology.numbered(&pinned);
    let springs = SpringNetwork::build(&topology);
    let pins = bind(pinned, &PinCarrier::Body, &garment, &topology, posed).expect("pins");
    Scene { topology, springs, pins, parameters, body: Some(body) }
}

fn settled(preroll: u32) -> Parameters {
    Parameters { preroll, ..Parameters::default() }
}

#[test]
fn cloth_that_falls_and_folds_goes_on() {
    assert_goes_on("falling", &falling(still()), 40);
}

#[test]
fn cloth_on_a_moving_body_goes_on_coarse_and_fine_and_from_inside_it() {
    assert_goes_on("coarse", &curtain(13, swaying(30), settled(9)), 30);
    assert_goes_on("fine", &curtain(49, swaying(30), settled(4)), 12);
    let inside = assert_goes_on("inside", &sloping_curtain(13, 0.05, swaying(30), settled(6)), 10);
    assert!(inside.notices.iter().any(|notice| notice.contains("begin inside")), "{:?}", inside.notices);
}

#[test]
fn cloth_that_is_carried_over_a_cut_goes_on() {
    let parameters = Parameters { cuts: vec![7], ..settled(3) };
    assert_eq!(assert_goes_on("cut", &curtain(13, swaying(30), parameters), 14).cuts, [7]);
}

#[test]
fn every_integrator_goes_on() {
    for (name, integrator) in Integrator::NAMES {
        assert_goes_on(name, &swinging(Parameters { integrator, ..settled(2) }), 8);
    }
}

#[test]
fn every_way_of_limiting_stretch_goes_on() {
    for method in ["none", "provot", "gu_cumulative", "directional", "tethers:3"] {
        let enforcement = method.parse::<Enforcement>().expect("a method");
        assert_goes_on(method, &swinging(Parameters { enforcement, ..settled(2) }), 8);
    }
}

/// A sheet that gusts blow onto a ball, with a state that holds what touches it.
fn gusty(mode: StateMode, look_ahead: bool, enforcement: &str) -> Scene {
    let named = |name: &str| CollisionState { name: name.to_owned(), ..CollisionState::default() };
    let ball = CollisionState { collider: Some("ball".to_owned()), frames: vec![(12, 22)], ..named("ball") };
    let shape = Shape::Sphere { centre: Vec3::new(0.0, 0.5, -0.32), radius: 0.3 };
    let parameters = Parameters {
        colliders: vec![Collider { name: "ball".to_owned(), shape, joint: None }],
        wind: Some(Wind { velocity: Vec3::NEG_Z * 4.0, gusts: 0.7, gust_seconds: 0.5 }),
        states: vec![named("free"), ball],
        state_mode: Some(mode),
        look_ahead,
        enforcement: enforcement.parse::<Enforcement>().expect("a method"),
        ..settled(10)
    };
    Scene::new(sheet(11, |x, down| Vec3::new(x, 1.0 - down, 0.0)), "vertex:0..10", parameters)
}

#[test]
fn collision_states_go_on_looking_ahead_or_not() {
    for mode in [StateMode::Named, StateMode::Contacts] {
        for (look_ahead, method) in
            [(false, "tethers"), (true, "tethers"), (false, "directional"), (true, "directional")]
        {
            let name = format!("{mode:?}, {method}, looking ahead {look_ahead}");
            let simulation = assert_goes_on(&name, &gusty(mode, look_ahead, method), 28);
            assert!(mode == StateMode::Contacts || simulation.states.contains(&1), "{name}");
        }
    }
}

#[test]
fn laps_go_on() {
    let laps = Some(Laps { most: 6, tolerance: 1e-3 });
    let simulation = assert_goes_on("loop", &curtain(9, swaying(16), Parameters { laps, ..settled(5) }), 16);
    assert!(simulation.repetition.is_some_and(|outcome| outcome.laps >= 3));
}

#[test]
fn a_snapshot_of_another_scene_or_cut_short_is_refused_and_breaks_nothing() {
    let scene = curtain(9, swaying(16), settled(3));
    let (_, snapshots) = run(&scene, 6, None);
    let snapshot = &snapshots[6];
    let others = [curtain(10, swaying(16), settled(3)), falling(still()), gusty(StateMode::Named, true, "tethers")];
    for other in &others {
        assert!(matches!(run(other, 6, Some(snapshot)).0, Err(SimulationError::Archive(_))));
    }
    for length in (0..snapshot.len()).step_by(snapshot.len() / 50) {
        assert!(matches!(run(&scene, 6, Some(&snapshot[..length])).0, Err(SimulationError::Archive(_))), "{length}");
    }
}

#[test]
fn no_change_of_a_byte_makes_a_snapshot_panic() {
    let scene = curtain(9, swaying(16), settled(3));
    let (_, snapshots) = run(&scene, 5, None);
    let snapshot = &snapshots[6];
    for at in (0..snapshot.len()).step_by(snapshot.len() / 150) {
        let mut bytes = snapshot.clone();
        bytes[at] = bytes[at].wrapping_add(0x7f);
        // What it gives does not matter: files that were changed are told by their hash, elsewhere.
        drop(run(&scene, 5, Some(&bytes)));
    }
}
