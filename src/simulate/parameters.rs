//! What a simulation can be told. Presets and flags fill this in; the simulation never sees either.

use super::method::{Enforcement, Integrator, MethodSpec};
use crate::correction::MapOptions;
use crate::geometry::Vec3;

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
    /// Its form, metres, in the space of [`Collider::joint`] at bind time if it has one, else in world space.
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
    /// Joint whose surroundings make the contact; none for the state that holds when no other does.
    pub joint: Option<String>,
    /// Radius around the joint that counts as the part, metres. Default: `0.12`.
    pub radius: f32,
    /// Frames (inclusive ranges) in which the state is in force whatever touches; empty: by contact.
    pub frames: Vec<(i64, i64)>,
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
    /// Substeps a frame; none: as many as make a substep at most 1/480 s (1/300 s when nothing collides), and short enough for an explicit integrator.
    pub substeps: Option<u32>,
    /// Times a frame that diverges is tried again, each with twice the substeps; 0 shows where a method breaks.
    /// Default: `4`.
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
    /// Collision states, the one without joint first; empty: one map for everything.
    pub states: Vec<CollisionState>,
    /// Frames before the first in which the body goes to its first pose and the cloth settles. Default: `60`.
    pub preroll: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            fabric: Fabric::default(),
            drag: 0.5,
            wind: None,
            substeps: None,
            retries: 4,
            integrator: Integrator::default(),
            springs: SpringConstants::default(),
            enforcement: Enforcement::default(),
            colliders: Vec::new(),
            self_collision: true,
            states: Vec::new(),
            preroll: 60,
        }
    }
}

impl Parameters {
    /// Stiffness of stretch and of shear springs, N/m.
    pub fn spring_stiffness(&self) -> [f32; 2] {
        let Fabric { stretch_stiffness, shear_stiffness, .. } = self.fabric;
        match self.integrator {
            Integrator::Xpbd => [stretch_stiffness, shear_stiffness],
            _ => [self.springs.stretch.unwrap_or(stretch_stiffness), self.springs.shear.unwrap_or(shear_stiffness)],
        }
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
