//! A sleeveless tunic: the skin of the mannequin, blown up by the clearance and by a flare below the waist, cut open at
//! neck, armholes and hem.
//!
//! ```text
//!      __   __       neck: an upright cylinder around the neck
//!    _/  `-'  \_     armholes: planes through shoulder and armpit
//!    \_       _/
//!      |     |
//!     /       \
//!    /_________\     hem: a horizontal plane
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::anatomy::SHOULDER;
use super::figure::Figure;
use super::implicit::{Field, Station, Tube, smooth_min, station};
use super::pattern::{Corner, Group, Pattern};
use super::polygonise::{Grid, polygonise};
use super::surface::Surface;
use crate::geometry::DVec3;

/// Gap to the skin where the tunic fits, metres.
const CLEARANCE: f64 = 0.013;
/// Height of the hem: the middle of the thigh.
const HEM: f64 = 0.66;

/// The flared part: height, half width, half depth, middle of the depth.
const FLARE: [Station; 5] = [
    station(0.56, 0.285, 0.225, -0.012),
    station(0.76, 0.235, 0.180, -0.012),
    station(0.90, 0.196, 0.140, -0.012),
    station(1.00, 0.160, 0.112, -0.004),
    station(1.08, 0.125, 0.092, 0.004),
];

/// The tunic, fitted to `figure` in bind pose. Group `shoulders` lies on top of the shoulders, `tunic` is the rest.
pub(super) fn tunic(figure: &Figure) -> Pattern {
    let spacing = |_: usize, _: f64| 0.0155;
    let grid = Grid::new(0.36, [HEM - 0.06, -0.30], [1.52, 0.26], spacing);
    let cloth = Cloth { figure, flare: flare() };
    let closed = polygonise(&cloth, &grid);
    pattern(&evened_out(&cloth, cut_open(&closed)))
}

/// The tunic's surface before it is cut: distance to it, and to the cuts.
struct Cloth<'a> {
    figure: &'a Figure,
    flare: Tube,
}

impl Field for Cloth<'_> {
    fn value(&self, p: DVec3) -> f64 {
        smooth_min(self.figure.value(p) - CLEARANCE, self.flare.value(p), 0.05)
    }
}

fn flare() -> Tube {
    Tube { origin: DVec3::ZERO, frame: [DVec3::X, DVec3::Z, DVec3::Y], stations: &FLARE, caps: [0.05, 0.08] }
}

/// Distance to the nearest cut: positive on the cloth, negative where it is cut away, metres.
fn kept(p: DVec3) -> f64 {
    /// Half widths of the neck hole.
    const NECK: [f64; 2] = [0.086, 0.084];
    let (x, z) = (p.x / NECK[0], (p.z + 0.012) / NECK[1]);
    let neck = ((x * x + z * z).sqrt() - 1.0) * NECK[1];
    let below_chin = 1.46 - p.y;
    let armhole = (0.142 - p.x.abs() - 0.17 * (p.y - 1.42)) / 1.014;
    neck.min(below_chin).min(armhole).min(p.y - HEM)
}

/// The triangles on the cloth, without those that hang on by one side only.
fn cut_open(closed: &Surface) -> Surface {
    let mut triangles = closed.triangles.clone();
    triangles.retain(|t| kept(t.iter().map(|&i| closed.positions[i as usize]).sum::<DVec3>() / 3.0) > 0.0);
    loop {
        let sides = sides(&triangles);
        let free = |t: &[u32; 3]| (0..3).filter(|&i| !sides.contains(&(t[(i + 1) % 3], t[i]))).count();
        let before = triangles.len();
        triangles.retain(|t| free(t) < 2);
        if triangles.len() == before {
            return compacted(closed, &largest_piece(&triangles));
        }
    }
}

/// The triangles connected with most others: clipping leaves crumbs.
fn largest_piece(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut piece_of: BTreeMap<u32, u32> = triangles.iter().flatten().map(|&v| (v, v)).collect();
    loop {
        let mut changed = false;
        for triangle in triangles {
            let smallest = triangle.iter().map(|v| piece_of[v]).min().unwrap_or_default();
            changed |= triangle.iter().filter(|&&v| piece_of.insert(v, smallest) != Some(smallest)).count() > 0;
        }
        if !changed {
            break;
        }
    }
    let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
    for triangle in triangles {
        *sizes.entry(piece_of[&triangle[0]]).or_default() += 1;
    }
    let largest = sizes.iter().max_by_key(|&(_, size)| size).map(|(&piece, _)| piece);
    triangles.iter().copied().filter(|t| Some(piece_of[&t[0]]) == largest).collect()
}

/// Directed sides of `triangles`.
fn sides(triangles: &[[u32; 3]]) -> BTreeSet<(u32, u32)> {
    triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect()
}

/// Only the vertices that `triangles` use, in their order.
fn compacted(closed: &Surface, triangles: &[[u32; 3]]) -> Surface {
    let used: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
    let number: BTreeMap<u32, u32> = used.iter().zip(0..).map(|(&old, new)| (old, new)).collect();
    Surface {
        positions: used.iter().map(|&v| closed.positions[v as usize]).collect(),
        triangles: triangles.iter().map(|t| t.map(|v| number[&v])).collect(),
    }
}

/// Moves the border onto the cuts and evens out the triangles, everything staying on the cloth's surface.
fn evened_out(cloth: &Cloth, mut surface: Surface) -> Surface {
    const ROUNDS: usize = 16;
    let inside = surface.neighbours();
    let border = border(&surface);
    for _ in 0..ROUNDS {
        let moved = |(v, &at): (usize, &DVec3)| {
            let along = border.get(&(v as u32));
            let around = along.unwrap_or(&inside[v]);
            let mean = around.iter().map(|&n| surface.positions[n as usize]).sum::<DVec3>() / around.len() as f64;
            let evened = cloth.project(at.lerp(mean, 0.5));
            if along.is_some() { onto_cut(cloth, evened) } else { evened }
        };
        surface.positions = surface.positions.iter().enumerate().map(moved).collect();
    }
    surface
}

/// For each vertex of the border its neighbours along the border.
fn border(surface: &Surface) -> BTreeMap<u32, Vec<u32>> {
    let sides = sides(&surface.triangles);
    let mut border: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(from, to) in sides.iter().filter(|&&(from, to)| !sides.contains(&(to, from))) {
        border.entry(from).or_default().push(to);
        border.entry(to).or_default().push(from);
    }
    border
}

/// The point near `p` on both the cloth's surface and the nearest cut.
fn onto_cut(cloth: &Cloth, p: DVec3) -> DVec3 {
    (0..8).fold(p, |p, _| cloth.project(kept.project(p)))
}

/// Front and back are laid out side by side, seen from the front; the side seams double texture coordinates.
fn pattern(surface: &Surface) -> Pattern {
    /// Between the middles of front and back in texture space, metres.
    const APART: f64 = 0.8;
    let centre = |t: &[u32; 3]| t.iter().map(|&i| surface.positions[i as usize]).sum::<DVec3>() / 3.0;
    let (mut texcoords, mut number) = (Vec::new(), BTreeMap::new());
    let mut corner = |vertex: u32, is_back: bool| -> Corner {
        let texcoord = *number.entry((vertex, is_back)).or_insert_with(|| {
            let p = surface.positions[vertex as usize];
            let u = if is_back { 0.4 + APART - p.x } else { 0.4 + p.x };
            texcoords.push([u, p.y - HEM]);
            texcoords.len() - 1
        });
        [vertex as usize, texcoord]
    };
    let (mut shoulders, mut rest) = (Vec::new(), Vec::new());
    for triangle in &surface.triangles {
        let middle = centre(triangle);
        let face = triangle.map(|v| corner(v, middle.z < SHOULDER.z)).to_vec();
        if is_on_shoulder(middle) { shoulders.push(face) } else { rest.push(face) }
    }
    let groups = vec![Group { name: "shoulders", faces: shoulders }, Group { name: "tunic", faces: rest }];
    Pattern { name: "tunic", positions: surface.positions.clone(), texcoords, groups }
}

/// A strap along the ridge beside the neck. Towards the arm the skin stretches as arms move: there the cloth is free.
fn is_on_shoulder(p: DVec3) -> bool {
    p.y > 1.38 && p.x.abs() < 0.125 && (p.z - SHOULDER.z).abs() < 0.015
}
