//! Textures: bilinear in linear light, halved again and again for surfaces that are far away.

use std::sync::Arc;

use super::colour::DECODED;
use super::image::Texels;
use crate::geometry::{Vec2, Vec3, Vec4};

/// Most texels on a side: larger images are halved, pictures are no larger.
const LONGEST: usize = 2048;

/// What is beyond the edges of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Wrap {
    /// It again.
    #[default]
    Repeat,
    /// It in a mirror.
    Mirror,
    /// Its edge.
    Clamp,
}

/// An image for surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// From the largest on, each half of the one before. Textures of one image share them.
    levels: Arc<[Texels]>,
    wrap: [Wrap; 2],
    /// Scale and turn, columns, and shift of texture coordinates (`KHR_texture_transform`).
    columns: [Vec2; 2],
    offset: Vec2,
}

impl Texture {
    /// Of the [`levels`] of an image.
    pub(super) fn new(levels: Arc<[Texels]>, wrap: [Wrap; 2]) -> Texture {
        Texture { levels, wrap, columns: [Vec2::X, Vec2::Y], offset: Vec2::ZERO }
    }

    /// With texture coordinates scaled, turned by an angle in radians, then moved.
    pub(super) fn transformed(self, offset: Vec2, rotation: f32, scale: Vec2) -> Texture {
        let (sine, cosine) = (libm::sinf(rotation), libm::cosf(rotation));
        let columns = [Vec2::new(cosine, -sine) * scale.x, Vec2::new(sine, cosine) * scale.y];
        Texture { columns, offset, ..self }
    }

    /// The colour and alpha at a point of a triangle: `texcoords` of its corners, their places in the picture and their weights.
    pub(super) fn sample(&self, texcoords: [Vec2; 3], pixels: [Vec2; 3], weights: Vec3) -> Vec4 {
        let [a, b, c] = texcoords.map(|t| self.columns[0] * t.x + self.columns[1] * t.y + self.offset);
        let area = |[a, b, c]: [Vec2; 3]| (b - a).perp_dot(c - a).abs();
        let texels = area([a, b, c]) * (self.levels[0].width * self.levels[0].height) as f32;
        // Each level has a quarter of the texels.
        let mut left = texels / area(pixels).max(1e-3);
        let mut level = 0;
        while left > 2.0 && level + 1 < self.levels.len() {
            (left, level) = (0.25 * left, level + 1);
        }
        self.at(&self.levels[level], a * weights.x + b * weights.y + c * weights.z)
    }

    fn at(&self, level: &Texels, at: Vec2) -> Vec4 {
        let [x, y] = [(at.x, level.width), (at.y, level.height)].map(|(at, size)| at * size as f32 - 0.5);
        if !x.is_finite() || !y.is_finite() {
            return Vec4::ONE;
        }
        let (left, top) = (x.floor(), y.floor());
        let texel = |x: f32, y: f32| {
            let column = self.wrap[0].place(x, level.width);
            let row = self.wrap[1].place(y, level.height);
            let [red, green, blue, alpha] = level.bytes[row * level.width + column];
            let [red, green, blue] = [red, green, blue].map(|byte| DECODED[usize::from(byte)]);
            Vec4::new(red, green, blue, f32::from(alpha) / 255.0)
        };
        let row = |y: f32| texel(left, y).lerp(texel(left + 1.0, y), x - left);
        row(top).lerp(row(top + 1.0), y - top)
    }
}

impl Wrap {
    /// The texel of so many that a whole number means.
    fn place(self, at: f32, size: usize) -> usize {
        // Saturates: coordinates that large have no texture left.
        let (at, size) = (at as i64, size as i64);
        let place = match self {
            Wrap::Repeat => at.rem_euclid(size),
            Wrap::Mirror => {
                let along = at.rem_euclid(2 * size);
                along.min(2 * size - 1 - along)
            }
            Wrap::Clamp => at.clamp(0, size - 1),
        };
        place as usize
    }
}

/// An image, halved until it is no larger than a picture, and all its halves.
pub(super) fn levels(mut texels: Texels) -> Arc<[Texels]> {
    while texels.width.max(texels.height) > LONGEST {
        texels = halved(&texels);
    }
    let mut levels = vec![texels];
    while let Some(last) = levels.last().filter(|last| last.width.max(last.height) > 1) {
        levels.push(halved(last));
    }
    levels.into()
}

/// Half as wide and high, each texel the mean of four, or of two where the other side is one already.
fn halved(from: &Texels) -> Texels {
    let (width, height) = (from.width.div_ceil(2), from.height.div_ceil(2));
    let mean = |index: usize| {
        let (column, row) = (index % width * 2, index / width * 2);
        let texel = |x: usize, y: usize| from.bytes[y.min(from.height - 1) * from.width + x.min(from.width - 1)];
        let four = [texel(column, row), texel(column + 1, row), texel(column, row + 1), texel(column + 1, row + 1)];
        std::array::from_fn(|i| (four.iter().map(|t| u32::from(t[i])).sum::<u32>() / 4) as u8)
    };
    Texels { width, height, bytes: (0..width * height).map(mean).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preview::Colour;

    /// Red and black above, black and blue below.
    fn texture(wrap: Wrap) -> Texture {
        let bytes = vec![[255, 0, 0, 255], [0, 0, 0, 255], [0, 0, 0, 255], [0, 0, 255, 255]];
        Texture::new(levels(Texels { width: 2, height: 2, bytes }), [wrap; 2])
    }

    fn at(texture: &Texture, u: f32, v: f32) -> Colour {
        texture.at(&texture.levels[0], Vec2::new(u, v)).truncate()
    }

    #[test]
    fn texels_have_their_colour_in_their_middle_and_mix_between() {
        let texture = texture(Wrap::Clamp);
        assert_eq!(at(&texture, 0.25, 0.25), Colour::X);
        assert_eq!(at(&texture, 0.75, 0.75), Colour::Z);
        assert_eq!(at(&texture, 0.5, 0.25), Colour::X * 0.5);
        assert_eq!(at(&texture, 0.5, 0.5), (Colour::X + Colour::Z) * 0.25);
    }

    #[test]
    fn beyond_its_edges_a_texture_goes_on_as_its_sampler_says() {
        for (wrap, expected) in [(Wrap::Repeat, Colour::X), (Wrap::Mirror, Colour::ZERO), (Wrap::Clamp, Colour::ZERO)] {
            assert_eq!(at(&texture(wrap), 1.25, 0.25), expected, "{wrap:?}");
        }
        assert_eq!(at(&texture(Wrap::Mirror), 1.75, 0.25), Colour::X);
        assert_eq!(at(&texture(Wrap::Repeat), f32::NAN, 0.25), Colour::ONE);
        assert!(at(&texture(Wrap::Repeat), 1e30, -1e30).is_finite());
    }

    #[test]
    fn from_afar_a_texture_is_its_mean() {
        let texture = texture(Wrap::Repeat);
        let corners = [Vec2::ZERO, Vec2::X, Vec2::Y];
        let far = texture.sample(corners, corners.map(|c| c * 0.5), Vec3::splat(1.0 / 3.0));
        let mean = DECODED[63];
        assert_eq!(far, Vec4::new(mean, 0.0, mean, 1.0));
    }

    #[test]
    fn a_transform_moves_what_a_coordinate_means() {
        // A quarter turn and half a texture to the right, as in the extension's own text.
        let turned = texture(Wrap::Repeat).transformed(Vec2::new(0.0, 1.0), std::f32::consts::FRAC_PI_2, Vec2::ONE);
        let place = turned.columns[0] * 0.25 + turned.columns[1] * 0.25 + turned.offset;
        assert!((place - Vec2::new(0.25, 0.75)).length() < 1e-6, "{place}");
    }
}
