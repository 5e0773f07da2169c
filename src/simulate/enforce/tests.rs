//! What each method does to a few springs, and to a sheet that is pulled out of shape.

use super::gu::{self, ParticleOrder};
use super::{Bands, Enforcer, Kernel, provot};
use crate::geometry::Vec3;
use crate::pins::Pins;
use crate::simulate::cloth::Cloth;
use crate::simulate::parameters::Parameters;
use crate::springs::{Spring, SpringNetwork};
use crate::topology::grids::grid;
use crate::topology::{ParticleId, build};

/// A `width` x `height` sheet with these particles pinned, and its stretch springs.
fn sheet(width: u32, height: u32, pinned: &[u32]) -> (Cloth, Vec<Spring>) {
    let topology = build(&grid(width, height)).unwrap();
    let particles = pinned.iter().map(|&p| ParticleId(p)).collect();
    let pins = Pins { particles, ..Pins::default() };
    let springs = SpringNetwork::build(&topology).stretch;
    (Cloth::at_rest(&topology, &pins, 0.15), springs)
}

/// A chain of `n` particles one metre apart, the first pinned.
fn chain(n: u32) -> (Cloth, Vec<Spring>) {
    let (cloth, springs) = sheet(n, 2, &[0]);
    let in_first_row = |s: &Spring| s.a.0 < n && s.b.0 < n;
    let springs = springs.into_iter().filter(in_first_row).map(|s| Spring { rest_length: 1.0, ..s }).collect();
    (cloth, springs)
}

fn place(cloth: &mut Cloth, at: &[f32]) {
    for (point, &x) in cloth.points.iter_mut().zip(at) {
        point.at = Vec3::X * x;
    }
}

fn placed(cloth: &Cloth, n: usize) -> Vec<f32> {
    cloth.points[..n].iter().map(|p| p.at.x).collect()
}

#[test]
fn provot_at_once_sees_what_the_springs_before_did() {
    let (mut cloth, springs) = chain(3);
    place(&mut cloth, &[0.0, 2.0, 4.0]);
    provot::mend_at_once(&mut cloth, &springs, 0.0);
    // The pinned spring moves particle 1 by 1; the next is then 3 long and shares 2.
    assert_eq!(placed(&cloth, 3), [0.0, 2.0, 3.0]);
}

#[test]
fn provot_in_two_stages_finds_every_long_spring_before_it_moves_any() {
    let (mut cloth, springs) = chain(3);
    place(&mut cloth, &[0.0, 2.0, 4.0]);
    provot::mend_together(&mut cloth, &springs, 0.0, 1);
    // Particle 1 is asked for -1 and +0.5, particle 2 for -0.5.
    assert_eq!(placed(&cloth, 3), [0.0, 1.75, 3.5]);
}

#[test]
fn provot_sorted_mends_the_longest_spring_first() {
    let (mut cloth, springs) = chain(3);
    place(&mut cloth, &[0.0, 1.5, 4.5]);
    provot::mend_longest_first(&mut cloth, &springs, 0.0);
    // The second spring is 3 long: particles 1 and 2 share 2. Then the first, 2.5 long, moves particle 1 by 1.5.
    assert_eq!(placed(&cloth, 3), [0.0, 1.0, 3.5]);
}

#[test]
fn what_is_within_the_threshold_stays() {
    let (mut cloth, springs) = chain(3);
    place(&mut cloth, &[0.0, 1.09, 2.1]);
    let before = cloth.points.clone();
    provot::mend_at_once(&mut cloth, &springs, 0.1);
    provot::mend_together(&mut cloth, &springs, 0.1, 3);
    provot::mend_longest_first(&mut cloth, &springs, 0.1);
    assert_eq!(cloth.points, before);
}

#[test]
fn gu_counts_edges_from_the_nearest_pin_or_from_all() {
    let (cloth, springs) = sheet(3, 3, &[0, 2]);
    let nearest = gu::distances(&springs, &cloth, ParticleOrder::Nearest);
    assert_eq!(nearest, [0, 1, 0, 1, 2, 1, 2, 3, 2]);
    let cumulative = gu::distances(&springs, &cloth, ParticleOrder::Cumulative);
    assert_eq!(cumulative, [2, 2, 2, 4, 4, 4, 6, 6, 6]);
}

#[test]
fn gu_projects_the_springs_of_a_particle_when_its_turn_comes() {
    let (cloth, springs) = sheet(3, 2, &[0]);
    let order = |by| gu::ordered(&springs, &cloth, by).iter().map(|s| (s.a.0, s.b.0)).collect::<Vec<_>>();
    // Turns: 0, 1, 3, 2, 4, 5.
    let expected = [(0, 1), (0, 3), (1, 2), (1, 4), (3, 4), (2, 5), (4, 5)];
    assert_eq!(order(ParticleOrder::Nearest), expected);
    assert_eq!(order(ParticleOrder::Cumulative), expected, "one pin: both orders are the same");
}

#[test]
fn gu_brings_a_chain_to_rest_length_from_the_pin_outwards() {
    let (mut cloth, springs) = chain(4);
    let springs = gu::ordered(&springs, &cloth, ParticleOrder::Nearest);
    place(&mut cloth, &[0.0, 1.2, 2.6, 3.9]);
    let hang = |cloth: &Cloth| cloth.points[3].at.x - 3.0;
    let before = hang(&cloth);
    (0..50).for_each(|_| gu::project(&mut cloth, &springs));
    assert!(hang(&cloth).abs() < 1e-3 * before, "{}", hang(&cloth));
}

#[test]
fn cloth_that_settles_on_a_body_may_be_shorter_but_not_longer() {
    let topology = build(&grid(7, 7)).unwrap();
    let springs = SpringNetwork::build(&topology);
    let tethers = vec![None; topology.positions.len()];
    let bands = Bands::new(&topology.parts, &tethers, &springs.stretch);
    let rest = Cloth::at_rest(&topology, &Pins::default(), 0.15);
    let parameters = Parameters::default();
    let enforcer = Enforcer::new(&parameters, (&topology, &springs), &rest, 0.0, &bands, Kernel::best());
    let longest_after = |scale: f32| {
        let mut cloth = rest.clone();
        cloth.points.iter_mut().for_each(|p| p.at *= scale);
        let before = cloth.points.clone();
        (0..20).for_each(|_| enforcer.settle(&mut cloth, 1.0 / 360.0, 1.0, |_| {}));
        let longest = springs.stretch.iter().map(|s| cloth.elongation(s)).fold(0.0, f32::max);
        (longest, cloth.points == before)
    };
    assert!(longest_after(0.9).1, "what is gathered stays so");
    let (longest, stays) = longest_after(1.1);
    assert!(!stays && longest < 1.02, "{longest}");
}

#[test]
fn passes_of_provot_shorten_the_longest_spring_in_any_order() {
    for pass in
        [provot::mend_at_once, provot::mend_longest_first, |c: &mut _, s: &_, t| provot::mend_together(c, s, t, 1)]
    {
        let (mut cloth, springs) = sheet(7, 7, &[0, 6]);
        for point in &mut cloth.points[..49] {
            point.at.y *= 1.4;
        }
        for pin in [0, 6] {
            cloth.points[pin].at.y /= 1.4;
        }
        let longest = |cloth: &Cloth| springs.iter().map(|s| cloth.elongation(s)).fold(0.0, f32::max);
        let before = longest(&cloth);
        (0..20).for_each(|_| pass(&mut cloth, &springs, 0.1));
        assert!(longest(&cloth) < before - 0.02, "{} of {before}", longest(&cloth));
    }
}
