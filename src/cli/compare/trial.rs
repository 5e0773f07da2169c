//! One method on a scene that is ready to be simulated.

use std::ops::ControlFlow;
use std::time::Instant;

use rayon::ThreadPool;

use super::Stage;
use crate::cli::bake::cloth;
use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::interrupt::Interrupt;
use crate::correction::{CorrectionMap, SpringOrder};
use crate::report::Subject;
use crate::report::comparison::{Divergence, Trial, TrialOf};
use crate::simulate::{
    self, Enforcement, MethodSpec, Parameters, Setup, Simulation, SimulationError, StateError, StateUse,
};

/// What a trial runs.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) method: MethodSpec,
    /// None: as the scene has it.
    pub(super) substeps: Option<u32>,
    /// None: the default.
    pub(super) order: Option<SpringOrder>,
    /// None: as the scene has it.
    pub(super) states: Option<StateUse>,
}

/// How trials are run.
pub(super) struct Bench<'a> {
    /// One thread: methods are compared, not machines.
    pub(super) pool: &'a ThreadPool,
    pub(super) repeat: u32,
    pub(super) console: &'a Console,
    pub(super) interrupt: &'a Interrupt,
}

/// A run that came to its end or blew up, and the milliseconds of each frame.
struct Run {
    simulation: Simulation,
    diverged: Option<Divergence>,
    milliseconds: Vec<f64>,
}

/// Every method of the scene's comparison with every number of substeps and every use of states, directional ones with every
/// order.
pub(super) fn candidates(stage: &Stage) -> Vec<Candidate> {
    let comparison = &stage.scene.comparison;
    let substeps: Vec<Option<u32>> = match comparison.substeps.is_empty() {
        true => vec![stage.scene.parameters.substeps],
        false => comparison.substeps.iter().copied().map(Some).collect(),
    };
    let states: Vec<Option<StateUse>> = match comparison.states.is_empty() {
        true => vec![None],
        false => comparison.states.iter().copied().map(Some).collect(),
    };
    let mut all = Vec::new();
    for method in &comparison.methods {
        let is_directional = matches!(method.enforcement, Enforcement::Directional { .. });
        let has_orders = is_directional && !comparison.orders.is_empty();
        let orders =
            if has_orders { comparison.orders.iter().copied().map(Some).collect() } else { vec![None::<SpringOrder>] };
        for &substeps in &substeps {
            for &order in &orders {
                all.extend(states.iter().map(|&states| Candidate { method: *method, substeps, order, states }));
            }
        }
    }
    all
}

impl Bench<'_> {
    /// Runs every candidate and measures it. Further rounds only take the time: each frame counts as its fastest, and rounds
    /// go through all candidates, so that a busy minute of the machine does not fall upon one of them.
    pub(super) fn run(&self, stage: &Stage, candidates: &[Candidate]) -> Result<Vec<Trial>, Failure> {
        let mut trials = Vec::new();
        for candidate in candidates {
            self.console.stage(&format!("{}: {}", stage.scene.name, candidate.method));
            let parameters = candidate.parameters(&stage.scene.parameters);
            let maps = maps(stage, &parameters)?;
            let Run { simulation, diverged, milliseconds } = self.simulate(stage, &parameters, &maps)?;
            simulation.notices.iter().for_each(|notice| self.console.detail(notice));
            let subject = Subject { method: candidate.method, ..stage.subject(&simulation) };
            let of = candidate.description(&parameters, &simulation);
            let near = &stage.scene.comparison.near;
            trials.push((Trial::measure(of, diverged, &subject, &parameters, near), milliseconds));
        }
        for round in 2..=self.repeat {
            self.console.stage(&format!("{}: round {round} of {}", stage.scene.name, self.repeat));
            for (candidate, (_, least)) in candidates.iter().zip(&mut trials) {
                let parameters = candidate.parameters(&stage.scene.parameters);
                let again = self.simulate(stage, &parameters, &maps(stage, &parameters)?)?;
                least.iter_mut().zip(again.milliseconds).for_each(|(least, time)| *least = least.min(time));
            }
        }
        Ok(trials.into_iter().map(|(trial, milliseconds)| trial.with_times(&milliseconds)).collect())
    }

    fn simulate(&self, stage: &Stage, parameters: &Parameters, maps: &[CorrectionMap]) -> Result<Run, Failure> {
        let setup = Setup { parameters, maps, ..stage.setup() };
        // A frame takes what both passes do.
        let (mut ahead, mut milliseconds) = (Vec::new(), Vec::new());
        let result = self.pool.install(|| {
            let frames = u64::from(parameters.preroll) + stage.inputs.timeline.len() as u64;
            let passes = if parameters.takes_two_passes() { 2 } else { 1 };
            let progress = self.console.brief_progress(passes * frames);
            let mut last = Instant::now();
            let result = simulate::run(&setup, &mut |now| {
                let time = last.elapsed().as_secs_f64() * 1000.0;
                let times = if now.looks_ahead { &mut ahead } else { &mut milliseconds };
                times.extend((!now.preroll).then_some(time));
                progress.update(u64::from(now.done), "comparing");
                last = Instant::now();
                if self.interrupt.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            progress.finish();
            result
        });
        milliseconds.iter_mut().zip(ahead).for_each(|(time, ahead)| *time += ahead);
        match result {
            Ok(simulation) => Ok(Run { simulation, diverged: None, milliseconds }),
            Err(SimulationError::Diverged { frame, particle, fault, good, .. }) => {
                let reason = format!("particle {}: {fault}", particle.0);
                let diverged = Some(Divergence { frame, reason });
                Ok(Run { simulation: *good, diverged, milliseconds })
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Candidate {
    /// The scene's parameters with this method; its tolerance is that of the scene's own method.
    fn parameters(&self, scene: &Parameters) -> Parameters {
        let mut enforcement = self.method.enforcement;
        if let (Some(given), Some(tolerance)) = (scene.enforcement.tolerance(), enforcement.tolerance_mut()) {
            *tolerance = given;
        }
        if let (Enforcement::Directional { order, .. }, Some(given)) = (&mut enforcement, self.order) {
            *order = given;
        }
        let as_scene = StateUse { mode: scene.state_mode(), look_ahead: scene.look_ahead };
        let StateUse { mode, look_ahead } = self.states.unwrap_or(as_scene);
        Parameters {
            state_mode: Some(mode),
            look_ahead,
            integrator: self.method.integrator,
            enforcement,
            substeps: self.substeps,
            // A frame that diverges is the answer here, no accident.
            retries: 0,
            ..scene.clone()
        }
    }

    fn description(&self, parameters: &Parameters, simulation: &Simulation) -> TrialOf {
        let most = simulation.substeps.iter().copied().max();
        TrialOf {
            method: self.method.to_string(),
            order: self.order.map(SpringOrder::name),
            states: self.states.map(|states| states.to_string()),
            integrator: self.method.integrator.to_string(),
            enforced: parameters.enforcement != Enforcement::None,
            passes: parameters.enforcement.passes(),
            substeps: parameters.substeps.or(most).unwrap_or(0),
        }
    }
}

/// The scene's correction maps as `parameters` want them.
fn maps(stage: &Stage, parameters: &Parameters) -> Result<Vec<CorrectionMap>, StateError> {
    Ok(cloth::maps(&stage.cloth, parameters, stage.inputs.body.as_ref(), &parameters.map_options())?.maps)
}
