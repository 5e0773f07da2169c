//! Binding to the body's surface.
//!
//! The nearest triangle is not always the right one: beside the hips hang hands. Pins that are neighbours in the cloth must
//! stay neighbours while the body moves, so a first binding to the nearest triangles is tried out over the clip:
//!
//! ```text
//!  waist   o--o--o--o==o--o==o--o--o      == an edge that the motion would tear
//!          torso       hand    torso      the smaller piece is bound again, to joints that carry the larger one
//! ```

use super::bind::{Binding, foot, frame};
use crate::body::{Body, JointId, Moment};
use crate::geometry::{Bvh, Vec3, closest_point_on_triangle};
use crate::topology::{ParticleId, Topology};

/// Change of an edge between two pins over the clip, as a part of its length, from which they count as torn apart.
const TORN: f32 = 0.25;
/// Moments of the clip at which pins are tried.
const SAMPLES: u32 = 24;

/// The body's triangles at one moment, for nearest-triangle questions.
pub(super) struct Surface<'a> {
    triangles: &'a [[u32; 3]],
    positions: Vec<Vec3>,
    /// The triangles in `bvh`, as indices of `triangles`.
    members: Vec<u32>,
    member_triangles: Vec<[u32; 3]>,
    bvh: Bvh,
}

impl<'a> Surface<'a> {
    /// All triangles of the body.
    pub(super) fn new(body: &'a Body, moment: Moment) -> Self {
        Surface::of(body, moment, |_| true)
    }

    fn of(body: &'a Body, moment: Moment, keep: impl Fn(u32) -> bool) -> Self {
        let mut positions = Vec::new();
        body.pose(moment, &mut positions);
        let triangles = body.triangles();
        let members: Vec<u32> = (0..triangles.len() as u32).filter(|&t| keep(t)).collect();
        let member_triangles: Vec<[u32; 3]> = members.iter().map(|&t| triangles[t as usize]).collect();
        let bvh = Bvh::build(&positions, &member_triangles);
        Surface { triangles, positions, members, member_triangles, bvh }
    }

    /// Index of the triangle nearest to `point` and no further than `within` metres.
    pub(super) fn nearest_triangle(&self, point: Vec3, within: f32) -> Option<usize> {
        let nearest = self.bvh.closest(point, within, &self.positions, &self.member_triangles);
        nearest.map(|(member, ..)| self.members[member as usize] as usize)
    }

    fn bind(&self, place: Vec3) -> Binding {
        let Some(index) = self.nearest_triangle(place, f32::INFINITY) else { return Binding::Still(place) };
        let triangle = self.triangles[index];
        let corners = triangle.map(|v| self.positions[v as usize]);
        let barycentric = closest_point_on_triangle(place, corners).barycentric;
        let offset = frame(corners).transpose() * (place - foot(corners, barycentric));
        Binding::Surface { triangle, barycentric, offset }
    }
}

/// Bindings of `particles` to the body's surface at `moment` that hold neighbours together over the clip.
pub(super) fn bind_to_surface(
    particles: &[ParticleId],
    topology: &Topology,
    body: &Body,
    moment: Moment,
) -> Vec<Binding> {
    let place = |p: &ParticleId| topology.positions[p.index()];
    let whole = Surface::new(body, moment);
    let mut bindings: Vec<Binding> = particles.iter().map(|p| whole.bind(place(p))).collect();
    let edges = edges_between(particles, topology);
    let holding = edges_that_hold(&bindings, &edges, particles, topology, body);
    let groups = pieces(particles.len(), edges.iter().copied());
    let pieces = pieces(particles.len(), holding);
    for (pin, joints) in strays(&groups, &pieces, &bindings, body) {
        let carrying =
            Surface::of(body, moment, |t| joints.contains(&body.main_joint(body.triangles()[t as usize][0])));
        for index in pin {
            bindings[index] = carrying.bind(place(&particles[index]));
        }
    }
    bindings
}

/// Cloth edges between two pins, as indices of `particles`.
fn edges_between(particles: &[ParticleId], topology: &Topology) -> Vec<[usize; 2]> {
    let index = |p: ParticleId| particles.binary_search(&p).ok();
    topology.edges.iter().filter_map(|&[a, b]| Some([index(a)?, index(b)?])).collect()
}

/// The edges whose length hardly changes in any moment of the clip.
fn edges_that_hold(
    bindings: &[Binding],
    edges: &[[usize; 2]],
    particles: &[ParticleId],
    topology: &Topology,
    body: &Body,
) -> Vec<[usize; 2]> {
    let rest = |&[a, b]: &[usize; 2]| {
        topology.positions[particles[a].index()].distance(topology.positions[particles[b].index()])
    };
    let mut holding: Vec<([usize; 2], f32)> = edges.iter().map(|e| (*e, rest(e))).collect();
    let (first, last) = body.clip_range();
    let mut positions = Vec::new();
    for sample in 0..=SAMPLES {
        let moment = Moment::At(first + (last - first) * f64::from(sample) / f64::from(SAMPLES));
        body.pose(moment, &mut positions);
        let places: Vec<Vec3> = bindings.iter().map(|b| b.target(Some((body, &positions, moment)))).collect();
        holding.retain(|&([a, b], rest)| (places[a].distance(places[b]) - rest).abs() <= TORN * rest);
    }
    holding.into_iter().map(|(edge, _)| edge).collect()
}

/// The piece of each of `count` things that `edges` hold together, named by its smallest member.
fn pieces(count: usize, edges: impl IntoIterator<Item = [usize; 2]>) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..count).collect();
    let root = |parent: &[usize], mut i: usize| {
        while parent[i] != i {
            i = parent[i];
        }
        i
    };
    for [a, b] in edges {
        let (a, b) = (root(&parent, a), root(&parent, b));
        parent[a.max(b)] = a.min(b);
    }
    (0..count).map(|i| root(&parent, i)).collect()
}

/// For each group with torn edges: the pins outside its largest piece, and the joints that carry that piece.
fn strays(groups: &[usize], pieces: &[usize], bindings: &[Binding], body: &Body) -> Vec<(Vec<usize>, Vec<JointId>)> {
    let mut names: Vec<usize> = groups.to_vec();
    names.sort_unstable();
    names.dedup();
    let stray = |name: usize| {
        let members: Vec<usize> = (0..groups.len()).filter(|&i| groups[i] == name).collect();
        let size = |piece: usize| members.iter().filter(|&&i| pieces[i] == piece).count();
        let largest =
            members.iter().map(|&i| pieces[i]).fold(name, |best, p| if size(p) > size(best) { p } else { best });
        let (kept, strays): (Vec<usize>, Vec<usize>) = members.iter().partition(|&&i| pieces[i] == largest);
        let mut joints: Vec<JointId> = kept.iter().filter_map(|&i| bindings[i].joint(body)).collect();
        joints.sort_unstable();
        joints.dedup();
        (!strays.is_empty()).then_some((strays, joints))
    };
    names.into_iter().filter_map(stray).collect()
}
