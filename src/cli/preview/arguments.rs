//! Flags of `toile preview`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use crate::cli::arguments::FileArguments;
use crate::cli::values::FrameList;
use crate::geometry::Aabb;
use crate::preset::{UnitName, UpName, parse_frame_rate};
use crate::preview::{Mesh, Scene, View, bytes_of_hex, from_srgb};
use crate::simulate::FrameRate;

const EXAMPLES: &str = "\
Examples:
  toile preview skirt_walk --out skirt.png
  toile preview skirt_walk --fabric silk --view front,side,back --count 4 --out silk.png
  toile preview skirt_walk --show strain --out strain.gif
  toile preview skirt_walk --show map --out map.png
  toile preview out/skirt_walk.glb --view turntable --out turn.gif
  toile preview walk.pc2 --mesh skirt.obj --out walk.png --animated
  toile preview skirt_walk --out frames/skirt_####.png
  toile preview skirt_walk --open
  toile preview out/skirt_walk.glb --out skirt.html
  toile preview --all --out gallery.png";

/// Pixels of a picture on a side, at most.
const LARGEST: u32 = 4096;
/// Pictures of a sheet, at most.
const MOST_PICTURES: u32 = 400;

/// `toile preview`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PreviewArguments {
    /// Name of a built-in preset, a preset's JSON file, or a mesh, body or bake: .glb, .gltf, .obj, .pc2
    pub(crate) subject: Option<String>,

    /// Show every built-in scene in every built-in fabric on one sheet
    #[arg(long, conflicts_with = "subject")]
    pub(crate) all: bool,

    /// What to write: .png (a sheet of several frames and views), .gif, view_####.png (a picture a frame), or .html (a page that
    /// plays it)
    #[arg(long, value_name = "FILE", required_unless_present = "open")]
    pub(crate) out: Option<PathBuf>,

    /// Open the .html in the browser; without --out it is written to a temporary file, which stays
    #[arg(long, conflicts_with = "all")]
    pub(crate) open: bool,

    /// Write a .png that plays instead of a sheet
    #[arg(long)]
    pub(crate) animated: bool,

    /// Replace the file if it is there
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) look: LookArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What it looks like")]
pub(crate) struct LookArguments {
    /// What the cloth shows
    #[arg(long, value_enum, default_value_t)]
    pub(crate) show: Show,

    /// Where it is seen from; several give a row of the sheet each
    #[arg(long = "view", value_enum, value_delimiter = ',', default_value = "three-quarter")]
    pub(crate) views: Vec<ViewName>,

    /// Frames: a range, or some with commas between, as in 4,12,20..24 [default: all]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) frames: Option<FrameList>,

    /// Frames of a sheet, evenly spread [default: 6, or all that are named one by one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PICTURES)))]
    pub(crate) count: Option<u32>,

    /// Pixels of a picture [default: 360x480 on sheets, 480x640 where it plays; larger where there is much to see]
    #[arg(long, value_name = "WxH")]
    pub(crate) size: Option<Pixels>,

    /// Colour around: six digits as in #ececf0
    #[arg(long, value_name = "RRGGBB")]
    pub(crate) background: Option<Hex>,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "What is simulated or read")]
pub(crate) struct SourceArguments {
    /// Built-in fabric instead of the preset's
    #[arg(long, value_name = "NAME")]
    pub(crate) fabric: Option<String>,

    /// Simulate the preset as a bake does, not a quick version of it
    #[arg(long)]
    pub(crate) full: bool,

    /// Simulate even if that has been done before, and keep nothing
    #[arg(long)]
    pub(crate) no_cache: bool,

    /// Animation of a file [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,

    /// Frames a second of a file [default: as its keys are, else 30]
    #[arg(long, value_name = "F", value_parser = parse_frame_rate)]
    pub(crate) fps: Option<FrameRate>,

    /// Mesh whose vertices a .pc2 moves
    #[arg(long, value_name = "FILE")]
    pub(crate) mesh: Option<PathBuf>,

    /// Unit of length of the file
    #[arg(long, value_enum, default_value_t)]
    pub(crate) units: UnitName,

    /// Up axis of the file
    #[arg(long, value_enum, default_value_t)]
    pub(crate) up: UpName,

    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    #[command(flatten)]
    pub(crate) files_read: FileArguments,
}

/// `toile figures`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  toile figures pictures\n  toile figures presets/figures --force")]
pub(crate) struct FiguresArguments {
    /// Folder to draw them into
    pub(crate) folder: PathBuf,

    /// Replace pictures that are there
    #[arg(long)]
    pub(crate) force: bool,
}

impl LookArguments {
    /// One view, and nothing else said.
    pub(crate) fn of(view: ViewName, show: Show) -> LookArguments {
        LookArguments { show, views: vec![view], frames: None, count: None, size: None, background: None }
    }

    /// Pixels of a picture: as asked for, else `usual` ones, or more where there is much to see.
    pub(crate) fn pixels(&self, usual: [u32; 2]) -> [u32; 2] {
        self.size.map_or(self.show.pixels(usual), |size| size.0)
    }

    /// Meshes on a floor at the foot of `bounds`, before the colour that is asked for.
    pub(crate) fn scene<'a>(&self, meshes: Vec<Mesh<'a>>, bounds: &Aabb) -> Scene<'a> {
        let scene = Scene::standing(meshes, bounds);
        let background = self.background.map_or(scene.background, |background| from_srgb(background.0));
        Scene { background, ..scene }
    }
}

/// What the cloth shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Show {
    /// Its own colour
    #[default]
    Shaded,
    /// How much it is stretched
    Strain,
    /// Edges of its faces
    Wire,
    /// Springs of the simulated cloth by kind
    Springs,
    /// Correction maps: in which order stretch is taken out, from where to where, in each collision state
    Map,
    /// The collision state in force, and what it holds beside the pins
    States,
    /// Where it touches the body
    Contacts,
    /// What of it is inside the body, and how deep
    Penetration,
}

impl Show {
    /// Whether it is about what only a simulation knows.
    pub(crate) fn needs_scene(self) -> bool {
        !matches!(self, Show::Shaded | Show::Strain | Show::Wire)
    }

    pub(crate) fn needs_body(self) -> bool {
        matches!(self, Show::Contacts | Show::Penetration)
    }

    /// Whether it is about how the cloth is put together, which fewer particles would not show.
    pub(crate) fn needs_all_particles(self) -> bool {
        matches!(self, Show::Springs | Show::Map)
    }

    /// Whether it is about the simulated cloth, not about the garment that follows it.
    pub(crate) fn is_of_particles(self) -> bool {
        matches!(self, Show::Springs | Show::Map | Show::States | Show::Contacts)
    }

    /// Whether there is so much to see that only the cloth is in the picture.
    pub(crate) fn is_close(self) -> bool {
        matches!(self, Show::Wire | Show::Springs | Show::Map | Show::Contacts | Show::Penetration)
    }

    /// Pixels of a picture in which all of it can be seen, where colours alone would need `usual` ones.
    pub(crate) fn pixels(self, usual: [u32; 2]) -> [u32; 2] {
        match self {
            Show::Map | Show::Springs => usual.map(|pixels| 2 * pixels),
            show if show.is_close() => usual.map(|pixels| pixels * 3 / 2),
            _ => usual,
        }
    }

    /// Its name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Where it is seen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewName {
    /// From the front
    Front,
    /// From its left
    Side,
    /// From behind
    Back,
    /// From the front and its left
    ThreeQuarter,
    /// From above
    Top,
    /// Once around it
    Turntable,
}

impl ViewName {
    /// The view at a part, 0 to 1, of the pictures.
    pub(crate) fn at(self, part: f32) -> View {
        match self {
            ViewName::Front => View::Front,
            ViewName::Side => View::Side,
            ViewName::Back => View::Back,
            ViewName::ThreeQuarter => View::ThreeQuarter,
            ViewName::Top => View::Top,
            ViewName::Turntable => View::Turned(360.0 * part),
        }
    }

    /// Its name in captions.
    pub(crate) fn words(self) -> &'static str {
        match self {
            ViewName::Front => "front",
            ViewName::Side => "side",
            ViewName::Back => "back",
            ViewName::ThreeQuarter => "three-quarter",
            ViewName::Top => "top",
            ViewName::Turntable => "turntable",
        }
    }
}

/// Width and height of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pixels(pub(crate) [u32; 2]);

impl FromStr for Pixels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage = || format!("`{text}` is no size; write WIDTHxHEIGHT, 640x480 say, each from 16 to {LARGEST}");
        let (width, height) = text.split_once('x').ok_or_else(usage)?;
        let side = |n: &str| n.parse().ok().filter(|n| (16..=LARGEST).contains(n)).ok_or_else(usage);
        Ok(Pixels([side(width)?, side(height)?]))
    }
}

/// A colour as six hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hex(pub(crate) [u8; 3]);

impl FromStr for Hex {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage = || format!("`{text}` is no colour; write six hexadecimal digits, ececf0 say");
        bytes_of_hex(text).map(Hex).ok_or_else(usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_colours_are_read_or_explained() {
        assert_eq!("640x480".parse(), Ok(Pixels([640, 480])));
        for text in ["640", "0x10", "9999x10", "ax1", "-1x20"] {
            assert!(text.parse::<Pixels>().is_err_and(|e| e.contains(text)), "{text}");
        }
        assert_eq!("#ff8000".parse(), Ok(Hex([255, 128, 0])));
        for text in ["fff", "+12345", "gg0000", ""] {
            assert!(text.parse::<Hex>().is_err(), "{text}");
        }
    }
}
