//! Directional enforcement: one pass over the correction map in force.

use super::pull;
use crate::correction::CorrectionMap;
use crate::simulate::cloth::Cloth;

/// Ozgen & Kallmann 2011, section 3: every goal further from its source than tolerated is moved to the tolerated distance
/// along their line; sources stay. One pass in the order of the map.
pub(super) fn correct(cloth: &mut Cloth, map: &CorrectionMap, tolerance: f32) {
    for correction in &map.corrections {
        let goal = correction.goal.index();
        if cloth.is_free(goal) {
            let source = cloth.points[correction.source.index()].at;
            pull(&mut cloth.points[goal].at, source, correction.rest_length * (1.0 + tolerance));
        }
    }
}
