//! Every built-in scene in every built-in fabric on one sheet.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::arguments::{LookArguments, SourceArguments};
use super::source;
use super::studio::Studio;
use crate::cli::console::{Console, Verbosity};
use crate::cli::failure::Failure;
use crate::cli::interrupt::Interrupt;
use crate::preset::builtin;
use crate::preview::Cell;

/// Frame that is shown, counted from the first.
const SHOWN: i64 = 24;

/// A picture of `size` pixels for each scene and fabric, fabrics side by side; and how many fabrics there are.
pub(super) fn cells(
    look: &LookArguments,
    size: [u32; 2],
    from: &SourceArguments,
    console: &Console,
    interrupt: &Interrupt,
) -> Result<(Vec<Cell>, usize), Failure> {
    // Scenes of the papers are experiments, not presets to choose from.
    let scenes = builtin::scene_names().into_iter().filter(|name| !name.contains('/'));
    let fabrics = builtin::fabric_names();
    let pairs: Vec<(&str, &str)> =
        scenes.flat_map(|scene| fabrics.iter().map(move |&fabric| (scene, fabric))).collect();
    let progress = console.progress(pairs.len() as u64);
    let done = AtomicU64::new(0);
    let cell = |&(scene, fabric): &(&str, &str)| -> Result<Cell, Failure> {
        let quiet = Console::new(Verbosity::Quiet);
        let take = source::preset_until(scene, fabric, SHOWN, look.show, from, &quiet, interrupt)?;
        let last = take.film.timeline.len().saturating_sub(1);
        let studio = Studio::new(&take, &[last], look, size);
        let picture = studio.picture(last, look.views[0], 0.0);
        done.fetch_add(1, Ordering::Relaxed);
        Ok(Cell { caption: format!("{scene}, {fabric}"), picture })
    };
    // A few at a time, so that progress can be shown from here.
    let mut cells = Vec::new();
    for some in pairs.chunks(rayon::current_num_threads().max(1)) {
        let made: Result<Vec<Cell>, Failure> = some.par_iter().map(cell).collect();
        cells.extend(made?);
        progress.update(done.load(Ordering::Relaxed), "scenes in their fabrics");
    }
    progress.finish();
    Ok((cells, fabrics.len()))
}
