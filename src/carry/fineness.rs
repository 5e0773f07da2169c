//! How finely a garment is simulated: as it is, or as cloth with other particles that carries it.
//!
//! ```text
//!      ,--.                 ,--.
//!     ( leg )    --->     .( leg ).      edges that are long beside the body bend little, and cut through it: cloth with
//!   x---`--'---x         x--+--+--x      such edges is simulated as finer cloth, cloth of very many particles as coarser
//! ```

use super::outfit::OutfitError;
use crate::body::{Body, Moment};
use crate::geometry::Aabb;
use crate::topology::resample::{Resampled, resample};
use crate::topology::{ParticleId, Topology};

/// Particles from which on cloth is simulated coarser unless told otherwise. A skirt of 96 000 particles stretches by 0.7 % (p95) and 8.8 %
/// (largest) as it is, by 0.9 and 2.8 % simulated as 12 000, in two fifths of the time; of irregular triangles in a twentieth.
const TOO_FINE: usize = 60_000;
/// Particles that it is simulated as, and most that coarse cloth is.
const FINE: u32 = 12_000;
/// Mean edge, as a part of the body's size, from which cloth is too coarse: 85 mm on a grown-up, the width of a forearm.
const TOO_COARSE: f32 = 0.05;
/// Mean edge that is fine enough, the same way: 34 mm on a grown-up.
const FINE_ENOUGH: f32 = 0.02;
/// Fewest particles that can be asked for.
const FEWEST: usize = 16;

/// What a cloth is simulated as, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fineness {
    /// Its own particles.
    AsItIs,
    /// About as many as the user says.
    Asked(u32),
    /// Fewer, there are so many.
    Coarser,
    /// About so many, its edges are too long.
    Finer(u32, LongEdges),
}

/// Edges that are too long to go around a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LongEdges {
    /// Mean, metres.
    mean: f32,
    /// Metres.
    body_size: f32,
}

/// Particles that a cloth is simulated as unless told otherwise, on a body of that size, metres.
pub fn simulated_particles(cloth: &Topology, body_size: Option<f32>) -> usize {
    Fineness::of(None, cloth, body_size).particles().map_or(cloth.positions.len(), |particles| particles as usize)
}

/// Greatest extent of a body, metres. Unlike its height it is large also where the body lies, or is a floor.
pub(super) fn size(body: &Body, moment: Moment) -> f32 {
    let mut pose = Vec::new();
    body.pose(moment, &mut pose);
    Aabb::around(&pose).size().max_element()
}

impl Fineness {
    /// That of `cloth` on a body of that size, metres; `asked` is what the user says.
    pub(super) fn of(asked: Option<u32>, cloth: &Topology, body_size: Option<f32>) -> Fineness {
        let count = cloth.positions.len();
        if let Some(particles) = asked {
            return Fineness::Asked(particles);
        }
        if count > TOO_FINE {
            return Fineness::Coarser;
        }
        let Some(body_size) = body_size else { return Fineness::AsItIs };
        let mean = cloth.mean_edge();
        if mean <= TOO_COARSE * body_size {
            return Fineness::AsItIs;
        }
        let parts = (mean / (FINE_ENOUGH * body_size)).powi(2);
        let particles = ((count as f32 * parts / 100.0).ceil() as u32).saturating_mul(100).min(FINE);
        Fineness::Finer(particles.max(count as u32), LongEdges { mean, body_size })
    }

    fn particles(self) -> Option<u32> {
        match self {
            Fineness::AsItIs => None,
            Fineness::Asked(particles) | Fineness::Finer(particles, _) => Some(particles),
            Fineness::Coarser => Some(FINE),
        }
    }

    /// `cloth` as it is simulated, none if as it is, and what is to be said about it. `held` are pinned.
    ///
    /// # Errors
    /// More particles asked for than a cloth is given. What nobody asked for is left undone instead.
    pub(super) fn resampled(
        self,
        cloth: &Topology,
        held: &[ParticleId],
    ) -> Result<(Option<Resampled>, Vec<String>), OutfitError> {
        let Some(wanted) = self.particles() else { return Ok((None, Vec::new())) };
        let resampled = match resample(cloth, wanted as usize, held) {
            Ok(resampled) => resampled,
            Err(source) if matches!(self, Fineness::Asked(_)) => return Err(OutfitError::Resample { wanted, source }),
            Err(_) => None,
        };
        let simulated = resampled.as_ref().map(|cloth| cloth.topology.positions.len());
        Ok((resampled, self.notices(cloth.positions.len(), simulated)))
    }

    /// What is to be said about cloth of so many particles that is simulated as so many, if not as it is.
    fn notices(self, particles: usize, simulated: Option<usize>) -> Vec<String> {
        let carried = |simulated| {
            format!("the cloth of {particles} particles is simulated as {simulated}, and carried to all its vertices")
        };
        match (self, simulated) {
            (Fineness::Asked(wanted), None) => {
                vec![format!("--simulate-as {wanted}: the cloth has {particles} particles, and is simulated as it is")]
            }
            (Fineness::Asked(_), Some(simulated)) => vec![carried(simulated)],
            (Fineness::Coarser, Some(simulated)) => vec![
                carried(simulated),
                format!("cloth so fine stretches more and takes long; --simulate-as {particles} simulates all of it"),
            ],
            (Fineness::Finer(_, edges), Some(simulated)) => {
                vec![
                    format!("{edges}: {}{}", carried(simulated), undone(particles)),
                    "its faces stay as large as they are, and limbs may come through them: subdivide the garment's mesh against that"
                        .to_owned(),
                ]
            }
            (Fineness::Finer(_, edges), None) => vec![format!("{edges}: it bends little and cuts through the body")],
            (Fineness::AsItIs | Fineness::Coarser, _) => Vec::new(),
        }
    }
}

/// How cloth of so many particles is simulated as it is all the same, if it can be.
fn undone(particles: usize) -> String {
    // Less than half of the fewest would become finer by asking for these.
    if 2 * particles < FEWEST {
        return String::new();
    }
    format!("; --simulate-as {} simulates it as it is", particles.max(FEWEST))
}

impl std::fmt::Display for LongEdges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LongEdges { mean, body_size } = self;
        let millimetres = mean * 1000.0;
        write!(
            f,
            "edges of the cloth are {millimetres:.0} mm long on average, too long to follow a body of {body_size:.2} m"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    /// A sheet of 5 x 4 vertices and the mean of its edges, metres.
    fn sheet() -> (Topology, f32) {
        let sheet = build(&grids::grid(5, 4)).expect("a grid");
        let mean = sheet.mean_edge();
        (sheet, mean)
    }

    #[test]
    fn cloth_with_edges_that_are_long_beside_the_body_is_made_finer() {
        let (sheet, mean) = sheet();
        let on = |body_size: f32| Fineness::of(None, &sheet, Some(body_size)).resampled(&sheet, &[]).expect("few");
        let (finer, notices) = on(10.0 * mean);
        let finer = finer.expect("finer cloth").topology;
        assert!(finer.mean_edge() < 0.26 * mean, "{} {mean}", finer.mean_edge());
        assert!(notices[0].contains("--simulate-as 20 simulates it as it is"), "{notices:?}");
        assert!(notices[1].contains("subdivide"), "{notices:?}");
        let (same, notices) = on(30.0 * mean);
        assert!(same.is_none() && notices.is_empty(), "{notices:?}");
        assert_eq!(Fineness::of(None, &sheet, None), Fineness::AsItIs, "there is nothing to cut through");
    }

    #[test]
    fn cloth_is_never_made_coarser_or_endless_because_the_body_is_tiny() {
        let (sheet, mean) = sheet();
        for body_size in [0.0, 1e-3 * mean] {
            let (finer, _) = Fineness::of(None, &sheet, Some(body_size)).resampled(&sheet, &[]).expect("few");
            let particles = finer.expect("finer cloth").topology.positions.len();
            assert!((5_000..14_000).contains(&particles), "{particles}");
        }
        let large = build(&grids::grid(150, 120)).expect("a grid");
        let (none, notices) = Fineness::of(None, &large, Some(0.1)).resampled(&large, &[]).expect("few");
        assert!(none.is_none() && notices[0].ends_with("cuts through the body"), "{notices:?}");
    }

    #[test]
    fn what_the_note_says_undoes_it() {
        let (sheet, _) = sheet();
        for (columns, rows) in [(4, 2), (3, 3), (5, 4), (9, 7)] {
            let few = build(&grids::grid(columns, rows)).expect("a grid");
            let advice = undone(few.positions.len());
            let words = advice.split_whitespace().nth(2).expect("a number");
            let asked = Fineness::of(Some(words.parse().expect("a number")), &few, Some(1e-3));
            assert!(asked.resampled(&few, &[]).expect("few").0.is_none(), "{advice}");
        }
        assert_eq!(undone(4), "");
        let asked = Fineness::of(Some(3_000_000), &sheet, None).resampled(&sheet, &[]);
        assert!(asked.is_err(), "too many");
    }
}
