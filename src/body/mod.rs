//! [`BodyAsset`] + clip -> a triangle mesh at any moment.
//!
//! ```text
//! clip at t -> local transforms -> world transforms (f64) -> world * inverse bind -> skinned vertices (f32)
//! ```

mod anatomy;
mod bind_pose;
mod error;
mod interpolate;
mod joints;
mod motion;
mod parts;
mod playback;
mod poses;
mod rigged;
mod self_contacts;
mod sequence;
mod skinning;
mod source;

use std::ops::Range;

use rayon::prelude::*;

use self::parts::Parts;
use self::playback::{Closing, Gap, Playback};
use self::rigged::Rigged;
use self::sequence::Sequence;
use self::source::Source;
use crate::geometry::{Aabb, DQuat, DVec3, Vec3, coarse_surface, outward};
use crate::import::{BodyAsset, Rig};

pub use error::BodyError;
pub use joints::JointId;
pub(crate) use joints::lacking;
pub use playback::{Cycle, Speed};
pub use poses::write_poses;
pub use self_contacts::{SelfContact, joined_folds, self_contacts};

/// Frames a second of an OBJ sequence, unless [`Body::with_sequence_rate`] says another.
pub const DEFAULT_SEQUENCE_RATE: f64 = 24.0;

/// A clip whose last pose differs from its first by less than this part of the body's height repeats itself: 1 mm on
/// 1.7 m. Larger lets clips jump at their seam, smaller leaves rounded exports as they are.
const CYCLE_TOLERANCE: f64 = 0.001 / 1.7;
/// Coordinate from which on a body is nowhere, metres: beyond it squares and sums leave the range of 32-bit numbers.
const FARTHEST: f32 = 1e9;
/// Area up to which a triangle is none, square metres: what rounding leaves of corners in one place at 1 m from the origin.
const NO_AREA: f32 = 1e-12;

/// A moment in a body's life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// The pose the skin was bound in: vertices where the mesh itself has them (skinned parts), rigid parts on nodes at rest.
    Bind,
    /// The clip at this many seconds on its own time line, held (or wrapped, for a clip that closes) outside its keys.
    At(f64),
    /// On the way from [`Moment::Bind`] to the clip at `seconds`: joint rotations are interpolated, `amount` in [0, 1].
    FromBind {
        /// Where the way leads.
        seconds: f64,
        /// How far along it.
        amount: f64,
    },
    /// On the straight way from the clip at one time to the clip at another: joint rotations are interpolated, `amount` in [0, 1].
    Between {
        /// Where the way starts and ends, seconds on the clip's time line.
        seconds: [f64; 2],
        /// How far along it.
        amount: f64,
    },
}

/// A body with the clip that moves it. Vertices of all parts one after the other; topology never changes.
#[derive(Clone, Debug)]
pub struct Body {
    source: Source,
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    /// What cloth feels of them, if that is less.
    coarse: Option<Vec<[u32; 3]>>,
    /// Names of the joints of the file, and of the parts behind them.
    joint_names: Vec<String>,
    /// Parts of what moves without joints; the first belongs to the file's.
    parts: Parts,
    /// The joint of that first part.
    jointless: JointId,
    /// First and last key of the file's clip, seconds.
    keys: (f64, f64),
    /// Whether the file's clip closes.
    closes: bool,
    playback: Playback,
    /// First and last moment as played, seconds.
    clip_range: (f64, f64),
    height: f64,
}

impl Body {
    /// A body moved by `clip`: its exact name, else its name in other case, else its number from 0; by the first clip
    /// when none is named. A body without clips stands still at rest.
    ///
    /// # Errors
    /// [`BodyError::UnknownClip`] names the clips there are.
    pub fn new(asset: BodyAsset, clip: Option<&str>) -> Result<Body, BodyError> {
        Ok(match asset {
            BodyAsset::Rig(rig) => Body::of(Source::Rigged(Box::new(Rigged::new(rig, clip)?))),
            BodyAsset::Sequence(sequence) => {
                if let Some(asked) = clip {
                    return Err(BodyError::UnknownClip { asked: asked.to_owned(), clips: Vec::new() });
                }
                Body::of(Source::Sequence(Box::new(Sequence::new(sequence, DEFAULT_SEQUENCE_RATE))))
            }
        })
    }

    /// The same body as its file has it, without those triangles of its rig's parts that are `left_out`.
    pub(crate) fn without_triangles(&self, left_out: &[Vec<bool>]) -> Body {
        let Source::Rigged(body) = &self.source else { return self.clone() };
        let parts = body.rig().parts.iter().zip(left_out);
        let parts = parts.filter_map(|(part, left_out)| part.without_triangles(left_out)).collect();
        let rig = Rig { parts, ..body.rig().clone() };
        Body::of(Source::Rigged(Box::new(body.with_rig(rig))))
    }

    /// The same body as its file has it, in its bind pose where its mesh stands before any joint moves it; none if it stands there. Where
    /// the file rests in a moment of a clip, the roots of its skeleton are elsewhere than they were bound.
    pub(crate) fn bound_as_in_file(&self) -> Option<Body> {
        let Source::Rigged(body) = &self.source else { return None };
        Some(Body::of(Source::Rigged(Box::new(body.bound_as_in_file()?))))
    }

    /// The same body with its OBJ sequence played at `frames_per_second`: the frame numbered `n` is at `n / rate`
    /// seconds. Rigs have their own key times and stay as they are.
    pub fn with_sequence_rate(self, frames_per_second: f64) -> Body {
        match self.source {
            Source::Sequence(sequence) => {
                Body::with_parts(Source::Sequence(Box::new(sequence.at_rate(frames_per_second))), self.parts)
            }
            Source::Rigged(_) => self,
        }
    }

    /// The same body with its clip played at `speed`: all its moments are those of the played clip from now on.
    pub fn at_speed(self, speed: Speed) -> Body {
        let clip_range = (speed.played_seconds(self.keys.0), speed.played_seconds(self.keys.1));
        Body { clip_range, playback: Playback::Once(speed), ..self }
    }

    /// The same body with a part of its clip played round and round. It ends in exactly the pose it starts in: a gap of less
    /// than a millimetre on a person, or any with a [`Cycle::blend`], is taken up before the end.
    ///
    /// # Errors
    /// [`BodyError::Open`] if the gap is larger, [`BodyError::Travels`] if the body goes away over the cycle.
    pub fn looped(self, cycle: Cycle) -> Result<Body, BodyError> {
        let gap = self.gap(&cycle);
        let joint = |vertex| self.joint_names[self.main_joint(vertex).0 as usize].clone();
        playback::check(&gap, &cycle, CYCLE_TOLERANCE * self.height, self.height, joint)?;
        let keys = if self.closes { self.keys } else { (0.0, 0.0) };
        let closing = Closing::of(&cycle, keys);
        let source = match self.source {
            Source::Rigged(body) => Source::Rigged(Box::new(body.closed(closing))),
            Source::Sequence(body) => Source::Sequence(Box::new(body.closed(closing))),
        };
        let (clip_range, playback) = ((cycle.first, cycle.last), Playback::Round(cycle));
        Ok(Body { source, clip_range, playback, ..self })
    }

    /// Seconds of the clip, as the file has it, that are played in one.
    pub(crate) fn clip_rate(&self) -> f64 {
        self.playback.rate()
    }

    /// What separates the end of a cycle from its start.
    fn gap(&self, cycle: &Cycle) -> Gap {
        let pose = |seconds| {
            let mut positions = Vec::new();
            self.source.pose(Moment::At(self.within_keys(seconds)), &mut positions);
            positions
        };
        let [start, end] = [cycle.clip_start, cycle.clip_start + cycle.clip_seconds].map(pose);
        let ways = start.iter().zip(&end).map(|(a, b)| (*b - *a).as_dvec3());
        let (vertex, metres) = (0..).zip(ways.clone()).fold((0, 0.0), |furthest, (vertex, way)| {
            if way.length() > furthest.1 { (vertex, way.length()) } else { furthest }
        });
        let travel = (ways.sum::<DVec3>() / start.len().max(1) as f64).length();
        Gap { vertex, metres, travel }
    }

    fn of(source: Source) -> Body {
        let parts = Parts::new(&source.sampled_frames(), &source.jointless_triangles());
        Body::with_parts(source, parts)
    }

    fn with_parts(source: Source, parts: Parts) -> Body {
        let keys = source.clip_range();
        let (vertex_count, triangles, mut joint_names) = match &source {
            Source::Rigged(body) => (body.vertex_count(), body.triangles(), body.joint_names()),
            Source::Sequence(body) => (body.vertex_count(), body.triangles(), vec![body.name().to_owned()]),
        };
        let jointless = source.jointless();
        let name = joint_names.get(jointless.0 as usize).cloned().unwrap_or_default();
        joint_names.extend((2..=parts.count()).map(|number| format!("{name} part {number}")));
        let playback = Playback::Once(Speed::ONE);
        let mut body = Body {
            source,
            vertex_count,
            triangles: Vec::new(),
            coarse: None,
            joint_names,
            parts,
            jointless,
            keys,
            closes: false,
            playback,
            clip_range: keys,
            height: 0.0,
        };
        let first = body.posed(Moment::At(keys.0));
        body.triangles = outward(&first, &triangles);
        body.coarse = coarse_surface(&first, &body.triangles);
        body.height = {
            let bounds = Aabb::around(&first);
            f64::from((bounds.max.y - bounds.min.y).max(0.0))
        };
        let gap = greatest_distance(&first, &body.posed(Moment::At(keys.1)));
        body.closes = keys.1 > keys.0 && gap <= CYCLE_TOLERANCE * body.height;
        body
    }

    /// Number of vertices of all parts.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Triangles of all parts, facing outward also where the file has them the other way round or a node mirrors its mesh.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The triangles that cloth touches: all of them, unless thousands are needles or lie in one place. Then vertices of needles
    /// that are nearly in one place are one here, and what has no area left is left out.
    pub fn surface(&self) -> &[[u32; 3]] {
        self.coarse.as_ref().unwrap_or(&self.triangles)
    }

    /// Says how much of the body cloth does not feel, if any.
    pub fn coarse_notice(&self) -> Option<String> {
        let (felt, all) = (self.coarse.as_ref()?.len(), self.triangles.len());
        Some(format!(
            "{} of the body's {all} triangles are needles or lie in the same place as others: cloth meets a coarser body of \
             {felt} triangles, vertices next to each other taken as one",
            all - felt
        ))
    }

    /// First and last moment of the clip as it is played, seconds; (0, 0) without a clip.
    pub fn clip_range(&self) -> (f64, f64) {
        self.clip_range
    }

    /// Whether it stands still at all moments of its clip.
    pub fn is_still(&self) -> bool {
        self.clip_range.0 == self.clip_range.1
    }

    /// Whether the clip's last pose is its first (within a millimetre for a person), so that it is repeated outside its keys;
    /// or it is played as a loop.
    pub fn is_cyclic(&self) -> bool {
        self.closes || matches!(self.playback, Playback::Round(_))
    }

    /// Shortest time for which the clip holds a pose before it jumps to the next (STEP keys), as played, seconds; none if it does
    /// not.
    pub fn shortest_hold(&self) -> Option<f64> {
        let Source::Rigged(body) = &self.source else { return None };
        let hold = body.clip().and_then(motion::shortest_hold)?;
        let [played, clip] = [self.clip_range, self.keys].map(|(first, last)| last - first);
        Some(if clip > 0.0 { hold * played / clip } else { hold })
    }

    /// Whether most of what moves in the clip holds its poses (STEP keys), not just the ends of fingers.
    pub fn mostly_holds(&self) -> bool {
        let Source::Rigged(body) = &self.source else { return false };
        body.clip().is_some_and(motion::mostly_holds)
    }

    /// Height of the body in the first pose of its clip, metres.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// The rig, unless the body is an OBJ sequence.
    pub fn rig(&self) -> Option<&Rig> {
        match &self.source {
            Source::Rigged(body) => Some(body.rig()),
            Source::Sequence(_) => None,
        }
    }

    /// Name of the clip in force.
    pub fn clip_name(&self) -> Option<&str> {
        match &self.source {
            Source::Rigged(body) => body.clip().map(|clip| clip.name.as_str()),
            Source::Sequence(_) => None,
        }
    }

    /// Where each part's vertices are among all vertices, in the order of [`Rig::parts`]; one range for a sequence.
    pub fn part_vertices(&self) -> Vec<Range<u32>> {
        match &self.source {
            Source::Rigged(body) => body.part_vertices(),
            Source::Sequence(_) => std::iter::once(0..self.vertex_count as u32).collect(),
        }
    }

    /// Where positions count from, metres in the world: its origin, unless the body is far away from it at such a moment. The bind
    /// pose may lie elsewhere than the clip; everything else counts from where the clip begins.
    pub fn origin(&self, moment: Moment) -> DVec3 {
        match &self.source {
            Source::Rigged(body) => body.origin(moment),
            Source::Sequence(_) => DVec3::ZERO,
        }
    }

    /// Where the body is as a whole at `moment`, metres in the world: the mean of its joints by how much each moves of it.
    pub fn middle(&self, moment: Moment) -> DVec3 {
        match &self.source {
            Source::Rigged(body) => body.middle_at(self.in_clip(moment)),
            Source::Sequence(body) => {
                let mut positions = Vec::new();
                body.pose(self.in_clip(moment), &mut positions);
                positions.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / positions.len().max(1) as f64
            }
        }
    }

    /// The way by which the bind pose comes to stand where the clip is at `seconds`, metres; zero where that is near.
    pub fn way_to_clip(&self, seconds: f64) -> DVec3 {
        match (&self.source, self.in_clip(Moment::At(seconds))) {
            (Source::Rigged(body), Moment::At(seconds)) => body.way_to_clip(seconds),
            _ => DVec3::ZERO,
        }
    }

    /// The same body with its bind pose standing elsewhere, by so many metres.
    pub(crate) fn with_bind_moved(self, way: DVec3) -> Body {
        match self.source {
            Source::Rigged(body) => Body { source: Source::Rigged(Box::new(body.with_bind_moved(way))), ..self },
            Source::Sequence(_) => self,
        }
    }

    /// The same body with its positions counted from other points.
    pub(crate) fn counted_from(self, bind: DVec3, clip: DVec3) -> Body {
        match self.source {
            Source::Rigged(body) => Body { source: Source::Rigged(Box::new(body.counted_from(bind, clip))), ..self },
            Source::Sequence(_) => self,
        }
    }

    /// Vertex positions at `moment`, metres, counted from [`Body::origin`]. `positions` is cleared and filled with [`Body::vertex_count`] entries.
    pub fn pose(&self, moment: Moment, positions: &mut Vec<Vec3>) {
        positions.clear();
        positions.reserve(self.vertex_count);
        self.source.pose(self.in_clip(moment), positions);
    }

    /// Makes sure that all vertices are somewhere at these moments of the clip, seconds, and at rest, and that it has a surface
    /// at rest or at the first of them.
    ///
    /// # Errors
    /// [`BodyError::Far`] names the first moment and vertex that are not; [`BodyError::NoSurface`].
    pub fn check_places(&self, seconds: &[f64]) -> Result<(), BodyError> {
        let is_near = |p: &Vec3| p.abs().max_element() < FARTHEST;
        let lost = |moment| self.posed(moment).iter().position(|p| !is_near(p));
        let far = |seconds: f64, vertex: usize| {
            let joint = self.joint_names[self.main_joint(vertex as u32).0 as usize].clone();
            BodyError::Far { seconds, vertex, joint, limit: FARTHEST }
        };
        if let Some(vertex) = lost(Moment::Bind) {
            return Err(far(0.0, vertex));
        }
        let found = seconds.par_iter().find_map_first(|&at| Some((at, lost(Moment::At(at))?)));
        if let Some((at, vertex)) = found {
            return Err(far(at, vertex));
        }
        let first = seconds.first().copied().map(Moment::At);
        if std::iter::once(Moment::Bind).chain(first).any(|moment| self.has_surface(moment)) {
            return Ok(());
        }
        Err(BodyError::NoSurface { triangles: self.triangles().len() })
    }

    fn has_surface(&self, moment: Moment) -> bool {
        let pose = self.posed(moment);
        self.triangles().iter().any(|corners| {
            let [a, b, c] = corners.map(|corner| pose[corner as usize]);
            0.5 * (b - a).cross(c - a).length() > NO_AREA
        })
    }

    fn posed(&self, moment: Moment) -> Vec<Vec3> {
        let mut positions = Vec::new();
        self.pose(moment, &mut positions);
        positions
    }

    /// Translation, rotation (unit length) and scale of every node of the rig relative to its parent, or to the world's origin; empty for a
    /// sequence. A node with [`BodyNode::matrix`](crate::import::BodyNode::matrix) keeps that matrix instead.
    pub fn node_transforms_local(&self, moment: Moment) -> Vec<(DVec3, DQuat, DVec3)> {
        let Source::Rigged(body) = &self.source else { return Vec::new() };
        let locals = body.locals(self.in_clip(moment));
        locals.into_iter().map(|local| (local.translation, local.rotation, local.scale)).collect()
    }

    /// Weights of the morph targets of part `part`, one a target.
    pub fn morph_weights(&self, part: usize, moment: Moment) -> Vec<f32> {
        match &self.source {
            Source::Rigged(body) => body.morph_weights(part, self.in_clip(moment)),
            Source::Sequence(_) => Vec::new(),
        }
    }

    /// Seconds of the clip, brought between its keys if it repeats itself.
    fn within_keys(&self, seconds: f64) -> f64 {
        let (first, last) = self.keys;
        if !self.closes || (first..=last).contains(&seconds) {
            return seconds;
        }
        first + (seconds - first).rem_euclid(last - first)
    }

    /// `moment` as played -> that of the clip.
    fn in_clip(&self, moment: Moment) -> Moment {
        let in_clip = |seconds| self.within_keys(self.playback.clip_seconds(seconds));
        match moment {
            Moment::Bind => Moment::Bind,
            Moment::At(seconds) => Moment::At(in_clip(seconds)),
            Moment::FromBind { seconds, amount } => Moment::FromBind { seconds: in_clip(seconds), amount },
            Moment::Between { seconds, amount } => Moment::Between { seconds: seconds.map(in_clip), amount },
        }
    }
}

fn greatest_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    let squared = a.iter().zip(b).map(|(a, b)| f64::from(a.distance_squared(*b)));
    squared.fold(0.0, f64::max).sqrt()
}
