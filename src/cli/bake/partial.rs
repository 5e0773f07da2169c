//! What is left of a simulation that diverged.

use super::cloth::Cloth;
use crate::cli::failure::{ExplainedFailure, Failure};
use crate::simulate::{Simulation, SimulationError};

/// Vertices that are named in one message.
const SHOWN: usize = 3;

/// The frames before the one that diverged, taken out of the error as a simulation of their own; none if there are none.
pub(super) fn good_frames(error: &mut SimulationError) -> Option<Simulation> {
    let SimulationError::Diverged { good, .. } = error else { return None };
    let timeline = good.cache.timeline;
    let last = timeline.first + good.cache.frames.len() as i64 - 1;
    let mut part = std::mem::replace(&mut **good, Simulation::of(timeline));
    part.cache.timeline.last = last;
    (last >= timeline.first).then_some(part)
}

/// The failure with the vertices it is about, and what became of the good frames, `part`, which are written or not.
pub(super) fn explained(error: SimulationError, cloth: &Cloth, part: Option<&Simulation>, is_written: bool) -> Failure {
    let SimulationError::Diverged { particle, .. } = error else { return error.into() };
    let places = cloth.topology.particle_of_vertex.iter().enumerate().filter(|(_, p)| **p == particle);
    let vertices: Vec<String> = places.map(|(vertex, _)| vertex.to_string()).take(SHOWN).collect();
    // Of cloth that is finer or coarser than the file nothing there is its particle.
    let is_file = cloth.rest.is_none() && !vertices.is_empty();
    let place = is_file.then(|| format!("it is at vertex {} of the garment's file (from 0)", vertices.join(", ")));
    let frames = part.map(|part| {
        let (first, last) = (part.cache.timeline.first, part.cache.timeline.last);
        if is_written {
            format!("frames {first} to {last} are written")
        } else {
            format!("--keep-partial writes frames {first} to {last}, which are good")
        }
    });
    let hint: Vec<String> = [place, frames].into_iter().flatten().collect();
    Failure::Explained(Box::new(ExplainedFailure { failure: error.into(), hint: hint.join("; ") }))
}
