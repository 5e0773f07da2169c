//! Which frames are baked and when they are.

/// Frames a second as a fraction, so that 29.97 is 30000/1001 exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRate {
    /// Frames ...
    pub numerator: u32,
    /// ... in this many seconds.
    pub denominator: u32,
}

impl FrameRate {
    /// A whole number of frames a second.
    pub const fn whole(frames: u32) -> FrameRate {
        FrameRate { numerator: frames, denominator: 1 }
    }

    /// Frames a second.
    pub fn per_second(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// Seconds from frame 0 to `frame`.
    pub fn seconds(self, frame: i64) -> f64 {
        frame as f64 * f64::from(self.denominator) / f64::from(self.numerator)
    }
}

/// The frames of a bake. Frame `f` shows the body's clip at `f / fps` seconds on the clip's own time line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// First frame baked.
    pub first: i64,
    /// Last frame baked, inclusive.
    pub last: i64,
    /// Frame rate.
    pub fps: FrameRate,
    /// Number that the first baked frame gets in the output (glTF key at `start_frame / fps`). Default: `1`.
    pub start_frame: i64,
}

impl Timeline {
    /// Number of frames baked.
    pub fn len(&self) -> usize {
        usize::try_from(self.last - self.first + 1).unwrap_or(0)
    }

    /// Whether no frame is baked.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time from the first baked frame to the last, seconds.
    pub fn seconds(&self) -> f64 {
        self.fps.seconds(self.last - self.first)
    }

    /// Clip time of baked frame `index` (0 is the first), seconds.
    pub fn clip_seconds(&self, index: usize) -> f64 {
        self.fps.seconds(self.first + index as i64)
    }

    /// Number of baked frame `index` in the output.
    pub fn frame_number(&self, index: usize) -> i64 {
        self.start_frame + index as i64
    }

    /// Output time of baked frame `index`, seconds.
    pub fn output_seconds(&self, index: usize) -> f64 {
        self.fps.seconds(self.start_frame + index as i64)
    }
}
