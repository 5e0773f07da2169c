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

use crate::simulate::cloth::Cloth;
use crate::springs::Spring;
use crate::topology::{Adjacency, ParticleId};

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
    let edges: Vec<[ParticleId; 2]> = springs.iter().map(|s| [s.a, s.b]).collect();
    let neighbours = Adjacency::of_edges(cloth.len(), &edges);
    let from = |pins: &[ParticleId]| -> Vec<u64> {
        let hops = neighbours.hops(pins).into_iter();
        hops.map(|hops| if hops == u32::MAX { u64::MAX } else { u64::from(hops) }).collect()
    };
    let pins: Vec<ParticleId> = (0..cloth.len() as u32).map(ParticleId).filter(|p| !cloth.is_free(p.index())).collect();
    match order {
        ParticleOrder::Number => vec![0; cloth.len()],
        ParticleOrder::Nearest => from(&pins),
        ParticleOrder::Cumulative => {
            let mut sums = vec![u64::MAX; cloth.len()];
            for pin in pins {
                for (sum, distance) in sums.iter_mut().zip(from(&[pin])) {
                    if distance != u64::MAX {
                        *sum = if *sum == u64::MAX { distance } else { *sum + distance };
                    }
                }
            }
            sums
        }
    }
}

/// One pass of rigid projections in the order given.
pub(super) fn project(cloth: &mut Cloth, springs: &[Spring]) {
    for spring in springs {
        let [a, b] = spring.ends();
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
