//! Cloth stays whole whatever collides with it.
//!
//! Where body parts pull cloth apart, or push it away from its pins, it slips through them instead of tearing. How soon is a
//! question of how the garment was made: a collar that its artist tucked into the body cannot leave it without tearing.
//!
//! ```text
//!    o pin, inside          near such pins the cloth keeps its length and stays tucked in, unless that draws into the body what
//!  --|--------- surface     was pushed out of it; further away it keeps its distance from the body until it would tear
//!    o--o--o--
//! ```

use rayon::prelude::*;

use super::cloth::{CHUNK, Cloth};
use super::collide::Contact;
use super::enforce::mend;
use crate::correction::Tether;
use crate::springs::Spring;
use crate::topology::{ParticleId, Topology};

/// Stretch that no collision may cause.
const TEARING: f32 = 0.24;
/// The same near the pins of cloth that is tucked in.
const TUCKED: f32 = 0.025;
/// How often it is looked whether that draws anything into the body.
const ROUNDS: u32 = 5;
/// How far from such pins, along the cloth, as a part of the body's size.
const NEAR: f32 = 0.06;
/// Passes over what would tear, and over what has torn where a frame ends: short edges beside others take long to come together.
const PASSES: u32 = 12;
const LAST_PASSES: u32 = 40;
/// Passes before those last ones which bring torn edges further together than they must, and by which part of what they are too
/// long: a ring of edges around the top of a hood shortens no other way. Where edges cannot all be short, they end unevenly.
const FURTHER_PASSES: u32 = 60;
const FURTHER: f32 = 0.4;

/// How far each edge of the file may stretch.
#[derive(Debug)]
pub(super) struct Whole {
    edges: Vec<Limit>,
    /// Whether the cloth is tucked into the body.
    is_tucked: bool,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    a: ParticleId,
    b: ParticleId,
    /// Metres.
    longest: f32,
    /// The same without regard to pins.
    torn: f32,
}

impl Whole {
    /// The limits of a cloth on a body of `body_size` metres, which `is_tucked` into it or not.
    pub(super) fn new(topology: &Topology, tethers: &[Option<Tether>], is_tucked: bool, body_size: f32) -> Whole {
        let near_pin = |p: ParticleId| tethers[p.index()].is_some_and(|t| t.length < NEAR * body_size);
        let limit = |&[a, b]: &[ParticleId; 2]| {
            let rest_length = topology.positions[a.index()].distance(topology.positions[b.index()]);
            let stretch = if is_tucked && near_pin(a) && near_pin(b) { TUCKED } else { TEARING };
            Limit { a, b, longest: rest_length * (1.0 + stretch), torn: rest_length * (1.0 + TEARING) }
        };
        Whole { edges: topology.file_edges.iter().map(limit).collect(), is_tucked }
    }

    /// Brings edges that collisions have pulled too far apart back together, whatever is in the way; where a frame ends, all that
    /// can be. What is within the tighter limit is within the other. Bodies are touched in `contacts`.
    pub(super) fn keep(&self, cloth: &mut Cloth, contacts: &[Contact], frame_ends: bool) {
        let is_whole = if self.is_tucked {
            self.keep_tucked(cloth, contacts)
        } else {
            self.shorten(cloth, PASSES, 0.0, |limit| limit.longest)
        };
        if frame_ends && !is_whole {
            self.shorten(cloth, FURTHER_PASSES, FURTHER, |limit| limit.torn);
            self.shorten(cloth, LAST_PASSES, 0.0, |limit| limit.torn);
        }
    }

    /// The same in the middle of a frame within the tighter limits, but for edges of particles that these would draw into what they
    /// touch: held by its tucked neighbours, cloth that is outside would go into an arm.
    fn keep_tucked(&self, cloth: &mut Cloth, contacts: &[Contact]) -> bool {
        let before = cloth.points.clone();
        let mut is_pressed = vec![false; before.len()];
        for _ in 0..ROUNDS {
            let is_whole = self.shorten(cloth, PASSES, 0.0, |limit| limit.unless_pressed(&is_pressed));
            let drawn_in = contacts.iter().filter(|contact| contact.is_violated(cloth));
            let pressed: Vec<usize> =
                drawn_in.map(|contact| contact.particle as usize).filter(|&particle| !is_pressed[particle]).collect();
            if pressed.is_empty() {
                return is_whole;
            }
            pressed.into_iter().for_each(|particle| is_pressed[particle] = true);
            cloth.points.clone_from(&before);
        }
        self.shorten(cloth, PASSES, 0.0, |limit| limit.unless_pressed(&is_pressed))
    }

    /// Shortens edges beyond their `longest`; tells whether there was none when it began.
    fn shorten(&self, cloth: &mut Cloth, passes: u32, further: f32, longest: impl Fn(&Limit) -> f32 + Sync) -> bool {
        for pass in 0..passes {
            let is_exceeded = |edges: &[Limit]| edges.iter().any(|limit| limit.exceeds(cloth, longest(limit)));
            let Some(first) = self.edges.par_chunks(CHUNK).position_first(is_exceeded) else { return pass == 0 };
            for limit in &self.edges[first * CHUNK..] {
                let longest = longest(limit);
                if limit.exceeds(cloth, longest) {
                    let excess = limit.length(cloth) - longest;
                    let rest_length = longest - further * excess.min(longest);
                    mend(cloth, &Spring { a: limit.a, b: limit.b, rest_length }, 0.0);
                }
            }
        }
        false
    }
}

impl Limit {
    fn length(&self, cloth: &Cloth) -> f32 {
        cloth.points[self.a.index()].at.distance(cloth.points[self.b.index()].at)
    }

    /// Its tighter limit, unless a particle of it is pressed, metres.
    fn unless_pressed(&self, is_pressed: &[bool]) -> f32 {
        if is_pressed[self.a.index()] || is_pressed[self.b.index()] { self.torn } else { self.longest }
    }

    fn exceeds(&self, cloth: &Cloth, longest: f32) -> bool {
        let squared = cloth.points[self.a.index()].at.distance_squared(cloth.points[self.b.index()].at);
        squared > longest * longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::pins::Pins;
    use crate::topology::grids::tube;
    use crate::topology::{build, grids};

    /// A column of ten particles pinned at its top, every edge pulled to twice its length, after `keep` so many times: its longest
    /// stretch next to the pin and anywhere.
    fn kept(is_tucked: bool, times: u32, frame_ends: bool) -> [f32; 2] {
        let topology = build(&grids::grid(2, 10)).expect("a grid");
        let top: Vec<ParticleId> = (0..2).map(ParticleId).collect();
        let pins = Pins { particles: top.clone(), ..Pins::default() };
        let tethers = crate::correction::tethers(&topology, &top);
        let mut cloth = Cloth::at_rest(&topology, &pins, 0.1);
        let origin = cloth.points[0].at;
        cloth.points.iter_mut().for_each(|p| p.at = origin + (p.at - origin) * 2.0);
        for pin in &top {
            cloth.points[pin.index()].at = topology.positions[pin.index()];
        }
        let edge = topology.mean_edge();
        let whole = Whole::new(&topology, &tethers, is_tucked, 1.5 * edge / NEAR);
        (0..times).for_each(|_| whole.keep(&mut cloth, &[], frame_ends));
        let stretch = |&[a, b]: &[ParticleId; 2]| {
            let length = |at: &dyn Fn(ParticleId) -> Vec3| at(a).distance(at(b));
            length(&|p| cloth.points[p.index()].at) / length(&|p| topology.positions[p.index()]) - 1.0
        };
        let near = |e: &&[ParticleId; 2]| e.iter().all(|p| p.index() < 4);
        [
            topology.file_edges.iter().filter(near).map(stretch).fold(0.0, f32::max),
            topology.file_edges.iter().map(stretch).fold(0.0, f32::max),
        ]
    }

    #[test]
    fn no_edge_stays_longer_than_its_limit_and_tucked_cloth_has_a_tighter_one() {
        let [near, anywhere] = kept(false, 200, false);
        assert!(near > 0.5 * TEARING && anywhere < TEARING + 1e-3, "{near} {anywhere}");
        let [near, anywhere] = kept(true, 200, false);
        assert!(near < TUCKED + 1e-3 && anywhere < TEARING + 1e-3 && anywhere > 0.5 * TEARING, "{near} {anywhere}");
        let [[_, on_the_way], [_, at_the_end]] = [false, true].map(|frame_ends| kept(false, 1, frame_ends));
        assert!(on_the_way > 2.0 * TEARING && at_the_end < TEARING + 0.05, "{on_the_way} {at_the_end}");
    }

    #[test]
    fn tucked_cloth_stretches_where_its_limit_would_draw_what_was_pushed_out_into_the_body() {
        let topology = build(&grids::grid(2, 10)).expect("a grid");
        let top: Vec<ParticleId> = (0..2).map(ParticleId).collect();
        let pins = Pins { particles: top.clone(), ..Pins::default() };
        let tethers = crate::correction::tethers(&topology, &top);
        let edge = topology.positions[2].distance(topology.positions[0]);
        let whole = Whole::new(&topology, &tethers, true, 3.0 * edge / NEAR);
        // A surface below the pins, which are inside, has pushed the second row out to where its edges are longer by a fifth.
        let kept = |margin: f32| {
            let mut cloth = Cloth::at_rest(&topology, &pins, 0.1);
            cloth.points.iter_mut().skip(2).for_each(|p| p.at.y -= 0.2 * edge);
            let contact = |particle: u32| {
                let (normal, level) = (Vec3::NEG_Y, -cloth.points[particle as usize].at.y);
                let surface_motion = Vec3::ZERO;
                Contact { particle, normal, level, margin, surface_motion, joint: None, collider: None }
            };
            let contacts = [contact(2), contact(3)];
            whole.keep(&mut cloth, &contacts, false);
            cloth.points[2].at.distance(cloth.points[0].at) / edge - 1.0
        };
        let (inside, near) = (kept(0.05 * edge), kept(0.5 * edge));
        assert!((inside - 0.2).abs() < 1e-3, "{inside}");
        assert!(near < 0.5 * TEARING, "it may come nearer to the body without being in it: {near}");
    }

    #[test]
    fn a_ring_of_short_edges_that_a_head_pushes_open_is_all_but_closed_where_a_frame_ends() {
        let mut hood = tube(64, 3);
        let top = hood.positions.iter().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max);
        let narrow = |p: &mut Vec3| *p *= if p.y == top { Vec3::new(0.1, 1.0, 0.1) } else { Vec3::ONE };
        hood.positions.iter_mut().for_each(narrow);
        let topology = build(&hood).expect("a hood");
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.1);
        let open = |p: &mut Vec3| *p *= if p.y == top { Vec3::new(1.3, 1.0, 1.3) } else { Vec3::ONE };
        cloth.points.iter_mut().for_each(|p| open(&mut p.at));
        let whole = Whole::new(&topology, &vec![None; topology.positions.len()], false, 1.0);
        whole.keep(&mut cloth, &[], true);
        let stretch = |limit: &Limit| limit.length(&cloth) / limit.longest * (1.0 + TEARING) - 1.0;
        let longest = whole.edges.iter().map(stretch).fold(0.0, f32::max);
        assert!(longest < TEARING + 0.025, "{longest}");
    }
}
