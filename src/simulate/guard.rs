//! Nothing exploded is ever written: a frame that diverges is taken back and tried again with more substeps.

use rayon::prelude::*;

use super::cloth::{CHUNK, Cloth};
use crate::springs::{Spring, SpringNetwork};
use crate::topology::ParticleId;

/// Length of an edge in rest lengths from which the cloth counts as torn apart.
const TORN: f32 = 4.0;

/// What went wrong in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// A coordinate is no number.
    NotFinite {
        /// Where.
        particle: ParticleId,
    },
    /// An edge is several times its rest length.
    Torn {
        /// One end.
        particle: ParticleId,
        /// Its length in rest lengths.
        ratio: f32,
    },
}

impl Fault {
    /// Where it is.
    pub fn particle(&self) -> ParticleId {
        match *self {
            Fault::NotFinite { particle } | Fault::Torn { particle, .. } => particle,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::NotFinite { .. } => write!(f, "its position is no number"),
            Fault::Torn { ratio, .. } => write!(f, "an edge there is {ratio:.1} times as long as at rest"),
        }
    }
}

/// The first fault of the cloth, if any. Edges between two pins are the body's business and not looked at.
pub(super) fn fault(cloth: &Cloth, springs: &SpringNetwork) -> Option<Fault> {
    let states = cloth.points.par_chunks(CHUNK).zip(cloth.velocities.par_chunks(CHUNK)).enumerate();
    let broken = states.find_map_first(|(chunk, (points, velocities))| {
        let mut states = points.iter().zip(velocities);
        Some(chunk * CHUNK + states.position(|(p, v)| !p.at.is_finite() || !v.at.is_finite())?)
    });
    if let Some(index) = broken {
        return Some(Fault::NotFinite { particle: ParticleId(index as u32) });
    }
    let torn = |spring: &Spring| {
        let free = cloth.is_free(spring.a.index()) || cloth.is_free(spring.b.index());
        let length = cloth.points[spring.a.index()].at.distance(cloth.points[spring.b.index()].at);
        let torn = free && length > TORN * spring.rest_length && spring.rest_length > 0.0;
        torn.then(|| Fault::Torn { particle: spring.a, ratio: length / spring.rest_length })
    };
    springs.stretch.par_chunks(CHUNK).find_map_first(|springs| springs.iter().find_map(torn))
}
