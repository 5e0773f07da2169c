//! glTF, read again: which mesh is shown when, and where its vertices are then.
//!
//! ```text
//! node with _VERTEX_ID       the cloth; the body has none
//!   weights keys             key k is a frame; its row has a 1 at the target to add to the base, or none
//!   scale keys (STEP)        1 while the node shows its frames, 0 while another does
//!   position                 node translation + base + target, at vertex _VERTEX_ID of the garment
//! ```

mod document;
mod file;
mod frames;
mod timing;

use std::path::Path;

use self::document::Document;
use self::file::Container;
use self::frames::Cloth;
use super::checksum::{FrameSums, Rounding};
use super::claim::{Claim, OutputClaim};
use super::fault::Fault;
use super::positions::SINGLE;
use super::{Findings, Search, VerifyError};

/// Vertices that `_VERTEX_ID`, a list of `f32`, tells apart.
const MOST_IDS: u64 = 1 << 24;

/// What stops the reading of a file: a fault of its own, or the system's.
enum Stop {
    Fault(Fault),
    Error(VerifyError),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<VerifyError> for Stop {
    fn from(error: VerifyError) -> Stop {
        Stop::Error(error)
    }
}

/// Compares all frames of the `.glb` or `.gltf` at `path`.
pub(super) fn check(
    claim: &Claim,
    output: &OutputClaim,
    path: &Path,
    search: &Search<'_>,
    findings: &mut Findings,
) -> Result<(), VerifyError> {
    match check_all(claim, output, path, search, findings) {
        Ok(()) => Ok(()),
        Err(Stop::Fault(fault)) => {
            findings.faults.push(fault);
            Ok(())
        }
        Err(Stop::Error(error)) => Err(error),
    }
}

fn check_all(
    claim: &Claim,
    output: &OutputClaim,
    path: &Path,
    search: &Search<'_>,
    findings: &mut Findings,
) -> Result<(), Stop> {
    let (json, container) = Container::open(claim, output, path)?;
    let document = Document::parse(&json)?;
    let mut numbers = container.numbers(&document)?;
    let mut cloth = Cloth::find(&document, &mut numbers, claim)?;
    let origin = claim.coordinates.origin_m;
    // A displacement may be twice as large as what it connects: `checksum` allows for it.
    let rounding = Rounding { relative: SINGLE, size: claim.size_from(origin), world: claim.size_from([0.0; 3]) };
    let vertices = claim.garment.vertices;
    findings.tolerance = Some(rounding.largest(vertices));
    check_vertices(claim, &cloth, findings);
    let mut unproven = 0;
    for (index, frame) in claim.checksums.iter().enumerate() {
        search.check_interrupt()?;
        let faults_before = findings.faults.count();
        cloth.show(index, &document, &mut numbers, claim, &mut findings.faults)?;
        if findings.faults.count() == faults_before {
            let mut sums = FrameSums::new(frame);
            for (vertex, position) in cloth.positions() {
                sums.add(u64::from(vertex), position);
            }
            let number = claim.frame_number(index);
            unproven = sums.compare(frame, number, vertices, rounding, &mut findings.faults);
        }
        findings.frames += 1;
    }
    if unproven > 0 {
        let words = "vertices of no face are not in the file: groups with them, of so many vertices, are not proven";
        findings.notes.push(format!("{words}: {unproven}"));
    }
    Ok(())
}

/// Every vertex of a face is in the file.
fn check_vertices(claim: &Claim, cloth: &Cloth, findings: &mut Findings) {
    let (expected, found) = (claim.garment.vertices, cloth.vertex_count() as u64);
    if expected > MOST_IDS {
        findings
            .notes
            .push(format!("_VERTEX_ID tells no more than {MOST_IDS} vertices apart: those beyond are not proven"));
    } else if found + claim.garment.loose_vertices < expected {
        findings.faults.push(Fault::VertexCount { found, expected });
    }
}
