//! Local transforms of a rig's nodes at a moment: rest, clip, and the way from one pose to another.

use super::interpolate::{Span, slerp};
use crate::geometry::{DAffine3, DQuat, DVec3, decompose};
use crate::import::{BodyNode, Clip, Interpolation, Rig, Track, TrackValues};

/// How long before its time a held key (STEP) counts, seconds: key times are `f32`, and a frame that is at a key must show it.
const KEY_SLACK: f64 = 1e-4;

/// Translation, rotation and scale of a node relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Local {
    pub(super) translation: DVec3,
    pub(super) rotation: DQuat,
    pub(super) scale: DVec3,
}

impl Local {
    pub(super) fn affine(self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    fn toward(self, other: Local, amount: f64) -> Local {
        Local {
            translation: self.translation.lerp(other.translation, amount),
            rotation: slerp(self.rotation, other.rotation, amount),
            scale: self.scale.lerp(other.scale, amount),
        }
    }

    /// The parts of a matrix; none if it is flat. Shear is left out.
    pub(super) fn of(affine: DAffine3) -> Option<Local> {
        let (translation, rotation, scale) = decompose(affine)?;
        Some(Local { translation, rotation, scale })
    }
}

/// Nodes at rest.
pub(super) fn rest(rig: &Rig) -> Vec<Local> {
    let local = |node: &BodyNode| Local { translation: node.translation, rotation: node.rotation, scale: node.scale };
    rig.nodes.iter().map(local).collect()
}

/// Transforms of all nodes relative to their parents.
pub(super) fn affines(rig: &Rig, locals: &[Local]) -> impl Iterator<Item = DAffine3> {
    rig.nodes.iter().zip(locals).map(|(node, local)| affine(node, *local))
}

/// Transform of a node relative to its parent; a matrix of the file stays.
pub(super) fn affine(node: &BodyNode, local: Local) -> DAffine3 {
    node.matrix.unwrap_or_else(|| local.affine())
}

/// Where `seconds` lies between the keys of a track.
fn span(track: &Track, seconds: f64) -> Span {
    let slack = if track.interpolation == Interpolation::Step { KEY_SLACK } else { 0.0 };
    Span::find(&track.times, seconds + slack)
}

/// Moves `locals` to where `clip` has them at `seconds`; nodes that it does not move stay.
pub(super) fn apply(clip: &Clip, seconds: f64, locals: &mut [Local]) {
    for track in &clip.tracks {
        let Some(local) = locals.get_mut(track.node as usize) else { continue };
        let span = span(track, seconds);
        let (how, lerp) = (track.interpolation, |a: DVec3, b: DVec3, t| a.lerp(b, t));
        let vector = |keys: &[DVec3]| span.value(how, |i| keys.get(i).copied().unwrap_or_default(), lerp);
        match &track.values {
            TrackValues::Translation(keys) => local.translation = vector(keys),
            TrackValues::Scale(keys) => local.scale = vector(keys),
            TrackValues::Rotation(keys) => {
                let rotation = span.value(how, |i| keys.get(i).copied().unwrap_or_default(), slerp);
                local.rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY };
            }
            TrackValues::MorphWeights { .. } => {}
        }
    }
}

/// `from` on the way to `to`.
pub(super) fn between(from: &[Local], to: &[Local], amount: f64) -> Vec<Local> {
    from.iter().zip(to).map(|(from, &to)| from.toward(to, amount)).collect()
}

/// `locals` with a part of the way from `end` to `start` added: what a cycle lacks to close.
pub(super) fn carried_over(locals: &[Local], end: &[Local], start: &[Local], part: f64) -> Vec<Local> {
    let carry = |((local, end), start): ((&Local, &Local), &Local)| Local {
        translation: local.translation + (start.translation - end.translation) * part,
        rotation: (slerp(DQuat::IDENTITY, start.rotation * end.rotation.inverse(), part) * local.rotation).normalize(),
        scale: local.scale + (start.scale - end.scale) * part,
    };
    locals.iter().zip(end).zip(start).map(carry).collect()
}

/// Morph weights that `clip` gives to the mesh of `node` at `seconds`; none if it leaves them alone.
pub(super) fn morph_weights(clip: &Clip, node: u32, seconds: f64) -> Option<Vec<f32>> {
    let mut tracks = clip.tracks.iter().filter(|track| track.node == node);
    tracks.find_map(|track| {
        let TrackValues::MorphWeights { targets, weights } = &track.values else { return None };
        let span = span(track, seconds);
        let stored = |key: usize, target: usize| f64::from(weights.get(key * targets + target).copied().unwrap_or(0.0));
        let line = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let weight = |target| span.value(track.interpolation, |key| stored(key, target), line) as f32;
        Some((0..*targets).map(weight).collect())
    })
}

/// Shortest time from one key to the next, seconds, where a track of `clip` holds its value and jumps; none if none does.
pub(super) fn shortest_hold(clip: &Clip) -> Option<f64> {
    let stepped = clip.tracks.iter().filter(|track| track.interpolation == Interpolation::Step);
    let holds = stepped.flat_map(|track| {
        let changes = (1..track.times.len()).filter(|&key| track.values.changes_at(key)).map(|key| track.times[key]);
        let keys: Vec<f32> = track.times.first().copied().into_iter().chain(changes).collect();
        keys.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0])).collect::<Vec<_>>()
    });
    holds.reduce(f64::min)
}

/// Whether at least half of the tracks that move something hold their values.
pub(super) fn mostly_holds(clip: &Clip) -> bool {
    let moves = |track: &&Track| (1..track.times.len()).any(|key| track.values.changes_at(key));
    let is_stepped = |track: &&Track| track.interpolation == Interpolation::Step;
    let (stepped, flowing): (Vec<&Track>, Vec<&Track>) = clip.tracks.iter().filter(moves).partition(is_stepped);
    stepped.len() >= flowing.len().max(1)
}

/// First and last key of a clip, seconds; (0, 0) without keys.
pub(super) fn clip_range(clip: &Clip) -> (f64, f64) {
    let firsts = clip.tracks.iter().filter_map(|track| track.times.first());
    let lasts = clip.tracks.iter().filter_map(|track| track.times.last());
    let first = firsts.copied().fold(f32::INFINITY, f32::min);
    let last = lasts.copied().fold(f32::NEG_INFINITY, f32::max);
    if first <= last { (f64::from(first), f64::from(last)) } else { (0.0, 0.0) }
}
