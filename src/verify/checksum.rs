//! Sums over the positions of a frame, by groups of vertices, and how far rounding may take them.
//!
//! ```text
//! sign(v) = +1 or -1                  the top bit of splitmix64's first number from seed v: 0 is +1
//! sum     = sum over v sign(v) p(v)               a vertex that moves by d changes it by d
//! moment  = sum over v sign(v) (v mod 1024) p(v)  change of moment / change of sum = which vertex it was
//! ```
//!
//! `p` is in metres in the world, Y up; sums are `f64`. Signs make that a common motion cancels, and that rounding adds up as a
//! random walk does: with the square root of the number of vertices. The report's side of this is written a second time, in
//! `report`: on purpose.

use super::claim::FrameClaim;
use super::fault::{Fault, Faults};

/// Vertices of a group. More make a shorter report, fewer let less rounding hide a motion.
pub(super) const GROUP: usize = 1024;
/// Standard walks beyond which a sum is not rounding: Hoeffding's inequality gives 3e-8 that it is, for the worst of roundings.
const WALKS: f64 = 6.0;
/// Roundings of a coordinate on its way: to the file's unit or to a displacement, of a number twice as large.
const ROUNDINGS: f64 = 2.0;
/// Steps in which the report gives lengths, metres.
const REPORT_STEP: f64 = 1e-9;

/// How numbers of a file were rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    /// Half a step, as part of the number: 2^-24 for `f32`, 0 for none.
    pub(super) relative: f64,
    /// Largest number that was rounded, metres.
    pub(super) size: f64,
    /// Largest coordinate in the world, metres: what sums in `f64` lose.
    pub(super) world: f64,
}

impl Rounding {
    /// By which a coordinate may be off, metres.
    fn of_coordinate(self) -> f64 {
        ROUNDINGS * self.relative * self.size + REPORT_STEP
    }

    /// By which a sum over `count` vertices may be off, metres.
    fn of_sum(self, count: usize) -> f64 {
        let arithmetic = f64::EPSILON * self.world * count as f64;
        WALKS * ROUNDINGS * self.relative * self.size * (count as f64).sqrt() + arithmetic + REPORT_STEP
    }

    /// By which the largest sum may be off, metres: no smaller motion of a vertex is found for sure.
    pub(super) fn largest(self, vertices: u64) -> f64 {
        if self.relative == 0.0 { 0.0 } else { self.of_sum(vertices.min(GROUP as u64) as usize) }
    }
}

/// The sums of a frame while its vertices come in.
#[derive(Debug)]
pub(super) struct FrameSums {
    corners: [[f64; 3]; 2],
    groups: Vec<Sums>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    sum: [f64; 3],
    moment: [f64; 3],
    count: u32,
}

impl FrameSums {
    /// Nothing yet, of a frame that is claimed to be so.
    pub(super) fn new(claim: &FrameClaim) -> FrameSums {
        let corners = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        FrameSums { corners, groups: vec![Sums::default(); claim.sums.len()] }
    }

    /// Adds a vertex; one beyond the claimed number is counted elsewhere.
    pub(super) fn add(&mut self, vertex: u64, position: [f64; 3]) {
        let Some(sums) = usize::try_from(vertex / GROUP as u64).ok().and_then(|group| self.groups.get_mut(group))
        else {
            return;
        };
        let sign = sign(vertex);
        let place = (vertex % GROUP as u64) as f64;
        for (axis, coordinate) in position.into_iter().enumerate() {
            let signed = sign * coordinate;
            sums.sum[axis] += signed;
            sums.moment[axis] += place * signed;
            self.corners[0][axis] = self.corners[0][axis].min(coordinate);
            self.corners[1][axis] = self.corners[1][axis].max(coordinate);
        }
        sums.count += 1;
    }

    /// Compares with what is claimed of frame `number`; `vertices` is the garment's number of them. Groups that are not whole say
    /// nothing. Gives the number of vertices in those.
    pub(super) fn compare(
        &self,
        claim: &FrameClaim,
        number: i64,
        vertices: u64,
        rounding: Rounding,
        faults: &mut Faults,
    ) -> u64 {
        let mut unproven = 0;
        for (index, (sums, claimed)) in self.groups.iter().zip(claim.sums.iter().zip(&claim.moments)).enumerate() {
            let first = (index * GROUP) as u64;
            let count = (vertices - first).min(GROUP as u64);
            if u64::from(sums.count) == count {
                let fault = sums.difference(claimed, first, number, rounding);
                fault.into_iter().for_each(|fault| faults.push(fault));
            } else {
                unproven += count;
            }
        }
        let off = self.box_difference(claim);
        if unproven == 0 && vertices > 0 && off > rounding.of_coordinate() {
            faults.push(Fault::Box { frame: number, metres: off });
        }
        unproven
    }

    /// Furthest that a side of the box is off, metres.
    fn box_difference(&self, claim: &FrameClaim) -> f64 {
        let sides = self.corners.iter().flatten().zip(claim.corners.iter().flatten());
        sides.map(|(found, claimed)| (found - claimed).abs()).fold(0.0, f64::max)
    }
}

impl Sums {
    fn difference(
        &self,
        (sum, moment): (&[f64; 3], &[f64; 3]),
        first: u64,
        frame: i64,
        rounding: Rounding,
    ) -> Option<Fault> {
        let off = [0, 1, 2].map(|axis| self.sum[axis] - sum[axis]);
        let tolerance = rounding.of_sum(self.count as usize);
        // Not written as `>`: a sum that is no number is off too.
        if off.iter().all(|off| off.abs() <= tolerance) {
            return None;
        }
        let worst = (1..3).fold(0, |worst, axis| if off[axis].abs() > off[worst].abs() { axis } else { worst });
        let place = (self.moment[worst] - moment[worst]) / off[worst];
        let last = first + u64::from(self.count) - 1;
        let is_inside = (-0.5..f64::from(self.count) - 0.5).contains(&place);
        let metres = off.iter().map(|off| off * off).sum::<f64>().sqrt();
        let about = is_inside.then(|| first + place.round().max(0.0) as u64);
        Some(Fault::Moved { frame, vertices: [first, last], metres, about })
    }
}

/// +1 or -1, as good as tossed, by the finaliser of splitmix64 (Steele, Lea and Flood 2014).
fn sign(vertex: u64) -> f64 {
    let mut z = vertex.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    if z >> 63 == 0 { 1.0 } else { -1.0 }
}
