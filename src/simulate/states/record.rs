//! What a pass over the scene saw, and what a second pass makes of it.

use super::persist::Hindsight;
use super::tethers::FADE;
use super::validity::MapValidity;
use crate::correction::CorrectionMap;
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::parameters::StateMode;
use crate::simulate::simulation::Setup;
use crate::topology::ParticleId;

/// Frames in which a particle must touch a state's part to be among those that the state's map holds.
const FRAMES_TO_COUNT: u32 = 2;

/// Contacts of each frame.
#[derive(Clone, Debug, Default)]
pub(in crate::simulate) struct Record {
    frames: Vec<Frame>,
    last_validity: MapValidity,
}

#[derive(Clone, Debug, Default)]
struct Frame {
    /// Particles that touch, ascending.
    touching: Vec<u32>,
    /// Particles that touch each state's part.
    of_parts: Vec<Vec<u32>>,
    /// The state chosen after it.
    state: usize,
}

impl Record {
    /// All frames so far, of so many particles and states.
    pub(in crate::simulate) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
        particles: usize,
        states: usize,
    ) -> Archived {
        self.last_validity.archive(archive)?;
        archive.list(&mut self.frames, Frame::default, |archive, frame| {
            archive.indices(&mut frame.touching, particles, "contacts")?;
            archive.list(&mut frame.of_parts, Vec::new, |archive, touching| {
                archive.indices(touching, particles, "contacts")
            })?;
            archive.place(&mut frame.state, states, "states")
        })
    }

    /// Appends a frame; its contacts only when they are to be `kept`.
    pub(super) fn push(
        &mut self,
        touched: &[bool],
        of_parts: Vec<Vec<u32>>,
        state: usize,
        validity: MapValidity,
        kept: bool,
    ) {
        self.last_validity = validity;
        let ids = (0..).zip(touched).filter(|(_, touches)| **touches).map(|(i, _)| i);
        let frame = Frame { touching: ids.collect(), of_parts, state };
        self.frames.push(if kept { frame } else { Frame::default() });
    }

    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn last_validity(&self) -> MapValidity {
        self.last_validity
    }
}

/// What is known of a scene's contacts before it is simulated again.
#[derive(Clone, Debug)]
pub(in crate::simulate) struct Foresight {
    hindsight: Hindsight,
    /// State to be in force in each frame.
    states: Vec<usize>,
    /// Maps of the states built for what touched their parts; none without named states.
    maps: Option<Vec<CorrectionMap>>,
}

impl Foresight {
    /// What a second pass over `setup` can make of the first.
    pub(in crate::simulate) fn new(setup: &Setup<'_>, record: &Record) -> Foresight {
        let lead = (f64::from(FADE) * setup.timeline.fps.per_second()).ceil() as usize;
        let touching = record.frames.iter().map(|f| f.touching.as_slice());
        let chosen: Vec<usize> = record.frames.iter().map(|f| f.state).collect();
        let is_named = setup.parameters.state_mode() == StateMode::Named;
        Foresight {
            hindsight: Hindsight::new(touching, setup.topology.positions.len(), lead),
            states: earlier(&chosen, lead),
            maps: is_named.then(|| maps(setup, record)),
        }
    }

    pub(super) fn maps(&self) -> Option<&[CorrectionMap]> {
        self.maps.as_deref()
    }

    /// State to be in force in this frame of the record.
    pub(super) fn state(&self, frame: usize) -> usize {
        self.states.get(frame).or(self.states.last()).copied().unwrap_or(0)
    }

    /// Particles that hold others in this frame of the record.
    pub(super) fn held(&self, frame: usize) -> Vec<bool> {
        self.hindsight.held(frame)
    }
}

/// The state of each frame from those chosen after it: a state that ends the first begins `lead` frames before it was chosen.
fn earlier(chosen: &[usize], lead: usize) -> Vec<usize> {
    let at = |frame: usize| {
        let ahead = chosen[frame..].iter().take(lead + 1).copied().find(|&state| state != 0);
        if chosen[frame] == 0 { ahead.unwrap_or(0) } else { chosen[frame] }
    };
    (0..chosen.len()).map(at).collect()
}

/// The states' maps, each holding what touched its part. A state whose part nothing touched keeps its map.
fn maps(setup: &Setup<'_>, record: &Record) -> Vec<CorrectionMap> {
    let options = setup.parameters.map_options();
    let map = |(state, map): (usize, &CorrectionMap)| {
        let mut frames = vec![0_u32; setup.topology.positions.len()];
        for particle in record.frames.iter().filter_map(|f| f.of_parts.get(state)).flatten() {
            frames[*particle as usize] += 1;
        }
        let often = (0..).zip(&frames).filter(|(_, n)| **n >= FRAMES_TO_COUNT).map(|(i, _)| ParticleId(i));
        let added: Vec<ParticleId> = often.collect();
        if added.is_empty() {
            return map.clone();
        }
        let fixed = [&setup.pins.particles[..], &added].concat();
        CorrectionMap::build(&map.state, &fixed, setup.topology, setup.springs, &options)
    };
    setup.maps.iter().enumerate().map(map).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreseen_state_begins_early_but_cuts_no_other_short() {
        assert_eq!(earlier(&[0, 0, 0, 0, 1, 1, 2, 2, 0, 0], 2), [0, 0, 1, 1, 1, 1, 2, 2, 0, 0]);
    }
}
