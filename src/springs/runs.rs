//! Straight runs of cloth: along a thread no two particles are further apart than the thread between them is long.
//!
//! ```text
//!   o--o--o--o--o--o--o--o--o     edges straight ahead, as bending springs pair them
//!   |---- 4 ----|                 limits over runs of 4, 16, 64, ... edges: only what is too long is drawn together
//!      |---- 4 ----|
//! ```
//!
//! A pass over edges carries tension a few edges far, a pass over runs that many runs (cf. Mueller, *Hierarchical Position Based
//! Dynamics*, 2008, whose coarse levels interpolate; these need not, as every particle is in runs of every length).

use rayon::prelude::*;

use super::{BendSpring, Spring, SpringNetwork};
use crate::geometry::Vec3;
use crate::topology::ParticleId;

/// Straight distance of a run's ends at rest, as a part of its length, below which it will hardly ever be straight.
const STRAIGHT: f32 = 0.5;
/// No run goes on.
const NONE: u32 = u32::MAX;

/// One run for each direction of each stretch spring, all of the same number of edges: direction 0 of spring `i` is `2 i`.
struct Runs {
    /// The particle at the end; [`NONE`] where the thread ends before.
    ends: Vec<u32>,
    lengths: Vec<f32>,
    /// The run that starts where this one ends.
    next: Vec<u32>,
}

/// Calls `level` with the limits over straight runs of each of so many `edges`, powers of two, the shortest first. `positions` are the
/// particles' places at rest.
pub(crate) fn limits(springs: &SpringNetwork, positions: &[Vec3], edges: &[u32], mut level: impl FnMut(&[Spring])) {
    let mut runs = Runs::of_one_edge(springs);
    let mut of = 1;
    for &edges in edges {
        while of < edges {
            runs = runs.doubled();
            of *= 2;
        }
        let limits = runs.springs(springs, positions);
        if limits.is_empty() {
            break;
        }
        level(&limits);
    }
}

impl Runs {
    fn of_one_edge(springs: &SpringNetwork) -> Runs {
        let stretch = &springs.stretch;
        let directed = |from: ParticleId, to: ParticleId| {
            springs.stretch_between(from, to).map(|i| 2 * i as u32 + u32::from(to < from))
        };
        let mut next = vec![NONE; 2 * stretch.len()];
        let straight_ahead = |bend: &BendSpring| {
            let ways = [[bend.a, bend.middle, bend.b], [bend.b, bend.middle, bend.a]];
            ways.map(|[a, m, b]| Some((directed(a, m)?, directed(m, b)?))).into_iter().flatten()
        };
        let pairs: Vec<(u32, u32)> = springs.bend.par_iter().flat_map_iter(straight_ahead).collect();
        pairs.into_iter().for_each(|(here, there)| next[here as usize] = there);
        Runs {
            ends: stretch.iter().flat_map(|s| [s.b.0, s.a.0]).collect(),
            lengths: stretch.iter().flat_map(|s| [s.rest_length; 2]).collect(),
            next,
        }
    }

    /// Runs of twice as many edges.
    fn doubled(&self) -> Runs {
        let second = |i: usize| (self.next[i] != NONE).then_some(self.next[i] as usize);
        let all = (0..self.next.len()).into_par_iter();
        Runs {
            ends: all.clone().map(|i| second(i).map_or(NONE, |j| self.ends[j])).collect(),
            lengths: all.clone().map(|i| self.lengths[i] + second(i).map_or(0.0, |j| self.lengths[j])).collect(),
            next: all.map(|i| second(i).map_or(NONE, |j| self.next[j])).collect(),
        }
    }

    /// Each run once, as a spring as long as it is.
    fn springs(&self, network: &SpringNetwork, positions: &[Vec3]) -> Vec<Spring> {
        let starts = network.stretch.iter().flat_map(|s| [s.a, s.b]);
        let runs = starts.zip(&self.ends).zip(&self.lengths);
        runs.filter_map(|((a, &end), &rest_length)| {
            let b = (end != NONE && a.0 < end).then_some(ParticleId(end))?;
            let is_straight = positions[a.index()].distance(positions[b.index()]) >= STRAIGHT * rest_length;
            is_straight.then_some(Spring { a, b, rest_length })
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Topology, build, grids};

    fn levels(topology: &Topology) -> Vec<Vec<Spring>> {
        let mut levels = Vec::new();
        limits(&SpringNetwork::build(topology), &topology.positions, &[4, 16, 64], |level| levels.push(level.to_vec()));
        levels
    }

    #[test]
    fn a_grid_has_runs_along_rows_and_columns() {
        let topology = build(&grids::grid(21, 9)).expect("a grid");
        let levels = levels(&topology);
        assert_eq!(levels.len(), 2);
        // Of 21 columns and 9 rows: runs of 4 along both, of 16 along rows only.
        assert_eq!(levels[0].len(), 9 * 17 + 21 * 5);
        assert_eq!(levels[1].len(), 9 * 5);
        for run in levels.iter().flatten() {
            let [a, b] = [run.a, run.b].map(|p| topology.positions[p.index()]);
            assert!((a.distance(b) - run.rest_length).abs() < 1e-4 * run.rest_length);
            assert!(a.x == b.x || a.y == b.y);
        }
    }

    #[test]
    fn around_a_narrow_tube_no_run_is_straight() {
        // 16 around: a run of 16 ends where it starts, one of 4 is a quarter turn.
        let topology = build(&grids::tube(16, 3)).expect("a tube");
        let levels = levels(&topology);
        assert_eq!(levels.iter().map(Vec::len).collect::<Vec<_>>(), [48]);
    }
}
