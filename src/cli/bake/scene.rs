//! Preset and flags -> [`Scene`].

use std::path::PathBuf;

use super::arguments::{BakeArguments, InputArguments, LoopArguments, SimulationArguments, TimeArguments};
use crate::carry::Choice;
use crate::cli::failure::{Failure, UsageError};
use crate::import::FileFrame;
use crate::preset::{self, BodyChoice, LOOP_START_FRAME, MeshSource, Scene, Sizes};
use crate::simulate::Wind;

/// The scene that preset and flags describe together: defaults, then the preset, then the flags.
pub(super) fn scene(arguments: &BakeArguments) -> Result<Scene, Failure> {
    let mut scene = match &arguments.preset {
        Some(preset) => preset::load(preset)?,
        None => Scene::default(),
    };
    scene.access = arguments.files_read.access();
    apply_input(&arguments.input, &mut scene)?;
    if !arguments.pins.pins.is_empty() {
        scene.pins.clone_from(&arguments.pins.pins);
    }
    if let Some(carrier) = &arguments.pins.pin_to {
        scene.carrier = carrier.clone();
    }
    apply_time(&arguments.time, &mut scene);
    apply_loop(arguments.cycle, &arguments.time, &mut scene);
    apply_simulation(&arguments.simulation, &mut scene)?;
    scene.with_body |= arguments.output.with_body;
    if !arguments.output.files.is_empty() {
        scene.outputs.clone_from(&arguments.output.files);
    }
    check_needs(arguments, &scene)?;
    complete(&mut scene)?;
    Ok(scene)
}

fn apply_input(input: &InputArguments, scene: &mut Scene) -> Result<(), UsageError> {
    if let Some(garment) = &input.garment {
        scene.garment = Some(MeshSource::File(garment.clone()));
        scene.garment_frame = FileFrame::default();
        scene.garment_pose = None;
        // The parts of another garment mean nothing to this one.
        scene.choice = Choice::default();
    }
    scene.garment_pose = input.garment_pose.or(scene.garment_pose);
    if let Some(units) = input.units {
        scene.garment_frame.unit = units.into();
    }
    if let Some(up) = input.up {
        scene.garment_frame.up = up.into();
    }
    apply_choice(input, &mut scene.choice);
    if let Some(path) = &input.body {
        let mesh = MeshSource::File(path.clone());
        scene.body = Some(BodyChoice { mesh, frame: FileFrame::default(), animation: None });
    }
    if input.units.is_some() || input.body_units.is_some() {
        scene.sizes = Sizes::Trusted;
    }
    apply_body(input, scene)
}

fn apply_choice(input: &InputArguments, choice: &mut Choice) {
    if !input.include.is_empty() {
        choice.include.clone_from(&input.include);
    }
    if !input.exclude.is_empty() {
        choice.exclude.clone_from(&input.exclude);
    }
    choice.islands &= !input.no_islands;
    choice.shells &= !input.no_shells;
    choice.seams &= !input.no_seams;
    choice.simulate_as = input.simulate_as.or(choice.simulate_as);
}

fn apply_body(input: &InputArguments, scene: &mut Scene) -> Result<(), UsageError> {
    let given = [
        ("animation", input.animation.is_some()),
        ("body-units", input.body_units.is_some()),
        ("body-up", input.body_up.is_some()),
    ];
    let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let body = scene.body.as_mut().ok_or(UsageError::NeedsBody { flag })?;
    body.animation = input.animation.clone().or(body.animation.take());
    body.frame.unit = input.body_units.map_or(body.frame.unit, Into::into);
    body.frame.up = input.body_up.map_or(body.frame.up, Into::into);
    Ok(())
}

fn apply_time(time: &TimeArguments, scene: &mut Scene) {
    if let Some(range) = time.frames {
        scene.frames = Some((range.first, range.last));
    }
    scene.fps = time.fps.unwrap_or(scene.fps);
    scene.start_frame = time.start_frame.unwrap_or(scene.start_frame);
    scene.speed = time.speed.unwrap_or(scene.speed);
    if !time.cuts.is_empty() {
        scene.parameters.cuts.clone_from(&time.cuts);
    }
    scene.parameters.preroll = time.preroll.unwrap_or(scene.parameters.preroll);
}

/// A preset that is no loop becomes one of its whole clip, unless flags choose frames.
fn apply_loop(flags: LoopArguments, time: &TimeArguments, scene: &mut Scene) {
    if !flags.is_loop {
        return;
    }
    if scene.cycle.is_none() {
        scene.frames = time.frames.map(|range| (range.first, range.last));
        scene.start_frame = time.start_frame.unwrap_or(LOOP_START_FRAME);
    }
    let laps = scene.parameters.laps.get_or_insert_default();
    laps.most = flags.loop_laps.unwrap_or(laps.most);
    laps.tolerance = flags.loop_tolerance.map_or(laps.tolerance, |mm| (mm / 1000.0) as f32);
    let cycle = scene.cycle.get_or_insert_default();
    cycle.frames = flags.loop_frames.or(cycle.frames);
    cycle.blend = flags.loop_blend.or(cycle.blend);
}

fn apply_simulation(simulation: &SimulationArguments, scene: &mut Scene) -> Result<(), UsageError> {
    let parameters = &mut scene.parameters;
    if let Some(name) = &simulation.fabric {
        parameters.fabric = preset::named_fabric(name).map_err(UsageError::Fabric)?;
    }
    parameters.substeps = simulation.substeps.or(parameters.substeps);
    parameters.integrator = simulation.integrator.unwrap_or(parameters.integrator);
    parameters.enforcement = simulation.enforce.unwrap_or(parameters.enforcement);
    parameters.state_mode = simulation.states.or(parameters.state_mode);
    parameters.look_ahead |= simulation.look_ahead;
    parameters.self_collision &= !simulation.no_self_collision;
    if let Some(velocity) = simulation.wind {
        let (gusts, gust_seconds) = parameters.wind.map_or((0.0, 2.0), |w| (w.gusts, w.gust_seconds));
        parameters.wind = Some(Wind { velocity, gusts, gust_seconds });
    }
    Ok(())
}

/// Flags that say something about a body are of no use without one.
fn check_needs(arguments: &BakeArguments, scene: &Scene) -> Result<(), UsageError> {
    let given = [
        ("garment-pose", arguments.input.garment_pose.is_some()),
        ("speed", arguments.time.speed.is_some()),
        ("cut", !arguments.time.cuts.is_empty()),
        ("look-ahead", arguments.simulation.look_ahead),
        ("with-body", arguments.output.with_body),
        ("max-penetration-mm", arguments.gates.max_penetration_mm.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) if scene.body.is_none() => Err(UsageError::NeedsBody { flag }),
        _ => Ok(()),
    }
}

/// Names the scene after its garment and finds a place for its output, where nobody has.
fn complete(scene: &mut Scene) -> Result<(), UsageError> {
    let garment = scene.garment.as_ref().ok_or(UsageError::NoGarment)?;
    if scene.name.is_empty() {
        scene.name = garment.stem();
    }
    if scene.outputs.is_empty() {
        scene.outputs = vec![PathBuf::from("out").join(format!("{}.glb", scene.name))];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::arguments::{Arguments, Command};
    use crate::pins::{LoopChoice, PinSelector};
    use crate::simulate::{Enforcement, Integrator};

    fn scene_of(line: &str) -> Result<Scene, Failure> {
        let words = ["toile", "bake"].into_iter().chain(line.split_whitespace());
        match Arguments::try_parse_from(words).expect("a bake").command {
            Command::Bake(arguments) => scene(&arguments),
            other => panic!("{other:?} is no bake"),
        }
    }

    #[test]
    fn flags_win_over_the_preset_and_the_preset_over_the_defaults() {
        let preset = scene_of("skirt_walk").unwrap();
        let line = "skirt_walk --fabric silk --frames 5..9 --pin loop:top --preroll 3 --integrator rk4 --enforce provot --out a.glb";
        let scene = scene_of(line).unwrap();
        assert_eq!(scene.parameters.fabric, preset::named_fabric("silk").unwrap());
        assert_eq!(scene.frames, Some((5, 9)));
        assert_eq!(scene.pins, [PinSelector::Loop(LoopChoice::Top)]);
        assert_eq!(scene.parameters.preroll, 3);
        assert_eq!(scene.parameters.integrator, Integrator::Rk4);
        assert_eq!(scene.parameters.enforcement, Enforcement::Provot { passes: 5, threshold: 0.1 });
        assert_eq!(scene.outputs, [PathBuf::from("a.glb")]);
        assert_eq!(scene.body, preset.body);
        assert_eq!(scene.parameters.states, preset.parameters.states);
        assert_eq!(preset.outputs, [PathBuf::from("out/skirt_walk.glb")]);
    }

    #[test]
    fn a_loop_takes_the_whole_clip_from_frame_0_unless_flags_say_else() {
        let scene = scene_of("skirt_walk --loop --loop-laps 5 --loop-tolerance 2 --loop-frames 30").unwrap();
        assert_eq!((scene.frames, scene.start_frame), (None, 0));
        let laps = scene.parameters.laps.unwrap();
        assert_eq!((laps.most, laps.tolerance), (5, 0.002));
        assert_eq!(scene.cycle.unwrap().frames, Some(30));
        let scene = scene_of("skirt_walk --loop --frames 4..36 --start-frame 7 --cut 9 --cut 12").unwrap();
        assert_eq!((scene.frames, scene.start_frame), (Some((4, 36)), 7));
        assert_eq!(scene.parameters.cuts, [9, 12]);
        assert!(scene_of("skirt_walk").unwrap().parameters.laps.is_none());
    }

    #[test]
    fn a_scene_of_flags_alone_is_named_after_its_garment() {
        let scene = scene_of("--garment some/coat.v2.obj --body hero.glb --animation Walk --units cm").unwrap();
        assert_eq!(scene.name, "coat.v2");
        assert_eq!(scene.outputs, [PathBuf::from("out/coat.v2.glb")]);
        assert_eq!(scene.body.unwrap().animation.as_deref(), Some("Walk"));
        assert_eq!(scene.sizes, Sizes::Trusted);
    }

    #[test]
    fn flags_that_mean_nothing_are_refused() {
        assert!(matches!(scene_of(""), Err(Failure::Usage(UsageError::NoGarment))));
        let without_body = scene_of("curtain --animation walk");
        assert!(matches!(without_body, Err(Failure::Usage(UsageError::NeedsBody { flag: "animation" }))));
        assert!(matches!(scene_of("flag --fabric slik"), Err(Failure::Usage(UsageError::Fabric(_)))));
    }
}
