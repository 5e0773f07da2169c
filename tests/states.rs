//! What collision states do to cloth.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use toile::correction::CorrectionMaps;
use toile::geometry::Vec3;
use toile::import::FileFrame;
use toile::pins::{PinCarrier, PinSelector, bind, select};
use toile::report::switches;
use toile::simulate::{
    Collider, CollisionState, Enforcement, FrameRate, Parameters, Setup, Shape, Simulation, StartPose, StateMode,
    Timeline, Wind, contact_sets, run,
};
use toile::springs::SpringNetwork;
use toile::topology;

/// Vertices along a side of the sheet.
const SIDE: usize = 15;
/// Frames in which the state `ball` is in force.
const SWITCHED: (i64, i64) = (40, 80);

/// A sheet of 1 m that hangs from its upper edge in front of a ball, onto which gusts blow it.
fn scene(mode: StateMode, look_ahead: bool, enforcement: &str) -> Parameters {
    let ball = CollisionState {
        name: "ball".to_owned(),
        collider: Some("ball".to_owned()),
        frames: vec![SWITCHED],
        ..CollisionState::default()
    };
    Parameters {
        colliders: vec![Collider {
            name: "ball".to_owned(),
            shape: Shape::Sphere { centre: Vec3::new(0.0, 0.5, -0.32), radius: 0.3 },
            joint: None,
        }],
        wind: Some(Wind { velocity: Vec3::NEG_Z * 4.0, gusts: 0.7, gust_seconds: 0.5 }),
        states: vec![CollisionState { name: "free".to_owned(), ..CollisionState::default() }, ball],
        state_mode: Some(mode),
        look_ahead,
        enforcement: enforcement.parse::<Enforcement>().unwrap(),
        preroll: 30,
        ..Parameters::default()
    }
}

fn simulated(parameters: &Parameters) -> (Simulation, Vec<(u32, u32, bool)>) {
    let mut text = String::new();
    let step = 1.0 / (SIDE - 1) as f32;
    for (row, column) in (0..SIDE * SIDE).map(|i| (i / SIDE, i % SIDE)) {
        writeln!(text, "v {} {} 0", column as f32 * step - 0.5, 1.0 - row as f32 * step).unwrap();
    }
    for (row, column) in (0..SIDE - 1).flat_map(|r| (0..SIDE - 1).map(move |c| (r, c))) {
        let i = row * SIDE + column + 1;
        writeln!(text, "f {} {} {} {}", i, i + SIDE, i + SIDE + 1, i + 1).unwrap();
    }
    let garment = toile::import::obj::read_garment(text.as_bytes(), "sheet", FileFrame::default()).unwrap();
    let topology = topology::build(&garment).unwrap();
    let springs = SpringNetwork::build(&topology);
    let top = format!("vertex:0..{}", SIDE - 1).parse::<PinSelector>().unwrap();
    let pinned = select(&[top], &garment, &topology, None).unwrap();
    let pins = bind(pinned, &PinCarrier::World, &garment, &topology, None).unwrap();
    let held = match parameters.state_mode() {
        StateMode::Named => contact_sets(parameters, None, &topology).unwrap(),
        _ => vec![Vec::new()],
    };
    let states: Vec<_> = parameters.states.iter().map(|s| s.name.clone()).zip(held).collect();
    let maps = CorrectionMaps::build(&states, &pins.particles, &topology, &springs, &parameters.map_options()).maps;
    let timeline = Timeline { first: 0, last: 119, fps: FrameRate::whole(60), start_frame: 1 };
    let setup = Setup {
        topology: &topology,
        springs: &springs,
        maps: &maps,
        body: None,
        pins: &pins,
        parameters,
        timeline: &timeline,
        start: StartPose::First,
    };
    let mut progress = Vec::new();
    let simulation = run(&setup, &mut |now| {
        progress.push((now.done, now.total, now.looks_ahead));
        ControlFlow::Continue(())
    });
    (simulation.unwrap(), progress)
}

#[test]
fn after_a_switch_the_acceleration_is_at_most_half_again_the_usual() {
    for (method, look_ahead) in [("tethers", false), ("tethers", true), ("directional", false), ("directional", true)] {
        let (simulation, _) = simulated(&scene(StateMode::Named, look_ahead, method));
        let found = switches::measure(&simulation);
        assert_eq!(found.count, 2, "{method}: into the state and out of it");
        let worst = found.worst_acceleration.unwrap();
        assert!(worst <= 1.5, "{method}, looking ahead {look_ahead}: {worst}");
    }
}

#[test]
fn a_state_is_in_force_in_the_frames_of_its_schedule() {
    let (simulation, _) = simulated(&scene(StateMode::Named, false, "tethers"));
    let in_force = |frame: usize| (SWITCHED.0..=SWITCHED.1).contains(&(frame as i64));
    let expected: Vec<usize> = (0..120).map(|frame| usize::from(in_force(frame))).collect();
    assert_eq!(simulation.states, expected);
    assert_eq!(simulation.validity.len(), 120);
}

#[test]
fn looking_ahead_builds_the_map_for_what_touches() {
    let fits = |look_ahead| {
        let (simulation, _) = simulated(&scene(StateMode::Named, look_ahead, "tethers"));
        let of_ball = simulation.validity[SWITCHED.0 as usize + 1..=SWITCHED.1 as usize].iter();
        of_ball.map(|v| v.jaccard).sum::<f32>()
    };
    let [estimated, seen] = [fits(false), fits(true)];
    assert!(seen < estimated, "{seen} {estimated}");
}

#[test]
fn a_pass_that_looks_ahead_counts_in_the_progress() {
    let (_, progress) = simulated(&scene(StateMode::Contacts, true, "tethers"));
    let expected: Vec<(u32, u32, bool)> = (1..=300).map(|done| (done, 300, done <= 150)).collect();
    assert_eq!(progress, expected);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let bits = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (simulation, _) = pool.install(|| simulated(&scene(StateMode::Contacts, true, "tethers")));
        let places = simulation.cache.frames.into_iter().flatten().flat_map(|p| p.to_array());
        places.map(f32::to_bits).collect::<Vec<_>>()
    };
    let one = bits(1);
    assert!(bits(2) == one && bits(5) == one);
}
