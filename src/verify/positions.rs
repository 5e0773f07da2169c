//! Positions of OBJ and PC2 outputs as they come: the file's units and axes -> metres, Y up -> sums, and the hash over every bit.

use sha2::{Digest, Sha256};

use super::checksum::{FrameSums, Rounding};
use super::claim::{Claim, Up};
use super::fault::{Fault, Faults};

/// Half a step of `f32`, as part of the number.
pub(super) const SINGLE: f64 = 1.0 / (1 << 24) as f64;
/// The same of `f64`.
const DOUBLE: f64 = f64::EPSILON / 2.0;

/// Bytes that go into the hash at a time.
const GATHERED: usize = 1 << 14;

/// All frames of an output, one after the other.
#[derive(Debug)]
pub(super) struct Positions<'a> {
    claim: &'a Claim,
    rounding: Rounding,
    /// Over all bits; none where the output does not have them all.
    hash: Option<Sha256>,
    /// Bits that are not in it yet.
    bits: Vec<u8>,
    sums: Option<FrameSums>,
    index: usize,
    vertex: u64,
    is_damaged: bool,
}

/// How positions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// `f32` in the world.
    Single,
    /// Text that keeps `f64`.
    Double,
}

impl<'a> Positions<'a> {
    /// Before the first frame.
    pub(super) fn new(claim: &'a Claim, numbers: Numbers) -> Positions<'a> {
        Positions::starting_at(claim, numbers, 0)
    }

    /// Before frame `index`: the hash over all bits needs all frames, sums do not.
    pub(super) fn starting_at(claim: &'a Claim, numbers: Numbers, index: usize) -> Positions<'a> {
        let world = claim.size_from([0.0; 3]);
        let relative = match numbers {
            _ if claim.is_exact() => 0.0,
            Numbers::Double if claim.coordinates.origin_m != [0.0; 3] => DOUBLE,
            _ => SINGLE,
        };
        let rounding = Rounding { relative, size: world, world };
        let hash = (claim.is_exact() && index == 0).then(Sha256::new);
        Positions { claim, rounding, hash, bits: Vec::new(), sums: None, index, vertex: 0, is_damaged: false }
    }

    /// Index of the frame that is to come, or is coming.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// How closely positions are compared, metres.
    pub(super) fn tolerance(&self) -> f64 {
        self.rounding.largest(self.claim.garment.vertices)
    }

    /// The next vertex of the frame, in the file's units and axes; what is no number is a fault.
    pub(super) fn push(&mut self, [x, y, z]: [f64; 3], faults: &mut Faults) {
        let Some(frame) = self.claim.checksums.get(self.index) else { return };
        let vertex = self.vertex;
        self.vertex += 1;
        let turned = match self.claim.coordinates.up {
            Up::Y => [x, y, z],
            Up::Z => [x, z, -y],
        };
        if !turned.iter().all(|c| c.is_finite()) {
            self.is_damaged = true;
            faults.push(Fault::NotFinite { frame: self.claim.frame_number(self.index), vertex, what: "the position" });
        }
        if let Some(hash) = &mut self.hash {
            // Every number is an `f32` here.
            self.bits.extend(turned.iter().flat_map(|&c| (c as f32).to_le_bytes()));
            if self.bits.len() >= GATHERED {
                hash.update(&self.bits);
                self.bits.clear();
            }
        }
        let metres = turned.map(|c| c * self.claim.coordinates.metres_per_unit);
        self.sums.get_or_insert_with(|| FrameSums::new(frame)).add(vertex, metres);
    }

    /// A vertex that cannot be read.
    pub(super) fn skip(&mut self) {
        self.vertex += 1;
        self.is_damaged = true;
    }

    /// The frame is complete.
    pub(super) fn end_frame(&mut self, faults: &mut Faults) {
        let Some(frame) = self.claim.checksums.get(self.index) else { return };
        let sums = self.sums.take().unwrap_or_else(|| FrameSums::new(frame));
        let vertices = self.claim.garment.vertices;
        if self.vertex != vertices {
            faults.push(Fault::VertexCount { found: self.vertex, expected: vertices });
        } else if !self.is_damaged {
            sums.compare(frame, self.claim.frame_number(self.index), vertices, self.rounding, faults);
        }
        (self.vertex, self.is_damaged) = (0, false);
        self.index += 1;
    }

    /// After the last frame: whether all bits are those of the report, where the output has them.
    pub(super) fn end(self, faults: &mut Faults) {
        let Some(mut hash) = self.hash else { return };
        hash.update(&self.bits);
        let is_same = format!("{:x}", hash.finalize()).eq_ignore_ascii_case(&self.claim.position_hash);
        if self.index == self.claim.frame_count() && !is_same {
            faults.push(Fault::PositionHash);
        }
    }
}
