//! Correction maps (Ozgen & Kallmann, "Directional Constraint Enforcement for Fast Cloth Simulation", MIG 2011, Algorithm 1)
//! per collision state, and root tethers.

use crate::topology::ParticleId;

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

/// The correction map of one collision state.
#[derive(Clone, Debug)]
pub struct CorrectionMap {
    /// Name of the state, `no_knee` say.
    pub state: String,
    /// Fixed particles it starts from, ascending: the pins and what the state adds.
    pub fixed: Vec<ParticleId>,
    /// The ordered list.
    pub corrections: Vec<Correction>,
    /// Number of dependency levels.
    pub levels: u32,
    /// Particles no spring path from a fixed one reaches, ascending.
    pub unreached: Vec<ParticleId>,
}

/// Nearest root of each particle along the cloth (one-way tether).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tether {
    /// The fixed particle it hangs from.
    pub root: ParticleId,
    /// Geodesic rest distance to it, metres.
    pub length: f32,
}

/// placeholder until merged
pub fn tethers(topology: &crate::topology::Topology, fixed: &[ParticleId]) -> Vec<Option<Tether>> {
    topology
        .positions
        .iter()
        .map(|p| {
            let root = fixed
                .iter()
                .map(|f| (topology.positions[f.index()].distance(*p), *f))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            root.map(|(length, root)| Tether { root, length })
        })
        .collect()
}
