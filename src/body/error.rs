//! What can be wrong with the choice of a clip.

/// A body cannot be posed as asked.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// No clip of that name or number.
    #[error("no animation {asked:?}: {}", available(.clips))]
    UnknownClip {
        /// What was asked for.
        asked: String,
        /// Names and lengths (seconds) of the clips there are.
        clips: Vec<(String, f64)>,
    },
    /// A cycle that ends in another pose than it starts in.
    #[error(
        "the loop does not close: at its end the body is {millimetres:.1} mm from where it starts (vertex {vertex}, joint \
         `{joint}`); choose --frames that close, or let the last N frames go over into the first pose with --loop-blend N"
    )]
    Open {
        /// Distance of the vertex from where it starts.
        millimetres: f64,
        /// The one that is furthest from it.
        vertex: u32,
        /// The joint that moves it most.
        joint: String,
    },
    /// A pose beyond all measure: matrices or keys that grow and grow, or units that are wrong by far.
    #[error(
        "at {seconds:.3} s of its clip the body's vertex {vertex} is no less than {limit:e} m away; look at the keys, scales and \
         matrices of joint `{joint}`, or choose other --frames"
    )]
    Far {
        /// The moment.
        seconds: f64,
        /// The first such vertex.
        vertex: usize,
        /// The joint that moves it most.
        joint: String,
        /// Distance from which on bodies are refused, metres.
        limit: f32,
    },
    /// A body without a surface: nothing could touch it.
    #[error(
        "none of the body's {triangles} triangles has an area, at rest or in its first frame; look for a scale of 0, or export its \
         mesh again"
    )]
    NoSurface {
        /// How many it has.
        triangles: usize,
    },
    /// A cycle in which the body goes away.
    #[error(
        "the loop does not close: from its first frame to its last the body goes {metres:.2} m as a whole; loops need a clip in \
         place, without root motion"
    )]
    Travels {
        /// Way of its mean vertex.
        metres: f64,
    },
}

fn available(clips: &[(String, f64)]) -> String {
    if clips.is_empty() {
        return "the body has none, leave the animation out".to_owned();
    }
    let list: Vec<String> = clips.iter().map(|(name, seconds)| format!("{name:?} ({seconds:.2} s)")).collect();
    format!("expected one of {}", list.join(", "))
}
