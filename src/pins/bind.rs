//! What carries each pin.

use super::PinCarrier;
use super::anchor::{Anchor, anchored, edges_between, pieces};
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
    /// Places on the body's surface that bindings refer to.
    pub anchors: Vec<Anchor>,
}

/// What carries one pin.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// It stays.
    Still(Vec3),
    /// It is carried by places on the body's surface: index into [`Pins::anchors`], weight, and the pin in that place's
    /// frame when bound, metres.
    Surface(Vec<(u32, f32, Vec3)>),
    /// It follows joints, as skin does: joint, weight, and the pin in that joint's space when bound, metres.
    Joints(Vec<(JointId, f32, DVec3)>),
}

impl Binding {
    /// The binding of what lies between things bound by `parts`, with weights of sum 1; none if their kinds differ.
    pub fn blended(parts: &[(&Binding, f32)]) -> Option<Binding> {
        if let [(only, _)] = parts {
            return Some((*only).clone());
        }
        match parts.first()?.0 {
            Binding::Still(_) => {
                let place = |(binding, part): &(&Binding, f32)| match binding {
                    Binding::Still(place) => Some(*place * *part),
                    _ => None,
                };
                parts.iter().map(place).sum::<Option<Vec3>>().map(Binding::Still)
            }
            Binding::Surface(_) => {
                let mut all = Vec::new();
                for (binding, part) in parts {
                    let Binding::Surface(carriers) = binding else { return None };
                    all.extend(carriers.iter().map(|&(anchor, weight, local)| (anchor, weight * part, local)));
                }
                Some(Binding::Surface(all))
            }
            Binding::Joints(_) => {
                let mut all = Vec::new();
                for (binding, part) in parts {
                    let Binding::Joints(influences) = binding else { return None };
                    all.extend(influences.iter().map(|&(joint, weight, local)| (joint, weight * part, local)));
                }
                Some(Binding::Joints(all))
            }
        }
    }
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
            let joint = body.joint_named(wanted).map(|joint| joint.0 as usize);
            let joint = joint.ok_or_else(|| BindError::NoSuchJoint { wanted: wanted.clone() })?;
            let frames = inverse_frames(body, moment);
            particles.iter().map(|p| to_joints(&[(joint, 1.0)], &frames, place(p))).collect()
        }
        (PinCarrier::Body, Some((body, moment))) => match skin_influences(garment, topology, body) {
            Some(influences) => {
                let frames = inverse_frames(body, moment);
                particles.iter().map(|p| to_joints(&influences[p.index()], &frames, place(p))).collect()
            }
            None => return Ok(anchored(particles, topology, body, moment)),
        },
    };
    Ok(Pins { particles, bindings, anchors: Vec::new() })
}

impl Pins {
    /// The pins in groups that hang together by edges of the cloth, ascending, by their first pins.
    pub fn groups(&self, topology: &Topology) -> Vec<Vec<ParticleId>> {
        let piece_of = pieces(self.particles.len(), &edges_between(&self.particles, topology));
        let members = |first: usize| {
            let pins = self.particles.iter().zip(&piece_of);
            pins.filter(|&(_, &piece)| piece == first).map(|(&pin, _)| pin).collect()
        };
        (0..piece_of.len()).filter(|&i| piece_of[i] == i).map(members).collect()
    }

    /// What carries `particle`, if it is pinned.
    pub fn binding(&self, particle: ParticleId) -> Option<&Binding> {
        self.particles.binary_search(&particle).ok().map(|index| &self.bindings[index])
    }

    /// Those of them that are among `particles`, ascending, by their numbers in that list.
    pub fn of_part(&self, particles: &[ParticleId]) -> Pins {
        let bound = (0..).zip(particles).filter_map(|(i, p)| Some((ParticleId(i), self.binding(*p)?.clone())));
        let (particles, bindings) = bound.unzip();
        Pins { particles, bindings, anchors: self.anchors.clone() }
    }

    /// Those whose particle is `wanted`.
    pub fn only(self, wanted: impl Fn(ParticleId) -> bool) -> Pins {
        let kept = self.particles.into_iter().zip(self.bindings).filter(|(p, _)| wanted(*p));
        let (particles, bindings) = kept.unzip();
        Pins { particles, bindings, anchors: self.anchors }
    }

    /// These pins and `others`; no particle is in both.
    pub fn joined(self, others: Pins) -> Pins {
        let first = self.anchors.len() as u32;
        let moved = others.bindings.into_iter().map(|binding| match binding {
            Binding::Surface(carriers) => {
                Binding::Surface(carriers.into_iter().map(|(anchor, w, local)| (anchor + first, w, local)).collect())
            }
            other => other,
        });
        let all = self.particles.into_iter().zip(self.bindings).chain(others.particles.into_iter().zip(moved));
        let mut all: Vec<(ParticleId, Binding)> = all.collect();
        all.sort_by_key(|(particle, _)| *particle);
        let (particles, bindings) = all.into_iter().unzip();
        Pins { particles, bindings, anchors: [self.anchors, others.anchors].concat() }
    }

    /// Where each pin belongs, given the body's vertices at `moment`; `targets` is cleared and filled in order. A pin of a
    /// body that is not given is put to the origin.
    pub fn targets(&self, body: Option<(&Body, &[Vec3], Moment)>, targets: &mut Vec<Vec3>) {
        let frames: Vec<(Vec3, Mat3)> =
            body.map_or(Vec::new(), |(_, positions, _)| self.anchors.iter().map(|a| a.frame(positions)).collect());
        let joints = match body {
            Some((body, _, moment)) if self.follows_joints() => body.joint_transforms(moment),
            _ => Vec::new(),
        };
        let target = |binding: &Binding| match binding {
            Binding::Still(place) => *place,
            Binding::Surface(carriers) => carriers.iter().fold(Vec3::ZERO, |sum, &(anchor, weight, local)| {
                frames.get(anchor as usize).map_or(sum, |(foot, axes)| sum + (*foot + *axes * local) * weight)
            }),
            Binding::Joints(influences) => {
                let moved = influences.iter().fold(DVec3::ZERO, |sum, &(joint, weight, local)| {
                    let carried = joints.get(joint.0 as usize).map(|j| j.transform_point3(local));
                    carried.map_or(sum, |p| sum + p * f64::from(weight))
                });
                moved.as_vec3()
            }
        };
        targets.clear();
        targets.extend(self.bindings.iter().map(target));
    }

    /// Joints of the body that carry pins, ascending.
    pub fn joints(&self, body: &Body) -> Vec<JointId> {
        let anchored = self.anchors.iter().map(|a| body.main_joint(a.triangle[0]));
        let followed = self.bindings.iter().filter_map(|b| match b {
            Binding::Joints(influences) => Some(influences.iter().map(|i| i.0)),
            _ => None,
        });
        let mut joints: Vec<JointId> = anchored.chain(followed.flatten()).collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }

    fn follows_joints(&self) -> bool {
        self.bindings.iter().any(|b| matches!(b, Binding::Joints(_)))
    }
}

fn to_joints(influences: &[(usize, f32)], inverse_frames: &[DAffine3], place: Vec3) -> Binding {
    let local = |joint: usize| inverse_frames[joint].transform_point3(place.as_dvec3());
    Binding::Joints(influences.iter().map(|&(joint, weight)| (JointId(joint as u32), weight, local(joint))).collect())
}

fn inverse_frames(body: &Body, moment: Moment) -> Vec<DAffine3> {
    let invertible = |m: DAffine3| if m.matrix3.determinant() == 0.0 { DAffine3::IDENTITY } else { m.inverse() };
    body.joint_transforms(moment).into_iter().map(invertible).collect()
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
    influences.iter().all(|i| !i.is_empty()).then_some(influences)
}
