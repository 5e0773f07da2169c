//! Skin weights as glTF holds them: sets of four joints and four weights a vertex.

use crate::import::SkinWeights;

/// Joints and weights a set holds.
const SET: usize = 4;

/// Most sets written: engines read one or two, Blender all.
const MOST_SETS: usize = 2;

/// The strongest influences of each vertex, padded with joint 0 at weight 0.
pub(super) struct Influences {
    /// Number of sets, 1 or 2.
    pub(super) sets: usize,
    /// Per vertex, strongest first.
    vertices: Vec<[(u16, f32); SET * MOST_SETS]>,
}

impl Influences {
    /// Chooses and normalises the influences of `count` vertices; their sum is 1 to the last bit of an `f32` or two.
    pub(super) fn of(weights: &SkinWeights, count: usize) -> Influences {
        let all: Vec<Vec<(u16, f32)>> = (0..count).map(|vertex| merged(weights, vertex)).collect();
        let sets = if all.iter().any(|list| list.len() > SET) { MOST_SETS } else { 1 };
        let vertices = all.into_iter().map(|list| normalised(list, sets * SET)).collect();
        Influences { sets, vertices }
    }

    /// Joints of set `set`, all vertices one after the other, `wide` as `u16`, else as `u8`.
    pub(super) fn joint_bytes(&self, set: usize, wide: bool) -> Vec<u8> {
        let joints = self.of_set(set).map(|(joint, _)| joint);
        if wide { joints.flat_map(u16::to_le_bytes).collect() } else { joints.map(|joint| joint as u8).collect() }
    }

    /// Weights of set `set`, all vertices one after the other.
    pub(super) fn weight_bytes(&self, set: usize) -> Vec<u8> {
        self.of_set(set).flat_map(|(_, weight)| weight.to_le_bytes()).collect()
    }

    fn of_set(&self, set: usize) -> impl Iterator<Item = (u16, f32)> {
        self.vertices.iter().flat_map(move |list| list[set * SET..(set + 1) * SET].iter().copied())
    }
}

/// Positive influences of a vertex, each joint once, strongest first, ties by joint.
fn merged(weights: &SkinWeights, vertex: usize) -> Vec<(u16, f32)> {
    let mut list: Vec<(u16, f32)> = Vec::new();
    for (joint, weight) in weights.of(vertex).filter(|(_, weight)| *weight > 0.0) {
        match list.iter_mut().find(|(known, _)| usize::from(*known) == joint) {
            Some((_, sum)) => *sum += weight,
            None => list.push((joint as u16, weight)),
        }
    }
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    list
}

/// The first `most` influences, weights summing to 1; the strongest takes what rounding leaves.
fn normalised(mut list: Vec<(u16, f32)>, most: usize) -> [(u16, f32); SET * MOST_SETS] {
    list.truncate(most);
    let sum: f64 = list.iter().map(|(_, weight)| f64::from(*weight)).sum();
    let mut result = [(0, 0.0); SET * MOST_SETS];
    for (slot, (joint, weight)) in result.iter_mut().zip(list) {
        *slot = match (f64::from(weight) / sum) as f32 {
            0.0 => (0, 0.0),
            share => (joint, share),
        };
    }
    let others: f64 = result[1..].iter().map(|(_, weight)| f64::from(*weight)).sum();
    result[0].1 = (1.0 - others) as f32;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn influences(list: &[(u16, f32)]) -> Influences {
        let weights = SkinWeights {
            starts: vec![0, list.len() as u32],
            joints: list.iter().map(|(joint, _)| *joint).collect(),
            weights: list.iter().map(|(_, weight)| *weight).collect(),
        };
        Influences::of(&weights, 1)
    }

    #[test]
    fn four_influences_fit_one_set_and_the_strongest_come_first() {
        let found = influences(&[(3, 0.25), (9, 0.5), (3, 0.25), (1, 0.0)]);
        assert_eq!(found.sets, 1);
        assert_eq!(found.vertices[0][..3], [(3, 0.5), (9, 0.5), (0, 0.0)]);
    }

    #[test]
    fn a_dozen_influences_become_the_eight_strongest_summing_to_one() {
        let found = influences(&(0..12).map(|joint| (joint, 1.0 + f32::from(joint))).collect::<Vec<_>>());
        assert_eq!(found.sets, 2);
        assert_eq!(found.vertices[0][0].0, 11);
        let sum: f64 = found.vertices[0].iter().map(|(_, weight)| f64::from(*weight)).sum();
        assert!((sum - 1.0).abs() < 2e-7, "{sum}");
    }

    #[test]
    fn a_vertex_without_influences_follows_the_first_joint() {
        assert_eq!(influences(&[]).vertices[0][0], (0, 1.0));
    }
}
