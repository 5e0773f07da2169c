//! Words in pictures.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

use super::picture::Picture;

/// Height of a line as a part of the height of its letters.
const LINE: f32 = 1.25;

/// How words are written.
#[derive(Clone, Copy, Debug)]
pub struct Lettering {
    /// Height, pixels.
    pub height: f32,
    /// Red, green, blue (sRGB).
    pub colour: [u8; 3],
}

impl Lettering {
    /// Height of a line, pixels.
    pub fn line(&self) -> u32 {
        (LINE * self.height).ceil() as u32
    }
}

fn font() -> Option<&'static FontRef<'static>> {
    static FONT: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    FONT.get_or_init(|| FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok()).as_ref()
}

/// Width of a line of text, pixels.
pub fn width(text: &str, lettering: Lettering) -> f32 {
    let Some(font) = font().map(|font| font.as_scaled(PxScale::from(lettering.height))) else { return 0.0 };
    let mut last = None;
    let advance = |c: char| {
        let glyph = font.glyph_id(c);
        let kern = last.replace(glyph).map_or(0.0, |last| font.kern(last, glyph));
        kern + font.h_advance(glyph)
    };
    text.chars().map(advance).sum()
}

/// Writes a line of text whose upper left corner is at `(x, y)`; what does not fit into the picture is cut off.
pub fn write(picture: &mut Picture, text: &str, [x, y]: [f32; 2], lettering: Lettering) {
    let Some(font) = font().map(|font| font.as_scaled(PxScale::from(lettering.height))) else { return };
    let mut pen = x;
    let mut last = None;
    for c in text.chars() {
        let glyph = font.glyph_id(c);
        pen += last.replace(glyph).map_or(0.0, |last| font.kern(last, glyph));
        let placed = glyph.with_scale_and_position(lettering.height, point(pen, y + font.ascent()));
        pen += font.h_advance(glyph);
        let Some(outline) = font.font.outline_glyph(placed) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|column, row, coverage| {
            let place = [corner.x as i64 + i64::from(column), corner.y as i64 + i64::from(row)];
            picture.mix(place, lettering.colour, coverage);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Lettering = Lettering { height: 20.0, colour: [0, 0, 0] };

    #[test]
    fn words_darken_the_picture_where_they_stand_and_nowhere_else() {
        let mut picture = Picture::filled([120, 40], [255, 255, 255]);
        write(&mut picture, "Toile", [10.0, 8.0], BLACK);
        let end = 10.0 + width("Toile", BLACK);
        let dark = |x: u32| (0..40).any(|y| picture.pixel(x, y)[0] < 128);
        assert!((10..end as u32).filter(|&x| dark(x)).count() > 10);
        assert!((0..9).chain(end.ceil() as u32 + 1..120).all(|x| !dark(x)));
    }

    #[test]
    fn words_that_do_not_fit_are_cut_off() {
        let mut picture = Picture::filled([20, 10], [255, 255, 255]);
        write(&mut picture, "much too long", [-30.0, -5.0], BLACK);
        assert!(width("wide", BLACK) > width("i", BLACK));
    }
}
