//! Dependency levels: what of a total order may run at the same time with the same result.

use super::Correction;

/// Gives each correction the smallest level such that whatever it depends on has a smaller one, and returns the number of
/// levels. It depends on earlier corrections that moved its source or goal, and on those that read its goal as their source.
pub(super) fn assign(corrections: &mut [Correction], particles: usize) -> u32 {
    // First level at which a particle's position may be read, and at which it may be written.
    let mut readable = vec![0_u32; particles];
    let mut writable = vec![0_u32; particles];
    let mut levels = 0;
    for correction in corrections {
        let (source, goal) = (correction.source.index(), correction.goal.index());
        let level = readable[source].max(writable[goal]);
        correction.level = level;
        writable[source] = writable[source].max(level + 1);
        readable[goal] = level + 1;
        writable[goal] = level + 1;
        levels = levels.max(level + 1);
    }
    levels
}
