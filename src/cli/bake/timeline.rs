//! Which frames are baked when nobody said.

use crate::body::Body;
use crate::preset::Scene;
use crate::simulate::Timeline;

/// Last frame of a bake that nothing gives a length.
const LAST_FRAME: i64 = 119;
/// Part of a frame by which a key may miss a frame and still be on it.
const ON_FRAME: f64 = 1e-3;

/// The frames of `scene`; the whole clip of its body if the scene does not say, four seconds if nothing moves.
pub(super) fn timeline(scene: &Scene, body: Option<&Body>) -> Timeline {
    let clip = body.map(Body::clip_range).filter(|(start, end)| end > start);
    let (first, last) = scene.frames.unwrap_or_else(|| match clip {
        Some((start, end)) => whole_frames(start * scene.fps.per_second(), end * scene.fps.per_second()),
        None => (0, LAST_FRAME),
    });
    Timeline { first, last, fps: scene.fps, start_frame: scene.start_frame }
}

/// First and last frame inside the clip; at least one.
fn whole_frames(start: f64, end: f64) -> (i64, i64) {
    let first = (start - ON_FRAME).ceil() as i64;
    (first, ((end + ON_FRAME).floor() as i64).max(first))
}

#[cfg(test)]
mod tests {
    use super::whole_frames;

    #[test]
    fn a_clip_is_baked_from_its_first_to_its_last_whole_frame() {
        assert_eq!(whole_frames(0.0, 32.0), (0, 32));
        assert_eq!(whole_frames(1.25, 60.000_01), (2, 60));
        assert_eq!(whole_frames(1.000_01, 30.6), (1, 30));
        assert_eq!(whole_frames(0.2, 0.4), (1, 1));
    }
}
