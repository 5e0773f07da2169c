//! Four points side by side.

use wide::f32x4;

use super::Vec3;

/// Three coordinates of four points. Coordinates are numbers: where one is none, least and greatest are any of both.
#[derive(Clone, Copy, Debug)]
pub struct Points([f32x4; 3]);

impl Points {
    /// How many points there are.
    pub const LANES: usize = 4;

    /// These four.
    pub fn of(points: [Vec3; Self::LANES]) -> Points {
        Points(std::array::from_fn(|axis| f32x4::new(points.map(|p| p[axis]))))
    }

    /// The corners of up to four triangles; the first stands in for those that are missing, the origin for none.
    pub fn corners(mut triangles: impl Iterator<Item = [u32; 3]>, positions: &[Vec3]) -> [Points; 3] {
        let Some(first) = triangles.next() else { return [Points::splat(Vec3::ZERO); 3] };
        let mut lanes = [first; Self::LANES];
        lanes[1..].iter_mut().zip(triangles).for_each(|(lane, triangle)| *lane = triangle);
        std::array::from_fn(|corner| Points::of(lanes.map(|triangle| positions[triangle[corner] as usize])))
    }

    /// Those with these coordinates.
    pub fn of_axes(axes: [f32x4; 3]) -> Points {
        Points(axes)
    }

    /// Their coordinates.
    pub fn axes(self) -> [f32x4; 3] {
        self.0
    }

    /// One point four times.
    pub const fn splat(point: Vec3) -> Points {
        Points([f32x4::new([point.x; 4]), f32x4::new([point.y; 4]), f32x4::new([point.z; 4])])
    }

    /// One of the four.
    pub fn lane(self, lane: usize) -> Vec3 {
        Vec3::from_array(self.0.map(|axis| axis.to_array()[lane]))
    }

    /// All four.
    pub fn to_array(self) -> [Vec3; Self::LANES] {
        let [x, y, z] = self.0;
        f32x4::transpose([x, y, z, z]).map(|point| {
            let [x, y, z, _] = point.to_array();
            Vec3::new(x, y, z)
        })
    }

    /// The lesser of each coordinate.
    pub fn min(self, other: Points) -> Points {
        self.zip(other, f32x4::fast_min)
    }

    /// The greater of each coordinate.
    pub fn max(self, other: Points) -> Points {
        self.zip(other, f32x4::fast_max)
    }

    /// The sums.
    pub fn plus(self, other: Points) -> Points {
        self.zip(other, |a, b| a + b)
    }

    /// The differences.
    pub fn minus(self, other: Points) -> Points {
        self.zip(other, |a, b| a - b)
    }

    /// Each times its factor.
    pub fn times(self, factor: f32x4) -> Points {
        Points(self.0.map(|axis| axis * factor))
    }

    /// The dot products.
    pub fn dot(self, other: Points) -> f32x4 {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    /// The squared lengths.
    pub fn length_squared(self) -> f32x4 {
        self.dot(self)
    }

    /// The cross products.
    pub fn cross(self, other: Points) -> Points {
        let (Points([a, b, c]), Points([x, y, z])) = (self, other);
        Points([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    /// For each of four fours what `with` makes of its points, one after the other.
    pub fn across(fours: [Points; Self::LANES], with: impl Fn(Points, Points) -> Points) -> Points {
        let [x, y, z] = std::array::from_fn(|axis| f32x4::transpose(fours.map(|four| four.0[axis])));
        let [a, b, c, d] = std::array::from_fn(|i| Points([x[i], y[i], z[i]]));
        with(with(a, b), with(c, d))
    }

    /// These where `is_so`, the others elsewhere.
    pub fn where_else(self, is_so: f32x4, others: Points) -> Points {
        self.zip(others, |one, other| is_so.select(one, other))
    }

    /// The least coordinates of the four.
    pub fn least(self) -> Vec3 {
        self.fold(f32x4::fast_min)
    }

    /// The greatest coordinates of the four.
    pub fn greatest(self) -> Vec3 {
        self.fold(f32x4::fast_max)
    }

    /// The sum of the four, one after the other.
    pub fn sum(self) -> Vec3 {
        self.fold(|sum, next| sum + next)
    }

    fn fold(self, with: impl Fn(f32x4, f32x4) -> f32x4) -> Vec3 {
        let [x, y, z] = self.0;
        let [a, b, c, d] = f32x4::transpose([x, y, z, z]);
        let [x, y, z, _] = with(with(with(a, b), c), d).to_array();
        Vec3::new(x, y, z)
    }

    fn zip(self, other: Points, with: impl Fn(f32x4, f32x4) -> f32x4) -> Points {
        Points(std::array::from_fn(|axis| with(self.0[axis], other.0[axis])))
    }
}

/// The places of the bits that are set, ascending.
#[inline]
pub fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(lane)
    })
}
