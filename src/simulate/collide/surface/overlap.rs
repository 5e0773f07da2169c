//! Shells of the body that overlap, as armour and clothes do over a body: in front of the surface nearest to it, a particle may be
//! inside another shell.
//!
//! ```text
//!    ==================  breastplate
//!            o           inside it, for all that the shirt says
//!    ------------------  shirt
//! ```

use super::{BodySurface, Nearest};
use crate::geometry::Vec3;
use crate::simulate::collide::mesh::NONE;

/// How far away the surface of a shell is looked for that encloses a particle, as a part of the search radius: 12 mm on a grown-up.
const NEAR: f32 = 0.2;
/// How many shells a particle looks at, the nearest first.
const MOST_SHELLS: usize = 4;

impl BodySurface<'_> {
    /// The surface next to a particle of a shell that encloses it, though it is in front of the surface `nearest` to it, among the
    /// triangles that `counts`. Both shells hang together, and the particle was worn there: one that a hand has caught would be pushed
    /// through the hand.
    pub(super) fn enclosing_shell(
        &self,
        particle: u32,
        point: Vec3,
        nearest: &Nearest,
        counts: impl Fn(u32) -> bool,
    ) -> Option<Nearest> {
        let within = NEAR * self.search_radius;
        if self.worn_on[particle as usize].is_none()
            || self.mesh.shells == 1
            || !nearest.is_whole
            || !(0.0..within).contains(&nearest.distance)
        {
            return None;
        }
        let encloses = |found: &Nearest| {
            found.distance < 0.0
                && self.was_worn_with(particle, found.triangle)
                && self.hang_together(nearest.triangle, found.triangle)
                && !self.is_buried(found.triangle)
        };
        let shell = |t: u32| self.mesh.shell_of[t as usize];
        let mut known = [NONE; MOST_SHELLS];
        known[0] = shell(nearest.triangle);
        for next in 1..MOST_SHELLS {
            let found = self.nearest_within(within, point, |t| counts(t) && !known.contains(&shell(t)))?;
            if encloses(&found) {
                return self.is_enclosed(point).then_some(Nearest { is_whole: true, ..found });
            }
            known[next] = shell(found.triangle);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Look, Worn};
    use super::*;
    use crate::body::{Body, Moment};
    use crate::simulate::collide::Touch;
    use crate::simulate::collide::surface::fixtures::prisms;

    /// Two slabs, the first 5 cm thick, its top at 0.
    fn overlapping(bottom: f32, top: f32) -> Body {
        let slab = |bottom: f32, top: f32| [[-0.05, bottom], [0.05, bottom], [0.05, top], [-0.05, top]];
        prisms(&[&slab(-0.05, 0.0), &slab(bottom, top)], 0.1)
    }

    /// The same as a surface, with a particle that was worn on the top of the first.
    fn worn_over(body: &Body) -> BodySurface<'_> {
        let mut surface = BodySurface::new(body, Moment::At(0.0), 1, 0.1);
        surface.worn_on[0] = Some(Worn { triangle: 4, distance: 0.0 });
        surface
    }

    #[test]
    fn a_particle_between_a_shirt_and_the_outside_of_a_plate_over_it_comes_out_of_the_plate() {
        let body = overlapping(-0.02, 0.003);
        let surface = worn_over(&body);
        let touch = Touch { thickness: 0.002, friction: 0.0, rise: 1.0 };
        let height = |y: f32| {
            let at = Vec3::new(0.01, y, 0.02);
            surface.ask(0, Look::Whole, at, at, touch).pushed.map_or(y, |(pushed, _)| pushed.y)
        };
        for y in [0.001, 0.0014, 0.0016, 0.004] {
            assert!((height(y) - 0.005).abs() < 1e-6, "{y}: {}", height(y));
        }
        assert_eq!(height(0.006), 0.006);
    }

    #[test]
    fn only_what_a_particle_was_worn_on_encloses_it() {
        let body = overlapping(-0.003, -0.001);
        let mut surface = worn_over(&body);
        let point = Vec3::new(0.01, -0.005, 0.02);
        let way_out = |surface: &BodySurface<'_>| {
            let nearest =
                surface.nearest_where(point, |_| true).map(|nearest| Nearest { is_whole: true, ..nearest })?;
            assert!((nearest.distance - 0.002).abs() < 1e-6, "{}", nearest.distance);
            surface.enclosing_shell(0, point, &nearest, |_| true).map(|found| found.normal * -found.distance)
        };
        let way = way_out(&surface).expect("the way out of the thick one");
        assert!((way - Vec3::Y * 0.005).length() < 1e-6, "{way:?}");
        surface.worn_on[0] = None;
        assert!(way_out(&surface).is_none());
    }
}
