//! External forces: gravity, air drag, wind on faces. What the cloth does to itself is in `elasticity`.

use super::cloth::Cloth;
use super::parameters::{Parameters, Wind};
use crate::geometry::Vec3;
use crate::topology::{ParticleId, Topology};

/// Density of air, kg/m3.
const AIR_DENSITY: f32 = 1.2;

/// External forces of a scene.
#[derive(Debug)]
pub(super) struct Forces<'a> {
    gravity: Vec3,
    drag: f32,
    wind: Option<Wind>,
    triangles: &'a [[ParticleId; 3]],
}

impl<'a> Forces<'a> {
    pub(super) fn new(parameters: &Parameters, topology: &'a Topology) -> Self {
        let Parameters { gravity, drag, wind, .. } = *parameters;
        Forces { gravity, drag, wind, triangles: &topology.triangles }
    }

    /// Adds a substep's worth of acceleration to the velocities. Drag is implicit, so it only
    /// ever slows.
    pub(super) fn accelerate(&self, cloth: &mut Cloth, scene_seconds: f64, seconds: f32) {
        if let Some(wind) = &self.wind {
            self.blow(wind, cloth, scene_seconds, seconds);
        }
        let kept = 1.0 / (1.0 + self.drag * seconds);
        let gained = self.gravity * seconds;
        for velocity in &mut cloth.velocities {
            velocity.at = (velocity.at + gained) * kept;
        }
    }

    /// Pressure of the relative wind on each face, a third to each corner. The impulse never exceeds what brings the
    /// face to the wind's own normal speed, so a light cloth in a gale stays stable.
    fn blow(&self, wind: &Wind, cloth: &mut Cloth, scene_seconds: f64, seconds: f32) {
        let air = wind.velocity * gust_factor(wind, scene_seconds);
        for corners in self.triangles {
            let [i, j, k] = corners.map(ParticleId::index);
            let (a, b, c) = (cloth.points[i].at, cloth.points[j].at, cloth.points[k].at);
            let cross = (b - a).cross(c - a);
            let twice_area = cross.length();
            if twice_area <= 0.0 {
                continue;
            }
            let normal = cross / twice_area;
            let velocity = (cloth.velocities[i].at + cloth.velocities[j].at + cloth.velocities[k].at) / 3.0;
            let speed = (air - velocity).dot(normal);
            let impulse = 0.5 * AIR_DENSITY * speed * speed.abs() * (0.5 * twice_area) * seconds / 3.0;
            for particle in [i, j, k] {
                let change = impulse * cloth.points[particle].inverse_mass;
                cloth.velocities[particle].at += normal * change.clamp(-speed.abs(), speed.abs());
            }
        }
    }
}

/// Speed of the wind relative to its mean: three sines whose periods have no common multiple, so that it does not repeat.
fn gust_factor(wind: &Wind, scene_seconds: f64) -> f32 {
    let phase = std::f64::consts::TAU * scene_seconds / f64::from(wind.gust_seconds.max(1e-3));
    let swell = 0.5 * libm::sin(phase) + 0.3 * libm::sin(1.618 * phase + 1.0) + 0.2 * libm::sin(2.414 * phase + 2.0);
    1.0 + wind.gusts * swell as f32
}
