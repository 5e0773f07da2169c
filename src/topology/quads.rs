//! Triangles of a file paired back into the quads they came from.
//!
//! ```text
//!     s ------ q        score = greatest |corner - 90 deg| + half the fold across p..s, degrees;
//!     |  \     |        minus a bonus when the file lists the triangles one after the other, as exporters do
//!     |     \  |
//!     r ------ p        (p, q, s, r are joined across their shared edge s-p)
//! ```
//!
//! Best pairs first. A mesh of quads shows afterwards: most inner particles have four edges, and the quads are nearer to
//! rectangles than pairs of equilateral triangles (30 degrees) are. Else the triangles were no quads, and only pairs that are
//! nearly rectangles stay.

use super::edges::EdgeFaces;
use crate::geometry::{DVec3, Vec3};
use crate::import::Polygons;

/// Score up to which triangles pair, degrees. Larger finds more sheared quads and more false ones.
const MAX_SCORE: f64 = 60.0;

/// Bonus for triangles that stand one after the other in the file, degrees.
const ADJACENCY_BONUS: f64 = 30.0;

/// Pairs one after the other, as a part of the triangles, from which on the file is taken to keep halves of quads together
/// (it would be half of the triangles if all are).
const MIN_ADJACENT_PART: f64 = 0.35;

/// Score (without bonus) up to which triangles of an irregular mesh pair, degrees.
const MAX_IRREGULAR_SCORE: f64 = 15.0;

/// Mean score (without bonus) of the pairs in a mesh of quads, degrees: above noise of a fifth of an edge, below what
/// triangles give that were never quads.
const MAX_MEAN_SCORE: f64 = 28.0;

/// Part of the inner particles that has four edges in a mesh of quads.
const REGULAR_PART: f64 = 0.6;

/// Pairs triangles into quads when the mesh has triangles only; other meshes come back as they are. Of `faces`, one entry a
/// polygon, a quad keeps that of its first triangle.
pub(super) fn pair_triangles(positions: &[Vec3], polygons: Polygons, faces: &mut Vec<u32>) -> Polygons {
    if polygons.iter().any(|polygon| polygon.len() != 3) {
        return polygons;
    }
    let edges = EdgeFaces::of(&polygons, positions.len());
    let mut candidates = candidates(positions, &polygons, &edges);
    let partners = take_best_by_shape_or_order(&mut candidates, polygons.len());
    if mean_score(&candidates, &partners) <= MAX_MEAN_SCORE && is_regular(&partners, &edges, positions.len()) {
        return joined(&polygons, &partners, faces);
    }
    candidates.retain(|c| c.score <= MAX_IRREGULAR_SCORE);
    joined(&polygons, &take_best(&candidates, polygons.len()), faces)
}

#[derive(Clone, Copy)]
struct Candidate {
    /// Degrees.
    score: f64,
    /// Degrees.
    bonus: f64,
    edge: usize,
    /// Sides (corner indices) of the two triangles on the edge.
    sides: [usize; 2],
}

fn candidates(positions: &[Vec3], polygons: &Polygons, edges: &EdgeFaces) -> Vec<Candidate> {
    let inner = (0..edges.len()).filter_map(|edge| match *edges.sides(edge) {
        [a, b] => Some((edge, [a as usize, b as usize])),
        _ => None,
    });
    let scored = inner.filter_map(|(edge, sides)| {
        let quad = quad(polygons, sides)?;
        let score = score(quad.map(|p| positions[p as usize].as_dvec3()));
        let bonus = if sides[0] / 3 + 1 == sides[1] / 3 { ADJACENCY_BONUS } else { 0.0 };
        (score - bonus <= MAX_SCORE).then_some(Candidate { score, bonus, edge, sides })
    });
    scored.collect()
}

/// Corners of the quad that two triangles form, wound as the first: opposite corner, start of the shared side of the other,
/// opposite corner of the other, start of the shared side of the first. None when the windings disagree.
fn quad(polygons: &Polygons, [a, b]: [usize; 2]) -> Option<[u32; 4]> {
    let corner = |side: usize, step: usize| polygons.corners[side / 3 * 3 + (side + step) % 3];
    let quad = [corner(a, 2), corner(a, 0), corner(b, 2), corner(b, 0)];
    (corner(a, 0) == corner(b, 1) && corner(a, 1) == corner(b, 0) && quad[0] != quad[2]).then_some(quad)
}

/// Degrees; the shared edge runs from the second to the fourth corner.
fn score([p, q, s, r]: [DVec3; 4]) -> f64 {
    let corners = [
        angle(q - p, r - p),
        angle(p - q, r - q) + angle(s - q, r - q),
        angle(q - s, r - s),
        angle(p - r, q - r) + angle(s - r, q - r),
    ];
    let deviation = corners.iter().fold(0.0_f64, |worst, corner| worst.max((corner - 90.0).abs()));
    let fold = angle((q - p).cross(r - p), (r - s).cross(q - s));
    deviation + 0.5 * fold
}

/// Angle between two vectors, degrees.
fn angle(u: DVec3, v: DVec3) -> f64 {
    libm::atan2(u.cross(v).length(), u.dot(v)).to_degrees()
}

/// Partners with the bonus for triangles that stand one after the other, if the file keeps halves of quads together; else
/// without, and then the candidates that only the bonus let in are gone.
///
/// In a small file shuffled triangles stand one after the other by chance, as often as in one that keeps halves together. So
/// the shape alone is asked too: what leaves fewer triangles without a partner is right.
fn take_best_by_shape_or_order(candidates: &mut Vec<Candidate>, triangles: usize) -> Vec<Option<[usize; 2]>> {
    let mut by_shape: Vec<Candidate> = candidates.iter().filter(|c| c.score <= MAX_SCORE).copied().collect();
    sort_by(&mut by_shape, |c| c.score);
    let shape = take_best(&by_shape, triangles);
    let adjacent = candidates.iter().filter(|c| c.bonus > 0.0).count();
    if adjacent as f64 >= MIN_ADJACENT_PART * triangles as f64 {
        sort_by(candidates, |c| c.score - c.bonus);
        let order = take_best(candidates, triangles);
        if singles(&order) <= singles(&shape) {
            return order;
        }
    }
    *candidates = by_shape;
    shape
}

/// Triangles without a partner.
fn singles(partners: &[Option<[usize; 2]>]) -> usize {
    partners.iter().filter(|partner| partner.is_none()).count()
}

/// Smallest score first.
fn sort_by(candidates: &mut [Candidate], score: impl Fn(&Candidate) -> f64) {
    candidates.sort_by(|a, b| score(a).total_cmp(&score(b)).then(a.edge.cmp(&b.edge)));
}

/// For each triangle the side on its shared edge and the partner's side, best candidates first.
fn take_best(candidates: &[Candidate], triangles: usize) -> Vec<Option<[usize; 2]>> {
    let mut partners = vec![None; triangles];
    for &Candidate { sides: [a, b], .. } in candidates {
        if partners[a / 3].is_none() && partners[b / 3].is_none() {
            partners[a / 3] = Some([a, b]);
            partners[b / 3] = Some([b, a]);
        }
    }
    partners
}

/// Mean score of the candidates taken, degrees.
fn mean_score(candidates: &[Candidate], partners: &[Option<[usize; 2]>]) -> f64 {
    let taken = candidates.iter().filter(|c| partners[c.sides[0] / 3] == Some(c.sides));
    let (sum, count) = taken.fold((0.0, 0.0), |(sum, count), c| (sum + c.score, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Whether most inner particles have four edges once the pairs' shared edges are gone.
fn is_regular(partners: &[Option<[usize; 2]>], edges: &EdgeFaces, particles: usize) -> bool {
    let mut valence = vec![0_u32; particles];
    let mut inner = vec![true; particles];
    for edge in 0..edges.len() {
        let is_diagonal = edges
            .sides(edge)
            .iter()
            .any(|&side| partners[side as usize / 3].is_some_and(|[own, _]| own == side as usize));
        for end in edges.ends(edge).map(|p| p as usize) {
            valence[end] += u32::from(!is_diagonal);
            inner[end] &= edges.sides(edge).len() == 2;
        }
    }
    let inner: Vec<u32> = (0..particles).filter(|&p| inner[p] && valence[p] > 0).map(|p| valence[p]).collect();
    let regular = inner.iter().filter(|&&v| v == 4).count();
    regular as f64 >= REGULAR_PART * inner.len() as f64
}

/// Polygons with each pair of triangles as one quad, at the place of the first.
fn joined(polygons: &Polygons, partners: &[Option<[usize; 2]>], faces: &mut Vec<u32>) -> Polygons {
    let mut joined = Polygons::default();
    let mut kept = Vec::with_capacity(faces.len());
    for (triangle, partner) in partners.iter().enumerate() {
        match *partner {
            Some([own, other]) if own < other => {
                if let Some(quad) = quad(polygons, [own, other]) {
                    joined.push(&quad);
                    kept.push(faces[triangle]);
                }
            }
            Some(_) => {}
            None => {
                joined.push(polygons.get(triangle));
                kept.push(faces[triangle]);
            }
        }
    }
    *faces = kept;
    joined
}
