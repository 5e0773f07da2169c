//! Another correction map takes over smoothly: what it would move at once, it draws in over a tenth of a second.

use super::tethers::FADE;
use crate::correction::CorrectionMap;
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::cloth::Cloth;

/// Distances by which corrections of the map in force are still let off.
#[derive(Clone, Debug, Default)]
pub(in crate::simulate) struct MapSwitch {
    /// What each correction was too long by when its map took over, metres; empty when that is past.
    slacks: Vec<f32>,
    /// Part of that which is still allowed.
    left: f32,
}

impl MapSwitch {
    /// The moment in which `map`, which tolerates that elongation, takes over.
    pub(super) fn begin(map: &CorrectionMap, tolerance: f32, cloth: &Cloth) -> MapSwitch {
        let slack = |c: &crate::correction::Correction| {
            let now = cloth.points[c.goal.index()].at.distance(cloth.points[c.source.index()].at);
            (now - c.rest_length * (1.0 + tolerance)).max(0.0)
        };
        MapSwitch { slacks: map.corrections.iter().map(slack).collect(), left: 1.0 }
    }

    /// How far it is.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.numbers(&mut self.slacks)?;
        archive.f32(&mut self.left)
    }

    /// Lets a substep pass.
    pub(super) fn pass(&mut self, seconds: f32) {
        self.left -= seconds / FADE;
        if self.left <= 0.0 {
            self.slacks.clear();
        }
    }

    /// What the map's correction of this index is let off, metres.
    pub(in crate::simulate) fn slack(&self, correction: usize) -> f32 {
        self.slacks.get(correction).map_or(0.0, |slack| slack * self.left)
    }
}
