//! Threads of edges, each of which is brought to its length at once.
//!
//! A projection of one edge after the other hands tension on by an edge or two a pass: the finer the cloth, the more passes it
//! takes until the hem hangs on the pins. Along a thread, though, each edge meets only the one before and the one after it, and
//! the whole thread is solved exactly for about what its edges cost one by one:
//!
//! ```text
//!   o---0---o---1---o---2---o     C = |b - a| - rest     n = (b - a) / |b - a|
//!
//!   (w + w' + alpha / h^2) lambda  -  w n . n' lambda of the edge before  -  w' n . n'' lambda of the one after  =  -C
//!   x += w (n of the edge before  *  its lambda  -  n of the edge after  *  its lambda)          w, w' inverse masses of a, b
//! ```
//!
//! Threads that cross at right angles hardly know of each other while the cloth is flat, so that two passes over all threads
//! do what hundreds over edges do (line relaxation; the chain solved directly as in Baraff 1996, *Linear-Time Dynamics using
//! Lagrange Multipliers*). Eight threads that share no particle are solved side by side.

use super::LANES;
use super::colours::together;
use super::kernel::{Kernel, TINY, dot};
use crate::geometry::Vec3;
use crate::simulate::cloth::Point;

/// Softness of an edge, `alpha / h^2`, at least, as a part of its mobility: with less a thread between two pins has no answer.
pub(super) const SOFTEST: f32 = 1e-6;
/// Part of its length by which an edge may be too short before a thread that only limits takes no notice of it.
pub(super) const SLACK: f32 = 0.01;

/// How threads are brought to their lengths.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct LineStep {
    /// Compliance over h^2, 1/kg.
    pub(in crate::simulate) softness: f32,
    /// Whether threads only pull.
    pub(in crate::simulate) limits_only: bool,
}

/// Threads of a cloth, or of a part of it, eight side by side that share no particle. Where there are fewer the last stands in for
/// those that lack, and where one is shorter it ends in edges from its last particle to itself: computed twice from the same
/// points, both give the same result twice.
#[derive(Debug, Default)]
pub(in crate::simulate) struct Lines {
    particles: Vec<[u32; LANES]>,
    rest_lengths: Vec<[f32; LANES]>,
    /// Where each eight starts in `particles`, and the end: one particle more than edges.
    starts: Vec<u32>,
    /// Edges of the longest thread.
    longest: usize,
    /// What the vector kernel checks once instead of at every edge.
    #[cfg(target_arch = "x86_64")]
    pub(super) points_needed: usize,
}

/// Eight threads: their particles and the rest lengths of the edges between them.
pub(super) type Eight<'a> = (&'a [[u32; LANES]], &'a [[f32; LANES]]);

/// What the way along a thread leaves for the way back, of an edge of each of eight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pulled {
    pub(super) direction: [[f32; LANES]; 3],
    /// The multiplier, but for what the edge after it adds, and how much of that one's that is.
    pub(super) lambda: [f32; LANES],
    pub(super) share_of_next: [f32; LANES],
}

impl Lines {
    /// Threads through these particles, of so many in all, with the rest lengths of their edges, metres.
    pub(in crate::simulate) fn new(threads: &[(Vec<u32>, Vec<f32>)], particles: usize) -> Lines {
        let mut lines = Lines::default();
        for eight in together(threads.iter().map(|(particles, _)| particles.as_slice()), particles, LANES) {
            let of = |lane: usize| &threads[eight[lane.min(eight.len() - 1)]];
            let longest = of(0).1.len();
            let particle = |place: usize, lane: usize| of(lane).0[place.min(of(lane).0.len() - 1)];
            let rest_length = |place: usize, lane: usize| of(lane).1.get(place).copied().unwrap_or(0.0);
            lines.starts.push(lines.particles.len() as u32);
            lines.particles.extend((0..=longest).map(|place| std::array::from_fn(|lane| particle(place, lane))));
            lines.rest_lengths.extend((0..longest).map(|place| std::array::from_fn(|lane| rest_length(place, lane))));
            lines.longest = lines.longest.max(longest);
        }
        lines.starts.push(lines.particles.len() as u32);
        lines.particles.shrink_to_fit();
        lines.rest_lengths.shrink_to_fit();
        #[cfg(target_arch = "x86_64")]
        {
            lines.points_needed =
                lines.particles.as_flattened().iter().max().map_or(0, |&largest| largest as usize + 1);
        }
        lines
    }

    /// The particles of each thread.
    #[cfg(test)]
    pub(in crate::simulate) fn threads(&self) -> Vec<Vec<u32>> {
        let of_eight = |(particles, _): Eight<'_>| {
            let thread = |lane: usize| particles.iter().map(|of_lanes| of_lanes[lane]).collect::<Vec<u32>>();
            let mut threads: Vec<Vec<u32>> = (0..LANES).map(thread).collect();
            threads.iter_mut().for_each(Vec::dedup);
            threads.dedup();
            threads
        };
        self.each().flat_map(of_eight).collect()
    }

    /// Each eight.
    pub(super) fn each(&self) -> impl Iterator<Item = Eight<'_>> {
        self.starts.windows(2).enumerate().map(|(eight, ends)| {
            let [start, end] = [ends[0] as usize, ends[1] as usize];
            (&self.particles[start..end], &self.rest_lengths[start - eight..end - eight - 1])
        })
    }
}

impl Kernel {
    /// Brings threads to their lengths.
    pub(in crate::simulate) fn lines(self, points: &mut [Point], lines: &Lines, step: LineStep) {
        let mut room = vec![Pulled::default(); lines.longest];
        match self {
            Kernel::Scalar => lines.each().for_each(|eight| solve(points, eight, step, &mut room)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(available) => available.lines(points, lines, step, &mut room),
        }
    }
}

/// The simple form, with room for an entry an edge.
fn solve(points: &mut [Point], (particles, rest_lengths): Eight<'_>, step: LineStep, room: &mut [Pulled]) {
    for lane in 0..LANES {
        let (mut last_direction, mut last_inverse, mut last_error) = (Vec3::ZERO, 0.0, 0.0);
        for ((ends, rest), pulled) in particles.windows(2).zip(rest_lengths).zip(room.iter_mut()) {
            let [a, b] = [ends[0], ends[1]].map(|p| points[p[lane] as usize]);
            let between = b.at - a.at;
            let length = dot(between, between).sqrt().max(TINY);
            let direction = between * (1.0 / length);
            let error = length - rest[lane];
            let mobility = a.inverse_mass + b.inverse_mass;
            let is_pulled = mobility > 0.0 && !(step.limits_only && error < -SLACK * rest[lane]);
            let turn = a.inverse_mass * dot(direction, last_direction);
            let share = turn * last_inverse;
            let pivot = mobility + step.softness.max(mobility * SOFTEST) - turn * share;
            let error = share * last_error - error;
            let (inverse, error) = if is_pulled { (1.0 / pivot, error) } else { (0.0, 0.0) };
            for (axis, of_lanes) in pulled.direction.iter_mut().enumerate() {
                of_lanes[lane] = direction[axis];
            }
            pulled.lambda[lane] = error * inverse;
            pulled.share_of_next[lane] = share;
            (last_direction, last_inverse, last_error) = (direction, inverse, error);
        }
    }
    let mut after = [(Vec3::ZERO, 0.0, 0.0); LANES];
    let mut moved = [Point::default(); LANES];
    for place in (0..particles.len()).rev() {
        for lane in 0..LANES {
            let point = points[particles[place][lane] as usize];
            let (pull_after, lambda_after, share_after) = after[lane];
            let mut pull = Vec3::ZERO;
            if place > 0 {
                let pulled = &room[place - 1];
                let lambda = pulled.lambda[lane] + share_after * lambda_after;
                let lambda = if step.limits_only { lambda.min(0.0) } else { lambda };
                pull = Vec3::from_array(pulled.direction.map(|axis| axis[lane])) * lambda;
                after[lane] = (pull, lambda, pulled.share_of_next[lane]);
            }
            moved[lane] = Point { at: point.at + (pull - pull_after) * point.inverse_mass, ..point };
        }
        for (lane, point) in moved.into_iter().enumerate() {
            points[particles[place][lane] as usize] = point;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level thread of particles one centimetre apart and its rest lengths; the first `pins` are pinned.
    fn thread(particles: usize, pins: usize) -> (Vec<Point>, Lines) {
        let point = |i: usize| Point {
            at: Vec3::X * (0.01 * i as f32),
            inverse_mass: if i < pins { 0.0 } else { 1e4 * (1.0 + (i % 3) as f32) },
        };
        let lines = Lines::new(&[((0..particles as u32).collect(), vec![0.01; particles - 1])], particles);
        ((0..particles).map(point).collect(), lines)
    }

    /// Stretch of each edge.
    fn stretches(points: &[Point]) -> Vec<f32> {
        points.windows(2).map(|ends| ends[0].at.distance(ends[1].at) / 0.01 - 1.0).collect()
    }

    const RIGID: LineStep = LineStep { softness: 0.0, limits_only: false };
    const PULLING: LineStep = LineStep { softness: 0.0, limits_only: true };

    #[test]
    fn a_thread_that_hangs_on_a_pin_has_its_length_after_one_pass_however_fine_it_is() {
        for particles in [3, 40, 1000] {
            let (mut points, lines) = thread(particles, 1);
            // All of it has fallen on by 2 mm, and the pin holds.
            points[1..].iter_mut().for_each(|point| point.at.x += 0.002);
            Kernel::best().lines(&mut points, &lines, RIGID);
            let worst = stretches(&points).into_iter().map(f32::abs).fold(0.0, f32::max);
            assert!(worst < 1e-3, "{worst} of {particles}");
        }
    }

    #[test]
    fn nothing_but_what_pulls_moves_a_thread_as_a_whole() {
        let (mut points, lines) = thread(30, 0);
        points.iter_mut().enumerate().for_each(|(i, point)| point.at += Vec3::Y * (0.004 * (i * i % 7) as f32));
        let centre = |points: &[Point]| {
            let weighted = points.iter().map(|point| (point.at / point.inverse_mass).as_dvec3());
            weighted.sum::<glam::DVec3>() / points.iter().map(|point| 1.0 / f64::from(point.inverse_mass)).sum::<f64>()
        };
        let (before, places) = (centre(&points), points.clone());
        Kernel::best().lines(&mut points, &lines, RIGID);
        assert!(points != places && centre(&points).distance(before) < 1e-7);
    }

    #[test]
    fn a_thread_between_pins_too_far_apart_stretches_evenly() {
        let (mut points, lines) = thread(50, 1);
        points[49] = Point { at: points[49].at * 1.02, inverse_mass: 0.0 };
        (0..3).for_each(|_| Kernel::best().lines(&mut points, &lines, LineStep { softness: 1.0, ..RIGID }));
        let stretches = stretches(&points);
        assert!(stretches.iter().all(|stretch| (stretch - 0.02).abs() < 2e-3), "{stretches:?}");
    }

    #[test]
    fn limits_pull_and_leave_what_is_short() {
        let (mut points, lines) = thread(20, 1);
        points[10..].iter_mut().for_each(|point| point.at.x -= 0.004);
        let short = points.clone();
        Kernel::best().lines(&mut points, &lines, PULLING);
        let ways = points.iter().zip(&short).map(|(now, before)| now.at.distance(before.at));
        assert!(ways.fold(0.0, f32::max) < 1e-7);
        points[10..].iter_mut().for_each(|point| point.at.x += 0.008);
        Kernel::best().lines(&mut points, &lines, PULLING);
        assert!(stretches(&points).into_iter().all(|stretch| stretch < 1e-3));
    }

    #[test]
    fn the_fast_kernel_gives_the_bits_of_the_simple_form() {
        let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32;
        let point = |i: u32| Point {
            at: Vec3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2)),
            inverse_mass: if i.is_multiple_of(9) { 0.0 } else { 1000.0 * number(i + 500) },
        };
        let points: Vec<Point> = (0..120).map(point).collect();
        let along = |particles: Vec<u32>| {
            let lengths = (1..particles.len() as u32).map(|i| 0.8 * number(7 * i)).collect();
            (particles, lengths)
        };
        // Eleven side by side, of two lengths; three across them; one by itself.
        let rows = (0..11).map(|row| along((0..if row < 5 { 10 } else { 7 }).map(|i| 10 * row + i).collect()));
        let columns = (0..3).map(|column| along((0..11).map(|row| 10 * row + column).collect()));
        let threads: Vec<_> = rows.chain(columns).chain([along(vec![110, 115, 119])]).collect();
        let lines = Lines::new(&threads, 120);
        for step in [RIGID, PULLING, LineStep { softness: 300.0, ..RIGID }] {
            let run = |kernel: Kernel| {
                let mut points = points.clone();
                kernel.lines(&mut points, &lines, step);
                points.iter().flat_map(|p| p.at.to_array()).map(f32::to_bits).collect::<Vec<_>>()
            };
            assert_eq!(run(Kernel::best()), run(Kernel::Scalar));
            assert!(run(Kernel::Scalar).iter().all(|&bits| f32::from_bits(bits).is_finite()));
        }
    }
}
