//! What a simulation can be told. Presets and flags fill this in; the simulation never sees either.

use super::Timeline;
use super::laps::Laps;
use super::method::{Enforcement, Integrator, MethodSpec};
use crate::correction::MapOptions;
use crate::geometry::Vec3;
use crate::topology::Topology;

/// Distance kept from bodies at least, in mean edges: between the particles of a coarse mesh the cloth cuts corners.
const COARSE: f32 = 0.12;

/// A fabric in SI units. The same fabric means the same on any mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Mass of a square metre, kg/m2. Default: `0.15`.
    pub areal_density: f32,
    /// Membrane stiffness along the threads, N/m (force per width at 100 % stretch). Default: `5000`.
    pub stretch_stiffness: f32,
    /// Membrane stiffness in shear, N/m. Default: `50`.
    pub shear_stiffness: f32,
    /// Bending rigidity, N m (moment per width and curvature). Default: `1e-5`.
    pub bending_rigidity: f32,
    /// Damping time of shear, seconds: the damping force is this times stiffness times rate, as of a Kelvin-Voigt solid; that of
    /// bending is ten times as long. Cloth has 0.001 (lively) to 0.05 (dead). Default: `0.01`.
    pub damping: f32,
    /// Coulomb friction coefficient against bodies. Default: `0.4`.
    pub friction: f32,
    /// Thickness, metres: distance that cloth keeps from bodies, on a coarse mesh at least an eighth of its edges.
    /// Default: `0.002`.
    pub thickness: f32,
}

impl Default for Fabric {
    fn default() -> Self {
        Fabric {
            areal_density: 0.15,
            stretch_stiffness: 5000.0,
            shear_stiffness: 50.0,
            bending_rigidity: 1e-5,
            damping: 0.01,
            friction: 0.4,
            thickness: 0.002,
        }
    }
}

/// Wind on faces: pressure `0.5 density [n.(w - v)] |n.(w - v)| n` on each triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Mean wind velocity, m/s.
    pub velocity: Vec3,
    /// Part of the speed that comes and goes, in [0, 1]. Default: `0`.
    pub gusts: f32,
    /// Time from gust to gust, seconds. Default: `2`.
    pub gust_seconds: f32,
}

/// Constants of the springs that all integrators but `xpbd` work on, alike for every spring of a kind, as the papers have
/// them. What is not given follows from the fabric, and then means the same at any mesh density.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringConstants {
    /// Stiffness of a stretch spring, N/m.
    pub stretch: Option<f32>,
    /// Stiffness of a shear spring, N/m.
    pub shear: Option<f32>,
    /// Stiffness of a bend spring, N/m.
    pub bend: Option<f32>,
    /// Damping of every spring along its direction, N s/m.
    pub damping: Option<f32>,
}

/// A collider beside the body's mesh, world space or carried by a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Name for messages and contact parts.
    pub name: String,
    /// Its form, metres, in world space; one that a joint carries around the body as it is bound.
    pub shape: Shape,
    /// Name of the joint that carries it.
    pub joint: Option<String>,
}

/// Form of a [`Collider`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Half space: solid where `(x - point).normal < 0`.
    Plane {
        /// A point of its surface.
        point: Vec3,
        /// Outward unit normal.
        normal: Vec3,
    },
    /// A ball.
    Sphere {
        /// Centre.
        centre: Vec3,
        /// Radius.
        radius: f32,
    },
    /// All points within `radius` of a segment.
    Capsule {
        /// One end of the segment.
        from: Vec3,
        /// The other end.
        to: Vec3,
        /// Radius.
        radius: f32,
    },
}

/// A named collision state: while the named part touches the garment, the vertices it touches count as fixed and the state's
/// correction map is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionState {
    /// Name, `left_knee` say.
    pub name: String,
    /// Joint whose surroundings make the contact; a state has this, a collider, or neither if it holds when no other does.
    pub joint: Option<String>,
    /// Name of the collider that makes the contact.
    pub collider: Option<String>,
    /// Radius around the joint that counts as the part, metres; of a collider, the distance in which contacts are expected.
    /// Default: `0.12`.
    pub radius: f32,
    /// Frames (inclusive ranges) in which the state is in force whatever touches; with no range of any kind: by contact.
    pub frames: Vec<(i64, i64)>,
    /// The same in seconds of the clip.
    pub seconds: Vec<(f64, f64)>,
    /// The same in parts of the clip's cycle, from 0 to 1; a range may go over the end: `(0.9, 0.1)`.
    pub phases: Vec<(f64, f64)>,
}

impl Default for CollisionState {
    fn default() -> Self {
        CollisionState {
            name: String::new(),
            joint: None,
            collider: None,
            radius: 0.12,
            frames: Vec::new(),
            seconds: Vec::new(),
            phases: Vec::new(),
        }
    }
}

impl CollisionState {
    /// Whether it is in force by a schedule, not by contact.
    pub(super) fn has_schedule(&self) -> bool {
        !(self.frames.is_empty() && self.seconds.is_empty() && self.phases.is_empty())
    }
}

/// What holds the cloth beside its pins.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Deserialize,
    serde::Serialize,
    schemars::JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[clap(rename_all = "snake_case")]
pub enum StateMode {
    /// Nothing: one correction map for everything.
    None,
    /// What touches the part of the state in force, by the named states.
    #[default]
    Named,
    /// Whatever touches, without names.
    Contacts,
}

/// What holds the cloth beside its pins, and whether a first pass finds it out beforehand: `named`, `contacts+ahead`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateUse {
    /// What holds.
    pub mode: StateMode,
    /// Whether a first pass looks ahead.
    pub look_ahead: bool,
}

/// Text that names no [`StateUse`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no states `{0}`; there are none, named, contacts, named+ahead, contacts+ahead")]
pub struct StateUseError(String);

impl std::str::FromStr for StateUse {
    type Err = StateUseError;

    fn from_str(text: &str) -> Result<StateUse, StateUseError> {
        let (mode, look_ahead) = match text {
            "none" => (StateMode::None, false),
            "named" => (StateMode::Named, false),
            "contacts" => (StateMode::Contacts, false),
            "named+ahead" => (StateMode::Named, true),
            "contacts+ahead" => (StateMode::Contacts, true),
            _ => return Err(StateUseError(text.to_owned())),
        };
        Ok(StateUse { mode, look_ahead })
    }
}

impl std::fmt::Display for StateUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mode = match self.mode {
            StateMode::None => "none",
            StateMode::Named => "named",
            StateMode::Contacts => "contacts",
        };
        write!(f, "{mode}{}", if self.look_ahead { "+ahead" } else { "" })
    }
}

/// Everything about a simulation except the garment, the body and the pins.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Acceleration of gravity, m/s2. Default: `(0, -9.81, 0)`.
    pub gravity: Vec3,
    /// The cloth.
    pub fabric: Fabric,
    /// Air drag, per second: a free falling cloth approaches gravity / drag. Default: `0.5`.
    pub drag: f32,
    /// Wind, if any.
    pub wind: Option<Wind>,
    /// Substeps a frame; none: as many as make a substep at most 1/360 s (1/300 s when nothing collides, 1/240 s for calm cloth on a body that stands, less for edges below 7 mm), and short enough for an explicit integrator.
    pub substeps: Option<u32>,
    /// Times a frame that diverges is tried again, each with twice the substeps; 0 shows where a method breaks.
    /// Default: `5`.
    pub retries: u32,
    /// How motion is integrated.
    pub integrator: Integrator,
    /// Constants of the springs of all integrators but `xpbd`.
    pub springs: SpringConstants,
    /// How stretch is limited.
    pub enforcement: Enforcement,
    /// Colliders beside the body's mesh.
    pub colliders: Vec<Collider>,
    /// Whether layers of cloth collide with each other. Default: `true`.
    pub self_collision: bool,
    /// Whether the body's mesh collides; without it only [`Parameters::colliders`] do. Default: `true`.
    pub body_collision: bool,
    /// Collision states, the one that watches nothing first.
    pub states: Vec<CollisionState>,
    /// What holds the cloth beside its pins; none: the named states, if there are any.
    pub state_mode: Option<StateMode>,
    /// Whether a first pass finds the contacts, so that states switch in time. Default: `false`.
    pub look_ahead: bool,
    /// Frames before the first in which the body goes to its first pose and the cloth settles. Default: `60`.
    pub preroll: u32,
    /// Frames, as [`Timeline`] numbers them, into which the body jumps from the one before, beside those that are found.
    pub cuts: Vec<i64>,
    /// How often the frames are simulated so that the last flows into the first; none: once, and they need not.
    pub laps: Option<Laps>,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            fabric: Fabric::default(),
            drag: 0.5,
            wind: None,
            substeps: None,
            retries: 5,
            integrator: Integrator::default(),
            springs: SpringConstants::default(),
            enforcement: Enforcement::default(),
            colliders: Vec::new(),
            self_collision: true,
            body_collision: true,
            states: Vec::new(),
            state_mode: None,
            look_ahead: false,
            preroll: 60,
            cuts: Vec::new(),
            laps: None,
        }
    }
}

impl Parameters {
    /// Distance that a cloth keeps from bodies, metres: its thickness, more on a coarse mesh, which cuts corners.
    pub fn distance_kept(&self, topology: &Topology) -> f32 {
        self.fabric.thickness.max(COARSE * topology.mean_edge())
    }

    /// Frames to simulate at most, in one pass: those of `timeline`, preroll and laps included.
    pub fn frames_to_simulate(&self, timeline: &Timeline) -> u32 {
        let frames = u32::try_from(timeline.len()).unwrap_or(u32::MAX);
        let baked =
            self.laps.map_or(frames, |laps| frames.saturating_sub(1).saturating_mul(laps.most).saturating_add(1));
        self.preroll.saturating_add(baked)
    }

    /// Stiffness of stretch and of shear springs, N/m.
    pub fn spring_stiffness(&self) -> [f32; 2] {
        let Fabric { stretch_stiffness, shear_stiffness, .. } = self.fabric;
        match self.integrator {
            Integrator::Xpbd => [stretch_stiffness, shear_stiffness],
            _ => [self.springs.stretch.unwrap_or(stretch_stiffness), self.springs.shear.unwrap_or(shear_stiffness)],
        }
    }

    /// What holds the cloth beside its pins.
    pub fn state_mode(&self) -> StateMode {
        match self.state_mode.unwrap_or_default() {
            StateMode::Named if self.states.is_empty() => StateMode::None,
            mode => mode,
        }
    }

    /// Whether a first pass only looks ahead.
    pub fn takes_two_passes(&self) -> bool {
        self.look_ahead && self.state_mode() != StateMode::None
    }

    /// Integrator and enforcement.
    pub fn method(&self) -> MethodSpec {
        MethodSpec { integrator: self.integrator, enforcement: self.enforcement }
    }

    /// What the correction maps of the scene are built by.
    pub fn map_options(&self) -> MapOptions {
        let options = MapOptions { gravity: self.gravity.as_dvec3(), ..MapOptions::default() };
        match self.enforcement {
            Enforcement::Directional { visit_limit, order, .. } => {
                MapOptions { visit_limit, order: order.kinds(), ..options }
            }
            _ => options,
        }
    }
}
