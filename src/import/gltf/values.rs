//! Accessors as numbers: normalised integers become [0, 1] or [-1, 1], every number is finite.

use std::collections::BTreeMap;

use gltf::accessor::DataType;

use super::accessor::{Accessor, unsigned};
use super::buffers::Buffers;
use super::error::Faults;
use super::limits::{MAX_DECODED_BYTES, MAX_NOTICES, MOST_TIMES_UNPACKED};
use super::sanitise::Clean;
use crate::geometry::{Vec2, Vec3};
use crate::import::Access;

/// Unpacks accessors, within a limit for all of them together.
#[derive(Debug)]
pub(super) struct Values<'c, 'a> {
    accessors: &'c BTreeMap<usize, Accessor>,
    buffers: &'c Buffers<'a>,
    /// Most bytes unpacked.
    limit: u64,
    /// None once a limit was met.
    bytes_left: Option<u64>,
    /// Bytes that may still be gone through, whether they are kept or not.
    work_left: u64,
    /// What is wrong with the numbers.
    pub(super) faults: Faults,
    /// What is odd about them.
    pub(super) notices: Vec<String>,
}

impl<'c, 'a> Values<'c, 'a> {
    /// Those of a document. As much is unpacked as the largest file may have, if that is said.
    pub(super) fn of(clean: &'c Clean<'a>, access: &Access) -> Values<'c, 'a> {
        let limit = access.limit(MAX_DECODED_BYTES);
        let Clean { accessors, buffers, .. } = clean;
        let work_left = limit.saturating_mul(MOST_TIMES_UNPACKED);
        let (faults, notices) = (Faults::default(), Vec::new());
        Values { accessors, buffers, limit, bytes_left: Some(limit), work_left, faults, notices }
    }

    /// Takes memory for something unpacked off the limit; a fault is noted when it is met, once.
    pub(super) fn charge(&mut self, bytes: u64, place: &str) -> Option<()> {
        self.bytes_left = self.bytes_left?.checked_sub(bytes).filter(|_| bytes <= self.work_left);
        self.work_left = self.work_left.saturating_sub(bytes);
        if self.bytes_left.is_none() {
            let limit = format!("at most {} MiB of it in a file; --max-file-mb takes more", self.limit >> 20);
            self.faults.push(place, "more mesh and animation data than toile unpacks", limit);
        }
        self.bytes_left.map(|_| ())
    }

    /// Gives back memory of what was unpacked and is not kept.
    pub(super) fn refund(&mut self, bytes: u64) {
        self.bytes_left = self.bytes_left.map(|left| left.saturating_add(bytes));
    }

    /// Whether the limit was met, so that going on is of no use.
    pub(super) fn is_exhausted(&self) -> bool {
        self.bytes_left.is_none()
    }

    /// Notes what is odd.
    pub(super) fn notice(&mut self, text: String) {
        if self.notices.len() < MAX_NOTICES {
            self.notices.push(text);
        }
    }

    /// The elements of accessor `index`, tightly packed, with their description.
    pub(super) fn packed(&mut self, index: usize, place: &str) -> Option<(&'c Accessor, Vec<u8>)> {
        let accessor = self.accessors.get(&index)?;
        self.charge(accessor.element_size() as u64 * accessor.count as u64, place)?;
        match accessor.unpack(self.buffers) {
            Ok(bytes) => Some((accessor, bytes)),
            Err(found) => {
                self.faults.push(
                    format_args!("accessors[{index}] ({place})"),
                    found,
                    "ascending indices below the count",
                );
                None
            }
        }
    }

    /// The components of accessor `index` one after the other.
    pub(super) fn numbers(&mut self, index: usize, place: &str) -> Option<Vec<f32>> {
        let (accessor, bytes) = self.packed(index, place)?;
        self.charge(4 * bytes.len() as u64 / accessor.data.size() as u64, place)?;
        let numbers = to_numbers(&bytes, accessor.data, accessor.normalized);
        self.refund(bytes.len() as u64);
        if let Some(bad) = numbers.iter().position(|number| !number.is_finite()) {
            let element = bad / accessor.dimensions.multiplicity();
            let found = format!("{} in element {element}", numbers.get(bad).copied().unwrap_or_default());
            self.faults.push(format_args!("accessors[{index}] ({place})"), found, "finite numbers");
            return None;
        }
        Some(numbers)
    }

    /// Unsigned integers.
    pub(super) fn integers(&mut self, index: usize, place: &str) -> Option<Vec<u32>> {
        let (accessor, bytes) = self.packed(index, place)?;
        self.charge(4 * bytes.len() as u64 / accessor.data.size() as u64, place)?;
        self.refund(bytes.len() as u64);
        Some(bytes.chunks_exact(accessor.data.size()).map(unsigned).collect())
    }

    pub(super) fn vectors(&mut self, index: usize, place: &str) -> Option<Vec<Vec3>> {
        let numbers = self.numbers(index, place)?;
        Some(numbers.as_chunks::<3>().0.iter().map(|&xyz| Vec3::from_array(xyz)).collect())
    }

    pub(super) fn texcoords(&mut self, index: usize, place: &str) -> Option<Vec<Vec2>> {
        let numbers = self.numbers(index, place)?;
        Some(numbers.as_chunks::<2>().0.iter().map(|&uv| Vec2::from_array(uv)).collect())
    }

    /// Red, green and blue; alpha is left out.
    pub(super) fn colours(&mut self, accessor: &gltf::Accessor<'_>, place: &str) -> Option<Vec<Vec3>> {
        let numbers = self.numbers(accessor.index(), place)?;
        let components = accessor.dimensions().multiplicity();
        Some(numbers.chunks_exact(components).filter_map(|c| Some(Vec3::from_array(*c.first_chunk()?))).collect())
    }
}

/// Normalised integers as in glTF 2.0, section 3.11: c / 255, max(c / 127, -1), ...
pub(super) fn to_numbers(bytes: &[u8], data: DataType, normalized: bool) -> Vec<f32> {
    let scaled = |number: f32, full: f32| if normalized { (number / full).max(-1.0) } else { number };
    match data {
        DataType::I8 => bytes.iter().map(|&byte| scaled(f32::from(byte as i8), 127.0)).collect(),
        DataType::U8 => bytes.iter().map(|&byte| scaled(f32::from(byte), 255.0)).collect(),
        DataType::I16 => shorts(bytes).map(|short| scaled(f32::from(short as i16), 32767.0)).collect(),
        DataType::U16 => shorts(bytes).map(|short| scaled(f32::from(short), 65535.0)).collect(),
        DataType::U32 => bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word) as f32).collect(),
        DataType::F32 => bytes.as_chunks::<4>().0.iter().map(|&word| f32::from_le_bytes(word)).collect(),
    }
}

fn shorts(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    bytes.as_chunks::<2>().0.iter().map(|&short| u16::from_le_bytes(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_integers_span_minus_one_to_one() {
        assert_eq!(to_numbers(&[0x80, 0x81, 0, 0x7F], DataType::I8, true), [-1.0, -1.0, 0.0, 1.0]);
        assert_eq!(to_numbers(&[0, 255], DataType::U8, true), [0.0, 1.0]);
        assert_eq!(to_numbers(&[0x00, 0x80, 0xFF, 0x7F], DataType::I16, true), [-1.0, 1.0]);
        assert_eq!(to_numbers(&[0xFF, 0xFF], DataType::U16, false), [65535.0]);
    }
}
