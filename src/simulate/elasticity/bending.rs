//! Bending: all bends of a piece of a thread solved at once.
//!
//! A projection of one bend after the other hands moments on by one bend a substep: short arms have little leverage on heavy
//! neighbours, and fine cloth sags as if it were limp. Along a thread, though, each bend meets only the two before and the two
//! after it, and the line is solved exactly for about what its bends cost one by one:
//!
//! ```text
//! turn     t = ka a + km m + kb b                      of a bend, km = -(ka + kb); all of a thread: K x
//! error    r = t - rest t / |t| + gamma t (t . (t - t before)) / |t|^2
//! solve    (K W K^T + alpha / (h^2 (1 + gamma))) lambda = -r / (1 + gamma)              W mobilities
//! move     x += W K^T lambda
//! ```
//!
//! The matrix knows lengths and masses only (the bending energy of cloth that does not stretch is quadratic: Bergou et al.
//! 2006, *A Quadratic Bending Model for Inextensible Surfaces*), so its factors `L D L^T` last as long as the substep's length.
//! Pieces that share no particle are solved four side by side.

mod fours;
mod solve;

use rayon::prelude::*;

use self::fours::{Hinges, LANES, Line, Row, Rows, fours};
use self::solve::solve;
use crate::geometry::{Points, Vec3};
use crate::simulate::cloth::{Cloth, Point};
use crate::simulate::threads::{Cutter, Piece, threads};
use crate::springs::BendSpring;
use crate::topology::Parts;

/// Softness of a bend, `alpha / h^2`, at least, as a part of its mobility: with less the factors lose their digits. The
/// inverse at most.
const SOFTEST: f64 = 1e-6;
/// Damping time over h of bends that are stiffer than their particles are heavy, at most: more would hold threads that cross.
const DAMPED: f64 = 3.0;

/// A bend of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinge {
    /// 1/m, of the arms from the middle to the particle before and after it.
    pub(super) inverse_arms: [f32; 2],
    pub(super) rest_angle: f32,
    /// rad/(N m).
    pub(super) compliance: f32,
}

/// The pieces of one node, four side by side that share no particle; where there are fewer the last stands in for those that
/// lack: computed twice from the same points, it gives the same result twice. Particles count from the node's first.
#[derive(Debug, Default)]
struct Pieces {
    particles: Vec<[u32; LANES]>,
    hinges: Vec<Hinges>,
    rows: Vec<Rows>,
    /// Where each four start in `particles`, and the end: two particles more than hinges.
    starts: Vec<u32>,
}

/// What the matrices are made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    /// 1 / h^2.
    pub(super) per_step_squared: f32,
    /// Damping time over h.
    pub(super) gamma: f32,
}

/// All bends of a cloth.
#[derive(Debug)]
pub(super) struct Bending {
    of_nodes: Vec<Pieces>,
    pace: Option<Pace>,
}

impl Bending {
    /// `hinge` tells what the bend on these particles, in order, is like.
    pub(super) fn new(
        bends: &[BendSpring],
        cloth: &Cloth,
        parts: &Parts,
        hinge: impl Fn([u32; 3]) -> Hinge,
    ) -> Bending {
        let mut of_nodes: Vec<Vec<Line>> = vec![Vec::new(); parts.nodes()];
        let mut cutter = Cutter::new(cloth.len(), parts);
        for thread in threads(bends, cloth.len()) {
            for piece in cutter.pieces(&thread) {
                of_nodes[piece.node].push(line(&piece, parts, &hinge));
            }
        }
        let of_nodes = of_nodes.iter().enumerate();
        let pieces = |(node, lines): (usize, &Vec<Line>)| Pieces::new(lines, parts.range(node).len());
        Bending { of_nodes: of_nodes.map(pieces).collect(), pace: None }
    }

    /// Makes the matrices for substeps of that length, unless it has them.
    pub(super) fn prepare(&mut self, cloth: &Cloth, parts: &Parts, pace: Pace) {
        if self.pace != Some(pace) {
            self.pace = Some(pace);
            self.of_nodes.par_iter_mut().enumerate().for_each(|(node, pieces)| {
                pieces.factorise(&cloth.points[parts.range(node)], pace);
            });
        }
    }

    /// Projects the bends of a node, with its points.
    pub(super) fn project(&self, node: usize, points: &mut [Point], previous: &[Point]) {
        self.of_nodes[node].project(points, previous);
    }

    /// Energy that is held, J.
    pub(super) fn energy(&self, cloth: &Cloth, parts: &Parts) -> f64 {
        let of_node = |(node, pieces): (usize, &Pieces)| pieces.energy(&cloth.points[parts.range(node)]);
        let energies: Vec<f64> = self.of_nodes.par_iter().enumerate().map(of_node).collect();
        energies.into_iter().sum()
    }
}

/// A piece, its particles counted from the node's first.
fn line(piece: &Piece, parts: &Parts, hinge: &impl Fn([u32; 3]) -> Hinge) -> Line {
    let first = parts.range(piece.node).start as u32;
    let hinges = piece.shares.iter().zip(piece.particles.windows(3)).map(|(share, around)| {
        let hinge = hinge([around[0], around[1], around[2]]);
        Hinge { compliance: hinge.compliance / share.max(f32::MIN_POSITIVE), ..hinge }
    });
    (piece.particles.iter().map(|p| p - first).collect(), hinges.collect())
}

impl Pieces {
    /// Those of a node of so many particles.
    fn new(lines: &[Line], particles: usize) -> Pieces {
        let mut pieces = Pieces::default();
        for four in fours(lines, particles) {
            let of = |lane: usize| &lines[four[lane.min(four.len() - 1)]];
            let longest = of(0).1.len();
            pieces.starts.push(pieces.particles.len() as u32);
            let particle = |place: usize, lane: usize| of(lane).0[place.min(of(lane).0.len() - 1)];
            pieces.particles.extend((0..longest + 2).map(|place| std::array::from_fn(|lane| particle(place, lane))));
            let hinge = |place: usize, lane: usize| of(lane).1.get(place).copied().unwrap_or(Hinge::NONE);
            pieces.hinges.extend((0..longest).map(|place| Hinges::of(std::array::from_fn(|lane| hinge(place, lane)))));
        }
        pieces.starts.push(pieces.particles.len() as u32);
        pieces.particles.shrink_to_fit();
        pieces.hinges.shrink_to_fit();
        pieces.rows = vec![Rows::default(); pieces.hinges.len()];
        pieces
    }

    /// Particles and hinges of each four.
    fn each(&self) -> impl Iterator<Item = (&[[u32; LANES]], std::ops::Range<usize>)> {
        self.starts.windows(2).enumerate().map(|(four, ends)| {
            let [start, end] = [ends[0] as usize, ends[1] as usize];
            (&self.particles[start..end], start - 2 * four..end - 2 * four - 2)
        })
    }

    fn factorise(&mut self, points: &[Point], pace: Pace) {
        let mut rows = std::mem::take(&mut self.rows);
        for (particles, hinges) in self.each() {
            for lane in 0..LANES {
                factorise(points, particles, &self.hinges[hinges.clone()], lane, pace, &mut rows[hinges.clone()]);
            }
        }
        self.rows = rows;
    }

    fn project(&self, points: &mut [Point], previous: &[Point]) {
        let longest = self.each().map(|(_, hinges)| hinges.len()).max().unwrap_or(0);
        let mut lambda = vec![Points::splat(Vec3::ZERO); longest];
        for (particles, hinges) in self.each() {
            let four = (particles, &self.hinges[hinges.clone()], &self.rows[hinges]);
            solve(points, previous, four, &mut lambda);
        }
    }

    fn energy(&self, points: &[Point]) -> f64 {
        let of_four = |(particles, hinges): (&[[u32; LANES]], std::ops::Range<usize>)| -> f64 {
            let lanes = (0..LANES).filter(|&lane| lane == 0 || particles[0][lane] != particles[0][lane - 1]);
            let of_lane = |lane: usize| -> f64 {
                let turns = particles.windows(3).zip(&self.hinges[hinges.clone()]);
                let held = turns.map(|(around, hinges)| {
                    let hinge = hinges.lane(lane);
                    let [ka, kb] = hinge.inverse_arms;
                    let [a, m, b] = [0, 1, 2].map(|i| points[around[i][lane] as usize].at);
                    let off = ((a - m) * ka + (b - m) * kb).length() - hinge.rest_angle;
                    0.5 * f64::from(off * off / hinge.compliance)
                });
                held.sum()
            };
            lanes.map(of_lane).sum()
        };
        self.each().map(of_four).sum()
    }
}

/// `L D L^T` of one of four pieces.
fn factorise(
    points: &[Point],
    particles: &[[u32; LANES]],
    hinges: &[Hinges],
    lane: usize,
    pace: Pace,
    rows: &mut [Rows],
) {
    // Of the two hinges before: arms, pivots and what they are multiplied by below.
    let mut arms = [[0.0_f64; 3]; 2];
    let mut pivots = [1.0_f64; 2];
    let mut before_last = 0.0;
    for ((hinges, rows), around) in hinges.iter().zip(rows).zip(particles.windows(3)) {
        let hinge = hinges.lane(lane);
        let [ka, kb] = hinge.inverse_arms.map(f64::from);
        let here = [ka, -(ka + kb), kb];
        let mobility = [0, 1, 2].map(|i| f64::from(points[around[i][lane] as usize].inverse_mass));
        let own: f64 = (0..3).map(|i| mobility[i] * here[i] * here[i]).sum();
        let softness = f64::from(hinge.compliance) * f64::from(pace.per_step_squared);
        let gamma = f64::from(pace.gamma).min((softness / own).max(DAMPED));
        let softness = softness.clamp(own * SOFTEST, own / SOFTEST) / (1.0 + gamma);
        let with_last = mobility[0] * here[0] * arms[1][1] + mobility[1] * here[1] * arms[1][2];
        let with_one_before = mobility[0] * here[0] * arms[0][2];
        let second = with_one_before / pivots[0];
        let first = (with_last - second * pivots[0] * before_last) / pivots[1];
        let pivot = own + softness - first * first * pivots[1] - second * second * pivots[0];
        // Where nothing can move there is nothing to solve.
        let (inverse_pivot, pivot) = if own > 0.0 { (1.0 / pivot, pivot) } else { (0.0, 1.0) };
        let before = [first as f32, second as f32];
        rows.set(lane, Row { inverse_pivot: inverse_pivot as f32, before, gamma: gamma as f32 });
        arms = [arms[1], here];
        pivots = [pivots[1], pivot];
        before_last = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::ParticleId;

    /// A bent line with arms of several lengths, its first particle pinned, and where it was before.
    fn line() -> (Vec<Point>, Vec<Point>) {
        let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32;
        let point = |i: u32, shift: f32| Point {
            at: Vec3::new(i as f32 + 0.3 * number(i) + shift, 0.2 * number(i + 50), 0.2 * number(i + 90) + shift)
                * 0.01,
            inverse_mass: if i == 0 { 0.0 } else { 1e5 * (1.0 + number(i + 7)) },
        };
        ((0..9).map(|i| point(i, 0.0)).collect(), (0..9).map(|i| point(i, 0.1 * number(i + 70))).collect())
    }

    fn hinge(points: &[Point], around: [u32; 3], rest_angle: f32) -> Hinge {
        let [a, m, b] = around.map(|p| points[p as usize].at);
        let inverse_arms = [1.0 / a.distance(m), 1.0 / b.distance(m)];
        Hinge { inverse_arms, rest_angle, compliance: 2e5 }
    }

    /// What the page says, in dense matrices and by Gauss-Seidel until nothing changes.
    fn simple(points: &[Point], previous: &[Point], hinges: &[Hinge], gamma: f64, softness: f64) -> Vec<[f64; 3]> {
        let rows: Vec<Vec<f64>> = (0..hinges.len())
            .map(|i| {
                let [ka, kb] = hinges[i].inverse_arms.map(f64::from);
                let mut row = vec![0.0; points.len()];
                (row[i], row[i + 1], row[i + 2]) = (ka, -(ka + kb), kb);
                row
            })
            .collect();
        let mobility = |p: usize| f64::from(points[p].inverse_mass);
        let turn = |row: &[f64], of: &[Point], axis: usize| -> f64 {
            row.iter().zip(of).map(|(k, p)| k * f64::from(p.at.to_array()[axis])).sum()
        };
        let mut lambda = vec![[0.0; 3]; hinges.len()];
        for _ in 0..20_000 {
            for i in 0..hinges.len() {
                let now: [f64; 3] = std::array::from_fn(|axis| turn(&rows[i], points, axis));
                let before: [f64; 3] = std::array::from_fn(|axis| turn(&rows[i], previous, axis));
                let squared: f64 = now.iter().map(|t| t * t).sum();
                let rate: f64 = now.iter().zip(before).map(|(t, b)| t * (t - b)).sum();
                let part = 1.0 - f64::from(hinges[i].rest_angle) / squared.sqrt() + gamma * rate / squared;
                let with = |j: usize| -> f64 { (0..points.len()).map(|p| rows[i][p] * mobility(p) * rows[j][p]).sum() };
                for axis in 0..3 {
                    let others: f64 = (0..hinges.len()).filter(|&j| j != i).map(|j| with(j) * lambda[j][axis]).sum();
                    let wanted = -part * now[axis] / (1.0 + gamma) - others;
                    lambda[i][axis] = wanted / (with(i) + softness / (1.0 + gamma));
                }
            }
        }
        let moved = |p: usize, axis: usize| -> f64 {
            let push: f64 = (0..hinges.len()).map(|i| rows[i][p] * lambda[i][axis]).sum();
            f64::from(points[p].at.to_array()[axis]) + mobility(p) * push
        };
        (0..points.len()).map(|p| [0, 1, 2].map(|axis| moved(p, axis))).collect()
    }

    #[test]
    fn a_line_is_solved_as_dense_matrices_solve_it() {
        let (points, previous) = line();
        let bend = |i: u32| BendSpring { a: ParticleId(i), middle: ParticleId(i + 1), b: ParticleId(i + 2) };
        let bends: Vec<BendSpring> = (0..7).map(bend).collect();
        let parts = Parts::whole(points.len());
        for rest_angle in [0.0, 0.2] {
            let mut cloth = Cloth { points: points.clone(), previous: previous.clone(), ..Cloth::default() };
            let hinge = |around| hinge(&points, around, rest_angle);
            let mut bending = Bending::new(&bends, &cloth, &parts, hinge);
            let pace = Pace { per_step_squared: 9e4, gamma: 2.0 };
            bending.prepare(&cloth, &parts, pace);
            bending.project(0, &mut cloth.points, &previous);
            let hinges: Vec<Hinge> = (0..7).map(|i| hinge([i, i + 1, i + 2])).collect();
            let wanted = simple(&points, &previous, &hinges, 2.0, 2e5 * 9e4);
            let off = |(point, wanted): (&Point, &[f64; 3])| point.at.as_dvec3().distance((*wanted).into());
            let worst = cloth.points.iter().zip(&wanted).map(off).fold(0.0, f64::max);
            let moved = cloth.points.iter().zip(&points).map(|(a, b)| a.at.distance(b.at)).fold(0.0, f32::max);
            assert!(worst < 1e-3 * f64::from(moved) && moved > 1e-4, "{worst} of {moved}");
            assert_eq!(cloth.points[0], points[0]);
        }
    }

    #[test]
    fn lines_side_by_side_come_out_as_each_does_alone() {
        // Six lines of several lengths, and one across all of them.
        let lengths = [9, 4, 3, 7, 9, 5_u32];
        let (line, _) = line();
        let place = |row: u32, column: u32| {
            let mut point = line[((column * 5 + row) % 9) as usize];
            point.at += Vec3::new(column as f32 * 0.01, 0.0, row as f32 * 0.01);
            point
        };
        let points: Vec<Point> = (0..54).map(|i| place(i / 9, i % 9)).collect();
        let along = |row: u32| (0..lengths[row as usize]).map(|column| 9 * row + column).collect::<Vec<u32>>();
        let bends = |lines: &[Vec<u32>]| -> Vec<BendSpring> {
            let bend = |w: &[u32]| BendSpring { a: ParticleId(w[0]), middle: ParticleId(w[1]), b: ParticleId(w[2]) };
            lines.iter().flat_map(|line| line.windows(3).map(bend).collect::<Vec<_>>()).collect()
        };
        let parts = Parts::whole(points.len());
        let previous = points.clone();
        let project = |points: &[Point], lines: &[Vec<u32>]| {
            let mut cloth = Cloth { points: points.to_vec(), previous: previous.clone(), ..Cloth::default() };
            let mut bending = Bending::new(&bends(lines), &cloth, &parts, |around| hinge(&previous, around, 0.1));
            let energy = bending.energy(&cloth, &parts);
            bending.prepare(&cloth, &parts, Pace { per_step_squared: 9e4, gamma: 2.0 });
            bending.project(0, &mut cloth.points, &previous);
            (cloth.points, energy)
        };
        let across: Vec<u32> = (0..6).map(|row| 9 * row + 1).collect();
        let lines: Vec<Vec<u32>> = (0..6).map(along).chain([across]).collect();
        let (together, energy) = project(&points, &lines);
        let alone = lines.chunks(1).rev().fold(points.clone(), |points, line| project(&points, line).0);
        let energies: f64 = lines.chunks(1).map(|line| project(&points, line).1).sum();
        assert_ne!(together, points);
        assert_eq!(together, alone);
        assert!((energy - energies).abs() < 1e-9 * energies, "{energy} {energies}");
    }

    #[test]
    fn cloth_without_stiffness_or_that_is_all_pinned_stays_as_it_is() {
        let (mut points, previous) = line();
        let bends = [BendSpring { a: ParticleId(0), middle: ParticleId(1), b: ParticleId(2) }];
        let parts = Parts::whole(points.len());
        for (compliance, pinned) in [(f32::INFINITY, 1), (1e-9, 3)] {
            points[..pinned].iter_mut().for_each(|point| point.inverse_mass = 0.0);
            let mut cloth = Cloth { points: points.clone(), previous: previous.clone(), ..Cloth::default() };
            let mut bending =
                Bending::new(&bends, &cloth, &parts, |around| Hinge { compliance, ..hinge(&points, around, 0.0) });
            bending.prepare(&cloth, &parts, Pace { per_step_squared: 9e4, gamma: 2.0 });
            bending.project(0, &mut cloth.points, &previous);
            let moved = cloth.points.iter().zip(&points).map(|(a, b)| a.at.distance(b.at)).fold(0.0, f32::max);
            assert!(moved < 1e-7, "{compliance} {moved}");
        }
    }
}
