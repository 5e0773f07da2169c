//! Correction maps as JSON.
//!
//! ```text
//! {"state": "no_knee", "fixed": [0, 40], "counts": {"horizontal_stretch": 1500, ...}, "levels": 40, "unreached": [],
//!  "corrections": [[source, goal, "horizontal_stretch", level], ...]}
//! ```

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{Correction, CorrectionKind, CorrectionMap};
use crate::topology::ParticleId;

#[derive(serde::Serialize)]
struct Counts {
    corrections: usize,
    horizontal_stretch: usize,
    vertical_stretch: usize,
    shear: usize,
    completion: usize,
}

impl Counts {
    fn of(corrections: &[Correction]) -> Counts {
        let count = |kind| corrections.iter().filter(|c| c.kind == kind).count();
        Counts {
            corrections: corrections.len(),
            horizontal_stretch: count(CorrectionKind::HorizontalStretch),
            vertical_stretch: count(CorrectionKind::VerticalStretch),
            shear: count(CorrectionKind::Shear),
            completion: count(CorrectionKind::Completion),
        }
    }
}

/// Particle indices as plain numbers.
struct Indices<'a>(&'a [ParticleId]);

impl Serialize for Indices<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|p| p.0))
    }
}

/// The ordered list as rows of source, goal, kind, level.
struct Rows<'a>(&'a [Correction]);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|c| (c.source.0, c.goal.0, c.kind, c.level)))
    }
}

impl Serialize for CorrectionMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("CorrectionMap", 6)?;
        map.serialize_field("state", &self.state)?;
        map.serialize_field("fixed", &Indices(&self.fixed))?;
        map.serialize_field("counts", &Counts::of(&self.corrections))?;
        map.serialize_field("levels", &self.levels)?;
        map.serialize_field("unreached", &Indices(&self.unreached))?;
        map.serialize_field("corrections", &Rows(&self.corrections))?;
        map.end()
    }
}
