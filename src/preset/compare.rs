//! The `compare` part of a scene: what `toile compare` runs on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{Fault, Problem};
use crate::correction::SpringOrder;
use crate::report::near::Surroundings;
use crate::simulate::{MethodSpec, StateUse};

/// Methods that are compared on a scene that names none.
const DEFAULT_METHODS: [&str; 5] = ["tethers", "provot:5", "provot:20", "directional", "none"];

/// What `toile compare` does with the scene when the command line does not say.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompareFile {
    /// Where the scene comes from, and what that source reports of it.
    pub source: String,
    /// Methods, in the words of `--methods`.
    #[schemars(length(max = 100))]
    pub methods: Vec<String>,
    /// Substeps a frame: every method runs with each.
    #[schemars(length(max = 20), inner(range(min = 1, max = 1000)))]
    pub substeps: Vec<u32>,
    /// Orders of the kinds of springs in a correction map: every directional method runs with each.
    #[schemars(length(max = 6))]
    pub orders: Vec<SpringOrder>,
    /// Uses of collision states, in the words of `--states`: every method runs with each.
    #[schemars(length(max = 5))]
    pub states: Vec<String>,
    /// Places that are looked at apart, in the words of `--near`.
    #[schemars(length(max = 20))]
    pub near: Vec<String>,
}

/// What is compared on a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Where the scene comes from, and what that source reports; empty for a scene of one's own.
    pub source: String,
    /// The methods.
    pub methods: Vec<MethodSpec>,
    /// Substeps to run each method with; empty: as the scene has it.
    pub substeps: Vec<u32>,
    /// Orders to run each directional method with; empty: the default one.
    pub orders: Vec<SpringOrder>,
    /// Uses of collision states to run each method with; empty: as the scene has it.
    pub states: Vec<StateUse>,
    /// Places that are looked at apart.
    pub near: Vec<Surroundings>,
}

impl Default for Comparison {
    fn default() -> Self {
        // A test reads them all, so none is lost here.
        let methods = DEFAULT_METHODS.iter().filter_map(|text| text.parse().ok()).collect();
        let source = String::new();
        Comparison { source, methods, substeps: Vec::new(), orders: Vec::new(), states: Vec::new(), near: Vec::new() }
    }
}

impl CompareFile {
    /// The comparison that is meant; what cannot be read is added to `faults`.
    pub(super) fn comparison(&self, faults: &mut Vec<Fault>) -> Comparison {
        let mut methods = read("methods", &self.methods, faults);
        let states = read("states", &self.states, faults);
        let near = read("near", &self.near, faults);
        if methods.is_empty() {
            methods = Comparison::default().methods;
        }
        let CompareFile { source, substeps, orders, .. } = self.clone();
        Comparison { source, methods, substeps, orders, states, near }
    }
}

/// What `texts` under this key of `compare` mean; what cannot be read is added to `faults`.
fn read<T>(key: &str, texts: &[String], faults: &mut Vec<Fault>) -> Vec<T>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let mut meant = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        match text.parse() {
            Ok(one) => meant.push(one),
            Err(error) => {
                faults.push(Fault::new(format!("compare.{key}[{index}]"), Problem::Inconsistent(format!("{error}"))));
            }
        }
    }
    meant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_methods_are_all_read() {
        let texts: Vec<String> = Comparison::default().methods.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), DEFAULT_METHODS.len());
    }
}
