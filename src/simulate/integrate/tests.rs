//! What integrators must do to the simplest systems: fall, swing at the right pace, keep or lose energy as theory says.

use super::{Motion, Substep};
use crate::geometry::Vec3;
use crate::pins::Pins;
use crate::simulate::batch::{Bands, Kernel};
use crate::simulate::cloth::Cloth;
use crate::simulate::forces::Forces;
use crate::simulate::method::Integrator;
use crate::simulate::parameters::{Parameters, SpringConstants};
use crate::springs::{Spring, SpringNetwork};
use crate::topology::grids::grid;
use crate::topology::{ParticleId, Topology, build};

/// All integrators of spring forces.
const SPRINGS: [Integrator; 6] = [
    Integrator::Verlet,
    Integrator::ExplicitEuler,
    Integrator::SymplecticEuler,
    Integrator::Rk4,
    Integrator::Implicit,
    Integrator::SemiImplicit,
];

/// A sheet in motion, without enforcement and collisions.
struct Scene {
    topology: Topology,
    springs: SpringNetwork,
    pins: Pins,
    parameters: Parameters,
}

struct Run<'a> {
    cloth: Cloth,
    forces: Forces<'a>,
    motion: Motion,
    pins: Pins,
    targets: Vec<Vec3>,
    seconds: f64,
}

impl Scene {
    fn new(size: u32, pinned: &[u32], parameters: Parameters) -> Scene {
        let topology = build(&grid(size, size)).unwrap();
        let springs = SpringNetwork::build(&topology);
        let particles = pinned.iter().map(|&p| ParticleId(p)).collect();
        Scene { topology, springs, pins: Pins { particles, ..Pins::default() }, parameters }
    }

    /// Two particles a metre apart, one pinned: a single spring of 40 N/m.
    fn oscillator(integrator: Integrator) -> Scene {
        let springs = SpringConstants { stretch: Some(40.0), damping: Some(0.0), ..SpringConstants::default() };
        let mut scene = Scene::new(2, &[0], Parameters { springs, ..undamped(integrator) });
        let ends = [0, 1].map(ParticleId);
        scene.springs =
            SpringNetwork { stretch: vec![Spring { a: ends[0], b: ends[1], rest_length: 1.0 }], ..Default::default() };
        scene
    }

    fn run(&self) -> Run<'_> {
        let cloth = Cloth::at_rest(&self.topology, &self.pins, self.parameters.fabric.areal_density);
        let bands = Bands::new(&self.topology.parts, &vec![None; cloth.len()], &self.springs.stretch);
        let motion =
            Motion::new(&self.parameters, &self.topology, &self.springs, &cloth, &bands, Kernel::best()).unwrap();
        let targets = self.pins.particles.iter().map(|p| cloth.points[p.index()].at).collect();
        let forces = Forces::new(&self.parameters, &self.topology, None);
        Run { cloth, forces, motion, pins: self.pins.clone(), targets, seconds: 0.0 }
    }
}

impl Run<'_> {
    fn steps(&mut self, count: u32, seconds: f32) {
        for _ in 0..count {
            let substep = Substep { start: self.seconds, seconds, pins: &self.pins.particles, targets: &self.targets };
            self.motion.integrate(&mut self.cloth, &self.forces, &substep);
            self.motion.recompute_velocities(&mut self.cloth, seconds, false);
            self.seconds += f64::from(seconds);
        }
    }

    fn at(&self, particle: usize) -> Vec3 {
        self.cloth.points[particle].at
    }

    fn velocity(&self, particle: usize) -> Vec3 {
        self.cloth.velocities[particle].at
    }

    fn largest(&self) -> f32 {
        self.cloth
            .positions()
            .iter()
            .map(|p| p.length())
            .fold(0.0, |a, b| if b.is_finite() { f32::max(a, b) } else { b })
    }

    /// Energy of the oscillator, J.
    fn oscillator_energy(&self) -> f32 {
        let stretch = self.at(1).distance(self.at(0)) - 1.0;
        0.5 * 40.0 * stretch * stretch + 0.5 * self.velocity(1).length_squared() / self.cloth.points[1].inverse_mass
    }
}

fn undamped(integrator: Integrator) -> Parameters {
    Parameters { integrator, gravity: Vec3::ZERO, drag: 0.0, ..Parameters::default() }
}

fn falling(integrator: Integrator) -> Parameters {
    Parameters { integrator, drag: 0.0, ..Parameters::default() }
}

#[test]
fn free_cloth_falls_by_half_g_t_squared() {
    for integrator in SPRINGS {
        let scene = Scene::new(5, &[], falling(integrator));
        let mut run = scene.run();
        let h = run.motion.longest_substep().min(1e-3);
        let steps = (0.5 / h) as u32;
        run.steps(steps, h);
        let t = steps as f32 * h;
        // Methods of first order are g t h / 2 off: forward Euler above, symplectic ones below.
        let exact = -0.5 * 9.81 * t * t;
        let allowed = if integrator == Integrator::Rk4 { 1e-4 } else { 9.81 * t * h * 0.5 + 1e-4 };
        for (p, rest) in run.cloth.positions().iter().zip(&scene.topology.positions) {
            assert!((p.y - rest.y - exact).abs() <= allowed, "{integrator}: {} instead of {exact}", p.y - rest.y);
            assert!((p.x - rest.x).abs() < 1e-4, "{integrator} drifts");
        }
    }
}

#[test]
fn drag_brings_a_fall_to_gravity_over_drag() {
    for integrator in SPRINGS {
        let scene = Scene::new(3, &[], Parameters { drag: 4.0, ..falling(integrator) });
        let mut run = scene.run();
        let h = run.motion.longest_substep().min(2e-3);
        run.steps((3.0 / h) as u32, h);
        let speed = -run.velocity(4).y;
        assert!((speed - 9.81 / 4.0).abs() < 0.01, "{integrator}: {speed} m/s");
    }
}

#[test]
fn a_spring_swings_at_the_root_of_stiffness_over_mass() {
    for integrator in [Integrator::Verlet, Integrator::SymplecticEuler, Integrator::Rk4, Integrator::ExplicitEuler] {
        let scene = Scene::oscillator(integrator);
        let mut run = scene.run();
        run.cloth.points[1].at.x = 1.05;
        let frequency = (40.0 * run.cloth.points[1].inverse_mass).sqrt();
        let period = std::f32::consts::TAU / frequency;
        // Forward Euler grows, but keeps its pace.
        let h = period / 2000.0;
        let mut crossings = Vec::new();
        for step in 0..10_000 {
            let before = run.at(1).x - 1.0;
            run.steps(1, h);
            let now = run.at(1).x - 1.0;
            if before < 0.0 && now >= 0.0 {
                crossings.push((step as f32 + before / (before - now)) * h);
            }
        }
        let measured = (crossings[3] - crossings[0]) / 3.0;
        assert!((measured / period - 1.0).abs() < 2e-3, "{integrator}: {measured} s instead of {period} s");
    }
}

#[test]
fn runge_kutta_keeps_energy_forward_euler_gains_and_backward_euler_loses_it() {
    let after = |integrator: Integrator| {
        let scene = Scene::oscillator(integrator);
        let mut run = scene.run();
        run.cloth.points[1].at.x = 1.1;
        let before = run.oscillator_energy();
        let frequency = (40.0 * run.cloth.points[1].inverse_mass).sqrt();
        run.steps(2000, 0.05 / frequency);
        run.oscillator_energy() / before
    };
    // 2000 steps of w h = 0.05: RK4 loses (w h)^6 / 72 a step, forward Euler gains (w h)^2.
    assert!((after(Integrator::Rk4) - 1.0).abs() < 1e-3, "{}", after(Integrator::Rk4));
    assert!((after(Integrator::SymplecticEuler) - 1.0).abs() < 0.06, "{}", after(Integrator::SymplecticEuler));
    assert!((after(Integrator::Verlet) - 1.0).abs() < 0.06, "{}", after(Integrator::Verlet));
    assert!(after(Integrator::ExplicitEuler) > 50.0, "{}", after(Integrator::ExplicitEuler));
    assert!(after(Integrator::Implicit) < 0.1, "{}", after(Integrator::Implicit));
    assert!(after(Integrator::SemiImplicit) < 0.1, "{}", after(Integrator::SemiImplicit));
}

#[test]
fn implicit_integrators_stand_stiff_springs_at_long_substeps_and_explicit_ones_explode() {
    let largest = |integrator: Integrator| {
        let scene = Scene::new(9, &[0, 8], Parameters { drag: 1.0, ..falling(integrator) });
        let mut run = scene.run();
        run.steps(200, 0.02);
        run.largest()
    };
    for integrator in [Integrator::Implicit, Integrator::SemiImplicit] {
        assert!(largest(integrator) < 2.5, "{integrator}: {}", largest(integrator));
    }
    for integrator in [Integrator::Verlet, Integrator::ExplicitEuler, Integrator::SymplecticEuler, Integrator::Rk4] {
        let largest = largest(integrator);
        assert!(largest.is_nan() || largest > 1e3, "{integrator}: {largest}");
    }
}

#[test]
fn explicit_integrators_are_stable_up_to_the_substep_they_name() {
    for integrator in [Integrator::Verlet, Integrator::ExplicitEuler, Integrator::SymplecticEuler, Integrator::Rk4] {
        let scene = Scene::new(9, &[0, 8], Parameters { drag: 1.0, ..falling(integrator) });
        let mut run = scene.run();
        let h = run.motion.longest_substep();
        run.steps((1.0 / h) as u32, h);
        assert!(run.largest() < 2.0, "{integrator} at {h} s: {}", run.largest());
    }
}

#[test]
fn a_free_cloth_that_is_pulled_out_of_shape_keeps_its_momentum() {
    for integrator in SPRINGS {
        let scene = Scene::new(7, &[], undamped(integrator));
        let mut run = scene.run();
        let n = run.cloth.len();
        for (i, point) in run.cloth.points[..n].iter_mut().enumerate() {
            point.at.z = 0.1 * (i % 3) as f32;
        }
        for (i, velocity) in run.cloth.velocities[..n].iter_mut().enumerate() {
            velocity.at = Vec3::new(0.3, 0.0, 0.5 * (i % 7) as f32);
        }
        let momenta = |run: &Run<'_>| {
            let of = |i: usize| run.velocity(i).as_dvec3() / f64::from(run.cloth.points[i].inverse_mass);
            let linear: crate::geometry::DVec3 = (0..n).map(of).sum();
            let angular: crate::geometry::DVec3 = (0..n).map(|i| run.at(i).as_dvec3().cross(of(i))).sum();
            (linear, angular)
        };
        let (linear, angular) = momenta(&run);
        let h = run.motion.longest_substep().min(1e-3);
        run.steps((0.2 / h) as u32, h);
        let (linear_after, angular_after) = momenta(&run);
        // Conjugate gradients end with a residual of 1e-4 of these violent forces in each of 200 steps.
        let allowed = if integrator == Integrator::Implicit { 1e-2 } else { 1e-3 };
        assert!(linear.distance(linear_after) < allowed * linear.length(), "{integrator}: {linear} {linear_after}");
        // Forward Euler gains h^2 v x a a step, linearised backward Euler loses as much; the others keep it.
        let is_first_order = matches!(integrator, Integrator::ExplicitEuler | Integrator::Implicit);
        let allowed = if is_first_order { 0.15 } else { 0.03 };
        assert!(
            angular.distance(angular_after) < allowed * angular.length(),
            "{integrator}: {angular} {angular_after}"
        );
    }
}

#[test]
fn pins_are_where_they_must_be_to_the_last_bit() {
    for integrator in SPRINGS {
        let scene = Scene::new(5, &[0, 4], falling(integrator));
        let mut run = scene.run();
        let h = run.motion.longest_substep().min(1e-3);
        for step in 0..100 {
            let way = Vec3::new(0.1, 0.2, -0.3) * (step as f32 * h);
            run.targets = [0, 4].map(|p| scene.topology.positions[p] + way).to_vec();
            run.steps(1, h);
            assert_eq!([run.at(0), run.at(4)], [run.targets[0], run.targets[1]], "{integrator}");
        }
    }
}

#[test]
fn what_moves_a_particle_afterwards_changes_its_velocity() {
    for integrator in SPRINGS {
        let scene = Scene::new(3, &[], undamped(integrator));
        let mut run = scene.run();
        let h = 1e-4;
        let substep = Substep { start: 0.0, seconds: h, pins: &[], targets: &[] };
        run.motion.integrate(&mut run.cloth, &run.forces, &substep);
        run.cloth.points[4].at.z += 1e-3;
        run.motion.recompute_velocities(&mut run.cloth, h, false);
        assert!((run.velocity(4).z - 10.0).abs() < 1e-2, "{integrator}: {}", run.velocity(4));
        assert!(run.velocity(0).length() < 1e-2, "{integrator}: {}", run.velocity(0));
    }
}
