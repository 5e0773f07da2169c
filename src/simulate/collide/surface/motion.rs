//! How the body moves: from moment to moment, or from drawn in to its full size.
//!
//! Whatever moves it, `previous` has where it was before, and the patches add up how far it went.

use super::hidden::Hidden;
use super::look::Probe;
use super::start::Start;
use super::{BodySurface, Deflated};
use crate::body::Moment;
use crate::geometry::Vec3;

impl BodySurface<'_> {
    /// Puts the body at `moment` without having come from anywhere; tells whether it was elsewhere.
    pub(in crate::simulate) fn place(&mut self, moment: Moment) -> bool {
        let was_elsewhere = moment != self.moment;
        if was_elsewhere {
            self.move_to(moment);
            self.probes.fill(Probe::BLANK);
            self.hidden.iter_mut().for_each(Hidden::let_go);
        }
        self.keep_still();
        self.buried.forget(&self.patches);
        was_elsewhere
    }

    /// Takes the body as having been where it is a substep ago.
    fn keep_still(&mut self) {
        if self.furthest_way > 0.0 {
            self.previous.clone_from(&self.positions);
            self.furthest_way = 0.0;
        }
    }

    /// Way of the vertex that went furthest in the last motion, metres.
    pub(in crate::simulate) fn furthest_way(&self) -> f32 {
        self.furthest_way
    }

    /// Way of the vertex that moves furthest from where the body is to `moment`, metres.
    pub(in crate::simulate) fn furthest_way_to(&self, moment: Moment) -> f32 {
        let mut positions = Vec::new();
        self.body.pose(moment, &mut positions);
        furthest_way(&self.positions, &positions)
    }

    /// Whether the body stayed where it was in the last motion.
    pub(in crate::simulate) fn stands(&self) -> bool {
        self.furthest_way <= 0.0
    }

    /// Draws the body in where cloth that is not tucked in `starts` inside of it; tells whether there is any.
    pub(in crate::simulate) fn deflate(&mut self, starts: &[Vec<Start>], clearance: f32) -> bool {
        self.deflated = Deflated::new(&self.mesh, &self.tree, &self.positions, starts, clearance);
        self.inflate(0.0);
        self.deflated.is_some()
    }

    /// Gives the body that was drawn in this part of its full size, 0 to 1, again.
    pub(in crate::simulate) fn inflate(&mut self, part: f32) {
        let Some(deflated) = &self.deflated else { return };
        self.motions = self.motions.wrapping_add(1);
        std::mem::swap(&mut self.positions, &mut self.previous);
        deflated.at(part, &mut self.positions);
        if part >= 1.0 {
            self.deflated = None;
        }
        self.note_way();
        self.buried.forget(&self.patches);
    }

    /// Moves the body on to `moment`.
    pub(in crate::simulate) fn move_to(&mut self, moment: Moment) {
        let stands = self.body.is_still() && matches!((self.moment, moment), (Moment::At(_), Moment::At(_)));
        self.moment = moment;
        self.motions = self.motions.wrapping_add(1);
        if stands {
            self.keep_still();
            return;
        }
        std::mem::swap(&mut self.positions, &mut self.previous);
        self.body.pose(moment, &mut self.positions);
        self.note_way();
        self.buried.move_on(&self.patches);
    }

    pub(super) fn note_way(&mut self) {
        self.furthest_way = self.patches.advance(&self.previous, &self.positions);
        self.is_fitted &= self.furthest_way == 0.0;
    }

    /// Makes the whole body ready to be asked.
    pub(in crate::simulate) fn fit(&mut self) {
        if !self.is_fitted {
            self.tree.refit(&self.positions);
            self.is_fitted = true;
        }
    }
}

/// Way of the vertex that went furthest between two poses, metres.
fn furthest_way(from: &[Vec3], to: &[Vec3]) -> f32 {
    let ways = from.iter().zip(to).map(|(before, now)| now.distance_squared(*before));
    ways.fold(0.0, f32::max).sqrt()
}
