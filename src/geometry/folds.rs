//! Which triangles of a cloth may touch each other.
//!
//! ```text
//!      ___                  A piece of cloth whose normals all lie in a narrow cone is a height field: it cannot touch itself
//!     /   \   fold          (Volino & Magnenat Thalmann 1994). So the tree over the triangles is walked from the top, and a
//!    |     |                connected piece with a narrow cone ends the walk. What remains are folds and other layers.
//! ```

use rayon::prelude::*;

use super::bvh::LEAF_SIZE;
use super::{Bvh, BvhNode, Vec3};

/// Distance of a piece's normals from its axis, as chords of the unit sphere, up to which it counts as flat: 74 degrees.
const FLAT: f32 = 1.2;
/// Pairs of nodes from which on they are looked at side by side.
const SIDE_BY_SIDE: usize = 256;

/// The normals of a piece: all within `chord` of a unit axis.
#[derive(Clone, Copy, Debug)]
struct Cone {
    axis: Vec3,
    chord: f32,
}

/// A tree over the triangles of a cloth that knows how flat its parts are.
#[derive(Clone, Debug)]
pub struct Folds {
    triangles: Vec<[u32; 3]>,
    bvh: Bvh,
    cones: Vec<Cone>,
    connections: Connections,
}

impl Folds {
    /// A tree over `triangles`, built for their shape at `positions`.
    pub fn new(positions: &[Vec3], triangles: Vec<[u32; 3]>) -> Folds {
        let bvh = Bvh::build(positions, &triangles);
        let connections = Connections::new(&bvh, &triangles, positions.len());
        let cones = vec![Cone { axis: Vec3::ZERO, chord: 0.0 }; bvh.node_count()];
        Folds { triangles, bvh, cones, connections }
    }

    /// The triangles of the cloth.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Fits boxes and cones to the cloth as it is now.
    pub fn refit(&mut self, positions: &[Vec3]) {
        let Folds { triangles, bvh, cones, .. } = self;
        let normal = |&t: &u32| {
            let [a, b, c] = triangles[t as usize].map(|v| positions[v as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let of_leaf = |leaf: &[u32]| {
            let mut normals = [Vec3::ZERO; LEAF_SIZE];
            normals.iter_mut().zip(leaf.iter().map(normal)).for_each(|(place, normal)| *place = normal);
            Cone::of_normals(&normals[..leaf.len()])
        };
        bvh.refit_with(positions, triangles, cones, &of_leaf, &Cone::around);
    }

    /// All pairs of triangles in leaves that may come nearer than `reach`, each once. Pairs within a flat connected piece are
    /// left out.
    pub fn pairs(&self, reach: f32) -> Vec<[u32; 2]> {
        let (mut open, mut found) = (vec![(0, 0)], Vec::new());
        while !open.is_empty() && open.len() < SIDE_BY_SIDE {
            for pair in std::mem::take(&mut open) {
                self.descend(pair, reach, &mut open, &mut found);
            }
        }
        let below = |&pair: &(u32, u32)| {
            let (mut open, mut found) = (vec![pair], Vec::new());
            while let Some(pair) = open.pop() {
                self.descend(pair, reach, &mut open, &mut found);
            }
            found
        };
        found.par_extend(open.par_iter().flat_map_iter(below));
        found
    }

    /// Looks at a pair of nodes: adds pairs below it that are still to be looked at, or the triangles of leaves.
    fn descend(&self, (a, b): (u32, u32), reach: f32, open: &mut Vec<(u32, u32)>, found: &mut Vec<[u32; 2]>) {
        if a == b {
            self.descend_into(a, open, found);
        } else if self.may_touch(a, b, reach) {
            self.descend_between(a, b, open, found);
        }
    }

    fn descend_into(&self, node: u32, open: &mut Vec<(u32, u32)>, found: &mut Vec<[u32; 2]>) {
        if self.connections.in_one_piece[node as usize] && self.cones[node as usize].chord < FLAT {
            return;
        }
        match self.bvh.node(node) {
            BvhNode::Inner([left, right]) => open.extend([(left, right), (right, right), (left, left)]),
            BvhNode::Leaf(triangles) => {
                for (i, &s) in triangles.iter().enumerate() {
                    found.extend(triangles[..i].iter().map(|&t| [s, t]));
                }
            }
        }
    }

    fn descend_between(&self, a: u32, b: u32, open: &mut Vec<(u32, u32)>, found: &mut Vec<[u32; 2]>) {
        let size = |node: u32| self.bvh.node_bounds(node).size().length_squared();
        match (self.bvh.node(a), self.bvh.node(b)) {
            (BvhNode::Leaf(ours), BvhNode::Leaf(theirs)) => {
                found.extend(ours.iter().flat_map(|&s| theirs.iter().map(move |&t| [s, t])));
            }
            (BvhNode::Inner([left, right]), BvhNode::Leaf(_)) => open.extend([(left, b), (right, b)]),
            (BvhNode::Inner([left, right]), BvhNode::Inner(_)) if size(a) >= size(b) => {
                open.extend([(left, b), (right, b)]);
            }
            (_, BvhNode::Inner([left, right])) => open.extend([(a, left), (a, right)]),
        }
    }

    fn may_touch(&self, a: u32, b: u32, reach: f32) -> bool {
        let near = self.bvh.node_bounds(a).inflated(reach).overlaps(self.bvh.node_bounds(b));
        let [a, b] = [a, b].map(|node| node as usize);
        let Connections { in_one_piece, rims } = &self.connections;
        let is_height_field = || {
            in_one_piece[a]
                && in_one_piece[b]
                && self.cones[a].around(self.cones[b]).chord < FLAT
                && share_any(&rims[a], &rims[b])
        };
        near && !is_height_field()
    }
}

impl Cone {
    /// A cone around unit normals; one without length counts as across.
    fn of_normals(normals: &[Vec3]) -> Cone {
        let axis = normals.iter().sum::<Vec3>().normalize_or_zero();
        Cone { axis, chord: normals.iter().map(|n| n.distance(axis)).fold(0.0, f32::max) }
    }

    /// A cone around two.
    fn around(self, other: Cone) -> Cone {
        let axis = (self.axis + other.axis).normalize_or_zero();
        let chord = |c: Cone| c.axis.distance(axis) + c.chord;
        Cone { axis, chord: chord(self).max(chord(other)) }
    }
}

/// How the parts of a tree hang together.
#[derive(Clone, Debug)]
struct Connections {
    /// Whether the triangles of each node are known to hang together.
    in_one_piece: Vec<bool>,
    /// Particles of each node that triangles outside it have too, ascending.
    rims: Vec<Vec<u32>>,
}

impl Connections {
    fn new(bvh: &Bvh, triangles: &[[u32; 3]], particles: usize) -> Connections {
        let mut uses = vec![0_u32; particles];
        triangles.iter().flatten().for_each(|&p| uses[p as usize] += 1);
        let nodes = bvh.node_count();
        let mut connections = Connections { in_one_piece: vec![false; nodes], rims: vec![Vec::new(); nodes] };
        // Particles of a node that are not yet wholly inside, with how many of their triangles are.
        let mut partly: Vec<Vec<(u32, u32)>> = vec![Vec::new(); nodes];
        for index in (0..nodes).rev() {
            let mut used: Vec<(u32, u32)> = match bvh.node(index as u32) {
                BvhNode::Leaf(leaf) => {
                    connections.in_one_piece[index] = hang_together(leaf, triangles);
                    leaf.iter().flat_map(|&t| triangles[t as usize]).map(|p| (p, 1)).collect()
                }
                BvhNode::Inner(children) => {
                    let [left, right] = children.map(|child| child as usize);
                    let joined = share_any(&connections.rims[left], &connections.rims[right]);
                    connections.in_one_piece[index] =
                        joined && connections.in_one_piece[left] && connections.in_one_piece[right];
                    std::mem::take(&mut partly[left]).into_iter().chain(std::mem::take(&mut partly[right])).collect()
                }
            };
            used.sort_unstable();
            let counted = used.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|r| r.1).sum()));
            partly[index] = counted.filter(|&(p, count)| count < uses[p as usize]).collect();
            connections.rims[index] = partly[index].iter().map(|r| r.0).collect();
        }
        connections
    }
}

/// Whether a few triangles hang together by corners.
fn hang_together(leaf: &[u32], triangles: &[[u32; 3]]) -> bool {
    let Some((&first, rest)) = leaf.split_first() else { return true };
    let mut reached = triangles[first as usize].to_vec();
    let mut left: Vec<u32> = rest.to_vec();
    let mut before = usize::MAX;
    while left.len() < before {
        before = left.len();
        left.retain(|&t| {
            let corners = triangles[t as usize];
            let touches = corners.iter().any(|c| reached.contains(c));
            if touches {
                reached.extend(corners);
            }
            !touches
        });
    }
    left.is_empty()
}

/// Whether two ascending lists have an entry in common.
fn share_any(a: &[u32], b: &[u32]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
        }
    }
    false
}
