//! Which constraint goes into which batch.

use super::LANES;
use crate::correction::Tether;
use crate::springs::Spring;

/// Colours a band may need; constraints beyond (at a particle of very many springs) go into batches of their own.
const COLOURS: u32 = 63;

/// Distance of each particle from the fixed ones, in mean edge lengths, rounded down.
#[derive(Debug)]
pub(in crate::simulate) struct Bands(Vec<f32>);

impl Bands {
    /// Bands of one mean stretch spring each. Particles without tether are all in band 0.
    pub(in crate::simulate) fn new(tethers: &[Option<Tether>], stretch: &[Spring]) -> Bands {
        let mean = stretch.iter().map(|s| s.rest_length).sum::<f32>() / stretch.len().max(1) as f32;
        let per_band = if mean > 0.0 { 1.0 / mean } else { 0.0 };
        Bands(tethers.iter().map(|t| t.map_or(0.0, |t| t.length * per_band)).collect())
    }

    /// Band of a constraint: that of the middle of its particles.
    fn of<const N: usize>(&self, particles: &[u32; N]) -> u32 {
        let sum: f32 = particles.iter().map(|&p| self.0[p as usize]).sum();
        (sum / N as f32) as u32
    }
}

/// Indices of constraints in batches: by band, then by colour, then in their own order. `N` particles a constraint.
pub(in crate::simulate) fn batches_of<const N: usize>(constraints: &[[u32; N]], bands: &Bands) -> Vec<Vec<u32>> {
    let mut ordered: Vec<(u32, u32)> = (0..).zip(constraints).map(|(i, c)| (bands.of(c), i)).collect();
    ordered.sort_unstable();
    let mut used = vec![(u32::MAX, 0_u64); bands.0.len()];
    let mut coloured: Vec<(u32, u32, u32)> = Vec::with_capacity(ordered.len());
    for &(band, index) in &ordered {
        let particles = &constraints[index as usize];
        let mut taken = 0;
        for &p in particles {
            let (last, colours) = &mut used[p as usize];
            if *last != band {
                (*last, *colours) = (band, 0);
            }
            taken |= *colours;
        }
        let colour = (!taken).trailing_zeros().min(COLOURS);
        for &p in particles {
            used[p as usize].1 |= 1 << colour;
        }
        coloured.push((band, colour, index));
    }
    coloured.sort_unstable();
    let runs = coloured.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let full = |run: &[(u32, u32, u32)]| {
        let size = if run[0].1 == COLOURS { 1 } else { LANES };
        run.chunks(size).map(|batch| batch.iter().map(|c| c.2).collect()).collect::<Vec<_>>()
    };
    runs.flat_map(full).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_particle_is_twice_in_a_batch_and_no_constraint_is_lost() {
        let constraints: Vec<[u32; 2]> = (0..40).flat_map(|i| [[i, i + 1], [0, i + 2]]).collect();
        let bands = Bands((0..42).map(|i| i as f32 / 5.0).collect());
        let batches = batches_of(&constraints, &bands);
        let mut seen = vec![0; constraints.len()];
        for batch in &batches {
            let mut particles: Vec<u32> = batch.iter().flat_map(|&c| constraints[c as usize]).collect();
            let all = particles.len();
            particles.sort_unstable();
            particles.dedup();
            assert_eq!(particles.len(), all);
            batch.iter().for_each(|&c| seen[c as usize] += 1);
        }
        assert!(seen.iter().all(|&n| n == 1));
    }
}
