//! Going over from one thing to another.

/// 0 up to `from`, 1 from `to` on, and between them without a jump of slope.
pub fn smooth_step(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_level_at_both_ends_and_half_way_in_the_middle() {
        let values = [-1.0, 2.0, 2.001, 3.0, 3.999, 4.0, 9.0].map(|x| smooth_step(2.0, 4.0, x));
        assert_eq!([values[0], values[1], values[3], values[5], values[6]], [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert!(values[2] < 1e-5 && 1.0 - values[4] < 1e-5);
    }
}
