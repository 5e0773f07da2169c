//! Reads the outputs of a bake again and proves them against its report.
//!
//! ```text
//! report.json  ->  what is claimed  ->  bytes and SHA-256 of every file
//!                                       frames, counts, times, no number missing
//!                                       positions: box, signed sums and moments of every frame
//! ```
//!
//! Nothing of the writers is used, not even their arithmetic: a fault that both shared would hide itself. Readers take one frame or
//! less into memory at a time. The report and the outputs are files from anywhere: whatever is in them, the answer is a
//! [`Verdict`] or a [`VerifyError`].

mod checksum;
mod claim;
mod digest;
mod error;
mod fault;
mod gltf;
mod obj;
mod pc2;
mod place;
mod positions;
mod sequence;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use self::claim::{Claim, OutputClaim};
use self::fault::Faults;
use self::place::Place;
use self::positions::Positions;
use self::sequence::Kind;

pub use error::VerifyError;
pub use fault::Fault;

/// What came out of reading all outputs again.
#[derive(Debug, Serialize)]
pub struct Verdict {
    /// The report.
    pub report: PathBuf,
    /// Whether every output is there and is what the report says.
    pub is_proven: bool,
    /// One entry a file, in the report's order.
    pub outputs: Vec<FileVerdict>,
}

/// What came out of one file.
#[derive(Debug, Serialize)]
pub struct FileVerdict {
    /// Its path in the report.
    pub path: String,
    /// Where it was found; none if it was not.
    pub found: Option<PathBuf>,
    /// Whether it is there and right.
    pub status: Status,
    /// Number of frames whose positions were read from it.
    pub frames: usize,
    /// How closely its positions were compared, metres; 0 is to the bit, none if it has none of its own.
    pub tolerance_m: Option<f64>,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// Faults that are not listed.
    pub more_faults: usize,
    /// What could not be proven, in plain words.
    pub notes: Vec<String>,
}

/// How a file stands to its report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As the report says.
    Ok,
    /// Not as the report says.
    Differs,
    /// Not there.
    Missing,
}

/// Where to look, and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// Folder with the outputs. Default: as the report says, else beside it.
    pub folder: Option<&'a Path>,
    /// Becomes true when the user wants to stop.
    pub interrupted: Option<&'a AtomicBool>,
}

impl Search<'_> {
    fn check_interrupt(&self) -> Result<(), VerifyError> {
        match self.interrupted {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(VerifyError::Interrupted),
            _ => Ok(()),
        }
    }
}

/// What was found out about a file on the way.
#[derive(Debug, Default)]
struct Findings {
    faults: Faults,
    frames: usize,
    tolerance: Option<f64>,
    notes: Vec<String>,
}

/// Proves every output that the report at `path` names.
///
/// # Errors
/// The report cannot be read or is none, or the operating system refuses to read an output that is there.
pub fn verify(path: &Path, search: &Search<'_>) -> Result<Verdict, VerifyError> {
    let claim = Claim::read(path)?;
    let kinds = sequence::kinds(&claim);
    // Frames of a sequence share the hash over all their positions.
    let mut running: Option<Positions<'_>> = None;
    let mut outputs = Vec::new();
    for (output, kind) in claim.outputs.iter().zip(&kinds) {
        search.check_interrupt()?;
        let verdict = match Place::find(&output.path, path, search.folder) {
            None => {
                // The rest of the sequence is still compared, frame by frame.
                running = None;
                missing(output)
            }
            Some(place) => {
                let mut findings = Findings::default();
                digest::check(&place.path, output, &mut findings.faults, search)?;
                read(&claim, output, kind, &place, &mut running, search, &mut findings)?;
                judged(output, place, findings)
            }
        };
        outputs.push(verdict);
    }
    let is_proven = outputs.iter().all(|output| output.status == Status::Ok);
    Ok(Verdict { report: path.to_owned(), is_proven, outputs })
}

/// Reads what is in a file.
fn read<'a>(
    claim: &'a Claim,
    output: &OutputClaim,
    kind: &Kind,
    place: &Place,
    running: &mut Option<Positions<'a>>,
    search: &Search<'_>,
    findings: &mut Findings,
) -> Result<(), VerifyError> {
    match *kind {
        Kind::Buffer => Ok(()),
        Kind::Unknown => {
            findings.faults.push(Fault::UnknownFormat);
            Ok(())
        }
        Kind::Pc2 => pc2::check(claim, &place.path, search, findings),
        Kind::Gltf => gltf::check(claim, output, &place.path, search, findings),
        Kind::ObjFrame { index, is_named, ends_early } => {
            if !is_named {
                findings.faults.push(Fault::FrameName { frame: claim.frame_number(index) });
            }
            if ends_early {
                findings.faults.push(Fault::FrameCount { found: index as u64 + 1, expected: claim.frame_count() });
            }
            obj::check(claim, index, &place.path, running, search, findings)
        }
    }
}

fn missing(output: &OutputClaim) -> FileVerdict {
    FileVerdict {
        path: output.path.clone(),
        found: None,
        status: Status::Missing,
        frames: 0,
        tolerance_m: None,
        faults: Vec::new(),
        more_faults: 0,
        notes: Vec::new(),
    }
}

fn judged(output: &OutputClaim, place: Place, mut findings: Findings) -> FileVerdict {
    if place.is_beside_report {
        findings.notes.push(format!("found beside the report: {}", place.path.display()));
    }
    let (faults, more_faults) = findings.faults.into_parts();
    FileVerdict {
        path: output.path.clone(),
        found: Some(place.path),
        status: if faults.is_empty() { Status::Ok } else { Status::Differs },
        frames: findings.frames,
        tolerance_m: findings.tolerance,
        faults,
        more_faults,
        notes: findings.notes,
    }
}
