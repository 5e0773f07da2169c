//! Projection of one batch: the scalar form, which says what is computed, and the choice of a faster one at run time.

use super::LANES;
use crate::geometry::Vec3;
use crate::simulate::cloth::Point;

#[cfg(target_arch = "x86_64")]
mod avx2;

/// Eight constraints. Fewer are filled up with repetitions of the last one: computed twice from the same points, it gives the
/// same result twice.
pub(in crate::simulate) trait Batch {
    /// Particles of all lanes.
    fn particles(&self) -> &[[u32; LANES]];

    /// Lanes before the repetitions.
    fn len(&self) -> usize {
        let repeats = |lane: &usize| self.particles().iter().all(|p| p[*lane] == p[*lane - 1]);
        (1..LANES).find(repeats).unwrap_or(LANES)
    }
}

/// Eight compliant distance constraints.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct DistanceBatch {
    pub(in crate::simulate) ends: [[u32; LANES]; 2],
    pub(in crate::simulate) rest_length: [f32; LANES],
}

impl Batch for DistanceBatch {
    fn particles(&self) -> &[[u32; LANES]] {
        &self.ends
    }
}

/// Batches whose largest particle index is known, so that a kernel checks bounds once.
#[derive(Clone, Debug)]
pub(in crate::simulate) struct Batches<B> {
    batches: Vec<B>,
    /// What the vector kernel checks once instead of at every constraint.
    #[cfg(target_arch = "x86_64")]
    points_needed: usize,
}

impl<B: Batch> Batches<B> {
    pub(super) fn new(mut batches: Vec<B>) -> Self {
        batches.shrink_to_fit();
        #[cfg(target_arch = "x86_64")]
        let points_needed = {
            let largest = batches.iter().flat_map(|b| b.particles().as_flattened()).max();
            largest.map_or(0, |&largest| largest as usize + 1)
        };
        Batches {
            #[cfg(target_arch = "x86_64")]
            points_needed,
            batches,
        }
    }
}

/// Numbers that all constraints of a projection share.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct Step {
    /// 1 / h^2.
    pub(in crate::simulate) per_step_squared: f32,
    /// Damping time over h.
    pub(in crate::simulate) gamma: f32,
    /// Distances: compliance of each constraint, m/N.
    pub(in crate::simulate) compliance: f32,
    /// Part of the correction that is made; above 1 over-relaxes.
    pub(in crate::simulate) relaxation: f32,
    /// Distances: whether only what is too long is corrected.
    pub(in crate::simulate) limits_only: bool,
    /// Distances: which batches come first.
    pub(in crate::simulate) sweep: Sweep,
}

/// Direction of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulate) enum Sweep {
    /// From the pins to the hem.
    Down,
    /// From the hem to the pins.
    Up,
}

impl Sweep {
    fn order<'a, B>(self, batches: &'a Batches<B>) -> impl Iterator<Item = &'a B> + use<'a, B> {
        let count = batches.batches.len();
        (0..count).map(move |i| &batches.batches[if self == Sweep::Down { i } else { count - 1 - i }])
    }
}

/// Lengths below this count as this, metres: two particles in one place have no direction between them.
pub(super) const TINY: f32 = 1e-12;

/// How batches are computed. All kernels give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulate) enum Kernel {
    /// One constraint after the other.
    Scalar,
    /// Eight at a time, where the processor can.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Available),
}

impl Kernel {
    /// The fastest this processor has.
    pub(in crate::simulate) fn best() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if let Some(available) = avx2::Available::detect() {
            return Kernel::Avx2(available);
        }
        Kernel::Scalar
    }

    /// Projects distance constraints in order.
    pub(in crate::simulate) fn distances(
        self,
        points: &mut [Point],
        previous: &[Point],
        batches: &Batches<DistanceBatch>,
        step: Step,
    ) {
        match self {
            Kernel::Scalar => step.sweep.order(batches).for_each(|batch| distances(points, previous, batch, step)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(available) => available.distances(points, previous, batches, step),
        }
    }
}

pub(super) fn dot(a: Vec3, b: Vec3) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// ```text
/// a o---------o b     C = |b - a| - rest,   a moves along b - a, b against it, in the ratio of their mobilities
/// ```
///
/// A batch of limits of which none is exceeded is passed over.
fn distances(points: &mut [Point], previous: &[Point], batch: &DistanceBatch, step: Step) {
    let softness = step.compliance * step.per_step_squared;
    let is_too_long = |lane: usize| {
        let [a, b] = batch.ends.map(|ends| points[ends[lane] as usize].at);
        dot(b - a, b - a).sqrt().max(TINY) > batch.rest_length[lane]
    };
    if step.limits_only && !(0..batch.len()).any(is_too_long) {
        return;
    }
    for lane in 0..batch.len() {
        let [a, b] = batch.ends.map(|ends| ends[lane] as usize);
        let (wa, wb) = (points[a].inverse_mass, points[b].inverse_mass);
        let between = points[b].at - points[a].at;
        let length = dot(between, between).sqrt().max(TINY);
        let mut error = length - batch.rest_length[lane];
        let mut mobility = wa + wb;
        if step.gamma > 0.0 {
            let moved = between - (previous[b].at - previous[a].at);
            error += step.gamma * (dot(moved, between) / length);
            mobility *= 1.0 + step.gamma;
        }
        if step.limits_only {
            error = error.max(0.0);
        }
        let scale = step.relaxation * error / (length * (mobility + softness));
        points[a].at += between * (scale * wa);
        points[b].at -= between * (scale * wb);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points in no particular place, some pinned.
    fn cloud(salt: u32) -> Vec<Point> {
        let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32;
        let point = |i: u32| Point {
            at: Vec3::new(number(7 * i + salt), number(7 * i + 1), number(7 * i + 2 + salt)),
            inverse_mass: if i.is_multiple_of(5) { 0.0 } else { 1000.0 * number(7 * i + 3) },
        };
        (0..64).map(point).collect()
    }

    #[test]
    fn the_fast_kernel_gives_the_bits_of_the_scalar_one() {
        let lanes = |offset: u32| std::array::from_fn(|lane| offset + lane as u32);
        let numbers = |scale: f32| std::array::from_fn(|lane| scale * (1.0 + lane as f32));
        let mut incomplete = DistanceBatch { ends: [lanes(4), lanes(30)], rest_length: numbers(0.05) };
        (5..LANES).for_each(|lane| {
            incomplete.ends.iter_mut().for_each(|ends| ends[lane] = ends[4]);
            incomplete.rest_length[lane] = incomplete.rest_length[4];
        });
        assert_eq!(incomplete.len(), 5);
        let slack = DistanceBatch { ends: [lanes(0), lanes(16)], rest_length: numbers(100.0) };
        let distances = Batches::new(vec![
            DistanceBatch { ends: [lanes(0), lanes(8)], rest_length: numbers(0.1) },
            incomplete,
            slack,
        ]);
        for (gamma, sweep, compliance) in [(0.0, Sweep::Down, 1e-3), (3.0, Sweep::Up, 0.0)] {
            let limits_only = sweep == Sweep::Up;
            let step = Step { per_step_squared: 1e5, gamma, compliance, relaxation: 1.3, limits_only, sweep };
            let run = |kernel: Kernel| {
                let (mut points, previous) = (cloud(0), cloud(1));
                kernel.distances(&mut points, &previous, &distances, step);
                points.iter().flat_map(|p| p.at.to_array()).map(f32::to_bits).collect::<Vec<_>>()
            };
            assert_eq!(run(Kernel::best()), run(Kernel::Scalar));
            assert!(run(Kernel::Scalar).iter().all(|&bits| f32::from_bits(bits).is_finite()));
        }
    }
}
