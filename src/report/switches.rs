//! What a switch of collision states does to the cloth: acceleration after it against what is usual.
//!
//! ```text
//! a[k] = (x[k+1] - 2 x[k] + x[k-1]) / dt^2, RMS over the particles that either state's map adds to the pins (over all, if
//! none): of the frames in the fifth of a second after a switch, over that of all frames
//! ```

use serde::Serialize;

use crate::geometry::Vec3;
use crate::simulate::Simulation;
use crate::topology::ParticleId;

/// Time after a switch that is looked at, seconds.
const AFTER: f64 = 0.2;

/// Switches of the collision state in a bake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Switches {
    /// How many.
    pub count: usize,
    /// RMS acceleration after the worst of them, over that of all frames; none without a switch.
    pub worst_acceleration: Option<f64>,
}

/// Measures all switches.
pub fn measure(simulation: &Simulation) -> Switches {
    let frames = &simulation.cache.frames;
    let after = (AFTER * simulation.cache.timeline.fps.per_second()).ceil() as usize;
    let states = &simulation.states;
    let at = (1..states.len()).filter(|&k| states[k] != states[k - 1]);
    let ratio = |frame: usize| {
        let particles = moved(simulation, [states[frame - 1], states[frame]]);
        let usual = rms(frames, 1..frames.len().saturating_sub(1), &particles)?;
        // The state that is in force from the end of `frame` on first shows in the next.
        let then = rms(frames, frame..(frame + after).min(frames.len() - 1), &particles)?;
        (usual > 0.0).then(|| then / usual)
    };
    Switches { count: at.clone().count(), worst_acceleration: at.filter_map(ratio).reduce(f64::max) }
}

/// Particles that the maps of either state add to what both hold.
fn moved(simulation: &Simulation, states: [usize; 2]) -> Vec<usize> {
    let [Some(a), Some(b)] = states.map(|state| simulation.maps.get(state)) else { return Vec::new() };
    let only = |these: &[ParticleId], those: &[ParticleId]| -> Vec<usize> {
        let fresh = these.iter().filter(|p| those.binary_search(p).is_err());
        fresh.map(|p| p.index()).collect()
    };
    [only(&a.fixed, &b.fixed), only(&b.fixed, &a.fixed)].concat()
}

/// RMS acceleration of the particles (all, if there are none) over the frames, per frame squared.
fn rms(frames: &[Vec<Vec3>], range: std::ops::Range<usize>, particles: &[usize]) -> Option<f64> {
    let all: Vec<usize>;
    let particles = match particles {
        [] => {
            all = (0..frames.first()?.len()).collect();
            &all
        }
        some => some,
    };
    let squared = |k: usize, i: usize| {
        let [before, now, after] = [k - 1, k, k + 1].map(|k| frames[k][i].as_dvec3());
        (after - 2.0 * now + before).length_squared()
    };
    let count = range.len() * particles.len();
    let sum: f64 = range.flat_map(|k| particles.iter().map(move |&i| squared(k, i))).sum();
    (count > 0).then(|| (sum / count as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{FrameRate, Timeline};

    #[test]
    fn a_jolt_after_a_switch_stands_out() {
        let timeline = Timeline { first: 0, last: 40, fps: FrameRate::whole(10), start_frame: 1 };
        let mut simulation = Simulation::of(timeline);
        // Accelerations are 1, 1, ... but 3 right after the switch at frame 20.
        let (mut x, mut v) = (0.0_f32, 0.0_f32);
        for k in 0..=40 {
            simulation.cache.frames.push(vec![Vec3::X * x]);
            simulation.states.push(usize::from(k >= 20));
            v += if k == 20 { 3.0 } else { 1.0 };
            x += v;
        }
        let found = measure(&simulation);
        let usual = ((38.0 + 9.0) / 39.0_f64).sqrt();
        let after = ((1.0 + 9.0) / 2.0_f64).sqrt();
        assert_eq!(found.count, 1);
        assert!((found.worst_acceleration.unwrap() - after / usual).abs() < 1e-5, "{found:?}");
    }
}
