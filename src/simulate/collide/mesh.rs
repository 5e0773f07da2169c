//! How the triangles of a body hang together.

use crate::geometry::{ClosestPoint, Feature, Lists, Vec3, closest_point_on_triangle, joined_triangles};

/// No neighbour across an edge.
pub(super) const NONE: u32 = u32::MAX;

/// Triangles that one step of a walk may lead through: a body's vertex has six, its poles some dozens.
const STEPS: u32 = 32;

/// The triangles of a body with their neighbourhoods. Where its vertices are, every question says.
#[derive(Debug)]
pub(super) struct SurfaceMesh {
    /// Corners, vertices of equal coordinates joined; none has a corner twice.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Triangle across each edge of each triangle.
    neighbours: Vec<[u32; 3]>,
    triangles_at_corners: Lists<u32>,
    rim: Vec<bool>,
    /// Connected piece of each triangle.
    pub(super) shell_of: Vec<u32>,
    /// Number of pieces.
    pub(super) shells: usize,
    triangles_of_shells: Lists<u32>,
}

impl SurfaceMesh {
    /// The mesh of `triangles` between vertices that are at `positions` when nothing has moved.
    pub(super) fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> SurfaceMesh {
        let triangles = joined_triangles(positions, triangles);
        let neighbours = neighbours(&triangles);
        let mut rim = vec![false; positions.len()];
        for (triangle, across) in triangles.iter().zip(&neighbours) {
            for edge in (0..3).filter(|&e| across[e] == NONE) {
                rim[triangle[edge] as usize] = true;
                rim[triangle[(edge + 1) % 3] as usize] = true;
            }
        }
        let (shell_of, shells) = shells(&neighbours);
        let triangles_at_corners = Lists::triangles_at_corners(positions.len(), &triangles);
        let triangles_of_shells = Lists::by_number(shells, &shell_of);
        SurfaceMesh { triangles, neighbours, triangles_at_corners, rim, shell_of, shells, triangles_of_shells }
    }

    /// The triangles of a connected piece, ascending.
    pub(super) fn triangles_of_shell(&self, shell: u32) -> &[u32] {
        self.triangles_of_shells.of(shell)
    }

    /// The closest point that a walk from triangle to neighbouring triangle reaches from `start`, never away from `point`: its
    /// triangle, the point, and the squared distance. None if the walk does not end.
    pub(super) fn walk(&self, positions: &[Vec3], start: u32, point: Vec3) -> Option<(u32, ClosestPoint, f32)> {
        let look = |triangle: u32| {
            let corners = self.triangles[triangle as usize].map(|v| positions[v as usize]);
            let closest = closest_point_on_triangle(point, corners);
            (triangle, closest, closest.point.distance_squared(point))
        };
        let mut here = look(start);
        for _ in 0..STEPS {
            let (triangle, closest, _) = here;
            for &next in self.around(triangle, closest.feature).iter().filter(|&&next| next != triangle) {
                let there = look(next);
                here = if there.2 < here.2 { there } else { here };
            }
            if here.0 == triangle {
                return Some(here);
            }
        }
        None
    }

    /// Distance of `position` from its closest point, negative inside, and the direction that leads out.
    pub(super) fn signed_distance(
        &self,
        positions: &[Vec3],
        position: Vec3,
        triangle: usize,
        closest: &ClosestPoint,
        distance: f32,
    ) -> (f32, Vec3) {
        let pseudo_normal = self.pseudo_normal(positions, triangle, closest.feature);
        let away = position - closest.point;
        let side = pseudo_normal.map_or(1.0, |n| if away.dot(n) < 0.0 { -1.0 } else { 1.0 });
        let face = self.face_normal(positions, triangle).normalize_or(Vec3::Y);
        // On the surface itself the way from the closest point has no direction.
        let direction =
            if distance > 1e-6 { away * (side / distance) } else { pseudo_normal.unwrap_or(face).normalize_or(face) };
        (side * distance, direction)
    }

    /// Pseudo-normal of a feature (not unit length); none on a rim.
    fn pseudo_normal(&self, positions: &[Vec3], triangle: usize, feature: Feature) -> Option<Vec3> {
        match feature {
            Feature::Face => Some(self.face_normal(positions, triangle)),
            Feature::Edge(edge) => {
                let across = self.neighbours[triangle][usize::from(edge)];
                (across != NONE).then(|| {
                    self.face_normal(positions, triangle).normalize_or_zero()
                        + self.face_normal(positions, across as usize).normalize_or_zero()
                })
            }
            Feature::Corner(corner) => {
                let vertex = self.triangles[triangle][usize::from(corner)];
                (!self.rim[vertex as usize]).then(|| self.corner_normal(positions, vertex))
            }
        }
    }

    /// The triangles that meet in a feature of a triangle: at a corner all of them, across an edge the other.
    pub(super) fn around(&self, triangle: u32, feature: Feature) -> &[u32] {
        match feature {
            Feature::Face => &[],
            Feature::Edge(edge) => {
                let across = std::slice::from_ref(&self.neighbours[triangle as usize][usize::from(edge)]);
                if across == [NONE] { &[] } else { across }
            }
            Feature::Corner(corner) => {
                self.triangles_at_corners.of(self.triangles[triangle as usize][usize::from(corner)])
            }
        }
    }

    /// Whether surface is all around a vertex.
    pub(super) fn is_inner(&self, vertex: u32) -> bool {
        !self.rim[vertex as usize] && !self.triangles_at_corners.of(vertex).is_empty()
    }

    /// How far the surface falls away from an inner vertex within `span`, at most, metres.
    ///
    /// ```text
    ///          vertex            along an edge, and beyond its end as a circle through it goes on:
    ///      ___---^---___         fall = slope span max(1, span / edge)
    ///     /             \
    /// ```
    pub(super) fn stands_out(&self, positions: &[Vec3], vertex: u32, span: f32) -> f32 {
        let at = positions[vertex as usize];
        let triangles = self.triangles_at_corners.of(vertex);
        // By area: by angle takes ten times as long.
        let normal =
            triangles.iter().map(|&t| self.face_normal(positions, t as usize)).sum::<Vec3>().normalize_or_zero();
        let fall = |corner: u32| {
            let edge = positions[corner as usize] - at;
            let down = -edge.dot(normal);
            if down <= 0.0 {
                return 0.0;
            }
            let length = edge.length();
            down / length * span * (span / length).max(1.0)
        };
        // Around an inner vertex each corner is the next one in one triangle.
        let next = |&t: &u32| {
            let corners = self.triangles[t as usize];
            corners[(corners.iter().position(|&corner| corner == vertex).unwrap_or(0) + 1) % 3]
        };
        triangles.iter().map(next).map(fall).fold(0.0, f32::max)
    }

    /// Sum of the normals around a vertex, weighted by their angles there.
    pub(super) fn corner_normal(&self, positions: &[Vec3], vertex: u32) -> Vec3 {
        let at = positions[vertex as usize];
        let weighted_normal = |&triangle: &u32| {
            let corners = self.triangles[triangle as usize];
            let others =
                corners.iter().filter(|&&c| c != vertex).map(|&c| (positions[c as usize] - at).normalize_or_zero());
            let [one, other] = others
                .fold(([Vec3::ZERO; 2], 0), |(mut pair, n), d| {
                    pair[n.min(1)] = d;
                    (pair, n + 1)
                })
                .0;
            let angle = libm::acosf(one.dot(other).clamp(-1.0, 1.0));
            self.face_normal(positions, triangle as usize).normalize_or_zero() * angle
        };
        self.triangles_at_corners.of(vertex).iter().map(weighted_normal).fold(Vec3::ZERO, |sum, n| sum + n)
    }

    pub(super) fn face_normal(&self, positions: &[Vec3], triangle: usize) -> Vec3 {
        let [a, b, c] = self.triangles[triangle].map(|v| positions[v as usize]);
        (b - a).cross(c - a)
    }
}

/// Triangle across each edge. An edge of three or more triangles pairs those that run along it in opposite directions,
/// smallest first; what is left over has no neighbour.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut edges: Vec<(u32, u32, bool, u32)> = Vec::with_capacity(3 * triangles.len());
    for (index, triangle) in (0..).zip(triangles) {
        for edge in 0..3 {
            let (a, b) = (triangle[edge], triangle[(edge + 1) % 3]);
            edges.push((a.min(b), a.max(b), a < b, 3 * index + edge as u32));
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![[NONE; 3]; triangles.len()];
    for run in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let backward = run.iter().filter(|e| !e.2).map(|e| e.3);
        let forward = run.iter().filter(|e| e.2).map(|e| e.3);
        for (one, other) in forward.zip(backward) {
            neighbours[one as usize / 3][one as usize % 3] = other / 3;
            neighbours[other as usize / 3][other as usize % 3] = one / 3;
        }
    }
    neighbours
}

/// The shell (connected piece of surface) of each triangle, numbered by first triangle, and their number.
fn shells(neighbours: &[[u32; 3]]) -> (Vec<u32>, usize) {
    let mut shells = vec![NONE; neighbours.len()];
    let mut count = 0;
    let mut open = Vec::new();
    for first in 0..neighbours.len() {
        if shells[first] != NONE {
            continue;
        }
        shells[first] = count;
        open.push(first);
        while let Some(triangle) = open.pop() {
            for &next in neighbours[triangle].iter().filter(|&&n| n != NONE) {
                if shells[next as usize] == NONE {
                    shells[next as usize] = count;
                    open.push(next as usize);
                }
            }
        }
        count += 1;
    }
    (shells, count as usize)
}
