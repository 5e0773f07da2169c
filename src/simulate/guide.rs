//! Draws cloth towards the lap before, so that laps come to repeat each other.
//!
//! Cloth that swings and folds against moving legs is chaotic: lap after lap of the same walk differs, however long one waits. But
//! among its motions are some that repeat, and a control that vanishes on them finds one (Pyragas, *Continuous control of
//! chaos by self-controlling feedback*, 1992):
//!
//! ```text
//!   a = 2 r (v' - v) + 2 r^2 (x' - x)        x', v': where the lap before was at this point of the cycle, and how fast
//! ```
//!
//! The rate `r` grows from lap to lap; in the end the lap that is drawn to stays the same one, so that the cloth settles down on
//! it. Enforcement and collisions follow after and have the last word.
//!
//! The lap before is known at whole frames; between them it goes along cubic splines through four of them (Catmull and Rom),
//! none of which lies beyond a cut: there the body jumps, and what is drawn across would be flung after it.

use rayon::prelude::*;

use super::archive::{Archive, Archived, fits};
use super::cloth::{CHUNK, Cloth};
use crate::geometry::Vec3;

/// A closed cycle that cloth is drawn to.
#[derive(Debug)]
pub(super) struct Guide {
    /// Places at frames 1 to the last, where the cycle starts again.
    frames: Vec<Vec<Vec3>>,
    /// `r`, per second.
    rate: f32,
}

/// Four frames, and how much each counts.
type Spline<'a> = [(&'a [Vec3], f32); 4];

impl Guide {
    /// Along `frames`, the last of which is also the one before the first.
    pub(super) fn new(frames: Vec<Vec<Vec3>>, rate: f32) -> Guide {
        Guide { frames, rate }
    }

    /// One that is to be read.
    pub(super) fn blank() -> Guide {
        Guide::new(Vec::new(), 0.0)
    }

    /// Its frames, of so many particles, and its rate.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>, particles: usize) -> Archived {
        archive.frames(&mut self.frames, particles, None)?;
        archive.f32(&mut self.rate)?;
        fits(!self.frames.is_empty() && self.rate.is_finite(), "laps")
    }

    /// The same, drawing at another rate.
    pub(super) fn with_rate(self, rate: f32) -> Guide {
        Guide { rate, ..self }
    }

    /// Draws the cloth for a substep of `seconds` that starts `at` so many frames after the start of the lap and lasts `frames`. Into
    /// the frames of `cuts`, which ascend, the body jumps.
    pub(super) fn draw(&self, cloth: &mut Cloth, at: f64, frames: f64, seconds: f32, cuts: &[i64]) {
        let shot = self.shot(at, cuts);
        // The first frame of a shot has nothing before it: there the way that follows counts.
        let way = if at - frames >= shot[0] as f64 { [at - frames, at] } else { [at, at + frames] };
        let [now, before, then] = [at, way[0], way[1]].map(|at| self.spline(at, shot));
        let twice = 2.0 * self.rate * seconds;
        let (part, pull, rate) = (twice / (1.0 + twice), self.rate, 1.0 / seconds);
        let chunks = cloth.velocities.par_chunks_mut(CHUNK).zip(cloth.points.par_chunks(CHUNK)).enumerate();
        chunks.for_each(|(chunk, (velocities, points))| {
            for ((particle, velocity), point) in (chunk * CHUNK..).zip(velocities).zip(points) {
                if point.inverse_mass > 0.0 {
                    let there = place(&now, particle);
                    let way = place(&then, particle) - place(&before, particle);
                    let wanted = way * rate + (there - point.at) * pull;
                    velocity.at += (wanted - velocity.at) * part;
                }
            }
        });
    }

    /// The first and the last frame around `at` between which the body does not jump, counted on beyond the ends of the lap.
    fn shot(&self, at: f64, cuts: &[i64]) -> [i64; 2] {
        let count = self.frames.len() as i64;
        let of_lap = || cuts.iter().copied().filter(|cut| (1..=count).contains(cut));
        let before = of_lap().rfind(|&cut| cut as f64 <= at).or(of_lap().next_back().map(|cut| cut - count));
        let after = of_lap().find(|&cut| cut as f64 > at).or(of_lap().next().map(|cut| cut + count));
        [before.unwrap_or(i64::MIN), after.map_or(i64::MAX, |cut| cut - 1)]
    }

    fn spline(&self, at: f64, [first, last]: [i64; 2]) -> Spline<'_> {
        let (count, whole) = (self.frames.len() as i64, at.floor());
        let t = (at - whole) as f32;
        let frame = |offset: i64| {
            let frame = (whole as i64 + offset).clamp(first, last);
            &*self.frames[(frame - 1).rem_euclid(count) as usize]
        };
        let (t2, t3) = (t * t, t * t * t);
        [
            (frame(-1), 0.5 * (-t + 2.0 * t2 - t3)),
            (frame(0), 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3)),
            (frame(1), 0.5 * (t + 4.0 * t2 - 3.0 * t3)),
            (frame(2), 0.5 * (t3 - t2)),
        ]
    }
}

fn place(spline: &Spline<'_>, particle: usize) -> Vec3 {
    spline.iter().map(|(frame, part)| frame[particle] * *part).fold(Vec3::ZERO, |sum, place| sum + place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::cloth::Point;

    /// Radians a second of a turn in 32 frames of 1/30 s.
    const TURN_RATE: f32 = std::f32::consts::TAU * 30.0 / 32.0;

    /// A particle on a circle of 0.1 m, a turn in 32 frames.
    fn circle(frame: f64) -> Vec3 {
        let angle = std::f64::consts::TAU * frame / 32.0;
        Vec3::new(0.1 * libm::cos(angle) as f32, 0.1 * libm::sin(angle) as f32, 0.0)
    }

    fn guide() -> Guide {
        Guide::new((1..=32).map(|frame| vec![circle(f64::from(frame))]).collect(), 8.0)
    }

    #[test]
    fn between_frames_the_lap_before_is_where_it_was() {
        for at in [0.0, 0.3, 7.5, 31.9, 32.0] {
            let gap = place(&guide().spline(at, [i64::MIN, i64::MAX]), 0).distance(circle(at));
            assert!(gap < 2e-5, "{gap} m at {at}");
        }
    }

    #[test]
    fn nothing_is_drawn_across_a_cut() {
        // A lap of six frames: 1 mm a frame, and far away in frames 3 and 4.
        let places = [1.0, 2.0, 9003.0, 9004.0, 5.0, 6.0].map(|x| vec![Vec3::X * (0.001 * x)]);
        let (guide, cuts, rate) = (Guide::new(places.to_vec(), 8.0), [-1, 3, 5], 30.0);
        for at in [0.0, 0.5, 1.0, 1.9, 2.0, 3.0, 3.5, 5.0, 5.25, 6.0] {
            let shot = guide.shot(at, &cuts);
            let there = place(&guide.spline(at, shot), 0);
            let point = Point { at: there, inverse_mass: 1.0 };
            let mut cloth = Cloth { points: vec![point], velocities: vec![Point::default()], ..Cloth::default() };
            guide.draw(&mut cloth, at, 0.25, 0.25 / rate, &cuts);
            let speed = cloth.velocities[0].at.length();
            assert!(speed < 6.0 * 0.001 * rate, "{speed} m/s at {at}");
        }
    }

    #[test]
    fn cloth_is_drawn_to_the_lap_before_and_left_alone_there() {
        const SUBSTEPS: i32 = 14;
        let (step, seconds) = (1.0 / f64::from(SUBSTEPS), 1.0 / 30.0 / SUBSTEPS as f32);
        let start = Point { at: Vec3::new(0.1, 0.2, 0.3), inverse_mass: 1.0 };
        let mut cloth = Cloth { points: vec![start], velocities: vec![Point::default()], ..Cloth::default() };
        for substep in 0..32 * SUBSTEPS {
            guide().draw(&mut cloth, f64::from(substep) * step, step, seconds, &[]);
            // A spring to the origin, on which the circle is a motion that nothing draws.
            let place = cloth.points[0].at;
            cloth.velocities[0].at -= place * (TURN_RATE * TURN_RATE * seconds);
            let velocity = cloth.velocities[0].at;
            cloth.points[0].at += velocity * seconds;
        }
        let gap = cloth.points[0].at.distance(circle(0.0));
        // Drawn without that spring it would stay 27 mm behind. What is left is the substep's: half of one is 1 mm of the circle.
        assert!(gap < 1e-3, "{gap} m");
    }
}
