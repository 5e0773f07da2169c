//! What cloth meets: itself, the body's mesh or the shapes that the body is made of, and the colliders of the scene.

use super::{Setup, Simulator};
use crate::body::Moment;
use crate::geometry::Vec3;
use crate::simulate::collide::{Between, Primitives, Touch};

/// Speed at which cloth that starts inside the body comes out, in body sizes a second.
const RISE: f32 = 0.3;

impl Simulator<'_> {
    /// Pushes the cloth off itself and off all that it meets, and notes what it touches.
    pub(super) fn collide(&mut self, seconds: f32, frame_ends: bool) {
        let fabric = &self.setup.parameters.fabric;
        let touch = self.touch(seconds);
        if let Some(layers) = &mut self.layers {
            layers.collide(&mut self.cloth, touch, seconds);
        }
        self.contacts.clear();
        if let Some(proxies) = &self.proxies {
            proxies.collide(&mut self.cloth, touch, &mut self.contacts);
        }
        if let Some(surface) = self.surface.as_mut().filter(|_| self.setup.hits_body()) {
            surface.collide(&mut self.cloth, touch, frame_ends, &mut self.contacts);
            if let Some(between) = &mut self.between {
                between.collide(surface, &mut self.cloth, touch, frame_ends, &self.contacts);
            }
            if let Some(faces) = &mut self.faces {
                faces.collide(surface, &mut self.cloth, touch, frame_ends, &self.contacts);
            }
        }
        // Whoever places a plane or a ball means its surface: the margin of coarse cloth is for bodies.
        let touch = Touch { thickness: fabric.thickness, ..touch };
        self.primitives.collide(&mut self.cloth, touch, &mut self.contacts);
        self.states.note(&self.contacts);
    }

    /// Pushes out again what has been drawn into the body's mesh since it was at `asked_at`: of all, or of those only that touched
    /// nothing.
    pub(super) fn collide_again(&mut self, asked_at: &[Vec3], seconds: f32, of_all: bool) {
        let touch = self.touch(seconds);
        if let Some(surface) = &mut self.surface {
            surface.collide_again(&mut self.cloth, asked_at, touch, of_all, &mut self.contacts);
        }
    }

    /// How cloth touches the body in a substep so long.
    pub(super) fn touch(&self, seconds: f32) -> Touch {
        let friction = self.setup.parameters.fabric.friction;
        Touch { thickness: self.thickness, friction, rise: RISE * self.body_size * seconds }
    }

    /// Puts all that it meets where it is in a frame, without having come from anywhere.
    pub(super) fn place(&mut self, frame: i64) {
        let moment = self.moment_of(frame);
        if self.surface.as_mut().is_some_and(|surface| surface.place(moment)) {
            self.between.iter_mut().for_each(Between::forget);
        }
        let body = self.setup.body;
        self.shapes().for_each(|shapes| shapes.place(body, moment));
    }

    /// Says in which colliders some of the cloth begins.
    pub(super) fn begins_in_colliders(&self) -> Vec<String> {
        let Setup { topology, body, parameters, start, timeline, .. } = self.setup;
        let mut primitives = self.primitives.clone();
        primitives.place(body, start.moment(timeline.clip_seconds(0)));
        primitives.enclosing_notices(&parameters.colliders, &topology.positions)
    }

    /// Moves it on.
    pub(super) fn move_body(&mut self, moment: Moment) {
        if let Some(surface) = &mut self.surface {
            surface.move_to(moment);
        }
        let body = self.setup.body;
        self.shapes().for_each(|shapes| shapes.move_to(body, moment));
    }

    /// How far what cloth may meet goes, at most, to where it is at `moment`, metres. It is to be placed again.
    pub(super) fn furthest_way_to(&mut self, moment: Moment) -> f32 {
        let of_mesh = self.surface.as_ref().map_or(0.0, |surface| surface.furthest_way_to(moment));
        let body = self.setup.body;
        self.shapes().map(|shapes| shapes.furthest_way_to(body, moment)).fold(of_mesh, f32::max)
    }

    /// Those that cloth meets beside a body's mesh, or instead.
    fn shapes(&mut self) -> impl Iterator<Item = &mut Primitives> {
        self.proxies.iter_mut().chain([&mut self.primitives])
    }
}
