//! The front that marches out from all roots at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::surface::Surface;
use super::{NEAREST, Tether};
use crate::topology::ParticleId;

/// Part of a distance by which a new way must be shorter to count: below it, rounding would send the front back and forth.
const GAIN: f64 = 1e-9;

/// Visits a particle may cost on average before the march ends: an end for meshes made to have none.
const MAX_VISITS: usize = 256;

/// A root and how far away it is, metres.
#[derive(Clone, Copy, Debug)]
struct Label {
    root: u32,
    distance: f64,
}

impl Label {
    /// No root yet.
    const NONE: Label = Label { root: u32::MAX, distance: f64::INFINITY };
}

/// Distances found so far.
pub(super) struct March<'a> {
    surface: &'a Surface,
    /// For each particle its nearest roots, in no order.
    labels: Vec<[Label; NEAREST]>,
    /// Distance (as bits, which order like the positive numbers they are), particle, root.
    heap: BinaryHeap<Reverse<(u64, u32, u32)>>,
    limit: f64,
}

impl<'a> March<'a> {
    /// Marches from `fixed` as far as `limit`.
    pub(super) fn run(surface: &'a Surface, fixed: &[ParticleId], limit: f64) -> March<'a> {
        let labels = vec![[Label::NONE; NEAREST]; surface.positions.len()];
        let mut march = March { surface, labels, heap: BinaryHeap::new(), limit };
        fixed.iter().for_each(|p| march.offer(p.0, Label { root: p.0, distance: 0.0 }));
        let mut visits = MAX_VISITS * surface.positions.len();
        while let Some(Reverse((bits, particle, root))) = march.heap.pop() {
            let label = Label { root, distance: f64::from_bits(bits) };
            // Entries that a shorter way has overtaken are passed over.
            if march.distance(particle, root) == label.distance && visits > 0 {
                visits -= 1;
                march.spread(particle, label);
            }
        }
        march
    }

    /// The nearest root of each particle within `limit`, equal ones by number.
    pub(super) fn tethers(&self, limit: f32) -> Vec<Option<Tether>> {
        let tether = |labels: &[Label; NEAREST]| {
            let nearest = labels.iter().min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.root.cmp(&b.root)))?;
            let length = round_up(nearest.distance);
            (nearest.root != Label::NONE.root && length <= limit)
                .then_some(Tether { root: ParticleId(nearest.root), length })
        };
        self.labels.iter().map(tether).collect()
    }

    /// Carries a label over all triangles around its particle.
    fn spread(&mut self, particle: u32, label: Label) {
        let surface = self.surface;
        for [x, y] in surface.wedges(particle) {
            let (from_x, from_y) = (self.distance(x, label.root), self.distance(y, label.root));
            self.spread_to(x, particle, label, (y, from_y));
            self.spread_to(y, particle, label, (x, from_x));
        }
    }

    /// Carries a label to `to`, along the side from `particle` and between `particle` and `other`.
    fn spread_to(&mut self, to: u32, particle: u32, label: Label, (other, from_other): (u32, f64)) {
        // No way over this side is shorter than the way to its nearer end.
        if self.distance(to, label.root) <= label.distance.min(from_other) {
            return;
        }
        let along_side = label.distance + self.surface.distance(particle, to);
        self.offer(to, Label { distance: along_side, ..label });
        if from_other.is_finite()
            && let Some(distance) = self.surface.across([particle, other], [label.distance, from_other], to)
        {
            self.offer(to, Label { distance, ..label });
        }
    }

    /// Takes the label if it is shorter than the particle's for the same root, or else among its nearest.
    ///
    /// A root matters to a particle next to the straight way from it to where it is the nearest. On that way it is the
    /// nearest too, so next to it no root is nearer by more than two sides.
    fn offer(&mut self, particle: u32, label: Label) {
        let labels = &mut self.labels[particle as usize];
        let nearest = labels.iter().fold(f64::INFINITY, |nearest, l| nearest.min(l.distance));
        let own = labels.iter().position(|l| l.root == label.root);
        let farthest = (1..NEAREST).fold(0, |far, i| if labels[i].distance > labels[far].distance { i } else { far });
        let slot = &mut labels[own.unwrap_or(farthest)];
        let bound = (slot.distance * (1.0 - GAIN)).min(nearest + 2.0 * self.surface.longest_side(particle));
        if label.distance >= bound && label.distance > 0.0 {
            return;
        }
        let distance = label.distance.max(self.surface.distance(particle, label.root));
        if distance <= self.limit && (distance < bound || distance == 0.0) {
            *slot = Label { distance, ..label };
            self.heap.push(Reverse((distance.to_bits(), particle, label.root)));
        }
    }

    /// Distance of `particle` from `root`, infinite while unknown.
    fn distance(&self, particle: u32, root: u32) -> f64 {
        let labels = &self.labels[particle as usize];
        labels.iter().find(|l| l.root == root).map_or(f64::INFINITY, |l| l.distance)
    }
}

/// As `f32`, not below the `f64`.
fn round_up(length: f64) -> f32 {
    let nearest = length as f32;
    if f64::from(nearest) < length { nearest.next_up() } else { nearest }
}
