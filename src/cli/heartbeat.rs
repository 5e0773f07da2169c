//! `--progress json`: a line a second on stderr, whether or not a frame is done in it, and one when a stage or lap begins.
//!
//! A bake that is slow goes on with its frames; of one that hangs only `seconds_since_frame` grows. The lines come from a thread
//! of their own, which reads what the bake leaves for it and never touches the simulation.

use std::io::{Write, stderr};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::memory;
use crate::simulate::Progress;

/// Time between two lines.
const INTERVAL: Duration = Duration::from_secs(1);

/// Says how far a part of a bake is until it is dropped.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// What the bake leaves for the thread.
#[derive(Clone, Copy, Debug)]
struct State {
    stage: &'static str,
    /// The last frame, and when it was done.
    frame: Option<(Progress, Instant)>,
    /// Frames done when the first was told of, and when that was: earlier ones say nothing about how long the rest takes.
    begin: Option<(u32, Instant)>,
    is_over: bool,
}

/// A line. Keys that mean nothing at the time are left out.
#[derive(Debug, Serialize)]
struct Line {
    stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eta_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_since_frame: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    substeps: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lap: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    laps: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_residual_mm: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_memory_mib: Option<f64>,
}

impl Heartbeat {
    /// Begins with `stage`. A system that starts no thread gets lines when stages begin, no others.
    pub(crate) fn start(stage: &'static str) -> Heartbeat {
        let state = State { stage, frame: None, begin: None, is_over: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        state.write();
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(move || of_thread.beat()).ok();
        Heartbeat { shared, thread }
    }

    /// Another stage begins.
    pub(crate) fn stage(&self, stage: &'static str) {
        let mut state = self.shared.lock();
        state.stage = stage;
        state.write();
    }

    /// A frame is done.
    pub(crate) fn frame(&self, now: Progress) {
        let mut state = self.shared.lock();
        let instant = Instant::now();
        let stage = stage_of(now);
        let lap = |progress: Progress| progress.lap.map(|lap| lap.number);
        let begins = state.frame.is_none_or(|(before, _)| stage_of(before) != stage || lap(before) != lap(now));
        (state.stage, state.frame) = (stage, Some((now, instant)));
        state.begin.get_or_insert((now.done, instant));
        if begins {
            state.write();
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        // A thread that panicked has nothing more to say.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line now and then until it is over.
    fn beat(&self) {
        let mut state = self.lock();
        let mut next = Instant::now() + INTERVAL;
        while !state.is_over {
            let left = next.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.write();
                next = Instant::now() + INTERVAL;
            } else {
                state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

impl State {
    fn write(&self) {
        if let Ok(line) = serde_json::to_string(&self.line()) {
            // Nobody is left to tell when stderr is closed.
            let _ = writeln!(stderr(), "{line}");
        }
    }

    fn line(&self) -> Line {
        let frame = self.frame.map(|(now, _)| now);
        let lap = frame.and_then(|now| now.lap);
        let hundredths = |seconds: f64| (seconds * 100.0).round() / 100.0;
        Line {
            stage: self.stage,
            frame: frame.map(|now| now.done),
            frames: frame.map(|now| now.total),
            percent: frame.map(|now| hundredths(100.0 * f64::from(now.done) / f64::from(now.total.max(1)))),
            eta_seconds: self.seconds_left().map(hundredths),
            seconds_since_frame: self.frame.map(|(_, at)| hundredths(at.elapsed().as_secs_f64())),
            substeps: frame.map(|now| now.substeps).filter(|&substeps| substeps > 0),
            lap: lap.map(|lap| lap.number),
            laps: lap.map(|lap| lap.most),
            loop_residual_mm: lap.and_then(|lap| lap.residual).map(|metres| f64::from(metres) * 1000.0),
            peak_memory_mib: memory::peak_mib(),
        }
    }

    /// Seconds that the frames to do take if they take as long as those before.
    fn seconds_left(&self) -> Option<f64> {
        let ((now, at), (first, begin)) = (self.frame?, self.begin?);
        let done = now.done.checked_sub(first).filter(|&done| done > 0)?;
        let per_frame = (at - begin).as_secs_f64() / f64::from(done);
        Some(per_frame * f64::from(now.total.saturating_sub(now.done)))
    }
}

/// What the frames that are simulated now are for.
fn stage_of(now: Progress) -> &'static str {
    match now {
        Progress { lap: Some(_), .. } => "lap",
        Progress { looks_ahead: true, .. } => "looking ahead",
        Progress { preroll: true, .. } => "preroll",
        _ => "simulating",
    }
}
