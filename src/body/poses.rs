//! Poses of a body as a PC2 point cache, to compare them with another program's evaluation of the same file.

use std::io::{self, Write};

use super::{Body, Moment};
use crate::geometry::Vec3;

/// Writes the vertices of all parts at each of `seconds` (on the clip's time line), metres in the world, Y up, as PC2: a header of 32
/// bytes (magic, version, vertex count, start, rate, sample count), then three little-endian f32 a vertex.
///
/// # Errors
/// What `out` reports.
pub fn write_poses(body: &Body, seconds: &[f64], out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"POINTCACHE2\0")?;
    out.write_all(&1_i32.to_le_bytes())?;
    out.write_all(&(body.vertex_count() as u32).to_le_bytes())?;
    for number in [0.0_f32, 1.0] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&(seconds.len() as u32).to_le_bytes())?;
    let mut positions: Vec<Vec3> = Vec::new();
    for &seconds in seconds {
        let moment = Moment::At(seconds);
        body.pose(moment, &mut positions);
        let origin = body.origin(moment);
        for position in &positions {
            for coordinate in (position.as_dvec3() + origin).as_vec3().to_array() {
                out.write_all(&coordinate.to_le_bytes())?;
            }
        }
    }
    Ok(())
}
