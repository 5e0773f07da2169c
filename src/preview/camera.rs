//! Where a picture is taken from.
//!
//! ```text
//!                      up
//!    eye  ------------> target       x to the right and y down in the picture; depth is the distance along the view
//!        \_ field of view, upright
//! ```

use std::ops::Range;

use crate::geometry::{Aabb, Vec3};

/// Upright field of view, as its tangent on either side: 26 degrees in all, a portrait lens.
const HALF_VIEW: f32 = 0.23;
/// Room left around what is looked at, as a part of the picture.
const MARGIN: f32 = 0.06;
/// How far the camera looks down, metres a metre.
const DOWN: f32 = 0.18;
/// Part of its distance from the target before which a camera sees nothing.
const NEAR: f32 = 0.02;

/// A side to look from. A character faces along +Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// From +Z.
    Front,
    /// From -Z.
    Back,
    /// From +X: the character's left.
    Side,
    /// From the front and its left.
    ThreeQuarter,
    /// From above.
    Top,
    /// From the front, turned about the vertical by so many degrees, to the character's left.
    Turned(f32),
}

impl View {
    /// Direction from the target to the camera, not of unit length.
    pub(super) fn direction(self) -> Vec3 {
        let level = |degrees: f32| {
            let angle = degrees.to_radians();
            Vec3::new(libm::sinf(angle), DOWN, libm::cosf(angle))
        };
        match self {
            View::Front => level(0.0),
            View::Back => level(180.0),
            View::Side => level(90.0),
            View::ThreeQuarter => level(35.0),
            // Not quite, so that up in the picture is defined.
            View::Top => Vec3::new(0.0, 1.0, 1e-3),
            View::Turned(degrees) => level(degrees),
        }
    }
}

/// A camera with perspective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    pub(super) eye: Vec3,
    /// Unit directions to the right, up and forward.
    pub(super) right: Vec3,
    pub(super) up: Vec3,
    pub(super) forward: Vec3,
    /// Distance before which it sees nothing, metres.
    pub(super) near: f32,
}

impl Camera {
    /// Sees all of a box, in a picture of `width` by `height` pixels.
    pub fn around(bounds: &Aabb, view: View, [width, height]: [u32; 2]) -> Camera {
        let size = bounds.size();
        let mut camera = Camera::looking_at(bounds.centre(), view.direction(), size.length().max(1e-3));
        // Far enough that each corner is within the cone, in both directions.
        let aspect = width as f32 / height.max(1) as f32;
        let reach = |corner: Vec3| {
            let from = corner - bounds.centre();
            let half = HALF_VIEW * (1.0 - MARGIN);
            let sideways = from.dot(camera.right).abs() / (half * aspect);
            let upright = from.dot(camera.up).abs() / half;
            sideways.max(upright) - from.dot(camera.forward)
        };
        let distance = corners(bounds).map(reach).fold(0.0, f32::max).max(1e-3);
        camera.eye = bounds.centre() - camera.forward * distance;
        camera.near = NEAR * distance;
        camera
    }

    /// Looks at `target` from where `direction` points, with `height` metres around it in sight.
    pub fn at(target: Vec3, direction: Vec3, height: f32) -> Camera {
        Camera::looking_at(target, direction, 0.5 * height / HALF_VIEW)
    }

    fn looking_at(target: Vec3, direction: Vec3, distance: f32) -> Camera {
        let forward = (-direction).normalize_or(Vec3::NEG_Z);
        let right = forward.cross(Vec3::Y).normalize_or(Vec3::X);
        let up = right.cross(forward);
        Camera { eye: target - forward * distance, right, up, forward, near: NEAR * distance }
    }

    /// Pixels a unit of slope, for a picture of that height.
    pub(super) fn scale(height: u32) -> f32 {
        0.5 * height as f32 / HALF_VIEW
    }

    /// Where a point is in a picture, in pixels from its upper left corner; none if it is behind the camera.
    pub fn project(&self, point: Vec3, [width, height]: [u32; 2]) -> Option<[f32; 2]> {
        let from = point - self.eye;
        let depth = from.dot(self.forward);
        let scale = Camera::scale(height) / depth;
        let place = |along: f32, size: u32| 0.5 * size as f32 + along * scale;
        (depth > self.near).then(|| [place(from.dot(self.right), width), place(-from.dot(self.up), height)])
    }

    /// Columns and rows of a picture that a box may be seen in: all of them if it reaches behind the camera.
    pub(super) fn pixels_of(&self, bounds: &Aabb, size: [u32; 2]) -> [Range<u32>; 2] {
        let places: Option<Vec<[f32; 2]>> = corners(bounds).map(|corner| self.project(corner, size)).collect();
        let Some(places) = places else { return size.map(|most| 0..most) };
        [0, 1].map(|axis| {
            let along = places.iter().map(|place| place[axis]);
            let first = along.clone().fold(f32::INFINITY, f32::min).max(0.0);
            let last = along.fold(f32::NEG_INFINITY, f32::max).ceil().max(0.0);
            first as u32..(last as u32).min(size[axis])
        })
    }
}

fn corners(bounds: &Aabb) -> impl Iterator<Item = Vec3> {
    let Aabb { min, max } = *bounds;
    (0..8).map(move |i| {
        let of = |bit: u32, low: f32, high: f32| if i >> bit & 1 == 0 { low } else { high };
        Vec3::new(of(0, min.x, max.x), of(1, min.y, max.y), of(2, min.z, max.z))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_wholly_in_the_picture_and_fills_it_in_one_direction() {
        let bounds = Aabb { min: Vec3::new(-0.3, 0.0, -0.2), max: Vec3::new(0.5, 1.8, 0.4) };
        for view in [View::Front, View::Back, View::Side, View::ThreeQuarter, View::Top, View::Turned(200.0)] {
            for size in [[300, 500], [800, 200]] {
                let camera = Camera::around(&bounds, view, size);
                let corners = (0..8).map(|i| {
                    Vec3::new(
                        if i & 1 == 0 { bounds.min.x } else { bounds.max.x },
                        if i & 2 == 0 { bounds.min.y } else { bounds.max.y },
                        if i & 4 == 0 { bounds.min.z } else { bounds.max.z },
                    )
                });
                let mut fill = 0.0_f32;
                for corner in corners {
                    let [x, y] = camera.project(corner, size).expect("in front");
                    let [x, y] = [x / size[0] as f32, y / size[1] as f32].map(|part| (2.0 * part - 1.0).abs());
                    assert!(x < 1.0 && y < 1.0, "{view:?} {size:?}: {x} {y}");
                    fill = fill.max(x).max(y);
                }
                assert!(fill > 1.0 - 1.2 * MARGIN, "{view:?} {size:?}: {fill}");
            }
        }
    }

    #[test]
    fn the_left_of_a_character_is_right_in_its_front_view() {
        let bounds = Aabb { min: -Vec3::ONE, max: Vec3::ONE };
        let camera = Camera::around(&bounds, View::Front, [100, 100]);
        let [x, y] = camera.project(Vec3::new(0.5, 0.5, 0.0), [100, 100]).expect("in front");
        assert!(x > 50.0 && y < 50.0);
    }
}
