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
//!          torso       hand    torso      the shorter piece is anchored again, to joints that carry the longest one
//! ```
//!
//! A waistband that lies on both thighs is carried by neither, but by the hips between them.
//!
//! Skin stretches unevenly where cloth does not. So a pin is carried by its own anchor and its neighbours' alike, with weights
//! that fall off with distance: a smooth skinning with anchors for joints.

use std::collections::BTreeMap;

use super::bind::{Binding, Pins};
use crate::body::{Body, JointId, Moment};
use crate::geometry::{Bvh, Mat3, Vec3, closest_point_on_triangle, connect};
use crate::topology::{ParticleId, Topology};

/// Change of an edge between two pins over the clip, as a part of its length, from which they count as torn apart. Skin that
/// stretches as much does no harm: what it parts is anchored again to the same joints.
const TORN: f32 = 0.5;
/// How much further from its anchor than from the nearest one a pin may come to be, as a part of the body's height: a strap on a shoulder
/// is not carried by the chest that carries the rest of the edge.
const FURTHER: f32 = 0.05;
/// Part of the longest piece from which another one, on another limb, says that neither limb carries both.
const AS_LONG: f32 = 0.4;
/// Pieces that are looked at for that, the longest: there are no more limbs.
const MOST_LONG: usize = 16;
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
    let height = body.height() as f32;
    let holding = edges_that_hold(&edges, &places, &anchors, &whole.positions, body);
    let groups = pieces(places.len(), &edges);
    let torn = Torn { groups: &groups, pieces: &pieces(places.len(), &holding), lengths: &lengths(&holding, &places) };
    for (strays, joints) in torn.strays(&anchors, body) {
        let keep = |t: u32| joints.contains(&body.main_joint(body.triangles()[t as usize][0]));
        let carrying = Surface::of(body, moment, keep);
        for pin in strays {
            let to_anchor = |anchor: &Anchor| anchor.frame(&whole.positions).0.distance(places[pin]);
            let most = to_anchor(&anchors[pin]) + FURTHER * height;
            let near = carrying.anchor(places[pin]).filter(|anchor| to_anchor(anchor) <= most);
            anchors[pin] = near.unwrap_or(anchors[pin]);
        }
    }
    let bindings = share(&places, &groups, &anchors, &whole.positions, SHARING * height);
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

/// For each pin half the length of those `edges` that it is an end of, metres.
fn lengths(edges: &[[usize; 2]], places: &[Vec3]) -> Vec<f32> {
    let mut lengths = vec![0.0; places.len()];
    for ends in edges {
        let half = 0.5 * places[ends[0]].distance(places[ends[1]]);
        ends.iter().for_each(|&end| lengths[end] += half);
    }
    lengths
}

/// Groups of pins that the motion tears to pieces.
struct Torn<'a> {
    /// The group of each pin.
    groups: &'a [usize],
    /// The piece of each pin.
    pieces: &'a [usize],
    /// How much of the edges of its piece each pin stands for, metres.
    lengths: &'a [f32],
}

impl Torn<'_> {
    /// For each group in pieces: the pins to anchor again, and the joints to anchor them to.
    fn strays(&self, anchors: &[Anchor], body: &Body) -> Vec<(Vec<usize>, Vec<JointId>)> {
        let joint = |pin: usize| body.main_joint(anchors[pin].triangle[0]);
        let strays = |members: &[usize]| {
            let by_piece = self.totals(members.iter().map(|&pin| (self.pieces[pin], pin)));
            let &(longest, most) = by_piece.first().filter(|_| by_piece.len() > 1)?;
            let main = |piece: usize| {
                let of_piece = members.iter().filter(|&&pin| self.pieces[pin] == piece);
                self.totals(of_piece.map(|&pin| (joint(pin), pin)))[0].0
            };
            let carrier = main(longest);
            let long =
                by_piece[1..].iter().take(MOST_LONG).filter(|(_, length)| *length > 0.0 && *length >= AS_LONG * most);
            let stem = long.map(|&(piece, _)| main(piece)).find_map(|other| stem(body, carrier, other));
            let stays = |pin: usize| stem.map_or(self.pieces[pin] == longest, |stem| joint(pin) == stem);
            let (kept, strays): (Vec<usize>, Vec<usize>) = members.iter().partition(|&&pin| stays(pin));
            let mut joints: Vec<JointId> = kept.into_iter().map(joint).chain(stem).collect();
            joints.sort_unstable();
            joints.dedup();
            Some((strays, joints))
        };
        let mut by_group: Vec<usize> = (0..self.groups.len()).collect();
        by_group.sort_by_key(|&pin| self.groups[pin]);
        by_group.chunk_by(|&a, &b| self.groups[a] == self.groups[b]).filter_map(strays).collect()
    }

    /// How long what goes by each name is altogether, longest first.
    fn totals<N: Copy + Ord>(&self, pins: impl Iterator<Item = (N, usize)>) -> Vec<(N, f32)> {
        let mut totals: BTreeMap<N, f32> = BTreeMap::new();
        pins.for_each(|(name, pin)| *totals.entry(name).or_default() += self.lengths[pin]);
        let mut totals: Vec<(N, f32)> = totals.into_iter().collect();
        totals.sort_by(|a, b| b.1.total_cmp(&a.1));
        totals
    }
}

/// The nearest joint with skin that two joints on different limbs both hang on; none if one hangs on the other.
fn stem(body: &Body, one: JointId, other: JointId) -> Option<JointId> {
    let [line, others]: [Vec<JointId>; 2] = [one, other].map(|joint| body.line_of(joint).collect());
    if line.contains(&other) || others.contains(&one) {
        return None;
    }
    let has_skin = |joint: &JointId| body.triangles().iter().any(|t| body.main_joint(t[0]) == *joint);
    line.into_iter().filter(|joint| others.contains(joint)).find(has_skin)
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::import::BodyAsset;
    use crate::import::gltf::read_rig;

    /// The walker.
    fn walker() -> Body {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/walker.glb");
        let bytes = std::fs::read(&path).expect("the walker");
        let rig = read_rig(&bytes, path.parent().expect("a folder"), "walker").expect("a rig");
        Body::new(BodyAsset::Rig(rig), None).expect("a body")
    }

    /// The pins that are anchored again of an edge in two pieces, by the joint that carries each, its pins and its length, and the
    /// joints that carry these then.
    fn anchored_again(pieces: [(&str, usize, f32); 2]) -> (Vec<usize>, Vec<String>) {
        let body = walker();
        let anchor = |joint: &str| {
            let joint = body.joint_named(joint).expect("a joint of the walker");
            let triangle = body.triangles().iter().find(|t| body.main_joint(t[0]) == joint).expect("skin");
            Anchor { triangle: *triangle, barycentric: Vec3::X }
        };
        let [first, second] = pieces;
        let of = |(joint, pins, length): (&str, usize, f32)| vec![(anchor(joint), length / pins as f32); pins];
        let (anchors, lengths): (Vec<Anchor>, Vec<f32>) = of(first).into_iter().chain(of(second)).unzip();
        let pieces: Vec<usize> = (0..anchors.len()).map(|pin| if pin < first.1 { 0 } else { first.1 }).collect();
        let torn = Torn { groups: &vec![0; anchors.len()], pieces: &pieces, lengths: &lengths };
        let (strays, joints) = torn.strays(&anchors, &body).swap_remove(0);
        (strays, joints.into_iter().map(|joint| body.joint_names()[joint.0 as usize].clone()).collect())
    }

    #[test]
    fn the_longest_piece_of_a_torn_edge_carries_the_others() {
        let carried_by = |joint: &str| vec![joint.to_owned()];
        assert_eq!(anchored_again([("pelvis", 3, 0.3), ("hand_l", 9, 0.1)]), ((3..12).collect(), carried_by("pelvis")));
        assert_eq!(anchored_again([("pelvis", 9, 0.1), ("hand_l", 3, 0.3)]), ((0..9).collect(), carried_by("hand_l")));
    }

    #[test]
    fn a_waistband_on_both_thighs_hangs_on_the_hips() {
        let carried_by = |joint: &str| vec![joint.to_owned()];
        let both = anchored_again([("thigh_l", 4, 0.2), ("thigh_r", 6, 0.3)]);
        assert_eq!(both, ((0..10).collect(), carried_by("pelvis")));
        let one = anchored_again([("thigh_l", 4, 0.3), ("thigh_r", 1, 0.02)]);
        assert_eq!(one, (vec![4], carried_by("thigh_l")));
    }
}
