//! Integrators with one evaluation of the forces at the start of the substep.

use super::{Dynamics, Substep};
use crate::geometry::Vec3;
use crate::simulate::cloth::Cloth;
use crate::simulate::forces::State;

/// Forward Euler: x' = x + h v, v' = v + h a(x, v). Amplifies every oscillation that nothing damps.
pub(super) fn forward_euler(
    cloth: &mut Cloth,
    dynamics: &Dynamics<'_>,
    substep: &Substep<'_>,
    gained: &mut [Vec3],
    ways: &mut [Vec3],
) {
    for (way, velocity) in ways.iter_mut().zip(&cloth.velocities) {
        *way = velocity.at * substep.seconds;
    }
    accelerate(cloth, dynamics, substep, gained);
}

/// Symplectic Euler (Provot 1995, section 3): v' = v + h a(x, v), x' = x + h v'.
pub(super) fn symplectic_euler(
    cloth: &mut Cloth,
    dynamics: &Dynamics<'_>,
    substep: &Substep<'_>,
    gained: &mut [Vec3],
    ways: &mut [Vec3],
) {
    accelerate(cloth, dynamics, substep, gained);
    for (way, velocity) in ways.iter_mut().zip(&cloth.velocities) {
        *way = velocity.at * substep.seconds;
    }
}

/// Position Verlet with the damping constant d of Ozgen & Kallmann 2011, here d = h drag:
///
/// ```text
/// x' = (2 - d) x - (1 - d) x_prev + a h^2
/// ```
///
/// The paper prints `x' = (2 - d) x - x_prev + a h^2`, which is no damping but a spring of d / h^2 to the world's origin. The
/// velocity stands for `(x - x_prev) / h`, so that a substep of another length may follow; without damping the way is the one
/// that symplectic Euler goes.
pub(super) fn verlet(
    cloth: &mut Cloth,
    dynamics: &Dynamics<'_>,
    substep: &Substep<'_>,
    gained: &mut [Vec3],
    ways: &mut [Vec3],
) {
    let h = substep.seconds;
    let state = State { points: &cloth.points, velocities: &cloth.velocities };
    dynamics.accelerations(state, substep.start, h, gained);
    let kept = 1.0 - (h * dynamics.forces.drag()).min(1.0);
    for (index, (way, acceleration)) in ways.iter_mut().zip(gained).enumerate() {
        let kept = if cloth.is_free(index) { kept } else { 1.0 };
        *way = cloth.velocities[index].at * h * kept + *acceleration * (h * h);
        cloth.velocities[index].at = *way / h;
    }
}

/// v' = v + h a(x, v), drag included.
fn accelerate(cloth: &mut Cloth, dynamics: &Dynamics<'_>, substep: &Substep<'_>, gained: &mut [Vec3]) {
    let state = State { points: &cloth.points, velocities: &cloth.velocities };
    dynamics.accelerations(state, substep.start, substep.seconds, gained);
    let drag = dynamics.forces.drag();
    for (index, acceleration) in gained.iter().enumerate() {
        if cloth.is_free(index) {
            let velocity = &mut cloth.velocities[index].at;
            *velocity += (*acceleration - *velocity * drag) * substep.seconds;
        }
    }
}
