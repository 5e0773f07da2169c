//! Four pieces of threads solved side by side.

use wide::f32x4;

use super::fours::{Hinges, LANES, Rows};
use crate::geometry::{Points, Vec3};
use crate::simulate::batch::Ahead;
use crate::simulate::cloth::Point;

/// Squared turns below this count as this, rad2.
const TINY: f32 = 1e-24;

/// Projects four pieces, with room for one vector a hinge.
pub(super) fn solve(
    points: &mut [Point],
    previous: &[Point],
    (particles, hinges, rows): (&[[u32; LANES]], &[Hinges], &[Rows]),
    lambda: &mut [Points],
) {
    let none = Points::splat(Vec3::ZERO);
    let at = |of: &[u32; LANES]| [gather(points, of).0, gather(previous, of).0];
    let (mut a, mut m) = (at(&particles[0]), at(&particles[1]));
    let mut last_two = [none; 2];
    let ahead = Ahead::among(points.len());
    for (place, (((hinge, row), next), lambda)) in
        (2..).zip(hinges.iter().zip(rows).zip(&particles[2..]).zip(lambda.iter_mut()))
    {
        ahead.fetch(points.as_ptr(), particles, place);
        ahead.fetch(previous.as_ptr(), particles, place);
        let b = at(next);
        let [ka, kb] = hinge.inverse_arms;
        let [turn, before] = [0, 1].map(|t| a[t].minus(m[t]).times(ka).plus(b[t].minus(m[t]).times(kb)));
        let squared = turn.length_squared().fast_max(f32x4::splat(TINY));
        let rate = turn.dot(turn.minus(before));
        let part = f32x4::ONE + row.gamma * rate / squared - hinge.rest_angle / squared.sqrt();
        let here = turn.times(-part / (f32x4::ONE + row.gamma));
        let here = here.minus(last_two[0].times(row.before[0])).minus(last_two[1].times(row.before[1]));
        *lambda = here.times(row.inverse_pivot);
        last_two = [here, last_two[0]];
        (a, m) = (m, b);
    }
    // From the last bend to the first: each multiplier moves three particles, the last of which no other will.
    let mut next_two = [(none, [f32x4::ZERO; 2]); 2];
    let mut pushes = [none; 2];
    for (i, (hinge, row)) in hinges.iter().zip(rows).enumerate().rev() {
        let [(lambda_1, row_1), (lambda_2, row_2)] = next_two;
        let here = lambda[i].minus(lambda_1.times(row_1[0])).minus(lambda_2.times(row_2[1]));
        let [ka, kb] = hinge.inverse_arms;
        move_by(points, &particles[i + 2], pushes[1].plus(here.times(kb)));
        pushes = [here.times(ka), pushes[0].minus(here.times(ka + kb))];
        next_two = [(here, row.before), next_two[0]];
    }
    move_by(points, &particles[1], pushes[1]);
    move_by(points, &particles[0], pushes[0]);
}

/// Places and mobilities of four points.
fn gather(points: &[Point], of: &[u32; LANES]) -> (Points, f32x4) {
    let rows = of.map(|p| {
        let Point { at, inverse_mass } = points[p as usize];
        f32x4::new([at.x, at.y, at.z, inverse_mass])
    });
    let [x, y, z, mobility] = f32x4::transpose(rows);
    (Points::of_axes([x, y, z]), mobility)
}

fn move_by(points: &mut [Point], of: &[u32; LANES], push: Points) {
    let (at, mobility) = gather(points, of);
    let [x, y, z] = at.plus(push.times(mobility)).axes();
    for (&p, row) in of.iter().zip(f32x4::transpose([x, y, z, mobility])) {
        let [x, y, z, inverse_mass] = row.to_array();
        points[p as usize] = Point { at: Vec3::new(x, y, z), inverse_mass };
    }
}
