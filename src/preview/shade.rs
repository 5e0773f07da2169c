//! What light does on what each pixel sees.

use wide::f32x4;

use super::camera::Camera;
use super::colour::{Colour, encoded, from_srgb};
use super::light::Lights;
use super::mesh::{Mesh, Paint};
use super::picture::Picture;
use super::raster::{NOTHING, Projected, SAMPLES, Visibility, one_of, project, range};
use crate::geometry::{Aabb, Vec3, polygon_normal};

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

/// Rows of a picture that are worked on at once.
const BAND: u32 = 32;

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
    expose(scene, camera, size, |_| {})
}

/// The picture that a camera takes, in pixels, for marks.
pub fn shoot(scene: &Scene<'_>, camera: &Camera, size: [u32; 2]) -> Shot {
    let mut nearness = Vec::new();
    let picture = expose(scene, camera, size, |band| nearness.extend_from_slice(&band.nearness));
    Shot { picture, camera: *camera, nearness }
}

/// The picture that a camera takes; `each` is shown what is seen in each band of it, from the upper edge down.
fn expose(scene: &Scene<'_>, camera: &Camera, size: [u32; 2], mut each: impl FnMut(&Visibility)) -> Picture {
    let mut bounds = scene.bounds();
    if let Some(floor) = scene.floor {
        bounds.min.y = bounds.min.y.min(floor);
    }
    let projected: Vec<Vec<Projected>> = scene.meshes.iter().map(|m| project(camera, m.positions, size)).collect();
    let counts = scene.meshes.iter().scan(0, |first, mesh| {
        *first += mesh.triangles.len() as u32;
        Some(*first)
    });
    let firsts = std::iter::once(0).chain(counts).take(scene.meshes.len()).collect();
    let lights = Lights::new(&scene.meshes, &bounds, camera);
    let [columns, rows] = match scene.floor {
        Some(floor) => camera.pixels_of(&lights.darkened(floor, &bounds), size),
        None => [0..0, 0..0],
    };
    let background = encoded(scene.background);
    let studio = Studio { scene, camera, size, bounds, lights, projected, firsts };
    let [width, height] = size;
    let mut pixels = vec![background; width as usize * height as usize];
    let in_rows = |count: u32| (count as usize * width as usize).max(1);
    let mut band = Visibility::blank(width, 0..0);
    for ((band_number, pixels), numbers) in (0..).zip(pixels.chunks_mut(in_rows(BAND))).zip(studio.bands()) {
        let first = BAND * band_number;
        band.clear(first..height.min(first + BAND));
        for number in numbers {
            let [mesh, triangle] = studio.place(number);
            band.draw(number, &scene.meshes[mesh], triangle, studio.corners(number));
        }
        let seen_rows = band.triangles.chunks(in_rows(1));
        for (y, (seen, pixels)) in (first..).zip(seen_rows.zip(pixels.chunks_mut(in_rows(1)))) {
            let darkened = if rows.contains(&y) { columns.clone() } else { 0..0 };
            let floor = studio.floor(y);
            for (x, (seen, pixel)) in (0..).zip(seen.iter().zip(pixels)) {
                if *seen != [NOTHING; SAMPLES] || darkened.contains(&x) {
                    *pixel = encoded(studio.colour([x, y], *seen, floor));
                }
            }
        }
        each(&band);
    }
    Picture { width, height, bytes: pixels.into_flattened() }
}

/// Points of the floor that the middles of a row's pixels see.
#[derive(Clone, Copy)]
struct FloorRow {
    first: Vec3,
    per_column: Vec3,
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
    /// Numbers of the triangles that each band of the picture may show.
    fn bands(&self) -> Vec<Vec<u32>> {
        let height = self.size[1];
        let mut bands = vec![Vec::new(); height.div_ceil(BAND) as usize];
        let triangles: u32 = self.scene.meshes.iter().map(|mesh| mesh.triangles.len() as u32).sum();
        let one_of = one_of((0..triangles).map(|number| self.corners(number)), self.size);
        for number in (0..triangles).step_by(one_of) {
            let rows = range(self.corners(number).map(|corner| corner.y), height);
            for band in rows.start / BAND..rows.end.div_ceil(BAND) {
                bands[band as usize].push(number);
            }
        }
        bands
    }

    /// Of a triangle, in the picture.
    fn corners(&self, number: u32) -> [Projected; 3] {
        let [mesh, triangle] = self.place(number);
        self.scene.meshes[mesh].triangles[triangle].map(|v| self.projected[mesh][v as usize])
    }

    /// Of a pixel whose samples see these triangles.
    fn colour(&self, pixel: [u32; 2], seen: [u32; SAMPLES], floor: Option<FloorRow>) -> Colour {
        let place = pixel.map(|p| p as f32 + 0.5);
        let one = |number: u32| match number {
            NOTHING => self.behind(floor, pixel[0]),
            number => self.surface(number, place),
        };
        if seen == [seen[0]; SAMPLES] {
            return one(seen[0]);
        }
        // Each surface once, for all samples that see it.
        let mut sum = Colour::ZERO;
        let mut is_counted = [false; SAMPLES];
        for sample in 0..SAMPLES {
            if is_counted[sample] {
                continue;
            }
            let mut count = 0.0;
            for other in sample..SAMPLES {
                if !is_counted[other] && self.goes_on(seen[sample], seen[other]) {
                    is_counted[other] = true;
                    count += 1.0;
                }
            }
            sum += one(seen[sample]) * count;
        }
        sum / SAMPLES as f32
    }

    /// Whether a smooth surface of one material goes on from a triangle to another: then a point of either looks like the pixel.
    fn goes_on(&self, number: u32, other: u32) -> bool {
        if number == other || number == NOTHING || other == NOTHING {
            return number == other;
        }
        let ([mesh, triangle], [other_mesh, other_triangle]) = (self.place(number), self.place(other));
        if mesh != other_mesh {
            return false;
        }
        let Mesh { triangles, paint, .. } = &self.scene.meshes[mesh];
        let is_one_material = match paint {
            Paint::Materials(surfacing) => surfacing.of[triangle] == surfacing.of[other_triangle],
            Paint::Plain(_) | Paint::PerVertex(_) => true,
        };
        let (corners, others) = (triangles[triangle], triangles[other_triangle]);
        let faces_us = |corners: [u32; 3]| {
            let [a, b, c] = corners.map(|v| self.projected[mesh][v as usize]);
            (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x)
        };
        is_one_material && corners.iter().any(|corner| others.contains(corner)) && faces_us(corners) == faces_us(others)
    }

    /// Indices of a triangle's mesh and of the triangle in it.
    fn place(&self, number: u32) -> [usize; 2] {
        let mesh = self.firsts.partition_point(|&first| first <= number) - 1;
        [mesh, (number - self.firsts[mesh]) as usize]
    }

    /// A point of a triangle.
    fn surface(&self, number: u32, [x, y]: [f32; 2]) -> Colour {
        let [index, triangle] = self.place(number);
        let mesh = &self.scene.meshes[index];
        let corners = mesh.triangles[triangle].map(|v| v as usize);
        let [a, b, c] = corners.map(|v| self.projected[index][v]);
        let side = |p: Projected, q: Projected| (p.y - q.y) * (x - p.x) + (q.x - p.x) * (y - p.y);
        let areas = [side(b, c) * a.nearness, side(c, a) * b.nearness, side(a, b) * c.nearness];
        // The middle of a pixel may lie beside a triangle that only its samples see.
        let sign = areas.iter().sum::<f32>().signum();
        let areas = areas.map(|area| (area * sign).max(0.0));
        let weights = Vec3::from_array(areas) * areas.iter().sum::<f32>().max(f32::MIN_POSITIVE).recip();
        let mixed = |of: &[Vec3]| of[corners[0]] * weights.x + of[corners[1]] * weights.y + of[corners[2]] * weights.z;
        let point = mixed(mesh.positions);
        let towards = (self.camera.eye - point).normalize_or_zero();
        let smooth = mixed(&mesh.normals);
        let smooth = if smooth == Vec3::ZERO { polygon_normal(&corners.map(|v| mesh.positions[v])) } else { smooth };
        // Where its corners turn clockwise in the picture, whose Y points down, it is seen from behind.
        let normal = if sign > 0.0 { -smooth } else { smooth }.normalize_or(towards);
        let colour = match &mesh.paint {
            Paint::Plain(colour) => *colour,
            Paint::PerVertex(colours) => mixed(colours),
            Paint::Materials(surfacing) => {
                let pixels = corners.map(|v| self.projected[index][v].pixel());
                let tint = if surfacing.tints.is_empty() { Colour::ONE } else { mixed(&surfacing.tints) };
                tint * surfacing.material(triangle).colour(|| surfacing.place(triangle, pixels, weights))
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

    /// What the pixels of a row see of the floor; none where they see the background.
    fn floor(&self, y: u32) -> Option<FloorRow> {
        let floor = self.scene.floor?;
        let Camera { eye, right, up, forward, .. } = *self.camera;
        let per_pixel = 1.0 / Camera::scale(self.size[1]);
        let upright = (0.5 * self.size[1] as f32 - (y as f32 + 0.5)) * per_pixel;
        let middle = forward + up * upright;
        // Cameras stand upright, so that the floor is as far along in all of the row.
        let along = (floor - eye.y) / middle.y;
        let sideways = (0.5 - 0.5 * self.size[0] as f32) * per_pixel;
        let first = eye + (middle + right * sideways) * along;
        (along > 0.0 && along.is_finite()).then_some(FloorRow { first, per_column: right * (per_pixel * along) })
    }

    /// Floor or background.
    fn behind(&self, floor: Option<FloorRow>, x: u32) -> Colour {
        let background = self.scene.background;
        let Some(FloorRow { first, per_column }) = floor else { return background };
        let point = first + per_column * x as f32;
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
    use std::sync::Arc;

    use super::*;
    use crate::preview::{Alpha, Material, Smoothing, Surfacing, View};

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
    fn what_is_cut_out_of_a_surface_is_seen_through_and_vertices_tint_it() {
        let (_, triangles) = square(true);
        let shown = |opacity: f32, alpha: Alpha, tints: Vec<Colour>| {
            let material = Material { opacity, alpha, ..Material::plain(Vec3::new(0.8, 0.02, 0.02)) };
            let paint = Paint::Materials(Arc::new(Surfacing::uniform(material, &triangles, &[], tints)));
            let [r, g, _] = picture(true, paint).pixel(60, 60);
            i32::from(r) - i32::from(g)
        };
        let full = shown(0.4, Alpha::Ignored, Vec::new());
        assert!(full > 100, "{full}");
        assert_eq!(shown(0.6, Alpha::Cutoff(0.5), Vec::new()), full);
        assert!(shown(0.4, Alpha::Cutoff(0.5), Vec::new()).abs() < 10);
        // Half of the samples see the background, which is as bright as the red.
        let half = shown(0.5, Alpha::Blended, Vec::new());
        assert!((20..full - 20).contains(&half), "{half} of {full}");
        let grey = shown(1.0, Alpha::Blended, vec![Vec3::new(0.02, 0.8, 0.8); 4]);
        assert!(grey.abs() < 10, "{grey}");
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
