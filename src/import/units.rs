//! Units and axes of a file: everything inside the program is metres, Y up.

use crate::geometry::{DVec3, Vec3};

/// Unit of length of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Unit {
    /// Metres, as glTF requires.
    #[default]
    Metre,
    /// Centimetres.
    Centimetre,
    /// Millimetres.
    Millimetre,
    /// Inches.
    Inch,
}

impl Unit {
    /// Length of one unit in metres.
    pub fn metres(self) -> f32 {
        self.metres_exactly() as f32
    }

    /// The same in double precision.
    pub fn metres_exactly(self) -> f64 {
        match self {
            Unit::Metre => 1.0,
            Unit::Centimetre => 0.01,
            Unit::Millimetre => 0.001,
            Unit::Inch => 0.0254,
        }
    }
}

/// The axis of a file that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UpAxis {
    /// Y up, as glTF requires and most OBJ files have.
    #[default]
    Y,
    /// Z up: (x, y, z) becomes (x, z, -y).
    Z,
}

/// How a file's coordinates relate to metres, Y up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FileFrame {
    /// Unit of length.
    pub unit: Unit,
    /// Up axis.
    pub up: UpAxis,
}

impl FileFrame {
    /// A point or vector of the file in metres, Y up.
    pub fn to_metres(self, p: Vec3) -> Vec3 {
        let p = match self.up {
            UpAxis::Y => p,
            UpAxis::Z => Vec3::new(p.x, p.z, -p.y),
        };
        if self.unit == Unit::Metre { p } else { p * self.unit.metres() }
    }

    /// [`FileFrame::to_metres`] for points that are far from the world's origin.
    pub fn to_metres_far(self, p: DVec3) -> DVec3 {
        let p = match self.up {
            UpAxis::Y => p,
            UpAxis::Z => DVec3::new(p.x, p.z, -p.y),
        };
        p * self.unit.metres_exactly()
    }

    /// The inverse of [`FileFrame::to_metres_far`].
    pub fn to_file_far(self, p: DVec3) -> DVec3 {
        let p = p / self.unit.metres_exactly();
        match self.up {
            UpAxis::Y => p,
            UpAxis::Z => DVec3::new(p.x, -p.z, p.y),
        }
    }

    /// The inverse of [`FileFrame::to_metres`].
    pub fn to_file(self, p: Vec3) -> Vec3 {
        let p = if self.unit == Unit::Metre { p } else { p / self.unit.metres() };
        match self.up {
            UpAxis::Y => p,
            UpAxis::Z => Vec3::new(p.x, -p.z, p.y),
        }
    }
}
