//! Edges of triangles.

/// The sides of all `triangles`, each once and with its smaller end first, ascending.
pub fn edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::edges;

    #[test]
    fn a_side_of_two_triangles_is_one_edge() {
        assert_eq!(edges(&[[2, 0, 1], [1, 3, 2]]), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
    }
}
