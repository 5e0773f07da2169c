//! What went right and wrong, where.
//!
//! Everything is measured on the finished frames, with nothing taken from the solver: what it believes is not what it did.

pub mod comparison;
mod examine;
mod inside;
pub mod motion;
pub mod penetration;
mod place;
mod retakes;
mod shells;
pub mod stretch;
mod summary;
mod winding;
mod write;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

pub use examine::{Subject, examine};
pub use motion::Motion;
pub use penetration::Penetration;
pub use stretch::Stretch;
pub use write::write_report;

use crate::correction::CorrectionMap;
use crate::import::Garment;
use crate::simulate::Timeline;
use crate::springs::SpringNetwork;
use crate::topology::Topology;

/// The report of a bake. The keys of its JSON are stable.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of toile.
    pub toile: &'static str,
    /// Name of the scene.
    pub scene: String,
    /// How it was simulated: `INTEGRATOR/METHOD:NUMBER`.
    pub method: String,
    /// The garment's mesh.
    pub garment: GarmentReport,
    /// Number of springs.
    pub springs: SpringsReport,
    /// Correction map of each collision state.
    pub maps: BTreeMap<String, MapReport>,
    /// Frames baked.
    pub frames: FramesReport,
    /// Collision state in force in each frame.
    pub states: Vec<String>,
    /// Stretch of mesh edges.
    pub stretch: Stretch,
    /// How calm the cloth is.
    pub motion: Motion,
    /// Depth inside the body; none without a body.
    pub penetration: Option<Penetration>,
    /// How well the bake repeats.
    #[serde(rename = "loop")]
    pub repetition: LoopReport,
    /// Where the time went.
    pub seconds: SecondsReport,
    /// Simulation time of a frame, preroll included.
    pub milliseconds_per_frame: f64,
    /// Threads used.
    pub threads: usize,
    /// What should be looked at, in plain words.
    pub retakes: Vec<String>,
    /// What is doubtful about the method in this scene, in plain words.
    pub notices: Vec<String>,
    /// Files written.
    pub outputs: Vec<OutputReport>,
    /// SHA-256 over the `f32` bits of every baked position, in vertex and frame order.
    pub position_hash: String,
}

/// Counts of a garment.
#[derive(Clone, Debug, Serialize)]
pub struct GarmentReport {
    /// Its name.
    pub name: String,
    /// Vertices of the file.
    pub vertices: usize,
    /// Faces of the file.
    pub faces: usize,
    /// Welded vertices.
    pub particles: usize,
    /// Connected components.
    pub components: usize,
    /// Boundary loops.
    pub boundary_loops: usize,
}

/// Numbers of springs.
#[derive(Clone, Debug, Serialize)]
pub struct SpringsReport {
    /// Along edges.
    pub stretch: usize,
    /// Across faces.
    pub shear: usize,
    /// Across vertices.
    pub bend: usize,
}

/// Counts of a correction map.
#[derive(Clone, Debug, Serialize)]
pub struct MapReport {
    /// Length of the ordered list.
    pub corrections: usize,
    /// Dependency levels.
    pub levels: u32,
    /// Particles no spring path reaches.
    pub unreached: usize,
}

/// The frames of a bake.
#[derive(Clone, Debug, Serialize)]
pub struct FramesReport {
    /// First, on the clip's time line.
    pub first: i64,
    /// Last, inclusive.
    pub last: i64,
    /// Frames a second.
    pub fps: f64,
}

/// How well a bake repeats.
#[derive(Clone, Debug, Serialize)]
pub struct LoopReport {
    /// Furthest that a particle is from where it was a cycle before, millimetres; none without whole cycles.
    pub residual_mm: Option<f64>,
}

/// Wall-clock seconds of each part of a bake.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SecondsReport {
    /// Reading garment and body.
    pub import: f64,
    /// Topology, springs, pins and maps.
    pub build: f64,
    /// Simulation, preroll included.
    pub simulate: f64,
    /// Writing outputs.
    pub write: f64,
    /// Measuring all that this report says.
    pub measure: f64,
}

/// A file that was written.
#[derive(Clone, Debug, Serialize)]
pub struct OutputReport {
    /// Where it is.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its content.
    pub sha256: String,
}

impl GarmentReport {
    fn of(garment: &Garment, topology: &Topology) -> GarmentReport {
        GarmentReport {
            name: garment.name.clone(),
            vertices: garment.positions.len(),
            faces: garment.polygons.len(),
            particles: topology.positions.len(),
            components: topology.component_count,
            boundary_loops: topology.boundary_loops.len(),
        }
    }
}

impl SpringsReport {
    fn of(springs: &SpringNetwork) -> SpringsReport {
        SpringsReport { stretch: springs.stretch.len(), shear: springs.shear.len(), bend: springs.bend.len() }
    }
}

impl FramesReport {
    fn of(timeline: &Timeline) -> FramesReport {
        FramesReport { first: timeline.first, last: timeline.last, fps: timeline.fps.per_second() }
    }
}

impl MapReport {
    fn of(map: &CorrectionMap) -> MapReport {
        MapReport { corrections: map.corrections.len(), levels: map.levels, unreached: map.unreached.len() }
    }
}
