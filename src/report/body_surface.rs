//! The body's surface as a closed whole: seams welded, inside-out shells turned, pseudo-normals.

use std::collections::BTreeMap;

use crate::geometry::{ClosestPoint, DVec3, Feature, Vec3};

/// Which triangles of a body meet where. Holds for every pose; positions are passed in.
#[derive(Clone, Debug)]
pub(crate) struct BodySurface {
    /// The body's triangles in its order; those of closed shells that were inside out are turned.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Welded vertex of each vertex: one for all vertices that lie at one place in both poses given.
    welded: Vec<u32>,
    /// Triangles around each welded vertex, one list after the other.
    fans: Vec<u32>,
    /// Where the fan of each welded vertex starts; one more entry than welded vertices.
    fan_starts: Vec<u32>,
}

impl BodySurface {
    /// Welds vertices that share a place in `pose` and in `other_pose` (vertices that only meet in one pose stay apart).
    pub(crate) fn new(triangles: &[[u32; 3]], pose: &[Vec3], other_pose: &[Vec3]) -> BodySurface {
        let welded = weld(pose, other_pose);
        let triangles = turn_inside_out_shells(triangles, &welded, pose);
        let count = welded.iter().max().map_or(0, |&m| m as usize + 1);
        let mut fan_starts = vec![0u32; count + 1];
        for &v in triangles.iter().flatten() {
            fan_starts[welded[v as usize] as usize + 1] += 1;
        }
        for i in 0..count {
            fan_starts[i + 1] += fan_starts[i];
        }
        let mut next = fan_starts.clone();
        let mut fans = vec![0; triangles.len() * 3];
        for (index, triangle) in triangles.iter().enumerate() {
            for &v in triangle {
                let slot = &mut next[welded[v as usize] as usize];
                fans[*slot as usize] = index as u32;
                *slot += 1;
            }
        }
        BodySurface { triangles, welded, fans, fan_starts }
    }

    /// Normal, of any length, whose sign tells inside from outside at a closest point (Baerentzen & Aanaes 2005): the face
    /// normal, the sum over both faces of an edge, the angle-weighted sum around a corner.
    pub(crate) fn pseudo_normal(&self, triangle: u32, closest: &ClosestPoint, positions: &[Vec3]) -> DVec3 {
        let corners = self.triangles[triangle as usize];
        match closest.feature {
            Feature::Face => unit_normal(corners.map(|v| positions[v as usize].as_dvec3())),
            Feature::Edge(i) => {
                let i = usize::from(i);
                let [a, b] = [corners[i], corners[(i + 1) % 3]].map(|v| self.welded[v as usize]);
                self.fan(a)
                    .filter(|&t| self.triangles[t].iter().any(|&v| self.welded[v as usize] == b))
                    .map(|t| unit_normal(self.triangles[t].map(|v| positions[v as usize].as_dvec3())))
                    .sum()
            }
            Feature::Corner(i) => {
                let corner = self.welded[corners[usize::from(i)] as usize];
                self.fan(corner).map(|t| self.weighted_normal(t, corner, positions)).sum()
            }
        }
    }

    fn fan(&self, welded: u32) -> impl Iterator<Item = usize> + '_ {
        let range = self.fan_starts[welded as usize] as usize..self.fan_starts[welded as usize + 1] as usize;
        self.fans[range].iter().map(|&t| t as usize)
    }

    /// Unit normal of `triangle` times its angle at the welded vertex `corner`.
    fn weighted_normal(&self, triangle: usize, corner: u32, positions: &[Vec3]) -> DVec3 {
        let vertices = self.triangles[triangle];
        let at = vertices.iter().position(|&v| self.welded[v as usize] == corner).unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|k| positions[vertices[(at + k) % 3] as usize].as_dvec3());
        let (ab, ac) = (b - a, c - a);
        unit_normal([a, b, c]) * libm::atan2(ab.cross(ac).length(), ab.dot(ac))
    }
}

/// Unit normal; zero for a triangle without area.
fn unit_normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

/// Numbers places: vertices with the same bits in both poses share a number.
fn weld(pose: &[Vec3], other_pose: &[Vec3]) -> Vec<u32> {
    // Adding zero turns -0 into 0.
    let bits = |p: &Vec3| (*p + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut numbers = BTreeMap::new();
    pose.iter()
        .zip(other_pose)
        .map(|(p, q)| {
            let next = numbers.len() as u32;
            *numbers.entry((bits(p), bits(q))).or_insert(next)
        })
        .collect()
}

/// Turns the triangles of each closed shell whose volume is negative. Open shells have no inside and stay.
fn turn_inside_out_shells(triangles: &[[u32; 3]], welded: &[u32], positions: &[Vec3]) -> Vec<[u32; 3]> {
    let shell_of = shells(triangles, welded);
    let mut open_edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    let mut volumes: BTreeMap<u32, f64> = BTreeMap::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| welded[v as usize]);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            // Each edge of a consistently wound closed shell is passed once in each direction.
            *open_edges.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
        let [p, q, r] = triangle.map(|v| positions[v as usize].as_dvec3());
        *volumes.entry(shell_of[a as usize]).or_default() += p.dot(q.cross(r));
    }
    for ((from, _), balance) in open_edges {
        if balance != 0 {
            volumes.insert(shell_of[from as usize], 0.0);
        }
    }
    let is_inside_out = |&[a, ..]: &[u32; 3]| volumes[&shell_of[welded[a as usize] as usize]] < 0.0;
    triangles.iter().map(|t| if is_inside_out(t) { [t[0], t[2], t[1]] } else { *t }).collect()
}

/// Smallest welded vertex of each welded vertex's connected shell.
fn shells(triangles: &[[u32; 3]], welded: &[u32]) -> Vec<u32> {
    let count = welded.iter().max().map_or(0, |&m| m as usize + 1);
    let mut parent: Vec<u32> = (0..count as u32).collect();
    let root = |parent: &mut Vec<u32>, mut v: u32| {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    };
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| root(&mut parent, welded[v as usize]));
        let smallest = a.min(b).min(c);
        for v in [a, b, c] {
            parent[v as usize] = smallest;
        }
    }
    (0..count as u32).map(|v| root(&mut parent, v)).collect()
}
