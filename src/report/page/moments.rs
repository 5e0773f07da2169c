//! Pictures of a bake: where it is worst, and its course.

use rayon::prelude::*;

use crate::body::{Body, Moment as At};
use crate::geometry::{Aabb, Vec3};
use crate::preview::{
    Camera, FULL_STRAIN, Mesh, Paint, Picture, Scene, Smoothing, View, mean_stretches, render, strain_colour,
};
use crate::report::place::describe;
use crate::report::{Report, Subject};

/// Pixels of a picture of a worst moment.
const CLOSE: [u32; 2] = [420, 420];
/// What it shows around the place, as a part of the garment's size.
const AROUND: f32 = 0.4;
/// Pictures of the course, and their pixels.
const COURSE: usize = 6;
const WHOLE: [u32; 2] = [300, 400];

/// A picture with what it shows.
pub(super) struct Moment {
    pub(super) caption: String,
    pub(super) picture: Picture,
}

/// Where it is worst: most stretched, deepest, most crossed.
pub(super) fn worst(report: &Report, studio: &Studio<'_>) -> Vec<Moment> {
    let subject = studio.subject;
    let bounds = Aabb::around(&subject.garment.positions);
    let place = |vertex: u32| describe(subject.garment.positions[vertex as usize], &bounds);
    let mut wanted: Vec<(i64, u32, String)> = Vec::new();
    if let Some(worst) = &report.stretch.worst {
        let [a, b] = worst.vertices;
        let stretch = report.stretch.max * 100.0;
        let words = format!("most stretched, {stretch:.1} %: {}, vertices {a} and {b}", place(a));
        wanted.push((worst.frame, a, words));
    }
    if let Some((penetration, worst)) = report.penetration.as_ref().and_then(|p| Some((p, p.worst.as_ref()?))) {
        let (depth, vertex) = (penetration.max_mm, worst.vertex);
        let words = format!("deepest, {depth:.1} mm inside {}: {}, vertex {vertex}", worst.joint, place(vertex));
        wanted.push((worst.frame, vertex, words));
    }
    if let Some(worst) = &report.self_crossings.worst {
        let (pairs, [a, b]) = (report.self_crossings.max_pairs, worst.vertices);
        let words = format!("through itself, {pairs} pairs of triangles: {}, vertices {a} and {b}", place(a));
        wanted.push((worst.frame, a, words));
    }
    let moment = |(frame, vertex, words): &(i64, u32, String)| Moment {
        caption: format!("frame {frame}: {words}"),
        picture: studio.close(*frame, *vertex),
    };
    wanted.par_iter().map(moment).collect()
}

/// Frames from the first to the last.
pub(super) fn course(studio: &Studio<'_>) -> Vec<Moment> {
    let cache = studio.subject.cache;
    let frames = cache.frames.len();
    let count = COURSE.min(frames);
    let moment = |i: usize| {
        let index = if count > 1 { i * (frames - 1) / (count - 1) } else { 0 };
        let frame = cache.timeline.first + index as i64;
        Moment { caption: format!("frame {frame}"), picture: studio.whole(index) }
    };
    (0..count).into_par_iter().map(moment).collect()
}

/// Cloth and body of a bake, ready to be drawn.
pub(super) struct Studio<'a> {
    subject: &'a Subject<'a>,
    triangles: Vec<[u32; 3]>,
    body: Option<(&'a Body, Smoothing)>,
}

/// Both as they stand in a frame.
struct Posed<'a> {
    cloth: &'a [Vec3],
    body: Vec<Vec3>,
}

impl<'a> Studio<'a> {
    pub(super) fn new(subject: &'a Subject<'a>) -> Studio<'a> {
        let cache = subject.cache;
        let smoothed = |body: &'a Body| {
            let mut positions = Vec::new();
            body.pose(At::At(cache.timeline.clip_seconds(0)), &mut positions);
            (body, Smoothing::of(&positions))
        };
        Studio { subject, triangles: subject.topology.drawn_indices(), body: subject.body.map(smoothed) }
    }

    fn posed(&self, index: usize) -> Posed<'a> {
        let cache = self.subject.cache;
        let mut body = Vec::new();
        if let Some((of, _)) = &self.body {
            of.pose(At::At(cache.timeline.clip_seconds(index)), &mut body);
        }
        Posed { cloth: &cache.frames[index], body }
    }

    /// Around a vertex of the garment's file, from outside, coloured by strain.
    fn close(&self, frame: i64, vertex: u32) -> Picture {
        let cache = self.subject.cache;
        let last = cache.frames.len().saturating_sub(1);
        let index = usize::try_from(frame - cache.timeline.first).unwrap_or(0).min(last);
        let posed = self.posed(index);
        let particle = self.subject.topology.particle_of_vertex[vertex as usize].index();
        let bounds = Aabb::around(posed.cloth);
        let target = posed.cloth[particle];
        let normal = self.cloth_normals(posed.cloth)[particle];
        let outward = target - bounds.centre();
        let normal = if normal.dot(outward) < 0.0 { -normal } else { normal };
        // From a little above, so that up stays up.
        let camera = Camera::at(target, normal + Vec3::Y * 0.3, AROUND * bounds.size().length());
        self.picture(&posed, self.strain(posed.cloth), &camera, CLOSE)
    }

    fn whole(&self, index: usize) -> Picture {
        let posed = self.posed(index);
        let bounds = self.bounds(&posed);
        self.picture(&posed, Paint::cloth(), &Camera::around(&bounds, View::ThreeQuarter, WHOLE), WHOLE)
    }

    fn bounds(&self, posed: &Posed<'_>) -> Aabb {
        Aabb::around(posed.cloth).union(Aabb::around(&posed.body))
    }

    fn picture(&self, posed: &Posed<'_>, paint: Paint, camera: &Camera, size: [u32; 2]) -> Picture {
        let normals = self.cloth_normals(posed.cloth);
        let mut meshes = vec![Mesh { positions: posed.cloth, triangles: &self.triangles, normals, paint }];
        if let Some((body, smoothing)) = &self.body {
            let normals = smoothing.normals(&posed.body, body.triangles());
            meshes.push(Mesh { positions: &posed.body, triangles: body.triangles(), normals, paint: Paint::body() });
        }
        render(&Scene::standing(meshes, &self.bounds(posed)), camera, size)
    }

    fn cloth_normals(&self, positions: &[Vec3]) -> Vec<Vec3> {
        Smoothing::none(positions.len()).normals(positions, &self.triangles)
    }

    /// Each particle's colour: of the mean stretch of its edges.
    fn strain(&self, positions: &[Vec3]) -> Paint {
        let topology = self.subject.topology;
        let edges = topology.file_edges.iter().map(|ends| ends.map(|p| p.index()));
        let stretches = mean_stretches(edges, &topology.positions, positions);
        let colour = |stretch: f32| strain_colour(stretch, FULL_STRAIN);
        Paint::PerVertex(stretches.into_iter().map(colour).collect())
    }
}
