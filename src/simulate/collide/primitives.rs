//! Planes, spheres and capsules, still or carried by joints.

use super::{Contact, Touch, push_out};
use crate::body::{Body, JointId, Moment};
use crate::geometry::{DAffine3, DVec3, Vec3};
use crate::simulate::cloth::Cloth;
use crate::simulate::parameters::{Collider, Shape};

/// All primitive colliders of a scene with their place now and a substep ago.
#[derive(Debug, Default)]
pub(in crate::simulate) struct Primitives {
    rest: Vec<(Shape, Option<(JointId, DAffine3)>)>,
    now: Vec<Shape>,
    before: Vec<Shape>,
}

/// A collider that names a joint the body does not have.
#[derive(Debug, thiserror::Error)]
#[error("collider `{collider}` follows joint `{joint}`, which the body does not have")]
pub struct UnknownColliderJoint {
    collider: String,
    joint: String,
}

impl Primitives {
    pub(in crate::simulate) fn new(colliders: &[Collider], body: Option<&Body>) -> Result<Self, UnknownColliderJoint> {
        let carry = |collider: &Collider| {
            // Colliders are given in the world, positions count from where the body does.
            let counted = |moment| {
                let origin = body.map_or(DVec3::ZERO, |b| b.origin(moment));
                if origin == DVec3::ZERO {
                    return collider.shape;
                }
                transformed(collider.shape, DAffine3::from_translation(-origin))
            };
            let Some(name) = &collider.joint else { return Ok((counted(Moment::At(0.0)), None)) };
            let joint = body.and_then(|b| Some((b, b.joint_named(name)?)));
            let Some((body, joint)) = joint else {
                return Err(UnknownColliderJoint { collider: collider.name.clone(), joint: name.clone() });
            };
            Ok((counted(Moment::Bind), Some((joint, body.joint_transform(joint, Moment::Bind).inverse()))))
        };
        let rest: Vec<_> = colliders.iter().map(carry).collect::<Result<_, _>>()?;
        let shapes: Vec<Shape> = rest.iter().map(|(shape, _)| *shape).collect();
        Ok(Primitives { rest, now: shapes.clone(), before: shapes })
    }

    /// Forgets the motion up to now: the next [`Primitives::move_to`] places everything without sweeping.
    pub(in crate::simulate) fn place(&mut self, body: Option<&Body>, moment: Moment) {
        self.move_to(body, moment);
        self.before.clone_from(&self.now);
    }

    pub(in crate::simulate) fn move_to(&mut self, body: Option<&Body>, moment: Moment) {
        std::mem::swap(&mut self.before, &mut self.now);
        for ((shape, carrier), now) in self.rest.iter().zip(&mut self.now) {
            *now = match (carrier, body) {
                (Some((joint, from_bind)), Some(body)) => {
                    transformed(*shape, body.joint_transform(*joint, moment) * *from_bind)
                }
                _ => *shape,
            };
        }
    }

    /// Distance of `p` from the surface of the collider of this index, metres; negative inside.
    pub(in crate::simulate) fn distance(&self, collider: usize, p: Vec3) -> f32 {
        signed_distance(&self.now[collider], p).0
    }

    pub(in crate::simulate) fn collide(&self, cloth: &mut Cloth, touch: Touch, contacts: &mut Vec<Contact>) {
        for (index, (now, before)) in (0..).zip(self.now.iter().zip(&self.before)) {
            for particle in 0..cloth.len() {
                let position = cloth.points[particle].at;
                let (distance, normal) = signed_distance(now, position);
                if distance >= touch.thickness || !cloth.is_free(particle) {
                    continue;
                }
                let surface_motion = surface_motion(now, before, position);
                let depth = touch.thickness - distance;
                cloth.points[particle].at =
                    push_out(position, cloth.previous[particle].at, normal, depth, surface_motion, touch.friction);
                let level = normal.dot(cloth.points[particle].at);
                let (particle, collider) = (particle as u32, Some(index));
                let margin = touch.thickness;
                contacts.push(Contact { particle, normal, level, margin, surface_motion, joint: None, collider });
            }
        }
    }
}

fn transformed(shape: Shape, by: DAffine3) -> Shape {
    let point = |p: Vec3| by.transform_point3(p.as_dvec3()).as_vec3();
    match shape {
        Shape::Plane { point: p, normal } => Shape::Plane {
            point: point(p),
            normal: by.transform_vector3(normal.as_dvec3()).as_vec3().normalize_or(Vec3::Y),
        },
        Shape::Sphere { centre, radius } => Shape::Sphere { centre: point(centre), radius },
        Shape::Capsule { from, to, radius } => Shape::Capsule { from: point(from), to: point(to), radius },
    }
}

/// Distance of `p` from the surface, negative inside, and the outward normal there.
fn signed_distance(shape: &Shape, p: Vec3) -> (f32, Vec3) {
    let ball = |centre: Vec3, radius: f32| {
        let from_centre = p - centre;
        (from_centre.length() - radius, from_centre.normalize_or(Vec3::Y))
    };
    match *shape {
        Shape::Plane { point, normal } => ((p - point).dot(normal), normal),
        Shape::Sphere { centre, radius } => ball(centre, radius),
        Shape::Capsule { from, to, radius } => ball(from + (to - from) * along(from, to, p), radius),
    }
}

/// Way the surface next to `p` went, metres.
fn surface_motion(now: &Shape, before: &Shape, p: Vec3) -> Vec3 {
    match (now, before) {
        (Shape::Sphere { centre: now, .. }, Shape::Sphere { centre: before, .. })
        | (Shape::Plane { point: now, .. }, Shape::Plane { point: before, .. }) => *now - *before,
        (Shape::Capsule { from, to, .. }, Shape::Capsule { from: from_before, to: to_before, .. }) => {
            let t = along(*from, *to, p);
            (*from - *from_before) * (1.0 - t) + (*to - *to_before) * t
        }
        _ => Vec3::ZERO,
    }
}

fn along(from: Vec3, to: Vec3, p: Vec3) -> f32 {
    let axis = to - from;
    let squared = axis.length_squared();
    if squared > 0.0 { ((p - from).dot(axis) / squared).clamp(0.0, 1.0) } else { 0.0 }
}
