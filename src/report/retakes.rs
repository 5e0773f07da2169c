//! What a supervisor would send back, in plain words.

use super::crossings::Crossings;
use super::penetration::{Cause, Penetration};
use super::place::describe;
use super::steadiness::Steadiness;
use super::stretch::Stretch;
use super::worn::ComeOff;
use crate::geometry::{Aabb, Vec3};
use crate::import::Garment;
use crate::topology::{ParticleId, Topology};

/// Depth from which a frame is sent back, metres: it shows through thin cloth at arm's length.
const DEEP: f64 = 0.005;
/// Stretch from which a frame is sent back: textures smear visibly.
const STRETCHED: f32 = 0.3;
/// Pairs of triangles through each other from which a frame is sent back, as a part of all triangles: a few specks nobody sees.
const CROSSED: f64 = 0.001;
/// Frames between two faults that are still one fault.
const GAP: i64 = 2;

/// A fault of consecutive frames with its worst moment.
struct Run<T> {
    first: i64,
    last: i64,
    severity: f64,
    worst: T,
}

/// What was found wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults<'a> {
    pub(crate) stretch: &'a Stretch,
    pub(crate) penetration: Option<&'a Penetration>,
    pub(crate) self_crossings: &'a Crossings,
    pub(crate) steadiness: &'a Steadiness,
    pub(crate) come_off: &'a [ComeOff],
}

/// Runs of frames that are too deep inside the body, stretched too far, through themselves, frozen or jumping, and those without the body, in the order of
/// frames. `first` is the number of the first frame.
pub(crate) fn retakes(garment: &Garment, topology: &Topology, first: i64, faults: &Faults<'_>) -> Vec<String> {
    let Faults { stretch, penetration, self_crossings, steadiness, come_off } = *faults;
    let bounds = Aabb::around(&garment.positions);
    let mut retakes = Vec::new();
    for cause in Cause::ALL {
        let frames_deep = penetration.iter().flat_map(|p| &p.frames).filter_map(|f| Some((f.frame, f.deepest(cause)?)));
        let deep = frames_deep.filter(|(_, deepest)| deepest.depth > DEEP);
        let why = match cause {
            Cause::SelfContact => ", where the body touches itself",
            Cause::Beginning => {
                ", where the garment is inside the body from the start: too narrow there, or made for another pose"
            }
            Cause::Other => "",
        };
        for run in runs(deep.map(|(frame, deepest)| (frame, deepest.depth, deepest))) {
            let place = describe(garment.positions[run.worst.vertex as usize], &bounds);
            let words = format!("{place}, inside {}, {:.1} mm{why}", run.worst.joint, run.severity * 1000.0);
            retakes.push((run.first, format!("{}, {words}", frames(run.first, run.last))));
        }
    }
    let through = penetration.iter().flat_map(|p| &p.through_faces.frames).filter(|f| f.depth > DEEP);
    for run in runs(through.map(|f| (f.frame, f.depth, f))) {
        let place = describe(garment.positions[run.worst.vertex as usize], &bounds);
        let words = format!("{place}, {} comes {:.1} mm through a face", run.worst.joint, run.severity * 1000.0);
        retakes.push((run.first, format!("{}, {words}", frames(run.first, run.last))));
    }
    let stretched = stretch.frames.iter().filter(|f| f.stretch > STRETCHED);
    for run in runs(stretched.map(|f| (f.frame, f64::from(f.stretch), f.edge))) {
        let place = describe(middle(topology.file_edges[run.worst], &topology.positions), &bounds);
        let words = format!("{place}, stretched by {:.0} %", run.severity * 100.0);
        retakes.push((run.first, format!("{}, {words}", frames(run.first, run.last))));
    }
    let few = (CROSSED * topology.triangles.len() as f64).max(1.0);
    let pairs = (first..).zip(&self_crossings.frames).map(|(frame, &pairs)| (frame, pairs as f64, ()));
    for run in runs(pairs.filter(|&(_, pairs, ())| pairs > few)) {
        let words = format!("the cloth goes through itself, {} pairs of triangles", run.severity);
        retakes.push((run.first, format!("{}, {words}", frames(run.first, run.last))));
    }
    for run in runs(steadiness.frozen.iter().map(|&frame| (frame, 1.0, ()))) {
        retakes.push((run.first, format!("{}, the cloth stands still", frames(run.first, run.last))));
    }
    for jump in &steadiness.jumping {
        let place = describe(garment.positions[jump.vertex as usize], &bounds);
        retakes.push((jump.frame, format!("{}, {place}, jumps by {:.0} mm", frames(jump.frame, jump.frame), jump.mm)));
    }
    for &ComeOff { piece, frames: [first, last], metres } in come_off {
        let far = format!("come off the body, {metres:.2} m from where it was worn");
        let words = match piece {
            None => format!("the cloth has {far}: pin it, as with --pin loop:top"),
            Some(at) => format!("{}, a piece that no pin holds has {far}: pin it too", describe(at, &bounds)),
        };
        retakes.push((first, format!("{}, {words}", frames(first, last))));
    }
    retakes.sort();
    retakes.into_iter().map(|(_, words)| words).collect()
}

fn runs<T: Copy>(faults: impl Iterator<Item = (i64, f64, T)>) -> Vec<Run<T>> {
    let mut runs: Vec<Run<T>> = Vec::new();
    for (frame, severity, worst) in faults {
        match runs.last_mut().filter(|run| frame - run.last <= GAP + 1) {
            Some(run) => {
                run.last = frame;
                if severity > run.severity {
                    (run.severity, run.worst) = (severity, worst);
                }
            }
            None => runs.push(Run { first: frame, last: frame, severity, worst }),
        }
    }
    runs
}

/// One frame or a run of them, in words.
pub(super) fn frames(first: i64, last: i64) -> String {
    if first == last { format!("frame {first}") } else { format!("frames {first} to {last}") }
}

fn middle([a, b]: [ParticleId; 2], positions: &[Vec3]) -> Vec3 {
    positions[a.index()].midpoint(positions[b.index()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_a_few_frames_apart_are_one() {
        let faults = [(3, 0.1, 'a'), (4, 0.3, 'b'), (7, 0.2, 'c'), (20, 0.1, 'd')];
        let runs = runs(faults.into_iter());
        let found: Vec<_> = runs.iter().map(|r| (r.first, r.last, r.worst)).collect();
        assert_eq!(found, [(3, 7, 'b'), (20, 20, 'd')]);
    }
}
