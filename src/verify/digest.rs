//! Length and SHA-256 of a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::claim::OutputClaim;
use super::fault::{Fault, Faults};
use super::{Search, VerifyError};

/// Bytes read at a time.
const CHUNK: usize = 1 << 20;

/// Compares the bytes of the file at `path` with what is claimed of it.
pub(super) fn check(
    path: &Path,
    claim: &OutputClaim,
    faults: &mut Faults,
    search: &Search<'_>,
) -> Result<(), VerifyError> {
    let file = File::open(path).map_err(VerifyError::io(path))?;
    let length = file.metadata().map_err(VerifyError::io(path))?.len();
    if length != claim.bytes {
        faults.push(Fault::Length { found: length, expected: claim.bytes });
        faults.push(Fault::Hash);
        return Ok(());
    }
    // What the system makes up while it is read, as below /proc, may have no end.
    let mut file = file.take(length);
    let mut chunk = vec![0; CHUNK];
    let mut hash = Sha256::new();
    loop {
        search.check_interrupt()?;
        let count = file.read(&mut chunk).map_err(VerifyError::io(path))?;
        if count == 0 {
            break;
        }
        hash.update(&chunk[..count]);
    }
    if !format!("{:x}", hash.finalize()).eq_ignore_ascii_case(&claim.sha256) {
        faults.push(Fault::Hash);
    }
    Ok(())
}
