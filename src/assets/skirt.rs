//! Skirts: rings around the waist that follow its outline, then open into a flare.
//!
//! ```text
//!      waist outline o(t)      point (t, i) = o(t) + n(t) d(i), at height top - h(i)
//!        ___
//!       |   |  waistband       d, h: sideways and downward way along the profile, in equal steps:
//!      /     \                 d' = sin(a), h' = cos(a), a = 0 at the band, then the angle of the flare
//!     /       \                (sin a = 0.5 is a half circle skirt)
//! ```
//!
//! Columns start at the back; the seam there doubles texture coordinates, not vertices.

use core::f64::consts::{PI, TAU};

use super::anatomy::WAIST;
use super::implicit::{Field, smooth_step};
use super::pattern::{Corner, Group, Pattern, quads};
use crate::geometry::DVec3;

/// Gap between waistband and skin, metres.
const CLEARANCE: f64 = 0.008;

/// How a skirt is cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Vertices around.
    columns: usize,
    /// Rings below the first.
    rows: usize,
    /// Rows of faces that are the waistband.
    band: usize,
    /// Length from waist to hem along the cloth, metres.
    length: f64,
    /// Sine of the flare's angle to the vertical.
    flare: f64,
}

/// A long A-line skirt of quads from the waist to the middle of the shin.
pub(super) fn long_skirt(figure: &impl Field) -> Pattern {
    let cut = Cut { columns: 112, rows: 54, band: 3, length: 0.82, flare: 0.42 };
    let (positions, texcoords) = rings(figure, &cut, |_| 0.0);
    let corner = |column: usize, row: usize| corner(&cut, column, row);
    let waistband = Group { name: "waistband", faces: quads(cut.columns, 0..cut.band, corner) };
    let skirt = Group { name: "skirt", faces: quads(cut.columns, cut.band..cut.rows, corner) };
    Pattern { name: "long_skirt", positions, texcoords, groups: vec![waistband, skirt] }
}

/// A short flared skirt of near-equilateral triangles, ending above the knee.
pub(super) fn short_skirt(figure: &impl Field) -> Pattern {
    let cut = Cut { columns: 108, rows: 38, band: 3, length: 0.47, flare: 0.50 };
    let (positions, texcoords) = rings(figure, &cut, |row| 0.5 * (row % 2) as f64);
    let waistband = Group { name: "waistband", faces: triangles(&cut, 0..cut.band) };
    let skirt = Group { name: "skirt", faces: triangles(&cut, cut.band..cut.rows) };
    Pattern { name: "short_skirt", positions, texcoords, groups: vec![waistband, skirt] }
}

/// Vertices row by row from the waist down, `columns` a row, and texture coordinates, one more a row.
fn rings(figure: &impl Field, cut: &Cut, shift: impl Fn(usize) -> f64) -> (Vec<DVec3>, Vec<[f64; 2]>) {
    let step = cut.length / cut.rows as f64;
    let around: Vec<f64> = (0..=cut.columns).map(|c| c as f64 / cut.columns as f64).collect();
    let top = WAIST + step * cut.band as f64 * 0.5;
    let lowest_band = Outline::around(figure, top - step * cut.band as f64);
    let (mut positions, mut texcoords) = (Vec::new(), Vec::new());
    let (mut away, mut down) = (0.0, 0.0);
    for row in 0..=cut.rows {
        let fitted = (row < cut.band).then(|| Outline::around(figure, top - down));
        let outline = fitted.as_ref().unwrap_or(&lowest_band);
        let place = |&t: &f64| outline.offset(t + shift(row) / cut.columns as f64, away, top - down);
        positions.extend(around[..cut.columns].iter().map(place));
        let width = outline.length() * 1.6;
        texcoords.extend(around.iter().map(|t| [t * width, cut.length - step * row as f64]));
        let open = smooth_step(0.0, 4.0, (row + 1) as f64 - cut.band as f64);
        let sine = cut.flare * open;
        away += step * sine;
        down += step * (1.0 - sine * sine).sqrt();
    }
    (positions, texcoords)
}

fn corner(cut: &Cut, column: usize, row: usize) -> Corner {
    [row * cut.columns + column % cut.columns, row * (cut.columns + 1) + column]
}

/// Triangles between rings of which every other one is turned by half a column.
fn triangles(cut: &Cut, rows: std::ops::Range<usize>) -> Vec<Vec<Corner>> {
    let pair = |(column, row): (usize, usize)| {
        let at = |right: usize, below: usize| corner(cut, column + right, row + below);
        let pair = if row % 2 == 0 {
            [[at(0, 0), at(0, 1), at(1, 0)], [at(1, 0), at(0, 1), at(1, 1)]]
        } else {
            [[at(0, 0), at(0, 1), at(1, 1)], [at(0, 0), at(1, 1), at(1, 0)]]
        };
        pair.map(|triangle| triangle.to_vec())
    };
    rows.flat_map(|row| (0..cut.columns).map(move |column| (column, row))).flat_map(pair).collect()
}

/// A closed curve in a horizontal plane around the trunk, [`CLEARANCE`] off the skin.
struct Outline {
    points: Vec<DVec3>,
    /// Length from the first point to each and, last, back to the first.
    lengths: Vec<f64>,
}

impl Outline {
    /// Starts at the back and runs counter-clockwise seen from below: at the front towards the character's left.
    fn around(figure: &impl Field, height: f64) -> Outline {
        /// Samples; the waist is 0.7 m around.
        const SAMPLES: usize = 720;
        let direction = |angle: f64| DVec3::new(libm::sin(angle), 0.0, libm::cos(angle));
        let points: Vec<DVec3> = (0..SAMPLES)
            .map(|i| direction(TAU * i as f64 / SAMPLES as f64 - PI))
            .map(|ray| DVec3::Y * height + ray * radius(figure, height, ray))
            .collect();
        let mut lengths = vec![0.0];
        for i in 0..SAMPLES {
            lengths.push(lengths[i] + points[i].distance(points[(i + 1) % SAMPLES]));
        }
        Outline { points, lengths }
    }

    fn length(&self) -> f64 {
        self.lengths[self.points.len()]
    }

    /// The point at the fraction `t` of the length, moved outwards by `away`, at `height`.
    fn offset(&self, t: f64, away: f64, height: f64) -> DVec3 {
        /// Fraction of the length over which the direction is averaged.
        const WINDOW: f64 = 0.01;
        let tangent = self.point(t + WINDOW) - self.point(t - WINDOW);
        let outwards = DVec3::new(-tangent.z, 0.0, tangent.x).normalize();
        let at = self.point(t) + outwards * away;
        DVec3::new(at.x, height, at.z)
    }

    fn point(&self, t: f64) -> DVec3 {
        let along = (t - t.floor()) * self.length();
        let i = self.lengths.partition_point(|&l| l <= along).clamp(1, self.points.len()) - 1;
        let share = (along - self.lengths[i]) / (self.lengths[i + 1] - self.lengths[i]);
        self.points[i].lerp(self.points[(i + 1) % self.points.len()], share)
    }
}

/// Distance from the axis of the body to [`CLEARANCE`] outside the skin, by bisection.
fn radius(figure: &impl Field, height: f64, ray: DVec3) -> f64 {
    let (mut inside, mut outside) = (0.0, 0.3);
    for _ in 0..40 {
        let middle = 0.5 * (inside + outside);
        if figure.value(DVec3::Y * height + ray * middle) < CLEARANCE { inside = middle } else { outside = middle }
    }
    0.5 * (inside + outside)
}
