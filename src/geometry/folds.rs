//! Which triangles of a cloth may touch each other.
//!
//! ```text
//!      ___                  A piece of cloth whose normals all lie in a narrow cone is a height field: it cannot touch itself
//!     /   \   fold          (Volino & Magnenat Thalmann 1994). So the tree over the triangles is walked from the top, and a
//!    |     |                connected piece with a narrow cone ends the walk. What remains are folds and other layers.
//! ```

mod connections;

use std::ops::Range;

use rayon::prelude::*;
use wide::f32x4;

use connections::{Connections, share_any};

use super::bvh::LEAF_SIZE;
use super::{Aabb, Bvh, BvhNode, Points, Vec3};

/// Distance of a piece's normals from its axis, as chords of the unit sphere, up to which it counts as flat: 74 degrees.
const FLAT: f32 = 1.2;
/// No particle.
const NOBODY: u32 = u32::MAX;
/// Pairs of nodes from which on they are looked at side by side.
const SIDE_BY_SIDE: usize = 256;
/// As many are looked at before it is asked how many pairs of triangles that came to.
const AT_A_TIME: usize = 32;

/// Pairs of triangles that are looked at for each triangle where cloth is heaped up, and in all, of small cloth and of large, at
/// most: time and memory hold them. Real cloth has 20, and less in its folds alone; four layers that lie on each other have 120.
#[derive(Clone, Copy, Debug)]
struct MostLooks {
    a_triangle: usize,
    of_small: usize,
    of_large: usize,
}

/// Of what is kept apart, several times a frame.
const TO_KEEP_APART: MostLooks = MostLooks { a_triangle: 256, of_small: 1 << 21, of_large: 1 << 25 };
/// The same of cloth whose triangles are so large that all of it is near.
const TO_KEEP_SOUP_APART: MostLooks = MostLooks { a_triangle: 64, ..TO_KEEP_APART };
/// Reach, as a part of the size of the cloth, from which on that is so: its edges are a fortieth as long as it is large.
const SOUP: f32 = 0.02;
/// Of what is counted.
const TO_COUNT: MostLooks = MostLooks { a_triangle: 128, of_small: 1 << 23, of_large: 1 << 25 };
/// Part of what is left to look at that one pair of nodes may take: one over this.
const SHARE: usize = 8;

/// Pairs of triangles, or of leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldPairs {
    /// Each once.
    pub pairs: Vec<[u32; 2]>,
    /// Whether these are all. Of cloth that is heaped up without end some are not looked for.
    pub is_all: bool,
}

/// The normals of a piece: all within `chord` of a unit axis.
#[derive(Clone, Copy, Debug)]
struct Cone {
    axis: Vec3,
    chord: f32,
}

/// A tree over the triangles of a cloth that knows how flat its parts are.
#[derive(Clone, Debug)]
pub struct Folds {
    /// In the order of the tree.
    triangles: Vec<[u32; 3]>,
    bvh: Bvh,
    cones: Vec<Cone>,
    connections: Connections,
    /// Triangles of each leaf.
    leaves: Vec<Range<u32>>,
    /// Place of each node among the leaves, if it is one.
    leaf_of_node: Vec<u32>,
}

impl Folds {
    /// A tree over `triangles`, built for their shape at `positions`.
    pub fn new(positions: &[Vec3], mut triangles: Vec<[u32; 3]>) -> Folds {
        let mut bvh = Bvh::build(positions, &triangles);
        bvh.put_in_order(&mut triangles);
        let connections = Connections::new(&bvh, &triangles, positions.len());
        let cones = vec![Cone::NONE; bvh.node_count()];
        let (mut leaves, mut leaf_of_node) = (Vec::new(), vec![0; bvh.node_count()]);
        for node in 0..bvh.node_count() as u32 {
            if let BvhNode::Leaf(leaf) = bvh.node(node) {
                leaf_of_node[node as usize] = leaves.len() as u32;
                let first = leaf.first().copied().unwrap_or(0);
                leaves.push(first..first + leaf.len() as u32);
            }
        }
        Folds { triangles, bvh, cones, connections, leaves, leaf_of_node }
    }

    /// The triangles of the cloth: neighbours in this order are neighbours in space.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Fits boxes and cones to the cloth as it is now.
    pub fn refit(&mut self, positions: &[Vec3]) {
        let Folds { bvh, triangles, cones, .. } = self;
        let of_leaf = |leaf| {
            let faces = Faces::gather(&triangles[leaf], positions);
            faces.map_or((Aabb::EMPTY, Cone::NONE), |faces| (faces.bounds(), faces.cone()))
        };
        bvh.refit_with(cones, of_leaf, Cone::around);
    }

    /// The triangles of each leaf of the tree, a few that stand one after the other.
    pub fn leaves(&self) -> &[Range<u32>] {
        &self.leaves
    }

    /// The triangles of one of these.
    pub fn triangles_of(&self, leaf: &Range<u32>) -> &[[u32; 3]] {
        &self.triangles[leaf.start as usize..leaf.end as usize]
    }

    /// All pairs of leaves whose triangles may come nearer than `reach`, each once. Pairs within a flat connected piece are left
    /// out; a folded leaf is a pair with itself.
    pub fn pairs_of_leaves(&self, reach: f32) -> FoldPairs {
        let look = |leaves: [u32; 2], found: &mut Found| {
            found.looks_left = found.looks_left.saturating_sub(LEAF_SIZE * LEAF_SIZE);
            found.pairs.push(leaves);
        };
        let is_soup = reach > SOUP * self.bvh.node_bounds(0).size().length();
        let most = if is_soup { TO_KEEP_SOUP_APART } else { TO_KEEP_APART };
        self.walk(reach, most, &|_, _| false, &look)
    }

    /// Pairs of triangles that touch which `count`, each once. `count` says no to triangles that share a particle, so that nodes
    /// all of whose triangles share one, as fans do, are not looked into.
    pub fn pairs_apart(&self, count: impl Fn([u32; 2]) -> bool + Sync) -> FoldPairs {
        let hubs = self.hubs();
        let share =
            |a: u32, b: u32| hubs[a as usize].iter().any(|hub| *hub != NOBODY && hubs[b as usize].contains(hub));
        let look = |leaves: [u32; 2], found: &mut Found| {
            let [ours, theirs] = leaves.map(|leaf| self.leaves[leaf as usize].clone());
            found.looks_left = found.looks_left.saturating_sub(ours.len() * theirs.len());
            for s in ours {
                let others = if leaves[0] == leaves[1] { theirs.start..s } else { theirs.clone() };
                found.pairs.extend(others.map(|t| [s, t]).filter(|&pair| count(pair)));
            }
        };
        self.walk(0.0, TO_COUNT, &share, &look)
    }

    /// The particles that all triangles of each node share.
    fn hubs(&self) -> Vec<[u32; 3]> {
        let mut hubs = vec![[NOBODY; 3]; self.bvh.node_count()];
        for index in (0..hubs.len()).rev() {
            let common = |a: [u32; 3], b: [u32; 3]| a.map(|p| if b.contains(&p) { p } else { NOBODY });
            hubs[index] = match self.bvh.node(index as u32) {
                BvhNode::Leaf(leaf) => {
                    leaf.iter().map(|&t| self.triangles[t as usize]).reduce(common).unwrap_or([NOBODY; 3])
                }
                BvhNode::Inner([left, right]) => common(hubs[left as usize], hubs[right as usize]),
            };
        }
        hubs
    }

    /// What `look` finds in pairs of leaves that nothing rules out.
    fn walk(
        &self,
        reach: f32,
        most: MostLooks,
        is_ruled_out: &(impl Fn(u32, u32) -> bool + Sync),
        look: &(impl Fn([u32; 2], &mut Found) + Sync),
    ) -> FoldPairs {
        let looks_left = (most.a_triangle * self.triangles.len()).clamp(most.of_small, most.of_large);
        let (mut open, mut found) = (vec![(0, 0)], Found { pairs: Vec::new(), looks_left });
        while !open.is_empty() && open.len() < SIDE_BY_SIDE {
            for pair in std::mem::take(&mut open) {
                if !is_ruled_out(pair.0, pair.1) {
                    self.descend(pair, reach, &mut open, &mut found, look);
                }
            }
        }
        let below = |&pair: &(u32, u32), looks_left: usize| {
            let (mut open, mut found) = (vec![pair], Found { pairs: Vec::new(), looks_left });
            while let Some(pair) = open.pop_if(|_| found.looks_left > 0) {
                if !is_ruled_out(pair.0, pair.1) {
                    self.descend(pair, reach, &mut open, &mut found, look);
                }
            }
            (found.pairs, looks_left - found.looks_left, open.is_empty())
        };
        let Found { mut pairs, mut looks_left } = found;
        let mut is_all = true;
        for some in open.chunks(AT_A_TIME) {
            let found: Vec<_> = some.par_iter().map(|pair| below(pair, looks_left / SHARE)).collect();
            for (more, looks, is_done) in found {
                pairs.extend(more);
                looks_left = looks_left.saturating_sub(looks);
                is_all &= is_done;
            }
        }
        FoldPairs { pairs, is_all }
    }

    /// Looks at a pair of nodes: adds pairs below it that are still to be looked at, or looks at leaves.
    fn descend(
        &self,
        (a, b): (u32, u32),
        reach: f32,
        open: &mut Vec<(u32, u32)>,
        found: &mut Found,
        look: &impl Fn([u32; 2], &mut Found),
    ) {
        if a == b {
            if !self.is_flat(a) {
                match self.bvh.node(a) {
                    BvhNode::Inner([left, right]) => open.extend([(left, right), (right, right), (left, left)]),
                    BvhNode::Leaf(_) => look([self.leaf_of_node[a as usize]; 2], found),
                }
            }
        } else if self.may_touch(a, b, reach) {
            let size = |node: u32| self.bvh.node_bounds(node).size().length_squared();
            match [a, b].map(|node| self.bvh.node(node)) {
                [BvhNode::Leaf(_), BvhNode::Leaf(_)] => {
                    look([a, b].map(|node| self.leaf_of_node[node as usize]), found)
                }
                [BvhNode::Inner([left, right]), BvhNode::Leaf(_)] => open.extend([(left, b), (right, b)]),
                [BvhNode::Inner([left, right]), BvhNode::Inner(_)] if size(a) >= size(b) => {
                    open.extend([(left, b), (right, b)]);
                }
                [_, BvhNode::Inner([left, right])] => open.extend([(a, left), (a, right)]),
            }
        }
    }

    /// Whether a node is a connected piece that cannot touch itself.
    fn is_flat(&self, node: u32) -> bool {
        self.connections.in_one_piece[node as usize] && self.cones[node as usize].chord < FLAT
    }

    fn may_touch(&self, a: u32, b: u32, reach: f32) -> bool {
        let near = self.bvh.node_bounds(a).inflated(reach).overlaps(self.bvh.node_bounds(b));
        let [a, b] = [a, b].map(|node| node as usize);
        let Connections { in_one_piece, rims } = &self.connections;
        let is_height_field = || {
            in_one_piece[a]
                && in_one_piece[b]
                && self.cones[a].is_flat_with(self.cones[b])
                && share_any(rims.of(a), rims.of(b))
        };
        near && !is_height_field()
    }
}

/// Pairs while they are found.
struct Found {
    pairs: Vec<[u32; 2]>,
    /// How many more pairs of triangles are looked at.
    looks_left: usize,
}

/// The triangles of a leaf, side by side.
struct Faces {
    /// Behind the last triangle the first again.
    corners: [Points; 3],
    /// 1 for each triangle, 0 behind the last.
    is_one: f32x4,
}

impl Faces {
    fn gather(leaf: &[[u32; 3]], positions: &[Vec3]) -> Option<Faces> {
        (!leaf.is_empty()).then(|| Faces {
            corners: Points::corners(leaf.iter().copied(), positions),
            is_one: f32x4::new(std::array::from_fn(|lane| if lane < leaf.len() { 1.0 } else { 0.0 })),
        })
    }

    fn bounds(&self) -> Aabb {
        let [a, b, c] = self.corners;
        Aabb { min: a.min(b).min(c).least(), max: a.max(b).max(c).greatest() }
    }

    /// A cone around the unit normals; one without length counts as across.
    fn cone(&self) -> Cone {
        let [a, b, c] = self.corners;
        let across = b.minus(a).cross(c.minus(a));
        let (none, zero) = (Points::splat(Vec3::ZERO), f32x4::ZERO);
        let scales = f32x4::ONE / across.length_squared().sqrt();
        let has_normal = scales.simd_gt(zero) & scales.simd_lt(f32x4::splat(f32::INFINITY)) & self.is_one.simd_gt(zero);
        let normals = across.times(scales).where_else(has_normal, none);
        let axis = (Vec3::ZERO + normals.sum()).normalize_or_zero();
        if axis == Vec3::ZERO && has_normal.any() {
            return Cone::ANY;
        }
        let chords = normals.minus(Points::splat(axis)).length_squared() * self.is_one;
        Cone { axis, chord: chords.to_array().into_iter().fold(0.0, f32::max).sqrt() }
    }
}

impl Cone {
    /// Around no normals.
    const NONE: Cone = Cone { axis: Vec3::ZERO, chord: 0.0 };
    /// Around normals that are not within a flat piece: those that go too far apart, or cancel each other out.
    const ANY: Cone = Cone { axis: Vec3::ZERO, chord: f32::INFINITY };

    /// A cone around two. What is not flat is no part of anything flat: how far its normals go does not matter.
    fn around(self, other: Cone) -> Cone {
        if self.chord.max(other.chord) >= FLAT {
            return Cone::ANY;
        }
        let axis = (self.axis + other.axis).normalize_or_zero();
        if axis == Vec3::ZERO && self.axis != Vec3::ZERO {
            return Cone::ANY;
        }
        let chord = |c: Cone| c.axis.distance(axis) + c.chord;
        Cone { axis, chord: chord(self).max(chord(other)) }
    }

    /// Whether the cone around two is flat, without a root: the chord from either axis to the middle of both is less than what the
    /// wider one leaves of the most.
    fn is_flat_with(self, other: Cone) -> bool {
        let left = FLAT - self.chord.max(other.chord);
        let cosine = 1.0 - 0.5 * left * left;
        left > 0.0 && self.axis.dot(other.axis) > 2.0 * cosine * cosine - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_point() -> impl Strategy<Value = Vec3> {
        let coordinate = || prop_oneof![-1f32..1.0, Just(0.0), Just(1.0)];
        (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn four_faces_at_a_time_have_the_cone_of_one_after_the_other(
            positions in prop::collection::vec(any_point(), 6),
            leaf in prop::collection::vec([0u32..6, 0u32..6, 0u32..6], 1..=LEAF_SIZE),
        ) {
            let normal = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|p| positions[p as usize]);
                (b - a).cross(c - a).normalize_or_zero()
            };
            let normals = leaf.iter().map(normal);
            let axis = normals.clone().fold(Vec3::ZERO, |sum, n| sum + n).normalize_or_zero();
            let cancel = axis == Vec3::ZERO && normals.clone().any(|n| n != Vec3::ZERO);
            let chord = if cancel { f32::INFINITY } else { normals.map(|n| n.distance(axis)).fold(0.0, f32::max) };
            let faces = Faces::gather(&leaf, &positions).expect("triangles");
            let places = leaf.iter().flatten().map(|&p| positions[p as usize]).collect::<Vec<_>>();
            prop_assert_eq!(faces.bounds(), Aabb::around(&places));
            let cone = faces.cone();
            prop_assert_eq!((cone.axis.to_array().map(f32::to_bits), cone.chord.to_bits()),
                (axis.to_array().map(f32::to_bits), chord.to_bits()));
        }

        #[test]
        fn what_is_folded_over_onto_itself_is_not_flat(axis in any_point()) {
            prop_assume!(axis.length() > 0.01);
            let [one, other] = [axis, -axis].map(|axis| Cone { axis: axis.normalize(), chord: 0.0 });
            prop_assert!(one.around(other).chord >= FLAT && !one.is_flat_with(other));
        }

        #[test]
        fn two_cones_are_flat_if_the_one_around_them_is(
            axes in prop::array::uniform2(any_point()),
            chords in prop::array::uniform2(0f32..1.3),
        ) {
            prop_assume!(axes.iter().all(|axis| axis.length() > 0.01));
            let [one, other] = [0, 1].map(|i| Cone { axis: axes[i].normalize(), chord: chords[i] });
            let chord = one.around(other).chord;
            prop_assert!((chord - FLAT).abs() < 1e-4 || one.is_flat_with(other) == (chord < FLAT), "{}", chord);
        }
    }
}
