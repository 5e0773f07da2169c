//! How deep the cloth is inside the body, measured independently of the solver.
//!
//! A particle is inside where the body winds around it; its depth is the distance to the nearest surface. The winding number is right where the nearest surface misleads: where thighs overlap, shells are nested, sheets
//! are open. Where shells overlap the nearest surface may be a buried one; the depth is then a lower bound.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::FRAMES_A_TASK;
use super::examine::is_interrupted;
use super::inside::PosedBody;
use super::probe::Probe;
use super::self_contacts::{Catch, Caught, SelfContacts};
use super::through::{self, BodyEdges, Faces, FrameThrough, ThroughFaces};
use crate::body::{Body, Moment, SelfContact, joined_folds};
use crate::geometry::{Bvh, Vec3};
use crate::simulate::PointCache;
use crate::topology::{Adjacency, ParticleId, Topology};

/// Depth from which a vertex counts, metres. Shallower ones nobody sees, and renderers hide them.
pub(super) const DEEP: f64 = 0.001;

/// Penetration over all frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Penetration {
    /// Depth of the deepest vertex, millimetres.
    pub max_mm: f64,
    /// Number of (vertex, frame) pairs deeper than 1 mm.
    pub vertex_frames: u64,
    /// Where the deepest is; none when nothing is inside.
    pub worst: Option<WorstPenetration>,
    /// The part of it that lies where the body touches or crosses itself: cloth cannot keep clear of both sides there.
    pub in_self_contacts: Share,
    /// The part of the rest that is of vertices which are inside the body in the pose that the garment was made for, as those of a
    /// collar that was tucked into a coat.
    pub began_inside: Share,
    /// What is left: what neither the body nor the garment answers for.
    pub elsewhere: Share,
    /// Where the body comes through faces whose corners are all outside; none of the figures above counts that.
    pub through_faces: ThroughFaces,
    /// Each frame's deepest vertex, for frames that have one.
    #[serde(skip)]
    pub frames: Vec<FramePenetration>,
    /// Frames in which not all that was to be measured could be measured well.
    #[serde(skip)]
    pub coarse_frames: usize,
}

/// The penetration that has one cause.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// Depth of the deepest vertex, millimetres.
    pub max_mm: f64,
    /// Number of (vertex, frame) pairs deeper than 1 mm.
    pub vertex_frames: u64,
    /// Where the deepest is; none when nothing is inside for this cause.
    pub worst: Option<WorstPenetration>,
}

/// The deepest vertex of a bake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorstPenetration {
    /// Frame, as on the clip's time line.
    pub frame: i64,
    /// Index of the vertex in the garment's file.
    pub vertex: u32,
    /// Name of the joint that moves the surface there.
    pub joint: String,
}

/// Why a vertex is inside the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The body touches itself there.
    SelfContact,
    /// The vertex is inside in the pose that the garment was made for.
    Beginning,
    /// Neither of the two.
    Other,
}

impl Cause {
    pub(super) const ALL: [Cause; 3] = [Cause::SelfContact, Cause::Beginning, Cause::Other];
}

/// Vertices inside the body in one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FramePenetration {
    /// Frame, as on the clip's time line.
    pub frame: i64,
    /// The vertices of each [`Cause`].
    pub(super) shares: [FrameShare; Cause::ALL.len()],
    /// Where the body touches itself and has caught vertices.
    pub(super) catches: Vec<Catch>,
}

/// The vertices of one frame that have one cause.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FrameShare {
    pub(super) deepest: Option<Deepest>,
    /// Those deeper than 1 mm.
    pub(super) vertices: u64,
}

/// The deepest of some vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Deepest {
    /// Its depth, metres.
    pub(super) depth: f64,
    /// Its index in the garment's file.
    pub(super) vertex: u32,
    /// Name of the joint that moves the surface there.
    pub(super) joint: String,
}

impl FramePenetration {
    /// Depth of the deepest vertex, metres.
    pub fn depth(&self) -> f64 {
        self.shares.iter().filter_map(|share| Some(share.deepest.as_ref()?.depth)).fold(0.0, f64::max)
    }

    /// The deepest vertex of a cause.
    pub(super) fn deepest(&self, cause: Cause) -> Option<&Deepest> {
        self.shares[cause as usize].deepest.as_ref()
    }
}

/// A particle inside the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Inside {
    pub(super) particle: usize,
    pub(super) depth: f64,
    /// Where it is.
    at: Vec3,
    /// The body's vertex nearest to it, among the corners of the nearest triangle.
    body_vertex: u32,
    /// From it to the nearest place of the surface, metres.
    way_out: Vec3,
    /// Where the body touches itself, if that catches it.
    catch: Option<Catch>,
    began_inside: bool,
}

impl Inside {
    /// As contacts of the body with itself look at it.
    pub(super) fn caught(&self) -> Caught {
        Caught { point: self.at, way_out: self.way_out, vertex: self.body_vertex }
    }

    fn cause(&self) -> Cause {
        match self {
            Inside { catch: Some(_), .. } => Cause::SelfContact,
            Inside { began_inside: true, .. } => Cause::Beginning,
            _ => Cause::Other,
        }
    }

    /// Name of the joint that moves the surface there.
    pub(super) fn joint(&self, body: &Body) -> String {
        body.joint_name(body.main_joint(self.body_vertex)).to_owned()
    }
}

/// Measures all frames of `cache` against `body`, which touches itself in `contacts`. The garment was made for the body as it is
/// at `start`. Whoever is interrupted leaves frames out.
pub(super) fn measure(
    cache: &PointCache,
    topology: &Topology,
    (body, start): (&Body, Moment),
    contacts: &SelfContacts,
    interrupted: Option<&AtomicBool>,
) -> Penetration {
    let mut probe = Probe::new(body, Moment::At(cache.timeline.clip_seconds(0)));
    let neighbours = &topology.neighbours;
    let began: Vec<usize> = probe.inside(start, &topology.positions, neighbours, |inside, _| {
        inside.into_iter().filter(|i| i.depth > DEEP).map(|i| i.particle).collect()
    });
    let triangles = topology.drawn_indices();
    let tree = Bvh::build(&topology.positions, &triangles);
    let edges = BodyEdges::of(body);
    let copies = vertices_of_particles(&topology.particle_of_vertex, topology.positions.len());
    let coarse_frames = AtomicUsize::new(0);
    let (frames, through): (Vec<Option<FramePenetration>>, Vec<Option<FrameThrough>>) = cache
        .frames
        .par_chunks(FRAMES_A_TASK)
        .enumerate()
        .map_init(
            || (probe.clone(), tree.clone()),
            |(probe, tree), (task, frames)| {
                let mut found = Vec::new();
                for (offset, particles) in frames.iter().enumerate().take_while(|_| !is_interrupted(interrupted)) {
                    let index = task * FRAMES_A_TASK + offset;
                    let moment = Moment::At(cache.timeline.clip_seconds(index));
                    let frame = cache.timeline.first + index as i64;
                    tree.refit(particles, &triangles);
                    let (mut inside, through) = probe.inside(moment, particles, neighbours, |mut inside, body_now| {
                        for i in inside.iter_mut().filter(|i| i.depth > DEEP) {
                            i.catch = contacts.catching(index, &i.caught(), (body, body_now));
                        }
                        let faces = Faces { particles, triangles: &triangles, tree, inside: &inside };
                        let points = through::points(&faces, body_now, &edges);
                        let vertex_of = |particle: usize| copies[particle].0;
                        let through = through::summary((frame, index), &points, (body, body_now), contacts, vertex_of);
                        coarse_frames.fetch_add(usize::from(body_now.is_coarse()), Ordering::Relaxed);
                        (inside, through)
                    });
                    // Loose particles are no cloth, and what was left out of the simulation is none here.
                    inside.retain(|i| topology.loose.binary_search(&ParticleId(i.particle as u32)).is_err());
                    inside.iter_mut().for_each(|i| i.began_inside = began.binary_search(&i.particle).is_ok());
                    found.push((summary(frame, &inside, &copies, body), through));
                }
                found
            },
        )
        .flatten_iter()
        .unzip();
    let through_faces = ThroughFaces::of(through.into_iter().flatten().collect());
    let coarse_frames = coarse_frames.into_inner();
    Penetration { through_faces, coarse_frames, ..total(frames.into_iter().flatten().collect()) }
}

impl Penetration {
    /// Says in how many frames depths may be wrong, if in any.
    pub fn coarse_notice(&self) -> Option<String> {
        let frames = self.coarse_frames;
        (frames > 0).then(|| {
            format!(
                "in {frames} frame(s) too many faces of the body lie next to each other to tell of every vertex whether it is \
                 inside: the penetration there is a rough figure"
            )
        })
    }

    /// Indices of the contacts of the body with itself that have caught cloth, ascending.
    pub(super) fn contacts(&self) -> Vec<usize> {
        let caught = |catch: &Catch| match *catch {
            Catch::Contact(contact) => Some(contact),
            Catch::Fold(..) => None,
        };
        let mut contacts: Vec<usize> = self.frames.iter().flat_map(|f| f.catches.iter().filter_map(caught)).collect();
        contacts.sort_unstable();
        contacts.dedup();
        contacts
    }

    /// Where the body folds into itself in frames of a bake from `first` to `last`, and has caught cloth.
    pub(super) fn folds(&self, first: i64, last: i64) -> Vec<SelfContact> {
        let of_frame = |f: &FramePenetration| {
            let index = (f.frame - first) as usize;
            let fold = move |catch: &Catch| match *catch {
                Catch::Fold(joints, depth) => Some((index, joints, depth)),
                Catch::Contact(_) => None,
            };
            f.catches.iter().filter_map(fold).collect::<Vec<_>>()
        };
        joined_folds((last - first + 1) as usize, self.frames.iter().flat_map(of_frame))
    }
}

fn total(frames: Vec<FramePenetration>) -> Penetration {
    let share = |causes: &[Cause]| {
        let shares = || frames.iter().flat_map(|f| causes.iter().map(|&cause| (f.frame, &f.shares[cause as usize])));
        let deepest = shares().filter_map(|(frame, share)| Some((frame, share.deepest.as_ref()?)));
        let worst = first_most(deepest, |(_, deepest)| deepest.depth);
        Share {
            max_mm: worst.map_or(0.0, |(_, deepest)| deepest.depth * 1000.0),
            vertex_frames: shares().map(|(_, share)| share.vertices).sum(),
            worst: worst.map(|(frame, Deepest { vertex, joint, .. })| WorstPenetration {
                frame,
                vertex: *vertex,
                joint: joint.clone(),
            }),
        }
    };
    let Share { max_mm, vertex_frames, worst } = share(&Cause::ALL);
    let [in_self_contacts, began_inside, elsewhere] = Cause::ALL.map(|cause| share(&[cause]));
    Penetration {
        max_mm,
        vertex_frames,
        worst,
        in_self_contacts,
        began_inside,
        elsewhere,
        frames,
        ..Penetration::default()
    }
}

fn summary(frame: i64, inside: &[Inside], copies: &[(u32, u64)], body: &Body) -> Option<FramePenetration> {
    if inside.is_empty() {
        return None;
    }
    let shares = Cause::ALL.map(|cause| {
        let of_cause = || inside.iter().filter(|i| i.cause() == cause);
        let deepest = first_most(of_cause(), |i| i.depth).map(|i| Deepest {
            depth: i.depth,
            vertex: copies[i.particle].0,
            joint: i.joint(body),
        });
        FrameShare { deepest, vertices: of_cause().filter(|i| i.depth > DEEP).map(|i| copies[i.particle].1).sum() }
    });
    Some(FramePenetration { frame, shares, catches: inside.iter().filter_map(|i| i.catch).collect() })
}

/// The first of those items that have the most of something.
fn first_most<T: Copy>(items: impl Iterator<Item = T>, of: impl Fn(T) -> f64) -> Option<T> {
    items.reduce(|most, item| if of(item) > of(most) { item } else { most })
}

/// Smallest file vertex and number of file vertices of each particle.
fn vertices_of_particles(particle_of_vertex: &[ParticleId], particles: usize) -> Vec<(u32, u64)> {
    let mut vertices = vec![(0, 0); particles];
    for (vertex, particle) in particle_of_vertex.iter().enumerate().rev() {
        let entry = &mut vertices[particle.index()];
        *entry = (vertex as u32, entry.1 + 1);
    }
    vertices
}

/// All particles inside the posed body, ascending.
pub(super) fn inside_particles(particles: &[Vec3], neighbours: &Adjacency, body: &PosedBody<'_>) -> Vec<Inside> {
    let inside = body.inside(particles, neighbours);
    inside.into_iter().filter_map(|particle| depth(particle, particles[particle], body)).collect()
}

/// How deep `p`, which is inside, is.
pub(super) fn depth(particle: usize, p: Vec3, body: &PosedBody<'_>) -> Option<Inside> {
    let (triangle, closest, _) = body.bvh.closest(p, f32::INFINITY, body.positions, body.triangles)?;
    let corners = body.triangles[triangle as usize];
    let [a, b, c] = corners.map(|v| body.positions[v as usize].as_dvec3());
    let weights = closest.barycentric.as_dvec3();
    let surface = a * weights.x + b * weights.y + c * weights.z;
    let nearest_corner = (0..3).fold(0, |best, k| if weights[k] > weights[best] { k } else { best });
    let body_vertex = corners[nearest_corner];
    let way_out = surface - p.as_dvec3();
    let (depth, way_out) = (way_out.length(), way_out.as_vec3());
    Some(Inside { particle, depth, at: p, body_vertex, way_out, catch: None, began_inside: false })
}

#[cfg(test)]
mod tests {
    use super::super::inside::looks;
    use super::super::planes::Planes;
    use super::super::winding::WindingField;
    use super::*;
    use crate::geometry::Bvh;
    use crate::import::{BodyAsset, MeshSequence, Polygons};
    use crate::report::shells::Shells;
    use crate::simulate::{FrameRate, Timeline};

    /// A box from -half to half with its own vertices for each face, so that every edge is a seam.
    fn seamed_box(half: f32, outward: bool, positions: &mut Vec<Vec3>, triangles: &mut Vec<[u32; 3]>) {
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let first = positions.len() as u32;
                for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    let mut p = [0.0; 3];
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u * side, v);
                    positions.push(Vec3::from_array(p) * half);
                }
                for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
                    triangles.push([a, if outward { b } else { c }, if outward { c } else { b }].map(|v| v + first));
                }
            }
        }
    }

    fn depth_inside(p: Vec3, positions: &[Vec3], triangles: &[[u32; 3]]) -> Option<f64> {
        let shells = Shells::find(triangles, positions);
        let bvh = &Bvh::build(positions, &shells.triangles);
        let mut positions = positions.to_vec();
        let lids = &shells.lids_in(&mut positions);
        let triangles = &shells.triangles;
        let winding = &WindingField::new(bvh, &positions, triangles);
        let lid_winding = &lids.field(&positions);
        let looks_left = &looks(bvh, 1);
        let planes = &Planes::of(bvh, &positions, triangles);
        let body = PosedBody { positions: &positions, triangles, bvh, planes, lids, winding, lid_winding, looks_left };
        inside_particles(&[p], &Adjacency::of_edges(1, &[]), &body).first().map(|i| i.depth)
    }

    #[test]
    fn depth_in_a_box_is_the_distance_to_its_nearest_face() {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        seamed_box(1.0, true, &mut positions, &mut triangles);
        let depth = |x, y, z| depth_inside(Vec3::new(x, y, z), &positions, &triangles);
        assert!((depth(0.5, 0.75, 0.0).unwrap() - 0.25).abs() < 1e-9);
        assert!((depth(0.96875, 0.96875, 0.96875).unwrap() - 0.03125).abs() < 1e-9);
        assert_eq!(depth(1.01, 0.2, 0.3), None);
        assert_eq!(depth(1.01, 1.01, 0.3), None);
        assert_eq!(depth(1.01, 1.01, 1.01), None);
    }

    #[test]
    fn a_shell_that_is_inside_out_has_the_same_inside() {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        seamed_box(1.0, false, &mut positions, &mut triangles);
        assert!((depth_inside(Vec3::splat(0.5), &positions, &triangles).unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(depth_inside(Vec3::splat(1.1), &positions, &triangles), None);
    }

    #[test]
    fn a_point_between_nested_shells_is_inside_the_outer_one() {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        seamed_box(1.0, true, &mut positions, &mut triangles);
        seamed_box(0.5, true, &mut positions, &mut triangles);
        assert!(depth_inside(Vec3::new(0.9, 0.0, 0.0), &positions, &triangles).is_some());
        assert!(depth_inside(Vec3::new(0.6, 0.0, 0.0), &positions, &triangles).is_some());
        assert!(depth_inside(Vec3::new(0.4, 0.0, 0.0), &positions, &triangles).is_some());
        assert_eq!(depth_inside(Vec3::new(1.1, 0.0, 0.0), &positions, &triangles), None);
    }

    #[test]
    fn behind_an_open_sheet_is_not_inside() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 1.0)];
        let triangles = [[0, 1, 2], [1, 3, 2]];
        assert_eq!(depth_inside(Vec3::new(0.3, 0.3, 0.2), &positions, &triangles), None);
        assert_eq!(depth_inside(Vec3::new(0.6, 0.6, 0.1), &positions, &triangles), None);
    }

    #[test]
    fn what_was_inside_from_the_start_counts_apart() {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        seamed_box(1.0, true, &mut positions, &mut triangles);
        let sequence = MeshSequence { frames: vec![positions; 8], triangles, ..MeshSequence::default() };
        let body = Body::new(BodyAsset::Sequence(sequence), None).expect("a body");
        let particles = |heights: [f32; 3]| heights.map(|y| Vec3::new(0.0, y, 0.0)).to_vec();
        let topology = Topology {
            positions: particles([0.8, 1.2, 1.4]),
            particle_of_vertex: vec![ParticleId(0), ParticleId(1), ParticleId(2)],
            neighbours: Adjacency::of_edges(3, &[]),
            ..Topology::default()
        };
        let timeline = Timeline { first: 7, last: 7, fps: FrameRate::whole(30), start_frame: 1 };
        let frames = vec![particles([0.95, 0.9, 1.4])];
        let found =
            measure(&PointCache { timeline, frames }, &topology, (&body, Moment::Bind), &Default::default(), None);
        assert_eq!((found.vertex_frames, found.began_inside.vertex_frames), (2, 1));
        assert!((found.max_mm - 100.0).abs() < 1e-3 && (found.began_inside.max_mm - 50.0).abs() < 1e-3, "{found:?}");
        assert!((found.elsewhere.max_mm - 100.0).abs() < 1e-3 && found.elsewhere.vertex_frames == 1, "{found:?}");
        assert_eq!([&found.worst, &found.elsewhere.worst].map(|w| w.as_ref().map(|w| w.vertex)), [Some(1); 2]);
        assert_eq!(found.began_inside.worst.map(|w| w.vertex), Some(0));
    }

    #[test]
    fn a_spike_through_a_face_is_found_though_all_corners_are_outside() {
        // A pyramid whose tip stands 10 mm above a large sheet, or 10 mm below it.
        let corner = |x: f32, z: f32| Vec3::new(x, -0.2, z);
        let body = |tip: f32| {
            let positions =
                vec![corner(-0.1, -0.1), corner(0.1, -0.1), corner(0.1, 0.1), corner(-0.1, 0.1), Vec3::Y * tip];
            let triangles = vec![[0, 1, 2], [0, 2, 3], [1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]];
            let sequence = MeshSequence { frames: vec![positions; 8], triangles, ..MeshSequence::default() };
            Body::new(BodyAsset::Sequence(sequence), None).expect("a body")
        };
        let particles: Vec<Vec3> =
            [[-1.0, -0.7], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
        let mut polygons = Polygons::default();
        polygons.push(&[0, 1, 2, 3]);
        let topology = Topology::of_mesh(particles.clone(), polygons);
        let timeline = Timeline { first: 7, last: 7, fps: FrameRate::whole(30), start_frame: 1 };
        let cache = PointCache { timeline, frames: vec![particles] };
        let found = |tip: f32| measure(&cache, &topology, (&body(tip), Moment::Bind), &Default::default(), None);
        let out = found(0.01);
        assert_eq!((out.max_mm, out.vertex_frames, out.through_faces.body_vertex_frames), (0.0, 0, 1));
        // Its slopes are 2.1 to 1, so that the nearest of them is a little nearer than the tip.
        assert!((4.0..10.0).contains(&out.through_faces.max_mm), "{:?}", out.through_faces);
        assert_eq!(out.through_faces.worst.expect("the tip").frame, 7);
        assert_eq!(found(-0.01).through_faces, ThroughFaces::default());
    }

    #[test]
    fn a_seam_vertex_counts_once_for_each_of_its_copies() {
        let copies = vertices_of_particles(&[ParticleId(0), ParticleId(1), ParticleId(0)], 2);
        assert_eq!(copies, [(0, 2), (1, 1)]);
    }
}
