//! JSON scenes and fabrics -> typed parameters.
//!
//! ```text
//! name or path -> JSON -> check against the schema -> SceneFile (as written) -> Scene (as meant)
//!                         all faults with their paths                           built-in default < preset
//! ```
//!
//! A range is declared once, beside its field; the schema, the check and the messages follow from it.

pub mod builtin;
mod check;
mod compare;
mod duplicates;
mod error;
mod fabric;
mod file;
mod frame_rate;
mod load;
mod scene;
pub mod schema;
mod simulation;

pub use compare::{CompareFile, Comparison};
pub use error::{Fault, PresetError, Problem, closest_word};
pub use fabric::{FabricChanges, FabricChoice, FabricFile, Published, fabric_colour, named_fabric};
pub use file::{
    BodyFile, FpsFile, GarmentFile, GridFile, LOOP_START_FRAME, LoopFile, OutputFile, PlaneName, SceneFile, SpeedFile,
    UnitName, UpName,
};
pub use frame_rate::{FrameRateError, SpeedError, parse_frame_rate, parse_speed};
pub use load::{load, parse};
pub use scene::{BodyChoice, CycleChoice, MeshSource, Scene, Sizes};
pub use simulation::{
    CapsuleFile, ColliderFile, EnforcementFile, PlaneFile, SimulationFile, SphereFile, SpringsFile, StateFile, WindFile,
};

use crate::simulate::{Fabric, FrameRate};

/// Fabric of a scene that names none.
pub const DEFAULT_FABRIC: &str = "cotton";
/// Frame rate of a scene that names none.
pub const DEFAULT_FPS: FrameRate = FrameRate::whole(30);

/// The built-in [`DEFAULT_FABRIC`].
pub fn default_fabric() -> Fabric {
    named_fabric(DEFAULT_FABRIC).unwrap_or_default()
}
