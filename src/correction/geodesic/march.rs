//! The front that marches out from all roots at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::surface::Surface;
use super::{NEAREST, Tether};
use crate::topology::ParticleId;

/// Part of a distance by which a new way must be shorter to count: below it, rounding would send the front back and forth.
const GAIN: f64 = 1e-9;

/// Visits a particle and root may cost on average before the march ends: an end for meshes made to have none.
const MAX_VISITS: usize = 64;

/// A root and how far away it is, metres.
#[derive(Clone, Copy, Debug)]
struct Label {
    root: u32,
    distance: f64,
}

/// Distances found so far.
pub(super) struct March<'a> {
    surface: &'a Surface,
    /// For each particle up to [`NEAREST`] labels, in no order.
    labels: Vec<[Option<Label>; NEAREST]>,
    /// Distance (as bits, which order like the positive numbers they are), particle, root.
    heap: BinaryHeap<Reverse<(u64, u32, u32)>>,
    limit: f64,
}

impl<'a> March<'a> {
    /// Marches from `fixed` as far as `limit`.
    pub(super) fn run(surface: &'a Surface, fixed: &[ParticleId], limit: f64) -> March<'a> {
        let labels = vec![[None; NEAREST]; surface.positions.len()];
        let mut march = March { surface, labels, heap: BinaryHeap::new(), limit };
        fixed.iter().for_each(|p| march.offer(p.0, Label { root: p.0, distance: 0.0 }));
        let mut visits = MAX_VISITS * NEAREST * surface.positions.len();
        while let Some(Reverse((bits, particle, root))) = march.heap.pop() {
            let label = Label { root, distance: f64::from_bits(bits) };
            // Entries that a shorter way has overtaken are passed over.
            if march.distance(particle, root) == Some(label.distance) && visits > 0 {
                visits -= 1;
                march.spread(particle, label);
            }
        }
        march
    }

    /// The nearest root of each particle within `limit`, equal ones by number.
    pub(super) fn tethers(&self, limit: f32) -> Vec<Option<Tether>> {
        let nearest = |labels: &[Option<Label>; NEAREST]| {
            labels.iter().flatten().copied().min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.root.cmp(&b.root)))
        };
        let tether = |(particle, labels)| {
            let label = nearest(labels)?;
            let straight = self.surface.distance(particle as u32, label.root);
            let length = round_up(label.distance.max(straight));
            (length <= limit).then_some(Tether { root: ParticleId(label.root), length })
        };
        self.labels.iter().enumerate().map(tether).collect()
    }

    /// Carries a label over all triangles around its particle.
    fn spread(&mut self, particle: u32, label: Label) {
        let surface = self.surface;
        for [x, y] in surface.wedges(particle) {
            for (to, other) in [(x, y), (y, x)] {
                let along_side = label.distance + surface.distance(particle, to);
                self.offer(to, Label { distance: along_side, ..label });
                if let Some(from_other) = self.distance(other, label.root)
                    && let Some(distance) = surface.across([particle, other], [label.distance, from_other], to)
                {
                    self.offer(to, Label { distance, ..label });
                }
            }
        }
    }

    /// Takes the label if it is shorter than the particle's for the same root, or among its nearest.
    fn offer(&mut self, particle: u32, label: Label) {
        let straight = self.surface.distance(particle, label.root);
        let label = Label { distance: label.distance.max(straight), ..label };
        if label.distance > self.limit {
            return;
        }
        let labels = &mut self.labels[particle as usize];
        let own = labels.iter_mut().find(|l| l.is_some_and(|l| l.root == label.root));
        let slot = match own {
            Some(own) => own,
            None => {
                let rank = |l: &Option<Label>| l.map_or(f64::INFINITY, |l| l.distance);
                let Some(farthest) = labels.iter_mut().max_by(|a, b| rank(a).total_cmp(&rank(b))) else { return };
                farthest
            }
        };
        if slot.is_none_or(|l| label.distance < l.distance * (1.0 - GAIN)) {
            *slot = Some(label);
            self.heap.push(Reverse((label.distance.to_bits(), particle, label.root)));
        }
    }

    fn distance(&self, particle: u32, root: u32) -> Option<f64> {
        self.labels[particle as usize].iter().flatten().find(|l| l.root == root).map(|l| l.distance)
    }
}

/// As `f32`, not below the `f64`.
fn round_up(length: f64) -> f32 {
    let nearest = length as f32;
    if f64::from(nearest) < length { nearest.next_up() } else { nearest }
}
