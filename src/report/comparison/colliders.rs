//! Cloth inside planes, balls and capsules that stand still.

use super::Inside;
use crate::geometry::Vec3;
use crate::simulate::{Collider, PointCache, Shape};
use crate::topology::Topology;

/// Depth from which a vertex counts, metres: as for bodies.
const DEEP: f32 = 0.001;

/// How much of the cloth is inside `colliders`; none without any. Those that a joint carries are not looked at.
pub(super) fn inside(cache: &PointCache, topology: &Topology, colliders: &[Collider]) -> Option<Inside> {
    let shapes: Vec<Shape> = colliders.iter().filter(|c| c.joint.is_none()).map(|c| c.shape).collect();
    if shapes.is_empty() {
        return None;
    }
    let mut found = Inside::default();
    for index in 0..cache.frames.len() {
        for place in cache.vertex_positions(index, &topology.particle_of_vertex) {
            let depth = shapes.iter().map(|shape| depth(shape, place)).fold(0.0, f32::max);
            found.max_mm = found.max_mm.max(f64::from(depth) * 1000.0);
            found.vertex_frames += u64::from(depth > DEEP);
        }
    }
    Some(found)
}

/// How deep `place` is inside, metres; negative outside.
fn depth(shape: &Shape, place: Vec3) -> f32 {
    match *shape {
        Shape::Plane { point, normal } => (point - place).dot(normal),
        Shape::Sphere { centre, radius } => radius - place.distance(centre),
        Shape::Capsule { from, to, radius } => {
            let axis = to - from;
            let along = (place - from).dot(axis) / axis.length_squared().max(f32::MIN_POSITIVE);
            radius - place.distance(from + axis * along.clamp(0.0, 1.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_the_distance_to_the_surface_of_each_shape() {
        let plane = Shape::Plane { point: Vec3::Y, normal: Vec3::Y };
        let sphere = Shape::Sphere { centre: Vec3::X, radius: 2.0 };
        let capsule = Shape::Capsule { from: Vec3::ZERO, to: Vec3::X, radius: 0.5 };
        assert_eq!(depth(&plane, Vec3::new(5.0, 0.25, 0.0)), 0.75);
        assert_eq!(depth(&sphere, Vec3::ZERO), 1.0);
        assert_eq!(depth(&capsule, Vec3::new(0.5, 0.25, 0.0)), 0.25);
        assert_eq!(depth(&capsule, Vec3::new(2.0, 0.0, 0.0)), -0.5);
    }
}
