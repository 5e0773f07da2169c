//! A symmetric positive definite system of 3 x 3 blocks, solved by conjugate gradients with the inverted blocks of its diagonal
//! as preconditioner.
//!
//! Sums run over particles in order and in `f64`: the result is the same on any machine.

use crate::geometry::{Mat3, Vec3};

/// Residual that ends the iteration, as a part of the right-hand side's, both in the preconditioner's norm. A velocity is then
/// right to four digits.
const TOLERANCE: f64 = 1e-4;
/// Iterations after which the best so far is taken.
const MOST_ITERATIONS: u32 = 300;

/// A spring's block off the diagonal: `isotropic I + along u u^T`, negative between its ends and positive on them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupling {
    pub(super) ends: [u32; 2],
    pub(super) direction: Vec3,
    pub(super) isotropic: f32,
    pub(super) along: f32,
}

/// The system. Rows of pinned particles answer zero.
#[derive(Debug)]
pub(super) struct System {
    /// Blocks on the diagonal; the caller puts the masses there before it adds couplings.
    pub(super) diagonal: Vec<Mat3>,
    /// Between free particles.
    pub(super) couplings: Vec<Coupling>,
    inverse: Vec<Mat3>,
    solution: Vec<Vec3>,
    residual: Vec<Vec3>,
    preconditioned: Vec<Vec3>,
    search: Vec<Vec3>,
    image: Vec<Vec3>,
}

impl Coupling {
    fn apply(&self, v: Vec3) -> Vec3 {
        v * self.isotropic + self.direction * (self.along * self.direction.dot(v))
    }

    fn block(&self) -> Mat3 {
        let u = self.direction;
        let outer = Mat3::from_cols(u * u.x, u * u.y, u * u.z);
        Mat3::from_diagonal(Vec3::splat(self.isotropic)) + outer * self.along
    }
}

impl System {
    pub(super) fn new(particles: usize, springs: usize) -> System {
        let zeros = vec![Vec3::ZERO; particles];
        System {
            diagonal: vec![Mat3::ZERO; particles],
            couplings: Vec::with_capacity(springs),
            inverse: vec![Mat3::ZERO; particles],
            solution: zeros.clone(),
            residual: zeros.clone(),
            preconditioned: zeros.clone(),
            search: zeros.clone(),
            image: zeros,
        }
    }

    /// Adds a spring; `free` says which of its ends are.
    pub(super) fn add(&mut self, coupling: Coupling, free: [bool; 2]) {
        let block = coupling.block();
        for end in coupling.ends {
            self.diagonal[end as usize] += block;
        }
        if free == [true, true] {
            self.couplings.push(coupling);
        }
    }

    /// Inverts the diagonal; the rows of pinned particles stay zero.
    pub(super) fn prepare(&mut self, is_free: impl Fn(usize) -> bool) {
        for (particle, (inverse, block)) in self.inverse.iter_mut().zip(&self.diagonal).enumerate() {
            *inverse = if is_free(particle) { block.inverse() } else { Mat3::ZERO };
        }
    }

    /// The solution for a right-hand side that is zero at pinned particles.
    pub(super) fn solve(&mut self, right: &[Vec3]) -> &[Vec3] {
        self.solution.fill(Vec3::ZERO);
        self.residual.copy_from_slice(right);
        precondition(&self.inverse, &self.residual, &mut self.preconditioned);
        self.search.copy_from_slice(&self.preconditioned);
        let mut error = dot(&self.residual, &self.preconditioned);
        let enough = TOLERANCE * TOLERANCE * error;
        for _ in 0..MOST_ITERATIONS {
            if error <= enough || !error.is_finite() {
                break;
            }
            self.multiply();
            let step = (error / dot(&self.search, &self.image)) as f32;
            for (x, p) in self.solution.iter_mut().zip(&self.search) {
                *x += *p * step;
            }
            for (r, image) in self.residual.iter_mut().zip(&self.image) {
                *r -= *image * step;
            }
            precondition(&self.inverse, &self.residual, &mut self.preconditioned);
            let before = std::mem::replace(&mut error, dot(&self.residual, &self.preconditioned));
            let kept = (error / before) as f32;
            for (p, z) in self.search.iter_mut().zip(&self.preconditioned) {
                *p = *z + *p * kept;
            }
        }
        &self.solution
    }

    /// Image of the search direction under the matrix.
    fn multiply(&mut self) {
        for ((image, block), p) in self.image.iter_mut().zip(&self.diagonal).zip(&self.search) {
            *image = *block * *p;
        }
        for coupling in &self.couplings {
            let [a, b] = coupling.ends.map(|end| end as usize);
            let (to_a, to_b) = (coupling.apply(self.search[b]), coupling.apply(self.search[a]));
            self.image[a] -= to_a;
            self.image[b] -= to_b;
        }
    }
}

fn precondition(inverse: &[Mat3], residual: &[Vec3], out: &mut [Vec3]) {
    for ((out, block), r) in out.iter_mut().zip(inverse).zip(residual) {
        *out = *block * *r;
    }
}

fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a.dot(*b))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_solves_the_system() {
        let mut system = System::new(40, 80);
        system.diagonal.fill(Mat3::from_diagonal(Vec3::splat(1e-3)));
        for i in 0..39_u32 {
            let direction = Vec3::new(1.0, i as f32 % 3.0, -(i as f32 % 2.0)).normalize();
            system.add(Coupling { ends: [i, i + 1], direction, isotropic: 0.1, along: 2.0 }, [i > 0, true]);
        }
        system.prepare(|p| p > 0);
        let right: Vec<Vec3> =
            (0..40).map(|i| if i == 0 { Vec3::ZERO } else { Vec3::new(0.0, -1e-3, i as f32 * 1e-4) }).collect();
        let solution = system.solve(&right).to_vec();
        assert_eq!(solution[0], Vec3::ZERO);
        system.search.copy_from_slice(&solution);
        system.multiply();
        for (image, wanted) in system.image.iter().zip(&right).skip(1) {
            assert!(image.distance(*wanted) < 1e-3 * 4e-3, "{image} instead of {wanted}");
        }
    }
}
