//! Meshes that tests of several stages use: grids, their triangulations, tubes.

use crate::geometry::Vec3;
use crate::import::{FileFrame, Garment, GarmentSource, ObjSource, Polygons};

/// How quads are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Diagonals {
    Fixed,
    Alternating,
    /// By coin, with this seed.
    Random(u64),
}

pub(crate) fn garment(positions: Vec<Vec3>, polygons: Polygons) -> Garment {
    Garment {
        name: "test".to_owned(),
        positions,
        origin: crate::geometry::DVec3::ZERO,
        polygons,
        groups: Vec::new(),
        attributes: Vec::new(),
        skin: None,
        frame: FileFrame::default(),
        source: GarmentSource::Obj(ObjSource::default()),
        notices: Vec::new(),
    }
}

/// A hanging sheet of `columns` x `rows` particles, 1 m wide, row 0 on top at y = 0.
pub(crate) fn grid(columns: u32, rows: u32) -> Garment {
    let spacing = 1.0 / (columns - 1) as f32;
    let at = |i: u32| Vec3::new((i % columns) as f32 * spacing, -((i / columns) as f32) * spacing, 0.0);
    let mut polygons = Polygons::default();
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let i = row * columns + column;
            polygons.push(&[i, i + columns, i + columns + 1, i + 1]);
        }
    }
    garment((0..columns * rows).map(at).collect(), polygons)
}

/// An upright tube of quads of radius 1, `around` x `rows` particles, row 0 on top.
pub(crate) fn tube(around: u32, rows: u32) -> Garment {
    let at = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i % around) / f64::from(around);
        Vec3::new(libm::cos(angle) as f32, -((i / around) as f32) * 0.1, libm::sin(angle) as f32)
    };
    let mut polygons = Polygons::default();
    for row in 0..rows - 1 {
        for column in 0..around {
            let (i, j) = (row * around + column, row * around + (column + 1) % around);
            polygons.push(&[i, i + around, j + around, j]);
        }
    }
    garment((0..around * rows).map(at).collect(), polygons)
}

/// One file of a mesh and, as vertices of its own, a second one whose places are `moved`.
pub(crate) fn joined(mut first: Garment, second: &Garment, moved: impl Fn(Vec3) -> Vec3) -> Garment {
    let count = first.positions.len() as u32;
    for polygon in second.polygons.iter() {
        first.polygons.push(&polygon.iter().map(|v| v + count).collect::<Vec<_>>());
    }
    first.positions.extend(second.positions.iter().map(|&place| moved(place)));
    first
}

/// The same mesh with its quads cut in two, and the triangles shuffled if a seed is given.
pub(crate) fn triangulated(garment: &Garment, diagonals: Diagonals, shuffle: Option<u64>) -> Garment {
    let mut coin = Coin(match diagonals {
        Diagonals::Random(seed) => seed,
        Diagonals::Fixed | Diagonals::Alternating => 0,
    });
    let mut triangles = Vec::new();
    for (index, quad) in garment.polygons.iter().enumerate() {
        let first = match diagonals {
            Diagonals::Fixed => true,
            Diagonals::Alternating => index % 2 == 0,
            Diagonals::Random(_) => coin.toss(2) == 0,
        };
        let [a, b, c, d] = [quad[0], quad[1], quad[2], quad[3]];
        triangles.extend(if first { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
    if let Some(seed) = shuffle {
        let mut coin = Coin(seed);
        for i in (1..triangles.len()).rev() {
            triangles.swap(i, coin.toss(i as u64 + 1) as usize);
        }
    }
    let mut result = garment.clone();
    result.polygons = Polygons::default();
    triangles.iter().for_each(|t| result.polygons.push(t));
    result
}

/// The same mesh with a vertex for every corner, as flat shading makes it.
pub(crate) fn split(garment: &Garment) -> Garment {
    let mut result = garment.clone();
    result.positions = garment.polygons.corners.iter().map(|&v| garment.positions[v as usize]).collect();
    result.polygons.corners = (0..garment.polygons.corners.len() as u32).collect();
    result
}

/// Repeatable random numbers (splitmix64).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coin(pub(crate) u64);

impl Coin {
    /// A number in `0..sides`.
    pub(crate) fn toss(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }
}
