//! Faces turned so that neighbours agree which side is out.

use super::count_of;
use super::edges::EdgeFaces;
use crate::import::Polygons;

/// Turns faces so that both faces of an edge run along it in opposite directions. Of each connected part, the smaller
/// number of faces is turned. Edges with more than two faces connect nothing.
pub(super) fn unify(polygons: &mut Polygons, notices: &mut Vec<String>) {
    let particles = polygons.corners.iter().max().map_or(0, |&p| p as usize + 1);
    let edges = EdgeFaces::of(polygons, particles);
    let mut turned: Vec<Option<bool>> = vec![None; polygons.len()];
    let mut one_sided = Vec::new();
    let mut part = Vec::new();
    for seed in 0..polygons.len() {
        if turned[seed].is_some() {
            continue;
        }
        flood(seed, polygons, &edges, &mut turned, &mut part, &mut one_sided);
        let minority = part.iter().filter(|&&p| turned[p] == Some(true)).count() * 2 > part.len();
        if minority {
            part.iter().for_each(|&p| turned[p] = turned[p].map(|t| !t));
        }
    }
    let flipped: Vec<usize> = (0..polygons.len()).filter(|&p| turned[p] == Some(true)).collect();
    for &polygon in &flipped {
        let range = polygons.range(polygon);
        polygons.corners[range][1..].reverse();
    }
    notices.extend(count_of("faces are wound against their neighbours and turned", &flipped));
    notices.extend(count_of("edges of a one-sided surface (Moebius strip), in faces", &one_sided));
}

/// Decides for all faces connected with `seed` whether they are turned; lists them in `part`.
fn flood(
    seed: usize,
    polygons: &Polygons,
    edges: &EdgeFaces,
    turned: &mut [Option<bool>],
    part: &mut Vec<usize>,
    one_sided: &mut Vec<usize>,
) {
    part.clear();
    part.push(seed);
    turned[seed] = Some(false);
    let mut next = 0;
    while let Some(&polygon) = part.get(next) {
        next += 1;
        for side in polygons.range(polygon) {
            let Some(other_side) = edges.across(side) else { continue };
            let other = edges.polygon_of(other_side);
            let agree = start_of(polygons, side) != start_of(polygons, other_side);
            let wanted = turned[polygon].map(|t| t == agree);
            match turned[other] {
                None => {
                    turned[other] = wanted;
                    part.push(other);
                }
                found if found != wanted && polygon < other => one_sided.push(polygon),
                _ => {}
            }
        }
    }
}

fn start_of(polygons: &Polygons, side: usize) -> u32 {
    polygons.corners[side]
}
