//! A scene with everything a bake must be told.

use std::path::{Path, PathBuf};

use super::builtin;
use super::compare::Comparison;
use crate::assets::PlainSheet;
use crate::body::Speed;
use crate::carry::Choice;
use crate::import::{Access, FileFrame};
use crate::pins::{PinCarrier, PinSelector};
use crate::simulate::{FrameRate, Parameters, StartPose};

/// What to bake. Comes from a preset, the command line, or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// File of the preset; none for what is built in or comes from the command line.
    pub preset: Option<PathBuf>,
    /// Name of the preset, else of the garment.
    pub name: String,
    /// What it shows.
    pub description: String,
    /// The cloth's mesh; none until preset or command line names one.
    pub garment: Option<MeshSource>,
    /// Units and axes of the garment's file.
    pub garment_frame: FileFrame,
    /// Pose of the body that the garment was made for; none: found out.
    pub garment_pose: Option<StartPose>,
    /// What the cloth is worn by or lies on.
    pub body: Option<BodyChoice>,
    /// What of the garment is simulated.
    pub choice: Choice,
    /// Which vertices are held.
    pub pins: Vec<PinSelector>,
    /// What carries them.
    pub carrier: PinCarrier,
    /// Everything about the simulation.
    pub parameters: Parameters,
    /// Colour of its fabric in previews, sRGB; none: one of ours. Default: that of cotton.
    pub fabric_colour: Option<[u8; 3]>,
    /// First and last frame; none: the whole clip.
    pub frames: Option<(i64, i64)>,
    /// Frames a second. Default: `30`.
    pub fps: FrameRate,
    /// How many times as fast the body's clip is played. Default: `1`.
    pub speed: Speed,
    /// How the frames become a loop, if they do; [`Parameters::laps`] are set then too.
    pub cycle: Option<CycleChoice>,
    /// Number that the first frame gets in the output. Default: `1`, of a loop `0`.
    pub start_frame: i64,
    /// What its files may ask for. Never comes from a preset: those may be from strangers.
    pub access: Access,
    /// Files to write, as given.
    pub outputs: Vec<PathBuf>,
    /// Whether the body is written too.
    pub with_body: bool,
    /// Whether sizes that disagree stop the bake.
    pub sizes: Sizes,
    /// What is compared on it.
    pub comparison: Comparison,
}

/// How frames become a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleChoice {
    /// Frames of a lap; none: the whole number nearest to the clip's length.
    pub frames: Option<u32>,
    /// Last frames in which the body goes over into its first pose; none: the clip closes.
    pub blend: Option<u32>,
}

/// What to make of a garment and a body whose sizes disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sizes {
    /// Somebody forgot the units: stop.
    #[default]
    Compared,
    /// Somebody gave the units: believe them.
    Trusted,
}

/// A body, its units and its animation.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyChoice {
    /// Its file.
    pub mesh: MeshSource,
    /// Units and axes of the file.
    pub frame: FileFrame,
    /// Name or number of the animation; none: the first.
    pub animation: Option<String>,
}

/// Where a mesh comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshSource {
    /// A file.
    File(PathBuf),
    /// A mesh that is compiled in, by its file name.
    BuiltIn(String),
    /// A plain sheet, made when it is read.
    Sheet(PlainSheet),
}

impl MeshSource {
    /// What `text` means in a preset of `folder`: a file beside the preset, else a built-in mesh. Built-in presets have no
    /// folder.
    pub(crate) fn find(text: &str, folder: Option<&Path>) -> MeshSource {
        match folder.map(|f| f.join(text)) {
            None => MeshSource::BuiltIn(text.to_owned()),
            Some(path) if !path.exists() && builtin::mesh(text).is_some() => MeshSource::BuiltIn(text.to_owned()),
            Some(path) => MeshSource::File(path),
        }
    }

    /// File name without its extension.
    pub fn stem(&self) -> String {
        let path = match self {
            MeshSource::File(path) => path.as_path(),
            MeshSource::BuiltIn(name) => Path::new(name),
            MeshSource::Sheet(_) => Path::new("sheet"),
        };
        path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl Default for Scene {
    fn default() -> Self {
        Scene {
            preset: None,
            name: String::new(),
            description: String::new(),
            garment: None,
            garment_frame: FileFrame::default(),
            garment_pose: None,
            body: None,
            choice: Choice::default(),
            pins: Vec::new(),
            carrier: PinCarrier::default(),
            parameters: Parameters { fabric: super::default_fabric(), ..Parameters::default() },
            fabric_colour: super::fabric_colour(super::DEFAULT_FABRIC),
            frames: None,
            fps: super::DEFAULT_FPS,
            speed: Speed::ONE,
            cycle: None,
            start_frame: 1,
            access: Access::default(),
            outputs: Vec::new(),
            with_body: false,
            sizes: Sizes::Compared,
            comparison: Comparison::default(),
        }
    }
}
