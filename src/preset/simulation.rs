//! The `simulation` part of a scene.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{Fault, Problem};
use crate::correction::SpringOrder;
use crate::geometry::Vec3;
use crate::simulate::{
    Collider, CollisionState, Enforcement, Fabric, Integrator, Method, MethodSettings, Parameters, Shape,
    SpringConstants, StateMode, Wind,
};

/// Forces, steps, enforcement and colliders.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SimulationFile {
    /// Acceleration of gravity, m/s2.
    #[schemars(inner(range(min = -1000.0, max = 1000.0)))]
    pub gravity: [f64; 3],
    /// Air drag, per second: a free falling cloth approaches gravity / drag.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub drag: f64,
    /// Wind, if any.
    pub wind: Option<WindFile>,
    /// Substeps a frame; when not given as many as make a substep at most 1/360 s (1/300 s when nothing collides, 1/240 s for calm cloth on a body that stands, less for edges below 7 mm), and short enough for an explicit integrator.
    #[schemars(range(min = 1, max = 1000))]
    pub substeps: Option<u32>,
    /// How motion is integrated.
    pub integrator: Integrator,
    /// Constants of the springs of all integrators but `xpbd`, the same for every spring of a kind.
    pub springs: SpringsFile,
    /// How stretch is limited after each substep.
    pub enforcement: EnforcementFile,
    /// Colliders beside the body's mesh.
    #[schemars(length(max = 1000))]
    pub colliders: Vec<ColliderFile>,
    /// Whether layers of cloth collide with each other.
    pub self_collision: bool,
    /// Whether the body's mesh collides; without it only the colliders do.
    pub body_collision: bool,
    /// Collision states, the one that watches nothing first.
    #[schemars(length(max = 100))]
    pub states: Vec<StateFile>,
    /// What holds the cloth beside its pins; when not given the named states, if there are any.
    pub state_mode: Option<StateMode>,
    /// Whether a first pass finds the contacts, so that the states of the second switch in time.
    pub look_ahead: bool,
    /// Frames before the first in which the body goes to its first pose and the cloth settles; 0 starts as given.
    #[schemars(range(min = 0, max = 10_000))]
    pub preroll: u32,
    /// Frames into which the body jumps from the one before, as after a cut: the cloth is carried along. Such jumps are found
    /// without it too.
    #[schemars(length(max = 10_000))]
    pub cuts: Vec<i64>,
}

impl Default for SimulationFile {
    fn default() -> Self {
        SimulationFile {
            gravity: [0.0, -9.81, 0.0],
            drag: 0.5,
            wind: None,
            substeps: None,
            integrator: Integrator::default(),
            springs: SpringsFile::default(),
            enforcement: EnforcementFile::default(),
            colliders: Vec::new(),
            self_collision: true,
            body_collision: true,
            states: Vec::new(),
            state_mode: None,
            look_ahead: false,
            preroll: 60,
            cuts: Vec::new(),
        }
    }
}

/// Wind.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindFile {
    /// Mean wind velocity, m/s.
    #[schemars(inner(range(min = -100.0, max = 100.0)))]
    pub velocity: [f64; 3],
    /// Part of the speed that comes and goes.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gusts: f64,
    /// Time from gust to gust, seconds.
    #[serde(default = "two_seconds")]
    #[schemars(range(min = 0.05, max = 600.0))]
    pub gust_seconds: f64,
}

fn two_seconds() -> f64 {
    2.0
}

/// Constants of springs; those not given follow from the fabric.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpringsFile {
    /// Stiffness of a stretch spring, N/m.
    #[schemars(range(min = 0.0, max = 1e7))]
    pub stretch: Option<f64>,
    /// Stiffness of a shear spring, N/m.
    #[schemars(range(min = 0.0, max = 1e7))]
    pub shear: Option<f64>,
    /// Stiffness of a bend spring, N/m.
    #[schemars(range(min = 0.0, max = 1e7))]
    pub bend: Option<f64>,
    /// Damping of every spring along its direction, N s/m.
    #[schemars(range(min = 0.0, max = 1e4))]
    pub damping: Option<f64>,
}

/// Which enforcement method, and its parameters.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EnforcementFile {
    /// The method.
    pub method: Method,
    /// Passes a substep, of `provot`, `provot_two_stage`, `provot_sorted`, `pbd`, `gu`, `gu_cumulative` (5 when not given) and
    /// `tethers` (2).
    #[schemars(range(min = 1, max = 1000))]
    pub passes: Option<u32>,
    /// Elongation that is left alone, as a fraction, of `provot`, `provot_two_stage`, `provot_sorted` and `directional` (0.1
    /// when not given).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tolerance: Option<f64>,
    /// How often a particle may be a goal of the correction map, of `directional` (1 when not given).
    #[schemars(range(min = 1, max = 4))]
    pub visit_limit: Option<u32>,
    /// Kinds of springs in the order in which the correction map takes them, of `directional` (`hvs` when not given).
    pub order: Option<SpringOrder>,
}

/// A collider: exactly one of plane, sphere and capsule.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColliderFile {
    /// Name for messages.
    pub name: String,
    /// Joint that carries it; the shape is then placed in world space around the body as it is bound, and follows the joint.
    pub joint: Option<String>,
    /// Solid where `(x - point) . normal < 0`.
    pub plane: Option<PlaneFile>,
    /// A ball.
    pub sphere: Option<SphereFile>,
    /// All points within `radius` of a segment.
    pub capsule: Option<CapsuleFile>,
}

/// A half space.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneFile {
    /// A point of its surface, metres.
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub point: [f64; 3],
    /// Outward normal of any length.
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub normal: [f64; 3],
}

/// A ball.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereFile {
    /// Centre, metres.
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub centre: [f64; 3],
    /// Radius, metres.
    #[schemars(range(min = 1e-4, max = 1e3))]
    pub radius: f64,
}

/// A capsule.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsuleFile {
    /// One end of its segment, metres.
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub from: [f64; 3],
    /// The other end, metres.
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub to: [f64; 3],
    /// Radius, metres.
    #[schemars(range(min = 1e-4, max = 1e3))]
    pub radius: f64,
}

/// A collision state.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateFile {
    /// Its name, `left_knee` say.
    pub name: String,
    /// Joint whose surroundings make the contact; a state has this, a collider, or neither if it holds when no other does.
    pub joint: Option<String>,
    /// Name of the collider that makes the contact.
    pub collider: Option<String>,
    /// Radius around the joint that counts as the part, metres; of a collider, the distance in which contacts are expected.
    #[serde(default = "knee_radius")]
    #[schemars(range(min = 0.001, max = 100.0))]
    pub radius: f64,
    /// Frames, as inclusive ranges `[first, last]`, in which the state is in force whatever touches; with no range of any kind:
    /// by contact.
    #[serde(default)]
    pub frames: Vec<[i64; 2]>,
    /// The same in seconds of the clip.
    #[serde(default)]
    pub seconds: Vec<[f64; 2]>,
    /// The same in parts of the clip's cycle; a range may go over its end: `[0.9, 0.1]`.
    #[serde(default)]
    #[schemars(inner(inner(range(min = 0.0, max = 1.0))))]
    pub phases: Vec<[f64; 2]>,
}

fn knee_radius() -> f64 {
    0.12
}

impl SimulationFile {
    /// The parameters of a simulation of `fabric`; what cannot be meant is added to `faults`.
    pub fn parameters(&self, fabric: Fabric, faults: &mut Vec<Fault>) -> Parameters {
        let colliders = self.colliders.iter().enumerate();
        Parameters {
            gravity: vector(self.gravity),
            fabric,
            drag: self.drag as f32,
            wind: self.wind.as_ref().map(WindFile::wind),
            substeps: self.substeps,
            integrator: self.integrator,
            springs: self.springs.constants(),
            enforcement: self.enforcement.enforcement(faults),
            colliders: colliders.filter_map(|(i, c)| c.collider(i, faults)).collect(),
            self_collision: self.self_collision,
            body_collision: self.body_collision,
            states: self.states(faults),
            state_mode: self.state_mode,
            look_ahead: self.look_ahead,
            preroll: self.preroll,
            cuts: self.cuts.clone(),
            ..Parameters::default()
        }
    }

    fn states(&self, faults: &mut Vec<Fault>) -> Vec<CollisionState> {
        for (i, state) in self.states.iter().enumerate() {
            let path = |key| format!("simulation.states[{i}].{key}");
            if self.states[..i].iter().any(|s| s.name == state.name) {
                let text = format!("`{}` is already the name of another state", state.name);
                faults.push(Fault::new(path("name"), Problem::Inconsistent(text)));
            }
            let ends_early = [
                ("frames", state.frames.iter().position(|[first, last]| first > last)),
                ("seconds", state.seconds.iter().position(|[first, last]| first > last)),
            ];
            for (key, range) in ends_early {
                if let Some(range) = range {
                    let text = "the range ends before it starts; write [first, last]".to_owned();
                    faults.push(Fault::new(format!("{}[{range}]", path(key)), Problem::Inconsistent(text)));
                }
            }
            if let Some(name) = &state.collider {
                faults.extend(
                    self.collider_fault(name, state)
                        .map(|text| Fault::new(path("collider"), Problem::Inconsistent(text))),
                );
            }
        }
        let state = |s: &StateFile| CollisionState {
            name: s.name.clone(),
            joint: s.joint.clone(),
            collider: s.collider.clone(),
            radius: s.radius as f32,
            frames: s.frames.iter().map(|&[first, last]| (first, last)).collect(),
            seconds: s.seconds.iter().map(|&[first, last]| (first, last)).collect(),
            phases: s.phases.iter().map(|&[from, to]| (from, to)).collect(),
        };
        self.states.iter().map(state).collect()
    }

    /// What is wrong with a state that watches the collider called `name`.
    fn collider_fault(&self, name: &str, state: &StateFile) -> Option<String> {
        if state.joint.is_some() {
            return Some("a state watches a joint or a collider, not both".to_owned());
        }
        match self.colliders.iter().filter(|c| c.name == name).count() {
            0 => {}
            1 => return None,
            count => return Some(format!("there are {count} colliders `{name}`; give them names of their own")),
        }
        let known: Vec<&str> = self.colliders.iter().map(|c| c.name.as_str()).collect();
        Some(match known.is_empty() {
            true => format!("there is no collider `{name}`; simulation.colliders has none"),
            false => format!("there is no collider `{name}`; there are {}", known.join(", ")),
        })
    }
}

impl WindFile {
    fn wind(&self) -> Wind {
        Wind { velocity: vector(self.velocity), gusts: self.gusts as f32, gust_seconds: self.gust_seconds as f32 }
    }
}

impl SpringsFile {
    fn constants(&self) -> SpringConstants {
        let [stretch, shear, bend, damping] =
            [self.stretch, self.shear, self.bend, self.damping].map(|c| c.map(|c| c as f32));
        SpringConstants { stretch, shear, bend, damping }
    }
}

impl EnforcementFile {
    fn enforcement(&self, faults: &mut Vec<Fault>) -> Enforcement {
        let is_directional = self.method == Method::Directional;
        let given = [
            ("passes", self.passes.is_some(), self.method.takes_passes()),
            ("tolerance", self.tolerance.is_some(), self.method.takes_tolerance()),
            ("visit_limit", self.visit_limit.is_some(), is_directional),
            ("order", self.order.is_some(), is_directional),
        ];
        for (key, given, taken) in given {
            if given && !taken {
                let text = "means nothing to this method".to_owned();
                faults.push(Fault::new(format!("simulation.enforcement.{key}"), Problem::Inconsistent(text)));
            }
        }
        self.method.with(MethodSettings {
            passes: self.passes,
            tolerance: self.tolerance.map(|t| t as f32),
            visit_limit: self.visit_limit,
            order: self.order,
        })
    }
}

impl ColliderFile {
    fn collider(&self, index: usize, faults: &mut Vec<Fault>) -> Option<Collider> {
        let mut fail = |text: &str| {
            let path = format!("simulation.colliders[{index}]");
            faults.push(Fault::new(path, Problem::Inconsistent(text.to_owned())));
            None
        };
        let shape = match (&self.plane, &self.sphere, &self.capsule) {
            (Some(plane), None, None) => match vector(plane.normal).try_normalize() {
                Some(normal) => Shape::Plane { point: vector(plane.point), normal },
                None => return fail("the plane's normal has no length"),
            },
            (None, Some(s), None) => Shape::Sphere { centre: vector(s.centre), radius: s.radius as f32 },
            (None, None, Some(c)) => Shape::Capsule { from: vector(c.from), to: vector(c.to), radius: c.radius as f32 },
            _ => return fail("a collider is exactly one of plane, sphere and capsule"),
        };
        Some(Collider { name: self.name.clone(), shape, joint: self.joint.clone() })
    }
}

fn vector(v: [f64; 3]) -> Vec3 {
    Vec3::from_array(v.map(|x| x as f32))
}
