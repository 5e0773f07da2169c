//! External forces: gravity, air drag, wind on faces. What the cloth does to itself is in `elasticity`.

use rayon::prelude::*;

use super::cloth::{CHUNK, Cloth, Point};
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
    /// Length of the loop, if it is one, seconds.
    period: Option<f64>,
    triangles: &'a [[ParticleId; 3]],
}

impl<'a> Forces<'a> {
    /// Forces on the cloth; those of a loop repeat themselves after its `period`, seconds.
    pub(super) fn new(parameters: &Parameters, topology: &'a Topology, period: Option<f64>) -> Self {
        let Parameters { gravity, drag, wind, .. } = *parameters;
        Forces { gravity, drag, wind, period, triangles: &topology.triangles }
    }

    /// Adds a substep's worth of acceleration to the velocities. Drag is implicit, so it only
    /// ever slows.
    ///
    /// Velocities made of ways hold half way between two places (leapfrog): gravity acts from the middle of the substep before to
    /// the middle of this one, and cloth falls by `g t^2 / 2` whatever the substep.
    pub(super) fn accelerate(&self, cloth: &mut Cloth, scene_seconds: f64, seconds: f32) {
        if let Some(wind) = &self.wind {
            self.blow(wind, cloth, scene_seconds, seconds);
        }
        let kept = 1.0 / (1.0 + self.drag * seconds);
        let gained = self.gravity * (0.5 * (cloth.stepped + seconds));
        cloth.velocities.par_chunks_mut(CHUNK).for_each(|velocities| {
            velocities.iter_mut().for_each(|velocity| velocity.at = (velocity.at + gained) * kept);
        });
    }

    /// Accelerations at any state, m/s2, without drag: what an integrator asks for that makes velocities itself. `seconds` is
    /// the step it makes of them, which limits the wind as below.
    pub(super) fn add_accelerations(&self, state: State<'_>, scene_seconds: f64, seconds: f32, gained: &mut [Vec3]) {
        if let Some(wind) = &self.wind {
            let air = wind.velocity * self.gust_factor(wind, scene_seconds);
            for corners in self.triangles {
                let Some(gust) = gust(air, state, corners, seconds) else { continue };
                for corner in corners {
                    gained[corner.index()] += gust.change(state.points[corner.index()].inverse_mass) / seconds;
                }
            }
        }
        gained.iter_mut().for_each(|a| *a += self.gravity);
    }

    /// Speed of the wind relative to its mean.
    fn gust_factor(&self, wind: &Wind, scene_seconds: f64) -> f32 {
        1.0 + wind.gusts * swell(f64::from(wind.gust_seconds.max(1e-3)), self.period, scene_seconds) as f32
    }

    /// Air drag, per second.
    pub(super) fn drag(&self) -> f32 {
        self.drag
    }

    fn blow(&self, wind: &Wind, cloth: &mut Cloth, scene_seconds: f64, seconds: f32) {
        let air = wind.velocity * self.gust_factor(wind, scene_seconds);
        for corners in self.triangles {
            let state = State { points: &cloth.points, velocities: &cloth.velocities };
            let Some(gust) = gust(air, state, corners, seconds) else { continue };
            for particle in corners.map(ParticleId::index) {
                cloth.velocities[particle].at += gust.change(cloth.points[particle].inverse_mass);
            }
        }
    }
}

/// Where particles are and how fast they go.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<'a> {
    pub(super) points: &'a [Point],
    pub(super) velocities: &'a [Point],
}

/// What the wind does to one face in a substep.
struct Gust {
    normal: Vec3,
    /// Speed of the air along the normal, relative to the face, m/s.
    speed: f32,
    /// On each corner, N s.
    impulse: f32,
}

impl Gust {
    /// Change of a corner's velocity, m/s. It never exceeds what brings the face to the wind's own normal speed, so a light
    /// cloth in a gale stays stable.
    fn change(&self, inverse_mass: f32) -> Vec3 {
        let change = self.impulse * inverse_mass;
        self.normal * change.clamp(-self.speed.abs(), self.speed.abs())
    }
}

/// Pressure of the relative wind on a face, a third to each corner; none on a face without area or place.
fn gust(air: Vec3, state: State<'_>, corners: &[ParticleId; 3], seconds: f32) -> Option<Gust> {
    let [i, j, k] = corners.map(ParticleId::index);
    let [a, b, c] = [i, j, k].map(|p| state.points[p].at);
    let cross = (b - a).cross(c - a);
    let twice_area = cross.length();
    if twice_area <= 0.0 {
        return None;
    }
    let normal = cross / twice_area;
    let velocity = (state.velocities[i].at + state.velocities[j].at + state.velocities[k].at) / 3.0;
    let speed = (air - velocity).dot(normal);
    let impulse = 0.5 * AIR_DENSITY * speed * speed.abs() * (0.5 * twice_area) * seconds / 3.0;
    // Inside an integrator a cloth that explodes gets here before anyone has looked at it.
    speed.is_finite().then_some(Gust { normal, speed, impulse })
}

/// How gusts swell, in [-1, 1]: three sines whose periods have no common multiple, so that they do not repeat. In a loop each
/// goes through a whole number of periods, one at least.
fn swell(gust_seconds: f64, period: Option<f64>, scene_seconds: f64) -> f64 {
    let sine = |pitch: f64, start: f64| {
        let frequency = pitch / gust_seconds;
        let frequency = period.map_or(frequency, |period| (frequency * period).round().max(1.0) / period);
        libm::sin(std::f64::consts::TAU * frequency * scene_seconds + start)
    };
    0.5 * sine(1.0, 0.0) + 0.3 * sine(1.618, 1.0) + 0.2 * sine(2.414, 2.0)
}

#[cfg(test)]
mod tests {
    use super::swell;

    #[test]
    fn gusts_of_a_loop_repeat_with_it() {
        for seconds in [0.0, 0.4, 1.7] {
            let [now, later] = [0.0, 4.0].map(|lap| swell(1.5, Some(4.0), seconds + lap));
            assert!((now - later).abs() < 1e-12, "{now} {later}");
            assert!((swell(1.5, None, seconds) - swell(1.5, None, seconds + 4.0)).abs() > 0.01);
        }
    }
}
