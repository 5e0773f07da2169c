//! Where a node of the tree is split in two: by the surface area heuristic (Wald 2007, binned).

use super::half_area;
use crate::geometry::Aabb;

/// Bins along the split axis. More cost building time, beyond 16 the tree hardly improves.
const BINS: usize = 16;
/// From this depth on nodes are halved, so that no input makes the tree deeper than [`super::STACK`].
pub(super) const HEURISTIC_DEPTH: u32 = 28;

/// Reorders `run` into two parts and returns the length of the first, at least 1 and less than all. `beyond` is room for the
/// second.
pub(super) fn split(run: &mut [u32], beyond: &mut Vec<u32>, bounds: &[Aabb], depth: u32) -> usize {
    let centres = run.iter().fold(Aabb::EMPTY, |b, &t| b.with(bounds[t as usize].centre()));
    let size = centres.size();
    let axis = (0..3).fold(0, |widest, a| if size[a] > size[widest] { a } else { widest });
    if depth < HEURISTIC_DEPTH
        && let Some(plane) = cheapest_plane(run, bounds, &centres, axis)
    {
        let bin_of = |t: u32| bin(bounds[t as usize].centre()[axis], &centres, axis);
        return part(run, beyond, |t| bin_of(t) < plane);
    }
    let key = |t: u32| bounds[t as usize].centre()[axis];
    run.sort_unstable_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    run.len() / 2
}

/// Puts those that come `first` before the others, either as they were ordered, and returns how many there are.
fn part(run: &mut [u32], beyond: &mut Vec<u32>, first: impl Fn(u32) -> bool) -> usize {
    beyond.clear();
    let mut count = 0;
    for i in 0..run.len() {
        let triangle = run[i];
        if first(triangle) {
            run[count] = triangle;
            count += 1;
        } else {
            beyond.push(triangle);
        }
    }
    run[count..].copy_from_slice(beyond);
    count
}

fn bin(coordinate: f32, centres: &Aabb, axis: usize) -> usize {
    let scale = BINS as f32 / (centres.max[axis] - centres.min[axis]);
    (((coordinate - centres.min[axis]) * scale) as usize).min(BINS - 1)
}

/// The bin before which to split, by the least `area * triangles` summed over both sides; none if all centres share a bin.
fn cheapest_plane(run: &[u32], bounds: &[Aabb], centres: &Aabb, axis: usize) -> Option<usize> {
    let mut bins = [(Aabb::EMPTY, 0u32); BINS];
    for &t in run {
        let entry = &mut bins[bin(bounds[t as usize].centre()[axis], centres, axis)];
        *entry = (entry.0.union(bounds[t as usize]), entry.1 + 1);
    }
    let grow = |sum: &mut (Aabb, u32), &(bounds, count): &(Aabb, u32)| {
        *sum = (sum.0.union(bounds), sum.1 + count);
        Some(*sum)
    };
    let none = || (Aabb::EMPTY, 0);
    let cost = |&(bounds, count): &(Aabb, u32)| (count > 0).then(|| half_area(&bounds) * count as f32);
    let mut above = [None; BINS];
    for (above, sum) in above.iter_mut().rev().zip(bins.iter().rev().scan(none(), grow)) {
        *above = cost(&sum);
    }
    let below = bins.iter().scan(none(), grow);
    (1..BINS)
        .zip(below)
        .filter_map(|(plane, sum)| Some((cost(&sum)? + above[plane]?, plane)))
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .map(|(_, plane)| plane)
}
