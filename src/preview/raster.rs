//! Which triangle each sample of a picture sees.
//!
//! ```text
//!    +-----------+     four samples a pixel, no two in a row or column
//!    |     x     |
//!    | x         |     nearness = 1 / depth is linear in the picture; each sample keeps the triangle with the largest
//!    |         x |
//!    |   x       |
//!    +-----------+
//! ```

use std::ops::Range;

use wide::f32x4;

use super::camera::Camera;
use super::mesh::Mesh;
use crate::geometry::{Vec2, Vec3};

/// Samples of a pixel.
pub(super) const SAMPLES: usize = 4;
/// Their places in the pixel.
const ACROSS: [f32; SAMPLES] = [0.625, 0.125, 0.875, 0.375];
const DOWN: [f32; SAMPLES] = [0.125, 0.375, 0.625, 0.875];
/// The part of a surface that must be seen for each sample to see it.
const THRESHOLDS: [f32; SAMPLES] = [0.125, 0.625, 0.375, 0.875];
/// No triangle.
pub(super) const NOTHING: u32 = u32::MAX;

/// A vertex in the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projected {
    /// Pixels from the upper left corner.
    pub(super) x: f32,
    pub(super) y: f32,
    /// 1 / depth; 0 for what is behind the camera.
    pub(super) nearness: f32,
}

impl Projected {
    /// Its place in the picture.
    pub(super) fn pixel(self) -> Vec2 {
        Vec2::new(self.x, self.y)
    }
}

/// Times that the boxes around all triangles cover a picture, at most: bodies come to 10, long hair to 100. Beyond that triangles are
/// left out.
const MOST_LAYERS: f32 = 256.0;

/// Of so many triangles in a picture one is drawn: mostly each.
pub(super) fn one_of(triangles: impl Iterator<Item = [Projected; 3]>, [width, height]: [u32; 2]) -> usize {
    let pixels = |corners: [Projected; 3]| {
        let columns = range(corners.map(|corner| corner.x), width);
        columns.len() as f32 * range(corners.map(|corner| corner.y), height).len() as f32
    };
    let layers = triangles.map(pixels).sum::<f32>() / (width as f32 * height as f32).max(1.0);
    (layers / MOST_LAYERS).ceil().max(1.0) as usize
}

/// What all samples of a band of a picture see: rows that fit in a processor's cache.
#[derive(Clone, Debug)]
pub(super) struct Visibility {
    width: u32,
    rows: Range<u32>,
    /// Of each pixel's samples, row by row: 0 where nothing is seen.
    pub(super) nearness: Vec<f32x4>,
    /// What they see; empty where only nearness is asked for.
    pub(super) triangles: Vec<[u32; SAMPLES]>,
}

/// Where points are in a picture.
pub(super) fn project(camera: &Camera, points: &[Vec3], [width, height]: [u32; 2]) -> Vec<Projected> {
    let (middle_x, middle_y, scale) = (0.5 * width as f32, 0.5 * height as f32, Camera::scale(height));
    let one = |&point: &Vec3| {
        let from = point - camera.eye;
        let depth = from.dot(camera.forward);
        if depth.is_nan() || depth <= camera.near {
            return Projected { x: 0.0, y: 0.0, nearness: 0.0 };
        }
        let nearness = 1.0 / depth;
        let scale = scale * nearness;
        Projected { x: middle_x + from.dot(camera.right) * scale, y: middle_y - from.dot(camera.up) * scale, nearness }
    };
    points.iter().map(one).collect()
}

impl Visibility {
    /// Of nothing, in rows of so many pixels.
    pub(super) fn blank(width: u32, rows: Range<u32>) -> Visibility {
        let mut visibility = Visibility::nearness_only(width, 0..0);
        visibility.clear(rows);
        visibility
    }

    /// Of nothing, which will not know the triangles that are seen.
    pub(super) fn nearness_only(width: u32, rows: Range<u32>) -> Visibility {
        let nearness = vec![f32x4::splat(0.0); width as usize * rows.len()];
        Visibility { width, rows, nearness, triangles: Vec::new() }
    }

    /// Forgets what was seen and goes to other rows.
    pub(super) fn clear(&mut self, rows: Range<u32>) {
        let pixels = self.width as usize * rows.len();
        self.rows = rows;
        self.nearness.clear();
        self.nearness.resize(pixels, f32x4::splat(0.0));
        self.triangles.clear();
        self.triangles.resize(pixels, [NOTHING; SAMPLES]);
    }

    /// Draws a triangle of a mesh that is known as `number`. One that reaches behind the camera is left out.
    pub(super) fn draw(&mut self, number: u32, mesh: &Mesh<'_>, triangle: usize, corners: [Projected; 3]) {
        if mesh.is_opaque(triangle) {
            return self.draw_where(number, corners, |_, inside| inside);
        }
        let pixels = corners.map(Projected::pixel);
        self.draw_where(number, corners, |areas, inside| {
            // Those of the samples together are those of the pixel's middle.
            let weights = Vec3::from_array(areas.map(|areas| areas.reduce_add().max(0.0)));
            let weights = weights / weights.element_sum().max(f32::MIN_POSITIVE);
            let coverage = mesh.coverage(triangle, pixels, weights);
            inside & f32x4::splat(coverage).simd_gt(f32x4::from(THRESHOLDS))
        });
    }

    /// Draws a triangle in those samples that `covers` leaves of the ones inside, which it is given with the corners' weights.
    fn draw_where(&mut self, number: u32, corners: [Projected; 3], covers: impl Fn([f32x4; 3], f32x4) -> f32x4) {
        if corners.iter().any(|c| c.nearness <= 0.0) {
            return;
        }
        let [a, mut b, mut c] = corners;
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if !area.is_finite() || area == 0.0 {
            return;
        }
        let is_turned = area < 0.0;
        if is_turned {
            std::mem::swap(&mut b, &mut c);
        }
        let area = area.abs();
        let columns = range([a.x, b.x, c.x], self.width);
        let rows = range([a.y, b.y, c.y], self.rows.end);
        // Twice the areas that a sample spans with each side; together they are that of the triangle.
        let sides = [[b, c], [c, a], [a, b]].map(|[from, to]| Side::new(from, to, columns.start, rows.start));
        let weights = [a, b, c].map(|corner| corner.nearness / area);
        for row in rows.start.max(self.rows.start)..rows.end {
            // From the triangle's own first row, so that bands do not show.
            let down = (row - rows.start) as f32;
            let mut at = sides.map(|side| side.first + f32x4::splat(side.per_row * down));
            let first = (row - self.rows.start) as usize * self.width as usize;
            for column in columns.clone() {
                let outside = at.map(is_negative);
                let inside = !(outside[0] | outside[1] | outside[2]);
                if inside.any() {
                    let [a, b, c] = [0, 1, 2].map(|corner| at[corner] * f32x4::splat(weights[corner]));
                    let covered = covers(if is_turned { [a, c, b] } else { [a, b, c] }, inside);
                    self.keep(first + column as usize, number, a + b + c, covered);
                } else if outside.iter().zip(&sides).any(|(outside, side)| side.per_column <= 0.0 && outside.all()) {
                    // So is the rest of the row.
                    break;
                }
                for (at, side) in at.iter_mut().zip(&sides) {
                    *at += f32x4::splat(side.per_column);
                }
            }
        }
    }

    #[inline]
    fn keep(&mut self, pixel: usize, number: u32, nearness: f32x4, inside: f32x4) {
        let wins = inside & nearness.simd_gt(self.nearness[pixel]);
        let mask = wins.to_bitmask();
        if mask == 0 {
            return;
        }
        self.nearness[pixel] = wins.select(nearness, self.nearness[pixel]);
        let Some(triangles) = self.triangles.get_mut(pixel) else { return };
        for (sample, seen) in triangles.iter_mut().enumerate() {
            if mask >> sample & 1 == 1 {
                *seen = number;
            }
        }
    }
}

fn is_negative(values: f32x4) -> f32x4 {
    values.simd_lt(f32x4::splat(0.0))
}

/// A side of a triangle: twice the area that it spans with a sample, positive inside.
#[derive(Clone, Copy)]
struct Side {
    /// For the samples of the first pixel.
    first: f32x4,
    per_column: f32,
    per_row: f32,
}

impl Side {
    fn new(from: Projected, to: Projected, column: u32, row: u32) -> Side {
        let (per_column, per_row) = (from.y - to.y, to.x - from.x);
        let x = f32x4::from(ACROSS) + f32x4::splat(column as f32 - from.x);
        let y = f32x4::from(DOWN) + f32x4::splat(row as f32 - from.y);
        Side { first: x * f32x4::splat(per_column) + y * f32x4::splat(per_row), per_column, per_row }
    }
}

/// Pixels that values between these may be in, of so many.
pub(super) fn range(values: [f32; 3], size: u32) -> Range<u32> {
    let least = values.into_iter().fold(f32::INFINITY, f32::min).clamp(0.0, size as f32);
    let most = values.into_iter().fold(f32::NEG_INFINITY, f32::max).clamp(0.0, size as f32);
    least as u32..(most.ceil() as u32).min(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: f32, y: f32, depth: f32) -> Projected {
        Projected { x, y, nearness: 1.0 / depth }
    }

    fn seen(visibility: &Visibility, number: u32) -> usize {
        visibility.triangles.iter().flatten().filter(|&&t| t == number).count()
    }

    #[test]
    fn a_triangle_covers_its_area_and_neighbours_leave_no_gap() {
        let mut visibility = Visibility::blank(64, 0..64);
        let square = [corner(4.0, 7.0, 1.0), corner(60.0, 5.0, 2.0), corner(58.0, 50.0, 3.0), corner(3.0, 55.0, 2.0)];
        visibility.draw_where(0, [square[0], square[1], square[2]], |_, inside| inside);
        visibility.draw_where(1, [square[0], square[3], square[2]], |_, inside| inside);
        let area = |a: Projected, b: Projected, c: Projected| {
            0.5 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)).abs()
        };
        let expected = area(square[0], square[1], square[2]) + area(square[0], square[3], square[2]);
        let found = (seen(&visibility, 0) + seen(&visibility, 1)) as f32 / SAMPLES as f32;
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        // Inside nothing is left out.
        for row in 10..45 {
            assert!((10..55).all(|column| !visibility.triangles[row * 64 + column].contains(&NOTHING)));
        }
    }

    #[test]
    fn the_nearer_triangle_is_seen_whichever_comes_first() {
        for order in [[0, 1], [1, 0]] {
            let mut visibility = Visibility::blank(32, 0..32);
            for number in order {
                let depth = if number == 0 { 1.0 } else { 2.0 };
                let corners = [corner(-40.0, -40.0, depth), corner(90.0, -40.0, depth), corner(0.0, 90.0, depth)];
                visibility.draw_where(number, corners, |_, inside| inside);
            }
            assert_eq!((seen(&visibility, 0) > 3000, seen(&visibility, 1)), (true, 0));
        }
    }

    #[test]
    fn heaps_of_large_triangles_are_thinned_out_and_nothing_else() {
        let large = [corner(0.0, 0.0, 1.0), corner(64.0, 0.0, 1.0), corner(0.0, 32.0, 1.0)];
        let heap = |count: usize| one_of(std::iter::repeat_n(large, count), [64, 32]);
        assert_eq!([heap(0), heap(1), heap(256), heap(257), heap(2560)], [1, 1, 1, 2, 10]);
    }

    #[test]
    fn what_is_behind_or_has_no_area_or_is_no_number_is_not_drawn() {
        let mut visibility = Visibility::blank(16, 0..16);
        let behind = Projected { x: 0.0, y: 0.0, nearness: 0.0 };
        visibility.draw_where(0, [behind, corner(10.0, 0.0, 1.0), corner(0.0, 10.0, 1.0)], |_, inside| inside);
        visibility
            .draw_where(1, [corner(1.0, 1.0, 1.0), corner(5.0, 5.0, 1.0), corner(9.0, 9.0, 1.0)], |_, inside| inside);
        visibility.draw_where(
            2,
            [corner(f32::NAN, 1.0, 1.0), corner(5.0, 1.0, 1.0), corner(9.0, 9.0, 1.0)],
            |_, inside| inside,
        );
        visibility.draw_where(
            3,
            [corner(1e30, 1.0, 1.0), corner(-1e30, 1.0, 1.0), corner(9.0, 1e30, 1.0)],
            |_, inside| inside,
        );
        assert_eq!((0..3).map(|t| seen(&visibility, t)).sum::<usize>(), 0);
    }
}
