//! The frame loop.

use std::io::Read;
use std::ops::ControlFlow;

use self::bring_out::Inside;
pub use self::course::Snapshot;
use self::course::{Course, Pass};
use self::notices::{Suspect, advice, beside_the_clip, done_again, held_poses, led_cuts, no_cuts, taken_cuts};
use self::stage::Stage;
use super::archive::{Archive, fits};
use super::cloth::Cloth;
use super::collide::{Between, BodySurface, Contacts, Faces, Layers, Primitives};
use super::energy::EnergyBudget;
use super::enforce::{Enforcer, InForce, RootTethers};
use super::forces::Forces;
use super::guard::{Fault, Guard};
use super::guide::Guide;
use super::integrate::{Motion, Substep};
use super::momentum::FreeParts;
use super::pace::{self, Demand};
use super::pin_edges::PinEdges;
use super::regime::{shivering, warnings};
use super::schedule::Schedule;
use super::simulation::{LoopOutcome, Progress, Setup, Simulation, SimulationError};
use super::states::{Foresight, Record, States};
use super::tight::Tightness;
use super::whole::Whole;
use crate::body::{Body, JointId, Moment};
use crate::geometry::Vec3;
use crate::springs::Spring;
use crate::topology::ParticleId;

/// Way the fastest part of the body may go in a substep, as a part of the body's size: beyond it limbs pass through cloth.
const BODY_WAY: f32 = 0.007;
/// Way the fastest particle of the cloth may go in a substep, the same way: beyond it cloth passes through limbs. At 60 frames a
/// second and around a grown-up this counts from 8 m/s on.
const CLOTH_WAY: f32 = 0.01;
/// Substeps a frame beyond which speed asks for no more.
const MOST_SUBSTEPS: u32 = 128;
/// Simulates and returns the baked frames. `progress` is called after every frame and can stop the simulation.
///
/// # Errors
/// A cloth that diverges whatever the substeps, unknown joints in the parameters, or `progress` asking to stop.
pub fn run(
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Simulation, SimulationError> {
    run_from(setup, None, &mut |now, _| progress(now))
}

/// As [`run`], from where a run of the same `setup` stood when its [`Snapshot`] was written, if it is given: the frames are the
/// same to the bit. `watch` can write the run down after every frame.
///
/// # Errors
/// As [`run`], and [`SimulationError::Archive`] for a snapshot that is none of this setup's.
pub fn run_from(
    setup: &Setup<'_>,
    snapshot: Option<&mut dyn Read>,
    watch: &mut dyn FnMut(Progress, &mut Snapshot<'_>) -> ControlFlow<()>,
) -> Result<Simulation, SimulationError> {
    let (mut source, mut stage) = (snapshot.map(Archive::from), Stage::Only);
    if let Some(source) = &mut source {
        stage.archive(source)?;
    }
    if stage == Stage::Finished {
        let mut simulation = Simulation::of(*setup.timeline);
        source.iter_mut().try_for_each(|source| simulation.archive(source, setup.topology.positions.len()))?;
        return Ok(simulation);
    }
    if !setup.parameters.takes_two_passes() {
        fits(stage == Stage::Only, "passes")?;
        return Ok(pass(setup, None, source, Pass { watch, prologue: &|sink| Stage::Only.archive(sink) })?.0);
    }
    let frames = setup.parameters.frames_to_simulate(setup.timeline);
    let mut record = Record::default();
    let (particles, states) = (setup.topology.positions.len(), setup.maps.len());
    if let Some(source) = source.as_mut().filter(|_| stage == Stage::Second) {
        record.archive(source, particles, states)?;
    } else {
        let mut watch = |now: Progress, snapshot: &mut Snapshot<'_>| {
            watch(Progress { total: 2 * frames, looks_ahead: true, ..now }, snapshot)
        };
        let first = Pass { watch: &mut watch, prologue: &|sink| Stage::Only.archive(sink) };
        record = pass(setup, None, source.take(), first)?.1;
    }
    let foresight = Foresight::new(setup, &record);
    let mut watch = |now: Progress, snapshot: &mut Snapshot<'_>| {
        watch(Progress { done: frames.saturating_add(now.done), total: 2 * frames, ..now }, snapshot)
    };
    let prologue = |sink: &mut Archive<'_>| {
        Stage::Second.archive(sink)?;
        record.clone().archive(sink, particles, states)
    };
    Ok(pass(setup, Some(&foresight), source, Pass { watch: &mut watch, prologue: &prologue })?.0)
}

/// Simulates all frames once, or lap after lap, and remembers what touched.
fn pass(
    setup: &Setup<'_>,
    foresight: Option<&Foresight>,
    source: Option<Archive<'_>>,
    mut pass: Pass<'_>,
) -> Result<(Simulation, Record), SimulationError> {
    let mut simulator = Simulator::new(setup, foresight)?;
    let result = Simulation { notices: warnings(setup), ..Simulation::of(*setup.timeline) };
    let mut course = Course::new(setup, result);
    match source {
        Some(mut source) => simulator.resume(&mut course, &mut source)?,
        None => course.inside = simulator.bring_out(),
    }
    let outcome = simulator.simulate(&mut course, &mut pass);
    let Course { mut result, race, inside, .. } = course;
    if let Err(stop) = outcome {
        result.maps = simulator.states.maps().to_vec();
        return Err(stop.error(setup, result));
    }
    if let Some(race) = race {
        race.finish(&mut result);
    }
    if !result.notices.is_empty() {
        result.notices.extend(shivering(&result.cache));
    }
    result.notices.extend(result.repetition.as_ref().and_then(LoopOutcome::notice));
    let baked = simulator.cuts.iter().filter(|&&frame| frame > 0);
    result.cuts = baked.map(|frame| setup.timeline.first + frame).collect();
    let (led, carried): (Vec<i64>, Vec<i64>) = result.cuts.iter().partition(|frame| simulator.led.contains(frame));
    result.notices.extend(taken_cuts(&carried));
    result.notices.extend(led_cuts(&led));
    let hold = setup.body.filter(|body| body.mostly_holds()).and_then(Body::shortest_hold);
    result.notices.extend(hold.and_then(|hold| held_poses(hold / setup.timeline.fps.seconds(1))));
    result.notices.extend(no_cuts(&setup.parameters.cuts, setup.timeline));
    result.notices.extend(setup.body.into_iter().flat_map(|body| beside_the_clip(body, setup.timeline)));
    result.notices.extend(inside);
    result.notices.extend(simulator.begins_in_colliders());
    result.notices.extend(simulator.pin_edges.notice(simulator.body_size));
    result.notices.extend(simulator.surface.as_ref().and_then(BodySurface::crowded_notice));
    result.notices.extend(simulator.proxies.as_ref().and_then(Primitives::notice));
    result.notices.extend(simulator.layers.as_ref().and_then(Layers::heaped_notice));
    result.notices.extend(done_again(&simulator.retried));
    result.notices.extend(simulator.states.notices());
    let states = simulator.into_states();
    result.maps = states.maps().to_vec();
    Ok((result, states.into_record()))
}

/// Why a simulation stops before its end.
enum Stop {
    Interrupted,
    /// In a frame, counted from the first baked one, in spite of so many substeps.
    Diverged {
        frame: i64,
        fault: Fault,
        suspect: Suspect,
        substeps: u32,
    },
}

impl Stop {
    /// The error that says so; `good` has the frames before.
    fn error(self, setup: &Setup<'_>, good: Simulation) -> SimulationError {
        match self {
            Stop::Interrupted => SimulationError::Interrupted,
            Stop::Diverged { frame, fault, suspect, substeps } => SimulationError::Diverged {
                frame: setup.timeline.first + frame,
                particle: fault.particle(),
                fault,
                substeps,
                advice: advice(&good.notices, suspect, substeps),
                good: Box::new(good),
            },
        }
    }
}

struct Simulator<'a> {
    setup: Setup<'a>,
    schedule: Schedule,
    cloth: Cloth,
    /// The cloth as it was when the frame began.
    before: Cloth,
    forces: Forces<'a>,
    motion: Motion,
    enforcer: Enforcer,
    states: States<'a>,
    root_tethers: RootTethers,
    surface: Option<BodySurface<'a>>,
    /// What the body is made of, if cloth meets that instead of its mesh.
    proxies: Option<Primitives>,
    between: Option<Between>,
    faces: Option<Faces>,
    primitives: Primitives,
    whole: Whole<'a>,
    layers: Option<Layers>,
    free_parts: FreeParts,
    budget: EnergyBudget,
    guard: Guard,
    /// What draws the cloth in a loop.
    guide: Option<Guide>,
    contacts: Contacts,
    pin_targets: Vec<Vec3>,
    /// Distance that pins which start outside the body keep from it, metres.
    pin_clearance: Vec<Option<f32>>,
    /// How far pins may be pulled apart.
    pin_edges: PinEdges,
    /// How the cloth starts inside the body.
    inside: Inside,
    /// Joints that carry pins, ascending.
    pin_joints: Vec<JointId>,
    /// Distance kept from bodies, metres.
    thickness: f32,
    body_size: f32,
    /// What the frame before asks for.
    demand: Demand,
    longest_by_edges: f64,
    /// Where it has left the cloth tight.
    tightness: Tightness,
    /// Whether the body holds its poses and is led from frame to frame instead.
    glides: bool,
    /// Frames that diverged and were tried again, on the clip's time line.
    retried: Vec<i64>,
    /// Frames, counted from the first baked one, into which the body jumps; ascending.
    cuts: Vec<i64>,
    /// Those of them, on the clip's time line, over which the cloth was led to another pose.
    led: Vec<i64>,
}

impl<'a> Simulator<'a> {
    /// Lets go of all but the states.
    fn into_states(self) -> States<'a> {
        self.states
    }

    /// Preroll and baked frames, or preroll and laps: all of them, or those that are left of `course`.
    fn simulate(&mut self, course: &mut Course, pass: &mut Pass<'_>) -> Result<(), Stop> {
        self.find_cuts();
        if course.done == 0 {
            self.go_to(course.frame);
            self.place(course.frame);
            self.arrive(course, course.frame, 0);
            self.report(course, pass)?;
        }
        while let Some(frame) = self.next_frame(course) {
            let substeps = self.advance_to(frame)?;
            self.arrive(course, frame, substeps);
            self.report(course, pass)?;
        }
        Ok(())
    }

    /// Simulates from the frame before `frame` (counted from the first baked one) to it; returns the substeps it took.
    fn advance_to(&mut self, frame: i64) -> Result<u32, Stop> {
        if self.cuts.binary_search(&frame).is_ok() {
            self.cut_to(frame);
            return Ok(0);
        }
        let substeps = self.advance(frame)?;
        self.states.end_frame(frame, self.moment_of(frame), substeps, &self.contacts, &self.cloth);
        Ok(substeps)
    }

    /// The same where the body does not jump.
    fn advance(&mut self, frame: i64) -> Result<u32, Stop> {
        self.cloth.save_in(&mut self.before);
        if self.enforcer.settles() {
            self.tightness.limit(&self.setup.springs.stretch, self.demand.slack());
        }
        let fading = self.states.fading().clone();
        let mut substeps = self.substeps(frame);
        let frame_seconds = self.setup.timeline.fps.seconds(1);
        self.guard.start_frame(frame_seconds);
        for attempt in 0..=self.setup.parameters.retries {
            self.place(frame - 1);
            self.surface.iter_mut().for_each(|surface| surface.start_frame(&self.cloth));
            self.states.start_frame(fading.clone());
            for substep in 0..substeps {
                if self.step(frame - 1, substep, substeps).is_break() {
                    break;
                }
            }
            let seconds = (frame_seconds / f64::from(substeps)) as f32;
            let Some(fault) = self.guard.fault(&self.cloth, self.setup.springs, seconds) else { break };
            if attempt == self.setup.parameters.retries {
                return Err(Stop::Diverged { frame, fault, suspect: self.suspect(fault.particle()), substeps });
            }
            if attempt == 0 {
                self.retried.push(self.setup.timeline.first + frame);
            }
            self.cloth.restore(&self.before);
            self.motion.restart();
            self.budget.reset();
            substeps = substeps.saturating_mul(2);
        }
        if let Some(surface) = self.surface.as_mut().filter(|_| self.setup.hits_body()) {
            let is_squeezed = |particle| surface.is_squeezed(particle, self.thickness);
            self.tightness.measure(&self.cloth, &self.setup.springs.stretch, &self.contacts, is_squeezed);
            surface.give_way(&self.cloth, &self.tightness, self.demand.slack());
        }
        self.demand.note(&self.before, &self.cloth, &self.setup.springs.stretch, &self.contacts, substeps);
        Ok(substeps)
    }

    /// One substep: pins and body move, then integration, enforcement, collision. Breaks off if the cloth has exploded.
    fn step(&mut self, from_frame: i64, substep: u32, substeps: u32) -> ControlFlow<()> {
        let frame_seconds = self.setup.timeline.fps.seconds(1);
        let seconds = (frame_seconds / f64::from(substeps)) as f32;
        let at =
            |s: u32| self.setup.timeline.fps.seconds(from_frame) + frame_seconds * f64::from(s) / f64::from(substeps);
        let frame_ends = substep + 1 == substeps;
        let moment = if frame_ends {
            self.moment_of(from_frame + 1)
        } else if self.glides {
            let frames = [from_frame, from_frame + 1].map(|frame| self.setup.timeline.fps.seconds(frame));
            self.schedule.glide(frames, f64::from(substep + 1) / f64::from(substeps))
        } else {
            self.schedule.moment(at(substep + 1))
        };

        self.move_body(moment);
        if let Some(guide) = &self.guide {
            let frame = from_frame as f64 + f64::from(substep) / f64::from(substeps);
            guide.draw(&mut self.cloth, frame, 1.0 / f64::from(substeps), seconds, &self.cuts);
        }
        self.follow(moment, at(substep), seconds, frame_ends)?;
        let holds = self.guard.holds(&self.cloth, self.setup.springs, substep);
        if holds { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// The rest of a substep, from `start` on, once the body has moved.
    fn follow(&mut self, moment: Moment, start: f64, seconds: f32, frame_ends: bool) -> ControlFlow<()> {
        self.aim_pins(moment);
        self.note_drive(seconds);
        let pins = &self.setup.pins.particles;
        let span = Substep { start, seconds, pins, targets: &self.pin_targets };
        self.motion.integrate(&mut self.cloth, &self.forces, &span);
        if self.has_exploded(seconds) {
            return ControlFlow::Break(());
        }
        self.states.start_substep(seconds);
        let in_force =
            InForce { map: self.states.map(), root_tethers: &self.root_tethers, fading: self.states.fading() };
        self.enforcer.enforce(&mut self.cloth, &in_force, seconds);
        self.collide(seconds, frame_ends);
        self.settle(seconds, frame_ends);
        if self.surface.is_some() || self.layers.is_some() || !self.contacts.is_empty() {
            self.whole.keep(&mut self.cloth, &self.contacts, frame_ends);
        }
        let near = self.layers.iter().flat_map(Layers::near);
        self.free_parts.note(&self.cloth, &self.contacts, near);
        let calms = (self.surface.is_some() || self.proxies.is_some()) && self.motion.constraints().is_some();
        self.motion.recompute_velocities(&mut self.cloth, seconds, calms);
        self.contacts.settle_velocities(&mut self.cloth, seconds);
        self.conserve();
        ControlFlow::Continue(())
    }

    /// Notes how fast pins and body move.
    fn note_drive(&mut self, seconds: f32) {
        let pins = self.setup.pins.particles.iter().zip(&self.pin_targets);
        let pin_way = pins.map(|(pin, target)| self.cloth.points[pin.index()].at.distance_squared(*target));
        let pin_way = pin_way.fold(0.0, f32::max).sqrt();
        let body_way = match &self.surface {
            Some(surface) => surface.furthest_way(),
            None => self.contacts.furthest_way(),
        };
        self.guard.note_drive(pin_way.max(body_way) / seconds);
    }

    /// Whether it is of no use to go on. Where too long a substep tears the cloth, enforcement would only hide it: what an
    /// explicit integrator did is looked at before.
    fn has_exploded(&self, seconds: f32) -> bool {
        let is_explicit = self.motion.longest_substep().is_finite();
        !self.guard.is_sound(&self.cloth, seconds)
            || is_explicit && self.guard.fault(&self.cloth, self.setup.springs, seconds).is_some()
    }

    /// What is next to a particle that could be to blame.
    fn suspect(&self, particle: ParticleId) -> Suspect {
        let is_pin = |p: ParticleId| !self.cloth.is_free(p.index());
        let at_pin = |s: &Spring| s.a == particle && is_pin(s.b) || s.b == particle && is_pin(s.a);
        if is_pin(particle) || self.setup.springs.stretch.iter().any(at_pin) {
            Suspect::Pins
        } else if self.contacts.iter().any(|contact| contact.particle == particle.0) {
            Suspect::Body
        } else {
            Suspect::Cloth
        }
    }

    /// Keeps the momentum of what nothing touches, and makes no energy; other integrators answer for theirs themselves.
    fn conserve(&mut self) {
        let Some(elasticity) = self.motion.constraints() else { return };
        self.free_parts.restore(&mut self.cloth);
        if self.is_left_alone() {
            self.budget.keep(&mut self.cloth, &self.free_parts, |cloth| elasticity.bending_energy(cloth));
        } else {
            self.budget.reset();
        }
    }

    /// Whether nothing outside does work: there is no wind, and pins and bodies did not move.
    fn is_left_alone(&self) -> bool {
        let pins = &self.setup.pins.particles;
        let pin_stays = |(pin, target): (&ParticleId, &Vec3)| self.cloth.previous[pin.index()].at == *target;
        self.setup.parameters.wind.is_none()
            && self.guide.is_none()
            && self.surface.as_ref().is_none_or(BodySurface::stands)
            && self.contacts.stand()
            && pins.iter().zip(&self.pin_targets).all(pin_stays)
    }

    /// Finds where the pins are at `moment`.
    fn aim_pins(&mut self, moment: Moment) {
        let posed = self.setup.body.zip(self.surface.as_ref()).map(|(body, s)| (body, s.positions(), moment));
        self.setup.pins.targets(posed, &mut self.pin_targets);
        let (particles, clearance, joints) = (&self.setup.pins.particles, &self.pin_clearance, &self.pin_joints);
        let mut surface = self.surface.as_mut().filter(|_| clearance.iter().any(Option::is_some));
        let carries = |joint: JointId| joints.binary_search(&joint).is_ok();
        self.pin_edges.keep(&mut self.pin_targets, |pins, floors| {
            if let Some(surface) = &mut surface {
                surface.clear_pins(particles, pins, clearance, carries, floors);
            }
        });
    }

    /// Substeps for the frame that ends at `frame`: as the scene says, else enough for the clock, the integrator, the length of the
    /// cloth's edges, the speed of body and cloth, and the cloth's stretch.
    fn substeps(&mut self, frame: i64) -> u32 {
        if let Some(substeps) = self.setup.parameters.substeps {
            return substeps.max(1);
        }
        let frame_seconds = self.setup.timeline.fps.seconds(1);
        let collides = self.setup.collides();
        let usual = pace::substeps(frame_seconds, collides, self.motion.longest_substep());
        self.place(frame - 1);
        let way = self.furthest_way_to(self.moment_of(frame));
        let may_be_calm = collides && way == 0.0 && self.motion.constraints().is_some();
        let by_clock = if may_be_calm { self.demand.calmed(usual, frame_seconds) } else { usual };
        let cloth_way = if collides { self.demand.way(&self.cloth, frame_seconds as f32) } else { 0.0 };
        let by_speed = (way / BODY_WAY).max(cloth_way / CLOTH_WAY) / self.body_size;
        let by_edges = pace::at_most(self.longest_by_edges, frame_seconds);
        self.demand.of_at_least(by_clock.max(by_edges).max((by_speed.ceil() as u32).min(MOST_SUBSTEPS)))
    }

    fn moment_of(&self, frame: i64) -> Moment {
        self.schedule.moment(self.setup.timeline.fps.seconds(frame))
    }
}

mod bring_out;
mod build;
mod course;
mod cut;
mod meet;
mod notices;
mod set_out;
mod settle;
mod stage;
#[cfg(test)]
mod tests;
