//! Cloth without a body: a flag, a gathered curtain, a tablecloth.

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
        let positions = indices.clone().map(|i| at(i)).map(|(u, v)| place(u, v)).collect();
        let texcoords = indices.map(at).map(|(u, v)| [u * self.width, (1.0 - v) * self.height]).collect();
        Pattern { name, positions, texcoords, groups }
    }
}
