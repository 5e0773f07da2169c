//! When a node is shown, and which target it shows in which frame.

use std::collections::BTreeMap;

use super::super::claim::Claim;
use super::super::fault::Fault;
use super::Stop;
use super::document::{Document, Sampler};
use super::file::Numbers;

/// Part of a time that `f32` rounds away, and what two ways to work it out differ by.
const TIME_ROUNDING: f64 = 4.0 / (1 << 24) as f64;

/// Keys of the scale of a node: away, there, away.
const MOST_SWITCHES: usize = 3;

/// The keys of a node.
#[derive(Debug)]
pub(super) struct Timing {
    /// Frame of the bake that is its first.
    first: usize,
    /// Target in each of its frames; none is the base.
    targets: Vec<Option<usize>>,
    /// Times from which on it is shown or not, ascending; before the first, `is_shown_at_first`.
    switches: Vec<(f64, bool)>,
    is_shown_at_first: bool,
}

impl Timing {
    /// The keys of `node`, whose mesh has `target_count` targets.
    pub(super) fn read(
        document: &Document,
        channels: &Channels<'_>,
        numbers: &mut Numbers,
        claim: &Claim,
        node: usize,
        target_count: usize,
    ) -> Result<Timing, Stop> {
        let (first, targets) = match channels.sampler(document, node, "weights")? {
            Some(sampler) => weights(document, numbers, claim, sampler, target_count)?,
            None => (0, vec![None]),
        };
        let switches = match channels.sampler(document, node, "scale")? {
            Some(sampler) => switches(document, numbers, sampler)?,
            None => Vec::new(),
        };
        let scale = document.nodes.get(node).map_or([1.0; 3], |node| node.scale);
        let is_shown_at_first = is_shown(scale).ok_or(Fault::Reference { what: "node", index: node })?;
        Ok(Timing { first, targets, switches, is_shown_at_first })
    }

    /// Number of its frames.
    pub(super) fn key_count(&self) -> usize {
        self.targets.len()
    }

    /// Whether the node is shown in frame `index`.
    pub(super) fn is_shown(&self, index: usize, claim: &Claim) -> bool {
        let time = seconds(claim, index);
        let past = self.switches.iter().take_while(|(at, _)| *at <= time + slack(time));
        past.last().map_or(self.is_shown_at_first, |&(_, is_shown)| is_shown)
    }

    /// What the node shows in frame `index`; none if that is no frame of its own.
    pub(super) fn target(&self, index: usize) -> Option<Option<usize>> {
        self.targets.get(index.checked_sub(self.first)?).copied()
    }
}

/// Time of frame `index` in the outputs, seconds.
fn seconds(claim: &Claim, index: usize) -> f64 {
    claim.frame_number(index) as f64 / claim.frames.fps
}

fn slack(time: f64) -> f64 {
    TIME_ROUNDING * time.abs().max(1e-3)
}

/// What moves nodes: found once for all of them.
pub(super) struct Channels<'d> {
    /// Animation and sampler of each path of each node.
    samplers: BTreeMap<(usize, &'d str), Vec<(usize, usize)>>,
}

impl<'d> Channels<'d> {
    pub(super) fn of(document: &'d Document) -> Channels<'d> {
        let mut samplers: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (number, animation) in document.animations.iter().enumerate() {
            for channel in &animation.channels {
                if let Some(node) = channel.target.node {
                    samplers.entry((node, channel.target.path.as_str())).or_default().push((number, channel.sampler));
                }
            }
        }
        Channels { samplers }
    }

    /// What moves `path` of a node; none if nothing does.
    fn sampler(&self, document: &'d Document, node: usize, path: &str) -> Result<Option<&'d Sampler>, Fault> {
        match self.samplers.get(&(node, path)).map_or(&[][..], |found| found) {
            [] => Ok(None),
            &[(animation, sampler)] => {
                let found = document.animations.get(animation).and_then(|animation| animation.samplers.get(sampler));
                found.map(Some).ok_or(Fault::Reference { what: "sampler", index: sampler })
            }
            &[_, (_, sampler), ..] => Err(Fault::Reference { what: "sampler", index: sampler }),
        }
    }
}

/// First frame, and the target in each frame from there.
fn weights(
    document: &Document,
    numbers: &mut Numbers,
    claim: &Claim,
    sampler: &Sampler,
    target_count: usize,
) -> Result<(usize, Vec<Option<usize>>), Stop> {
    if sampler.interpolation != "LINEAR" {
        return Err(Fault::Format { what: "linear keys of its weights" }.into());
    }
    let times = numbers.floats(document, sampler.input, "SCALAR")?;
    let start = times.first().map_or(0.0, |&time| f64::from(time));
    let first = (start * claim.frames.fps).round() - claim.frames.start_frame as f64;
    if !(first >= 0.0 && first + times.len() as f64 <= claim.frame_count() as f64) {
        return Err(Fault::FrameCount { found: times.len() as u64, expected: claim.frame_count() }.into());
    }
    let first = first as usize;
    for (index, &time) in (first..).zip(&times) {
        let expected = seconds(claim, index);
        // A time that is no number is not near it either.
        let is_near = (f64::from(time) - expected).abs() <= slack(expected);
        if !is_near {
            let found = f64::from(time);
            return Err(Fault::Times { found, expected, what: "time of a frame" }.into());
        }
    }
    let mut targets = vec![None; times.len()];
    let stray = || Fault::Reference { what: "weights of accessor", index: sampler.output };
    let count = document.accessors.get(sampler.output).map(|accessor| accessor.count);
    if count != (times.len() as u64).checked_mul(target_count as u64) {
        return Err(stray().into());
    }
    for (place, weight) in numbers.nonzero(document, sampler.output)? {
        let [key, target] = [place / target_count as u64, place % target_count as u64].map(|n| n as usize);
        let slot = targets.get_mut(key).filter(|slot| slot.is_none() && weight == 1.0);
        *slot.ok_or_else(stray)? = Some(target);
    }
    Ok((first, targets))
}

/// Times from which on a node is shown or not.
fn switches(document: &Document, numbers: &mut Numbers, sampler: &Sampler) -> Result<Vec<(f64, bool)>, Stop> {
    if sampler.interpolation != "STEP" {
        return Err(Fault::Format { what: "scale that holds until the next key" }.into());
    }
    let times = numbers.floats(document, sampler.input, "SCALAR")?;
    if times.len() > MOST_SWITCHES {
        return Err(Fault::Format { what: "cloth that comes and goes once" }.into());
    }
    let scales = numbers.floats(document, sampler.output, "VEC3")?;
    let shown = scales.chunks_exact(3).map(|scale| is_shown([0, 1, 2].map(|axis| f64::from(scale[axis]))));
    let stray = || Fault::Reference { what: "scales of accessor", index: sampler.output };
    let shown: Vec<bool> = shown.collect::<Option<_>>().ok_or_else(stray)?;
    if shown.len() != times.len() || !times.windows(2).all(|pair| pair[0] < pair[1]) {
        return Err(stray().into());
    }
    Ok(times.into_iter().map(f64::from).zip(shown).collect())
}

/// Whether a node of this scale is there; none for what is neither there nor away.
fn is_shown(scale: [f64; 3]) -> Option<bool> {
    match scale {
        [1.0, 1.0, 1.0] => Some(true),
        [0.0, 0.0, 0.0] => Some(false),
        _ => None,
    }
}
