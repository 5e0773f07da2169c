//! Methods side by side on the same scene: figures, a table, a picture.

mod colliders;
mod picture;
mod table;

use std::collections::BTreeMap;

use serde::Serialize;

pub use picture::picture;

use super::motion::{Energy, energy, rest_frame};
use super::near::{self, Near, Surroundings};
use super::self_contacts::SelfContacts;
use super::stretch::{self, StretchFigures};
use super::{FramesReport, GarmentReport, Motion, SpringsReport, Subject, Switches, penetration, switches};
use crate::simulate::{Parameters, Simulation};

/// All methods on one scene. The keys of its JSON are stable.
#[derive(Clone, Debug, Serialize)]
pub struct SceneComparison {
    /// Name of the scene.
    pub scene: String,
    /// What it shows.
    pub description: String,
    /// Where it comes from and what that source reports; empty for a scene of one's own.
    pub source: String,
    /// The garment's mesh.
    pub garment: GarmentReport,
    /// Number of springs.
    pub springs: SpringsReport,
    /// Correction maps, in the default order of springs, limit 1.
    pub maps: BTreeMap<String, MapCost>,
    /// Frames compared.
    pub frames: FramesReport,
    /// One a method, in the order asked for.
    pub trials: Vec<Trial>,
}

/// What a correction map takes.
#[derive(Clone, Debug, Serialize)]
pub struct MapCost {
    /// Length of the ordered list.
    pub corrections: usize,
    /// Dependency levels.
    pub levels: u32,
    /// Particles no spring path reaches.
    pub unreached: usize,
    /// Time to build it.
    pub milliseconds: f64,
}

/// What was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrialOf {
    /// The method, as `--methods` says it.
    pub method: String,
    /// Order of the kinds of springs in the correction map; none for the default.
    pub order: Option<&'static str>,
    /// What holds the cloth beside its pins, as `--states` says it; none: as the scene has it.
    pub states: Option<String>,
    /// What integrates the forces.
    pub integrator: String,
    /// Whether stretch is enforced at all.
    pub enforced: bool,
    /// Passes over the springs or the map a substep; none for methods without.
    pub passes: Option<u32>,
    /// Most substeps of a frame.
    pub substeps: u32,
}

/// One method on the scene.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Trial {
    /// What was tried.
    #[serde(flatten)]
    pub of: TrialOf,
    /// Where it blew up; all figures are of the frames before.
    pub diverged: Option<Divergence>,
    /// Median time of a frame, one thread.
    pub milliseconds_per_frame: Option<f64>,
    /// Time beyond that of the same integrator with nothing enforced, as a part of the latter; none when that was not tried.
    pub overhead: Option<f64>,
    /// Stretch of mesh edges; none when no frame was finished.
    pub stretch: Option<TrialStretch>,
    /// Jitter.
    pub motion: Motion,
    /// The cloth near some joints; none when no places were named.
    pub near: Option<Near>,
    /// What switches of the collision state did.
    pub switches: Switches,
    /// Energy.
    pub energy: Option<Energy>,
    /// Cloth inside the body and colliders; none without either.
    pub inside: Option<Inside>,
    /// When the cloth came to rest; none if it never did.
    pub rest: Option<Rest>,
    /// What is doubtful about the method in this scene, in plain words.
    pub notices: Vec<String>,
}

/// Where a method blew up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Divergence {
    /// Frame, as on the clip's time line.
    pub frame: i64,
    /// What happened, in plain words.
    pub reason: String,
}

/// Stretch under one method, (length - rest) / rest.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TrialStretch {
    /// Half of all edges of all frames are stretched less.
    pub p50: f64,
    /// 95 % are stretched less.
    pub p95: f64,
    /// The most stretched edge of any frame.
    pub max: f64,
    /// Its frame.
    pub peak_frame: i64,
    /// Means over the later half of the frames.
    pub last_half: StretchFigures,
    /// 95th percentile of each frame.
    pub p95_of_frames: Vec<f32>,
}

/// How much cloth is inside something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Inside {
    /// Depth of the deepest vertex, millimetres.
    pub max_mm: f64,
    /// Number of (vertex, frame) pairs deeper than 1 mm.
    pub vertex_frames: u64,
}

/// When the cloth came to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rest {
    /// Scene time from the first frame, seconds.
    pub seconds: f64,
    /// Computing time up to then, milliseconds.
    pub milliseconds: f64,
    /// Index of the frame.
    #[serde(skip)]
    pub index: usize,
}

impl SceneComparison {
    /// A comparison of no method yet.
    pub fn new(subject: &Subject<'_>, description: &str, source: &str, maps: BTreeMap<String, MapCost>) -> Self {
        SceneComparison {
            scene: subject.scene.to_owned(),
            description: description.to_owned(),
            source: source.to_owned(),
            garment: GarmentReport::of(subject.garment, subject.topology, subject.simulated),
            springs: SpringsReport::of(subject.springs),
            maps,
            frames: FramesReport::of(&subject.simulation.cache.timeline, &subject.simulation.cuts),
            trials: Vec::new(),
        }
    }

    /// Fills in what each method takes beyond the same integrator with nothing enforced.
    pub fn compare_times(&mut self) {
        let bare = |of: &TrialOf| {
            let same = |t: &&Trial| !t.of.enforced && t.of.integrator == of.integrator && t.of.substeps == of.substeps;
            self.trials.iter().find(same)?.milliseconds_per_frame
        };
        let overhead = |t: &Trial| Some(t.milliseconds_per_frame? / bare(&t.of)? - 1.0).filter(|_| t.of.enforced);
        let overheads: Vec<Option<f64>> = self.trials.iter().map(overhead).collect();
        for (trial, overhead) in self.trials.iter_mut().zip(overheads) {
            trial.overhead = overhead;
        }
    }
}

impl Trial {
    /// Measures the finished frames of a method; times come from [`Trial::with_times`].
    pub fn measure(
        of: TrialOf,
        diverged: Option<Divergence>,
        subject: &Subject<'_>,
        parameters: &Parameters,
        places: &[Surroundings],
    ) -> Trial {
        let Subject { topology, springs, body, cache, simulation: Simulation { notices, cuts, .. }, .. } = *subject;
        let notices = notices.clone();
        if cache.frames.is_empty() {
            return Trial { of, diverged, notices, ..Trial::default() };
        }
        let contacts = SelfContacts::default();
        let measured = |body| penetration::measure(cache, topology, (body, subject.start), &contacts, None);
        let of_body = body.map(measured);
        let of_body = of_body.map(|p| Inside { max_mm: p.max_mm, vertex_frames: p.vertex_frames });
        let rest = |index: usize| Rest { seconds: cache.timeline.fps.seconds(index as i64), milliseconds: 0.0, index };
        Trial {
            rest: rest_frame(cache).filter(|_| diverged.is_none()).map(rest),
            of,
            diverged,
            milliseconds_per_frame: None,
            overhead: None,
            stretch: Some(trial_stretch(subject)),
            motion: Motion::of(cache, cuts),
            near: body.and_then(|body| near::measure(cache, topology, body, cuts, places)),
            switches: switches::measure(subject.simulation),
            notices,
            energy: energy(cache, topology, springs, parameters),
            inside: colliders::inside(cache, topology, &parameters.colliders).into_iter().chain(of_body).reduce(worse),
        }
    }

    /// The trial with the computing time of each frame. Without a preroll nothing is computed for the first: it is left out.
    pub fn with_times(self, milliseconds: &[f64]) -> Trial {
        let computed = milliseconds.get(1..).unwrap_or(&[]);
        let rest = self.rest.map(|rest| Rest { milliseconds: milliseconds.iter().take(rest.index + 1).sum(), ..rest });
        Trial { milliseconds_per_frame: median(computed), rest, ..self }
    }
}

fn trial_stretch(subject: &Subject<'_>) -> TrialStretch {
    let topology = subject.topology;
    let vertices: Vec<u32> = (0..topology.positions.len() as u32).collect();
    let all = stretch::measure(subject.cache, topology, &vertices);
    TrialStretch {
        p50: all.p50,
        p95: all.p95,
        max: all.max,
        peak_frame: all.worst.as_ref().map_or(subject.simulation.cache.timeline.first, |w| w.frame),
        last_half: all.last_half(),
        p95_of_frames: all.frames.iter().map(|f| f.p95).collect(),
    }
}

fn worse(a: Inside, b: Inside) -> Inside {
    Inside { max_mm: a.max_mm.max(b.max_mm), vertex_frames: a.vertex_frames + b.vertex_frames }
}

/// The middle value; the lower of both, of an even number.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests;
