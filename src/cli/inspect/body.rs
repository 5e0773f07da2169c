//! What is in a body.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::size_advice;
use crate::body::{Body, Moment};
use crate::cli::failure::Failure;
use crate::geometry::Aabb;
use crate::import::{BodyAsset, BodyPart, Clip, Rig, Unit};

/// Frame rates that clips are usually sampled at.
const USUAL_RATES: [f64; 9] = [12.0, 15.0, 24_000.0 / 1001.0, 24.0, 25.0, 30_000.0 / 1001.0, 30.0, 50.0, 60.0];
/// Part of a rate by which the keys may miss it; less than the NTSC rates differ from the whole ones.
const RATE_TOLERANCE: f64 = 5e-4;

/// What to do about clothes that a body has on.
const CLOTHES: &str = "clothes that it has on: --garment with this file names and numbers what is in it";

/// What is in a body.
#[derive(Debug, Serialize)]
pub(super) struct BodyFacts {
    pub(super) file: PathBuf,
    pub(super) parts: Vec<PartFacts>,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
    pub(super) joints: Vec<String>,
    pub(super) clips: Vec<ClipFacts>,
    /// In the bind pose, metres.
    pub(super) height: f32,
    /// What is odd.
    pub(super) notices: Vec<String>,
    /// What to do about it.
    pub(super) advice: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct PartFacts {
    pub(super) name: String,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
    /// Whether a skin moves it, not its node alone.
    pub(super) is_skinned: bool,
}

/// An animation.
#[derive(Debug, Serialize)]
pub(super) struct ClipFacts {
    pub(super) name: String,
    /// Time of the first key, seconds.
    pub(super) start: f64,
    /// From the first key to the last, seconds.
    pub(super) seconds: f64,
    /// Keys of the track that has most.
    pub(super) keys: usize,
    /// Rate the keys are sampled at, if evenly.
    pub(super) fps: Option<f64>,
    /// Whether the last pose is the first.
    pub(super) is_closed: bool,
}

impl BodyFacts {
    pub(super) fn of(file: &Path, rig: &Rig, read_in: Unit) -> Result<BodyFacts, Failure> {
        let clips = rig.clips.iter().map(|clip| ClipFacts::of(clip, rig)).collect::<Result<Vec<_>, Failure>>()?;
        let at_rest = body_with(rig, None)?;
        let mut pose = Vec::new();
        at_rest.pose(Moment::Bind, &mut pose);
        let height = Aabb::around(&pose).size().y;
        let advice = size_advice(height, read_in, "body-units")
            .into_iter()
            .chain(clip_advice(&clips))
            .chain([CLOTHES.to_owned()]);
        Ok(BodyFacts {
            file: file.to_owned(),
            parts: rig.parts.iter().map(PartFacts::of).collect(),
            vertices: at_rest.vertex_count(),
            triangles: at_rest.triangles().len(),
            joints: at_rest.joint_names().to_vec(),
            clips,
            height,
            notices: rig.notices.clone(),
            advice: advice.collect(),
        })
    }
}

impl PartFacts {
    fn of(part: &BodyPart) -> PartFacts {
        PartFacts {
            name: part.name.clone(),
            vertices: part.positions.len(),
            triangles: part.triangles.len(),
            is_skinned: part.skin.is_some(),
        }
    }
}

impl ClipFacts {
    fn of(clip: &Clip, rig: &Rig) -> Result<ClipFacts, Failure> {
        let body = body_with(rig, Some(&clip.name))?;
        let (start, end) = body.clip_range();
        let longest = clip.tracks.iter().map(|t| t.times.as_slice()).max_by_key(|times| times.len()).unwrap_or(&[]);
        Ok(ClipFacts {
            name: clip.name.clone(),
            start,
            seconds: end - start,
            keys: longest.len(),
            fps: sampling_rate(longest),
            is_closed: body.is_cyclic(),
        })
    }
}

fn body_with(rig: &Rig, clip: Option<&str>) -> Result<Body, Failure> {
    Ok(Body::new(BodyAsset::Rig(rig.clone()), clip)?)
}

/// The rate at which most keys follow each other; a usual one where it is close.
fn sampling_rate(times: &[f32]) -> Option<f64> {
    let mut gaps: Vec<f64> = times.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0])).collect();
    gaps.sort_by(f64::total_cmp);
    let median = *gaps.get(gaps.len() / 2)?;
    // The mean over the gaps near the median: single gaps are rounded to f32.
    let near: Vec<f64> = gaps.into_iter().filter(|gap| (gap / median - 1.0).abs() < 0.1).collect();
    let rate = near.len() as f64 / near.iter().sum::<f64>();
    let usual = USUAL_RATES.into_iter().find(|usual| (rate / usual - 1.0).abs() < RATE_TOLERANCE);
    usual.or(Some(rate)).filter(|rate| rate.is_finite())
}

fn clip_advice(clips: &[ClipFacts]) -> Option<String> {
    match clips {
        [] => Some("it has no animation: it will stand still".to_owned()),
        [_] => None,
        [first, ..] => Some(format!("choose its animation: --animation \"{}\"", first.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::sampling_rate;

    #[test]
    fn evenly_sampled_keys_tell_their_rate() {
        let keys = |rate: f64| (0..40).map(|k| (f64::from(k) / rate) as f32).collect::<Vec<_>>();
        assert_eq!(sampling_rate(&keys(24.0)), Some(24.0));
        assert_eq!(sampling_rate(&keys(30_000.0 / 1001.0)), Some(30_000.0 / 1001.0));
        assert!((sampling_rate(&keys(17.0)).unwrap() - 17.0).abs() < 0.01);
        assert_eq!(sampling_rate(&[0.5]), None);
    }
}
