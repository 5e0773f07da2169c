//! Where the body touches or crosses itself: cloth that goes there cannot keep clear of both sides.

use serde::Serialize;

use super::inside::PosedBody;
use super::probe::Probe;
use super::retakes::frames;
use crate::body::{Body, JointId, Moment, SelfContact, self_contacts};
use crate::geometry::Vec3;
use crate::simulate::Timeline;

/// How deep parts cross in a fold at most, as a part of the body's height.
const DEEPEST: f32 = 0.06;
/// Contacts that a note names.
const NAMED: usize = 3;

/// What is to know of the body.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BodyReport {
    /// Where its parts come nearer to each other than twice the distance that the cloth keeps, or cross, in the order of frames.
    /// Where they only fold at the joint between them, as a bent knee does, it is listed if cloth is caught there.
    pub self_contacts: Vec<SelfContactReport>,
}

/// Two parts of the body that touch or cross for some frames.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SelfContactReport {
    /// First and last frame, inclusive, on the clip's time line; as exact as the clip was sampled.
    pub frames: [i64; 2],
    /// Names of the joints that move the parts.
    pub joints: [String; 2],
    /// Smallest distance between the parts, millimetres; none if they cross.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_mm: Option<f64>,
    /// How deep they cross, millimetres; none if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap_mm: Option<f64>,
    /// Whether cloth is inside the body there.
    pub catches_cloth: bool,
}

impl BodyReport {
    /// What `contacts` of `body` say, each with whether it has caught cloth, over frames that begin with `first`.
    pub fn of<'a>(contacts: impl IntoIterator<Item = (&'a SelfContact, bool)>, body: &Body, first: i64) -> BodyReport {
        let name = |joint: JointId| body.joint_name(joint).to_owned();
        let contact = |(contact, catches_cloth): (&SelfContact, bool)| {
            let millimetres = f64::from(contact.gap) * 1000.0;
            SelfContactReport {
                frames: contact.frames.map(|index| first + index as i64),
                joints: contact.joints.map(name),
                gap_mm: (millimetres >= 0.0).then_some(millimetres),
                overlap_mm: (millimetres < 0.0).then_some(-millimetres),
                catches_cloth,
            }
        };
        BodyReport { self_contacts: contacts.into_iter().map(contact).collect() }
    }

    /// The same in plain words, what catches cloth first, and of that the deepest; none if the body never touches itself.
    pub fn words(&self) -> Option<String> {
        let mut contacts: Vec<&SelfContactReport> = self.self_contacts.iter().collect();
        let deepest = |a: &SelfContactReport, b: &SelfContactReport| a.millimetres().total_cmp(&b.millimetres());
        contacts.sort_by(|a, b| b.catches_cloth.cmp(&a.catches_cloth).then_with(|| deepest(a, b)));
        let mut pairs: Vec<&[String; 2]> = Vec::new();
        contacts.retain(|contact| {
            let is_new = !pairs.contains(&&contact.joints);
            pairs.push(&contact.joints);
            is_new
        });
        let named: Vec<String> = contacts.iter().take(NAMED).map(|contact| contact.words()).collect();
        let more = match contacts.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let named = named.join("; ");
        (!contacts.is_empty())
            .then(|| format!("the body touches itself: {named}{more}; cloth cannot keep clear of both sides there"))
    }
}

impl SelfContactReport {
    /// Distance of the parts, negative where they cross.
    fn millimetres(&self) -> f64 {
        self.gap_mm.unwrap_or(0.0) - self.overlap_mm.unwrap_or(0.0)
    }

    fn words(&self) -> String {
        let [a, b] = &self.joints;
        let [first, last] = self.frames;
        let frames = frames(first, last);
        match self.overlap_mm {
            Some(overlap) => format!("{a} and {b} cross by {overlap:.0} mm in {frames}"),
            None => format!("{a} and {b} are {:.1} mm apart in {frames}", self.millimetres()),
        }
    }
}

/// Contacts of a body in its clip, to ask whether a place lies between two parts.
#[derive(Default)]
pub(super) struct SelfContacts {
    pub(super) list: Vec<SelfContact>,
    joint_of: Vec<JointId>,
    gap: f32,
    /// How deep parts cross in a fold at most, metres.
    deepest: f32,
    /// For each vertex of the body whether the body has a layer above it in the pose it was bound in.
    is_layered: Vec<bool>,
}

/// What catches a point that is inside the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Catch {
    /// The contact of this index.
    Contact(usize),
    /// The body folds into itself there, as skin does in an armpit: parts of these joints, ascending, cross so deep, metres.
    Fold([JointId; 2], f32),
}

impl SelfContacts {
    /// Finds where `body` comes nearer to itself than twice `thickness`, metres.
    pub(super) fn find(body: &Body, timeline: &Timeline, thickness: f32) -> SelfContacts {
        let moments: Vec<Moment> = (0..timeline.len()).map(|i| Moment::At(timeline.clip_seconds(i))).collect();
        let gap = 2.0 * thickness;
        let (list, is_layered) = rayon::join(|| self_contacts(body, &moments, gap), || layered(body, 0.5 * gap));
        let joint_of = body.surface().iter().map(|t| body.main_joint(t[0])).collect();
        let deepest = DEEPEST * body.height() as f32;
        SelfContacts { list, joint_of, gap, deepest, is_layered }
    }

    /// The contacts that are to be told when those of these indices have `caught` cloth, each with whether it has.
    pub(super) fn told(&self, caught: &[usize]) -> impl Iterator<Item = (&SelfContact, bool)> {
        let all = self.list.iter().enumerate().map(|(i, contact)| (contact, caught.contains(&i)));
        all.filter(|(contact, has_caught)| !contact.is_crease || *has_caught)
    }

    /// What catches a point inside the body in the frame of this index: a contact of its part with another, where the way out leads
    /// into the other, or so near to it that there is no room for cloth; or a fold.
    pub(super) fn catching(
        &self,
        index: usize,
        caught: &Caught,
        (body, posed): (&Body, &PosedBody<'_>),
    ) -> Option<Catch> {
        if self.joint_of.is_empty() {
            return None; // nobody looked at the body
        }
        let Caught { point, way_out, vertex } = *caught;
        let joint = body.main_joint(vertex);
        let outside = point + way_out + way_out.normalize_or_zero() * (0.5 * self.gap);
        let is_crossed = posed.contains(outside);
        let reach = if is_crossed { way_out.length() + self.gap } else { self.gap };
        let closest = |reach: f32, counts: &dyn Fn(u32) -> bool| {
            posed.bvh.closest_where(outside, reach, posed.positions, posed.triangles, counts)
        };
        let joint_of = |t: u32| self.joint_of[t as usize];
        let now = self.list.iter().enumerate().filter(|(_, c)| (c.frames[0]..=c.frames[1]).contains(&index));
        let mut of_part = now.filter(|(_, c)| c.joints.contains(&joint));
        let is_near = |(_, contact): &(usize, &SelfContact)| {
            let other = if contact.joints[0] == joint { contact.joints[1] } else { contact.joints[0] };
            closest(reach, &|t| joint_of(t) == other).is_some()
        };
        if let Some((contact, _)) = of_part.find(is_near) {
            return Some(Catch::Contact(contact));
        }
        let may_fold = is_crossed && !posed.is_coarse();
        let folds = may_fold && !self.is_layered[vertex as usize];
        let is_above = |t: u32| {
            let [a, b, c] = posed.triangles[t as usize].map(|v| posed.positions[v as usize]);
            (b - a).cross(c - a).dot(outside - a) < 0.0
        };
        let above = folds.then(|| closest(self.deepest, &|t| joint_of(t) != joint && is_above(t))).flatten();
        above.map(|(triangle, _, squared)| {
            let other = joint_of(triangle);
            Catch::Fold([joint.min(other), joint.max(other)], squared.sqrt())
        })
    }
}

/// For each vertex of a body whether what is `distance` metres above it is inside the body, as it was bound: it wears another layer.
fn layered(body: &Body, distance: f32) -> Vec<bool> {
    Probe::new(body, Moment::Bind).is_inside_above(Moment::Bind, distance)
}

/// A point that is inside the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caught {
    pub(super) point: Vec3,
    /// From there to the nearest place of the surface, metres.
    pub(super) way_out: Vec3,
    /// The body's vertex there.
    pub(super) vertex: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{BodyAsset, MeshSequence};
    use crate::topology::Adjacency;

    /// A box of 1 m and one that is larger beside it, so far apart as they were bound, and then 0.2 m into each other: what catches a
    /// point of the first that is 0.05 m inside it, and in the second.
    fn catch(bound_apart: f32) -> Option<Catch> {
        let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32);
        let larger =
            |i: u32| (corner(i) - Vec3::new(0.0, 0.5, 0.5)) * Vec3::new(1.0, 2.0, 2.0) + Vec3::new(1.0, 0.5, 0.5);
        let boxes = |apart: f32| (0..8).map(corner).chain((0..8).map(|i| larger(i) + Vec3::X * apart)).collect();
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let halves = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        let triangles = (0..2).flat_map(|i| halves.clone().map(move |t| t.map(|v| v + 8 * i))).collect();
        let frames = vec![boxes(bound_apart), boxes(-0.2)];
        let sequence = MeshSequence { frames, triangles, ..MeshSequence::default() };
        let body = Body::new(BodyAsset::Sequence(sequence), None).expect("a body");
        let joint_of = (0..24).map(|t| JointId(t / 12)).collect();
        let is_layered = layered(&body, 0.005);
        let contacts = SelfContacts { joint_of, gap: 0.01, deepest: 0.3, is_layered, ..SelfContacts::default() };
        let moment = Moment::At(body.clip_range().1);
        let point = Vec3::new(0.95, 0.4, 0.45);
        let alone = Adjacency::of_edges(1, &[]);
        Probe::new(&body, Moment::Bind)
            .inside(moment, &[point], &alone, |inside, posed| contacts.catching(1, &inside[0].caught(), (&body, posed)))
    }

    #[test]
    fn what_catches_cloth_is_named_before_what_crosses_deeper() {
        let contact = |joint: &str, overlap: f64, catches_cloth: bool| SelfContactReport {
            frames: [0, 1],
            joints: ["hip".to_owned(), joint.to_owned()],
            gap_mm: None,
            overlap_mm: Some(overlap),
            catches_cloth,
        };
        let contacts = [("a", 90.0, false), ("b", 80.0, false), ("c", 5.0, true), ("d", 70.0, false), ("e", 6.0, true)];
        let report =
            BodyReport { self_contacts: contacts.map(|(joint, mm, catches)| contact(joint, mm, catches)).into() };
        let words = report.words().expect("contacts");
        assert!(words.contains("hip and e cross by 6 mm in frames 0 to 1; hip and c"), "{words}");
        assert!(words.contains("hip and a cross by 90 mm in frames 0 to 1; and 2 more"), "{words}");
    }

    #[test]
    fn a_fold_catches_what_was_not_made_in_layers() {
        assert!(matches!(catch(0.5), Some(Catch::Fold(_, depth)) if (depth - 0.2).abs() < 0.02), "{:?}", catch(0.5));
        assert_eq!(catch(-0.2), None);
    }
}
