//! One-way root tethers: no particle further from its nearest fixed one than the cloth between them is long (cf. Kim, Chentanez
//! & Mueller-Fischer, *Long Range Attachments*, 2012).

use super::pull;
use crate::correction::Tether;
use crate::simulate::cloth::Cloth;

/// Moves each tethered particle to at most its tether's length from its root, when `holds(root)`.
pub(super) fn hold(cloth: &mut Cloth, tethers: &[Option<Tether>], holds: impl Fn(usize) -> bool) {
    for (goal, tether) in tethers.iter().enumerate() {
        if let Some(tether) = tether.filter(|t| cloth.is_free(goal) && holds(t.root.index())) {
            let root = cloth.points[tether.root.index()].at;
            pull(&mut cloth.points[goal].at, root, tether.length);
        }
    }
}
