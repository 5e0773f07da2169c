//! The state of the cloth: one entry a particle in every list.

use crate::geometry::Vec3;
use crate::pins::Pins;
use crate::topology::Topology;

/// Particles in motion.
#[derive(Clone, Debug, Default)]
pub(super) struct Cloth {
    /// Metres.
    pub(super) positions: Vec<Vec3>,
    /// Positions at the start of the substep, metres.
    pub(super) previous: Vec<Vec3>,
    /// Metres a second.
    pub(super) velocities: Vec<Vec3>,
    /// 1/kg; 0 for a pinned particle.
    pub(super) inverse_mass: Vec<f32>,
}

impl Cloth {
    /// Cloth at rest in its file's shape. Each triangle gives a third of its mass to each corner.
    pub(super) fn at_rest(topology: &Topology, pins: &Pins, areal_density: f32) -> Cloth {
        let areas = particle_areas(topology);
        let mean = areas.iter().sum::<f32>() / areas.len().max(1) as f32;
        // A loose vertex or one with only sliver faces gets a tenth of the usual mass instead of none.
        let floor = (0.1 * mean).max(f32::MIN_POSITIVE);
        let mut inverse_mass: Vec<f32> = areas.iter().map(|a| 1.0 / (areal_density * a.max(floor))).collect();
        for pin in &pins.particles {
            inverse_mass[pin.index()] = 0.0;
        }
        Cloth {
            positions: topology.positions.clone(),
            previous: topology.positions.clone(),
            velocities: vec![Vec3::ZERO; topology.positions.len()],
            inverse_mass,
        }
    }

    /// Where the velocities carry the particles in a substep of `seconds` (symplectic Euler); pins stay.
    pub(super) fn predict(&mut self, seconds: f32) {
        self.previous.clone_from(&self.positions);
        for ((position, velocity), &inverse_mass) in
            self.positions.iter_mut().zip(&self.velocities).zip(&self.inverse_mass)
        {
            if inverse_mass > 0.0 {
                *position += *velocity * seconds;
            }
        }
    }

    /// Velocities from the way each particle went in a substep of `seconds`.
    pub(super) fn recompute_velocities(&mut self, seconds: f32) {
        let rate = 1.0 / seconds;
        for ((velocity, now), before) in self.velocities.iter_mut().zip(&self.positions).zip(&self.previous) {
            *velocity = (*now - *before) * rate;
        }
    }
}

/// Area of cloth that belongs to each particle, m2: a third of each of its triangles.
pub(super) fn particle_areas(topology: &Topology) -> Vec<f32> {
    let mut areas = vec![0.0; topology.positions.len()];
    for corners in &topology.triangles {
        let [a, b, c] = corners.map(|p| topology.positions[p.index()]);
        let third = (b - a).cross(c - a).length() / 6.0;
        for particle in corners {
            areas[particle.index()] += third;
        }
    }
    areas
}
