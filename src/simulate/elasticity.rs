//! Bending and shear (and stretch where no enforcement limits it) as compliant constraints: XPBD (Macklin, Mueller &
//! Chentanez 2016), one projection a substep, which is a force integrated implicitly: no stiffness makes it unstable.
//!
//! ```text
//! dlambda = -(C + gamma grad C . (x - x_prev)) / ((1 + gamma) sum w |grad C|^2 + alpha / h^2),  gamma = beta / h
//! ```
//!
//! `alpha` is 1 / stiffness, `beta` the damping time in seconds (force `beta` x stiffness x rate).

use super::cloth::{Cloth, particle_areas};
use super::parameters::Fabric;
use crate::springs::{Spring, SpringNetwork};
use crate::topology::Topology;

/// The cloth's own resistance.
#[derive(Debug)]
pub(super) struct Elasticity {
    bends: Vec<Bend>,
    shears: Vec<Distance>,
    damping_seconds: f32,
}

/// A compliant distance constraint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distance {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) rest_length: f32,
    /// m/N.
    pub(super) compliance: f32,
}

/// Turning angle of the cloth at `middle`, as a vector:
///
/// ```text
///          m
///     la  / \  lb        c = (a - m) / la + (b - m) / lb,   |c| = angle between the arms away from straight (small angles)
///        a   b
/// ```
#[derive(Clone, Copy, Debug)]
struct Bend {
    a: u32,
    middle: u32,
    b: u32,
    inverse_la: f32,
    inverse_lb: f32,
    rest_angle: f32,
    /// rad/(N m).
    compliance: f32,
}

impl Elasticity {
    pub(super) fn new(topology: &Topology, springs: &SpringNetwork, fabric: &Fabric) -> Elasticity {
        Elasticity {
            bends: bends(topology, springs, fabric.bending_rigidity),
            // A quad sheared by an angle lengthens one diagonal and shortens the other so that two springs of stiffness G
            // hold the energy G/2 angle^2 per area: the stiffness is the membrane's shear modulus on any mesh.
            shears: distances(&springs.shear, fabric.shear_stiffness),
            damping_seconds: fabric.damping,
        }
    }

    /// One projection of every constraint.
    pub(super) fn project(&self, cloth: &mut Cloth, seconds: f32) {
        let gamma = self.damping_seconds / seconds;
        let per_step = 1.0 / (seconds * seconds);
        for bend in &self.bends {
            bend.project(cloth, per_step, gamma);
        }
        for shear in &self.shears {
            shear.project_damped(cloth, per_step, gamma);
        }
    }
}

/// Distance constraints of `springs` with a membrane stiffness in N/m, the same on any mesh.
pub(super) fn distances(springs: &[Spring], stiffness: f32) -> Vec<Distance> {
    let compliance = 1.0 / stiffness.max(0.0);
    let constraint = |s: &Spring| Distance { a: s.a.0, b: s.b.0, rest_length: s.rest_length, compliance };
    springs.iter().map(constraint).filter(|d| d.compliance.is_finite() && d.rest_length > 0.0).collect()
}

impl Distance {
    /// Moves both ends along their line towards the rest length, `relaxation` times as far as would reach it.
    #[inline]
    pub(super) fn project(&self, cloth: &mut Cloth, per_step: f32, relaxation: f32) {
        let (a, b) = (self.a as usize, self.b as usize);
        let (wa, wb) = (cloth.inverse_mass[a], cloth.inverse_mass[b]);
        let between = cloth.positions[b] - cloth.positions[a];
        let length = between.length();
        let weight = wa + wb + self.compliance * per_step;
        if length <= 0.0 || wa + wb <= 0.0 {
            return;
        }
        let step = between * (relaxation * (length - self.rest_length) / (length * weight));
        cloth.positions[a] += step * wa;
        cloth.positions[b] -= step * wb;
    }

    fn project_damped(&self, cloth: &mut Cloth, per_step: f32, gamma: f32) {
        let (a, b) = (self.a as usize, self.b as usize);
        let (wa, wb) = (cloth.inverse_mass[a], cloth.inverse_mass[b]);
        let between = cloth.positions[b] - cloth.positions[a];
        let length = between.length();
        if length <= 0.0 || wa + wb <= 0.0 {
            return;
        }
        let direction = between / length;
        let rate = ((cloth.positions[b] - cloth.previous[b]) - (cloth.positions[a] - cloth.previous[a])).dot(direction);
        let weight = (1.0 + gamma) * (wa + wb) + self.compliance * per_step;
        let step = direction * ((length - self.rest_length + gamma * rate) / weight);
        cloth.positions[a] += step * wa;
        cloth.positions[b] -= step * wb;
    }
}

impl Bend {
    #[inline]
    fn project(&self, cloth: &mut Cloth, per_step: f32, gamma: f32) {
        let [a, m, b] = [self.a, self.middle, self.b].map(|i| i as usize);
        let (ka, kb) = (self.inverse_la, self.inverse_lb);
        let km = -(ka + kb);
        let turn = cloth.positions[a] * ka + cloth.positions[m] * km + cloth.positions[b] * kb;
        let angle = turn.length();
        if angle <= 1e-6 {
            return;
        }
        let direction = turn / angle;
        let before = cloth.previous[a] * ka + cloth.previous[m] * km + cloth.previous[b] * kb;
        let rate = (turn - before).dot(direction);
        let (wa, wm, wb) = (cloth.inverse_mass[a], cloth.inverse_mass[m], cloth.inverse_mass[b]);
        let mobility = wa * ka * ka + wm * km * km + wb * kb * kb;
        if mobility <= 0.0 {
            return;
        }
        let step = direction
            * (-(angle - self.rest_angle + gamma * rate) / ((1.0 + gamma) * mobility + self.compliance * per_step));
        cloth.positions[a] += step * (wa * ka);
        cloth.positions[m] += step * (wm * km);
        cloth.positions[b] += step * (wb * kb);
    }
}

/// Bend constraints whose energy is B/2 curvature^2 per area, whatever the mesh.
///
/// Each pair measures the curvature in one direction, `angle / mean arm`. The pairs at a vertex look in `n` directions spread
/// evenly, and the sum of squared curvatures over them is n/2 times that over the two principal ones: each pair speaks for
/// `2 / n` of the vertex's area.
fn bends(topology: &Topology, springs: &SpringNetwork, rigidity: f32) -> Vec<Bend> {
    if rigidity <= 0.0 {
        return Vec::new();
    }
    let areas = particle_areas(topology);
    let mut pairs = vec![0_u32; topology.positions.len()];
    for spring in &springs.bend {
        pairs[spring.middle.index()] += 1;
    }
    let bend = |spring: &crate::springs::BendSpring| {
        let [a, m, b] = [spring.a, spring.middle, spring.b].map(|p| topology.positions[p.index()]);
        let (la, lb) = (a.distance(m), b.distance(m));
        if la <= 0.0 || lb <= 0.0 {
            return None;
        }
        let area = areas[spring.middle.index()] * 2.0 / pairs[spring.middle.index()].max(2) as f32;
        let arm = 0.5 * (la + lb);
        let stiffness = rigidity * area / (arm * arm);
        let turn = (a - m) / la + (b - m) / lb;
        (stiffness > 0.0).then(|| Bend {
            a: spring.a.0,
            middle: spring.middle.0,
            b: spring.b.0,
            inverse_la: 1.0 / la,
            inverse_lb: 1.0 / lb,
            rest_angle: turn.length(),
            compliance: 1.0 / stiffness,
        })
    };
    springs.bend.iter().filter_map(bend).collect()
}
