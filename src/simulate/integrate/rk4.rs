//! Classical Runge-Kutta of order four.

use super::{Dynamics, Substep, moved};
use crate::geometry::Vec3;
use crate::simulate::cloth::{Cloth, Point};
use crate::simulate::forces::State;

/// Parts of the substep at which the forces are asked for, and weights of the answers.
const STAGES: [(f32, f32); 4] = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

/// The stage at hand: places, velocities and accelerations.
#[derive(Debug)]
pub(super) struct Rk4 {
    points: Vec<Point>,
    velocities: Vec<Point>,
    accelerations: Vec<Vec3>,
    gained: Vec<Vec3>,
}

impl Rk4 {
    pub(super) fn new(cloth: &Cloth) -> Rk4 {
        let zeros = vec![Vec3::ZERO; cloth.len()];
        Rk4 {
            points: cloth.points.clone(),
            velocities: cloth.velocities.clone(),
            accelerations: zeros.clone(),
            gained: zeros,
        }
    }

    /// Each stage starts again from the substep's start, with the slopes that the stage before found.
    pub(super) fn step(
        &mut self,
        cloth: &mut Cloth,
        dynamics: &Dynamics<'_>,
        substep: &Substep<'_>,
        ways: &mut [Vec3],
    ) {
        let (h, drag) = (substep.seconds, dynamics.forces.drag());
        ways.fill(Vec3::ZERO);
        self.gained.fill(Vec3::ZERO);
        self.accelerations.fill(Vec3::ZERO);
        self.velocities.copy_from_slice(&cloth.velocities);
        for (part, weight) in STAGES {
            for (index, acceleration) in self.accelerations.iter().enumerate() {
                let slope = self.velocities[index].at;
                self.points[index] = moved(&cloth.points[index], slope * (h * part));
                self.velocities[index] = moved(&cloth.velocities[index], *acceleration * (h * part));
            }
            let state = State { points: &self.points, velocities: &self.velocities };
            dynamics.accelerations(state, substep.start + f64::from(h * part), h, &mut self.accelerations);
            for (index, acceleration) in self.accelerations.iter_mut().enumerate() {
                if cloth.is_free(index) {
                    *acceleration -= self.velocities[index].at * drag;
                }
                ways[index] += self.velocities[index].at * (h * weight);
                self.gained[index] += *acceleration * (h * weight);
            }
        }
        for (velocity, gained) in cloth.velocities.iter_mut().zip(&self.gained) {
            velocity.at += *gained;
        }
    }
}
