//! GLB files put together and taken apart.
#![allow(dead_code)] // each test uses some of it

use serde_json::{Value, json};

/// Accessors of a document while they are put together.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) binary: Vec<u8>,
    pub(crate) views: Vec<Value>,
    pub(crate) accessors: Vec<Value>,
}

impl Parts {
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() }));
        self.binary.extend_from_slice(bytes);
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    pub(crate) fn add(&mut self, bytes: &[u8], component: u32, count: usize, kind: &str) -> usize {
        let view = self.view(bytes);
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }));
        self.accessors.len() - 1
    }
}

/// The JSON and the binary chunk of a GLB file, or a JSON document without one.
pub(crate) fn taken_apart(bytes: &[u8]) -> Option<(Value, Vec<u8>)> {
    if !bytes.starts_with(b"glTF") {
        return Some((serde_json::from_slice(bytes).ok()?, Vec::new()));
    }
    let length = u32::from_le_bytes(*bytes.get(12..)?.first_chunk()?) as usize;
    let document = serde_json::from_slice(bytes.get(20..)?.get(..length)?).ok()?;
    Some((document, bytes.get(28 + length..).unwrap_or_default().to_vec()))
}

/// A GLB file.
pub(crate) fn glb(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + text.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", text.as_slice()), (b"BIN\0", binary)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend_from_slice(chunk);
    }
    bytes
}
