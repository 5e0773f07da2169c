//! Flags of `toile compare`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::arguments::FileArguments;
use crate::cli::values::FrameRange;
use crate::report::near::Surroundings;
use crate::simulate::{MethodSpec, StateUse};

const EXAMPLES: &str = "\
Examples:
  toile compare flag
  toile compare papers/ozgen_hang --out hang.svg
  toile compare skirt_walk curtain --methods tethers,provot:5,provot:20,none --frames 0..30 --out methods.svg
  toile compare skirt_walk --methods tethers --states none,named,contacts+ahead --near shin_l:0.15 --near shin_r:0.15
  toile compare scene.json --methods tethers:2 --substeps 4,8,16 --json > substeps.json

Methods: [INTEGRATOR/]ENFORCEMENT[:N], as in tethers:2, provot:5, directional:3, verlet/none, implicit/gu:10
  INTEGRATOR   xpbd (the default), verlet, explicit_euler, symplectic_euler, rk4, implicit, semi_implicit
  ENFORCEMENT  none, provot, provot_two_stage, provot_sorted, pbd, gu, gu_cumulative, directional, tethers

Columns:
  over none    time beyond the same integrator without enforcement
  end          mean over the later half of the frames
  jitter       acceleration less its moving mean
  switch       acceleration after the worst switch of states, of what is usual
  energy rise  kinetic and of gravity, above any earlier frame
  inside       times a vertex is deeper than 1 mm inside body or colliders
  rests at     when nothing moves faster than 2 cm/s any more, after so much computing";

/// `toile compare`. What is not given comes from the preset's `compare`, else from the defaults.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArguments {
    /// Names of built-in presets, or JSON files
    #[arg(required = true, value_name = "PRESET")]
    pub(crate) presets: Vec<String>,

    /// Methods [default: the preset's, else tethers,provot:5,provot:20,directional,none]
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub(crate) methods: Vec<MethodSpec>,
    /// First and last frame [default: the preset's]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) frames: Option<FrameRange>,
    /// Substeps a frame; each method runs with each number [default: the preset's]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) substeps: Vec<u32>,
    /// What holds the cloth beside its pins: none, named, contacts, named+ahead, contacts+ahead; each method runs with each
    /// [default: the preset's]
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub(crate) states: Vec<StateUse>,
    /// Measure the cloth so near to a joint apart; may be repeated, all are taken together
    #[arg(long, value_name = "JOINT:RADIUS")]
    pub(crate) near: Vec<Surroundings>,
    /// Runs of each method; a frame's time is that of the fastest
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) repeat: u32,

    /// File to write, format by extension: .svg (a picture), .json; may be repeated
    #[arg(long = "out", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Replace files that are there already
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the comparison to stdout as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) files_read: FileArguments,
}
