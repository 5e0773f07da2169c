//! How often a mesh winds around a point (Jacobson et al. 2013): 1 inside a closed surface, 2 where two overlap,
//! in between near a hole.
//!
//! Each triangle adds its solid angle over 4 pi. Seen from afar a group of neighbouring triangles counts as one dipole, and
//! the groups are a tree (Barill et al. 2018), so that a query costs about the logarithm of their number:
//!
//! ```text
//! levels[0]   |0-3|4-7|8-11|12-15| ...   dipoles of four triangles in the order of the bounding volume hierarchy
//! levels[1]   |  0-7  |    8-15   | ...   of two dipoles below
//! ```
//!
//! What a dipole misses is bounded. The solid angle of a group is the flux of `x / |x|^3` through it, whose derivative is no
//! larger than `2 / |x|^3`: with all triangles within `radius` of the centre,
//!
//! ```text
//! |solid angle - dipole| <= area * radius * 2 / (distance - radius)^3
//! ```
//!
//! Near a bundle of needles no group is far away, and every query costs all triangles. The number of solid angles is limited; when
//! it is used up, groups count as dipoles however near they are, and the field says that it is coarse.

use std::cell::Cell;

use crate::geometry::{Bvh, DVec3, Vec3};

/// Triangles that share a dipole on the lowest level.
const GROUP: usize = 4;
/// Distance, in radii of the group, beyond which it counts as a dipole. Less is faster; 2 errs by about 0.02.
const FAR: f64 = 2.0;
/// Solid angle of all directions.
const FULL: f64 = 4.0 * std::f64::consts::PI;
/// Solid angles of single triangles that a field computes at most: a tenth of a second's work. Cloth scenes need a tenth of them.
const MOST_ANGLES: usize = 1 << 22;
/// The same for large meshes, in times all their triangles.
const MOST_ROUNDS: usize = 64;
/// The same for crowded meshes, near whose large triangles no group is ever far away.
const MOST_CROWDED_ANGLES: usize = 1 << 18;
/// Groups that a query of a coarse field looks at, at most.
const COARSE: usize = 1024;
/// The same for crowded meshes: of a tangle more groups tell no more.
const COARSE_CROWDED: usize = 128;
/// Winding that rounding may add or take, over thousands of triangles.
const ROUNDING: f64 = 1e-9;

/// A posed mesh prepared for winding numbers.
pub(crate) struct WindingField<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    order: &'a [u32],
    levels: Vec<Vec<Dipole>>,
    /// The lowest level that a query of a coarse field goes down to.
    coarse_level: usize,
    /// Solid angles that may still be computed.
    angles_left: Cell<usize>,
}

/// A group of triangles seen from afar.
#[derive(Clone, Copy)]
struct Dipole {
    centre: DVec3,
    /// Radius of a ball around the centre that holds the group, metres.
    radius: f64,
    /// Sum of the triangles' area vectors, m2.
    area_vector: DVec3,
    /// Sum of the triangles' areas, m2.
    area: f64,
}

/// What a point sees of a mesh.
struct View {
    /// Half the solid angles of near triangles.
    near: AngleSum,
    /// Solid angle of all dipoles.
    far: f64,
    /// Solid angle by which those may err, at most.
    error: f64,
}

impl<'a> WindingField<'a> {
    /// The triangles are taken in the order of `bvh`, which makes the groups compact.
    pub(crate) fn new(bvh: &'a Bvh, positions: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Self {
        let order = bvh.triangle_order();
        let lowest = order.chunks(GROUP).map(|run| Dipole::of_triangles(run, positions, triangles)).collect();
        let mut levels: Vec<Vec<Dipole>> = vec![lowest];
        while let Some(below) = levels.last().filter(|l| l.len() > 1) {
            levels.push(below.chunks(2).map(Dipole::of_dipoles).collect());
        }
        let (most_angles, most_groups) = match bvh.is_crowded() {
            true => (MOST_CROWDED_ANGLES, COARSE_CROWDED),
            false => (MOST_ANGLES.max(MOST_ROUNDS * triangles.len()), COARSE),
        };
        let coarse_level = levels.iter().position(|level| level.len() <= most_groups).unwrap_or(0);
        WindingField { positions, triangles, order, levels, coarse_level, angles_left: Cell::new(most_angles) }
    }

    /// The generalised winding number at `point`, about.
    pub(crate) fn at(&self, point: DVec3) -> f64 {
        self.view(point).winding()
    }

    /// Whether the generalised winding number at `point` is more than `threshold`. Dipoles decide where their error allows it,
    /// elsewhere all triangles.
    pub(crate) fn exceeds(&self, threshold: f64, point: DVec3) -> bool {
        let view = self.view(point);
        let excess = view.winding() - threshold;
        if excess.abs() > view.error / FULL + ROUNDING || self.is_coarse() {
            return excess > 0.0;
        }
        self.exactly(point) > threshold
    }

    /// Whether it has computed all the solid angles that it may: from then on numbers may be wrong near the surface.
    pub(crate) fn is_coarse(&self) -> bool {
        self.angles_left.get() == 0
    }

    fn exactly(&self, point: DVec3) -> f64 {
        let mut all = View::NOTHING;
        all.add_triangles(self, self.order, point);
        all.winding()
    }

    fn view(&self, point: DVec3) -> View {
        let mut view = View::NOTHING;
        let top = self.levels.len() - 1;
        let lowest = if self.is_coarse() { self.coarse_level } else { 0 };
        (0..self.levels[top].len()).for_each(|i| self.look([top, lowest], i, point, &mut view));
        view
    }

    /// Adds a group of a level to `view`, by groups down to the `lowest` level.
    fn look(&self, [level, lowest]: [usize; 2], index: usize, point: DVec3, view: &mut View) {
        let dipole = &self.levels[level][index];
        let offset = dipole.centre - point;
        let distance = offset.length();
        if distance > FAR * dipole.radius {
            let nearest = distance - dipole.radius;
            view.far += dipole.area_vector.dot(offset) / (distance * distance * distance);
            view.error += 2.0 * dipole.area * dipole.radius / (nearest * nearest * nearest);
        } else if level > lowest {
            let below = self.levels[level - 1].len();
            (2 * index..(2 * index + 2).min(below)).for_each(|i| self.look([level - 1, lowest], i, point, view));
        } else if level > 0 {
            view.far += dipole.seen_from_near(offset, distance);
        } else {
            let run = &self.order[GROUP * index..(GROUP * (index + 1)).min(self.order.len())];
            view.add_triangles(self, run, point);
        }
    }
}

impl View {
    const NOTHING: View = View { near: AngleSum::ZERO, far: 0.0, error: 0.0 };

    fn add_triangles(&mut self, field: &WindingField<'_>, run: &[u32], point: DVec3) {
        field.angles_left.set(field.angles_left.get().saturating_sub(run.len()));
        for &triangle in run {
            let [y, x] = half_solid_angle(corners(field.positions, field.triangles, triangle).map(|c| c - point));
            self.near.add(y, x);
        }
    }

    fn winding(&self) -> f64 {
        (2.0 * self.near.angle() + self.far) / FULL
    }
}

impl Dipole {
    /// Its solid angle, which no flat group's exceeds half of all directions.
    fn seen_from_near(&self, offset: DVec3, distance: f64) -> f64 {
        let angle = self.area_vector.dot(offset) / (distance * distance * distance);
        if angle.is_finite() { angle.clamp(-0.5 * FULL, 0.5 * FULL) } else { 0.0 }
    }

    fn of_triangles(run: &[u32], positions: &[Vec3], triangles: &[[u32; 3]]) -> Dipole {
        let single = |&t: &u32| {
            let [a, b, c] = corners(positions, triangles, t);
            let centre = (a + b + c) / 3.0;
            let area_vector = 0.5 * (b - a).cross(c - a);
            let radius = [a, b, c].iter().map(|p| p.distance_squared(centre)).fold(0.0, f64::max).sqrt();
            Dipole { centre, radius, area_vector, area: area_vector.length() }
        };
        let mut parts = [Dipole { centre: DVec3::ZERO, radius: 0.0, area_vector: DVec3::ZERO, area: 0.0 }; GROUP];
        parts.iter_mut().zip(run).for_each(|(part, t)| *part = single(t));
        Dipole::of_dipoles(&parts[..run.len()])
    }

    fn of_dipoles(parts: &[Dipole]) -> Dipole {
        // The smallest weight keeps the centre defined for a group without area.
        let weight = |d: &Dipole| d.area.max(1e-150);
        let total: f64 = parts.iter().map(weight).sum();
        let centre = parts.iter().map(|d| d.centre * (weight(d) / total)).sum::<DVec3>();
        Dipole {
            centre,
            radius: parts.iter().map(|d| d.centre.distance(centre) + d.radius).fold(0.0, f64::max),
            area_vector: parts.iter().map(|d| d.area_vector).sum(),
            area: parts.iter().map(|d| d.area).sum(),
        }
    }
}

/// A sum of angles from -pi to pi, each given by the sides of a right triangle. Angles add as complex numbers multiply, so
/// that one arc tangent serves all; whole turns are counted where the product passes the negative real axis.
struct AngleSum {
    re: f64,
    im: f64,
    turns: f64,
}

impl AngleSum {
    const ZERO: AngleSum = AngleSum { re: 1.0, im: 0.0, turns: 0.0 };

    /// Adds the angle of `(x, y)` with the x axis; nothing for the origin.
    fn add(&mut self, y: f64, x: f64) {
        // Adding zero turns -0 into 0: no angle is -pi.
        let (re, im) = (self.re * x - self.im * y, self.re * y + self.im * x + 0.0);
        let scale = 1.0 / (re.abs() + im.abs());
        if !scale.is_finite() {
            return;
        }
        if self.im >= 0.0 && y >= 0.0 && im < 0.0 {
            self.turns += 1.0;
        } else if self.im < 0.0 && y < 0.0 && im >= 0.0 {
            self.turns -= 1.0;
        }
        (self.re, self.im) = (re * scale, im * scale);
    }

    fn angle(&self) -> f64 {
        libm::atan2(self.im, self.re) + 2.0 * std::f64::consts::PI * self.turns
    }
}

/// Half the signed solid angle of a triangle seen from the origin (van Oosterom & Strackee 1983), positive from behind, as the
/// sides of a right triangle: opposite, adjacent.
fn half_solid_angle([a, b, c]: [DVec3; 3]) -> [f64; 2] {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    [a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb]
}

fn corners(positions: &[Vec3], triangles: &[[u32; 3]], triangle: u32) -> [DVec3; 3] {
    triangles[triangle as usize].map(|v| positions[v as usize].as_dvec3())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A sphere of `rings` x `2 rings` quads cut into triangles, wound outwards.
    fn sphere(rings: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let segments = 2 * rings;
        let at = |ring: u32, segment: u32| {
            let polar = std::f32::consts::PI * ring as f32 / rings as f32;
            let around = 2.0 * std::f32::consts::PI * (segment % segments) as f32 / segments as f32;
            let radius = libm::sinf(polar);
            Vec3::new(radius * libm::cosf(around), libm::cosf(polar), -radius * libm::sinf(around))
        };
        let positions = (0..=rings).flat_map(|r| (0..segments).map(move |s| at(r, s))).collect();
        let quad = |r: u32, s: u32| {
            let [a, b] = [s, (s + 1) % segments].map(|s| r * segments + s);
            [[a, a + segments, b + segments], [a, b + segments, b]]
        };
        (positions, (0..rings).flat_map(|r| (0..segments).flat_map(move |s| quad(r, s))).collect())
    }

    #[test]
    fn a_sphere_winds_once_around_its_inside_and_not_around_the_rest() {
        let (positions, triangles) = sphere(40);
        let bvh = Bvh::build(&positions, &triangles);
        let field = WindingField::new(&bvh, &positions, &triangles);
        for step in 0..40 {
            let radius = 0.05 * f64::from(step);
            let expected = if radius < 1.0 { 1.0 } else { 0.0 };
            // 0.05 is far from the threshold of 0.5 that tells inside from outside.
            let at = field.at(DVec3::new(0.6, 0.48, 0.64) * radius);
            assert!(step == 20 || (at - expected).abs() < 0.05, "{at} at radius {radius}");
        }
    }

    #[test]
    fn a_field_that_has_used_up_its_solid_angles_tells_inside_from_outside_by_groups() {
        let (positions, triangles) = sphere(40);
        let bvh = Bvh::build(&positions, &triangles);
        let field = WindingField::new(&bvh, &positions, &triangles);
        field.exactly(DVec3::ZERO);
        assert_eq!(field.angles_left.get(), MOST_ANGLES - triangles.len());
        field.angles_left.set(0);
        for step in 0..40 {
            let radius = 0.05 * f64::from(step);
            let point = DVec3::new(0.6, 0.48, 0.64) * radius;
            let is_near_surface = (radius - 1.0).abs() < 0.12;
            assert!(is_near_surface || field.exceeds(0.5, point) == (radius < 1.0), "radius {radius}");
        }
        assert_eq!(field.angles_left.get(), 0);
    }

    proptest! {
        #[test]
        fn dipoles_err_by_no_more_than_they_say(x in -2f64..2.0, y in -2f64..2.0, z in -2f64..2.0) {
            let (positions, mut triangles) = sphere(20);
            triangles.truncate(triangles.len() / 2);
            let bvh = Bvh::build(&positions, &triangles);
            let field = WindingField::new(&bvh, &positions, &triangles);
            let point = DVec3::new(x, y, z);
            let (view, exact) = (field.view(point), field.exactly(point));
            prop_assert!((view.winding() - exact).abs() <= view.error / FULL + ROUNDING);
            prop_assert!(field.exceeds(exact - 1e-6, point) && !field.exceeds(exact + 1e-6, point));
        }

        #[test]
        fn angles_add_over_any_number_of_turns(angles in prop::collection::vec(-3.1f64..3.1, 0..200)) {
            let mut sum = AngleSum::ZERO;
            angles.iter().for_each(|&angle| sum.add(2.0 * libm::sin(angle), 2.0 * libm::cos(angle)));
            prop_assert!((sum.angle() - angles.iter().sum::<f64>()).abs() < 1e-9);
        }
    }
}
