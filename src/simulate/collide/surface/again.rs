//! Asking the body once more where cloth has been drawn into it since it was asked.

use rayon::prelude::*;

use super::{BodySurface, PARTICLES_PER_TASK};
use crate::geometry::Vec3;
use crate::simulate::cloth::Cloth;
use crate::simulate::collide::{Contacts, Touch};

/// Depth to which what is squeezed may be drawn into the body, in thicknesses.
const DRAWN_IN: f32 = 0.25;
/// Steps after which a way that only grazes the surface counts as clear.
const MOST_STEPS: u32 = 24;

impl BodySurface<'_> {
    /// Pushes out again what the cloth has drawn on since it was at `asked_at`, and maybe into the body: of all particles, or of those
    /// only that touched nothing. Nothing comes out on the far side of a hand. What two parts of the body squeeze goes back to where
    /// it was: pushed once more, out of one into the other, it would shake.
    pub(in crate::simulate) fn collide_again(
        &mut self,
        cloth: &mut Cloth,
        asked_at: &[Vec3],
        touch: Touch,
        of_all: bool,
        contacts: &mut Contacts,
    ) {
        let touches = contacts.touching(cloth.len());
        let asks = |particle: usize| !touches[particle] || of_all && !self.is_squeezed(particle, touch.thickness);
        let place = |particle: usize| cloth.is_free(particle).then(|| cloth.points[particle].at);
        let asking = self.looks(&self.probes, |particle| place(particle).filter(|_| asks(particle)), false);
        let drawn = if of_all { self.squeezed(contacts, touch.thickness) } else { Vec::new() };
        if asking.is_empty() && drawn.is_empty() {
            return;
        }
        self.fit();
        let came_in = asking.par_iter().with_min_len(PARTICLES_PER_TASK).filter_map(|&(particle, _)| {
            let particle = particle as usize;
            let halt = self.halt(particle, asked_at[particle], cloth.points[particle].at, touch.thickness)?;
            Some((particle, halt))
        });
        let went_in = drawn.par_iter().with_min_len(PARTICLES_PER_TASK).filter_map(|&particle| {
            let [now, then] = [cloth.points[particle].at, asked_at[particle]].map(|point| self.distance(point));
            let is_deeper = cloth.is_free(particle) && now < -DRAWN_IN * touch.thickness && now < then;
            is_deeper.then_some((particle, asked_at[particle]))
        });
        let back: Vec<(usize, Vec3)> = came_in.chain(went_in).collect();
        back.into_iter().for_each(|(particle, at)| cloth.points[particle].at = at);
        let mut newer = Contacts::new(cloth.len());
        self.push_out(&asking, cloth, touch, &mut newer);
        contacts.renew(newer, cloth.len());
    }

    /// Where a particle that was drawn from one place to another went into the body, if the surface next to it there faces another way
    /// than the one next to it now.
    ///
    /// ```text
    ///    from o
    ///         |
    ///    =====x=====    of the far side it would be pushed out on that, and carried along
    ///     hand|
    ///    =====|=====
    ///         o to
    /// ```
    fn halt(&self, particle: usize, from: Vec3, to: Vec3, thickness: f32) -> Option<Vec3> {
        if self.hidden[particle].is_some() {
            return None;
        }
        let way = from.distance(to);
        let near = |point: Vec3| {
            let known = self.probes[particle].triangle;
            self.nearest_knowing(known, self.search_radius, point, |_| true)
        };
        let start = near(from)?;
        if start.distance <= 0.0 || start.distance > way {
            return None;
        }
        let end = near(to)?;
        if end.normal.dot(start.normal) > 0.0 && end.distance > -thickness {
            return None;
        }
        let direction = (to - from) * (1.0 / way);
        let (mut gone, mut found) = (0.0, Some(start));
        for _ in 0..MOST_STEPS {
            let free = found.as_ref().map_or(self.search_radius, |found| found.distance);
            gone += free.max(0.1 * thickness);
            if gone >= way {
                return None;
            }
            let at = from + direction * gone;
            found = near(at);
            if let Some(entry) = found.as_ref().filter(|found| found.distance <= 0.0) {
                return (entry.normal.dot(end.normal) < 0.0).then_some(at);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Moment;
    use crate::pins::Pins;
    use crate::simulate::collide::surface::fixtures::{prisms, slab};
    use crate::topology::{build, grids};

    const TOUCH: Touch = Touch { thickness: 0.002, friction: 0.0, rise: 0.001 };

    /// Heights at which particles were once they had asked from one height each, and once they were drawn to another and asked again.
    fn asked_again(slabs: &[[[f32; 2]; 4]], ways: &[[f32; 2]; 4], of_all: bool) -> [[f32; 4]; 2] {
        let outlines: Vec<&[[f32; 2]]> = slabs.iter().map(|slab| slab.as_slice()).collect();
        let body = prisms(&outlines, 0.4);
        let mut surface = BodySurface::new(&body, Moment::At(0.0), 4, 0.1);
        let mut cloth = Cloth::at_rest(&build(&grids::grid(2, 2)).expect("a grid"), &Pins::default(), 0.1);
        let put = |cloth: &mut Cloth, when: usize| {
            for (point, way) in cloth.points.iter_mut().zip(ways) {
                point.at = Vec3::new(0.01, way[when], 0.02);
            }
        };
        put(&mut cloth, 0);
        cloth.previous.clone_from(&cloth.points);
        let mut contacts = Contacts::new(cloth.len());
        surface.collide(&mut cloth, TOUCH, true, &mut contacts);
        let asked_at = cloth.positions();
        put(&mut cloth, 1);
        surface.collide_again(&mut cloth, &asked_at, TOUCH, of_all, &mut contacts);
        [asked_at, cloth.positions()].map(|at| std::array::from_fn(|particle| at[particle].y))
    }

    #[test]
    fn what_is_drawn_into_a_thin_part_or_through_it_comes_out_where_it_went_in() {
        let ways = [[0.03, 0.009], [0.03, -0.005], [0.03, -0.011], [0.03, 0.02]];
        for of_all in [false, true] {
            let [_, heights] = asked_again(&[slab(-0.01, 0.01)], &ways, of_all);
            for height in &heights[..3] {
                assert!((height - 0.012).abs() < 2e-4, "{heights:?}");
            }
            assert_eq!(heights[3], 0.02, "it went nowhere near");
        }
    }

    #[test]
    fn what_two_parts_squeeze_goes_back_to_where_it_was_between_them() {
        let ways = [[0.0, 0.008], [0.0, -0.008], [0.0, 0.0006], [0.0, -0.0004]];
        let slabs = [slab(-0.02, -0.0005), slab(0.0005, 0.02)];
        let [asked, again] = asked_again(&slabs, &ways, true);
        assert!(asked.iter().all(|height| height.abs() <= 0.0011), "{asked:?}");
        assert_eq!(again, [asked[0], asked[1], 0.0006, -0.0004], "the others are hardly inside");
        assert_eq!(asked_again(&slabs, &ways, false)[1], ways.map(|way| way[1]), "they touch and are not asked");
    }
}
