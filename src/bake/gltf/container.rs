//! The two containers: a `.glb` with everything in it, a `.gltf` beside its `.bin`.
//!
//! ```text
//! "glTF"  u32 version = 2  u32 length of all
//! u32 length  "JSON"  JSON padded with spaces
//! u32 length  "BIN\0"  buffer padded with zeros
//! ```

use std::io::Write;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::super::{Bake, BakeError};
use super::document::Document;

/// Characters of a file name that a relative URI may hold as they are.
const IN_FILE_NAMES: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Bytes of the header and the two chunk headers.
const HEADERS: u64 = 12 + 8 + 8;

/// Writes a binary glTF.
pub(super) fn write_glb(
    document: &Document<'_>,
    bake: &Bake<'_>,
    path: &Path,
    sink: &mut dyn Write,
) -> Result<(), BakeError> {
    let json = document.to_json(None).and_then(|value| serde_json::to_vec(&value));
    let mut json = json.map_err(|source| BakeError::Json { path: path.to_owned(), source })?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let binary = document.binary.length();
    let length = glb_field(path, HEADERS + json.len() as u64 + binary)?;

    let mut head = Vec::with_capacity(20 + json.len() + 8);
    head.extend(b"glTF");
    head.extend(2_u32.to_le_bytes());
    head.extend(length.to_le_bytes());
    head.extend(glb_field(path, json.len() as u64)?.to_le_bytes());
    head.extend(b"JSON");
    head.extend(json);
    head.extend(glb_field(path, binary)?.to_le_bytes());
    head.extend(b"BIN\0");
    sink.write_all(&head).map_err(BakeError::io(path, "write it"))?;
    document.binary.write(bake, path, sink)
}

/// Writes the JSON of a glTF whose buffer is the file `buffer` beside it.
pub(super) fn write_json(
    document: &Document<'_>,
    buffer: &Path,
    path: &Path,
    sink: &mut dyn Write,
) -> Result<(), BakeError> {
    let name = buffer.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let uri = utf8_percent_encode(&name, IN_FILE_NAMES).to_string();
    let json = document.to_json(Some(uri)).and_then(|value| serde_json::to_vec_pretty(&value));
    let mut json = json.map_err(|source| BakeError::Json { path: path.to_owned(), source })?;
    json.push(b'\n');
    sink.write_all(&json).map_err(BakeError::io(path, "write it"))
}

fn glb_field(path: &Path, found: u64) -> Result<u32, BakeError> {
    u32::try_from(found).map_err(|_| BakeError::TooLarge {
        path: path.to_owned(),
        what: "the number of bytes",
        found,
        limit: u64::from(u32::MAX),
        advice: "use .pc2, .gltf or a shorter range",
    })
}
