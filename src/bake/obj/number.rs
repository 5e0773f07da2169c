//! Numbers as text: the shortest that reads back as the same `f32`, never with an exponent.

use std::io::{self, Write};

use crate::geometry::{Vec2, Vec3};

/// Writes `x y z`.
pub(super) fn write_vec3(v: Vec3, sink: &mut dyn Write) -> io::Result<()> {
    write!(sink, "{} {} {}", v.x, v.y, v.z)
}

/// Writes `x y`.
pub(super) fn write_vec2(v: Vec2, sink: &mut dyn Write) -> io::Result<()> {
    write!(sink, "{} {}", v.x, v.y)
}
