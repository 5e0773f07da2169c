//! Where pictures of a take are made.

use rayon::prelude::*;

use super::arguments::{LookArguments, ViewName};
use super::show::{self, Showing};
use super::source::Take;
use crate::geometry::Aabb;
use crate::preview::{Camera, Figure, Film, Picture, legend, render, shoot};

/// The last frame of a take, from the first of the views that are asked for.
pub(super) fn last_frame(take: &Take, look: &LookArguments, size: [u32; 2]) -> Picture {
    let last = take.film.timeline.len().saturating_sub(1);
    let view = look.views.first().copied().unwrap_or(ViewName::ThreeQuarter);
    Studio::new(take, &[last], look, size).picture(last, view, 0.0)
}

/// Cameras and light around everything in the frames that are shown.
pub(super) struct Studio<'a> {
    take: &'a Take,
    look: &'a LookArguments,
    showing: Showing<'a>,
    bounds: Aabb,
    /// Around what is to be seen of it.
    sight: Aabb,
    size: [u32; 2],
}

impl<'a> Studio<'a> {
    /// For `frames` of a take, in pictures of `size` pixels, or more where there is more to see.
    pub(super) fn new(take: &'a Take, frames: &[usize], look: &'a LookArguments, size: [u32; 2]) -> Studio<'a> {
        let of_frame = |&index: &usize| {
            let pose = take.film.pose(index);
            let bounds = Film::bounds(&pose);
            (bounds, if look.show.is_close() { show::subject(take, &pose) } else { bounds })
        };
        let boxes: Vec<(Aabb, Aabb)> = frames.par_iter().map(of_frame).collect();
        let around = |(a, b): (Aabb, Aabb), (c, d): (Aabb, Aabb)| (a.union(c), b.union(d));
        let (bounds, sight) = boxes.into_iter().fold((Aabb::EMPTY, Aabb::EMPTY), around);
        let sight = show::sight(look.show, sight);
        let size = look.pixels(size);
        Studio { take, look, showing: Showing::new(take, look.show), bounds, sight, size }
    }

    /// Pixels of a picture.
    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Frame `index` from a view that is at a `part` of its way.
    pub(super) fn picture(&self, index: usize, view: ViewName, part: f32) -> Picture {
        self.shown(index, view, part).0
    }

    /// As [`Studio::picture`], and what is to be said of the frame.
    pub(super) fn shown(&self, index: usize, view: ViewName, part: f32) -> (Picture, Option<String>) {
        let pose = self.take.film.pose(index);
        let drawing = self.showing.drawing(index, &pose);
        let paint = |figure: usize, _: &Figure| drawing.paints.get(figure).cloned().flatten();
        let scene = self.look.scene(self.take.film.meshes(&pose, paint), &self.bounds);
        let camera = Camera::around(&self.sight, view.at(part), self.size);
        let mut picture = if drawing.marks.is_empty() {
            render(&scene, &camera, self.size)
        } else {
            let mut shot = shoot(&scene, &camera, self.size);
            shot.draw(&drawing.marks);
            shot.picture
        };
        legend(&mut picture, &drawing.legend);
        (picture, drawing.words)
    }
}
