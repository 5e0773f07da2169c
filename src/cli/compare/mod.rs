//! `toile compare`: each method on the same scene, side by side.

mod arguments;
mod trial;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use self::trial::{Bench, candidates};
use super::bake::cloth::{self, Cloth};
use super::bake::inputs::{self, Inputs};
use super::console::{Console, printable};
use super::failure::{Failure, UsageError};
use super::interrupt::Interrupt;
use super::{print, print_json};
use crate::bake::{self, BakeError, FileSet, Overwrite};
use crate::body::lacking;
use crate::correction::{CorrectionMap, MapOptions};
use crate::preset::{self, Scene};
use crate::report::Subject;
use crate::report::comparison::{MapCost, SceneComparison, picture};
use crate::simulate::{Setup, Simulation};

pub(crate) use arguments::CompareArguments;

/// Times each map is built to time it; the fastest counts.
const MAP_BUILDS: u32 = 5;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Document<'a> {
    toile: &'static str,
    scenes: &'a [SceneComparison],
}

/// A scene ready to be simulated by any method.
struct Stage {
    scene: Scene,
    inputs: Inputs,
    cloth: Cloth,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Picture,
    Json,
}

/// Compares what the flags say.
pub(crate) fn run(arguments: &CompareArguments, console: &Console, interrupt: &Interrupt) -> Result<(), Failure> {
    let formats: Vec<Format> = arguments.files.iter().map(|path| Format::of(path)).collect::<Result<_, _>>()?;
    let stages: Vec<Stage> =
        arguments.presets.iter().map(|preset| Stage::set(preset, arguments, console)).collect::<Result<_, _>>()?;
    check_files(arguments, &stages)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool =
        &pool.map_err(|error| Failure::System { what: "to start a thread", source: std::io::Error::other(error) })?;
    let bench = Bench { pool, repeat: arguments.repeat, console, interrupt };
    let scenes: Vec<SceneComparison> = stages.iter().map(|stage| compare(stage, &bench)).collect::<Result<_, _>>()?;
    let document = Document { toile: env!("CARGO_PKG_VERSION"), scenes: &scenes };
    let mut files = FileSet::default();
    for (path, format) in arguments.files.iter().zip(formats) {
        write(&mut files, path, format, &document)?;
    }
    files.commit(Overwrite::Allow)?;
    if arguments.json {
        return print_json(&document);
    }
    let tables: Vec<String> = scenes.iter().map(ToString::to_string).collect();
    print(&printable(&tables.join("\n")))
}

/// All methods on one scene.
fn compare(stage: &Stage, bench: &Bench<'_>) -> Result<SceneComparison, Failure> {
    let nothing = stage.nothing();
    let Scene { description, comparison, .. } = &stage.scene;
    let subject = stage.subject(&nothing);
    let mut result = SceneComparison::new(&subject, description, &comparison.source, stage.map_costs());
    result.trials = bench.run(stage, &candidates(stage))?;
    result.compare_times();
    Ok(result)
}

impl Stage {
    /// Reads the scene called `preset`, as the flags change it, and everything it needs.
    fn set(preset: &str, arguments: &CompareArguments, console: &Console) -> Result<Stage, Failure> {
        let mut scene = preset::load(preset)?;
        scene.access = arguments.files_read.access();
        if let Some(range) = arguments.frames {
            scene.frames = Some((range.first, range.last));
        }
        if !arguments.methods.is_empty() {
            scene.comparison.methods.clone_from(&arguments.methods);
        }
        if !arguments.substeps.is_empty() {
            scene.comparison.substeps.clone_from(&arguments.substeps);
        }
        if !arguments.states.is_empty() {
            scene.comparison.states.clone_from(&arguments.states);
        }
        if !arguments.near.is_empty() {
            scene.comparison.near.clone_from(&arguments.near);
        }
        let inputs = inputs::read(&scene, console)?;
        check_places(&scene, &inputs)?;
        inputs.check_size(&scene)?;
        let cloth = cloth::build(&scene, &inputs, &scene.parameters.map_options())?;
        console.notes(&cloth.notices);
        Ok(Stage { scene, inputs, cloth })
    }

    fn setup(&self) -> Setup<'_> {
        Setup {
            topology: &self.cloth.topology,
            springs: &self.cloth.springs,
            maps: &self.cloth.maps.maps,
            body: self.inputs.body.as_ref(),
            pins: &self.cloth.pins,
            parameters: &self.scene.parameters,
            timeline: &self.inputs.timeline,
            start: self.cloth.start,
        }
    }

    fn subject<'a>(&'a self, simulation: &'a Simulation) -> Subject<'a> {
        Subject {
            scene: &self.scene.name,
            method: self.scene.parameters.method(),
            garment: &self.inputs.garment,
            // Methods are compared on what they simulate.
            topology: &self.cloth.topology,
            simulated: self.cloth.counts(),
            springs: &self.cloth.springs,
            body: self.inputs.body.as_ref(),
            start: self.cloth.start.moment(self.inputs.timeline.clip_seconds(0)),
            thickness: self.scene.parameters.distance_kept(&self.cloth.topology),
            cloth: &self.cloth.topology,
            pins: &self.cloth.pins.particles,
            cache: &simulation.cache,
            origin: self.inputs.origin(),
            notices: [&self.inputs.notices, &self.cloth.notices],
            simulation,
            interrupted: None,
        }
    }

    /// A simulation of no frame yet.
    fn nothing(&self) -> Simulation {
        Simulation::of(self.inputs.timeline)
    }

    /// What the correction map of each collision state takes.
    fn map_costs(&self) -> BTreeMap<String, MapCost> {
        let options = MapOptions { gravity: self.scene.parameters.gravity.as_dvec3(), ..MapOptions::default() };
        let build = |map: &CorrectionMap| {
            let start = Instant::now();
            let _ = CorrectionMap::build(&map.state, &map.fixed, &self.cloth.topology, &self.cloth.springs, &options);
            start.elapsed().as_secs_f64() * 1000.0
        };
        let cost = |map: &CorrectionMap| {
            let (corrections, levels, unreached) = (map.corrections.len(), map.levels, map.unreached.len());
            let milliseconds = (0..MAP_BUILDS).map(|_| build(map)).fold(f64::INFINITY, f64::min);
            (map.state.clone(), MapCost { corrections, levels, unreached, milliseconds })
        };
        self.cloth.maps.maps.iter().map(cost).collect()
    }
}

impl Format {
    fn of(path: &Path) -> Result<Format, UsageError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("svg") => Ok(Format::Picture),
            Some("json") => Ok(Format::Json),
            _ => Err(UsageError::ComparisonFormat { path: path.to_owned() }),
        }
    }
}

/// Stops when a place to look at is not there.
fn check_places(scene: &Scene, inputs: &Inputs) -> Result<(), UsageError> {
    let body = inputs.body.as_ref();
    let is_known = |joint: &str| body.is_some_and(|body| body.joint_named(joint).is_some());
    match scene.comparison.near.iter().find(|place| !is_known(&place.joint)) {
        Some(place) => Err(UsageError::NoSuchJoint { joint: place.joint.clone(), known: lacking(body) }),
        None => Ok(()),
    }
}

/// Stops before the first simulation when a file cannot be written.
fn check_files(arguments: &CompareArguments, stages: &[Stage]) -> Result<(), BakeError> {
    let inputs: Vec<PathBuf> = stages.iter().flat_map(|stage| stage.inputs.files.iter().cloned()).collect();
    let overwrite = if arguments.force { Overwrite::Allow } else { Overwrite::Refuse };
    for (index, path) in arguments.files.iter().enumerate() {
        bake::check_side_file(path, &arguments.files[..index], &inputs, overwrite)?;
    }
    Ok(())
}

fn write(files: &mut FileSet, path: &Path, format: Format, document: &Document<'_>) -> Result<(), BakeError> {
    files.add(path, path, |sink| match format {
        Format::Picture => sink.write_all(picture(document.scenes).as_bytes()),
        Format::Json => {
            serde_json::to_writer_pretty(&mut *sink, document)?;
            sink.write_all(b"\n")
        }
    })
}
