//! Which springs are horizontal, and which way the others fall.
//!
//! ```text
//!        n   g                 Gravity g without its part along the surface normal n is the way down on the cloth, t.
//!         \  |                 A stretch spring is horizontal when it is more than 45 degrees off t, both ways; else it is
//!          \ v                 vertical and leads down only. A shear spring leads down, or both ways when it is level.
//!   --------o-------- t -->    Where the cloth lies flat (t is short) there is no down: all springs are horizontal.
//! ```

use crate::geometry::DVec3;
use crate::topology::{ParticleId, Topology};

/// Angle from horizontal up to which a stretch spring counts as horizontal, as the sine: 45 degrees.
const HORIZONTAL_SINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Slope of the cloth below which it lies flat, as the sine of its angle: about 6 degrees.
const FLAT_SLOPE: f64 = 0.1;

/// Sine of the angle within which a shear spring counts as level: it may be followed both ways.
const LEVEL_SINE: f64 = 1e-4;

/// How a spring stands against gravity, seen from its first particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Across, or on cloth that lies flat.
    Level,
    /// The second particle is below.
    Down,
    /// The second particle is above.
    Up,
}

/// Slopes of the cloth at rest.
pub(super) struct Slopes<'a> {
    topology: &'a Topology,
    /// Unit vector of gravity.
    gravity: DVec3,
    /// Normals of the particles, as long as the areas around them.
    normals: Vec<DVec3>,
}

impl<'a> Slopes<'a> {
    pub(super) fn new(topology: &'a Topology, gravity: DVec3) -> Slopes<'a> {
        let mut normals = vec![DVec3::ZERO; topology.positions.len()];
        for triangle in &topology.triangles {
            let [a, b, c] = triangle.map(|p| topology.positions[p.index()].as_dvec3());
            let normal = (b - a).cross(c - a);
            triangle.iter().for_each(|p| normals[p.index()] += normal);
        }
        Slopes { topology, gravity: gravity.normalize_or_zero(), normals }
    }

    /// Direction of a stretch spring.
    pub(super) fn of_stretch(&self, from: ParticleId, to: ParticleId) -> Direction {
        Slopes::direction(self.fall(from, to), HORIZONTAL_SINE)
    }

    /// Direction of a shear spring.
    pub(super) fn of_shear(&self, from: ParticleId, to: ParticleId) -> Direction {
        Slopes::direction(self.fall(from, to), LEVEL_SINE)
    }

    fn direction(fall: f64, level: f64) -> Direction {
        // A spring at exactly the threshold must not depend on rounding: the threshold itself is not level.
        if fall.abs() < level - 1e-6 {
            Direction::Level
        } else if fall > 0.0 {
            Direction::Down
        } else {
            Direction::Up
        }
    }

    /// Cosine between the spring and the way down on the cloth: 1 straight down, 0 across or on flat cloth.
    fn fall(&self, from: ParticleId, to: ParticleId) -> f64 {
        let [a, b] = [from, to].map(|p| self.topology.positions[p.index()].as_dvec3());
        let normal = (self.normals[from.index()] + self.normals[to.index()]).normalize_or_zero();
        let down = self.gravity - normal * self.gravity.dot(normal);
        if down.length() < FLAT_SLOPE {
            return 0.0;
        }
        down.normalize_or_zero().dot((b - a).normalize_or_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build;
    use crate::topology::grids::grid;

    fn direction(tilt: f32, to: u32) -> Direction {
        let mut sheet = grid(3, 3);
        for p in &mut sheet.positions {
            *p = crate::geometry::Vec3::new(p.x, p.y * tilt, p.y);
        }
        let topology = build(&sheet).unwrap();
        Slopes::new(&topology, DVec3::NEG_Y).of_stretch(ParticleId(4), ParticleId(to))
    }

    #[test]
    fn on_a_hanging_sheet_rows_are_level_and_columns_fall() {
        assert_eq!(
            [5, 3, 7, 1].map(|to| direction(1.0, to)),
            [Direction::Level, Direction::Level, Direction::Down, Direction::Up]
        );
    }

    #[test]
    fn on_a_gentle_slope_down_is_still_down_and_on_a_flat_sheet_there_is_none() {
        assert_eq!(direction(0.3, 7), Direction::Down);
        assert_eq!(direction(0.0, 7), Direction::Level);
    }
}
