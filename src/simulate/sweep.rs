//! Where sweeps over the constraints begin.

use crate::correction::{Geodesics, Tether};
use crate::geometry::{Aabb, Vec3};
use crate::topology::{ParticleId, Topology};

/// Distance of every particle, along the cloth, from where sweeps begin: its pin or, where no pin reaches, the middle of its
/// component. In no order at all a pass carries tension two edges far, and free cloth comes out twice as long.
pub(super) fn distances(
    topology: &Topology,
    geodesics: &Geodesics,
    pin_tethers: &[Option<Tether>],
) -> Vec<Option<Tether>> {
    let middles = middles_of_free(topology, pin_tethers);
    let free = if middles.is_empty() { Vec::new() } else { geodesics.tethers(&middles) };
    let of_free = |particle: usize| free.get(particle).copied().flatten();
    pin_tethers.iter().enumerate().map(|(particle, tether)| tether.or_else(|| of_free(particle))).collect()
}

/// The particle nearest to the centre of each component that no pin reaches, ascending.
fn middles_of_free(topology: &Topology, pin_tethers: &[Option<Tether>]) -> Vec<ParticleId> {
    let components = || topology.component_of_particle.iter().map(|&c| c as usize);
    let centres: Vec<Vec3> = topology.component_bounds().iter().map(Aabb::centre).collect();
    let mut reached = vec![false; centres.len()];
    for (tether, component) in pin_tethers.iter().zip(components()) {
        reached[component] |= tether.is_some();
    }
    let mut middles: Vec<Option<(f32, ParticleId)>> = vec![None; centres.len()];
    for ((particle, &place), component) in (0..).map(ParticleId).zip(&topology.positions).zip(components()) {
        let distance = place.distance_squared(centres[component]);
        if !reached[component] && middles[component].is_none_or(|(nearest, _)| distance < nearest) {
            middles[component] = Some((distance, particle));
        }
    }
    let mut middles: Vec<ParticleId> = middles.into_iter().flatten().map(|(_, particle)| particle).collect();
    middles.sort_unstable();
    middles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, grids};

    #[test]
    fn sweeps_begin_at_pins_and_in_the_middle_of_what_hangs_on_none() {
        let topology = build(&grids::grid(9, 9)).expect("a grid");
        let geodesics = Geodesics::new(&topology);
        let free = vec![None; topology.positions.len()];
        assert_eq!(middles_of_free(&topology, &free), [ParticleId(40)]);
        let swept = distances(&topology, &geodesics, &free);
        let furthest = swept.iter().map(|t| t.expect("one component").length).fold(0.0, f32::max);
        let corner = topology.positions[0].distance(topology.positions[40]);
        assert!((furthest - corner).abs() < 0.1 * corner, "{furthest} {corner}");
        let pinned = geodesics.tethers(&[ParticleId(0)]);
        assert_eq!(distances(&topology, &geodesics, &pinned), pinned);
    }
}
