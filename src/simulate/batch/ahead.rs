//! Points that are needed soon are fetched from memory while others are worked on.
//!
//! ```text
//!   x--o--o--o--o--o- - -o     A thread runs from band to band of a large cloth, and so from one far place in memory to another. No
//!   at hand              |     processor guesses which is next, but the list of its particles tells.
//!                  on its way
//! ```
#![allow(unsafe_code)]

use crate::simulate::cloth::Point;

/// How many particles of a thread on.
const AHEAD: usize = 12;
/// Points from which on it is worth asking: fewer stay in a cache near the processor, half a megabyte.
const MANY: usize = 1 << 15;

/// Fetches points of threads.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct Ahead(usize);

impl Ahead {
    /// For threads through so many points.
    pub(in crate::simulate) fn among(points: usize) -> Ahead {
        Ahead(if points > MANY { AHEAD } else { usize::MAX })
    }

    /// Fetches those that are needed soon of `particles`, of which that at `place` has its turn.
    #[inline(always)]
    pub(in crate::simulate) fn fetch<const N: usize>(self, points: *const Point, particles: &[[u32; N]], place: usize) {
        if let Some(soon) = particles.get(place.saturating_add(self.0)) {
            soon.iter().for_each(|&particle| fetch(points.wrapping_add(particle as usize)));
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fetch(point: *const Point) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has it, and it is a hint only: no address faults, and nothing is read or written.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(point.cast()) };
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn fetch(_: *const Point) {}
