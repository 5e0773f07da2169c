//! What of a garment's file is cloth on the body: what `--include` and `--exclude` leave of it, else all but footwear.

use crate::carry::{Choice, ChoiceError, excluded, left_over, without_footwear};
use crate::import::Garment;
use crate::topology::{ParticleId, Topology};

/// The cloth that a bake would measure.
pub(super) struct Worn {
    /// Itself, if it is not all of the garment.
    part: Option<Part>,
    /// What is held by the body without having been asked for, in plain words.
    pub(super) notice: Option<String>,
}

struct Part {
    topology: Topology,
    /// The particle of the whole garment that each of its particles is, ascending.
    of_whole: Vec<ParticleId>,
}

impl Worn {
    /// What `choice` leaves of the garment whose topology is `whole`.
    pub(super) fn of(choice: &Choice, garment: &Garment, whole: &Topology) -> Result<Worn, ChoiceError> {
        let barefoot = without_footwear(choice, garment, whole);
        let choice = barefoot.as_ref().map_or(choice, |barefoot| &barefoot.choice);
        let part = excluded(choice, garment, whole)?.map(|excluded| {
            let (topology, of_whole) = left_over(whole, &excluded);
            Part { topology, of_whole }
        });
        Ok(Worn { part, notice: barefoot.map(|barefoot| barefoot.notice) })
    }

    /// The cloth itself, which may be the `whole` garment.
    pub(super) fn topology<'a>(&'a self, whole: &'a Topology) -> &'a Topology {
        self.part.as_ref().map_or(whole, |part| &part.topology)
    }

    /// Whether a particle of the whole garment belongs to it.
    pub(super) fn has(&self, particle: ParticleId) -> bool {
        self.number(particle).is_some()
    }

    /// Its particles that are these of the whole garment; none if some are not worn.
    pub(super) fn particles(&self, of_whole: &[ParticleId]) -> Option<Vec<ParticleId>> {
        of_whole.iter().map(|&particle| self.number(particle)).collect()
    }

    fn number(&self, particle: ParticleId) -> Option<ParticleId> {
        let Some(part) = &self.part else { return Some(particle) };
        Some(ParticleId(part.of_whole.binary_search(&particle).ok()? as u32))
    }
}
