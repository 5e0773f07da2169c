//! A GLB container (or plain JSON) -> JSON text and binary chunk.
//!
//! ```text
//! magic "glTF" | version 2 | length      length | "JSON" | text      length | "BIN\0" | bytes
//! ```
//!
//! glTF 2.0 specification, section 4.4. The `gltf` crate trusts the lengths, so they are checked here.

use super::error::GltfError;

const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The two parts of a glTF file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    /// JSON text without byte order mark.
    pub(super) json: &'a [u8],
    /// The binary chunk of a GLB.
    pub(super) binary: Option<&'a [u8]>,
}

/// Splits `bytes` and checks every length in it; the text has at most `json_limit` bytes.
pub(super) fn split(bytes: &[u8], json_limit: usize) -> Result<Container<'_>, GltfError> {
    let container = match bytes {
        [] => return Err(GltfError::Empty),
        [b'g', b'l', b'T', b'F', ..] => split_glb(bytes)?,
        [0x1F, 0x8B, ..] => return Err(GltfError::NotGltf { found: "a gzip archive" }),
        [b'P', b'K', 3, 4, ..] => return Err(GltfError::NotGltf { found: "a zip archive" }),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => return Err(GltfError::NotGltf { found: "UTF-16 text" }),
        _ => Container { json: bytes, binary: None },
    };
    let json = container.json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(container.json);
    let end =
        json.iter().rposition(|byte| !matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n')).map_or(0, |last| last + 1);
    let json = json.get(..end).unwrap_or_default();
    if json.len() > json_limit {
        return Err(GltfError::JsonTooLong { found: json.len(), limit: json_limit });
    }
    Ok(Container { json, ..container })
}

fn split_glb(bytes: &[u8]) -> Result<Container<'_>, GltfError> {
    let short = |place, declared: u64| GltfError::ContainerLength { place, declared, found: bytes.len() as u64 };
    let version = u32_at(bytes, 4).ok_or(short("GLB header", HEADER_BYTES as u64))?;
    let declared = u32_at(bytes, 8).ok_or(short("GLB header", HEADER_BYTES as u64))?;
    if version != 2 {
        return Err(GltfError::ContainerVersion { found: version });
    }
    let whole = bytes.get(..declared as usize).filter(|whole| whole.len() >= HEADER_BYTES);
    let mut rest = whole.and_then(|whole| whole.get(HEADER_BYTES..)).ok_or(short("GLB header", declared.into()))?;
    let (kind, json) = next_chunk(&mut rest, "JSON chunk")?.ok_or(GltfError::NoJsonChunk)?;
    if kind != JSON_CHUNK {
        return Err(GltfError::NoJsonChunk);
    }
    let mut binary = None;
    while let Some((kind, chunk)) = next_chunk(&mut rest, "chunk after the JSON")? {
        if kind == BINARY_CHUNK && binary.is_none() {
            binary = Some(chunk);
        }
    }
    Ok(Container { json, binary })
}

/// Takes the next chunk off `rest`. Fewer than eight bytes are padding that some exporters leave.
fn next_chunk<'a>(rest: &mut &'a [u8], place: &'static str) -> Result<Option<(u32, &'a [u8])>, GltfError> {
    let (Some(length), Some(kind)) = (u32_at(rest, 0), u32_at(rest, 4)) else { return Ok(None) };
    let data = rest.get(CHUNK_HEADER_BYTES..).unwrap_or_default();
    match data.split_at_checked(length as usize) {
        Some((chunk, after)) => {
            *rest = after;
            Ok(Some((kind, chunk)))
        }
        None => Err(GltfError::ContainerLength { place, declared: length.into(), found: data.len() as u64 }),
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let four = bytes.get(offset..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*four))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(bytes: &[u8]) -> Result<Container<'_>, GltfError> {
        super::split(bytes, 64 << 20)
    }

    fn glb(declared: u32, chunks: &[(u32, u32, &[u8])]) -> Vec<u8> {
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend(declared.to_le_bytes());
        for (length, kind, data) in chunks {
            bytes.extend(length.to_le_bytes());
            bytes.extend(kind.to_le_bytes());
            bytes.extend_from_slice(data);
        }
        bytes
    }

    #[test]
    fn a_container_splits_into_text_and_binary_and_skips_unknown_chunks() {
        let bytes = glb(48, &[(4, JSON_CHUNK, b"{}  "), (4, 7, b"odd!"), (4, BINARY_CHUNK, b"data")]);
        let container = split(&bytes).unwrap();
        assert_eq!((container.json, container.binary), (&b"{}"[..], Some(&b"data"[..])));
    }

    #[test]
    fn lengths_beyond_the_file_are_refused_without_allocating() {
        for bytes in [glb(u32::MAX, &[]), glb(0, &[]), glb(20, &[(u32::MAX, JSON_CHUNK, b"")]), b"glTF".to_vec()] {
            assert!(matches!(split(&bytes), Err(GltfError::ContainerLength { .. })), "{bytes:?}");
        }
        assert!(matches!(split(&glb(12, &[])), Err(GltfError::NoJsonChunk)));
    }

    #[test]
    fn a_byte_order_mark_and_padding_do_not_hurt() {
        assert_eq!(split(b"\xEF\xBB\xBF{} \n").unwrap().json, b"{}");
        assert_eq!(split(b"{}\0\0\0").unwrap().json, b"{}");
    }
}
