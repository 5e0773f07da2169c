//! Point cache -> files.
