//! Where the numbers of a glTF are: behind its JSON, or in the `.bin` beside it. Read when they are asked for.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use super::super::VerifyError;
use super::super::claim::{Claim, OutputClaim};
use super::super::fault::Fault;
use super::Stop;
use super::document::{Accessor, Document};

/// Bytes of JSON that are read: as many as where garments and bodies are read.
const MAX_JSON: u64 = 64 << 20;
/// How often all bytes of the buffer may be read: lists that many meshes share would be read for each of them.
const READINGS: u64 = 8;
/// Bytes that may be read in any case.
const FREE: u64 = 64 << 20;
/// Component type of `f32`.
const FLOAT: u32 = 5126;

/// A file and the place of the buffer in it.
pub(super) struct Container {
    path: PathBuf,
    file: File,
    /// Where the binary chunk starts and how long it is; none without one.
    chunk: Option<[u64; 2]>,
    /// Names of the buffers that the report knows.
    buffers: Vec<String>,
}

/// The buffer, open.
pub(super) struct Numbers {
    path: PathBuf,
    file: File,
    start: u64,
    length: u64,
    /// Bytes that may still be read.
    left: u64,
}

impl Container {
    /// The JSON of a file, and where the rest is.
    pub(super) fn open(claim: &Claim, output: &OutputClaim, path: &Path) -> Result<(Vec<u8>, Container), Stop> {
        let mut file = File::open(path).map_err(VerifyError::io(path))?;
        let length = file.metadata().map_err(VerifyError::io(path))?.len();
        let is_binary = Path::new(&output.path).extension().is_some_and(|e| e.eq_ignore_ascii_case("glb"));
        let (json, chunk) = if is_binary { chunks(&mut file, path, length)? } else { ([0, length], None) };
        if json[1] > MAX_JSON {
            return Err(Fault::Format { what: "JSON of a length that can be read" }.into());
        }
        let json = read(&mut file, path, json[0], json[1])?;
        let names = claim.outputs.iter().filter_map(|output| Path::new(&output.path).file_name());
        let buffers = names.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.ends_with(".bin"));
        Ok((json, Container { path: path.to_owned(), file, chunk, buffers: buffers.collect() }))
    }

    /// Opens the one buffer: the binary chunk, or a file of the report that lies beside the document.
    pub(super) fn numbers(self, document: &Document) -> Result<Numbers, Stop> {
        let [buffer] = &document.buffers[..] else { return Err(Fault::Format { what: "single buffer" }.into()) };
        let (path, file, [start, length]) = match (&buffer.uri, self.chunk) {
            (None, Some(chunk)) => (self.path, self.file, chunk),
            (Some(uri), None) => {
                let name = percent_decode_str(uri).decode_utf8_lossy().into_owned();
                if !self.buffers.contains(&name) {
                    return Err(Fault::Format { what: "buffer that the report names" }.into());
                }
                let path = self.path.with_file_name(name);
                if !path.is_file() {
                    return Err(Fault::Format { what: "buffer beside it" }.into());
                }
                let file = File::open(&path).map_err(VerifyError::io(&path))?;
                let length = file.metadata().map_err(VerifyError::io(&path))?.len();
                (path, file, [0, length])
            }
            _ => return Err(Fault::Format { what: "buffer where it should be" }.into()),
        };
        if buffer.byte_length > length {
            return Err(Fault::Cut { what: "its buffer" }.into());
        }
        let left = buffer.byte_length.saturating_mul(READINGS).saturating_add(FREE);
        Ok(Numbers { path, file, start, length: buffer.byte_length, left })
    }
}

/// Offset and length of the JSON and of the binary chunk.
fn chunks(file: &mut File, path: &Path, length: u64) -> Result<([u64; 2], Option<[u64; 2]>), Stop> {
    if length < 20 {
        return Err(Fault::Cut { what: "its header" }.into());
    }
    let head = read(file, path, 0, 20)?;
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    if !head.starts_with(b"glTF") || word(&head, 4) != 2 || &head[16..20] != b"JSON" {
        return Err(Fault::Format { what: "header of a binary glTF of version 2" }.into());
    }
    if u64::from(word(&head, 8)) != length {
        return Err(Fault::Cut { what: "what its header announces, or behind it" }.into());
    }
    let json = [20, u64::from(word(&head, 12))];
    let next = json[0] + json[1];
    if next > length {
        return Err(Fault::Cut { what: "its JSON" }.into());
    }
    if next + 8 > length {
        return Ok((json, None));
    }
    let head = read(file, path, next, 8)?;
    let binary = [next + 8, u64::from(word(&head, 0))];
    if &head[4..] != b"BIN\0" || binary[0] + binary[1] != length {
        return Err(Fault::Format { what: "binary chunk up to its end" }.into());
    }
    Ok((json, Some(binary)))
}

/// Bytes of a file that are known to be there.
fn read(file: &mut File, path: &Path, start: u64, length: u64) -> Result<Vec<u8>, VerifyError> {
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut bytes)).map_err(VerifyError::io(path))?;
    Ok(bytes)
}

impl Numbers {
    /// Numbers of accessor `index`, which must have elements of this shape, all of them stored.
    pub(super) fn floats(&mut self, document: &Document, index: usize, shape: &str) -> Result<Vec<f32>, Stop> {
        let stray = || Fault::Reference { what: "accessor", index };
        let accessor = document.accessors.get(index).ok_or_else(stray)?;
        let view = accessor.buffer_view.filter(|_| accessor.sparse.is_none()).ok_or_else(stray)?;
        if accessor.component_type != FLOAT || accessor.shape != shape {
            return Err(stray().into());
        }
        let element = 4 * width(accessor).ok_or_else(stray)?;
        self.elements(document, [view as u64, accessor.byte_offset, accessor.count], element)
            .map(|bytes| bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    /// Numbers of accessor `index` that are not zero, with their places; what is not stored is zero.
    pub(super) fn nonzero(&mut self, document: &Document, index: usize) -> Result<Vec<(u64, f32)>, Stop> {
        let stray = || Fault::Reference { what: "accessor", index };
        let accessor = document.accessors.get(index).ok_or_else(stray)?;
        let Some(sparse) = &accessor.sparse else {
            let all = self.floats(document, index, "SCALAR")?;
            return Ok((0..).zip(all).filter(|(_, number)| *number != 0.0).collect());
        };
        if accessor.buffer_view.is_some() || accessor.component_type != FLOAT || accessor.shape != "SCALAR" {
            return Err(stray().into());
        }
        let size = match sparse.indices.component_type {
            5121 => 1,
            5123 => 2,
            5125 => 4,
            _ => return Err(stray().into()),
        };
        let place = [sparse.indices.buffer_view as u64, sparse.indices.byte_offset, sparse.count];
        let places = self.elements(document, place, size)?;
        let values = [sparse.values.buffer_view as u64, sparse.values.byte_offset, sparse.count];
        let values = self.elements(document, values, 4)?;
        let place = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        let places = places.chunks_exact(size as usize).map(place);
        let values = values.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let pairs: Vec<(u64, f32)> = places.zip(values).collect();
        let is_sorted = pairs.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_inside = pairs.iter().all(|&(place, _)| place < accessor.count);
        if is_sorted && is_inside { Ok(pairs) } else { Err(stray().into()) }
    }

    /// Elements of a buffer view, without what stands between them: number of the view, offset in it, number of elements.
    fn elements(
        &mut self,
        document: &Document,
        [view, offset, count]: [u64; 3],
        element: u64,
    ) -> Result<Vec<u8>, Stop> {
        let stray = || Fault::Reference { what: "buffer view", index: view as usize };
        let view = document.buffer_views.get(view as usize).filter(|view| view.buffer == 0).ok_or_else(stray)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let stride = view.byte_stride.unwrap_or(element).max(element);
        let length = (count - 1).checked_mul(stride).and_then(|n| n.checked_add(element)).ok_or_else(stray)?;
        let is_inside = |start: u64, length: u64, end: u64| start.checked_add(length).is_some_and(|at| at <= end);
        if !is_inside(offset, length, view.byte_length) || !is_inside(view.byte_offset, view.byte_length, self.length) {
            return Err(stray().into());
        }
        self.left =
            self.left.checked_sub(length).ok_or(Fault::Format { what: "list for each thing that needs one" })?;
        let bytes = read(&mut self.file, &self.path, self.start + view.byte_offset + offset, length)?;
        if stride == element {
            return Ok(bytes);
        }
        Ok(bytes.chunks(stride as usize).flat_map(|chunk| &chunk[..element as usize]).copied().collect())
    }
}

/// Numbers in an element.
fn width(accessor: &Accessor) -> Option<u64> {
    match accessor.shape.as_str() {
        "SCALAR" => Some(1),
        "VEC3" => Some(3),
        _ => None,
    }
}
