//! Particles that start inside the body: tucked in, or by accident.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::hidden::Hidden;
use super::tucked::Unseen;
use super::{BodySurface, Nearest, SHALLOW, Worn};
use crate::correction::Tether;
use crate::geometry::{Aabb, Bvh, Vec3, closest_point_on_triangle};
use crate::pins::Pins;
use crate::topology::{Adjacency, ParticleId};

/// Part of the pins that must start inside the body for the garment to count as tucked in ...
const HELD: f32 = 0.1;
/// ... and how deep they must be in the mean, as a part of the search radius: 3 mm on a grown-up.
const MEANT: f32 = 0.05;

/// Shells that may hold a particle of which it is asked, at most, and shells that it is inside of: of a body made of thousands of
/// pieces that overlap the first ones count.
const MOST_SHELLS: usize = 256;
const MOST_AROUND: usize = 8;
/// Number of shells from which on the triangles of a small one are gone through one by one, and triangles of a small one. A search
/// among all shells that counts one only looks at all those that are nearer.
const MANY_SHELLS: usize = 64;
const SMALL_SHELL: usize = 256;

/// A shell that a particle starts inside of.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct Start {
    pub(in crate::simulate::collide) shell: u32,
    /// Its triangle that is nearest to the particle.
    pub(in crate::simulate::collide) triangle: u32,
    /// Metres.
    pub(in crate::simulate::collide) depth: f32,
    /// Whether it holds the pin that the particle hangs from: it was tucked in.
    pub(in crate::simulate::collide) is_held: bool,
}

impl Start {
    /// Says that it was not tucked in after all.
    pub(in crate::simulate) fn let_go(&mut self) {
        self.is_held = false;
    }

    /// Says that what cloth inside the same shell joins to a pin in there was tucked in with it, all of it alike: what hangs from a pin
    /// beside them would else be pushed out of what its neighbours stay in. What a fitted garment touches the skin with elsewhere was
    /// not meant.
    pub(in crate::simulate) fn hold(starts: &mut [Vec<Start>], pins: &Pins, neighbours: &Adjacency) {
        let mut joined = BTreeSet::new();
        let of_pin = |&pin: &ParticleId| starts[pin.index()].iter().map(move |start| (pin, start.shell));
        let mut found: Vec<(ParticleId, u32)> = pins.particles.iter().flat_map(of_pin).collect();
        while let Some((particle, shell)) = found.pop() {
            if joined.insert((particle, shell)) {
                let is_inside = |p: &&ParticleId| starts[p.index()].iter().any(|s| s.shell == shell);
                found.extend(neighbours.of(particle).iter().filter(is_inside).map(|&p| (p, shell)));
            }
        }
        for (particle, own) in (0..).map(ParticleId).zip(starts) {
            own.iter_mut().for_each(|start| start.is_held = joined.contains(&(particle, start.shell)));
        }
    }

    /// Particles that start inside the body without having been tucked in, and the depth of the deepest, metres.
    pub(in crate::simulate) fn count_free(starts: &[Vec<Start>]) -> (usize, f32) {
        Start::count(starts, |start| !start.is_held)
    }

    /// The same of those that were tucked in.
    pub(in crate::simulate) fn count_held(starts: &[Vec<Start>]) -> (usize, f32) {
        Start::count(starts, |start| start.is_held)
    }

    fn count(starts: &[Vec<Start>], counts: impl Fn(&&Start) -> bool) -> (usize, f32) {
        let depths = starts.iter().filter_map(|own| own.iter().filter(&counts).map(|s| s.depth).reduce(f32::max));
        depths.fold((0, 0.0), |(count, deepest), depth| (count + 1, deepest.max(depth)))
    }
}

impl BodySurface<'_> {
    /// The shells that each particle, at `points`, starts inside of.
    pub(in crate::simulate) fn starts(&self, points: &[Vec3], tethers: &[Option<Tether>]) -> Vec<Vec<Start>> {
        let boxes = Boxes::new(self.shell_boxes());
        let inside = |point: Vec3| -> Vec<Start> {
            let start = |shell: u32| {
                let Nearest { triangle, distance, .. } = self.nearest_of_shell(point, shell)?;
                (distance < 0.0).then_some(Start { shell, triangle, depth: -distance, is_held: false })
            };
            boxes.around(point).into_iter().take(MOST_SHELLS).filter_map(start).take(MOST_AROUND).collect()
        };
        let mut starts: Vec<Vec<Start>> = points.par_iter().map(|&p| inside(p)).collect();
        let shells_of: Vec<Vec<u32>> = starts.iter().map(|own| own.iter().map(|s| s.shell).collect()).collect();
        for (own, tether) in starts.iter_mut().zip(tethers) {
            let Some(tether) = tether else { continue };
            own.iter_mut().for_each(|s| s.is_held = shells_of[tether.root.index()].contains(&s.shell));
        }
        starts
    }

    fn shell_boxes(&self) -> Vec<Aabb> {
        let mut boxes = vec![Aabb::EMPTY; self.mesh.shells];
        for (triangle, &shell) in self.mesh.triangles.iter().zip(&self.mesh.shell_of) {
            for &corner in triangle {
                boxes[shell as usize] = boxes[shell as usize].with(self.positions[corner as usize]);
            }
        }
        boxes
    }

    /// Notes which shells each particle, at `points`, does not see: those it lies deep inside of, and those that hold the pin it
    /// hangs from as well.
    pub(in crate::simulate) fn note_start(&mut self, points: &[Vec3], starts: &[Vec<Start>]) {
        self.fit();
        let deepest = SHALLOW * self.search_radius;
        let hidden = |(&point, own): (&Vec3, &Vec<Start>)| {
            let is_unseen = |s: &&Start| s.is_held || self.distance_to_shell(point, s.shell) < -deepest;
            let unseen =
                |s: &Start| Unseen { shell: s.shell, deepest: if s.is_held { s.depth } else { f32::INFINITY } };
            Hidden { unseen: own.iter().filter(is_unseen).map(unseen).collect(), ..Hidden::default() }.boxed()
        };
        self.hidden = points.iter().zip(starts).map(hidden).collect();
        let nearest = |&point: &Vec3| {
            self.tree.closest_where(point, f32::INFINITY, &self.positions, &self.mesh.triangles, |_| true)
        };
        let worn_on =
            |point: &Vec3| nearest(point).map(|(triangle, _, squared)| Worn { triangle, distance: squared.sqrt() });
        self.worn_on = points.par_iter().map(worn_on).collect();
    }

    /// Whether a part of the pins starts so far inside the body that its maker must have meant it, as those of a collar that was
    /// tucked in.
    pub(in crate::simulate) fn holds_part_of(&self, pins: &Pins, starts: &[Vec<Start>]) -> bool {
        let depth = |p: &ParticleId| starts[p.index()].iter().map(|s| s.depth).reduce(f32::max);
        let depths: Vec<f32> = pins.particles.iter().filter_map(depth).collect();
        let held = depths.len() as f32;
        held > HELD * pins.particles.len() as f32 && depths.iter().sum::<f32>() > MEANT * self.search_radius * held
    }

    /// Signed distance from a shell, metres; infinite where it has no triangle.
    pub(super) fn distance_to_shell(&self, point: Vec3, shell: u32) -> f32 {
        self.nearest_of_shell(point, shell).map_or(f32::INFINITY, |nearest| nearest.distance)
    }

    /// The surface of a shell next to a point.
    pub(super) fn nearest_of_shell(&self, point: Vec3, shell: u32) -> Option<Nearest> {
        let own = self.mesh.triangles_of_shell(shell);
        let look = |&triangle: &u32| {
            let closest = closest_point_on_triangle(point, self.corners(triangle));
            (triangle, closest, closest.point.distance_squared(point))
        };
        let in_shell = |t: u32| self.mesh.shell_of[t as usize] == shell;
        let found = if self.mesh.shells > MANY_SHELLS && own.len() <= SMALL_SHELL {
            own.iter().map(look).reduce(|best, other| if other.2 < best.2 { other } else { best })?
        } else {
            self.tree.closest_where(point, f32::INFINITY, &self.positions, &self.mesh.triangles, in_shell)?
        };
        Some(self.nearest_of(point, found))
    }
}

/// Boxes that are asked which of them hold a point.
struct Boxes {
    boxes: Vec<Aabb>,
    /// A tree over the diagonals of the boxes.
    tree: Bvh,
}

impl Boxes {
    fn new(boxes: Vec<Aabb>) -> Boxes {
        let corners: Vec<Vec3> = boxes.iter().flat_map(|b| [b.min, b.max]).collect();
        let diagonals: Vec<[u32; 3]> = (0..boxes.len() as u32).map(|i| [2 * i, 2 * i + 1, 2 * i + 1]).collect();
        Boxes { tree: Bvh::build(&corners, &diagonals), boxes }
    }

    /// Those around `point`, ascending.
    fn around(&self, point: Vec3) -> Vec<u32> {
        let mut around = Vec::new();
        self.tree.overlapping(&Aabb::around(&[point]), |index| {
            if self.boxes[index as usize].distance_squared(point) == 0.0 {
                around.push(index);
            }
        });
        around.sort_unstable();
        around
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::any_point;

    proptest! {
        #[test]
        fn the_boxes_around_a_point_are_those_that_hold_it(
            corners in prop::collection::vec([any_point(), any_point()], 0..60),
            point in any_point(),
        ) {
            let boxes: Vec<Aabb> = corners.iter().map(|c| Aabb::around(&c[..])).collect();
            let holds = |i: &u32| boxes[*i as usize].distance_squared(point) == 0.0;
            let expected: Vec<u32> = (0..boxes.len() as u32).filter(holds).collect();
            prop_assert_eq!(Boxes::new(boxes.clone()).around(point), expected);
        }
    }
}
