//! `toile bake`: flags -> scene -> files and report.

mod arguments;
pub(crate) mod bound;
pub(crate) mod cloth;
mod gates;
pub(crate) mod identity;
pub(crate) mod inputs;
mod keeper;
mod own_parts;
mod partial;
mod scene;
pub(crate) mod timeline;

use std::borrow::Cow;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use self::cloth::Cloth;
use self::inputs::Inputs;
use self::keeper::Keeper;
use super::console::Console;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::memory;
use super::{print, print_json};
use crate::bake::{self, Bake, BakeError, Format, Output, OutputLocks, Overwrite, Written};
use crate::preset::Scene;
use crate::report::{self, OutputReport, Penetration, Report, SecondsReport, Subject};
use crate::simulate::{self, LapNumber, PointCache, Progress, Setup, Simulation, SimulationError, Snapshot};

pub(crate) use arguments::BakeArguments;

/// Bakes what the flags say.
pub(crate) fn run(arguments: &BakeArguments, console: &Console, interrupt: &Interrupt) -> Result<(), Failure> {
    let scene = scene::scene(arguments)?;
    let output = &arguments.output;
    use_threads(arguments.simulation.threads)?;
    let overwrite = if output.force { Overwrite::Allow } else { Overwrite::Refuse };
    let (report, failed) = bake_scene(&scene, arguments, overwrite, console, interrupt)?;
    console.stage(report.to_string().trim_end());
    if output.json {
        print_json(&report)?;
    } else {
        let written = scene.outputs.iter().map(|path| format!("{}\n", path.display()));
        print(&written.collect::<String>())?;
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Gates(failed)) }
}

/// The whole bake: its report, and the quality gates that it does not pass. Nothing is written before all outputs are known to be possible, and nothing under its final name before
/// all of it is complete.
fn bake_scene(
    scene: &Scene,
    arguments: &BakeArguments,
    overwrite: Overwrite,
    console: &Console,
    interrupt: &Interrupt,
) -> Result<(Report, Vec<String>), Failure> {
    let outputs = parse_outputs(&scene.outputs)?;
    let _held = OutputLocks::take(&outputs)?;
    let mut clock = Clock::start();
    console.stage(&format!("baking {}", scene.name));
    let beat = console.heartbeat("import");

    let mut inputs = inputs::read(scene, console)?;
    if outputs.iter().all(|output| output.format != Format::ObjSequence) {
        inputs.garment.source.forget_text();
    }
    inputs.check_size(scene)?;
    timeline::check_loop(scene)?;
    let reports = &arguments.output.reports;
    let mut written: Vec<PathBuf> = outputs.iter().flat_map(|output| output.files(&inputs.timeline)).collect();
    let kept = inputs.kept_files(scene, &[written.as_slice(), reports].concat());
    bake::check_outputs(&outputs, &inputs.timeline, &kept, overwrite)?;
    check_report_files(reports, &mut written, &kept)?;
    let odd: Vec<String> = outputs
        .iter()
        .flat_map(|output| {
            output.left_beside(&inputs.timeline).into_iter().chain(inputs.materials_elsewhere(scene, output))
        })
        .collect();
    console.notes(&odd);
    inputs.notices.extend(odd);
    bake::check_space(&outputs, &inputs.garment, inputs.timeline.len())?;
    let has_checkpoint = |output: &&Output| bake::checkpoint_path(output).is_file();
    let kept_beside = outputs.iter().find(has_checkpoint).unwrap_or(&outputs[0]);
    let mut keeper = Keeper::find(scene, &inputs, kept_beside, &arguments.checkpoints, console)?;
    let import = clock.lap();
    beat.iter().for_each(|beat| beat.stage("building"));

    let cloth = cloth::build(scene, &inputs, &scene.parameters.map_options())?;
    describe(&cloth, console);
    let mut build = clock.lap();
    drop(beat);

    let simulated = simulate_kept(scene, &inputs, &cloth, Some(&mut keeper), console, interrupt);
    let (mut simulation, diverged) = match simulated {
        Ok(simulation) => (simulation, None),
        Err(error) => {
            let (part, failure) = what_is_left(error, arguments, &cloth, &mut keeper);
            let Some(part) = part else { return Err(failure) };
            (part, Some(failure))
        }
    };
    let total = frames_to_simulate(scene, &inputs);
    keeper.before_outputs(&mut simulation, total);
    let beat = console.heartbeat("measuring");
    let keep = scene.parameters.fabric.thickness;
    let carried = cloth::carried(&cloth, inputs.body.as_ref(), keep, &simulation.cache);
    let cache = carried.as_ref().unwrap_or(&simulation.cache);
    let set_up = keeper.set_up_seconds();
    build += set_up;
    let simulate = keeper.seconds() + clock.lap() - set_up;

    // Before anything is written: after an interruption the same command finds no output in its way.
    console.stage("measuring");
    let measured = report::examine(&subject(scene, &inputs, &cloth, &simulation, cache, interrupt));
    let measure = clock.lap();
    let written = measured.map_err(Failure::from).and_then(|report| {
        console.notes(report.penetration.as_ref().and_then(Penetration::coarse_notice).as_slice());
        console.notes(report.self_crossings.coarse_notice().as_slice());
        beat.iter().for_each(|beat| beat.stage("writing"));
        let written = bake::write(&outputs, &result(scene, &inputs, &cloth, cache, interrupt), overwrite)?;
        Ok((report, written))
    });
    let (mut report, written) = match written {
        Ok(done) => done,
        Err(failure) => {
            keeper.finished(&mut simulation, total);
            return Err(keeper.explain(failure));
        }
    };
    report.seconds = SecondsReport { import, build, simulate, write: clock.lap(), measure };
    report.milliseconds_per_frame = simulate * 1000.0 / steps(scene, &simulation).max(1) as f64;
    report.threads = rayon::current_num_threads();
    report.peak_memory_mib = memory::peak_mib();
    report.outputs = written.into_iter().map(output_report).collect();
    let failed = gates::failed(arguments.gates, &report);
    let reported = reports.iter().try_for_each(|path| {
        if !is_page(path) {
            return report::write_report(&report, path);
        }
        let subject = subject(scene, &inputs, &cloth, &simulation, cache, interrupt);
        report::write_page(&report::page(&report, &subject, &failed), path)
    });
    if let Err(error) = reported {
        keeper.finished(&mut simulation, total);
        return Err(keeper.explain_report(error.into()));
    }
    keeper.remove();
    diverged.map_or(Ok((report, failed)), Err)
}

/// Of a simulation that did not finish: the frames to write all the same, and the failure.
fn what_is_left(
    mut error: SimulationError,
    arguments: &BakeArguments,
    cloth: &Cloth,
    keeper: &mut Keeper<'_>,
) -> (Option<Simulation>, Failure) {
    if !matches!(error, SimulationError::Diverged { .. }) {
        return (None, keeper.explain(error.into()));
    }
    keeper.give_up();
    let (part, is_written) = (partial::good_frames(&mut error), arguments.output.keep_partial);
    let failure = partial::explained(error, cloth, part.as_ref(), is_written);
    (part.filter(|_| is_written), failure)
}

/// Whether a report is for people.
fn is_page(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm"))
}

/// Runs the simulation under a progress bar.
pub(crate) fn simulate_scene(
    scene: &Scene,
    inputs: &Inputs,
    cloth: &Cloth,
    console: &Console,
    interrupt: &Interrupt,
) -> Result<Simulation, SimulationError> {
    simulate_kept(scene, inputs, cloth, None, console, interrupt)
}

/// The same, from where a bake before was stopped, and kept for one after.
fn simulate_kept(
    scene: &Scene,
    inputs: &Inputs,
    cloth: &Cloth,
    mut keeper: Option<&mut Keeper<'_>>,
    console: &Console,
    interrupt: &Interrupt,
) -> Result<Simulation, SimulationError> {
    let setup = Setup {
        topology: &cloth.topology,
        springs: &cloth.springs,
        maps: &cloth.maps.maps,
        body: inputs.body.as_ref(),
        pins: &cloth.pins,
        parameters: &scene.parameters,
        timeline: &inputs.timeline,
        start: cloth.start,
    };
    let warnings = simulate::warnings(&setup);
    console.notes(&warnings);
    let mut state = keeper.as_mut().and_then(|keeper| keeper.take_state());
    let before = keeper.as_ref().map_or(0, |keeper| keeper.before());
    let mut progress = console.progress_from(u64::from(before), u64::from(frames_to_simulate(scene, inputs)));
    let shown = &mut progress;
    let mut after_frame = move |now: Progress, snapshot: &mut Snapshot<'_>| {
        shown.update(u64::from(now.done), &what(now));
        shown.beat(now);
        let stops = interrupt.is_requested();
        if let Some(keeper) = &mut keeper {
            keeper.frame(now, snapshot, stops);
        }
        if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // On a thread of the pool: from outside, each of thousands of small parallel loops would first wake one up.
    let result = rayon::scope(|_| {
        let state = state.as_mut().map(|state| state as &mut dyn Read);
        simulate::run_from(&setup, state, &mut after_frame)
    });
    progress.finish();
    if let Ok(simulation) = &result {
        console.notes(&simulation.notices[warnings.len()..]);
    }
    result
}

/// Frames that are simulated at most, all passes and laps.
fn frames_to_simulate(scene: &Scene, inputs: &Inputs) -> u32 {
    let passes = if scene.parameters.takes_two_passes() { 2 } else { 1 };
    scene.parameters.frames_to_simulate(&inputs.timeline).saturating_mul(passes)
}

/// What the frames that are simulated now are for.
fn what(now: Progress) -> Cow<'static, str> {
    if let Some(LapNumber { number, most, .. }) = now.lap {
        return Cow::Owned(format!("lap {number} of at most {most}"));
    }
    Cow::Borrowed(match (now.looks_ahead, now.preroll) {
        (true, true) => "preroll, looking ahead",
        (true, false) => "looking ahead",
        (false, true) => "preroll",
        (false, false) => "simulating",
    })
}

/// How often the cloth went on from one frame to the next, preroll and laps included.
fn steps(scene: &Scene, simulation: &Simulation) -> usize {
    let frames = simulation.cache.frames.len();
    let laps = simulation.repetition.as_ref().map_or(1, |outcome| outcome.laps as usize);
    scene.parameters.preroll as usize + frames.saturating_sub(1) * laps
}

/// What is written.
fn result<'a>(
    scene: &Scene,
    inputs: &'a Inputs,
    cloth: &'a Cloth,
    cache: &'a PointCache,
    interrupt: &'a Interrupt,
) -> Bake<'a> {
    Bake {
        garment: &inputs.garment,
        particle_of_vertex: &cloth.whole().particle_of_vertex,
        cache,
        origin: inputs.origin(),
        body: inputs.body.as_ref().filter(|_| scene.with_body),
        clip: None,
        interrupted: Some(interrupt.flag()),
    }
}

/// What is reported on.
fn subject<'a>(
    scene: &'a Scene,
    inputs: &'a Inputs,
    cloth: &'a Cloth,
    simulation: &'a Simulation,
    cache: &'a PointCache,
    interrupt: &'a Interrupt,
) -> Subject<'a> {
    Subject {
        scene: &scene.name,
        method: scene.parameters.method(),
        garment: &inputs.garment,
        topology: cloth.whole(),
        simulated: cloth.counts(),
        springs: &cloth.springs,
        body: inputs.body.as_ref(),
        start: cloth.start.moment(inputs.timeline.clip_seconds(0)),
        thickness: scene.parameters.distance_kept(&cloth.topology),
        cloth: &cloth.topology,
        pins: &cloth.pins.particles,
        cache,
        origin: inputs.origin(),
        notices: [&inputs.notices, &cloth.notices],
        simulation,
        interrupted: Some(interrupt.flag()),
    }
}

fn parse_outputs(paths: &[PathBuf]) -> Result<Vec<Output>, Failure> {
    paths.iter().map(|path| Output::parse(path).map_err(Failure::Bake)).collect()
}

/// Reports may replace older reports, never what the bake is made from or writes, nor each other.
fn check_report_files(reports: &[PathBuf], written: &mut Vec<PathBuf>, inputs: &[PathBuf]) -> Result<(), BakeError> {
    for report in reports {
        bake::check_side_file(report, written, inputs, Overwrite::Allow)?;
        written.push(report.clone());
    }
    Ok(())
}

pub(crate) fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
    pool.build_global()
        .map_err(|error| Failure::System { what: "to start the threads", source: std::io::Error::other(error) })
}

fn describe(cloth: &Cloth, console: &Console) {
    console.notes(&cloth.notices);
    let springs = &cloth.springs;
    let [stretch, shear, bend] = [springs.stretch.len(), springs.shear.len(), springs.bend.len()];
    console.detail(&format!(
        "{} particles, {} of them pinned",
        cloth.topology.positions.len(),
        cloth.pins.particles.len()
    ));
    console.detail(&format!("{stretch} stretch, {shear} shear and {bend} bend springs"));
    for map in &cloth.maps.maps {
        let (corrections, levels, unreached) = (map.corrections.len(), map.levels, map.unreached.len());
        let words = format!("{corrections} corrections in {levels} levels, {unreached} particles unreached");
        console.detail(&format!("correction map {}: {words}", map.state));
    }
}

fn output_report(written: Written) -> OutputReport {
    OutputReport { path: written.path, bytes: written.bytes, sha256: written.sha256 }
}

/// Times the parts of a bake.
struct Clock(Instant);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now())
    }

    /// Seconds since the start or the last lap.
    fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}
