//! Collision states: what holds the cloth beside its pins, and which correction map is in force.
//!
//! ```text
//! contacts of a frame -> persist: which particles are held      -> tethers: from each, one-way, coming and going smoothly
//!                     -> choose: which named state is in force  -> switch: its correction map takes over smoothly
//!                     -> validity: how well that map fits       -> record: all of it, for a second pass that looks ahead
//! ```
//!
//! With named states only the particles that the state's map was built for hold others; with contacts all do.

mod choose;
mod part;
mod persist;
mod record;
mod switch;
mod tethers;
mod validity;

use std::borrow::Cow;

use self::choose::Chooser;
use self::part::{Part, joint_places};
use self::persist::Persistence;
pub(super) use self::record::{Foresight, Record};
pub(super) use self::switch::MapSwitch;
use self::tethers::ContactTethers;
use self::validity::Built;
use super::archive::{Archive, Archived};
use super::cloth::Cloth;
use super::collide::{Contact, Contacts};
use super::method::Enforcement;
use super::parameters::StateMode;
use super::simulation::Setup;
use crate::body::Moment;
use crate::correction::{CorrectionMap, Geodesics, Tether};
use crate::topology::ParticleId;

pub use part::{StateError, contact_sets};
pub use validity::MapValidity;

/// Contact tethers reach this part of the garment. On a walking skirt parts from a twentieth to a third differ by no more than
/// chance; a short one costs a tenth of the frame's time, a third nearly half.
const CONTACT_REACH: f32 = 0.12;

/// What holds the cloth beside its pins, from frame to frame.
#[derive(Debug)]
pub(super) struct States<'a> {
    setup: Setup<'a>,
    mode: StateMode,
    maps: Cow<'a, [CorrectionMap]>,
    built: Vec<Built>,
    parts: Vec<Option<Part>>,
    chooser: Chooser,
    persistence: Persistence,
    /// What contact tethers are measured by, if there are any.
    geodesics: Option<Geodesics>,
    /// Longest contact tether, metres.
    reach: f32,
    current: usize,
    fading: Fading,
    foresight: Option<&'a Foresight>,
    record: Record,
}

/// What comes and goes between frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Fading {
    tethers: ContactTethers,
    pub(super) switch: MapSwitch,
    /// Whether each particle touched something in the last substep.
    touching: Vec<bool>,
}

impl Fading {
    /// Holds what is tethered to something that touches.
    pub(super) fn hold(&self, cloth: &mut Cloth) {
        self.tethers.hold(cloth, &self.touching);
    }
}

impl<'a> States<'a> {
    pub(super) fn new(
        setup: &Setup<'a>,
        geodesics: Geodesics,
        pin_tethers: &[Option<Tether>],
        foresight: Option<&'a Foresight>,
    ) -> Result<Self, StateError> {
        let Setup { parameters, topology, pins, .. } = *setup;
        let mode = parameters.state_mode();
        let maps = match foresight.and_then(Foresight::maps) {
            Some(maps) => Cow::Borrowed(maps),
            None => Cow::Borrowed(setup.maps),
        };
        let longest = pin_tethers.iter().flatten().map(|t| t.length).fold(0.0, f32::max);
        Ok(States {
            setup: *setup,
            mode,
            built: maps.iter().map(|map| Built::new(map, pins, &geodesics, pin_tethers)).collect(),
            maps,
            parts: Part::of_states(parameters, setup.body)?,
            chooser: Chooser::new(parameters, setup.body, setup.timeline)?,
            persistence: Persistence::new(topology.positions.len()),
            geodesics: has_tethers(mode, parameters.enforcement).then_some(geodesics),
            reach: if longest > 0.0 { CONTACT_REACH * longest } else { f32::INFINITY },
            current: 0,
            fading: Fading { touching: vec![false; topology.positions.len()], ..Fading::default() },
            foresight,
            record: Record::default(),
        })
    }

    /// Index of the state in force.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// Its correction map.
    pub(super) fn map(&self) -> &CorrectionMap {
        &self.maps[self.current]
    }

    /// The maps of all states.
    pub(super) fn maps(&self) -> &[CorrectionMap] {
        &self.maps
    }

    /// What comes and goes.
    pub(super) fn fading(&self) -> &Fading {
        &self.fading
    }

    /// What the frames so far leave to those that follow.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        let (particles, states) = (self.setup.topology.positions.len(), self.maps.len());
        archive.place(&mut self.current, states, "states")?;
        self.chooser.archive(archive, states)?;
        self.persistence.archive(archive)?;
        let Fading { tethers, switch, touching } = &mut self.fading;
        tethers.archive(archive, particles)?;
        switch.archive(archive)?;
        archive.each(touching, Archive::bool)?;
        self.record.archive(archive, particles, states)
    }

    /// What touched in all frames so far.
    pub(super) fn into_record(self) -> Record {
        self.record
    }

    /// How well the map in force fitted in the last frame.
    pub(super) fn validity(&self) -> MapValidity {
        self.record.last_validity()
    }

    /// Says which states are there for nothing.
    pub(super) fn notices(&self) -> Vec<String> {
        let states = self.setup.parameters.states.iter().zip(&self.parts).zip(&self.built);
        let idle = states.filter(|((_, part), built)| part.is_some() && built.is_empty()).map(|((state, _), _)| {
            format!(
                "collision state `{}` holds nothing: the cloth starts further than {} m from its part; give it a larger \
                 radius, or look ahead",
                state.name, state.radius
            )
        });
        if self.mode == StateMode::Named { idle.collect() } else { Vec::new() }
    }

    /// Starts a frame, or starts it again from what came and went before it.
    pub(super) fn start_frame(&mut self, fading: Fading) {
        self.fading = fading;
        self.persistence.start_frame();
    }

    /// Lets a substep pass that begins now.
    pub(super) fn start_substep(&mut self, seconds: f32) {
        self.fading.tethers.pass(seconds);
        self.fading.switch.pass(seconds);
    }

    /// Notes what touched in a substep. A particle that touches twice counts twice: it is held all the more.
    pub(super) fn note(&mut self, contacts: &Contacts) {
        self.fading.touching.fill(false);
        for contact in contacts.iter() {
            self.persistence.touch(contact.particle);
            self.fading.touching[contact.particle as usize] = true;
        }
    }

    /// Ends a frame (counted from the first baked one) of so many substeps, the last of which left these contacts: chooses
    /// what holds from now on.
    pub(super) fn end_frame(&mut self, frame: i64, moment: Moment, substeps: u32, contacts: &Contacts, cloth: &Cloth) {
        let touched = self.persistence.end_frame(substeps);
        let of_parts = self.touching_parts(moment, contacts, cloth);
        let next = self.next(frame, &of_parts);
        let validity = self.built[self.current].validity(&touched);
        let kept = self.setup.parameters.look_ahead && self.foresight.is_none();
        self.record.push(&touched, of_parts, next, validity, kept);
        if next != self.current {
            self.current = next;
            if let Enforcement::Directional { tolerance, .. } = self.setup.parameters.enforcement {
                self.fading.switch = MapSwitch::begin(&self.maps[next], tolerance, cloth);
            }
        }
        if let Some(geodesics) = &self.geodesics {
            let wanted = geodesics.tethers_within(&self.holding(), self.reach);
            self.fading.tethers.change(&wanted, cloth);
        }
    }

    /// Particles that touch each state's part, ascending.
    fn touching_parts(&self, moment: Moment, contacts: &Contacts, cloth: &Cloth) -> Vec<Vec<u32>> {
        if self.mode != StateMode::Named {
            return Vec::new();
        }
        let joints = joint_places(self.setup.body, moment);
        let touching = |part: &Option<Part>| {
            let Some(part) = part else { return Vec::new() };
            let touches = |c: &&Contact| part.is_touched(c, cloth.points[c.particle as usize].at, &joints);
            let mut particles: Vec<u32> = contacts.iter().filter(touches).map(|c| c.particle).collect();
            particles.sort_unstable();
            particles.dedup();
            particles
        };
        self.parts.iter().map(touching).collect()
    }

    fn next(&mut self, frame: i64, of_parts: &[Vec<u32>]) -> usize {
        if self.mode != StateMode::Named {
            return 0;
        }
        let frame = self.setup.timeline.first + frame;
        if let Some(foresight) = self.foresight {
            return self.chooser.scheduled(frame).unwrap_or(foresight.state(self.record.len()));
        }
        let counts: Vec<usize> = of_parts.iter().map(Vec::len).collect();
        self.chooser.choose(frame, &counts)
    }

    /// The particles that hold others from now on, ascending.
    fn holding(&self) -> Vec<ParticleId> {
        let foreseen = self.foresight.map(|f| f.held(self.record.len()));
        let held = foreseen.as_deref().unwrap_or(self.persistence.held());
        let built = &self.built[self.current];
        let holds = |particle: usize| self.mode == StateMode::Contacts || built.adds(particle);
        let all = held.iter().enumerate().filter(|&(particle, held)| *held && holds(particle));
        all.map(|(particle, _)| ParticleId(particle as u32)).collect()
    }
}

/// Whether what touches holds other cloth by tethers. In a directional pass named states do so by their maps.
fn has_tethers(mode: StateMode, enforcement: Enforcement) -> bool {
    match (mode, enforcement) {
        (StateMode::None, _) | (StateMode::Named, Enforcement::Directional { .. }) => false,
        (_, Enforcement::Directional { .. } | Enforcement::Tethers { .. }) => true,
        _ => false,
    }
}
