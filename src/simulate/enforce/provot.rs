//! Provot 1995, section 4: a spring longer than `1 + threshold` of its rest length is brought back to that length, both ends
//! moved alike, or only the free one.
//!
//! ```text
//!        tau l0                    at once           each spring sees what those before it did
//!   a ====|====|---- b             together          all are found first; a particle goes the mean way of those that pull it
//!      -> excess <-                longest first     at once, sorted by elongation (Pilley)
//! ```
//!
//! Mending one spring may stretch another: a few passes bring the elongation down, none is proven to end.

use crate::geometry::Vec3;
use crate::simulate::cloth::Cloth;
use crate::springs::Spring;

/// One pass over springs as they stand.
pub(super) fn mend_at_once(cloth: &mut Cloth, springs: &[Spring], threshold: f32) {
    for spring in springs {
        mend(cloth, spring, threshold);
    }
}

/// Passes that move nothing before they have looked at every spring. The sum of what the springs at a particle ask for
/// overshoots where they agree, so it is divided by their number.
pub(super) fn mend_together(cloth: &mut Cloth, springs: &[Spring], threshold: f32, passes: u32) {
    let mut ways = vec![(Vec3::ZERO, 0_u32); cloth.len()];
    for _ in 0..passes {
        for spring in springs {
            for (particle, way) in ways_of(cloth, spring, threshold).into_iter().flatten() {
                let (sum, count) = &mut ways[particle];
                (*sum, *count) = (*sum + way, *count + 1);
            }
        }
        for (point, (sum, count)) in cloth.points.iter_mut().zip(&mut ways) {
            if *count > 0 {
                point.at += *sum / *count as f32;
            }
            (*sum, *count) = (Vec3::ZERO, 0);
        }
    }
}

/// One pass over the springs that are too long at its start, by elongation, longest first; equal ones as they stand.
pub(super) fn mend_longest_first(cloth: &mut Cloth, springs: &[Spring], threshold: f32) {
    let all = springs.iter().map(|s| (cloth.elongation(s), s));
    let mut long: Vec<(f32, &Spring)> = all.filter(|(e, _)| *e > 1.0 + threshold).collect();
    long.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, spring) in long {
        mend(cloth, spring, threshold);
    }
}

/// Brings one spring back to `1 + threshold` of its rest length, if it is longer.
#[inline]
pub(in crate::simulate) fn mend(cloth: &mut Cloth, spring: &Spring, threshold: f32) {
    for (particle, way) in ways_of(cloth, spring, threshold).into_iter().flatten() {
        cloth.points[particle].at += way;
    }
}

/// How the ends of a spring that is too long must move; nothing for any other.
#[inline]
fn ways_of(cloth: &Cloth, spring: &Spring, threshold: f32) -> [Option<(usize, Vec3)>; 2] {
    let [a, b] = spring.ends();
    let between = cloth.points[b].at - cloth.points[a].at;
    let length = between.length();
    let limit = spring.rest_length * (1.0 + threshold);
    if length <= limit {
        return [None; 2];
    }
    let excess = between * ((length - limit) / length);
    match (cloth.is_free(a), cloth.is_free(b)) {
        (true, true) => [Some((a, excess * 0.5)), Some((b, -(excess * 0.5)))],
        (true, false) => [Some((a, excess)), None],
        (false, true) => [None, Some((b, -excess))],
        (false, false) => [None; 2],
    }
}
