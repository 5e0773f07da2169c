//! What is wrong with an output, and where.

use std::fmt;

use serde::{Serialize, Serializer};

/// Faults of a file that are listed.
const LISTED: usize = 10;

/// One thing that is not as the report says. Frames are numbered as in the outputs, vertices as in the garment's file, from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// More or fewer bytes.
    Length {
        /// Bytes it has.
        found: u64,
        /// Bytes the report says.
        expected: u64,
    },
    /// Other bytes.
    Hash,
    /// The file ends, or says that it ends, where more must follow.
    Cut {
        /// What is cut off.
        what: &'static str,
    },
    /// It is not of the format that its name says.
    Format {
        /// What it lacks.
        what: &'static str,
    },
    /// A file name that no output has.
    UnknownFormat,
    /// The JSON of a glTF is none, or without what it must have.
    Json {
        /// Why, and where.
        why: String,
    },
    /// A reference to something that the file does not have.
    Reference {
        /// What refers to it.
        what: &'static str,
        /// Its number.
        index: usize,
    },
    /// Another number of frames.
    FrameCount {
        /// Frames found.
        found: u64,
        /// Frames of the bake.
        expected: usize,
    },
    /// The name of a sequence's file has not the number of its frame.
    FrameName {
        /// The frame that it should be.
        frame: i64,
    },
    /// Another first frame or rate.
    Times {
        /// What is found.
        found: f64,
        /// What the report says.
        expected: f64,
        /// What it is.
        what: &'static str,
    },
    /// Another number of vertices.
    VertexCount {
        /// Vertices found.
        found: u64,
        /// Vertices of the garment's file.
        expected: u64,
    },
    /// A vertex with a number that the garment's file does not have.
    StrayVertex {
        /// The number.
        vertex: f64,
    },
    /// A coordinate that is not a number, or infinite.
    NotFinite {
        /// The frame.
        frame: i64,
        /// Vertex of the garment, or of the list `what`.
        vertex: u64,
        /// Which list of numbers.
        what: &'static str,
    },
    /// Text where a number should stand.
    NotANumber {
        /// The frame.
        frame: i64,
        /// The vertex.
        vertex: u64,
        /// Line of the file.
        line: u64,
    },
    /// In a frame, none of the nodes shows a vertex.
    NotShown {
        /// The frame.
        frame: i64,
        /// The vertex.
        vertex: u64,
    },
    /// In a frame, two nodes show the same vertex.
    ShownTwice {
        /// The frame.
        frame: i64,
        /// The vertex.
        vertex: u64,
    },
    /// Two copies of a vertex, at a seam, that are not at the same place.
    Torn {
        /// The frame.
        frame: i64,
        /// The vertex.
        vertex: u64,
    },
    /// A frame whose positions do not fill the same box.
    Box {
        /// The frame.
        frame: i64,
        /// How far a side is off, metres.
        metres: f64,
    },
    /// A group of vertices whose signed sum is another.
    Moved {
        /// The frame.
        frame: i64,
        /// First and last vertex of the group.
        vertices: [u64; 2],
        /// How far the sum is off: as far as the vertex moved, if it is one. Metres.
        metres: f64,
        /// Where that vertex is, as far as the moment tells.
        about: Option<u64>,
    },
    /// All sums agree, but not every bit.
    PositionHash,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Length { found, expected } => write!(f, "has {found} bytes, the report says {expected}"),
            Fault::Hash => write!(f, "its SHA-256 is not that of the report"),
            Fault::Cut { what } => write!(f, "ends within {what}"),
            Fault::Format { what } => write!(f, "has no {what}"),
            Fault::UnknownFormat => write!(f, "is of no format that toile writes"),
            Fault::Json { why } => write!(f, "its JSON cannot be read: {why}"),
            Fault::Reference { what, index } => {
                write!(f, "{what} {index} refers to something that is not there, or of another kind")
            }
            Fault::FrameCount { found, expected } => write!(f, "has {found} frames, the report says {expected}"),
            Fault::FrameName { frame } => write!(f, "should be frame {frame}, but its name has another number"),
            Fault::Times { found, expected, what } => write!(f, "its {what} is {found}, the report says {expected}"),
            Fault::VertexCount { found, expected } => write!(f, "has {found} vertices, the report says {expected}"),
            Fault::StrayVertex { vertex } => write!(f, "has a vertex number {vertex}, which the garment has not"),
            Fault::NotFinite { frame, vertex, what } => {
                write!(f, "frame {frame}: {what} of vertex {vertex} is not a finite number")
            }
            Fault::NotANumber { frame, vertex, line } => {
                write!(f, "frame {frame}: line {line}: vertex {vertex} has no three numbers")
            }
            Fault::NotShown { frame, vertex } => write!(f, "frame {frame}: vertex {vertex} is not shown"),
            Fault::ShownTwice { frame, vertex } => write!(f, "frame {frame}: vertex {vertex} is shown by two meshes"),
            Fault::Torn { frame, vertex } => write!(f, "frame {frame}: the copies of vertex {vertex} are apart"),
            Fault::Box { frame, metres } => {
                write!(f, "frame {frame}: its box is off by {}", length(*metres))
            }
            Fault::Moved { frame, vertices: [first, last], metres, about } => {
                write!(f, "frame {frame}: the sum of vertices {first} to {last} is off by {}", length(*metres))?;
                about.map_or(Ok(()), |vertex| write!(f, ", as if vertex {vertex} or one near it had moved"))
            }
            Fault::PositionHash => write!(f, "its positions are not, to the bit, those of the report's position_hash"),
        }
    }
}

/// A length in words: millimetres, more exactly where it is short.
fn length(metres: f64) -> String {
    let millimetres = metres * 1000.0;
    if millimetres < 0.1 { format!("{millimetres:.6} mm") } else { format!("{millimetres:.3} mm") }
}

impl Fault {
    /// The frame it is in, if it is in one.
    pub fn frame(&self) -> Option<i64> {
        match *self {
            Fault::FrameName { frame }
            | Fault::NotFinite { frame, .. }
            | Fault::NotANumber { frame, .. }
            | Fault::NotShown { frame, .. }
            | Fault::ShownTwice { frame, .. }
            | Fault::Torn { frame, .. }
            | Fault::Box { frame, .. }
            | Fault::Moved { frame, .. } => Some(frame),
            _ => None,
        }
    }

    /// The vertex it is at, if it is at one; about, where sums tell.
    pub fn vertex(&self) -> Option<u64> {
        match *self {
            Fault::NotFinite { vertex, .. }
            | Fault::NotANumber { vertex, .. }
            | Fault::NotShown { vertex, .. }
            | Fault::ShownTwice { vertex, .. }
            | Fault::Torn { vertex, .. } => Some(vertex),
            Fault::Moved { about, .. } => about,
            _ => None,
        }
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Told {
            what: String,
            frame: Option<i64>,
            vertex: Option<u64>,
        }
        Told { what: self.to_string(), frame: self.frame(), vertex: self.vertex() }.serialize(serializer)
    }
}

/// The first faults of a file, and how many there are.
#[derive(Debug, Default)]
pub(super) struct Faults {
    listed: Vec<Fault>,
    more: usize,
}

impl Faults {
    pub(super) fn push(&mut self, fault: Fault) {
        if self.listed.len() < LISTED {
            self.listed.push(fault);
        } else {
            self.more += 1;
        }
    }

    /// Number of faults so far.
    pub(super) fn count(&self) -> usize {
        self.listed.len() + self.more
    }

    pub(super) fn into_parts(self) -> (Vec<Fault>, usize) {
        (self.listed, self.more)
    }
}
