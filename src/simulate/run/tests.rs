//! What is conserved, looked at in every substep: the energy of cloth that nothing does work on, the momentum of cloth that
//! nothing holds or touches.

use super::*;
use crate::correction::CorrectionMap;
use crate::geometry::DVec3;
use crate::pins::{Binding, Pins};
use crate::simulate::{Collider, FrameRate, Parameters, Shape, StartPose, Timeline, particle_areas};
use crate::springs::{Spring, SpringNetwork};
use crate::topology::grids::{Diagonals, grid, triangulated};
use crate::topology::{ParticleId, Topology, build};

/// Substeps of a frame, 1/60 s.
const SUBSTEPS: u32 = 8;
/// Part of the fall that rounding may add to the energy. Velocities are differences of places of about a metre, which have
/// 2^-24 of it, over 1/480 s: 3e-5 m/s beside 1 m/s of the fall, at random over hundreds of particles.
const ROUNDING: f64 = 1e-5;

/// A horizontal sheet, 1 m wide, with its row 0 at z = 0, and how it is simulated.
struct Scene {
    topology: Topology,
    springs: SpringNetwork,
    pins: Pins,
    maps: [CorrectionMap; 1],
    parameters: Parameters,
    timeline: Timeline,
}

impl Scene {
    fn new(n: u32, diagonals: Option<Diagonals>, pinned: &[u32], parameters: Parameters) -> Scene {
        let mut sheet = grid(n, n);
        sheet.positions.iter_mut().for_each(|p| *p = Vec3::new(p.x - 0.5, 0.0, -p.y));
        let sheet = diagonals.map_or(sheet.clone(), |d| triangulated(&sheet, d, None));
        let topology = build(&sheet).expect("a sheet");
        let springs = SpringNetwork::build(&topology);
        let particles: Vec<ParticleId> = pinned.iter().copied().map(ParticleId).collect();
        let bindings = particles.iter().map(|p| Binding::Still(topology.positions[p.index()])).collect();
        let maps = [CorrectionMap::build("all", &particles, &topology, &springs, &parameters.map_options())];
        let pins = Pins { particles, bindings, ..Pins::default() };
        let timeline = Timeline { first: 0, last: 1000, fps: FrameRate::whole(60), start_frame: 1 };
        Scene { topology, springs, pins, maps, parameters, timeline }
    }

    /// Simulates `frames` from the velocities of `start` on; what `look` says of the cloth after each substep.
    fn run<T>(&self, start: impl Fn(DVec3) -> DVec3, frames: i64, look: impl Fn(&Cloth) -> T) -> Vec<T> {
        let setup = Setup {
            topology: &self.topology,
            springs: &self.springs,
            maps: &self.maps,
            body: None,
            pins: &self.pins,
            parameters: &self.parameters,
            timeline: &self.timeline,
            start: StartPose::First,
        };
        let mut simulator = Simulator::new(&setup, None).expect("a simulation");
        simulator.place(0);
        for (velocity, place) in simulator.cloth.velocities.iter_mut().zip(&self.topology.positions) {
            velocity.at = start(place.as_dvec3()).as_vec3();
        }
        let mut seen = vec![look(&simulator.cloth)];
        for (frame, substep) in (0..frames).flat_map(|f| (0..SUBSTEPS).map(move |s| (f, s))) {
            assert!(simulator.step(frame, substep, SUBSTEPS).is_continue());
            seen.push(look(&simulator.cloth));
        }
        seen
    }

    /// Kinetic energy and that in gravity, where the substep's velocities hold, and what shear and bending hold, J.
    fn energy(&self, cloth: &Cloth) -> [f64; 2] {
        let Parameters { fabric, gravity, .. } = self.parameters;
        let areas = particle_areas(&self.topology);
        let particle = |(i, area): (usize, &f32)| {
            let middle = 0.5 * (cloth.points[i].at.as_dvec3() + cloth.previous[i].at.as_dvec3());
            let speed_squared = cloth.velocities[i].at.as_dvec3().length_squared();
            f64::from(area * fabric.areal_density) * (0.5 * speed_squared - gravity.as_dvec3().dot(middle))
        };
        let moving = areas.iter().enumerate().map(particle).sum();
        let excess = |s: &Spring| {
            let [a, b] = [s.a, s.b].map(|p| cloth.points[p.index()].at.as_dvec3());
            a.distance(b) - f64::from(s.rest_length)
        };
        let shears = self.springs.shear.iter().map(|s| excess(s) * excess(s));
        let shear = 0.5 * f64::from(fabric.shear_stiffness) * shears.sum::<f64>();
        let mut pairs = vec![0_u32; areas.len()];
        self.springs.bend.iter().for_each(|s| pairs[s.middle.index()] += 1);
        let bends = self.springs.bend.iter().map(|s| {
            // B/2 curvature^2 on the pair's part of the area; these sheets are flat at rest.
            let [a, m, b] = [s.a, s.middle, s.b].map(|p| cloth.points[p.index()].at.as_dvec3());
            let [ra, rm, rb] = [s.a, s.middle, s.b].map(|p| self.topology.positions[p.index()].as_dvec3());
            let (la, lb) = (ra.distance(rm), rb.distance(rm));
            let curvature = ((a - m) / la + (b - m) / lb).length() / (0.5 * (la + lb));
            let area = f64::from(areas[s.middle.index()]) * 2.0 / f64::from(pairs[s.middle.index()].max(2));
            0.5 * f64::from(fabric.bending_rigidity) * area * curvature * curvature
        });
        [moving, shear + bends.sum::<f64>()]
    }
}

fn still(_: DVec3) -> DVec3 {
    DVec3::ZERO
}

fn vacuum() -> Parameters {
    Parameters { preroll: 0, drag: 0.0, ..Parameters::default() }
}

fn weightless() -> Parameters {
    Parameters { gravity: Vec3::ZERO, ..vacuum() }
}

/// Most that the energy rises above what it was and the fabric held at any time before, and most that it rises at all, both as
/// parts of the fall.
fn rises(scene: &Scene, frames: i64) -> [f64; 2] {
    let energies = scene.run(still, frames, |cloth| scene.energy(cloth));
    let (mut least, mut allowed, mut rises) = (f64::INFINITY, f64::INFINITY, [0.0_f64; 2]);
    for [moving, held] in energies {
        rises = [rises[0].max(moving - allowed), rises[1].max(moving - least)];
        (least, allowed) = (least.min(moving), allowed.min(moving + held));
    }
    rises.map(|rise| rise / -least)
}

#[test]
fn a_hung_cloth_gains_no_energy() {
    for n in [21, 41] {
        let [from_nowhere, rise] = rises(&Scene::new(n, None, &[0, n - 1], vacuum()), 180);
        assert!(from_nowhere < ROUNDING, "{n}: {from_nowhere}");
        // Bending holds less than a thousandth of what it falls.
        assert!(rise < 1e-3, "{n}: {rise}");
    }
}

#[test]
fn cloth_that_falls_on_a_ball_gains_no_more_than_its_fabric_held() {
    let shape = Shape::Sphere { centre: Vec3::new(0.0, -0.35, 0.5), radius: 0.3 };
    let colliders = vec![Collider { name: "ball".into(), shape, joint: None }];
    let [from_nowhere, rise] = rises(&Scene::new(21, None, &[], Parameters { colliders, ..vacuum() }), 120);
    assert!(from_nowhere < ROUNDING, "{from_nowhere}");
    // As the impact has sheared it, so it is drawn up again, too slowly to be held back.
    assert!(rise < 0.02, "{rise}");
}

#[test]
fn edges_of_triangles_stretch_little_where_the_weave_shears() {
    // Hung by one corner a sheet shears as far as it can; a third of the edges of its file are diagonals.
    let stretch = |scene: &Scene, cloth: &Cloth| {
        let length = |at: &dyn Fn(ParticleId) -> Vec3, [a, b]: [ParticleId; 2]| at(a).distance(at(b));
        let ratio = |&edge: &[ParticleId; 2]| {
            length(&|p| cloth.points[p.index()].at, edge) / length(&|p| scene.topology.positions[p.index()], edge)
        };
        let mut all: Vec<f32> = scene.topology.file_edges.iter().map(|edge| ratio(edge) - 1.0).collect();
        all.sort_by(f32::total_cmp);
        all[all.len() * 95 / 100]
    };
    for diagonals in [Diagonals::Fixed, Diagonals::Alternating] {
        let scene = Scene::new(17, Some(diagonals), &[0], Parameters { preroll: 0, ..Parameters::default() });
        assert!(scene.topology.file_edges.len() > scene.topology.edges.len());
        let p95 = *scene.run(still, 120, |cloth| stretch(&scene, cloth)).last().expect("frames");
        assert!(p95 < 0.03, "stretched by {p95}");
    }
}

#[test]
fn a_bent_strip_springs_back() {
    // A strip of leather falls from the horizontal and swings about where it hangs in the end: bending gives back what it took.
    let mut scene = Scene::new(13, None, &[], vacuum());
    scene.parameters.fabric.bending_rigidity = 2e-2;
    scene.parameters.fabric.damping = 1e-4;
    let pinned: Vec<u32> = (0..26).collect();
    let scene = Scene::new(13, None, &pinned, scene.parameters);
    let depth = scene.run(still, 60, |cloth| cloth.points[160].at.y);
    let deepest = depth.iter().position(|&y| y <= depth.iter().copied().fold(0.0, f32::min)).expect("it falls");
    let highest = depth[deepest..].iter().copied().fold(f32::NEG_INFINITY, f32::max);
    assert!(highest > 0.7 * depth[deepest], "it hangs {} m deep and comes back to {highest}", depth[deepest]);
}

/// Centre of mass (m), momentum (kg m/s) and angular momentum about the centre (kg m2/s) of some particles.
fn momentum(cloth: &Cloth, particles: std::ops::Range<usize>) -> [DVec3; 3] {
    let particle = |i: usize| {
        let (mass, at) = (1.0 / f64::from(cloth.points[i].inverse_mass), cloth.points[i].at.as_dvec3());
        let momentum = mass * cloth.velocities[i].at.as_dvec3();
        (mass, mass * at, momentum, at.cross(momentum))
    };
    let add =
        |a: (f64, DVec3, DVec3, DVec3), b: (f64, DVec3, DVec3, DVec3)| (a.0 + b.0, a.1 + b.1, a.2 + b.2, a.3 + b.3);
    let (mass, place, linear, angular) = particles.map(particle).fold(Default::default(), add);
    [place / mass, linear, angular - (place / mass).cross(linear)]
}

/// A turn a second about that axis, a drift, and waves of up to 0.5 m/s.
fn spinning(axis: DVec3) -> impl Fn(DVec3) -> DVec3 {
    move |place| {
        let arm = place - DVec3::new(0.0, 0.0, 0.5);
        let waves = DVec3::new(libm::sin(20.0 * arm.z), libm::sin(23.0 * arm.x), libm::sin(17.0 * arm.x));
        std::f64::consts::TAU * axis.normalize().cross(arm) + DVec3::new(0.3, 0.2, -0.1) + 0.5 * waves
    }
}

#[test]
fn a_free_cloth_keeps_its_momentum_and_its_spin() {
    for diagonals in [None, Some(Diagonals::Random(3))] {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(1.0, 2.0, 3.0)] {
            let scene = Scene::new(17, diagonals, &[], weightless());
            let seen = scene.run(spinning(axis), 120, |cloth| momentum(cloth, 0..17 * 17));
            let [_, linear, angular] = seen[0];
            for [_, p, l] in seen {
                assert!((p - linear).length() < 1e-5 * linear.length(), "{axis}: {p} instead of {linear}");
                assert!((l - angular).length() < 1e-5 * angular.length(), "{axis}: {l} instead of {angular}");
            }
        }
    }
}

#[test]
fn air_takes_from_a_spinning_cloth_what_it_should() {
    let drag = 0.5;
    let scene = Scene::new(17, None, &[], Parameters { drag, ..weightless() });
    let seen = scene.run(spinning(DVec3::Y), 60, |cloth| momentum(cloth, 0..17 * 17)[2].length());
    // Drag is implicit: 1 / (1 + d h) a substep.
    let expected = (1.0 + f64::from(drag) / 480.0).powi(-480) * seen[0];
    assert!((seen[480] / expected - 1.0).abs() < 1e-5, "{} instead of {expected}", seen[480]);
}

#[test]
fn free_cloth_falls_as_its_centre_of_mass_must() {
    let scene = Scene::new(17, None, &[], vacuum());
    let seen = scene.run(spinning(DVec3::X), 60, |cloth| momentum(cloth, 0..17 * 17)[0].y);
    // Straight on at 0.2 m/s and whatever the waves add, and down by g t^2 / 2. Rounding of 480 places of about 5 m: 1e-6 m each
    // at most, at random and over 289 particles.
    let drift = momentum_of_start(&scene);
    let expected = seen[0] + drift - 0.5 * 9.81;
    assert!((seen[480] - expected).abs() < 1e-4, "{} m instead of {expected}", seen[480]);
}

/// Upward speed of the centre of mass, m/s.
fn momentum_of_start(scene: &Scene) -> f64 {
    let mass: f64 = particle_areas(&scene.topology).into_iter().map(f64::from).sum();
    let linear = scene.run(spinning(DVec3::X), 0, |cloth| momentum(cloth, 0..17 * 17)[1].y)[0];
    linear / (mass * f64::from(scene.parameters.fabric.areal_density))
}
