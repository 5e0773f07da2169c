//! Edges of the cloth against edges: what slips between particles and triangles.
//!
//! ```text
//!          b                distance = side (f - e) . n,   n = unit (b - a) x (d - c)
//!          |
//!   c --f--|---- d          e and f: where the edges are closest. Only inside both edges do they have sides; edges that are
//!          e                nearly parallel have none either, and particles keep those apart
//!          |
//!          a
//! ```

use wide::f32x4;

use super::layers::Sided;
use super::{Touch, push_apart};
use crate::geometry::{Points, Vec3};
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::cloth::Span;

/// Sine of the angle between two edges below which they count as parallel.
const PARALLEL: f32 = 0.2;

/// Part by which squared distances may be off.
const ROUNDED: f32 = 1.001;

/// Two edges of cloth that may touch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgePair {
    /// Ends of both edges.
    pub(super) ends: [[u32; 2]; 2],
    /// 1 where the second edge lies where the cross product of both points, -1 behind, 0 not known.
    pub(super) side: f32,
    /// Distance that they keep, metres.
    pub(super) gap: f32,
    /// As [`Sided::distance`].
    pub(super) distance: f32,
}

/// Where two edges are closest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Parts of the way along both edges.
    pub(super) along: [f32; 2],
    /// From the first to the second.
    pub(super) between: Vec3,
    /// Cross product of their directions, unit length; none if they are nearly parallel or one of the closest points is an end.
    pub(super) normal: Option<Vec3>,
}

impl Crossing {
    /// Of two edges, if they cross within `reach`.
    pub(super) fn within(reach: f32, first: [Vec3; 2], second: [Vec3; 2]) -> Option<Crossing> {
        let crossing = Crossing::of(first, second);
        let is_near = crossing.between.length_squared() <= reach * reach;
        (is_near && crossing.normal.is_some()).then_some(crossing)
    }

    /// Of the edges from `a` to `b` and from `c` to `d`.
    #[inline(always)]
    pub(super) fn of([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> Crossing {
        let (u, v, w) = (b - a, d - c, a - c);
        let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
        let (uw, vw) = (u.dot(w), v.dot(w));
        let square_sine = uu * vv - uv * uv;
        let is_crossing = square_sine > PARALLEL * PARALLEL * uu * vv;
        let first = if is_crossing { ((uv * vw - vv * uw) / square_sine).clamp(0.0, 1.0) } else { 0.5 };
        let second = if vv > 0.0 { ((uv * first + vw) / vv).clamp(0.0, 1.0) } else { 0.5 };
        let first = if uu > 0.0 { ((uv * second - uw) / uu).clamp(0.0, 1.0) } else { 0.5 };
        let is_inside = [first, second].iter().all(|&s| s > 0.0 && s < 1.0);
        Crossing {
            along: [first, second],
            between: c + v * second - (a + u * first),
            normal: (is_crossing && is_inside).then(|| u.cross(v).normalize_or_zero()),
        }
    }

    /// Which side of the first edge the second is on.
    pub(super) fn side(&self) -> f32 {
        match self.normal {
            Some(normal) if self.between.dot(normal) < 0.0 => -1.0,
            Some(_) => 1.0,
            None => 0.0,
        }
    }
}

/// Up to four edges side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges {
    starts: Points,
    along: Points,
    length_squared: f32x4,
    /// A bit for each.
    all: u32,
}

impl Edges {
    /// Those with these ends, at least one.
    pub(super) fn of(mut ends: impl ExactSizeIterator<Item = [Vec3; 2]>) -> Edges {
        let all = (1 << ends.len()) - 1;
        let mut last = [Vec3::ZERO; 2];
        let ends: [[Vec3; 2]; Points::LANES] = std::array::from_fn(|_| {
            last = ends.next().unwrap_or(last);
            last
        });
        let [starts, ends] = [0, 1].map(|end| Points::of(ends.map(|ends| ends[end])));
        let along = ends.minus(starts);
        Edges { starts, along, length_squared: along.length_squared(), all }
    }

    /// Which of them may cross another within `reach`, a bit each: most that are looked at do not, and are told apart without a
    /// division.
    pub(super) fn may_cross_within(&self, reach: f32, [a, b]: [Vec3; 2]) -> u32 {
        let (v, vv) = (self.along, self.length_squared);
        let (u, uu) = (Points::splat(b - a), f32x4::splat((b - a).length_squared()));
        let w = Points::splat(a).minus(self.starts);
        let (uv, uw, vw) = (u.dot(v), u.dot(w), v.dot(w));
        let square_sine = uu * vv - uv * uv;
        // Along both lines, and between them: each times that, the last squared.
        let [first, second, apart] = [uv * vw - vv * uw, uu * vw - uv * uw, w.dot(u.cross(v))];
        let is_inside = [first, second].map(|part| part.simd_ge(f32x4::ZERO) & part.simd_le(square_sine));
        let is_near = (apart * apart).simd_le(f32x4::splat(ROUNDED * reach * reach) * square_sine);
        (is_inside[0] & is_inside[1] & is_near).to_bitmask() & self.all
    }
}

impl Sided for EdgePair {
    type Thing = [u32; 2];
    type Other = [u32; 2];

    fn things(&self) -> ([u32; 2], [u32; 2]) {
        (self.ends[0], self.ends[1])
    }

    fn distance(&self) -> f32 {
        self.distance
    }

    fn gap(&self) -> f32 {
        self.gap
    }

    fn remembering(self, known: EdgePair) -> EdgePair {
        if self.side != 0.0 && known.side != 0.0 { EdgePair { side: known.side, ..self } } else { self }
    }

    fn particles(&self, _: &[[u32; 3]]) -> [u32; 4] {
        let [[a, b], [c, d]] = self.ends;
        [a, b, c, d]
    }

    #[inline(always)]
    fn separate(&mut self, [a, b, c, d]: [u32; 4], span: &mut Span<'_>, touch: Touch) {
        let crossing = Crossing::of(span.places([a, b]), span.places([c, d]));
        let Some(normal) = crossing.normal else {
            self.side = 0.0;
            return;
        };
        if self.side == 0.0 {
            self.side = crossing.side();
        }
        let normal = normal * self.side;
        let distance = crossing.between.dot(normal);
        if distance < self.gap {
            let [s, t] = crossing.along;
            push_apart(span, [c, d, a, b], [1.0 - t, t, s - 1.0, -s], normal, self.gap - distance, touch);
        }
    }
}

impl EdgePair {
    /// A pair of a cloth of so many particles.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>, particles: usize) -> Archived {
        archive.each(self.ends.as_flattened_mut(), |archive, end| archive.index(end, particles, "layers"))?;
        archive.f32(&mut self.side)?;
        archive.f32(&mut self.gap)?;
        archive.f32(&mut self.distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::any_point;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn none_that_cross_within_reach_are_told_apart(
            first in prop::array::uniform2(any_point()),
            others in prop::collection::vec(prop::array::uniform2(any_point()), 1..=4),
            reach in 0f32..1.0,
        ) {
            let bits = Edges::of(others.iter().copied()).may_cross_within(reach, first);
            prop_assert_eq!(bits >> others.len(), 0);
            for (lane, &other) in others.iter().enumerate() {
                let crossing = Crossing::within(reach, first, other);
                let is_inside = |crossing: Crossing| crossing.along.iter().all(|part| (0.001..0.999).contains(part));
                prop_assert!(!crossing.is_some_and(is_inside) || bits >> lane & 1 == 1);
            }
        }
    }

    #[test]
    fn crossing_edges_know_where_they_are_closest_and_parallel_ones_have_no_sides() {
        let x = [Vec3::NEG_X, Vec3::X];
        let over = |height: f32| [Vec3::new(0.5, height, -1.0), Vec3::new(0.5, height, 3.0)];
        let crossing = Crossing::of(x, over(0.2));
        assert_eq!(crossing.along, [0.75, 0.25]);
        assert!((crossing.between - Vec3::Y * 0.2).length() < 1e-6);
        assert_eq!(crossing.side(), -Crossing::of(x, over(-0.2)).side());
        assert_eq!(Crossing::of(x, x.map(|p| p + Vec3::Y)).side(), 0.0);
        let beyond = [Vec3::new(1.5, 0.1, -1.0), Vec3::new(1.5, 0.1, 1.0)];
        assert_eq!(Crossing::of(x, beyond).side(), 0.0);
    }
}
