//! How far a run is, and how a stopped one goes on.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::{Simulator, Stop};
use crate::simulate::archive::{Archive, ArchiveError, Archived, fits};
use crate::simulate::guide::Guide;
use crate::simulate::laps::{Lap, Race};
use crate::simulate::simulation::{Progress, Setup, Simulation};
use crate::simulate::states::MapValidity;

/// A run at the end of a frame. Written down, it can go on from there as if it had never stopped.
pub struct Snapshot<'r> {
    write: &'r mut dyn FnMut(&mut dyn Write) -> Archived,
}

impl<'r> Snapshot<'r> {
    pub(super) fn new(write: &'r mut dyn FnMut(&mut dyn Write) -> Archived) -> Snapshot<'r> {
        Snapshot { write }
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// What `sink` says.
    pub fn write(&mut self, sink: &mut dyn Write) -> io::Result<()> {
        (self.write)(sink).map_err(|error| match error {
            ArchiveError::Io(source) => source,
            misfit @ ArchiveError::Misfit { .. } => io::Error::other(misfit),
        })
    }
}

/// Is told of every frame, and can stop a run.
pub(super) type Watch<'w> = dyn FnMut(Progress, &mut Snapshot<'_>) -> ControlFlow<()> + 'w;

/// What a pass is part of.
pub(super) struct Pass<'p> {
    pub(super) watch: &'p mut Watch<'p>,
    /// Writes what stands before the state of the pass.
    pub(super) prologue: &'p dyn Fn(&mut Archive<'_>) -> Archived,
}

/// How far a pass is, and what came of it so far.
pub(super) struct Course {
    /// The frame it is at, counted from the first baked one.
    pub(super) frame: i64,
    /// Frames that were reported, preroll included; 0 before it has begun.
    pub(super) done: u32,
    /// Substeps of the last of them, as long as this process knows.
    substeps: u32,
    /// How the cloth was brought out of the body at the start, in words.
    pub(super) inside: Option<String>,
    pub(super) result: Simulation,
    /// The laps of a loop, and the one under way.
    pub(super) race: Option<Race>,
    pub(super) lap: Lap,
}

impl Course {
    /// Before the first frame.
    pub(super) fn new(setup: &Setup<'_>, result: Simulation) -> Course {
        Course {
            frame: -i64::from(setup.parameters.preroll),
            done: 0,
            substeps: 0,
            inside: None,
            result,
            race: setup.parameters.laps.map(|laps| Race::new(laps, setup.timeline)),
            lap: Lap::default(),
        }
    }

    /// What is told of it.
    fn progress(&self, setup: &Setup<'_>) -> Progress {
        Progress {
            done: self.done,
            total: setup.parameters.frames_to_simulate(setup.timeline),
            preroll: self.frame < 0,
            looks_ahead: false,
            lap: self.race.as_ref().filter(|_| self.frame > 0).map(Race::number),
            substeps: self.substeps,
        }
    }

    /// All of it, of a cloth of so many particles in so many states.
    fn archive(&mut self, archive: &mut Archive<'_>, setup: &Setup<'_>, states: usize) -> Archived {
        let particles = setup.topology.positions.len();
        let (first, last) = (-i64::from(setup.parameters.preroll), last_frame(setup));
        archive.i64(&mut self.frame)?;
        fits((first..=last).contains(&self.frame), "frames")?;
        archive.u32(&mut self.done)?;
        fits(self.done > 0, "frames")?;
        archive.option(&mut self.inside, String::new, Archive::words)?;
        if let Some(race) = &mut self.race {
            let frames = usize::try_from(last).unwrap_or(0);
            race.archive(&mut self.lap, archive, [frames, particles, states])?;
            return fits(self.lap.len() == usize::try_from(self.frame).unwrap_or(0), "laps");
        }
        let baked = usize::try_from(self.frame + 1).unwrap_or(0);
        self.result.archive_frames(archive, particles, states)?;
        fits(self.result.cache.frames.len() == baked, "frames")
    }
}

impl Simulation {
    /// The frames themselves, of so many particles in so many states.
    pub(super) fn archive_frames(&mut self, archive: &mut Archive<'_>, particles: usize, states: usize) -> Archived {
        archive.frames(&mut self.cache.frames, particles, None)?;
        archive.list(&mut self.states, || 0, |archive, state| archive.place(state, states, "states"))?;
        archive.list(&mut self.validity, MapValidity::default, |archive, validity| validity.archive(archive))?;
        archive.list(&mut self.substeps, || 0, Archive::u32)?;
        let lengths = [self.states.len(), self.validity.len(), self.substeps.len()];
        fits(lengths == [self.cache.frames.len(); 3], "frames")
    }
}

impl Simulator<'_> {
    /// Puts itself and `course` where a run was when it was written down.
    pub(super) fn resume(&mut self, course: &mut Course, archive: &mut Archive<'_>) -> Archived {
        course.archive(archive, &self.setup, self.states.maps().len())?;
        self.archive(archive, course.frame)
    }

    /// What it carries over the end of `frame`.
    fn archive(&mut self, archive: &mut Archive<'_>, frame: i64) -> Archived {
        let particles = self.cloth.len();
        let moment = self.moment_of(frame);
        archive.same(particles, "particles")?;
        self.cloth.archive(archive)?;
        self.motion.archive(archive)?;
        self.states.archive(archive)?;
        if let Some(surface) = &mut self.surface {
            surface.archive(archive, moment)?;
        }
        if let Some(between) = &mut self.between {
            between.archive(archive, self.surface.as_ref())?;
        }
        if let Some(layers) = &mut self.layers {
            layers.archive(archive)?;
        }
        self.pin_edges.archive(archive)?;
        self.budget.archive(archive)?;
        self.guard.archive(archive)?;
        archive.option(&mut self.guide, Guide::blank, |archive, guide| guide.archive(archive, particles))?;
        self.demand.archive(archive)?;
        self.tightness.archive(archive)?;
        archive.list(&mut self.retried, || 0, Archive::i64)?;
        archive.list(&mut self.led, || 0, Archive::i64)
    }

    /// Tells that the frame `course` is at is done, and lets it be written down.
    pub(super) fn report(&mut self, course: &mut Course, pass: &mut Pass<'_>) -> Result<(), Stop> {
        course.done = course.done.saturating_add(1);
        let now = course.progress(&self.setup);
        let Pass { watch, prologue } = pass;
        let mut write = |sink: &mut dyn Write| {
            let mut archive = Archive::to(sink);
            prologue(&mut archive)?;
            course.archive(&mut archive, &self.setup, self.states.maps().len())?;
            self.archive(&mut archive, course.frame)
        };
        if watch(now, &mut Snapshot::new(&mut write)).is_break() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// The frame after the one that `course` is at; none when it is over. Ends a lap, and begins the next.
    pub(super) fn next_frame(&mut self, course: &mut Course) -> Option<i64> {
        loop {
            if course.frame < last_frame(&self.setup) {
                return Some(course.frame + 1);
            }
            let race = course.race.as_mut()?;
            if race.end_lap(std::mem::take(&mut course.lap)) {
                return None;
            }
            self.guide = race.next_guide(self.guide.take());
            course.frame = 0;
        }
    }

    /// Takes the cloth as it is as `frame`, reached in so many substeps.
    pub(super) fn arrive(&mut self, course: &mut Course, frame: i64, substeps: u32) {
        (course.frame, course.substeps) = (frame, substeps);
        if frame == 0 {
            self.set_in_motion();
        }
        let (places, state, validity) = (|| self.cloth.positions(), self.states.current(), self.states.validity());
        if course.race.is_some() {
            if frame > 0 {
                course.lap.push(places(), state, validity, substeps);
            }
        } else if frame >= 0 {
            let result = &mut course.result;
            result.cache.frames.push(places());
            result.states.push(state);
            result.validity.push(validity);
            result.substeps.push(substeps);
        }
    }
}

/// The last frame, counted from the first baked one.
fn last_frame(setup: &Setup<'_>) -> i64 {
    (setup.timeline.len() as i64 - 1).max(0)
}
