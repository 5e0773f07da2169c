//! A bake over time: what each frame is like.
//!
//! ```text
//! stretch, %      ~~~~/\~~~ largest   ___ p95
//! inside, mm      ____/\___
//! crossings       __/~~\___
//! state           [ free ][ left knee ][ free ]
//! ```

use crate::report::Report;
use crate::report::axis::Axis;
use crate::report::penetration::{Cause, FramePenetration};
use crate::report::svg::{Anchor, Colour, Drawing, Lettering};

const WIDTH: f64 = 960.0;
/// Left and right edge of the panels, pixels.
const PANEL: [f64; 2] = [64.0, 940.0];
/// Height of a panel, and of it with its title.
const HEIGHT: f64 = 96.0;
const ROW: f64 = 136.0;
/// Height of the strip of states.
const STRIP: f64 = 52.0;

const INK: Colour = "#222222";
const GREY: Colour = "#777777";
const GRID: Colour = "#e4e4e4";
/// Colours that people with colour blindness tell apart (Okabe and Ito 2008).
const BLUE: Colour = "#0072b2";
const RED: Colour = "#d55e00";
const STATES: [Colour; 5] = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#999999"];

/// A figure of each frame.
struct Curve {
    name: &'static str,
    colour: Colour,
    values: Vec<(i64, f64)>,
}

/// An SVG document.
pub(super) fn drawing(report: &Report) -> String {
    let panels = panels(report);
    let height = ROW * panels.len() as f64 + STRIP;
    let mut drawing = Drawing::new(WIDTH, height);
    let frames = Axis::linear([report.frames.first as f64, report.frames.last as f64], PANEL);
    for (row, (title, curves)) in panels.iter().enumerate() {
        draw_panel(&mut drawing, &frames, ROW * row as f64, title, curves);
    }
    draw_states(&mut drawing, &frames, report, ROW * panels.len() as f64);
    drawing.finish()
}

fn panels(report: &Report) -> Vec<(&'static str, Vec<Curve>)> {
    let of_stretch = |figure: fn(&super::super::stretch::FrameStretch) -> f32| {
        report.stretch.frames.iter().map(|f| (f.frame, 100.0 * f64::from(figure(f)))).collect()
    };
    let largest = Curve { name: "largest", colour: RED, values: of_stretch(|f| f.stretch) };
    let p95 = Curve { name: "p95", colour: BLUE, values: of_stretch(|f| f.p95) };
    let mut panels = vec![("stretch of edges, %", vec![largest, p95])];
    let frames = report.frames.first..=report.frames.last;
    if let Some(penetration) = &report.penetration {
        let deepest = |depth: &dyn Fn(&FramePenetration) -> f64| {
            let mut values: Vec<(i64, f64)> = frames.clone().map(|frame| (frame, 0.0)).collect();
            for frame in &penetration.frames {
                let index = usize::try_from(frame.frame - report.frames.first).ok();
                if let Some(value) = index.and_then(|i| values.get_mut(i)) {
                    value.1 = depth(frame) * 1000.0;
                }
            }
            values
        };
        let all = Curve { name: "anywhere", colour: RED, values: deepest(&FramePenetration::depth) };
        let elsewhere = |frame: &FramePenetration| frame.deepest(Cause::Other).map_or(0.0, |deepest| deepest.depth);
        let name = "neither where the body touches itself nor from the start";
        let elsewhere = Curve { name, colour: BLUE, values: deepest(&elsewhere) };
        panels.push(("deepest inside the body, mm", vec![all, elsewhere]));
    }
    let pairs = report.self_crossings.frames.iter().map(|&pairs| pairs as f64);
    panels.push((
        "pairs of triangles through each other",
        vec![Curve { name: "", colour: RED, values: frames.zip(pairs).collect() }],
    ));
    panels
}

fn draw_panel(drawing: &mut Drawing, frames: &Axis, top: f64, title: &str, curves: &[Curve]) {
    let [left, right] = PANEL;
    let bottom = top + ROW - 8.0;
    let most = curves.iter().flat_map(|c| &c.values).map(|v| v.1).fold(1.0, f64::max);
    let values = Axis::linear([0.0, most], [bottom, bottom - HEIGHT]);
    let label = |anchor: Anchor, colour: Colour| Lettering { size: 12, colour, anchor, is_bold: false };
    drawing.text([left, bottom - HEIGHT - 10.0], title, Lettering { is_bold: true, ..label(Anchor::Start, INK) });
    for value in [0.0, most] {
        let y = values.at(value);
        drawing.line([left, y], [right, y], GRID, 1.0);
        let text = if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") };
        drawing.text([left - 8.0, y + 4.0], &text, label(Anchor::End, GREY));
    }
    for (place, curve) in curves.iter().enumerate() {
        let points: Vec<[f64; 2]> = curve.values.iter().map(|&(f, v)| [frames.at(f as f64), values.at(v)]).collect();
        drawing.polyline(&points, curve.colour, "");
        let x = right - 60.0 * place as f64;
        drawing.text([x, bottom - HEIGHT - 10.0], curve.name, label(Anchor::End, curve.colour));
    }
}

/// The state in force in each frame as a strip, with the frames' numbers below.
fn draw_states(drawing: &mut Drawing, frames: &Axis, report: &Report, top: f64) {
    let y = top + 14.0;
    let names: Vec<&String> = report.by_state.keys().collect();
    let first = report.frames.first;
    let mut start = 0;
    for run in report.states.chunk_by(|a, b| a == b) {
        let colour = STATES[names.iter().position(|name| **name == run[0]).unwrap_or(0) % STATES.len()];
        let ends = [start, start + run.len()].map(|index| frames.at((first + index as i64) as f64));
        drawing.line([ends[0], y], [ends[1], y], colour, 10.0);
        if names.len() > 1 && ends[1] - ends[0] > 7.0 * run[0].len() as f64 {
            let lettering = Lettering { size: 10, colour: INK, anchor: Anchor::Middle, is_bold: false };
            drawing.text([0.5 * (ends[0] + ends[1]), y + 4.0], &run[0], lettering);
        }
        start += run.len();
    }
    for tick in frames.ticks() {
        let lettering = Lettering { size: 12, colour: GREY, anchor: Anchor::Middle, is_bold: false };
        drawing.text([frames.at(tick), y + 26.0], &format!("{tick:.0}"), lettering);
    }
}
