//! A clip as a page that plays it.

use std::path::Path;

use super::arguments::{LookArguments, PreviewArguments, Show, ViewName};
use super::source::{Played, Take, refuse_given};
use super::strain::Strain;
use crate::bake;
use crate::cli::failure::{Failure, UsageError};
use crate::preview::{Clip, FULL_STRAIN, Pose, Switches, page};
use crate::simulate::StateMode;

/// Whether a page shows what the flags ask for.
pub(super) fn check(arguments: &PreviewArguments) -> Result<(), UsageError> {
    let LookArguments { show, count, size, .. } = &arguments.look;
    match show {
        _ if arguments.all => Err(UsageError::OneOnPages),
        Show::Shaded | Show::Strain | Show::Wire | Show::Map => {
            refuse_given([("size", size.is_some()), ("count", count.is_some())], "a page")
        }
        show => Err(UsageError::NotOnPages { show: show.name() }),
    }
}

/// Writes the page of these frames.
pub(super) fn write(take: &Take, frames: &[usize], look: &LookArguments, out: &Path) -> Result<(), Failure> {
    let strain = Strain::new(take);
    let html = page(&clip(take, frames, &strain, look)).map_err(UsageError::LargePage)?;
    Ok(bake::write_file(out, |sink| sink.write_all(html.as_bytes()))?)
}

/// `take` as a page shows it.
fn clip<'a>(take: &'a Take, frames: &'a [usize], strain: &'a Strain, look: &LookArguments) -> Clip<'a> {
    let played = take.scene.as_ref();
    Clip {
        name: &take.name,
        film: &take.film,
        frames,
        edges: strain.edges.clone(),
        stretch: Box::new(|pose: &Pose| strain.stretches(pose)),
        full_scale: FULL_STRAIN,
        states: played.and_then(states),
        maps: played.map(|played| &played.cloth.maps),
        particles: played.and_then(Played::particles),
        view: look.views.first().map_or(ViewName::ThreeQuarter, |view| *view).at(0.0),
        switches: Switches {
            strain: look.show == Show::Strain,
            wires: look.show == Show::Wire,
            map: look.show == Show::Map,
        },
        background: look.background.map(|background| background.0),
    }
}

/// The named collision states, and the one in force in each frame.
fn states(played: &Played) -> Option<(Vec<&str>, &[usize])> {
    let Played { parameters, simulated, .. } = played;
    let names = || parameters.states.iter().map(|state| state.name.as_str()).collect();
    (parameters.state_mode() == StateMode::Named).then(|| (names(), simulated.states.as_slice()))
}
