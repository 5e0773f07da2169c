//! Stretch and penetration of the frames of each collision state.

use std::collections::BTreeMap;

use serde::Serialize;

use super::penetration::Penetration;
use super::stretch::Stretch;

/// What the frames of a collision state are like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StateFigures {
    /// How many they are.
    pub frames: usize,
    /// Mean of their 95th percentiles of stretch.
    pub stretch_p95: f64,
    /// Their most stretched edge.
    pub stretch_max: f64,
    /// Their deepest vertex inside the body, millimetres.
    pub penetration_max_mm: f64,
}

/// Sums up the frames by the state in force in each; `first` is the number of the first frame.
pub(super) fn figures(
    states: &[String],
    first: i64,
    stretch: &Stretch,
    penetration: Option<&Penetration>,
) -> BTreeMap<String, StateFigures> {
    let state = |frame: i64| usize::try_from(frame - first).ok().and_then(|index| states.get(index));
    let mut figures: BTreeMap<String, StateFigures> = BTreeMap::new();
    for frame in &stretch.frames {
        if let Some(state) = state(frame.frame) {
            let entry = figures.entry(state.clone()).or_default();
            entry.frames += 1;
            entry.stretch_p95 += f64::from(frame.p95);
            entry.stretch_max = entry.stretch_max.max(f64::from(frame.stretch));
        }
    }
    figures.values_mut().for_each(|entry| entry.stretch_p95 /= entry.frames as f64);
    for frame in penetration.iter().flat_map(|p| &p.frames) {
        if let Some(entry) = state(frame.frame).and_then(|state| figures.get_mut(state)) {
            entry.penetration_max_mm = entry.penetration_max_mm.max(frame.depth() * 1000.0);
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::penetration::{Deepest, FramePenetration, FrameShare};
    use crate::report::stretch::FrameStretch;

    #[test]
    fn each_frame_counts_for_its_state() {
        let frame = |frame: i64, p95: f32, stretch: f32| FrameStretch { frame, p50: 0.0, p95, stretch, edge: 0 };
        let frames = vec![frame(5, 0.25, 0.5), frame(6, 0.75, 1.0), frame(7, 0.5, 0.75)];
        let deep = |frame: i64, depth: f64| {
            let deepest = FrameShare { deepest: Some(Deepest { depth, ..Deepest::default() }), vertices: 1 };
            let shares = [FrameShare::default(), FrameShare::default(), deepest];
            FramePenetration { frame, shares, ..FramePenetration::default() }
        };
        let penetration = Penetration { frames: vec![deep(6, 0.002)], ..Penetration::default() };
        let states = ["free", "knee", "free"].map(str::to_owned);
        let found = figures(&states, 5, &Stretch { frames, ..Stretch::default() }, Some(&penetration));
        assert_eq!(
            found["free"],
            StateFigures { frames: 2, stretch_p95: 0.375, stretch_max: 0.75, penetration_max_mm: 0.0 }
        );
        assert_eq!(
            found["knee"],
            StateFigures { frames: 1, stretch_p95: 0.75, stretch_max: 1.0, penetration_max_mm: 2.0 }
        );
    }
}
