//! The command line.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use super::bake::BakeArguments;
use super::compare::CompareArguments;
use super::preview::{FiguresArguments, PreviewArguments};
use super::values::{parse_cell, parse_seconds};
use super::verify::VerifyArguments;
use crate::import::{Access, FileFrame};

const AFTER_HELP: &str = "\
Exit codes:
  0 done    2 wrong usage or preset
  3 a quality gate failed, the simulation diverged, or an output differs from its report
  65 bad data in a file    66 input missing    70 a fault of toile
  74 input/output error    75 another bake writes the output
  130 interrupted    143 terminated";

const MAP_EXAMPLES: &str = "\
Examples:
  toile map skirt_walk --out maps.json
  toile map scene.json --visit-limit 2 --out maps.json";

const INSPECT_EXAMPLES: &str = "\
Examples:
  toile inspect skirt.obj body.glb
  toile inspect coat.obj --units cm --json
  toile inspect --garment skirt.obj --body hero.glb --animation Walk
  toile inspect --garment suit.obj --include 'group:Trousers*' --body hero.glb";

/// Bakes cloth: a garment mesh and an animated body in, a vertex animation out.
#[derive(Debug, Parser)]
#[command(name = "toile", version, propagate_version = true, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print errors only
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = "Messages")]
    pub(crate) quiet: bool,

    /// Print all notes and what each stage found
    #[arg(long, short, global = true, help_heading = "Messages")]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a garment on a body and write the animation
    Bake(Box<BakeArguments>),
    /// Run several methods on the same scene and show their figures side by side
    Compare(Box<CompareArguments>),
    /// Show what is in a mesh or body, what will go wrong, and how to pin it
    Inspect(InspectArguments),
    /// Write the correction map of each collision state as JSON
    Map(MapArguments),
    /// Draw the pictures of the README: a gallery, and the figures of the method's paper
    Figures(FiguresArguments),
    /// Show presets, bakes and meshes as pictures
    Preview(Box<PreviewArguments>),
    /// Show the built-in scenes and fabrics
    Presets(PresetsArguments),
    /// Read the outputs of a bake again and prove that they are what was simulated
    Verify(VerifyArguments),
    /// Write a body at given moments as a point cache
    #[command(hide = true)]
    Pose(PoseArguments),
    /// Write the meshes that are built in
    #[command(hide = true)]
    GenerateMeshes(GenerateArguments),
}

/// What files may ask for.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Files that are read")]
pub(crate) struct FileArguments {
    /// Folder beside a file's own beneath which its buffers, images and MTL files may lie: ../shared/textures; may be repeated
    #[arg(long, value_name = "DIR", value_parser = PathBufValueParser::new().try_map(folder))]
    pub(crate) allow_dir: Vec<PathBuf>,

    /// Largest mesh file, megabytes; beyond the defaults the JSON of glTF files, and vertices, corners and names of OBJ files,
    /// may be more in proportion [default: glTF 536, OBJ 268, what a glTF file refers to 268 together]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) max_file_mb: Option<u64>,
}

fn folder(path: PathBuf) -> Result<PathBuf, &'static str> {
    if path.is_dir() { Ok(path) } else { Err("there is no such folder") }
}

impl FileArguments {
    /// As the readers take it.
    pub(crate) fn access(&self) -> Access {
        Access { folders: self.allow_dir.clone(), max_file_bytes: self.max_file_mb.map(|mb| mb * 1_000_000) }
    }
}

/// `toile inspect`.
#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(crate) struct InspectArguments {
    /// Meshes and bodies: .obj, .gltf, .glb
    #[arg(required_unless_present_any = ["garment", "body"], value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Garment whose fit on --body is looked at; ends with the bake that follows from it. Without --body what is in it as a
    /// garment, a character's components among it
    #[arg(long, value_name = "FILE")]
    pub(crate) garment: Option<PathBuf>,

    /// Body that --garment is for. Without --garment what is in it as a body
    #[arg(long, value_name = "FILE")]
    pub(crate) body: Option<PathBuf>,

    /// Animation of the body [default: the first]
    #[arg(long, value_name = "NAME", requires = "body", requires = "garment")]
    pub(crate) animation: Option<String>,

    /// Pose of the body that the garment was made for [default: found out]
    #[arg(long, value_enum, value_name = "POSE", requires = "body", requires = "garment")]
    pub(crate) garment_pose: Option<crate::simulate::StartPose>,

    /// Part of --garment that is cloth, as in `toile bake`; may be repeated [default: all]
    #[arg(long, value_name = "PART", requires = "body", requires = "garment")]
    pub(crate) include: Vec<crate::carry::PartSelector>,

    /// Part of --garment that the body holds instead, as in `toile bake`; may be repeated
    #[arg(long, value_name = "PART", requires = "body", requires = "garment")]
    pub(crate) exclude: Vec<crate::carry::PartSelector>,

    /// Unit of length of the files, but for --body
    #[arg(long, value_enum, default_value_t)]
    pub(crate) units: crate::preset::UnitName,

    /// Up axis of the files, but for --body
    #[arg(long, value_enum, default_value_t)]
    pub(crate) up: crate::preset::UpName,

    /// Unit of length of --body [default: guessed]
    #[arg(long, value_enum, requires = "body")]
    pub(crate) body_units: Option<crate::preset::UnitName>,

    /// Up axis of --body
    #[arg(long, value_enum, default_value_t)]
    pub(crate) body_up: crate::preset::UpName,

    /// Print one JSON document to stdout
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) files_read: FileArguments,
}

impl InspectArguments {
    /// How the files say places, and how the body does.
    pub(crate) fn frames(&self) -> [FileFrame; 2] {
        [
            FileFrame { unit: self.units.into(), up: self.up.into() },
            FileFrame { unit: self.body_units.unwrap_or_default().into(), up: self.body_up.into() },
        ]
    }
}

/// `toile map`.
#[derive(Debug, Args)]
#[command(after_help = MAP_EXAMPLES)]
pub(crate) struct MapArguments {
    /// Name of a built-in preset, or a JSON file
    pub(crate) preset: String,

    /// JSON file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Times a vertex may be corrected [default: the preset's, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) visit_limit: Option<u32>,

    /// Replace the file if it is there
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) files_read: FileArguments,
}

/// `toile presets`.
#[derive(Debug, Args)]
pub(crate) struct PresetsArguments {
    #[command(subcommand)]
    pub(crate) action: PresetsAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PresetsAction {
    /// Names and descriptions of all scenes and fabrics
    List {
        /// Print one JSON document to stdout
        #[arg(long)]
        json: bool,
    },
    /// The JSON of a scene or fabric, to start your own from
    Show {
        /// Its name
        name: String,
    },
    /// Test fabrics as laboratories do: drape coefficient and bending length beside published ranges
    Test {
        /// Names of built-in fabrics [default: all]
        fabrics: Vec<String>,
        /// Cells of the cloth in the drape test, millimetres
        #[arg(long, value_name = "MM", default_value_t = 5.0, value_parser = parse_cell)]
        cell_mm: f32,
        /// Print one JSON document to stdout
        #[arg(long)]
        json: bool,
    },
    /// JSON Schema of scenes, for editors
    Schema {
        /// The schema of fabrics instead
        #[arg(long)]
        fabric: bool,
    },
}

/// `toile pose`.
#[derive(Debug, Args)]
pub(crate) struct PoseArguments {
    /// Body: .gltf, .glb, or an OBJ sequence: its first file, its folder, or a pattern such as walk_####.obj
    #[arg(long, value_name = "FILE")]
    pub(crate) body: PathBuf,

    /// Its animation; the first if left out
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,

    /// Moments on the clip's time line, seconds
    #[arg(long, value_name = "T0,T1,...", required = true, value_delimiter = ',', allow_hyphen_values = true, value_parser = parse_seconds)]
    pub(crate) times: Vec<f64>,

    /// Point cache to write, .pc2: metres, Y up
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Replace the file if it is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// `toile generate-meshes`.
#[derive(Debug, Args)]
pub(crate) struct GenerateArguments {
    /// Folder to write to
    pub(crate) folder: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
