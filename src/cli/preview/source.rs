//! What is named on the command line -> something that can be shown.

use std::path::Path;

use super::arguments::{PreviewArguments, Show, SourceArguments};
use super::quick::{self, Simulated};
use crate::body::Body;
use crate::cli::bake::cloth::{self, Cloth};
use crate::cli::bake::{inputs, timeline};
use crate::cli::console::Console;
use crate::cli::failure::{Failure, UsageError};
use crate::cli::interrupt::Interrupt;
use crate::import::{self, BodyAsset, FileFrame, Track};
use crate::preset::{self, DEFAULT_FPS, Scene, UnitName, UpName, builtin};
use crate::preview::{FigureKind, Film, Outfit, Paint, Pose, from_srgb};
use crate::simulate::{FrameRate, Parameters, PointCache, SimulationError, Timeline};
use crate::topology::Topology;

/// What is shown.
pub(super) struct Take {
    pub(super) name: String,
    pub(super) film: Film,
    /// The mesh that a point cache moves, as it was made.
    made: Option<Pose>,
    /// What only a scene has.
    pub(super) scene: Option<Played>,
}

/// A scene that was simulated.
pub(super) struct Played {
    pub(super) parameters: Parameters,
    pub(super) cloth: Cloth,
    /// What the solver gave: particles of the simulated cloth, which the film may show as a finer one.
    pub(super) simulated: Simulated,
    /// Whether the film shows the simulated cloth itself.
    shows_particles: bool,
}

impl Played {
    /// Where the particles are, unless they are the vertices that the film shows.
    pub(super) fn particles(&self) -> Option<&PointCache> {
        (!self.shows_particles && self.cloth.rest.is_some()).then_some(&self.simulated.cache)
    }

    /// The cloth that the film shows.
    pub(super) fn shown(&self) -> &Topology {
        if self.shows_particles { &self.cloth.topology } else { self.cloth.whole() }
    }
}

/// Reads or simulates what the flags name.
pub(super) fn take(arguments: &PreviewArguments, console: &Console, interrupt: &Interrupt) -> Result<Take, Failure> {
    let subject = arguments.subject.as_deref().ok_or(UsageError::NothingToShow)?;
    let path = Path::new(subject);
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let show = arguments.look.show;
    // The name of a scene means that, whatever folder is called the same.
    let is_sequence = path.is_dir() && !builtin::scene_names().contains(&subject);
    let extension = if is_sequence { Some("obj") } else { extension.as_deref() };
    let is_file = matches!(extension, Some("glb" | "gltf" | "obj" | "pc2"));
    check_flags(&arguments.source, is_file, extension == Some("pc2"))?;
    match extension {
        Some("glb" | "gltf" | "obj" | "pc2") if show.needs_scene() => {
            Err(UsageError::ShowNeedsScene { show: show.name() }.into())
        }
        Some("glb" | "gltf" | "obj") => of_file(path, &arguments.source, console),
        Some("pc2") => of_point_cache(path, &arguments.source, console),
        _ => of_scene(preset::load(subject)?, show, &arguments.source, console, interrupt),
    }
}

/// Refuses flags that mean nothing to a file, to other files than point caches, or to a preset.
pub(super) fn check_flags(source: &SourceArguments, is_file: bool, is_point_cache: bool) -> Result<(), UsageError> {
    let flags = [
        ("fabric", source.fabric.is_some(), is_file),
        ("full", source.full, is_file),
        ("no-cache", source.no_cache, is_file),
        ("animation", source.animation.is_some(), !is_file),
        ("fps", source.fps.is_some(), !is_file),
        ("units", source.units != UnitName::default(), !is_file),
        ("up", source.up != UpName::default(), !is_file),
        ("mesh", source.mesh.is_some(), !is_point_cache),
    ];
    let of_what = if is_file { "a file" } else { "a preset" };
    refuse_given(flags.map(|(flag, is_given, is_idle)| (flag, is_given && is_idle)), of_what)
}

/// Refuses the first of these flags that is given: it means nothing to what is shown.
pub(super) fn refuse_given<const N: usize>(
    flags: [(&'static str, bool); N],
    of_what: &'static str,
) -> Result<(), UsageError> {
    let given = flags.into_iter().find(|&(_, is_given)| is_given);
    given.map_or(Ok(()), |(flag, _)| Err(UsageError::IdleFlag { flag, of_what }))
}

/// The built-in scene called `name`, from its first frame on for so many more.
pub(super) fn beginning(name: &str, frames: i64) -> Result<Scene, Failure> {
    let mut scene = preset::load(name)?;
    let (first, last) = scene.frames.unwrap_or((0, frames));
    scene.frames = Some((first, last.min(first + frames)));
    Ok(scene)
}

/// Makes the cloth of `scene` of a built-in fabric.
pub(super) fn wear(scene: &mut Scene, fabric: &str) -> Result<(), UsageError> {
    scene.parameters.fabric = preset::named_fabric(fabric).map_err(UsageError::Fabric)?;
    scene.fabric_colour = preset::fabric_colour(fabric);
    Ok(())
}

/// A mesh, a body or a bake, as its file plays it.
fn of_file(path: &Path, source: &SourceArguments, console: &Console) -> Result<Take, Failure> {
    let mut take = of_asset(
        path,
        import::read_body_within(path, file_frame(source), &source.files_read.access())?,
        source,
        console,
    )?;
    paint_obj(&mut take.film, path, source);
    Ok(take)
}

/// Paints the one figure of `film`, which shows the mesh of an OBJ file: as a body that has no materials.
fn paint_obj(film: &mut Film, path: &Path, source: &SourceArguments) {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obj"))
        && let [figure] = film.figures.as_mut_slice()
        && let Ok(garment) = import::read_garment_within(path, file_frame(source), &source.files_read.access())
        && let Some(paint) = Outfit::of(&garment).and_then(|o| o.on_polygons(&garment, figure.triangles.len()))
    {
        figure.paint = paint;
    }
}

/// The mesh that a point cache moves.
fn of_point_cache(path: &Path, source: &SourceArguments, console: &Console) -> Result<Take, Failure> {
    let file = source.mesh.as_ref().ok_or_else(|| UsageError::NeedsMesh { path: path.to_owned() })?;
    let frame = file_frame(source);
    let BodyAsset::Sequence(mesh) = import::read_body_within(file, frame, &source.files_read.access())? else {
        return Err(UsageError::NeedsMesh { path: path.to_owned() }.into());
    };
    let made: Pose = mesh.frames.iter().take(1).cloned().collect();
    let (first_frame, frames) = import::read_point_cache(path, made.first().map_or(0, Vec::len), frame)?;
    let asset = BodyAsset::Sequence(import::MeshSequence { first_frame, frames, ..mesh });
    let mut take = Take { made: Some(made), ..of_asset(path, asset, source, console)? };
    // Even if it is a single frame.
    for figure in &mut take.film.figures {
        (figure.kind, figure.paint) = (FigureKind::Cloth, Paint::cloth());
    }
    paint_obj(&mut take.film, file, source);
    Ok(take)
}

fn file_frame(source: &SourceArguments) -> FileFrame {
    FileFrame { unit: source.units.into(), up: source.up.into() }
}

fn of_asset(path: &Path, asset: BodyAsset, source: &SourceArguments, console: &Console) -> Result<Take, Failure> {
    let (BodyAsset::Rig(import::Rig { notices, .. }) | BodyAsset::Sequence(import::MeshSequence { notices, .. })) =
        &asset;
    console.notes(notices);
    let body = Body::new(asset, source.animation.as_deref())?;
    let fps = source.fps.or_else(|| key_rate(&body)).unwrap_or(DEFAULT_FPS);
    let body = body.with_sequence_rate(fps.per_second());
    let timeline = timeline::whole_clip(&body, fps)?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let film = Film::of_file(body, timeline);
    console.notes(&film.notices);
    Ok(Take { name, film, made: None, scene: None })
}

/// Frames a second that the keys of a body's clip are set at, if they are set evenly.
fn key_rate(body: &Body) -> Option<FrameRate> {
    let rig = body.rig()?;
    let clip = rig.clips.iter().find(|clip| Some(clip.name.as_str()) == body.clip_name())?;
    let longest: &Track = clip.tracks.iter().max_by_key(|track| track.times.len())?;
    let (first, last) = (longest.times.first()?, longest.times.last()?);
    let rate = (longest.times.len() - 1) as f32 / (last - first);
    let whole = rate.round();
    let is_even = (rate - whole).abs() < 0.01 * whole && (1.0..=240.0).contains(&whole);
    is_even.then(|| FrameRate::whole(whole as u32))
}

/// A scene, simulated or as it was simulated before.
pub(super) fn of_scene(
    mut scene: Scene,
    show: Show,
    source: &SourceArguments,
    console: &Console,
    interrupt: &Interrupt,
) -> Result<Take, Failure> {
    // What is kept of earlier previews asks nobody whether to go on.
    if interrupt.is_requested() {
        return Err(SimulationError::Interrupted.into());
    }
    scene.access = source.files_read.access();
    if let Some(fabric) = &source.fabric {
        wear(&mut scene, fabric)?;
    }
    if !source.full {
        quick::simplify(&mut scene);
    }
    let inputs = inputs::read(&scene, console)?;
    if show.needs_body() && inputs.body.is_none() {
        return Err(UsageError::ShowNeedsBody { show: show.name() }.into());
    }
    if !source.full && !show.needs_all_particles() {
        quick::coarsen(&mut scene, inputs.garment.positions.len());
    }
    inputs.check_size(&scene)?;
    let cloth = cloth::build(&scene, &inputs, &scene.parameters.map_options())?;
    console.notes(&cloth.notices);
    let keeps = !source.no_cache;
    let simulated = match show {
        Show::Map => quick::still(&inputs, &cloth),
        _ => quick::simulated(&scene, &inputs, &cloth, keeps, console, interrupt)?,
    };
    let shows_particles = show.is_of_particles();
    let keep = scene.parameters.fabric.thickness;
    let carried = || cloth::carried(&cloth, inputs.body.as_ref(), keep, &simulated.cache);
    let shown: Option<PointCache> = if shows_particles { None } else { carried() };
    let shown = shown.unwrap_or_else(|| simulated.cache.clone());
    let played = Played { parameters: scene.parameters, cloth, simulated, shows_particles };
    let is_whole = !shows_particles || played.cloth.rest.is_none();
    let outfit = Outfit::of(&inputs.garment).filter(|_| is_whole);
    console.notes(outfit.as_ref().map_or(&[], |outfit| &outfit.notices));
    let paint = outfit.map(|outfit| outfit.on_cloth(&inputs.garment, played.shown()));
    let paint = paint.or(scene.fabric_colour.map(|colour| Paint::Plain(from_srgb(colour))));
    let film = Film::of_cloth(&scene.name, played.shown().drawn_indices(), paint, shown, inputs.body);
    Ok(Take { name: scene.name, film, made: None, scene: Some(played) })
}

/// Frames that are shown: all, or those that the flags name, as indices.
pub(super) fn frames(timeline: &Timeline, arguments: &PreviewArguments) -> Result<Vec<usize>, UsageError> {
    let (first, last) = (timeline.first, timeline.last);
    let all = 0..timeline.len();
    let Some(wanted) = &arguments.look.frames else { return Ok(all.collect()) };
    if wanted.0.iter().any(|range| range.last < first || range.first > last) {
        return Err(UsageError::NoFrames { first, last });
    }
    Ok(all.filter(|index| wanted.has(first + *index as i64)).collect())
}

impl Take {
    /// Where the vertices of each figure are when nothing is stretched: as a garment was made, or as a file has its meshes before
    /// anything moves them.
    pub(super) fn rest(&self) -> Pose {
        match (&self.scene, &self.made) {
            (Some(played), _) => vec![played.shown().positions.clone()],
            (None, Some(made)) => made.clone(),
            (None, None) => self.film.rest(),
        }
    }
}
