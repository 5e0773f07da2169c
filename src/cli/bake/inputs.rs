//! Reads garment and body, and stops when their sizes cannot both be right.

use std::path::PathBuf;

use super::timeline;
use crate::body::{Body, Moment};
use crate::cli::console::Console;
use crate::cli::failure::{Failure, UsageError};
use crate::cli::mesh_file::MeshFile;
use crate::geometry::Aabb;
use crate::import::{self, BodyAsset, Garment};
use crate::preset::{MeshSource, Scene, Sizes};
use crate::simulate::Timeline;

/// How many times larger a garment may be than its body, or smaller.
const SIZE_RATIO: f32 = 5.0;
/// Something worn that is larger than this, in its file's unit, is in millimetres rather than in centimetres.
const MILLIMETRE_SIZE: f32 = 400.0;

/// What a bake works on.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) garment: Garment,
    pub(crate) body: Option<Body>,
    pub(crate) timeline: Timeline,
}

/// Reads what `scene` names.
pub(crate) fn read(scene: &Scene, console: &Console) -> Result<Inputs, Failure> {
    let file = MeshFile::of(scene.garment.as_ref().ok_or(UsageError::NoGarment)?)?;
    let garment = import::read_garment(file.path(), scene.garment_frame)?;
    console.notes(&garment.notices);
    let body = read_body(scene, console)?;
    if let Some(body) = &body
        && scene.sizes == Sizes::Compared
    {
        compare_sizes(&garment, body)?;
    }
    let timeline = timeline::timeline(scene, body.as_ref());
    Ok(Inputs { garment, body, timeline })
}

fn read_body(scene: &Scene, console: &Console) -> Result<Option<Body>, Failure> {
    let Some(choice) = &scene.body else { return Ok(None) };
    let file = MeshFile::of(&choice.mesh)?;
    let asset = import::read_body(file.path(), choice.frame)?;
    if let BodyAsset::Rig(rig) = &asset {
        console.notes(&rig.notices);
    }
    let body = Body::new(asset, choice.animation.as_deref())?;
    Ok(Some(body.with_sequence_rate(scene.fps.per_second())))
}

/// Files that no output may replace.
pub(super) fn paths(scene: &Scene) -> Vec<PathBuf> {
    let sources = scene.garment.iter().chain(scene.body.iter().map(|body| &body.mesh));
    let file = |source: &MeshSource| match source {
        MeshSource::File(path) => Some(path.clone()),
        MeshSource::BuiltIn(_) => None,
    };
    sources.filter_map(file).collect()
}

fn compare_sizes(garment: &Garment, body: &Body) -> Result<(), UsageError> {
    let mut pose = Vec::new();
    body.pose(Moment::Bind, &mut pose);
    let [garment, body] = [&garment.positions, &pose].map(|points| Aabb::around(points).size().length());
    let ratio = garment / body;
    let is_comparable = garment.is_finite() && body.is_finite() && garment > 0.0 && body > 0.0;
    if !is_comparable || (1.0 / SIZE_RATIO..=SIZE_RATIO).contains(&ratio) {
        return Ok(());
    }
    Err(UsageError::Sizes { garment, body, advice: units_advice(garment, body) })
}

/// Which flag to add for the larger of both, sizes as read, metres.
fn units_advice(garment: f32, body: f32) -> String {
    let (flag, size) = if garment > body { ("units", garment) } else { ("body-units", body) };
    let unit = if size < MILLIMETRE_SIZE { "cm" } else { "mm" };
    format!(
        "add --{flag} {unit} (or `in`) if that file is not in metres; if both sizes are right, say so with --units m"
    )
}

#[cfg(test)]
mod tests {
    use super::units_advice;

    #[test]
    fn the_advice_names_the_file_that_is_too_large_and_its_likely_unit() {
        assert!(units_advice(60.0, 1.7).starts_with("add --units cm "));
        assert!(units_advice(900.0, 1.7).starts_with("add --units mm "));
        assert!(units_advice(0.9, 170.0).starts_with("add --body-units cm "));
    }
}
