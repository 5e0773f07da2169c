//! Frame rates and speeds as people write them.

use crate::body::Speed;
use crate::simulate::FrameRate;

/// Slowest and fastest rate, frames a second.
const RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
/// Slowest and fastest speed at which a clip is played.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=100.0;
/// Most decimals of a rate such as `12.5`.
const DECIMALS: usize = 6;
/// Whole rates that video slows down by 1000/1001: 24 to 23.976.
const NTSC: [u32; 5] = [24, 30, 48, 60, 120];

/// A frame rate that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no frame rate; write 30, 29.97 or 30000/1001, between 1 and 1000, with at most six decimals")]
pub struct FrameRateError(String);

/// Reads `30`, `12.5`, `30000/1001`, and the NTSC rates to any number of decimals from two on: `23.976`, `29.97` and
/// `59.9400599` mean 24000/1001, 30000/1001 and 60000/1001.
///
/// # Errors
/// If the text is none of these or the rate is not between 1 and 1000 frames a second.
pub fn parse_frame_rate(text: &str) -> Result<FrameRate, FrameRateError> {
    let rate = fraction(text).or_else(|| ntsc(text)).or_else(|| decimal(text));
    rate.filter(|r| r.denominator > 0 && RANGE.contains(&r.per_second())).ok_or_else(|| FrameRateError(text.to_owned()))
}

/// A speed that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no speed; write 2, 0.5 or 2/3, between 0.01 and 100")]
pub struct SpeedError(String);

/// Reads `2`, `0.5` or `2/3`: times as fast.
///
/// # Errors
/// If the text is none of these or the speed is not between 0.01 and 100.
pub fn parse_speed(text: &str) -> Result<Speed, SpeedError> {
    let ratio =
        fraction(text).or_else(|| decimal(text)).filter(|r| r.denominator > 0 && SPEEDS.contains(&r.per_second()));
    let speed = |r: FrameRate| Speed { numerator: r.numerator, denominator: r.denominator };
    ratio.map(speed).ok_or_else(|| SpeedError(text.to_owned()))
}

/// The NTSC rate that is `text` when rounded to its decimals.
fn ntsc(text: &str) -> Option<FrameRate> {
    let decimals = text.split_once('.').map(|(_, decimals)| decimals.len()).filter(|&decimals| decimals > 1)?;
    let rate: f64 = text.parse().ok()?;
    let half = 0.5 * 0.1_f64.powi(decimals.min(DECIMALS) as i32);
    let of = |whole: u32| FrameRate { numerator: 1000 * whole, denominator: 1001 };
    NTSC.into_iter().map(of).find(|exact| (exact.per_second() - rate).abs() <= half)
}

fn fraction(text: &str) -> Option<FrameRate> {
    let (numerator, denominator) = text.split_once('/')?;
    reduced(numerator.parse().ok()?, denominator.parse().ok()?)
}

fn decimal(text: &str) -> Option<FrameRate> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > DECIMALS || !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let denominator = 10u32.pow(decimals.len() as u32);
    reduced(format!("{whole}{decimals}").parse().ok()?, denominator)
}

fn reduced(numerator: u32, denominator: u32) -> Option<FrameRate> {
    let (mut a, mut b) = (numerator, denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (a != 0).then(|| FrameRate { numerator: numerator / a, denominator: denominator / a })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ntsc_rates_are_exact_fractions() {
        let rate = |text| parse_frame_rate(text).map(|r| (r.numerator, r.denominator));
        assert_eq!(rate("29.97"), Ok((30_000, 1001)));
        assert_eq!(rate("30000/1001"), Ok((30_000, 1001)));
        for text in ["23.976", "23.98", "23.976024", "23.97602397602397", "23.9760239"] {
            assert_eq!(rate(text), Ok((24_000, 1001)), "{text}");
        }
        assert_eq!(rate("59.94"), Ok((60_000, 1001)));
        assert_eq!(rate("119.88"), Ok((120_000, 1001)));
        assert_eq!(rate("29.971"), Ok((29_971, 1000)));
        assert_eq!(rate("24.0"), Ok((24, 1)));
        assert!(rate("12.1234567").is_err());
        assert_eq!(rate("30"), Ok((30, 1)));
        assert_eq!(rate("30.0"), Ok((30, 1)));
        assert_eq!(rate("12.5"), Ok((25, 2)));
    }

    #[test]
    fn speeds_are_exact_fractions() {
        let speed = |text| parse_speed(text).map(|s| (s.numerator, s.denominator));
        assert_eq!(speed("1"), Ok((1, 1)));
        assert_eq!(speed("1.25"), Ok((5, 4)));
        assert_eq!(speed("2/6"), Ok((1, 3)));
        for text in ["", "0", "-1", "1/0", "nan", "1e1", "fast", "101", "0.001"] {
            assert!(parse_speed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_frame_rate() {
        for text in ["", "0", "-30", "30/0", "0/0", "nan", "1e3", "thirty", "30fps", "2000", ".", "30,5", "0.5"] {
            assert!(parse_frame_rate(text).is_err(), "{text}");
        }
    }
}
