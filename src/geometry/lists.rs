//! Lists of lists.

use std::ops::Range;

use rayon::prelude::*;

/// No edge.
const NO_EDGE: u32 = u32::MAX;

/// Short lists one after the other (compressed rows).
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    /// The list of this index.
    pub(crate) fn of(&self, index: u32) -> &[T] {
        &self.items[self.range(index)]
    }

    /// Where the list of this index is in [`Lists::items`].
    pub(crate) fn range(&self, index: u32) -> Range<usize> {
        self.starts[index as usize] as usize..self.starts[index as usize + 1] as usize
    }

    /// All lists.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }
}

impl<T: Copy + Ord + Send> Lists<T> {
    /// What triangles have (`of`), each thing once, in the list of the first triangle that has it.
    pub(crate) fn by_first_triangle(triangles: &[[u32; 3]], of: impl Fn(&[u32; 3]) -> [T; 3]) -> Lists<T> {
        let mut all: Vec<(T, u32)> =
            (0..).zip(triangles).flat_map(|(index, t)| of(t).map(|thing| (thing, index))).collect();
        all.par_sort_unstable();
        all.dedup_by_key(|(thing, _)| *thing);
        all.par_sort_unstable_by_key(|&(thing, triangle)| (triangle, thing));
        let starts = starts(triangles.len(), all.iter().map(|&(_, triangle)| triangle));
        Lists { starts, items: all.iter().map(|&(thing, _)| thing).collect() }
    }
}

impl Lists<[u32; 2]> {
    /// The edges of triangles, smaller end first, each in the list of the first triangle that has it.
    pub(crate) fn edges_by_first_triangle(triangles: &[[u32; 3]]) -> Lists<[u32; 2]> {
        Lists::by_first_triangle(triangles, |&[a, b, c]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]))
    }
}

impl Lists<u32> {
    /// The indices that have each of so many numbers, ascending.
    pub(crate) fn by_number(count: usize, number_of: &[u32]) -> Lists<u32> {
        Lists::gathered(count, number_of.iter().copied().zip(0..))
    }

    /// These lists.
    pub(crate) fn collected(lists: impl Iterator<Item = Vec<u32>>) -> Lists<u32> {
        let (mut starts, mut items) = (vec![0], Vec::new());
        for list in lists {
            items.extend(list);
            starts.push(items.len() as u32);
        }
        Lists { starts, items }
    }

    /// So many lists of what `entries` have for each, in their order.
    pub(crate) fn gathered(lists: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) -> Lists<u32> {
        let starts = starts(lists, entries.clone().map(|(list, _)| list));
        let mut next = starts.clone();
        let mut items = vec![0; starts[lists] as usize];
        for (list, item) in entries {
            items[next[list as usize] as usize] = item;
            next[list as usize] += 1;
        }
        Lists { starts, items }
    }

    /// The triangles at each vertex, ascending.
    pub(crate) fn triangles_at_corners(vertices: usize, triangles: &[[u32; 3]]) -> Lists<u32> {
        let of_triangle = |(index, corners): (u32, &[u32; 3])| corners.map(|corner| (corner, index));
        Lists::gathered(vertices, (0..).zip(triangles).flat_map(of_triangle))
    }

    /// The third corners of the triangles at each of `edges`, which go from their smaller to their larger vertex, ascending.
    pub(crate) fn opposite(edges: &[[u32; 2]], triangles: &[[u32; 3]]) -> Lists<u32> {
        let mut numbers: Vec<([u32; 2], u32)> = edges.iter().copied().zip(0..).collect();
        numbers.par_sort_unstable();
        let number = |[a, b]: [u32; 2]| {
            let at = numbers.binary_search_by_key(&[a.min(b), a.max(b)], |entry| entry.0);
            at.map_or(NO_EDGE, |at| numbers[at].1)
        };
        let across = |&[a, b, c]: &[u32; 3]| [[b, c], [c, a], [a, b]].map(number);
        let facing: Vec<[u32; 3]> = triangles.par_iter().map(across).collect();
        drop(numbers);
        let of_triangle = |(edges, corners): (&[u32; 3], &[u32; 3])| [0, 1, 2].map(|i| (edges[i], corners[i]));
        let all = facing.iter().zip(triangles).flat_map(of_triangle);
        let mut lists = Lists::gathered(edges.len(), all.filter(|&(edge, _)| edge != NO_EDGE));
        for edge in 0..edges.len() as u32 {
            let list = lists.range(edge);
            lists.items[list].sort_unstable();
        }
        lists
    }

    /// The vertices that share a triangle with each vertex, itself included if it has one, ascending.
    pub(crate) fn rings(vertices: usize, triangles: &[[u32; 3]]) -> Lists<u32> {
        let mut starts = starts(vertices, triangles.iter().flatten().flat_map(|&corner| [corner; 3]));
        let mut ends = starts.clone();
        let mut items = vec![0; starts[vertices] as usize];
        for corners in triangles {
            for &corner in corners {
                let end = &mut ends[corner as usize];
                items[*end as usize..*end as usize + 3].copy_from_slice(corners);
                *end += 3;
            }
        }
        let mut kept = 0;
        for vertex in 0..vertices {
            let list = starts[vertex] as usize..starts[vertex + 1] as usize;
            items[list.clone()].sort_unstable();
            starts[vertex] = kept as u32;
            for at in list {
                if kept == starts[vertex] as usize || items[kept - 1] != items[at] {
                    items[kept] = items[at];
                    kept += 1;
                }
            }
        }
        starts[vertices] = kept as u32;
        items.truncate(kept);
        items.shrink_to_fit();
        Lists { starts, items }
    }
}

/// Where each of so many lists starts and the last ends, from the list of each item.
fn starts(lists: usize, list_of_items: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; lists + 1];
    list_of_items.for_each(|list| starts[list as usize + 1] += 1);
    (0..lists).for_each(|list| starts[list + 1] += starts[list]);
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLES: [[u32; 3]; 3] = [[0, 1, 2], [2, 1, 3], [4, 3, 1]];

    #[test]
    fn each_thing_is_in_the_list_of_the_first_triangle_that_has_it() {
        let particles = Lists::by_first_triangle(&TRIANGLES, |t| *t);
        assert_eq!([0, 1, 2].map(|t| particles.of(t).to_vec()), [vec![0, 1, 2], vec![3], vec![4]]);
        assert_eq!(particles.items(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn indices_are_listed_by_their_numbers() {
        let lists = Lists::by_number(3, &[2, 0, 2, 0]);
        let expected = [vec![1, 3], vec![], vec![0, 2]];
        assert_eq!([0, 1, 2].map(|number| lists.of(number).to_vec()), expected);
        let same = Lists::collected(expected.into_iter());
        assert_eq!((same.starts, same.items), (lists.starts, lists.items));
    }

    #[test]
    fn vertices_know_their_triangles_and_who_shares_them() {
        let at_corners = Lists::triangles_at_corners(6, &TRIANGLES);
        assert_eq!([1, 2, 5].map(|v| at_corners.of(v).to_vec()), [vec![0, 1, 2], vec![0, 1], vec![]]);
        let opposite = Lists::opposite(&[[1, 2], [0, 1], [1, 3]], &TRIANGLES);
        assert_eq!([0, 1, 2].map(|edge| opposite.of(edge).to_vec()), [vec![0, 3], vec![2], vec![2, 4]]);
        let rings = Lists::rings(6, &TRIANGLES);
        assert_eq!([0, 3, 5].map(|v| rings.of(v).to_vec()), [vec![0, 1, 2], vec![1, 2, 3, 4], vec![]]);
    }
}
