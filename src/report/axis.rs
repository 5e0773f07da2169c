//! Axes of a diagram: values -> pixels, and where the ticks stand.

/// A scale from values to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    scale: Scale,
    values: [f64; 2],
    pixels: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
}

/// Most ticks on an axis of frames.
const FRAME_TICKS: f64 = 8.0;
/// Decades from which on a logarithmic axis has ticks at powers of ten only.
const MANY_DECADES: i32 = 3;
/// Steps of the ladder 1, 2, 5, 10, 20, ... that any figure of ours is within.
const LADDER: std::ops::RangeInclusive<i32> = -30..=30;

impl Axis {
    /// A linear axis over `values`.
    pub(super) fn linear(values: [f64; 2], pixels: [f64; 2]) -> Axis {
        let [low, high] = values;
        Axis { scale: Scale::Linear, values: [low, high.max(low + 1.0)], pixels }
    }

    /// A logarithmic axis from the rung of 1, 2, 5, 10 ... below the smallest of `values` to that above the largest; all are
    /// positive.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64> + Clone, pixels: [f64; 2]) -> Axis {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(0.0, f64::max);
        let below = LADDER.rev().find(|&k| rung(k) < least * 0.98).unwrap_or(-2);
        let above = LADDER.into_iter().find(|&k| rung(k) > most * 1.02 && k > below).unwrap_or(below + 3);
        Axis { scale: Scale::Logarithmic, values: [rung(below), rung(above)], pixels }
    }

    /// Where `value` stands, within the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        let [low, high] = self.values.map(|v| self.along(v));
        let part = ((self.along(value) - low) / (high - low)).clamp(0.0, 1.0);
        self.pixels[0] + part * (self.pixels[1] - self.pixels[0])
    }

    fn along(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => libm::log10(value.max(self.values[0])),
        }
    }

    /// Values that get a tick and a label.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.values;
        match self.scale {
            Scale::Linear => {
                let step = LADDER.map(rung).find(|&s| s >= 1.0 && (high - low) / s <= FRAME_TICKS);
                let step = step.unwrap_or(1.0);
                let first = (low / step).ceil() as i64;
                (first..).map(|k| k as f64 * step).take_while(|&v| v <= high).collect()
            }
            Scale::Logarithmic => {
                let has_many = libm::log10(high / low) > f64::from(MANY_DECADES);
                let rungs = LADDER.filter(|k| !has_many || k.rem_euclid(3) == 0).map(rung);
                rungs.filter(|&v| v >= low * 0.999 && v <= high * 1.001).collect()
            }
        }
    }
}

/// The ladder 1, 2, 5, 10, 20, 50, ...; 0 is 1.
fn rung(k: i32) -> f64 {
    let digit = [1, 2, 5][k.rem_euclid(3) as usize];
    // Through text, so that 0.05 is the number that is printed as 0.05.
    format!("{digit}e{}", k.div_euclid(3)).parse().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_goes_from_rung_to_rung() {
        let axis = Axis::logarithmic([0.3, 7.0].into_iter(), [0.0, 100.0]);
        assert_eq!(axis.ticks(), [0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!([axis.at(0.2), axis.at(10.0), axis.at(0.001)], [0.0, 100.0, 0.0]);
        let wide = Axis::logarithmic([0.011, 90.0].into_iter(), [0.0, 100.0]);
        assert_eq!(wide.ticks(), [0.01, 0.1, 1.0, 10.0, 100.0]);
    }

    #[test]
    fn a_linear_axis_has_round_ticks() {
        assert_eq!(Axis::linear([0.0, 120.0], [0.0, 1.0]).ticks(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0]);
        assert_eq!(Axis::linear([5.0, 5.0], [0.0, 1.0]).ticks(), [5.0, 6.0]);
    }

    #[test]
    fn no_values_still_make_an_axis() {
        let axis = Axis::logarithmic(std::iter::empty(), [0.0, 100.0]);
        assert!(axis.at(1.0).is_finite() && !axis.ticks().is_empty());
    }
}
