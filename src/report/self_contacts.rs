//! Where the body touches or crosses itself: cloth that goes there cannot keep clear of both sides.

use serde::Serialize;

use super::inside::PosedBody;
use crate::body::{Body, JointId, Moment, SelfContact, self_contacts};
use crate::geometry::Vec3;
use crate::simulate::Timeline;

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
}

impl BodyReport {
    /// What `contacts` of `body` say, over frames that begin with `first`.
    pub fn of<'a>(contacts: impl IntoIterator<Item = &'a SelfContact>, body: &Body, first: i64) -> BodyReport {
        let name = |joint: JointId| body.joint_name(joint).to_owned();
        let contact = |contact: &SelfContact| {
            let millimetres = f64::from(contact.gap) * 1000.0;
            SelfContactReport {
                frames: contact.frames.map(|index| first + index as i64),
                joints: contact.joints.map(name),
                gap_mm: (millimetres >= 0.0).then_some(millimetres),
                overlap_mm: (millimetres < 0.0).then_some(-millimetres),
            }
        };
        BodyReport { self_contacts: contacts.into_iter().map(contact).collect() }
    }

    /// The same in plain words, the deepest first; none if the body never touches itself.
    pub fn words(&self) -> Option<String> {
        let mut contacts: Vec<&SelfContactReport> = self.self_contacts.iter().collect();
        contacts.sort_by(|a, b| a.millimetres().total_cmp(&b.millimetres()));
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
        let [first, last] = self.frames;
        let [a, b] = &self.joints;
        match self.overlap_mm {
            Some(overlap) => format!("{a} and {b} cross by {overlap:.0} mm in frames {first} to {last}"),
            None => format!("{a} and {b} are {:.1} mm apart in frames {first} to {last}", self.millimetres()),
        }
    }
}

/// Contacts of a body in its clip, to ask whether a place lies between two parts.
#[derive(Default)]
pub(super) struct SelfContacts {
    pub(super) list: Vec<SelfContact>,
    joint_of: Vec<JointId>,
    gap: f32,
}

impl SelfContacts {
    /// Finds where `body` comes nearer to itself than twice `thickness`, metres.
    pub(super) fn find(body: &Body, timeline: &Timeline, thickness: f32) -> SelfContacts {
        let moments: Vec<Moment> = (0..timeline.len()).map(|i| Moment::At(timeline.clip_seconds(i))).collect();
        let gap = 2.0 * thickness;
        let list = self_contacts(body, &moments, gap);
        SelfContacts { list, joint_of: body.surface().iter().map(|t| body.main_joint(t[0])).collect(), gap }
    }

    /// The contacts that are to be told when those of these indices have `caught` cloth.
    pub(super) fn told(&self, caught: &[usize]) -> impl Iterator<Item = &SelfContact> {
        let is_told = |(i, contact): &(usize, &SelfContact)| !contact.is_crease || caught.contains(i);
        self.list.iter().enumerate().filter(is_told).map(|(_, contact)| contact)
    }

    /// The contact that catches a point inside the body in the frame of this index: one of its part with another, where the way out
    /// leads into the other, or so near to it that there is no room for cloth.
    pub(super) fn catching(&self, index: usize, caught: &Caught, body: &PosedBody<'_>) -> Option<usize> {
        let Caught { point, way_out, joint } = *caught;
        let of_part = |(_, c): &(usize, &SelfContact)| c.joints.contains(&joint);
        let now = self.list.iter().enumerate().filter(|(_, c)| (c.frames[0]..=c.frames[1]).contains(&index));
        let mut contacts = now.filter(of_part).peekable();
        contacts.peek()?;
        let outside = point + way_out + way_out.normalize_or_zero() * (0.5 * self.gap);
        let reach = if body.contains(outside) { way_out.length() + self.gap } else { self.gap };
        let is_near = |(_, contact): &(usize, &SelfContact)| {
            let other = if contact.joints[0] == joint { contact.joints[1] } else { contact.joints[0] };
            let counts = |t: u32| self.joint_of[t as usize] == other;
            body.bvh.closest_where(outside, reach, body.positions, body.triangles, counts).is_some()
        };
        contacts.find(is_near).map(|(i, _)| i)
    }
}

/// A point that is inside the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caught {
    pub(super) point: Vec3,
    /// From there to the nearest place of the surface, metres.
    pub(super) way_out: Vec3,
    /// What moves the surface there.
    pub(super) joint: JointId,
}
