//! A scene as JSON says it.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compare::{CompareFile, Comparison};
use super::error::{Fault, Problem};
use super::fabric::FabricChoice;
use super::frame_rate::{parse_frame_rate, parse_speed};
use super::scene::{BodyChoice, CycleChoice, MeshSource, Scene, Sizes};
use super::simulation::SimulationFile;
use crate::assets::{PlainSheet, SheetPlane};
use crate::body::Speed;
use crate::carry::{Choice, PartSelectorError};
use crate::geometry::DVec3;
use crate::import::{Access, FileFrame, Unit, UpAxis};
use crate::pins::{PinCarrier, PinSelector};
use crate::simulate::{FrameRate, Laps, Parameters, StartPose};

/// Number that the first frame of a loop gets in the output when nobody says: players go round from time 0, and must not wait
/// there for the first key.
pub const LOOP_START_FRAME: i64 = 0;

/// A scene for `toile bake`: a garment, what it hangs on, and how it is simulated.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Where editors find this schema.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// What the scene shows.
    #[serde(default)]
    pub description: String,
    /// The cloth's mesh.
    pub garment: GarmentFile,
    /// What the cloth is worn by or lies on.
    pub body: Option<BodyFile>,
    /// Which vertices are held: the selectors of `--pin`.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub pins: Vec<String>,
    /// What carries them: `body`, `world` or `joint:NAME`.
    pub pin_to: Option<String>,
    /// The fabric.
    #[serde(default)]
    pub fabric: FabricChoice,
    /// Forces, steps, enforcement and colliders.
    #[serde(default)]
    pub simulation: SimulationFile,
    /// First and last frame baked; the whole clip when not given.
    #[schemars(inner(range(min = -1_000_000, max = 1_000_000)))]
    pub frames: Option<[i64; 2]>,
    /// Frames a second: a number, or a fraction such as `30000/1001`; 30 when not given.
    pub fps: Option<FpsFile>,
    /// How many times as fast the body's clip is played: a number, or a fraction such as `2/3`; 1 when not given.
    pub speed: Option<SpeedFile>,
    /// Makes the frames a loop, whose last frame is its first again; frames `[A, B]` are one if B shows A again.
    #[serde(rename = "loop")]
    pub repetition: Option<LoopFile>,
    /// Number that the first frame gets in the output; 1 when not given, of a loop 0.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub start_frame: Option<i64>,
    /// What is written.
    #[serde(default)]
    pub output: OutputFile,
    /// What `toile compare` does with it.
    pub compare: Option<CompareFile>,
}

/// The garment of a scene: exactly one of mesh and grid.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GarmentFile {
    /// An OBJ, glTF or GLB file, relative to the preset; or the name of a built-in mesh.
    pub mesh: Option<String>,
    /// A plain sheet of quads, which needs no file.
    pub grid: Option<GridFile>,
    /// Unit of length of the file; metres when not given.
    pub units: Option<UnitName>,
    /// Up axis of the file.
    #[serde(default)]
    pub up: UpName,
    /// Pose of the body that the garment was made for: `bind`, the one its skin was bound in, or `first`, that of the first
    /// frame; found out when not given.
    pub pose: Option<StartPose>,
    /// Parts of the file that are simulated: `group:NAME`, `material:NAME` (with `*` and `?`) or `component:N`; all of it when
    /// none is given. What is not simulated is held by the body.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub include: Vec<String>,
    /// Parts of the file that are not simulated, in the same words.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub exclude: Vec<String>,
    /// Particles to simulate instead of one for each vertex: the cloth becomes finer or coarser, and is carried to all vertices.
    /// Default: one for each vertex, 12 000 if these are more than 60 000, more if edges are longer than a twentieth of the body's size.
    #[schemars(range(min = 16, max = 2_000_000))]
    pub simulate_as: Option<u32>,
    /// Whether small pieces that lie on the cloth, buttons say, follow it instead of being cloth.
    #[serde(default = "yes")]
    pub islands: bool,
    /// Whether of two surfaces that model the thickness of cloth one follows the other.
    #[serde(default = "yes")]
    pub shells: bool,
    /// Whether open edges that run along each other with a small gap, as panels do, are sewn together.
    #[serde(default = "yes")]
    pub seams: bool,
}

fn yes() -> bool {
    true
}

/// A plain rectangular sheet of quads, its vertices numbered row by row from 0.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridFile {
    /// Vertices in a row.
    #[schemars(range(min = 2, max = 2000))]
    pub columns: u32,
    /// Rows of vertices.
    #[schemars(range(min = 2, max = 2000))]
    pub rows: u32,
    /// Length of a row, along x, metres.
    #[schemars(range(min = 1e-3, max = 1e3))]
    pub width: f64,
    /// Distance from the first row to the last, metres.
    #[schemars(range(min = 1e-3, max = 1e3))]
    pub height: f64,
    /// `xy`: rows go down, the sheet hangs; `xz`: rows go along +z, it lies.
    #[serde(default)]
    pub plane: PlaneName,
    /// Middle of the first row, metres.
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub at: [f64; 3],
}

/// Planes of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaneName {
    /// Upright.
    #[default]
    Xy,
    /// Level.
    Xz,
}

/// The body of a scene.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyFile {
    /// A glTF or GLB file or an OBJ sequence, relative to the preset; or the name of a built-in mesh.
    pub mesh: String,
    /// Name of the animation, or its number from 0; the first if left out.
    pub animation: Option<String>,
    /// Unit of length of the file; metres when not given.
    pub units: Option<UnitName>,
    /// Up axis of the file.
    #[serde(default)]
    pub up: UpName,
}

/// What is written.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputFile {
    /// Files, the format by extension: `.glb`, `.gltf`, `.obj` (a sequence), `.pc2`; `out/NAME.glb` when not given.
    /// Relative to the folder `toile` is called in.
    #[schemars(length(max = 100))]
    pub files: Vec<String>,
    /// Whether the moving body is written into glTF files too.
    pub with_body: bool,
}

/// A loop.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LoopFile {
    /// Laps to simulate at most.
    #[schemars(range(min = 2, max = 1000))]
    pub laps: u32,
    /// Difference from lap to lap that is taken as none, millimetres.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub tolerance_mm: f64,
    /// Frames of a lap: the clip is played as fast as that takes; the nearest whole number when not given.
    #[schemars(range(min = 2, max = 100_000))]
    pub frames: Option<u32>,
    /// Last frames in which the body goes over into its first pose, for clips that do not close.
    #[schemars(range(min = 1, max = 100_000))]
    pub blend: Option<u32>,
}

impl Default for LoopFile {
    fn default() -> Self {
        LoopFile { laps: 16, tolerance_mm: 1.0, frames: None, blend: None }
    }
}

/// A speed.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SpeedFile {
    /// 2 or 0.5.
    Number(#[schemars(range(min = 0.01, max = 100.0))] f64),
    /// 2/3.
    Text(String),
}

/// A frame rate.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FpsFile {
    /// 30 or 29.97.
    Number(#[schemars(range(min = 1.0, max = 1000.0))] f64),
    /// 30000/1001.
    Text(String),
}

/// Units of length by the name they have on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum UnitName {
    /// Metres.
    #[default]
    M,
    /// Centimetres.
    Cm,
    /// Millimetres.
    Mm,
    /// Inches.
    In,
}

/// Up axes by the name they have on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum UpName {
    /// Y up.
    #[default]
    Y,
    /// Z up.
    Z,
}

impl From<UnitName> for Unit {
    fn from(name: UnitName) -> Unit {
        match name {
            UnitName::M => Unit::Metre,
            UnitName::Cm => Unit::Centimetre,
            UnitName::Mm => Unit::Millimetre,
            UnitName::In => Unit::Inch,
        }
    }
}

impl From<UpName> for UpAxis {
    fn from(name: UpName) -> UpAxis {
        match name {
            UpName::Y => UpAxis::Y,
            UpName::Z => UpAxis::Z,
        }
    }
}

impl GarmentFile {
    fn choice(&self, faults: &mut Vec<Fault>) -> Choice {
        let mut parts = |key: &str, texts: &[String]| {
            let mut parts = Vec::new();
            for (index, text) in texts.iter().enumerate() {
                match text.parse() {
                    Ok(part) => parts.push(part),
                    Err(error) => {
                        let error: PartSelectorError = error;
                        let path = format!("garment.{key}[{index}]");
                        faults.push(Fault::new(path, Problem::Inconsistent(error.to_string())));
                    }
                }
            }
            parts
        };
        Choice {
            include: parts("include", &self.include),
            exclude: parts("exclude", &self.exclude),
            islands: self.islands,
            shells: self.shells,
            seams: self.seams,
            simulate_as: self.simulate_as,
        }
    }

    fn source(&self, folder: Option<&Path>, faults: &mut Vec<Fault>) -> Option<MeshSource> {
        match (&self.mesh, &self.grid) {
            (Some(mesh), None) => Some(MeshSource::find(mesh, folder)),
            (None, Some(grid)) => Some(MeshSource::Sheet(grid.sheet())),
            _ => {
                let text = "a garment is exactly one of mesh and grid".to_owned();
                faults.push(Fault::new("garment", Problem::Inconsistent(text)));
                None
            }
        }
    }
}

impl GridFile {
    fn sheet(&self) -> PlainSheet {
        let plane = match self.plane {
            PlaneName::Xy => SheetPlane::Vertical,
            PlaneName::Xz => SheetPlane::Horizontal,
        };
        let GridFile { columns, rows, width, height, .. } = *self;
        PlainSheet { columns, rows, width, height, plane, middle: DVec3::from_array(self.at) }
    }
}

impl SceneFile {
    /// The scene that is meant, meshes sought in `folder`; what cannot be meant is added to `faults`.
    pub(crate) fn scene(&self, name: &str, folder: Option<&Path>, faults: &mut Vec<Fault>) -> Scene {
        let fabric = self.fabric.resolve().unwrap_or_else(|fault| {
            faults.push(fault);
            crate::simulate::Fabric::default()
        });
        Scene {
            preset: None,
            name: name.to_owned(),
            description: self.description.clone(),
            garment: self.garment.source(folder, faults),
            garment_frame: FileFrame {
                unit: self.garment.units.unwrap_or_default().into(),
                up: self.garment.up.into(),
            },
            garment_pose: self.garment.pose,
            body: self.body.as_ref().map(|body| BodyChoice {
                mesh: MeshSource::find(&body.mesh, folder),
                frame: FileFrame { unit: body.units.unwrap_or_default().into(), up: body.up.into() },
                animation: body.animation.clone(),
            }),
            choice: self.garment.choice(faults),
            pins: self.pins(folder, faults),
            carrier: self.carrier(faults),
            parameters: Parameters { laps: self.laps(), ..self.simulation.parameters(fabric, faults) },
            fabric_colour: super::fabric_colour(self.fabric.base()),
            frames: self.frames(faults),
            fps: self.fps(faults),
            speed: self.speed(faults),
            cycle: self.repetition.map(|cycle| CycleChoice { frames: cycle.frames, blend: cycle.blend }),
            start_frame: self.start_frame.unwrap_or(if self.repetition.is_some() { LOOP_START_FRAME } else { 1 }),
            access: Access::default(),
            outputs: self.output.files.iter().map(Into::into).collect(),
            with_body: self.output.with_body,
            comparison: self.compare.as_ref().map_or_else(Comparison::default, |c| c.comparison(faults)),
            sizes: if self.units_are_given() { Sizes::Trusted } else { Sizes::Compared },
        }
    }

    fn units_are_given(&self) -> bool {
        self.garment.units.is_some() || self.body.as_ref().is_some_and(|body| body.units.is_some())
    }

    fn pins(&self, folder: Option<&Path>, faults: &mut Vec<Fault>) -> Vec<PinSelector> {
        let mut pins = Vec::new();
        for (index, text) in self.pins.iter().enumerate() {
            match text.parse() {
                Ok(PinSelector::Vertices(path)) => {
                    pins.push(PinSelector::Vertices(folder.map_or(path.clone(), |f| f.join(&path))));
                }
                Ok(pin) => pins.push(pin),
                Err(error) => faults.push(Fault::new(format!("pins[{index}]"), Problem::Selector(error))),
            }
        }
        pins
    }

    fn carrier(&self, faults: &mut Vec<Fault>) -> PinCarrier {
        let parsed = self.pin_to.as_ref().map_or(Ok(PinCarrier::default()), |text| text.parse());
        parsed.unwrap_or_else(|error| {
            faults.push(Fault::new("pin_to", Problem::Inconsistent(error)));
            PinCarrier::default()
        })
    }

    fn frames(&self, faults: &mut Vec<Fault>) -> Option<(i64, i64)> {
        let [first, last] = self.frames?;
        if first > last {
            let text = format!("the last frame, {last}, is before the first, {first}");
            faults.push(Fault::new("frames", Problem::Inconsistent(text)));
        }
        Some((first, last))
    }

    fn laps(&self) -> Option<Laps> {
        self.repetition.map(|cycle| Laps { most: cycle.laps, tolerance: (cycle.tolerance_mm / 1000.0) as f32 })
    }

    fn speed(&self, faults: &mut Vec<Fault>) -> Speed {
        let text = match &self.speed {
            None => return Speed::ONE,
            Some(_) if self.repetition.is_some_and(|cycle| cycle.frames.is_some()) => {
                let text =
                    "the frames of the loop say already how fast the clip is played; leave one of both out".to_owned();
                faults.push(Fault::new("speed", Problem::Inconsistent(text)));
                return Speed::ONE;
            }
            Some(SpeedFile::Number(number)) => number.to_string(),
            Some(SpeedFile::Text(text)) => text.clone(),
        };
        parse_speed(&text).unwrap_or_else(|error| {
            faults.push(Fault::new("speed", Problem::Inconsistent(error.to_string())));
            Speed::ONE
        })
    }

    fn fps(&self, faults: &mut Vec<Fault>) -> FrameRate {
        let text = match &self.fps {
            None => return super::DEFAULT_FPS,
            Some(FpsFile::Number(number)) => number.to_string(),
            Some(FpsFile::Text(text)) => text.clone(),
        };
        parse_frame_rate(&text).unwrap_or_else(|error| {
            faults.push(Fault::new("fps", Problem::Inconsistent(error.to_string())));
            super::DEFAULT_FPS
        })
    }
}
