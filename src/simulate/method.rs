//! The methods of the sources by name: how motion is integrated and how stretch is limited afterwards.
//!
//! ```text
//! [INTEGRATOR/]METHOD[:NUMBER]        xpbd/tethers:2     verlet/directional:3     rk4/none     provot:10
//! ```
//!
//! The number is the passes of `provot`, `gu` and `tethers`, and the visit limit of `directional`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::correction::SpringOrder;

/// Most passes that are accepted.
const MOST_PASSES: u32 = 1000;
/// Largest visit limit of the directional method: above 3 nothing changes any more.
const LARGEST_VISIT_LIMIT: u32 = 4;
/// Elongation that is left alone if nobody says otherwise: Provot's 10 %.
const TOLERANCE: f32 = 0.1;

/// How a substep carries the cloth from forces to positions. All but `xpbd` act on mass-spring forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// Symplectic Euler, then compliant constraints for stretch, shear and bending (Macklin et al. 2016).
    #[default]
    Xpbd,
    /// Position Verlet with a damping constant (Ozgen & Kallmann 2011).
    Verlet,
    /// Forward Euler (Pilley): unstable without damping, whatever the substep.
    ExplicitEuler,
    /// Velocities first, positions with the new ones (Provot 1995).
    SymplecticEuler,
    /// Classical Runge-Kutta of order four.
    Rk4,
    /// Linearised backward Euler, solved by conjugate gradients (Baraff & Witkin 1998).
    Implicit,
    /// One constant matrix factored beforehand, angular momentum put right afterwards (Desbrun, Schroder & Barr 1999).
    SemiImplicit,
}

impl Integrator {
    /// All of them, by name.
    pub const NAMES: [(&'static str, Integrator); 7] = [
        ("xpbd", Integrator::Xpbd),
        ("verlet", Integrator::Verlet),
        ("explicit_euler", Integrator::ExplicitEuler),
        ("symplectic_euler", Integrator::SymplecticEuler),
        ("rk4", Integrator::Rk4),
        ("implicit", Integrator::Implicit),
        ("semi_implicit", Integrator::SemiImplicit),
    ];
}

/// Methods to limit stretch after each integration step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Springs alone.
    None,
    /// Passes over all springs that are too long, each mended at once (Provot 1995).
    Provot,
    /// All springs that are too long are found first, then mended together.
    ProvotTwoStage,
    /// The longest spring first, in every pass (Pilley).
    ProvotSorted,
    /// Passes over the particles as they are numbered (Mueller et al. 2007): what Gu et al. start from.
    Pbd,
    /// Passes over the particles by their distance from the nearest pin (Gu et al.).
    Gu,
    /// Passes over the particles by their summed distance from all pins (Gu et al.).
    GuCumulative,
    /// One pass over the correction map (Ozgen & Kallmann 2011).
    Directional,
    /// One-way root tethers, then passes over all threads, each solved as a whole.
    #[default]
    Tethers,
}

impl Method {
    /// All of them, by name.
    pub const NAMES: [(&'static str, Method); 9] = [
        ("none", Method::None),
        ("provot", Method::Provot),
        ("provot_two_stage", Method::ProvotTwoStage),
        ("provot_sorted", Method::ProvotSorted),
        ("pbd", Method::Pbd),
        ("gu", Method::Gu),
        ("gu_cumulative", Method::GuCumulative),
        ("directional", Method::Directional),
        ("tethers", Method::Tethers),
    ];

    /// Whether the method makes passes.
    pub fn takes_passes(self) -> bool {
        !matches!(self, Method::None | Method::Directional)
    }

    /// Whether the method leaves small elongations alone.
    pub fn takes_tolerance(self) -> bool {
        matches!(self, Method::Provot | Method::ProvotTwoStage | Method::ProvotSorted | Method::Directional)
    }

    /// The method with its defaults but for what is given. What it does not take is ignored.
    pub fn with(self, settings: MethodSettings) -> Enforcement {
        let passes = |default| settings.passes.unwrap_or(default);
        let threshold = settings.tolerance.unwrap_or(TOLERANCE);
        match self {
            Method::None => Enforcement::None,
            Method::Provot => Enforcement::Provot { passes: passes(5), threshold },
            Method::ProvotTwoStage => Enforcement::ProvotTwoStage { passes: passes(5), threshold },
            Method::ProvotSorted => Enforcement::ProvotSorted { passes: passes(5), threshold },
            Method::Pbd => Enforcement::Pbd { passes: passes(5) },
            Method::Gu => Enforcement::Gu { passes: passes(5) },
            Method::GuCumulative => Enforcement::GuCumulative { passes: passes(5) },
            Method::Directional => Enforcement::Directional {
                tolerance: threshold,
                visit_limit: settings.visit_limit.unwrap_or(1),
                order: settings.order.unwrap_or_default(),
            },
            Method::Tethers => Enforcement::Tethers { passes: passes(2) },
        }
    }
}

/// Numbers that a [`Method`] may be given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MethodSettings {
    /// Passes a substep.
    pub passes: Option<u32>,
    /// Elongation that is left alone, as a fraction.
    pub tolerance: Option<f32>,
    /// How often a particle may be a goal of the correction map.
    pub visit_limit: Option<u32>,
    /// Kinds of springs in the order in which the correction map takes them.
    pub order: Option<SpringOrder>,
}

/// How stretch is limited after each integration step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Enforcement {
    /// Springs alone.
    None,
    /// Provot 1995: `passes` over all stretch and shear springs longer than `1 + threshold` of their rest length, both ends
    /// moved, at once.
    Provot {
        /// Passes a substep. Default: `5`.
        passes: u32,
        /// Elongation that is left alone, as a fraction. Default: `0.1`.
        threshold: f32,
    },
    /// As [`Enforcement::Provot`], but a pass finds all springs that are too long before it moves anything.
    ProvotTwoStage {
        /// Passes a substep. Default: `5`.
        passes: u32,
        /// Elongation that is left alone, as a fraction. Default: `0.1`.
        threshold: f32,
    },
    /// As [`Enforcement::Provot`], but each pass takes the springs by elongation, longest first (Pilley).
    ProvotSorted {
        /// Passes a substep. Default: `5`.
        passes: u32,
        /// Elongation that is left alone, as a fraction. Default: `0.1`.
        threshold: f32,
    },
    /// Mueller et al. 2007: passes of rigid projections, particles in the order of their numbers.
    Pbd {
        /// Passes a substep. Default: `5`.
        passes: u32,
    },
    /// Gu et al.: as [`Enforcement::Pbd`], in the order of the distance from the nearest pin.
    Gu {
        /// Passes a substep. Default: `5`.
        passes: u32,
    },
    /// Gu et al.: as [`Enforcement::Gu`], in the order of the summed distances from all pins.
    GuCumulative {
        /// Passes a substep. Default: `5`.
        passes: u32,
    },
    /// Ozgen & Kallmann 2011: one pass over the correction map in force, goal vertices only. Stable only with stiff springs,
    /// a tolerance of 5 to 10 % and drag of 2 to 5 per second.
    Directional {
        /// Elongation that is left alone, as a fraction. Default: `0.1`.
        tolerance: f32,
        /// How often a particle may be a goal, 1 to 4. Default: `1`.
        visit_limit: u32,
        /// Kinds of springs in the order in which a wavefront takes them. Default: `hvs`.
        order: SpringOrder,
    },
    /// One-way root tethers, then passes over all threads of stretch springs, each solved as a whole (a line of springs straight
    /// ahead, as the bends along edges pair them).
    Tethers {
        /// Passes a substep. Default: `2`.
        passes: u32,
    },
}

impl Default for Enforcement {
    fn default() -> Self {
        Method::default().with(MethodSettings::default())
    }
}

impl Enforcement {
    /// Its kind.
    pub fn method(&self) -> Method {
        match self {
            Enforcement::None => Method::None,
            Enforcement::Provot { .. } => Method::Provot,
            Enforcement::ProvotTwoStage { .. } => Method::ProvotTwoStage,
            Enforcement::ProvotSorted { .. } => Method::ProvotSorted,
            Enforcement::Pbd { .. } => Method::Pbd,
            Enforcement::Gu { .. } => Method::Gu,
            Enforcement::GuCumulative { .. } => Method::GuCumulative,
            Enforcement::Directional { .. } => Method::Directional,
            Enforcement::Tethers { .. } => Method::Tethers,
        }
    }

    /// Passes a substep; none for a method without.
    pub fn passes(&self) -> Option<u32> {
        match self {
            Enforcement::None => None,
            Enforcement::Directional { .. } => Some(1),
            _ => self.number(),
        }
    }

    /// Elongation that is left alone, as a fraction, by methods that do.
    pub fn tolerance(mut self) -> Option<f32> {
        self.tolerance_mut().copied()
    }

    /// The same, to be changed.
    pub fn tolerance_mut(&mut self) -> Option<&mut f32> {
        match self {
            Enforcement::Provot { threshold, .. }
            | Enforcement::ProvotTwoStage { threshold, .. }
            | Enforcement::ProvotSorted { threshold, .. }
            | Enforcement::Directional { tolerance: threshold, .. } => Some(threshold),
            _ => None,
        }
    }

    /// The number behind its name.
    fn number(&self) -> Option<u32> {
        match *self {
            Enforcement::None => None,
            Enforcement::Provot { passes, .. }
            | Enforcement::ProvotTwoStage { passes, .. }
            | Enforcement::ProvotSorted { passes, .. }
            | Enforcement::Pbd { passes }
            | Enforcement::Gu { passes }
            | Enforcement::GuCumulative { passes }
            | Enforcement::Tethers { passes } => Some(passes),
            Enforcement::Directional { visit_limit, .. } => Some(visit_limit),
        }
    }
}

/// An integrator and an enforcement, as `verlet/directional:2`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MethodSpec {
    /// How motion is integrated. Default: `xpbd`.
    pub integrator: Integrator,
    /// How stretch is limited. Default: `tethers:2`.
    pub enforcement: Enforcement,
}

/// A word that names no method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MethodError {
    /// No integrator has this name.
    #[error("there is no integrator `{found}`; there are {}", known(&Integrator::NAMES))]
    Integrator {
        /// What was written.
        found: String,
    },
    /// No enforcement has this name.
    #[error("there is no enforcement `{found}`; there are {}", known(&Method::NAMES))]
    Enforcement {
        /// What was written.
        found: String,
    },
    /// A number where none belongs.
    #[error("`{method}` takes no number")]
    NoNumber {
        /// The method.
        method: &'static str,
    },
    /// A number that is none or out of range.
    #[error("`{found}` is no number for `{method}`: write {what}, 1 to {most}, as in `{method}:2`")]
    Number {
        /// The method.
        method: &'static str,
        /// What was written.
        found: String,
        /// What it counts.
        what: &'static str,
        /// Largest that is accepted.
        most: u32,
    },
}

fn known<T>(names: &[(&'static str, T)]) -> String {
    names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn name_of<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    names.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

fn named<T: Copy>(names: &[(&'static str, T)], word: &str) -> Option<T> {
    // A shell's habit is the hyphen, a preset's the underscore.
    let word = word.replace('-', "_");
    names.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

impl FromStr for Integrator {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let word = text.trim();
        named(&Integrator::NAMES, word).ok_or_else(|| MethodError::Integrator { found: word.to_owned() })
    }
}

impl fmt::Display for Integrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&Integrator::NAMES, self))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&Method::NAMES, self))
    }
}

impl FromStr for Enforcement {
    type Err = MethodError;

    /// Reads `METHOD[:NUMBER]`.
    fn from_str(text: &str) -> Result<Self, MethodError> {
        let (word, number) = match text.split_once(':') {
            Some((word, number)) => (word.trim(), Some(number.trim())),
            None => (text.trim(), None),
        };
        let method = named(&Method::NAMES, word).ok_or_else(|| MethodError::Enforcement { found: word.to_owned() })?;
        let Some(found) = number else { return Ok(method.with(MethodSettings::default())) };
        let name = name_of(&Method::NAMES, &method);
        let (what, most) = match method {
            Method::None => return Err(MethodError::NoNumber { method: name }),
            Method::Directional => ("the visit limit", LARGEST_VISIT_LIMIT),
            _ => ("the passes a substep", MOST_PASSES),
        };
        let number = found.parse().ok().filter(|n| (1..=most).contains(n));
        let number = number.ok_or_else(|| MethodError::Number { method: name, found: found.to_owned(), what, most })?;
        let settings = MethodSettings { passes: Some(number), visit_limit: Some(number), ..MethodSettings::default() };
        Ok(method.with(settings))
    }
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.method())?;
        self.number().map_or(Ok(()), |number| write!(f, ":{number}"))
    }
}

impl FromStr for MethodSpec {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let (integrator, enforcement) = match text.split_once('/') {
            Some((integrator, enforcement)) => (integrator.parse()?, enforcement),
            None => (Integrator::default(), text),
        };
        Ok(MethodSpec { integrator, enforcement: enforcement.parse()? })
    }
}

impl fmt::Display for MethodSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.integrator != Integrator::default() {
            write!(f, "{}/", self.integrator)?;
        }
        write!(f, "{}", self.enforcement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_reads_back_as_it_is_written() {
        for (_, integrator) in Integrator::NAMES {
            for (_, method) in Method::NAMES {
                let spec = MethodSpec { integrator, enforcement: method.with(MethodSettings::default()) };
                assert_eq!(spec.to_string().parse(), Ok(spec), "{spec}");
            }
        }
    }

    #[test]
    fn names_are_those_of_presets() {
        for (name, integrator) in Integrator::NAMES {
            assert_eq!(serde_json::to_value(integrator).unwrap(), name);
        }
        for (name, method) in Method::NAMES {
            assert_eq!(serde_json::to_value(method).unwrap(), name);
        }
    }

    #[test]
    fn the_integrator_and_the_number_may_be_left_out() {
        let spec = |text: &str| text.parse::<MethodSpec>().unwrap();
        assert_eq!(spec("tethers"), MethodSpec::default());
        assert_eq!(spec("semi-implicit/provot:7").enforcement, Enforcement::Provot { passes: 7, threshold: 0.1 });
        assert_eq!(spec("semi-implicit/provot:7").integrator, Integrator::SemiImplicit);
        assert!(matches!(spec("verlet/directional:3").enforcement, Enforcement::Directional { visit_limit: 3, .. }));
        assert_eq!(spec("rk4/none").to_string(), "rk4/none");
        assert_eq!(spec("xpbd/tethers:4").to_string(), "tethers:4");
    }

    #[test]
    fn what_is_no_method_is_told_what_there_is() {
        let message = |text: &str| text.parse::<MethodSpec>().unwrap_err().to_string();
        assert!(message("verlte/none").contains("no integrator `verlte`; there are xpbd, verlet,"));
        assert!(message("provt").contains("no enforcement `provt`; there are none, provot,"));
        assert!(message("none:2").contains("takes no number"));
        assert!(message("directional:5").contains("the visit limit, 1 to 4"));
        for text in ["", "/", "verlet", "verlet/", "tethers:", "tethers:0", "tethers:-1", "tethers:1001", "a/b/c"] {
            assert!(text.parse::<MethodSpec>().is_err(), "{text}");
        }
    }
}
