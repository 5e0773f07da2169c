//! Faces over particles: cleaned, and cut into triangles.

use std::collections::BTreeSet;

use super::weld::Welded;
use super::{ParticleId, count_of};
use crate::geometry::{DVec3, Vec3, triangulate};
use crate::import::Polygons;

/// Height of a triangle over its longest side below which it counts as one without area.
const SLIVER: f64 = 1e-6;

/// Corners of a face for each of its particles. Faces with a hole come by the ends of their seam twice; faces that go round and
/// round would be thousands of triangles on each other.
const MOST_VISITS: usize = 2;

/// The file's faces over particles, and which face of the file each is. Corners that became one are merged; faces with fewer
/// than three corners left, and faces with the corners of an earlier one, are left out.
pub(super) fn over_particles(faces: &Polygons, welded: &Welded, notices: &mut Vec<String>) -> (Polygons, Vec<u32>) {
    let mut polygons = Polygons::default();
    let mut file_faces = Vec::new();
    let mut degenerate = Vec::new();
    let mut ring: Vec<u32> = Vec::new();
    for (index, face) in faces.iter().enumerate() {
        ring.clear();
        ring.extend(face.iter().map(|&v| welded.particle_of_vertex[v as usize].0));
        ring.dedup();
        while ring.len() > 1 && ring.first() == ring.last() {
            ring.pop();
        }
        let different = distinct(&ring);
        if ring.len() > MOST_VISITS * different {
            let mut visited = BTreeSet::new();
            ring.retain(|&p| visited.insert(p));
        }
        if different < 3 {
            degenerate.push(index);
        } else {
            polygons.push(&ring);
            file_faces.push(index as u32);
        }
    }
    notices.extend(count_of("faces without three different corners are left out", &degenerate));
    without_duplicates(polygons, file_faces, notices)
}

fn distinct(ring: &[u32]) -> usize {
    let mut sorted = ring.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

fn without_duplicates(polygons: Polygons, file_faces: Vec<u32>, notices: &mut Vec<String>) -> (Polygons, Vec<u32>) {
    let mut sorted = polygons.clone();
    for i in 0..polygons.len() {
        sorted.corners[polygons.range(i)].sort_unstable();
    }
    let mut order: Vec<usize> = (0..polygons.len()).collect();
    order.sort_by(|&i, &j| sorted.get(i).cmp(sorted.get(j)).then(i.cmp(&j)));
    let mut duplicates: Vec<usize> =
        order.windows(2).filter(|pair| sorted.get(pair[0]) == sorted.get(pair[1])).map(|pair| pair[1]).collect();
    if duplicates.is_empty() {
        return (polygons, file_faces);
    }
    duplicates.sort_unstable();
    let mut kept = Polygons::default();
    let others: Vec<usize> = (0..polygons.len()).filter(|i| duplicates.binary_search(i).is_err()).collect();
    others.iter().for_each(|&i| kept.push(polygons.get(i)));
    let places: Vec<usize> = duplicates.iter().map(|&i| file_faces[i] as usize).collect();
    notices.extend(count_of("faces with the corners of an earlier face are left out", &places));
    (kept, others.iter().map(|&i| file_faces[i]).collect())
}

/// All polygons cut into triangles, in order.
pub(super) fn triangles(positions: &[Vec3], polygons: &Polygons, notices: &mut Vec<String>) -> Vec<[ParticleId; 3]> {
    let mut triangles = Vec::with_capacity(polygons.corners.len());
    let mut flat = Vec::new();
    for (index, polygon) in polygons.iter().enumerate() {
        let corners: Vec<Vec3> = polygon.iter().map(|&p| positions[p as usize]).collect();
        for triangle in triangulate(&corners) {
            if is_sliver(triangle.map(|i| corners[i].as_dvec3())) {
                flat.push(index);
            }
            triangles.push(triangle.map(|i| ParticleId(polygon[i])));
        }
    }
    notices.extend(count_of("triangles have no area, in faces", &flat));
    triangles.shrink_to_fit();
    triangles
}

/// Area of all triangles, square metres.
pub(super) fn area(positions: &[Vec3], triangles: &[[ParticleId; 3]]) -> f64 {
    let corners = |triangle: &[ParticleId; 3]| triangle.map(|p| positions[p.index()].as_dvec3());
    triangles.iter().map(corners).map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
}

fn is_sliver([a, b, c]: [DVec3; 3]) -> bool {
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length() <= SLIVER * longest
}

/// From the side between two `ends` into its face, at right angles to the side.
pub(super) fn inward(ends: [u32; 2], face: &[u32], positions: &[Vec3]) -> DVec3 {
    let [a, b] = ends.map(|v| positions[v as usize].as_dvec3());
    let centre = face.iter().map(|&v| positions[v as usize].as_dvec3()).sum::<DVec3>() / face.len() as f64;
    let along = (b - a).normalize_or_zero();
    (centre - a) - along * (centre - a).dot(along)
}

/// Particles that no polygon uses.
pub(super) fn loose(particles: usize, polygons: &Polygons, notices: &mut Vec<String>) -> Vec<ParticleId> {
    let mut used = vec![false; particles];
    polygons.corners.iter().for_each(|&p| used[p as usize] = true);
    let loose: Vec<usize> = (0..particles).filter(|&p| !used[p]).collect();
    notices.extend(count_of("particles belong to no face", &loose));
    loose.into_iter().map(|p| ParticleId(p as u32)).collect()
}
