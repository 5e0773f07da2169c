//! Correction maps (Ozgen & Kallmann, "Directional Constraint Enforcement for Fast Cloth Simulation", MIG 2011, Algorithm 1)
//! per collision state, and root tethers.

mod classify;
mod export;
mod geodesic;
mod levels;
mod map;
mod order;

pub use geodesic::{Geodesics, Tether, tethers};
pub use map::{CorrectionMap, MapOptions};
pub use order::SpringOrder;

use crate::springs::SpringNetwork;
use crate::topology::{ParticleId, Topology};

/// Class of the spring a correction follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CorrectionKind {
    /// A stretch spring across the direction of gravity.
    HorizontalStretch,
    /// A stretch spring along the direction of gravity, downwards.
    VerticalStretch,
    /// A shear spring, not upwards.
    Shear,
    /// A spring taken by distance from the fixed particles where strict gravity reached nothing.
    Completion,
}

/// One step of the ordered list: `goal` is moved to its rest distance from `source`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correction {
    /// Stays.
    pub source: ParticleId,
    /// Moves.
    pub goal: ParticleId,
    /// Rest length of the spring between them, metres.
    pub rest_length: f32,
    /// Class of the spring.
    pub kind: CorrectionKind,
    /// Dependency level, from 0: corrections of one level do not touch each other's results.
    pub level: u32,
}

/// The correction maps of a garment, one a collision state.
#[derive(Clone, Debug, Default)]
pub struct CorrectionMaps {
    /// Maps in the order of the states given.
    pub maps: Vec<CorrectionMap>,
}

impl CorrectionMaps {
    /// Builds a map for each state: its name and the particles it holds beside the pins (those the body part touches).
    pub fn build(
        states: &[(String, Vec<ParticleId>)],
        pinned: &[ParticleId],
        topology: &Topology,
        springs: &SpringNetwork,
        options: &MapOptions,
    ) -> CorrectionMaps {
        let build = |(name, extra): &(String, Vec<ParticleId>)| {
            let fixed: Vec<ParticleId> = pinned.iter().chain(extra).copied().collect();
            CorrectionMap::build(name, &fixed, topology, springs, options)
        };
        CorrectionMaps { maps: states.iter().map(build).collect() }
    }

    /// The map of the state with this name.
    pub fn get(&self, state: &str) -> Option<&CorrectionMap> {
        self.maps.iter().find(|map| map.state == state)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
