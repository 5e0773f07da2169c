//! What went right and wrong, where.
//!
//! Everything is measured on the finished frames, with nothing taken from the solver: what it believes is not what it did.

mod axis;
pub mod by_state;
pub mod checksum;
pub mod comparison;
pub mod crossings;
mod examine;
mod inside;
pub mod laboratory;
mod lids;
pub mod motion;
pub mod near;
mod page;
pub mod penetration;
mod percentiles;
mod place;
mod planes;
mod probe;
mod retakes;
mod self_contacts;
mod shells;
pub mod steadiness;
pub mod stretch;
mod summary;
mod svg;
pub mod switches;
mod through;
mod winding;
mod worn;
mod write;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

pub use checksum::Checksum;
pub use crossings::Crossings;
pub use examine::{Interrupted, Simulated, Subject, examine};
pub use motion::Motion;
pub use page::page;
pub use penetration::Penetration;
pub(crate) use probe::Probe;
pub use self_contacts::{BodyReport, SelfContactReport};
pub use steadiness::Steadiness;
pub use stretch::Stretch;
pub use switches::Switches;
pub use through::{FrameThrough, ThroughFaces};
pub use write::{write_page, write_report};

use crate::correction::CorrectionMap;
use crate::geometry::DVec3;
use crate::import::{FileFrame, Garment, UpAxis};
use crate::simulate::{Simulation, Timeline};
use crate::springs::SpringNetwork;
use crate::topology::Topology;

/// Frames that share a tree or counters before another thread gets its own.
const FRAMES_A_TASK: usize = 8;

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
    /// What the frames of each state are like.
    pub by_state: BTreeMap<String, by_state::StateFigures>,
    /// What switching between them does.
    pub switches: Switches,
    /// Stretch of mesh edges.
    pub stretch: Stretch,
    /// How calm the cloth is.
    pub motion: Motion,
    /// Frames that stand still or jump.
    pub steadiness: Steadiness,
    /// Where the body touches itself; none without a body.
    pub body: Option<BodyReport>,
    /// Depth inside the body; none without a body.
    pub penetration: Option<Penetration>,
    /// Where the cloth goes through itself.
    pub self_crossings: Crossings,
    /// How well the bake repeats.
    #[serde(rename = "loop")]
    pub repetition: LoopReport,
    /// Where the time went.
    pub seconds: SecondsReport,
    /// Simulation time of a frame, preroll included.
    pub milliseconds_per_frame: f64,
    /// Threads used.
    pub threads: usize,
    /// Most memory that was held at once, MiB; none where the system does not say.
    pub peak_memory_mib: Option<f64>,
    /// What should be looked at, in plain words.
    pub retakes: Vec<String>,
    /// What was odd about the garment, and what is doubtful about the method in this scene, in plain words.
    pub notices: Vec<String>,
    /// Files written.
    pub outputs: Vec<OutputReport>,
    /// Units and axes of OBJ and PC2 outputs: those of the garment's file.
    pub coordinates: CoordinatesReport,
    /// Box and sums of the positions in each frame: what `toile verify` compares outputs with.
    pub checksums: Vec<Checksum>,
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
    /// Particles that were simulated.
    pub simulated_particles: usize,
    /// Vertices that `--include` and `--exclude` left out: the body holds them, and no figure counts them.
    pub excluded_vertices: usize,
    /// Vertices that follow the cloth without being simulated: small pieces on it, the other side of thick cloth, loose ones.
    pub carried_vertices: usize,
    /// Vertices of the file that no face has.
    pub loose_vertices: usize,
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
    /// Particles it starts from: the pins and what the state adds.
    pub fixed: usize,
    /// How well it fitted while it was in force; none if it never was.
    pub validity: Option<ValidityReport>,
}

/// How far what touched was from what a map was built for, over the frames in which it was in force.
#[derive(Clone, Debug, Serialize)]
pub struct ValidityReport {
    /// Number of those frames.
    pub frames: usize,
    /// Jaccard distance of both sets: 0 if they are the same, 1 if they have nothing in common. Mean ...
    pub mean_jaccard: f64,
    /// ... and worst.
    pub worst_jaccard: f64,
    /// Mean distance of what touched from the nearest particle that the map holds, along the cloth, metres. Mean ...
    pub mean_m: f64,
    /// ... and worst.
    pub worst_m: f64,
    /// The frame of the latter.
    pub worst_frame: i64,
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
    /// Number of the first in the outputs.
    pub start_frame: i64,
    /// Frames into which the body jumps: the cloth was carried along or led over.
    pub cuts: Vec<i64>,
}

/// How coordinates of OBJ and PC2 outputs become metres in the world.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoordinatesReport {
    /// Length of a unit.
    pub metres_per_unit: f64,
    /// The axis that points up: `y`, or `z` where (x, y, z) is (x, z, -y) in the world.
    pub up: &'static str,
    /// Where single precision counts from, metres in the world: zero unless the scene is far from there.
    pub origin_m: [f64; 3],
}

/// How well a bake repeats.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LoopReport {
    /// Furthest that a particle is from where it was a cycle before, millimetres: in the last frame of the bake or, of a loop, in any
    /// frame of the lap that was closed, before that: its last, or the one that repeats best. None without whole cycles.
    pub residual_mm: Option<f64>,
    /// The same of each lap of a loop but the first.
    pub residuals_mm: Vec<f64>,
    /// Largest difference of a particle's velocity from that in the lap before, m/s, of each lap but the first.
    pub velocity_residuals_m_s: Vec<f64>,
    /// Laps simulated; none if it is no loop.
    pub laps: Option<u32>,
    /// Residual that was asked for, millimetres.
    pub tolerance_mm: Option<f64>,
    /// Whether the last lap repeats the one before within it; if not, the two laps that differ least were blended.
    pub is_closed: Option<bool>,
}

/// Wall-clock seconds of each part of a bake.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SecondsReport {
    /// Reading garment and body.
    pub import: f64,
    /// Topology, springs, pins, maps, and what else is set up before the first frame.
    pub build: f64,
    /// Simulation of the frames, preroll included.
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
    fn of(garment: &Garment, topology: &Topology, simulated: Simulated) -> GarmentReport {
        GarmentReport {
            name: garment.name.clone(),
            vertices: garment.positions.len(),
            faces: garment.polygons.len(),
            particles: topology.positions.len(),
            simulated_particles: simulated.particles,
            excluded_vertices: simulated.excluded_vertices,
            carried_vertices: simulated.carried_vertices,
            loose_vertices: loose_vertices(garment),
            components: topology.component_count,
            boundary_loops: topology.boundary_loops.len(),
        }
    }
}

fn loose_vertices(garment: &Garment) -> usize {
    let mut is_loose = vec![true; garment.positions.len()];
    garment.polygons.iter().flatten().for_each(|&vertex| is_loose[vertex as usize] = false);
    is_loose.into_iter().filter(|&is_loose| is_loose).count()
}

impl CoordinatesReport {
    fn of(frame: FileFrame, origin: DVec3) -> CoordinatesReport {
        let up = match frame.up {
            UpAxis::Y => "y",
            UpAxis::Z => "z",
        };
        CoordinatesReport { metres_per_unit: frame.unit.metres_exactly(), up, origin_m: origin.to_array() }
    }
}

impl SpringsReport {
    fn of(springs: &SpringNetwork) -> SpringsReport {
        SpringsReport { stretch: springs.stretch.len(), shear: springs.shear.len(), bend: springs.bend.len() }
    }
}

impl FramesReport {
    /// What the frames are called, and in the outputs, where they are counted from a number of their own.
    pub(super) fn words(&self) -> String {
        let FramesReport { first, last, start_frame, .. } = *self;
        let in_outputs = format!(" ({start_frame} to {} in the outputs)", start_frame + last - first);
        format!("frames {first} to {last}{}", if start_frame == first { "" } else { &in_outputs })
    }

    fn of(timeline: &Timeline, cuts: &[i64]) -> FramesReport {
        FramesReport {
            first: timeline.first,
            last: timeline.last,
            fps: timeline.fps.per_second(),
            start_frame: timeline.start_frame,
            cuts: cuts.to_vec(),
        }
    }
}

impl MapReport {
    /// Of the map of this index in a finished simulation.
    fn of(index: usize, map: &CorrectionMap, simulation: &Simulation) -> MapReport {
        MapReport {
            corrections: map.corrections.len(),
            levels: map.levels,
            unreached: map.unreached.len(),
            fixed: map.fixed.len(),
            validity: ValidityReport::of(index, simulation),
        }
    }
}

impl ValidityReport {
    fn of(state: usize, simulation: &Simulation) -> Option<ValidityReport> {
        let frames = (simulation.cache.timeline.first..).zip(simulation.states.iter().zip(&simulation.validity));
        let own: Vec<_> = frames.filter(|(_, (in_force, _))| **in_force == state).map(|(f, (_, v))| (f, v)).collect();
        let mean = |sum: f64| sum / own.len() as f64;
        let worst = own.iter().copied().reduce(|a, b| if b.1.metres > a.1.metres { b } else { a })?;
        Some(ValidityReport {
            frames: own.len(),
            mean_jaccard: mean(own.iter().map(|(_, v)| f64::from(v.jaccard)).sum()),
            worst_jaccard: own.iter().map(|(_, v)| f64::from(v.jaccard)).fold(0.0, f64::max),
            mean_m: mean(own.iter().map(|(_, v)| f64::from(v.metres)).sum()),
            worst_m: f64::from(worst.1.metres),
            worst_frame: worst.0,
        })
    }
}
