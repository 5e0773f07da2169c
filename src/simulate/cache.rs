//! The result of a simulation: positions of every particle in every frame.

use super::Timeline;
use crate::geometry::Vec3;
use crate::topology::ParticleId;

/// Particle positions of every baked frame, metres, Y up, world space.
#[derive(Clone, Debug)]
pub struct PointCache {
    /// Which frames these are.
    pub timeline: Timeline,
    /// One list of particle positions a frame.
    pub frames: Vec<Vec<Vec3>>,
}

impl PointCache {
    /// Positions of the file's vertices in frame `index`, in the file's order.
    pub fn vertex_positions<'a>(
        &'a self,
        index: usize,
        particle_of_vertex: &'a [ParticleId],
    ) -> impl ExactSizeIterator<Item = Vec3> + 'a {
        let frame = &self.frames[index];
        particle_of_vertex.iter().map(|p| frame[p.index()])
    }
}
