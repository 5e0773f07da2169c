//! `toile inspect`: what is in a mesh or body, what will go wrong with it, how to pin it.

mod body;
mod fit;
mod garment;
mod guess;
mod proposal;
mod sequence;
mod text;
mod worn;

use std::path::Path;

use serde::Serialize;

use super::arguments::InspectArguments;
use super::console::printable;
use super::failure::Failure;
use super::{print, print_json};
use crate::import::obj::SequenceFiles;
use crate::import::{self, Access, BodyAsset, FileFrame, Unit};
use crate::topology;
use body::BodyFacts;
use fit::FitFacts;
use garment::GarmentFacts;
use sequence::SequenceFacts;

/// What was found in all files.
#[derive(Debug, Serialize)]
struct Inspection {
    files: Vec<Facts>,
    /// How the garment fits the body, when both are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    fit: Option<FitFacts>,
}

/// What was found in one file.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Facts {
    /// A mesh that nothing moves.
    Garment(GarmentFacts),
    /// A mesh with a skin or animations.
    Body(BodyFacts),
    /// A body that is a sequence of OBJ files.
    Sequence(SequenceFacts),
}

/// Inspects all files; stops at the first that cannot be read.
pub(crate) fn run(arguments: &InspectArguments) -> Result<(), Failure> {
    let [frame, body_frame] = arguments.frames();
    let mut inspection = Inspection { files: Vec::new(), fit: None };
    let access = arguments.files_read.access();
    let alone = match (&arguments.garment, &arguments.body) {
        (Some(garment), None) => Some(inspect_garment(garment, frame, &access)),
        (None, Some(body)) if is_obj(body) => Some(inspect_sequence(body, body_frame, &access)),
        (None, Some(body)) => Some(inspect(body, body_frame, &access)),
        _ => None,
    };
    let found = arguments.files.iter().map(|file| inspect(file, frame, &access));
    for facts in found.chain(alone) {
        let facts = facts?;
        if !arguments.json {
            print(&printable(&text::describe(&facts)))?;
        }
        inspection.files.push(facts);
    }
    inspection.fit = FitFacts::of(arguments)?;
    if let Some(fit) = inspection.fit.as_ref().filter(|_| !arguments.json) {
        print(&printable(&fit.describe()))?;
    }
    if arguments.json { print_json(&inspection) } else { Ok(()) }
}

fn inspect(file: &Path, frame: FileFrame, access: &Access) -> Result<Facts, Failure> {
    if file.is_dir() || SequenceFiles::is_pattern(file) {
        return inspect_sequence(file, frame, access);
    }
    if !is_obj(file)
        && let BodyAsset::Rig(rig) = import::read_body_within(file, frame, access)?
        && (!rig.skins.is_empty() || !rig.clips.is_empty())
    {
        return Ok(Facts::Body(BodyFacts::of(file, &rig, frame.unit)?));
    }
    inspect_garment(file, frame, access)
}

fn inspect_sequence(file: &Path, frame: FileFrame, access: &Access) -> Result<Facts, Failure> {
    Ok(match import::read_body_within(file, frame, access)? {
        BodyAsset::Sequence(sequence) => Facts::Sequence(SequenceFacts::of(file, sequence, frame.unit)?),
        BodyAsset::Rig(rig) => Facts::Body(BodyFacts::of(file, &rig, frame.unit)?),
    })
}

fn inspect_garment(file: &Path, frame: FileFrame, access: &Access) -> Result<Facts, Failure> {
    let garment = import::read_garment_within(file, frame, access)?;
    let topology = topology::build(&garment)?;
    Ok(Facts::Garment(GarmentFacts::of(file, &garment, &topology)))
}

fn is_obj(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj"))
}

/// Which unit a mesh of this size is probably in, if it was read in metres. Nobody wears 10 m.
fn size_advice(largest: f32, read_in: Unit, flag: &str) -> Option<String> {
    let unit = match largest {
        l if (0.05..10.0).contains(&l) => return None,
        l if l < 0.05 || read_in != Unit::Metre => {
            return Some(format!("it is {largest:.4} m large: are the units right?"));
        }
        l if l < 400.0 => "cm",
        _ => "mm",
    };
    Some(format!("it is {largest:.1} m large: if that is not meant, add --{flag} {unit}"))
}
