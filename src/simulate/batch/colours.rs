//! Colours for what shares particles.

/// Colour of what finds no other free, at a particle of very many neighbours: two things of this colour may share a particle.
pub(in crate::simulate) const ALONE: u32 = 63;

/// Gives things colours such that none of one colour share a particle, but for [`ALONE`].
#[derive(Debug)]
pub(in crate::simulate) struct Colours {
    /// For each particle the round in which it was last used, and the colours taken there.
    used: Vec<(u32, u64)>,
    round: u32,
}

impl Colours {
    /// For things of so many particles.
    pub(in crate::simulate) fn new(particles: usize) -> Colours {
        Colours { used: vec![(0, 0); particles], round: 0 }
    }

    /// All colours are free again.
    pub(in crate::simulate) fn start_over(&mut self) {
        self.round += 1;
    }

    /// The first colour that is free at all `particles`; it is taken there.
    pub(in crate::simulate) fn take(&mut self, particles: &[u32]) -> u32 {
        let mut taken = 0;
        for &p in particles {
            let (round, colours) = &mut self.used[p as usize];
            if *round != self.round {
                (*round, *colours) = (self.round, 0);
            }
            taken |= *colours;
        }
        let colour = (!taken).trailing_zeros().min(ALONE);
        particles.iter().for_each(|&p| self.used[p as usize].1 |= 1 << colour);
        colour
    }
}

/// Lines of particles, of so many in all, in groups of at most `lanes` that share none, those of about one length together: the
/// last colours first, and of one colour the longest.
pub(in crate::simulate) fn together<'a>(
    lines: impl Iterator<Item = &'a [u32]>,
    particles: usize,
    lanes: usize,
) -> Vec<Vec<usize>> {
    let mut taken = Colours::new(particles);
    let kinds: Vec<(u32, usize)> = lines.map(|line| (taken.take(line), line.len())).collect();
    let mut order: Vec<usize> = (0..kinds.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(kinds[i]));
    let of_colours = order.chunk_by(|&a, &b| kinds[a].0 == kinds[b].0);
    of_colours
        .flat_map(|of_one| of_one.chunks(if kinds[of_one[0]].0 == ALONE { 1 } else { lanes }))
        .map(<[usize]>::to_vec)
        .collect()
}
