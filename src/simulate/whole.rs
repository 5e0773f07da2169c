//! Cloth stays whole whatever collides with it.
//!
//! Where body parts pull cloth apart, or push it away from its pins, it slips through them instead of tearing. How soon is a
//! question of how the garment was made: a collar that its artist tucked into the body cannot leave it without tearing.
//!
//! ```text
//!    o pin, inside          near such pins the cloth keeps its length and stays tucked in;
//!  --|--------- surface     further away it keeps its distance from the body until it would tear
//!    o--o--o--
//! ```

use rayon::prelude::*;

use super::cloth::{CHUNK, Cloth};
use super::enforce::mend;
use crate::correction::Tether;
use crate::springs::Spring;
use crate::topology::{ParticleId, Topology};

/// Stretch that no collision may cause.
const TEARING: f32 = 0.24;
/// The same near the pins of cloth that is tucked in.
const TUCKED: f32 = 0.025;
/// How far from such pins, along the cloth, as a part of the body's size.
const NEAR: f32 = 0.06;
/// Passes over what would tear.
const PASSES: u32 = 12;

/// How far each edge of the file may stretch.
#[derive(Debug)]
pub(super) struct Whole {
    edges: Vec<Limit>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    a: ParticleId,
    b: ParticleId,
    /// Metres.
    longest: f32,
}

impl Whole {
    /// The limits of a cloth on a body of `body_size` metres, which `is_tucked` into it or not.
    pub(super) fn new(topology: &Topology, tethers: &[Option<Tether>], is_tucked: bool, body_size: f32) -> Whole {
        let near_pin = |p: ParticleId| tethers[p.index()].is_some_and(|t| t.length < NEAR * body_size);
        let limit = |&[a, b]: &[ParticleId; 2]| {
            let rest_length = topology.positions[a.index()].distance(topology.positions[b.index()]);
            let stretch = if is_tucked && near_pin(a) && near_pin(b) { TUCKED } else { TEARING };
            Limit { a, b, longest: rest_length * (1.0 + stretch) }
        };
        Whole { edges: topology.file_edges.iter().map(limit).collect() }
    }

    /// Brings edges that collisions have pulled too far apart back together, whatever is in the way.
    pub(super) fn keep(&self, cloth: &mut Cloth) {
        for _ in 0..PASSES {
            let is_exceeded = |edges: &[Limit]| edges.iter().any(|limit| limit.is_exceeded(cloth));
            let Some(first) = self.edges.par_chunks(CHUNK).position_first(is_exceeded) else { return };
            for limit in &self.edges[first * CHUNK..] {
                if limit.is_exceeded(cloth) {
                    mend(cloth, &Spring { a: limit.a, b: limit.b, rest_length: limit.longest }, 0.0);
                }
            }
        }
    }
}

impl Limit {
    fn is_exceeded(&self, cloth: &Cloth) -> bool {
        let squared = cloth.points[self.a.index()].at.distance_squared(cloth.points[self.b.index()].at);
        squared > self.longest * self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::pins::Pins;
    use crate::topology::{build, grids};

    /// A column of ten particles pinned at its top, every edge pulled to twice its length, after `keep`: its longest stretch
    /// next to the pin and anywhere.
    fn kept(is_tucked: bool) -> [f32; 2] {
        let topology = build(&grids::grid(2, 10)).expect("a grid");
        let top: Vec<ParticleId> = (0..2).map(ParticleId).collect();
        let pins = Pins { particles: top.clone(), ..Pins::default() };
        let tethers = crate::correction::tethers(&topology, &top);
        let mut cloth = Cloth::at_rest(&topology, &pins, 0.1);
        let origin = cloth.points[0].at;
        cloth.points.iter_mut().for_each(|p| p.at = origin + (p.at - origin) * 2.0);
        for pin in &top {
            cloth.points[pin.index()].at = topology.positions[pin.index()];
        }
        let edge = topology.mean_edge();
        let whole = Whole::new(&topology, &tethers, is_tucked, 1.5 * edge / NEAR);
        (0..200).for_each(|_| whole.keep(&mut cloth));
        let stretch = |&[a, b]: &[ParticleId; 2]| {
            let length = |at: &dyn Fn(ParticleId) -> Vec3| at(a).distance(at(b));
            length(&|p| cloth.points[p.index()].at) / length(&|p| topology.positions[p.index()]) - 1.0
        };
        let near = |e: &&[ParticleId; 2]| e.iter().all(|p| p.index() < 4);
        [
            topology.file_edges.iter().filter(near).map(stretch).fold(0.0, f32::max),
            topology.file_edges.iter().map(stretch).fold(0.0, f32::max),
        ]
    }

    #[test]
    fn no_edge_stays_longer_than_its_limit_and_tucked_cloth_has_a_tighter_one() {
        let [near, anywhere] = kept(false);
        assert!(near > 0.5 * TEARING && anywhere < TEARING + 1e-3, "{near} {anywhere}");
        let [near, anywhere] = kept(true);
        assert!(near < TUCKED + 1e-3 && anywhere < TEARING + 1e-3 && anywhere > 0.5 * TEARING, "{near} {anywhere}");
    }
}
