//! An order of elimination that keeps a factored matrix sparse: nested dissection by place (George 1973).
//!
//! ```text
//!   left  | s |  right        particles are halved at the middle of their longest extent; those of the right half that touch
//!   o o o | x | o o o         the left one are the separator and come last; both sides are dissected again
//!   o o o | x | o o o
//! ```

use crate::geometry::{Aabb, Vec3};

/// Particles that are not dissected any more.
const LEAF: usize = 24;

/// Particles in the order of elimination. `neighbours` are those that share a spring.
pub(super) fn order(particles: &[u32], positions: &[Vec3], neighbours: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::with_capacity(particles.len());
    let mut side = vec![false; positions.len()];
    dissect(particles.to_vec(), positions, neighbours, &mut side, &mut order);
    order
}

fn dissect(
    mut particles: Vec<u32>,
    positions: &[Vec3],
    neighbours: &[Vec<u32>],
    is_left: &mut [bool],
    order: &mut Vec<u32>,
) {
    if particles.len() <= LEAF {
        order.extend(particles);
        return;
    }
    let places: Vec<Vec3> = particles.iter().map(|&p| positions[p as usize]).collect();
    let size = Aabb::around(&places).size();
    let axis =
        [size.x, size.y, size.z].iter().enumerate().fold(0, |best, (i, &s)| if s > size[best] { i } else { best });
    particles.sort_by(|&a, &b| positions[a as usize][axis].total_cmp(&positions[b as usize][axis]).then(a.cmp(&b)));
    let right = particles.split_off(particles.len() / 2);
    particles.iter().for_each(|&p| is_left[p as usize] = true);
    let (separator, right): (Vec<u32>, Vec<u32>) =
        right.into_iter().partition(|&p| neighbours[p as usize].iter().any(|&n| is_left[n as usize]));
    particles.iter().for_each(|&p| is_left[p as usize] = false);
    dissect(particles, positions, neighbours, is_left, order);
    dissect(right, positions, neighbours, is_left, order);
    order.extend(separator);
}
