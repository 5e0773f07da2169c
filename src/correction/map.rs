//! Algorithm 1: the ordered list of corrections.

use super::classify::{Direction, Slopes};
use super::{Correction, CorrectionKind, SpringOrder, levels};
use crate::geometry::DVec3;
use crate::springs::{Spring, SpringNetwork};
use crate::topology::{ParticleId, Topology};

/// The correction map of one collision state.
#[derive(Clone, Debug)]
pub struct CorrectionMap {
    /// Name of the state, `no_knee` say.
    pub state: String,
    /// Fixed particles it starts from, ascending: the pins and what the state adds.
    pub fixed: Vec<ParticleId>,
    /// The ordered list.
    pub corrections: Vec<Correction>,
    /// Number of dependency levels.
    pub levels: u32,
    /// Particles no spring path from a fixed one reaches, ascending.
    pub unreached: Vec<ParticleId>,
}

/// What a correction map is built by.
#[derive(Clone, Debug, PartialEq)]
pub struct MapOptions {
    /// Direction of gravity, any length. Default: `(0, -1, 0)`.
    pub gravity: DVec3,
    /// How often a particle may be a goal, at least 1. Default: `1`.
    pub visit_limit: u32,
    /// Kinds of springs in the order in which a wavefront takes them. Default: horizontal, vertical, shear, the paper's best;
    /// shear before vertical is worst.
    pub order: [CorrectionKind; 3],
}

impl Default for MapOptions {
    fn default() -> Self {
        MapOptions { gravity: DVec3::NEG_Y, visit_limit: 1, order: SpringOrder::default().kinds() }
    }
}

impl CorrectionMap {
    /// Builds the map that starts from `fixed` (any order, each in range of the mesh).
    ///
    /// ```text
    /// front <- fixed
    /// until the front is empty:
    ///     for each kind, horizontal stretch, vertical stretch, shear:
    ///         for each source of the front, for each spring of that kind that does not lead up from it:
    ///             goal below its visit limit?  append (source, goal); goal joins the next front
    /// ```
    ///
    /// The paper takes all kinds of one particle before the next particle. On a cloth that hangs from a whole row, the shear
    /// springs of the first particle then come before the vertical one of its neighbour and the cloth hangs from its
    /// diagonals, 15 cm aside for 1 m. Taking each kind for the whole front avoids that.
    ///
    /// Particles that only springs leading up reach (hoods, cloth that starts above its pins) are completed by breadth-first
    /// distance along stretch springs.
    pub fn build(
        state: &str,
        fixed: &[ParticleId],
        topology: &Topology,
        springs: &SpringNetwork,
        options: &MapOptions,
    ) -> CorrectionMap {
        let mut fixed = fixed.to_vec();
        fixed.sort_unstable();
        fixed.dedup();
        let mut walk = Walk::new(&fixed, topology.positions.len(), options.visit_limit.max(1));
        let steps = options.order.map(|kind| Steps::of_kind(kind, topology, springs, options.gravity));
        walk.run(fixed.clone(), &steps);
        let completion = [Steps::completion(topology, springs)];
        walk.run(walk.reached(&fixed), &completion);
        let mut corrections = walk.corrections;
        corrections.shrink_to_fit();
        let levels = levels::assign(&mut corrections, topology.positions.len());
        let unreached = (0..topology.positions.len()).filter(|&p| walk.visits_left[p] == walk.limit);
        let unreached = unreached.map(|p| ParticleId(p as u32)).collect();
        CorrectionMap { state: state.to_owned(), fixed, corrections, levels, unreached }
    }
}

/// A wavefront on its way through the cloth.
struct Walk {
    corrections: Vec<Correction>,
    /// How often each particle may still be a goal; fixed ones never.
    visits_left: Vec<u32>,
    limit: u32,
}

impl Walk {
    fn new(fixed: &[ParticleId], particles: usize, limit: u32) -> Walk {
        let mut visits_left = vec![limit; particles];
        fixed.iter().for_each(|p| visits_left[p.index()] = 0);
        Walk { corrections: Vec::new(), visits_left, limit }
    }

    fn run(&mut self, mut front: Vec<ParticleId>, kinds: &[Steps]) {
        // Wave in which a particle last joined the next front: it joins once a wave.
        let mut joined = vec![0_u32; self.visits_left.len()];
        let mut wave = 0;
        while !front.is_empty() {
            wave += 1;
            let mut next = Vec::new();
            for steps in kinds {
                for (source, step) in
                    front.iter().flat_map(|&source| steps.from(source).iter().map(move |s| (source, s)))
                {
                    let goal = step.goal.index();
                    if self.visits_left[goal] == 0 {
                        continue;
                    }
                    self.visits_left[goal] -= 1;
                    self.corrections.push(Correction {
                        source,
                        goal: step.goal,
                        rest_length: step.rest_length,
                        kind: steps.kind,
                        level: 0,
                    });
                    if joined[goal] != wave {
                        joined[goal] = wave;
                        next.push(step.goal);
                    }
                }
            }
            front = next;
        }
    }

    /// The fixed particles and all goals so far, in the order they were reached.
    fn reached(&self, fixed: &[ParticleId]) -> Vec<ParticleId> {
        let mut seen = vec![false; self.visits_left.len()];
        let all = fixed.iter().copied().chain(self.corrections.iter().map(|c| c.goal));
        all.filter(|p| !std::mem::replace(&mut seen[p.index()], true)).collect()
    }
}

/// Springs of one kind as steps from each particle, ascending by goal.
struct Steps {
    kind: CorrectionKind,
    starts: Vec<u32>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy)]
struct Step {
    goal: ParticleId,
    rest_length: f32,
}

impl Steps {
    fn of_kind(kind: CorrectionKind, topology: &Topology, springs: &SpringNetwork, gravity: DVec3) -> Steps {
        let slopes = Slopes::new(topology, gravity);
        let particles = topology.positions.len();
        match kind {
            CorrectionKind::HorizontalStretch => {
                Steps::of(kind, particles, &springs.stretch, |from, to| slopes.of_stretch(from, to) == Direction::Level)
            }
            CorrectionKind::VerticalStretch => {
                Steps::of(kind, particles, &springs.stretch, |from, to| slopes.of_stretch(from, to) == Direction::Down)
            }
            CorrectionKind::Shear => {
                Steps::of(kind, particles, &springs.shear, |from, to| slopes.of_shear(from, to) != Direction::Up)
            }
            CorrectionKind::Completion => Steps::completion(topology, springs),
        }
    }

    fn completion(topology: &Topology, springs: &SpringNetwork) -> Steps {
        Steps::of(CorrectionKind::Completion, topology.positions.len(), &springs.stretch, |_, _| true)
    }

    /// Both directions of each spring that `leads` accepts.
    fn of(
        kind: CorrectionKind,
        particles: usize,
        springs: &[Spring],
        leads: impl Fn(ParticleId, ParticleId) -> bool,
    ) -> Steps {
        let both = springs.iter().flat_map(|s| [(s.a, s.b, s.rest_length), (s.b, s.a, s.rest_length)]);
        let mut all: Vec<_> = both.filter(|&(from, to, _)| leads(from, to)).collect();
        all.sort_unstable_by_key(|&(from, to, _)| (from, to));
        let mut starts = vec![0_u32; particles + 1];
        all.iter().for_each(|(from, _, _)| starts[from.index() + 1] += 1);
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        let steps = all.into_iter().map(|(_, goal, rest_length)| Step { goal, rest_length }).collect();
        Steps { kind, starts, steps }
    }

    fn from(&self, source: ParticleId) -> &[Step] {
        &self.steps[self.starts[source.index()] as usize..self.starts[source.index() + 1] as usize]
    }
}
