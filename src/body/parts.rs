//! The parts of a body whose vertices move by themselves, by how they move: an OBJ sequence and a mesh that morphs have no joints.
//!
//! ```text
//! one part, all vertices  ->  the vertex that its best rigid motion misses most starts another, with what is around it
//!                         ->  each vertex goes to the part whose motion misses it least; motions anew; and so on
//! ```
//!
//! Lloyd's iteration over rigid motions, as for proxies of shapes (Cohen-Steiner, Alliez and Desbrun 2004) and skins of mesh
//! animations (James and Twigg 2005).

use rayon::prelude::*;

use crate::geometry::{Aabb, RigidMotion, Vec3, joined_triangles};

/// Parts at most: head, trunk, and of each limb three with one to spare.
const MOST: usize = 20;
/// How far a part's rigid motion may miss its vertices, as a part of the body's size: skin around a joint is missed by less.
const TOLERANCE: f32 = 0.05;
/// How far around its first vertex a part begins, the same way.
const BEGINNING: f32 = 0.05;
/// Frames beside the first and vertices from which motions are found, at most.
pub(super) const FRAMES: usize = 10;
const VERTICES: usize = 1500;
/// Rounds after each new part.
const ROUNDS: usize = 3;

/// Vertices by the part they move with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parts {
    /// Of each vertex; all are in the first if this is shorter.
    of_vertex: Vec<u8>,
    /// The part next to each on the way to the first, the largest.
    above: Vec<Option<u8>>,
}

impl Parts {
    /// Those of what `triangles` have of `frames` of a mesh; what they have not is in the first.
    pub(super) fn new<F: AsRef<[Vec3]>>(frames: &[F], triangles: &[[u32; 3]]) -> Parts {
        let frames: Vec<&[Vec3]> = frames.iter().map(AsRef::as_ref).collect();
        let Some((first, others)) =
            frames.split_first().filter(|(first, others)| !first.is_empty() && !others.is_empty())
        else {
            return Parts::default();
        };
        let size = Aabb::around(*first).size().length();
        let vertices: Vec<u32> = sampled(triangles.as_flattened(), VERTICES).copied().collect();
        let motions = motions(first, others, &vertices, size);
        if motions.len() < 2 {
            return Parts::default();
        }
        let mut is_own = vec![false; first.len()];
        triangles.iter().flatten().for_each(|&vertex| is_own[vertex as usize] = true);
        let nearest = |vertex: usize| is_own[vertex].then(|| nearest(&motions, first, others, vertex).0 as u8);
        let of_vertex = (0..first.len()).into_par_iter().map(nearest).collect();
        by_size(of_vertex, motions.len(), &joined_triangles(first, triangles))
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.above.len().max(1)
    }

    /// That of a vertex.
    pub(super) fn of(&self, vertex: u32) -> u32 {
        self.of_vertex.get(vertex as usize).map_or(0, |&part| u32::from(part))
    }

    /// The part next to another on the way to the first.
    pub(super) fn above(&self, part: u32) -> Option<u32> {
        self.above.get(part as usize).copied().flatten().map(u32::from)
    }
}

/// At most so many of them, evenly.
fn sampled<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(most).max(1))
}

/// The frames of a mesh from which parts are found.
pub(super) fn sampled_frames(frames: &[Vec<Vec3>]) -> impl Iterator<Item = &Vec<Vec3>> {
    let (first, others) = frames.split_at(frames.len().min(1));
    first.iter().chain(sampled(others, FRAMES))
}

/// Rigid motions of the parts, each to all of `moves`.
fn motions(first: &[Vec3], moves: &[&[Vec3]], vertices: &[u32], size: f32) -> Vec<Vec<RigidMotion>> {
    let fit = |members: &[u32]| -> Vec<RigidMotion> {
        let pairs =
            |to: &[Vec3]| members.iter().map(|&v| v as usize).map(|v| (first[v], to[v], 1.0)).collect::<Vec<_>>();
        moves.iter().map(|to| RigidMotion::best_fit(pairs(to).into_iter())).collect()
    };
    let mut motions = vec![fit(vertices)];
    // Where everything moves on its own a new part can win nothing.
    for _ in 1..MOST {
        let misses: Vec<f32> = vertices.par_iter().map(|&v| nearest(&motions, first, moves, v as usize).1).collect();
        let worst = (0..misses.len()).fold(0, |worst, i| if misses[i] > misses[worst] { i } else { worst });
        if misses.is_empty() || misses[worst] <= TOLERANCE * size {
            break;
        }
        let start = first[vertices[worst] as usize];
        let is_around = |v: &&u32| first[**v as usize].distance(start) < BEGINNING * size;
        motions.push(fit(&vertices.iter().filter(is_around).copied().collect::<Vec<u32>>()));
        for _ in 0..ROUNDS {
            let parts: Vec<usize> =
                vertices.par_iter().map(|&v| nearest(&motions, first, moves, v as usize).0).collect();
            let members = |part: usize| -> Vec<u32> {
                vertices.iter().zip(&parts).filter(|(_, of)| **of == part).map(|(v, _)| *v).collect()
            };
            motions = (0..motions.len()).map(members).filter(|members| !members.is_empty()).map(|m| fit(&m)).collect();
        }
    }
    motions
}

/// The part whose motion misses a vertex least, and by how much.
fn nearest(motions: &[Vec<RigidMotion>], first: &[Vec3], moves: &[&[Vec3]], vertex: usize) -> (usize, f32) {
    let miss = |part: &Vec<RigidMotion>| {
        let miss = |(motion, to): (&RigidMotion, &&[Vec3])| motion.point(first[vertex]).distance(to[vertex]);
        part.iter().zip(moves).map(miss).fold(0.0, f32::max)
    };
    let misses = motions.iter().map(miss).enumerate();
    misses.fold((0, f32::INFINITY), |least, (part, miss)| if miss < least.1 { (part, miss) } else { least })
}

/// Numbers parts by their size, and finds which hang together.
fn by_size(of_vertex: Vec<Option<u8>>, count: usize, triangles: &[[u32; 3]]) -> Parts {
    let mut sizes = vec![0_u32; count];
    of_vertex.iter().flatten().for_each(|&part| sizes[usize::from(part)] += 1);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&part| std::cmp::Reverse(sizes[part]));
    let mut number = vec![0_u8; count];
    order.iter().enumerate().for_each(|(new, &old)| number[old] = new as u8);
    let of_vertex: Vec<u8> = of_vertex.iter().map(|part| part.map_or(0, |part| number[usize::from(part)])).collect();
    // How many triangles two parts share.
    let mut shared = vec![vec![0_u32; count]; count];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| usize::from(of_vertex[v as usize]));
        for (one, other) in [(a, b), (b, c), (c, a)].into_iter().filter(|(one, other)| one != other) {
            shared[one][other] += 1;
            shared[other][one] += 1;
        }
    }
    let mut above = vec![None; count];
    let mut reached = vec![0];
    loop {
        let open = (0..count).filter(|part| !reached.contains(part));
        let bonds = open.flat_map(|part| reached.iter().map(move |&to| (part, to)));
        let strongest = bonds.max_by_key(|&(part, to)| (shared[part][to], std::cmp::Reverse(part)));
        let Some((part, to)) = strongest.filter(|&(part, to)| shared[part][to] > 0) else { break };
        above[part] = Some(to as u8);
        reached.push(part);
    }
    Parts { of_vertex, above }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Quat;

    /// A bar of 40 x 8 vertices whose last part, from x = 1.2 on, turns by `angle` about its start.
    fn bar(angle: f32) -> (Vec<Vec<Vec3>>, Vec<[u32; 3]>) {
        let rest: Vec<Vec3> = (0..320).map(|i| Vec3::new((i / 8) as f32 * 0.05, (i % 8) as f32 * 0.03, 0.0)).collect();
        let triangles = (0..39_u32).flat_map(|row| {
            (0..7_u32).flat_map(move |column| {
                let a = 8 * row + column;
                [[a, a + 8, a + 9], [a, a + 9, a + 1]]
            })
        });
        let knee = Vec3::X * 1.2;
        let turned = |amount: f32| -> Vec<Vec3> {
            let turn = Quat::from_axis_angle(Vec3::Y, angle * amount);
            let place = |&p: &Vec3| if p.x > 1.2 { knee + turn * (p - knee) } else { p };
            rest.iter().map(place).map(|p| p + Vec3::Z * amount).collect()
        };
        let frames = (0..5).map(|i| turned(i as f32 / 4.0)).collect();
        (frames, triangles.collect())
    }

    #[test]
    fn what_bends_is_another_part_and_hangs_on_the_larger() {
        let (frames, triangles) = bar(1.5);
        let parts = Parts::new(&frames, &triangles);
        assert_eq!((parts.count(), parts.above(1), parts.above(0)), (2, Some(0), None));
        let wrong = (0..320).filter(|&v| parts.of(v) != u32::from(frames[0][v as usize].x > 1.2)).count();
        assert!(wrong <= 16, "{wrong} vertices, beside the bend at most");
    }

    #[test]
    fn what_only_moves_or_stands_or_is_empty_is_one_part() {
        let (frames, triangles) = bar(0.0);
        let one = Parts::new(&frames, &triangles);
        assert_eq!((one.count(), one.of(319), one.above(0)), (1, 0, None));
        assert_eq!(Parts::new(&frames[..1], &triangles), one);
        assert_eq!(Parts::new::<Vec<Vec3>>(&[], &[]), one);
        assert_eq!(Parts::new(&[vec![], vec![]], &[]), one);
        let still = [vec![Vec3::X; 3], vec![Vec3::Y; 3]];
        assert_eq!(Parts::new(&still, &[[0, 1, 2]]).count(), 1);
    }

    #[test]
    fn where_everything_moves_on_its_own_there_are_not_too_many() {
        let scattered = |frame: u32| -> Vec<Vec3> {
            let digit = |i: u32| ((i + 7919 * frame).wrapping_mul(2_654_435_761) >> 16) as f32 / 65_536.0;
            (0..300).map(|i| Vec3::new(digit(3 * i), digit(3 * i + 1), digit(3 * i + 2))).collect()
        };
        let triangles: Vec<[u32; 3]> = (0..100).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let parts = Parts::new(&[scattered(0), scattered(1), scattered(2)], &triangles);
        assert!((1..=MOST).contains(&parts.count()));
        assert!((0..300).all(|v| (parts.of(v) as usize) < parts.count()));
    }
}
