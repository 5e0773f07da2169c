//! Point Cache 2, read again. `bake::pc2` draws the layout.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::claim::Claim;
use super::fault::Fault;
use super::positions::{Numbers, Positions};
use super::{Findings, Search, VerifyError};

/// Bytes before the first position.
const HEADER: usize = 32;
/// Bytes of a position.
const POSITION: u64 = 12;

/// Compares the header and all positions.
pub(super) fn check(
    claim: &Claim,
    path: &Path,
    search: &Search<'_>,
    findings: &mut Findings,
) -> Result<(), VerifyError> {
    let file = File::open(path).map_err(VerifyError::io(path))?;
    let length = file.metadata().map_err(VerifyError::io(path))?.len();
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut header = [0; HEADER];
    if length < HEADER as u64 {
        findings.faults.push(Fault::Cut { what: "its header" });
        return Ok(());
    }
    reader.read_exact(&mut header).map_err(VerifyError::io(path))?;
    if !check_header(claim, &header, length, findings) {
        return Ok(());
    }
    let mut positions = Positions::new(claim, Numbers::Single);
    findings.tolerance = Some(positions.tolerance());
    for _ in 0..claim.frame_count() {
        search.check_interrupt()?;
        for _ in 0..claim.garment.vertices {
            let mut bytes = [0; POSITION as usize];
            reader.read_exact(&mut bytes).map_err(VerifyError::io(path))?;
            positions.push([0, 4, 8].map(|at| f64::from(f32::from_bits(word(&bytes, at)))), &mut findings.faults);
        }
        positions.end_frame(&mut findings.faults);
        findings.frames += 1;
    }
    positions.end(&mut findings.faults);
    Ok(())
}

/// Compares the header; false if nothing can be read behind it.
fn check_header(claim: &Claim, header: &[u8; HEADER], length: u64, findings: &mut Findings) -> bool {
    let faults = &mut findings.faults;
    if !header.starts_with(b"POINTCACHE2\0") || word(header, 12) != 1 {
        faults.push(Fault::Format { what: "Point Cache 2 header of version 1" });
        return false;
    }
    let [points, samples] = [16, 28].map(|at| u64::from(word(header, at)));
    if points != claim.garment.vertices {
        faults.push(Fault::VertexCount { found: points, expected: claim.garment.vertices });
    }
    if samples != claim.frame_count() as u64 {
        faults.push(Fault::FrameCount { found: samples, expected: claim.frame_count() });
    }
    let times = [("first frame", 20, claim.frames.start_frame as f32), ("number of frames a sample", 24, 1.0)];
    for (what, at, expected) in times {
        let found = f32::from_bits(word(header, at));
        if found != expected {
            faults.push(Fault::Times { found: found.into(), expected: expected.into(), what });
        }
    }
    let fits = points == claim.garment.vertices && samples == claim.frame_count() as u64;
    let expected = points.checked_mul(samples).and_then(|n| n.checked_mul(POSITION)).map(|n| n + HEADER as u64);
    if fits && expected != Some(length) {
        faults.push(Fault::Cut { what: "its positions, or behind them" });
    }
    fits && expected == Some(length)
}

/// The 32-bit number at `at`, which is within `bytes`.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
