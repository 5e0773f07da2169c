//! What hangs together.

/// The smallest of the things, numbered up to `count`, that each is connected with by `parts`: the ends of edges, the corners of
/// triangles.
pub fn connect<const N: usize>(parts: impl IntoIterator<Item = [u32; N]>, count: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    let root = |parent: &mut Vec<u32>, mut thing: u32| {
        while parent[thing as usize] != thing {
            parent[thing as usize] = parent[parent[thing as usize] as usize];
            thing = parent[thing as usize];
        }
        thing
    };
    for part in parts {
        let roots = part.map(|thing| root(&mut parent, thing));
        let smallest = roots.iter().fold(u32::MAX, |least, &r| least.min(r));
        roots.iter().for_each(|&r| parent[r as usize] = smallest);
    }
    (0..count as u32).map(|thing| root(&mut parent, thing)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_together_is_named_by_its_smallest() {
        assert_eq!(connect([[4, 2], [5, 4], [1, 3]], 7), [0, 1, 2, 1, 2, 2, 6]);
        assert_eq!(connect([[2, 1, 0], [5, 4, 3]], 6), [0, 0, 0, 3, 3, 3]);
    }
}
