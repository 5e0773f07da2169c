//! Contact sheets: pictures side by side with words beneath.
//!
//! ```text
//! title
//! +-------+ +-------+
//! |       | |       |     all of the size of the first
//! +-------+ +-------+
//! caption   caption
//! ```

use super::label::{Lettering, width, write};
use super::picture::Picture;

/// Between pictures and around them, pixels.
const GAP: u32 = 8;
/// Letters of captions and of the title, pixels.
const CAPTION: f32 = 17.0;
const TITLE: f32 = 26.0;
/// What is written on, and with.
const PAPER: [u8; 3] = [250, 250, 251];
const INK: [u8; 3] = [40, 42, 48];
/// Most pixels of a sheet on a side: larger ones few programs open.
pub const LARGEST_SHEET: u32 = 16_384;

/// A picture with what it shows.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What it shows, in a few words.
    pub caption: String,
    /// The picture.
    pub picture: Picture,
}

/// How large a sheet becomes, pixels.
pub fn sheet_size([width, height]: [u32; 2], cells: usize, columns: usize) -> [u64; 2] {
    let lettering = Lettering { height: CAPTION, colour: INK };
    let rows = cells.div_ceil(columns.max(1)) as u64;
    let [gap, line] = [GAP, lettering.line()].map(u64::from);
    let title = u64::from(Lettering { height: TITLE, colour: INK }.line()) + gap;
    [gap + columns as u64 * (u64::from(width) + gap), title + gap + rows * (u64::from(height) + line + gap)]
}

/// Lays pictures out in rows of so many columns. None if that is larger than [`LARGEST_SHEET`].
pub fn sheet(title: &str, cells: &[Cell], columns: usize) -> Option<Picture> {
    let columns = columns.clamp(1, cells.len().max(1));
    let size = cells.first().map_or([1, 1], |cell| [cell.picture.width, cell.picture.height]);
    let [across, down] = sheet_size(size, cells.len(), columns).map(u32::try_from);
    let (across, down) = (across.ok()?, down.ok()?);
    if across.max(down) > LARGEST_SHEET {
        return None;
    }
    let mut sheet = Picture::filled([across, down], PAPER);
    let heading = Lettering { height: TITLE, colour: INK };
    write(&mut sheet, &fitting(title, heading, across - 2 * GAP), [GAP as f32, GAP as f32], heading);
    let lettering = Lettering { height: CAPTION, colour: INK };
    let top = 2 * GAP + heading.line();
    for (index, cell) in (0..).zip(cells) {
        let [column, row] = [index % columns as u32, index / columns as u32];
        let x = GAP + column * (size[0] + GAP);
        let y = top + row * (size[1] + lettering.line() + GAP);
        sheet.paste(&cell.picture, [x, y]);
        write(&mut sheet, &fitting(&cell.caption, lettering, size[0]), [x as f32, (y + size[1]) as f32], lettering);
    }
    Some(sheet)
}

/// As much of a line as fits into so many pixels, with dots if that is not all.
fn fitting(text: &str, lettering: Lettering, pixels: u32) -> String {
    if width(text, lettering) <= pixels as f32 {
        return text.to_owned();
    }
    let mut text = text.to_owned();
    while text.pop().is_some() && width(&format!("{text}..."), lettering) > pixels as f32 {}
    text + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(caption: &str, colour: [u8; 3]) -> Cell {
        Cell { caption: caption.to_owned(), picture: Picture::filled([60, 40], colour) }
    }

    #[test]
    fn pictures_lie_in_rows_and_captions_stay_beneath_their_own() {
        let long = "a caption that is much longer than its picture is wide";
        let cells = [cell("one", [255, 0, 0]), cell(long, [0, 255, 0]), cell("three", [0, 0, 255])];
        let sheet = sheet("title", &cells, 2).expect("a small one");
        let expected = sheet_size([60, 40], 3, 2);
        assert_eq!([sheet.width, sheet.height].map(u64::from), expected);
        let count = |colour: [u8; 3]| {
            let places = (0..sheet.height).flat_map(|y| (0..sheet.width).map(move |x| (x, y)));
            places.filter(|&(x, y)| sheet.pixel(x, y) == colour).count()
        };
        assert_eq!([[255, 0, 0], [0, 255, 0], [0, 0, 255]].map(count), [60 * 40; 3]);
    }

    #[test]
    fn a_sheet_that_no_program_opens_is_not_made() {
        let cells = vec![cell("", [0; 3]); 400];
        assert!(sheet("", &cells, 400).is_none());
    }
}
