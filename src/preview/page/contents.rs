//! What a page says about its figures and tracks: JSON that its scripts read.

use serde::Serialize;

use crate::preview::FigureKind;

/// All of it. Blocks are numbered as they stand in the page.
#[derive(Debug, Serialize)]
pub(super) struct Contents<'a> {
    pub(super) name: &'a str,
    /// Frames a second.
    pub(super) fps: f64,
    /// Number of the first frame.
    pub(super) first: i64,
    /// How many frames there are.
    pub(super) frames: usize,
    pub(super) figures: Vec<FigureContents<'a>>,
    pub(super) strain: StrainScale,
    pub(super) states: Option<StateContents<'a>>,
    pub(super) maps: Option<MapsContents<'a>>,
    pub(super) start: Start,
}

/// A figure.
#[derive(Debug, Serialize)]
pub(super) struct FigureContents<'a> {
    pub(super) name: &'a str,
    pub(super) kind: Kind,
    /// Linear red, green and blue.
    pub(super) colour: [f32; 3],
    /// Block of a colour for each vertex instead, sRGB bytes.
    pub(super) colours: Option<usize>,
    pub(super) vertices: usize,
    /// How many triangles there are.
    pub(super) faces: usize,
    /// Block of the triangles' corners.
    pub(super) triangles: usize,
    /// Block of the ends of edges.
    pub(super) edges: usize,
    /// Block of pairs of vertices in the same place, the first of that place second.
    pub(super) seams: usize,
    pub(super) track: TrackContents,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Cloth,
    Body,
}

impl From<FigureKind> for Kind {
    fn from(kind: FigureKind) -> Kind {
        match kind {
            FigureKind::Cloth => Kind::Cloth,
            FigureKind::Body => Kind::Body,
        }
    }
}

/// Records of positions.
#[derive(Debug, Serialize)]
pub(super) struct TrackContents {
    pub(super) blocks: Vec<usize>,
    /// Bytes of a record.
    pub(super) length: usize,
    /// Whether stretch follows the positions.
    pub(super) stretch: bool,
}

/// Colours of strain.
#[derive(Debug, Serialize)]
pub(super) struct StrainScale {
    /// Stretch at its ends.
    pub(super) most: f32,
    /// From the most compressed to the most stretched, sRGB: `#rrggbb`.
    pub(super) colours: Vec<String>,
}

/// Collision states.
#[derive(Debug, Serialize)]
pub(super) struct StateContents<'a> {
    pub(super) names: Vec<&'a str>,
    /// Of each frame, an index of `names`.
    pub(super) frames: Vec<usize>,
}

/// Correction maps.
#[derive(Debug, Serialize)]
pub(super) struct MapsContents<'a> {
    /// Where particles are; none if they are the vertices of the first figure.
    pub(super) particles: Option<TrackContents>,
    pub(super) count: usize,
    /// From the first correction to the last, sRGB: `#rrggbb`.
    pub(super) colours: Vec<String>,
    pub(super) maps: Vec<MapContents<'a>>,
}

/// A correction map.
#[derive(Debug, Serialize)]
pub(super) struct MapContents<'a> {
    pub(super) state: &'a str,
    /// Block of sources and goals in their order.
    pub(super) corrections: usize,
    /// Block of the fixed particles.
    pub(super) fixed: usize,
}

/// What is shown at first.
#[derive(Debug, Serialize)]
pub(super) struct Start {
    /// From the figures to the camera.
    pub(super) view: [f32; 3],
    pub(super) strain: bool,
    pub(super) wires: bool,
    pub(super) map: bool,
    /// sRGB; none for the theme's.
    pub(super) background: Option<[u8; 3]>,
}
