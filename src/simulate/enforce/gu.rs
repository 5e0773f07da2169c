//! Gu et al.: position-based projections of the stretch springs, particle by particle away from the pins.
//!
//! ```text
//!   x--1--2--3      A particle's springs to particles that come before it are projected when its turn comes. The turn goes by
//!   |  |  |  |      distance in edges from the nearest pin (x), here the order within a row and a column, or by the sum of
//!   1--2--3--4      the distances from all pins; equal ones by their number.
//! ```
//!
//! Springs are rigid here: both ends move, by their inverse masses, until the length is that at rest. Particles that no pin
//! reaches come last.

use std::collections::VecDeque;

use crate::simulate::cloth::Cloth;
use crate::springs::Spring;
use crate::topology::ParticleId;

/// By what distance particles take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParticleOrder {
    /// None: only numbers count.
    Number,
    /// From the nearest pin.
    Nearest,
    /// The sum over all pins: takes a walk through the cloth for each of them.
    Cumulative,
}

/// The springs in the order of their later particles, then of their earlier ones.
pub(super) fn ordered(springs: &[Spring], cloth: &Cloth, order: ParticleOrder) -> Vec<Spring> {
    let distances = distances(springs, cloth, order);
    let turn = |p: ParticleId| (distances[p.index()], p);
    let mut ordered = springs.to_vec();
    ordered.sort_by_key(|s| (turn(s.a).max(turn(s.b)), turn(s.a).min(turn(s.b))));
    ordered
}

/// Distance of each particle from the pins, in edges; [`u64::MAX`] where no path leads.
pub(super) fn distances(springs: &[Spring], cloth: &Cloth, order: ParticleOrder) -> Vec<u64> {
    let neighbours = neighbours(springs, cloth.len());
    let pins: Vec<usize> = (0..cloth.len()).filter(|&p| !cloth.is_free(p)).collect();
    match order {
        ParticleOrder::Number => vec![0; cloth.len()],
        ParticleOrder::Nearest => walk(&neighbours, &pins),
        ParticleOrder::Cumulative => {
            let mut sums = vec![u64::MAX; cloth.len()];
            for pin in pins {
                for (sum, distance) in sums.iter_mut().zip(walk(&neighbours, &[pin])) {
                    if distance != u64::MAX {
                        *sum = if *sum == u64::MAX { distance } else { *sum + distance };
                    }
                }
            }
            sums
        }
    }
}

/// Breadth-first distances from `starts`.
fn walk(neighbours: &[Vec<u32>], starts: &[usize]) -> Vec<u64> {
    let mut distances = vec![u64::MAX; neighbours.len()];
    let mut queue: VecDeque<usize> = starts.iter().copied().collect();
    starts.iter().for_each(|&p| distances[p] = 0);
    while let Some(particle) = queue.pop_front() {
        for &next in &neighbours[particle] {
            if distances[next as usize] == u64::MAX {
                distances[next as usize] = distances[particle] + 1;
                queue.push_back(next as usize);
            }
        }
    }
    distances
}

fn neighbours(springs: &[Spring], particles: usize) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); particles];
    for spring in springs {
        neighbours[spring.a.index()].push(spring.b.0);
        neighbours[spring.b.index()].push(spring.a.0);
    }
    neighbours
}

/// One pass of rigid projections in the order given.
pub(super) fn project(cloth: &mut Cloth, springs: &[Spring]) {
    for spring in springs {
        let (a, b) = (spring.a.index(), spring.b.index());
        let (wa, wb) = (cloth.points[a].inverse_mass, cloth.points[b].inverse_mass);
        let between = cloth.points[b].at - cloth.points[a].at;
        let length = between.length();
        if wa + wb <= 0.0 || length <= 0.0 {
            continue;
        }
        let way = between * ((length - spring.rest_length) / (length * (wa + wb)));
        cloth.points[a].at += way * wa;
        cloth.points[b].at -= way * wb;
    }
}
