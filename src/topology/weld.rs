//! Vertices -> particles: seams are closed, layers that only touch are not.
//!
//! Files repeat a vertex where texture coordinates or normals part (every vertex of a flat-shaded glTF). Two vertices become
//! one particle when an open edge of one face lies on an open edge of another and the surface goes on there:
//!
//! ```text
//!    a' -------- b'      open edges of two faces at the same place:
//!    a  -------- b         opposite directions (same winding)                      -> a = a', b = b'
//!                          same direction, faces on opposite sides (flipped panel) -> a = a', b = b'
//!                          same direction, faces on the same side (lining, collar) -> two layers, not welded
//!
//!    a' -------- b'      open edge of a face (a frill, a strap) exactly on an edge that two others share:
//!    a  ======== b         the face stands off both                                -> a = a', b = b'
//!                          the face lies on one of them (lining, pocket)           -> two layers, not welded
//! ```
//!
//! Exactly equal places are matched first, then places closer than [`ROUNDED`], then those of [`GAPING`] seams. Two vertices of
//! one face are welded only across a side of no length. A face with a corner on the inside of another's edge (T-junction) stays open.

mod near;

pub(super) use self::near::{Gap, largest_side};
use super::components::DisjointSets;
use super::{ParticleId, faces};
use crate::geometry::{DVec3, Vec3};
use crate::import::Polygons;

/// Gap across which every seam is closed, for badly rounded files. A particle stands for all its vertices, so a seam moves by as
/// much.
const ROUNDED: Gap = Gap { of_edge: 0.01, of_garment: 1.0, fold: f64::INFINITY };

/// Gap across which a seam is closed where the surface goes on: parts of a mesh that were rounded or simplified apart, as
/// compression does. Less than half an edge, so that no edge has two others to match; 1.3 mm of a long dress.
pub(super) const GAPING: Gap = Gap { of_edge: 0.2, of_garment: 0.001, fold: 0.5 };

/// Cosine of the angle from which a face stands off another with which it shares an edge, 15 degrees: less is a layer.
const STANDS_OFF: f64 = 0.966;

/// Which vertices are one particle. Particles are numbered by their first vertex.
#[derive(Debug)]
pub(super) struct Welded {
    /// Particle of each vertex.
    pub(super) particle_of_vertex: Vec<ParticleId>,
    /// Smallest vertex of each particle.
    first_vertex: Vec<u32>,
}

impl Welded {
    /// The particles of each vertex, of which pairs are joined.
    pub(super) fn joined(particle_of_vertex: &[ParticleId], pairs: &[[ParticleId; 2]]) -> Welded {
        let vertices = particle_of_vertex.len();
        let mut sets = DisjointSets::new(vertices);
        let mut first_vertex = vec![u32::MAX; vertices];
        for (vertex, particle) in (0..).zip(particle_of_vertex) {
            let first = &mut first_vertex[particle.index()];
            *first = (*first).min(vertex);
            sets.join(vertex, *first);
        }
        pairs.iter().for_each(|pair| sets.join(first_vertex[pair[0].index()], first_vertex[pair[1].index()]));
        Welded::from_sets(sets, vertices)
    }

    pub(super) fn positions(&self, vertices: &[Vec3]) -> Vec<Vec3> {
        self.first_vertex.iter().map(|&v| vertices[v as usize]).collect()
    }

    fn from_sets(mut sets: DisjointSets, vertices: usize) -> Welded {
        let mut welded = Welded { particle_of_vertex: Vec::with_capacity(vertices), first_vertex: Vec::new() };
        for vertex in 0..vertices as u32 {
            let root = sets.root(vertex);
            if root == vertex {
                welded.particle_of_vertex.push(ParticleId(welded.first_vertex.len() as u32));
                welded.first_vertex.push(vertex);
            } else {
                welded.particle_of_vertex.push(welded.particle_of_vertex[root as usize]);
            }
        }
        welded
    }
}

/// Finds the particles of a mesh; `positions` finite, indices in range.
pub(super) fn weld(positions: &[Vec3], polygons: &Polygons) -> Welded {
    let places = places(positions);
    let mut sets = DisjointSets::new(positions.len());
    if places.iter().enumerate().any(|(v, &place)| v as u32 != place) {
        join_sides_without_length(&mut sets, &places, polygons);
        join_unused(&mut sets, &places, polygons);
        join_equal_seams(&mut sets, &places, positions, polygons);
        join_sewn_on(&mut sets, &places, positions, polygons);
    }
    let all = sides_by_edge(&mut sets, polygons);
    let is_rounded = near::join_near_seams(&mut sets, &all, positions, polygons, ROUNDED);
    let all = if is_rounded { sides_by_edge(&mut sets, polygons) } else { all };
    near::join_near_seams(&mut sets, &all, positions, polygons, GAPING);
    Welded::from_sets(sets, positions.len())
}

/// For each vertex the first vertex at exactly its place.
fn places(positions: &[Vec3]) -> Vec<u32> {
    let key = |v: u32| positions[v as usize].to_array().map(|c| (c + 0.0).to_bits()); // -0 + 0 = 0
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&v| (key(v), v));
    let mut places = vec![0; positions.len()];
    let mut first = 0;
    for (i, &vertex) in order.iter().enumerate() {
        if i == 0 || key(vertex) != key(order[i - 1]) {
            first = vertex;
        }
        places[vertex as usize] = first;
    }
    places
}

fn join_sides_without_length(sets: &mut DisjointSets, places: &[u32], polygons: &Polygons) {
    for polygon in polygons.iter() {
        for (a, b) in sides(polygon) {
            if a != b && places[a as usize] == places[b as usize] {
                sets.join(a, b);
            }
        }
    }
}

/// A vertex that no face uses joins the first used one at its place, so that it moves along.
fn join_unused(sets: &mut DisjointSets, places: &[u32], polygons: &Polygons) {
    let mut used = vec![false; places.len()];
    polygons.corners.iter().for_each(|&v| used[v as usize] = true);
    let mut user_at: Vec<Option<u32>> = vec![None; places.len()];
    for v in (0..places.len()).filter(|&v| used[v]) {
        user_at[places[v] as usize].get_or_insert(v as u32);
    }
    for v in (0..places.len()).filter(|&v| !used[v]) {
        if let Some(user) = user_at[places[v] as usize] {
            sets.join(v as u32, user);
        }
    }
}

fn join_equal_seams(sets: &mut DisjointSets, places: &[u32], positions: &[Vec3], polygons: &Polygons) {
    let mut open = open_sides(&sides_by_edge(sets, polygons));
    open.retain(|side| places[side.ends[0] as usize] != places[side.ends[1] as usize]);
    open.sort_by_key(|side| (side.edge_of(places), side.number));
    for seam in open.chunk_by(|s, t| s.edge_of(places) == t.edge_of(places)) {
        for (i, s) in seam.iter().enumerate() {
            // All further ones for the usual two or three; a handful in absurd heaps, which chain together anyway.
            for t in seam[i + 1..].iter().take(8) {
                let forward = places[s.ends[0] as usize] == places[t.ends[0] as usize];
                if goes_on(s, t, forward, positions, polygons) {
                    join_ends(sets, s, t, forward);
                }
            }
        }
    }
}

/// Joins open sides to those that two other faces share at exactly their place, if their faces stand off both.
fn join_sewn_on(sets: &mut DisjointSets, places: &[u32], positions: &[Vec3], polygons: &Polygons) {
    let all = sides_by_edge(sets, polygons);
    let of_edges = all.chunk_by(|s, t| s.0 == t.0);
    let mut shared: Vec<[Side; 2]> = of_edges.filter(|run| run.len() == 2).map(|run| [run[0].1, run[1].1]).collect();
    shared.sort_unstable_by_key(|[side, _]| (side.edge_of(places), side.number));
    for open in alone(&all) {
        let from = shared.partition_point(|[side, _]| side.edge_of(places) < open.edge_of(places));
        let here = shared[from..].iter().take(8).take_while(|[side, _]| side.edge_of(places) == open.edge_of(places));
        let goes = inward(&open, positions, polygons).normalize_or_zero();
        let stands_off = |side: &Side| goes.dot(inward(side, positions, polygons).normalize_or_zero()) < STANDS_OFF;
        if let Some([side, _]) = here.into_iter().find(|sides| goes != DVec3::ZERO && sides.iter().all(stands_off)) {
            let forward = places[side.ends[0] as usize] == places[open.ends[0] as usize];
            join_ends(sets, &open, side, forward);
        }
    }
}

/// A side of a polygon.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// From and to, vertices of the file.
    ends: [u32; 2],
    polygon: u32,
    /// Position among all sides.
    number: u32,
}

/// A side with the particles that it joins, the smaller number first.
type EdgeSide = ((u32, u32), Side);

impl Side {
    /// The places that it joins, the smaller number first.
    fn edge_of(&self, places: &[u32]) -> (u32, u32) {
        let [a, b] = self.ends.map(|v| places[v as usize]);
        (a.min(b), a.max(b))
    }
}

/// Sides that only one face has, in file order.
fn open_sides(all: &[EdgeSide]) -> Vec<Side> {
    let mut open: Vec<Side> = alone(all).collect();
    open.sort_unstable_by_key(|side| side.number);
    open
}

/// All sides with their edges, counting what is joined as one: those of an edge one after the other, in file order.
fn sides_by_edge(sets: &mut DisjointSets, polygons: &Polygons) -> Vec<EdgeSide> {
    let mut all = Vec::with_capacity(polygons.corners.len());
    for (polygon, corners) in polygons.iter().enumerate() {
        for (a, b) in sides(corners) {
            let (ra, rb) = (sets.root(a), sets.root(b));
            let side = Side { ends: [a, b], polygon: polygon as u32, number: all.len() as u32 };
            all.push(((ra.min(rb), ra.max(rb)), side));
        }
    }
    all.sort_unstable_by_key(|(edge, side)| (*edge, side.number));
    all
}

/// Those of `all` whose edge no other has, in the order of the edges.
fn alone(all: &[EdgeSide]) -> impl Iterator<Item = Side> {
    let alone = all.chunk_by(|s, t| s.0 == t.0).filter(|run| run.len() == 1 && run[0].0.0 != run[0].0.1);
    alone.map(|run| run[0].1)
}

/// Whether the surface goes on from `s` to `t`, which lie on each other: `forward` when they run the same way.
fn goes_on(s: &Side, t: &Side, forward: bool, positions: &[Vec3], polygons: &Polygons) -> bool {
    let different = s.polygon != t.polygon;
    different && (!forward || inward(s, positions, polygons).dot(inward(t, positions, polygons)) < 0.0)
}

/// From the side into its face, at right angles to the side.
fn inward(side: &Side, positions: &[Vec3], polygons: &Polygons) -> DVec3 {
    faces::inward(side.ends, polygons.get(side.polygon as usize), positions)
}

fn join_ends(sets: &mut DisjointSets, s: &Side, t: &Side, forward: bool) {
    let [c, d] = if forward { t.ends } else { [t.ends[1], t.ends[0]] };
    sets.join(s.ends[0], c);
    sets.join(s.ends[1], d);
}

fn sides(polygon: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    polygon.iter().copied().zip(polygon.iter().copied().cycle().skip(1))
}
