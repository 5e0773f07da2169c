//! `toile preview`: presets, bakes and meshes as pictures and pages.

mod arguments;
mod browser;
mod figures;
mod gallery;
mod maps;
mod marks;
mod page;
mod quick;
mod show;
mod source;
mod store;
mod strain;
mod strip;
mod studio;

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use self::arguments::{PreviewArguments as Arguments, Show, ViewName};
use self::source::Take;
use self::strip::Strip;
use self::studio::Studio;
use super::bake::use_threads;
use super::console::Console;
use super::failure::{Failure, UsageError};
use super::interrupt::Interrupt;
use super::print;
use crate::bake::{self, BakeError, Overwrite};
use crate::import;
use crate::preview::{Cell, LARGEST_SHEET, Picture, sheet};

pub(crate) use arguments::{FiguresArguments, PreviewArguments};
pub(crate) use figures::run as draw_figures;

/// Pixels of a picture of a sheet, and of the sheet of all scenes.
const SIZE: [u32; 2] = [360, 480];
const GALLERY: [u32; 2] = [300, 400];
/// Frames of a sheet.
const COUNT: usize = 6;

/// Shows what the flags name.
pub(crate) fn run(arguments: &Arguments, console: &Console, interrupt: &Interrupt) -> Result<(), Failure> {
    use_threads(arguments.source.threads)?;
    let temporary = arguments.out.is_none().then(|| browser::temporary_page(arguments)).transpose()?;
    let Some(out) = arguments.out.as_deref().or(temporary.as_deref()) else { return Ok(()) };
    let overwrite = if arguments.force || temporary.is_some() { Overwrite::Allow } else { Overwrite::Refuse };
    let format = Format::of(out, arguments.animated)?;
    if arguments.look.show == Show::Map && (arguments.all || !matches!(format, Format::Sheet | Format::Page)) {
        return Err(UsageError::MapIsStill.into());
    }
    if arguments.open && format != Format::Page {
        return Err(UsageError::OpensPages { path: out.to_owned() }.into());
    }
    if format == Format::Page {
        page::check(arguments)?;
    }
    let kept = subject_files(arguments, out);
    bake::check_side_file(out, &[], &kept, overwrite)?;
    if arguments.all {
        source::check_flags(&arguments.source, false, false)?;
        let (cells, columns) = gallery::cells(&arguments.look, GALLERY, &arguments.source, console, interrupt)?;
        write_sheet(&laid_out("toile: scenes and fabrics", &cells, columns)?, out)?;
        return print(&format!("{}\n", out.display()));
    }
    let take = source::take(arguments, console, interrupt)?;
    let frames = source::frames(&take.film.timeline, arguments)?;
    let strip = || Strip::new(&take, &frames, &arguments.look, console, interrupt);
    match format {
        Format::Sheet => write_sheet(&sheet_of(&take, &frames, arguments)?, out)?,
        Format::Gif => strip()?.gif(out)?,
        Format::AnimatedPng => strip()?.animated_png(out)?,
        Format::Sequence => strip()?.sequence(out, take.film.timeline.first, &kept, overwrite)?,
        Format::Page => page::write(&take, &frames, &arguments.look, out)?,
    }
    print(&format!("{}\n", out.display()))?;
    let opened = if arguments.open { browser::open(out) } else { Ok(()) };
    match temporary {
        Some(page) => browser::keep(page).and(opened),
        None => opened,
    }
}

/// Files that are shown and, where `out` may be one of them, those that they name: none must be written over.
fn subject_files(arguments: &Arguments, out: &Path) -> Vec<PathBuf> {
    let subjects: Vec<PathBuf> =
        arguments.subject.iter().map(Into::into).chain(arguments.source.mesh.clone()).collect();
    if !arguments.force && out.symlink_metadata().is_err() {
        return subjects;
    }
    let access = arguments.source.files_read.access();
    let named = subjects.iter().flat_map(|subject| import::named_files(subject, &access)).collect::<Vec<_>>();
    [subjects, named].concat()
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Sheet,
    Gif,
    AnimatedPng,
    Sequence,
    Page,
}

impl Format {
    fn of(path: &Path, is_animated: bool) -> Result<Format, UsageError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("png") if bake::has_placeholder(path) => Ok(Format::Sequence),
            Some("png") => Ok(if is_animated { Format::AnimatedPng } else { Format::Sheet }),
            Some("gif") => Ok(Format::Gif),
            Some("html" | "htm") => Ok(Format::Page),
            _ => Err(UsageError::PreviewFormat { path: path.to_owned() }),
        }
    }
}

/// A sheet with a row for each view and a column for each frame.
fn sheet_of(take: &Take, frames: &[usize], arguments: &Arguments) -> Result<Picture, Failure> {
    let look = &arguments.look;
    if look.show == Show::Map {
        let cells = maps::cells(take, look, SIZE);
        return laid_out(&take.name, &cells, cells.len() / look.views.len().max(1));
    }
    let named = look.frames.as_ref().filter(|list| list.is_choice()).map(|_| frames.len());
    let frames = spread(frames, look.count.map_or(named.unwrap_or(COUNT), |count| count as usize));
    let studio = Studio::new(take, &frames, look, SIZE);
    let shots = look.views.iter().flat_map(|&view| (0..frames.len()).map(move |column| (view, column)));
    let shots: Vec<(ViewName, usize)> = shots.collect();
    let cell = |&(view, column): &(ViewName, usize)| {
        let index = frames[column];
        let part = column as f32 / frames.len() as f32;
        let frame = take.film.timeline.first + index as i64;
        let view_words = if look.views.len() > 1 { format!(", {}", view.words()) } else { String::new() };
        let (picture, words) = studio.shown(index, view, part);
        let more = words.map_or_else(String::new, |words| format!(": {words}"));
        Cell { caption: format!("frame {frame}{view_words}{more}"), picture }
    };
    let cells: Vec<Cell> = shots.par_iter().map(cell).collect();
    laid_out(&take.name, &cells, frames.len())
}

fn laid_out(title: &str, cells: &[Cell], columns: usize) -> Result<Picture, Failure> {
    Ok(sheet(title, cells, columns).ok_or(UsageError::LargeSheet { most: LARGEST_SHEET })?)
}

/// So many of `frames`, from the first to the last.
fn spread(frames: &[usize], count: usize) -> Vec<usize> {
    let count = count.min(frames.len());
    (0..count).map(|i| frames[if count > 1 { i * (frames.len() - 1) / (count - 1) } else { 0 }]).collect()
}

fn write_sheet(sheet: &Picture, path: &Path) -> Result<(), Failure> {
    let failed = |error| BakeError::Io { path: path.to_owned(), action: "write it", source: io::Error::other(error) };
    let bytes = sheet.png().map_err(failed)?;
    Ok(bake::write_file(path, |sink| sink.write_all(&bytes))?)
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn frames_of_a_sheet_go_from_the_first_to_the_last() {
        assert_eq!(spread(&[3, 4, 5, 6, 7], 3), [3, 5, 7]);
        assert_eq!(spread(&[3, 4], 6), [3, 4]);
        assert_eq!(spread(&[3, 4, 5], 1), [3]);
    }
}
