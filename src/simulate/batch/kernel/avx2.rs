//! The kernels in AVX2: operation by operation what the scalar form does in each lane, so bit for bit the same.
//! No fused multiply-add and no approximate roots, which would differ between processors.
//!
//! This is the one module that may use `unsafe`: loads and stores of eight scattered points have no safe form. Two facts
//! make them sound: an [`Available`] exists only where the processor has AVX2, and [`Batches`] knows its largest index.
#![allow(unsafe_code)]

use std::arch::x86_64 as x86;
use std::arch::x86_64::__m256;

use super::{Batches, DistanceBatch, LANES, Step, TINY};
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
            store(points, &batch.ends[0], a.moved(&between, of_a));
            store(points, &batch.ends[1], b.moved_back(&between, of_b));
        }
    }
}

impl Points {
    #[target_feature(enable = "avx2")]
    fn moved(&self, direction: &[__m256; 3], by: __m256) -> Points {
        let axis = |c: usize| x86::_mm256_add_ps(self.0[c], x86::_mm256_mul_ps(direction[c], by));
        Points([axis(0), axis(1), axis(2), self.0[3]])
    }

    #[target_feature(enable = "avx2")]
    fn moved_back(&self, direction: &[__m256; 3], by: __m256) -> Points {
        let axis = |c: usize| x86::_mm256_sub_ps(self.0[c], x86::_mm256_mul_ps(direction[c], by));
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
    let row = |low: usize, high: usize| {
        // SAFETY: in bounds as the caller promises; a point is four floats in a row (repr(C)).
        let [low, high] =
            [low, high].map(|lane| unsafe { x86::_mm_loadu_ps(points.add(indices[lane] as usize).cast()) });
        x86::_mm256_insertf128_ps::<1>(x86::_mm256_castps128_ps256(low), high)
    };
    Points(transposed([row(0, 4), row(1, 5), row(2, 6), row(3, 7)]))
}

/// # Safety
/// Every index is in bounds of `points`.
#[target_feature(enable = "avx2")]
unsafe fn store(points: *mut Point, indices: &[u32; LANES], values: Points) {
    for (lane, row) in transposed(values.0).into_iter().enumerate() {
        // SAFETY: in bounds as the caller promises; a point is four floats in a row (repr(C)).
        unsafe {
            x86::_mm_storeu_ps(points.add(indices[lane] as usize).cast(), x86::_mm256_castps256_ps128(row));
            let high = x86::_mm256_extractf128_ps::<1>(row);
            x86::_mm_storeu_ps(points.add(indices[lane + 4] as usize).cast(), high);
        }
    }
}
