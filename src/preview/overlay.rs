//! Lines, arrows and dots over a picture, hidden where a surface is nearer.
//!
//! ```text
//!      o dot        half the width and half a pixel off its middle a mark has faded out
//!     /
//!    / line         it shows in those samples of a pixel in front of whose surface it lies, or little behind it:
//!  |/               what lies on a surface would flicker otherwise
//!  +-- arrow
//! ```

use wide::f32x4;

use super::camera::Camera;
use super::colour::{Colour, encoded};
use super::raster::{Projected, SAMPLES, project};
use super::shade::Shot;
use crate::geometry::Vec3;

/// How far a mark may lie behind a surface, pixels as they are there: a line's own width on a surface seen at a slant.
const LIFT: f32 = 2.0;
/// Length of an arrow's head and half its width, as parts of the arrow.
const HEAD: f32 = 0.34;
const HALF_HEAD: f32 = 0.17;
/// An arrow's head is no longer than so many widths of its line.
const LONGEST_HEAD: f32 = 6.0;

/// What a mark is drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// Its colour.
    pub colour: Colour,
    /// Width of lines and of dots, pixels.
    pub width: f32,
    /// Part that it hides of what is beneath, 0 to 1.
    pub opacity: f32,
    /// How far it shows through surfaces, metres.
    pub lift: f32,
}

impl Pen {
    /// Draws lines so many pixels wide that hide what is beneath, and surfaces them.
    pub fn new(colour: Colour, width: f32) -> Pen {
        Pen { colour, width, opacity: 1.0, lift: 0.0 }
    }
}

/// Something to point out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// From one point to another, metres.
    Line([Vec3; 2], Pen),
    /// A line with a head at its second point.
    Arrow([Vec3; 2], Pen),
    /// A round spot.
    Dot(Vec3, Pen),
}

impl Shot {
    /// Draws marks, later ones over earlier ones.
    pub fn draw(&mut self, marks: &[Mark]) {
        for mark in marks {
            match *mark {
                Mark::Dot(at, pen) => self.segment([at; 2].map(|p| self.place(p, pen)), pen),
                Mark::Line(ends, pen) => self.segment(ends.map(|p| self.place(p, pen)), pen),
                Mark::Arrow(ends, pen) => self.arrow(ends.map(|p| self.place(p, pen)), pen),
            }
        }
    }

    /// Where a point is, as much nearer as the pen shows through; none if it is behind the camera.
    fn place(&self, point: Vec3, pen: Pen) -> Option<Projected> {
        let place = project(&self.camera, &[point], [self.picture.width, self.picture.height])[0];
        let nearness = 1.0 / (1.0 / place.nearness - pen.lift).max(self.camera.near);
        (place.nearness > 0.0).then_some(Projected { nearness, ..place })
    }

    fn arrow(&mut self, ends: [Option<Projected>; 2], pen: Pen) {
        self.segment(ends, pen);
        let [Some(from), Some(to)] = ends else { return };
        let (x, y) = (to.x - from.x, to.y - from.y);
        let length = (x * x + y * y).sqrt();
        // A point, or not in the picture at all.
        if length.is_nan() || length < 1.0 {
            return;
        }
        let shrink = (LONGEST_HEAD * pen.width / (HEAD * length)).min(1.0);
        for side in [-HALF_HEAD, HALF_HEAD] {
            let barb = Projected {
                x: to.x - (HEAD * x + side * y) * shrink,
                y: to.y - (HEAD * y - side * x) * shrink,
                nearness: to.nearness + (from.nearness - to.nearness) * HEAD * shrink,
            };
            self.segment([Some(barb), Some(to)], pen);
        }
    }

    /// A line with round ends; a dot if both are one.
    fn segment(&mut self, ends: [Option<Projected>; 2], pen: Pen) {
        let [Some(from), Some(to)] = ends else { return };
        let Some(segment) = Segment::new(from, to, pen.width) else { return };
        let colour = encoded(pen.colour);
        let size = [self.picture.width, self.picture.height];
        let first = segment.steps(size);
        for along in first {
            for across in segment.across(along, size) {
                let [x, y] = if segment.is_steep { [across, along] } else { [along, across] };
                let (coverage, nearness) = segment.at(x as f32 + 0.5, y as f32 + 0.5);
                if coverage > 0.0 {
                    let part = coverage * pen.opacity * self.seen(x, y, nearness);
                    self.picture.mix([x.into(), y.into()], colour, part);
                }
            }
        }
    }

    /// Part of a pixel's samples in which nothing is nearer.
    fn seen(&self, x: u32, y: u32, nearness: f32) -> f32 {
        let surface = self.nearness[(y * self.picture.width + x) as usize];
        let lifted = f32x4::splat(nearness * (1.0 + LIFT / Camera::scale(self.picture.height)));
        lifted.simd_ge(surface).to_bitmask().count_ones() as f32 / SAMPLES as f32
    }
}

/// A line in the picture, walked along the direction in which it is longer.
struct Segment {
    from: Projected,
    /// To its other end.
    way: [f32; 2],
    nearness: f32,
    squared: f32,
    half: f32,
    /// Whether it is longer downwards than sideways.
    is_steep: bool,
}

impl Segment {
    fn new(from: Projected, to: Projected, width: f32) -> Option<Segment> {
        let way = [to.x - from.x, to.y - from.y];
        let squared = way[0] * way[0] + way[1] * way[1];
        let is_fine = squared.is_finite() && from.x.is_finite() && from.y.is_finite();
        let is_steep = way[1].abs() > way[0].abs();
        let (nearness, half) = (to.nearness - from.nearness, 0.5 * width);
        is_fine.then_some(Segment { from, way, nearness, squared, half, is_steep })
    }

    /// Where it begins and how far it goes, along the walk and across it.
    fn turned(&self) -> [[f32; 2]; 2] {
        let [start, way] = [[self.from.x, self.from.y], self.way];
        if self.is_steep { [[start[1], start[0]], [way[1], way[0]]] } else { [start, way] }
    }

    fn steps(&self, size: [u32; 2]) -> std::ops::Range<u32> {
        let [[start, _], [way, _]] = self.turned();
        let reach = self.half + 1.0;
        pixels(start.min(start + way) - reach, start.max(start + way) + reach, size[usize::from(self.is_steep)])
    }

    /// Pixels across the walk at one of its steps.
    fn across(&self, along: u32, size: [u32; 2]) -> std::ops::Range<u32> {
        let [[start, beside], [way, aside]] = self.turned();
        let part = if way == 0.0 { 0.0 } else { ((along as f32 + 0.5 - start) / way).clamp(0.0, 1.0) };
        // At most half a right angle aside: the line is at most so much wider there.
        let reach = 1.5 * (self.half + 1.0);
        let middle = beside + aside * part;
        pixels(middle - reach, middle + reach, size[usize::from(!self.is_steep)])
    }

    /// Part of a pixel with this middle that the line covers, and how near it is there.
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        let (right, down) = (x - self.from.x, y - self.from.y);
        let along = (right * self.way[0] + down * self.way[1]) / self.squared.max(f32::MIN_POSITIVE);
        let along = along.clamp(0.0, 1.0);
        let (right, down) = (right - self.way[0] * along, down - self.way[1] * along);
        let coverage = self.half + 0.5 - (right * right + down * down).sqrt();
        // A line thinner than a pixel is fainter, not thinner.
        (coverage.clamp(0.0, (2.0 * self.half).min(1.0)), self.from.nearness + self.nearness * along)
    }
}

/// Those between two places, of so many.
fn pixels(from: f32, to: f32, size: u32) -> std::ops::Range<u32> {
    from.clamp(0.0, size as f32) as u32..to.ceil().clamp(0.0, size as f32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Aabb;
    use crate::preview::{Mesh, Paint, Scene, Smoothing, View, shoot};

    const SIZE: [u32; 2] = [120, 120];
    const RED: Colour = Vec3::new(0.8, 0.0, 0.0);

    /// A wall of two metres in the plane z = 0, seen from +Z, in front of nothing.
    fn wall() -> Shot {
        let positions = [[-1.0, 0.0], [1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let bounds = Aabb::around(&positions);
        let normals = Smoothing::of(&positions).normals(&positions, &triangles);
        let mesh = Mesh { positions: &positions, triangles: &triangles, normals, paint: Paint::body() };
        shoot(&Scene::standing(vec![mesh], &bounds), &Camera::around(&bounds, View::Front, SIZE), SIZE)
    }

    fn red_pixels(shot: &Shot) -> usize {
        shot.picture.bytes.chunks(3).filter(|p| p[0] > 150 && p[1] < 100).count()
    }

    fn row(z: f32) -> [Vec3; 2] {
        [Vec3::new(-0.5, 1.0, z), Vec3::new(0.5, 1.0, z)]
    }

    #[test]
    fn marks_show_on_a_surface_and_before_it_and_not_behind_it() {
        for mark in [Mark::Line, Mark::Arrow] {
            let red = [0.0, 0.2, -0.2].map(|z| {
                let mut shot = wall();
                shot.draw(&[mark(row(z), Pen::new(RED, 3.0))]);
                red_pixels(&shot)
            });
            assert!(red[0] > 100 && red[1] > 100 && red[2] == 0, "{red:?}");
        }
    }

    #[test]
    fn a_lifted_pen_shows_through_as_much_as_it_is_lifted() {
        let red = [0.15, 0.25].map(|lift| {
            let mut shot = wall();
            shot.draw(&[Mark::Dot(Vec3::new(0.0, 1.0, -0.2), Pen { lift, ..Pen::new(RED, 9.0) })]);
            red_pixels(&shot)
        });
        assert!(red[0] == 0 && red[1] > 40, "{red:?}");
    }

    #[test]
    fn a_dot_covers_its_circle_and_a_line_its_length() {
        let inked = |mark: Mark| {
            let (before, mut shot) = (wall(), wall());
            shot.draw(&[mark]);
            let change = |(a, b): (&[u8], &[u8])| f32::from(b[1]) - f32::from(a[1]);
            let full = f32::from(before.picture.pixel(60, 60)[1]);
            shot.picture.bytes.chunks(3).zip(before.picture.bytes.chunks(3)).map(change).sum::<f32>() / full
        };
        let dot = inked(Mark::Dot(Vec3::new(0.1, 1.1, 0.0), Pen::new(RED, 12.0)));
        assert!((dot / (std::f32::consts::PI * 36.0) - 1.0).abs() < 0.1, "{dot}");
        let slanted = [Vec3::new(-0.4, 0.8, 0.0), Vec3::new(0.4, 1.3, 0.0)];
        let [a, b] = slanted.map(|p| wall().camera.project(p, SIZE).expect("in front"));
        let length = ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
        let line = inked(Mark::Line(slanted, Pen::new(RED, 2.0)));
        assert!((line / (2.0 * length) - 1.0).abs() < 0.1, "{line} {length}");
    }

    #[test]
    fn points_behind_the_camera_far_outside_or_without_a_place_do_no_harm() {
        let mut shot = wall();
        let picture = shot.picture.clone();
        let pen = Pen::new(RED, 2.0);
        for bad in [Vec3::new(0.0, 1.0, 1e9), Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, 1.0, 1e30)] {
            shot.draw(&[Mark::Line([bad, Vec3::Y], pen), Mark::Dot(bad, pen), Mark::Arrow([Vec3::Y, bad], pen)]);
        }
        assert_eq!(shot.picture, picture);
    }
}
