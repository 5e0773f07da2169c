//! Stretch and jitter near joints: what tells knees from the rest of a skirt.

use std::str::FromStr;

use serde::Serialize;

use super::motion::{of_cache, shivers, spans_cut};
use super::percentiles::percentiles;
use super::stretch::Edges;
use crate::body::{Body, Moment};
use crate::geometry::Vec3;
use crate::simulate::PointCache;
use crate::topology::{ParticleId, Topology};

/// Surroundings of a joint: `shin_l:0.15`.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// Name of the joint.
    pub joint: String,
    /// Metres around it.
    pub radius: f32,
}

/// Text that is no [`Surroundings`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no JOINT:RADIUS, as in shin_l:0.15")]
pub struct SurroundingsError(String);

impl FromStr for Surroundings {
    type Err = SurroundingsError;

    fn from_str(text: &str) -> Result<Surroundings, SurroundingsError> {
        let error = || SurroundingsError(text.to_owned());
        let (joint, radius) = text.rsplit_once(':').ok_or_else(error)?;
        let radius = radius.parse().ok().filter(|r: &f32| *r > 0.0 && r.is_finite()).ok_or_else(error)?;
        Ok(Surroundings { joint: joint.to_owned(), radius })
    }
}

/// What cloth near some joints does, over all frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Near {
    /// Edges whose middle is near, in the mean of the frames.
    pub edges: f64,
    /// 95 % of them are stretched less.
    pub p95: f64,
    /// The most stretched of them.
    pub max: f64,
    /// High-frequency acceleration of the particles that are near, m/s2, but for where the body jumps; none for fewer than 7 frames.
    pub jitter_m_s2: Option<f64>,
}

/// Measures the cloth within any of `places` of `body`, which jumps into the frames of `cuts`; none without places. A joint that the body
/// does not have is passed over.
pub fn measure(
    cache: &PointCache,
    topology: &Topology,
    body: &Body,
    cuts: &[i64],
    places: &[Surroundings],
) -> Option<Near> {
    if places.is_empty() || cache.frames.is_empty() {
        return None;
    }
    let centres: Vec<Vec<(Vec3, f32)>> = (0..cache.frames.len()).map(|i| centres(cache, i, body, places)).collect();
    let is_near = |frame: usize, p: Vec3| centres[frame].iter().any(|&(c, r)| c.distance_squared(p) < r * r);
    let edges = Edges::new(topology);
    let (mut near, mut stretches) = (Vec::new(), Vec::new());
    for (index, frame) in cache.frames.iter().enumerate() {
        let middle = |[a, b]: [ParticleId; 2]| frame[a.index()].midpoint(frame[b.index()]);
        edges.stretches(frame, &mut stretches);
        let of_frame = edges.ends.iter().zip(&stretches).filter(|&(&ends, _)| is_near(index, middle(ends)));
        near.extend(of_frame.map(|(_, stretch)| *stretch));
    }
    let [p95] = percentiles(&mut near, [0.95]);
    Some(Near {
        edges: near.len() as f64 / cache.frames.len() as f64,
        p95: f64::from(p95),
        max: f64::from(near.iter().copied().fold(0.0, f32::max)),
        jitter_m_s2: jitter(cache, &of_cache(cuts, cache), is_near),
    })
}

fn centres(cache: &PointCache, index: usize, body: &Body, places: &[Surroundings]) -> Vec<(Vec3, f32)> {
    let transforms = body.joint_transforms(Moment::At(cache.timeline.clip_seconds(index)));
    let centre = |place: &Surroundings| {
        let joint = body.joint_named(&place.joint)?;
        Some((transforms.get(joint.0 as usize)?.translation.as_vec3(), place.radius))
    };
    places.iter().filter_map(centre).collect()
}

fn jitter(cache: &PointCache, cuts: &[i64], is_near: impl Fn(usize, Vec3) -> bool) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for particle in 0..cache.frames.first()?.len() {
        for (frame, shiver) in shivers(&cache.frames, cache.timeline.fps.per_second(), particle) {
            if is_near(frame, cache.frames[frame][particle]) && !spans_cut(frame as i64, cuts) {
                sum += shiver;
                count += 1;
            }
        }
    }
    (count > 0).then(|| (sum / count as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_are_a_joint_and_a_radius() {
        assert_eq!("a:b:0.5".parse(), Ok(Surroundings { joint: "a:b".to_owned(), radius: 0.5 }));
        for text in ["shin", "shin:", "shin:-1", "shin:wide"] {
            assert!(text.parse::<Surroundings>().is_err(), "{text}");
        }
    }
}
