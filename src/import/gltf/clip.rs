//! Animations -> [`Clip`]s.

use std::collections::BTreeSet;

use gltf::animation::{Interpolation as GltfInterpolation, Property};

use super::limits::PART_BYTES;
use super::sanitise::Clean;
use super::values::Values;
use crate::geometry::{DQuat, DVec3};
use crate::import::{Clip, Interpolation, Rig, Track, TrackValues};

/// Shortest rotation key that has a direction.
const LEAST_ROTATION: f64 = 1.0e-6;

/// Fewest animations that are one clip in pieces: two may be a choice.
const FEWEST_PIECES: usize = 3;
/// Name of that clip.
const ALL: &str = "all animations";

/// Reads all animations.
pub(super) fn read_clips(clean: &Clean<'_>, rig: &Rig, values: &mut Values<'_, '_>) -> Vec<Clip> {
    let mut clips = Vec::new();
    for animation in clean.document.animations() {
        let index = animation.index();
        let name = animation.name().map_or_else(|| format!("animation {index}"), str::to_owned);
        let mut moved = BTreeSet::new();
        let mut clip = Clip { name, tracks: Vec::new() };
        for channel in animation.channels() {
            if values.is_exhausted() {
                return clips;
            }
            let Some(track) = read_track(&channel, clean, rig, values) else { continue };
            if !moved.insert((track.node, property_of(&track.values))) {
                let node = channel.target().node().index();
                values.notice(format!(
                    "animations[{index}] {:?}: nodes[{node}] is moved twice, the first channel counts",
                    clip.name
                ));
            } else {
                clip.tracks.push(track);
            }
        }
        clips.push(clip);
    }
    if let Some(whole) = joined(&clips) {
        values.notice(format!(
            "each of {} animations moves one node: they are one clip, {:?}",
            clips.len(),
            whole.name
        ));
        return vec![whole];
    }
    clips
}

/// The clip that `clips` are together, if each moves a node of its own: some exporters write an animation for every joint.
fn joined(clips: &[Clip]) -> Option<Clip> {
    let moved = |clip: &Clip| clip.tracks.iter().map(|track| track.node).collect::<BTreeSet<u32>>();
    let all: BTreeSet<u32> = clips.iter().flat_map(moved).collect();
    let are_pieces = clips.len() >= FEWEST_PIECES && clips.iter().all(|clip| moved(clip).len() == 1);
    let tracks = || clips.iter().flat_map(|clip| clip.tracks.iter().cloned()).collect();
    (are_pieces && all.len() == clips.len()).then(|| Clip { name: ALL.to_owned(), tracks: tracks() })
}

/// Translation, rotation, scale or weights, as a number.
fn property_of(values: &TrackValues) -> u8 {
    match values {
        TrackValues::Translation(_) => 0,
        TrackValues::Rotation(_) => 1,
        TrackValues::Scale(_) => 2,
        TrackValues::MorphWeights { .. } => 3,
    }
}

fn read_track(
    channel: &gltf::animation::Channel<'_>,
    clean: &Clean<'_>,
    rig: &Rig,
    values: &mut Values<'_, '_>,
) -> Option<Track> {
    let (animation, target, sampler) = (channel.animation(), channel.target(), channel.sampler());
    let node = clean.tree.places.get(target.node().index()).copied().flatten()?;
    let title = rig.nodes.get(node as usize)?;
    let place = format!("animations[{}], {:?} of node {:?}", animation.index(), target.property(), title.name);
    if title.matrix.is_some() && target.property() != Property::MorphTargetWeights {
        values.notice(format!("{place}: left out, the node has a matrix with shear"));
        return None;
    }
    values.charge(PART_BYTES, &place)?;
    let times = values.numbers(sampler.input().index(), &format!("key times of {place}"))?;
    if let Some(bad) = times.iter().zip(times.iter().skip(1)).position(|(before, after)| after < before) {
        let found = format_args!("key {} before the key before it", bad + 1);
        values.faults.push(
            format_args!("key times of {place} (accessors[{}])", sampler.input().index()),
            found,
            "ascending times",
        );
        return None;
    }
    let interpolation = match sampler.interpolation() {
        GltfInterpolation::Linear => Interpolation::Linear,
        GltfInterpolation::Step => Interpolation::Step,
        GltfInterpolation::CubicSpline => Interpolation::CubicSpline,
    };
    let output = sampler.output().index();
    let keys = times.len();
    let last_of_time: Vec<bool> =
        (0..keys).map(|key| times.get(key + 1).is_none_or(|next| *next > times[key])).collect();
    let twice = last_of_time.iter().filter(|is_last| !**is_last).count();
    if twice > 0 {
        values.notice(format!("{place}: of keys at one time only the last counts ({twice} left out)"));
    }
    let kept_values = match target.property() {
        Property::Translation => TrackValues::Translation(kept(vectors(output, &place, values)?, &last_of_time)),
        Property::Scale => TrackValues::Scale(kept(vectors(output, &place, values)?, &last_of_time)),
        Property::Rotation => {
            TrackValues::Rotation(kept(rotations(output, interpolation, &place, values)?, &last_of_time))
        }
        Property::MorphTargetWeights => {
            let weights = values.numbers(output, &format!("keys of {place}"))?;
            let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
            let targets = weights.len() / (keys * per_key).max(1);
            TrackValues::MorphWeights { targets, weights: kept(weights, &last_of_time) }
        }
    };
    Some(Track { node, times: kept(times, &last_of_time), interpolation, values: kept_values })
}

/// The numbers of the keys that are kept, as many a key as there are.
fn kept<T: Copy>(numbers: Vec<T>, is_kept: &[bool]) -> Vec<T> {
    if !is_kept.contains(&false) {
        return numbers;
    }
    let of_keys = numbers.chunks_exact((numbers.len() / is_kept.len()).max(1)).zip(is_kept);
    of_keys.filter(|(_, is_kept)| **is_kept).flat_map(|(key, _)| key).copied().collect()
}

fn vectors(output: usize, place: &str, values: &mut Values<'_, '_>) -> Option<Vec<DVec3>> {
    let keys = values.vectors(output, &format!("keys of {place}"))?;
    values.charge(24 * keys.len() as u64, place)?;
    Some(keys.into_iter().map(|key| key.as_dvec3()).collect())
}

/// Rotation keys, made unit length; the tangents of a spline stay as they are.
fn rotations(
    output: usize,
    interpolation: Interpolation,
    place: &str,
    values: &mut Values<'_, '_>,
) -> Option<Vec<DQuat>> {
    let numbers = values.numbers(output, &format!("keys of {place}"))?;
    values.charge(8 * numbers.len() as u64, place)?;
    let quaternions = numbers.as_chunks::<4>().0.iter().map(|&xyzw| DQuat::from_array(xyzw.map(f64::from)));
    let mut keys: Vec<DQuat> = quaternions.collect();
    let (first, step) = if interpolation == Interpolation::CubicSpline { (1, 3) } else { (0, 1) };
    for (key, value) in keys.iter_mut().skip(first).step_by(step).enumerate() {
        if value.length() < LEAST_ROTATION {
            let found = format_args!("a quaternion of length 0 in key {key}");
            values.faults.push(format_args!("keys of {place} (accessors[{output}])"), found, "unit quaternions");
            return None;
        }
        *value = value.normalize();
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(nodes: &[u32]) -> Clip {
        let track = |&node: &u32| {
            let values = TrackValues::Translation(vec![DVec3::ZERO]);
            Track { node, times: vec![0.0], interpolation: Interpolation::Linear, values }
        };
        Clip { name: format!("{nodes:?}"), tracks: nodes.iter().map(track).collect() }
    }

    #[test]
    fn of_keys_at_one_time_the_last_is_kept_with_all_its_numbers() {
        let is_kept = [true, false, true];
        assert_eq!(kept(vec![0.0, 1.0, 1.0], &is_kept), [0.0, 1.0]);
        assert_eq!(kept(vec![1, 2, 3, 4, 5, 6], &is_kept), [1, 2, 5, 6]);
        assert_eq!(kept(vec![1, 2], &[true; 2]), [1, 2]);
    }

    #[test]
    fn animations_of_a_joint_each_are_one_clip() {
        let of = |nodes: &[&[u32]]| joined(&nodes.iter().map(|nodes| clip(nodes)).collect::<Vec<_>>());
        let moved = |clip: Clip| clip.tracks.iter().map(|track| track.node).collect::<Vec<_>>();
        assert_eq!(of(&[&[4], &[2, 2], &[7]]).map(moved), Some(vec![4, 2, 2, 7]));
        assert!(of(&[&[4], &[2, 3], &[7]]).is_none(), "one moves several");
        assert!(of(&[&[4], &[2], &[4]]).is_none(), "two move the same");
        assert!(of(&[&[4], &[2]]).is_none() && of(&[&[4], &[], &[7]]).is_none());
    }
}
