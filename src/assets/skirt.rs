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
use super::implicit::Field;
use super::pattern::{Corner, Group, Pattern, quads};
use crate::geometry::{DVec3, smooth_step};

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
/// `shift` turns a row, in columns.
fn rings(figure: &impl Field, cut: &Cut, shift: impl Fn(usize) -> f64) -> (Vec<DVec3>, Vec<[f64; 2]>) {
    let step = cut.length / cut.rows as f64;
    let top = WAIST + step * cut.band as f64 * 0.5;
    let columns = cut.columns as f64;
    let (mut positions, mut texcoords) = (Vec::new(), Vec::new());
    for (row, ring) in profile(figure, cut, top, step).iter().enumerate() {
        positions.extend((0..cut.columns).map(|c| ring.point((c as f64 + shift(row)) / columns)));
        // The width of the cloth at the hip, so that a weave keeps its size on average.
        let width = |column: usize| (column as f64 + shift(row)) / columns * 1.4;
        texcoords.extend((0..=cut.columns).map(|c| [width(c), cut.length - step * row as f64]));
    }
    (positions, texcoords)
}

/// The rings: on the skin along the waistband, then each `step` further along a profile that opens to the flare, or
/// further where the hips need it.
fn profile(figure: &impl Field, cut: &Cut, top: f64, step: f64) -> Vec<Outline> {
    /// Rows over which the profile bends from the waistband into the flare.
    const BEND: f64 = 2.0;
    let mut rings: Vec<Outline> = (0..=cut.band).map(|row| Outline::around(figure, top - step * row as f64)).collect();
    let waist = Outline::around(figure, top - step * cut.band as f64);
    let (mut away, mut height) = (0.0, top - step * cut.band as f64);
    for row in 1..=cut.rows - cut.band {
        let wanted = cut.flare * smooth_step(0.0, BEND, row as f64);
        let ring_at = |sine: f64| waist.offset(away + step * sine, height - step * (1.0 - sine * sine).sqrt());
        let steeper = (0..).map(|i| wanted + 0.02 * f64::from(i)).take_while(|&sine| sine < 0.95);
        let sine = steeper.clone().find(|&sine| ring_at(sine).is_clear_of(figure)).unwrap_or(wanted);
        rings.push(ring_at(sine));
        away += step * sine;
        height -= step * (1.0 - sine * sine).sqrt();
    }
    rings
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
    /// Samples; the waist is 0.7 m around.
    const SAMPLES: usize = 360;

    /// The skin's outline. Starts at the back and runs, at the front, towards the character's left.
    fn around(figure: &impl Field, height: f64) -> Outline {
        let direction = |angle: f64| DVec3::new(libm::sin(angle), 0.0, libm::cos(angle));
        Outline::through(
            (0..Outline::SAMPLES)
                .map(|i| direction(TAU * i as f64 / Outline::SAMPLES as f64 - PI))
                .map(|ray| DVec3::Y * height + ray * radius(figure, height, ray))
                .collect(),
        )
    }

    fn through(points: Vec<DVec3>) -> Outline {
        let mut lengths = vec![0.0];
        for (i, point) in points.iter().enumerate() {
            lengths.push(lengths[i] + point.distance(points[(i + 1) % points.len()]));
        }
        Outline { points, lengths }
    }

    /// This curve moved outwards by `away`, at `height`.
    fn offset(&self, away: f64, height: f64) -> Outline {
        /// Samples to either side over which the direction is taken.
        const REACH: usize = 4;
        let n = self.points.len();
        let moved = |i: usize| {
            let tangent = self.points[(i + REACH) % n] - self.points[(i + n - REACH) % n];
            let at = self.points[i] + DVec3::new(-tangent.z, 0.0, tangent.x).normalize() * away;
            DVec3::new(at.x, height, at.z)
        };
        Outline::through((0..n).map(moved).collect())
    }

    fn is_clear_of(&self, figure: &impl Field) -> bool {
        self.points.iter().all(|&p| figure.value(p) >= CLEARANCE)
    }

    /// The point at the fraction `t` of the length.
    fn point(&self, t: f64) -> DVec3 {
        let along = (t - t.floor()) * self.lengths[self.points.len()];
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
