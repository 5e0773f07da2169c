//! Box and sums of the positions in each frame, by which `toile verify` proves outputs in any format.
//!
//! ```text
//! sum     = sum over v sign(v) p(v)               v: vertex of the garment's file, 1024 a group
//! moment  = sum over v sign(v) (v mod 1024) p(v)  p(v): metres in the world, in f64
//! sign(v) = +1 or -1: the top bit of splitmix64's first number from seed v is 0 or 1
//! ```
//!
//! A vertex that moves by d changes its group's sum by d; rounding adds up as a random walk does. The README has it for others who
//! want to check; `verify` works it out by code of its own.

use rayon::prelude::*;
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::to_raw_value;

use crate::geometry::{DVec3, Vec3};
use crate::simulate::PointCache;
use crate::topology::ParticleId;

/// Vertices of a group.
const GROUP: usize = 1024;
/// Lengths are told in these steps, metres: far below what `f32` tells apart on anything that is worn.
const STEPS_PER_METRE: f64 = 1e9;

/// The positions of a frame in short, metres in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Checksum {
    /// Smallest and greatest coordinates.
    pub corners: [DVec3; 2],
    /// Signed sum of each group.
    pub sums: Vec<DVec3>,
    /// Signed sum, weighted by the place in the group.
    pub moments: Vec<DVec3>,
}

/// Those of all frames. Positions of the cache count from `origin`.
pub fn measure(cache: &PointCache, particle_of_vertex: &[ParticleId], origin: DVec3) -> Vec<Checksum> {
    cache.frames.par_iter().map(|frame| Checksum::of(frame, particle_of_vertex, origin)).collect()
}

impl Checksum {
    fn of(frame: &[Vec3], particle_of_vertex: &[ParticleId], origin: DVec3) -> Checksum {
        let mut checksum = Checksum {
            corners: [DVec3::INFINITY, DVec3::NEG_INFINITY],
            sums: Vec::with_capacity(particle_of_vertex.len().div_ceil(GROUP)),
            moments: Vec::new(),
        };
        for (group, particles) in particle_of_vertex.chunks(GROUP).enumerate() {
            let (mut sum, mut moment) = (DVec3::ZERO, DVec3::ZERO);
            for (place, particle) in particles.iter().enumerate() {
                let position = frame[particle.index()].as_dvec3() + origin;
                let signed = if is_negative((group * GROUP + place) as u64) { -position } else { position };
                sum += signed;
                moment += signed * place as f64;
                checksum.corners[0] = checksum.corners[0].min(position);
                checksum.corners[1] = checksum.corners[1].max(position);
            }
            checksum.sums.push(sum);
            checksum.moments.push(moment);
        }
        checksum
    }
}

/// As good as tossed: splitmix64 (Steele, Lea and Flood 2014).
fn is_negative(vertex: u64) -> bool {
    let mut bits = vertex.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) >> 63 == 1
}

fn told(v: DVec3) -> [f64; 3] {
    // No vertex, no box: JSON has no infinity.
    let rounded = |x: f64| if x.is_finite() { (x * STEPS_PER_METRE).round() / STEPS_PER_METRE } else { 0.0 };
    v.to_array().map(rounded)
}

/// On one line, however the report around it is set: there are as many numbers as in the rest of it together.
impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Told {
            r#box: [[f64; 3]; 2],
            sums: Vec<[f64; 3]>,
            moments: Vec<[f64; 3]>,
        }
        let all = |list: &[DVec3]| list.iter().copied().map(told).collect();
        let line = Told { r#box: self.corners.map(told), sums: all(&self.sums), moments: all(&self.moments) };
        to_raw_value(&line).map_err(S::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_those_of_the_published_generator() {
        // First numbers of splitmix64 from seeds 0 to 3: e220a8397b1dcdaf, 910a2dec89025cc1, 975835de1c9756ce, 1d0b14e4db018fed.
        assert_eq!([0, 1, 2, 3].map(is_negative), [true, true, true, false]);
    }

    #[test]
    fn a_vertex_that_moves_changes_its_group_by_as_much_and_the_moment_says_which_it_was() {
        let particles: Vec<ParticleId> = (0..1500).map(ParticleId).collect();
        let mut frame: Vec<Vec3> = (0..1500).map(|i| Vec3::new(i as f32, 1.0, -2.0) * 0.001).collect();
        let before = Checksum::of(&frame, &particles, DVec3::ZERO);
        frame[1300].y = 0.25;
        let moved = f64::from(0.25 - 0.001_f32);
        let after = Checksum::of(&frame, &particles, DVec3::ZERO);
        assert_eq!((before.sums[0], before.moments[0]), (after.sums[0], after.moments[0]));
        let (sum, moment) = (after.sums[1] - before.sums[1], after.moments[1] - before.moments[1]);
        assert_eq!((sum.x, sum.z), (0.0, 0.0));
        assert!((sum.y.abs() - moved).abs() < 1e-7);
        assert!((moment.y / sum.y - 276.0).abs() < 1e-6);
        assert_eq!(after.corners[1].y, 0.25);
    }

    #[test]
    fn a_frame_is_one_line() {
        let checksum = Checksum::of(&[Vec3::X], &[ParticleId(0)], DVec3::Y);
        let text = serde_json::to_string_pretty(&[checksum]).unwrap();
        let line = r#"{"box":[[1.0,1.0,0.0],[1.0,1.0,0.0]],"sums":[[-1.0,-1.0,0.0]],"moments":[[0.0,0.0,0.0]]}"#;
        assert_eq!(text.lines().nth(1).map(str::trim), Some(line), "{text}");
    }
}
