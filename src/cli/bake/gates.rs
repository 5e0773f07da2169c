//! Quality gates: what a bake must not exceed.

use super::arguments::GateArguments;
use crate::cli::failure::Failure;
use crate::report::Report;

/// Fails with every gate that `report` does not pass.
pub(super) fn check(gates: GateArguments, report: &Report) -> Result<(), Failure> {
    let mut failed = Vec::new();
    if let Some(limit) = gates.max_stretch.filter(|&limit| report.stretch.max > limit) {
        failed.push(format!("stretch is {:.4}, allowed {limit}", report.stretch.max));
    }
    let depth = report.penetration.as_ref().map_or(0.0, |p| p.max_mm);
    if let Some(limit) = gates.max_penetration_mm.filter(|&limit| depth > limit) {
        failed.push(format!("penetration is {depth:.2} mm, allowed {limit} mm"));
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Gates(failed)) }
}
