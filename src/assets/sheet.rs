//! A plain rectangular sheet as an OBJ file, for scenes that need no mesh of their own.
//!
//! ```text
//!  0 ---- 1 ---- 2     vertices row by row; the first row is centred on `middle`, along x
//!  |      |      |
//!  3 ---- 4 ---- 5     rows go down (plane xy) or towards the viewer, +z (plane xz)
//! ```

use std::fmt::Write;

use crate::geometry::DVec3;

/// Which way the rows of a sheet follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SheetPlane {
    /// Downwards: the sheet hangs.
    #[default]
    Vertical,
    /// Along +z: the sheet lies.
    Horizontal,
}

/// A rectangular sheet of square or oblong quads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainSheet {
    /// Vertices in a row, at least 2.
    pub columns: u32,
    /// Rows of vertices, at least 2.
    pub rows: u32,
    /// Length of a row, metres.
    pub width: f64,
    /// Distance from the first row to the last, metres.
    pub height: f64,
    /// How it lies.
    pub plane: SheetPlane,
    /// Middle of the first row, metres.
    pub middle: DVec3,
}

impl PlainSheet {
    /// The sheet as an OBJ file: metres, Y up, vertices row by row.
    pub fn to_obj(&self) -> String {
        let mut text = String::from("o sheet\n");
        for (row, column) in self.cells(self.rows, self.columns) {
            let p = self.place(row, column);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "v {} {} {}", p.x, p.y, p.z);
        }
        for (row, column) in self.cells(self.rows - 1, self.columns - 1) {
            let first = row * self.columns + column + 1;
            let below = first + self.columns;
            let _ = writeln!(text, "f {first} {below} {} {}", below + 1, first + 1);
        }
        text
    }

    fn cells(&self, rows: u32, columns: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
        (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
    }

    fn place(&self, row: u32, column: u32) -> DVec3 {
        let [u, v] = [(column, self.columns), (row, self.rows)].map(|(i, n)| f64::from(i) / f64::from(n - 1));
        let down = match self.plane {
            SheetPlane::Vertical => DVec3::NEG_Y,
            SheetPlane::Horizontal => DVec3::Z,
        };
        self.middle + DVec3::X * (self.width * (u - 0.5)) + down * (self.height * v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::import::{FileFrame, obj};
    use crate::springs::SpringNetwork;
    use crate::topology;

    #[test]
    fn a_sheet_of_41_by_41_has_the_springs_of_the_paper() {
        let middle = DVec3::new(0.0, 1.5, 0.0);
        let sheet =
            PlainSheet { columns: 41, rows: 41, width: 1.0, height: 2.0, plane: SheetPlane::Horizontal, middle };
        let garment = obj::read_garment(sheet.to_obj().as_bytes(), "sheet", FileFrame::default()).unwrap();
        assert_eq!(garment.positions[0], Vec3::new(-0.5, 1.5, 0.0));
        assert_eq!(garment.positions[1680], Vec3::new(0.5, 1.5, 2.0));
        let topology = topology::build(&garment).unwrap();
        let springs = SpringNetwork::build(&topology);
        assert_eq!([springs.stretch.len(), springs.shear.len(), springs.bend.len()], [3280, 3200, 6240]);
    }
}
