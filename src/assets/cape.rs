//! A cape: from a collar on the shoulders down the back to the calves, open at the front.
//!
//! ```text
//!    from above                         from the side
//!         front                            o  collar, on the shoulders
//!     ___( o )___     neck                /
//!     1    `-'   -1      collar          |    the path of a column never comes forward again:
//!           0                            |    below the shoulder blades it hangs free
//!                                        \
//!                                         \   flare
//! ```

use super::implicit::{Field, smooth_step};
use super::pattern::{Corner, Group, Pattern, quads};
use crate::geometry::DVec3;

const COLUMNS: usize = 72;
const ROWS: usize = 70;
/// Along the cloth from collar to hem, metres.
const LENGTH: f64 = 1.10;
/// Gap to the skin, metres.
const CLEARANCE: f64 = 0.010;
/// Half width of the collar and depth of its bow behind the neck, metres.
const COLLAR: [f64; 2] = [0.145, 0.066];
/// Way outwards per way down.
const FLARE: f64 = 0.32;

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

/// Points from the collar down: over the shoulder along the skin, then never forward again.
/// `sideways` is 1 at the left shoulder, 0 at the nape, -1 at the right shoulder.
fn path(figure: &impl Field, sideways: f64) -> Vec<DVec3> {
    let backwards = 1.0 - sideways * sideways;
    // On the ridge of the shoulders, and in a narrow bow behind the neck.
    let bow = backwards * backwards;
    let collar = on_shoulders(figure, COLLAR[0] * sideways, -0.022 - COLLAR[1] * bow);
    let mut points = vec![collar];
    let (mut drop, mut behind) = (0.0, collar.z);
    while drop < LENGTH {
        // The top of the shoulder is nearly level: there a small drop goes a long way.
        drop += if drop < 0.1 { 0.001 } else { 0.006 };
        let away = FLARE * drop * smooth_step(0.0, 0.35, drop);
        let (x, y) = (collar.x + sideways * away, collar.y - drop);
        behind = behind.min(back(figure, x, y).unwrap_or(behind));
        points.push(DVec3::new(x, y, behind - backwards * away));
    }
    points
}

/// The point of the shoulders at (x, z), [`CLEARANCE`] above the skin.
fn on_shoulders(figure: &impl Field, x: f64, z: f64) -> DVec3 {
    first_contact(figure, DVec3::new(x, 1.50, z), DVec3::NEG_Y).unwrap_or(DVec3::new(x, 1.40, z))
}

/// Depth of the back at (x, y), [`CLEARANCE`] behind the skin; none beside the body.
fn back(figure: &impl Field, x: f64, y: f64) -> Option<f64> {
    first_contact(figure, DVec3::new(x, y, -0.30), DVec3::Z).map(|p| p.z)
}

/// Where a ray of 0.4 m first comes within [`CLEARANCE`] of the skin.
fn first_contact(figure: &impl Field, from: DVec3, direction: DVec3) -> Option<DVec3> {
    /// Metres; thinner things are not on the way.
    const STRIDE: f64 = 0.004;
    let gap = |t: f64| figure.value(from + direction * t) - CLEARANCE;
    let hit = (1..100).map(|i| f64::from(i) * STRIDE).find(|&t| gap(t) <= 0.0)?;
    let (mut outside, mut inside) = (hit - STRIDE, hit);
    for _ in 0..30 {
        let middle = 0.5 * (outside + inside);
        if gap(middle) > 0.0 { outside = middle } else { inside = middle }
    }
    Some(from + direction * outside)
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
