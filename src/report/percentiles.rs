//! Exact percentiles: of many values the smallest that at least a part of them does not exceed.
//!
//! Values that are too many to keep are counted twice. The counters are 65 536 in number:
//!
//! ```text
//! value  ->  ordered bits   |  upper half  |  lower half  |
//!                              1. of all       2. of those that share the upper half of the percentile
//! ```

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

struct Counters(Vec<u64>);

impl UpperCounts {
    pub(super) fn new() -> UpperCounts {
        UpperCounts(Counters::new())
    }

    pub(super) fn count(&mut self, values: &[f32]) {
        values.iter().for_each(|&v| self.0.0[(ordered_bits(v) >> 16) as usize] += 1);
    }

    pub(super) fn merge(self, other: &UpperCounts) -> UpperCounts {
        UpperCounts(self.0.merge(&other.0))
    }

    /// Empty second counts.
    pub(super) fn lower<const N: usize>(&self, quantiles: [f64; N]) -> LowerCounts<N> {
        let total = self.0.0.iter().sum();
        LowerCounts(quantiles.map(|q| {
            let (upper, rank) = self.0.find(rank(q, total));
            LowerCount { upper, rank, counters: Counters::new() }
        }))
    }
}

impl<const N: usize> LowerCounts<N> {
    pub(super) fn count(&mut self, values: &[f32]) {
        for bits in values.iter().map(|&v| ordered_bits(v)) {
            for part in self.0.iter_mut().filter(|part| part.upper == bits >> 16) {
                part.counters.0[(bits & 0xffff) as usize] += 1;
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
            rank => from_ordered_bits(part.upper << 16 | part.counters.find(rank).0),
        };
        self.0.each_ref().map(value)
    }
}

impl Counters {
    fn new() -> Counters {
        Counters(vec![0; 1 << 16])
    }

    fn merge(mut self, other: &Counters) -> Counters {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, more)| *sum += more);
        self
    }

    /// The counter that holds the value of this rank (from 1), and its rank among those.
    fn find(&self, mut rank: u64) -> (u32, u64) {
        for (index, &count) in (0..).zip(&self.0) {
            if rank <= count {
                return (index, rank);
            }
            rank -= count;
        }
        (self.0.len() as u32 - 1, rank)
    }
}

/// Rank, from 1, of the smallest value that at least a part `q` of `total` does not exceed; 0 of none.
fn rank(q: f64, total: u64) -> u64 {
    ((q * total as f64).ceil() as u64).max(1).min(total)
}

/// Bits that compare as the numbers do.
fn ordered_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

fn from_ordered_bits(bits: u32) -> f32 {
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
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
