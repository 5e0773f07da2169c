//! glTF and GLB files.
