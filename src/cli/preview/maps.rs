//! Correction maps as figures 3 to 6 of Ozgen & Kallmann (2011) show them: each correction an arrow from the particle that stays to
//! the one that moves, coloured by its place in the order; one picture a collision state.

use super::arguments::{LookArguments, Show, ViewName};
use super::marks::{HELD, PINNED, fixed, fixed_keys, ramp_scale};
use super::show;
use super::source::Take;
use crate::correction::{Correction, CorrectionMap};
use crate::geometry::{Aabb, Vec3};
use crate::preview::{Camera, Cell, Entry, Film, Mark, Paint, Pen, Picture, View, legend, ramp, shoot};
use crate::topology::ParticleId;

/// Pixels across arrows and fixed vertices.
const ARROW: f32 = 1.3;
const FIXED: f32 = 6.0;

/// A row for each view, a column for each collision state.
pub(super) fn cells(take: &Take, look: &LookArguments, size: [u32; 2]) -> Vec<Cell> {
    let Some(played) = &take.scene else { return Vec::new() };
    let size = look.pixels(size);
    let maps = || played.cloth.maps.maps.iter().enumerate();
    let shots = look.views.iter().flat_map(|view| maps().map(move |(state, map)| (view, state, map)));
    let cell = |(view, state, map): (&ViewName, usize, &CorrectionMap)| {
        let (corrections, levels) = (map.corrections.len(), map.levels);
        let mut caption = format!("{}: {corrections} corrections, {levels} levels", map.state);
        if look.views.len() > 1 {
            caption = format!("{caption}, {}", view.words());
        }
        Some(Cell { caption, picture: picture(take, state, 1.0, view.at(0.0), look, size)? })
    };
    shots.filter_map(cell).collect()
}

/// The first part, 0 to 1, of the map of a collision state; none of what is no scene.
pub(super) fn picture(
    take: &Take,
    state: usize,
    part: f32,
    view: View,
    look: &LookArguments,
    size: [u32; 2],
) -> Option<Picture> {
    let played = take.scene.as_ref()?;
    let map = played.cloth.maps.maps.get(state)?;
    let cloth = &played.cloth.topology.positions;
    // The garment as it was made, on the body as it was then.
    let moment = played.cloth.start.moment(take.film.timeline.clip_seconds(0));
    let mut pose = take.film.start(moment);
    pose[0].clone_from(cloth);
    let meshes = take.film.meshes(&pose, |_, _| Some(Paint::faint()));
    let scene = look.scene(meshes, &Film::bounds(&pose));
    let mut shot = shoot(&scene, &Camera::around(&show::sight(Show::Map, Aabb::around(cloth)), view, size), size);
    let (pins, held) = fixed(played, map);
    shot.draw(&marks(map, part, &pins, &held, cloth));
    legend(&mut shot.picture, &words(map, &pins, &held));
    Some(shot.picture)
}

/// First corrections last, over those that only follow.
fn marks(map: &CorrectionMap, part: f32, pins: &[ParticleId], held: &[ParticleId], positions: &[Vec3]) -> Vec<Mark> {
    let last = (map.corrections.len().max(2) - 1) as f32;
    let arrow = |(order, correction): (usize, &Correction)| {
        let ends = [correction.source, correction.goal].map(|p| positions[p.index()]);
        Mark::Arrow(ends, Pen::new(ramp(order as f32 / last), ARROW))
    };
    let dot = |p: &ParticleId, colour| Mark::Dot(positions[p.index()], Pen::new(colour, FIXED));
    let fixed = pins.iter().map(|p| dot(p, PINNED)).chain(held.iter().map(|p| dot(p, HELD)));
    let count = (part * map.corrections.len() as f32).round() as usize;
    map.corrections.iter().take(count).enumerate().rev().map(arrow).chain(fixed).collect()
}

fn words(map: &CorrectionMap, pins: &[ParticleId], held: &[ParticleId]) -> Vec<Entry> {
    if map.corrections.is_empty() {
        return vec![Entry::Words("nothing is fixed: no order".to_owned())];
    }
    let scale = ramp_scale("order of corrections", ["first".to_owned(), "last".to_owned()]);
    let unreached = format!("{} that no spring path reaches", map.unreached.len());
    let unreached = (!map.unreached.is_empty()).then_some(Entry::Words(unreached));
    fixed_keys(pins, held).into_iter().chain([scale]).chain(unreached).collect()
}
