//! The report as a page for people: one HTML file without scripts, which any browser opens from disk.
//!
//! ```text
//! scene            verdict
//! retakes          what should be looked at, in plain words
//! timeline         stretch, depth inside the body and self-crossings of each frame, the collision state below
//! worst moments    pictures around where the cloth is most stretched, deepest inside the body, goes through itself
//! course           pictures of frames from the first to the last
//! figures          a table
//! ```

mod moments;
mod timeline;

use std::fmt::{self, Display, Write};

use super::summary::percent;
use super::svg::escaped;
use super::{Report, Subject};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::import::counted;

const STYLE: &str = "\
:root{--ink:#222;--soft:#667;--paper:#fff;--card:#f4f5f7;--bad:#b3261e;--good:#1b6e3c}\
@media(prefers-color-scheme:dark){:root{--ink:#e8e8ea;--soft:#a0a3ad;--paper:#17181b;--card:#222429;--bad:#ff8a80;--good:#7ddc9f}}\
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:62rem;margin:2rem auto;padding:0 1rem}\
h1{margin-bottom:0}h2{margin-top:2.2rem}.soft{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}\
.row{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;background:var(--card);border-radius:.5rem;overflow:hidden}\
figcaption{padding:.5rem .75rem;font-size:.9rem;max-width:420px;box-sizing:border-box}img,svg{display:block;max-width:100%;height:auto}\
.timeline{overflow-x:auto}.timeline svg{width:100%;min-width:42rem;max-width:none}\
.mark{position:relative}.mark::after{content:'';position:absolute;left:50%;top:50%;width:12%;height:12%;transform:translate(-50%,-50%);border:2px solid var(--bad);border-radius:50%}\
table{border-collapse:collapse}td,th{padding:.2rem 1.2rem .2rem 0;text-align:left;vertical-align:top}";

/// The page. `gates` are the quality gates that failed, in plain words.
pub fn page(report: &Report, subject: &Subject<'_>, gates: &[String]) -> String {
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut page, report, subject, gates);
    page
}

fn write(page: &mut String, report: &Report, subject: &Subject<'_>, gates: &[String]) -> fmt::Result {
    let scene = escaped(&report.scene);
    write!(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")?;
    write!(page, "<meta name=\"viewport\" content=\"width=device-width\"><title>{scene}: bake report</title>")?;
    writeln!(page, "<style>{STYLE}</style></head><body>")?;
    write_verdict(page, report, &scene, gates)?;
    writeln!(page, "<h2>Timeline</h2>\n<figure class=\"timeline\">{}</figure>", timeline::drawing(report))?;
    let studio = moments::Studio::new(subject);
    let moments = moments::worst(report, &studio);
    if !moments.is_empty() {
        writeln!(
            page,
            "<h2>Worst moments</h2>\n<p class=\"soft\">Cloth is blue where it is compressed, red where it is stretched by {:.0} % and more.</p>\n<div class=\"row\">",
            crate::preview::FULL_STRAIN * 100.0
        )?;
        moments.iter().try_for_each(|moment| write_picture(page, moment, "mark"))?;
        writeln!(page, "</div>")?;
    }
    writeln!(page, "<h2>Course</h2>\n<div class=\"row\">")?;
    moments::course(&studio).iter().try_for_each(|moment| write_picture(page, moment, "plain"))?;
    writeln!(page, "</div>\n<h2>Figures</h2>")?;
    write_figures(page, report)?;
    writeln!(page, "</body></html>")
}

fn write_verdict(page: &mut String, report: &Report, scene: &str, gates: &[String]) -> fmt::Result {
    let frames = &report.frames;
    writeln!(page, "<h1>{scene}</h1>")?;
    writeln!(
        page,
        "<p class=\"soft\">{}, {} at {:.4} fps, {} vertices, toile {}</p>",
        escaped(&report.method),
        frames.words(),
        frames.fps,
        report.garment.vertices,
        report.toile
    )?;
    match gates {
        [] if report.retakes.is_empty() => writeln!(page, "<p class=\"good\">Nothing to send back.</p>")?,
        _ => {
            writeln!(page, "<h2>To look at</h2>")?;
            write_list(page, gates.iter().map(|gate| format!("<b class=\"bad\">gate: {}</b>", escaped(gate))))?;
            write_list(page, report.retakes.iter().map(|retake| escaped(retake)))?;
        }
    }
    write_list(page, report.notices.iter().map(|notice| format!("<span class=\"soft\">{}</span>", escaped(notice))))
}

fn write_list(page: &mut String, items: impl ExactSizeIterator<Item = String>) -> fmt::Result {
    if items.len() == 0 {
        return Ok(());
    }
    writeln!(page, "<ul>")?;
    for item in items {
        writeln!(page, "<li>{item}</li>")?;
    }
    writeln!(page, "</ul>")
}

fn write_picture(page: &mut String, moment: &moments::Moment, class: &str) -> fmt::Result {
    let Ok(png) = moment.picture.png() else { return Ok(()) };
    let (caption, data) = (escaped(&moment.caption), STANDARD.encode(png));
    let [width, height] = [moment.picture.width, moment.picture.height];
    writeln!(
        page,
        "<figure><div class=\"{class}\"><img width=\"{width}\" height=\"{height}\" alt=\"{caption}\" src=\"data:image/png;base64,{data}\"></div><figcaption>{caption}</figcaption></figure>"
    )
}

fn write_figures(page: &mut String, report: &Report) -> fmt::Result {
    writeln!(page, "<table>")?;
    let mut row = |name: &str, value: &dyn Display| writeln!(page, "<tr><th>{name}</th><td>{value}</td></tr>");
    let [p50, p95, max] = [report.stretch.p50, report.stretch.p95, report.stretch.max].map(|s| percent(s, 100.0));
    row("stretch of edges", &format!("median {p50:.2} %, p95 {p95:.2} %, largest {max:.1} %"))?;
    if let Some(penetration) = &report.penetration {
        let deep = penetration.vertex_frames;
        row(
            "inside the body",
            &format!("deepest {:.2} mm; {deep} times a vertex deeper than 1 mm", penetration.max_mm),
        )?;
        let through = &penetration.through_faces;
        let words = format!(
            "{:.2} mm; {} times a vertex of the body by more than 1 mm",
            through.max_mm, through.body_vertex_frames
        );
        row("the body through faces", &words)?;
    }
    let crossings = &report.self_crossings;
    row(
        "through itself",
        &format!(
            "at most {} of triangles in a frame, {} in all",
            counted(crossings.max_pairs, "pair"),
            crossings.pair_frames
        ),
    )?;
    let list = |frames: Vec<i64>| frames.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let or_none = |frames: Vec<i64>| if frames.is_empty() { "none".to_owned() } else { list(frames) };
    row("frozen frames", &or_none(report.steadiness.frozen.clone()))?;
    row("jumping frames", &or_none(report.steadiness.jumping.iter().map(|jump| jump.frame).collect()))?;
    if let Some(jitter) = report.motion.jitter_m_s2 {
        row("jitter at the end", &format!("{jitter:.3} m/s²"))?;
    }
    if let Some(residual) = report.repetition.residual_mm {
        row("loop", &format!("repeats within {residual:.2} mm"))?;
    }
    for (state, figures) in report.by_state.iter().filter(|_| report.by_state.len() > 1) {
        let [p95, max] = [figures.stretch_p95, figures.stretch_max].map(|s| s * 100.0);
        let words = format!(
            "{} frames, stretch p95 {p95:.2} %, largest {max:.1} %, deepest {:.2} mm",
            figures.frames, figures.penetration_max_mm
        );
        row(&format!("state {}", escaped(state)), &words)?;
    }
    let seconds = &report.seconds;
    row(
        "time",
        &format!(
            "{:.1} s simulating ({:.1} ms a frame), {:.1} s in all",
            seconds.simulate,
            report.milliseconds_per_frame,
            seconds.import + seconds.build + seconds.simulate + seconds.write + seconds.measure
        ),
    )?;
    for output in &report.outputs {
        row("written", &format!("{} ({} bytes)", escaped(&output.path.display().to_string()), output.bytes))?;
    }
    writeln!(page, "</table>")
}
