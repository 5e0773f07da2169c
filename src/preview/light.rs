//! The studio's lights and what stands in them.
//!
//! ```text
//!   key light            shadow: the meshes as the key light sees them; what is further from it than they are is not lit.
//!      \                 contact: how near the meshes come to the floor, blurred
//!       \   o
//!        \ /|\
//!  _______\/_\_____ floor
//! ```

use wide::f32x4;

use super::camera::Camera;
use super::mesh::Mesh;
use super::raster::{Projected, SAMPLES, Visibility, one_of};
use crate::geometry::{Aabb, Vec3};

/// Pixels of the shadow in both directions.
const SHADOW: u32 = 512;
/// Pixels around the one that a point falls on whose samples make its shadow soft.
const SOFT: i32 = 2;
/// Pixels of a block of the shadow in both directions: no less than [`SOFT`].
const BLOCK: usize = 2;
const BLOCKS: usize = SHADOW as usize / BLOCK;
/// How far off its surface a point asks for its shadow, as a part of the scene: nearer, surfaces that light grazes speckle.
const OFF: f32 = 0.016;
/// Distance by which it must be behind another surface, in the same unit.
const BEHIND: f32 = 0.002;
/// Cells of the contact with the floor in both directions.
const CELLS: usize = 96;
/// Room around the meshes for it, as a part of their width.
const AROUND: f32 = 0.3;
/// Height above the floor at which contact has faded to a third, as a part of the scene's height.
const FADE: f32 = 0.05;
/// Heights of fading above which nothing is seen of it: less than a step of a byte.
const UNSEEN: f32 = 8.0;
/// Cells on either side that each blur takes in, and how many blurs there are.
const BLUR: usize = 3;
const BLURS: usize = 3;

/// Lights of a scene.
#[derive(Debug)]
pub(super) struct Lights {
    /// Unit direction to the key light.
    pub(super) key: Vec3,
    /// To the fill light.
    pub(super) fill: Vec3,
    shadow: Visibility,
    /// Least and most nearness of all samples in each block of the shadow and those around it: most points lie behind all of
    /// them or before all.
    around: Vec<[f32; 2]>,
    right: Vec3,
    up: Vec3,
    centre: Vec3,
    radius: f32,
    per_radius: f32,
    contact: Vec<f32>,
    /// The floor under the meshes, by x and z.
    floor: Aabb,
}

impl Lights {
    /// Of meshes within `bounds`, as lit for `camera`.
    pub(super) fn new(meshes: &[Mesh<'_>], bounds: &Aabb, camera: &Camera) -> Lights {
        let key = (Vec3::Y * 1.1 - camera.right * 0.55 - camera.forward * 0.75).normalize_or(Vec3::Y);
        let fill = (Vec3::Y * 0.3 + camera.right * 0.9 - camera.forward * 0.5).normalize_or(Vec3::Y);
        let right = key.cross(Vec3::Z).normalize_or(Vec3::X);
        let radius = (0.5 * bounds.size().length()).max(1e-6);
        let mut lights = Lights {
            key,
            fill,
            shadow: Visibility::nearness_only(SHADOW, 0..SHADOW),
            around: Vec::new(),
            right,
            up: right.cross(key),
            centre: bounds.centre(),
            radius,
            per_radius: 1.0 / radius,
            contact: contact(meshes, bounds),
            floor: around(bounds),
        };
        for mesh in meshes {
            let places: Vec<Projected> = mesh.positions.iter().map(|&p| lights.place(p)).collect();
            let corners = |triangle: usize| mesh.triangles[triangle].map(|v| places[v as usize]);
            let triangles = 0..mesh.triangles.len();
            let one_of = one_of(triangles.clone().map(corners), [SHADOW; 2]);
            for triangle in triangles.step_by(one_of) {
                lights.shadow.draw(triangle as u32, mesh, triangle, corners(triangle));
            }
        }
        lights.around = extremes(&lights.shadow.nearness);
        lights
    }

    /// Where a point is as the key light sees it: from afar, so that nearness is the distance itself, between 0 and 1.
    fn place(&self, point: Vec3) -> Projected {
        let from = (point - self.centre) * self.per_radius;
        let half = 0.5 * SHADOW as f32;
        let along = |axis: Vec3| half + from.dot(axis) * half;
        Projected { x: along(self.right), y: along(self.up), nearness: 0.5 + 0.45 * from.dot(self.key) }
    }

    /// Part of a floor that may be darker than the rest: where the shadow of what is in `bounds` falls, and around its contact.
    pub(super) fn darkened(&self, floor: f32, bounds: &Aabb) -> Aabb {
        let aslant = -self.key / self.key.y.max(f32::MIN_POSITIVE);
        let fallen = [bounds.min, bounds.max].map(|corner| aslant * (corner.y - floor));
        let shadow = fallen.map(|by| [bounds.min + by, bounds.max + by]);
        // A soft shadow is wider than what casts it.
        let soft = (OFF + BEHIND + 4.0 * SOFT as f32 / SHADOW as f32) * self.radius * aslant.length();
        let shadow = Aabb::around(shadow.as_flattened()).inflated(soft);
        let with_contact = Aabb::around(&[shadow.min, shadow.max, self.floor.min, self.floor.max]);
        Aabb { min: with_contact.min.with_y(floor), max: with_contact.max.with_y(floor) }
    }

    /// Part of the key light that reaches a point of a surface with that unit normal.
    pub(super) fn reaching(&self, point: Vec3, normal: Vec3) -> f32 {
        let place = self.place(point + normal * (OFF * self.radius));
        let size = SHADOW as i32;
        let (x, y) = (place.x as i32, place.y as i32);
        let is_within = |v: i32| (SOFT..size - SOFT).contains(&v);
        if !is_within(x) || !is_within(y) {
            return 1.0;
        }
        // Where nothing is drawn nearness is 0, and what lies beyond the scene has less than that.
        let behind = (place.nearness + BEHIND).max(0.0);
        let [least, most] = self.around[y as usize / BLOCK * BLOCKS + x as usize / BLOCK];
        if most <= behind {
            return 1.0;
        }
        if least > behind {
            return 0.0;
        }
        let behind = f32x4::splat(behind);
        let mut shaded = f32x4::splat(0.0);
        for row in y - SOFT..=y + SOFT {
            let first = (row * size + x - SOFT) as usize;
            for nearest in &self.shadow.nearness[first..=first + 2 * SOFT as usize] {
                shaded += nearest.simd_gt(behind) & f32x4::splat(1.0);
            }
        }
        let samples = (2 * SOFT + 1) * (2 * SOFT + 1) * SAMPLES as i32;
        1.0 - shaded.reduce_add() / samples as f32
    }

    /// How near something is to the floor at a point of it: 0 for nothing, 1 for what stands on it.
    pub(super) fn contact(&self, point: Vec3) -> f32 {
        let size = self.floor.size();
        let cell = |at: f32, from: f32, size: f32| (at - from) / size.max(1e-6) * CELLS as f32 - 0.5;
        let (x, z) = (cell(point.x, self.floor.min.x, size.x), cell(point.z, self.floor.min.z, size.z));
        let most = (CELLS - 1) as f32;
        if !(0.0..most).contains(&x) || !(0.0..most).contains(&z) {
            return 0.0;
        }
        let (column, row) = (x as i32 as usize, z as i32 as usize);
        let (right, down) = (x - column as f32, z - row as f32);
        let at = |column: usize, row: usize| self.contact[row * CELLS + column];
        let along = |row: usize| at(column, row) * (1.0 - right) + at(column + 1, row) * right;
        along(row) * (1.0 - down) + along(row + 1) * down
    }
}

/// Least and most of all samples in each block of the shadow and the blocks around it.
fn extremes(nearness: &[f32x4]) -> Vec<[f32; 2]> {
    let nothing = [f32x4::splat(f32::INFINITY), f32x4::splat(f32::NEG_INFINITY)];
    let with = |[least, most]: [f32x4; 2], [low, high]: [f32x4; 2]| [least.fast_min(low), most.fast_max(high)];
    let mut blocks = vec![nothing; BLOCKS * BLOCKS];
    for (row, pixels) in nearness.chunks(SHADOW as usize).enumerate() {
        let blocks = &mut blocks[row / BLOCK * BLOCKS..][..BLOCKS];
        for (block, pixels) in blocks.iter_mut().zip(pixels.chunks(BLOCK)) {
            *block = pixels.iter().fold(*block, |block, &samples| with(block, [samples; 2]));
        }
    }
    let near = |at: usize| at.saturating_sub(1)..(at + 2).min(BLOCKS);
    let around = |block: usize| {
        let (row, column) = (block / BLOCKS, block % BLOCKS);
        let blocks = near(row).flat_map(|row| &blocks[row * BLOCKS..][near(column)]);
        let [least, most] = blocks.fold(nothing, |all, &block| with(all, block)).map(f32x4::to_array);
        [least.into_iter().fold(f32::INFINITY, f32::min), most.into_iter().fold(f32::NEG_INFINITY, f32::max)]
    };
    (0..blocks.len()).map(around).collect()
}

/// The floor that contact is noted on.
fn around(bounds: &Aabb) -> Aabb {
    let size = bounds.size();
    bounds.inflated(AROUND * size.x.max(size.z))
}

fn contact(meshes: &[Mesh<'_>], bounds: &Aabb) -> Vec<f32> {
    let floor = around(bounds);
    let size = floor.size();
    let height = FADE * bounds.size().y.max(1e-6);
    let mut cells = vec![0.0_f32; CELLS * CELLS];
    let mut note = |point: Vec3| {
        if point.y - bounds.min.y > UNSEEN * height {
            return;
        }
        let cell = |at: f32, from: f32, size: f32| ((at - from) / size.max(1e-6) * CELLS as f32) as usize;
        let (column, row) = (cell(point.x, floor.min.x, size.x), cell(point.z, floor.min.z, size.z));
        if column < CELLS && row < CELLS {
            let near = libm::expf((bounds.min.y - point.y) / height);
            let cell = &mut cells[row * CELLS + column];
            *cell = cell.max(near);
        }
    };
    for mesh in meshes {
        for corners in mesh.triangles {
            let [a, b, c] = corners.map(|v| mesh.positions[v as usize]);
            [a, b, c, (a + b + c) / 3.0].into_iter().filter(|p| p.is_finite()).for_each(&mut note);
        }
    }
    (0..BLURS).for_each(|_| cells = blurred(&blurred(&cells, 1), CELLS));
    cells
}

/// Means over cells on either side, which are `stride` apart.
fn blurred(cells: &[f32], stride: usize) -> Vec<f32> {
    let mean = |index: usize| {
        let along = index / stride % CELLS;
        let first = along.saturating_sub(BLUR);
        let last = (along + BLUR).min(CELLS - 1);
        let base = index - along * stride;
        (first..=last).map(|i| cells[base + i * stride]).sum::<f32>() / (2 * BLUR + 1) as f32
    };
    (0..cells.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preview::{Paint, View};

    #[test]
    fn no_point_of_the_floor_is_darker_outside_what_may_be() {
        let positions = [[-0.2, 0.0, 0.1], [0.4, 0.1, -0.3], [0.1, 1.7, 0.2]].map(Vec3::from_array);
        let mesh =
            Mesh { positions: &positions, triangles: &[[0, 1, 2]], normals: vec![Vec3::Z; 3], paint: Paint::body() };
        let bounds = Aabb::around(&positions);
        for view in [View::Front, View::ThreeQuarter, View::Top] {
            let lights = Lights::new(std::slice::from_ref(&mesh), &bounds, &Camera::around(&bounds, view, [100; 2]));
            let darkened = lights.darkened(bounds.min.y, &bounds);
            let places = (0..400 * 400).map(|i| [i % 400, i / 400].map(|step| 0.02 * step as f32 - 4.0));
            let points = places.map(|[x, z]| Vec3::new(x, bounds.min.y, z));
            let is_dark = |p: &Vec3| lights.reaching(*p, Vec3::Y) < 1.0 || lights.contact(*p) > 0.0;
            let dark: Vec<Vec3> = points.filter(is_dark).collect();
            assert!(dark.len() > 100, "{view:?}: {}", dark.len());
            let outside = dark.iter().find(|p| p.clamp(darkened.min, darkened.max) != **p);
            assert_eq!(outside, None, "{view:?}: {darkened:?}");
        }
    }
}
