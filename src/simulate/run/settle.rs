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
        self.draw_together(seconds);
    }

    /// Brings edges that are too long together on what the cloth touches. That draws particles further than a thumb is thick, past
    /// what they touched: the body is asked again after each round.
    fn draw_together(&mut self, seconds: f32) {
        let touch = self.touch(seconds);
        let mut asked_at = self.cloth.positions();
        let (surface, contacts) = (&mut self.surface, &mut self.contacts);
        self.whole.draw_together(&mut self.cloth, |cloth| {
            if let Some(surface) = surface {
                surface.collide_again(cloth, &asked_at, touch, true, contacts);
            }
            Held::by(contacts).keep_out(cloth, 0.0);
            asked_at = cloth.positions();
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::import::{BodyAsset, MeshSequence};
    use crate::pins::{Binding, Pins};
    use crate::simulate::{FrameRate, Parameters, Setup, StartPose, Timeline};
    use crate::springs::SpringNetwork;
    use crate::topology::{ParticleId, build, grids};

    /// A rod along x, 20 mm thick.
    fn rod() -> Body {
        let at = |i: u32, axis: u32| if i & 1 << axis == 0 { -1.0 } else { 1.0 };
        let corners: Vec<Vec3> = (0..8).map(|i| Vec3::new(at(i, 0), 0.01 * at(i, 1), 0.01 * at(i, 2))).collect();
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let mesh = MeshSequence { frames: vec![corners; 2], triangles, ..MeshSequence::default() };
        Body::new(BodyAsset::Sequence(mesh), None).expect("a body")
    }

    #[test]
    fn what_is_drawn_together_through_a_thumb_stays_in_front_of_it() {
        let mut strip = grids::grid(9, 9);
        strip.positions.iter_mut().for_each(|p| *p = Vec3::new(0.2 * p.x, 0.0, 0.2 * p.y));
        let topology = build(&strip).expect("a strip");
        let springs = SpringNetwork::build(&topology);
        let particles: Vec<ParticleId> = (0..9).map(ParticleId).collect();
        let bindings = particles.iter().map(|p| Binding::Still(topology.positions[p.index()])).collect();
        let (body, parameters) = (rod(), Parameters { preroll: 0, ..Parameters::default() });
        let setup = Setup {
            topology: &topology,
            springs: &springs,
            maps: &[],
            body: Some(&body),
            pins: &Pins { particles, bindings, ..Pins::default() },
            parameters: &parameters,
            timeline: &Timeline { first: 0, last: 10, fps: FrameRate::whole(60), start_frame: 1 },
            start: StartPose::First,
        };
        let mut simulator = Simulator::new(&setup, None).expect("a simulation");
        simulator.place(0);
        // The pinned row is behind the rod, the others are in front of it: their first edges are 60 mm long instead of 25 mm.
        for (i, point) in simulator.cloth.points.iter_mut().enumerate() {
            point.at.z = if i < 9 { -0.03 } else { 0.03 + 0.025 * (i / 9 - 1) as f32 };
        }
        simulator.cloth.previous.clone_from(&simulator.cloth.points);
        let seconds = 1.0 / 360.0;
        simulator.collide(seconds, true);
        simulator.draw_together(seconds);
        let nearest = simulator.cloth.points[9..].iter().map(|point| point.at.z).fold(f32::INFINITY, f32::min);
        assert!((0.01..0.02).contains(&nearest), "{nearest}");
    }
}
