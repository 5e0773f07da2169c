//! Collision between the particles: cloth cuts corners over limbs, the more the coarser it is.
//!
//! ```text
//!        o---------x---------o     x: middles of edges and faces are kept out too; what pushes them out moves their
//!      (     body surface     )       particles, in the ratio of their mobilities
//! ```
//!
//! The push changes places. It changes velocities only where the body came towards the cloth, and up to the body's own: a knee
//! lifts the cloth on it, it does not kick it; cloth in the way of a heel goes with it.
//!
//! Beside pins that lie nearer to the body than cloth is kept, points keep as little, the more of the thickness the further from the
//! pins they are: as pins do not give way, all of a push would go to what hangs from them.

use rayon::prelude::*;

use super::surface::{Kept, Look, Probe};
use super::{BodySurface, Contacts, Touch, lever};
use crate::geometry::Vec3;
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::cloth::{Cloth, Point};
use crate::topology::{ParticleId, Topology};

/// Part of the thickness that middles of coarse cloth keep in every substep: their particles keep all of it. More holds on to cloth
/// that two parts of a body squeeze.
const CLEARANCE: f32 = 0.5;
/// Part that those of fine cloth are left with at the end of a frame. With half of the thickness knees come through faces, whose
/// corners are further from the middles than the limb's surface is flat.
const BAKED_CLEARANCE: f32 = 0.9;
/// How far points of coarse cloth are apart, as a part of the body's size: 20 mm on a grown-up, less than the width of a heel.
const SPACING: f32 = 0.011;
/// Parts of an edge at most.
const MOST_STEPS: usize = 8;
/// Middles one task takes at least.
const MIDDLES_PER_TASK: usize = 256;

/// A point of the cloth between particles.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct Middle {
    particles: [usize; 3],
    weights: [f32; 3],
}

/// Points between the particles of a cloth that are kept out of the body.
#[derive(Debug)]
pub(in crate::simulate) enum Between {
    /// Those of coarse cloth collide in every substep.
    Coarse {
        /// Middles of edges and faces.
        middles: Watched,
        /// More points of long edges and large faces: a heel fits between their middles.
        further: Watched,
    },
    /// Fine cloth lets through less: its middles are brought out at the end of a frame.
    Fine(Vec<Middle>),
}

/// Points that collide in every substep.
#[derive(Debug)]
pub(in crate::simulate) struct Watched {
    points: Vec<Middle>,
    /// What each knows of the body.
    probes: Vec<Probe>,
}

impl Between {
    /// Those of a cloth, coarse or fine, on a body of `body_size` metres.
    pub(in crate::simulate) fn new(topology: &Topology, is_coarse: bool, body_size: f32) -> Between {
        let edge = |&[a, b]: &[ParticleId; 2]| Middle::new([a, b, a], [0.5, 0.5, 0.0]);
        let face = |&corners: &[ParticleId; 3]| Middle::new(corners, [1.0 / 3.0; 3]);
        let middles = topology.edges.iter().map(edge).chain(topology.triangles.iter().map(face)).collect();
        if !is_coarse {
            return Between::Fine(middles);
        }
        let further = further(topology, SPACING * body_size);
        Between::Coarse { middles: Watched::new(middles), further: Watched::new(further) }
    }

    /// What it knows of the body's `surface`.
    pub(in crate::simulate) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
        surface: Option<&BodySurface<'_>>,
    ) -> Archived {
        let known = surface.map_or([0; 2], BodySurface::known);
        let mut watched = self.watched().into_iter().flatten();
        watched.try_for_each(|w| archive.each(&mut w.probes, |archive, probe| probe.archive(archive, known)))
    }

    /// Forgets what it knows of the body, which was moved by other means.
    pub(in crate::simulate) fn forget(&mut self) {
        self.watched().into_iter().flatten().for_each(|watched| watched.probes.fill(Probe::BLANK));
    }

    fn watched(&mut self) -> Option<[&mut Watched; 2]> {
        match self {
            Between::Coarse { middles, further } => Some([middles, further]),
            Between::Fine(_) => None,
        }
    }

    /// Keeps the points out of the body. `contacts` are those of the particles.
    pub(in crate::simulate) fn collide(
        &mut self,
        surface: &mut BodySurface<'_>,
        cloth: &mut Cloth,
        touch: Touch,
        frame_ends: bool,
        contacts: &Contacts,
    ) {
        match self {
            Between::Coarse { middles, further } => {
                // Overlapping pushes let go of cloth that two parts squeeze; many points of one face would add up to a leap.
                middles.keep_out(surface, cloth, touch, frame_ends, |push, _| push.way);
                further.keep_out(surface, cloth, touch, frame_ends, |push, at| push.left(at));
            }
            Between::Fine(middles) if frame_ends => bring_out(middles, surface, cloth, touch, contacts),
            Between::Fine(_) => {}
        }
    }
}

impl Watched {
    fn new(points: Vec<Middle>) -> Watched {
        Watched { probes: vec![Probe::BLANK; points.len()], points }
    }

    /// Pushes the points out of the body, each as far as `left` says for its push and the place where others' pushes took it.
    fn keep_out(
        &mut self,
        surface: &mut BodySurface<'_>,
        cloth: &mut Cloth,
        touch: Touch,
        frame_ends: bool,
        left: impl Fn(&Push, Vec3) -> Vec3,
    ) {
        let touch = touch.keeping(CLEARANCE);
        let (points, probes) = (&self.points, &self.probes);
        let seen = |index: usize| points[index].sees(surface).then(|| points[index].at(cloth));
        let asking = surface.looks(probes, seen, frame_ends);
        surface.fit_for(&asking);
        let surface = &*surface;
        let ask = |&(index, look): &(u32, Look)| {
            let point = &points[index as usize];
            let (at, before) = (point.at(cloth), point.before(cloth));
            let touch = touch.keeping(point.kept(surface.kept()));
            let clear = surface.clear(at, before, &probes[index as usize], look, touch);
            (Push { goal: at + clear.way, way: clear.way, gain: clear.gain }, clear.probe)
        };
        let answers: Vec<(Push, Probe)> = asking.par_iter().with_min_len(MIDDLES_PER_TASK).map(ask).collect();
        for (&(index, _), (push, probe)) in asking.iter().zip(answers) {
            let index = index as usize;
            self.probes[index] = probe;
            let way = left(&push, self.points[index].at(cloth));
            if way != Vec3::ZERO {
                self.points[index].push(way, push.gain * (way.length() / push.way.length()), cloth);
            }
        }
    }
}

/// Points of edges and faces that are longer than `spacing` metres, about that far apart, without their middles.
fn further(topology: &Topology, spacing: f32) -> Vec<Middle> {
    let steps = |ends: [ParticleId; 2]| {
        let [a, b] = ends.map(|end| topology.positions[end.index()]);
        ((a.distance(b) / spacing).ceil() as usize).clamp(1, MOST_STEPS)
    };
    let of_edge = |&[a, b]: &[ParticleId; 2]| {
        let steps = steps([a, b]);
        let between = (1..steps).filter(move |step| 2 * step != steps);
        between.map(move |step| step as f32 / steps as f32).map(move |w| Middle::new([a, b, a], [1.0 - w, w, 0.0]))
    };
    let of_face = |&[a, b, c]: &[ParticleId; 3]| {
        let steps = steps([a, b]).max(steps([b, c])).max(steps([c, a]));
        let pairs = (1..steps).flat_map(move |i| (1..steps - i).map(move |j| [i, j, steps - i - j]));
        let inner = pairs.filter(|[i, j, k]| i != j || j != k);
        inner.map(move |parts| Middle::new([a, b, c], parts.map(|part| part as f32 / steps as f32)))
    };
    topology.edges.iter().flat_map(of_edge).chain(topology.triangles.iter().flat_map(of_face)).collect()
}

/// Pushes middles out once, of cloth so fine that a limb comes through only next to particles that lie on it: they start from what
/// those know.
fn bring_out(middles: &[Middle], surface: &BodySurface<'_>, cloth: &mut Cloth, touch: Touch, contacts: &Contacts) {
    let touch = touch.keeping(BAKED_CLEARANCE);
    let touches = contacts.touching(cloth.len());
    let push = |middle: &Middle| {
        let on_body = middle.particles.into_iter().find(|&p| touches[p]).filter(|_| middle.sees(surface))?;
        let place = middle.at(cloth);
        let touch = touch.keeping(middle.kept(surface.kept()));
        let way = surface.way_out_beside(on_body, place, touch)?;
        Some((*middle, Push { goal: place + way, way, gain: Vec3::ZERO }))
    };
    let pushes: Vec<(Middle, Push)> = middles.par_iter().with_min_len(MIDDLES_PER_TASK).filter_map(push).collect();
    for (middle, push) in pushes {
        middle.push(push.left(middle.at(cloth)), Vec3::ZERO, cloth);
    }
}

/// What a middle asks for.
#[derive(Clone, Copy, Debug)]
struct Push {
    goal: Vec3,
    /// From where it was to the goal.
    way: Vec3,
    /// The part of the way that the body went in this substep and it did not: it takes it as its own motion.
    gain: Vec3,
}

impl Push {
    /// What is left of the way from `at`: others may have taken the middle part of the way, or there already.
    fn left(&self, at: Vec3) -> Vec3 {
        let along = (self.goal - at).dot(self.way);
        if along > 0.0 { self.way * (along / self.way.length_squared()) } else { Vec3::ZERO }
    }
}

impl Middle {
    pub(super) fn new(particles: [ParticleId; 3], weights: [f32; 3]) -> Middle {
        Middle { particles: particles.map(|p| p.index()), weights }
    }

    /// Part of the thickness that it keeps, 0 to 1: what its particles keep.
    pub(super) fn kept(&self, kept: &Kept) -> f32 {
        let parts = self.particles.into_iter().zip(self.weights);
        parts.map(|(p, weight)| kept.of(p) * weight).sum::<f32>().min(1.0)
    }

    pub(super) fn at(&self, cloth: &Cloth) -> Vec3 {
        self.mean(&cloth.points)
    }

    /// Where it was a substep ago.
    fn before(&self, cloth: &Cloth) -> Vec3 {
        self.mean(&cloth.previous)
    }

    fn mean(&self, points: &[Point]) -> Vec3 {
        let [a, b, c] = self.particles.map(|p| points[p].at);
        a * self.weights[0] + b * self.weights[1] + c * self.weights[2]
    }

    pub(super) fn sees(&self, surface: &BodySurface<'_>) -> bool {
        self.particles.iter().all(|&p| surface.sees_all(p))
    }

    /// The part of a push that moves none of its particles further than [`LEVER`](super::LEVER) times as far: the others may be pins.
    pub(super) fn lever(&self, cloth: &Cloth) -> f32 {
        let parts = || self.particles.into_iter().zip(self.weights).map(|(p, w)| (w, w * cloth.points[p].inverse_mass));
        let mobility: f32 = parts().map(|(weight, mobile)| weight * mobile).sum();
        lever(mobility, parts().map(|(_, mobile)| mobile))
    }

    /// Moves it by `way` metres, of which `gain` is motion.
    pub(super) fn push(&self, way: Vec3, gain: Vec3, cloth: &mut Cloth) {
        let parts = self.particles.into_iter().zip(self.weights).filter(|&(_, weight)| weight > 0.0);
        let mobility: f32 = parts.clone().map(|(p, weight)| weight * weight * cloth.points[p].inverse_mass).sum();
        if mobility <= 0.0 {
            return;
        }
        for (particle, weight) in parts {
            let part = weight * cloth.points[particle].inverse_mass / mobility;
            cloth.points[particle].at += way * part;
            cloth.previous[particle].at += (way - gain) * part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pins::Pins;
    use crate::topology::build;
    use crate::topology::grids::grid;

    #[test]
    fn long_edges_and_large_faces_have_points_no_further_apart_than_asked_for() {
        let topology = build(&grid(2, 2)).expect("a sheet");
        let cloth = Cloth::at_rest(&topology, &Pins::default(), 0.2);
        let at = |middle: &Middle| middle.at(&cloth);
        let Between::Coarse { middles, further } = Between::new(&topology, true, 0.3 / SPACING) else {
            panic!("coarse cloth")
        };
        let known = topology.positions.iter().copied();
        let points: Vec<Vec3> = known.chain([&middles, &further].iter().flat_map(|w| &w.points).map(at)).collect();
        for index in 0..100 {
            let [x, y] = [index % 10, index / 10].map(|step| step as f32 / 9.0);
            let nearest = points.iter().map(|p| p.distance(Vec3::new(x, -y, 0.0))).fold(f32::INFINITY, f32::min);
            assert!(nearest < 0.3 / std::f32::consts::SQRT_2, "{x} {y}: {nearest}");
        }
        let again = |i: usize| points[..i].iter().any(|p| p.distance(points[i]) < 1e-5);
        assert!(!(0..points.len()).any(again), "{points:?}");
    }

    #[test]
    fn beside_a_pin_that_lies_close_points_keep_less_the_nearer_they_are() {
        let topology = build(&grid(2, 2)).expect("a sheet");
        let cloth = Cloth::at_rest(&topology, &Pins::default(), 0.2);
        let Between::Coarse { further, .. } = Between::new(&topology, true, 0.3 / SPACING) else {
            panic!("coarse cloth")
        };
        let mut kept = Kept::all(4);
        kept.note(0, 0.1);
        let of_edge = |m: &&Middle| m.particles[..2] == [0, 1];
        let expected = |m: &Middle| 0.1 + 0.9 * m.at(&cloth).distance(topology.positions[0]);
        assert!(further.points.iter().any(|m| of_edge(&m)));
        assert!(further.points.iter().filter(of_edge).all(|m| (m.kept(&kept) - expected(m)).abs() < 1e-5));
    }

    #[test]
    fn a_push_is_shared_by_mobility_and_only_its_gain_is_motion() {
        let topology = build(&grid(2, 2)).expect("a sheet");
        let pinned = Pins { particles: vec![ParticleId(0)], ..Pins::default() };
        let mut cloth = Cloth::at_rest(&topology, &pinned, 0.2);
        let middle = Middle::new([0, 1, 0].map(ParticleId), [0.5, 0.5, 0.0]);
        let (from, before) = (middle.at(&cloth), middle.before(&cloth));
        middle.push(Vec3::Z * 0.01, Vec3::Z * 0.004, &mut cloth);
        assert!((middle.at(&cloth) - from).distance(Vec3::Z * 0.01) < 1e-6);
        assert!((middle.before(&cloth) - before).distance(Vec3::Z * 0.006) < 1e-6);
        assert_eq!(cloth.points[0].at, topology.positions[0]);
    }
}
