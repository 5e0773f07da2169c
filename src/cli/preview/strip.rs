//! Pictures of frames that follow on each other: GIF, animated PNG, a PNG a frame.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::arguments::{LookArguments, ViewName};
use super::source::Take;
use super::studio::Studio;
use crate::bake::{self, BakeError, FileSet, Overwrite};
use crate::cli::console::Console;
use crate::cli::failure::{Failure, UsageError};
use crate::cli::interrupt::Interrupt;
use crate::preview::{AnimatedPng, Gif, Picture, gif_step};
use crate::simulate::FrameRate;

/// Pixels of a view.
const SIZE: [u32; 2] = [480, 640];
/// Pictures of a turntable of something that does not move, and how many a second.
const TURN: usize = 72;
const TURN_RATE: FrameRate = FrameRate::whole(24);
/// Pictures that the palette of a GIF is made from.
const SAMPLES: usize = 6;
/// Pictures made at a time: no more are held.
const AT_A_TIME: usize = 16;
/// Most pixels of a picture on a side.
const LARGEST: u32 = 8192;

/// Most pictures in one that plays: minutes of it.
const MOST_PLAYED: usize = 5000;

/// The pictures of an animation.
pub(super) struct Strip<'a> {
    studio: Studio<'a>,
    views: &'a [ViewName],
    /// Frame of each picture.
    frames: Vec<usize>,
    fps: FrameRate,
    console: &'a Console,
    interrupt: &'a Interrupt,
}

impl<'a> Strip<'a> {
    /// All of `frames` of a take. Where nothing moves a turntable turns all the same.
    pub(super) fn new(
        take: &'a Take,
        frames: &[usize],
        look: &'a LookArguments,
        console: &'a Console,
        interrupt: &'a Interrupt,
    ) -> Result<Strip<'a>, UsageError> {
        let studio = Studio::new(take, frames, look, SIZE);
        let turns = look.views.contains(&ViewName::Turntable);
        let (frames, fps) = match frames {
            [still] if turns => (vec![*still; TURN], TURN_RATE),
            frames => (frames.to_vec(), take.film.timeline.fps),
        };
        let [width, height] = studio.size();
        if width.saturating_mul(look.views.len() as u32).max(height) > LARGEST {
            return Err(UsageError::LargeSheet { most: LARGEST });
        }
        Ok(Strip { studio, views: &look.views, frames, fps, console, interrupt })
    }

    /// Every so many pictures, for one that plays.
    fn numbers(&self, step: usize) -> Result<Vec<usize>, UsageError> {
        let numbers: Vec<usize> = (0..self.frames.len()).step_by(step).collect();
        match numbers.len() {
            frames if frames > MOST_PLAYED => Err(UsageError::LongStrip { frames, most: MOST_PLAYED }),
            _ => Ok(numbers),
        }
    }

    /// Picture `number`: all views side by side.
    fn picture(&self, number: usize) -> Picture {
        let part = number as f32 / self.frames.len() as f32;
        let views: Vec<Picture> =
            self.views.iter().map(|&view| self.studio.picture(self.frames[number], view, part)).collect();
        beside(views)
    }

    /// Makes the pictures of these numbers, several at a time, and gives each to `take` in order.
    fn each(&self, numbers: &[usize], mut take: impl FnMut(usize, &Picture) -> io::Result<()>) -> io::Result<()> {
        let progress = self.console.progress(numbers.len() as u64);
        for (done, some) in numbers.chunks(AT_A_TIME).enumerate() {
            let pictures: Vec<Picture> = some.par_iter().map(|&number| self.picture(number)).collect();
            for (&number, picture) in some.iter().zip(&pictures) {
                take(number, picture)?;
            }
            progress.update((done * AT_A_TIME + some.len()) as u64, "drawing");
            if self.interrupt.is_requested() {
                return Err(io::ErrorKind::Interrupted.into());
            }
        }
        progress.finish();
        Ok(())
    }

    /// Writes an animated GIF.
    pub(super) fn gif(&self, path: &Path) -> Result<(), Failure> {
        let step = gif_step(self.fps);
        let numbers = self.numbers(step)?;
        let samples = numbers.iter().step_by(numbers.len().div_ceil(SAMPLES)).copied().collect::<Vec<_>>();
        let samples: Vec<Picture> = samples.par_iter().map(|&number| self.picture(number)).collect();
        self.write(path, |sink| {
            let mut gif = Gif::new(sink, &samples, self.fps.per_second() / step as f64)?;
            self.each(&numbers, |_, picture| gif.push(picture))?;
            gif.finish()
        })
    }

    /// Writes an animated PNG.
    pub(super) fn animated_png(&self, path: &Path) -> Result<(), Failure> {
        let numbers = self.numbers(1)?;
        let [width, height] = self.studio.size();
        let size = [width * self.views.len() as u32, height];
        self.write(path, |sink| {
            let mut png = AnimatedPng::new(sink, size, numbers.len() as u32, self.fps)?;
            self.each(&numbers, |_, picture| png.push(picture))?;
            png.finish()
        })
    }

    /// Writes a PNG for each frame; `####` in the name becomes its number.
    pub(super) fn sequence(
        &self,
        path: &Path,
        first: i64,
        kept: &[PathBuf],
        overwrite: Overwrite,
    ) -> Result<(), Failure> {
        let numbers: Vec<usize> = (0..self.frames.len()).collect();
        let name = |number: usize| bake::numbered(path, first + self.frames[number] as i64);
        for &number in &numbers {
            bake::check_side_file(&name(number), &[], kept, overwrite)?;
        }
        let (mut files, mut failed) = (FileSet::default(), None);
        let written = self.each(&numbers, |number, picture| {
            let bytes = picture.png().map_err(io::Error::other)?;
            files.add(&name(number), path, |sink| sink.write_all(&bytes)).map_err(|error| {
                failed = Some(error);
                io::Error::other("not written")
            })
        });
        match (failed, written) {
            (Some(error), _) => Err(error.into()),
            (None, Err(source)) => Err(as_failure(BakeError::Io { path: path.to_owned(), action: "write it", source })),
            (None, Ok(())) => Ok(files.commit(overwrite)?),
        }
    }

    fn write(&self, path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        bake::write_file(path, content).map_err(as_failure)
    }
}

/// That the user wants to stop passes through writers as an error of theirs.
fn as_failure(error: BakeError) -> Failure {
    match error {
        BakeError::Io { source, .. } if source.kind() == io::ErrorKind::Interrupted => BakeError::Interrupted.into(),
        error => error.into(),
    }
}

/// Pictures of one height beside each other.
fn beside(mut pictures: Vec<Picture>) -> Picture {
    if pictures.len() == 1 {
        return pictures.remove(0);
    }
    let width = pictures.iter().map(|picture| picture.width).sum();
    let height = pictures.iter().map(|picture| picture.height).max().unwrap_or(1);
    let mut all = Picture::filled([width, height], [255; 3]);
    let mut x = 0;
    for picture in &pictures {
        all.paste(picture, [x, 0]);
        x += picture.width;
    }
    all
}
