//! Which pieces of threads are solved side by side, and their hinges in lanes.

use wide::f32x4;

use super::Hinge;
use crate::simulate::batch::together;

/// Pieces side by side.
pub(super) const LANES: usize = 4;

/// Particles of a piece, two more than hinges.
pub(super) type Line = (Vec<u32>, Vec<Hinge>);

impl Hinge {
    /// One that pushes nothing.
    pub(super) const NONE: Hinge = Hinge { inverse_arms: [0.0; 2], rest_angle: 0.0, compliance: 1.0 };
}

/// Hinges of pieces side by side. Where a piece has ended, one that pushes nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinges {
    pub(super) inverse_arms: [f32x4; 2],
    pub(super) rest_angle: f32x4,
    pub(super) compliance: f32x4,
}

impl Hinges {
    pub(super) fn of(hinges: [Hinge; LANES]) -> Hinges {
        Hinges {
            inverse_arms: [0, 1].map(|arm| f32x4::new(hinges.map(|hinge| hinge.inverse_arms[arm]))),
            rest_angle: f32x4::new(hinges.map(|hinge| hinge.rest_angle)),
            compliance: f32x4::new(hinges.map(|hinge| hinge.compliance)),
        }
    }

    pub(super) fn lane(&self, lane: usize) -> Hinge {
        let of = |lanes: f32x4| lanes.to_array()[lane];
        Hinge {
            inverse_arms: self.inverse_arms.map(of),
            rest_angle: of(self.rest_angle),
            compliance: of(self.compliance),
        }
    }
}

/// A row of `L D L^T`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) inverse_pivot: f32,
    /// Of `L`, one and two places before the diagonal.
    pub(super) before: [f32; 2],
    /// Damping time over h.
    pub(super) gamma: f32,
}

/// Rows of pieces side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    pub(super) inverse_pivot: f32x4,
    pub(super) before: [f32x4; 2],
    pub(super) gamma: f32x4,
}

impl Rows {
    pub(super) fn set(&mut self, lane: usize, row: Row) {
        let set = |lanes: &mut f32x4, value: f32| {
            let mut values = lanes.to_array();
            values[lane] = value;
            *lanes = f32x4::new(values);
        };
        set(&mut self.inverse_pivot, row.inverse_pivot);
        set(&mut self.before[0], row.before[0]);
        set(&mut self.before[1], row.before[1]);
        set(&mut self.gamma, row.gamma);
    }
}

/// The lines, of so many particles, in fours that share none, those of about one length together.
///
/// Threads of one direction follow each other, so that those across find the sheet bent all over. Fine cloth of triangles bends
/// by up to a tenth more or less in one order of directions or another; the last colours first come nearest to a strip's bend.
pub(super) fn fours(lines: &[Line], particles: usize) -> Vec<Vec<usize>> {
    together(lines.iter().map(|(particles, _)| particles.as_slice()), particles, LANES)
}
