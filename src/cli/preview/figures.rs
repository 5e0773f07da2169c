//! The pictures of the README: a gallery, and our own of figures 2 to 7 of Ozgen & Kallmann, "Directional Constraint Enforcement
//! for Fast Cloth Simulation" (MIG 2011).

use std::path::Path;

use rayon::prelude::*;

use super::arguments::{FiguresArguments, LookArguments, Show, SourceArguments, ViewName};
use super::source::beginning;
use super::studio::last_frame;
use super::{gallery, laid_out, maps, source, write_sheet};
use crate::bake::{self, Overwrite};
use crate::cli::console::{Console, Verbosity};
use crate::cli::failure::Failure;
use crate::cli::interrupt::Interrupt;
use crate::cli::print;
use crate::correction::SpringOrder;
use crate::pins::PinSelector;
use crate::preset::Scene;
use crate::preview::{Cell, Picture};
use crate::simulate::Enforcement;

/// Pixels of a picture in a figure, and in the gallery.
const SIZE: [u32; 2] = [360, 400];
const SMALL: [u32; 2] = [210, 280];
/// Frames that hung sheets get to come down, and a walk until a knee is up.
const HUNG: i64 = 150;
const STEP: i64 = 12;
/// The orders of springs that give different maps.
const ORDERS: [(SpringOrder, &str); 4] = [
    (SpringOrder::Hvs, "horizontal, vertical, shear"),
    (SpringOrder::Hsv, "horizontal, shear, vertical"),
    (SpringOrder::Vsh, "vertical, shear, horizontal"),
    (SpringOrder::Svh, "shear, vertical, horizontal"),
];

/// A picture of a figure.
struct Panel {
    caption: String,
    scene: Scene,
    what: What,
}

/// What a panel shows of its scene.
#[derive(Clone, Copy)]
enum What {
    /// The first part, 0 to 1, of the order of corrections in a collision state.
    Map { state: usize, part: f32 },
    /// The last frame.
    Frame(Show),
}

/// A sheet of panels.
struct Figure {
    file: &'static str,
    title: &'static str,
    columns: usize,
    view: ViewName,
    panels: Vec<Panel>,
}

/// Draws all of them into a folder.
pub(crate) fn run(arguments: &FiguresArguments, console: &Console, interrupt: &Interrupt) -> Result<(), Failure> {
    let figures = figures()?;
    let overwrite = if arguments.force { Overwrite::Allow } else { Overwrite::Refuse };
    let path = |file: &str| arguments.folder.join(file);
    for file in figures.iter().map(|figure| figure.file).chain(["gallery.png"]) {
        bake::check_side_file(&path(file), &[], &[], overwrite)?;
    }
    for figure in &figures {
        console.stage(figure.title);
        draw(figure, &path(figure.file), interrupt)?;
    }
    console.stage("gallery");
    let look = LookArguments::of(ViewName::ThreeQuarter, Show::Shaded);
    let (cells, columns) = gallery::cells(&look, SMALL, &SourceArguments::default(), console, interrupt)?;
    write_sheet(&laid_out("Every scene in every fabric", &cells, columns)?, &path("gallery.png"))?;
    print(&format!("{}\n", arguments.folder.display()))
}

fn draw(figure: &Figure, path: &Path, interrupt: &Interrupt) -> Result<(), Failure> {
    let quiet = Console::new(Verbosity::Quiet);
    let cell = |panel: &Panel| -> Result<Cell, Failure> {
        let show = if let What::Frame(show) = panel.what { show } else { Show::Map };
        let take = source::of_scene(panel.scene.clone(), show, &SourceArguments::default(), &quiet, interrupt)?;
        let look = LookArguments::of(figure.view, show);
        let picture = match panel.what {
            What::Map { state, part } => maps::picture(&take, state, part, figure.view.at(0.0), &look, SIZE),
            What::Frame(_) => Some(last_frame(&take, &look, SIZE)),
        };
        let picture = picture.unwrap_or_else(|| Picture::filled(SIZE, [255; 3]));
        Ok(Cell { caption: panel.caption.clone(), picture })
    };
    let cells: Result<Vec<Cell>, Failure> = figure.panels.par_iter().map(cell).collect();
    write_sheet(&laid_out(figure.title, &cells?, figure.columns)?, path)
}

fn figures() -> Result<Vec<Figure>, Failure> {
    let front = ViewName::Front;
    Ok(vec![
        Figure {
            file: "figure_2.png",
            title: "Orders of springs, and how the cloth hangs by them",
            columns: ORDERS.len(),
            view: front,
            panels: orders()?,
        },
        Figure { file: "figure_3.png", title: "A map, step by step", columns: 4, view: front, panels: steps()? },
        Figure { file: "figure_4.png", title: "Maps of three knee states", columns: 3, view: front, panels: knees()? },
        Figure {
            file: "figure_5.png",
            title: "Maps of different fixed vertices",
            columns: 4,
            view: front,
            panels: fixed_sets()?,
        },
        Figure {
            file: "figure_6.png",
            title: "A tunic held at the shoulders, and at shoulders and belt",
            columns: 4,
            view: ViewName::ThreeQuarter,
            panels: belts()?,
        },
        Figure {
            file: "figure_7.png",
            title: "A long skirt without and with enforcement",
            columns: 2,
            view: ViewName::ThreeQuarter,
            panels: enforced()?,
        },
    ])
}

fn with_order(mut scene: Scene, order: SpringOrder) -> Scene {
    if let Enforcement::Directional { order: of_scene, .. } = &mut scene.parameters.enforcement {
        *of_scene = order;
    }
    scene
}

fn orders() -> Result<Vec<Panel>, Failure> {
    let mut panels = Vec::new();
    for what in [What::Map { state: 0, part: 1.0 }, What::Frame(Show::Strain)] {
        for (order, words) in ORDERS {
            let frames = if matches!(what, What::Map { .. }) { 0 } else { HUNG };
            let scene = with_order(beginning("papers/ozgen_orders", frames)?, order);
            panels.push(Panel { caption: words.to_owned(), scene, what });
        }
    }
    Ok(panels)
}

fn steps() -> Result<Vec<Panel>, Failure> {
    let panel = |part: f32| {
        let caption = format!("{:.0} % of the corrections", 100.0 * part);
        Ok(Panel { caption, scene: beginning("papers/ozgen_orders", 0)?, what: What::Map { state: 0, part } })
    };
    [0.05, 0.25, 0.5, 1.0].into_iter().map(panel).collect()
}

fn knees() -> Result<Vec<Panel>, Failure> {
    let mut scene = beginning("skirt_walk", 0)?;
    scene.parameters.state_mode = None;
    let names: Vec<String> = scene.parameters.states.iter().map(|state| state.name.clone()).collect();
    let panel = |(state, caption)| Panel { caption, scene: scene.clone(), what: What::Map { state, part: 1.0 } };
    Ok(names.into_iter().enumerate().map(panel).collect())
}

fn fixed_sets() -> Result<Vec<Panel>, Failure> {
    let sets = [("two corners", "0,40"), ("one edge", "0..40"), ("a corner", "0"), ("its middle", "840")];
    let panel = |(words, vertices): (&str, &str)| {
        let mut scene = beginning("papers/ozgen_orders", 0)?;
        scene.pins = pins(&[&format!("vertex:{vertices}")]);
        Ok(Panel { caption: words.to_owned(), scene, what: What::Map { state: 0, part: 1.0 } })
    };
    sets.into_iter().map(panel).collect()
}

fn belts() -> Result<Vec<Panel>, Failure> {
    let held: [(&str, &[&str]); 2] =
        [("shoulders", &["group:shoulders"]), ("shoulders and belt", &["group:shoulders", "box:-1,1.06,-1,1,1.1,1"])];
    let mut panels = Vec::new();
    for (words, selectors) in held {
        for (what, frames) in [(What::Map { state: 0, part: 1.0 }, 0), (What::Frame(Show::Shaded), STEP)] {
            let mut scene = beginning("tunic_walk", frames)?;
            scene.pins = pins(selectors);
            panels.push(Panel { caption: words.to_owned(), scene, what });
        }
    }
    Ok(panels)
}

fn enforced() -> Result<Vec<Panel>, Failure> {
    let methods = [("springs alone", Some(Enforcement::None)), ("the default", None)];
    let panel = |(words, method): (&str, Option<Enforcement>)| {
        let mut scene = beginning("skirt_walk", 2 * STEP)?;
        scene.parameters.enforcement = method.unwrap_or(scene.parameters.enforcement);
        Ok(Panel { caption: words.to_owned(), scene, what: What::Frame(Show::Strain) })
    };
    methods.into_iter().map(panel).collect()
}

/// Selectors as the command line has them; our own are right.
fn pins(selectors: &[&str]) -> Vec<PinSelector> {
    selectors.iter().filter_map(|selector| selector.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_names_what_there_is() {
        let figures = figures().expect("built-in scenes");
        assert_eq!(figures.iter().map(|figure| figure.panels.len()).collect::<Vec<_>>(), [8, 4, 3, 4, 4, 2]);
        assert_eq!(pins(&["group:shoulders", "box:-1,1.06,-1,1,1.1,1"]).len(), 2);
    }
}
