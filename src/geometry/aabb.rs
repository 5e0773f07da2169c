//! Axis-aligned boxes.

use wide::f32x4;

use super::Vec3;

/// An axis-aligned box, metres. [`Aabb::EMPTY`] contains nothing and grows from the first point on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box that contains no point.
    pub const EMPTY: Aabb = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around `points`; [`Aabb::EMPTY`] for none.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |b, &p| b.with(p))
    }

    /// This box grown to contain `point`.
    pub fn with(self, point: Vec3) -> Aabb {
        Aabb { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box around both.
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// This box grown by `margin` on every side.
    pub fn inflated(self, margin: f32) -> Aabb {
        Aabb { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// Whether the boxes share a point.
    pub fn overlaps(&self, other: &Aabb) -> bool {
        // All at once: queries of trees ask this most, and which comparison fails cannot be foretold.
        let lanes = |corner: Vec3| f32x4::new([corner.x, corner.y, corner.z, 0.0]);
        let [from, to] = [[self, other], [other, self]].map(|[a, b]| lanes(a.min).simd_le(lanes(b.max)));
        (from & to).all()
    }

    /// Squared distance from `point` to the box, 0 inside.
    pub fn distance_squared(&self, point: Vec3) -> f32 {
        (self.min - point).max(point - self.max).max(Vec3::ZERO).length_squared()
    }

    /// Middle of the box.
    pub fn centre(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Edge lengths of the box.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }
}
