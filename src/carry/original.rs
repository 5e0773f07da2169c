//! The simulated part of the file's mesh: its particles are those of the cloth, or lie on cloth with other particles.

use rayon::prelude::*;

use super::clearance::{Depth, Posed, Reach};
use super::follow::{NEAR, SHALLOW, Wearer, placed_on, reach};
use super::tighten::{Limits, Wall};
use super::turns::Turns;
use crate::geometry::Vec3;
use crate::pins::Pins;
use crate::topology::resample::Place;
use crate::topology::{ParticleId, Topology};

/// Stretch that is left as it was carried.
const SLACK: f32 = 0.004;

/// Stretch of an edge between two pins beyond which they give, as those of the simulation do: the body's skin stretches.
const PIN_SLACK: f32 = 0.1;

/// How often what was drawn together is held off the body where it has come to be: along a wall it comes to where the body rises
/// above that, half a long edge further.
const AGAIN: usize = 2;

/// What the cloth stands for.
#[derive(Clone, Debug)]
pub(super) struct Original {
    pub(super) mesh: Topology,
    /// Where its particles are on the cloth.
    places: Vec<Place>,
    fitted: Option<Fitted>,
}

/// What is needed if the cloth has other particles.
#[derive(Clone, Debug)]
struct Fitted {
    turns: Turns,
    /// Its particles that are pinned and no particles of the cloth.
    pins: Pins,
    /// How long edges between pins may be.
    pin_limits: Limits,
    /// The pins of the cloth.
    cloth_pins: Pins,
    may_move: Vec<bool>,
    /// Of each particle of the cloth, the particles it lies between, with weights of sum 1.
    between: Vec<Vec<(ParticleId, f32)>>,
    limits: Limits,
}

impl Original {
    /// A mesh whose particles are those of the cloth named by `particles`.
    pub(super) fn as_it_is(mesh: Topology, particles: Vec<ParticleId>) -> Original {
        Original { mesh, places: particles.into_iter().map(Place::Particle).collect(), fitted: None }
    }

    /// A mesh that lies on `cloth` at `places`, but for its pins; the other pins are those of the cloth, whose particles lie
    /// `between` those of the mesh.
    pub(super) fn resampled(
        mesh: Topology,
        cloth: &Topology,
        places: Vec<Place>,
        between: Vec<Vec<(ParticleId, f32)>>,
        [pins, cloth_pins]: [Pins; 2],
    ) -> Original {
        let mut may_move = vec![true; places.len()];
        pins.particles.iter().for_each(|p| may_move[p.index()] = false);
        let limits = Limits::over_runs(&mesh, &may_move, SLACK);
        let is_pinned: Vec<bool> = may_move.iter().map(|may| !may).collect();
        let pins = pins.only(|p| matches!(places[p.index()], Place::Surface { .. }));
        let mut gives = vec![false; places.len()];
        pins.particles.iter().for_each(|p| gives[p.index()] = true);
        let pin_limits = Limits::new(&mesh, &gives, PIN_SLACK).between(&is_pinned);
        let fitted = Fitted { turns: Turns::new(cloth), limits, pin_limits, may_move, between, pins, cloth_pins };
        Original { mesh, places, fitted: Some(fitted) }
    }

    pub(super) fn is_resampled(&self) -> bool {
        self.fitted.is_some()
    }

    /// Whether a body may carry pins of it.
    pub(super) fn is_held(&self) -> bool {
        self.fitted.as_ref().is_some_and(|fitted| !fitted.pins.particles.is_empty())
    }

    /// The particle of the cloth that `particle` is, if it is one.
    pub(super) fn particle_of(&self, particle: ParticleId) -> Option<ParticleId> {
        match self.places[particle.index()] {
            Place::Particle(p) => Some(p),
            Place::Surface { .. } => None,
        }
    }

    /// Where its particles are, the `cloth` being at `positions`.
    pub(super) fn placed(
        &self,
        cloth: &Topology,
        positions: &[Vec3],
        wearer: Option<Wearer<'_>>,
        body: Option<&Posed<'_>>,
    ) -> Vec<Vec3> {
        let turns = self.fitted.as_ref().map_or(Vec::new(), |fitted| fitted.turns.at(cloth, positions));
        let on_cloth = self.places.iter().zip(&self.mesh.positions);
        let on_cloth = on_cloth.map(|(&place, &rest)| placed_on(place, rest, &cloth.positions, positions, &turns));
        let mut placed: Vec<Vec3> = on_cloth.collect();
        let Some(fitted) = &self.fitted else { return placed };
        fitted.pin(&mut placed, &self.places, positions, wearer);
        let most = NEAR * cloth.mean_edge().max(self.mesh.mean_edge());
        let Some((body, wearer)) = body.zip(wearer) else {
            fitted.limits.draw_together(&mut placed, &[], most);
            return placed;
        };
        let reach = reach(wearer.keep, cloth.mean_edge(), SHALLOW);
        let between = fitted.walls_between(&self.places, &placed, body, reach);
        let mut walls = fitted.walls_of_cloth(positions, body, reach);
        walls.extend(&between);
        fitted.limits.draw_together(&mut placed, &walls, most);
        for _ in 0..AGAIN {
            let drawn = fitted.walls_where_drawn(&self.places, [positions, &placed], body, reach);
            let walls: Vec<Wall> = between.iter().copied().chain(drawn).collect();
            fitted.limits.draw_together(&mut placed, &walls, most);
        }
        placed
    }
}

impl Fitted {
    /// Puts the pins where they belong: not on the cloth between its pins, but as far off their own targets as those are.
    fn pin(&self, placed: &mut [Vec3], places: &[Place], positions: &[Vec3], wearer: Option<Wearer<'_>>) {
        let posed = wearer.map(|wearer| wearer.posed());
        let mut targets = Vec::new();
        self.cloth_pins.targets(posed, &mut targets);
        let mut off_target = vec![Vec3::ZERO; positions.len()];
        for (p, target) in self.cloth_pins.particles.iter().zip(&targets) {
            off_target[p.index()] = positions[p.index()] - *target;
        }
        self.pins.targets(posed, &mut targets);
        for (p, target) in self.pins.particles.iter().zip(&targets) {
            if let Place::Surface { corners, weights } = places[p.index()] {
                let off =
                    corners.iter().zip(weights.to_array()).map(|(corner, part)| off_target[corner.index()] * part);
                placed[p.index()] = *target + off.sum::<Vec3>();
            }
        }
        self.pin_limits.draw_together(placed, &[], f32::INFINITY);
    }

    /// Walls before the mesh where the cloth that stands for it is near a body, within its faces too.
    fn walls_of_cloth(&self, positions: &[Vec3], body: &Posed<'_>, reach: Reach) -> Vec<Wall> {
        let planes = body.planes(positions.par_iter().map(|place| (*place, Depth::Meant)), reach);
        planes
            .into_iter()
            .zip(&self.between)
            .filter_map(|(plane, between)| Wall::new(between, plane?, &self.may_move))
            .collect()
    }

    /// Walls before what lies between particles of the cloth.
    fn walls_between(&self, places: &[Place], placed: &[Vec3], body: &Posed<'_>, reach: Reach) -> Vec<Wall> {
        let is_between = |p: &u32| matches!(places[*p as usize], Place::Surface { .. }) && self.may_move[*p as usize];
        body.walls_before((0..places.len() as u32).filter(is_between), placed, reach, &self.may_move)
    }

    /// Walls before the particles that are simulated, where they have been drawn to.
    fn walls_where_drawn(
        &self,
        places: &[Place],
        [positions, placed]: [&[Vec3]; 2],
        body: &Posed<'_>,
        reach: Reach,
    ) -> Vec<Wall> {
        let simulated = |(p, place): (u32, &Place)| match *place {
            Place::Particle(q) if self.may_move[p as usize] => {
                Some((ParticleId(p), [positions[q.index()], placed[p as usize]]))
            }
            _ => None,
        };
        let simulated: Vec<_> = (0..).zip(places).filter_map(simulated).collect();
        body.walls_as_far(&simulated, reach, &self.may_move)
    }
}
