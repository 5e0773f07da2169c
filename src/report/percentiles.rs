//! Exact percentiles: of many values the smallest that at least a part of them does not exceed.
//!
//! Values that are too many to keep are counted twice. The counters are 65 536 in number:
//!
//! ```text
//! value  ->  ordered bits   |  upper half  |  lower half  |
//!                              1. of all       2. of those that share the upper half of the percentile
//! ```

use crate::geometry::{Counters, from_ordered_bits, ordered_bits};

/// Bits of half a number, and the lower of them.
const HALF: u32 = 16;
const LOWER: u32 = (1 << HALF) - 1;

/// A percentile of each of the ascending `quantiles`, 0 for no values. The values are left in another order.
pub(super) fn percentiles<const N: usize>(values: &mut [f32], quantiles: [f64; N]) -> [f32; N] {
    let mut found = [0.0; N];
    let total = values.len();
    let mut left = values;
    for (found, q) in found.iter_mut().zip(quantiles).rev() {
        let Some(index) = rank(q, total as u64).checked_sub(1) else { break };
        let (_, value, _) = left.select_nth_unstable_by(index as usize, f32::total_cmp);
        *found = *value;
        left = &mut left[..=index as usize];
    }
    found
}

/// The first count.
pub(super) struct UpperCounts(Counters);

/// The second count, for some percentiles.
pub(super) struct LowerCounts<const N: usize>([LowerCount; N]);

struct LowerCount {
    upper: u32,
    /// Rank of the percentile among those with this upper half, from 1; 0 if there are no values.
    rank: u64,
    counters: Counters,
}

impl UpperCounts {
    pub(super) fn new() -> UpperCounts {
        UpperCounts(Counters::new(HALF))
    }

    pub(super) fn count(&mut self, values: &[f32]) {
        values.iter().for_each(|&v| self.0.add(ordered_bits(v) >> HALF));
    }

    pub(super) fn merge(self, other: &UpperCounts) -> UpperCounts {
        UpperCounts(self.0.merge(&other.0))
    }

    /// Empty second counts.
    pub(super) fn lower<const N: usize>(&self, quantiles: [f64; N]) -> LowerCounts<N> {
        let total = self.0.total();
        LowerCounts(quantiles.map(|q| {
            let (upper, rank) = self.0.find(rank(q, total));
            LowerCount { upper, rank, counters: Counters::new(HALF) }
        }))
    }
}

impl<const N: usize> LowerCounts<N> {
    pub(super) fn count(&mut self, values: &[f32]) {
        for bits in values.iter().map(|&v| ordered_bits(v)) {
            for part in self.0.iter_mut().filter(|part| part.upper == bits >> HALF) {
                part.counters.add(bits & LOWER);
            }
        }
    }

    pub(super) fn merge(self, other: &LowerCounts<N>) -> LowerCounts<N> {
        let mut others = other.0.iter();
        LowerCounts(self.0.map(|part| match others.next() {
            Some(other) => LowerCount { counters: part.counters.merge(&other.counters), ..part },
            None => part,
        }))
    }

    /// The percentiles; 0 for no values.
    pub(super) fn percentiles(&self) -> [f32; N] {
        let value = |part: &LowerCount| match part.rank {
            0 => 0.0,
            rank => from_ordered_bits(part.upper << HALF | part.counters.find(rank).0),
        };
        self.0.each_ref().map(value)
    }
}

/// Rank, from 1, of the smallest value that at least a part `q` of `total` does not exceed; 0 of none.
fn rank(q: f64, total: u64) -> u64 {
    ((q * total as f64).ceil() as u64).max(1).min(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn percentiles_are_those_of_the_sorted_values(
            mut values in prop::collection::vec(-2f32..2.0, 1..300),
            part in 0usize..300,
        ) {
            let mut sorted = values.clone();
            sorted.sort_by(f32::total_cmp);
            let expected = [0.5, 0.95].map(|q: f64| sorted[(q * sorted.len() as f64).ceil() as usize - 1]);
            let (some, others) = values.split_at(part.min(values.len()));
            let mut upper = [UpperCounts::new(), UpperCounts::new()];
            upper.iter_mut().zip([some, others]).for_each(|(counts, values)| counts.count(values));
            let [first, second] = upper;
            let upper = first.merge(&second);
            let mut lower = [upper.lower([0.5, 0.95]), upper.lower([0.5, 0.95])];
            lower.iter_mut().zip([some, others]).for_each(|(counts, values)| counts.count(values));
            let [first, second] = lower;
            prop_assert_eq!(first.merge(&second).percentiles(), expected);
            prop_assert_eq!(percentiles(&mut values, [0.5, 0.95]), expected);
        }
    }

    #[test]
    fn no_values_have_percentiles_of_zero() {
        assert_eq!(percentiles(&mut [], [0.5, 0.95]), [0.0; 2]);
        assert_eq!(UpperCounts::new().lower([0.5, 0.95]).percentiles(), [0.0; 2]);
    }
}
