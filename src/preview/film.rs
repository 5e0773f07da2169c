//! What is shown: surfaces that move from frame to frame.

use std::ops::Range;
use std::sync::Arc;

use super::colour::Colour;
use super::material::{Alpha, Material, materials};
use super::mesh::{Mesh, Paint, Smoothing, Surfacing};
use crate::body::{Body, Moment};
use crate::geometry::{Aabb, Vec3, join};
use crate::import::BodyPart;
use crate::simulate::{PointCache, Timeline};

/// What a surface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// Simulated, or a mesh that morphs without a skin or comes frame by frame, as baked cloth does.
    Cloth,
    /// What wears it or what it lies on.
    Body,
}

/// A surface of one material.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name in its file.
    pub name: String,
    /// What it is.
    pub kind: FigureKind,
    /// Corners; each indexes the figure's own vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Its own colour.
    pub paint: Paint,
    smoothing: Smoothing,
    place: Place,
}

impl Figure {
    /// How many vertices it has.
    pub(super) fn vertices(&self) -> usize {
        self.smoothing.vertices()
    }

    /// Vertices that are in the same place as an earlier one, which stands second.
    pub(super) fn seams(&self) -> Vec<[u32; 2]> {
        self.smoothing.seams()
    }
}

/// Where the vertices of a figure are.
#[derive(Clone, Debug)]
enum Place {
    /// In the point cache.
    Cache,
    /// Among those of the posed body.
    Body(Range<usize>),
}

/// A clip of figures.
#[derive(Debug)]
pub struct Film {
    /// Which frames there are.
    pub timeline: Timeline,
    /// All surfaces, cloth first.
    pub figures: Vec<Figure>,
    /// What of their looks could not be shown, in plain words.
    pub notices: Vec<String>,
    cache: Option<PointCache>,
    body: Option<Body>,
}

/// The positions of all figures in one frame, in their order, metres.
pub type Pose = Vec<Vec<Vec3>>;

impl Film {
    /// Of cloth that was simulated, with these triangles between its particles, its colour if it has one of its own, and the body it
    /// was simulated on.
    pub fn of_cloth(
        name: &str,
        triangles: Vec<[u32; 3]>,
        paint: Option<Paint>,
        cache: PointCache,
        body: Option<Body>,
    ) -> Film {
        let smoothing = Smoothing::none(cache.frames.first().map_or(0, Vec::len));
        let cloth = Figure {
            name: name.to_owned(),
            kind: FigureKind::Cloth,
            triangles,
            paint: paint.unwrap_or_else(Paint::cloth),
            smoothing,
            place: Place::Cache,
        };
        let timeline = cache.timeline;
        let mut figures = vec![cloth];
        // The body of a simulation is a backdrop: its own colours would compete with the cloth's.
        figures.extend(body.iter().flat_map(|body| parts(body, timeline, &[])).map(|figure| Figure {
            kind: FigureKind::Body,
            paint: Paint::body(),
            ..figure
        }));
        Film { timeline, figures, notices: Vec::new(), cache: Some(cache), body }
    }

    /// Of all that a file holds, as it plays it.
    pub fn of_file(body: Body, timeline: Timeline) -> Film {
        let (materials, notices) = body.rig().map_or_else(Default::default, |rig| materials(&rig.appearance));
        let mut figures = parts(&body, timeline, &materials);
        figures.sort_by_key(|figure| figure.kind == FigureKind::Body);
        Film { timeline, figures, notices, cache: None, body: Some(body) }
    }

    /// Where everything is in frame `index`, counted from 0.
    pub fn pose(&self, index: usize) -> Pose {
        let mut body = Vec::new();
        if let Some(of) = &self.body {
            of.pose(Moment::At(self.timeline.clip_seconds(index)), &mut body);
        }
        self.placed(index, &body)
    }

    fn placed(&self, index: usize, body: &[Vec3]) -> Pose {
        let cloth = || self.cache.as_ref().and_then(|cache| cache.frames.get(index)).cloned().unwrap_or_default();
        let positions = |figure: &Figure| match &figure.place {
            Place::Cache => cloth(),
            Place::Body(range) => body.get(range.clone()).unwrap_or_default().to_vec(),
        };
        self.figures.iter().map(positions).collect()
    }

    /// Where everything is before a clip moves it.
    pub fn rest(&self) -> Pose {
        self.start(Moment::Bind)
    }

    /// The body as it is at `moment`, cloth as it is in the first frame.
    pub fn start(&self, moment: Moment) -> Pose {
        let mut body = Vec::new();
        if let Some(of) = &self.body {
            of.pose(moment, &mut body);
        }
        self.placed(0, &body)
    }

    /// What moves all figures that are not simulated.
    pub fn body(&self) -> Option<&Body> {
        self.body.as_ref()
    }

    /// The box around everything in a pose.
    pub fn bounds(pose: &Pose) -> Aabb {
        pose.iter().fold(Aabb::EMPTY, |bounds, positions| bounds.union(Aabb::around(positions)))
    }

    /// The figures in a pose as meshes; `paint` gives the colours of each instead of its own.
    pub fn meshes<'a>(&'a self, pose: &'a Pose, paint: impl Fn(usize, &Figure) -> Option<Paint>) -> Vec<Mesh<'a>> {
        let mesh = |(index, (figure, positions)): (usize, (&'a Figure, &'a Vec<Vec3>))| Mesh {
            positions,
            triangles: &figure.triangles,
            normals: figure.smoothing.normals(positions, &figure.triangles),
            paint: paint(index, figure).unwrap_or_else(|| figure.paint.clone()),
        };
        self.figures.iter().zip(pose).enumerate().map(mesh).collect()
    }
}

/// The parts of a body as figures.
fn parts(body: &Body, timeline: Timeline, materials: &[Material]) -> Vec<Figure> {
    let mut positions = Vec::new();
    body.pose(Moment::At(timeline.clip_seconds(0)), &mut positions);
    let first = join(&positions);
    let ranges = body.part_vertices();
    let mut triangles = vec![Vec::new(); ranges.len()];
    for triangle in body.triangles() {
        // Parts are in the order of their vertices.
        let part = ranges.partition_point(|range| range.end <= triangle[0]);
        if let Some(range) = ranges.get(part) {
            triangles[part].push(triangle.map(|v| v - range.start));
        }
    }
    let rig = body.rig();
    let figure = |(index, (range, triangles)): (usize, (&Range<u32>, Vec<[u32; 3]>))| {
        let part = rig.and_then(|rig| rig.parts.get(index));
        let range = range.start as usize..range.end as usize;
        let is_cloth = match rig {
            Some(_) => part.is_some_and(|part| part.skin.is_none() && !part.morph_targets.is_empty()),
            // A mesh that is written out frame by frame.
            None => timeline.len() > 1,
        };
        let own = part.and_then(|part| own_paint(part, materials, &triangles));
        // Cloth bends at any edge, whatever it looked like when it was flat.
        let sharp = part.filter(|_| !is_cloth);
        Figure {
            name: part.map_or_else(String::new, |part| part.name.clone()),
            kind: if is_cloth { FigureKind::Cloth } else { FigureKind::Body },
            triangles,
            paint: own.unwrap_or_else(if is_cloth { Paint::cloth } else { Paint::body }),
            smoothing: Smoothing::of_part(&first[range.clone()], sharp.map_or(&[], |part| &part.normals)),
            place: Place::Body(range),
        }
    };
    ranges.iter().zip(triangles).enumerate().map(figure).collect()
}

/// What a part's material says of its colour, if it has one.
fn own_paint(part: &BodyPart, materials: &[Material], triangles: &[[u32; 3]]) -> Option<Paint> {
    let tints = part.colours.clone();
    let material = match part.material.and_then(|material| materials.get(material as usize)) {
        // A texture without coordinates shows nothing.
        Some(material) if material.texture.is_none() || !part.texcoords.is_empty() => material.clone(),
        _ if tints.is_empty() => return None,
        _ => Material::plain(Colour::ONE),
    };
    let is_plain = material.texture.is_none() && material.alpha == Alpha::Ignored && tints.is_empty();
    Some(if is_plain {
        Paint::Plain(material.factor)
    } else {
        Paint::Materials(Arc::new(Surfacing::uniform(material, triangles, &part.texcoords, tints)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{BodyAsset, MeshSequence};
    use crate::simulate::FrameRate;

    #[test]
    fn a_sequence_is_a_figure_that_moves() {
        let frames: Vec<Vec<Vec3>> = (0..3).map(|i| vec![Vec3::ZERO, Vec3::X, Vec3::Y * (1.0 + i as f32)]).collect();
        let asset = MeshSequence { triangles: vec![[0, 1, 2]], frames, ..MeshSequence::default() };
        let body = Body::new(BodyAsset::Sequence(asset), None).expect("a body").with_sequence_rate(30.0);
        let timeline = Timeline { first: 0, last: 2, fps: FrameRate::whole(30), start_frame: 0 };
        let film = Film::of_file(body, timeline);
        assert_eq!(film.figures.len(), 1);
        assert_eq!(Film::bounds(&film.pose(2)).max, Vec3::new(1.0, 3.0, 0.0));
        assert_eq!(film.meshes(&film.pose(1), |_, _| None)[0].normals.len(), 3);
    }
}
