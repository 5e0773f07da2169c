//! Particles that touch are kept where their contacts have put them, whatever draws them back.
//!
//! ```text
//!      o   where the contact put it
//!  ----x-------- level        x is drawn below: it goes up to the level again, and slides no further than friction lets it
//!         \ o
//! ```

use rayon::prelude::*;
use wide::f32x4;

use super::{Contact, Contacts, push_four_out};
use crate::geometry::{Points, lanes};
use crate::simulate::cloth::{CHUNK, Cloth, Point};

/// Contacts of up to four particles of a chunk, side by side.
#[derive(Clone, Copy, Debug)]
struct Four {
    /// Places in the chunk, each once; those behind the last contact are held nowhere.
    particles: [u32; Points::LANES],
    normals: Points,
    levels: f32x4,
    surface_motions: Points,
}

/// The contacts of a substep, for each chunk of particles.
#[derive(Debug)]
pub(in crate::simulate) struct Held {
    chunks: Vec<Vec<Four>>,
}

impl Held {
    /// Those of several of one particle in the order in which they were found: the last has the last word.
    pub(in crate::simulate) fn by(contacts: &Contacts) -> Held {
        let of_chunk = |(chunk, contacts): (usize, &Vec<Contact>)| {
            let runs = || contacts.chunk_by(|one, next| one.particle < next.particle);
            let mut fours = Vec::with_capacity(runs().map(|run| run.len().div_ceil(Points::LANES)).sum());
            let first = (chunk * CHUNK) as u32;
            fours.extend(runs().flat_map(|run| run.chunks(Points::LANES)).map(|some| Four::of(some, first)));
            fours
        };
        Held { chunks: contacts.of_chunks().par_iter().enumerate().map(of_chunk).collect() }
    }

    /// Puts particles that were drawn back below the planes of their contacts on them again, and rubs them as
    /// [`push_out`](super::push_out) does. Without that a hem that is tight around a calf is squeezed off it: the leg of a runner's
    /// trousers flies up over the knee.
    pub(in crate::simulate) fn keep_out(&self, cloth: &mut Cloth, friction: f32) {
        let chunks = cloth.points.par_chunks_mut(CHUNK).zip(cloth.previous.par_chunks(CHUNK));
        chunks.zip(&self.chunks).for_each(|((points, previous), contacts)| {
            contacts.iter().for_each(|four| four.keep_out(points, previous, friction));
        });
    }
}

impl Four {
    /// `some` contacts, one to four, of particles from the one with index `first` on.
    fn of(some: &[Contact], first: u32) -> Four {
        let four: [&Contact; Points::LANES] = std::array::from_fn(|lane| some.get(lane).unwrap_or(&some[0]));
        let level = |lane: usize| some.get(lane).map_or(f32::NEG_INFINITY, |contact| contact.level);
        Four {
            particles: four.map(|contact| contact.particle - first),
            normals: Points::of(four.map(|contact| contact.normal)),
            levels: f32x4::new(std::array::from_fn(level)),
            surface_motions: Points::of(four.map(|contact| contact.surface_motion)),
        }
    }

    fn keep_out(&self, points: &mut [Point], previous: &[Point], friction: f32) {
        let at = |points: &[Point]| Point::four(self.particles.map(|p| &points[p as usize]));
        let place = at(points);
        let depth = self.levels - self.normals.dot(place);
        let is_below = depth.simd_gt(f32x4::ZERO).to_bitmask();
        if is_below == 0 {
            return;
        }
        let pushed = push_four_out(place, at(previous), self.normals, depth, self.surface_motions, friction).to_array();
        for lane in lanes(is_below) {
            points[self.particles[lane] as usize].at = pushed[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Vec3, any_point};
    use crate::pins::Pins;
    use crate::simulate::collide::push_out;
    use crate::topology::{build, grids};
    use proptest::prelude::*;

    fn contact(particle: u32, normal: Vec3, level: f32, surface_motion: Vec3) -> Contact {
        Contact { surface_motion, ..Contact::with_plane(particle, normal, level) }
    }

    /// A sheet of `side` by `side` particles in a substep.
    fn sheet(side: u32) -> Cloth {
        let topology = build(&grids::grid(side, side)).expect("a sheet");
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.2);
        cloth.start_substep(1.0 / 512.0);
        cloth
    }

    proptest! {
        #[test]
        fn four_at_a_time_end_where_one_after_the_other_does(
            contacts in prop::collection::vec((0u32..9, any_point(), -1f32..1.0, any_point()), 0..30),
            places in prop::collection::vec(any_point(), 9),
            friction in 0f32..2.0,
        ) {
            let mut cloth = sheet(3);
            cloth.points.iter_mut().zip(&places).for_each(|(point, place)| point.at = *place);
            let contacts: Vec<Contact> = contacts
                .into_iter()
                .map(|(particle, normal, level, motion)| contact(particle, normal.normalize_or(Vec3::Y), level, motion))
                .collect();
            let mut one_by_one = cloth.clone();
            for &Contact { particle, normal, level, surface_motion, .. } in &contacts {
                let [point, before] =
                    [&one_by_one.points, &one_by_one.previous].map(|points| points[particle as usize].at);
                let depth = level - normal.dot(point);
                if depth > 0.0 {
                    one_by_one.points[particle as usize].at =
                        push_out(point, before, normal, depth, surface_motion, friction);
                }
            }
            Held::by(&Contacts::of(contacts, cloth.len())).keep_out(&mut cloth, friction);
            prop_assert_eq!(cloth.positions(), one_by_one.positions());
        }
    }

    #[test]
    fn all_chunks_of_a_large_cloth_are_kept_out() {
        let mut cloth = sheet(101);
        let contacts = (0..cloth.len() as u32).step_by(3).map(|p| Contact::with_plane(p, Vec3::Y, 1e3));
        Held::by(&Contacts::of(contacts, cloth.len())).keep_out(&mut cloth, 0.3);
        let is_held = |(p, place): (usize, &Vec3)| (place.y == 1e3) == (p % 3 == 0);
        assert!(cloth.positions().iter().enumerate().all(is_held));
    }

    #[test]
    fn what_is_drawn_onto_a_slope_slides_down_it_only_if_that_is_steeper_than_friction_holds() {
        let slid = |slope: f32, friction: f32| {
            let mut cloth = sheet(2);
            let normal = Vec3::new(slope, 1.0, 0.0).normalize();
            let surface_motion = Vec3::X * 0.002;
            let level = normal.dot(cloth.points[0].at + surface_motion);
            cloth.points[0].at += surface_motion - Vec3::Y * 0.001;
            let contacts = Contacts::of([contact(0, normal, level, surface_motion)], cloth.len());
            Held::by(&contacts).keep_out(&mut cloth, friction);
            let way = cloth.points[0].at - cloth.previous[0].at - surface_motion;
            assert!(way.dot(normal).abs() < 1e-6, "it is on the slope");
            way.length()
        };
        assert!(slid(0.2, 0.3) < 1e-6, "it goes with the slope");
        assert!(slid(0.5, 0.3) > 1e-5 && slid(0.5, 0.3) < 0.5 * slid(0.5, 0.0));
    }
}
