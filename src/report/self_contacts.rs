//! Where the body touches or crosses itself: cloth that goes there cannot keep clear of both sides.

use serde::Serialize;

use crate::body::{Body, JointId, Moment, SelfContact, self_contacts};
use crate::geometry::{Bvh, Vec3};
use crate::simulate::Timeline;

/// Contacts that a note names.
const NAMED: usize = 3;

/// What is to know of the body.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BodyReport {
    /// Where its parts come nearer to each other than twice the distance that the cloth keeps, or cross, in the order of frames.
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
    pub fn of(contacts: &[SelfContact], body: &Body, first: i64) -> BodyReport {
        let name = |joint: JointId| body.joint_names().get(joint.0 as usize).cloned().unwrap_or_default();
        let contact = |contact: &SelfContact| {
            let millimetres = f64::from(contact.gap) * 1000.0;
            SelfContactReport {
                frames: contact.frames.map(|index| first + index as i64),
                joints: contact.joints.map(name),
                gap_mm: (millimetres >= 0.0).then_some(millimetres),
                overlap_mm: (millimetres < 0.0).then_some(-millimetres),
            }
        };
        BodyReport { self_contacts: contacts.iter().map(contact).collect() }
    }

    /// The same in plain words, the deepest first; none if the body never touches itself.
    pub fn words(&self) -> Option<String> {
        let mut contacts: Vec<&SelfContactReport> = self.self_contacts.iter().collect();
        contacts.sort_by(|a, b| a.millimetres().total_cmp(&b.millimetres()));
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
        let list = if body.rig().is_some() { self_contacts(body, &moments, gap) } else { Vec::new() };
        SelfContacts { list, joint_of: body.triangles().iter().map(|t| body.main_joint(t[0])).collect(), gap }
    }

    /// Whether a point, `depth` metres inside the part of `joint`, is at a part that touches it in the frame of this index.
    /// `triangles` are those of the body in any sense of rotation, `bvh` is fitted to the `positions`.
    pub(super) fn hold(
        &self,
        index: usize,
        (point, depth, joint): (Vec3, f64, JointId),
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        bvh: &Bvh,
    ) -> bool {
        let other = |contact: &SelfContact| match contact.joints {
            [a, b] if a == joint => Some(b),
            [a, b] if b == joint => Some(a),
            _ => None,
        };
        let now = self.list.iter().filter(|c| (c.frames[0]..=c.frames[1]).contains(&index));
        let others: Vec<JointId> = now.filter_map(other).collect();
        let counts = |t: u32| others.contains(&self.joint_of[t as usize]);
        let reach = depth as f32 + self.gap;
        !others.is_empty() && bvh.closest_where(point, reach, positions, triangles, counts).is_some()
    }
}
