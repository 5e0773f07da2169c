//! Pins on the body's surface.
//!
//! Every pin has an anchor, the nearest place on the surface with the frame of its triangle:
//!
//! ```text
//!        n  o pin
//!        | /             frame: along the first edge, across it in the plane, along the normal
//!  a ----+------ b       the foot keeps its barycentric coordinates
//!         \   /
//!           c
//! ```
//!
//! The nearest triangle is not always the right one: beside the hips hang hands. Neighbours in the cloth must stay neighbours
//! while the body moves, so the anchors are tried out over the clip:
//!
//! ```text
//!  waist   o--o--o--o==o--o==o--o--o      == an edge that the motion would tear
//!          torso       hand    torso      the smaller piece is anchored again, to joints that carry the larger one
//! ```
//!
//! Skin stretches unevenly where cloth does not. So a pin is carried by its own anchor and its neighbours' alike, with weights
//! that fall off with distance: a smooth skinning with anchors for joints.

use super::bind::{Binding, Pins};
use crate::body::{Body, JointId, Moment};
use crate::geometry::{Bvh, Mat3, Vec3, closest_point_on_triangle, connect};
use crate::topology::{ParticleId, Topology};

/// Change of an edge between two pins over the clip, as a part of its length, from which they count as torn apart. Skin that
/// stretches as much does no harm: what it parts is anchored again to the same joints.
const TORN: f32 = 0.5;
/// Moments of the clip at which anchors are tried.
const SAMPLES: u32 = 24;
/// Distance over which pins share their anchors, as a part of the body's height.
const SHARING: f32 = 0.025;
/// Most anchors that carry a pin.
const CARRIERS: usize = 24;

/// A place on the body's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Body vertices of its triangle.
    pub triangle: [u32; 3],
    /// Barycentric coordinates in it.
    pub barycentric: Vec3,
}

impl Anchor {
    /// Where the place is and how it is turned, given the body's vertices. A triangle without area has the world's axes.
    pub(super) fn frame(&self, positions: &[Vec3]) -> (Vec3, Mat3) {
        let [a, b, c] = self.triangle.map(|v| positions[v as usize]);
        let foot = a * self.barycentric.x + b * self.barycentric.y + c * self.barycentric.z;
        let tangent = (b - a).normalize_or_zero();
        let normal = (b - a).cross(c - a).normalize_or_zero();
        if normal == Vec3::ZERO || tangent == Vec3::ZERO {
            return (foot, Mat3::IDENTITY);
        }
        (foot, Mat3::from_cols(tangent, normal.cross(tangent), normal))
    }
}

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

    fn anchor(&self, place: Vec3) -> Option<Anchor> {
        let triangle = self.triangles[self.nearest_triangle(place, f32::INFINITY)?];
        let corners = triangle.map(|v| self.positions[v as usize]);
        Some(Anchor { triangle, barycentric: closest_point_on_triangle(place, corners).barycentric })
    }
}

/// Pins on the body's surface at `moment` that hold neighbours together over the clip.
pub(super) fn anchored(particles: Vec<ParticleId>, topology: &Topology, body: &Body, moment: Moment) -> Pins {
    let places: Vec<Vec3> = particles.iter().map(|p| topology.positions[p.index()]).collect();
    let whole = Surface::new(body, moment);
    let Some(mut anchors) = places.iter().map(|&p| whole.anchor(p)).collect::<Option<Vec<_>>>() else {
        let bindings = places.into_iter().map(Binding::Still).collect();
        return Pins { particles, bindings, anchors: Vec::new() };
    };
    let edges = edges_between(&particles, topology);
    let holding = edges_that_hold(&edges, &places, &anchors, &whole.positions, body);
    let groups = pieces(places.len(), &edges);
    for (strays, joints) in strays(&groups, &pieces(places.len(), &holding), &anchors, body) {
        let keep = |t: u32| joints.contains(&body.main_joint(body.triangles()[t as usize][0]));
        let carrying = Surface::of(body, moment, keep);
        for pin in strays {
            anchors[pin] = carrying.anchor(places[pin]).unwrap_or(anchors[pin]);
        }
    }
    let bindings = share(&places, &groups, &anchors, &whole.positions, SHARING * body.height() as f32);
    Pins { particles, bindings, anchors }
}

/// Cloth edges between two pins, as indices of `particles` (ascending).
pub(super) fn edges_between(particles: &[ParticleId], topology: &Topology) -> Vec<[usize; 2]> {
    let index = |p: ParticleId| particles.binary_search(&p).ok();
    topology.edges.iter().filter_map(|&[a, b]| Some([index(a)?, index(b)?])).collect()
}

/// The edges that no moment of the clip tears when each pin follows its own anchor.
fn edges_that_hold(
    edges: &[[usize; 2]],
    places: &[Vec3],
    anchors: &[Anchor],
    bound_at: &[Vec3],
    body: &Body,
) -> Vec<[usize; 2]> {
    let locals: Vec<Vec3> = places.iter().zip(anchors).map(|(&place, a)| local(a, place, bound_at)).collect();
    let mut holding = edges.to_vec();
    let (first, last) = body.clip_range();
    let mut positions = Vec::new();
    for sample in 0..=SAMPLES {
        body.pose(Moment::At(first + (last - first) * f64::from(sample) / f64::from(SAMPLES)), &mut positions);
        let carried = |pin: usize| {
            let (foot, axes) = anchors[pin].frame(&positions);
            foot + axes * locals[pin]
        };
        let moved: Vec<Vec3> = (0..places.len()).map(carried).collect();
        holding.retain(|&[a, b]| {
            let rest = places[a].distance(places[b]);
            (moved[a].distance(moved[b]) - rest).abs() <= TORN * rest
        });
    }
    holding
}

fn local(anchor: &Anchor, place: Vec3, positions: &[Vec3]) -> Vec3 {
    let (foot, axes) = anchor.frame(positions);
    axes.transpose() * (place - foot)
}

/// The piece of each of `count` things that `edges` hold together, named by its smallest member.
pub(super) fn pieces(count: usize, edges: &[[usize; 2]]) -> Vec<usize> {
    let pieces = connect(edges.iter().map(|ends| ends.map(|end| end as u32)), count);
    pieces.into_iter().map(|piece| piece as usize).collect()
}

/// For each group with torn edges: the pins outside its largest piece, and the joints that carry that piece.
fn strays(groups: &[usize], pieces: &[usize], anchors: &[Anchor], body: &Body) -> Vec<(Vec<usize>, Vec<JointId>)> {
    let mut size = vec![0_usize; pieces.len()];
    pieces.iter().for_each(|&p| size[p] += 1);
    let mut largest = vec![usize::MAX; groups.len()];
    for (&group, &piece) in groups.iter().zip(pieces) {
        if largest[group] == usize::MAX || size[piece] > size[largest[group]] {
            largest[group] = piece;
        }
    }
    let torn = (0..groups.len())
        .filter(|&g| groups[g] == g && (0..groups.len()).any(|i| groups[i] == g && pieces[i] != largest[g]));
    let sort_out = |group: usize| {
        let members = (0..groups.len()).filter(|&i| groups[i] == group);
        let (kept, strays): (Vec<usize>, Vec<usize>) = members.partition(|&i| pieces[i] == largest[group]);
        let mut joints: Vec<JointId> = kept.iter().map(|&i| body.main_joint(anchors[i].triangle[0])).collect();
        joints.sort_unstable();
        joints.dedup();
        (strays, joints)
    };
    torn.map(sort_out).collect()
}

/// Each pin carried by the anchors of its group around it, weighted by a smooth bump `radius` wide.
fn share(places: &[Vec3], groups: &[usize], anchors: &[Anchor], positions: &[Vec3], radius: f32) -> Vec<Binding> {
    // Whatever is near in space is near along X: only those are compared.
    let mut by_x: Vec<usize> = (0..places.len()).collect();
    by_x.sort_by(|&a, &b| places[a].x.total_cmp(&places[b].x));
    let carriers = |pin: usize| {
        let from = by_x.partition_point(|&other| places[other].x < places[pin].x - 2.0 * radius);
        let strip = by_x[from..].iter().copied().take_while(|&other| places[other].x <= places[pin].x + 2.0 * radius);
        let distance = |&other: &usize| places[other].distance(places[pin]);
        let mut near: Vec<usize> =
            strip.filter(|other| groups[*other] == groups[pin] && distance(other) < 2.0 * radius).collect();
        near.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
        // Of more than enough, every so many-th: the bump keeps its width. The pin's own anchor comes first.
        let every = near.len().div_ceil(CARRIERS).max(1);
        let near: Vec<usize> = if near.is_empty() { vec![pin] } else { near.into_iter().step_by(every).collect() };
        let bump = |other: &usize| {
            let way = if radius > 0.0 { distance(other) / (2.0 * radius) } else { 0.0 };
            (1.0 - way * way) * (1.0 - way * way)
        };
        let total: f32 = near.iter().map(bump).sum();
        let carrier =
            |other: &usize| (*other as u32, bump(other) / total, local(&anchors[*other], places[pin], positions));
        Binding::Surface(near.iter().map(carrier).collect())
    };
    (0..places.len()).map(carriers).collect()
}
