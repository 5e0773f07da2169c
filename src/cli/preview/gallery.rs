//! Every built-in scene in every built-in fabric on one sheet.

use rayon::prelude::*;

use super::arguments::{LookArguments, SourceArguments};
use super::source;
use super::studio::last_frame;
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
    let cell = |&(scene, fabric): &(&str, &str)| -> Result<Cell, Failure> {
        let quiet = Console::new(Verbosity::Quiet);
        let mut dressed = source::beginning(scene, SHOWN)?;
        source::wear(&mut dressed, fabric)?;
        let take = source::of_scene(dressed, look.show, from, &quiet, interrupt)?;
        Ok(Cell { caption: format!("{scene}, {fabric}"), picture: last_frame(&take, look, size) })
    };
    // A few at a time, so that progress can be shown from here.
    let mut cells = Vec::new();
    for some in pairs.chunks(rayon::current_num_threads().max(1)) {
        let made: Result<Vec<Cell>, Failure> = some.par_iter().map(cell).collect();
        cells.extend(made?);
        progress.update(cells.len() as u64, "scenes in their fabrics");
    }
    progress.finish();
    Ok((cells, fabrics.len()))
}
