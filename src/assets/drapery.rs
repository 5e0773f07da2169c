//! Cloth without a body: a flag, a gathered curtain, a tablecloth.

use core::f64::consts::TAU;

use super::lathe::TABLE_TOP;
use super::pattern::{Corner, Group, Pattern, quads};
use crate::geometry::DVec3;

/// A flag of 1.5 x 1.0 m in the XY plane, its hoist on the Y axis, from 2.0 to 3.0 m above the ground.
///
/// Group `hoist` is the column of faces at the pole, `fly` the rest.
pub(super) fn flag() -> Pattern {
    let sheet = Sheet { columns: 60, rows: 40, width: 1.5, height: 1.0 };
    let place = |u: f64, v: f64| DVec3::new(1.5 * u, 3.0 - v, 0.0);
    let (hoist, fly) = sheet.quads().into_iter().partition(|face| face[0][0] % 61 == 0);
    let groups = vec![Group { name: "hoist", faces: hoist }, Group { name: "fly", faces: fly }];
    sheet.pattern("flag", place, groups)
}

/// A curtain of 2.0 x 1.7 m, gathered to half its width in eight waves, 0.2 to 1.9 m above the ground.
///
/// Group `heading` is the top row of faces, `curtain` the rest.
pub(super) fn curtain() -> Pattern {
    let sheet = Sheet { columns: 96, rows: 80, width: 2.0, height: 1.7 };
    let wave = Wave::gathered(1.0, 8.0, sheet.width);
    let plan: Vec<DVec3> = wave.equally_spaced(sheet.columns);
    let place =
        |u: f64, v: f64| plan[(u * sheet.columns as f64).round() as usize] + DVec3::Y * (1.9 - sheet.height * v);
    let groups = vec![
        Group { name: "heading", faces: sheet.rows(0..1) },
        Group { name: "curtain", faces: sheet.rows(1..sheet.rows) },
    ];
    sheet.pattern("curtain", place, groups)
}

/// A square tablecloth of 1.4 m, flat, 5 mm above the table.
pub(super) fn tablecloth() -> Pattern {
    let sheet = Sheet { columns: 70, rows: 70, width: 1.4, height: 1.4 };
    let place = |u: f64, v: f64| DVec3::new(1.4 * (u - 0.5), TABLE_TOP + 0.005, 1.4 * (v - 0.5));
    let groups = vec![Group { name: "tablecloth", faces: sheet.quads() }];
    sheet.pattern("tablecloth", place, groups)
}

/// A sine wave in the horizontal plane, along x around 0.
#[derive(Clone, Copy, Debug)]
struct Wave {
    width: f64,
    waves: f64,
    amplitude: f64,
}

impl Wave {
    /// Samples along the wave.
    const SAMPLES: usize = 4000;

    /// The wave over `width` whose length is `length`.
    fn gathered(width: f64, waves: f64, length: f64) -> Wave {
        let with = |amplitude: f64| Wave { width, waves, amplitude };
        let (mut flat, mut deep) = (0.0, width);
        for _ in 0..50 {
            let middle = 0.5 * (flat + deep);
            if with(middle).lengths()[Wave::SAMPLES] < length { flat = middle } else { deep = middle }
        }
        with(flat)
    }

    fn point(&self, sample: usize) -> DVec3 {
        let t = sample as f64 / Wave::SAMPLES as f64;
        DVec3::new((t - 0.5) * self.width, 0.0, self.amplitude * libm::sin(TAU * self.waves * t))
    }

    /// Length of the wave up to each sample.
    fn lengths(&self) -> Vec<f64> {
        let mut lengths = vec![0.0];
        for sample in 0..Wave::SAMPLES {
            lengths.push(lengths[sample] + self.point(sample).distance(self.point(sample + 1)));
        }
        lengths
    }

    /// `columns + 1` points at equal steps along the wave.
    fn equally_spaced(&self, columns: usize) -> Vec<DVec3> {
        let lengths = self.lengths();
        let at = |column: usize| lengths[Wave::SAMPLES] * column as f64 / columns as f64;
        let sample = |column: usize| lengths.partition_point(|&l| l < at(column)).min(Wave::SAMPLES);
        (0..=columns).map(|column| self.point(sample(column))).collect()
    }
}

/// A grid of cells, rows from the top.
#[derive(Clone, Copy, Debug)]
struct Sheet {
    columns: usize,
    rows: usize,
    /// Metres of cloth.
    width: f64,
    /// Metres of cloth.
    height: f64,
}

impl Sheet {
    fn corner(&self, column: usize, row: usize) -> Corner {
        let index = row * (self.columns + 1) + column;
        [index, index]
    }

    fn rows(&self, rows: std::ops::Range<usize>) -> Vec<Vec<Corner>> {
        quads(self.columns, rows, |column, row| self.corner(column, row))
    }

    fn quads(&self) -> Vec<Vec<Corner>> {
        self.rows(0..self.rows)
    }

    /// Vertices at `place(u, v)`, u from 0 to 1 across, v from 0 to 1 down.
    fn pattern(&self, name: &'static str, place: impl Fn(f64, f64) -> DVec3, groups: Vec<Group>) -> Pattern {
        let at = |index: usize| {
            let (column, row) = (index % (self.columns + 1), index / (self.columns + 1));
            (column as f64 / self.columns as f64, row as f64 / self.rows as f64)
        };
        let indices = 0..(self.columns + 1) * (self.rows + 1);
        let positions = indices.clone().map(&at).map(|(u, v)| place(u, v)).collect();
        let texcoords = indices.map(at).map(|(u, v)| [u * self.width, (1.0 - v) * self.height]).collect();
        Pattern { name, positions, texcoords, groups }
    }
}
