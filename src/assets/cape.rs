//! A cape: from a collar round the neck over the shoulders and down the back to the calves, open at the front.
//!
//! ```text
//!    from above                         from the side
//!         front                            o  collar, close to the neck
//!       1 (   ) -1   neck, collar           \_  shoulder: along the skin
//!     __/  `-'  \__                           \
//!        / / \ \     columns fan out            \  below: free, on a cone
//!       /  | |  \
//!           0
//! ```

use super::implicit::Field;
use super::pattern::{Corner, Group, Pattern, quads};
use crate::geometry::DVec3;

const COLUMNS: usize = 60;
const ROWS: usize = 70;
/// Along the cloth from collar to hem, metres.
const LENGTH: f64 = 1.10;
/// Gap to the skin, metres.
const CLEARANCE: f64 = 0.010;
/// Half width and half depth of the collar, metres, and its middle.
const COLLAR: [f64; 2] = [0.108, 0.084];
const COLLAR_MIDDLE: f64 = -0.022;
/// Angle from the back at which the collar ends in front, and at which the last column leaves it, radians.
const COLLAR_END: f64 = 2.05;
const FAN_END: f64 = 1.45;
/// Way outwards per way down where the cloth hangs free.
const FLARE: f64 = 0.62;

/// The cape, fitted to `figure` in bind pose. Group `collar` is the first row of faces, `cape` the rest.
pub(super) fn cape(figure: &impl Field) -> Pattern {
    let columns: Vec<Vec<DVec3>> = (0..=COLUMNS)
        .map(|c| 1.0 - 2.0 * c as f64 / COLUMNS as f64)
        .map(|sideways| equally_spaced(&path(figure, sideways)))
        .collect();
    let indices = (0..=ROWS).flat_map(|row| (0..=COLUMNS).map(move |column| (row, column)));
    let step = LENGTH / ROWS as f64;
    let corner = |column: usize, row: usize| -> Corner { [row * (COLUMNS + 1) + column; 2] };
    Pattern {
        name: "cape",
        positions: indices.clone().map(|(row, column)| columns[column][row]).collect(),
        texcoords: indices.map(|(row, column)| [column as f64 * step, LENGTH - row as f64 * step]).collect(),
        groups: vec![
            Group { name: "collar", faces: quads(COLUMNS, 0..1, corner) },
            Group { name: "cape", faces: quads(COLUMNS, 1..ROWS, corner) },
        ],
    }
}

/// Points from the collar outwards: over the shoulder along the skin, then down on the cone.
/// `sideways` is 1 at the end in front of the left shoulder, 0 at the nape, -1 at the right.
fn path(figure: &impl Field, sideways: f64) -> Vec<DVec3> {
    /// Metres outwards; a step down is longer by the flare.
    const STRIDE: f64 = 0.001;
    let heading = |angle: f64| DVec3::new(libm::sin(angle), 0.0, -libm::cos(angle));
    let round = heading(COLLAR_END * sideways);
    let outwards = heading(FAN_END * sideways);
    let start = DVec3::new(COLLAR[0] * round.x, 1.30, COLLAR_MIDDLE + COLLAR[1] * round.z);
    let mut points = vec![above_skin(figure, start)];
    let mut walked = 0.0;
    while walked < LENGTH + STRIDE {
        let last = points[points.len() - 1];
        let next = above_skin(figure, last + outwards * STRIDE - DVec3::Y * (STRIDE / FLARE));
        walked += last.distance(next);
        points.push(next);
    }
    points
}

/// `p`, lifted to [`CLEARANCE`] above the skin where it is nearer or inside.
fn above_skin(figure: &impl Field, mut p: DVec3) -> DVec3 {
    /// Lifts converge as the skin is level: what is left after these is below a hundredth of the clearance.
    const LIFTS: usize = 60;
    for _ in 0..LIFTS {
        p.y += (CLEARANCE - figure.value(p)).max(0.0);
    }
    p
}

/// `ROWS + 1` points at equal steps along `points`.
fn equally_spaced(points: &[DVec3]) -> Vec<DVec3> {
    let step = LENGTH / ROWS as f64;
    let mut spaced = vec![points[0]];
    let mut walked = 0.0;
    for pair in points.windows(2) {
        let length = pair[0].distance(pair[1]);
        while spaced.len() <= ROWS && walked + length >= step * spaced.len() as f64 {
            spaced.push(pair[0].lerp(pair[1], (step * spaced.len() as f64 - walked) / length));
        }
        walked += length;
    }
    spaced.resize(ROWS + 1, points[points.len() - 1]);
    spaced
}
