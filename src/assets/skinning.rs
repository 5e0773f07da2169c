//! Weights for linear blend skinning.
//!
//! Along each chain of bones a share passes from parent to child over a plane through the joint, smoothly over the
//! joint's own width. Masks keep left and right thigh, and arm and trunk, apart; a few rounds of averaging over the
//! mesh, which never jump the gaps between limbs, soften what is left.

use super::anatomy::{BALL_OF_FOOT, FOREARM, HEAD_BASE, HIP, SHIN, SHOULDER, THIGH, UPPER_ARM};
use super::figure::{Figure, ankle, arm_direction, foot_direction, leg_direction};
use super::skeleton::{JOINTS, Joint, Side};
use super::surface::Surface;
use crate::geometry::{DAffine3, DVec3, smooth_step};

/// Influences a vertex has in the file.
pub(super) const INFLUENCES: usize = 4;

/// Joints and weights of one vertex, heaviest first, sum 1.
pub(super) type Influences = [(u8, f32); INFLUENCES];

type Shares = [f64; JOINTS];

/// Weights of every vertex of the figure's surface.
pub(super) fn skin(figure: &Figure, surface: &Surface) -> Vec<Influences> {
    /// Rounds of averaging: about two edge lengths of softening.
    const ROUNDS: usize = 5;
    let neighbours = surface.neighbours();
    let mut shares: Vec<Shares> = surface.positions.iter().map(|&p| shares_at(figure, p)).collect();
    for _ in 0..ROUNDS {
        shares = (0..shares.len()).map(|v| averaged(&shares, v, &neighbours[v])).collect();
    }
    shares.iter().map(heaviest).collect()
}

/// A point of the bind pose, moved by its influences.
pub(super) fn deform(influences: &Influences, deformations: &[DAffine3], p: DVec3) -> DVec3 {
    influences.iter().map(|&(j, w)| deformations[usize::from(j)].transform_point3(p) * f64::from(w)).sum()
}

fn shares_at(figure: &Figure, p: DVec3) -> Shares {
    let mut shares = trunk_shares(p);
    for side in [Side::Left, Side::Right] {
        let q = DVec3::new(p.x * side.sign(), p.y, p.z);
        pass_on(&mut shares, &side.leg(), &leg_steps(q));
        pass_on(&mut shares, &side.arm(), &arm_steps(figure, q));
    }
    shares
}

/// Takes `steps[0]` of every share and distributes it along `chain`: each bone keeps what the next one leaves it.
fn pass_on<const N: usize>(shares: &mut Shares, chain: &[Joint; N], steps: &[f64; N]) {
    for share in shares.iter_mut() {
        *share *= 1.0 - steps[0];
    }
    let mut passed = 1.0;
    for (bone, &joint) in chain.iter().enumerate() {
        passed *= steps[bone];
        let next = steps.get(bone + 1).copied().unwrap_or(0.0);
        shares[joint as usize] += passed * (1.0 - next);
    }
}

fn trunk_shares(p: DVec3) -> Shares {
    let mut shares = [0.0; JOINTS];
    let under_head = (p - HEAD_BASE).dot(DVec3::new(0.0, 0.8, 0.6));
    let chain = [Joint::Pelvis, Joint::Spine, Joint::Chest, Joint::Neck, Joint::Head];
    let steps = [
        1.0,
        smooth_step(0.97, 1.10, p.y),
        smooth_step(1.10, 1.26, p.y),
        smooth_step(1.415, 1.475, p.y),
        smooth_step(-0.03, 0.03, under_head),
    ];
    pass_on(&mut shares, &chain, &steps);
    shares
}

/// How much passes to clavicle, upper arm, forearm and hand; `q` on the left.
fn arm_steps(figure: &Figure, q: DVec3) -> [f64; 4] {
    if q.x < 0.0 {
        return [0.0; 4];
    }
    let along = (q - SHOULDER).dot(arm_direction());
    let off_trunk = smooth_step(-0.025, 0.03, figure.trunk(q) - figure.arm(q));
    let upper_arm = off_trunk * smooth_step(-0.05, 0.06, along);
    let shoulder = smooth_step(0.03, 0.13, q.x) * smooth_step(1.29, 1.39, q.y);
    let clavicle = shoulder.max(upper_arm);
    [
        clavicle,
        upper_arm / clavicle.max(1e-9),
        smooth_step(-0.05, 0.05, along - UPPER_ARM),
        smooth_step(-0.035, 0.035, along - UPPER_ARM - FOREARM),
    ]
}

/// How much passes to thigh, shin, foot and toe; `q` on the left, or slightly right of the middle.
fn leg_steps(q: DVec3) -> [f64; 4] {
    /// Across the groin: down and outwards from the pubis to the iliac crest, lower behind than in front.
    const GROIN: DVec3 = DVec3::new(0.40, -0.90, 0.17);
    let along = (q - HIP).dot(leg_direction());
    let forward = (q - ankle()).dot(foot_direction());
    let own_side = smooth_step(-0.020, 0.030, q.x);
    [
        own_side * smooth_step(-0.075, 0.085, (q - HIP).dot(GROIN)),
        smooth_step(-0.060, 0.060, along - THIGH),
        smooth_step(-0.040, 0.025, along - THIGH - SHIN),
        smooth_step(-0.025, 0.025, forward - BALL_OF_FOOT) * smooth_step(0.0, 0.02, along - THIGH - SHIN),
    ]
}

/// Halfway to the mean of the neighbours.
fn averaged(shares: &[Shares], vertex: usize, neighbours: &[u32]) -> Shares {
    let weight = 0.5 / neighbours.len() as f64;
    std::array::from_fn(|joint| {
        let around: f64 = neighbours.iter().map(|&n| shares[n as usize][joint]).sum();
        shares[vertex][joint] * 0.5 + around * weight
    })
}

/// The four largest shares, rounded to multiples of 2^-16 so that their sum is exactly 1 in `f32`.
fn heaviest(shares: &Shares) -> Influences {
    const UNIT: f64 = 65536.0;
    /// Shares below this many units (0.4 %) only carry the averaging too far.
    const LEAST: f64 = 256.0;
    let mut order: [usize; JOINTS] = std::array::from_fn(|joint| joint);
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let kept: f64 = order[..INFLUENCES].iter().map(|&joint| shares[joint]).sum();
    let rounded = |rank: usize| (shares[order[rank]] / kept * UNIT).round();
    let mut units: [f64; INFLUENCES] =
        std::array::from_fn(|rank| if rounded(rank) < LEAST { 0.0 } else { rounded(rank) });
    units[0] = UNIT - units[1] - units[2] - units[3];
    std::array::from_fn(|rank| {
        let joint = if units[rank] > 0.0 { order[rank] as u8 } else { 0 };
        (joint, (units[rank] / UNIT) as f32)
    })
}
