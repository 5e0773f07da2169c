//! Image files -> texels, within limits: nobody has checked the bytes.

use std::io::Cursor;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::import::Image;

/// Most pixels of an image on a side, and altogether: 8192 by 4096.
const LONGEST: usize = 16_384;
const PIXELS: usize = 1 << 25;
/// Most bytes that the PNG decoder may hold beside them.
const PNG_BYTES: usize = 64 << 20;
/// Alpha of what lets no light through.
const OPAQUE: u8 = 255;

/// Red, green, blue (sRGB) and alpha of each pixel, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Texels {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) bytes: Vec<[u8; 4]>,
}

/// Why an image is not shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum ImageError {
    #[error("`{0}` is no PNG or JPEG")]
    Format(String),
    #[error("{0}x{1} pixels are more than are shown")]
    Large(usize, usize),
    #[error("it is damaged")]
    Damaged,
}

/// Decodes an image, by what its bytes are rather than what they are said to be.
pub(super) fn decode(image: &Image) -> Result<Texels, ImageError> {
    match image.bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => png(&image.bytes),
        [0xff, 0xd8, 0xff, ..] => jpeg(&image.bytes),
        _ => Err(ImageError::Format(image.mime_type.clone())),
    }
}

fn check(width: usize, height: usize) -> Result<(), ImageError> {
    let fits = width.max(height) <= LONGEST && width.saturating_mul(height) <= PIXELS;
    if fits { Ok(()) } else { Err(ImageError::Large(width, height)) }
}

fn png(bytes: &[u8]) -> Result<Texels, ImageError> {
    let damaged = |_| ImageError::Damaged;
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: PNG_BYTES });
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let header = decoder.read_header_info().map_err(damaged)?;
    check(header.width as usize, header.height as usize)?;
    let mut reader = decoder.read_info().map_err(damaged)?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or(ImageError::Damaged)?];
    let info = reader.next_frame(&mut pixels).map_err(damaged)?;
    let bytes = match info.color_type {
        png::ColorType::Grayscale => pixels.iter().map(|&g| [g, g, g, OPAQUE]).collect(),
        png::ColorType::GrayscaleAlpha => pixels.chunks_exact(2).map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        png::ColorType::Rgb => pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2], OPAQUE]).collect(),
        png::ColorType::Rgba => pixels.as_chunks().0.to_vec(),
        png::ColorType::Indexed => return Err(ImageError::Damaged),
    };
    Ok(Texels { width: info.width as usize, height: info.height as usize, bytes })
}

fn jpeg(bytes: &[u8]) -> Result<Texels, ImageError> {
    let damaged = |_| ImageError::Damaged;
    let options = DecoderOptions::default()
        .set_max_width(LONGEST)
        .set_max_height(LONGEST)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(damaged)?;
    let info = decoder.info().ok_or(ImageError::Damaged)?;
    let (width, height) = (usize::from(info.width), usize::from(info.height));
    check(width, height)?;
    let pixels = decoder.decode().map_err(damaged)?;
    let bytes: Vec<[u8; 4]> = match pixels.len() / (width * height).max(1) {
        3 => pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2], OPAQUE]).collect(),
        1 => pixels.iter().map(|&g| [g, g, g, OPAQUE]).collect(),
        _ => return Err(ImageError::Damaged),
    };
    Ok(Texels { width, height, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preview::Picture;

    fn image(bytes: Vec<u8>) -> Image {
        Image { name: None, mime_type: "image/png".to_owned(), bytes }
    }

    #[test]
    fn a_png_comes_back_and_a_damaged_or_foreign_one_is_refused() {
        let mut picture = Picture::filled([7, 5], [10, 20, 30]);
        picture.bytes[..3].copy_from_slice(&[200, 100, 0]);
        let file = picture.png().expect("a file");
        let texels = decode(&image(file.clone())).expect("an image");
        assert_eq!(
            (texels.width, texels.height, texels.bytes[0], texels.bytes[34]),
            (7, 5, [200, 100, 0, OPAQUE], [10, 20, 30, OPAQUE])
        );
        for end in 0..file.len() - 13 {
            assert!(decode(&image(file[..end].to_vec())).is_err(), "{end}");
        }
        assert!(decode(&image(b"RIFF....WEBP".to_vec())).is_err());
    }

    #[test]
    fn an_image_that_says_it_is_huge_is_refused_before_it_is_read() {
        let mut file = Picture::filled([1, 1], [0; 3]).png().expect("a file");
        file[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
        assert!(decode(&image(file)).is_err());
    }
}
