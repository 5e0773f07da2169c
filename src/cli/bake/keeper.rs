//! Keeps a long bake: writes checkpoints, finds the one to go on from, and says what can be done with it.

use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::arguments::CheckpointArguments;
use super::identity::{Identity, Program};
use super::inputs::Inputs;
use crate::bake::{self, Checkpoint, CheckpointError, Output};
use crate::cli::console::Console;
use crate::cli::failure::{ExplainedFailure, Failure, Mismatch};
use crate::preset::Scene;
use crate::simulate::{Progress, Simulation, SimulationError, Snapshot};

/// Time between checkpoints when nobody says.
const EVERY: Duration = Duration::from_secs(30);
/// How many times as long as the last one took is waited with the next then: what they take of a bake is a fiftieth at most.
const RARELY: u32 = 50;

/// What stands in a checkpoint before the state.
#[derive(Debug, Serialize, Deserialize)]
struct Heading {
    identity: Identity,
    /// SHA-256 of the program that wrote it.
    #[serde(default)]
    build: String,
    /// Frames done and to do, as they are shown.
    done: u32,
    total: u32,
    /// Seconds of simulation so far.
    seconds: f64,
}

/// How much of a bake a checkpoint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kept {
    done: u32,
    total: u32,
}

/// The keeper of one bake.
pub(super) struct Keeper<'a> {
    output: &'a Output,
    path: PathBuf,
    console: &'a Console,
    arguments: &'a CheckpointArguments,
    /// What it keeps, and with which program; none if it keeps nothing.
    kept_for: Option<(Identity, Program)>,
    /// What a bake before left behind.
    state: Option<Box<dyn Read + Send>>,
    /// Frames done before this process.
    before: u32,
    /// What the checkpoint that is there now holds.
    kept: Option<Kept>,
    /// Seconds of simulation before this process.
    seconds: f64,
    /// When the simulation began here: with its first frame, or where another stopped.
    start: Instant,
    /// What the set-up before the first frame took; none as long as there is no frame.
    set_up: Option<Duration>,
    last: Instant,
    /// What the last checkpoint took.
    cost: Duration,
    has_failed: bool,
}

impl<'a> Keeper<'a> {
    /// Looks for a checkpoint of this bake, whose first output is `output`.
    pub(super) fn find(
        scene: &Scene,
        inputs: &Inputs,
        output: &'a Output,
        arguments: &'a CheckpointArguments,
        console: &'a Console,
    ) -> Result<Keeper<'a>, Failure> {
        let now = Instant::now();
        let mut keeper = Keeper {
            output,
            path: bake::checkpoint_path(output),
            console,
            arguments,
            kept_for: None,
            state: None,
            before: 0,
            kept: None,
            seconds: 0.0,
            start: now,
            set_up: None,
            last: now,
            cost: Duration::ZERO,
            has_failed: false,
        };
        if arguments.restart {
            keeper.remove_file();
        }
        let found = bake::read_checkpoint(&keeper.path)?;
        if found.is_none() && keeper.never() {
            return Ok(keeper);
        }
        let program = Program::open().map_err(|error| ("this program".into(), error));
        match Identity::of(scene, inputs).and_then(|identity| Ok((identity, program?))) {
            Ok(kept_for) => keeper.kept_for = Some(kept_for),
            Err((path, error)) => {
                // Who reads that file for its content has more to say.
                console.detail(&format!("no checkpoints are written: {}: {error}", path.display()));
                return Ok(keeper);
            }
        }
        if let Some(found) = found {
            keeper.take(found)?;
        }
        Ok(keeper)
    }

    /// Takes over from a checkpoint.
    fn take(&mut self, Checkpoint { heading, state }: Checkpoint) -> Result<(), Failure> {
        let damaged = |_| CheckpointError::Damaged { path: self.path.clone() };
        let Heading { identity, build, done, total, seconds } = serde_json::from_slice(&heading).map_err(damaged)?;
        let unread = |source| CheckpointError::Io { path: self.path.clone(), source };
        let changed = match &mut self.kept_for {
            Some((now, program)) => now.differences(&identity, program.build().map_err(unread)? == build),
            None => Vec::new(),
        };
        if !changed.is_empty() {
            return Err(Failure::Mismatch(Mismatch { path: self.path.clone(), changed }));
        }
        self.console.stage(&format!("going on after {done} of {total} frames, from {}", self.path.display()));
        (self.before, self.seconds, self.state) = (done, seconds.max(0.0), Some(state));
        self.kept = Some(Kept { done, total });
        Ok(())
    }

    /// The state to go on from; once.
    pub(super) fn take_state(&mut self) -> Option<Box<dyn Read + Send>> {
        let now = Instant::now();
        (self.start, self.last) = (now, now);
        // Who goes on has nothing to show before a frame is simulated.
        self.set_up = self.state.as_ref().map(|_| Duration::ZERO);
        self.state.take()
    }

    /// Frames that were done before this process.
    pub(super) fn before(&self) -> u32 {
        self.before
    }

    /// Seconds that were simulated before this process.
    pub(super) fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Seconds from the start of the simulation to its first frame, which nothing has moved yet.
    pub(super) fn set_up_seconds(&self) -> f64 {
        self.set_up.map_or(0.0, |set_up| set_up.as_secs_f64())
    }

    fn never(&self) -> bool {
        self.arguments.checkpoint_every == Some(0.0)
    }

    /// After a frame: writes a checkpoint if it is time, or if the bake is to stop here.
    pub(super) fn frame(&mut self, now: Progress, snapshot: &mut Snapshot<'_>, stops: bool) {
        if self.set_up.is_none() {
            self.set_up = Some(self.start.elapsed());
            self.start = Instant::now();
        }
        let wait = match self.arguments.checkpoint_every {
            Some(seconds) => Duration::from_secs_f64(seconds),
            None => EVERY.max(self.cost * RARELY),
        };
        if stops || self.last.elapsed() >= wait {
            let kept = Kept { done: now.done, total: now.total };
            self.write(kept, &mut |sink| snapshot.write(sink));
        }
    }

    /// Before the outputs are written: keeps the simulation of a bake that was long enough for a checkpoint.
    pub(super) fn before_outputs(&mut self, simulation: &mut Simulation, total: u32) {
        if self.kept.is_some_and(|kept| kept.done < total) {
            self.finished(simulation, total);
        }
    }

    /// Keeps a finished simulation, unless that is done.
    pub(super) fn finished(&mut self, simulation: &mut Simulation, total: u32) {
        let kept = Kept { done: total, total };
        if self.kept != Some(kept) {
            self.write(kept, &mut |sink| simulation.write(sink));
        }
    }

    /// Removes the checkpoint.
    pub(super) fn remove(&mut self) {
        if self.kept.take().is_some() {
            self.remove_file();
        }
    }

    fn remove_file(&self) {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                self.console.notes(&[format!("{}: cannot be removed: {error}", self.path.display())]);
            }
            _ => {}
        }
    }

    /// Keeps nothing more: the bake would end the same way again.
    pub(super) fn give_up(&mut self) {
        self.remove();
        self.kept_for = None;
    }

    /// A failure of the bake, with what can be done about it now.
    pub(super) fn explain(&mut self, failure: Failure) -> Failure {
        let path = self.path.display();
        let Some(Kept { done, total }) = self.kept else {
            if !self.has_failed {
                return failure;
            }
            return explained(failure, format!("nothing is kept: {path} could not be written either"));
        };
        let hint = if let Failure::Simulation(SimulationError::Archive(_)) = failure {
            format!("delete {path}, or add --restart to begin anew")
        } else if done < total {
            format!("{done} of {total} frames are kept in {path}: the same command goes on from there")
        } else {
            format!("the simulation is kept in {path}: the same command writes its outputs without simulating again")
        };
        explained(failure, hint)
    }

    /// The same of a report that could not be written when all outputs were.
    pub(super) fn explain_report(&self, failure: Failure) -> Failure {
        if self.kept.is_none() {
            return failure;
        }
        let path = self.path.display();
        explained(
            failure,
            format!(
                "the outputs are written and the simulation is kept in {path}: the same command with --force writes \
                 outputs and reports without simulating again"
            ),
        )
    }

    fn write(&mut self, kept: Kept, state: &mut dyn FnMut(&mut dyn std::io::Write) -> std::io::Result<()>) {
        if self.never() {
            return;
        }
        let Some((identity, program)) = &mut self.kept_for else { return };
        let begin = Instant::now();
        let seconds = self.seconds + self.start.elapsed().as_secs_f64();
        let written = program.build().map_err(|error| error.to_string()).and_then(|build| {
            let heading = Heading { identity: identity.clone(), build, done: kept.done, total: kept.total, seconds };
            let heading = serde_json::to_vec(&heading).map_err(|error| std::io::Error::from(error).to_string())?;
            bake::write_checkpoint(self.output, &heading, state).map_err(|error| with_cause(&error))
        });
        match written {
            Ok(()) => {
                (self.kept, self.has_failed) = (Some(kept), false);
                self.console.detail(&format!("checkpoint after {} of {} frames", kept.done, kept.total));
            }
            Err(words) if !self.has_failed => {
                self.has_failed = true;
                self.console.notes(&[format!("no checkpoint was written, the bake goes on: {words}")]);
            }
            Err(_) => {}
        }
        self.last = Instant::now();
        self.cost = begin.elapsed();
    }
}

fn explained(failure: Failure, hint: String) -> Failure {
    Failure::Explained(Box::new(ExplainedFailure { failure, hint }))
}

/// An error and what caused it, in a line.
fn with_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}
