//! The `compare` part of a scene: what `toile compare` runs on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MethodSpec;
use super::error::{Fault, Problem};
use crate::correction::CorrectionKind;

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
}

/// Order in which a correction map takes horizontal stretch, vertical stretch and shear springs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpringOrder {
    /// Horizontal, vertical, shear.
    #[default]
    Hvs,
    /// Horizontal, shear, vertical.
    Hsv,
    /// Vertical, horizontal, shear.
    Vhs,
    /// Vertical, shear, horizontal.
    Vsh,
    /// Shear, horizontal, vertical.
    Shv,
    /// Shear, vertical, horizontal.
    Svh,
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
}

impl Default for Comparison {
    fn default() -> Self {
        // A test reads them all, so none is lost here.
        let methods = DEFAULT_METHODS.iter().filter_map(|text| text.parse().ok()).collect();
        Comparison { source: String::new(), methods, substeps: Vec::new(), orders: Vec::new() }
    }
}

impl SpringOrder {
    /// The kinds in this order.
    pub fn kinds(self) -> [CorrectionKind; 3] {
        let [h, v, s] = [CorrectionKind::HorizontalStretch, CorrectionKind::VerticalStretch, CorrectionKind::Shear];
        match self {
            SpringOrder::Hvs => [h, v, s],
            SpringOrder::Hsv => [h, s, v],
            SpringOrder::Vhs => [v, h, s],
            SpringOrder::Vsh => [v, s, h],
            SpringOrder::Shv => [s, h, v],
            SpringOrder::Svh => [s, v, h],
        }
    }

    /// Its three letters.
    pub fn name(self) -> &'static str {
        match self {
            SpringOrder::Hvs => "hvs",
            SpringOrder::Hsv => "hsv",
            SpringOrder::Vhs => "vhs",
            SpringOrder::Vsh => "vsh",
            SpringOrder::Shv => "shv",
            SpringOrder::Svh => "svh",
        }
    }
}

impl CompareFile {
    /// The comparison that is meant; what cannot be read is added to `faults`.
    pub(super) fn comparison(&self, faults: &mut Vec<Fault>) -> Comparison {
        let mut methods = Vec::new();
        for (index, text) in self.methods.iter().enumerate() {
            match text.parse() {
                Ok(method) => methods.push(method),
                Err(error) => {
                    let problem = Problem::Inconsistent(format!("{error}"));
                    faults.push(Fault::new(format!("compare.methods[{index}]"), problem));
                }
            }
        }
        if methods.is_empty() {
            methods = Comparison::default().methods;
        }
        let CompareFile { source, substeps, orders, .. } = self.clone();
        Comparison { source, methods, substeps, orders }
    }
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
