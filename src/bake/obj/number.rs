//! Numbers as text: the shortest that reads back as the same `f32`, never with an exponent. Far from the world's origin `f32` is
//! too coarse: positions there read back as the same `f64`.

use std::io::{self, Write};

use super::super::Bake;
use crate::geometry::{Vec2, Vec3};

/// Writes `x y z`.
pub(super) fn write_vec3(v: Vec3, sink: &mut dyn Write) -> io::Result<()> {
    write!(sink, "{} {} {}", v.x, v.y, v.z)
}

/// Writes the position `p` of a bake in the file's units and axes.
pub(super) fn write_position(bake: &Bake<'_>, p: Vec3, sink: &mut dyn Write) -> io::Result<()> {
    match bake.far_in_file(p) {
        Some(far) => write!(sink, "{} {} {}", far.x, far.y, far.z),
        None => write_vec3(bake.garment.frame.to_file(p), sink),
    }
}

/// Writes `x y`.
pub(super) fn write_vec2(v: Vec2, sink: &mut dyn Write) -> io::Result<()> {
    write!(sink, "{} {}", v.x, v.y)
}
