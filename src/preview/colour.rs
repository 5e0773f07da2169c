//! Colours: linear light inside, sRGB outside.

use std::sync::LazyLock;

use crate::geometry::Vec3;
use crate::import::linear_from_srgb;

/// Linear red, green and blue, 0 to 1 where the screen can show it.
pub type Colour = Vec3;

/// Steps of the table from linear light to sRGB bytes: enough that none of its bytes is missing in the dark.
const STEPS: usize = 4096;
/// Colours of the strain scale from compressed over as-is to overstretched, with how far along they stand, in `OKLab`
/// (Ottosson 2020): lightness rises evenly towards the middle and falls evenly beyond, so that equal steps look equal.
const STRAIN: [(f32, [f32; 3]); 5] = [
    (-1.0, [0.42, -0.04, -0.16]),
    (-0.5, [0.64, -0.05, -0.09]),
    (0.0, [0.86, 0.0, 0.0]),
    (0.5, [0.70, 0.10, 0.10]),
    (1.0, [0.46, 0.18, 0.09]),
];
/// Colours of a scale from first to last in `OKLab`, evenly far from each other, dark to light: indigo, purple, red, orange, yellow.
const RAMP: [[f32; 3]; 5] =
    [[0.32, 0.03, -0.16], [0.44, 0.13, -0.10], [0.56, 0.18, 0.02], [0.68, 0.12, 0.12], [0.80, 0.02, 0.15]];

static ENCODED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let encode = |step: usize| {
        let linear = step as f32 / (STEPS - 1) as f32;
        let curve = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 };
        (curve * 255.0 + 0.5) as u8
    };
    (0..STEPS).map(encode).collect()
});

/// Linear light of each sRGB byte.
pub(super) static DECODED: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0)));

/// The bytes that a screen shows for a colour (sRGB, IEC 61966-2-1).
#[inline]
pub(super) fn encoded(colour: Colour) -> [u8; 3] {
    let table = &*ENCODED;
    let most = STEPS as i32 - 1;
    // By way of i32: processors have no conversion to usize.
    colour.to_array().map(|c| table[((c * most as f32 + 0.5) as i32).clamp(0, most) as usize])
}

/// The sRGB bytes that six hexadecimal digits say, with or without `#` before them; none if they are something else.
pub fn bytes_of_hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let is_hex = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?.to_be_bytes();
    Some([red, green, blue])
}

/// The colour with these sRGB bytes: red, green, blue.
pub const fn from_srgb([r, g, b]: [u8; 3]) -> Colour {
    // A square is near enough to the curve for the colours of a studio, and can be had at compile time.
    const fn linear(byte: u8) -> f32 {
        let value = byte as f32 / 255.0;
        value * value
    }
    Vec3::new(linear(r), linear(g), linear(b))
}

/// The colour of a stretch `(l - l0) / l0`, of which `most` is the end of the scale: blue where compressed, grey at rest, red
/// where stretched.
pub fn strain_colour(stretch: f32, most: f32) -> Colour {
    let at = if stretch.is_finite() { (stretch / most).clamp(-1.0, 1.0) } else { 1.0 };
    let above = STRAIN.iter().position(|&(place, _)| place >= at).unwrap_or(STRAIN.len() - 1).max(1);
    let [(low, from), (high, to)] = [STRAIN[above - 1], STRAIN[above]];
    let part = ((at - low) / (high - low)).clamp(0.0, 1.0);
    let [l, a, b] = [0, 1, 2].map(|i| from[i] + (to[i] - from[i]) * part);
    of_oklab(l, a, b)
}

/// The colour at a part, 0 to 1, of a scale from dark to light on which equal steps look equal.
pub fn ramp(part: f32) -> Colour {
    let along = if part.is_finite() { part.clamp(0.0, 1.0) } else { 1.0 } * (RAMP.len() - 1) as f32;
    let below = (along as usize).min(RAMP.len() - 2);
    let part = along - below as f32;
    let [l, a, b] = [0, 1, 2].map(|i| RAMP[below][i] + (RAMP[below + 1][i] - RAMP[below][i]) * part);
    of_oklab(l, a, b)
}

/// Linear sRGB of an `OKLab` colour (Ottosson 2020).
fn of_oklab(l: f32, a: f32, b: f32) -> Colour {
    let cube = |x: f32| x * x * x;
    let long = cube(l + 0.396_337_78 * a + 0.215_803_76 * b);
    let medium = cube(l - 0.105_561_346 * a - 0.063_854_17 * b);
    let short = cube(l - 0.089_484_18 * a - 1.291_485_5 * b);
    Vec3::new(
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_38 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    )
    .clamp(Vec3::ZERO, Vec3::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_white_and_the_middle_grey_of_srgb() {
        assert_eq!(encoded(Vec3::ZERO), [0; 3]);
        assert_eq!(encoded(Vec3::splat(2.0)), [255; 3]);
        assert_eq!(encoded(Vec3::splat(0.2140)), [127; 3]);
        assert_eq!(encoded(Vec3::new(f32::NAN, -1.0, 0.5)), [0, 0, 188]);
    }

    /// Lightness and the two opponents of a colour as the screen shows it: the way there of [`of_oklab`] back (Ottosson 2020).
    fn oklab(colour: Colour) -> [f32; 3] {
        let [r, g, b] = colour.to_array();
        let long = libm::cbrtf(0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b);
        let medium = libm::cbrtf(0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b);
        let short = libm::cbrtf(0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b);
        [
            0.210_454_26 * long + 0.793_617_8 * medium - 0.004_072_047 * short,
            1.977_998_5 * long - 2.428_592_2 * medium + 0.450_593_7 * short,
            0.025_904_037 * long + 0.782_771_77 * medium - 0.808_675_77 * short,
        ]
    }

    #[test]
    fn equal_steps_of_a_scale_look_equally_large() {
        let steps = |colour: &dyn Fn(f32) -> Colour| -> Vec<f32> {
            let seen: Vec<[f32; 3]> = (0..=16).map(|i| oklab(colour(i as f32 / 16.0))).collect();
            let apart = |a: [f32; 3], b: [f32; 3]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f32>().sqrt();
            seen.windows(2).map(|pair| apart(pair[0], pair[1])).collect()
        };
        for scale in [&ramp as &dyn Fn(f32) -> Colour, &|part| strain_colour(2.0 * part - 1.0, 1.0)] {
            let steps = steps(scale);
            let mean = steps.iter().sum::<f32>() / steps.len() as f32;
            // A tenth is what colours that the screen can show allow, and no eye sees.
            assert!(steps.iter().all(|step| (step / mean - 1.0).abs() < 0.12), "{steps:?}");
        }
    }

    #[test]
    fn strain_is_grey_at_rest_red_above_and_blue_below() {
        let [rest, red, blue] = [0.0, 0.1, -0.1].map(|s| strain_colour(s, 0.1));
        assert!((rest.x - rest.y).abs() < 0.02 && (rest.y - rest.z).abs() < 0.02, "{rest}");
        assert!(red.x > 3.0 * red.z && blue.z > 3.0 * blue.x, "{red} {blue}");
        assert_eq!(strain_colour(f32::NAN, 0.1), red);
    }
}
