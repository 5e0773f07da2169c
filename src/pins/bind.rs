//! What carries each pin.

use super::PinCarrier;
use super::surface::bind_to_surface;
use crate::body::{Body, JointId, Moment};
use crate::geometry::{DAffine3, DVec3, Mat3, Vec3};
use crate::import::Garment;
use crate::topology::{ParticleId, Topology};

/// Pinned particles with what carries them, ascending by particle.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// The particles.
    pub particles: Vec<ParticleId>,
    /// What carries each.
    pub bindings: Vec<Binding>,
}

/// What carries one pin.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// It stays.
    Still(Vec3),
    /// It keeps its place relative to a triangle of the body.
    Surface {
        /// Body vertices of the triangle.
        triangle: [u32; 3],
        /// Barycentric coordinates of the foot.
        barycentric: Vec3,
        /// From foot to pin in the triangle's frame, metres.
        offset: Vec3,
    },
    /// It follows joints, as skin does.
    Joints {
        /// Joint, weight, and the pin in that joint's space when bound.
        influences: Vec<(JointId, f32, DVec3)>,
    },
}

/// Pins that cannot be carried.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// `--pin-to joint:NAME` without such a joint.
    #[error("--pin-to joint:{wanted}: the body has no such joint; `toile inspect BODY` lists them")]
    NoSuchJoint {
        /// What was asked for.
        wanted: String,
    },
    /// `--pin-to joint:NAME` without a body.
    #[error("--pin-to joint:{wanted} needs a body; add --body FILE")]
    NeedsBody {
        /// What was asked for.
        wanted: String,
    },
}

/// Binds `particles` to their carrier as body and garment stand at `moment`.
///
/// # Errors
/// A joint that does not exist.
pub fn bind(
    particles: Vec<ParticleId>,
    carrier: &PinCarrier,
    garment: &Garment,
    topology: &Topology,
    body: Option<(&Body, Moment)>,
) -> Result<Pins, BindError> {
    let place = |p: &ParticleId| topology.positions[p.index()];
    let bindings = match (carrier, body) {
        (PinCarrier::Joint(wanted), None) => return Err(BindError::NeedsBody { wanted: wanted.clone() }),
        (PinCarrier::World, _) | (PinCarrier::Body, None) => {
            particles.iter().map(|p| Binding::Still(place(p))).collect()
        }
        (PinCarrier::Joint(wanted), Some((body, moment))) => {
            let joint = body.joint_names().iter().position(|n| n == wanted);
            let joint = joint.ok_or_else(|| BindError::NoSuchJoint { wanted: wanted.clone() })?;
            let frames = inverse_frames(body, moment);
            particles.iter().map(|p| to_joints(&[(joint, 1.0)], &frames, place(p))).collect()
        }
        (PinCarrier::Body, Some((body, moment))) => match skin_influences(garment, topology, body) {
            Some(influences) => {
                let frames = inverse_frames(body, moment);
                particles.iter().map(|p| to_joints(&influences[p.index()], &frames, place(p))).collect()
            }
            None => bind_to_surface(&particles, topology, body, moment),
        },
    };
    Ok(Pins { particles, bindings })
}

impl Pins {
    /// Where each pin belongs, given the body's vertices at `moment`; `targets` is cleared and filled in order.
    pub fn targets(&self, body: Option<(&Body, &[Vec3], Moment)>, targets: &mut Vec<Vec3>) {
        targets.clear();
        targets.extend(self.bindings.iter().map(|binding| binding.target(body)));
    }
}

impl Binding {
    /// Where the pin belongs, given the body's vertices at a moment. A pin of a body that is not given stays at the origin.
    pub(super) fn target(&self, body: Option<(&Body, &[Vec3], Moment)>) -> Vec3 {
        match (self, body) {
            (Binding::Still(place), _) => *place,
            (Binding::Surface { triangle, barycentric, offset }, Some((_, positions, _))) => {
                let corners = triangle.map(|v| positions[v as usize]);
                foot(corners, *barycentric) + frame(corners) * *offset
            }
            (Binding::Joints { influences }, Some((body, _, moment))) => {
                let moved = influences.iter().map(|&(joint, weight, local)| {
                    body.joint_transform(joint, moment).transform_point3(local) * f64::from(weight)
                });
                moved.fold(DVec3::ZERO, |sum, p| sum + p).as_vec3()
            }
            (_, None) => Vec3::ZERO,
        }
    }

    /// The joint of the body that carries the pin most.
    pub(super) fn joint(&self, body: &Body) -> Option<JointId> {
        match self {
            Binding::Still(_) => None,
            Binding::Surface { triangle, .. } => Some(body.main_joint(triangle[0])),
            Binding::Joints { influences } => influences.first().map(|&(joint, ..)| joint),
        }
    }
}

fn to_joints(influences: &[(usize, f32)], inverse_frames: &[DAffine3], place: Vec3) -> Binding {
    let local = |joint: usize| inverse_frames[joint].transform_point3(place.as_dvec3());
    let influences = influences.iter().map(|&(joint, weight)| (JointId(joint as u32), weight, local(joint))).collect();
    Binding::Joints { influences }
}

fn inverse_frames(body: &Body, moment: Moment) -> Vec<DAffine3> {
    let invertible = |m: DAffine3| if m.matrix3.determinant() == 0.0 { DAffine3::IDENTITY } else { m.inverse() };
    (0..body.joint_names().len() as u32).map(|j| invertible(body.joint_transform(JointId(j), moment))).collect()
}

/// Skin influences of each particle in the body's joints, when the garment is skinned to joints the body has.
fn skin_influences(garment: &Garment, topology: &Topology, body: &Body) -> Option<Vec<Vec<(usize, f32)>>> {
    let skin = garment.skin.as_ref()?;
    let joint_of = |name: &String| body.joint_names().iter().position(|n| n == name);
    let joints: Vec<usize> = skin.joint_names.iter().map(joint_of).collect::<Option<_>>()?;
    let mut influences = vec![Vec::new(); topology.positions.len()];
    for (vertex, particle) in topology.particle_of_vertex.iter().enumerate() {
        let of_particle = &mut influences[particle.index()];
        if of_particle.is_empty() {
            of_particle.extend(skin.weights.of(vertex).map(|(joint, weight)| (joints[joint], weight)));
        }
    }
    Some(influences)
}

pub(super) fn foot([a, b, c]: [Vec3; 3], barycentric: Vec3) -> Vec3 {
    a * barycentric.x + b * barycentric.y + c * barycentric.z
}

/// Right-handed frame of a triangle: along its first edge, in its plane across it, along its normal.
/// A triangle without area has the world's axes.
pub(super) fn frame([a, b, c]: [Vec3; 3]) -> Mat3 {
    let tangent = (b - a).normalize_or_zero();
    let normal = (b - a).cross(c - a).normalize_or_zero();
    if normal == Vec3::ZERO || tangent == Vec3::ZERO {
        return Mat3::IDENTITY;
    }
    Mat3::from_cols(tangent, normal.cross(tangent), normal)
}
