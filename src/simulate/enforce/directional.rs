//! Directional enforcement: one pass over the correction map in force.

use super::pull;
use crate::correction::CorrectionMap;
use crate::simulate::cloth::Cloth;
use crate::simulate::states::MapSwitch;

/// Ozgen & Kallmann 2011, section 3: every goal further from its source than tolerated is moved to the tolerated distance
/// along their line; sources stay. One pass in the order of the map; one that has just taken over lets some off.
pub(super) fn correct(cloth: &mut Cloth, map: &CorrectionMap, tolerance: f32, switch: &MapSwitch) {
    for (index, correction) in map.corrections.iter().enumerate() {
        let goal = correction.goal.index();
        if cloth.is_free(goal) {
            let source = cloth.points[correction.source.index()].at;
            let reach = correction.rest_length * (1.0 + tolerance) + switch.slack(index);
            pull(&mut cloth.points[goal].at, source, reach);
        }
    }
}
