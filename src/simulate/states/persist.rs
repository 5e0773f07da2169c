//! Which particles are held by what they touch: contacts that last.
//!
//! ```text
//! touches      . # . . # # # # . # # # . . . . .
//! as it goes   . . . . . # # # # # # # # . . . .     from the second frame on, until the second frame without
//! looked at    . . = = # # # # # # # # . . . . .     gaps filled, short touches dropped, begun early (=)
//! ```

use crate::simulate::archive::{Archive, Archived, fits};

/// Frames in a row that a particle must touch, or not touch, to count as held, or free.
const LASTING: u8 = 2;
/// Part of a frame's substeps in which a particle must touch for the frame to count.
const TOUCHES: f32 = 0.5;

/// Contacts as the simulation goes on.
#[derive(Clone, Debug)]
pub(super) struct Persistence {
    /// Substeps of this frame in which each particle touched.
    substeps: Vec<u16>,
    /// Frames in a row that contradict `held`.
    against: Vec<u8>,
    held: Vec<bool>,
}

impl Persistence {
    /// What it knows at the end of a frame.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.each(&mut self.against, Archive::u8)?;
        fits(self.against.iter().all(|&frames| frames < LASTING), "contacts")?;
        archive.each(&mut self.held, Archive::bool)
    }

    pub(super) fn new(particles: usize) -> Persistence {
        Persistence { substeps: vec![0; particles], against: vec![0; particles], held: vec![false; particles] }
    }

    /// Starts a frame.
    pub(super) fn start_frame(&mut self) {
        self.substeps.fill(0);
    }

    /// Notes that a particle touches in this substep.
    pub(super) fn touch(&mut self, particle: u32) {
        self.substeps[particle as usize] = self.substeps[particle as usize].saturating_add(1);
    }

    /// Ends a frame of so many substeps; returns which particles touched in it.
    pub(super) fn end_frame(&mut self, substeps: u32) -> Vec<bool> {
        let enough = (TOUCHES * substeps as f32).ceil().max(1.0) as u16;
        let touched: Vec<bool> = self.substeps.iter().map(|&n| n >= enough).collect();
        for ((held, against), &touches) in self.held.iter_mut().zip(&mut self.against).zip(&touched) {
            *against = if touches == *held { 0 } else { *against + 1 };
            if *against == LASTING {
                (*held, *against) = (touches, 0);
            }
        }
        touched
    }

    /// Which particles are held.
    pub(super) fn held(&self) -> &[bool] {
        &self.held
    }
}

/// Contacts whose whole course is known: gaps shorter than [`LASTING`] are filled, what then lasts less is dropped, and the rest
/// begins some frames early.
#[derive(Clone, Debug)]
pub(super) struct Hindsight {
    /// First and last frame of each contact of each particle.
    runs: Vec<Vec<(usize, usize)>>,
}

impl Hindsight {
    /// From the particles that touch in each frame.
    pub(super) fn new<'a>(frames: impl Iterator<Item = &'a [u32]>, particles: usize, lead: usize) -> Hindsight {
        let mut runs: Vec<Vec<(usize, usize)>> = vec![Vec::new(); particles];
        for (frame, touching) in frames.enumerate() {
            for &particle in touching {
                match runs[particle as usize].last_mut() {
                    Some((_, last)) if frame - *last <= usize::from(LASTING) => *last = frame,
                    _ => runs[particle as usize].push((frame, frame)),
                }
            }
        }
        for runs in &mut runs {
            runs.retain(|(first, last)| last - first + 1 >= usize::from(LASTING));
            runs.iter_mut().for_each(|(first, _)| *first = first.saturating_sub(lead));
        }
        Hindsight { runs }
    }

    /// Which particles are held in a frame.
    pub(super) fn held(&self, frame: usize) -> Vec<bool> {
        let in_one = |runs: &Vec<(usize, usize)>| runs.iter().any(|&(first, last)| (first..=last).contains(&frame));
        self.runs.iter().map(in_one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOUCHES: &str = ".#..####.###.....";

    fn frames(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == '#').collect()
    }

    #[test]
    fn a_contact_counts_from_its_second_frame_to_the_second_without() {
        let mut persistence = Persistence::new(1);
        let held = frames(TOUCHES).into_iter().map(|touches| {
            persistence.start_frame();
            (0..5).filter(|_| touches).for_each(|_| persistence.touch(0));
            assert_eq!(persistence.end_frame(8), [touches]);
            persistence.held()[0]
        });
        assert_eq!(held.collect::<Vec<_>>(), frames(".....########...."));
    }

    #[test]
    fn with_hindsight_a_contact_counts_from_before_its_first_frame_to_its_last() {
        let touched: Vec<&[u32]> = frames(TOUCHES).into_iter().map(|t| if t { &[0][..] } else { &[] }).collect();
        let hindsight = Hindsight::new(touched.into_iter(), 1, 2);
        let held: Vec<bool> = (0..TOUCHES.len()).map(|frame| hindsight.held(frame)[0]).collect();
        assert_eq!(held, frames("..##########....."));
    }
}
