//! What light does on what each pixel sees.

use wide::f32x4;

use super::camera::Camera;
use super::colour::{Colour, encoded, from_srgb};
use super::light::Lights;
use super::mesh::{Mesh, Paint};
use super::picture::Picture;
use super::raster::{NOTHING, Projected, SAMPLES, Visibility, project};
use crate::geometry::{Aabb, Vec2, Vec3};

/// Light that comes from above and from the floor, from the key and from the fill.
const SKY: f32 = 0.52;
const FLOOR: f32 = 0.30;
const KEY: f32 = 0.62;
const FILL: f32 = 0.16;
/// Light that surfaces scatter where they are seen at a glance, as cloth's fibres do.
const SHEEN: f32 = 0.10;
/// Part of its light that the floor loses in the key's shadow and where something stands on it.
const SHADOWED: f32 = 0.34;
const COVERED: f32 = 0.65;
/// Distance at which the floor has become background, in sizes of the scene.
const FAR: f32 = 2.2;

/// What is in a picture.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// Surfaces, both sides of which are seen.
    pub meshes: Vec<Mesh<'a>>,
    /// Height of the floor, metres; none for none.
    pub floor: Option<f32>,
    /// Colour of floor and background.
    pub background: Colour,
}

impl<'a> Scene<'a> {
    /// Surfaces before light grey, on a floor at the foot of `bounds`.
    pub fn standing(meshes: Vec<Mesh<'a>>, bounds: &Aabb) -> Scene<'a> {
        Scene { meshes, floor: Some(bounds.min.y), background: from_srgb([236, 237, 240]) }
    }

    fn bounds(&self) -> Aabb {
        let points = self.meshes.iter().flat_map(|m| m.positions).filter(|p| p.is_finite());
        let bounds = points.fold(Aabb::EMPTY, |b, &p| b.with(p));
        if bounds.size().is_finite() { bounds } else { Aabb { min: Vec3::ZERO, max: Vec3::ZERO } }
    }
}

/// A picture that knows how far away what it shows is, so that marks can be drawn into it.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The picture.
    pub picture: Picture,
    pub(super) camera: Camera,
    /// 1 / depth of each pixel's samples, 1/m; 0 where no mesh is.
    pub(super) nearness: Vec<f32x4>,
}

/// The picture that a camera takes, in pixels.
pub fn render(scene: &Scene<'_>, camera: &Camera, size: [u32; 2]) -> Picture {
    shoot(scene, camera, size).picture
}

/// The picture that a camera takes, in pixels, for marks.
pub fn shoot(scene: &Scene<'_>, camera: &Camera, size: [u32; 2]) -> Shot {
    let mut bounds = scene.bounds();
    if let Some(floor) = scene.floor {
        bounds.min.y = bounds.min.y.min(floor);
    }
    let projected: Vec<Vec<Projected>> = scene.meshes.iter().map(|m| project(camera, m.positions, size)).collect();
    let mut visibility = Visibility::blank(size);
    let mut firsts = Vec::new();
    let mut number = 0;
    for (mesh, places) in scene.meshes.iter().zip(&projected) {
        firsts.push(number);
        for corners in mesh.triangles {
            visibility.draw(number, corners.map(|v| places[v as usize]));
            number += 1;
        }
    }
    let lights = Lights::new(&scene.meshes, &bounds, camera);
    let studio = Studio { scene, camera, size, bounds, lights, projected, firsts };
    let mut bytes = Vec::with_capacity(3 * visibility.triangles.len());
    // Neighbours on the floor are often alike.
    let mut last = (Colour::NAN, [0; 3]);
    for (y, row) in (0..).zip(visibility.triangles.chunks(size[0].max(1) as usize)) {
        for (x, seen) in (0..).zip(row) {
            let colour = studio.colour([x, y], *seen);
            if colour != last.0 {
                last = (colour, encoded(colour));
            }
            bytes.extend_from_slice(&last.1);
        }
    }
    let picture = Picture { width: size[0], height: size[1], bytes };
    Shot { picture, camera: *camera, nearness: visibility.nearness }
}

struct Studio<'a> {
    scene: &'a Scene<'a>,
    camera: &'a Camera,
    size: [u32; 2],
    bounds: Aabb,
    lights: Lights,
    projected: Vec<Vec<Projected>>,
    /// Number of each mesh's first triangle.
    firsts: Vec<u32>,
}

impl Studio<'_> {
    /// Of a pixel whose samples see these triangles.
    fn colour(&self, pixel: [u32; 2], seen: [u32; SAMPLES]) -> Colour {
        let place = pixel.map(|p| p as f32 + 0.5);
        let one = |number: u32| match number {
            NOTHING => self.behind(place),
            number => self.surface(number, place),
        };
        if seen == [seen[0]; SAMPLES] {
            return one(seen[0]);
        }
        let mut sum = Colour::ZERO;
        for (sample, &number) in seen.iter().enumerate() {
            // Each triangle once, for all samples that see it.
            if !seen[..sample].contains(&number) {
                let count = seen.iter().filter(|&&n| n == number).count();
                sum += one(number) * count as f32;
            }
        }
        sum / SAMPLES as f32
    }

    /// A point of a triangle.
    fn surface(&self, number: u32, [x, y]: [f32; 2]) -> Colour {
        let index = self.firsts.partition_point(|&first| first <= number) - 1;
        let mesh = &self.scene.meshes[index];
        let corners = mesh.triangles[(number - self.firsts[index]) as usize].map(|v| v as usize);
        let [a, b, c] = corners.map(|v| self.projected[index][v]);
        let side = |p: Projected, q: Projected| (p.y - q.y) * (x - p.x) + (q.x - p.x) * (y - p.y);
        let areas = [side(b, c) * a.nearness, side(c, a) * b.nearness, side(a, b) * c.nearness];
        // The middle of a pixel may lie beside a triangle that only its samples see.
        let sign = areas.iter().sum::<f32>().signum();
        let areas = areas.map(|area| (area * sign).max(0.0));
        let weights = Vec3::from_array(areas) / areas.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let mixed = |of: &[Vec3]| of[corners[0]] * weights.x + of[corners[1]] * weights.y + of[corners[2]] * weights.z;
        let point = mixed(mesh.positions);
        let [a, b, c] = corners.map(|v| mesh.positions[v]);
        let face = (b - a).cross(c - a);
        let towards = (self.camera.eye - point).normalize_or_zero();
        let smooth = mixed(&mesh.normals);
        let smooth = if smooth.dot(face) == 0.0 { face } else { smooth };
        let normal = if face.dot(towards) < 0.0 { -smooth } else { smooth }.normalize_or(towards);
        let colour = match &mesh.paint {
            Paint::Plain(colour) => *colour,
            Paint::PerVertex(colours) => mixed(colours),
            Paint::Materials(surfacing) => {
                let triangle = (number - self.firsts[index]) as usize;
                let places = corners.map(|v| self.projected[index][v]);
                surfacing.materials[surfacing.of[triangle] as usize].colour(|| {
                    let texcoords = *surfacing.texcoords.get(triangle)?;
                    Some((texcoords, places.map(|p| Vec2::new(p.x, p.y)), weights))
                })
            }
        };
        self.lit(colour, point, normal, towards)
    }

    fn lit(&self, colour: Colour, point: Vec3, normal: Vec3, towards: Vec3) -> Colour {
        let toward_key = normal.dot(self.lights.key);
        let key = if toward_key > 0.0 { KEY * toward_key * self.lights.reaching(point, normal) } else { 0.0 };
        let fill = FILL * normal.dot(self.lights.fill).max(0.0);
        let around = FLOOR + (SKY - FLOOR) * (0.5 + 0.5 * normal.y);
        let light = key + fill + around;
        let glance = 1.0 - normal.dot(towards).clamp(0.0, 1.0);
        colour * light + Colour::splat(SHEEN * light * glance * glance * glance)
    }

    /// Floor or background.
    fn behind(&self, [x, y]: [f32; 2]) -> Colour {
        let background = self.scene.background;
        let Some(floor) = self.scene.floor else { return background };
        let scale = 1.0 / Camera::scale(self.size[1]);
        let [sideways, upright] = [x - 0.5 * self.size[0] as f32, 0.5 * self.size[1] as f32 - y].map(|p| p * scale);
        let ray = self.camera.forward + self.camera.right * sideways + self.camera.up * upright;
        let along = (floor - self.camera.eye.y) / ray.y;
        if !along.is_finite() || along <= 0.0 {
            return background;
        }
        let point = self.camera.eye + ray * along;
        let (lit, contact) = (self.lights.reaching(point, Vec3::Y), self.lights.contact(point));
        // Most of the floor.
        if lit == 1.0 && contact == 0.0 {
            return background;
        }
        let away = point.distance(self.bounds.centre()) / self.bounds.size().length().max(1e-6);
        let fade = (1.0 - away / FAR).max(0.0);
        let dark = SHADOWED * (1.0 - lit) * fade;
        background * ((1.0 - dark) * (1.0 - COVERED * contact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preview::{Smoothing, View};

    /// A square of two metres in the plane z = 0 that faces +Z, or away.
    fn square(faces_camera: bool) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let positions = [[-1.0, 0.0], [1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]].map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
        let triangles = if faces_camera { vec![[0, 1, 2], [0, 2, 3]] } else { vec![[0, 2, 1], [0, 3, 2]] };
        (positions, triangles)
    }

    fn picture(faces_camera: bool, paint: Paint) -> Picture {
        let (positions, triangles) = square(faces_camera);
        let bounds = Aabb::around(&positions);
        let normals = Smoothing::of(&positions).normals(&positions, &triangles);
        let mesh = Mesh { positions: &positions, triangles: &triangles, normals, paint };
        render(&Scene::standing(vec![mesh], &bounds), &Camera::around(&bounds, View::Front, [120, 120]), [120, 120])
    }

    #[test]
    fn both_sides_of_cloth_look_alike() {
        let (front, back) = (picture(true, Paint::cloth()), picture(false, Paint::cloth()));
        let differs = front.bytes.iter().zip(&back.bytes).filter(|(a, b)| a.abs_diff(**b) > 1).count();
        assert_eq!(differs, 0);
    }

    #[test]
    fn a_surface_has_its_colour_and_what_is_around_it_the_backgrounds() {
        let red = picture(true, Paint::Plain(Vec3::new(0.8, 0.02, 0.02)));
        let [r, g, b] = red.pixel(60, 60);
        assert!(r > 150 && g < 110 && b < 110, "{r} {g} {b}");
        let corner = red.pixel(0, 0);
        assert!(corner.iter().all(|&c| c > 220), "{corner:?}");
        let colours = [Vec3::X, Vec3::X, Vec3::Z, Vec3::Z].map(|c| c * 0.8).to_vec();
        let mixed = picture(true, Paint::PerVertex(colours));
        let ([low, _, _], [_, _, high]) = (mixed.pixel(60, 100), mixed.pixel(60, 20));
        assert!(low > 150 && high > 150);
    }

    #[test]
    fn what_stands_on_the_floor_darkens_it_there() {
        let picture = picture(true, Paint::cloth());
        let rows = |column: u32| (60..120).map(move |row| (column, row));
        let darkest = rows(60).map(|(x, y)| picture.pixel(x, y)[0]).skip_while(|&r| r < 160).min();
        assert!(darkest.is_some_and(|r| r < 235), "{darkest:?}");
    }

    #[test]
    fn coordinates_that_are_no_numbers_do_no_harm() {
        let (mut positions, triangles) = square(true);
        positions[2] = Vec3::new(f32::NAN, f32::INFINITY, 0.0);
        let normals = Smoothing::of(&positions).normals(&positions, &triangles);
        let bounds = Aabb { min: Vec3::NEG_ONE, max: Vec3::ONE };
        let mesh = Mesh { positions: &positions, triangles: &triangles, normals, paint: Paint::body() };
        let scene = Scene::standing(vec![mesh], &bounds);
        let picture = render(&scene, &Camera::around(&bounds, View::ThreeQuarter, [40, 30]), [40, 30]);
        assert_eq!(picture.bytes.len(), 3 * 40 * 30);
        assert_eq!(picture.png().expect("a file")[..4], [0x89, b'P', b'N', b'G']);
    }
}
