//! Cloth settles on what it touches: what collisions have stretched is taken back.

use super::Simulator;
use crate::geometry::Vec3;
use crate::simulate::cloth::Cloth;
use crate::simulate::collide::Held;
use crate::simulate::enforce::Enforcer;

/// Part of the passes over edges that are made once more where a frame ends.
const AGAIN: f32 = 0.4;

impl Simulator<'_> {
    /// Takes back what collisions have stretched. Where a `frame_ends`, what that has drawn into the body's mesh comes out again, which
    /// the next substep does elsewhere, and is taken into account once more; all but what two parts of the body squeeze: each pass
    /// would draw that through between them. Then edges that are too long come together on the surface, as far as they can.
    pub(super) fn settle(&mut self, seconds: f32, frame_ends: bool) {
        if !self.enforcer.settles() {
            return;
        }
        let times = self.demand.settling();
        let asks_again = frame_ends && self.surface.is_some() && self.setup.hits_body();
        let asked_at = if asks_again { self.cloth.positions() } else { Vec::new() };
        self.settle_on(&[], |enforcer, cloth, keep_out| enforcer.settle(cloth, seconds, times, keep_out));
        if !asks_again {
            return;
        }
        self.collide_again(&asked_at, seconds, true);
        let asked_at = self.cloth.positions();
        let squeezed = self.squeezed();
        let times = AGAIN * times;
        self.settle_on(&squeezed, |enforcer, cloth, keep_out| enforcer.settle_edges(cloth, seconds, times, keep_out));
        self.collide_again(&asked_at, seconds, false);
        let held = Held::by(&self.contacts);
        self.whole.draw_together(&mut self.cloth, |cloth| held.keep_out(cloth, 0.0));
    }

    /// Settles on what the cloth touches, and spreads what is tight. The particles that are `squeezed` stay where they are.
    fn settle_on(
        &mut self,
        squeezed: &[(usize, Vec3)],
        settle: impl FnOnce(&Enforcer, &mut Cloth, &mut dyn FnMut(&mut Cloth)),
    ) {
        if self.contacts.is_empty() {
            return;
        }
        let friction = self.setup.parameters.fabric.friction;
        let held = Held::by(&self.contacts);
        let keep_out = |cloth: &mut Cloth, friction: f32| {
            held.keep_out(cloth, friction);
            self.faces.iter().for_each(|faces| faces.keep_off(cloth));
            squeezed.iter().for_each(|&(particle, at)| cloth.points[particle].at = at);
        };
        settle(&self.enforcer, &mut self.cloth, &mut |cloth| keep_out(cloth, friction));
        // What is drawn taut slides.
        self.tightness.spread(&mut self.cloth, |cloth| keep_out(cloth, 0.0));
    }

    /// The particles that two parts of the body squeeze, and where they are.
    fn squeezed(&self) -> Vec<(usize, Vec3)> {
        let squeezed = self.surface.iter().flat_map(|surface| surface.squeezed(&self.contacts, self.thickness));
        squeezed.map(|particle| (particle, self.cloth.points[particle].at)).collect()
    }
}
