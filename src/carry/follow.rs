//! Simulated cloth -> the whole garment.
//!
//! ```text
//!         o p           p lies above the foot f of a triangle with corners x, all at rest; R is the turn of a corner now:
//!        /|                  p now = mean of  x now + R ((p - f) + (f - x) / 2),  weighted as the corners are in f
//!   x --- f --- x       The second part rounds the triangle, so that no facets show; half of it makes an arc of what bends
//!    \         /        evenly. Cloth that only moves carries without error.
//!         x
//! ```
//!
//! As Phong tessellation (Boubekeur and Alexa 2008), with the rest shape in place of a flat triangle.

use super::turns::{Turns, mean, normals};
use crate::body::{Body, Moment};
use crate::geometry::{Bvh, Mat3, Vec3};
use crate::pins::Pins;
use crate::topology::resample::Place;
use crate::topology::{ParticleId, Topology};

/// Cosine between the normals of a surface and of what it carries as its other side, up to which they count as parallel.
const PARALLEL: f32 = 0.5;
/// How much further than the surface a particle may be and still lie opposite.
const OPPOSITE: f32 = 1.5;

/// How much triangles are rounded: 0 leaves them flat, at 1 each corner carries what lies flat around it. Over an edge of length
/// `h` that bends by `a`, the corners stand `h a / 4` off its middle and an arc `h a / 8`.
const ROUNDNESS: f32 = 0.5;

/// What a particle of the whole garment follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Follow {
    /// The simulated cloth.
    Cloth(Place),
    /// The island of this index.
    Island(u32),
    /// The binding of this index in [`Carry::held`].
    Held(u32),
}

/// How a whole garment follows what is simulated of it.
#[derive(Clone, Debug)]
pub struct Carry {
    /// Of each particle of the whole garment.
    follows: Vec<Follow>,
    /// Where those are at rest, metres.
    rest: Vec<Vec3>,
    /// What the body holds.
    held: Pins,
    /// Particles of the cloth beneath each island.
    islands: Vec<Vec<ParticleId>>,
    turns: Turns,
}

impl Carry {
    /// The particles of `whole` follow `cloth` as `follows` says, `held` and `islands` being what that refers to.
    pub fn new(
        whole: &Topology,
        cloth: &Topology,
        follows: Vec<Follow>,
        held: Pins,
        islands: Vec<Vec<ParticleId>>,
    ) -> Carry {
        Carry { follows, rest: whole.positions.clone(), held, islands, turns: Turns::new(cloth) }
    }

    /// The simulated particle that `particle` of the whole garment is, if it is one.
    pub fn particle_of(&self, particle: ParticleId) -> Option<ParticleId> {
        match self.follows[particle.index()] {
            Follow::Cloth(Place::Particle(p)) => Some(p),
            _ => None,
        }
    }

    /// Whether the body holds any of the garment, so that [`Carry::carried`] needs its pose.
    pub fn needs_body(&self) -> bool {
        !self.held.particles.is_empty()
    }

    /// Places of all particles of the garment, the simulated `cloth` being at `positions`, metres.
    pub fn carried(&self, cloth: &Topology, positions: &[Vec3], body: Option<(&Body, &[Vec3], Moment)>) -> Vec<Vec3> {
        let turns = self.turns.at(cloth, positions);
        let moves: Vec<Motion> = self.islands.iter().map(|patch| Motion::of(patch, cloth, positions, &turns)).collect();
        let mut held = Vec::new();
        self.held.targets(body, &mut held);
        let place = |(follow, &rest): (&Follow, &Vec3)| match *follow {
            Follow::Cloth(Place::Particle(p)) => positions[p.index()],
            Follow::Cloth(Place::Surface { corners, weights }) => {
                let foot = mean_of(corners.map(|p| cloth.positions[p.index()]), weights);
                let carried = |p: ParticleId| {
                    let offset = (rest - foot) + (foot - cloth.positions[p.index()]) * ROUNDNESS;
                    positions[p.index()] + turns[p.index()] * offset
                };
                mean_of(corners.map(carried), weights)
            }
            Follow::Island(island) => moves[island as usize].apply(rest),
            Follow::Held(index) => held[index as usize],
        };
        self.follows.iter().zip(&self.rest).map(place).collect()
    }
}

fn mean_of([a, b, c]: [Vec3; 3], weights: Vec3) -> Vec3 {
    a * weights.x + b * weights.y + c * weights.z
}

/// A rigid motion.
struct Motion {
    from: Vec3,
    to: Vec3,
    turn: Mat3,
}

impl Motion {
    /// That of a patch of cloth as a whole.
    fn of(patch: &[ParticleId], cloth: &Topology, positions: &[Vec3], turns: &[Mat3]) -> Motion {
        let centre =
            |places: &[Vec3]| patch.iter().map(|p| places[p.index()]).sum::<Vec3>() / patch.len().max(1) as f32;
        Motion {
            from: centre(&cloth.positions),
            to: centre(positions),
            turn: mean(patch.iter().map(|p| turns[p.index()])),
        }
    }

    fn apply(&self, place: Vec3) -> Vec3 {
        self.to + self.turn * (place - self.from)
    }
}

/// The simulated cloth at rest, for the question what lies on it where.
pub(crate) struct Ground<'a> {
    cloth: &'a Topology,
    triangles: Vec<[u32; 3]>,
    normals: Vec<Vec3>,
    bvh: Bvh,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(cloth: &'a Topology) -> Self {
        let triangles: Vec<[u32; 3]> = cloth.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let bvh = Bvh::build(&cloth.positions, &triangles);
        Ground { cloth, normals: normals(cloth, &cloth.positions), bvh, triangles }
    }

    /// The closest place to `point` no further than `within` metres; of surfaces parallel to one with `normal`, if it has one.
    pub(crate) fn place(&self, point: Vec3, normal: Option<Vec3>, within: f32) -> Option<Place> {
        let is_parallel = |triangle: u32| {
            let [a, b, c] = self.triangles[triangle as usize].map(|p| self.normals[p as usize]);
            normal.is_none_or(|n| (a + b + c).normalize_or_zero().dot(n).abs() > PARALLEL)
        };
        let (triangle, closest, _) =
            self.bvh.closest_where(point, within, &self.cloth.positions, &self.triangles, is_parallel)?;
        let corners = self.cloth.triangles[triangle as usize];
        Some(Place::Surface { corners, weights: closest.barycentric })
    }

    /// The place on the other side of the cloth from `point`, where the surface has `normal`: a particle's own, if one lies
    /// opposite, so that both move as one.
    pub(crate) fn opposite(&self, point: Vec3, normal: Vec3) -> Option<Place> {
        let place = self.place(point, Some(normal), f32::INFINITY);
        let Place::Surface { corners, weights } = place.or_else(|| self.place(point, None, f32::INFINITY))? else {
            return None;
        };
        let places = corners.map(|p| self.cloth.positions[p.index()]);
        let heaviest = weights.max_position();
        let is_opposite = point.distance(places[heaviest]) <= OPPOSITE * point.distance(mean_of(places, weights));
        let weights = if is_opposite { Vec3::AXES[heaviest] } else { weights };
        Some(Place::Surface { corners, weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Quat;
    use crate::topology::{build, grids};

    #[test]
    fn what_lies_on_cloth_that_only_moves_is_carried_without_error() {
        let cloth = build(&grids::tube(10, 4)).expect("a tube");
        let ground = Ground::new(&cloth);
        let mut whole = cloth.clone();
        whole.positions.iter_mut().for_each(|p| *p += Vec3::new(p.x, 0.01, p.z) * 0.05);
        let mut follows: Vec<Follow> = whole
            .positions
            .iter()
            .map(|&p| Follow::Cloth(ground.place(p, None, f32::INFINITY).expect("some triangle")))
            .collect();
        follows[3] = Follow::Island(0);
        let patch = cloth.triangles[5].to_vec();
        let carry = Carry::new(&whole, &cloth, follows, Pins::default(), vec![patch]);
        let turn = Mat3::from_quat(Quat::from_xyzw(0.2, 0.6, -0.3, 0.7).normalize());
        let moved: Vec<Vec3> = cloth.positions.iter().map(|&p| turn * p + Vec3::Y).collect();
        let carried = carry.carried(&cloth, &moved, None);
        for (found, rest) in carried.iter().zip(&whole.positions) {
            assert!(found.distance(turn * *rest + Vec3::Y) < 1e-4);
        }
    }
}
