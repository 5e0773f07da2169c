//! Values of flags that are more than a word or a number.

use std::str::FromStr;

use crate::geometry::Vec3;

/// Longest time between two checkpoints, seconds.
const LONGEST_INTERVAL: f64 = 864_000.0;
/// Frames are numbered within this distance from 0.
const FRAME_LIMIT: i64 = 1_000_000;

/// An inclusive range of frames, `0..63`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameRange {
    pub(crate) first: i64,
    pub(crate) last: i64,
}

impl FrameRange {
    fn new(first: i64, last: i64) -> Result<Self, String> {
        if first > last {
            return Err(format!("the last frame, {last}, is before the first, {first}"));
        }
        if first < -FRAME_LIMIT || last > FRAME_LIMIT {
            return Err(format!("frames are numbered from -{FRAME_LIMIT} to {FRAME_LIMIT}"));
        }
        Ok(FrameRange { first, last })
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage = || format!("`{text}` is no range of frames; write FIRST..LAST, 0..63 say");
        let (first, last) = text.split_once("..").ok_or_else(usage)?;
        let [first, last] = [first, last.trim_start_matches('=')].map(|n| n.trim().parse::<i64>().map_err(|_| usage()));
        FrameRange::new(first?, last?)
    }
}

/// Frames one by one or in ranges, `4,12,20..24`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameList(pub(crate) Vec<FrameRange>);

impl FrameList {
    /// Whether frames are named one by one, not as a stretch to choose from.
    pub(crate) fn is_choice(&self) -> bool {
        self.0.len() > 1 || self.0.iter().any(|range| range.first == range.last)
    }

    /// Whether a frame is among them.
    pub(crate) fn has(&self, frame: i64) -> bool {
        self.0.iter().any(|range| (range.first..=range.last).contains(&frame))
    }
}

impl FromStr for FrameList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage =
            || format!("`{text}` are no frames; write FIRST..LAST, 0..63 say, or frames with commas between, 4,12,20");
        let range = |part: &str| match part.trim().parse::<i64>() {
            Ok(frame) => FrameRange::new(frame, frame),
            Err(_) if part.contains("..") => part.parse(),
            Err(_) => Err(usage()),
        };
        text.split(',').map(range).collect::<Result<_, _>>().map(FrameList)
    }
}

/// Reads `x,y,z` in m/s, each within 100.
pub(crate) fn parse_wind(text: &str) -> Result<Vec3, String> {
    let usage = || format!("`{text}` is no wind; write X,Y,Z in m/s, 3,0,1 say, each from -100 to 100");
    let numbers: Option<Vec<f32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    let [x, y, z] = numbers.ok_or_else(usage)?.try_into().map_err(|_| usage())?;
    let in_range = [x, y, z].iter().all(|v: &f32| v.is_finite() && v.abs() <= 100.0);
    in_range.then_some(Vec3::new(x, y, z)).ok_or_else(usage)
}

/// Reads a time between two checkpoints, seconds: none, or up to ten days.
pub(crate) fn parse_interval(text: &str) -> Result<f64, String> {
    let usage = || format!("`{text}` is no time; write seconds, 0 to {LONGEST_INTERVAL}");
    let seconds: f64 = text.trim().parse().map_err(|_| usage())?;
    (0.0..=LONGEST_INTERVAL).contains(&seconds).then_some(seconds).ok_or_else(usage)
}

/// Reads a finite number that is not negative.
pub(crate) fn parse_limit(text: &str) -> Result<f64, String> {
    let limit = text.parse::<f64>().ok().filter(|l| l.is_finite() && *l >= 0.0);
    limit.ok_or_else(|| format!("`{text}` is no limit; write a number from 0 on"))
}

/// Reads the size of cloth cells in the drape test, millimetres.
pub(crate) fn parse_cell(text: &str) -> Result<f32, String> {
    let cell = text.parse::<f32>().ok().filter(|c| (1.0..=30.0).contains(c));
    cell.ok_or_else(|| format!("`{text}` is no size of cells; write millimetres from 1 to 30"))
}

/// Reads a moment in seconds.
pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.trim().parse::<f64>().ok().filter(|s| s.is_finite());
    seconds.ok_or_else(|| format!("`{text}` is no moment; write seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_named_one_by_one_or_in_ranges() {
        let list = |text: &str| text.parse::<FrameList>().expect("frames");
        assert!(list("4, 12,20..24").has(4) && list("4,12,20..24").has(23) && !list("4,12").has(5));
        assert!(list("-3").is_choice() && list("4,5..9").is_choice() && !list("0..63").is_choice());
        for text in ["", "4,", "4 12", "a", "9..2,3", "99999999"] {
            assert!(text.parse::<FrameList>().is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_are_inclusive_and_may_start_below_zero() {
        assert_eq!("0..63".parse(), Ok(FrameRange { first: 0, last: 63 }));
        assert_eq!("-10..=20".parse(), Ok(FrameRange { first: -10, last: 20 }));
        for text in ["", "5", "9..2", "a..b", "0..9999999999", "..5", "1...5"] {
            assert!(text.parse::<FrameRange>().is_err(), "{text}");
        }
    }

    #[test]
    fn wind_is_three_numbers() {
        assert_eq!(parse_wind("3,0,-1.5"), Ok(Vec3::new(3.0, 0.0, -1.5)));
        for text in ["", "3", "1,2", "1,2,3,4", "nan,0,0", "1e9,0,0"] {
            assert!(parse_wind(text).is_err(), "{text}");
        }
    }
}
