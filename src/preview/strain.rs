//! How much cloth is stretched at its vertices.

use crate::geometry::Vec3;

/// Stretch at the ends of the scale of colours.
pub const FULL_STRAIN: f32 = 0.1;

/// Mean of the stretch, `(l - l0) / l0`, of all edges at each vertex; 0 where there is none.
pub fn mean_stretches(edges: impl IntoIterator<Item = [usize; 2]>, rest: &[Vec3], positions: &[Vec3]) -> Vec<f32> {
    let mut sums = vec![(0.0_f32, 0_u32); positions.len()];
    for [a, b] in edges {
        let at_rest = rest[a].distance(rest[b]);
        if at_rest > 0.0 {
            let stretch = positions[a].distance(positions[b]) / at_rest - 1.0;
            [a, b].into_iter().for_each(|v| sums[v] = (sums[v].0 + stretch, sums[v].1 + 1));
        }
    }
    sums.into_iter().map(|(sum, count)| sum / count.max(1) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_shows_the_mean_stretch_of_its_edges() {
        let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let positions = [Vec3::ZERO, Vec3::X * 1.1, Vec3::Y];
        let stretches = mean_stretches([[0, 1], [0, 2]], &rest, &positions);
        assert!((stretches[0] - 0.05).abs() < 1e-6 && (stretches[1] - 0.1).abs() < 1e-6);
        assert_eq!(stretches[2], 0.0);
    }
}
