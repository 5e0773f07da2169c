//! How cloth moves: that it comes to rest, makes no energy, swings at the right pace, and keeps its own against moving bodies.

mod scene;

use scene::{Scene, flat, sheet, still};
use toile::body::Body;
use toile::geometry::Vec3;
use toile::import::{BodyAsset, MeshSequence};
use toile::report::motion::{Energy, Motion, energy};
use toile::simulate::{Collider, Fabric, MethodSpec, Parameters, Shape, Simulation};

/// Frame in which a limb begins to move.
const KICK: usize = 4;
/// Bodies of these tests have this many poses a second: a pose every substep.
const POSES: f64 = 480.0;

/// Cotton in air, as `toile bake` takes it when nothing is said.
fn cotton() -> Parameters {
    let fabric = Fabric { areal_density: 0.14, stretch_stiffness: 11_000.0, ..Fabric::default() };
    Parameters { preroll: 0, fabric, ..Parameters::default() }
}

/// A sheet of `n` x `n` that is let go from the horizontal and hangs by two corners.
fn hung_by_two_corners(n: usize, parameters: Parameters) -> Scene {
    let corners = format!("vertex:0,{}", n - 1);
    Scene::new(sheet(n, flat), &corners, parameters)
}

fn energy_of(scene: &Scene, simulation: &Simulation) -> Energy {
    energy(&simulation.cache, &scene.topology, &scene.springs, &scene.parameters).unwrap()
}

#[test]
fn a_hung_cloth_comes_to_rest() {
    let scene = hung_by_two_corners(41, cotton());
    let cache = scene.run(600).unwrap().cache;
    let jitter = Motion::of(&cache, &[]).jitter_m_s2.unwrap();
    assert!(jitter < 0.05, "after ten seconds it shivers with {jitter} m/s2");
}

#[test]
fn no_energy_comes_from_nowhere() {
    let scene = hung_by_two_corners(21, still());
    let hung = energy_of(&scene, &scene.run(180).unwrap());
    let ball = Shape::Sphere { centre: Vec3::new(0.0, 0.0, 0.5), radius: 0.3 };
    let collider = |name: &str, shape| Collider { name: name.into(), shape, joint: None };
    let ground = Shape::Plane { point: Vec3::new(0.0, -0.3, 0.0), normal: Vec3::Y };
    let parameters = Parameters { colliders: vec![collider("ball", ball), collider("ground", ground)], ..still() };
    let scene = Scene::new(sheet(21, |x, z| Vec3::new(x, 0.35, z)), "none", parameters);
    let draped = energy_of(&scene, &scene.run(120).unwrap());
    for (what, energy) in [("hung", hung), ("draped", draped)] {
        // What the impact stored in springs comes back as motion: a small part of what the cloth has lost by falling.
        let fallen = -energy.frames.iter().copied().fold(0.0, f64::min);
        assert!(energy.rise_j_kg < 0.05 * fallen, "{what}: {} of {fallen} J/kg", energy.rise_j_kg);
        assert!(energy.rise_j_kg < energy.strain_j_kg, "{what}: {} J/kg", energy.rise_j_kg);
        assert!(energy.end_j_kg < -0.95 * fallen, "{what}: {} J/kg", energy.end_j_kg);
    }
}

/// Turning points of the mean place of the hem: (seconds, metres).
fn turning_points(simulation: &Simulation, n: usize) -> Vec<(f64, f64)> {
    let hem = |frame: &Vec<Vec3>| frame[n * (n - 1)..].iter().map(|p| f64::from(p.z)).sum::<f64>() / n as f64;
    let places: Vec<f64> = simulation.cache.frames.iter().map(hem).collect();
    let turn = |(frame, w): (usize, &[f64])| {
        let (slope, bend) = (0.5 * (w[2] - w[0]), w[0] - 2.0 * w[1] + w[2]);
        // A parabola through three frames, which turns in the middle one.
        let turns = (w[1] - w[0]) * (w[2] - w[1]) <= 0.0 && bend != 0.0;
        turns.then(|| ((frame as f64 + 1.0 - slope / bend) / 60.0, w[1] - 0.5 * slope * slope / bend))
    };
    places.windows(3).enumerate().filter_map(turn).collect()
}

#[test]
fn a_hung_cloth_swings_like_a_converged_one() {
    let n = 13;
    let swings = |spec: &str| {
        let MethodSpec { integrator, enforcement } = spec.parse().unwrap();
        let scene = hung_by_two_corners(n, Parameters { integrator, enforcement, ..cotton() });
        let turns = turning_points(&scene.run(380).unwrap(), n);
        ((turns[6].0 - turns[0].0) / 3.0, turns[1].1)
    };
    let (reference, default) = (swings("rk4/none"), swings("xpbd/tethers"));
    assert!((default.0 / reference.0 - 1.0).abs() < 0.03, "period {} instead of {}", default.0, reference.0);
    assert!((default.1 / reference.1 - 1.0).abs() < 0.1, "second swing {} instead of {}", default.1, reference.1);
}

/// How far the hem of a hung cloth, and the end of a strip that sticks out, hang below what holds them.
fn depths(n: usize, substeps: u32) -> [f32; 2] {
    let scene = hung_by_two_corners(n, Parameters { drag: 2.0, substeps: Some(substeps), ..cotton() });
    let hung = scene.last_frame(240);
    let hem = hung[n * (n - 1)..].iter().map(|p| p.y).sum::<f32>() / n as f32;
    // Leather, 5 cm of it beyond the edge of a table.
    let fabric =
        Fabric { areal_density: 0.65, bending_rigidity: 2e-4, stretch_stiffness: 15_000.0, ..Fabric::default() };
    let parameters = Parameters { fabric, substeps: Some(substeps), drag: 5.0, ..cotton() };
    let strip = sheet(n, |x, z| Vec3::new(0.06 * x, 0.0, 0.06 * z));
    let scene = Scene::new(strip, "box:-1,-1,-1,1,1,0.0101", parameters);
    let end = scene.last_frame(120)[n * (n - 1) + n / 2].y;
    [1.5 - hem, -end]
}

#[test]
fn drapes_hardly_depend_on_substeps_and_mesh() {
    let [hung, stuck_out] = depths(13, 8);
    for (what, [other_hung, other_stuck_out]) in
        [("twice the substeps", depths(13, 16)), ("twice the vertices each way", depths(25, 8))]
    {
        assert!((other_hung / hung - 1.0).abs() < 0.01, "{what}: {other_hung} instead of {hung}");
        assert!((other_stuck_out / stuck_out - 1.0).abs() < 0.1, "{what}: {other_stuck_out} instead of {stuck_out}");
    }
}

/// A body whose poses are `places` of copies of a mesh (positions, triangles), one list of places a pose.
fn moving(mesh: &(Vec<Vec3>, Vec<[u32; 3]>), poses: &[Vec<Vec3>]) -> Body {
    let (points, faces) = mesh;
    let copy = |c: u32| faces.iter().map(move |t| t.map(|v| v + c * points.len() as u32));
    let triangles = (0..poses[0].len() as u32).flat_map(copy).collect();
    let frames = poses.iter().map(|places| places.iter().flat_map(|&at| points.iter().map(move |&p| p + at)).collect());
    let sequence = MeshSequence {
        name: "body".into(),
        triangles,
        first_frame: 0,
        frames: frames.collect(),
        files: Vec::new(),
        notices: Vec::new(),
    };
    Body::new(BodyAsset::Sequence(sequence), None).unwrap().with_sequence_rate(POSES)
}

/// A box around the origin, its faces outward.
fn cuboid(half: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let sign = |i: u32, bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
    let corners = (0..8).map(|i| half * Vec3::new(sign(i, 1), sign(i, 2), sign(i, 4))).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    (corners, quads.iter().flat_map(|&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]]).collect())
}

/// Deepest of a sheet's particles in a limb, metres, frame by frame, that is kicked one metre within `span` frames; and how
/// many of those in its way are carried along, of how many. The limb is `radius` metres thick both ways.
fn kick(span: usize, radius: f32) -> (Vec<f32>, [usize; 2]) {
    let half = Vec3::new(0.25, radius, radius);
    let way = |pose: usize| (pose.saturating_sub(8 * KICK) as f32 / (8 * span) as f32).min(1.0);
    let at = |pose: usize| Vec3::new(0.0, 0.9, -0.6 + way(pose));
    let mut scene = Scene::new(sheet(21, |x, y| Vec3::new(x, 1.5 - y, 0.0)), "box:-0.6,1.49,-1,0.6,2,1", cotton());
    scene.body = Some(moving(&cuboid(half), &(0..=320).map(|pose| vec![at(pose)]).collect::<Vec<_>>()));
    let frames = scene.run(40).unwrap().cache.frames;
    let deepest = |(number, frame): (usize, &Vec<Vec3>)| {
        let deep = |p: &Vec3| (half - (*p - at(8 * number)).abs()).min_element();
        frame.iter().map(deep).fold(0.0, f32::max)
    };
    let (before, after) = (&frames[KICK], &frames[KICK + span]);
    let hit = before.iter().zip(after).filter(|(p, _)| p.x.abs() < 0.2 && (p.y - 0.9).abs() < 0.07);
    let carried = hit.clone().filter(|(_, p)| p.z >= 0.3).count();
    (frames.iter().enumerate().map(deepest).collect(), [carried, hit.count()])
}

#[test]
fn a_limb_that_moves_a_metre_in_a_few_frames_does_not_pass_through() {
    for (span, radius) in [(1, 0.08), (2, 0.08), (2, 0.05), (3, 0.08), (5, 0.08)] {
        let (deepest, [carried, hit]) = kick(span, radius);
        for (frame, deep) in deepest.into_iter().enumerate() {
            assert!(deep < 1e-3, "{span} frames, {radius} m thick: {deep} m inside in frame {frame}");
        }
        assert!(hit > 10 && carried == hit, "{span} frames: {carried} of {hit} in its way are carried along");
    }
}

#[test]
fn a_body_that_jumps_into_another_pose_leads_the_cloth_over() {
    // Of two boxes behind a curtain one is in front of where that hangs from frame 2 on, and stays.
    let half = Vec3::new(0.1, 0.15, 0.1);
    let in_front = Vec3::new(0.0, 0.75, 0.1);
    let pose =
        |pose: usize| vec![Vec3::new(0.0, 1.2, -0.15), if pose < 16 { in_front - Vec3::Z * 0.25 } else { in_front }];
    let deepest = |preroll: u32| {
        let parameters = Parameters { preroll, ..cotton() };
        let mut scene =
            Scene::new(sheet(21, |x, y| Vec3::new(x, 1.5 - y, 0.0)), "box:-0.6,1.49,-1,0.6,2,1", parameters);
        scene.body = Some(moving(&cuboid(half), &(0..=64).map(pose).collect::<Vec<_>>()));
        let simulation = scene.run(6).unwrap();
        assert_eq!(simulation.cuts, [2]);
        let deep = |p: &Vec3| (half - (*p - in_front).abs()).min_element();
        let deepest = simulation.cache.frames[2].iter().map(deep).fold(0.0, f32::max);
        (deepest, simulation.notices.iter().any(|notice| notice.contains("was led over")))
    };
    let (led, says) = deepest(20);
    assert!(led < 1e-3 && says, "{led} m inside behind the cut");
    // A scene without a preroll has no such ways.
    let (carried, says) = deepest(0);
    assert!(carried > 0.02 && !says, "{carried} m inside");
}

/// How far a blanket slips on a box that is pushed sideways with so many metres a second squared, for so many frames.
fn slip(acceleration: f32, frames: usize) -> f32 {
    const SETTLING: usize = 30;
    let seconds = |pose: usize| ((pose as f32 - 8.0 * SETTLING as f32) / POSES as f32).max(0.0);
    let way = |pose: usize| 0.5 * acceleration * seconds(pose) * seconds(pose);
    let last = SETTLING + frames;
    let poses: Vec<Vec<Vec3>> = (0..=8 * last).map(|pose| vec![Vec3::X * way(pose)]).collect();
    let blanket = sheet(9, |x, z| Vec3::new(0.4 * x, 0.1031, 0.4 * (z - 0.5)));
    let mut scene = Scene::new(blanket, "none", Parameters { drag: 0.0, ..cotton() });
    scene.body = Some(moving(&cuboid(Vec3::new(0.5, 0.1, 0.5)), &poses));
    let cache = scene.run(last as i64).unwrap().cache;
    let mean = |frame: usize| cache.frames[frame].iter().map(|p| p.x).sum::<f32>() / 81.0;
    (mean(last) - mean(SETTLING) - way(8 * last)).abs()
}

#[test]
fn friction_carries_a_blanket_along_below_mu_g_and_lets_it_slip_above() {
    // 0.4 g is 3.9 m/s2; at 6 it slips a quarter of a metre in half a second.
    let (carried, left) = (slip(3.0, 120), slip(6.0, 30));
    assert!(carried < 0.003, "it slips {carried} m");
    let expected = 0.5 * (6.0 - 0.4 * 9.81) * 0.25;
    assert!((left / expected - 1.0).abs() < 0.1, "it slips {left} m instead of {expected}");
}

#[test]
fn cloth_squeezed_between_two_boxes_stays_calm_and_recovers() {
    // They close to a millimetre apart within half a second, stay for as long, and part again.
    let gap = |pose: usize| {
        let (closing, opening) = ((pose as f32 / 240.0).min(1.0), ((pose as f32 - 480.0) / 240.0).clamp(0.0, 1.0));
        0.001 + 0.1 * (1.0 - closing + opening)
    };
    let half = Vec3::new(0.2, 0.1, 0.05);
    let place = |pose: usize| [-1.0, 1.0].map(|side| Vec3::new(0.0, 1.0, side * (0.05 + 0.5 * gap(pose)))).to_vec();
    let mut scene = Scene::new(sheet(21, |x, y| Vec3::new(x, 1.5 - y, 0.0)), "box:-0.6,1.49,-1,0.6,2,1", cotton());
    scene.body = Some(moving(&cuboid(half), &(0..=720).map(place).collect::<Vec<_>>()));
    let frames = scene.run(180).unwrap().cache.frames;
    // Of what is between the boxes: the rest swings.
    let between: Vec<usize> =
        (0..441).filter(|&i| frames[0][i].x.abs() < 0.11 && (frames[0][i].y - 1.0).abs() < 0.06).collect();
    let speed = |pair: &[Vec<Vec3>]| {
        let ways = between.iter().map(|&i| pair[0][i].distance(pair[1][i]));
        ways.fold(0.0, |most, way| if way > most || way.is_nan() { way } else { most }) * 60.0
    };
    let speeds: Vec<f32> = frames.windows(2).map(speed).collect();
    let most = |range: std::ops::Range<usize>| speeds[range].iter().copied().fold(0.0, f32::max);
    assert!(most(0..180) < 1.0, "{} m/s", most(0..180));
    // The cloth that hangs free below swings and draws on it.
    assert!(most(40..60) < 0.25, "{} m/s while held", most(40..60));
    assert!(most(170..180) < 0.3, "{} m/s at the end", most(170..180));
    let longest = *scene.stretches(&frames[180]).last().unwrap();
    assert!(longest < 0.02, "stretched by {longest}");
}
