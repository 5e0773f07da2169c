//! Where pictures of a take are made.

use rayon::prelude::*;

use super::arguments::{LookArguments, ViewName};
use super::show;
use super::source::Take;
use crate::geometry::Aabb;
use crate::preview::{Camera, Film, Picture, Scene, from_srgb, render};

/// Cameras and light around everything in the frames that are shown.
pub(super) struct Studio<'a> {
    take: &'a Take,
    look: &'a LookArguments,
    bounds: Aabb,
    size: [u32; 2],
}

impl<'a> Studio<'a> {
    /// For `frames` of a take, in pictures of `size` pixels.
    pub(super) fn new(take: &'a Take, frames: &[usize], look: &'a LookArguments, size: [u32; 2]) -> Studio<'a> {
        let boxes: Vec<Aabb> = frames.par_iter().map(|&index| Film::bounds(&take.film.pose(index))).collect();
        let bounds = boxes.into_iter().fold(Aabb::EMPTY, Aabb::union);
        Studio { take, look, bounds, size: look.size.map_or(size, |size| size.0) }
    }

    /// Pixels of a picture.
    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Frame `index` from a view that is at a `part` of its way.
    pub(super) fn picture(&self, index: usize, view: ViewName, part: f32) -> Picture {
        let pose = self.take.film.pose(index);
        let paint = show::paint(self.take, self.look.show, &pose);
        let mut scene = Scene::standing(self.take.film.meshes(&pose, paint), &self.bounds);
        if let Some(background) = self.look.background {
            scene.background = from_srgb(background.0);
        }
        render(&scene, &Camera::around(&self.bounds, view.at(part), self.size), self.size)
    }
}
