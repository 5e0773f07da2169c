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
}

fn available(clips: &[(String, f64)]) -> String {
    if clips.is_empty() {
        return "the body has none, leave the animation out".to_owned();
    }
    let list: Vec<String> = clips.iter().map(|(name, seconds)| format!("{name:?} ({seconds:.2} s)")).collect();
    format!("expected one of {}", list.join(", "))
}
