//! One-way tethers to particles that something holds back, which come and go smoothly.
//!
//! ```text
//! reach of a tether           what is too far away when its root begins to hold is drawn in over a tenth of a second;
//!   now |\                    when the root lets go, the reach grows until the tether is slack anyway
//!       |  \              /
//!  rest |    \___________/
//!         hold            let go
//! ```

use crate::correction::Tether;
use crate::geometry::Vec3;
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::cloth::Cloth;
use crate::simulate::enforce::pull;

/// Time in which a tether comes or goes, seconds. Shorter jerks the cloth (at once: 1.9 times the usual acceleration on a sheet
/// that gusts blow onto a ball; so: 1.2), longer lets go of it within a step.
pub(super) const FADE: f32 = 0.1;
/// Part of its length by which a tether that goes grows: more than cloth stretches.
const LOOSE: f32 = 0.05;

/// Tethers in force, ascending by goal and root.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactTethers(Vec<ContactTether>);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ContactTether {
    goal: u32,
    root: u32,
    length: f32,
    /// What the reach is longer than the length, metres ...
    slack: f32,
    /// ... and how fast that grows, m/s.
    growth: f32,
}

impl ContactTethers {
    /// All of them, between so many particles.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>, particles: usize) -> Archived {
        archive.list(&mut self.0, ContactTether::default, |archive, tether| {
            archive.index(&mut tether.goal, particles, "tethers")?;
            archive.index(&mut tether.root, particles, "tethers")?;
            archive.f32(&mut tether.length)?;
            archive.f32(&mut tether.slack)?;
            archive.f32(&mut tether.growth)
        })
    }

    /// Takes over these tethers, one or none a particle: new ones begin at their present distance, old ones go.
    pub(super) fn change(&mut self, wanted: &[Option<Tether>], cloth: &Cloth) {
        let mut old = std::mem::take(&mut self.0).into_iter().peekable();
        for (goal, tether) in (0..).zip(wanted) {
            let wanted = tether.filter(|t| t.root.0 != goal && cloth.is_free(goal as usize));
            let mut is_new = wanted.is_some();
            while let Some(has) = old.next_if(|has| has.goal == goal) {
                let stays = wanted.is_some_and(|t| t.root.0 == has.root);
                is_new &= !stays;
                self.0.push(if stays { has.drawn_in() } else { has.let_go() });
            }
            if let Some(tether) = wanted.filter(|_| is_new) {
                self.0.push(ContactTether::begin(goal, tether, cloth));
            }
        }
    }

    /// Lets a substep pass.
    pub(super) fn pass(&mut self, seconds: f32) {
        for tether in &mut self.0 {
            tether.slack = (tether.slack + tether.growth * seconds).max(0.0);
        }
        self.0.retain(|t| t.growth <= 0.0 || t.slack < LOOSE * t.length);
    }

    /// Moves each goal to at most its tethers' reach from those roots that touch: a particle that nothing holds back can hold
    /// no other.
    pub(super) fn hold(&self, cloth: &mut Cloth, touching: &[bool]) {
        for tether in self.0.iter().filter(|t| touching[t.root as usize]) {
            let root: Vec3 = cloth.points[tether.root as usize].at;
            pull(&mut cloth.points[tether.goal as usize].at, root, tether.length + tether.slack);
        }
    }
}

impl ContactTether {
    fn begin(goal: u32, tether: Tether, cloth: &Cloth) -> ContactTether {
        let now = cloth.points[goal as usize].at.distance(cloth.points[tether.root.index()].at);
        let slack = (now - tether.length).max(0.0);
        ContactTether { goal, root: tether.root.0, length: tether.length, slack, growth: -slack / FADE }
    }

    /// As it is, if it is being drawn in already; one that was going comes back.
    fn drawn_in(self) -> ContactTether {
        if self.growth > 0.0 { ContactTether { growth: -self.slack / FADE, ..self } } else { self }
    }

    fn let_go(self) -> ContactTether {
        ContactTether { growth: LOOSE * self.length / FADE, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pins::Pins;
    use crate::topology::{ParticleId, build, grids};

    /// Distance of particle 1 from particle 0 in a row one metre apart, of which it is 0.2 m too far away, after each of
    /// `substeps` with and then as many without a tether between them.
    fn ways(substeps: u32) -> Vec<f32> {
        let topology = build(&grids::grid(2, 2)).unwrap();
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 1.0);
        cloth.points[0].at = Vec3::ZERO;
        let mut tethers = ContactTethers::default();
        let mut wanted = vec![None; 4];
        wanted[1] = Some(Tether { root: ParticleId(0), length: 1.0 });
        let mut ways = Vec::new();
        for wanted in [wanted, vec![None; 4]] {
            cloth.points[1].at = Vec3::X * 1.2;
            tethers.change(&wanted, &cloth);
            for _ in 0..substeps {
                // Something pulls outwards.
                cloth.points[1].at = Vec3::X * 1.2;
                tethers.pass(2.0 * FADE / substeps as f32);
                tethers.hold(&mut cloth, &[true; 4]);
                ways.push(cloth.points[1].at.x);
            }
        }
        assert!(tethers.0.is_empty(), "{tethers:?}");
        ways
    }

    #[test]
    fn a_tether_draws_in_and_lets_go_in_small_steps() {
        let ways = ways(100);
        assert!((ways[99] - 1.0).abs() < 1e-6, "it holds in the end: {}", ways[99]);
        let steps = ways[..100].windows(2).map(|w| (w[1] - w[0]).abs());
        // 0.2 m in 50 substeps.
        assert!(steps.fold(0.0, f32::max) < 0.2 / 50.0 * 1.01);
        assert!((1.0..1.002).contains(&ways[100]), "it lets go slowly: {}", ways[100]);
        assert_eq!(ways[199], 1.2);
    }
}
