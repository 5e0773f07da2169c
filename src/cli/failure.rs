//! Why a command stopped, and the exit code that tells scripts.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::assets::AssetError;
use crate::bake::{BakeError, CheckpointError};
use crate::body::BodyError;
use crate::carry::{ChoiceError, OutfitError};
use crate::import::{ImportError, ImportFailure, counted};
use crate::pins::SelectError;
use crate::preset::{FrameRateError, PresetError, Problem};
use crate::preview::LargePage;
use crate::report::Interrupted;
use crate::simulate::{SimulationError, StartPose, StateError};
use crate::topology::TopologyError;
use crate::verify::VerifyError;

/// Exit codes, after `sysexits.h` where it has one.
pub(crate) mod exit {
    /// Wrong usage or preset.
    pub(crate) const USAGE: u8 = 2;
    /// A quality gate failed, the simulation diverged, or an output differs from its report.
    pub(crate) const QUALITY: u8 = 3;
    /// Bad data in a file.
    pub(crate) const DATA: u8 = 65;
    /// An input is missing, or an output that should be there.
    pub(crate) const NO_INPUT: u8 = 66;
    /// A fault of ours.
    pub(crate) const INTERNAL: u8 = 70;
    /// The operating system refused to read or write.
    pub(crate) const IO: u8 = 74;
    /// Another process has the output; trying again later helps.
    pub(crate) const BUSY: u8 = 75;
    /// Ctrl-C.
    pub(crate) const INTERRUPTED: u8 = 130;
}

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Preset(#[from] PresetError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Topology(#[from] TopologyError),
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    #[error(transparent)]
    Outfit(#[from] OutfitError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    #[error(transparent)]
    Bake(#[from] BakeError),
    #[error(transparent)]
    Measuring(#[from] Interrupted),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Mismatch(Mismatch),
    #[error(transparent)]
    Explained(Box<ExplainedFailure>),
    #[error(transparent)]
    Assets(#[from] AssetError),
    #[error(transparent)]
    Verify(#[from] VerifyError),
    #[error("{}", unproven(*differing, *missing, *all))]
    Unproven { differing: usize, missing: usize, all: usize },
    #[error("a quality gate failed: {}", .0.join("; "))]
    Gates(Vec<String>),
    #[error("{}: written, but no browser opened it: {why}; open the file yourself", path.display())]
    NoBrowser { path: PathBuf, why: String },
    #[error("the operating system refused {what}")]
    System { what: &'static str, source: io::Error },
}

/// How many outputs are not what was baked.
fn unproven(differing: usize, missing: usize, all: usize) -> String {
    let differ = format!(
        "{differing} of {} {} from what was baked",
        counted(all, "output"),
        if differing == 1 { "differs" } else { "differ" }
    );
    match (differing, missing) {
        (0, missing) => {
            format!("{missing} of {} {} missing", counted(all, "output"), if missing == 1 { "is" } else { "are" })
        }
        (_, 0) => differ,
        (_, missing) => format!("{differ}, {missing} more {} missing", if missing == 1 { "is" } else { "are" }),
    }
}

/// A checkpoint of another bake.
#[derive(Debug, thiserror::Error)]
#[error("{}: a checkpoint of this output, but of another bake; since then these changed: {}", path.display(), changed.join("; "))]
pub(crate) struct Mismatch {
    pub(crate) path: PathBuf,
    pub(crate) changed: Vec<String>,
}

/// A failure of a bake that left something behind.
#[derive(Debug)]
pub(crate) struct ExplainedFailure {
    pub(crate) failure: Failure,
    /// What can be done with that.
    pub(crate) hint: String,
}

impl fmt::Display for ExplainedFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}

impl Error for ExplainedFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.failure.source()
    }
}

/// Flags that do not make a bake.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error("nothing to bake: name a preset or add --garment FILE")]
    NoGarment,
    #[error("--fabric: {0}")]
    Fabric(Problem),
    #[error("--{flag} needs a body; add --body FILE")]
    NeedsBody { flag: &'static str },
    #[error("--{flag} means nothing to a preview of {of_what}; leave it out")]
    IdleFlag { flag: &'static str, of_what: &'static str },
    #[error("there is no built-in mesh `{name}`")]
    NoSuchMesh { name: String },
    #[error(
        "the garment lies {metres:.0} m away from {pose} of the body: move it there, or let --garment-pose say the other pose"
    )]
    Elsewhere { pose: StartPose, metres: f64 },
    #[error("the garment is {garment:.3} m large and the body {body:.3} m")]
    Sizes { garment: f32, body: f32, advice: String },
    #[error(
        "{frames} frames of {vertices} vertices take {gigabytes:.0} GB, at most {limit} GB are held; bake fewer at a time with --frames A..B"
    )]
    TooMuch { frames: usize, vertices: usize, gigabytes: f64, limit: u64 },
    #[error(
        "the garment is the whole body: say what of it is cloth, with --include group:NAME say, or component:N as `toile inspect \
         --garment FILE` numbers them; its groups are {groups}"
    )]
    WholeBody { groups: String },
    #[error("{}: no such format; a comparison is written as .svg or .json", path.display())]
    ComparisonFormat { path: PathBuf },
    #[error("--near: joint `{joint}`, {known}")]
    NoSuchJoint { joint: String, known: String },
    #[error("there is no built-in preset or fabric `{name}`; there are {}", known.join(", "))]
    NoSuchPreset { name: String, known: Vec<&'static str> },
    #[error(
        "the clip lasts from {start} s to {end} s, which is beyond frame {most} at {fps} frames a second; are its key times right? \
         --frames A..B chooses a part, --fps fewer"
    )]
    LongClip { start: f64, end: f64, fps: f64, most: f64 },
    #[error("a loop of {frames:.2} frames is too short to repeat; choose --frames A..B, at least two frames apart")]
    ShortLoop { frames: f64 },
    #[error(
        "--loop-blend {blend} is longer than the loop of {frames} frames; the body goes over into its first pose in a part of it"
    )]
    LongBlend { blend: u32, frames: u32 },
    #[error("a loop cannot look ahead: its laps see their contacts come; leave one of both out")]
    LoopLooksAhead,
    #[error("{}: no such format; a preview is written as .png, .gif or .html", path.display())]
    PreviewFormat { path: PathBuf },
    #[error("{}: --open shows pages only; let --out name an .html, or leave it out", path.display())]
    OpensPages { path: PathBuf },
    #[error("a page shows no {show}; let --show be shaded, strain, wire or map, or write a .png or .gif")]
    NotOnPages { show: String },
    #[error("a page shows one scene; write --all as a .png")]
    OneOnPages,
    #[error("{0}; choose fewer with --frames A..B")]
    LargePage(#[from] LargePage),
    #[error(
        "{frames} frames are too many for a picture that plays, {most} at most; choose fewer with --frames A..B, or write --out x.html"
    )]
    LongStrip { frames: usize, most: usize },
    #[error("nothing to show: name a preset, a bake or a mesh, or add --all")]
    NothingToShow,
    #[error("{} has positions only: name the OBJ mesh whose vertices it moves with --mesh FILE", path.display())]
    NeedsMesh { path: PathBuf },
    #[error("no such frame; there are frames {first} to {last}")]
    NoFrames { first: i64, last: i64 },
    #[error(
        "the sheet would be more than {most} pixels wide or high; show fewer frames or views, or smaller ones with --size"
    )]
    LargeSheet { most: u32 },
    #[error("--show {show} needs a scene to simulate: name a preset; files can be shown with shaded, strain and wire")]
    ShowNeedsScene { show: String },
    #[error(
        "--show map makes one sheet of one scene's maps, which do not move: write a .png, without --animated or --all"
    )]
    MapIsStill,
    #[error("--show {show} needs a body, and the scene has none")]
    ShowNeedsBody { show: String },
    #[error(transparent)]
    FrameRate(#[from] FrameRateError),
}

impl Failure {
    /// The exit code that says so.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Preset(PresetError::Missing { .. }) => exit::NO_INPUT,
            Failure::Preset(PresetError::Io { .. }) => exit::IO,
            Failure::Usage(_) | Failure::Preset(_) | Failure::Choice(_) | Failure::State(_) => exit::USAGE,
            Failure::Outfit(OutfitError::Select(error)) => select_code(error),
            Failure::Outfit(_) => exit::USAGE,
            Failure::Body(BodyError::UnknownClip { .. }) => exit::USAGE,
            Failure::Import(error) => import_code(error),
            Failure::Topology(_)
            | Failure::Body(
                BodyError::Open { .. }
                | BodyError::Travels { .. }
                | BodyError::Far { .. }
                | BodyError::NoSurface { .. },
            ) => exit::DATA,
            Failure::Simulation(error) => simulation_code(error),
            Failure::Bake(error) => bake_code(error),
            Failure::Measuring(Interrupted) => exit::INTERRUPTED,
            Failure::Checkpoint(error) => checkpoint_code(error),
            Failure::Mismatch(_) => exit::USAGE,
            Failure::Explained(explained) => explained.failure.exit_code(),
            Failure::Verify(error) => verify_code(error),
            Failure::Gates(_) | Failure::Unproven { differing: 1.., .. } => exit::QUALITY,
            Failure::Unproven { .. } => exit::NO_INPUT,
            Failure::Assets(_) | Failure::NoBrowser { .. } | Failure::System { .. } => exit::IO,
        }
    }

    /// What to do about it, where the message does not say so itself.
    pub(crate) fn hint(&self) -> Option<&str> {
        match self {
            Failure::Usage(UsageError::NoGarment) => Some("`toile presets list` shows what is built in"),
            Failure::Usage(UsageError::Sizes { advice, .. }) => Some(advice),
            Failure::Usage(UsageError::NoSuchMesh { .. }) => Some("a mesh of your own is a path: ./mesh.obj"),
            Failure::Preset(PresetError::Faults { .. }) => Some("`toile presets schema` shows all keys and ranges"),
            Failure::Topology(_) => Some("`toile inspect FILE` shows what is in it"),
            Failure::Mismatch(_) => {
                Some("--restart begins anew and replaces it; undo the change, and the bake goes on")
            }
            Failure::Explained(explained) => Some(explained.hint.as_str()).filter(|hint| !hint.is_empty()),
            Failure::Unproven { missing: 1.., differing: 0, .. } => Some("--folder DIR says where they are"),
            Failure::Gates(_) => Some("the outputs were written; the report says where to look"),
            _ => None,
        }
    }

    /// Whether the user asked to stop.
    pub(crate) fn is_interruption(&self) -> bool {
        match self {
            Failure::Explained(explained) => explained.failure.is_interruption(),
            _ => matches!(
                self,
                Failure::Simulation(SimulationError::Interrupted)
                    | Failure::Bake(BakeError::Interrupted)
                    | Failure::Measuring(Interrupted)
                    | Failure::Verify(VerifyError::Interrupted)
            ),
        }
    }
}

fn import_code(error: &ImportError) -> u8 {
    match error.failure() {
        ImportFailure::Missing => exit::NO_INPUT,
        ImportFailure::BadData => exit::DATA,
        ImportFailure::Io => exit::IO,
    }
}

fn select_code(error: &SelectError) -> u8 {
    match error {
        SelectError::VertexFile { source, .. } if source.kind() == io::ErrorKind::NotFound => exit::NO_INPUT,
        SelectError::VertexFile { source, .. }
            if matches!(source.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) =>
        {
            exit::DATA
        }
        SelectError::VertexFile { .. } => exit::IO,
        SelectError::VertexLine { .. } => exit::DATA,
        _ => exit::USAGE,
    }
}

fn simulation_code(error: &SimulationError) -> u8 {
    match error {
        SimulationError::Diverged { .. } => exit::QUALITY,
        SimulationError::Interrupted => exit::INTERRUPTED,
        SimulationError::Archive(_) => exit::DATA,
        SimulationError::State(_) | SimulationError::Collider(_) | SimulationError::Matrix(_) => exit::USAGE,
    }
}

fn checkpoint_code(error: &CheckpointError) -> u8 {
    match error {
        CheckpointError::Foreign { .. } | CheckpointError::Damaged { .. } => exit::DATA,
        CheckpointError::Format { .. } => exit::USAGE,
        CheckpointError::Io { .. } => exit::IO,
    }
}

fn verify_code(error: &VerifyError) -> u8 {
    match error {
        VerifyError::Missing { .. } => exit::NO_INPUT,
        VerifyError::Io { .. } => exit::IO,
        VerifyError::Interrupted => exit::INTERRUPTED,
        _ => exit::DATA,
    }
}

fn bake_code(error: &BakeError) -> u8 {
    match error {
        BakeError::Interrupted => exit::INTERRUPTED,
        BakeError::Io { .. } | BakeError::NoSpace { .. } | BakeError::Partly { .. } => exit::IO,
        BakeError::Busy { .. } => exit::BUSY,
        BakeError::NotFinite { .. } | BakeError::Json { .. } => exit::INTERNAL,
        _ => exit::USAGE,
    }
}
