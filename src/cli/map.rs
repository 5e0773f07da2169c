//! `toile map`: the correction maps of a scene as JSON.

use serde::Serialize;

use super::arguments::MapArguments;
use super::bake::cloth::{self, Cloth};
use super::bake::inputs;
use super::console::Console;
use super::failure::Failure;
use super::print;
use crate::bake::{self, Overwrite};
use crate::correction::{CorrectionKind, CorrectionMap};
use crate::preset;
use crate::topology::ParticleId;

/// Correction maps of all collision states.
#[derive(Debug, Serialize)]
struct MapsFile<'a> {
    scene: &'a str,
    visit_limit: u32,
    /// Particle of each vertex of the garment's file: corrections count particles. Null for vertices that are not simulated as
    /// such.
    particle_of_vertex: Vec<Option<u32>>,
    states: Vec<StateMap<'a>>,
}

#[derive(Debug, Serialize)]
struct StateMap<'a> {
    state: &'a str,
    levels: u32,
    fixed: Vec<u32>,
    unreached: Vec<u32>,
    /// In the order they are made.
    corrections: Vec<CorrectionLine>,
}

#[derive(Debug, Serialize)]
struct CorrectionLine {
    source: u32,
    goal: u32,
    rest_length: f32,
    kind: CorrectionKind,
    level: u32,
}

/// Builds the maps and writes them.
pub(crate) fn run(arguments: &MapArguments, console: &Console) -> Result<(), Failure> {
    let mut scene = preset::load(&arguments.preset)?;
    scene.access = arguments.files_read.access();
    // Maps of all states, whether or not a bake uses them.
    scene.parameters.state_mode = None;
    let inputs = inputs::read(&scene, console)?;
    let overwrite = if arguments.force { Overwrite::Allow } else { Overwrite::Refuse };
    bake::check_side_file(&arguments.out, &[], &inputs.files, overwrite)?;
    let mut options = scene.parameters.map_options();
    options.visit_limit = arguments.visit_limit.unwrap_or(options.visit_limit);
    let cloth = cloth::build(&scene, &inputs, &options)?;
    console.notes(&cloth.notices);
    let file = MapsFile {
        scene: &scene.name,
        visit_limit: options.visit_limit,
        particle_of_vertex: particles(&cloth),
        states: cloth.maps.maps.iter().map(StateMap::of).collect(),
    };
    bake::write_file(&arguments.out, |sink| {
        serde_json::to_writer(&mut *sink, &file)?;
        sink.write_all(b"\n")
    })?;
    print(&format!("{}\n", arguments.out.display()))
}

/// Simulated particle of each vertex of the file.
fn particles(cloth: &Cloth) -> Vec<Option<u32>> {
    let simulated = |p: &ParticleId| match &cloth.rest {
        None => Some(p.0),
        Some(rest) => rest.carry.particle_of(*p).map(|p| p.0),
    };
    cloth.whole().particle_of_vertex.iter().map(simulated).collect()
}

impl StateMap<'_> {
    fn of(map: &CorrectionMap) -> StateMap<'_> {
        let corrections = map.corrections.iter().map(|c| CorrectionLine {
            source: c.source.0,
            goal: c.goal.0,
            rest_length: c.rest_length,
            kind: c.kind,
            level: c.level,
        });
        StateMap {
            state: &map.state,
            levels: map.levels,
            fixed: map.fixed.iter().map(|p| p.0).collect(),
            unreached: map.unreached.iter().map(|p| p.0).collect(),
            corrections: corrections.collect(),
        }
    }
}
