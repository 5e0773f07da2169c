//! How long substeps are when the scene does not say.
//!
//! What a fixed number of passes leaves of the stretch goes with the load and the square of the substep:
//!
//! ```text
//!     stretch ~ load h^2       so that  n' = n sqrt(stretch / wanted)  substeps leave what is wanted
//! ```
//!
//! A skirt that spins three times a second weighs ten times as much as one that hangs, a sheet that lies next to nothing. What they
//! need is seen by what the frame before has left. What lies on the body with both its ends does not count: the skin beneath holds
//! it as long as it is, however short the substeps are. Of a runner's suit a twentieth of these threads is more than 11 % too long, of
//! the others 2 %, and seventy substeps leave as much as seventeen.
//!
//! What they leave of shear and bending is more than that, and does not show as stretch: the finer the cloth, the softer it is, if
//! substeps stay as they are. With as many per second as edges fit in a length it is alike on any mesh:
//!
//! ```text
//!     drape of cotton discs      10 mm   5 mm   2.5 mm   between particles
//!     300 substeps a second       32 %   26 %    19 %
//!     as many as edges in 2.4 m   32 %   34 %    31 %
//! ```

use rayon::prelude::*;

use super::archive::{Archive, Archived};
use super::cloth::{CHUNK, Cloth};
use super::collide::Contacts;
use crate::geometry::{Counters, from_ordered_bits, ordered_bits};
use crate::springs::Spring;

/// Longest substep of a cloth that something collides with, seconds, when the scene does not say how many substeps.
const COLLIDING: f64 = 1.0 / 360.0;
/// The same while it is calm and the body stands: a sheet that falls, or lies, stretches next to nothing.
const CALM: f64 = 1.0 / 240.0;
/// Longest substep of one that hangs free: nothing pushes it apart, nor against itself.
const FREE: f64 = 1.0 / 300.0;
/// A second has as many substeps as median edges fit in this length, metres.
const EDGES_IN: f64 = 2.4;
/// However fine it is, substeps need not be shorter, seconds.
const FINEST: f64 = 1.0 / 1200.0;
/// Substeps of a frame that an explicit integrator gets at most, however stiff the springs are.
const MOST_STABLE: u32 = 10_000;

/// Substeps of a frame of a cloth that `collides` or not: enough for the clock, and for an integrator that is stable up to
/// `longest` seconds.
pub(super) fn substeps(frame_seconds: f64, collides: bool, longest: f32) -> u32 {
    let by_clock = at_most(if collides { COLLIDING } else { FREE }, frame_seconds);
    let by_stability = (frame_seconds / f64::from(longest)).ceil() as u32;
    by_clock.max(by_stability.min(MOST_STABLE))
}

/// Longest substep of a cloth with these springs along its edges whose particles resist by constraints, seconds.
pub(super) fn longest_by_edges(stretch: &[Spring]) -> f64 {
    if stretch.is_empty() {
        return f64::INFINITY;
    }
    let mut lengths: Vec<f32> = stretch.iter().map(|s| s.rest_length).collect();
    let median = *lengths.select_nth_unstable_by(stretch.len() / 2, f32::total_cmp).1;
    (f64::from(median) / EDGES_IN).max(FINEST)
}

/// Substeps of a frame that are at most so long, seconds.
pub(super) fn at_most(longest: f64, frame_seconds: f64) -> u32 {
    ((frame_seconds / longest - 1e-6).ceil() as u32).max(1)
}

/// Stretch of the most stretched twentieth of the springs from which substeps are too long. Walks have a third of it.
const WANTED: f32 = 0.01;
/// Part of that stretch from which a cloth is not calm any more.
const CALM_PART: f32 = 0.3;
/// How many times as many substeps as without it stretch asks for at most.
const MOST_MORE: f32 = 4.0;
/// Stretch from which settling takes more passes than usual, and how many times as many at most and at least. Tight clothes stretch
/// a fifth less with three times as many; a skirt, which they do nothing for, would take a tenth longer.
const SETTLED: f32 = 0.008;
const MOST_SETTLING: f32 = 3.0;
const FEWEST_SETTLING: f32 = 0.8;
/// How many times as far as in the frame before a particle goes at most.
const MOST_WAY: f32 = 2.0;
/// Bits by which stretches are told apart at first: sign, exponent, three digits.
const FIRST_BITS: u32 = 12;

/// What the frame before asks for: its stretch, and how far the cloth went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// Stretch that a fabric is meant to have.
    slack: f32,
    /// Stretch that was left beyond that.
    left: f32,
    /// Substeps that what hangs asks for, and all of the cloth.
    substeps: f32,
    of_all: f32,
    /// How far the particle went that went furthest, metres; infinite before the first frame.
    way: f32,
}

impl Demand {
    /// That of a fabric which is meant to give by `slack`.
    pub(super) fn of(slack: f32) -> Demand {
        Demand { slack, left: 0.0, substeps: 0.0, of_all: 0.0, way: f32::INFINITY }
    }

    /// Stretch that the fabric is meant to have.
    pub(super) fn slack(&self) -> f32 {
        self.slack
    }

    /// Notes how `substeps` have left `cloth`, which began the frame as it was `before` and now touches the body at `contacts`.
    pub(super) fn note(
        &mut self,
        before: &Cloth,
        cloth: &Cloth,
        stretch: &[Spring],
        contacts: &Contacts,
        substeps: u32,
    ) {
        self.way = cloth.furthest_way(before);
        let mut stretches = stretches(cloth, stretch);
        let left = twentieth(&stretches);
        let hanging = if contacts.is_empty() {
            left
        } else {
            let touches = contacts.touching(cloth.len());
            let held = stretch.iter().zip(&mut stretches).filter(|(s, _)| touches[s.a.index()] && touches[s.b.index()]);
            held.for_each(|(_, stretch)| *stretch = f32::NAN);
            twentieth(&stretches)
        };
        if let Some(left) = left {
            self.left = left - self.slack;
        }
        let asked = |left: Option<f32>| substeps as f32 * (left.unwrap_or(0.0).max(0.0) / (WANTED + self.slack)).sqrt();
        (self.substeps, self.of_all) = (asked(hanging), asked(left));
    }

    /// What the frame before asked for.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.f32(&mut self.left)?;
        archive.f32(&mut self.substeps)?;
        archive.f32(&mut self.of_all)?;
        archive.f32(&mut self.way)
    }

    /// How far the fastest particle of `cloth` goes in a frame, metres. One that trembles between two surfaces is fast and gets
    /// nowhere, the faster the shorter the substeps are: what the frame before got anywhere is what counts.
    pub(super) fn way(&self, cloth: &Cloth, frame_seconds: f32) -> f32 {
        (cloth.speed() * frame_seconds).min(MOST_WAY * self.way)
    }

    /// How many times as many settling passes as usual are asked for.
    pub(super) fn settling(&self) -> f32 {
        (self.left / SETTLED).clamp(FEWEST_SETTLING, MOST_SETTLING)
    }

    /// Substeps that the clock asks for: its `usual` ones, fewer while the cloth is calm.
    pub(super) fn calmed(&self, usual: u32, frame_seconds: f64) -> u32 {
        if self.way.is_infinite() {
            return usual;
        }
        let asked = (self.of_all / CALM_PART.sqrt()).ceil() as u32;
        asked.max(at_most(CALM, frame_seconds)).min(usual)
    }

    /// As many substeps as are asked for, not less than `others` ask for.
    pub(super) fn of_at_least(&self, others: u32) -> u32 {
        others.max(self.substeps.min(MOST_MORE * others as f32).ceil() as u32)
    }
}

/// The stretch of each spring; no number for those between pins.
fn stretches(cloth: &Cloth, springs: &[Spring]) -> Vec<f32> {
    let stretch = |s: &Spring| {
        let is_free = [s.a, s.b].into_iter().any(|end| cloth.is_free(end.index()));
        if is_free { cloth.elongation(s) - 1.0 } else { f32::NAN }
    };
    springs.par_iter().with_min_len(CHUNK).map(stretch).collect()
}

/// The smallest of the largest twentieth of those `values` that are numbers; none if none is.
fn twentieth(values: &[f32]) -> Option<f32> {
    if values.len() > CHUNK {
        return counted_twentieth(values);
    }
    let mut numbers: Vec<u32> = values.iter().filter(|v| v.is_finite()).map(|&v| ordered_bits(v)).collect();
    let rank = numbers.len() - numbers.len() / 20;
    of_rank(&mut numbers, rank)
}

/// The same of many: they are counted by their first bits, and only those put in order that share these with the one that is looked
/// for.
fn counted_twentieth(values: &[f32]) -> Option<f32> {
    let first_bits = |value: f32| ordered_bits(value) >> (u32::BITS - FIRST_BITS);
    let count = |mut counters: Counters, values: &[f32]| {
        values.iter().filter(|v| v.is_finite()).for_each(|&v| counters.add(first_bits(v)));
        counters
    };
    let none = || Counters::new(FIRST_BITS);
    let counters = values.par_chunks(CHUNK).fold(none, count).reduce(none, |some, more| some.merge(&more));
    let numbers = counters.total();
    let (bits, rank) = counters.find(numbers - numbers / 20);
    let shares = |v: &&f32| v.is_finite() && first_bits(**v) == bits;
    let mut sharing: Vec<u32> =
        values.par_iter().with_min_len(CHUNK).filter(shares).map(|&value| ordered_bits(value)).collect();
    of_rank(&mut sharing, rank as usize)
}

/// The number of this rank, from 1, among those with these ordered bits.
fn of_rank(numbers: &mut [u32], rank: usize) -> Option<f32> {
    let index = rank.checked_sub(1)?;
    Some(from_ordered_bits(*numbers.select_nth_unstable(index).1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::pins::Pins;
    use crate::simulate::collide::Contact;
    use crate::springs::SpringNetwork;
    use crate::topology::{build, grids};
    use proptest::prelude::*;

    /// What a sheet asks for that ten substeps have left stretched by `stretch` all over, and that touches a body with its first
    /// `touching` particles, where others ask for so many: substeps, and times as many settling passes.
    fn asked(stretch: f32, touching: u32, others: u32) -> (u32, f32) {
        let topology = build(&grids::grid(9, 9)).expect("a grid");
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.1);
        cloth.points.iter_mut().for_each(|p| p.at *= 1.0 + stretch);
        let contacts = (0..touching).map(|particle| Contact::with_plane(particle, Vec3::Y, 0.0));
        let contacts = Contacts::of(contacts, cloth.len());
        let mut demand = Demand::of(0.0);
        demand.note(&cloth.saved(), &cloth, &SpringNetwork::build(&topology).stretch, &contacts, 10);
        (demand.of_at_least(others), demand.settling())
    }

    proptest! {
        #[test]
        fn the_largest_twentieth_begins_where_sorting_says(
            values in prop::collection::vec(prop_oneof![any::<f32>(), -1e-3..1e-2_f32], 0..200),
        ) {
            let mut sorted: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
            sorted.sort_by(f32::total_cmp);
            let wanted = sorted.len().checked_sub(1 + sorted.len() / 20).map(|rank| sorted[rank].to_bits());
            for found in [twentieth(&values), counted_twentieth(&values)] {
                prop_assert_eq!(found.map(f32::to_bits), wanted);
            }
        }
    }

    #[test]
    fn cloth_asks_for_more_only_where_it_stretches() {
        assert_eq!(asked(0.5 * SETTLED, 0, 10), (10, FEWEST_SETTLING));
        assert_eq!(asked(0.9 * WANTED, 0, 10).0, 10);
        let (substeps, settling) = asked(2.0 * SETTLED, 0, 10);
        assert!(substeps == 13 && (settling - 2.0).abs() < 1e-2, "{substeps} {settling}");
        assert_eq!(asked(3.9 * WANTED, 0, 10), (20, MOST_SETTLING));
        assert_eq!(asked(1.0, 0, 10).0, 40);
        assert_eq!(Demand::of(0.0).of_at_least(7), 7);
    }

    #[test]
    fn fine_cloth_takes_shorter_substeps_up_to_a_point() {
        let sheet = |edge: f32| {
            let mut sheet = grids::grid(9, 9);
            let size = edge / sheet.positions[0].distance(sheet.positions[1]);
            sheet.positions.iter_mut().for_each(|p| *p *= size);
            let springs = SpringNetwork::build(&build(&sheet).expect("a grid"));
            at_most(longest_by_edges(&springs.stretch), 1.0 / 60.0)
        };
        assert_eq!([0.02, 0.01, 0.005, 0.0025, 0.0001].map(sheet), [2, 4, 8, 16, 20]);
        assert_eq!(at_most(longest_by_edges(&[]), 1.0), 1, "cloth without edges asks for nothing");
    }

    #[test]
    fn calm_cloth_takes_longer_substeps() {
        let second = 1.0 / 30.0;
        let calmed = |of_all: f32| Demand { of_all, way: 0.01, ..Demand::of(0.0) }.calmed(12, second);
        assert_eq!([0.0, 4.5, 5.5, 9.0].map(calmed), [8, 9, 11, 12]);
        assert_eq!(Demand::of(0.0).calmed(12, second), 12, "nothing is known before the first frame");
    }

    #[test]
    fn what_the_body_holds_stretched_asks_only_for_settling() {
        let particles = 81;
        assert_eq!(asked(3.9 * WANTED, particles, 10), (10, MOST_SETTLING));
        assert_eq!(asked(3.9 * WANTED, particles / 2, 10), (20, MOST_SETTLING), "what hangs from it does");
    }

    #[test]
    fn what_trembles_gets_nowhere() {
        let topology = build(&grids::grid(3, 3)).expect("a grid");
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.1);
        let before = cloth.saved();
        cloth.velocities[0].at = Vec3::X * 10.0;
        let way = |moved: f32| {
            let (mut cloth, mut demand) = (cloth.clone(), Demand::of(0.0));
            cloth.points[0].at += Vec3::X * moved;
            demand.note(&before, &cloth, &SpringNetwork::build(&topology).stretch, &Contacts::new(cloth.len()), 10);
            demand.way(&cloth, 0.02)
        };
        assert!((way(0.2) - 0.2).abs() < 1e-6, "it goes on as it went");
        assert!((way(0.001) - 0.002).abs() < 1e-6, "it only trembles");
    }
}
