//! The orders of figure 2: which kinds of springs a wavefront takes first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CorrectionKind;

/// Kinds of springs in the order in which a wavefront takes them: `h` horizontal stretch, `v` vertical stretch, `s` shear.
///
/// With a visit limit of 1, `hvs` and `vhs` build the same map, and so do `shv` and `svh`: the four maps of figure 2. Shear
/// before vertical stretch hangs the cloth from its diagonals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpringOrder {
    /// Horizontal, vertical, shear: the paper's best.
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

impl SpringOrder {
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

    /// The kinds, first to last.
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
}
