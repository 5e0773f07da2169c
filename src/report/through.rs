//! Where the body comes through the cloth between the cloth's vertices, which are all outside: a heel under one large face.
//!
//! ```text
//!        b        b  a vertex of the body
//!      . : .      c  the place of the cloth nearest to it: inside the body, as deep as the body stands out
//!   o----c----o   o  vertices of the cloth, outside
//! ```

use std::ops::ControlFlow;

use serde::Serialize;

use super::inside::{PosedBody, may_meet};
use super::penetration::{DEEP, Inside, WorstPenetration, depth};
use super::planes::Planes;
use super::self_contacts::{Catch, SelfContacts};
use crate::body::Body;
use crate::geometry::{Aabb, Bvh, Lists, Vec3, edges};
use crate::topology::{Adjacency, ParticleId};

/// How far a vertex of the body may stand out to be counted, metres: a foot under a hem is seen, not what has left the garment.
const REACH: f32 = 0.03;

/// Vertices of the body that are looked at, at most, before it is asked whether the body can be measured any longer.
const AT_A_TIME: usize = 1024;

/// The body's way through faces of the cloth, over all frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ThroughFaces {
    /// Depth of the deepest point of a face, millimetres.
    pub max_mm: f64,
    /// Number of (vertex of the body, frame) pairs that stand out by more than 1 mm.
    pub body_vertex_frames: u64,
    /// Where the deepest is: the vertex is the nearest corner of the face. None where nothing comes through.
    pub worst: Option<WorstPenetration>,
    /// Each frame's deepest, for frames that have one.
    #[serde(skip)]
    pub frames: Vec<FrameThrough>,
}

/// The deepest point of one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameThrough {
    /// Frame, as on the clip's time line.
    pub frame: i64,
    /// Index of the nearest corner of its face in the garment's file.
    pub vertex: u32,
    /// Its depth, metres.
    pub depth: f64,
    /// Name of the joint that moves the body there.
    pub joint: String,
    /// Vertices of the body that stand out by more than 1 mm.
    pub body_vertices: u64,
}

/// Cloth in one frame, and what of it is inside the body, ascending.
pub(super) struct Faces<'a> {
    pub(super) particles: &'a [Vec3],
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) tree: &'a Bvh,
    pub(super) inside: &'a [Inside],
}

/// A point of a face inside the body.
pub(super) struct Point {
    /// The corner of the face nearest to it.
    pub(super) particle: usize,
    pub(super) inside: Inside,
}

/// The edges of a body, and the vertices next to each.
pub(super) struct BodyEdges {
    /// Those that each triangle is the first to have, smaller end first.
    of_triangles: Lists<[u32; 2]>,
    pub(super) neighbours: Adjacency,
}

impl BodyEdges {
    pub(super) fn of(body: &Body) -> BodyEdges {
        let ends: Vec<[ParticleId; 2]> = edges(body.surface()).iter().map(|edge| edge.map(ParticleId)).collect();
        BodyEdges {
            of_triangles: Lists::edges_by_first_triangle(body.surface()),
            neighbours: Adjacency::of_edges(body.vertex_count(), &ends),
        }
    }
}

/// Points of faces, all of whose corners are outside, that are inside the body: one for each vertex of the body that stands out.
/// Edges that cross a face lead to the first of them, edges between them to the others.
pub(super) fn points(faces: &Faces<'_>, body: &PosedBody<'_>, edges: &BodyEdges) -> Vec<Point> {
    let mut is_seen = vec![false; body.positions.len()];
    let mut see = |vertex: u32| !std::mem::replace(&mut is_seen[vertex as usize], true);
    let crossing = faces.crossing(body, edges);
    let mut wave: Vec<u32> = crossing.into_iter().flatten().filter(|&vertex| see(vertex)).collect();
    let mut points = Vec::new();
    while !wave.is_empty() {
        let some = wave.chunks(AT_A_TIME).take_while(|_| !body.is_coarse());
        let found: Vec<(u32, Point)> = some.flat_map(|vertices| faces.under(vertices, body)).collect();
        let next = found.iter().flat_map(|(vertex, _)| edges.neighbours.of(ParticleId(*vertex)));
        wave = next.map(|to| to.0).filter(|&to| see(to)).collect();
        points.extend(found.into_iter().map(|(_, point)| point));
    }
    points
}

impl Faces<'_> {
    /// The edges of the body that go through a face, ascending. Takes the faces they are compared with from what is left to look at.
    fn crossing(&self, body: &PosedBody<'_>, edges: &BodyEdges) -> Vec<[u32; 2]> {
        let planes = Planes::of(self.tree, self.particles, self.triangles);
        let corners = |face: u32| self.triangles[face as usize].map(|v| self.particles[v as usize].as_dvec3());
        let look = |faces: usize| body.looks_left.set(body.looks_left.get().saturating_sub(faces));
        let mut crossing = Vec::new();
        body.bvh.leaves_overlapping(self.tree, |triangles, (leaf, faces)| {
            look(1);
            for &edge in triangles.iter().flat_map(|&triangle| edges.of_triangles.of(triangle)) {
                let segment = edge.map(|v| body.positions[v as usize]);
                if Aabb::around(&segment).overlaps(self.tree.node_bounds(leaf)) {
                    look(faces.len());
                    let crosses = |place: usize| may_meet(segment.map(Vec3::as_dvec3), corners(faces[place]));
                    crossing.extend(planes.may_meet(leaf, segment).any(crosses).then_some(edge));
                }
            }
            if body.is_coarse() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        crossing.sort_unstable();
        crossing.dedup();
        crossing
    }

    /// Those of the body's `vertices` that stand out, each with the point of a face next to it.
    fn under(&self, vertices: &[u32], body: &PosedBody<'_>) -> Vec<(u32, Point)> {
        let is_inside = |v: u32| self.inside.binary_search_by_key(&(v as usize), |i| i.particle).is_ok();
        let candidate = |&vertex: &u32| {
            let stands_at = body.positions[vertex as usize];
            let (triangle, closest, _) = self.tree.closest(stands_at, REACH, self.particles, self.triangles)?;
            let corners = self.triangles[triangle as usize];
            let weights = closest.barycentric;
            let nearest = corners[weights.max_position()];
            let [a, b, c] = corners.map(|v| self.particles[v as usize]);
            let point = a * weights.x + b * weights.y + c * weights.z;
            let may_be_inside =
                !corners.iter().any(|&v| is_inside(v)) && body.is_touched_by(self.particles[nearest as usize], point);
            may_be_inside.then_some((vertex, nearest as usize, point))
        };
        let candidates: Vec<(u32, usize, Vec3)> = vertices.iter().filter_map(candidate).collect();
        let places: Vec<Vec3> = candidates.iter().map(|&(_, _, point)| point).collect();
        let found = body.inside(&places, &Adjacency::of_edges(places.len(), &[]));
        let deep = |index: usize| {
            let (vertex, particle, _) = candidates[index];
            Some((vertex, Point { particle, inside: depth(index, places[index], body)? }))
        };
        found.into_iter().filter_map(deep).collect()
    }
}

/// What is told of the `points` of a frame; where the body touches itself none is.
pub(super) fn summary(
    (frame, index): (i64, usize),
    points: &[Point],
    body: (&Body, &PosedBody<'_>),
    contacts: &SelfContacts,
    vertex_of: impl Fn(usize) -> u32,
) -> Option<FrameThrough> {
    let (body, posed) = body;
    let is_free = |point: &&Point| {
        let catch = || contacts.catching(index, &point.inside.caught(), (body, posed));
        point.inside.depth <= DEEP || !matches!(catch(), Some(Catch::Contact(_)))
    };
    let free: Vec<&Point> = points.iter().filter(is_free).collect();
    let deepest =
        free.iter().copied().reduce(|deepest, p| if p.inside.depth > deepest.inside.depth { p } else { deepest })?;
    Some(FrameThrough {
        frame,
        vertex: vertex_of(deepest.particle),
        depth: deepest.inside.depth,
        joint: deepest.inside.joint(body),
        body_vertices: free.iter().filter(|p| p.inside.depth > DEEP).count() as u64,
    })
}

impl ThroughFaces {
    /// Of all frames.
    pub(super) fn of(frames: Vec<FrameThrough>) -> ThroughFaces {
        let worst = frames.iter().reduce(|worst, f| if f.depth > worst.depth { f } else { worst });
        ThroughFaces {
            max_mm: worst.map_or(0.0, |w| w.depth * 1000.0),
            body_vertex_frames: frames.iter().map(|f| f.body_vertices).sum(),
            worst: worst.map(|w| WorstPenetration { frame: w.frame, vertex: w.vertex, joint: w.joint.clone() }),
            frames,
        }
    }
}
