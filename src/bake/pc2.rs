//! Point Cache 2: the positions of the file's vertices, for the Mesh Cache modifier on the artist's own mesh.
//!
//! ```text
//! "POINTCACHE2\0"  i32 version = 1  i32 points  f32 start frame  f32 frames a sample = 1  i32 samples
//! then samples x points x (f32 x, f32 y, f32 z), all little-endian
//! ```
//!
//! Far from the world's origin the format's `f32` are coarse: steps of 1 mm 10 km away.
//!
//! Units and axes are the garment file's: importers leave OBJ coordinates as they are and turn the object instead.

use std::io::Write;
use std::path::Path;

use super::{Bake, BakeError};

/// Writes the header and every frame.
pub(super) fn write(bake: &Bake<'_>, path: &Path, sink: &mut dyn Write) -> Result<(), BakeError> {
    let timeline = &bake.cache.timeline;
    let points = field(path, "the number of vertices", bake.particle_of_vertex.len())?;
    let samples = field(path, "the number of frames", bake.cache.frames.len())?;
    let mut header = Vec::with_capacity(32);
    header.extend(b"POINTCACHE2\0");
    header.extend(1_i32.to_le_bytes());
    header.extend(points.to_le_bytes());
    header.extend((timeline.start_frame as f32).to_le_bytes());
    header.extend(1_f32.to_le_bytes());
    header.extend(samples.to_le_bytes());
    sink.write_all(&header).map_err(BakeError::io(path, "write it"))?;
    for index in 0..bake.cache.frames.len() {
        bake.check_interrupt()?;
        sink.write_all(&sample(bake, index)).map_err(BakeError::io(path, "write it"))?;
    }
    Ok(())
}

/// Positions of one frame in the file's units and axes.
fn sample(bake: &Bake<'_>, index: usize) -> Vec<u8> {
    let positions = bake.cache.vertex_positions(index, bake.particle_of_vertex);
    let in_file = |p| bake.far_in_file(p).map_or_else(|| bake.garment.frame.to_file(p), |p| p.as_vec3());
    positions.flat_map(|p| in_file(p).to_array()).flat_map(f32::to_le_bytes).collect()
}

fn field(path: &Path, what: &'static str, found: usize) -> Result<i32, BakeError> {
    i32::try_from(found).map_err(|_| BakeError::TooLarge {
        path: path.to_owned(),
        what,
        found: found as u64,
        limit: i32::MAX as u64,
        advice: "bake a shorter range",
    })
}
