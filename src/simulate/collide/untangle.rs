//! Cloth that has gone through itself finds back out.
//!
//! ```text
//!         \ E /         The edge E of one sheet goes through a triangle with normal N of another. From there the contour along
//!   -------\-/------    which the sheets cross runs into each face F of the edge, in direction R. If the edge moves by d, the
//!        R  v           point where it goes through moves by d - E (N . d) / (N . E), and the contour shortens by G . d:
//!
//!                           G = sum over F of  R - N (R . E) / (N . E)
//! ```
//!
//! Which side cloth came from is not known here, nor needed: along G, contours shrink until they are gone (Volino &
//! Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour minimization"). Where two sheets cross
//! in a straight line G vanishes: there only the ends of the contour pull, and a sheet that goes through another from one
//! border to the opposite one stays.

use rayon::prelude::*;

use super::{Touch, push_apart};
use crate::geometry::{Lists, Vec3};
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::cloth::{Cloth, Span};

/// Length of G, which has no unit, below which edges move less: more lets contours that are nearly straight rest, less makes
/// them shiver.
const STRAIGHT: f32 = 1.0;
/// Sine of the angle between edge and triangle below which it counts as that: flatter edges would slide off along themselves.
const FLATTEST: f32 = 0.1;

/// The edges that go through triangles.
#[derive(Debug, Default)]
pub(super) struct Tangles {
    /// Corners opposite each edge, from when something goes through something: most cloth never does.
    opposite: Option<Lists<u32>>,
    found: Vec<Tangle>,
}

/// An edge that went through a triangle when it was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tangle {
    /// Index of the edge.
    edge: u32,
    ends: [u32; 2],
    /// Index of the triangle.
    triangle: u32,
    corners: [u32; 3],
    /// Whether the edge went through something at the look before, too.
    lasts: bool,
}

impl Tangles {
    /// How many there were at the last look.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    /// Whether nothing goes through anything, as far as is known.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Those of the last look, of a cloth with these edges and triangles.
    pub(super) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
        edges: &[[u32; 2]],
        triangles: &[[u32; 3]],
    ) -> Archived {
        archive.list(&mut self.found, Tangle::default, |archive, tangle| {
            archive.index(&mut tangle.edge, edges.len(), "layers")?;
            archive.index(&mut tangle.triangle, triangles.len(), "layers")?;
            (tangle.ends, tangle.corners) = (edges[tangle.edge as usize], triangles[tangle.triangle as usize]);
            archive.bool(&mut tangle.lasts)
        })?;
        self.find_opposite(edges, triangles);
        Ok(())
    }

    fn find_opposite(&mut self, edges: &[[u32; 2]], triangles: &[[u32; 3]]) {
        if !self.found.is_empty() && self.opposite.is_none() {
            self.opposite = Some(Lists::opposite(edges, triangles));
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.found.clear();
    }

    /// Takes those that a look `found`, of a cloth with these edges and triangles.
    pub(super) fn renew(&mut self, found: Vec<Tangle>, edges: &[[u32; 2]], triangles: &[[u32; 3]]) {
        let before = std::mem::replace(&mut self.found, found);
        self.found.par_sort_unstable_by_key(|tangle| (tangle.edge, tangle.triangle));
        for tangle in &mut self.found {
            tangle.lasts = before.binary_search_by_key(&tangle.edge, |known| known.edge).is_ok();
        }
        self.find_opposite(edges, triangles);
    }

    /// Particles of edges and triangles that stay crossed because contacts hold either end of the edge where it is, ascending.
    /// `side` is the side of a triangle on which a particle is kept, if it is. What crosses for the first time is left to the
    /// contacts: they mostly know where it came from.
    pub(super) fn held(&self, side: impl Fn(u32, u32) -> Option<f32>) -> Vec<u32> {
        let is_held = |tangle: &&Tangle| {
            let [one, other] = tangle.ends.map(|end| side(end, tangle.triangle));
            tangle.lasts && one.zip(other).is_some_and(|(one, other)| one != other)
        };
        let of_tangle = |tangle: &Tangle| tangle.ends.into_iter().chain(tangle.corners);
        let mut held: Vec<u32> = self.found.iter().filter(is_held).flat_map(of_tangle).collect();
        held.sort_unstable();
        held.dedup();
        held
    }

    /// Moves the edges and triangles that still cross so that the contours of crossing shorten.
    pub(super) fn shorten(&self, span: &mut Span<'_>, touch: Touch) {
        let Some(opposite) = &self.opposite else { return };
        for tangle in &self.found {
            tangle.shorten(opposite.of(tangle.edge), span, touch);
        }
    }
}

impl Tangle {
    /// Those of two triangles that may touch: each asks for its `edges`.
    pub(super) fn between<'a>(
        [s, t]: [u32; 2],
        edges: &'a Lists<[u32; 2]>,
        triangles: &'a [[u32; 3]],
        cloth: &'a Cloth,
    ) -> impl Iterator<Item = Tangle> + 'a {
        let tangle = move |(index, triangle): (usize, u32)| {
            let (edge, ends, corners) = (index as u32, edges.items()[index], triangles[triangle as usize]);
            let tangle = Tangle { edge, ends, triangle, corners, lasts: false };
            tangle.piercing(|p| cloth.points[p as usize].at).map(|_| tangle)
        };
        let of = move |asking: u32, triangle: u32| edges.range(asking).map(move |edge| (edge, triangle));
        of(s, t).chain(of(t, s)).filter_map(tangle)
    }

    /// Where the edge goes through the triangle, if it does and is not one of its neighbours.
    fn piercing(&self, at: impl Fn(u32) -> Vec3) -> Option<Piercing> {
        let is_neighbour = self.ends.iter().any(|end| self.corners.contains(end));
        if is_neighbour { None } else { Piercing::of(self.ends.map(&at), self.corners.map(&at)) }
    }

    /// Moves edge and triangle along G. `opposite` are the third corners of the edge's faces.
    fn shorten(&self, opposite: &[u32], span: &mut Span<'_>, touch: Touch) {
        let at = |p: u32| span.places([p])[0];
        let Some(piercing) = self.piercing(at) else { return };
        let [start, end] = self.ends.map(at);
        let edge = (end - start).normalize_or_zero();
        let gradients = opposite.iter().map(|&corner| piercing.gradient(edge, at(corner) - start));
        let gradient = gradients.fold(Vec3::ZERO, |sum, g| sum + g);
        let length = gradient.length();
        if length > 0.0 {
            let way = touch.rise * length / (length * length + STRAIGHT * STRAIGHT).sqrt();
            let ([a, b], [k, l, m]) = (self.ends, self.corners);
            let [u, v, w] = piercing.barycentric.to_array();
            let weights = [1.0 - piercing.along, piercing.along, -u, -v, -w];
            let touch = Touch { friction: 0.0, ..touch };
            push_apart(span, [a, b, k, l, m], weights, gradient / length, way, touch);
        }
    }
}

/// Where an edge goes through a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piercing {
    /// Part of the way along the edge.
    pub(super) along: f32,
    /// Weights of the triangle's corners.
    barycentric: Vec3,
    /// Of the triangle, unit length.
    normal: Vec3,
}

impl Piercing {
    /// Of the edge from `p` to `q`, if it goes through the triangle; one that only touches it does not.
    fn of(edge: [Vec3; 2], triangle: [Vec3; 3]) -> Option<Piercing> {
        Piercing::within(edge, triangle, |parts| parts.cmpgt(Vec3::ZERO).all())
    }

    /// The same of one that goes through the triangle or through its rim.
    pub(super) fn with_rim(edge: [Vec3; 2], triangle: [Vec3; 3]) -> Option<Piercing> {
        Piercing::within(edge, triangle, |parts| parts.cmpge(Vec3::ZERO).all())
    }

    /// Where the edge from `p` to `q` goes through the plane of a triangle, if that lies inside of it by its `parts`, which are in the
    /// ratio of the weights of its corners.
    fn within([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3], is_inside: impl Fn(Vec3) -> bool) -> Option<Piercing> {
        let normal = (b - a).cross(c - a);
        let (from, to) = (normal.dot(p - a), normal.dot(q - a));
        if from * to >= 0.0 {
            return None;
        }
        let along = from / (from - to);
        let point = p + (q - p) * along;
        let part = |one: Vec3, other: Vec3| normal.dot((one - point).cross(other - point));
        let parts = Vec3::new(part(b, c), part(c, a), part(a, b));
        let squared = normal.length_squared();
        is_inside(parts).then(|| Piercing { along, barycentric: parts / squared, normal: normal / squared.sqrt() })
    }

    /// What a face of the edge adds to G: the edge has the direction `edge`, and `into` leads from it to the third corner.
    fn gradient(&self, edge: Vec3, into: Vec3) -> Vec3 {
        let steepness = self.normal.dot(edge);
        let steepness = steepness.abs().max(FLATTEST).copysign(steepness);
        let across = into - edge * into.dot(edge);
        let line = self.normal.cross(edge.cross(across)).normalize_or_zero();
        let contour = if line.dot(across) < 0.0 { -line } else { line };
        contour - self.normal * (contour.dot(edge) / steepness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    #[test]
    fn an_edge_goes_through_inside_a_triangle_only() {
        let through = |x: f32, y: f32, to: f32| Piercing::of([Vec3::new(x, y, 1.0), Vec3::new(x, y, to)], TRIANGLE);
        let piercing = through(0.25, 0.5, -3.0).expect("inside");
        assert_eq!((piercing.along, piercing.barycentric), (0.25, Vec3::new(0.25, 0.25, 0.5)));
        assert!(through(0.25, 0.5, 0.0).is_none(), "only touches");
        assert!(through(0.75, 0.5, -3.0).is_none(), "beside");
        assert!(Piercing::of([Vec3::Z, Vec3::NEG_Z], [Vec3::X; 3]).is_none(), "no area");
    }

    #[test]
    fn the_gradient_is_how_fast_the_contour_shortens() {
        // The tip of a sheet below a plane: its edge leans, and so does the face.
        let [tip, top, corner] = [Vec3::new(0.2, 0.2, -0.3), Vec3::new(0.4, 0.25, 0.5), Vec3::new(-0.3, 0.4, 0.9)];
        let plane = [Vec3::new(-5.0, -5.0, 0.0), Vec3::new(10.0, -5.0, 0.0), Vec3::new(-5.0, 10.0, 0.0)];
        let end_of_contour = |way: Vec3| {
            let piercing = Piercing::of([tip + way, top + way], plane).expect("it stays below");
            tip + way + (top - tip) * piercing.along
        };
        let piercing = Piercing::of([tip, top], plane).expect("it goes through");
        let gradient = piercing.gradient((top - tip).normalize(), corner - tip);
        let across = |way: Vec3| (Piercing::of([tip + way, corner + way], plane).expect("so does the other"), way);
        let other_end = |(piercing, way): (Piercing, Vec3)| tip + way + (corner - tip) * piercing.along;
        let inward = (other_end(across(Vec3::ZERO)) - end_of_contour(Vec3::ZERO)).normalize();
        for axis in Vec3::AXES {
            let way = axis * 1e-3;
            let shortens = (end_of_contour(way) - end_of_contour(Vec3::ZERO)).dot(inward) / 1e-3;
            assert!((shortens - gradient.dot(axis)).abs() < 2e-3, "{axis}: {shortens}, not {gradient}");
        }
    }
}
