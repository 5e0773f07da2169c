//! How the triangles of a cloth hang together: what lies flat and in one piece cannot touch itself.

use rayon::prelude::*;

use crate::geometry::{Bvh, BvhNode};

/// How the parts of a tree hang together.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    /// Whether the triangles of each node are known to hang together.
    pub(super) in_one_piece: Vec<bool>,
    /// Particles of each node that triangles outside it have too and that join them, ascending.
    pub(super) rims: Rims,
}

/// A list of particles for each node, one list after the other.
#[derive(Clone, Debug)]
pub(super) struct Rims {
    particles: Vec<u32>,
    /// Where the list of each node starts and ends in `particles`.
    ranges: Vec<[u32; 2]>,
}

impl Rims {
    pub(super) fn of(&self, node: usize) -> &[u32] {
        let [start, end] = self.ranges[node];
        &self.particles[start as usize..end as usize]
    }

    fn set(&mut self, node: usize, particles: impl Iterator<Item = u32>) {
        let start = self.particles.len() as u32;
        self.particles.extend(particles);
        self.ranges[node] = [start, self.particles.len() as u32];
    }
}

impl Connections {
    pub(super) fn new(bvh: &Bvh, triangles: &[[u32; 3]], particles: usize) -> Connections {
        let joins = joining(triangles, particles);
        let mut uses = vec![0_u32; particles];
        triangles.iter().flatten().for_each(|&p| uses[p as usize] += 1);
        let nodes = bvh.node_count();
        let rims = Rims { particles: Vec::new(), ranges: vec![[0; 2]; nodes] };
        let mut connections = Connections { in_one_piece: vec![false; nodes], rims };
        // Particles of a node that are not yet wholly inside, with how many of their triangles are.
        let mut partly: Vec<Vec<(u32, u32)>> = vec![Vec::new(); nodes];
        for index in (0..nodes).rev() {
            let mut used: Vec<(u32, u32)> = match bvh.node(index as u32) {
                BvhNode::Leaf(leaf) => {
                    connections.in_one_piece[index] = hang_together(leaf, triangles, &joins);
                    leaf.iter().flat_map(|&t| triangles[t as usize]).map(|p| (p, 1)).collect()
                }
                BvhNode::Inner(children) => {
                    let [left, right] = children.map(|child| child as usize);
                    let joined = share_any(connections.rims.of(left), connections.rims.of(right));
                    connections.in_one_piece[index] =
                        joined && connections.in_one_piece[left] && connections.in_one_piece[right];
                    std::mem::take(&mut partly[left]).into_iter().chain(std::mem::take(&mut partly[right])).collect()
                }
            };
            used.sort_unstable();
            let counted = used.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|r| r.1).sum()));
            partly[index] = counted.filter(|&(p, count)| count < uses[p as usize]).collect();
            connections.rims.set(index, partly[index].iter().map(|r| r.0).filter(|&p| joins[p as usize]));
        }
        connections.rims.particles.shrink_to_fit();
        connections
    }
}

/// A side of a triangle opposite one of its corners, from the next corner to the one before.
type Side = (u32, [u32; 2]);

/// Whether the triangles around each particle are one sheet there. Layers that are sewn together along an edge, or hang by one corner,
/// are no height field together, however parallel they lie.
fn joining(triangles: &[[u32; 3]], particles: usize) -> Vec<bool> {
    let mut sides: Vec<Side> =
        triangles.iter().flat_map(|&[a, b, c]| [(a, [b, c]), (b, [c, a]), (c, [a, b])]).collect();
    sides.par_sort_unstable();
    let mut joins = vec![true; particles];
    for around in sides.chunk_by(|one, other| one.0 == other.0) {
        joins[around[0].0 as usize] = is_one_fan(around);
    }
    joins
}

/// Whether the sides around a particle, ascending, follow each other in one row, open or closed.
fn is_one_fan(around: &[Side]) -> bool {
    let mut ends: Vec<u32> = around.iter().map(|(_, [_, end])| *end).collect();
    ends.sort_unstable();
    let is_branching =
        around.windows(2).any(|s| s[0].1[0] == s[1].1[0]) || ends.windows(2).any(|ends| ends[0] == ends[1]);
    if is_branching {
        return false;
    }
    let is_first = |(_, [start, _]): &Side| ends.binary_search(start).is_err();
    let first = around.iter().position(is_first).unwrap_or(0);
    let after = |at: usize| around.binary_search_by_key(&around[at].1[1], |(_, [start, _])| *start).ok();
    let row = std::iter::successors(Some(first), |&at| after(at).filter(|&next| next != first));
    row.take(around.len()).count() == around.len()
}

/// Whether a few triangles hang together by corners that join.
fn hang_together(leaf: &[u32], triangles: &[[u32; 3]], joins: &[bool]) -> bool {
    let Some((&first, rest)) = leaf.split_first() else { return true };
    let joining = |t: u32| triangles[t as usize].into_iter().filter(|&p| joins[p as usize]);
    let mut reached: Vec<u32> = joining(first).collect();
    let mut left: Vec<u32> = rest.to_vec();
    let mut before = usize::MAX;
    while left.len() < before {
        before = left.len();
        left.retain(|&t| {
            let touches = joining(t).any(|c| reached.contains(&c));
            if touches {
                reached.extend(joining(t));
            }
            !touches
        });
    }
    left.is_empty()
}

/// Whether two ascending lists have an entry in common.
pub(super) fn share_any(a: &[u32], b: &[u32]) -> bool {
    if a.last() < b.first() || b.last() < a.first() {
        return false;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn triangles_around_a_particle_are_one_fan_until_one_is_turned_or_another_fan_is_added(
            count in 3u32..9,
            is_closed: bool,
            turned in 1u32..8,
        ) {
            let corner = |step: u32| 1 + step % count;
            let fan: Vec<[u32; 3]> =
                (0..count - u32::from(!is_closed)).map(|step| [0, corner(step), corner(step + 1)]).collect();
            prop_assert!(joining(&fan, 20)[0]);
            let mut with_turned = fan.clone();
            let [a, b, c] = with_turned[turned as usize % fan.len()];
            with_turned[turned as usize % fan.len()] = [a, c, b];
            prop_assert!(fan.len() == 1 || !joining(&with_turned, 20)[0]);
            let another = [[0, 11, 12], [0, 12, 13], [0, 13, 11]];
            prop_assert!(!joining(&[&fan[..], &another].concat(), 20)[0]);
            prop_assert_eq!(joining(&[&fan[..], &[[1, 0, 14]]].concat(), 20)[0], !is_closed, "one more on an edge");
        }
    }
}
