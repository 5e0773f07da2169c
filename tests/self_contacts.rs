//! Bodies that touch themselves, and cloth between their parts or inside them at the start.

#[expect(dead_code, reason = "other tests need the rest of it")]
mod scene;

use scene::{Scene, sheet};
use toile::body::{Body, Moment, self_contacts};
use toile::geometry::{DQuat, DVec3, Vec3};
use toile::import::{BodyAsset, BodyNode, BodyPart, Clip, Interpolation, MeshSequence, Rig, Track, TrackValues};
use toile::pins::{PinCarrier, bind};
use toile::simulate::Parameters;

/// Half the size of the torso, metres.
const HALF: Vec3 = Vec3::new(0.3, 0.3, 0.1);
/// Key times, seconds, and how far in front of the torso's surface the arm's back is then, metres.
const KEYS: [(f32, f64); 4] = [(0.0, 0.2), (0.5, -0.03), (1.5, -0.03), (2.0, 0.2)];

/// A box around the origin, its sides cut into `n` x `n` quads, outward.
fn cuboid(half: Vec3, n: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0_f32, 1.0] {
            let first = points.len() as u32;
            for (row, column) in (0..=n).flat_map(|r| (0..=n).map(move |c| (r, c))) {
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3]) = (side, side * (2.0 * column as f32 / n as f32 - 1.0));
                p[(axis + 2) % 3] = 2.0 * row as f32 / n as f32 - 1.0;
                points.push(Vec3::from_array(p) * half);
            }
            for (row, column) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
                let a = first + row * (n + 1) + column;
                triangles.extend([[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]);
            }
        }
    }
    (points, triangles)
}

fn node(name: &str, translation: DVec3) -> BodyNode {
    let (rotation, scale) = (DQuat::IDENTITY, DVec3::ONE);
    BodyNode { name: name.to_owned(), parent: None, translation, rotation, scale, matrix: None }
}

fn part(name: &str, node: u32, half: Vec3) -> BodyPart {
    let (positions, triangles) = cuboid(half, 8);
    BodyPart { name: name.to_owned(), node, positions, triangles, ..BodyPart::default() }
}

/// A torso, its front at z = 0, and an arm that comes from the front as [`KEYS`] say.
fn pressed() -> Body {
    let arm = Vec3::new(0.1, 0.1, 0.1);
    let place = |gap: f64| DVec3::new(0.0, 1.0, gap + f64::from(arm.z));
    let torso = DVec3::new(0.0, 1.0, -f64::from(HALF.z));
    let track = Track {
        node: 1,
        times: KEYS.map(|key| key.0).to_vec(),
        interpolation: Interpolation::Linear,
        values: TrackValues::Translation(KEYS.map(|key| place(key.1)).to_vec()),
    };
    let rig = Rig {
        nodes: vec![node("torso", torso), node("arm", place(KEYS[0].1))],
        parts: vec![part("torso", 0, HALF), part("arm", 1, arm)],
        clips: vec![Clip { name: "press".to_owned(), tracks: vec![track] }],
        ..Rig::default()
    };
    Body::new(BodyAsset::Rig(rig), None).unwrap()
}

#[test]
fn parts_that_cross_are_found_with_their_frames_and_depth() {
    let moments: Vec<Moment> = (0..=120).map(|f| Moment::At(f64::from(f) / 60.0)).collect();
    let contacts = self_contacts(&pressed(), &moments, 0.004);
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert!((contacts[0].gap + 0.03).abs() < 0.001, "{contacts:?}");
    // The arm reaches the torso in frame 26 and leaves it in frame 94; every third frame is looked at.
    let [first, last] = contacts[0].frames;
    assert!((24..=28).contains(&first) && (92..=96).contains(&last), "{contacts:?}");
    assert!(self_contacts(&pressed(), &moments[..20], 0.004).is_empty());
}

#[test]
fn parts_of_a_sequence_of_meshes_are_found_by_how_they_move() {
    let body = pressed();
    let pose = |frame: u32| {
        let mut positions = Vec::new();
        body.pose(Moment::At(f64::from(frame) / 60.0), &mut positions);
        positions
    };
    let frames = (0..=120).map(pose).collect();
    let triangles = body.triangles().to_vec();
    let sequence = MeshSequence { name: "press".to_owned(), frames, triangles, ..MeshSequence::default() };
    let body = Body::new(BodyAsset::Sequence(sequence), None).unwrap().with_sequence_rate(60.0);
    assert_eq!(body.joint_names(), ["press", "press part 2"]);
    let moments: Vec<Moment> = (0..=120).map(|f| Moment::At(f64::from(f) / 60.0)).collect();
    let contacts = self_contacts(&body, &moments, 0.004);
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert!((contacts[0].gap + 0.03).abs() < 0.001, "{contacts:?}");
}

#[test]
fn cloth_between_parts_that_cross_yields_to_one_side_and_recovers() {
    let curtain = sheet(25, |x, y| Vec3::new(0.5 * x, 1.4 - 0.6 * y, 0.004));
    let mut scene = Scene::new(curtain, "box:-1,1.39,-1,1,2,1", Parameters::default());
    scene.body = Some(pressed());
    let frames = scene.run(170).unwrap().cache.frames;
    for (number, frame) in frames.iter().enumerate() {
        let longest = *scene.stretches(frame).last().unwrap();
        assert!(longest < 0.25, "stretched by {longest} in frame {number}");
    }
    // While the arm presses nothing shakes.
    let held = frames[60..85].windows(3).flat_map(|w| w[0].iter().zip(&w[1]).zip(&w[2]));
    let jolt = held.map(|((a, b), c)| (*a - *b * 2.0 + *c).length() * 3600.0).fold(0.0, f32::max);
    assert!(jolt < 20.0, "{jolt} m/s2");
    let p95 = |frame: usize| {
        let stretches = scene.stretches(&frames[frame]);
        stretches[stretches.len() * 95 / 100]
    };
    assert!(p95(140) < 0.01, "stretched by {} after they have parted", p95(140));
    // The clip closes, and the arm has come a second time.
    assert!(p95(169) < 0.02, "stretched by {} while it presses", p95(169));
}

#[test]
fn pins_give_way_to_a_part_that_comes_from_afar_and_come_back() {
    let curtain = sheet(25, |x, y| Vec3::new(0.5 * x, 1.4 - 0.6 * y, 0.004));
    let body = pressed();
    let mut scene = Scene::new(curtain.clone(), "box:-0.05,0.95,-1,0.05,1.05,1", Parameters::default());
    let (torso, posed) = (PinCarrier::Joint("torso".to_owned()), Some((&body, Moment::At(0.0))));
    scene.pins = bind(scene.pins.particles.clone(), &torso, &curtain, &scene.topology, posed).unwrap();
    scene.body = Some(body);
    let frames = scene.run(125).unwrap().cache.frames;
    let furthest = |frame: usize| {
        let heights = scene.pins.particles.iter().map(|pin| frames[frame][pin.index()].z);
        heights.fold(f32::NEG_INFINITY, f32::max)
    };
    assert!(furthest(0) > 0.001, "{} m off the torso", furthest(0));
    // By then the arm's back is 7 mm behind the torso's front.
    assert!(furthest(27) < 0.5 * furthest(0), "{} m, pressed", furthest(27));
    assert!((furthest(120) - furthest(0)).abs() < 1e-4, "{} m, released", furthest(120));
}

#[test]
fn cloth_that_starts_inside_comes_out_on_the_side_it_is_nearest_to() {
    let body = || {
        let mut rig = Rig { nodes: vec![node("table", DVec3::ZERO)], ..Rig::default() };
        rig.parts = vec![part("table", 0, Vec3::new(0.5, 0.15, 0.5))];
        Body::new(BodyAsset::Rig(rig), None).unwrap()
    };
    let blanket = || sheet(21, |x, z| Vec3::new(0.6 * x, 0.11, 0.6 * (z - 0.5)));
    let run = |preroll: u32| {
        let mut scene = Scene::new(blanket(), "none", Parameters { preroll, ..Parameters::default() });
        scene.body = Some(body());
        let first = scene.run(1).unwrap().cache.frames.remove(0);
        (first.iter().map(|p| p.y).fold(f32::INFINITY, f32::min), *scene.stretches(&first).last().unwrap())
    };
    let (lowest, longest) = run(60);
    assert!(lowest > 0.15, "{lowest} m high");
    assert!(longest < 0.02, "stretched by {longest}");
    assert_eq!(run(0).0, 0.11, "without preroll it starts as given");
}
