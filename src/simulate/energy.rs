//! Energy from nowhere is taken back.
//!
//! ```text
//! E = sum m ( |v|^2 / 2 - g . (x' + x) / 2 )      x', x: places before and after the substep, half way between which v holds
//! ```
//!
//! Projections that have not converged, and cloth that is pushed apart, lift mass that nothing has lifted. While nothing
//! outside does work (no wind, pins and bodies at rest), `E` may rise by no more than bending holds: a bent strip springs back.
//! What shear has taken it does not give back: there the threads of a fabric rub on each other (the hysteresis 2HG that
//! KES-F measures), and what impacts do to it is more than they have energy for. Any further rise slows all particles
//! alike, relative to the motion of a part that nothing holds or touches (cf. Su, Sheth & Fedkiw, *Energy Conservation for the
//! Simulation of Deformable Bodies*, 2013; Dinev et al., *Stabilizing Integrators for Real-Time Physics*, 2018).
//!
//! Limit: cloth that is nearly still and drawn up by its constraints has no speed to pay with. It is left to do so.

use rayon::prelude::*;

use super::archive::{Archive, Archived};
use super::cloth::Cloth;
use super::momentum::{FreeParts, PARTICLES_PER_TASK};
use crate::geometry::Vec3;

/// Part of the kinetic energy that a substep takes at most: all of it would stop cloth in the air while another part is
/// pushed up.
const MOST_TAKEN: f64 = 0.2;
/// Substeps from one look at the energy of bending to the next, at least.
const LOOK_EVERY: u32 = 8;

/// What the cloth may have of kinetic energy and that in gravity.
#[derive(Debug)]
pub(super) struct EnergyBudget {
    gravity: Vec3,
    /// kg; 0 for pins.
    masses: Vec<f64>,
    /// Most that the cloth may have, J.
    most: f64,
    /// What it had after the substep before, J; infinite if that is not known.
    last: f64,
    substeps_to_look: u32,
}

impl EnergyBudget {
    /// Of a cloth whose pins have no mobility.
    pub(super) fn new(gravity: Vec3, cloth: &Cloth) -> EnergyBudget {
        let mass = |w: f32| if w > 0.0 { 1.0 / f64::from(w) } else { 0.0 };
        let masses = cloth.points[..cloth.len()].iter().map(|p| mass(p.inverse_mass)).collect();
        let (most, last) = (f64::INFINITY, f64::INFINITY);
        EnergyBudget { gravity, masses, most, last, substeps_to_look: 0 }
    }

    /// Forgets what the cloth had: something outside has done work on it.
    pub(super) fn reset(&mut self) {
        (self.most, self.last, self.substeps_to_look) = (f64::INFINITY, f64::INFINITY, 0);
    }

    /// What it knows of the substeps before.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
        archive.f64(&mut self.most)?;
        archive.f64(&mut self.last)?;
        archive.u32(&mut self.substeps_to_look)
    }

    /// Slows the cloth where it has more energy than before, but for what its `bending` holds, J.
    pub(super) fn keep(&mut self, cloth: &mut Cloth, free_parts: &FreeParts, bending: impl FnOnce(&Cloth) -> f64) {
        let Energy { kinetic, gravity } = self.energy(cloth);
        let energy = kinetic + gravity;
        self.substeps_to_look = self.substeps_to_look.saturating_sub(1);
        if energy > self.last && self.substeps_to_look == 0 {
            // It has been falling, and what bends holds most about now.
            self.most = self.most.min(self.last + bending(cloth));
            self.substeps_to_look = LOOK_EVERY;
        }
        self.last = energy;
        let excess = energy - self.most;
        if excess > 0.0 {
            let payable = kinetic - free_parts.kinetic_energy();
            let taken = excess.min(MOST_TAKEN * payable).max(0.0);
            if taken > 0.0 {
                free_parts.slow(cloth, (1.0 - taken / payable).sqrt());
            }
            self.last = energy - taken;
            self.most = self.last;
        }
    }

    fn energy(&self, cloth: &Cloth) -> Energy {
        let of_chunk = |(chunk, masses): (usize, &[f64])| {
            let first = chunk * PARTICLES_PER_TASK;
            let all = first..first + masses.len();
            let places = cloth.points[all.clone()].iter().zip(&cloth.previous[all.clone()]);
            let mut sum = Energy::default();
            for ((mass, velocity), (now, before)) in masses.iter().zip(&cloth.velocities[all]).zip(places) {
                sum.kinetic += mass * f64::from(velocity.at.length_squared());
                sum.gravity += mass * f64::from(self.gravity.dot(now.at + before.at));
            }
            sum
        };
        let chunks: Vec<Energy> = self.masses.par_chunks(PARTICLES_PER_TASK).enumerate().map(of_chunk).collect();
        let twice = chunks
            .into_iter()
            .fold(Energy::default(), |a, b| Energy { kinetic: a.kinetic + b.kinetic, gravity: a.gravity + b.gravity });
        Energy { kinetic: 0.5 * twice.kinetic, gravity: -0.5 * twice.gravity }
    }
}

/// J.
#[derive(Clone, Copy, Debug, Default)]
struct Energy {
    kinetic: f64,
    gravity: f64,
}
