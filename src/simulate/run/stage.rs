//! Which part of a simulation a snapshot is of, and a finished one as a snapshot of its own.

use std::io::{self, Write};

use super::course::Snapshot;
use crate::correction::{Correction, CorrectionKind, CorrectionMap};
use crate::simulate::archive::{Archive, ArchiveError, Archived};
use crate::simulate::simulation::{LoopOutcome, Simulation};
use crate::topology::ParticleId;

/// What a snapshot is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The only pass, or one that looks ahead.
    Only,
    /// The pass that knows what one before it has seen.
    Second,
    /// A finished simulation.
    Finished,
}

impl Stage {
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        let mut number = *self as u8;
        archive.u8(&mut number)?;
        let known = [Stage::Only, Stage::Second, Stage::Finished].into_iter().find(|stage| *stage as u8 == number);
        *self = known.ok_or(ArchiveError::Misfit { what: "passes" })?;
        Ok(())
    }
}

impl Simulation {
    /// Writes a finished simulation as a snapshot: to go on from it is to have it again.
    ///
    /// # Errors
    /// What `sink` says.
    pub fn write(&mut self, sink: &mut dyn Write) -> io::Result<()> {
        let particles = self.cache.frames.first().map_or(0, Vec::len);
        let mut write = |sink: &mut dyn Write| {
            let mut archive = Archive::to(sink);
            Stage::Finished.archive(&mut archive)?;
            self.archive(&mut archive, particles)
        };
        Snapshot::new(&mut write).write(sink)
    }

    /// All of a finished simulation of so many particles.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>, particles: usize) -> Archived {
        archive.list(&mut self.maps, blank_map, |archive, map| archive_map(archive, map, particles))?;
        self.archive_frames(archive, particles, self.maps.len())?;
        archive.list(&mut self.cuts, || 0, Archive::i64)?;
        archive.option(&mut self.repetition, LoopOutcome::default, |archive, outcome| outcome.archive(archive))?;
        archive.list(&mut self.notices, String::new, Archive::words)
    }
}

fn blank_map() -> CorrectionMap {
    CorrectionMap { state: String::new(), fixed: Vec::new(), corrections: Vec::new(), levels: 0, unreached: Vec::new() }
}

fn archive_map(archive: &mut Archive<'_>, map: &mut CorrectionMap, particles: usize) -> Archived {
    archive.words(&mut map.state)?;
    for list in [&mut map.fixed, &mut map.unreached] {
        archive.list(list, || ParticleId(0), |archive, particle| archive.particle(particle, particles))?;
    }
    archive.u32(&mut map.levels)?;
    let blank = || Correction {
        source: ParticleId(0),
        goal: ParticleId(0),
        rest_length: 0.0,
        kind: CorrectionKind::Completion,
        level: 0,
    };
    archive.list(&mut map.corrections, blank, |archive, correction| {
        archive.particle(&mut correction.source, particles)?;
        archive.particle(&mut correction.goal, particles)?;
        archive.f32(&mut correction.rest_length)?;
        archive.u32(&mut correction.level)?;
        archive_kind(archive, &mut correction.kind)
    })
}

fn archive_kind(archive: &mut Archive<'_>, kind: &mut CorrectionKind) -> Archived {
    use CorrectionKind::{Completion, HorizontalStretch, Shear, VerticalStretch};
    const KINDS: [CorrectionKind; 4] = [HorizontalStretch, VerticalStretch, Shear, Completion];
    let mut number = KINDS.iter().position(|known| known == kind).unwrap_or(KINDS.len()) as u8;
    archive.u8(&mut number)?;
    *kind = *KINDS.get(usize::from(number)).ok_or(ArchiveError::Misfit { what: "corrections" })?;
    Ok(())
}
