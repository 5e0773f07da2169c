//! What cloth does in the world, stated before any number that only this program could give.

mod scene;

use std::ops::ControlFlow;

use scene::{Scene, flat, sheet, still};
use toile::geometry::Vec3;
use toile::simulate::{
    Collider, Fault, Integrator, Method, MethodSettings, MethodSpec, Parameters, Progress, Shape, SimulationError,
    Snapshot, Wind,
};

fn ground(normal: Vec3) -> Collider {
    Collider { name: "ground".into(), shape: Shape::Plane { point: Vec3::ZERO, normal }, joint: None }
}

#[test]
fn free_cloth_falls_by_half_g_t_squared_at_any_substep() {
    let expected = 1.5 - 0.5 * 9.81;
    for substeps in [1, 5, 8, 64, 200] {
        let parameters = Parameters { substeps: Some(substeps), ..still() };
        let fallen = Scene::new(sheet(9, flat), "none", parameters).last_frame(60);
        // Velocities of 4 to 8 m/s lose at most half of their last digit a substep: 2.4e-7 m/s, 12 000 times, for half a second.
        for p in fallen {
            assert!((p.y - expected).abs() < 1.5e-3, "{substeps} substeps: {} instead of {expected}", p.y);
        }
    }
}

#[test]
fn falling_cloth_reaches_gravity_over_drag() {
    let scene = Scene::new(sheet(5, flat), "none", Parameters { drag: 4.0, ..still() });
    let frames = scene.run(240).unwrap().cache.frames;
    let speed = (frames[239][0].y - frames[240][0].y) * 60.0;
    assert!((speed - 9.81 / 4.0).abs() < 0.03, "{speed} m/s");
}

#[test]
fn without_gravity_the_rest_shape_rests() {
    let scene = Scene::new(sheet(9, flat), "none", Parameters { gravity: Vec3::ZERO, ..still() });
    let after = scene.last_frame(60);
    for (p, rest) in after.iter().zip(&scene.topology.positions) {
        assert!(p.distance(*rest) < 1e-5, "moved {} m", p.distance(*rest));
    }
}

#[test]
fn hung_cloth_hangs_straight_down_and_hardly_stretches() {
    let scene = Scene::new(sheet(21, flat), "box:-0.6,1,-0.01,0.6,2,0.01", Parameters { drag: 2.0, ..still() });
    let hung = scene.last_frame(300);
    let hem = &hung[20 * 21..];
    for p in hem {
        assert!((p.y - 0.5).abs() < 0.03 && p.z.abs() < 0.1, "{p}");
    }
    let stretches = scene.stretches(&hung);
    assert!(stretches[stretches.len() * 95 / 100] < 0.01, "p95 {}", stretches[stretches.len() * 95 / 100]);
    assert!(*stretches.last().unwrap() < 0.05, "max {}", stretches.last().unwrap());
}

#[test]
fn moving_the_input_moves_the_output_alike() {
    // A quarter turn about the vertical and a shift; exact in theory, and chaos has no time to grow in half a second.
    let turned = |x: f32, z: f32| Vec3::new(z + 1.0, 2.0, -x - 2.0);
    let one = Scene::new(sheet(9, flat), "vertices:tests/data/corners_9x9.txt", still()).last_frame(30);
    let other = Scene::new(sheet(9, turned), "vertices:tests/data/corners_9x9.txt", still()).last_frame(30);
    for (p, q) in one.iter().zip(&other) {
        let moved = Vec3::new(p.z + 1.0, p.y + 0.5, -p.x - 2.0);
        assert!(moved.distance(*q) < 2e-3, "{moved} against {q}");
    }
}

#[test]
fn cloth_lies_on_a_ball_and_nothing_is_inside() {
    let ball = Collider {
        name: "ball".into(),
        shape: Shape::Sphere { centre: Vec3::new(0.0, 0.0, 0.5), radius: 0.3 },
        joint: None,
    };
    let parameters = Parameters { colliders: vec![ball], ..still() };
    let thickness = parameters.fabric.thickness;
    let simulation = Scene::new(sheet(21, |x, z| Vec3::new(x, 0.35, z)), "none", parameters).run(90).unwrap();
    for frame in &simulation.cache.frames {
        for p in frame {
            assert!(p.distance(Vec3::new(0.0, 0.0, 0.5)) > 0.3 + 0.5 * thickness);
        }
    }
    let last = simulation.cache.frames.last().unwrap();
    assert!(last.iter().any(|p| p.y > 0.29), "it still lies on top");
}

#[test]
fn friction_holds_cloth_on_a_slope_below_its_angle_and_lets_it_slide_above() {
    let slope = |tangent: f32| Vec3::new(-tangent, 1.0, 0.0).normalize();
    let slide = |tangent: f32| {
        let normal = slope(tangent);
        let along = Vec3::new(normal.y, -normal.x, 0.0);
        let mut parameters = Parameters { colliders: vec![ground(normal)], ..still() };
        parameters.fabric.friction = 0.5;
        let lift = parameters.fabric.thickness;
        let scene = Scene::new(sheet(9, |x, z| along * x + Vec3::Z * z + normal * lift), "none", parameters);
        let after = scene.last_frame(60);
        after[40].distance(scene.topology.positions[40])
    };
    let (held, slid) = (slide(0.4), slide(0.7));
    assert!(held < 0.005, "below the friction angle it crept {held} m");
    // g (sin a - mu cos a) / 2 for a second on a slope of tangent 0.7.
    let expected = 0.5 * 9.81 * (0.7 - 0.5) / (1.0_f32 + 0.7 * 0.7).sqrt();
    assert!((slid - expected).abs() < 0.15 * expected, "slid {slid} m instead of {expected}");
}

#[test]
fn threads_do_not_change_a_bit_of_any_method() {
    let bits = |frame: Vec<Vec3>| frame.iter().flat_map(|p| p.to_array()).map(f32::to_bits).collect::<Vec<_>>();
    for (integrator, n) in Integrator::NAMES.map(|(_, i)| (i, if i == Integrator::Xpbd { 41 } else { 17 })) {
        let parameters = Parameters { integrator, ..still() };
        let scene = Scene::new(sheet(n, flat), "vertices:tests/data/corner_0.txt", parameters);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            bits(pool.install(|| scene.last_frame(if n == 41 { 20 } else { 5 })))
        };
        let one = with(1);
        assert_eq!(one, with(2), "{integrator}");
        assert_eq!(one, with(5), "{integrator}");
    }
}

#[test]
fn every_enforcement_keeps_a_hung_cloth_together_under_every_integrator() {
    for (_, integrator) in Integrator::NAMES {
        for (_, method) in Method::NAMES {
            let enforcement = method.with(MethodSettings::default());
            let substeps = matches!(integrator, Integrator::Xpbd | Integrator::Implicit | Integrator::SemiImplicit);
            let substeps = substeps.then_some(16);
            let parameters = Parameters { integrator, enforcement, drag: 5.0, substeps, ..still() };
            let scene = Scene::new(sheet(9, flat), "box:-0.6,1,-0.01,0.6,2,0.01", parameters);
            let simulation = scene.run(30).unwrap_or_else(|e| panic!("{integrator}/{method}: {e}"));
            let stretches = scene.stretches(simulation.cache.frames.last().unwrap());
            let most = *stretches.last().unwrap();
            assert!(most < 0.5, "{integrator}/{method}: {most}");
        }
    }
}

/// A cloth so soft that it hangs from two corners stretched by half and more; its largest stretch.
fn stretch_of_soft_cloth(spec: &str) -> f32 {
    let MethodSpec { integrator, enforcement } = spec.parse().unwrap();
    let mut parameters =
        Parameters { integrator, enforcement, drag: 5.0, substeps: Some(16), self_collision: false, ..still() };
    parameters.fabric.stretch_stiffness = 5.0;
    parameters.fabric.shear_stiffness = 1.0;
    let corners = "vertices:tests/data/corners_9x9.txt";
    let scene = Scene::new(sheet(9, flat), corners, parameters);
    *scene.stretches(&scene.last_frame(120)).last().unwrap()
}

#[test]
fn enforcement_caps_the_stretch_of_soft_springs() {
    let free = stretch_of_soft_cloth("symplectic_euler/none");
    assert!(free > 0.5, "{free}");
    for (_, method) in Method::NAMES.into_iter().skip(1) {
        let capped = stretch_of_soft_cloth(&format!("symplectic_euler/{method}"));
        assert!(capped < 0.25, "{method}: {capped} of {free}");
    }
}

#[test]
fn directional_enforcement_says_when_it_leaves_its_regime() {
    let notices = |enforcement: &str, drag: f32, substeps: u32| {
        let enforcement = enforcement.parse().unwrap();
        let parameters = Parameters { enforcement, drag, substeps: Some(substeps), ..still() };
        let scene = Scene::new(sheet(21, flat), "box:-0.6,1,-0.01,0.6,2,0.01", parameters);
        scene.run(1).unwrap().notices
    };
    let outside = notices("directional", 0.5, 4);
    assert!(outside[0].contains("substeps of at most 1 ms (they have 4.2), drag of 2 to 5"), "{outside:?}");
    assert_eq!(notices("directional", 3.0, 16), [""; 0]);
    assert_eq!(notices("directional", 20.0, 4), [""; 0], "drag above 1.4 sqrt(g / r) calms any springs");
    assert_eq!(notices("tethers", 0.5, 4), [""; 0]);
}

#[test]
fn a_substep_too_long_for_an_explicit_integrator_is_foretold_and_stops() {
    let MethodSpec { integrator, enforcement } = "verlet/none".parse().unwrap();
    let parameters = Parameters { integrator, enforcement, substeps: Some(1), ..still() };
    let scene = Scene::new(sheet(21, flat), "vertices:tests/data/corner_0.txt", parameters);
    let message = scene.run(60).expect_err("it diverges").to_string();
    assert!(
        message.contains("diverged") && message.contains("verlet follows these springs with substeps of"),
        "{message}"
    );
}

#[test]
fn where_tethers_hold_a_cloth_together_that_cannot_be_integrated_it_is_said_to_shiver() {
    let parameters = Parameters { integrator: Integrator::Verlet, substeps: Some(1), ..still() };
    let scene = Scene::new(sheet(21, flat), "vertices:tests/data/corner_0.txt", parameters);
    match scene.run(60) {
        Ok(simulation) => assert!(simulation.notices.iter().any(|n| n.contains("shivers")), "{:?}", simulation.notices),
        Err(error) => assert!(error.to_string().contains("diverged"), "{error}"),
    }
}

#[test]
fn a_swinging_cloth_swings_alike_under_every_integrator() {
    // Half a second after its release from one side: where it hangs depends on physics, not on the method.
    let swung = |spec: &str, substeps: Option<u32>| {
        let MethodSpec { integrator, enforcement } = spec.parse().unwrap();
        let parameters = Parameters { integrator, enforcement, drag: 0.5, substeps, ..still() };
        let after = Scene::new(sheet(9, flat), "box:-0.6,1,-0.01,0.6,2,0.01", parameters).last_frame(20);
        after[8 * 9 + 4]
    };
    let exact = swung("rk4/none", None);
    for (spec, substeps) in [
        ("verlet/none", None),
        ("symplectic_euler/none", None),
        ("explicit_euler/none", None),
        ("implicit/none", Some(64)),
        ("xpbd/tethers", Some(16)),
    ] {
        let other = swung(spec, substeps);
        assert!(other.distance(exact) < 0.03, "{spec}: {other} instead of {exact}");
    }
}

#[test]
fn cloth_that_cannot_hold_together_stops_with_the_frame_and_keeps_the_good_ones() {
    let mut scene = Scene::new(sheet(9, flat), "vertices:tests/data/corner_0.txt", still());
    scene.parameters.gravity = Vec3::new(0.0, f32::MAX, 0.0);
    match scene.run(10) {
        Err(SimulationError::Diverged { frame, good, .. }) => {
            assert_eq!(frame, 1);
            assert_eq!(good.cache.frames.len(), 1);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(scene.topology.positions.len(), 81);
}

/// A hung sheet whose springs an explicit integrator follows with so many substeps, and those substeps.
fn stiff_sheet() -> (Scene, u32) {
    let MethodSpec { integrator, enforcement } = "verlet/none".parse().unwrap();
    let mut parameters = Parameters { integrator, enforcement, ..still() };
    parameters.springs.stretch = Some(8e4);
    let scene = Scene::new(sheet(9, flat), "vertices:tests/data/corner_0.txt", parameters);
    let substeps = scene.run(1).unwrap().substeps[1];
    (scene, substeps)
}

#[test]
fn up_to_five_doublings_cure_a_frame_and_a_run_goes_on_from_it() {
    let (mut scene, stable) = stiff_sheet();
    assert!(stable > 400, "{stable}");
    // Springs are followed with two thirds of what is sure to follow them, not with a third.
    for (share, doubled) in [(3, 2), (46, 32)] {
        let substeps = stable / share;
        scene.parameters.substeps = Some(substeps);
        let mut snapshots = Vec::new();
        let mut watch = |_: Progress, snapshot: &mut Snapshot<'_>| {
            let mut bytes = Vec::new();
            snapshot.write(&mut bytes).unwrap();
            snapshots.push(bytes);
            ControlFlow::Continue(())
        };
        let simulation = scene.run_from(12, None, &mut watch).unwrap();
        assert_eq!(simulation.substeps.iter().copied().max(), Some(substeps * doubled), "{:?}", simulation.substeps);
        assert!(simulation.notices.iter().any(|n| n.contains("done again with more substeps")));
        let most = *scene.stretches(simulation.cache.frames.last().unwrap()).last().unwrap();
        assert!(most < 0.5, "{most}");
        let mut from_there = snapshots[8].as_slice();
        let again = scene.run_from(12, Some(&mut from_there), &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!((again.cache.frames, again.substeps), (simulation.cache.frames, simulation.substeps));
    }
}

#[test]
fn what_five_doublings_do_not_cure_stops_with_the_place_and_what_to_do() {
    let (mut scene, _) = stiff_sheet();
    scene.parameters.springs.stretch = Some(1e7);
    for substeps in [1, 40] {
        scene.parameters.substeps = Some(substeps);
        match scene.run(20) {
            Err(SimulationError::Diverged { frame, fault, substeps: last, advice, good, .. }) => {
                assert_eq!(last, 32 * substeps);
                assert_eq!(good.cache.frames.len() as i64, frame);
                assert!(good.cache.frames.iter().flatten().all(|p| p.is_finite()));
                assert!(advice.contains("verlet follows these springs"), "{advice}");
                assert!(fault.particle().index() < 81);
            }
            other => panic!("{:?}", other.map(|simulation| simulation.substeps)),
        }
    }
}

#[test]
fn speeds_that_nothing_explains_are_a_fault_and_those_of_pins_falls_and_wind_are_none() {
    // Short substeps: each edge holds for some of them while the particles go at hundreds of metres a second.
    let (mut scene, stable) = stiff_sheet();
    scene.parameters.springs.stretch = Some(1e7);
    scene.parameters.substeps = Some(2 * stable);
    scene.parameters.retries = 0;
    let fault = match scene.run(20) {
        Err(SimulationError::Diverged { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    let Fault::TooFast { speed, limit, .. } = fault else { panic!("{fault}") };
    assert!(speed > limit && (100.0..1e4).contains(&limit), "{fault}");
    // A minute of free fall without air: 589 m/s.
    let falling = Scene::new(sheet(3, flat), "none", Parameters { substeps: Some(1), ..still() });
    assert!(falling.run(3600).is_ok_and(|s| s.notices.is_empty()));
    // A gale of 90 m/s.
    let gale = Wind { velocity: Vec3::X * 90.0, gusts: 0.0, gust_seconds: 2.0 };
    let blown = Parameters { wind: Some(gale), ..Parameters { preroll: 0, ..Parameters::default() } };
    let blown = Scene::new(sheet(9, flat), "box:-0.6,1,-0.01,0.6,2,0.01", blown).run(60);
    assert!(blown.is_ok_and(|s| !s.notices.iter().any(|n| n.contains("diverged"))));
}

#[test]
fn an_edge_of_several_times_its_length_is_a_fault() {
    let (mut scene, _) = stiff_sheet();
    // So soft that its own weight pulls it to pieces, whatever the substeps.
    (scene.parameters.springs.stretch, scene.parameters.springs.shear) = (Some(0.05), Some(0.05));
    scene.parameters.self_collision = false;
    scene.parameters.substeps = Some(32);
    match scene.run(60) {
        Err(SimulationError::Diverged { fault: Fault::Torn { ratio, .. }, .. }) => assert!(ratio > 4.0, "{ratio}"),
        other => panic!("{:?}", other.map(|simulation| simulation.substeps)),
    }
}
