//! Cloth modelled with its thickness: two surfaces a few millimetres apart, joined at the rim or not.
//!
//! ```text
//!     ______________
//!    /              |  outer     Faces that look away from each other, or along each other in separate sheets, at a small
//!    \______________|  inner     and even distance are two sides of one cloth: one is simulated, the other and the rim
//!     rim                        follow it. Simulated as two they would rub, jitter and pass through each other.
//! ```

mod remainders;

use std::cell::Cell;

use rayon::prelude::*;

use self::remainders::Remainders;
use super::Choice;
use crate::geometry::{Aabb, Bvh, Vec3};
use crate::topology::{EdgeFaces, Topology};

/// Largest thickness, as a part of the cloth's diagonal: 2 cm of a coat.
const THICK: f32 = 0.015;
/// Cosine between the normals of both sides, from which on they count as parallel.
const PARALLEL: f32 = 0.7;
/// Cosine between neighbouring faces down to which they are on the same side: creases pass, a rim does not.
const CREASE: f32 = -0.2;
/// Part of a side's area that must lie opposite the other side.
const COVERED: f32 = 0.85;
/// Distance that most of a side keeps from the other at most, as a multiple of its median, and the other way round.
const EVEN: f32 = 2.5;
/// The same of separate sheets. Thickness is even; two skirts over each other are nearer here and further there.
const EVEN_SHEETS: f32 = 1.4;
/// How much further a polygon may be from its opposite than that is from its own, and the other way round. A rim lies by chance before
/// a face that has another opposite; one such rim would make one side of both.
const UNLIKE: f32 = 1.5;
/// Area of a side, as a part of the cloth's, from which it counts: it is small pieces that fold onto each other by chance.
const LARGE: f32 = 0.05;
/// Polygons that are looked at first, spread over the cloth.
const SAMPLE: usize = 1000;

/// Polygons that tell how much work looking is.
const FEW: usize = 32;
/// Triangles that may be looked at for the whole cloth. Where all lie around each other, as in a fan of thousands, it is not thick.
const PATIENCE: usize = 1 << 30;

/// The sides of thick cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Shells {
    /// The polygons that follow: the other sides and rims.
    pub carried: Vec<bool>,
    /// Median thickness of each pair of sides, metres.
    pub thicknesses: Vec<f32>,
}

/// A connected side with the side opposite to it.
struct Side {
    area: f32,
    opposite: Option<usize>,
    thickness: f32,
}

/// Finds thick cloth. Of two sides the one with the smaller mean of `distance` (from the body) is simulated, the one with the
/// smaller first polygon if they are alike; but one that goes on as cloth where the other ends is simulated always. None if all
/// cloth is thin.
pub fn shells(choice: &Choice, cloth: &Topology, distance: &dyn Fn(Vec3) -> f32) -> Option<Shells> {
    if !choice.shells || cloth.polygons.is_empty() {
        return None;
    }
    let faces = Faces::new(cloth);
    let limit = THICK * Aabb::around(&cloth.positions).size().length();
    let opposite = faces.opposite(cloth, limit)?;
    let edges = EdgeFaces::of(&cloth.polygons, cloth.positions.len());
    let side_of = sides(cloth, &edges, &faces, &opposite);
    let sides = paired(cloth, &side_of, &faces, &opposite);
    let remainders = Remainders::new(cloth, &edges, &faces, &side_of);
    let mut becomes = vec![None; sides.len()];
    let mut thicknesses = Vec::new();
    for (index, side) in sides.iter().enumerate() {
        let Some(other) = side.opposite.filter(|&other| index < other && sides[other].opposite == Some(index)) else {
            continue;
        };
        let mean = |side: usize| faces.mean(side, &side_of, distance);
        let by_distance = if mean(index) <= mean(other) { [other, index] } else { [index, other] };
        let thickness = side.thickness.max(sides[other].thickness);
        let ends = |&side: &usize| remainders.end_at(side, sides[side].area, 2.0 * thickness);
        if let Some(carried) = by_distance.into_iter().find(ends) {
            becomes[index] = Some(Fate::Simulated);
            becomes[other] = Some(Fate::Simulated);
            becomes[carried] = Some(Fate::Carried);
            thicknesses.push(thickness);
        }
    }
    // More layers on two that move as one move with them.
    for (index, side) in sides.iter().enumerate() {
        let lies_on_thick = becomes[index].is_none() && side.opposite.is_some_and(|other| becomes[other].is_some());
        if lies_on_thick && remainders.end_at(index, side.area, 2.0 * side.thickness) {
            becomes[index] = Some(Fate::Carried);
            thicknesses.push(side.thickness);
        }
    }
    if thicknesses.is_empty() {
        return None;
    }
    let fate = |polygon: usize| side_of[polygon].and_then(|side: usize| becomes[side]);
    let mut carried: Vec<bool> = (0..side_of.len()).map(|polygon| fate(polygon) == Some(Fate::Carried)).collect();
    remainders.follow(&mut carried, &becomes);
    let thickness = thicknesses.iter().copied().fold(0.0, f32::max);
    let is_simulated: Vec<bool> = (0..side_of.len()).map(|polygon| fate(polygon) == Some(Fate::Simulated)).collect();
    add_rims(cloth, &mut carried, &is_simulated, thickness);
    Some(Shells { carried, thicknesses })
}

/// The component that a polygon is of.
fn component_of(cloth: &Topology, polygon: usize) -> u32 {
    cloth.component_of_particle[cloth.polygons.get(polygon)[0] as usize]
}

/// What becomes of a side that lies opposite another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Simulated,
    Carried,
}

/// The polygons as flat faces.
struct Faces {
    centres: Vec<Vec3>,
    normals: Vec<Vec3>,
    areas: Vec<f32>,
}

impl Faces {
    fn new(cloth: &Topology) -> Faces {
        let (mut centres, mut normals, mut areas) = (Vec::new(), Vec::new(), Vec::new());
        for (index, polygon) in cloth.polygons.iter().enumerate() {
            let centre: Vec3 = polygon.iter().map(|&p| cloth.positions[p as usize]).sum();
            centres.push(centre / polygon.len() as f32);
            let normal = |t: &[_; 3]| {
                let [a, b, c] = t.map(|p: crate::topology::ParticleId| cloth.positions[p.index()]);
                (b - a).cross(c - a)
            };
            let sum: Vec3 = cloth.triangles_of(index).iter().map(normal).sum();
            areas.push(sum.length() / 2.0);
            normals.push(sum.normalize_or_zero());
        }
        Faces { centres, normals, areas }
    }

    /// For each polygon the one opposite to it and its distance, metres, if that is at most `limit`. None if most have none.
    fn opposite(&self, cloth: &Topology, limit: f32) -> Option<Vec<Option<(u32, f32)>>> {
        let mut triangles = Vec::with_capacity(cloth.triangles.len());
        let mut polygon_of = Vec::with_capacity(cloth.triangles.len());
        for polygon in 0..cloth.polygons.len() {
            for triangle in cloth.triangles_of(polygon) {
                triangles.push(triangle.map(|p| p.0));
                polygon_of.push(polygon as u32);
            }
        }
        let bvh = Bvh::build(&cloth.positions, &triangles);
        let component = |polygon: usize| component_of(cloth, polygon) as usize;
        let mut facing = vec![0.0; cloth.component_count];
        let find = |polygon: usize, facing: &[f32]| {
            let normal = self.normals[polygon];
            let centre = self.centres[polygon];
            let looks = Cell::new(0_usize);
            let is_opposite = |triangle: u32| {
                looks.set(looks.get() + 1);
                let other = polygon_of[triangle as usize] as usize;
                let cosine = self.normals[other].dot(normal);
                // Sides of one piece look away from each other; separate sheets may be wound as they like.
                if component(other) == component(polygon) {
                    cosine < -PARALLEL && facing[component(other)] * self.height(centre, other) >= 0.0
                } else {
                    cosine.abs() > PARALLEL
                }
            };
            let found = bvh.closest_where(centre, limit, &cloth.positions, &triangles, is_opposite);
            (found.map(|found| (polygon_of[found.0 as usize], found.2.sqrt())), looks.get())
        };
        let count = self.centres.len();
        let is_thick = |found: usize, of: usize| found as f32 >= COVERED * 0.5 * of as f32;
        let spread = |some: usize| (0..count).into_par_iter().step_by(count.div_ceil(some).max(1));
        let (few, looks) = (spread(FEW).len(), spread(FEW).map(|polygon| find(polygon, &facing).1).sum::<usize>());
        if looks / few.max(1) > PATIENCE / count.max(1) {
            return None;
        }
        // A look is dear where nothing is found. Most cloth is thin all over, and a sample says so.
        let sample: Vec<(usize, u32)> =
            spread(SAMPLE).filter_map(|polygon| Some((polygon, find(polygon, &facing).0?.0))).collect();
        if !is_thick(2 * sample.len(), spread(SAMPLE).len()) {
            return None;
        }
        // Of a piece that is wound outward the other side is behind its faces, of one that is wound inward before them. The rims
        // of a front opening are the other way round: they would make one side of both.
        for (polygon, other) in sample {
            if component(polygon) == component(other as usize) {
                facing[component(polygon)] +=
                    self.areas[polygon] * self.height(self.centres[polygon], other as usize).signum();
            }
        }
        let opposite: Vec<_> = (0..count).into_par_iter().map(|polygon| find(polygon, &facing).0).collect();
        is_thick(opposite.iter().flatten().count(), count).then_some(opposite)
    }

    /// How far `point` is above the plane of a polygon, on the side that its normal points to, metres.
    fn height(&self, point: Vec3, polygon: usize) -> f32 {
        (point - self.centres[polygon]).dot(self.normals[polygon])
    }

    /// Mean of `figure` over the polygons of a side.
    fn mean(&self, side: usize, side_of: &[Option<usize>], figure: &dyn Fn(Vec3) -> f32) -> f32 {
        let polygons = (0..side_of.len()).filter(|&p| side_of[p] == Some(side));
        let (sum, count) = polygons.fold((0.0, 0.0), |(sum, count), p| (sum + figure(self.centres[p]), count + 1.0));
        sum / count
    }
}

/// The side of each polygon that has an opposite: connected over edges that are no sharper than a crease, where that is a chance one over
/// edges of nearly parallel polygons.
fn sides(cloth: &Topology, edges: &EdgeFaces, faces: &Faces, opposite: &[Option<(u32, f32)>]) -> Vec<Option<usize>> {
    let is_by_chance = |polygon: usize| {
        let Some((other, distance)) = opposite[polygon] else { return false };
        opposite[other as usize].is_none_or(|(_, back)| distance > UNLIKE * back || back > UNLIKE * distance)
    };
    let by_chance: Vec<bool> = (0..opposite.len()).map(is_by_chance).collect();
    let mut side_of = vec![None; opposite.len()];
    let mut count = 0;
    for seed in 0..opposite.len() {
        if side_of[seed].is_some() || opposite[seed].is_none() {
            continue;
        }
        let mut front = vec![seed];
        side_of[seed] = Some(count);
        while let Some(polygon) = front.pop() {
            for across in cloth.polygons.range(polygon).filter_map(|side| edges.across(side)) {
                let other = edges.polygon_of(across);
                let least = if by_chance[polygon] || by_chance[other] { PARALLEL } else { CREASE };
                let goes_on = faces.normals[polygon].dot(faces.normals[other]) > least;
                if goes_on && side_of[other].is_none() && opposite[other].is_some() {
                    side_of[other] = Some(count);
                    front.push(other);
                }
            }
        }
        count += 1;
    }
    side_of
}

/// Each side with the side that most of it lies opposite of, if there is one.
fn paired(cloth: &Topology, side_of: &[Option<usize>], faces: &Faces, opposite: &[Option<(u32, f32)>]) -> Vec<Side> {
    let count = side_of.iter().flatten().max().map_or(0, |&side| side + 1);
    let mut all = vec![Vec::new(); count];
    (0..side_of.len()).for_each(|polygon| all[side_of[polygon].unwrap_or(0)].extend(side_of[polygon].map(|_| polygon)));
    let total: f32 = faces.areas.iter().sum();
    let pair = |(index, members): (usize, &Vec<usize>)| {
        let area: f32 = members.iter().map(|&p| faces.areas[p]).sum();
        let mut facing: Vec<(usize, f32, f32)> = members
            .iter()
            .filter_map(|&p| opposite[p].and_then(|(o, d)| Some((side_of[o as usize]?, faces.areas[p], d))))
            .filter(|&(side, ..)| side != index)
            .collect();
        let mut shares: Vec<(usize, f32)> = Vec::new();
        for &(side, share, _) in &facing {
            match shares.iter_mut().find(|(known, _)| *known == side) {
                Some((_, sum)) => *sum += share,
                None => shares.push((side, share)),
            }
        }
        let best = shares.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
        facing.retain(|(side, ..)| best.is_some_and(|(best, _)| *side == best));
        facing.sort_unstable_by(|a, b| a.2.total_cmp(&b.2));
        let at = |part: f32| facing.get((part * facing.len() as f32) as usize).map_or(0.0, |f| f.2);
        let is_one_piece =
            best.is_some_and(|(other, _)| component_of(cloth, all[other][0]) == component_of(cloth, members[0]));
        let even = if is_one_piece { EVEN } else { EVEN_SHEETS };
        let is_even = at(0.9) <= even * at(0.5) && at(0.5) <= even * at(0.1) && at(0.5) > 0.0;
        let covers = best.filter(|&(_, share)| share >= COVERED * area && area >= LARGE * total && is_even);
        Side { area, opposite: covers.map(|(side, _)| side), thickness: at(0.5) }
    };
    all.iter().enumerate().map(pair).collect()
}

/// Adds what lies between both sides and belongs to neither: everything that is no further from carried sides than twice the
/// thickness.
fn add_rims(cloth: &Topology, carried: &mut [bool], is_simulated: &[bool], thickness: f32) {
    let mut is_near = vec![false; cloth.positions.len()];
    let carried_now: Vec<usize> = (0..carried.len()).filter(|&p| carried[p]).collect();
    for &polygon in &carried_now {
        cloth.polygons.get(polygon).iter().for_each(|&p| is_near[p as usize] = true);
    }
    let triangles: Vec<[u32; 3]> =
        carried_now.iter().flat_map(|&p| cloth.triangles_of(p)).map(|t| t.map(|p| p.0)).collect();
    let bvh = Bvh::build(&cloth.positions, &triangles);
    let mut is_close = |particle: u32| {
        let near = &mut is_near[particle as usize];
        *near = *near
            || bvh.closest(cloth.positions[particle as usize], 2.0 * thickness, &cloth.positions, &triangles).is_some();
        *near
    };
    for polygon in 0..carried.len() {
        if !carried[polygon] && !is_simulated[polygon] {
            carried[polygon] = cloth.polygons.get(polygon).iter().all(|&p| is_close(p));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Garment, Polygons};
    use crate::topology::{build, grids};

    /// A tube around Y with an outside 1 % of its size away; with a rim when it is one piece.
    fn thick_tube(has_rim: bool) -> Garment {
        two_tubes(has_rim, 0.0)
    }

    /// The same, with an outside that is nearer and further all around by this part of that.
    fn two_tubes(has_rim: bool, uneven: f32) -> Garment {
        let mut tube = grids::tube(40, 20);
        let inner = tube.clone();
        let offset = inner.positions.len() as u32;
        let size = Aabb::around(&tube.positions).size().length();
        let middle = Aabb::around(&tube.positions).centre();
        let out = |p: &Vec3| {
            let way = Vec3::new(p.x - middle.x, 0.0, p.z - middle.z);
            let wave = uneven * libm::sinf(5.0 * libm::atan2f(way.x, way.z));
            *p + way.normalize() * (0.005 * size * (1.0 + wave))
        };
        tube.positions.extend(inner.positions.iter().map(out));
        inner.polygons.iter().for_each(|q| tube.polygons.push(&q.iter().rev().map(|v| v + offset).collect::<Vec<_>>()));
        if has_rim {
            let topology = build(&inner).expect("a tube");
            for side in &topology.boundary_loops {
                for i in 0..side.len() {
                    let (a, b) = (side[i].0, side[(i + 1) % side.len()].0);
                    tube.polygons.push(&[a, b, b + offset, a + offset]);
                }
            }
        }
        tube
    }

    #[test]
    fn the_outside_of_a_thick_tube_follows_its_inside() {
        for has_rim in [false, true] {
            let cloth = build(&thick_tube(has_rim)).expect("a tube");
            let middle = Aabb::around(&cloth.positions).centre();
            let distance = |p: Vec3| Vec3::new(p.x - middle.x, 0.0, p.z - middle.z).length();
            let found = shells(&Choice::default(), &cloth, &distance).expect("two sides");
            assert_eq!(found.thicknesses.len(), 1);
            let quads = 40 * 19;
            let carried = |range: std::ops::Range<usize>| found.carried[range].iter().filter(|c| **c).count();
            assert_eq!(carried(0..quads), 0, "the inside is simulated");
            assert_eq!(carried(quads..cloth.polygons.len()), cloth.polygons.len() - quads);
        }
    }

    #[test]
    fn a_rim_that_lies_behind_a_face_by_chance_makes_no_one_side_of_both() {
        let cloth = build(&thick_tube(true)).expect("a tube");
        let (faces, edges) = (Faces::new(&cloth), EdgeFaces::of(&cloth.polygons, cloth.positions.len()));
        let limit = THICK * Aabb::around(&cloth.positions).size().length();
        let mut opposite = faces.opposite(&cloth, limit).expect("thick cloth");
        let quads = 40 * 19;
        let rim = 2 * quads + 7;
        assert_eq!(opposite[rim], None);
        for (nearer, is_one) in [(1.0, true), (0.5, false), (2.0, false)] {
            opposite[rim] = opposite[7].map(|(_, thickness)| (7, nearer * thickness));
            let side_of = sides(&cloth, &edges, &faces, &opposite);
            assert_eq!(side_of[0] == side_of[quads], is_one, "{nearer}");
        }
    }

    /// A coat 6 mm thick, 20 cm in radius: a sheet bent round until its front edges are 1 cm apart, its outside, and a rim.
    fn thick_coat() -> Garment {
        let mut coat = grids::grid(60, 60);
        let inner = coat.clone();
        let topology = build(&inner).expect("a sheet");
        let offset = inner.positions.len() as u32;
        let bend = |p: &Vec3, radius: f32| {
            let angle = f64::from(p.x) * (std::f64::consts::TAU - 0.05);
            Vec3::new(radius * libm::sin(angle) as f32, p.y, radius * libm::cos(angle) as f32)
        };
        coat.positions =
            [0.2, 0.206].iter().flat_map(|&radius| inner.positions.iter().map(move |p| bend(p, radius))).collect();
        inner.polygons.iter().for_each(|q| coat.polygons.push(&q.iter().rev().map(|v| v + offset).collect::<Vec<_>>()));
        let rim = &topology.boundary_loops[0];
        for i in 0..rim.len() {
            let (a, b) = (rim[i].0, rim[(i + 1) % rim.len()].0);
            coat.polygons.push(&[a, b, b + offset, a + offset]);
        }
        coat
    }

    #[test]
    fn front_edges_that_nearly_meet_do_not_join_both_sides_of_a_coat() {
        let coat = thick_coat();
        let mut inside_out = coat.clone();
        inside_out.polygons = Polygons::default();
        coat.polygons.iter().for_each(|q| inside_out.polygons.push(&q.iter().rev().copied().collect::<Vec<_>>()));
        for garment in [coat, inside_out] {
            let cloth = build(&garment).expect("a coat");
            let found = shells(&Choice::default(), &cloth, &|p| Vec3::new(p.x, 0.0, p.z).length()).expect("two sides");
            let side = 59 * 59;
            assert!(found.carried[..side].iter().all(|carried| !carried), "the inside is simulated");
            assert!(found.carried[side..].iter().all(|&carried| carried), "the outside and the rim follow");
        }
    }

    #[test]
    fn of_two_layers_the_one_that_goes_on_is_simulated() {
        let long = grids::tube(40, 20);
        let size = Aabb::around(&long.positions).size().length();
        let middle = Aabb::around(&long.positions).centre();
        for wider in [0.005, -0.005] {
            let mut both = long.clone();
            let offset = both.positions.len() as u32;
            let out = |p: &Vec3| *p + Vec3::new(p.x - middle.x, 0.0, p.z - middle.z).normalize() * (wider * size);
            both.positions.extend(long.positions.iter().map(out));
            let short = 40 * 9;
            long.polygons
                .iter()
                .take(short)
                .for_each(|q| both.polygons.push(&q.iter().map(|v| v + offset).collect::<Vec<_>>()));
            let cloth = build(&both).expect("two tubes");
            let distance = |p: Vec3| Vec3::new(p.x - middle.x, 0.0, p.z - middle.z).length();
            let found = shells(&Choice::default(), &cloth, &distance).expect("two sides");
            let carried: Vec<usize> = (0..found.carried.len()).filter(|&p| found.carried[p]).collect();
            assert_eq!(carried, (cloth.polygons.len() - short..cloth.polygons.len()).collect::<Vec<_>>(), "{wider}");
        }
    }

    #[test]
    fn skirts_over_each_other_are_not_one_thick_skirt() {
        let found = |has_rim: bool, uneven: f32| {
            let cloth = build(&two_tubes(has_rim, uneven)).expect("two tubes");
            shells(&Choice::default(), &cloth, &|_| 0.0).is_some()
        };
        assert_eq!([0.1, 0.5].map(|uneven| found(false, uneven)), [true, false]);
        assert_eq!([0.1, 0.5].map(|uneven| found(true, uneven)), [true, true], "padding is uneven");
    }

    #[test]
    fn thin_cloth_has_one_side() {
        let cloth = build(&grids::tube(40, 20)).expect("a tube");
        assert_eq!(shells(&Choice::default(), &cloth, &|_| 0.0), None);
        let thick = build(&thick_tube(true)).expect("a tube");
        assert_eq!(shells(&Choice { shells: false, ..Choice::default() }, &thick, &|_| 0.0), None);
    }
}
