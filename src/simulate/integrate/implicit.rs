//! Backward Euler, linearised once a substep (Baraff & Witkin, *Large Steps in Cloth Simulation*, 1998):
//!
//! ```text
//! (M - h df/dv - h^2 df/dx) dv = h (f + h df/dx v),      v' = v + dv,  x' = x + h v'
//!
//! a spring:  df_a/dx_b = k [ u u^T + max(0, 1 - L0/L) (I - u u^T) ],   df_a/dv_b = c u u^T
//! ```
//!
//! A spring that is shorter than at rest has no stiffness across its direction (there the exact derivative is negative, and
//! the matrix would not stay positive definite: Choi & Ko 2002). Drag is implicit too, wind is not. The rows of pins are
//! filtered: their velocity is given.

use super::conjugate_gradient::{Coupling, System};
use super::{Dynamics, Substep};
use crate::geometry::{Mat3, Vec3};
use crate::simulate::cloth::Cloth;
use crate::simulate::forces::State;
use crate::simulate::spring_forces::SpringForces;

/// Matrix and right-hand side, kept from substep to substep for their memory.
#[derive(Debug)]
pub(super) struct Implicit {
    system: System,
    right: Vec<Vec3>,
}

impl Implicit {
    pub(super) fn new(springs: &SpringForces, cloth: &Cloth) -> Implicit {
        Implicit { system: System::new(cloth.len(), springs.springs.len()), right: vec![Vec3::ZERO; cloth.len()] }
    }

    pub(super) fn step(
        &mut self,
        cloth: &mut Cloth,
        dynamics: &Dynamics<'_>,
        substep: &Substep<'_>,
        ways: &mut [Vec3],
    ) {
        let (h, drag) = (substep.seconds, dynamics.forces.drag());
        let state = State { points: &cloth.points, velocities: &cloth.velocities };
        dynamics.accelerations(state, substep.start, h, &mut self.right);
        for (index, right) in self.right.iter_mut().enumerate() {
            let inverse_mass = cloth.points[index].inverse_mass;
            let mass = if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 };
            *right = (*right - cloth.velocities[index].at * drag) * (mass * h);
            self.system.diagonal[index] = Mat3::from_diagonal(Vec3::splat(mass * (1.0 + h * drag)));
        }
        self.linearise(cloth, dynamics.springs, h);
        for (index, right) in self.right.iter_mut().enumerate() {
            if !cloth.is_free(index) {
                *right = Vec3::ZERO;
            }
        }
        let changes = self.system.solve(&self.right);
        for ((velocity, change), way) in cloth.velocities.iter_mut().zip(changes).zip(ways) {
            velocity.at += *change;
            *way = velocity.at * h;
        }
    }

    /// Fills in the springs' part of the matrix and adds `h^2 df/dx v` to the right-hand side.
    fn linearise(&mut self, cloth: &Cloth, springs: &SpringForces, h: f32) {
        self.system.couplings.clear();
        for spring in &springs.springs {
            let (a, b) = (spring.a as usize, spring.b as usize);
            let between = cloth.points[b].at - cloth.points[a].at;
            let length = between.length();
            if length <= 0.0 {
                continue;
            }
            let direction = between / length;
            let across = spring.stiffness * (1.0 - spring.rest_length / length).max(0.0);
            let along = spring.stiffness - across;
            let relative = cloth.velocities[b].at - cloth.velocities[a].at;
            let push = (relative * across + direction * (along * direction.dot(relative))) * (h * h);
            self.right[a] += push;
            self.right[b] -= push;
            let free = [a, b].map(|p| cloth.is_free(p));
            let coupling = Coupling {
                ends: [spring.a, spring.b],
                direction,
                isotropic: h * h * across,
                along: h * h * along + h * spring.damping,
            };
            self.system.add(coupling, free);
        }
        self.system.prepare(|particle| cloth.is_free(particle));
    }
}
