//! Collision of cloth against bodies: find what touches, push it out, rub it.
//!
//! Particles are kept `thickness` away from every surface. The body's mesh is asked through its bounding volume hierarchy;
//! a particle is asked again only when it and the body together can have moved through the distance it had.

mod between;
mod contacts;
mod deflate;
mod edges;
mod faces;
mod held;
mod layers;
mod mesh;
mod primitives;
mod proxies;
mod surface;
mod untangle;

pub(super) use between::Between;
pub(super) use contacts::{Contact, Contacts};
pub(super) use faces::Faces;
pub(super) use held::Held;
pub(super) use layers::Layers;
pub(super) use primitives::Primitives;
pub use primitives::UnknownColliderJoint;
pub(super) use proxies::{Meeting, proxies};
pub(super) use surface::{BodySurface, Floor, Start};

use wide::f32x4;

use super::cloth::Span;
use crate::geometry::{Points, Vec3};

/// How cloth touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// Distance kept, metres.
    pub(super) thickness: f32,
    /// Coulomb coefficient.
    pub(super) friction: f32,
    /// How far a particle that starts inside a body may come out in a substep, metres, beside following the motion.
    pub(super) rise: f32,
}

impl Touch {
    /// The same at a `part` of the distance.
    pub(super) fn keeping(self, part: f32) -> Touch {
        Touch { thickness: part * self.thickness, ..self }
    }
}

/// How many times as far as a point of the cloth the particles that carry it go at most: others of them may be pins.
const LEVER: f32 = 2.0;

/// Moves a particle `depth` along `normal`, and takes back its sliding along the surface: wholly while that is less than
/// `friction * depth` (it sticks), else by that much (Coulomb).
pub(super) fn push_out(
    position: Vec3,
    previous: Vec3,
    normal: Vec3,
    depth: f32,
    surface_motion: Vec3,
    friction: f32,
) -> Vec3 {
    let pushed = position + normal * depth;
    let motion = pushed - previous - surface_motion;
    let slip = motion - normal * motion.dot(normal);
    let length = slip.length();
    let grip = friction * depth;
    if length <= grip { pushed - slip } else { pushed - slip * (grip / length) }
}

/// The same of four particles.
fn push_four_out(
    places: Points,
    previous: Points,
    normals: Points,
    depths: f32x4,
    surface_motions: Points,
    friction: f32,
) -> Points {
    let pushed = places.plus(normals.times(depths));
    let motion = pushed.minus(previous).minus(surface_motions);
    let slip = motion.minus(normals.times(motion.dot(normals)));
    let (length, grip) = (slip.length_squared().sqrt(), f32x4::splat(friction) * depths);
    pushed.minus(slip.times(length.simd_le(grip).select(f32x4::ONE, grip / length)))
}

/// Moves two points of the cloth `depth` apart along `normal`, and takes back their sliding along each other (Coulomb). The
/// points are weighted sums of particles: `weights` are those of the first, less those of the second.
///
/// Cloth that is deep inside itself comes out at a gentle speed, but never slower than it goes in. Beside pins no particle goes
/// further than [`LEVER`] times `depth`.
pub(super) fn push_apart<const N: usize>(
    span: &mut Span<'_>,
    particles: [u32; N],
    weights: [f32; N],
    normal: Vec3,
    depth: f32,
    touch: Touch,
) {
    let parts = || particles.into_iter().zip(weights);
    let mobility: f32 = parts().map(|(p, weight)| weight * weight * span.inverse_mass(p)).sum();
    if mobility <= 0.0 {
        return;
    }
    let relative = parts().map(|(p, weight)| span.way(p) * weight).fold(Vec3::ZERO, |sum, way| sum + way);
    let closing = (-relative.dot(normal)).max(0.0);
    let depth = depth.min(closing + touch.rise);
    let slip = relative - normal * relative.dot(normal);
    let length = slip.length();
    let grip = if length > 0.0 { (touch.friction * depth / length).min(1.0) } else { 0.0 };
    let push = (normal * depth - slip * grip)
        * lever(mobility, parts().map(|(p, weight)| weight.abs() * span.inverse_mass(p)))
        / mobility;
    for (p, weight) in parts() {
        let inverse_mass = span.inverse_mass(p);
        *span.place_mut(p) += push * (inverse_mass * weight);
    }
}

/// The part of a push that moves none of the particles which share it further than [`LEVER`] times as far. Their `mobilities` are
/// inverse masses by weights, `mobility` is the sum of these by weights once more. A point that lies all but wholly on pins has next
/// to none: to move it, what is left of it would be thrown out of the scene.
fn lever(mobility: f32, mobilities: impl Iterator<Item = f32>) -> f32 {
    let most = mobilities.fold(0.0, f32::max);
    if most > 0.0 { (LEVER * mobility / most).min(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pins::Pins;
    use crate::simulate::cloth::Cloth;
    use crate::topology::{ParticleId, build, grids};

    #[test]
    fn what_lies_all_but_wholly_on_pins_throws_nothing_away() {
        let topology = build(&grids::grid(2, 2)).expect("a sheet");
        let touch = Touch { thickness: 0.01, friction: 0.0, rise: 1.0 };
        let way = |pins: &[u32], weights: [f32; 4]| {
            let pins = Pins { particles: pins.iter().copied().map(ParticleId).collect(), ..Pins::default() };
            let mut cloth = Cloth::at_rest(&topology, &pins, 0.2);
            push_apart(&mut cloth.span(), [0, 1, 2, 3], weights, Vec3::Z, 0.005, touch);
            let ways: Vec<f32> = cloth.points.iter().zip(&cloth.previous).map(|(p, q)| p.at.z - q.at.z).collect();
            ways.iter().zip(weights).map(|(way, weight)| way * weight).sum::<f32>().max(ways[0].abs())
        };
        let third = -1.0 / 3.0;
        assert!((way(&[], [1.0, third, third, third]) - 0.005).abs() < 1e-6);
        let beside = way(&[1, 2, 3], [-1e-8, 1.0, -0.5, -0.5]);
        assert!(beside <= 1.001 * LEVER * 0.005, "{beside} m");
    }
}
