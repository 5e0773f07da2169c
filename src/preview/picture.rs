//! A finished picture.

/// Rows of pixels from the top, three bytes each: red, green, blue (sRGB).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `3 * width * height` bytes.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// The picture as a PNG file.
    ///
    /// # Errors
    /// A picture of no size, or larger than PNG allows.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.bytes)?;
        writer.finish()?;
        Ok(file)
    }

    /// One colour all over.
    pub fn filled([width, height]: [u32; 2], colour: [u8; 3]) -> Picture {
        Picture { width, height, bytes: colour.repeat(width as usize * height as usize) }
    }

    /// Lays another picture on it with its upper left corner at `(x, y)`; what does not fit is cut off.
    pub fn paste(&mut self, other: &Picture, [x, y]: [u32; 2]) {
        let columns = other.width.min(self.width.saturating_sub(x)) as usize;
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let from = 3 * row as usize * other.width as usize;
            let to = 3 * ((y + row) as usize * self.width as usize + x as usize);
            self.bytes[to..to + 3 * columns].copy_from_slice(&other.bytes[from..from + 3 * columns]);
        }
    }

    /// Mixes a part, 0 to 1, of a colour into a pixel, if there is one.
    pub(super) fn mix(&mut self, [x, y]: [i64; 2], colour: [u8; 3], part: f32) {
        let [Ok(x), Ok(y)] = [x, y].map(u32::try_from) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let at = 3 * (y as usize * self.width as usize + x as usize);
        for (byte, colour) in self.bytes[at..at + 3].iter_mut().zip(colour) {
            let mixed = f32::from(*byte) + (f32::from(colour) - f32::from(*byte)) * part.clamp(0.0, 1.0);
            *byte = mixed.round() as u8;
        }
    }

    /// The colour of a pixel.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let at = 3 * (y as usize * self.width as usize + x as usize);
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }
}
