//! `toile preview`: presets, bakes and meshes as pictures.

mod arguments;
mod quick;
mod show;
mod source;

use std::io;
use std::path::Path;

use rayon::prelude::*;

use self::arguments::{PreviewArguments as Arguments, ViewName};
use self::source::Take;
use super::bake::use_threads;
use super::console::Console;
use super::failure::{Failure, UsageError};
use super::interrupt::Interrupt;
use super::print;
use crate::bake::{self, BakeError, Overwrite};
use crate::geometry::Aabb;
use crate::preview::{Camera, Cell, Film, LARGEST_SHEET, Picture, Scene, from_srgb, render, sheet};

pub(crate) use arguments::PreviewArguments;

/// Pixels of a picture of a sheet.
const SIZE: [u32; 2] = [360, 480];
/// Frames of a sheet.
const COUNT: u32 = 6;

/// Shows what the flags name.
pub(crate) fn run(arguments: &Arguments, console: &Console, interrupt: &Interrupt) -> Result<(), Failure> {
    use_threads(arguments.source.threads)?;
    let overwrite = if arguments.force { Overwrite::Allow } else { Overwrite::Refuse };
    bake::check_side_file(&arguments.out, &[], &[], overwrite)?;
    let format = Format::of(&arguments.out)?;
    let take = source::take(arguments, console, interrupt)?;
    let frames = source::frames(&take.film.timeline, arguments)?;
    let bytes = match format {
        Format::Png => sheet_of(&take, &frames, arguments)?,
    };
    bake::write_file(&arguments.out, |sink| sink.write_all(&bytes))?;
    print(&format!("{}\n", arguments.out.display()))
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Png,
}

impl Format {
    fn of(path: &Path) -> Result<Format, UsageError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("png") => Ok(Format::Png),
            _ => Err(UsageError::PreviewFormat { path: path.to_owned() }),
        }
    }
}

/// A sheet with a row for each view and a column for each frame.
fn sheet_of(take: &Take, frames: &[usize], arguments: &Arguments) -> Result<Vec<u8>, Failure> {
    let look = &arguments.look;
    let frames = spread(frames, look.count.unwrap_or(COUNT) as usize);
    let studio = Studio::new(take, &frames, arguments);
    let shots = look.views.iter().flat_map(|&view| (0..frames.len()).map(move |column| (view, column)));
    let shots: Vec<(ViewName, usize)> = shots.collect();
    let cell = |&(view, column): &(ViewName, usize)| {
        let index = frames[column];
        let part = column as f32 / frames.len() as f32;
        let frame = take.film.timeline.first + index as i64;
        let words =
            if look.views.len() > 1 { format!("frame {frame}, {}", view.words()) } else { format!("frame {frame}") };
        Cell { caption: words, picture: studio.picture(index, view, part) }
    };
    let cells: Vec<Cell> = shots.par_iter().map(cell).collect();
    let picture = sheet(&take.name, &cells, frames.len());
    let picture = picture.ok_or(UsageError::LargeSheet { most: LARGEST_SHEET })?;
    encoded(&picture, &arguments.out)
}

/// So many of `frames`, from the first to the last.
fn spread(frames: &[usize], count: usize) -> Vec<usize> {
    let count = count.min(frames.len());
    (0..count).map(|i| frames[if count > 1 { i * (frames.len() - 1) / (count - 1) } else { 0 }]).collect()
}

fn encoded(picture: &Picture, path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error| BakeError::Io { path: path.to_owned(), action: "write it", source: io::Error::other(error) };
    Ok(picture.png().map_err(failed)?)
}

/// Where pictures of a take are made.
struct Studio<'a> {
    take: &'a Take,
    arguments: &'a Arguments,
    /// Around everything in the frames that are shown.
    bounds: Aabb,
    size: [u32; 2],
}

impl<'a> Studio<'a> {
    fn new(take: &'a Take, frames: &[usize], arguments: &'a Arguments) -> Studio<'a> {
        let boxes: Vec<Aabb> = frames.par_iter().map(|&index| Film::bounds(&take.film.pose(index))).collect();
        let bounds = boxes.into_iter().fold(Aabb::EMPTY, Aabb::union);
        Studio { take, arguments, bounds, size: arguments.look.size.map_or(SIZE, |size| size.0) }
    }

    /// Frame `index` from a view that is at a `part` of its way.
    fn picture(&self, index: usize, view: ViewName, part: f32) -> Picture {
        let pose = self.take.film.pose(index);
        let paint = show::paint(self.take, self.arguments.look.show, &pose);
        let mut scene = Scene::standing(self.take.film.meshes(&pose, paint), &self.bounds);
        if let Some(background) = self.arguments.look.background {
            scene.background = from_srgb(background.0);
        }
        render(&scene, &Camera::around(&self.bounds, view.at(part), self.size), self.size)
    }
}
