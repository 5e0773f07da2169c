//! How much memory the process takes, and what a bake is likely to take.

use std::fmt;

use serde::Serialize;

const MIB: f64 = 1024.0 * 1024.0;
/// What a bake of nothing takes: the program, its threads and their buffers, bytes.
const BASE: f64 = 18.0 * MIB;
/// Mesh, attributes and what is measured of each vertex of the garment, bytes.
const VERTEX: f64 = 820.0;
/// Springs, correction map and state of each simulated particle beyond what its vertex has taken before, bytes.
const PARTICLE: f64 = 75.0;
/// Mesh and skin of each vertex of the body, and the tree around it, bytes.
const BODY_VERTEX: f64 = 525.0;
/// Frames are kept until all is written and measured, bytes a vertex of the garment.
const FRAME_VERTEX: f64 = 11.0;

/// What a bake is of, as far as memory goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BakeSize {
    /// Vertices of the garment's file.
    pub(crate) vertices: usize,
    /// Particles that are simulated.
    pub(crate) particles: usize,
    pub(crate) body_vertices: usize,
    pub(crate) frames: usize,
}

/// Memory that a bake takes at most, estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct MemoryEstimate {
    /// MiB.
    peak_mib: f64,
    /// Frames that it is for.
    frames: usize,
    /// What each frame more takes, MiB.
    mib_per_frame: f64,
}

impl MemoryEstimate {
    /// A model fitted to bakes of 900 to a million particles and 4 to 301 frames; the README says how well. A glTF file takes a few MiB
    /// more than a point cache.
    pub(crate) fn of(size: &BakeSize) -> MemoryEstimate {
        let BakeSize { vertices, particles, body_vertices, frames } = *size;
        let [vertices, particles, body_vertices] = [vertices, particles, body_vertices].map(|count| count as f64);
        let frame = FRAME_VERTEX * vertices;
        let still = BASE + VERTEX * vertices + PARTICLE * particles + BODY_VERTEX * body_vertices;
        MemoryEstimate {
            peak_mib: ((still + frame * frames as f64) / MIB).round(),
            frames,
            mib_per_frame: (frame / MIB * 1e4).round() / 1e4,
        }
    }
}

impl fmt::Display for MemoryEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryEstimate { peak_mib, frames, mib_per_frame } = self;
        write!(f, "about {peak_mib:.0} MiB to bake {frames} frames, {mib_per_frame:.3} MiB for each more")
    }
}

/// Memory of this size and more goes back to the system as soon as it is free, bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Has what is freed go back to the system where its allocator would keep most of it: that of glibc keeps up to 32 MiB at a time, for
/// each thread, and a bake of a million particles took a fifth more. Tells whether that was possible.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(crate) fn give_back_early() -> bool {
    // What is free at the end of the heap may be as much: to take it again and again costs more than it gives back.
    let settings = [(libc::M_MMAP_THRESHOLD, LARGE), (libc::M_TRIM_THRESHOLD, 2 * LARGE)];
    // SAFETY: settings of the allocator, which take any size and may be changed at any time.
    settings.into_iter().all(|(setting, bytes)| unsafe { libc::mallopt(setting, bytes) == 1 })
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_early() -> bool {
    false
}

/// Most memory that the process held at once so far, MiB; none where the system does not say.
pub(crate) fn peak_mib() -> Option<f64> {
    let kib: f64 = status("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok()?;
    Some((kib / 1024.0 * 10.0).round() / 10.0)
}

/// What the system says of this process under a heading; only on Linux.
pub(crate) fn status(heading: &str) -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| Some(line.strip_prefix(heading)?.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_near_what_bakes_were_measured_to_take() {
        // Vertices, particles, vertices of the body, frames, MiB.
        let bakes = [
            (10_201, 10_201, 0, 201, 46.4),
            (100_489, 5_000, 0, 7, 98.3),
            (100_489, 100_489, 0, 4, 108.0),
            (1_002_001, 1_002_001, 0, 7, 975.3),
            (40_401, 2_000, 0, 101, 100.4),
            (24_000, 24_000, 2_624, 11, 39.2),
            (5_760, 5_760, 2_624, 61, 24.3),
            (720, 720, 14_517, 61, 23.2),
            (4_416, 4_416, 35_434, 60, 38.9),
            (8_426, 8_426, 14_517, 23, 41.4),
        ];
        for (vertices, particles, body_vertices, frames, measured) in bakes {
            let estimate = MemoryEstimate::of(&BakeSize { vertices, particles, body_vertices, frames });
            assert!((estimate.peak_mib / measured - 1.0).abs() < 0.3, "{estimate} instead of {measured}");
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn glibc_gives_back_early() {
        assert!(give_back_early());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_peak_is_that_of_this_process() {
        let held = std::hint::black_box(vec![1_u8; 32 << 20]);
        let peak = peak_mib().expect("Linux says");
        assert!((32.0..1e6).contains(&peak) && held[12345] == 1, "{peak}");
    }
}
