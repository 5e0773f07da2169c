//! Rigid islands: buttons and buckles move as a whole with the cloth beneath them, and out of a body as a whole.
//!
//! ```text
//!       ____                Cloth bends into a crease of the body; what is rigid would cut off its corner. It goes out along the
//!    \ |____| /             body's normal where it is deepest, again and again, until none of it is further inside than it was
//!     \      /  body        made.
//!      \____/
//! ```

use super::clearance::Posed;
use super::turns::{Turn, mean};
use crate::geometry::{Aabb, Mat3, Vec3};
use crate::topology::{ParticleId, Topology};

/// How often a piece goes out where it is deepest: in a crease it goes from one side to the other.
const ROUNDS: u32 = 16;
/// How far it goes in all, in lengths of its diagonal.
const FURTHEST: f32 = 0.5;
/// Part of the distance that is kept by which it may be missed.
const MISSED: f32 = 0.1;

/// A rigid piece of a garment.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    /// Particles of the cloth beneath it.
    beneath: Vec<ParticleId>,
    /// Its own, each with its distance from the body at rest, metres; infinite where that is far or there is none.
    particles: Vec<(u32, f32)>,
    /// Length of its diagonal, metres.
    size: f32,
}

impl Rigid {
    /// That of these `particles` at `rest`, over cloth that has those `beneath` it; `body` as it is there.
    pub(super) fn new(particles: &[u32], rest: &[Vec3], beneath: Vec<ParticleId>, body: Option<&Posed<'_>>) -> Rigid {
        let size = Aabb::around(particles.iter().map(|&p| &rest[p as usize])).size().length();
        let from_body = |p: u32| {
            body.and_then(|body| body.signed_distance(rest[p as usize], size))
                .map_or(f32::INFINITY, |(distance, _)| distance)
        };
        Rigid { beneath, particles: particles.iter().map(|&p| (p, from_body(p))).collect(), size }
    }

    /// How it moves with the `cloth`, which is at `positions`.
    pub(super) fn motion(&self, cloth: &Topology, positions: &[Vec3], turns: &[Turn]) -> Motion {
        let centre = |places: &[Vec3]| {
            self.beneath.iter().map(|p| places[p.index()]).sum::<Vec3>() / self.beneath.len().max(1) as f32
        };
        Motion {
            from: centre(&cloth.positions),
            to: centre(positions),
            turn: mean(self.beneath.iter().map(|p| turns[p.index()].rotation)),
        }
    }

    /// The way of its particles, which are `placed`, out of a body from which cloth keeps a distance of `keep` metres.
    pub(super) fn way_out(&self, placed: &[Vec3], body: &Posed<'_>, keep: f32) -> Vec3 {
        let mut way = Vec3::ZERO;
        for _ in 0..ROUNDS {
            let lack = |&(p, at_rest): &(u32, f32)| {
                let (distance, normal) = body.signed_distance(placed[p as usize] + way, self.size)?;
                Some((keep.min(at_rest) - distance, normal))
            };
            let most = self.particles.iter().filter_map(lack).max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((lack, normal)) = most.filter(|(lack, _)| *lack > MISSED * keep) else { break };
            way += normal * lack;
        }
        way.clamp_length_max(FURTHEST * self.size)
    }

    /// Moves its particles.
    pub(super) fn go(&self, placed: &mut [Vec3], way: Vec3) {
        self.particles.iter().for_each(|&(p, _)| placed[p as usize] += way);
    }
}

/// A rigid motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    from: Vec3,
    to: Vec3,
    turn: Mat3,
}

impl Motion {
    /// Where it takes `place`.
    pub(super) fn apply(&self, place: Vec3) -> Vec3 {
        self.to + self.turn * (place - self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::carry::clearance::Clearance;
    use crate::import::{BodyAsset, MeshSequence};

    const KEEP: f32 = 0.01;

    /// A block with a right-angled crease along z in its top: above it y is more than |x|.
    fn crease() -> (Vec<Vec3>, Body) {
        let around = [(-9.0, 9.0), (0.0, 0.0), (9.0, 9.0), (9.0, -9.0), (-9.0, -9.0)];
        let pose: Vec<Vec3> = around.iter().flat_map(|&(x, y)| [-9.0, 9.0].map(|z| Vec3::new(x, y, z))).collect();
        let side = |corner: u32| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| (2 * corner + i) % 10);
            [[a, b, d], [a, d, c]]
        };
        let sides = (0..5).flat_map(side);
        let ends = [[2, 6, 4], [2, 8, 6], [2, 0, 8]].into_iter().chain([[3, 5, 7], [3, 7, 9], [3, 9, 1]]);
        let triangles = sides.chain(ends).collect();
        let sequence = MeshSequence { frames: vec![pose.clone()], triangles, ..MeshSequence::default() };
        (pose, Body::new(BodyAsset::Sequence(sequence), None).expect("a crease"))
    }

    /// Where the four corners of a button go that was made as high as `rest` and would come to be as high as `height`.
    fn brought_out(rest: f32, height: f32) -> [Vec3; 4] {
        let (pose, body) = crease();
        let clearance = Clearance::new(&body, &pose);
        let posed = clearance.at(&pose);
        let button = |y: f32| [(-0.1, 0.0), (0.1, 0.0), (0.0, -0.1), (0.0, 0.1)].map(|(x, z)| Vec3::new(x, y, z));
        let rigid = Rigid::new(&[0, 1, 2, 3], &button(rest), Vec::new(), Some(&posed));
        let mut placed = button(height);
        let way = rigid.way_out(&placed, &posed, KEEP);
        rigid.go(&mut placed, way);
        placed
    }

    #[test]
    fn a_button_in_a_crease_comes_out_of_it_as_it_is() {
        let placed = brought_out(0.15, 0.06);
        for [x, y, _] in placed.map(|place| place.to_array()) {
            let depth = (y - x.abs()) * 0.5_f32.sqrt();
            assert!(depth > 0.8 * KEEP && depth < 0.12, "{depth}");
        }
        assert!((placed[0].distance(placed[1]) - 0.2).abs() < 1e-5, "{placed:?}");
    }

    #[test]
    fn what_was_made_inside_a_body_stays_as_deep() {
        for (rest, height, expected) in [(0.06, 0.06, 0.06), (0.06, 0.02, 0.06), (0.3, 0.2, 0.2)] {
            let y = brought_out(rest, height)[0].y;
            assert!((y - expected).abs() < 0.2 * KEEP, "{rest} {height}: {y}");
        }
    }
}
