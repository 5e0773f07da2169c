//! Quality gates: what a bake must not exceed.

use super::arguments::GateArguments;
use crate::report::Report;

/// Every gate that `report` does not pass, in plain words.
pub(super) fn failed(gates: GateArguments, report: &Report) -> Vec<String> {
    let mut failed = Vec::new();
    if let Some(limit) = gates.max_stretch.filter(|&limit| report.stretch.max > limit) {
        failed.push(format!("stretch is {:.4}, allowed {limit}", report.stretch.max));
    }
    let depth = report.penetration.as_ref().map_or(0.0, |p| p.max_mm);
    if let Some(limit) = gates.max_penetration_mm.filter(|&limit| depth > limit) {
        failed.push(format!("penetration is {depth:.2} mm, allowed {limit} mm"));
    }
    let pairs = report.self_crossings.max_pairs;
    if let Some(limit) = gates.max_self_crossings.filter(|&limit| pairs > limit) {
        failed.push(format!("{pairs} pairs of triangles go through each other, allowed {limit}"));
    }
    failed
}
