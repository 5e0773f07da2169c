//! Desbrun, Schroder & Barr, *Interactive Animation of Structured Deformable Objects*, 1999.
//!
//! ```text
//! spring force  =  k (xb - xa)  -  k L0 u
//!                  linear: backward Euler with a constant matrix     of constant length: only turned, kept as it is
//!
//! dv = (M - h^2 H)^-1 h (f + h H v),    H_ab = k I,  H_aa = -sum k I
//! ```
//!
//! The same scalar matrix serves x, y and z. The article inverts it; here it is factored, once a substep length. What the
//! filter does to the turned part of the forces twists a free cloth as a whole: the torque is taken back as a rotation about
//! the centre of mass. (The article applies it without the moment of inertia, which asks for a cloth of unit mass and size.)
//! A cloth with pins gets its torque from them and is left alone. External forces are not filtered.

use super::factor::{Factor, Pattern, Upper};
use super::{Dynamics, Substep, dissection};
use crate::geometry::{DMat3, DVec3, Vec3};
use crate::simulate::cloth::{Cloth, Point};
use crate::simulate::forces::State;
use crate::simulate::spring_forces::SpringForces;
use crate::topology::Topology;

/// Entries of the factored matrix that are held: 12 bytes each.
const MOST_ENTRIES: usize = 120_000_000;
/// Determinant of the inertia, as a part of that of a ball, below which cloth has no defined turn.
const SLENDER: f64 = 1e-9;
/// No row: the particle is pinned.
const PINNED: u32 = u32::MAX;

/// The factored matrix of a cloth would not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the factored matrix of semi_implicit takes {:.1} GB for {particles} particles, at most {:.1} GB are held; \
     choose --integrator implicit",
    *entries as f64 * 12e-9, MOST_ENTRIES as f64 * 12e-9
)]
pub struct MatrixTooLarge {
    /// Particles of the cloth.
    pub particles: usize,
    /// Entries the matrix would have.
    pub entries: usize,
}

/// The matrix, factored for the substep length at hand.
#[derive(Debug)]
pub(super) struct SemiImplicit {
    /// Row of each particle.
    row_of: Vec<u32>,
    pattern: Pattern,
    factor: Option<(f32, Factor)>,
    forces: Vec<Vec3>,
    right: Vec<[f64; 3]>,
    external: Vec<Vec3>,
}

impl SemiImplicit {
    pub(super) fn new(springs: &SpringForces, topology: &Topology, cloth: &Cloth) -> Result<Self, MatrixTooLarge> {
        let free: Vec<u32> = (0..cloth.len() as u32).filter(|&p| cloth.is_free(p as usize)).collect();
        let mut neighbours = vec![Vec::new(); cloth.len()];
        for spring in &springs.springs {
            neighbours[spring.a as usize].push(spring.b);
            neighbours[spring.b as usize].push(spring.a);
        }
        let mut row_of = vec![PINNED; cloth.len()];
        for (row, particle) in (0..).zip(dissection::order(&free, &topology.positions, &neighbours)) {
            row_of[particle as usize] = row;
        }
        let pattern = Pattern::of(&matrix(&row_of, springs, cloth, 1.0));
        if pattern.entries() > MOST_ENTRIES {
            return Err(MatrixTooLarge { particles: cloth.len(), entries: pattern.entries() });
        }
        let zeros = vec![Vec3::ZERO; cloth.len()];
        let right = vec![[0.0; 3]; free.len()];
        Ok(SemiImplicit { row_of, pattern, factor: None, forces: zeros.clone(), right, external: zeros })
    }

    pub(super) fn step(
        &mut self,
        cloth: &mut Cloth,
        dynamics: &Dynamics<'_>,
        substep: &Substep<'_>,
        ways: &mut [Vec3],
    ) {
        let h = substep.seconds;
        self.sum_forces(cloth, dynamics.springs, h);
        self.filter(cloth, dynamics.springs, h);
        self.external.fill(Vec3::ZERO);
        let state = State { points: &cloth.points, velocities: &cloth.velocities };
        dynamics.forces.add_accelerations(state, substep.start, h, &mut self.external);
        self.keep_angular_momentum(cloth);
        let kept = 1.0 / (1.0 + dynamics.forces.drag() * h);
        for (index, way) in ways.iter_mut().enumerate() {
            let velocity = &mut cloth.velocities[index].at;
            if self.row_of[index] != PINNED {
                *velocity = (*velocity + self.forces[index] + self.external[index] * h) * kept;
            }
            *way = *velocity * h;
        }
    }

    /// Spring forces, and the viscosity `h H v` that backward Euler adds to them, N.
    fn sum_forces(&mut self, cloth: &Cloth, springs: &SpringForces, h: f32) {
        self.forces.fill(Vec3::ZERO);
        springs.add_forces(&cloth.points, &cloth.velocities, &mut self.forces);
        for spring in &springs.springs {
            let (a, b) = (spring.a as usize, spring.b as usize);
            let push = (cloth.velocities[b].at - cloth.velocities[a].at) * (h * spring.stiffness);
            self.forces[a] += push;
            self.forces[b] -= push;
        }
    }

    /// Forces -> changes of velocity, m/s.
    fn filter(&mut self, cloth: &Cloth, springs: &SpringForces, h: f32) {
        if self.factor.as_ref().is_none_or(|(seconds, _)| *seconds != h) {
            let matrix = matrix(&self.row_of, springs, cloth, h);
            self.factor = Some((h, Factor::new(&matrix, &self.pattern)));
        }
        let rows = || self.row_of.iter().enumerate().filter(|(_, row)| **row != PINNED);
        for (particle, &row) in rows() {
            self.right[row as usize] = (self.forces[particle].as_dvec3() * f64::from(h)).to_array();
        }
        if let Some((_, factor)) = &self.factor {
            factor.solve(&mut self.right);
        }
        for (particle, &row) in rows() {
            self.forces[particle] = DVec3::from_array(self.right[row as usize]).as_vec3();
        }
    }

    /// Turns the filtered changes of a free cloth back by what they twist it: springs alone turn nothing as a whole.
    fn keep_angular_momentum(&mut self, cloth: &Cloth) {
        if self.row_of.contains(&PINNED) {
            return;
        }
        let points = &cloth.points[..cloth.len()];
        let mass = |p: &Point| 1.0 / f64::from(p.inverse_mass);
        let total: f64 = points.iter().map(mass).sum();
        let centre = points.iter().map(|p| p.at.as_dvec3() * mass(p)).sum::<DVec3>() / total;
        let (mut twist, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for (point, change) in points.iter().zip(&self.forces) {
            let arm = point.at.as_dvec3() - centre;
            twist += arm.cross(change.as_dvec3()) * mass(point);
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia += (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * mass(point);
        }
        // Cloth on a line has no inertia about it.
        let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
        if inertia.determinant() <= SLENDER * mean * mean * mean {
            return;
        }
        let turn = inertia.inverse() * twist;
        for (point, change) in points.iter().zip(&mut self.forces) {
            *change -= turn.cross(point.at.as_dvec3() - centre).as_vec3();
        }
    }
}

/// `M - h^2 H` over the free particles, in the order of their rows.
fn matrix(row_of: &[u32], springs: &SpringForces, cloth: &Cloth, h: f32) -> Upper {
    let rows = row_of.iter().filter(|row| **row != PINNED).count();
    let mut columns: Vec<Vec<(u32, f64)>> = vec![Vec::new(); rows];
    let mut diagonal = vec![0.0; rows];
    for (particle, &row) in row_of.iter().enumerate().filter(|(_, row)| **row != PINNED) {
        diagonal[row as usize] = 1.0 / f64::from(cloth.points[particle].inverse_mass);
    }
    let square = f64::from(h) * f64::from(h);
    for spring in &springs.springs {
        let weight = square * f64::from(spring.stiffness);
        let [a, b] = [spring.a, spring.b].map(|p| row_of[p as usize]);
        [a, b].into_iter().filter(|row| *row != PINNED).for_each(|row| diagonal[row as usize] += weight);
        if a != PINNED && b != PINNED {
            columns[a.max(b) as usize].push((a.min(b), -weight));
        }
    }
    let mut upper = Upper { starts: vec![0], ..Upper::default() };
    for ((column, entries), pivot) in (0..).zip(columns).zip(diagonal) {
        for (row, value) in entries.into_iter().chain([(column, pivot)]) {
            upper.rows.push(row);
            upper.values.push(value);
        }
        upper.starts.push(upper.rows.len());
    }
    upper
}
