//! Bend springs: pairs of particles straight ahead of each other across a third.
//!
//! ```text
//!        d  e  d          Spokes of a particle: edges (e) and diagonals of quads (d), laid out by unfolded angle. Inside the
//!         \ | /           mesh the angles are scaled to 360 degrees, at its boundary they stay as they are.
//!     e --- o --- e       Spokes of one kind whose angles differ by nearly 180 degrees pair up, best pairs first.
//!         / | \
//!        d  e  d          A regular grid gives (i +- 2, j), (i, j +- 2) and (i +- 2, j +- 2); an irregular mesh gives what
//! ```                     lies straight ahead two edges away.

use std::f64::consts::{PI, TAU};

use super::BendSpring;
use crate::geometry::DVec3;
use crate::topology::{EdgeFaces, ParticleId, Topology};

/// Deviation from straight ahead up to which spokes pair, radians (35 degrees). Larger gives more springs on irregular
/// meshes, which pull sideways.
const TOLERANCE: f64 = 35.0 * PI / 180.0;

/// Spokes on either side of straight ahead that are tried.
const TRIED: usize = 3;

/// All bend springs, ascending, none between particles that an edge or one of `diagonals` (ascending) joins.
pub(super) fn springs(topology: &Topology, diagonals: &[[ParticleId; 2]]) -> Vec<BendSpring> {
    let fans = Fans::of(topology);
    let mut found = Vec::new();
    for corners in fans.all() {
        let spokes = fans.spokes(&corners);
        for kind in [Kind::Edge, Kind::Diagonal] {
            let mut spokes: Vec<Spoke> = spokes.iter().copied().filter(|s| s.kind == kind).collect();
            spokes.sort_by(|s, t| s.angle.total_cmp(&t.angle));
            for [s, t] in pair(&spokes, corners.closed) {
                let (a, b) = (s.min(t), s.max(t));
                found.push((a, b, kind, fans.topology.polygons.corners[corners.first]));
            }
        }
    }
    found.sort_unstable();
    // Where both kinds lead from one particle to the other, the way along edges is the straight one.
    found.dedup_by_key(|&mut (a, b, ..)| (a, b));
    let springs = found.into_iter().map(|(a, b, _, middle)| [a, b, middle].map(ParticleId)).filter(|&[a, b, _]| {
        a != b && topology.edges.binary_search(&[a, b]).is_err() && diagonals.binary_search(&[a, b]).is_err()
    });
    let mut springs: Vec<BendSpring> = springs.map(|[a, b, middle]| BendSpring { a, middle, b }).collect();
    springs.shrink_to_fit();
    springs
}

/// Pairs of opposite spokes (ascending by angle), as their far ends.
fn pair(spokes: &[Spoke], closed: bool) -> Vec<[u32; 2]> {
    let mut candidates = Vec::new();
    for (i, spoke) in spokes.iter().enumerate() {
        let ahead = spokes.partition_point(|s| s.angle < spoke.angle + PI);
        for (j, other) in spokes.iter().enumerate().take(ahead + TRIED).skip(ahead.saturating_sub(TRIED)) {
            let difference = (other.angle - spoke.angle).abs();
            let difference = if closed { difference.min(TAU - difference) } else { difference };
            let deviation = (difference - PI).abs();
            if i < j && deviation <= TOLERANCE {
                candidates.push((deviation, i, j));
            }
        }
    }
    candidates.sort_by(|a, b| quantised(a.0).cmp(&quantised(b.0)).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken = vec![false; spokes.len()];
    let mut pairs = Vec::new();
    for (_, i, j) in candidates {
        if !taken[i] && !taken[j] {
            (taken[i], taken[j]) = (true, true);
            pairs.push([spokes[i].end, spokes[j].end]);
        }
    }
    pairs
}

/// Millionths of a radian: angles that differ only by rounding count as equal.
fn quantised(angle: f64) -> i64 {
    (angle * 1e6).round() as i64
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Edge,
    Diagonal,
}

#[derive(Clone, Copy, Debug)]
struct Spoke {
    /// Unfolded angle from the first spoke of the fan, radians.
    angle: f64,
    /// Particle at its end.
    end: u32,
    kind: Kind,
}

/// Faces around a particle that hang together by edges.
struct Fan {
    /// Corner (index into the corners of all polygons) to begin with.
    first: usize,
    /// Whether the fan goes all the way round.
    closed: bool,
    /// Number of faces.
    len: usize,
}

struct Fans<'a> {
    topology: &'a Topology,
    edges: EdgeFaces,
}

impl Fans<'_> {
    fn of(topology: &Topology) -> Fans<'_> {
        Fans { topology, edges: EdgeFaces::of(&topology.polygons, topology.positions.len()) }
    }

    /// All fans of all particles.
    fn all(&self) -> Vec<Fan> {
        let corners = self.topology.polygons.corners.len();
        let mut visited = vec![false; corners];
        let mut fans = Vec::new();
        // Open fans begin at the corner without a face before it; what is left over goes round.
        for closed in [false, true] {
            for first in 0..corners {
                if visited[first] || (!closed && self.before(first).is_some()) {
                    continue;
                }
                let mut len = 0;
                let mut corner = Some(first);
                while let Some(c) = corner.filter(|&c| !visited[c]) {
                    visited[c] = true;
                    len += 1;
                    corner = self.after(c);
                }
                fans.push(Fan { first, closed, len });
            }
        }
        fans
    }

    /// The corner of the same particle across the side that leaves it.
    fn before(&self, corner: usize) -> Option<usize> {
        let across = self.edges.across(corner)?;
        self.same_particle(corner, self.step(across, 1))
    }

    /// The corner of the same particle across the side that arrives at it.
    fn after(&self, corner: usize) -> Option<usize> {
        let across = self.edges.across(self.step(corner, -1))?;
        self.same_particle(corner, across)
    }

    /// `other` if it is a corner of the same particle: it is not where the winding changes.
    fn same_particle(&self, corner: usize, other: usize) -> Option<usize> {
        let corners = &self.topology.polygons.corners;
        (corners[corner] == corners[other]).then_some(other)
    }

    /// The corner `steps` further in the same polygon.
    fn step(&self, corner: usize, steps: isize) -> usize {
        let range = self.topology.polygons.range(self.edges.polygon_of(corner));
        let offset = (corner - range.start) as isize + steps;
        range.start + offset.rem_euclid(range.len() as isize) as usize
    }

    /// Spokes of a fan in order: the leaving side of each face, its diagonal if it is a quad, and for an open fan the last
    /// arriving side.
    fn spokes(&self, fan: &Fan) -> Vec<Spoke> {
        let particle_at = |corner: usize| self.topology.polygons.corners[corner];
        let mut spokes = Vec::with_capacity(2 * fan.len + 1);
        let mut angle = 0.0;
        let mut corner = fan.first;
        for _ in 0..fan.len {
            let (next, previous) = (self.step(corner, 1), self.step(corner, -1));
            spokes.push(Spoke { angle, end: particle_at(next), kind: Kind::Edge });
            let opposite = self.step(corner, 2);
            if self.step(opposite, 1) == previous {
                let end = particle_at(opposite);
                spokes.push(Spoke { angle: angle + self.angle(corner, next, opposite), end, kind: Kind::Diagonal });
                angle += self.angle(corner, next, opposite) + self.angle(corner, opposite, previous);
            } else {
                angle += self.angle(corner, next, previous);
            }
            if let Some(after) = self.after(corner) {
                corner = after;
            } else {
                spokes.push(Spoke { angle, end: particle_at(previous), kind: Kind::Edge });
            }
        }
        if fan.closed && angle > 0.0 {
            spokes.iter_mut().for_each(|spoke| spoke.angle *= TAU / angle);
        }
        spokes
    }

    /// Angle at a corner between two others, radians.
    fn angle(&self, corner: usize, a: usize, b: usize) -> f64 {
        let at = |c: usize| -> DVec3 { self.topology.positions[self.topology.polygons.corners[c] as usize].as_dvec3() };
        let (u, v) = (at(a) - at(corner), at(b) - at(corner));
        libm::atan2(u.cross(v).length(), u.dot(v))
    }
}
