//! A clip as a page: one HTML file that any browser opens from disk, with a small viewer of its own.
//!
//! ```text
//! film -> track: a record a frame -> blocks of base64 --------------------\
//!      -> contents: which block is what, names, colours, states, as JSON --+-> template, style and viewer -> page
//! ```
//!
//! The page loads nothing and may not (its content security policy says so). The viewer shows the studio of the still pictures:
//! same lights, same colours, same camera.

mod colours;
mod contents;
mod escape;
mod track;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;

use self::contents::{
    Contents, FigureContents, MapContents, MapsContents, Start, StateContents, StrainScale, TrackContents,
};
use self::track::{Track, indices, record};
use super::camera::View;
use super::colour::{Colour, encoded, ramp, strain_colour};
use super::film::{Figure, Film, Pose};
use crate::correction::{CorrectionMap, CorrectionMaps};
use crate::geometry::Vec3;
use crate::simulate::PointCache;

const TEMPLATE: &str = include_str!("template.html");
const STYLE: &str = include_str!("style.css");
/// The viewer, in the order in which its parts build on each other.
const VIEWER: [&str; 11] = [
    include_str!("viewer/vectors.js"),
    include_str!("viewer/tracks.js"),
    include_str!("viewer/surface.js"),
    include_str!("viewer/shaders.js"),
    include_str!("viewer/graphics.js"),
    include_str!("viewer/studio.js"),
    include_str!("viewer/overlays.js"),
    include_str!("viewer/orbit.js"),
    include_str!("viewer/clock.js"),
    include_str!("viewer/panel.js"),
    include_str!("viewer/main.js"),
];

/// Bytes of a page, at most: browsers still open it.
pub const LARGEST_PAGE: usize = 300_000_000;
/// Frames that are worked out at a time.
const AT_A_TIME: usize = 16;
/// Colours that a scale is made of.
const SCALE_COLOURS: i8 = 33;

/// A pose -> the stretch, `(l - l0) / l0`, at each vertex of each figure, where it is known.
pub type Stretch<'a> = dyn Fn(&Pose) -> Vec<Option<Vec<f32>>> + Sync + 'a;

/// What a page shows.
pub struct Clip<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The figures.
    pub film: &'a Film,
    /// Indices of its frames that are shown, one after the other.
    pub frames: &'a [usize],
    /// Edges of each figure.
    pub edges: Vec<Vec<[u32; 2]>>,
    /// How far cloth is stretched.
    pub stretch: Box<Stretch<'a>>,
    /// Stretch at the end of the scale of colours.
    pub full_scale: f32,
    /// Names of the collision states, and which is in force in each frame of the film.
    pub states: Option<(Vec<&'a str>, &'a [usize])>,
    /// The correction maps of the first figure.
    pub maps: Option<&'a CorrectionMaps>,
    /// Where their particles are; none if they are the first figure's vertices.
    pub particles: Option<&'a PointCache>,
    /// Where it is seen from at first.
    pub view: View,
    /// What it shows at first.
    pub switches: Switches,
    /// Colour around, sRGB; none for a light or dark one, as the browser's user likes it.
    pub background: Option<[u8; 3]>,
}

/// What is switched on at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Colours of strain.
    pub strain: bool,
    /// Edges of the cloth.
    pub wires: bool,
    /// The correction map.
    pub map: bool,
}

/// A page that would be larger than [`LARGEST_PAGE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page would be larger than {} MB; about {frames} frames fit", LARGEST_PAGE / 1_000_000)]
pub struct LargePage {
    /// How many frames would fit.
    pub frames: usize,
}

/// The page that shows `clip`.
///
/// # Errors
/// It would be too large.
pub fn page(clip: &Clip<'_>) -> Result<String, LargePage> {
    let mut blocks = Blocks::default();
    let tracks = tracks(clip)?;
    let contents = contents(clip, &tracks, &mut blocks);
    // Strings and numbers are always JSON.
    let contents = escape::json(&serde_json::to_string(&contents).unwrap_or_default());
    let script = VIEWER.concat();
    let size = blocks.html.len() + contents.len();
    if size > LARGEST_PAGE {
        return Err(LargePage { frames: clip.frames.len() * (LARGEST_PAGE / 64) / (size / 64) });
    }
    let parts = [
        ("name", escape::text(clip.name)),
        ("style", STYLE.to_owned()),
        ("contents", contents),
        ("blocks", blocks.html),
        ("viewer", script),
    ];
    Ok(filled(TEMPLATE, &parts))
}

/// A template with `{{name}}` replaced by the part of that name. Parts are not looked into.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::with_capacity(template.len() + parts.iter().map(|(_, part)| part.len()).sum::<usize>());
    for (index, piece) in template.split("{{").enumerate() {
        let (name, rest) = if index == 0 { ("", piece) } else { piece.split_once("}}").unwrap_or(("", piece)) };
        page.extend(parts.iter().filter(|(known, _)| *known == name).map(|(_, part)| part.as_str()));
        page.push_str(rest);
    }
    page
}

/// Blocks of base64, numbered.
#[derive(Default)]
struct Blocks {
    html: String,
    count: usize,
}

impl Blocks {
    /// Adds a block; gives its number.
    fn add(&mut self, base64: &str) -> usize {
        self.html.push_str(&format!("<script type=\"text/plain\" id=\"block-{}\">{base64}</script>\n", self.count));
        self.count += 1;
        self.count - 1
    }

    fn track(&mut self, track: &Track, has_stretch: bool) -> TrackContents {
        let blocks = track.blocks().iter().map(|block| self.add(block)).collect();
        TrackContents { blocks, length: track.length(), stretch: has_stretch }
    }
}

/// Where everything is in all frames.
struct Tracks {
    figures: Vec<Track>,
    /// Whether each figure's stretch is known.
    has_stretch: Vec<bool>,
    particles: Option<Track>,
}

fn tracks(clip: &Clip<'_>) -> Result<Tracks, LargePage> {
    let count = clip.film.figures.len();
    let mut tracks = Tracks {
        figures: (0..count).map(|_| Track::default()).collect(),
        has_stretch: vec![false; count],
        particles: clip.particles.map(|_| Track::default()),
    };
    let mut done = 0;
    for frames in clip.frames.chunks(AT_A_TIME) {
        let poses: Vec<Recorded> = frames.par_iter().map(|&index| recorded(clip, index)).collect();
        for pose in poses {
            for (index, (bytes, has_stretch)) in pose.figures.iter().enumerate() {
                tracks.figures[index].add(bytes);
                tracks.has_stretch[index] = *has_stretch;
            }
            if let Some((track, bytes)) = tracks.particles.as_mut().zip(pose.particles) {
                track.add(&bytes);
            }
            let size: usize = tracks.figures.iter().chain(&tracks.particles).map(Track::size).sum();
            if size / 3 * 4 > LARGEST_PAGE {
                return Err(LargePage { frames: done });
            }
            done += 1;
        }
    }
    Ok(tracks)
}

/// A frame as records.
struct Recorded {
    /// Of each figure, and whether its stretch is known.
    figures: Vec<(Vec<u8>, bool)>,
    particles: Option<Vec<u8>>,
}

fn recorded(clip: &Clip<'_>, index: usize) -> Recorded {
    let pose = clip.film.pose(index);
    let stretch = (clip.stretch)(&pose);
    let figure = |(positions, stretch): (&Vec<Vec3>, &Option<Vec<f32>>)| {
        let parts: Option<Vec<f32>> = stretch.as_ref().map(|s| s.iter().map(|s| s / clip.full_scale).collect());
        (record(positions, parts.as_deref()), parts.is_some())
    };
    Recorded {
        figures: pose.iter().zip(&stretch).map(figure).collect(),
        particles: clip.particles.map(|cache| record(cache.frames.get(index).map_or(&[], Vec::as_slice), None)),
    }
}

fn contents<'a>(clip: &'a Clip<'_>, tracks: &Tracks, blocks: &mut Blocks) -> Contents<'a> {
    let timeline = clip.film.timeline;
    let figures = clip.film.figures.iter().enumerate();
    Contents {
        name: clip.name,
        fps: timeline.fps.per_second(),
        first: timeline.first + clip.frames.first().map_or(0, |&index| index as i64),
        frames: clip.frames.len(),
        figures: figures.map(|(index, figure)| figure_contents(clip, index, figure, tracks, blocks)).collect(),
        strain: strain_scale(clip.full_scale),
        states: clip.states.as_ref().map(|(names, of_frames)| StateContents {
            names: names.clone(),
            frames: clip.frames.iter().map(|&index| of_frames.get(index).copied().unwrap_or(0)).collect(),
        }),
        maps: clip.maps.map(|maps| maps_contents(maps, clip, tracks, blocks)),
        start: Start {
            view: clip.view.direction().to_array(),
            strain: clip.switches.strain,
            wires: clip.switches.wires,
            map: clip.switches.map,
            background: clip.background,
        },
    }
}

fn figure_contents<'a>(
    clip: &Clip<'_>,
    index: usize,
    figure: &'a Figure,
    tracks: &Tracks,
    blocks: &mut Blocks,
) -> FigureContents<'a> {
    let (colour, of_vertices) = colours::of(figure);
    let edges = clip.edges.get(index).map_or(&[][..], Vec::as_slice);
    FigureContents {
        name: &figure.name,
        kind: figure.kind.into(),
        colour: colour.to_array(),
        colours: of_vertices.map(|colours| blocks.add(&STANDARD.encode(colours.concat()))),
        vertices: figure.vertices(),
        faces: figure.triangles.len(),
        triangles: blocks.add(&indices(figure.triangles.iter().copied())),
        edges: blocks.add(&indices(edges.iter().copied())),
        seams: blocks.add(&indices(figure.seams())),
        track: blocks.track(&tracks.figures[index], tracks.has_stretch[index]),
    }
}

fn strain_scale(most: f32) -> StrainScale {
    StrainScale { most, colours: scale(|part| strain_colour(2.0 * part - 1.0, 1.0)) }
}

/// The colours of a scale from one end, 0, to the other, 1: `#rrggbb`.
fn scale(colour: impl Fn(f32) -> Colour) -> Vec<String> {
    let hex = |i: i8| {
        let [r, g, b] = encoded(colour(f32::from(i) / f32::from(SCALE_COLOURS - 1)));
        format!("#{r:02x}{g:02x}{b:02x}")
    };
    (0..SCALE_COLOURS).map(hex).collect()
}

fn maps_contents<'a>(
    maps: &'a CorrectionMaps,
    clip: &Clip<'_>,
    tracks: &Tracks,
    blocks: &mut Blocks,
) -> MapsContents<'a> {
    let first = clip.film.figures.first().map_or(0, Figure::vertices);
    let count = clip.particles.map_or(first, |cache| cache.frames.first().map_or(0, Vec::len));
    let mut map = |map: &'a CorrectionMap| MapContents {
        state: &map.state,
        corrections: blocks.add(&indices(map.corrections.iter().map(|c| [c.source.0, c.goal.0]))),
        fixed: blocks.add(&indices(map.fixed.iter().map(|p| [p.0]))),
    };
    let maps = maps.maps.iter().map(&mut map).collect();
    let particles = tracks.particles.as_ref().map(|track| blocks.track(track, false));
    MapsContents { particles, count, colours: scale(ramp), maps }
}

#[cfg(test)]
mod tests;
