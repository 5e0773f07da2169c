//! Loops that close, clips at other speeds, bodies that jump.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod scene;

use scene::{Scene, sheet, still};
use toile::body::{Body, BodyError, Cycle, Moment, Speed};
use toile::geometry::Vec3;
use toile::import::{BodyAsset, MeshSequence};
use toile::pins::{PinCarrier, PinSelector, bind, select};
use toile::simulate::{Laps, Parameters, Wind};
use toile::springs::SpringNetwork;
use toile::topology;

/// Frames a second of these scenes.
const FPS: f64 = 60.0;

/// A box that is turned about y by `angle` and moved to `at`: 0.5 m wide, its top at 1.5 m.
fn placed_box(angle: f64, at: Vec3) -> Vec<Vec3> {
    let (sine, cosine) = (libm::sin(angle) as f32, libm::cos(angle) as f32);
    let corner = |i: u32| {
        let sign = |bit: u32| if i & bit == 0 { -0.25 } else { 0.25 };
        let p = Vec3::new(sign(1), sign(2) + 1.25, sign(4));
        Vec3::new(cosine * p.x + sine * p.z, p.y, cosine * p.z - sine * p.x) + at
    };
    (0..8).map(corner).collect()
}

fn body_of(frames: Vec<Vec<Vec3>>) -> Body {
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]]).collect();
    let sequence = MeshSequence { name: "box".into(), triangles, first_frame: 0, frames, ..MeshSequence::default() };
    Body::new(BodyAsset::Sequence(sequence), None).unwrap().with_sequence_rate(FPS)
}

/// A curtain that hangs in front of the body from pins that the body carries.
fn curtain(body: Body, parameters: Parameters) -> Scene {
    let garment = sheet(13, |x, down| Vec3::new(0.5 * x, 1.48 - 0.5 * down, 0.27));
    let topology = topology::build(&garment).unwrap();
    let posed = Some((&body, Moment::At(0.0)));
    let top = ["vertex:0..12".parse::<PinSelector>().unwrap()];
    let pinned = select(&top, &garment, &topology, posed).unwrap();
    let (topology, pinned) = topology.numbered(&pinned);
    let springs = SpringNetwork::build(&topology);
    let pins = bind(pinned, &PinCarrier::Body, &garment, &topology, posed).unwrap();
    Scene { topology, springs, pins, parameters, body: Some(body) }
}

fn furthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// A box that sways and turns once in `frames` frames.
fn swaying(frames: i64) -> Body {
    let pose = |frame: i64| {
        let sine = libm::sin(std::f64::consts::TAU * frame as f64 / frames as f64);
        placed_box(0.5 * sine, Vec3::X * (0.1 * sine) as f32)
    };
    body_of((0..=frames).map(pose).collect())
}

#[test]
fn a_loop_comes_to_repeat_itself_and_its_last_frame_is_its_first() {
    let frames = 40;
    let cycle = Cycle {
        first: 0.0,
        last: frames as f64 / FPS,
        clip_start: 0.0,
        clip_seconds: frames as f64 / FPS,
        blend: None,
    };
    let body = swaying(frames).looped(cycle).unwrap();
    let scene = curtain(body, Parameters { laps: Some(Laps::default()), preroll: 20, ..Parameters::default() });
    let simulation = scene.run(frames).unwrap();
    let outcome = simulation.repetition.unwrap();
    assert!(outcome.is_closed, "{outcome:?}");
    let all = &simulation.cache.frames;
    assert_eq!(all.len() as i64, frames + 1);
    assert!(
        all[0]
            .iter()
            .zip(&all[all.len() - 1])
            .all(|(a, b)| a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits))
    );
    // Over the seam the cloth goes on as it does elsewhere: no way is followed by one that differs more than anywhere else.
    let turn = |before: usize, now: usize, after: usize| {
        let turns =
            all[before].iter().zip(&all[now]).zip(&all[after]).map(|((a, b), c)| (*c - *b - (*b - *a)).length());
        turns.fold(0.0, f32::max)
    };
    let seam = turn(all.len() - 2, 0, 1);
    let elsewhere = (1..all.len() - 1).map(|i| turn(i - 1, i, i + 1)).fold(0.0, f32::max);
    assert!(seam <= elsewhere, "{seam} m at the seam, {elsewhere} m elsewhere");
    assert!(all.windows(2).all(|pair| furthest(&pair[0], &pair[1]) > 0.0), "a frame that is the one before again");
}

#[test]
fn a_flag_in_gusts_loops_without_a_body() {
    let wind = Wind { velocity: Vec3::new(3.0, 0.0, 1.0), gusts: 0.5, gust_seconds: 0.7 };
    let laps = Some(Laps { most: 20, tolerance: 2e-3 });
    let parameters = Parameters { wind: Some(wind), laps, preroll: 30, ..Parameters::default() };
    let scene = Scene::new(sheet(11, |x, down| Vec3::new(x, 1.0 - down, 0.0)), "vertex:0,10", parameters);
    let outcome = scene.run(60).unwrap().repetition.unwrap();
    assert!(outcome.is_closed, "{outcome:?}");
}

#[test]
fn a_clip_that_does_not_close_is_refused_with_the_gap_or_blended() {
    let open: Vec<Vec<Vec3>> = (0..=30_i16).map(|i| placed_box(0.02 * f64::from(i), Vec3::ZERO)).collect();
    let cycle = Cycle { first: 0.0, last: 0.5, clip_start: 0.0, clip_seconds: 0.5, blend: None };
    let error = body_of(open.clone()).looped(cycle).unwrap_err();
    assert!(matches!(error, BodyError::Open { millimetres, .. } if (150.0..250.0).contains(&millimetres)), "{error}");
    let body = body_of(open.clone()).looped(Cycle { blend: Some(0.25), ..cycle }).unwrap();
    let pose = |seconds: f64| {
        let mut pose = Vec::new();
        body.pose(Moment::At(seconds), &mut pose);
        pose
    };
    assert_eq!(pose(0.0), pose(0.5));
    assert!(furthest(&pose(0.0), &pose(0.5 - 1e-9)) < 1e-6);
    assert_eq!(pose(0.2), open[12]);
    let walking = (0..=30_i16).map(|i| placed_box(0.0, Vec3::X * f32::from(i) * 0.05)).collect();
    let error = body_of(walking).looped(cycle).unwrap_err();
    assert!(matches!(error, BodyError::Travels { metres } if (metres - 1.5).abs() < 1e-3), "{error}");
}

#[test]
fn a_clip_at_twice_its_speed_is_at_frame_f_where_it_was_at_frame_2f() {
    let body = swaying(40);
    let fast = body.clone().at_speed(Speed { numerator: 2, denominator: 1 });
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for frame in [0.0, 3.0, 7.5, 19.0] {
        body.pose(Moment::At(2.0 * frame / FPS), &mut a);
        fast.pose(Moment::At(frame / FPS), &mut b);
        assert_eq!(a, b);
    }
    assert_eq!(fast.clip_range().1, 20.0 / FPS);
}

#[test]
fn cloth_goes_along_when_the_body_jumps_and_turns_in_one_frame() {
    // A fourth of a turn and 5 m, both at once, in frame 31.
    let pose = |frame: i64| {
        let sway = 0.05 * libm::sin(0.3 * frame as f64);
        if frame < 31 { placed_box(sway, Vec3::ZERO) } else { placed_box(sway + 1.6, Vec3::new(5.0, 0.0, -1.0)) }
    };
    let steady = |frame: i64| placed_box(0.05 * libm::sin(0.3 * frame as f64), Vec3::ZERO);
    let run = |pose: &dyn Fn(i64) -> Vec<Vec3>| {
        let scene = curtain(body_of((0..=60).map(pose).collect()), still());
        let simulation = scene.run(60).unwrap();
        let frames = simulation.cache.frames.iter().skip(20);
        let stretch = frames.map(|frame| *scene.stretches(frame).last().unwrap()).fold(0.0, f32::max);
        (simulation, stretch)
    };
    let (jumping, stretch) = run(&pose);
    let (resting, usual) = run(&steady);
    assert_eq!(jumping.cuts, [31]);
    assert!(jumping.notices.iter().any(|notice| notice.contains("jumps into frame 31")), "{:?}", jumping.notices);
    assert!(resting.cuts.is_empty());
    assert!(stretch < usual + 0.005, "{stretch} with the jump, {usual} without");
    let speed = |frames: &[Vec<Vec3>], f: usize| furthest(&frames[f], &frames[f + 1]);
    assert!(speed(&jumping.cache.frames, 31) < 2.0 * speed(&resting.cache.frames, 31) + 0.005);
    assert!(furthest(&jumping.cache.frames[31], &jumping.cache.frames[30]) > 4.0);
}

#[test]
fn a_cut_that_nobody_would_find_is_taken_where_it_is_named() {
    let pose = |frame: i64| placed_box(0.0, Vec3::X * if frame < 10 { 0.0 } else { 0.08 });
    let body = || body_of((0..=20).map(pose).collect());
    let run = |cuts| curtain(body(), Parameters { cuts, ..still() }).run(20).unwrap();
    assert!(run(Vec::new()).cuts.is_empty());
    let cut = run(vec![10]);
    assert_eq!(cut.cuts, [10]);
    let ways = cut.cache.frames[9].iter().zip(&cut.cache.frames[10]).map(|(a, b)| *b - *a);
    assert!(ways.clone().all(|way| (way - Vec3::X * 0.08).length() < 1e-4), "{:?}", ways.collect::<Vec<_>>());
}
