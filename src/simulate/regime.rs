//! Says beforehand when a method leaves the regime in which it is stable, and afterwards what came of it.
//!
//! The directional pass moves goals only. Its sources never feel them, so each link of a column is a pendulum driven by the one
//! above and amplifies it unless drag is at least 1.4 sqrt(g / r), r being the length of a spring. Otherwise it needs springs
//! stiff enough to carry the load themselves, short substeps, a tolerance that leaves most springs alone, and some drag.

use super::PointCache;
use super::cloth::Cloth;
use super::integrate::longest_substep;
use super::method::{Enforcement, Integrator};
use super::pace;
use super::parameters::Parameters;
use super::simulation::Setup;
use super::spring_forces::SpringForces;
use crate::geometry::Vec3;

/// Drag, in sqrt(g / r), from which the directional pass amplifies nothing.
const CALM_DRAG: f32 = 1.4;
/// Stretch stiffness over a particle's mass from which springs carry a cloth of some 40 rows by themselves, 1/s2.
const STIFF: f32 = 1e5;
/// Longest substep of the directional pass, seconds: 16 a frame at 60 frames a second.
const SHORT_SUBSTEP: f64 = 1.05e-3;
/// Least drag of the directional pass with stiff springs, per second.
const SOME_DRAG: f32 = 2.0;
/// Tolerances of the directional pass with stiff springs.
const TOLERANCES: std::ops::RangeInclusive<f32> = 0.05..=0.101;

/// Mean acceleration of particles from frame to frame that only shivering cloth has, m/s2: three times that of a fall.
const SHIVER: f64 = 30.0;

/// What can be expected to go wrong with the scene's method, in plain words, before anything is simulated.
pub fn warnings(setup: &Setup<'_>) -> Vec<String> {
    let parameters = setup.parameters;
    let cloth = || Cloth::at_rest(setup.topology, setup.pins, parameters.fabric.areal_density);
    let longest = match parameters.integrator {
        Integrator::Xpbd => f32::INFINITY, // has no spring forces to follow
        _ => {
            let cloth = cloth();
            let forces = SpringForces::new(parameters, setup.topology, setup.springs, &cloth);
            longest_substep(parameters, &forces, &cloth)
        }
    };
    let frame_seconds = setup.timeline.fps.seconds(1);
    let substeps = parameters.substeps.unwrap_or_else(|| pace::substeps(frame_seconds, setup.collides(), longest));
    let seconds = frame_seconds / f64::from(substeps);
    [too_long(parameters, seconds, longest), restless(setup, &cloth, seconds)].into_iter().flatten().collect()
}

/// Says how many frames shiver: root mean square acceleration of the particles, from three frames each.
pub(super) fn shivering(cache: &PointCache) -> Option<String> {
    let rate = cache.timeline.fps.per_second();
    let acceleration = |frames: &[Vec<Vec3>]| {
        let [before, now, after] = [0, 1, 2].map(|i| &frames[i]);
        let change = |((b, n), a): ((&Vec3, &Vec3), &Vec3)| f64::from(((*a - *n) - (*n - *b)).length_squared());
        let sum: f64 = before.iter().zip(now).zip(after).map(change).sum();
        (sum / now.len().max(1) as f64).sqrt() * rate * rate
    };
    let shivering: Vec<f64> = cache.frames.windows(3).map(acceleration).filter(|a| *a > SHIVER).collect();
    let worst = shivering.iter().copied().fold(0.0, f64::max);
    let count = shivering.len();
    (count > 0).then(|| format!("the cloth shivers in {count} frames, with {worst:.0} m/s2 on average in the worst"))
}

/// A substep that an explicit integrator cannot follow.
fn too_long(parameters: &Parameters, seconds: f64, longest: f32) -> Option<String> {
    let (integrator, longest) = (parameters.integrator, f64::from(longest));
    (seconds > longest * 1.001).then(|| {
        let advice = match parameters.substeps {
            Some(_) => "leave --substeps out",
            None => "a coarser mesh, a softer fabric",
        };
        format!(
            "{integrator} follows these springs with substeps of at most {:.4} ms and has {:.4} ms: expect it to diverge; \
             {advice}, or --integrator implicit, semi_implicit or xpbd",
            longest * 1e3,
            seconds * 1e3
        )
    })
}

/// Directional enforcement outside of its regime.
fn restless(setup: &Setup<'_>, cloth: &dyn Fn() -> Cloth, seconds: f64) -> Option<String> {
    let parameters = setup.parameters;
    let Enforcement::Directional { tolerance, .. } = parameters.enforcement else { return None };
    let edges = &setup.springs.stretch;
    let edge = edges.iter().map(|s| s.rest_length).sum::<f32>() / edges.len().max(1) as f32;
    let calm = CALM_DRAG * (parameters.gravity.length() / edge.max(f32::MIN_POSITIVE)).sqrt();
    let cloth = cloth();
    let masses = cloth.points[..cloth.len()].iter().filter(|p| p.inverse_mass > 0.0).map(|p| p.inverse_mass);
    let mobility = masses.clone().sum::<f32>() / masses.count().max(1) as f32;
    let stiffness = match parameters.integrator {
        Integrator::Xpbd => parameters.fabric.stretch_stiffness,
        _ => parameters.springs.stretch.unwrap_or(parameters.fabric.stretch_stiffness),
    };
    let lacking: Vec<String> = [
        (stiffness * mobility < STIFF).then(|| "stiffer springs".to_owned()),
        (seconds > SHORT_SUBSTEP).then(|| format!("substeps of at most 1 ms (they have {:.1})", seconds * 1e3)),
        (!TOLERANCES.contains(&tolerance))
            .then(|| format!("a tolerance of 5 to 10 % (it is {:.0})", tolerance * 100.0)),
        (parameters.drag < SOME_DRAG).then(|| format!("drag of 2 to 5 per second (it is {})", parameters.drag)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let is_calm = parameters.drag >= calm || lacking.is_empty();
    (!is_calm).then(|| {
        format!(
            "directional enforcement is outside of its stable regime and may shiver or explode: it needs {}, or drag of at \
             least {calm:.0} per second",
            lacking.join(", ")
        )
    })
}
