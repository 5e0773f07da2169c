//! The report in a few lines for people.

use std::fmt;

use super::Report;
use super::crossings::WorstCrossing;
use crate::import::counted;

/// Retakes that a summary shows; the report has them all.
const RETAKES_SHOWN: usize = 10;
/// Mean Jaccard distance from which a map is said to fit badly: less than a third in common.
const POOR_FIT: f64 = 2.0 / 3.0;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let g = &self.garment;
        writeln!(f, "{}: {} vertices, {} faces, {} particles", g.name, g.vertices, g.faces, g.particles)?;
        self.write_simulated(f)?;
        let frames = &self.frames;
        let time = self.milliseconds_per_frame;
        writeln!(f, "{} at {:.4} fps, {time:.0} ms a frame", frames.words(), frames.fps)?;
        if let Some(mib) = self.peak_memory_mib {
            writeln!(f, "peak memory: {mib:.0} MiB")?;
        }
        self.write_stretch(f)?;
        self.write_penetration(f)?;
        if let Some(words) = self.body.as_ref().and_then(|body| body.words()) {
            writeln!(f, "{words}")?;
        }
        self.write_crossings(f)?;
        self.write_maps(f)?;
        self.write_loop(f)?;
        for retake in self.retakes.iter().take(RETAKES_SHOWN) {
            writeln!(f, "retake: {retake}")?;
        }
        if self.retakes.len() > RETAKES_SHOWN {
            writeln!(f, "and {} more retakes", self.retakes.len() - RETAKES_SHOWN)?;
        }
        Ok(())
    }
}

/// A part as a percentage, rounded to one of so many parts of a percent; never "-0.0".
pub(super) fn percent(part: f64, parts: f64) -> f64 {
    (part * 100.0 * parts).round() / parts + 0.0
}

impl Report {
    /// How much of the garment was simulated, where that is not all of it.
    fn write_simulated(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let g = &self.garment;
        let counts =
            [(g.excluded_vertices, "left out and held by the body"), (g.carried_vertices, "carried by the cloth")];
        let counts =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} vertices {what}"));
        let counts: String = counts.collect();
        if counts.is_empty() && g.simulated_particles == g.particles {
            return Ok(());
        }
        writeln!(f, "simulated: {} particles{counts}", g.simulated_particles)
    }

    fn write_stretch(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p95, max] = [self.stretch.p50, self.stretch.p95, self.stretch.max].map(|s| percent(s, 10.0));
        write!(f, "stretch: median {p50:.1} %, p95 {p95:.1} %, max {max:.1} %")?;
        match &self.stretch.worst {
            Some(worst) => {
                writeln!(f, " (frame {}, vertices {} and {})", worst.frame, worst.vertices[0], worst.vertices[1])
            }
            None => writeln!(f),
        }
    }

    fn write_crossings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let crossings = &self.self_crossings;
        match &crossings.worst {
            Some(WorstCrossing { frame, vertices: [a, b] }) => {
                let pairs = counted(crossings.max_pairs, "pair");
                writeln!(f, "self-crossings: at most {pairs} of triangles (frame {frame}, near vertices {a} and {b})")
            }
            None => writeln!(f, "self-crossings: none"),
        }
    }

    fn write_loop(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let repetition = &self.repetition;
        let Some(residual) = repetition.residual_mm else { return Ok(()) };
        match repetition.residuals_mm.iter().position(|&lap| lap == residual) {
            Some(index) => {
                let lap = index + 2;
                let missed = repetition.tolerance_mm.filter(|&tolerance| residual > tolerance);
                match missed {
                    Some(tolerance) => writeln!(
                        f,
                        "loop: lap {lap}, the last, repeats the one before only within {residual:.2} mm (asked for: \
                         {tolerance:.2} mm); the rest was blended away"
                    ),
                    None => writeln!(
                        f,
                        "loop: lap {lap} repeats the one before within {residual:.2} mm, and was closed after that"
                    ),
                }
            }
            None => {
                writeln!(
                    f,
                    "loop: a cycle of the clip later the cloth is up to {residual:.1} mm elsewhere; --loop closes that"
                )
            }
        }
    }

    /// The maps of collision states that fit badly.
    fn write_maps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = self.maps.iter().filter_map(|(state, map)| Some((state, map.validity.as_ref()?)));
        for (state, fit) in fits.filter(|(_, fit)| self.maps.len() > 1 && fit.mean_jaccard > POOR_FIT) {
            let [differs, away] = [fit.mean_jaccard * 100.0, fit.mean_m * 1000.0];
            writeln!(
                f,
                "map {state}: {differs:.0} % of what touches or is held by it differ, {away:.0} mm from it on average"
            )?;
        }
        Ok(())
    }

    fn write_penetration(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(penetration) = &self.penetration else { return Ok(()) };
        match &penetration.worst {
            Some(worst) => writeln!(
                f,
                "penetration: max {:.1} mm (frame {}, vertex {}, inside {}), {} times a vertex deeper than 1 mm",
                penetration.max_mm, worst.frame, worst.vertex, worst.joint, penetration.vertex_frames
            )?,
            None => writeln!(f, "penetration: none")?,
        }
        let through = &penetration.through_faces;
        match through.worst.as_ref().filter(|_| through.body_vertex_frames > 0) {
            Some(worst) => writeln!(
                f,
                "through faces: {} up to {:.1} mm (frame {}, near vertex {}), {} times a vertex of the body by more than 1 mm",
                worst.joint, through.max_mm, worst.frame, worst.vertex, through.body_vertex_frames
            ),
            None => Ok(()),
        }
    }
}
