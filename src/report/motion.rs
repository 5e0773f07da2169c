//! How calm the cloth is: jitter, energy, and when it comes to rest.
//!
//! ```text
//! jitter    a[k] = (x[k+1] - 2 x[k] + x[k-1]) / dt^2,   RMS over particles and frames of  a[k] - mean(a[k-2 .. k+2])
//! energy    E[k] = sum m ( |x[k+1] - x[k-1]|^2 / (8 dt^2) - g . x[k] )
//! ```
//!
//! The moving mean takes what swings out of the acceleration and leaves what shivers. A cloth whose pins, body and air stand
//! still gains no more of it than its springs give back: any large rise is made by the solver.

use serde::Serialize;

use crate::geometry::{DVec3, Vec3};
use crate::simulate::{Parameters, PointCache, particle_areas};
use crate::springs::{Spring, SpringNetwork};
use crate::topology::Topology;

/// Frames at the end of a bake that jitter is measured over: half a second at 60 frames a second.
const JITTER_FRAMES: usize = 32;
/// Accelerations that are averaged to tell swinging from shivering.
const WINDOW: usize = 5;
/// Speed below which a particle rests, m/s: less than its own width in a second, for any particle one can see.
const REST_SPEED: f64 = 0.02;

/// Motion of a bake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Motion {
    /// High-frequency acceleration over the last 32 frames, m/s2, but for where the body jumps; none for fewer than 7 frames.
    pub jitter_m_s2: Option<f64>,
}

/// Energy of the cloth in each frame but the first and last, joules a kilogram of cloth.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Energy {
    /// Largest rise of kinetic energy and that in gravity together above any earlier frame.
    pub rise_j_kg: f64,
    /// The same at the end less that at the start; negative when some was lost.
    pub end_j_kg: f64,
    /// Most that stretch and shear springs hold, at the stiffness they ought to have: of a solver that does not reach it, more
    /// than they could give back.
    pub strain_j_kg: f64,
    /// Kinetic energy and that in gravity of each frame, less that of the first.
    #[serde(skip)]
    pub frames: Vec<f64>,
}

impl Motion {
    /// Measures the last frames of `cache`, but for where the body jumps: into the frames of `cuts`.
    pub fn of(cache: &PointCache, cuts: &[i64]) -> Motion {
        Motion { jitter_m_s2: jitter(cache, &of_cache(cuts, cache)) }
    }
}

/// Frames of the clip's time line counted from the first of `cache`.
pub(super) fn of_cache(frames: &[i64], cache: &PointCache) -> Vec<i64> {
    frames.iter().map(|frame| frame - cache.timeline.first).collect()
}

fn jitter(cache: &PointCache, cuts: &[i64]) -> Option<f64> {
    let first = cache.frames.len().saturating_sub(JITTER_FRAMES);
    let frames = &cache.frames[first..];
    let accelerations = frames.len().saturating_sub(2);
    let particles = frames.first()?.len();
    if accelerations < WINDOW || particles == 0 {
        return None;
    }
    let rate = cache.timeline.fps.per_second();
    let is_counted: Vec<bool> = (0..frames.len()).map(|frame| !spans_cut((first + frame) as i64, cuts)).collect();
    let counted = (WINDOW / 2 + 1..).take(accelerations + 1 - WINDOW).filter(|frame| is_counted[*frame]).count();
    let shiver_of = |particle| -> f64 {
        shivers(frames, rate, particle).iter().filter(|(frame, _)| is_counted[*frame]).map(|(_, s)| s).sum()
    };
    let sum: f64 = (0..particles).map(shiver_of).sum();
    (counted > 0).then(|| (sum / (particles * counted) as f64).sqrt())
}

/// Whether what [`shivers`] says of `frame` has a jump in it, into one of `cuts`.
pub(super) fn spans_cut(frame: i64, cuts: &[i64]) -> bool {
    // Frames that one measure takes in go from three before to three after.
    let half = (WINDOW / 2 + 1) as i64;
    cuts.iter().any(|cut| (frame - half + 1..=frame + half).contains(cut))
}

/// Frames (all but three at either end) with the square of the particle's acceleration in them less its moving mean, m2/s4.
pub(super) fn shivers(frames: &[Vec<Vec3>], rate: f64, particle: usize) -> Vec<(usize, f64)> {
    let at = |frame: usize| frames[frame][particle].as_dvec3();
    let acceleration = |k: usize| (at(k + 2) - 2.0 * at(k + 1) + at(k)) * (rate * rate);
    let all: Vec<DVec3> = (0..frames.len().saturating_sub(2)).map(acceleration).collect();
    let shiver = |window: &[DVec3]| {
        let mean = window.iter().sum::<DVec3>() / WINDOW as f64;
        (window[WINDOW / 2] - mean).length_squared()
    };
    (WINDOW / 2 + 1..).zip(all.windows(WINDOW).map(shiver)).collect()
}

/// Energy of the cloth over the frames of `cache`; none for fewer than three frames or cloth without mass.
pub fn energy(
    cache: &PointCache,
    topology: &Topology,
    springs: &SpringNetwork,
    parameters: &Parameters,
) -> Option<Energy> {
    let areal_density = parameters.fabric.areal_density;
    let masses: Vec<f64> = particle_areas(topology).into_iter().map(|area| f64::from(area * areal_density)).collect();
    let total: f64 = masses.iter().sum();
    if total <= 0.0 {
        return None;
    }
    let gravity = parameters.gravity.as_dvec3();
    let double_step = 2.0 * cache.timeline.fps.seconds(1);
    let moving = |frames: &[Vec<Vec3>]| {
        let particle = |(i, mass): (usize, &f64)| {
            let [before, now, after] = [0, 1, 2].map(|k: usize| frames[k][i].as_dvec3());
            mass * (0.5 * ((after - before) / double_step).length_squared() - gravity.dot(now))
        };
        masses.iter().enumerate().map(particle).sum::<f64>() / total
    };
    let all: Vec<f64> = cache.frames.windows(3).map(moving).collect();
    let first = *all.first()?;
    let [stretch, shear] = parameters.spring_stiffness();
    let strain = |frame: &Vec<Vec3>| strain(&springs.stretch, stretch, frame) + strain(&springs.shear, shear, frame);
    let strain = cache.frames.iter().map(strain).fold(0.0, f64::max) / total;
    Some(summarised(all.into_iter().map(|e| e - first).collect(), strain))
}

/// Energy that `springs` of one stiffness hold, J.
fn strain(springs: &[Spring], stiffness: f32, frame: &[Vec3]) -> f64 {
    let excess = |s: &Spring| {
        let length = frame[s.a.index()].as_dvec3().distance(frame[s.b.index()].as_dvec3());
        length - f64::from(s.rest_length)
    };
    springs.iter().map(|s| 0.5 * f64::from(stiffness) * excess(s) * excess(s)).sum()
}

fn summarised(frames: Vec<f64>, strain_j_kg: f64) -> Energy {
    let (mut least, mut rise) = (f64::INFINITY, 0.0_f64);
    for &energy in &frames {
        least = least.min(energy);
        rise = rise.max(energy - least);
    }
    Energy { rise_j_kg: rise, end_j_kg: frames.last().copied().unwrap_or(0.0), strain_j_kg, frames }
}

/// Index of the first frame from which on no particle moves faster than 2 cm/s; none if some does to the end.
pub fn rest_frame(cache: &PointCache) -> Option<usize> {
    let step = cache.timeline.fps.seconds(1);
    let moves = |pair: &[Vec<Vec3>]| {
        let furthest = pair[0].iter().zip(&pair[1]).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f32::max);
        f64::from(furthest).sqrt() > REST_SPEED * step
    };
    let last_move = cache.frames.windows(2).rposition(moves);
    let first_still = last_move.map_or(0, |pair| pair + 1);
    (first_still + 1 < cache.frames.len()).then_some(first_still)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{Fabric, FrameRate, Timeline};
    use crate::topology::ParticleId;

    fn cache(fps: u32, frames: Vec<Vec<Vec3>>) -> PointCache {
        let timeline = Timeline { first: 0, last: frames.len() as i64 - 1, fps: FrameRate::whole(fps), start_frame: 1 };
        PointCache { timeline, frames }
    }

    #[test]
    fn a_steady_acceleration_is_no_jitter() {
        let frames = (0..40).map(|k| vec![Vec3::Y * (k * k) as f32, Vec3::X * k as f32]).collect();
        assert_eq!(Motion::of(&cache(1, frames), &[]).jitter_m_s2, Some(0.0));
    }

    #[test]
    fn jitter_of_one_particle_in_two_that_jumps_every_other_frame() {
        // x = 0, 1, 0, 1 ...: a = 2, -2, 2 ...; the mean of five is +-2/5, so that 8/5 of 2 remain, in one particle of two.
        let frames = (0..40).map(|k| vec![Vec3::X * (k % 2) as f32, Vec3::ZERO]).collect();
        let expected = (1.6_f64 * 1.6 / 2.0).sqrt();
        let found = Motion::of(&cache(1, frames), &[]).jitter_m_s2.unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn a_cut_is_no_jitter() {
        let jumps = |k: u32| vec![Vec3::X * if k < 20 { 0.0 } else { 9.0 }];
        let jitter = |cuts: &[i64]| Motion::of(&cache(60, (0..40).map(jumps).collect()), cuts).jitter_m_s2;
        assert_eq!(jitter(&[20]), Some(0.0));
        assert!(jitter(&[19]).unwrap() > 1.0 && jitter(&[]).unwrap() > 1.0);
        assert_eq!(Motion::of(&cache(60, (16..24).map(jumps).collect()), &[4]).jitter_m_s2, None);
    }

    #[test]
    fn jitter_looks_at_the_last_frames_and_needs_some() {
        let still = |k: u32| vec![Vec3::X * if k < 8 { (k % 2) as f32 } else { 0.0 }];
        assert_eq!(Motion::of(&cache(60, (0..40).map(still).collect()), &[]).jitter_m_s2, Some(0.0));
        assert_eq!(Motion::of(&cache(60, (0..6).map(still).collect()), &[]).jitter_m_s2, None);
        assert_eq!(Motion::of(&cache(60, Vec::new()), &[]).jitter_m_s2, None);
    }

    /// A triangle with 1 kg at each corner and one spring of 100 N/m, 1 m long.
    fn triangle() -> (Topology, SpringNetwork, Parameters) {
        let [a, b, c] = [0, 1, 2].map(ParticleId);
        let topology = Topology {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Z],
            triangles: vec![[a, b, c]],
            ..Topology::default()
        };
        let springs = SpringNetwork { stretch: vec![Spring { a, b, rest_length: 1.0 }], ..SpringNetwork::default() };
        let fabric = Fabric { areal_density: 6.0, stretch_stiffness: 100.0, ..Fabric::default() };
        (topology, springs, Parameters { fabric, gravity: Vec3::NEG_Y * 10.0, ..Parameters::default() })
    }

    #[test]
    fn free_fall_keeps_its_energy_and_an_upward_push_is_a_rise() {
        let (topology, springs, parameters) = triangle();
        let at = |y: f32| topology.positions.iter().map(|p| *p + Vec3::Y * y).collect::<Vec<_>>();
        // Frames a second apart, y = -5 t^2.
        let falling = cache(1, [0.0, -5.0, -20.0, -45.0, -80.0].map(at).to_vec());
        let energy = energy(&falling, &topology, &springs, &parameters).unwrap();
        assert_eq!((energy.rise_j_kg, energy.end_j_kg), (0.0, 0.0));
        // Lifted by 2 m and put down again: 2 m x 10 m/s2 in the middle, at rest there since it came and goes alike.
        let lifted = cache(1, [0.0, 0.0, 2.0, 0.0, 0.0].map(at).to_vec());
        let energy = super::energy(&lifted, &topology, &springs, &parameters).unwrap();
        assert_eq!(energy.frames, [0.0, 20.0 - 0.5, 0.0]);
        assert_eq!((energy.rise_j_kg, energy.end_j_kg), (19.5, 0.0));
    }

    #[test]
    fn a_stretched_spring_holds_half_k_x_squared() {
        let (topology, springs, parameters) = triangle();
        let drawn = vec![Vec3::ZERO, Vec3::X * 1.5, Vec3::Z];
        let frames = vec![topology.positions.clone(), topology.positions.clone(), drawn.clone(), drawn];
        let parameters = Parameters { gravity: Vec3::ZERO, ..parameters };
        let energy = energy(&cache(1, frames), &topology, &springs, &parameters).unwrap();
        // 100 N/m x (0.5 m)^2 / 2 = 12.5 J in 3 kg; one particle moved by 0.5 m in two seconds, then again, both times alike.
        assert!((energy.strain_j_kg - 12.5 / 3.0).abs() < 1e-6);
        assert_eq!((energy.rise_j_kg, energy.end_j_kg), (0.0, 0.0));
    }

    #[test]
    fn cloth_rests_from_the_frame_after_which_nothing_moves() {
        let steps = [0.0, 1.0, 1.0, 2.0, 2.0001, 2.0002];
        let all = |n: usize| cache(60, steps[..n].iter().map(|&x| vec![Vec3::X * x]).collect());
        assert_eq!(rest_frame(&all(6)), Some(3));
        assert_eq!(rest_frame(&all(4)), None);
        assert_eq!(rest_frame(&all(0)), None);
    }
}
