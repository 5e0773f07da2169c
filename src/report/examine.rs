//! Takes all measurements of a finished simulation.

use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};

use super::retakes::{Faults, retakes};
use super::self_contacts::{BodyReport, SelfContacts};
use super::worn::Hung;
use super::{
    CoordinatesReport, Crossings, FramesReport, GarmentReport, LoopReport, MapReport, Motion, Report, SpringsReport,
    by_state, checksum, crossings, penetration, steadiness, stretch, switches, worn,
};
use crate::body::{Body, Moment};
use crate::geometry::DVec3;
use crate::import::Garment;
use crate::simulate::{MethodSpec, PointCache, Simulation, Timeline};
use crate::springs::SpringNetwork;
use crate::topology::{ParticleId, Topology};

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Name of the scene.
    pub scene: &'a str,
    /// How it was simulated.
    pub method: MethodSpec,
    /// The garment as its file has it.
    pub garment: &'a Garment,
    /// Its cloth as it is measured: with the faces that were left out of the simulation left out here.
    pub topology: &'a Topology,
    /// How much of it was simulated.
    pub simulated: Simulated,
    /// The springs of what was simulated.
    pub springs: &'a SpringNetwork,
    /// The body, if any.
    pub body: Option<&'a Body>,
    /// The pose of the body that the garment was made for.
    pub start: Moment,
    /// Distance that the cloth keeps from the body, metres: [`Parameters::distance_kept`](crate::simulate::Parameters).
    pub thickness: f32,
    /// The cloth that was simulated.
    pub cloth: &'a Topology,
    /// Its pins, ascending.
    pub pins: &'a [ParticleId],
    /// The finished frames, of the particles of `topology`.
    pub cache: &'a PointCache,
    /// Where their positions count from, metres in the world.
    pub origin: DVec3,
    /// What was odd about the files, then about the garment as a cloth, in plain words.
    pub notices: [&'a [String]; 2],
    /// The simulation they come from.
    pub simulation: &'a Simulation,
    /// Set by whoever wants measuring to stop.
    pub interrupted: Option<&'a AtomicBool>,
}

/// Measuring was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted while measuring; no output was changed")]
pub struct Interrupted;

/// How much of a garment was simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simulated {
    /// Particles of the simulation.
    pub particles: usize,
    /// Vertices of the file that the user left out.
    pub excluded_vertices: usize,
    /// Vertices of the file that follow the cloth without being simulated.
    pub carried_vertices: usize,
}

/// Measures everything but time and outputs, which the caller fills in.
///
/// # Errors
/// [`Interrupted`].
pub fn examine(subject: &Subject<'_>) -> Result<Report, Interrupted> {
    let Subject { topology, cache, .. } = *subject;
    let first_vertices = first_vertices(topology);
    let (self_crossings, (checksums, position_hash)) = rayon::join(
        || crossings::measure(cache, topology, &first_vertices, subject.interrupted),
        || {
            let vertices = &topology.particle_of_vertex;
            (checksum::measure(cache, vertices, subject.origin), position_hash(cache, vertices))
        },
    );
    // Whoever is interrupted leaves frames out.
    let report = Report { checksums, position_hash, ..judged(subject, &first_vertices, self_crossings) };
    if is_interrupted(subject.interrupted) { Err(Interrupted) } else { Ok(report) }
}

/// Whether somebody wants measuring to stop.
pub(super) fn is_interrupted(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// All but what proves the outputs.
fn judged(subject: &Subject<'_>, first_vertices: &[u32], self_crossings: Crossings) -> Report {
    let Subject { garment, topology, springs, body, cache, simulation, .. } = *subject;
    let stretch = stretch::measure(cache, topology, first_vertices);
    let contacts = body.map(|body| SelfContacts::find(body, &cache.timeline, subject.thickness));
    let measured = |(body, c)| penetration::measure(cache, topology, (body, subject.start), c, subject.interrupted);
    let penetration = body.zip(contacts.as_ref()).map(measured);
    let caught = penetration.as_ref().map(penetration::Penetration::contacts).unwrap_or_default();
    let Timeline { first, last, .. } = cache.timeline;
    let folds = penetration.as_ref().map_or(Vec::new(), |penetration| penetration.folds(first, last));
    let folds = folds.iter().map(|fold| (fold, true));
    let body_report =
        body.zip(contacts.as_ref()).map(|(body, c)| BodyReport::of(c.told(&caught).chain(folds), body, first));
    let touches = body_report.as_ref().and_then(BodyReport::words);
    let coarse = [
        body.and_then(Body::coarse_notice),
        penetration.as_ref().and_then(penetration::Penetration::coarse_notice),
        self_crossings.coarse_notice(),
    ];
    let steadiness = steadiness::measure(cache, body, first_vertices);
    let hung = Hung { topology: subject.cloth, pins: subject.pins, cache: &simulation.cache };
    let come_off = body.map(|body| worn::come_off(hung, (body, subject.start), subject.interrupted));
    let come_off = come_off.unwrap_or_default();
    let state = |&i: &usize| Some(simulation.maps.get(i)?.state.clone());
    let states: Vec<String> = simulation.states.iter().filter_map(state).collect();
    let faults = Faults {
        stretch: &stretch,
        penetration: penetration.as_ref(),
        self_crossings: &self_crossings,
        steadiness: &steadiness,
        come_off: &come_off,
    };
    Report {
        toile: env!("CARGO_PKG_VERSION"),
        scene: subject.scene.to_owned(),
        method: subject.method.to_string(),
        garment: GarmentReport::of(garment, topology, subject.simulated),
        springs: SpringsReport::of(springs),
        maps: simulation
            .maps
            .iter()
            .enumerate()
            .map(|(i, map)| (map.state.clone(), MapReport::of(i, map, simulation)))
            .collect(),
        frames: FramesReport::of(&cache.timeline, &simulation.cuts),
        by_state: by_state::figures(&states, cache.timeline.first, &stretch, penetration.as_ref()),
        states,
        switches: switches::measure(simulation),
        retakes: retakes(garment, topology, cache.timeline.first, &faults),
        notices: subject
            .notices
            .into_iter()
            .flatten()
            .chain(&simulation.notices)
            .cloned()
            .chain(coarse.into_iter().flatten())
            .chain(touches)
            .collect(),
        body: body_report,
        stretch,
        motion: Motion::of(&simulation.cache, &simulation.cuts),
        steadiness,
        penetration,
        self_crossings,
        repetition: LoopReport::of(simulation, body),
        seconds: Default::default(),
        milliseconds_per_frame: 0.0,
        threads: 0,
        peak_memory_mib: None,
        outputs: Vec::new(),
        coordinates: CoordinatesReport::of(garment.frame, subject.origin),
        checksums: Vec::new(),
        position_hash: String::new(),
    }
}

/// Smallest file vertex of each particle.
fn first_vertices(topology: &Topology) -> Vec<u32> {
    let mut first = vec![0; topology.positions.len()];
    for (vertex, particle) in topology.particle_of_vertex.iter().enumerate().rev() {
        first[particle.index()] = vertex as u32;
    }
    first
}

/// SHA-256 over x, y and z of every vertex, in the file's order, of every frame: `f32`, little endian, metres.
fn position_hash(cache: &PointCache, particle_of_vertex: &[ParticleId]) -> String {
    let mut hash = Sha256::new();
    let mut bytes = Vec::new();
    for index in 0..cache.frames.len() {
        bytes.clear();
        let positions = cache.vertex_positions(index, particle_of_vertex);
        bytes.extend(positions.flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes));
        hash.update(&bytes);
    }
    format!("{:x}", hash.finalize())
}

impl LoopReport {
    fn of(simulation: &Simulation, body: Option<&Body>) -> LoopReport {
        let Some(outcome) = &simulation.repetition else {
            let residual_mm = body.and_then(|body| loop_residual(&simulation.cache, body));
            return LoopReport { residual_mm, ..LoopReport::default() };
        };
        let millimetres = |&metres: &f32| f64::from(metres) * 1000.0;
        LoopReport {
            residual_mm: outcome.repeated().map(|(_, residual)| millimetres(&residual)),
            residuals_mm: outcome.residuals.iter().map(millimetres).collect(),
            velocity_residuals_m_s: outcome.velocity_residuals.iter().copied().map(f64::from).collect(),
            laps: Some(outcome.laps),
            tolerance_mm: Some(millimetres(&outcome.tolerance)),
            is_closed: Some(outcome.is_closed),
        }
    }
}

/// Furthest that a particle is from where it was one period of the clip before, at the last frame, millimetres. None if the
/// clip does not close, its period is no whole number of frames, or the bake is shorter.
fn loop_residual(cache: &PointCache, body: &Body) -> Option<f64> {
    /// Largest part of a frame by which a period may miss a whole number of frames.
    const WHOLE: f64 = 1e-3;
    let (start, end) = body.clip_range();
    let period = (end - start) * cache.timeline.fps.per_second();
    let frames = period.round();
    if !body.is_cyclic() || frames < 1.0 || (period - frames).abs() > WHOLE {
        return None;
    }
    let last = cache.frames.last()?;
    let before = cache.frames.get((cache.frames.len() - 1).checked_sub(frames as usize)?)?;
    let furthest = last.iter().zip(before).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    Some(f64::from(furthest) * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::simulate::{FrameRate, Timeline};

    #[test]
    fn the_position_hash_is_over_vertices_not_particles() {
        let timeline = Timeline { first: 0, last: 0, fps: FrameRate::whole(30), start_frame: 1 };
        let cache = PointCache { timeline, frames: vec![vec![Vec3::X]] };
        let bytes: Vec<u8> = [1f32, 0.0, 0.0, 1.0, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let expected = format!("{:x}", Sha256::digest(&bytes));
        assert_eq!(position_hash(&cache, &[ParticleId(0), ParticleId(0)]), expected);
    }
}
