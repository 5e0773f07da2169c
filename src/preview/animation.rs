//! Pictures that follow on each other as GIF and animated PNG. Both play round and round.

use std::io::{self, Write};

use color_quant::NeuQuant;

use super::picture::Picture;
use crate::simulate::FrameRate;

/// Pixels that the palette of a GIF is made from, about.
const SAMPLES: usize = 200_000;
/// Colours of a GIF.
const COLOURS: usize = 256;
/// Shortest time a GIF's picture is shown that all browsers keep to, hundredths of a second.
const SHORTEST: i64 = 2;

/// Frames from one picture of a GIF to the next, so that no browser slows it down.
pub fn gif_step(fps: FrameRate) -> usize {
    (SHORTEST as f64 * fps.per_second() / 100.0).ceil().max(1.0) as usize
}

/// Writes pictures as a GIF as they come.
pub struct Gif<W: Write> {
    encoder: gif::Encoder<W>,
    palette: Palette,
    /// Pictures written.
    count: i64,
    /// Hundredths of a second a picture.
    length: f64,
}

impl<W: Write> Gif<W> {
    /// Of pictures that look like `samples`, `per_second` of them a second.
    ///
    /// # Errors
    /// If the sink fails, or pictures are too large for the format.
    pub fn new(sink: W, samples: &[Picture], per_second: f64) -> io::Result<Gif<W>> {
        let [width, height] =
            samples.first().map_or([1, 1], |picture| [picture.width, picture.height]).map(u16::try_from);
        let (width, height) = (width.map_err(io::Error::other)?, height.map_err(io::Error::other)?);
        let palette = Palette::of(samples);
        let mut encoder = gif::Encoder::new(sink, width, height, &palette.colours).map_err(io::Error::other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
        Ok(Gif { encoder, palette, count: 0, length: 100.0 / per_second })
    }

    /// Adds a picture of the size of the samples.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn push(&mut self, picture: &Picture) -> io::Result<()> {
        // Hundredths are coarse: every picture ends at the one nearest to where it should.
        let end = |count: i64| (count as f64 * self.length).round() as i64;
        let delay = (end(self.count + 1) - end(self.count)).max(SHORTEST);
        let pixels: Vec<u8> = picture.bytes.as_chunks().0.iter().map(|&pixel| self.palette.index(pixel)).collect();
        let mut frame = gif::Frame::from_indexed_pixels(picture.width as u16, picture.height as u16, pixels, None);
        frame.delay = u16::try_from(delay).unwrap_or(u16::MAX);
        self.count += 1;
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn finish(self) -> io::Result<()> {
        self.encoder.into_inner().map(|_| ()).map_err(io::Error::other)
    }
}

/// The colours of a GIF.
struct Palette {
    network: NeuQuant,
    colours: Vec<u8>,
    /// Index of the colour for each colour of [`BITS`] a component, once it has been looked for.
    known: Vec<Option<u8>>,
}

/// Bits of each component that tell colours apart.
const BITS: u32 = 6;

impl Palette {
    fn of(samples: &[Picture]) -> Palette {
        let pixels = samples.iter().flat_map(|picture| picture.bytes.as_chunks::<3>().0);
        let step = (pixels.clone().count() / SAMPLES).max(1);
        let sampled: Vec<u8> = pixels.step_by(step).flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
        let network = NeuQuant::new(3, COLOURS, &sampled);
        let colours = network.color_map_rgb();
        Palette { network, colours, known: vec![None; 1 << (3 * BITS)] }
    }

    fn index(&mut self, [r, g, b]: [u8; 3]) -> u8 {
        let key = [r, g, b].iter().fold(0, |key, &c| key << BITS | usize::from(c >> (8 - BITS)));
        let network = &self.network;
        *self.known[key].get_or_insert_with(|| network.index_of(&[r, g, b, 255]) as u8)
    }
}

/// Writes pictures as an animated PNG as they come.
pub struct AnimatedPng<W: Write> {
    writer: png::Writer<W>,
}

impl<W: Write> AnimatedPng<W> {
    /// Of `count` pictures of one size, at a frame rate.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn new(sink: W, [width, height]: [u32; 2], count: u32, fps: FrameRate) -> io::Result<AnimatedPng<W>> {
        let mut encoder = png::Encoder::new(sink, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_animated(count, 0).map_err(io::Error::other)?;
        let [seconds, frames] = [fps.denominator, fps.numerator].map(u16::try_from);
        // A fraction of larger numbers is nearly one of milliseconds.
        let milliseconds = (1000.0 / fps.per_second()).round().clamp(1.0, 65535.0) as u16;
        let (part, of) = seconds.ok().zip(frames.ok()).unwrap_or((milliseconds, 1000));
        encoder.set_frame_delay(part, of).map_err(io::Error::other)?;
        Ok(AnimatedPng { writer: encoder.write_header().map_err(io::Error::other)? })
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn push(&mut self, picture: &Picture) -> io::Result<()> {
        self.writer.write_image_data(&picture.bytes).map_err(io::Error::other)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the sink fails, or pictures are missing.
    pub fn finish(self) -> io::Result<()> {
        self.writer.finish().map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pictures() -> Vec<Picture> {
        (0..7).map(|i| Picture::filled([20, 10], [i * 30, 255 - i * 30, 80])).collect()
    }

    #[test]
    fn a_gif_has_every_picture_in_its_colours_and_lasts_as_long_as_it_should() {
        let pictures = pictures();
        let mut file = Vec::new();
        let mut gif = Gif::new(&mut file, &pictures, 30.0).expect("a header");
        pictures.iter().for_each(|picture| gif.push(picture).expect("a frame"));
        gif.finish().expect("an end");
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&file[..]).expect("a gif");
        let (mut count, mut hundredths) = (0, 0);
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            let expected = pictures[count].pixel(0, 0);
            let near = frame.buffer[..3].iter().zip(expected).all(|(a, b)| a.abs_diff(b) < 10);
            assert!(near, "{:?} {expected:?}", &frame.buffer[..3]);
            (count, hundredths) = (count + 1, hundredths + i32::from(frame.delay));
        }
        assert_eq!((count, hundredths), (7, 23), "7 / 30 s");
    }

    #[test]
    fn fast_clips_leave_out_pictures_rather_than_play_slowly() {
        assert_eq!([24, 30, 50, 60, 120].map(|fps| gif_step(FrameRate::whole(fps))), [1, 1, 1, 2, 3]);
    }

    #[test]
    fn an_animated_png_has_every_picture_at_the_exact_rate() {
        let pictures = pictures();
        let mut file = Vec::new();
        let ntsc = FrameRate { numerator: 30000, denominator: 1001 };
        let mut apng = AnimatedPng::new(&mut file, [20, 10], 7, ntsc).expect("a header");
        pictures.iter().for_each(|picture| apng.push(picture).expect("a frame"));
        apng.finish().expect("an end");
        let mut reader = png::Decoder::new(io::Cursor::new(&file)).read_info().expect("a png");
        assert_eq!(reader.info().animation_control().map(|control| control.num_frames), Some(7));
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        for picture in &pictures {
            reader.next_frame(&mut pixels).expect("a frame");
            assert_eq!(pixels, picture.bytes);
            let delay = reader.info().frame_control().map(|control| (control.delay_num, control.delay_den));
            assert_eq!(delay, Some((1001, 30000)));
        }
    }
}
