//! A comparison as an aligned table for people.

use std::fmt;

use super::{SceneComparison, Trial};

/// Space between columns.
const GAP: &str = "  ";

impl fmt::Display for SceneComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (s, frames) = (&self.springs, &self.frames);
        writeln!(
            f,
            "{}: {} particles, {} stretch, {} shear and {} bend springs; frames {} to {} at {} fps",
            self.scene, self.garment.particles, s.stretch, s.shear, s.bend, frames.first, frames.last, frames.fps
        )?;
        for (state, map) in &self.maps {
            let (corrections, levels, time) = (map.corrections, map.levels, map.milliseconds);
            writeln!(f, "correction map {state}: {corrections} corrections in {levels} levels, built in {time:.2} ms")?;
        }
        if !self.source.is_empty() {
            writeln!(f, "source: {}", self.source)?;
        }
        writeln!(f)?;
        write_table(f, &self.columns())
    }
}

impl SceneComparison {
    fn columns(&self) -> Vec<Vec<String>> {
        let column = |head: &str, cell: &dyn Fn(&Trial) -> String| {
            let cells = self.trials.iter().map(cell);
            std::iter::once(head.to_owned()).chain(cells).collect::<Vec<_>>()
        };
        let stretch =
            |cell: fn(&super::TrialStretch) -> String| move |t: &Trial| t.stretch.as_ref().map_or(String::new(), cell);
        let columns = vec![
            column("method", &|t| t.of.label()),
            column("states", &|t| t.of.states.clone().unwrap_or_default()),
            column("substeps", &|t| t.of.substeps.to_string()),
            column("passes", &|t| or_nothing(t.of.passes, |p| p.to_string())),
            column("ms/frame", &|t| or_nothing(t.milliseconds_per_frame, |ms| format!("{ms:.3}"))),
            column("over none", &|t| or_nothing(t.overhead, |o| format!("{:+.0} %", o * 100.0))),
            column("p50 %", &stretch(|s| percent(s.p50))),
            column("p95 %", &stretch(|s| percent(s.p95))),
            column("max %", &stretch(|s| percent(s.max))),
            column("at frame", &stretch(|s| s.peak_frame.to_string())),
            column("end p95 %", &stretch(|s| percent(s.last_half.p95))),
            column("end max %", &stretch(|s| percent(s.last_half.max))),
            column("jitter m/s2", &|t| or_nothing(t.motion.jitter_m_s2, significant)),
            column("near p95 %", &|t| or_nothing(t.near, |n| percent(n.p95))),
            column("near max %", &|t| or_nothing(t.near, |n| percent(n.max))),
            column("near jitter", &|t| or_nothing(t.near.and_then(|n| n.jitter_m_s2), significant)),
            column("switches", &|t| or_nothing(Some(t.switches.count).filter(|n| *n > 0), |n| n.to_string())),
            column("switch", &|t| or_nothing(t.switches.worst_acceleration, significant)),
            column("energy rise J/kg", &|t| or_nothing(t.energy.as_ref(), |e| significant(e.rise_j_kg))),
            column("inside", &|t| or_nothing(t.inside, |i| i.vertex_frames.to_string())),
            column("deepest mm", &|t| or_nothing(t.inside, |i| format!("{:.1}", i.max_mm))),
            column("rests at s", &|t| or_nothing(t.rest, |r| format!("{:.2}", r.seconds))),
            column("after ms", &|t| or_nothing(t.rest, |r| format!("{:.0}", r.milliseconds))),
            column("", &|t| or_nothing(t.diverged.as_ref(), |d| format!("blew up at frame {}: {}", d.frame, d.reason))),
        ];
        columns.into_iter().filter(|column| column[1..].iter().any(|cell| !cell.is_empty())).collect()
    }
}

impl super::TrialOf {
    /// The method as tables and pictures name it.
    pub(super) fn label(&self) -> String {
        match self.order {
            Some(order) => format!("{} {order}", self.method),
            None => self.method.clone(),
        }
    }
}

/// Writes columns beside each other: words to the left (the first column and those without a heading), numbers to the right.
fn write_table(f: &mut fmt::Formatter<'_>, columns: &[Vec<String>]) -> fmt::Result {
    for row in 0..columns.first().map_or(0, Vec::len) {
        let mut line = String::new();
        for (index, column) in columns.iter().enumerate() {
            let width = column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            let is_words = index == 0 || column[0].is_empty();
            let cell = &column[row];
            line += &if is_words { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
            line += GAP;
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

fn or_nothing<T>(value: Option<T>, words: impl Fn(T) -> String) -> String {
    value.map_or(String::new(), words)
}

fn percent(part: f64) -> String {
    // Rounded here, so that nothing is written as -0.00.
    let percent = (part * 1e4).round() / 100.0 + 0.0;
    if percent.abs() < 10.0 { format!("{percent:.2}") } else { format!("{percent:.1}") }
}

/// Two significant digits or so, without exponents where people read numbers.
fn significant(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if v < 1e-3 => "<0.001".to_owned(),
        v if v < 0.1 => format!("{value:.3}"),
        v if v < 10.0 => format!("{value:.2}"),
        v if v < 1e5 => format!("{value:.0}"),
        _ => format!("{value:.1e}"),
    }
}
