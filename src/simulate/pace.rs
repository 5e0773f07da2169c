//! How long substeps are when the scene does not say.

/// Longest substep of a cloth that something collides with, seconds, when the scene does not say how many substeps.
const COLLIDING: f64 = 1.0 / 420.0;
/// Longest substep of one that hangs free: nothing pushes it apart.
const FREE: f64 = 1.0 / 300.0;
/// Substeps of a frame that an explicit integrator gets at most, however stiff the springs are.
const MOST_STABLE: u32 = 10_000;

/// Substeps of a frame of a cloth that `collides` or not: enough for the clock, and for an integrator that is stable up to
/// `longest` seconds.
pub(super) fn substeps(frame_seconds: f64, collides: bool, longest: f32) -> u32 {
    let by_clock = (frame_seconds / if collides { COLLIDING } else { FREE } - 1e-6).ceil() as u32;
    let by_stability = (frame_seconds / f64::from(longest)).ceil() as u32;
    by_clock.max(by_stability.min(MOST_STABLE)).max(1)
}
