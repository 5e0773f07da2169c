//! Reads garment and body, and stops when their sizes cannot both be right.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::bound::{bound, bound_under, is_of_one_file};
use super::{own_parts, timeline};
use crate::bake::{Format, Output, real_file};
use crate::body::{Body, Moment};
use crate::cli::console::Console;
use crate::cli::failure::{Failure, UsageError};
use crate::cli::mesh_file::MeshFile;
use crate::geometry::{Aabb, DVec3, Vec3, nearby_origin};
use crate::import::{self, BodyAsset, Garment, GarmentSource, Rig, Unit, UpAxis, folder_of, listed, quoted};
use crate::pins::PinSelector;
use crate::preset::{MeshSource, Scene, Sizes};
use crate::simulate::{StartPose, Timeline};

/// Part of the body's diagonal that a garment's may have. Worn or laid on something, garments have 0.4 to 1.4 of it; these
/// limits let a hat and a bridal train pass and catch a skirt that is ten times too large or too small.
pub(crate) const SIZE_RATIOS: RangeInclusive<f32> = 0.125..=3.0;
/// A body that is larger than this, metres, is in another unit.
const LARGEST_BODY: f32 = 10.0;
/// Most that the frames of a bake may take, gigabytes.
const GIGABYTES_HELD: u64 = 8;
/// Laps of a loop that are held at once: two to compare, two that differ least, what the next is drawn to, and the one under way.
const LAPS_HELD: usize = 6;
/// Distance of the bind pose from the first frame, metres, beyond which each has an origin of its own. No body is that large.
const ELSEWHERE: f64 = 32.0;
/// Something worn that is larger than this, in its file's unit, is in millimetres rather than in centimetres.
const MILLIMETRE_SIZE: f32 = 400.0;
/// How much taller than its extent along Y a body is that stands along Z. Animals that are longer than tall stand on y = 0.
const TALLER: f32 = 1.3;
/// How far from 0 the feet of a body on the ground may be, as a part of its height.
const GROUND: f32 = 0.05;
/// How much further along Z than along Y a head is from the feet of a body that stands along Z.
const ALONG: f64 = 2.0;

/// Said of a garment whose nodes stand elsewhere than where its skin was bound.
const BOUND_ELSEWHERE: &str = "the garment is taken as its skin was bound, not as its file stands at rest; --garment-pose first takes it as it stands";

/// Said of a body whose skeleton rests elsewhere than the garment fits it.
const BOUND_IN_FILE: &str =
    "the body's bind pose stands as its mesh does in its file, not where its skeleton rests: the garment fits it there";

/// Said of a character whose file is the garment's too, and who is written beside it.
const TWICE: &str = "the body is written twice: --with-body adds it to the garment, whose file holds it as parts that follow it; leave \
                     --with-body out";

/// Files that a note names.
const FILES_NAMED: usize = 6;

/// What a bake works on.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) garment: Garment,
    pub(crate) body: Option<Body>,
    pub(crate) timeline: Timeline,
    pub(crate) is_loop: bool,
    /// Whether the body's file holds what is simulated, too: then that was made for the bind pose.
    pub(crate) is_of_body: bool,
    /// Files that it is made from.
    pub(crate) files: Vec<PathBuf>,
    /// What was odd about the files and the clip, in plain words.
    pub(crate) notices: Vec<String>,
}

impl Inputs {
    /// Where positions of baked frames count from, metres in the world.
    pub(crate) fn origin(&self) -> DVec3 {
        let first = Moment::At(self.timeline.clip_seconds(0));
        self.body.as_ref().map_or(self.garment.origin, |body| body.origin(first))
    }

    /// Files that none of `written` may replace: those that it is made from, and those that these name. For the latter they are read
    /// again, where there is something to replace.
    pub(crate) fn kept_files(&self, scene: &Scene, written: &[PathBuf]) -> Vec<PathBuf> {
        let mut kept = self.files.clone();
        if written.iter().any(|path| path.symlink_metadata().is_ok()) {
            kept.extend(mesh_files(scene).flat_map(|path| import::named_files(path, &scene.access)));
        }
        kept
    }

    /// Says which MTL files and pictures an OBJ `output` names that are not where it names them: its text is the garment's, which may lie in
    /// another folder.
    pub(crate) fn materials_elsewhere(&self, scene: &Scene, output: &Output) -> Option<String> {
        let (Some(MeshSource::File(path)), GarmentSource::Obj(_)) = (&scene.garment, &self.garment.source) else {
            return None;
        };
        if output.format != Format::ObjSequence {
            return None;
        }
        let (from, to) = (real_file(folder_of(path)), folder_of(&output.path));
        if real_file(to) == from {
            return None;
        }
        let missing = import::named_files(path, &scene.access).into_iter().filter_map(|file| {
            let name = file.strip_prefix(&from).ok()?;
            (file.is_file() && !to.join(name).exists()).then(|| name.to_string_lossy().into_owned())
        });
        let missing: Vec<String> = missing.collect();
        let names = listed(&missing.iter().map(String::as_str).collect::<Vec<_>>(), FILES_NAMED);
        (!missing.is_empty()).then(|| {
            format!(
                "{}: its materials are in {names} beneath the garment's folder: copy that there, too",
                output.path.display()
            )
        })
    }

    /// All frames are held until they are written: stops a bake that cannot end before it begins.
    pub(crate) fn check_size(&self, scene: &Scene) -> Result<(), UsageError> {
        let laps = if self.is_loop { LAPS_HELD } else { 1 };
        let simulated = scene.choice.simulate_as.map_or(0, |particles| particles as usize);
        let (frames, vertices) = (self.timeline.len().saturating_mul(laps), self.garment.positions.len() + simulated);
        let bytes = frames.saturating_mul(vertices).saturating_mul(size_of::<Vec3>()) as f64;
        if bytes <= (GIGABYTES_HELD * 1_000_000_000) as f64 {
            return Ok(());
        }
        Err(UsageError::TooMuch { frames, vertices, gigabytes: bytes / 1e9, limit: GIGABYTES_HELD })
    }
}

/// Reads what `scene` names.
pub(crate) fn read(scene: &Scene, console: &Console) -> Result<Inputs, Failure> {
    let mut notices = Vec::new();
    let mut note = |notes: &[String]| {
        console.notes(notes);
        notices.extend_from_slice(notes);
    };
    let file = MeshFile::of(scene.garment.as_ref().ok_or(UsageError::NoGarment)?)?;
    let mut garment = import::read_garment_within(file.path(), scene.garment_frame, &scene.access)?;
    note(&garment.notices);
    let mut files = paths(scene);
    let body = read_body(scene, &mut files, &mut note)?;
    let bound = body.as_ref().and_then(|body| bound(scene, &garment, body));
    let at_rest = bound.map(|bound| std::mem::replace(&mut garment.positions, bound));
    let under = match &body {
        Some(body) if at_rest.is_none() => bound_under(scene, &garment, body)?,
        _ => None,
    };
    note(under.as_ref().map(|_| BOUND_IN_FILE.to_owned()).as_slice());
    let body = under.or(body);
    let without_own =
        body.as_ref().map(|body| own_parts::left_out(scene, &garment, body, &mut note)).transpose()?.flatten();
    match at_rest {
        Some(at_rest) if scene.garment_pose == Some(StartPose::First) => garment.positions = at_rest,
        Some(_) => note(&[BOUND_ELSEWHERE.to_owned()]),
        None => {}
    }
    let is_of_body = without_own.is_some();
    note((is_of_body && scene.with_body && is_of_one_file(scene)).then(|| TWICE.to_owned()).as_slice());
    let body = without_own.or(body);
    note(body.as_ref().and_then(Body::coarse_notice).as_slice());
    if let Some(body) = &body {
        if scene.sizes == Sizes::Compared {
            compare_sizes(&garment, body)?;
        }
        note(size_note(scene, body).as_slice());
        note(up_note(scene, body).as_slice());
    }
    let (body, timeline) = timeline::play(scene, body, &mut note)?;
    if let Some(body) = &body {
        let moments: Vec<f64> = (0..timeline.len()).map(|index| timeline.clip_seconds(index)).collect();
        body.check_places(&moments)?;
    }
    let body = body.map(|body| meet(&mut garment, body, &timeline));
    if body.is_none() && !scene.parameters.colliders.is_empty() {
        garment.count_from(DVec3::ZERO);
    }
    Ok(Inputs { garment, body, timeline, is_loop: scene.cycle.is_some(), is_of_body, files, notices })
}

/// Brings garment, bind pose and clip together. A garment that lies where the clip is, far from the bind pose, may have been made
/// for the bind pose all the same: that stands there too. Positions count from near where the body is in the frames that are baked;
/// where its bind pose lies far from there and the garment with it, these count from where they are.
fn meet(garment: &mut Garment, body: Body, timeline: &Timeline) -> Body {
    let frame = |index| Moment::At(timeline.clip_seconds(index));
    let [first, last] = [0, timeline.len().saturating_sub(1)].map(|index| body.middle(frame(index)));
    let sum: DVec3 = garment.positions.iter().map(|p| p.as_dvec3()).sum();
    let middle = garment.origin + sum / garment.positions.len().max(1) as f64;
    let is_at_bind = middle.distance(body.middle(Moment::Bind)) < middle.distance(first);
    let way = if is_at_bind { DVec3::ZERO } else { body.way_to_clip(timeline.clip_seconds(0)) };
    let body = body.with_bind_moved(way);
    let clip_origin = if body.rig().is_some() { nearby_origin(first.midpoint(last)) } else { DVec3::ZERO };
    let bind = body.middle(Moment::Bind);
    let bind_origin = if bind.distance(first) > ELSEWHERE { nearby_origin(bind) } else { clip_origin };
    garment.count_from(if is_at_bind { bind_origin } else { clip_origin });
    body.counted_from(bind_origin, clip_origin)
}

/// Reads the body; `files` gets the frames of a sequence, `note` what is odd.
fn read_body(
    scene: &Scene,
    files: &mut Vec<PathBuf>,
    note: &mut impl FnMut(&[String]),
) -> Result<Option<Body>, Failure> {
    let Some(choice) = &scene.body else { return Ok(None) };
    let file = MeshFile::of(&choice.mesh)?;
    let asset = import::read_body_within(file.path(), choice.frame, &scene.access)?;
    match &asset {
        BodyAsset::Rig(rig) => {
            note(&rig.notices);
            note(clip_note(rig, choice.animation.as_deref()).as_slice());
        }
        BodyAsset::Sequence(sequence) => {
            note(&sequence.notices);
            // What is built in was unpacked for as long as it is read.
            if let MeshSource::File(_) = choice.mesh {
                files.extend_from_slice(&sequence.files);
            }
        }
    }
    let body = Body::new(asset, choice.animation.as_deref())?;
    Ok(Some(body.with_sequence_rate(scene.fps.per_second())))
}

/// Says which of several clips is played where the user `asked` for none, or for a name that several have.
fn clip_note(rig: &Rig, asked: Option<&str>) -> Option<String> {
    /// Clips that are named.
    const NAMED: usize = 12;
    let are_meant = rig.clips.iter().filter(|clip| asked.is_none_or(|name| clip.name == name)).count();
    let names = rig.clips.iter().zip(0..).map(|(clip, number)| format!("{} ({number})", quoted(clip.name.as_bytes())));
    let names: Vec<String> = names.take(NAMED).collect();
    let more = if rig.clips.len() > NAMED { ", ..." } else { "" };
    (are_meant > 1).then(|| {
        let which = asked.map_or("has".to_owned(), |name| format!("has {are_meant} clips named {} among its", quoted(name.as_bytes())));
        let (count, names) = (rig.clips.len(), names.join(", "));
        format!("the body {which} {count} clips, and the first of them is played; choose with --animation, by name or number: {names}{more}")
    })
}

/// Files that `scene` is made from.
fn paths(scene: &Scene) -> Vec<PathBuf> {
    let lists = scene.pins.iter().filter_map(|pin| match pin {
        PinSelector::Vertices(path) => Some(path),
        _ => None,
    });
    mesh_files(scene).chain(lists).chain(&scene.preset).cloned().collect()
}

/// Files of garment and body that the scene names.
fn mesh_files(scene: &Scene) -> impl Iterator<Item = &PathBuf> {
    let sources = scene.garment.iter().chain(scene.body.iter().map(|body| &body.mesh));
    sources.filter_map(|source| match source {
        MeshSource::File(path) => Some(path),
        MeshSource::BuiltIn(_) | MeshSource::Sheet(_) => None,
    })
}

fn compare_sizes(garment: &Garment, body: &Body) -> Result<(), UsageError> {
    let mut pose = Vec::new();
    body.pose(Moment::Bind, &mut pose);
    // Vertices without a face are no cloth: files keep them as helpers, anywhere.
    let corners = garment.polygons.corners.iter();
    let cloth: Vec<Vec3> = corners.filter_map(|&v| garment.positions.get(v as usize).copied()).collect();
    let [garment, body] = [&cloth, &pose].map(|points| Aabb::around(points).size().length());
    let ratio = garment / body;
    let is_comparable = garment.is_finite() && body.is_finite() && garment > 0.0 && body > 0.0;
    if !is_comparable || SIZE_RATIOS.contains(&ratio) {
        return Ok(());
    }
    Err(UsageError::Sizes { garment, body, advice: units_advice(garment, body) })
}

/// Says when a body is a giant as its file has it: that may be in another unit, and cloth falls as slowly on a giant.
fn size_note(scene: &Scene, body: &Body) -> Option<String> {
    let height = body.height() as f32;
    let unit = if height < MILLIMETRE_SIZE { "cm" } else { "mm" };
    let is_body_metric = scene.body.as_ref().is_none_or(|body| body.frame.unit == Unit::Metre);
    let advice = match (scene.sizes, scene.garment_frame.unit) {
        (Sizes::Compared, _) => {
            format!("if both files are in other units than metres, add --body-units {unit} --units {unit}")
        }
        (Sizes::Trusted, Unit::Metre) => return None,
        (Sizes::Trusted, _) => format!("if its file is not in metres either, add --body-units {unit}"),
    };
    (is_body_metric && height > LARGEST_BODY).then(|| format!("the body is {height:.1} m tall as read; {advice}"))
}

/// Says when a body seems to lie because its file is Z up.
fn up_note(scene: &Scene, body: &Body) -> Option<String> {
    let up = scene.body.as_ref()?.frame.up;
    (up == UpAxis::Y && stands_on_z(body)).then(|| {
        "the body lies on its side as read, along Z: if its file is Z up, add --body-up z, and --up z if the garment's is too"
            .to_owned()
    })
}

/// Whether a body read as Y up seems to be Z up.
pub(crate) fn stands_on_z(body: &Body) -> bool {
    if body.rig().is_some() { holds_head_along_z(body) } else { is_tall_along_z(body) }
}

/// Whether the head of a skeleton is further along Z than its feet, in the bind pose and all through the clip. glTF files are Y up, but
/// for those of exporters that forgot it; who only sleeps in his clip is bound upright.
fn holds_head_along_z(body: &Body) -> bool {
    let foot = ["left_foot", "right_foot"].into_iter().find_map(|name| body.joint_named(name));
    let Some((head, foot)) = body.joint_named("head").zip(foot) else { return false };
    let (start, end) = body.clip_range();
    let clip = [start, start.midpoint(end), end].map(Moment::At);
    std::iter::once(Moment::Bind).chain(clip).all(|moment| {
        let way = body.joint_transform(head, moment).translation - body.joint_transform(foot, moment).translation;
        way.z > ALONG * way.y.abs()
    })
}

/// Whether a sequence of OBJ files, which say no axis, is tallest along Z, with its lowest vertex near z = 0 and none of that along Y.
fn is_tall_along_z(body: &Body) -> bool {
    let mut pose = Vec::new();
    body.pose(Moment::Bind, &mut pose);
    let bounds = Aabb::around(&pose);
    let size = bounds.size();
    let is_ground = |lowest: f32| lowest.abs() < GROUND * size.z;
    size.z > TALLER * size.y && is_ground(bounds.min.z) && !is_ground(bounds.min.y)
}

/// Which flag to add for the larger of both, or how to scale a garment that no unit makes larger; sizes as read, metres.
fn units_advice(garment: f32, body: f32) -> String {
    let trust = "if both sizes are right, say so with --units m";
    let scale = libm::powf(10.0, libm::log10f(body / garment).round());
    if garment < body && body < LARGEST_BODY {
        return format!("scale the garment's file by about {scale}; {trust}");
    }
    let (flag, size) = if garment > body { ("units", garment) } else { ("body-units", body) };
    let unit = if size < MILLIMETRE_SIZE { "cm" } else { "mm" };
    format!("add --{flag} {unit} (or `in`) if that file is not in metres, or scale it; {trust}")
}

#[cfg(test)]
mod tests {
    use super::{Rig, Scene, Sizes, Unit, UpAxis, clip_note, size_note, stands_on_z, units_advice};
    use crate::body::Body;
    use crate::geometry::Vec3;
    use crate::import::gltf::read_rig;
    use crate::import::{BodyAsset, Clip, FileFrame, MeshSequence};

    #[test]
    fn giants_are_noted_with_their_likely_unit() {
        let note = |height: f32| {
            let frames = vec![vec![Vec3::ZERO, Vec3::X, Vec3::Y * height]];
            let asset =
                BodyAsset::Sequence(MeshSequence { triangles: vec![[0, 1, 2]], frames, ..MeshSequence::default() });
            let body = Body::new(asset, None).expect("a body");
            let scene = |sizes, unit| Scene {
                sizes,
                garment_frame: FileFrame { unit, ..FileFrame::default() },
                ..Scene::default()
            };
            let said =
                [(Sizes::Compared, Unit::Metre), (Sizes::Trusted, Unit::Centimetre), (Sizes::Trusted, Unit::Metre)];
            said.map(|(sizes, unit)| size_note(&scene(sizes, unit), &body).unwrap_or_default())
        };
        let [unsaid, of_garment, trusted] = note(170.0);
        assert!(unsaid.contains("--body-units cm --units cm"), "{unsaid}");
        assert!(of_garment.ends_with("add --body-units cm"), "{of_garment}");
        assert_eq!(trusted, "");
        assert!(note(1700.0)[0].contains("--units mm"));
        assert_eq!(note(9.0), [""; 3]);
    }

    #[test]
    fn of_several_clips_it_is_said_which_is_played() {
        let clip = |name: &str| Clip { name: name.to_owned(), tracks: Vec::new() };
        let rig = |names: &[&str]| Rig { clips: names.iter().map(|name| clip(name)).collect(), ..Rig::default() };
        let note = clip_note(&rig(&["Idle", "Walk"]), None).expect("a note");
        assert!(
            note.starts_with("the body has 2 clips, and the first") && note.ends_with("`Idle` (0), `Walk` (1)"),
            "{note}"
        );
        let twice = clip_note(&rig(&["Idle", "Walk", "Walk"]), Some("Walk")).expect("a note");
        assert!(twice.contains("has 2 clips named `Walk` among its 3 clips"), "{twice}");
        assert_eq!(clip_note(&rig(&["Idle", "Walk"]), Some("Walk")), None);
        assert_eq!(clip_note(&rig(&["Idle"]), None), None);
    }

    #[test]
    fn a_sequence_that_stands_along_z_is_told_from_what_lies_or_is_long() {
        let stands = |min: Vec3, max: Vec3| {
            let frames = vec![vec![min, max, Vec3::new(min.x, max.y, min.z)]];
            let asset =
                BodyAsset::Sequence(MeshSequence { triangles: vec![[0, 1, 2]], frames, ..MeshSequence::default() });
            stands_on_z(&Body::new(asset, None).expect("a body"))
        };
        assert!(stands(Vec3::new(-0.8, -0.2, 0.0), Vec3::new(0.8, 0.2, 1.7)));
        assert!(stands(Vec3::new(-0.8, 3.1, 0.02), Vec3::new(0.8, 3.5, 1.7)), "walked away");
        assert!(!stands(Vec3::new(-0.8, 0.0, -0.2), Vec3::new(0.8, 1.7, 0.2)), "Y up");
        assert!(!stands(Vec3::new(-0.4, 0.0, -1.2), Vec3::new(0.4, 1.5, 1.2)), "an animal");
        assert!(!stands(Vec3::new(-0.4, 0.0, 0.0), Vec3::new(0.4, 0.3, 1.7)), "lies on the ground");
        assert!(!stands(Vec3::new(-0.4, -0.2, -0.9), Vec3::new(0.4, 0.2, 0.8)), "lies about its hips");
    }

    #[test]
    fn a_skeleton_that_stands_along_z_is_told_from_one_that_stands_along_y() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/walker.glb");
        let bytes = std::fs::read(&path).expect("the walker");
        let stands = |quarter_turns: usize| {
            let mut rig = read_rig(&bytes, path.parent().expect("a folder"), "walker").expect("a rig");
            // Each turns Z up into Y up, three of them Y up into Z up.
            (0..quarter_turns).for_each(|_| rig.place(FileFrame { up: UpAxis::Z, ..FileFrame::default() }));
            stands_on_z(&Body::new(BodyAsset::Rig(rig), Some("walk")).expect("a body"))
        };
        assert_eq!([0, 1, 2, 3].map(stands), [false, false, false, true]);
    }

    #[test]
    fn the_advice_names_the_file_that_is_too_large_and_its_likely_unit() {
        assert!(units_advice(60.0, 1.7).starts_with("add --units cm "));
        assert!(units_advice(900.0, 1.7).starts_with("add --units mm "));
        assert!(units_advice(0.9, 170.0).starts_with("add --body-units cm "));
        assert!(units_advice(0.1, 2.2).starts_with("scale the garment's file by about 10;"));
    }
}
