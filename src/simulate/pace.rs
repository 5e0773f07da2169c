//! How long substeps are when the scene does not say.

/// Longest substep when the scene does not say how many, seconds. Shorter steps stretch less and swing longer.
const SUBSTEP_SECONDS: f64 = 1.0 / 480.0;
/// Substeps of a frame that an explicit integrator gets at most, however stiff the springs are.
const MOST_STABLE: u32 = 10_000;

/// Substeps of a frame: enough for the clock, and for an integrator that is stable up to `longest` seconds.
pub(super) fn substeps(frame_seconds: f64, longest: f32) -> u32 {
    let by_clock = (frame_seconds / SUBSTEP_SECONDS).ceil() as u32;
    let by_stability = (frame_seconds / f64::from(longest)).ceil() as u32;
    by_clock.max(by_stability.min(MOST_STABLE)).max(1)
}
