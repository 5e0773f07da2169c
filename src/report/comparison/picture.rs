//! A comparison as a picture, a row a scene:
//!
//! ```text
//!  title
//!  stretch p95 |  ___/~~~~ none          max  |  x none             --- tethers
//!  of a frame  | /________ tethers    stretch |        o tethers    --- none, blew up at frame 12
//!              +---------- frame              +------------- ms a frame
//! ```
//!
//! Both axes of stretch are logarithmic: methods differ by factors.

use super::{SceneComparison, Trial, TrialStretch};
use crate::report::axis::Axis;
use crate::report::svg::{Anchor, Colour, Drawing, Lettering};

/// Colours that people with colour blindness tell apart (Okabe and Ito 2008), the pale yellow left out.
const COLOURS: [Colour; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#444444"];
/// Dashes of the first, second and third round of colours.
const DASHES: [&str; 3] = ["", "7 3", "2 3"];
/// Stretch below which nobody looks, per cent: the bottom of the axes.
const LEAST_STRETCH: f64 = 0.01;

const INK: Colour = "#222222";
const GREY: Colour = "#777777";
const GRID: Colour = "#e4e4e4";

const WIDTH: f64 = 1280.0;
const ROW: f64 = 440.0;
/// Left and right edge of each panel, and of the legend, pixels.
const FRAMES_PANEL: [f64; 2] = [78.0, 590.0];
const TIME_PANEL: [f64; 2] = [680.0, 1030.0];
const LEGEND: f64 = 1060.0;
/// Top and bottom of the panels within their row.
const PANEL: [f64; 2] = [70.0, 380.0];
/// Width of a letter of a label, about, and height of a line, pixels.
const LETTER: [f64; 2] = [6.3, 14.0];
/// Distance of a label from its dot, pixels.
const BESIDE: f64 = 9.0;
/// Half lines that a label may move up or down.
const MOST_STEPS: i32 = 20;

/// An SVG document of all `scenes`, one below the other.
pub fn picture(scenes: &[SceneComparison]) -> String {
    let mut drawing = Drawing::new(WIDTH, ROW * scenes.len().max(1) as f64);
    for (row, scene) in scenes.iter().enumerate() {
        Row { scene, top: ROW * row as f64 }.draw(&mut drawing);
    }
    drawing.finish()
}

/// A scene and where its row starts.
struct Row<'a> {
    scene: &'a SceneComparison,
    top: f64,
}

/// One panel: its axes.
struct Panel {
    x: Axis,
    y: Axis,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Row<'_> {
    fn draw(&self, drawing: &mut Drawing) {
        let frames = &self.scene.frames;
        let title = lettering(17, INK, Anchor::Start, true);
        drawing.text([20.0, self.top + 28.0], &self.scene.scene, title);
        let particles = self.scene.garment.particles;
        let facts = format!("{particles} particles, frames {} to {} at {} fps", frames.first, frames.last, frames.fps);
        drawing.text([20.0, self.top + 47.0], &facts, lettering(12, GREY, Anchor::Start, false));
        self.draw_frames(drawing);
        self.draw_times(drawing);
        self.draw_legend(drawing);
    }

    /// Left: stretch over the frames.
    fn draw_frames(&self, drawing: &mut Drawing) {
        let (first, last) = (self.scene.frames.first as f64, self.scene.frames.last as f64);
        let of_frames = |t: &Trial| t.stretch.as_ref().map_or(Vec::new(), |s| s.p95_of_frames.clone());
        let values = self.scene.trials.iter().flat_map(of_frames).map(|s| percent(f64::from(s)));
        let panel = self.panel(FRAMES_PANEL, |x| Axis::linear([first, last], x), values);
        panel.draw(drawing, "frame", "stretch of a frame, 95th percentile, %");
        for (index, trial) in self.scene.trials.iter().enumerate() {
            let curve = of_frames(trial).into_iter().enumerate();
            let place = |(k, s)| [panel.x.at(first + k as f64), panel.y.at(percent(f64::from(s)))];
            let points: Vec<[f64; 2]> = curve.map(place).collect();
            drawing.polyline(&points, colour(index), dashes(index));
            if let Some(&end) = points.last().filter(|_| trial.diverged.is_some()) {
                drawing.cross(end, colour(index));
            }
        }
    }

    /// Right: what each method costs and what it gives.
    fn draw_times(&self, drawing: &mut Drawing) {
        let figures = |t: &Trial| {
            let time = t.milliseconds_per_frame.filter(|&ms| ms > 0.0)?;
            Some((time, percent(t.stretch.as_ref().map(|s: &TrialStretch| s.max)?)))
        };
        let all = self.scene.trials.iter().filter_map(figures);
        let times = all.clone().map(|(time, _)| time);
        let panel = self.panel(TIME_PANEL, |x| Axis::logarithmic(times, x), all.map(|(_, stretch)| stretch));
        panel.draw(drawing, "milliseconds a frame, one thread", "largest stretch of any frame, %");
        let places = self.scene.trials.iter().map(|t| figures(t).map(|(x, y)| [panel.x.at(x), panel.y.at(y)]));
        let places: Vec<Option<[f64; 2]>> = places.collect();
        let mut taken: Vec<Place> = places.iter().flatten().map(|&dot| Place::around(dot)).collect();
        for (index, (trial, dot)) in self.scene.trials.iter().zip(&places).enumerate() {
            let Some(dot) = *dot else { continue };
            match (trial.diverged.is_some(), index < COLOURS.len()) {
                (true, _) => drawing.cross(dot, colour(index)),
                (false, true) => drawing.dot(dot, colour(index)),
                (false, false) => drawing.ring(dot, colour(index)),
            }
            self.label(drawing, &panel, dot, index, &mut taken);
        }
    }

    /// Writes the name of trial `index` beside its `dot`, where nothing stands yet: right of it or left, else further up or
    /// down with a line to it.
    fn label(&self, drawing: &mut Drawing, panel: &Panel, dot: [f64; 2], index: usize, taken: &mut Vec<Place>) {
        let text = self.name(index);
        let length = LETTER[0] * text.chars().count() as f64;
        let [right, left] = [dot[0] + BESIDE, dot[0] - BESIDE - length];
        let places =
            (0..MOST_STEPS).flat_map(|n| [(right, n), (left, n), (right, -n), (left, -n)]).map(|(start, n)| {
                let middle = dot[1] + LETTER[1] * 0.5 * f64::from(n);
                Place { min: [start, middle - 0.5 * LETTER[1]], max: [start + length, middle + 0.5 * LETTER[1]] }
            });
        let is_free = |place: &Place| panel.holds(place) && !taken.iter().any(|other| place.overlaps(other));
        let Some(place) = places.clone().find(is_free).or_else(|| places.clone().next()) else { return };
        let middle = 0.5 * (place.min[1] + place.max[1]);
        if (middle - dot[1]).abs() > 0.4 * LETTER[1] {
            let end = if place.max[0] < dot[0] { place.max[0] + 2.0 } else { place.min[0] - 2.0 };
            drawing.line(dot, [end, middle], GREY, 0.6);
        }
        drawing.text([place.min[0], middle + 4.0], &text, lettering(12, INK, Anchor::Start, false));
        taken.push(place);
    }

    fn draw_legend(&self, drawing: &mut Drawing) {
        let mut y = self.top + PANEL[0] + 6.0;
        for (index, trial) in self.scene.trials.iter().enumerate() {
            drawing.stroke([LEGEND, y], [LEGEND + 24.0, y], colour(index), dashes(index));
            drawing.text([LEGEND + 30.0, y + 4.0], &self.name(index), lettering(12, INK, Anchor::Start, false));
            y += 18.0;
            if let Some(diverged) = &trial.diverged {
                let words = format!("blew up at frame {}", diverged.frame);
                drawing.text([LEGEND + 30.0, y], &words, lettering(11, GREY, Anchor::Start, false));
                y += 16.0;
            }
        }
    }

    /// The method of trial `index`, with its substeps where these differ from method to method.
    fn name(&self, index: usize) -> String {
        let trials = &self.scene.trials;
        let differ = trials.iter().any(|t| t.of.substeps != trials[0].of.substeps);
        let of = &trials[index].of;
        if differ { format!("{} @{}", of.label(), of.substeps) } else { of.label() }
    }

    fn panel(
        &self,
        [left, right]: [f64; 2],
        x: impl FnOnce([f64; 2]) -> Axis,
        stretches: impl Iterator<Item = f64> + Clone,
    ) -> Panel {
        let [top, bottom] = PANEL.map(|y| self.top + y);
        Panel { x: x([left, right]), y: Axis::logarithmic(stretches, [bottom, top]), left, right, top, bottom }
    }
}

impl Panel {
    fn holds(&self, place: &Place) -> bool {
        let ([left, top], [right, bottom]) = (place.min, place.max);
        left > self.left && right < self.right && top > self.top && bottom < self.bottom
    }

    /// Grid, ticks and titles.
    fn draw(&self, drawing: &mut Drawing, x_title: &str, y_title: &str) {
        for value in self.x.ticks() {
            let x = self.x.at(value);
            drawing.line([x, self.top], [x, self.bottom], GRID, 1.0);
            drawing.text([x, self.bottom + 17.0], &value.to_string(), lettering(11, GREY, Anchor::Middle, false));
        }
        for value in self.y.ticks() {
            let y = self.y.at(value);
            drawing.line([self.left, y], [self.right, y], GRID, 1.0);
            drawing.text([self.left - 7.0, y + 4.0], &value.to_string(), lettering(11, GREY, Anchor::End, false));
        }
        drawing.line([self.left, self.bottom], [self.right, self.bottom], GREY, 1.0);
        drawing.line([self.left, self.top], [self.left, self.bottom], GREY, 1.0);
        let [x, y] = [0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom)];
        drawing.text([x, self.bottom + 38.0], x_title, lettering(12, INK, Anchor::Middle, false));
        drawing.upright_text([self.left - 48.0, y], y_title, lettering(12, INK, Anchor::Middle, false));
    }
}

/// A rectangle that a dot or label takes.
#[derive(Clone, Copy)]
struct Place {
    min: [f64; 2],
    max: [f64; 2],
}

impl Place {
    fn around([x, y]: [f64; 2]) -> Place {
        Place { min: [x - 5.0, y - 5.0], max: [x + 5.0, y + 5.0] }
    }

    fn overlaps(&self, other: &Place) -> bool {
        (0..2).all(|axis| self.min[axis] < other.max[axis] && other.min[axis] < self.max[axis])
    }
}

fn percent(stretch: f64) -> f64 {
    (stretch * 100.0).max(LEAST_STRETCH)
}

fn colour(index: usize) -> Colour {
    COLOURS[index % COLOURS.len()]
}

fn dashes(index: usize) -> &'static str {
    DASHES[index / COLOURS.len() % DASHES.len()]
}

fn lettering(size: u32, colour: Colour, anchor: Anchor, is_bold: bool) -> Lettering {
    Lettering { size, colour, anchor, is_bold }
}
