//! Tests of textile laboratories, made on simulated fabrics: whether a fabric's values mean what they say.
//!
//! ```text
//! drape (Cusick 1965, BS 5058)                      cantilever (Peirce 1930, ASTM D1388)
//!
//!       ____18 cm____                                ==clamp==.___
//!   __/|____________|\__   30 cm of cloth                     \   `.  overhang L
//!  /   between discs    \                              angle   `.   \
//!  coefficient = (shadow - discs) / (flat - discs)             bending length c = L (cos(angle / 2) / (8 tan angle))^(1/3)
//! ```
//!
//! `c^3` is bending rigidity over weight of area, whatever the overhang: the test should find the rigidity that was put in.

use std::ops::ControlFlow;

use serde::Serialize;

use crate::correction::CorrectionMap;
use crate::geometry::{Aabb, Vec3};
use crate::import::Polygons;
use crate::pins::{Binding, Pins};
use crate::simulate::{self, Fabric, FrameRate, Parameters, Progress, Setup, SimulationError, StartPose, Timeline};
use crate::springs::SpringNetwork;
use crate::topology::{ParticleId, Topology};

/// Radii of the cloth and of the discs that hold it, metres.
const SPECIMEN: f32 = 0.15;
const DISC: f32 = 0.09;
/// Cells of the shadow, metres.
const SHADOW_CELL: f32 = 0.001;
/// Area that a point may span with a side of a face that it lies on, by rounding, m2.
const ON_A_SIDE: f32 = 1e-9;
/// Width of the strip, metres.
const STRIP: f32 = 0.025;
/// Overhang of the strip in bending lengths as expected: it then hangs at about 41.5 degrees, as the test has it.
const OVERHANG: f32 = 2.0;
/// Cells along the overhang.
const OVERHANG_CELLS: u32 = 16;
/// Time in which cloth comes to rest, seconds.
const SECONDS: i64 = 4;
const RATE: u32 = 60;
/// Air drag, per second: these tests ask where cloth comes to rest, not how.
const DRAG: f32 = 2.0;

/// What both tests find.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LaboratoryFigures {
    /// Part of the overhanging cloth that its shadow still has: 0 hangs straight down, 1 stays flat.
    pub drape_coefficient: f64,
    /// Bending length along the threads, millimetres.
    pub bending_length_mm: f64,
    /// The same as the fabric's values have it: the cube root of bending rigidity over weight of area.
    pub expected_bending_length_mm: f64,
}

/// Makes both tests, with cloth of square cells of `cell` metres in the drape test.
///
/// # Errors
/// Values with which the cloth diverges; `stop` asking to end.
pub fn test(fabric: &Fabric, cell: f32, stop: &mut dyn FnMut() -> bool) -> Result<LaboratoryFigures, SimulationError> {
    let expected = expected_bending_length(fabric);
    Ok(LaboratoryFigures {
        drape_coefficient: drape_coefficient(fabric, cell, stop)?,
        bending_length_mm: 1000.0 * bending_length(fabric, expected, stop)?,
        expected_bending_length_mm: 1000.0 * f64::from(expected),
    })
}

fn expected_bending_length(fabric: &Fabric) -> f32 {
    let weight = fabric.areal_density * -Parameters::default().gravity.y;
    libm::cbrtf(fabric.bending_rigidity / weight)
}

fn drape_coefficient(fabric: &Fabric, cell: f32, stop: &mut dyn FnMut() -> bool) -> Result<f64, SimulationError> {
    let specimen = disc(cell);
    let is_held = |p: &Vec3| p.length() <= DISC;
    let flat = shadow(&specimen.positions, &specimen.polygons);
    let held = SHADOW_CELL * SHADOW_CELL * cells_within(DISC) as f32;
    let draped = shadow(&at_rest(&specimen, fabric, is_held, stop)?, &specimen.polygons);
    Ok(f64::from((draped - held) / (flat - held)))
}

fn bending_length(fabric: &Fabric, expected: f32, stop: &mut dyn FnMut() -> bool) -> Result<f64, SimulationError> {
    let overhang = OVERHANG * expected;
    let cell = overhang / OVERHANG_CELLS as f32;
    let across = (STRIP / cell).round().max(2.0) as u32;
    // Two more rows are in the clamp.
    bends_by(&sheet(across, OVERHANG_CELLS + 2, cell, |_| true), overhang, fabric, stop)
}

/// Bending length of a strip that lies level along z and of which the end hangs over.
fn bends_by(
    strip: &Topology,
    overhang: f32,
    fabric: &Fabric,
    stop: &mut dyn FnMut() -> bool,
) -> Result<f64, SimulationError> {
    let end = strip.positions.iter().map(|p| p.z).fold(f32::NEG_INFINITY, f32::max);
    let (clamp, rounding) = (end - overhang, 1e-3 * overhang);
    let rest = at_rest(strip, fabric, |p| p.z < clamp + rounding, stop)?;
    let places = rest.iter().zip(&strip.positions);
    let tip: Vec<Vec3> = places.filter(|(_, p)| p.z > end - rounding).map(|(r, _)| *r).collect();
    let tip = tip.iter().sum::<Vec3>() / tip.len().max(1) as f32;
    let angle = f64::from(libm::atan2f(-tip.y, tip.z - clamp));
    Ok(f64::from(overhang) * libm::cbrt(libm::cos(0.5 * angle) / (8.0 * libm::tan(angle))))
}

/// Square cells that lie within the specimen's circle.
fn disc(cell: f32) -> Topology {
    let across = (2.0 * SPECIMEN / cell).round() as u32;
    sheet(across, across, cell, |corners| corners.iter().all(|p| p.length() <= SPECIMEN))
}

/// A level sheet about the origin: the cells, by their corners, that are `wanted`.
fn sheet(columns: u32, rows: u32, cell: f32, wanted: impl Fn(&[Vec3; 4]) -> bool) -> Topology {
    let at = |row: u32, column: u32| {
        let along = |i: u32, count: u32| (i as f32 - 0.5 * count as f32) * cell;
        Vec3::new(along(column, columns), 0.0, along(row, rows))
    };
    let mut polygons = Polygons::default();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let places = [[row, column], [row + 1, column], [row + 1, column + 1], [row, column + 1]];
        if wanted(&places.map(|[r, c]| at(r, c))) {
            polygons.push(&places.map(|[r, c]| r * (columns + 1) + c));
        }
    }
    let used = {
        let mut used = polygons.corners.clone();
        used.sort_unstable();
        used.dedup();
        used
    };
    let positions = used.iter().map(|&v| at(v / (columns + 1), v % (columns + 1))).collect();
    polygons.corners.iter_mut().for_each(|v| *v = used.partition_point(|u| u < v) as u32);
    Topology::of_mesh(positions, polygons)
}

/// Where the vertices of a specimen of that fabric come to rest, those being held still that `is_held`.
fn at_rest(
    specimen: &Topology,
    fabric: &Fabric,
    is_held: impl Fn(&Vec3) -> bool,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Vec<Vec3>, SimulationError> {
    let particles = (0..).map(ParticleId).zip(&specimen.positions);
    let held: Vec<ParticleId> = particles.filter(|(_, place)| is_held(place)).map(|(id, _)| id).collect();
    let (topology, held) = specimen.clone().numbered(&held);
    let springs = SpringNetwork::build(&topology);
    let bindings = held.iter().map(|p| Binding::Still(topology.positions[p.index()])).collect();
    let pins = Pins { particles: held, bindings, anchors: Vec::new() };
    let parameters = Parameters { fabric: *fabric, drag: DRAG, preroll: 0, ..Parameters::default() };
    let maps = [CorrectionMap::build("default", &pins.particles, &topology, &springs, &parameters.map_options())];
    let fps = FrameRate::whole(RATE);
    let timeline = Timeline { first: 0, last: SECONDS * i64::from(RATE), fps, start_frame: 1 };
    let setup = Setup {
        topology: &topology,
        springs: &springs,
        maps: &maps,
        body: None,
        pins: &pins,
        parameters: &parameters,
        timeline: &timeline,
        start: StartPose::First,
    };
    let mut after_frame = |_: Progress| if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let simulation = simulate::run(&setup, &mut after_frame)?;
    let last = simulation.cache.frames.len() - 1;
    Ok(simulation.cache.vertex_positions(last, &topology.particle_of_vertex).collect())
}

/// Cells of the shadow whose middles are within `radius` of the origin.
fn cells_within(radius: f32) -> usize {
    let reach = (radius / SHADOW_CELL).ceil() as i32;
    let middle = |i: i32| (i as f32 + 0.5) * SHADOW_CELL;
    let is_within = |&(i, j): &(i32, i32)| middle(i) * middle(i) + middle(j) * middle(j) <= radius * radius;
    (-reach..reach).flat_map(|i| (-reach..reach).map(move |j| (i, j))).filter(is_within).count()
}

/// Area of the shadow that faces throw on the floor, m2.
fn shadow(positions: &[Vec3], polygons: &Polygons) -> f32 {
    let bounds = Aabb::around(positions);
    // Whole cells from the origin, so that every shadow is measured on the same cells.
    let first = [bounds.min.x, bounds.min.z].map(|low| (low / SHADOW_CELL).floor() as i32);
    let count = [bounds.max.x, bounds.max.z].map(|high| (high / SHADOW_CELL).ceil() as i32);
    let size = [0, 1].map(|axis| (count[axis] - first[axis]).max(0) as usize);
    let mut is_dark = vec![false; size[0] * size[1]];
    for polygon in polygons.iter() {
        let corners: Vec<Vec3> = polygon.iter().map(|&v| positions[v as usize]).collect();
        for triangle in [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|i: usize| corners[i % corners.len()])) {
            darken(triangle, first, size, &mut is_dark);
        }
    }
    SHADOW_CELL * SHADOW_CELL * is_dark.iter().filter(|&&dark| dark).count() as f32
}

fn darken(triangle: [Vec3; 3], first: [i32; 2], size: [usize; 2], is_dark: &mut [bool]) {
    let points = triangle.map(|p| [p.x, p.z]);
    let range = |axis: usize| {
        let along = points.map(|p| (p[axis] / SHADOW_CELL) as f64 - f64::from(first[axis]));
        let low = along.into_iter().fold(f64::INFINITY, f64::min).floor().max(0.0) as usize;
        let high = along.into_iter().fold(0.0, f64::max).ceil() as usize;
        low..high.min(size[axis])
    };
    let side = |a: [f32; 2], b: [f32; 2], p: [f32; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
    let [a, b, c] = points;
    for row in range(1) {
        for column in range(0) {
            let middle = |cell: usize, axis: usize| ((cell as i32 + first[axis]) as f32 + 0.5) * SHADOW_CELL;
            let p = [middle(column, 0), middle(row, 1)];
            let sides = [side(a, b, p), side(b, c, p), side(c, a, p)];
            if sides.iter().all(|&s| s >= -ON_A_SIDE) || sides.iter().all(|&s| s <= ON_A_SIDE) {
                is_dark[row * size[0] + column] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_specimen_throws_a_shadow_of_its_own_area() {
        let specimen = disc(0.005);
        let area = shadow(&specimen.positions, &specimen.polygons);
        let cells = specimen.polygons.len() as f32 * 0.005 * 0.005;
        assert!((area / cells - 1.0).abs() < 1e-3, "{area} {cells}");
        assert!((cells / (std::f32::consts::PI * SPECIMEN * SPECIMEN) - 1.0).abs() < 0.05);
    }

    #[test]
    fn the_cantilever_finds_the_rigidity_and_stiffer_cloth_drapes_less() {
        let mut go_on = || false;
        let soft = Fabric { bending_rigidity: 1e-5, ..Fabric::default() };
        let stiff = Fabric { bending_rigidity: 1e-4, ..Fabric::default() };
        let [soft, stiff] = [soft, stiff].map(|f| test(&f, 0.01, &mut go_on).expect("it comes to rest"));
        for found in [soft, stiff] {
            let ratio = found.bending_length_mm / found.expected_bending_length_mm;
            assert!((0.9..1.05).contains(&ratio), "{found:?}");
        }
        assert!(soft.drape_coefficient > 0.0 && stiff.drape_coefficient < 1.0, "{soft:?} {stiff:?}");
        assert!(stiff.drape_coefficient > soft.drape_coefficient + 0.1, "{soft:?} {stiff:?}");
    }

    /// Nearly equilateral triangles, of which a side lies across the strip.
    fn triangles(across: u32, cell: f32, overhang: f32) -> Topology {
        let rows = (overhang / (0.866 * cell)).round();
        let step = overhang / rows;
        // Two more rows are in the clamp.
        let place = |row: u32, column: u32| {
            let shift = if row % 2 == 1 && (1..across).contains(&column) { 0.5 } else { 0.0 };
            Vec3::new((column as f32 + shift) * cell, 0.0, row as f32 * step)
        };
        let rows = rows as u32 + 2;
        let positions = (0..=rows).flat_map(|row| (0..=across).map(move |column| place(row, column))).collect();
        let mut polygons = Polygons::default();
        for (row, column) in (0..rows).flat_map(|row| (0..across).map(move |column| (row, column))) {
            let at = |r: u32, c: u32| (row + r) * (across + 1) + column + c;
            let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
            let two = if row % 2 == 0 { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] };
            two.iter().for_each(|triangle| polygons.push(triangle));
        }
        Topology::of_mesh(positions, polygons)
    }

    #[test]
    fn a_fabric_bends_alike_on_any_mesh() {
        let mut go_on = || false;
        for (rigidity, areal_density) in [(1e-5, 0.14), (3e-4, 0.6)] {
            let fabric = Fabric { bending_rigidity: rigidity, areal_density, ..Fabric::default() };
            let expected = expected_bending_length(&fabric);
            let overhang = OVERHANG * expected;
            let squares = [12, 24, 48].map(|cells| sheet(cells / 2, cells + 2, overhang / cells as f32, |_| true));
            let triangles = [12, 24, 48].map(|cells| triangles(cells / 2, overhang / cells as f32, overhang));
            for strip in squares.iter().chain(&triangles) {
                let found = bends_by(strip, overhang, &fabric, &mut go_on).expect("it comes to rest");
                let ratio = found / f64::from(expected);
                // Large triangles at the sides of a narrow strip have nothing straight across to bend against.
                assert!((0.86..1.06).contains(&ratio), "{} particles: {ratio}", strip.positions.len());
            }
        }
    }
}
