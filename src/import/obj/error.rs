//! What can be wrong with an OBJ file.

use std::fmt;

use super::MAX_BYTES;
use crate::import::plain_words::{List, quoted};

/// An OBJ file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ObjError {
    /// Lines that cannot be right, all of them.
    #[error("{name}.obj: {faults}")]
    Faulty {
        /// File stem.
        name: String,
        /// The faults.
        faults: ObjFaults,
    },
    /// UTF-16, which no OBJ reader expects.
    #[error("{name}.obj: the text is UTF-16; save it as UTF-8")]
    Utf16 {
        /// File stem.
        name: String,
    },
    /// Nothing that OBJ knows.
    #[error("{name}.obj: no `v` or `f` line in it; is it an OBJ file?")]
    NotObj {
        /// File stem.
        name: String,
    },
    /// Vertices but no face to make cloth of.
    #[error(
        "{name}.obj: no face with three different corners ({vertices} vertices, {dropped} faces with fewer corners)"
    )]
    NoFaces {
        /// File stem.
        name: String,
        /// Vertices in the file.
        vertices: usize,
        /// Faces left out because they have fewer than three different corners.
        dropped: usize,
    },
    /// More of something than toile reads.
    #[error("{name}.obj: line {line}: more than {limit} {what}; a larger --max-file-mb takes more, in proportion to {}", MAX_BYTES / 1_000_000)]
    TooMany {
        /// File stem.
        name: String,
        /// Line of the first one too many.
        line: u32,
        /// What there is too much of.
        what: &'static str,
        /// How much is read.
        limit: usize,
    },
    /// The crate `obj` refused what we had cleaned: our own fault.
    #[error("{name}.obj: the OBJ reader failed on cleaned lines")]
    Reader {
        /// File stem.
        name: String,
        /// What it said.
        source: obj::ObjError,
    },
}

/// Faults of a file: the first ten and how many there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjFaults {
    first: Vec<(u32, ObjFault)>,
    count: usize,
}

impl ObjFaults {
    const SHOWN: usize = 10;

    pub(super) fn push(&mut self, line: u32, fault: ObjFault) {
        self.count += 1;
        // Keep the earliest lines: faults found by the reader come later than those found by us.
        let at = self.first.partition_point(|(l, _)| *l <= line);
        if at < ObjFaults::SHOWN {
            self.first.insert(at, (line, fault));
            self.first.truncate(ObjFaults::SHOWN);
        }
    }

    /// Number of faults.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The earliest faults with their lines, at most ten.
    pub fn first(&self) -> &[(u32, ObjFault)] {
        &self.first
    }
}

impl fmt::Display for ObjFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.first.iter().map(|(line, fault)| format!("line {line}: {fault}"));
        List { items: lines.collect(), count: self.count }.fmt(f)
    }
}

/// What to do about a word that has a comma between digits.
fn decimal_comma(word: &[u8]) -> &'static str {
    let has_comma =
        word.windows(3).any(|three| three[0].is_ascii_digit() && three[1] == b',' && three[2].is_ascii_digit());
    if has_comma { "; decimals follow a point, not a comma" } else { "" }
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ObjFault {
    /// A `v` needs three numbers.
    #[error("a vertex needs three coordinates, found {found}")]
    TooFewCoordinates {
        /// Words behind the `v`.
        found: usize,
    },
    /// Not a number, or one that is not finite.
    #[error("{} is no finite number{}", quoted(.word), decimal_comma(.word))]
    NotANumber {
        /// As in the file.
        word: Vec<u8>,
    },
    /// A coordinate too far away for 32-bit floating point numbers.
    #[error("coordinate {value:e} is larger than {limit:e}")]
    TooFar {
        /// As read.
        value: f32,
        /// Largest magnitude that is read.
        limit: f32,
    },
    /// Not `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    #[error("{} is no face corner; write v, v/vt, v//vn or v/vt/vn with whole numbers", quoted(.word))]
    NotACorner {
        /// As in the file.
        word: Vec<u8>,
    },
    /// Indices count from 1, or from -1 backwards.
    #[error("face uses {} 0, but they are counted from 1", .element.singular())]
    ZeroIndex {
        /// What it is an index of.
        element: Element,
    },
    /// An index behind the last one.
    #[error("face uses {} {index}, but the file has {count} {}", .element.singular(), .element.plural())]
    BeyondEnd {
        /// What it is an index of.
        element: Element,
        /// Counted from 1.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// A negative index that reaches back beyond the first one.
    #[error("face uses {} {index}, but only {count} {} stand above it", .element.singular(), .element.plural())]
    BeforeStart {
        /// What it is an index of.
        element: Element,
        /// As in the file, negative.
        index: i64,
        /// How many stand above the line.
        count: usize,
    },
    /// A face of absurd size.
    #[error("face with more than {limit} corners")]
    GiantFace {
        /// How many are read.
        limit: usize,
    },
}

/// What faces refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `v`
    Vertex,
    /// `vt`
    Texcoord,
    /// `vn`
    Normal,
}

impl Element {
    fn singular(self) -> &'static str {
        match self {
            Element::Vertex => "vertex",
            Element::Texcoord => "texture coordinate",
            Element::Normal => "normal",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Element::Vertex => "vertices",
            Element::Texcoord => "texture coordinates",
            Element::Normal => "normals",
        }
    }
}
