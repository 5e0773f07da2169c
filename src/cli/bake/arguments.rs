//! Flags of `toile bake`.

use std::path::PathBuf;

use clap::Args;

use crate::body::Speed;
use crate::carry::PartSelector;
use crate::cli::arguments::FileArguments;
use crate::cli::console::ProgressStyleName;
use crate::cli::values::{FrameRange, parse_interval, parse_limit, parse_wind};
use crate::geometry::Vec3;
use crate::pins::{PinCarrier, PinSelector};
use crate::preset::{UnitName, UpName, parse_frame_rate, parse_speed};
use crate::simulate::{Enforcement, FrameRate, Integrator, StartPose, StateMode};

const EXAMPLES: &str = "\
Examples:
  toile bake skirt_walk
  toile bake skirt_walk --fabric silk --out silk.glb --force
  toile bake skirt_walk --loop --loop-frames 30 --out loop.glb
  toile bake --garment skirt.obj --body hero.glb --animation Walk --pin loop:top --out walk.glb --out walk.pc2
  toile bake --garment coat.obj --units cm --body hero.glb --pin group:collar --frames 0..120 --fps 29.97 \\
             --out seq/coat_####.obj --report coat.json --report coat.html

Pin selectors:
  loop:top  loop:bottom  loop:N (as `toile inspect` numbers them)  group:NAME  attribute:NAME  within:METRES
  joint:NAME  box:x0,y0,z0,x1,y1,z1  vertex:I,J,K..L (indices from 0)  vertices:FILE (an index a line)  none

Exit codes:
  0 done
  2 wrong usage or preset; a checkpoint of another bake
  3 a quality gate failed (outputs are written), or the simulation diverged
  65 bad data in a file    66 input missing    70 a fault of toile
  74 input/output error, disk too small    75 another bake writes the output
  130 interrupted    143 terminated";

const INTEGRATORS: &str = "How motion is integrated: xpbd, verlet, explicit_euler, symplectic_euler, rk4, implicit, \
  semi_implicit [default: xpbd]";
const METHODS: &str = "How stretch is limited: none; provot, provot_two_stage, provot_sorted, pbd, gu, gu_cumulative or tethers, \
  N passes a substep; directional, N visits of a vertex [default: tethers:2]";

/// `toile bake`. What is not given comes from the preset, else from the defaults.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BakeArguments {
    /// Name of a built-in preset, or a JSON file
    pub(crate) preset: Option<String>,

    #[command(flatten)]
    pub(crate) input: InputArguments,
    #[command(flatten)]
    pub(crate) pins: PinArguments,
    #[command(flatten)]
    pub(crate) time: TimeArguments,
    #[command(flatten)]
    pub(crate) cycle: LoopArguments,
    #[command(flatten)]
    pub(crate) simulation: SimulationArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArguments,
    #[command(flatten)]
    pub(crate) gates: GateArguments,
    #[command(flatten)]
    pub(crate) files_read: FileArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Garment and body")]
pub(crate) struct InputArguments {
    /// Garment mesh: .obj, .gltf, .glb
    #[arg(long, value_name = "FILE")]
    pub(crate) garment: Option<PathBuf>,
    /// Unit of length of the garment's file [default: m]
    #[arg(long, value_enum)]
    pub(crate) units: Option<UnitName>,
    /// Up axis of the garment's file [default: y]
    #[arg(long, value_enum)]
    pub(crate) up: Option<UpName>,
    /// Pose of the body that the garment was made for: bind, as its skin was bound, or first, the first frame [default: found out]
    #[arg(long, value_enum, value_name = "POSE")]
    pub(crate) garment_pose: Option<StartPose>,
    /// Part of the garment's file to simulate, group:Skirt*, material:NAME or component:N; may be repeated [default: all]
    #[arg(long, value_name = "PART")]
    pub(crate) include: Vec<PartSelector>,
    /// Part of the garment's file that the body holds instead, group:Shoe* say; may be repeated
    #[arg(long, value_name = "PART")]
    pub(crate) exclude: Vec<PartSelector>,
    /// Particles to simulate, 5000 say: finer or coarser cloth, carried to every vertex [default: one a vertex, 12000 if these are more than 60000, more if edges are too long to follow the body]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(16..=2_000_000))]
    pub(crate) simulate_as: Option<u32>,
    /// Simulate buttons and other small pieces on the cloth as cloth instead of letting them follow it
    #[arg(long)]
    pub(crate) no_islands: bool,
    /// Simulate both surfaces of cloth that is modelled with its thickness
    #[arg(long)]
    pub(crate) no_shells: bool,
    /// Leave panels apart whose open edges run along each other a few millimetres apart, instead of sewing them together
    #[arg(long)]
    pub(crate) no_seams: bool,
    /// Body: .gltf, .glb, or an OBJ sequence: its first file, its folder, or a pattern such as walk_####.obj
    #[arg(long, value_name = "FILE")]
    pub(crate) body: Option<PathBuf>,
    /// Animation of the body, by name or by number from 0; the first if left out
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Unit of length of the body's file [default: m]
    #[arg(long, value_enum)]
    pub(crate) body_units: Option<UnitName>,
    /// Up axis of the body's file [default: y]
    #[arg(long, value_enum)]
    pub(crate) body_up: Option<UpName>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Pins")]
pub(crate) struct PinArguments {
    /// Vertices that are held; may be repeated, see below
    #[arg(long = "pin", value_name = "SELECTOR")]
    pub(crate) pins: Vec<PinSelector>,
    /// What carries them: body, world or joint:NAME [default: body]
    #[arg(long, value_name = "CARRIER")]
    pub(crate) pin_to: Option<PinCarrier>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Time")]
pub(crate) struct TimeArguments {
    /// First and last frame, at the body clip's own times [default: the whole clip; 0..119 if nothing moves]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) frames: Option<FrameRange>,
    /// Frames a second: 30, 29.97 or 30000/1001 [default: 30]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = parse_frame_rate)]
    pub(crate) fps: Option<FrameRate>,
    /// Number of the first frame in the output [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(i64).range(-1_000_000..=1_000_000))]
    pub(crate) start_frame: Option<i64>,
    /// Play the body's clip so many times as fast: 2, 0.5 or 2/3 [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = parse_speed)]
    pub(crate) speed: Option<Speed>,
    /// Frame into which the body jumps from the one before, as after a cut: the cloth is carried along; may be repeated, and such
    /// jumps are found without it too
    #[arg(long = "cut", value_name = "FRAME", allow_hyphen_values = true, value_parser = clap::value_parser!(i64).range(-1_000_000..=1_000_000))]
    pub(crate) cuts: Vec<i64>,
    /// Frames in which the cloth settles before the first; 0 starts as given [default: 60]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(crate) preroll: Option<u32>,
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Loops")]
pub(crate) struct LoopArguments {
    /// Bake a loop, whose last frame is its first again: of the whole clip, or of --frames A..B, where B shows A again
    #[arg(long = "loop")]
    pub(crate) is_loop: bool,
    /// Laps to simulate at most [default: 16]
    #[arg(long, value_name = "N", requires = "is_loop", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) loop_laps: Option<u32>,
    /// Difference from lap to lap that is taken as none, millimetres [default: 1]
    #[arg(long, value_name = "MM", requires = "is_loop", allow_negative_numbers = true, value_parser = parse_limit)]
    pub(crate) loop_tolerance: Option<f64>,
    /// Frames of the loop: the clip is played as fast as that takes [default: the nearest whole number]
    #[arg(long, value_name = "N", requires = "is_loop", conflicts_with = "speed", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) loop_frames: Option<u32>,
    /// Let the body go over into its first pose in the last N frames, for clips that do not close
    #[arg(long, value_name = "N", requires = "is_loop", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) loop_blend: Option<u32>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Simulation")]
pub(crate) struct SimulationArguments {
    /// Built-in fabric: silk, cotton, wool, denim, leather [default: cotton]
    #[arg(long, value_name = "NAME")]
    pub(crate) fabric: Option<String>,
    /// Substeps a frame [default: as many as make a substep at most 1/360 s (1/300 s when nothing collides, 1/240 s for calm cloth on a body that stands, less for edges below 7 mm)]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) substeps: Option<u32>,
    #[arg(long, value_name = "INTEGRATOR", help = INTEGRATORS)]
    pub(crate) integrator: Option<Integrator>,
    #[arg(long, value_name = "METHOD[:N]", help = METHODS)]
    pub(crate) enforce: Option<Enforcement>,
    /// What holds the cloth beside its pins: the named states, all contacts, or nothing [default: the preset's, else named]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) states: Option<StateMode>,
    /// Simulate twice: a first pass finds the contacts, so that states of the second switch in time
    #[arg(long)]
    pub(crate) look_ahead: bool,
    /// Let the cloth go through itself: half the time, for cloth that never folds onto itself
    #[arg(long)]
    pub(crate) no_self_collision: bool,
    /// Wind velocity, m/s
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_wind)]
    pub(crate) wind: Option<Vec3>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// File to write, format by extension: .glb, .gltf, .obj (a sequence), .pc2; may be repeated [default: out/NAME.glb]
    #[arg(long = "out", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Write the moving body into glTF files too
    #[arg(long)]
    pub(crate) with_body: bool,
    /// Replace files that are there already
    #[arg(long)]
    pub(crate) force: bool,
    /// Where a frame diverges in spite of all substeps, write the frames before it; exit code 3 all the same
    #[arg(long)]
    pub(crate) keep_partial: bool,
    /// Write the report: .html a page for people with pictures of the worst frames, else JSON; may be repeated
    #[arg(long = "report", value_name = "FILE")]
    pub(crate) reports: Vec<PathBuf>,
    /// Print the report to stdout as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// How progress is told on stderr; json makes every message there a JSON document on a line of its own, one a second at least
    #[arg(long, value_enum, value_name = "STYLE", default_value_t)]
    pub(crate) progress: ProgressStyleName,
}

#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Long bakes: killed or interrupted, the same command goes on where it was")]
pub(crate) struct CheckpointArguments {
    /// Seconds from one checkpoint to the next, which stands beside the first output until the bake is done; 0: none
    /// [default: 30, or more where writing takes more than 2 % of the time]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_interval)]
    pub(crate) checkpoint_every: Option<f64>,
    /// Begin anew, whatever checkpoint there is
    #[arg(long)]
    pub(crate) restart: bool,
}

#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Quality gates (exit code 3)")]
pub(crate) struct GateArguments {
    /// Largest stretch of an edge that passes, as a fraction: 0.1 is 10 %
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = parse_limit)]
    pub(crate) max_stretch: Option<f64>,
    /// Deepest vertex inside the body that passes, millimetres
    #[arg(long, value_name = "MM", allow_negative_numbers = true, value_parser = parse_limit)]
    pub(crate) max_penetration_mm: Option<f64>,
    /// Most pairs of the cloth's triangles through each other in a frame that pass
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_self_crossings: Option<usize>,
}
