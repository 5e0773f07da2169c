//! Colours of figures, one a vertex where they have several.
//!
//! A texture comes down to its mean over the triangles at each vertex: enough for plain cloth, palettes and skin, not for prints.

use crate::geometry::{Vec2, Vec3};
use crate::preview::colour::{Colour, encoded};
use crate::preview::film::Figure;
use crate::preview::mesh::{GREY, Paint, Surfacing};

/// The colour of a figure, and those of its vertices if they differ.
pub(super) fn of(figure: &Figure) -> (Colour, Option<Vec<[u8; 3]>>) {
    match &figure.paint {
        Paint::Plain(colour) => (*colour, None),
        Paint::PerVertex(colours) => (GREY, Some(colours.iter().map(|&colour| encoded(colour)).collect())),
        Paint::Materials(surfacing) => match &surfacing.materials[..] {
            [only] if only.texture.is_none() && surfacing.tints.is_empty() => (only.factor, None),
            _ => (GREY, Some(of_surfacing(figure, surfacing))),
        },
    }
}

fn of_surfacing(figure: &Figure, surfacing: &Surfacing) -> Vec<[u8; 3]> {
    let mut sums = vec![(Colour::ZERO, 0.0_f32); figure.vertices()];
    for (index, corners) in figure.triangles.iter().enumerate() {
        let material = surfacing.of.get(index).and_then(|&of| surfacing.materials.get(of as usize));
        // As if the triangle were seen from so far away that it is one pixel.
        let pixels = [Vec2::ZERO, Vec2::X, Vec2::Y];
        let place = || surfacing.place(index, pixels, Vec3::splat(1.0 / 3.0));
        let colour = material.map_or(GREY, |material| material.colour(place));
        for &vertex in corners {
            let (sum, count) = &mut sums[vertex as usize];
            let tint = surfacing.tints.get(vertex as usize).copied().unwrap_or(Colour::ONE);
            (*sum, *count) = (*sum + colour * tint, *count + 1.0);
        }
    }
    sums.into_iter().map(|(sum, count)| encoded(if count > 0.0 { sum / count } else { GREY })).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::preview::{Film, Material};
    use crate::simulate::{FrameRate, PointCache, Timeline};

    #[test]
    fn materials_meet_at_the_vertices_between_them() {
        let timeline = Timeline { first: 0, last: 0, fps: FrameRate::whole(30), start_frame: 1 };
        let cache = PointCache { timeline, frames: vec![vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE, Vec3::Z]] };
        let materials = vec![Material::plain(Colour::ONE), Material::plain(Colour::ZERO)];
        let surfacing = Surfacing { materials, of: vec![0, 1], texcoords: Vec::new(), tints: Vec::new() };
        let paint = Paint::Materials(Arc::new(surfacing));
        let film = Film::of_cloth("two", vec![[0, 1, 2], [1, 3, 2]], Some(paint), cache, None);
        let colours = of(&film.figures[0]).1.expect("a colour for each");
        assert_eq!((colours[0], colours[3], colours[1]), ([255; 3], [0; 3], [188; 3]));
        assert!(colours[4][0] > 100, "what no face uses is grey");
    }
}
