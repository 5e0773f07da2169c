//! Positions over time, small enough for a page.
//!
//! ```text
//! record of a frame:   corner of the box   step of each axis   vertices        stretch, if any   to a multiple of
//!                      3 x f32             3 x f32             3 x u16 each    i8 each           4 bytes
//! ```
//!
//! A coordinate is `corner + number * step`: in a box of 2 m that is 0.02 mm off at most. Each frame has a box of its own, so that
//! figures that walk far lose nothing. All numbers are little endian.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::geometry::{Aabb, Vec3};

/// Largest number of a coordinate.
const STEPS: f32 = 65_535.0;
/// Number of the end of the scale of stretch.
const MOST_STRETCH: f32 = 127.0;
/// Bytes of a block before base64, about: what a browser decodes at once without a noticeable halt.
const BLOCK: usize = 6 << 20;

/// The record of a frame; `stretch` is in units of the end of its scale.
pub(super) fn record(positions: &[Vec3], stretch: Option<&[f32]>) -> Vec<u8> {
    let finite = positions.iter().filter(|p| p.is_finite());
    let bounds = Aabb::around(finite);
    let (corner, step) =
        if bounds.size().cmpge(Vec3::ZERO).all() { (bounds.min, bounds.size() / STEPS) } else { Default::default() };
    let mut bytes = Vec::with_capacity(24 + 7 * positions.len() + 3);
    for number in [corner, step].iter().flat_map(|v| v.to_array()) {
        bytes.extend(number.to_le_bytes());
    }
    for position in positions {
        // A flat box has steps of nothing: what is no number becomes 0.
        for number in ((*position - corner) / step).to_array() {
            bytes.extend((number.round() as u16).to_le_bytes());
        }
    }
    for &part in stretch.unwrap_or_default() {
        let part = if part.is_finite() { part.clamp(-1.0, 1.0) } else { 1.0 };
        bytes.push(((part * MOST_STRETCH).round() as i8).to_le_bytes()[0]);
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// The records of all frames; a single one of what stands still.
#[derive(Debug, Default)]
pub(super) struct Track {
    bytes: Vec<u8>,
    /// Bytes of a record.
    length: usize,
    /// Frames so far while all are the same.
    same: usize,
    records: usize,
}

impl Track {
    /// Adds a frame, which has as many vertices as the others.
    pub(super) fn add(&mut self, record: &[u8]) {
        if self.records == 0 {
            self.length = record.len();
        } else if self.records == 1 && self.bytes == record {
            self.same += 1;
            return;
        }
        // So far there is one record, for all frames in which it stood still.
        let same = std::mem::take(&mut self.same);
        let still = self.bytes.len();
        (0..same).for_each(|_| self.bytes.extend_from_within(..still));
        self.bytes.extend(record);
        self.records += same + 1;
    }

    /// Bytes of all records.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of each record.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The records as base64, whole ones in each block.
    pub(super) fn blocks(&self) -> Vec<String> {
        let whole = self.length.max(1) * (BLOCK / self.length.max(1)).max(1);
        self.bytes.chunks(whole).map(|bytes| STANDARD.encode(bytes)).collect()
    }
}

/// Indices as base64, 32 bits each.
pub(super) fn indices<const N: usize>(groups: impl IntoIterator<Item = [u32; N]>) -> String {
    let bytes: Vec<u8> = groups.into_iter().flatten().flat_map(u32::to_le_bytes).collect();
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a page reads from a record.
    fn read(record: &[u8], vertices: usize) -> Vec<Vec3> {
        let number = |at: usize| f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
        let vector = |at: usize| Vec3::new(number(at), number(at + 4), number(at + 8));
        let steps = |at: usize| f32::from(u16::from_le_bytes([record[at], record[at + 1]]));
        let place = |v: usize| Vec3::new(steps(24 + 6 * v), steps(26 + 6 * v), steps(28 + 6 * v));
        (0..vertices).map(|v| vector(0) + place(v) * vector(12)).collect()
    }

    #[test]
    fn positions_come_back_within_half_a_step() {
        let positions: Vec<Vec3> =
            (0..50).map(|i| Vec3::new(i as f32 * 0.037, 100.0 + (i % 7) as f32 * 0.3, -2.0)).collect();
        let found = read(&record(&positions, None), 50);
        // 1.8 m in 65535 steps, and what a float at 100 m has to round.
        let most = 0.5 * 1.82 / STEPS + 1e-5;
        for (found, expected) in found.iter().zip(&positions) {
            assert!((*found - *expected).abs().max_element() < most, "{found} {expected}");
        }
    }

    #[test]
    fn stretch_follows_the_positions_and_records_end_on_four_bytes() {
        let bytes = record(&[Vec3::ZERO, Vec3::ONE, Vec3::X], Some(&[0.5, -7.0, f32::NAN]));
        assert_eq!(bytes.len(), 24 + 18 + 3 + 3);
        assert_eq!(bytes[42..].iter().map(|b| b.cast_signed()).collect::<Vec<_>>(), [64, -127, 127, 0, 0, 0]);
    }

    #[test]
    fn coordinates_that_are_no_numbers_do_no_harm() {
        let bytes = record(&[Vec3::splat(f32::NAN), Vec3::ONE, Vec3::new(2.0, f32::INFINITY, 0.0)], None);
        assert_eq!(read(&bytes, 3)[1], Vec3::ONE);
        assert_eq!(record(&[], None), [0; 24]);
    }

    #[test]
    fn what_stands_still_takes_one_record_until_it_moves() {
        let mut track = Track::default();
        (0..3).for_each(|_| track.add(&[1, 2, 3, 4]));
        assert_eq!((track.size(), track.length()), (4, 4));
        track.add(&[5, 6, 7, 8]);
        track.add(&[1, 2, 3, 4]);
        assert_eq!(track.bytes, [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4]);
        assert_eq!(track.blocks().len(), 1);
    }
}
