//! Carried cloth with edges that became too long is drawn together.
//!
//! ```text
//!     o----------o        |a - b| <= l      each edge moves both ends half of what is too much, or the one that is free all of it
//!  ------------------     n . a  >= d       and walls keep what is on one side of a body, or of other cloth, on its side
//! ```
//!
//! All that is allowed is an intersection of convex sets, and each step goes to the nearest point of one of them (Gubin, Polyak and
//! Raik 1967, *The method of projections*). Such steps never move two shapes further apart than they were: what goes smoothly
//! from frame to frame still does so afterwards (over runs with unequal ends nearly so). Short edges are left alone for that reason:
//! they are no convex set.

use super::clearance::Plane;
use crate::geometry::Vec3;
use crate::springs::{Spring, SpringNetwork, runs};
use crate::topology::{ParticleId, Topology};

/// Times that every edge is looked at. More changes little.
const SWEEPS: usize = 20;
/// The same of edges that must not stay too long: a collar of which one row lies on cloth that slides away.
const LAST_SWEEPS: usize = 200;
/// Times that it is found out which these are, each time with more around them, while no more is looked at than by as many sweeps
/// over all edges.
const LAST_ROUNDS: usize = 20;
/// Times its length from which on such an edge is too long: steps come as near as one likes, and never there.
const TOO_LONG: f32 = 1.001;
/// Times that every run is looked at, in the first sweeps: the edges near pins and walls then settle what runs leave there.
const RUN_SWEEPS: usize = 6;

/// How many edges runs have. Longer ones change little.
const RUNS: [u32; 2] = [4, 16];

/// Most particles that a wall is before.
const MOST_PARTS: usize = 4;

/// The side of a plane on which a particle stays, or a place between particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wall {
    /// The particles, and their weights in the place.
    parts: [(u32, f32); MOST_PARTS],
    /// How far each goes where the place goes by one.
    moves: [f32; MOST_PARTS],
    /// Unit normal, towards the allowed side.
    normal: Vec3,
    /// Least component of the place along the normal, metres.
    level: f32,
}

impl Wall {
    /// The wall of `plane` before the place between `between`, of which some `may_move`; none if none may.
    pub(super) fn new(between: &[(ParticleId, f32)], plane: Plane, may_move: &[bool]) -> Option<Wall> {
        let mut parts = [(0, 0.0); MOST_PARTS];
        let mut moves = [0.0; MOST_PARTS];
        for (i, (p, weight)) in between.iter().enumerate().take(MOST_PARTS) {
            parts[i] = (p.0, *weight);
            moves[i] = if may_move[p.index()] { *weight } else { 0.0 };
        }
        let squares: f32 = moves.iter().map(|weight| weight * weight).sum();
        let (normal, level) = plane;
        (squares > 0.0).then(|| Wall { parts, moves: moves.map(|weight| weight / squares), normal, level })
    }

    /// Whether it is before a place between particles.
    fn is_between(&self) -> bool {
        self.parts[1].1 != 0.0
    }

    pub(super) fn hold(&self, positions: &mut [Vec3]) -> bool {
        let along: f32 = self.parts.iter().map(|(p, weight)| positions[*p as usize].dot(self.normal) * weight).sum();
        let missing = self.level - along;
        if missing > 0.0 {
            for ((p, _), share) in self.parts.iter().zip(self.moves) {
                positions[*p as usize] += self.normal * (missing * share);
            }
        }
        missing > 0.0
    }
}

/// An edge with the length it may have.
#[derive(Clone, Copy, Debug)]
struct Limit {
    ends: [u32; 2],
    /// Metres.
    length: f32,
    /// Parts of what is too much that the ends take.
    shares: [f32; 2],
}

impl Limit {
    /// One whose ends move in the ratio of their `mobility`; none if neither does, or there is no way between them.
    fn new([a, b]: [ParticleId; 2], length: f32, mobility: impl Fn(ParticleId) -> f32) -> Option<Limit> {
        let of_ends = [a, b].map(mobility);
        let sum = of_ends[0] + of_ends[1];
        (length > 0.0 && sum > 0.0).then(|| Limit { ends: [a.0, b.0], length, shares: of_ends.map(|m| m / sum) })
    }

    /// How many times as long as it may be.
    fn times(&self, positions: &[Vec3]) -> f32 {
        let [a, b] = self.ends.map(|end| positions[end as usize]);
        a.distance(b) / self.length
    }

    fn shorten(&self, positions: &mut [Vec3]) -> bool {
        let [a, b] = self.ends.map(|end| end as usize);
        let way = positions[b] - positions[a];
        let squared = way.length_squared();
        if squared <= self.length * self.length {
            return false;
        }
        let too_much = way * (1.0 - self.length / squared.sqrt());
        positions[a] += too_much * self.shares[0];
        positions[b] -= too_much * self.shares[1];
        true
    }
}

/// The longest that the edges of a mesh may be.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    edges: Vec<Limit>,
    /// Over straight runs of edges, the longest first.
    runs: Vec<Limit>,
}

impl Limits {
    /// Those of the edges of the file, and of ways across its seams, of which an end `may_move`; stretch up to `slack` is left alone.
    pub(super) fn new(mesh: &Topology, may_move: &[bool], slack: f32) -> Limits {
        let mobility = |end: ParticleId| f32::from(u8::from(may_move[end.index()]));
        let limit = |&[a, b]: &[ParticleId; 2]| {
            let rest = mesh.positions[a.index()].distance(mesh.positions[b.index()]);
            Limit::new([a, b], rest * (1.0 + slack), mobility)
        };
        let edges = mesh.file_edges.iter().chain(&mesh.seams.across()).filter_map(limit).collect();
        Limits { edges, runs: Vec::new() }
    }

    /// Those of edges between two particles that `count`.
    pub(super) fn between(self, count: &[bool]) -> Limits {
        let both_count = |limit: &Limit| limit.ends.iter().all(|&end| count[end as usize]);
        let of = |limits: Vec<Limit>| limits.into_iter().filter(both_count).collect();
        Limits { edges: of(self.edges), runs: of(self.runs) }
    }

    /// The same and limits over straight runs of the mesh, which draw together in a few sweeps what is too long over many edges.
    /// The nearer an end of a run is to what may not move, the less of what is too much it takes: cloth next to a pin has nowhere to go.
    pub(super) fn over_runs(mesh: &Topology, may_move: &[bool], slack: f32) -> Limits {
        let all = (0..may_move.len() as u32).map(ParticleId);
        let held: Vec<ParticleId> = all.filter(|p| !may_move[p.index()]).collect();
        let hops = mesh.neighbours.hops(&held);
        let mobility = |end: ParticleId| hops[end.index()] as f32;
        let limit = |run: &Spring| Limit::new([run.a, run.b], run.rest_length * (1.0 + slack), mobility);
        let springs = SpringNetwork::build(mesh);
        let mut levels: Vec<Vec<Limit>> = Vec::new();
        runs::limits(&springs, &mesh.positions, &RUNS, |level| levels.push(level.iter().filter_map(limit).collect()));
        Limits { runs: levels.into_iter().rev().flatten().collect(), ..Limits::new(mesh, may_move, slack) }
    }

    /// Draws `positions` together until none is too long, whatever is in the way.
    pub(super) fn draw_all_together(&self, positions: &mut [Vec3]) {
        let is_too_long = |limit: &Limit, positions: &[Vec3]| limit.times(positions) > TOO_LONG;
        let mut moved = vec![false; positions.len()];
        let mut looks = LAST_SWEEPS * self.edges.len();
        for _ in 0..LAST_ROUNDS {
            let too_long = self.edges.iter().filter(|limit| is_too_long(limit, positions));
            let ends: Vec<u32> = too_long.flat_map(|limit| limit.ends).collect();
            if ends.is_empty() {
                return;
            }
            ends.iter().for_each(|&end| moved[end as usize] = true);
            let is_near = |limit: &&Limit| limit.ends.iter().any(|&end| moved[end as usize]);
            let near: Vec<Limit> = self.edges.iter().filter(is_near).copied().collect();
            for sweep in 0..LAST_SWEEPS {
                shorten(&near, positions, sweep);
                looks = looks.saturating_sub(near.len());
                if looks == 0 {
                    return;
                }
                if !near.iter().any(|limit| is_too_long(limit, positions)) {
                    break;
                }
            }
        }
    }

    /// Draws `positions` together, not through `walls`, none further than `most` metres.
    pub(super) fn draw_together(&self, positions: &mut [Vec3], walls: &[Wall], most: f32) {
        let start = positions.to_vec();
        let (between, at_particles): (Vec<&Wall>, Vec<&Wall>) = walls.iter().partition(|wall| wall.is_between());
        for sweep in 0..SWEEPS {
            let mut is_moving = false;
            // What a face bridges gives way to its edges where both cannot be.
            if sweep < SWEEPS / 2 {
                between.iter().for_each(|wall| is_moving |= wall.hold(positions));
            }
            if sweep < RUN_SWEEPS {
                self.runs.iter().for_each(|limit| is_moving |= limit.shorten(positions));
            }
            is_moving |= shorten(&self.edges, positions, sweep);
            at_particles.iter().for_each(|wall| is_moving |= wall.hold(positions));
            for (place, start) in positions.iter_mut().zip(&start) {
                *place = *start + (*place - *start).clamp_length_max(most);
            }
            if !is_moving {
                return;
            }
        }
    }
}

/// Looks at every edge once, to and fro from sweep to sweep, so that no direction is preferred; tells whether one was too long.
fn shorten(edges: &[Limit], positions: &mut [Vec3], sweep: usize) -> bool {
    let mut is_moving = false;
    let shorten = |limit: &Limit| is_moving |= limit.shorten(positions);
    if sweep.is_multiple_of(2) {
        edges.iter().for_each(shorten)
    } else {
        edges.iter().rev().for_each(shorten)
    }
    is_moving
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    fn length(of: &[Vec3], [a, b]: [ParticleId; 2]) -> f32 {
        of[a.index()].distance(of[b.index()])
    }

    /// Stretch of the longest of those edges of a cloth that `counts`.
    fn longest(cloth: &Topology, drawn: &[Vec3], counts: impl Fn(&[ParticleId; 2]) -> bool) -> f32 {
        let edges = cloth.file_edges.iter().filter(|edge| counts(edge));
        edges.map(|edge| length(drawn, *edge) / length(&cloth.positions, *edge) - 1.0).fold(0.0, f32::max)
    }

    #[test]
    fn long_edges_become_short_and_pins_and_walls_hold() {
        let cloth = build(&grids::grid(12, 12)).expect("a grid");
        let may_move: Vec<bool> = (0..144).map(|p| p >= 12).collect();
        let limits = Limits::new(&cloth, &may_move, 0.01);
        let mut drawn = cloth.positions.clone();
        // Every third particle stands off by a third of an edge.
        let off = cloth.mean_edge() / 3.0;
        drawn.iter_mut().skip(12).step_by(3).for_each(|p| *p += Vec3::new(off, 0.0, off));
        let level = cloth.positions[77].y + off;
        let wall = Wall::new(&[(ParticleId(77), 1.0)], (Vec3::Y, level), &may_move).expect("it may move");
        limits.draw_together(&mut drawn, &[wall], 1.0);
        assert_eq!(drawn[..12], cloth.positions[..12]);
        assert!(drawn[77].y >= level - 1e-6);
        let longest = longest(&cloth, &drawn, |edge| edge.iter().all(|p| p.index() % 12 != 5));
        assert!(longest < 0.03, "{longest}");
    }

    #[test]
    fn runs_draw_together_what_is_too_long_over_many_edges() {
        let cloth = build(&grids::grid(6, 121)).expect("a grid");
        let pinned = cloth.positions.iter().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max);
        let may_move: Vec<bool> = cloth.positions.iter().map(|p| p.y < pinned).collect();
        let long: Vec<Vec3> =
            cloth.positions.iter().map(|p| Vec3::new(p.x, pinned + 1.03 * (p.y - pinned), p.z)).collect();
        let mean_stretch = |limits: &Limits| {
            let mut drawn = long.clone();
            limits.draw_together(&mut drawn, &[], 1.0);
            let all = |of: &[Vec3]| cloth.file_edges.iter().map(|e| length(of, *e)).sum::<f32>();
            all(&drawn) / all(&cloth.positions) - 1.0
        };
        let edges = mean_stretch(&Limits::new(&cloth, &may_move, 0.004));
        let runs = mean_stretch(&Limits::over_runs(&cloth, &may_move, 0.004));
        assert!(runs < 0.01 && edges > 1.5 * runs, "{runs} {edges}");
    }

    #[test]
    fn what_one_end_is_pulled_out_of_by_many_edges_is_drawn_together_to_the_last() {
        let cloth = build(&grids::grid(2, 301)).expect("a strip");
        let pinned = cloth.positions.iter().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max);
        let may_move: Vec<bool> = cloth.positions.iter().map(|p| p.y < pinned).collect();
        let limits = Limits::new(&cloth, &may_move, 0.2);
        // Below the part that is too long there is enough to draw from.
        let long = pinned - 30.0 * cloth.mean_edge();
        let below = |y: f32| pinned + 1.3 * (y.max(long) - pinned) + 0.8 * (y - long).min(0.0);
        let mut drawn: Vec<Vec3> = cloth.positions.iter().map(|p| Vec3::new(p.x, below(p.y), p.z)).collect();
        limits.draw_together(&mut drawn, &[], 1.0);
        let some = longest(&cloth, &drawn, |_| true);
        assert!(some > 0.23, "{some}");
        limits.draw_all_together(&mut drawn);
        let all = longest(&cloth, &drawn, |_| true);
        assert!(all < 0.21, "{all}");
    }

    #[test]
    fn two_shapes_never_come_further_apart() {
        let cloth = build(&grids::grid(9, 9)).expect("a grid");
        let limits = Limits::new(&cloth, &[true; 81], 0.01);
        let shaped = |part: f32| -> Vec<Vec3> {
            let off = |p: usize| Vec3::new((p % 5) as f32, (p % 7) as f32, (p % 3) as f32) * part;
            cloth.positions.iter().enumerate().map(|(p, at)| *at * 1.2 + off(p)).collect()
        };
        let gap = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f32>().sqrt();
        let [mut one, mut other] = [0.1, 0.101].map(|part| shaped(part * cloth.mean_edge()));
        let before = gap(&one, &other);
        limits.draw_together(&mut one, &[], 1.0);
        limits.draw_together(&mut other, &[], 1.0);
        assert!(gap(&one, &other) <= before * 1.001, "{} {before}", gap(&one, &other));
    }
}
