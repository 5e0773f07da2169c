//! Counting numbers by the bits they begin with: the one of a rank is found without sorting, and counts add up in any order.

/// How many of some numbers begin with each pattern of so many bits.
#[derive(Clone, Debug)]
pub struct Counters(Vec<u64>);

impl Counters {
    /// For patterns of so many `bits`, all 0.
    pub fn new(bits: u32) -> Counters {
        Counters(vec![0; 1 << bits])
    }

    /// Counts one more of a pattern.
    pub fn add(&mut self, pattern: u32) {
        self.0[pattern as usize] += 1;
    }

    /// Both together.
    pub fn merge(mut self, other: &Counters) -> Counters {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, more)| *sum += more);
        self
    }

    /// How many were counted.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The pattern of the number of this rank (from 1), and its rank among those that have it.
    pub fn find(&self, mut rank: u64) -> (u32, u64) {
        for (pattern, &count) in (0..).zip(&self.0) {
            if rank <= count {
                return (pattern, rank);
            }
            rank -= count;
        }
        (self.0.len() as u32 - 1, rank)
    }
}

/// Bits that compare as the numbers do, by [`f32::total_cmp`].
pub fn ordered_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The number that has these [`ordered_bits`].
pub fn from_ordered_bits(bits: u32) -> f32 {
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ordered_bits_compare_as_the_numbers_do_and_lead_back(a in any::<f32>(), b in any::<f32>()) {
            prop_assert_eq!(ordered_bits(a).cmp(&ordered_bits(b)), a.total_cmp(&b));
            prop_assert_eq!(from_ordered_bits(ordered_bits(a)).to_bits(), a.to_bits());
        }
    }
}
