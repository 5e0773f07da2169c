//! Which of many things are to be looked at: edges that may be too long.

use rayon::prelude::*;

use super::cloth::CHUNK;
use crate::geometry::Points;

/// Marks on some of so many things.
#[derive(Debug)]
pub(super) struct Marks(Vec<u64>);

impl Marks {
    const A_WORD: usize = u64::BITS as usize;
    /// Words that a task looks at.
    const WORDS: usize = CHUNK / Marks::A_WORD;

    pub(super) fn none(things: usize) -> Marks {
        Marks(vec![0; things.div_ceil(Marks::A_WORD)])
    }

    /// On those that are to be marked: of the four from one on, a bit each.
    pub(super) fn of(things: usize, are_marked: impl Fn(usize) -> u32 + Sync) -> Marks {
        let word = |word: usize| {
            let first = word * Marks::A_WORD;
            let fours = (first..(first + Marks::A_WORD).min(things)).step_by(Points::LANES);
            fours.fold(0, |bits, four| bits | u64::from(are_marked(four)) << (four - first))
        };
        let words = (0..things.div_ceil(Marks::A_WORD)).into_par_iter().with_min_len(Marks::WORDS);
        Marks(words.map(word).collect())
    }

    pub(super) fn are_none(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(super) fn add(&mut self, thing: usize) {
        self.0[thing / Marks::A_WORD] |= 1 << (thing % Marks::A_WORD);
    }

    /// Takes the first mark away, and tells where it was. There is none in the words before `from`, which follows.
    pub(super) fn take_first(&mut self, from: &mut usize) -> Option<usize> {
        let word = *from + self.0.get(*from..)?.iter().position(|word| *word != 0)?;
        *from = word;
        let bits = &mut self.0[word];
        let thing = word * Marks::A_WORD + bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        Some(thing)
    }
}
