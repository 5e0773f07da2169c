//! Nothing exploded is ever written: a frame that diverges is taken back and tried again with more substeps.
//!
//! Every substep is looked at, and the end of the frame once more:
//!
//! ```text
//! places      are numbers
//! velocities  |v| <= 20 (drive + fall + wind) + edge / h
//! edges       length <= 4 rest lengths, of an eighth of the edges in each substep, of all of them at the end of the frame
//! ```
//!
//! `drive` is the fastest that pins and body have moved so far, `fall` the speed of a fall over the size of the garment, or of one
//! since the first frame where drag lets it come to more; enforcement and collisions may move a particle by an edge in a substep
//! `h`.

use rayon::prelude::*;

use super::archive::{Archive, Archived};
use super::cloth::{CHUNK, Cloth, Point};
use super::parameters::Parameters;
use crate::geometry::Aabb;
use crate::springs::{Spring, SpringNetwork};
use crate::topology::{ParticleId, Topology};

/// Length of an edge in rest lengths from which the cloth counts as torn apart.
const TORN: f32 = 4.0;
/// Part of the mean edge by which shorter edges count: what is short comes to several times its length without being torn.
const SHORT: f32 = 0.5;
/// How many times as fast as all that drives it cloth may go. Hems that whip were measured at 1.9 times; what explodes passes any
/// number.
const WHIP: f32 = 20.0;
/// Gravity at least, m/s2, where speeds of falls are meant: cloth without weight springs back as fast as other cloth.
const EARTH: f32 = 9.81;
/// Substeps in which every edge is looked at once.
const TURNS: usize = 8;
/// Edges that are looked at together.
const RUN: usize = 64;

/// What went wrong in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// A coordinate is no number.
    NotFinite {
        /// Where.
        particle: ParticleId,
    },
    /// A particle goes faster than anything in the scene could make it.
    TooFast {
        /// Which.
        particle: ParticleId,
        /// Its speed, m/s.
        speed: f32,
        /// The highest that counts as sound, m/s.
        limit: f32,
    },
    /// An edge is several times its rest length.
    Torn {
        /// One end.
        particle: ParticleId,
        /// Its length in rest lengths.
        ratio: f32,
    },
}

impl Fault {
    /// Where it is.
    pub fn particle(&self) -> ParticleId {
        match *self {
            Fault::NotFinite { particle } | Fault::TooFast { particle, .. } | Fault::Torn { particle, .. } => particle,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::NotFinite { .. } => write!(f, "its position is no number"),
            Fault::TooFast { speed, limit, .. } => {
                write!(f, "it goes at {speed:.0} m/s, and nothing in the scene explains more than {limit:.0} m/s")
            }
            Fault::Torn { ratio, .. } => write!(f, "an edge there is {ratio:.1} times as long as at rest"),
        }
    }
}

/// What cloth may do in a scene.
#[derive(Debug)]
pub(super) struct Guard {
    gravity: f32,
    /// Per second.
    drag: f32,
    /// Fastest wind, m/s.
    wind: f32,
    /// Speed of a fall over the size of the garment, m/s.
    fall: f32,
    /// Mean edge, metres.
    edge: f32,
    /// Fastest that pins and body have moved so far, m/s.
    drive: f32,
    /// Time since the first frame, seconds.
    elapsed: f32,
}

impl Guard {
    /// For a garment at rest in its file's shape.
    pub(super) fn new(parameters: &Parameters, topology: &Topology) -> Guard {
        let gravity = parameters.gravity.length().max(EARTH);
        let size = Aabb::around(&topology.positions).size().length();
        Guard {
            gravity,
            drag: parameters.drag,
            wind: parameters.wind.map_or(0.0, |wind| wind.velocity.length() * (1.0 + wind.gusts.abs())),
            fall: (2.0 * gravity * size).sqrt(),
            edge: topology.mean_edge(),
            drive: 0.0,
            elapsed: 0.0,
        }
    }

    /// What it has learned so far.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.f32(&mut self.drive)?;
        archive.f32(&mut self.elapsed)
    }

    /// A frame of so many seconds begins.
    pub(super) fn start_frame(&mut self, seconds: f64) {
        self.elapsed += seconds as f32;
    }

    /// Notes that something moves the cloth at so many metres a second.
    pub(super) fn note_drive(&mut self, speed: f32) {
        self.drive = self.drive.max(speed);
    }

    /// The highest speed that counts as sound in substeps of so many seconds, m/s.
    fn fastest(&self, seconds: f32) -> f32 {
        let fallen = self.gravity * self.elapsed.min(1.0 / self.drag.max(f32::MIN_POSITIVE));
        let fastest = WHIP * (self.drive + self.wind + self.fall.max(fallen)) + self.edge / seconds;
        // Its square is a number, and less than that of a speed which is none.
        fastest.min(f32::MAX.sqrt())
    }

    /// Whether all places are numbers and all velocities sensible.
    pub(super) fn is_sound(&self, cloth: &Cloth, seconds: f32) -> bool {
        let fastest = self.fastest(seconds);
        let particles = cloth.points.par_chunks(CHUNK).zip(cloth.velocities.par_chunks(CHUNK));
        particles.into_par_iter().all(|(points, velocities)| {
            // All of a chunk without a branch: hardly ever is any not.
            points.iter().zip(velocities).fold(true, |all, (p, v)| all & is_sound(p, v, fastest * fastest))
        })
    }

    /// Whether the edges whose turn it is in that substep hold.
    pub(super) fn holds(&self, cloth: &Cloth, springs: &SpringNetwork, substep: u32) -> bool {
        springs.stretch.par_chunks(CHUNK).all(|springs| {
            let mut in_turn = springs.chunks(RUN).skip(substep as usize % TURNS).step_by(TURNS);
            in_turn.all(|springs| springs.iter().all(|spring| self.torn(cloth, spring).is_none()))
        })
    }

    /// The first fault of the cloth after substeps of so many seconds, if any.
    pub(super) fn fault(&self, cloth: &Cloth, springs: &SpringNetwork, seconds: f32) -> Option<Fault> {
        let fastest = self.fastest(seconds);
        let particles = cloth.points.par_chunks(CHUNK).zip(cloth.velocities.par_chunks(CHUNK)).enumerate();
        let broken = particles.find_map_first(|(chunk, (points, velocities))| {
            let mut particles = points.iter().zip(velocities);
            Some(chunk * CHUNK + particles.position(|(p, v)| !is_sound(p, v, fastest * fastest))?)
        });
        if let Some(index) = broken {
            let (particle, velocity) = (ParticleId(index as u32), cloth.velocities[index].at);
            return Some(match cloth.points[index].at.is_finite() && velocity.is_finite() {
                true => Fault::TooFast { particle, speed: velocity.length(), limit: fastest },
                false => Fault::NotFinite { particle },
            });
        }
        springs.stretch.par_chunks(CHUNK).find_map_first(|springs| springs.iter().find_map(|s| self.torn(cloth, s)))
    }

    /// The fault of an edge that is far too long. Edges between two pins are the body's business and not looked at.
    #[inline]
    fn torn(&self, cloth: &Cloth, spring: &Spring) -> Option<Fault> {
        let squared = cloth.points[spring.a.index()].at.distance_squared(cloth.points[spring.b.index()].at);
        let longest = TORN * spring.rest_length.max(SHORT * self.edge);
        if squared <= longest * longest {
            return None;
        }
        let free = cloth.is_free(spring.a.index()) || cloth.is_free(spring.b.index());
        let torn = free && squared.sqrt() > longest && spring.rest_length > 0.0;
        torn.then(|| Fault::Torn { particle: spring.a, ratio: squared.sqrt() / spring.rest_length })
    }
}

/// Whether a particle is somewhere and goes no faster than that; pins go as fast as they are told to.
#[inline]
fn is_sound(point: &Point, velocity: &Point, fastest_squared: f32) -> bool {
    let is_slow = velocity.at.length_squared() <= fastest_squared;
    point.at.is_finite() & (is_slow | ((point.inverse_mass <= 0.0) & velocity.at.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::pins::Pins;
    use crate::simulate::Wind;
    use crate::topology::{build, grids};

    const SUBSTEP: f32 = 1.0 / 480.0;

    /// A sheet at rest, its springs, and its guard.
    fn sheet(parameters: &Parameters) -> (Cloth, SpringNetwork, Guard) {
        let topology = build(&grids::grid(9, 9)).expect("a grid");
        let pins = Pins { particles: vec![ParticleId(0), ParticleId(1)], ..Pins::default() };
        let guard = Guard::new(parameters, &topology);
        (Cloth::at_rest(&topology, &pins, 0.1), SpringNetwork::build(&topology), guard)
    }

    #[test]
    fn what_is_no_number_too_fast_or_torn_is_found_with_its_place() {
        let (cloth, springs, guard) = sheet(&Parameters::default());
        assert_eq!(guard.fault(&cloth, &springs, SUBSTEP), None);
        let mut nowhere = cloth.clone();
        nowhere.points[7].at.y = f32::NAN;
        assert_eq!(guard.fault(&nowhere, &springs, SUBSTEP), Some(Fault::NotFinite { particle: ParticleId(7) }));
        assert!(!guard.is_sound(&nowhere, SUBSTEP));
        let mut fast = cloth.clone();
        fast.velocities[5].at = Vec3::Y * 2.0 * guard.fastest(SUBSTEP);
        assert!(
            matches!(guard.fault(&fast, &springs, SUBSTEP), Some(Fault::TooFast { particle, .. }) if particle.0 == 5)
        );
        assert!(!guard.is_sound(&fast, SUBSTEP));
        let mut torn = cloth.clone();
        torn.points[40].at.z += 1.0;
        assert!(matches!(guard.fault(&torn, &springs, SUBSTEP), Some(Fault::Torn { ratio, .. }) if ratio > 7.0));
        assert!(guard.is_sound(&torn, SUBSTEP));
        assert!((0..TURNS as u32).any(|substep| !guard.holds(&torn, &springs, substep)));
        assert!((0..TURNS as u32).all(|substep| guard.holds(&cloth, &springs, substep)));
    }

    #[test]
    fn pins_may_go_anywhere_as_fast_as_they_are_told() {
        let (mut cloth, springs, guard) = sheet(&Parameters::default());
        for pin in [0, 1] {
            cloth.points[pin].at.x *= 10.0;
            cloth.velocities[pin].at = Vec3::X * 1e4;
        }
        assert!(guard.is_sound(&cloth, SUBSTEP));
        let pinned = springs.stretch.iter().find(|s| s.a.0 + s.b.0 == 1).expect("an edge between the pins");
        assert_eq!(guard.torn(&cloth, pinned), None);
    }

    #[test]
    fn an_edge_that_is_short_comes_to_many_times_its_length_without_being_torn() {
        let (cloth, mut springs, guard) = sheet(&Parameters::default());
        springs.stretch[9].rest_length *= 0.2;
        assert_eq!(guard.torn(&cloth, &springs.stretch[9]), None, "five times as long, as its neighbours are");
        let mut far = cloth.clone();
        far.points[springs.stretch[9].b.index()].at.z += 2.5 * guard.edge;
        assert!(guard.torn(&far, &springs.stretch[9]).is_some(), "two and a half edges long");
    }

    #[test]
    fn the_limit_follows_what_drives_the_cloth() {
        let still = Parameters { drag: 0.0, ..Parameters::default() };
        let (_, _, mut guard) = sheet(&still);
        let least = guard.fastest(SUBSTEP);
        assert!((80.0..200.0).contains(&least), "{least} m/s for a sheet of 1 m");
        (0..60).for_each(|_| guard.start_frame(1.0));
        assert!(guard.fastest(SUBSTEP) > 10.0 * 9.81 * 60.0, "a minute of free fall");
        let (_, _, mut guard) = sheet(&Parameters::default());
        (0..60).for_each(|_| guard.start_frame(1.0));
        assert!(guard.fastest(SUBSTEP) < 5.0 * least, "air drag ends a fall");
        guard.note_drive(50.0);
        guard.note_drive(1.0);
        assert!(guard.fastest(SUBSTEP) > 1000.0, "what once went fast may have left its speed to the cloth");
        let wind = Wind { velocity: Vec3::X * 40.0, gusts: 0.5, gust_seconds: 2.0 };
        let (_, _, guard) = sheet(&Parameters { wind: Some(wind), ..still.clone() });
        assert!(guard.fastest(SUBSTEP) > least + 1000.0);
        let (_, _, guard) = sheet(&Parameters { gravity: Vec3::splat(f32::MAX), ..still });
        assert!((guard.fastest(SUBSTEP) * guard.fastest(SUBSTEP)).is_finite());
    }
}
