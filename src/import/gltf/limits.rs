//! What a file may ask for. Real characters and garments stay far below; together the limits keep an import under 1 GiB.

/// Largest JSON text of a file of the usual sizes, bytes.
pub(super) const MAX_JSON_BYTES: usize = 64 << 20;

/// Largest estimate of the memory that the JSON of such a file takes once it is taken apart, bytes.
pub(super) const MAX_JSON_MEMORY: usize = 256 << 20;

/// Most bytes of all buffers and images beside or inside the document (`uri`), together.
pub(super) const MAX_EXTERNAL_BYTES: u64 = 256 << 20;

/// Most elements of an accessor that has no bytes of its own (zero-filled or sparse only).
pub(super) const MAX_UNBACKED_ELEMENTS: u64 = 1 << 22;

/// Most bytes of accessor data unpacked and kept, together.
pub(super) const MAX_DECODED_BYTES: u64 = 320 << 20;

/// How many times as many are gone through at most, where parts that share accessors keep only what is theirs.
pub(super) const MOST_TIMES_UNPACKED: u64 = 16;

/// Counted towards [`MAX_DECODED_BYTES`] for each mesh primitive on a node and each animation channel, beside their data.
pub(super) const PART_BYTES: u64 = 512;

/// Most notices on the numbers of a file; more would help nobody.
pub(super) const MAX_NOTICES: usize = 100;
