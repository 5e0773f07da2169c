//! What the colours of a picture mean, written into its corner.
//!
//! ```text
//! +----------------------+
//! | # stretch springs    |   a key: a colour and what has it
//! | stretch              |   a scale: what it is of,
//! | [########]           |   its colours,
//! | -10 %   0 %   +10 %  |   and what stands at its ends and between, evenly spread
//! +----------------------+
//! ```

use super::colour::{Colour, encoded};
use super::label::{Lettering, width, write};
use super::picture::Picture;

/// Height of letters as a part of the picture's height, and between which pixels it stays.
const LETTERS: f32 = 0.03;
const LEAST: f32 = 11.0;
const MOST: f32 = 20.0;
/// Width of a scale in heights of letters, and its height.
const SCALE: f32 = 11.0;
const BAR: f32 = 0.7;
/// What it is written on, how much of the picture that hides, and what it is written with.
const PAPER: [u8; 3] = [250, 250, 251];
const HIDES: f32 = 0.8;
const INK: [u8; 3] = [40, 42, 48];

/// A line or more of a legend.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// What has a colour.
    Key(String, Colour),
    /// Colours of a quantity.
    Scale {
        /// What it is.
        title: String,
        /// From one end to the other, evenly spread.
        colours: Vec<Colour>,
        /// At its ends and between them, evenly spread.
        labels: Vec<String>,
    },
    /// Words alone.
    Words(String),
}

/// Writes a legend into the upper left corner of a picture, where people have no hands or feet.
pub fn legend(picture: &mut Picture, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let height = (LETTERS * picture.height as f32).clamp(LEAST, MOST);
    let lettering = Lettering { height, colour: INK };
    let line = lettering.line() as f32;
    let gap = 0.5 * height;
    let size =
        entries.iter().map(|entry| entry.size(lettering)).fold([0.0_f32; 2], |all, [w, h]| [all[0].max(w), all[1] + h]);
    fill(picture, [0.0; 2], [size[0] + 2.0 * gap, size[1] + 2.0 * gap], PAPER, HIDES);
    let mut y = gap;
    for entry in entries {
        match entry {
            Entry::Words(words) => write(picture, words, [gap, y], lettering),
            Entry::Key(words, colour) => {
                fill(picture, [gap, y + 0.25 * height], [0.7 * height; 2], encoded(*colour), 1.0);
                write(picture, words, [gap + 1.2 * height, y], lettering);
            }
            Entry::Scale { title, colours, labels } => {
                write(picture, title, [gap, y], lettering);
                let bar = [SCALE * height, BAR * height];
                paint_scale(picture, [gap, y + line], bar, colours);
                for (index, label) in labels.iter().enumerate() {
                    let part = index as f32 / (labels.len() - 1).max(1) as f32;
                    let x = gap + part * (bar[0] - width(label, lettering));
                    write(picture, label, [x, y + line + bar[1]], lettering);
                }
            }
        }
        y += entry.size(lettering)[1];
    }
}

impl Entry {
    /// Width and height, pixels.
    fn size(&self, lettering: Lettering) -> [f32; 2] {
        let (line, height) = (lettering.line() as f32, lettering.height);
        match self {
            Entry::Words(words) => [width(words, lettering), line],
            Entry::Key(words, _) => [1.2 * height + width(words, lettering), line],
            Entry::Scale { title, .. } => [width(title, lettering).max(SCALE * height), 2.0 * line + BAR * height],
        }
    }
}

fn paint_scale(picture: &mut Picture, [x, y]: [f32; 2], [wide, high]: [f32; 2], colours: &[Colour]) {
    let last = colours.len().saturating_sub(1) as f32;
    for column in 0..wide as u32 {
        let index = column as f32 / wide * last + 0.5;
        if let Some(&colour) = colours.get(index as usize) {
            fill(picture, [x + column as f32, y], [1.0, high], encoded(colour), 1.0);
        }
    }
}

fn fill(picture: &mut Picture, [x, y]: [f32; 2], [wide, high]: [f32; 2], colour: [u8; 3], part: f32) {
    for row in y as i64..(y + high) as i64 {
        for column in x as i64..(x + wide) as i64 {
            picture.mix([column, row], colour, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_shows_its_colours_in_the_corner_and_leaves_the_rest() {
        let mut picture = Picture::filled([300, 200], [255, 255, 255]);
        let colours: Vec<Colour> = (0..=20).map(|i| Colour::X.lerp(Colour::Z, i as f32 / 20.0)).collect();
        let labels = ["first", "last"].map(str::to_owned).to_vec();
        let scale = Entry::Scale { title: "order".to_owned(), colours, labels };
        legend(&mut picture, &[Entry::Key("fixed".to_owned(), Colour::Y), scale]);
        let count = |colour: [u8; 3]| picture.bytes.chunks(3).filter(|p| **p == colour).count();
        assert!(count([255, 0, 0]) > 5 && count([0, 0, 255]) > 5 && count([0, 255, 0]) > 20);
        assert!((150..300).all(|x| (0..200).all(|y| picture.pixel(x, y) == [255; 3])));
    }

    #[test]
    fn a_legend_larger_than_its_picture_is_cut_off() {
        let mut picture = Picture::filled([16, 16], [0; 3]);
        legend(&mut picture, &vec![Entry::Words("much too long for it".to_owned()); 9]);
        assert_eq!(picture.bytes.len(), 3 * 16 * 16);
    }
}
