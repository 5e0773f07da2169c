//! The kernels in AVX2: operation by operation what the scalar form does in each lane, so bit for bit the same.
//! No fused multiply-add and no approximate roots, which would differ between processors.
//!
//! This module may use `unsafe`: loads and stores of eight scattered points have no safe form. Two facts
//! make them sound: an [`Available`] exists only where the processor has AVX2, and [`Batches`] knows its largest index.
#![allow(unsafe_code)]

use std::arch::x86_64 as x86;
use std::arch::x86_64::__m256;

use super::{Batches, DistanceBatch, LANES, Step, TINY};
use crate::simulate::batch::ahead::Ahead;
use crate::simulate::batch::lines::{Eight, LineStep, Lines, Pulled, SLACK, SOFTEST};
use crate::simulate::cloth::Point;

/// Proof that this processor has AVX2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulate) struct Available(());

/// Eight points: x, y, z and inverse mass.
#[derive(Clone, Copy)]
struct Points([__m256; 4]);

impl Available {
    pub(super) fn detect() -> Option<Available> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Available(()))
    }

    pub(super) fn distances(
        self,
        points: &mut [Point],
        previous: &[Point],
        batches: &Batches<DistanceBatch>,
        step: Step,
    ) {
        assert!(batches.points_needed <= points.len() && points.len() == previous.len());
        // SAFETY: AVX2 is there (self), and every index is in bounds of both lists (asserted).
        unsafe { distances(points.as_mut_ptr(), previous.as_ptr(), step.sweep.order(batches), step) }
    }

    /// As [`Kernel::lines`](super::Kernel::lines), with room for the longest.
    pub(in crate::simulate::batch) fn lines(
        self,
        points: &mut [Point],
        lines: &Lines,
        step: LineStep,
        room: &mut [Pulled],
    ) {
        assert!(lines.points_needed <= points.len());
        let ahead = Ahead::among(points.len());
        for eight in lines.each() {
            // SAFETY: AVX2 is there (self), and every index is in bounds (asserted).
            unsafe {
                go_along(points.as_ptr(), eight, step, ahead, room);
                come_back(points.as_mut_ptr(), eight.0, step, room);
            }
        }
    }
}

/// The way along eight threads: what each edge pulls, but for those after it.
///
/// # Safety
/// Every particle is in bounds.
#[target_feature(enable = "avx2")]
unsafe fn go_along(
    points: *const Point,
    (particles, rest_lengths): Eight<'_>,
    step: LineStep,
    ahead: Ahead,
    room: &mut [Pulled],
) {
    let zero = splat(0.0);
    // SAFETY: indices in bounds, as the caller promises.
    let mut a = unsafe { load(points, &particles[0]) };
    let (mut last_direction, mut last_inverse, mut last_error) = ([zero; 3], zero, zero);
    for (place, ((end, rest), pulled)) in (1..).zip(particles[1..].iter().zip(rest_lengths).zip(room)) {
        ahead.fetch(points, particles, place);
        // SAFETY: as before.
        let b = unsafe { load(points, end) };
        let between = sub3(&b, &a);
        let length = x86::_mm256_max_ps(x86::_mm256_sqrt_ps(dot(&between, &between)), splat(TINY));
        let scale = x86::_mm256_div_ps(splat(1.0), length);
        let direction: [__m256; 3] = std::array::from_fn(|c| x86::_mm256_mul_ps(between[c], scale));
        let rest = lanes(rest);
        let error = x86::_mm256_sub_ps(length, rest);
        let mobility = x86::_mm256_add_ps(a.0[3], b.0[3]);
        let mut is_pulled = x86::_mm256_cmp_ps::<{ x86::_CMP_GT_OQ }>(mobility, zero);
        if step.limits_only {
            let slack = x86::_mm256_mul_ps(splat(-SLACK), rest);
            is_pulled = x86::_mm256_andnot_ps(x86::_mm256_cmp_ps::<{ x86::_CMP_LT_OQ }>(error, slack), is_pulled);
        }
        let turn = x86::_mm256_mul_ps(a.0[3], dot(&direction, &last_direction));
        let share = x86::_mm256_mul_ps(turn, last_inverse);
        let softness = x86::_mm256_max_ps(splat(step.softness), x86::_mm256_mul_ps(mobility, splat(SOFTEST)));
        let pivot = x86::_mm256_sub_ps(x86::_mm256_add_ps(mobility, softness), x86::_mm256_mul_ps(turn, share));
        let error = x86::_mm256_sub_ps(x86::_mm256_mul_ps(share, last_error), error);
        let inverse = x86::_mm256_and_ps(x86::_mm256_div_ps(splat(1.0), pivot), is_pulled);
        let error = x86::_mm256_and_ps(error, is_pulled);
        pulled.direction.iter_mut().zip(direction).for_each(|(axis, value)| keep(axis, value));
        keep(&mut pulled.lambda, x86::_mm256_mul_ps(error, inverse));
        keep(&mut pulled.share_of_next, share);
        (last_direction, last_inverse, last_error, a) = (direction, inverse, error, b);
    }
}

/// The way back: every edge knows what the one after it pulls, and particles move.
///
/// # Safety
/// Every particle is in bounds.
#[target_feature(enable = "avx2")]
unsafe fn come_back(points: *mut Point, particles: &[[u32; LANES]], step: LineStep, room: &[Pulled]) {
    let zero = splat(0.0);
    let (mut pull_after, mut lambda_after, mut share_after) = ([zero; 3], zero, zero);
    for (place, here) in particles.iter().enumerate().rev() {
        let mut pull = [zero; 3];
        if place > 0 {
            let pulled = &room[place - 1];
            let mut lambda = x86::_mm256_add_ps(lanes(&pulled.lambda), x86::_mm256_mul_ps(share_after, lambda_after));
            if step.limits_only {
                lambda = x86::_mm256_min_ps(lambda, zero);
            }
            pull = pulled.direction.each_ref().map(|axis| x86::_mm256_mul_ps(lanes(axis), lambda));
            (lambda_after, share_after) = (lambda, lanes(&pulled.share_of_next));
        }
        // SAFETY: indices in bounds, as the caller promises.
        let point = unsafe { load(points, here) };
        let way: [__m256; 3] = std::array::from_fn(|c| x86::_mm256_sub_ps(pull[c], pull_after[c]));
        // SAFETY: as before.
        unsafe { store(points, here, point.moved(&way, point.0[3])) };
        pull_after = pull;
    }
}

/// # Safety
/// Every index of `batches` is in bounds of both lists.
#[target_feature(enable = "avx2")]
unsafe fn distances<'a>(
    points: *mut Point,
    previous: *const Point,
    batches: impl Iterator<Item = &'a DistanceBatch>,
    step: Step,
) {
    let (relaxation, gamma) = (splat(step.relaxation), splat(step.gamma));
    let one_and_gamma = splat(1.0 + step.gamma);
    let softness = splat(step.compliance * step.per_step_squared);
    for batch in batches {
        // SAFETY: indices in bounds, as the caller promises.
        let [a, b] = batch.ends.each_ref().map(|ends| unsafe { load(points, ends) });
        let between = sub3(&b, &a);
        let length = x86::_mm256_max_ps(x86::_mm256_sqrt_ps(dot(&between, &between)), splat(TINY));
        let mut error = x86::_mm256_sub_ps(length, lanes(&batch.rest_length));
        if step.limits_only && none_is_positive(error) {
            continue;
        }
        let mut mobility = x86::_mm256_add_ps(a.0[3], b.0[3]);
        if step.gamma > 0.0 {
            // SAFETY: indices in bounds, as the caller promises.
            let [a_before, b_before] = batch.ends.each_ref().map(|ends| unsafe { load(previous, ends) });
            let before = sub3(&b_before, &a_before);
            let moved: [__m256; 3] = std::array::from_fn(|c| x86::_mm256_sub_ps(between[c], before[c]));
            let rate = x86::_mm256_div_ps(dot(&moved, &between), length);
            error = x86::_mm256_add_ps(error, x86::_mm256_mul_ps(gamma, rate));
            mobility = x86::_mm256_mul_ps(mobility, one_and_gamma);
        }
        if step.limits_only {
            error = x86::_mm256_max_ps(error, splat(0.0));
        }
        let weight = x86::_mm256_mul_ps(length, x86::_mm256_add_ps(mobility, softness));
        let scale = x86::_mm256_div_ps(x86::_mm256_mul_ps(relaxation, error), weight);
        let (of_a, of_b) = (x86::_mm256_mul_ps(scale, a.0[3]), x86::_mm256_mul_ps(scale, b.0[3]));
        // SAFETY: indices in bounds, as the caller promises.
        unsafe {
            shift(points, &batch.ends[0], &between, of_a);
            shift(points, &batch.ends[1], &between, x86::_mm256_xor_ps(of_b, splat(-0.0)));
        }
    }
}

impl Points {
    #[target_feature(enable = "avx2")]
    fn moved(&self, direction: &[__m256; 3], by: __m256) -> Points {
        let axis = |c: usize| x86::_mm256_add_ps(self.0[c], x86::_mm256_mul_ps(direction[c], by));
        Points([axis(0), axis(1), axis(2), self.0[3]])
    }
}

#[target_feature(enable = "avx2")]
fn splat(value: f32) -> __m256 {
    x86::_mm256_set1_ps(value)
}

#[target_feature(enable = "avx2")]
fn none_is_positive(values: __m256) -> bool {
    x86::_mm256_movemask_ps(x86::_mm256_cmp_ps::<{ x86::_CMP_GT_OQ }>(values, splat(0.0))) == 0
}

#[target_feature(enable = "avx2")]
fn lanes(values: &[f32; LANES]) -> __m256 {
    // SAFETY: the array is eight floats long, and the load needs no alignment.
    unsafe { x86::_mm256_loadu_ps(values.as_ptr()) }
}

#[target_feature(enable = "avx2")]
fn keep(values: &mut [f32; LANES], lanes: __m256) {
    // SAFETY: the array is eight floats long, and the store needs no alignment.
    unsafe { x86::_mm256_storeu_ps(values.as_mut_ptr(), lanes) };
}

#[target_feature(enable = "avx2")]
fn sub3(b: &Points, a: &Points) -> [__m256; 3] {
    std::array::from_fn(|c| x86::_mm256_sub_ps(b.0[c], a.0[c]))
}

#[target_feature(enable = "avx2")]
fn dot(a: &[__m256; 3], b: &[__m256; 3]) -> __m256 {
    let xy = x86::_mm256_add_ps(x86::_mm256_mul_ps(a[0], b[0]), x86::_mm256_mul_ps(a[1], b[1]));
    x86::_mm256_add_ps(xy, x86::_mm256_mul_ps(a[2], b[2]))
}

/// Rows of four to columns of eight, and back: lanes 0 to 3 lie in the low halves, 4 to 7 in the high ones.
#[target_feature(enable = "avx2")]
fn transposed([r0, r1, r2, r3]: [__m256; 4]) -> [__m256; 4] {
    let (t0, t1) = (x86::_mm256_unpacklo_ps(r0, r1), x86::_mm256_unpackhi_ps(r0, r1));
    let (t2, t3) = (x86::_mm256_unpacklo_ps(r2, r3), x86::_mm256_unpackhi_ps(r2, r3));
    [
        x86::_mm256_shuffle_ps::<0x44>(t0, t2),
        x86::_mm256_shuffle_ps::<0xEE>(t0, t2),
        x86::_mm256_shuffle_ps::<0x44>(t1, t3),
        x86::_mm256_shuffle_ps::<0xEE>(t1, t3),
    ]
}

/// # Safety
/// Every index is in bounds of `points`.
#[target_feature(enable = "avx2")]
unsafe fn load(points: *const Point, indices: &[u32; LANES]) -> Points {
    // SAFETY: as the caller promises.
    Points(transposed(unsafe { load_rows(points, indices) }))
}

/// # Safety
/// Every index is in bounds of `points`.
#[target_feature(enable = "avx2")]
unsafe fn store(points: *mut Point, indices: &[u32; LANES], values: Points) {
    // SAFETY: as the caller promises.
    unsafe { store_rows(points, indices, transposed(values.0)) };
}

/// Moves eight points by a direction times a number. They are loaded again: to keep all of them in registers meanwhile takes more than
/// there are.
///
/// # Safety
/// Every index is in bounds of `points`.
#[target_feature(enable = "avx2")]
unsafe fn shift(points: *mut Point, indices: &[u32; LANES], direction: &[__m256; 3], by: __m256) {
    let [x, y, z] = direction.map(|axis| x86::_mm256_mul_ps(axis, by));
    let ways = transposed([x, y, z, splat(0.0)]);
    // SAFETY: as the caller promises.
    unsafe {
        let rows = load_rows(points, indices);
        store_rows(points, indices, std::array::from_fn(|i| x86::_mm256_add_ps(rows[i], ways[i])));
    }
}

/// # Safety
/// Every index is in bounds of `points`.
#[target_feature(enable = "avx2")]
unsafe fn load_rows(points: *const Point, indices: &[u32; LANES]) -> [__m256; 4] {
    std::array::from_fn(|lane| {
        // SAFETY: in bounds as the caller promises; a point is four floats in a row (repr(C)).
        let [low, high] =
            [lane, lane + 4].map(|lane| unsafe { x86::_mm_loadu_ps(points.add(indices[lane] as usize).cast()) });
        x86::_mm256_insertf128_ps::<1>(x86::_mm256_castps128_ps256(low), high)
    })
}

/// # Safety
/// Every index is in bounds of `points`.
#[target_feature(enable = "avx2")]
unsafe fn store_rows(points: *mut Point, indices: &[u32; LANES], rows: [__m256; 4]) {
    for (lane, row) in rows.into_iter().enumerate() {
        // SAFETY: in bounds as the caller promises; a point is four floats in a row (repr(C)).
        unsafe {
            x86::_mm_storeu_ps(points.add(indices[lane] as usize).cast(), x86::_mm256_castps256_ps128(row));
            let high = x86::_mm256_extractf128_ps::<1>(row);
            x86::_mm_storeu_ps(points.add(indices[lane + 4] as usize).cast(), high);
        }
    }
}
