//! What a report says about its outputs: the few keys that are proven, and nothing else of it.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use serde::Deserialize;

use super::VerifyError;
use super::checksum::GROUP;

/// Bytes of a report that are read: a million vertices in a thousand frames. Taken apart they are three times as many at most.
const MAX_BYTES: u64 = 128 << 20;
/// Bytes of an output's path: more than any system takes.
const MAX_PATH: usize = 1 << 14;
/// Bytes of its last part, likewise.
const MAX_NAME: usize = 1 << 10;
/// Vertices that a file of any format can have.
const MAX_VERTICES: u64 = 1 << 32;

/// The report's own words.
#[derive(Debug, Deserialize)]
pub(super) struct Claim {
    pub(super) garment: GarmentClaim,
    pub(super) frames: FramesClaim,
    pub(super) coordinates: Coordinates,
    pub(super) checksums: Vec<FrameClaim>,
    pub(super) outputs: Vec<OutputClaim>,
    pub(super) position_hash: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct GarmentClaim {
    pub(super) vertices: u64,
    pub(super) loose_vertices: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct FramesClaim {
    first: i64,
    last: i64,
    pub(super) fps: f64,
    pub(super) start_frame: i64,
}

/// Units and axes of the garment's file, and with it of OBJ and PC2 outputs.
#[derive(Debug, Deserialize)]
pub(super) struct Coordinates {
    pub(super) metres_per_unit: f64,
    pub(super) up: Up,
    /// Where single precision counts from, metres in the world.
    pub(super) origin_m: [f64; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Up {
    Y,
    Z,
}

/// The positions of a frame, metres in the world.
#[derive(Debug, Deserialize)]
pub(super) struct FrameClaim {
    #[serde(rename = "box")]
    pub(super) corners: [[f64; 3]; 2],
    pub(super) sums: Vec<[f64; 3]>,
    pub(super) moments: Vec<[f64; 3]>,
}

#[derive(Debug, Deserialize)]
pub(super) struct OutputClaim {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Claim {
    /// Reads a report and checks that its parts fit each other.
    pub(super) fn read(path: &Path) -> Result<Claim, VerifyError> {
        let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => VerifyError::Missing { path: path.to_owned() },
            _ => VerifyError::io(path)(error),
        })?;
        if !metadata.is_file() {
            return Err(VerifyError::NotAFile { path: path.to_owned() });
        }
        if metadata.len() > MAX_BYTES {
            return Err(VerifyError::Large { path: path.to_owned(), found: metadata.len(), limit: MAX_BYTES });
        }
        let file = File::open(path).map_err(VerifyError::io(path))?;
        let claim: Claim =
            serde_json::from_reader(BufReader::new(io::Read::take(file, MAX_BYTES))).map_err(|error| {
                if error.is_io() {
                    VerifyError::io(path)(error.into())
                } else {
                    VerifyError::NotAReport { path: path.to_owned(), source: error }
                }
            })?;
        claim.check(path)?;
        Ok(claim)
    }

    /// Number of frames.
    pub(super) fn frame_count(&self) -> usize {
        self.checksums.len()
    }

    /// Number of frame `index` in the outputs.
    pub(super) fn frame_number(&self, index: usize) -> i64 {
        self.frames.start_frame.saturating_add(index as i64)
    }

    /// Whether OBJ and PC2 outputs have every bit of the positions: nothing was converted but the axes.
    pub(super) fn is_exact(&self) -> bool {
        self.coordinates.metres_per_unit == 1.0 && self.coordinates.origin_m == [0.0; 3]
    }

    /// Largest coordinate of all frames, metres from `origin`.
    pub(super) fn size_from(&self, origin: [f64; 3]) -> f64 {
        let corners = self.checksums.iter().flat_map(|frame| frame.corners);
        corners.flat_map(|c| [0, 1, 2].map(|axis| (c[axis] - origin[axis]).abs())).fold(0.0, f64::max)
    }

    fn check(&self, path: &Path) -> Result<(), VerifyError> {
        let refuse = |key, found: String, expected: String| {
            Err(VerifyError::Contradiction { path: path.to_owned(), key, found, expected })
        };
        let FramesClaim { first, last, fps, start_frame } = self.frames;
        let frames = last.checked_sub(first).and_then(|n| n.checked_add(1)).filter(|&n| n > 0);
        if frames.and_then(|n| usize::try_from(n).ok()) != Some(self.frame_count()) {
            return refuse(
                "checksums",
                format!("{} frames", self.frame_count()),
                format!("one each of {first} to {last}"),
            );
        }
        if !(fps > 0.0 && fps <= 1e6) || start_frame.unsigned_abs() > 1 << 40 {
            return refuse(
                "frames",
                format!("{fps} a second from {start_frame}"),
                "a frame rate and a number".to_owned(),
            );
        }
        let vertices = self.garment.vertices;
        if vertices > MAX_VERTICES || self.garment.loose_vertices > vertices {
            return refuse("garment.vertices", vertices.to_string(), format!("at most {MAX_VERTICES}"));
        }
        let groups = vertices.div_ceil(GROUP as u64);
        let lengths = self.checksums.iter().flat_map(|frame| [frame.sums.len(), frame.moments.len()]);
        if let Some(found) = lengths.map(|n| n as u64).find(|&n| n != groups) {
            return refuse(
                "checksums",
                format!("{found} sums in a frame"),
                format!("{groups} for {vertices} vertices"),
            );
        }
        let unit = self.coordinates.metres_per_unit;
        if !(1e-9..=1e9).contains(&unit) {
            return refuse("coordinates.metres_per_unit", unit.to_string(), "a length".to_owned());
        }
        let is_digest = |hash: &str| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hashes = self.outputs.iter().map(|output| &output.sha256).chain([&self.position_hash]);
        if let Some(hash) = hashes.into_iter().find(|hash| !is_digest(hash)) {
            let found: String = hash.chars().take(80).collect();
            return refuse("outputs", format!("the hash `{found}`"), "64 hexadecimal digits".to_owned());
        }
        if let Some(output) = self.outputs.iter().find(|output| output.path.len() > MAX_PATH) {
            return refuse("outputs.path", format!("{} bytes", output.path.len()), format!("at most {MAX_PATH}"));
        }
        let name = |output: &OutputClaim| output.path.rsplit(['/', '\\']).next().unwrap_or_default().len();
        if let Some(found) = self.outputs.iter().map(name).find(|&bytes| bytes > MAX_NAME) {
            return refuse("outputs.path", format!("a name of {found} bytes"), format!("at most {MAX_NAME}"));
        }
        if self.outputs.is_empty() {
            return refuse("outputs", "none".to_owned(), "at least one".to_owned());
        }
        Ok(())
    }
}
