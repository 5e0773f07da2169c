//! Which triangles lie in one sheet, where sheets lie so close to each other at rest that their places do not tell.
//!
//! ```text
//!    --o-----------o--       another sheet, nearer than an edge is long
//!    --x-----s-----o--       from x along its own sheet to s: not much further than straight; to the other one: around a hem or over
//!                            a seam, if at all
//! ```

use super::find::NEIGHBOURHOOD;
use super::{GAP, Layers};
use crate::geometry::Lists;

/// How much longer than straight a way from centre to centre of the triangles of one sheet may be: centres lie off it.
const DETOUR: f32 = 1.5;
/// Triangles of a neighbourhood at most. Of larger ones nothing is known.
const MOST: usize = 256;
/// A triangle that no way has led to.
const NOT_REACHED: f32 = f32::INFINITY;

/// The sheets of cloth that has several on each other at rest.
#[derive(Debug, Default)]
pub(super) struct Sheets {
    /// Triangles of the same sheet near each triangle that another sheet lies on, ascending; none of other triangles, nor if there are
    /// no such sheets.
    near: Option<Lists<u32>>,
}

impl Sheets {
    /// Those of the cloth of `layers`.
    pub(super) fn at_rest(layers: &mut Layers) -> Sheets {
        let is_covered = layers.covered_at_rest();
        if !is_covered.contains(&true) {
            return Sheets::default();
        }
        let mut walk = Walk::on(layers);
        let around = |(triangle, corners): (u32, &[u32; 3])| {
            let counts = corners.iter().any(|&corner| is_covered[corner as usize]);
            if counts { walk.around(triangle) } else { Vec::new() }
        };
        let near = Lists::collected((0..).zip(layers.folds.triangles()).map(around));
        Sheets { near: Some(near) }
    }

    /// Whether there are no sheets on each other.
    pub(super) fn are_one(&self) -> bool {
        self.near.is_none()
    }

    /// Whether two triangles are known to lie in different sheets, or far apart in one.
    pub(super) fn are_apart(&self, one: u32, other: u32) -> bool {
        self.near.as_ref().is_some_and(|near| {
            let [of_one, of_other] = [one, other].map(|t| near.of(t));
            !of_one.is_empty() && !of_other.is_empty() && of_one.binary_search(&other).is_err()
        })
    }
}

/// Goes from triangle to triangle.
struct Walk<'a> {
    layers: &'a Layers,
    at_corners: Lists<u32>,
    /// Length of the way to each triangle, metres.
    ways: Vec<f32>,
}

impl Walk<'_> {
    fn on(layers: &Layers) -> Walk<'_> {
        let triangles = layers.folds.triangles();
        let at_corners = Lists::triangles_at_corners(layers.rest.len(), triangles);
        Walk { layers, at_corners, ways: vec![NOT_REACHED; triangles.len()] }
    }

    /// The triangles that ways not much longer than straight lead to in the neighbourhood of a triangle, itself included, ascending.
    fn around(&mut self, from: u32) -> Vec<u32> {
        let Layers { folds, gap, .. } = self.layers;
        let centre = |triangle: u32| self.layers.rest_centre(triangle);
        let between = |one: u32, other: u32| centre(one).distance(centre(other));
        let edge = gap / GAP;
        let mut reached = vec![from];
        self.ways[from as usize] = 0.0;
        let mut next = 0;
        while let Some(&here) = reached.get(next).filter(|_| reached.len() <= MOST) {
            next += 1;
            for &other in folds.triangles()[here as usize].iter().flat_map(|&corner| self.at_corners.of(corner)) {
                let way = self.ways[here as usize] + between(here, other);
                let straight = between(from, other);
                let is_near = straight <= NEIGHBOURHOOD * gap && way <= DETOUR * straight + edge;
                if is_near && self.ways[other as usize] == NOT_REACHED {
                    self.ways[other as usize] = way;
                    reached.push(other);
                }
            }
        }
        reached.iter().for_each(|&t| self.ways[t as usize] = NOT_REACHED);
        if reached.len() > MOST {
            return Vec::new();
        }
        reached.sort_unstable();
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::topology::{build, grids};

    #[test]
    fn sheets_that_lie_on_each_other_are_apart_and_kept_so_and_neighbours_are_not() {
        let sheet = grids::grid(9, 9);
        let topology = build(&grids::joined(sheet.clone(), &sheet, |p| p + Vec3::new(0.01, 0.02, 0.004))).expect("two");
        let layers = Layers::new(&topology);
        let triangles = 0..layers.folds.triangles().len() as u32;
        let height = |t: u32| layers.rest_centre(t).z;
        let are_one_sheet = |one: u32, other: u32| (height(one) > 0.002) == (height(other) > 0.002);
        for one in triangles.clone() {
            for other in triangles.clone() {
                let is_near = layers.rest_centre(one).distance(layers.rest_centre(other)) < 0.2;
                let expected = !are_one_sheet(one, other);
                assert!(!is_near || layers.sheets.are_apart(one, other) == expected, "{one} {other}");
            }
        }
    }

    #[test]
    fn a_sheet_alone_has_no_neighbourhoods() {
        let topology = build(&grids::grid(9, 9)).expect("a sheet");
        assert!(Layers::new(&topology).sheets.are_one());
    }
}
