//! Momentum of cloth that nothing holds or touches: it goes on as it goes, and spins on as it spins.
//!
//! ```text
//! P = sum m v        L = sum m (x - c) x v        c: centre of mass
//! ```
//!
//! Constraints move particles without changing either, but the velocities made of the ways they went do lose spin: a particle
//! that turns goes along the tangent and is drawn back, and the chord is shorter than that.
//!
//! ```text
//!      ---h v-->o                  r x chord / h = (1 - omega^2 h^2) r x v:
//!    o--.       | drawn back       the share omega^2 h of the spin a second, at a turn a second and h = 1/300 s 13 %
//!        `--chord->o
//! ```
//!
//! So what forces left is measured before, and given back as one rigid motion after: `v + dV + dOmega x (x - c)`, with
//! `I dOmega = dL`. It is the correction that Desbrun, Schroder and Barr (1999) make to their integrator, made to velocities.

use rayon::prelude::*;

use super::cloth::{CHUNK, Cloth, Point};
use super::collide::Contacts;
use crate::geometry::{DMat3, DVec3, Vec3};
use crate::topology::Topology;

/// Particles summed by one task. Fixed: sums are the same for any number of threads.
pub(super) const PARTICLES_PER_TASK: usize = 4096;
/// Part of the inertia below which an axis has none, as of cloth that is drawn out to a line: no spin about it is restored.
const THIN: f64 = 1e-9;

/// The connected parts of the cloth that have no pin.
#[derive(Debug)]
pub(super) struct FreeParts {
    parts: Vec<Part>,
    /// Part of each particle, if it is of one.
    part_of: Vec<Option<u32>>,
}

#[derive(Debug)]
struct Part {
    particles: Vec<u32>,
    /// Momentum that it must have after the substep; none if something touches it.
    wanted: Option<Momentum>,
    /// Its motion as a whole, if nothing touches it.
    rigid: Option<Rigid>,
}

/// A motion without change of form.
#[derive(Clone, Copy, Debug)]
struct Rigid {
    centre: DVec3,
    /// m/s.
    velocity: DVec3,
    /// rad/s.
    spin: DVec3,
    /// J.
    kinetic_energy: f64,
}

impl Rigid {
    fn velocity_at(&self, place: Vec3) -> DVec3 {
        self.velocity + self.spin.cross(place.as_dvec3() - self.centre)
    }
}

/// Of a part, about its centre of mass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Momentum {
    /// kg m/s.
    pub(super) linear: DVec3,
    /// kg m2/s.
    pub(super) angular: DVec3,
}

impl FreeParts {
    /// Of a cloth whose pins have no mobility.
    pub(super) fn new(topology: &Topology, cloth: &Cloth) -> FreeParts {
        let mut members = vec![Vec::new(); topology.component_count];
        for (particle, &component) in (0..).zip(&topology.component_of_particle) {
            members[component as usize].push(particle);
        }
        // A loose particle has no constraint that could change its momentum.
        let is_free =
            |particles: &Vec<u32>| particles.len() > 1 && particles.iter().all(|&p| cloth.is_free(p as usize));
        let parts = members.into_iter().filter(is_free).map(|particles| Part { particles, wanted: None, rigid: None });
        let parts: Vec<Part> = parts.collect();
        let mut part_of = vec![None; cloth.len()];
        for (index, part) in (0..).zip(&parts) {
            part.particles.iter().for_each(|&p| part_of[p as usize] = Some(index));
        }
        FreeParts { parts, part_of }
    }

    /// None: for integrators that keep momentum themselves.
    pub(super) fn none() -> FreeParts {
        FreeParts { parts: Vec::new(), part_of: Vec::new() }
    }

    /// Notes the momentum that forces left each part with, before velocities are made anew, and lets those go that something
    /// touches: a body by `contacts`, or another part of the cloth, by pairs of particles that are `near` each other.
    pub(super) fn note(&mut self, cloth: &Cloth, contacts: &Contacts, near: impl Iterator<Item = [u32; 2]>) {
        if self.parts.is_empty() {
            return;
        }
        let mut is_touched = vec![false; self.parts.len()];
        let mut untouched = self.parts.len();
        let part = |particle: u32| self.part_of[particle as usize];
        let by_cloth = near.map(|pair| pair.map(part)).filter(|[one, other]| one != other).flatten();
        for part in contacts.iter().map(|c| part(c.particle)).chain(by_cloth).flatten() {
            untouched -= usize::from(!is_touched[part as usize]);
            is_touched[part as usize] = true;
            if untouched == 0 {
                break;
            }
        }
        for (part, is_touched) in self.parts.iter_mut().zip(is_touched) {
            let sums = (!is_touched).then(|| Sums::of(&part.particles, &cloth.previous, &cloth.velocities));
            part.wanted = sums.map(|s| s.momentum());
        }
    }

    /// Gives each part that nothing touches the momentum that was noted.
    pub(super) fn restore(&mut self, cloth: &mut Cloth) {
        let lost = |part: &mut Part| {
            let sums = part.wanted.map(|_| Sums::of(&part.particles, &cloth.points, &cloth.velocities));
            part.rigid = sums.zip(part.wanted).map(|(sums, wanted)| sums.rigid(wanted));
            let (sums, wanted) = sums.zip(part.wanted)?;
            let now = sums.momentum();
            let [linear, angular] = [wanted.linear - now.linear, wanted.angular - now.angular];
            Some(sums.rigid(Momentum { linear, angular }))
        };
        let lost: Vec<Option<Rigid>> = self.parts.iter_mut().map(lost).collect();
        self.move_parts(&lost, 1.0, cloth);
    }

    /// Adds so much of the motion of its part to each velocity.
    fn move_parts(&self, motions: &[Option<Rigid>], share: f64, cloth: &mut Cloth) {
        if motions.iter().all(Option::is_none) {
            return;
        }
        let particles = cloth.points.par_iter().zip(&self.part_of);
        cloth.velocities.par_iter_mut().zip(particles).with_min_len(CHUNK).for_each(|(velocity, (point, part))| {
            if let Some(motion) = part.and_then(|part| motions[part as usize]) {
                velocity.at += (motion.velocity_at(point.at) * share).as_vec3();
            }
        });
    }

    /// Kinetic energy of the parts that nothing touches in their motion as a whole, J.
    pub(super) fn kinetic_energy(&self) -> f64 {
        self.parts.iter().filter_map(|part| part.rigid).map(|rigid| rigid.kinetic_energy).sum()
    }

    /// Keeps so much of all velocities, of parts that nothing touches those beside their motion as a whole.
    pub(super) fn slow(&self, cloth: &mut Cloth, kept: f64) {
        let kept = kept as f32;
        cloth.velocities.par_iter_mut().with_min_len(CHUNK).for_each(|velocity| velocity.at *= kept);
        let motions: Vec<Option<Rigid>> = self.parts.iter().map(|part| part.rigid).collect();
        self.move_parts(&motions, f64::from(1.0 - kept), cloth);
    }
}

/// Sums over particles, about the origin.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// m, kg.
    mass: f64,
    /// m x.
    place: DVec3,
    /// m v.
    linear: DVec3,
    /// m x cross v.
    angular: DVec3,
    /// m x x, and m x y, y z, z x.
    squares: DVec3,
    products: DVec3,
}

impl Sums {
    fn of(particles: &[u32], places: &[Point], velocities: &[Point]) -> Sums {
        let chunk = |chunk: &[u32]| {
            let add = |mut sums: Sums, &particle: &u32| {
                let (place, velocity) = (&places[particle as usize], velocities[particle as usize].at.as_dvec3());
                let (at, mass) = (place.at.as_dvec3(), 1.0 / f64::from(place.inverse_mass));
                let (weighted, momentum) = (at * mass, velocity * mass);
                sums.mass += mass;
                sums.place += weighted;
                sums.linear += momentum;
                sums.angular += at.cross(momentum);
                sums.squares += weighted * at;
                sums.products += weighted * DVec3::new(at.y, at.z, at.x);
                sums
            };
            chunk.iter().fold(Sums::default(), add)
        };
        let chunks: Vec<Sums> = particles.par_chunks(PARTICLES_PER_TASK).map(chunk).collect();
        chunks.into_iter().fold(Sums::default(), |a, b| Sums {
            mass: a.mass + b.mass,
            place: a.place + b.place,
            linear: a.linear + b.linear,
            angular: a.angular + b.angular,
            squares: a.squares + b.squares,
            products: a.products + b.products,
        })
    }

    fn centre(&self) -> DVec3 {
        self.place / self.mass
    }

    fn momentum(&self) -> Momentum {
        Momentum { linear: self.linear, angular: self.angular - self.centre().cross(self.linear) }
    }

    /// The motion as a whole that has that momentum.
    fn rigid(&self, momentum: Momentum) -> Rigid {
        let (centre, velocity) = (self.centre(), momentum.linear / self.mass);
        let spin = self.spin_of(momentum.angular);
        let kinetic_energy = 0.5 * (velocity.dot(momentum.linear) + spin.dot(momentum.angular));
        Rigid { centre, velocity, spin, kinetic_energy }
    }

    /// The spin, rad/s, of that angular momentum about the centre.
    fn spin_of(&self, angular: DVec3) -> DVec3 {
        let centre = self.centre();
        let squares = self.squares - self.place * centre;
        let products = self.products - self.place * DVec3::new(centre.y, centre.z, centre.x);
        let sum = squares.element_sum();
        let (diagonal, off) = (DVec3::splat(sum * (1.0 + THIN)) - squares, -products);
        let inertia = DMat3::from_cols(
            DVec3::new(diagonal.x, off.x, off.z),
            DVec3::new(off.x, diagonal.y, off.y),
            DVec3::new(off.z, off.y, diagonal.z),
        );
        if inertia.determinant() > 0.0 { inertia.inverse() * angular } else { DVec3::ZERO }
    }
}
