//! Cloth over cloth keeps further from the body than the cloth beneath it.
//!
//! ```text
//!    o---o---o---o   outer layer: its thickness, and a gap for each layer beneath
//!    x---x---x---x   inner layer: its thickness
//!   ===============  body
//! ```
//!
//! Two layers that a knee stretches would both be kept where the inner one lies, and go through each other. Which lies over which tells
//! the pose that the garment was made for: what a straight way from a particle to the body goes through lies beneath it. Only cloth
//! that was made to hang loose is kept further away, and layers that were made to lie so close to the body that all of them would be
//! kept at one distance from the start: a jacket that fits closely over a shirt would be pressed into armpits. Nor does what touches
//! the cloth from outside, a hand, count, nor what lies between two parts of the body, where there is no room to spare.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{BodySurface, Worn};
use crate::geometry::{Aabb, Bvh, Vec3, area_normals, closest_point_on_triangle};
use crate::simulate::cloth::Cloth;
use crate::simulate::collide::untangle::Piercing;
use crate::topology::Topology;

/// Part of the gap between layers that cloth over cloth keeps further from the body. All of it lifts the clothes of coarse meshes
/// into the hands that move before them.
const PART: f32 = 0.5;
/// Distance from the body beyond which cloth was made to hang loose, as a part of the search radius: 33 mm on a grown-up.
const LOOSE: f32 = 0.6;
/// Layers beneath a particle that count at most: a pleat lies on two of its own.
const MOST_LAYERS: usize = 3;
/// Length of what is looked through at once on the way to the body, in mean edges.
const STEP: f32 = 4.0;
/// Steps of a way that are looked through at most, from the particle on, and faces that are looked at meanwhile: an end for meshes that
/// are made to have none.
const MOST_STEPS: f32 = 64.0;
const MOST_LOOKS: usize = 4096;
/// Part of the way within which two places where it goes through cloth are one, on an edge between two faces.
const SAME: f32 = 1e-4;

/// The particles of a cloth that lie over other cloth.
#[derive(Debug, Default)]
pub(super) struct Over {
    /// How much further than the thickness each particle keeps, metres; empty if none does.
    lifts: Vec<f32>,
    /// Triangles around those that keep further, each turned so that its normal leads away from the body.
    triangles: Vec<[u32; 3]>,
    /// Direction away from the body of each particle that keeps further, when the frame began.
    outward: Vec<Vec3>,
}

impl Over {
    /// How much further than the thickness a particle keeps, metres.
    pub(super) fn lift(&self, particle: u32) -> f32 {
        self.lifts.get(particle as usize).copied().unwrap_or(0.0)
    }

    /// Whether a particle that keeps further lies on a surface with this outward `normal`, instead of being touched by it from outside.
    pub(super) fn faces(&self, particle: u32, normal: Vec3) -> bool {
        self.outward.get(particle as usize).is_some_and(|outward| outward.dot(normal) > 0.0)
    }
}

impl BodySurface<'_> {
    /// Notes how much further than `thickness` each particle keeps from the body, as the cloth lies at the start; `gap` is what layers
    /// keep from each other, metres.
    pub(in crate::simulate) fn note_layers(&mut self, topology: &Topology, thickness: f32, gap: f32) {
        let points = &topology.positions;
        let worn = (0..).zip(&self.worn_on).filter_map(|(particle, worn_on)| Some((particle, (*worn_on)?)));
        let is_loose = |worn: &Worn| worn.distance > LOOSE * self.search_radius;
        let is_close = |worn: &Worn| worn.distance < thickness + PART * gap * MOST_LAYERS as f32;
        let worn: Vec<(u32, Worn)> = worn.filter(|(_, worn)| is_loose(worn) || is_close(worn)).collect();
        if worn.is_empty() {
            return;
        }
        let triangles: Vec<[u32; 3]> = topology.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let tree = Bvh::build(points, &triangles);
        let cloth = Beneath { points, triangles: &triangles, tree: &tree, step: STEP * topology.mean_edge() };
        let lifted = |&(particle, worn): &(u32, Worn)| {
            let point = points[particle as usize];
            let below = closest_point_on_triangle(point, self.corners(worn.triangle)).point;
            let beneath = cloth.beneath(particle, below);
            let room = if is_loose(&worn) { worn.distance - thickness } else { *beneath.last()? };
            let lift = (PART * gap * beneath.len().min(MOST_LAYERS) as f32).min(room.max(0.0));
            let counts = lift > 0.0 && (is_loose(&worn) || worn.distance < thickness + lift);
            counts.then_some((particle, (lift, point - below)))
        };
        let lifted: BTreeMap<u32, (f32, Vec3)> = worn.par_iter().filter_map(lifted).collect();
        if lifted.is_empty() {
            return;
        }
        let turned = |&[a, b, c]: &[u32; 3]| {
            let (_, away) = [a, b, c].iter().find_map(|corner| lifted.get(corner))?;
            let [p, q, r] = [a, b, c].map(|corner| points[corner as usize]);
            Some(if (q - p).cross(r - p).dot(*away) < 0.0 { [a, c, b] } else { [a, b, c] })
        };
        let mut lifts = vec![0.0; points.len()];
        lifted.iter().for_each(|(&particle, &(lift, _))| lifts[particle as usize] = lift);
        self.over = Over { lifts, triangles: triangles.iter().filter_map(turned).collect(), outward: Vec::new() };
    }

    /// Notes which way the cloth faces as a frame begins.
    pub(in crate::simulate) fn start_frame(&mut self, cloth: &Cloth) {
        let Over { triangles, outward, .. } = &mut self.over;
        if !triangles.is_empty() {
            *outward = area_normals(&cloth.positions(), triangles.iter().copied());
        }
    }
}

/// A cloth that is asked what lies beneath its particles.
struct Beneath<'a> {
    points: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    tree: &'a Bvh,
    step: f32,
}

impl Beneath<'_> {
    /// Distances from a particle at which the straight way to a place on the body goes through cloth, beside that around it, ascending,
    /// metres.
    fn beneath(&self, particle: u32, body: Vec3) -> Vec<f32> {
        let from = self.points[particle as usize];
        let steps = (from.distance(body) / self.step).max(1.0);
        let at = |step: f32| from.lerp(body, (step / steps).min(1.0));
        let (mut places, mut looks_left): (Vec<f32>, usize) = (Vec::new(), MOST_LOOKS);
        for step in (0..steps.ceil().min(MOST_STEPS) as u32).map(|step| step as f32) {
            self.tree.any_overlapping(&Aabb::around(&[at(step), at(step + 1.0)]), |index| {
                let triangle = self.triangles[index as usize];
                if !triangle.contains(&particle) {
                    let corners = triangle.map(|corner| self.points[corner as usize]);
                    places.extend(Piercing::with_rim([from, body], corners).map(|piercing| piercing.along));
                }
                looks_left = looks_left.saturating_sub(1);
                looks_left == 0
            });
        }
        places.sort_unstable_by(f32::total_cmp);
        places.dedup_by(|a, b| *a - *b < SAME);
        let length = from.distance(body);
        places.into_iter().map(|along| along * length).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Body, Moment};
    use crate::pins::Pins;
    use crate::simulate::collide::Touch;
    use crate::simulate::collide::surface::fixtures::prisms;
    use crate::simulate::collide::surface::look::Look;
    use crate::topology::{build, grids};

    const THICKNESS: f32 = 0.005;
    const GAP: f32 = 0.02;

    /// Two sheets over a slab, so far from it and from each other, and the slab's surface.
    fn sheets(slab: &Body, [below, between]: [f32; 2]) -> (Topology, BodySurface<'_>) {
        let mut lower = grids::grid(5, 5);
        lower.positions.iter_mut().for_each(|p| p.z = 0.05 + below);
        let topology = build(&grids::joined(lower.clone(), &lower, |p| p + Vec3::Z * between)).expect("two sheets");
        let mut surface = BodySurface::new(slab, Moment::At(0.0), topology.positions.len(), 0.1);
        surface.note_start(&topology.positions, &vec![Vec::new(); topology.positions.len()]);
        surface.note_layers(&topology, THICKNESS, GAP);
        (topology, surface)
    }

    fn slab() -> Body {
        prisms(&[&[[-1.0, -2.0], [2.0, -2.0], [2.0, 1.0], [-1.0, 1.0]]], 0.1)
    }

    #[test]
    fn only_the_upper_of_two_sheets_keeps_further_and_only_if_it_hangs_loose() {
        let slab = slab();
        let lifts = |lies: [f32; 2]| {
            let (topology, surface) = sheets(&slab, lies);
            let is_upper = |p: u32| topology.positions[p as usize].z > 0.05 + lies[0] + 0.5 * lies[1];
            let particles = 0..topology.positions.len() as u32;
            let (upper, lower): (Vec<u32>, Vec<u32>) = particles.partition(|&p| is_upper(p));
            assert_eq!(lower.iter().map(|&p| surface.over.lift(p)).fold(0.0, f32::max), 0.0);
            let of_upper = || upper.iter().map(|&p| surface.over.lift(p));
            (of_upper().fold(f32::INFINITY, f32::min), of_upper().fold(0.0, f32::max))
        };
        assert_eq!(lifts([0.01, 0.06]), (PART * GAP, PART * GAP));
        assert_eq!(lifts([0.01, 0.04]), (0.0, 0.0), "a jacket over a shirt");
        let [low, high] = <[f32; 2]>::from(lifts([0.002, 0.001]));
        assert!((low - 0.001).abs() < 1e-5 && (high - 0.001).abs() < 1e-5, "both below the thickness: {low} to {high}");
    }

    #[test]
    fn the_upper_sheet_keeps_further_from_what_is_below_it_only() {
        let slab = slab();
        let (topology, mut surface) = sheets(&slab, [0.01, 0.06]);
        let upper = topology.positions.iter().position(|p| p.z > 0.07).expect("a particle") as u32;
        let touch = Touch { thickness: THICKNESS, friction: 0.0, rise: 1.0 };
        let mut height = |turn: f32| {
            let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.2);
            cloth.points.iter_mut().for_each(|p| p.at.x *= turn);
            surface.start_frame(&cloth);
            let at = Vec3::new(0.5, -0.5, 0.051);
            let answer = surface.ask(upper, Look::Whole, at, at, touch);
            answer.pushed.map_or(0.0, |(pushed, _)| pushed.z) - 0.05
        };
        assert!((height(1.0) - THICKNESS - PART * GAP).abs() < 1e-6);
        // The sheet is mirrored: it faces away from the slab's surface.
        let turned = height(-1.0);
        assert!((turned - THICKNESS).abs() < 1e-6, "{turned} m");
    }

    #[test]
    fn a_way_through_an_edge_or_a_corner_between_faces_goes_through_one_layer() {
        let sheet = build(&grids::grid(3, 3)).expect("a sheet");
        let mut points = sheet.positions.clone();
        let triangles: Vec<[u32; 3]> = sheet.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let layers = |points: &mut Vec<Vec3>, x: f32, y: f32| {
            points.push(Vec3::new(x, y, 0.3));
            let tree = Bvh::build(points, &triangles);
            let cloth = Beneath { points, triangles: &triangles, tree: &tree, step: 0.1 };
            cloth.beneath(points.len() as u32 - 1, Vec3::new(x, y, -0.3)).len()
        };
        for (x, y, expected) in [(0.2, -0.1, 1), (0.5, -0.2, 1), (0.25, -0.25, 1), (0.5, -0.5, 1), (1.5, -0.5, 0)] {
            assert_eq!(layers(&mut points, x, y), expected, "{x} {y}");
        }
    }
}
