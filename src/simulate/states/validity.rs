//! How well a correction map fits: how far what is held is from what the map was built for.

use crate::correction::{CorrectionMap, Geodesics, Tether};
use crate::pins::Pins;
use crate::simulate::archive::{Archive, Archived};
use crate::topology::ParticleId;

/// How far the particles that touch something in a frame are from those that its map holds beside the pins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MapValidity {
    /// Jaccard distance of both sets: 0 if they are the same, 1 if they have nothing in common.
    pub jaccard: f32,
    /// Mean distance along the cloth of what touches from the nearest particle that the map holds, pins included, metres.
    pub metres: f32,
}

impl MapValidity {
    pub(in crate::simulate) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.f32(&mut self.jaccard)?;
        archive.f32(&mut self.metres)
    }
}

/// What a map holds, ready to be compared.
#[derive(Clone, Debug)]
pub(super) struct Built {
    /// Whether the map holds a particle beside the pins.
    adds: Vec<bool>,
    /// Distance of each particle from the nearest that the map holds, metres; none where no way leads.
    nearest: Vec<Option<f32>>,
}

impl Built {
    /// `pin_tethers` lead to the nearest pins.
    pub(super) fn new(
        map: &CorrectionMap,
        pins: &Pins,
        geodesics: &Geodesics,
        pin_tethers: &[Option<Tether>],
    ) -> Built {
        let lengths = |tethers: &[Option<Tether>]| tethers.iter().map(|t| t.map(|t| t.length)).collect();
        let nearest: Vec<Option<f32>> =
            if map.fixed == pins.particles { lengths(pin_tethers) } else { lengths(&geodesics.tethers(&map.fixed)) };
        let mut adds = vec![false; nearest.len()];
        let added = map.fixed.iter().filter(|p| pins.particles.binary_search(p).is_err());
        added.for_each(|p: &ParticleId| adds[p.index()] = true);
        Built { adds, nearest }
    }

    /// Whether the map holds a particle beside the pins.
    pub(super) fn adds(&self, particle: usize) -> bool {
        self.adds[particle]
    }

    /// Whether the map holds nothing beside the pins.
    pub(super) fn is_empty(&self) -> bool {
        !self.adds.contains(&true)
    }

    /// How well it fits these contacts.
    pub(super) fn validity(&self, touched: &[bool]) -> MapValidity {
        let (mut both, mut either, mut touching, mut metres) = (0_u32, 0_u32, 0_u32, 0.0_f64);
        for ((&adds, &touches), nearest) in self.adds.iter().zip(touched).zip(&self.nearest) {
            both += u32::from(adds && touches);
            either += u32::from(adds || touches);
            if let Some(length) = nearest.filter(|_| touches) {
                touching += 1;
                metres += f64::from(length);
            }
        }
        MapValidity {
            jaccard: if either > 0 { 1.0 - both as f32 / either as f32 } else { 0.0 },
            metres: if touching > 0 { (metres / f64::from(touching)) as f32 } else { 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correction::MapOptions;
    use crate::springs::SpringNetwork;
    use crate::topology::{build, grids};

    #[test]
    fn a_map_is_as_valid_as_what_touches_is_what_it_was_built_for() {
        let topology = build(&grids::grid(5, 5)).unwrap();
        let springs = SpringNetwork::build(&topology);
        let ids = |all: &[u32]| all.iter().map(|&p| ParticleId(p)).collect::<Vec<_>>();
        let pins = Pins { particles: ids(&[0]), ..Pins::default() };
        let map = CorrectionMap::build("state", &ids(&[0, 12, 13]), &topology, &springs, &MapOptions::default());
        let geodesics = Geodesics::new(&topology);
        let built = Built::new(&map, &pins, &geodesics, &geodesics.tethers(&pins.particles));
        let of = |touching: &[usize]| built.validity(&(0..25).map(|i| touching.contains(&i)).collect::<Vec<_>>());
        assert_eq!(of(&[12, 13]), MapValidity { jaccard: 0.0, metres: 0.0 });
        assert_eq!(of(&[]), MapValidity { jaccard: 1.0, metres: 0.0 });
        // Particle 14 is the right neighbour of 13.
        let edge = topology.positions[13].distance(topology.positions[14]);
        let partly = of(&[13, 14]);
        assert!((partly.jaccard - 2.0 / 3.0).abs() < 1e-6 && (partly.metres - edge / 2.0).abs() < 1e-6, "{partly:?}");
    }
}
