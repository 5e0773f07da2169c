//! Materials, textures and images: carried to the output as they are, never decoded.

use serde_json::Value;

/// What a glTF file says about looks. The index lists refer to each other as in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Appearance {
    /// `materials`, as JSON.
    pub materials: Vec<Value>,
    /// `textures`, as JSON; `source` indexes [`Appearance::images`], `sampler` [`Appearance::samplers`].
    pub textures: Vec<Value>,
    /// `samplers`, as JSON.
    pub samplers: Vec<Value>,
    /// Images with their bytes.
    pub images: Vec<Image>,
    /// Extensions that the materials and textures above use, for `extensionsUsed`.
    pub extensions_used: Vec<String>,
    /// `asset.copyright`, if any.
    pub copyright: Option<String>,
}

/// An image file, bytes undecoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Name in the file, if any.
    pub name: Option<String>,
    /// `image/png`, `image/jpeg`, ...
    pub mime_type: String,
    /// The encoded image.
    pub bytes: Vec<u8>,
}

/// Linear light of an sRGB value in [0, 1] (IEC 61966-2-1).
pub fn linear_from_srgb(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { libm::powf((value + 0.055) / 1.055, 2.4) }
}

/// The kind of an image, from its first bytes.
pub(super) fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xAB, b'K', b'T', b'X', b' ', b'2', b'0', 0xBB, ..] => Some("image/ktx2"),
        _ => None,
    }
}
