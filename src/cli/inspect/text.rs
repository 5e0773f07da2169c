//! Facts for people.

use std::fmt::{self, Write};

use super::Facts;
use super::body::BodyFacts;
use super::garment::{GarmentFacts, PieceFacts};
use super::sequence::SequenceFacts;
use crate::cli::console::on_a_line;
use crate::import::counted;

/// Names of a kind that are shown; `--json` has them all.
const NAMES_SHOWN: usize = 40;
/// Groups that are named beside a component.
const GROUPS_SHOWN: usize = 4;

/// What was found in a file, in lines.
pub(super) fn describe(facts: &Facts) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match facts {
        Facts::Garment(facts) => garment(facts, &mut text),
        Facts::Body(facts) => body(facts, &mut text),
        Facts::Sequence(facts) => sequence(facts, &mut text),
    };
    text
}

fn garment(facts: &GarmentFacts, text: &mut String) -> fmt::Result {
    writeln!(text, "{}", facts.file.display())?;
    let faces = &facts.faces;
    let kinds = [(faces.triangles, "triangles"), (faces.quads, "quads"), (faces.larger, "larger faces")];
    let kinds: Vec<_> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}")).collect();
    writeln!(text, "  mesh        {} vertices ({} welded), {}", facts.vertices, facts.particles, kinds.join(", "))?;
    writeln!(text, "  size        {}", size(facts.size))?;
    writeln!(text, "  components  {}", facts.components)?;
    if facts.pieces.len() > 1 {
        pieces(text, &facts.pieces)?;
    }
    for l in &facts.boundary_loops {
        let extent = size(l.extent);
        writeln!(text, "  loop:{:<6} {} vertices, mean height {:.3} m, {extent}", l.number, l.vertices, l.height)?;
    }
    names(
        text,
        "groups",
        facts.groups.iter().map(|g| format!("{} ({} faces)", on_a_line(&g.name), g.faces)).collect(),
    )?;
    names(text, "attributes", facts.attributes.iter().map(|name| on_a_line(name)).collect())?;
    if facts.has_skin {
        writeln!(text, "  skin        weights of its own; pins follow them")?;
    }
    writeln!(text, "  memory      {}", facts.memory)?;
    remarks(text, &facts.notices, &facts.advice)
}

/// Connected pieces, as `--include` and `--exclude` number them.
fn pieces(text: &mut String, pieces: &[PieceFacts]) -> fmt::Result {
    for piece in pieces.iter().take(NAMES_SHOWN) {
        let [x, y, z] = piece.centre;
        let groups: Vec<String> = piece.groups.iter().take(GROUPS_SHOWN).map(|name| on_a_line(name)).collect();
        let groups = if groups.is_empty() { String::new() } else { format!(", in {}", groups.join(", ")) };
        let (number, vertices, size) = (piece.number, piece.particles, size(piece.size));
        writeln!(text, "  component:{number:<2} {vertices} vertices, {size} at ({x:.3}, {y:.3}, {z:.3}){groups}")?;
    }
    if pieces.len() > NAMES_SHOWN {
        writeln!(text, "  and {} more components", pieces.len() - NAMES_SHOWN)?;
    }
    Ok(())
}

fn body(facts: &BodyFacts, text: &mut String) -> fmt::Result {
    writeln!(text, "{}", facts.file.display())?;
    let parts = counted(facts.parts.len(), "part");
    writeln!(text, "  body        {} vertices, {} triangles, {parts}", facts.vertices, facts.triangles)?;
    writeln!(text, "  height      {:.3} m", facts.height)?;
    for part in facts.parts.iter().take(NAMES_SHOWN) {
        let moved = if part.is_skinned { "skinned" } else { "rigid" };
        writeln!(text, "  part        {}: {} triangles, {moved}", on_a_line(&part.name), part.triangles)?;
    }
    for clip in &facts.clips {
        let rate = clip.fps.map(|fps| format!(", {fps:.3} fps")).unwrap_or_default();
        let closed = if clip.is_closed { "repeats itself" } else { "does not close" };
        let length = format!("{:.3} s from {:.3} s", clip.seconds, clip.start);
        writeln!(
            text,
            "  animation   {}: {length}, {}{rate}, {closed}",
            on_a_line(&clip.name),
            counted(clip.keys, "key")
        )?;
    }
    names(text, "joints", facts.joints.iter().map(|name| on_a_line(name)).collect())?;
    remarks(text, &facts.notices, &facts.advice)
}

fn sequence(facts: &SequenceFacts, text: &mut String) -> fmt::Result {
    writeln!(text, "{}", facts.file.display())?;
    writeln!(text, "  body        {} vertices, {} triangles", facts.vertices, facts.triangles)?;
    writeln!(text, "  size        {}", size(facts.size))?;
    let [first, last] = facts.frames;
    let closed = if facts.is_closed { "repeats itself" } else { "does not close" };
    let files = counted((last - first + 1) as usize, "file");
    writeln!(text, "  animation   {files}, frames {first} to {last} of the clip, {closed}")?;
    remarks(text, &facts.notices, &facts.advice)
}

fn names(text: &mut String, what: &str, names: Vec<String>) -> fmt::Result {
    if names.is_empty() {
        return Ok(());
    }
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let shown = names[..names.len() - more].join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    writeln!(text, "  {what:<11} {shown}{more}")
}

fn remarks(text: &mut String, notices: &[String], advice: &[String]) -> fmt::Result {
    for notice in notices {
        writeln!(text, "  note        {notice}")?;
    }
    for advice in advice {
        writeln!(text, "  advice      {advice}")?;
    }
    Ok(())
}

fn size([x, y, z]: [f32; 3]) -> String {
    format!("{x:.3} x {y:.3} x {z:.3} m")
}
