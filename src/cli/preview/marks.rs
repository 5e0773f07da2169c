//! Lines and dots on cloth: edges, springs, contacts, held and hidden vertices.

use std::collections::BTreeSet;

use super::show::{Drawing, is_subject};
use super::source::{Played, Take};
use crate::body::{Body, Moment};
use crate::correction::CorrectionMap;
use crate::geometry::{Bvh, Vec3};
use crate::preview::{Colour, Entry, Mark, Paint, Pen, Pose, from_srgb, ramp};
use crate::simulate::StateMode;
use crate::topology::ParticleId;

/// Pixels across lines and dots.
const THIN: f32 = 0.8;
const LINE: f32 = 1.2;
const BAND: f32 = 3.2;
const DOT: f32 = 4.5;
/// Edges of faces.
const EDGE: Colour = from_srgb([24, 28, 36]);
/// Springs. Each bend spring lies along two others and is a band beneath them.
const STRETCH: Colour = from_srgb([20, 70, 150]);
const SHEAR: Colour = from_srgb([200, 80, 20]);
const BEND: Colour = from_srgb([150, 205, 160]);
/// What is held, and what a collision state holds beside it.
pub(super) const PINNED: Colour = from_srgb([20, 24, 30]);
pub(super) const HELD: Colour = from_srgb([0, 150, 120]);
/// Where cloth touches the body.
const CONTACT: Colour = from_srgb([222, 92, 0]);
/// Part of the distance kept within which a particle touches the body.
const TOUCH: f32 = 1.2;
/// Depth at the end of the scale of colours, metres: ten times what nobody sees.
const DEEP: f32 = 0.01;

/// The `edges` of each figure.
pub(super) fn wire(take: &Take, edges: &[Vec<[u32; 2]>], pose: &Pose) -> Drawing {
    let pen = Pen { opacity: 0.6, ..Pen::new(EDGE, THIN) };
    let figures = take.film.figures.iter().zip(pose).zip(edges);
    let marks = figures.filter(|((figure, _), _)| is_subject(take, figure)).flat_map(|((_, positions), edges)| {
        edges.iter().map(|ends| Mark::Line(ends.map(|v| positions[v as usize]), pen))
    });
    Drawing { marks: marks.collect(), ..Drawing::default() }
}

/// All springs.
pub(super) fn springs(played: &Played, index: usize) -> Drawing {
    let springs = &played.cloth.springs;
    let positions = &played.simulated.cache.frames[index];
    let line = |[a, b]: [ParticleId; 2], colour: Colour, width: f32| {
        Mark::Line([a, b].map(|p| positions[p.index()]), Pen::new(colour, width))
    };
    let bend = springs.bend.iter().map(|s| line([s.a, s.b], BEND, BAND));
    let shear = springs.shear.iter().map(|s| line([s.a, s.b], SHEAR, LINE));
    let stretch = springs.stretch.iter().map(|s| line([s.a, s.b], STRETCH, LINE));
    let key = |what: &str, count: usize, colour: Colour| Entry::Key(format!("{what} ({count})"), colour);
    Drawing {
        paints: vec![Some(Paint::faint())],
        marks: bend.chain(shear).chain(stretch).collect(),
        legend: vec![
            key("stretch springs", springs.stretch.len(), STRETCH),
            key("shear springs", springs.shear.len(), SHEAR),
            key("bend springs", springs.bend.len(), BEND),
        ],
        words: None,
    }
}

/// The collision state in force and what it holds.
pub(super) fn states(played: &Played, index: usize) -> Drawing {
    let positions = &played.simulated.cache.frames[index];
    let state = played.simulated.states.get(index).and_then(|&state| played.cloth.maps.maps.get(state));
    let Some(state) = state else { return Drawing::default() };
    let (pins, held) = fixed(played, state);
    let dot = |p: &ParticleId, colour| Mark::Dot(positions[p.index()], Pen::new(colour, DOT));
    let marks = pins.iter().map(|p| dot(p, PINNED)).chain(held.iter().map(|p| dot(p, HELD)));
    let words = match played.parameters.state_mode() {
        StateMode::Named => state.state.clone(),
        _ => "no collision states".to_owned(),
    };
    Drawing { marks: marks.collect(), legend: fixed_keys(&pins, &held), words: Some(words), ..Drawing::default() }
}

/// The pins of a state's fixed particles, and what it holds beside them.
pub(super) fn fixed(played: &Played, state: &CorrectionMap) -> (Vec<ParticleId>, Vec<ParticleId>) {
    let pins: BTreeSet<u32> = played.cloth.pins.particles.iter().map(|p| p.0).collect();
    state.fixed.iter().partition(|p| pins.contains(&p.0))
}

/// What the dots of fixed particles mean.
pub(super) fn fixed_keys(pins: &[ParticleId], held: &[ParticleId]) -> Vec<Entry> {
    let key = |what: &str, fixed: &[ParticleId], colour: Colour| {
        (!fixed.is_empty()).then(|| Entry::Key(format!("{what} ({})", fixed.len()), colour))
    };
    key("pinned", pins, PINNED).into_iter().chain(key("held by the state", held, HELD)).collect()
}

/// What the colours of [`ramp`] mean, with what stands at their ends.
pub(super) fn ramp_scale(title: &str, labels: [String; 2]) -> Entry {
    const STEPS: u8 = 40;
    let colours = (0..=STEPS).map(|step| ramp(f32::from(step) / f32::from(STEPS))).collect();
    Entry::Scale { title: title.to_owned(), colours, labels: labels.to_vec() }
}

/// Where particles are no further from the body than they are kept.
pub(super) fn contacts(played: &Played, index: usize, body: &Body, moment: Moment) -> Drawing {
    let positions = &played.simulated.cache.frames[index];
    let reach = TOUCH * played.parameters.distance_kept(&played.cloth.topology);
    let mut pose = Vec::new();
    body.pose(moment, &mut pose);
    let tree = Bvh::build(&pose, body.surface());
    let touches = |p: &&Vec3| tree.closest(**p, reach, &pose, body.surface()).is_some();
    let pen = Pen { lift: reach, ..Pen::new(CONTACT, DOT) };
    let marks: Vec<Mark> = positions.iter().filter(touches).map(|&p| Mark::Dot(p, pen)).collect();
    let words = format!("{} of {} touch", marks.len(), positions.len());
    let legend = vec![Entry::Key(format!("within {:.1} mm of the body", 1000.0 * reach), CONTACT)];
    Drawing { marks, legend, words: Some(words), ..Drawing::default() }
}

/// Vertices inside the body, each with its depth in metres.
pub(super) fn penetration(positions: &[Vec3], found: &[(usize, f64)]) -> Drawing {
    // The deepest last, over the others.
    let mut found: Vec<(usize, f32)> = found.iter().map(|&(vertex, depth)| (vertex, depth as f32)).collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let dot = |&(vertex, depth): &(usize, f32)| {
        // The surface above it may be seen at a slant.
        let pen = Pen { lift: 3.0 * depth, ..Pen::new(ramp(depth / DEEP), DOT) };
        Mark::Dot(positions[vertex], pen)
    };
    let deepest = found.last().map_or(0.0, |&(_, depth)| 1000.0 * depth);
    let words = if found.is_empty() {
        "nothing inside".to_owned()
    } else {
        format!("{} inside, deepest {deepest:.1} mm", found.len())
    };
    let scale = ramp_scale("depth in the body", ["0 mm".to_owned(), format!("{:.0} mm and more", 1000.0 * DEEP)]);
    Drawing { marks: found.iter().map(dot).collect(), legend: vec![scale], words: Some(words), ..Drawing::default() }
}
