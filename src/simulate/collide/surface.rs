//! Collision against the body's own mesh.
//!
//! A particle asks for the closest point of the mesh. Which side it is on is told by the angle-weighted pseudo-normal of
//! the feature that point lies on (Baerentzen & Aanaes 2005):
//!
//! ```text
//!         o particle            outside: (o - c) . n > 0
//!         |
//!    -----c-----  surface       c on a face: the face's normal; on an edge: sum of its two faces';
//!                               on a corner: sum of all faces' weighted by their angle there
//! ```
//!
//! Bodies are often made of several closed shells that overlap. A particle that starts deep inside a shell (a collar that its
//! artist tucked into a coat), or inside the shell that holds its pin too, does not see that shell until it has left it once:
//! pushed out at once it would end on any side.
//!
//! A rim of an open mesh has no inside. Vertices that a file splits (at UV seams, or all of them) are joined again by
//! position, so that a seam is no rim.

use rayon::prelude::*;

use super::mesh::{NONE, join, neighbours, shells, triangles_at_corners};
use super::{Contact, Touch, push_out};
use crate::body::{Body, JointId, Moment};
use crate::correction::Tether;
use crate::geometry::{Aabb, ClosestPoint, Feature, SurfaceTree, Vec3};
use crate::pins::Pins;
use crate::simulate::cloth::Cloth;

/// Part of its clearance that a pin keeps from the surface that carries it when another part of the body presses on it.
const SQUEEZED: f32 = 0.25;
/// Depth to which a particle that starts inside is pushed out at once, as a part of the search radius.
const SHALLOW: f32 = 0.33;
/// Part of the pins that must start deep inside the body for the garment to count as tucked in.
const HELD: f32 = 0.1;
/// Part of a pushed particle's distance from one part of the body within which another part squeezes it.
const SQUEEZING: f32 = 0.99;
/// Slack that keeps a particle from being skipped by a hair, as a part of the search radius.
const SKIP_SAFETY: f32 = 0.02;
/// Particles one task takes at least: below this a thread costs more than it brings.
const PARTICLES_PER_TASK: usize = 512;

/// The body's mesh now and a substep ago.
#[derive(Debug)]
pub(in crate::simulate) struct BodySurface<'a> {
    body: &'a Body,
    triangles: Vec<[u32; 3]>,
    /// Triangle across each edge of each triangle.
    neighbours: Vec<[u32; 3]>,
    corner_starts: Vec<u32>,
    corner_triangles: Vec<u32>,
    rim: Vec<bool>,
    /// Joint that moves each triangle most.
    joint_of: Vec<JointId>,
    shell_of: Vec<u32>,
    shells: usize,
    /// Shells that each particle started inside and has not left.
    unseen: Vec<Vec<u32>>,
    positions: Vec<Vec3>,
    previous: Vec<Vec3>,
    tree: SurfaceTree,
    search_radius: f32,
    /// Way of the vertex that went furthest in the last motion, metres.
    furthest_way: f32,
    /// Where each particle was when it asked last, and how far it and the body may move from there before they can touch,
    /// metres.
    last: Vec<(Vec3, f32)>,
}

/// What a query of one particle found.
struct Answer {
    pushed: Option<(Vec3, Contact)>,
    free_way: f32,
    /// Shells it has left.
    left: Vec<u32>,
}

impl<'a> BodySurface<'a> {
    /// The body at `moment`, for a cloth of `particles`. Surfaces are looked for within `search_radius` metres.
    pub(in crate::simulate) fn new(body: &'a Body, moment: Moment, particles: usize, search_radius: f32) -> Self {
        let mut positions = Vec::new();
        body.pose(moment, &mut positions);
        let joined = join(&positions);
        let corners = body.triangles().iter().map(|t| t.map(|v| joined[v as usize]));
        let triangles: Vec<[u32; 3]> = corners.filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]).collect();
        let neighbours = neighbours(&triangles);
        let mut rim = vec![false; positions.len()];
        for (triangle, across) in triangles.iter().zip(&neighbours) {
            for edge in (0..3).filter(|&e| across[e] == NONE) {
                rim[triangle[edge] as usize] = true;
                rim[triangle[(edge + 1) % 3] as usize] = true;
            }
        }
        let (shell_of, shells) = shells(&neighbours);
        let (corner_starts, corner_triangles) = triangles_at_corners(positions.len(), &triangles);
        let tree = SurfaceTree::build(&positions, &triangles);
        let previous = positions.clone();
        BodySurface {
            body,
            joint_of: triangles.iter().map(|t| body.main_joint(t[0])).collect(),
            triangles,
            neighbours,
            corner_starts,
            corner_triangles,
            rim,
            shell_of,
            shells,
            unseen: vec![Vec::new(); particles],
            positions,
            previous,
            tree,
            search_radius,
            furthest_way: 0.0,
            last: vec![(Vec3::ZERO, 0.0); particles],
        }
    }

    /// Notes which shells each particle, at `points`, does not see: those it lies deep inside of, and those that hold the pin it
    /// hangs from as well.
    pub(in crate::simulate) fn note_start(&mut self, points: &[Vec3], tethers: &[Option<Tether>]) {
        let mut boxes = vec![Aabb::EMPTY; self.shells];
        for (triangle, &shell) in self.triangles.iter().zip(&self.shell_of) {
            for &corner in triangle {
                boxes[shell as usize] = boxes[shell as usize].with(self.positions[corner as usize]);
            }
        }
        let around = |point: Vec3| -> Vec<(u32, f32)> {
            let near = (0..self.shells as u32).filter(|&s| boxes[s as usize].distance_squared(point) == 0.0);
            near.map(|s| (s, self.distance_to_shell(point, s))).filter(|&(_, distance)| distance < 0.0).collect()
        };
        let inside: Vec<Vec<(u32, f32)>> = points.iter().map(|&p| around(p)).collect();
        let holds = |shell: u32, tether: &Option<Tether>| {
            tether.is_some_and(|t| inside[t.root.index()].iter().any(|&(s, _)| s == shell))
        };
        let unseen = |(inside, tether): (&Vec<(u32, f32)>, &Option<Tether>)| {
            let deep = |depth: f32| depth < -SHALLOW * self.search_radius;
            inside.iter().filter(|&&(s, d)| deep(d) || holds(s, tether)).map(|&(s, _)| s).collect()
        };
        self.unseen = inside.iter().zip(tethers).map(unseen).collect();
    }

    /// Whether a part of the pins started deep inside the body, as those of a collar that its artist tucked in.
    pub(in crate::simulate) fn holds_part_of(&self, pins: &Pins) -> bool {
        let held = pins.particles.iter().filter(|p| !self.unseen[p.index()].is_empty()).count();
        held as f32 > HELD * pins.particles.len() as f32
    }

    /// Signed distance from a shell, metres; infinite where it has no triangle.
    fn distance_to_shell(&self, point: Vec3, shell: u32) -> f32 {
        let in_shell = |t: u32| self.shell_of[t as usize] == shell;
        self.nearest_within(f32::INFINITY, point, in_shell).map_or(f32::INFINITY, |(distance, _)| distance)
    }

    /// `pin`, moved to at least `clearance` from the parts of the body that carry it (`carries(joint)`). Where another part
    /// comes nearer than that, an arm over a waistband, it gives way towards the carrying surface.
    pub(in crate::simulate) fn clear_pin(&self, pin: Vec3, clearance: f32, carries: impl Fn(JointId) -> bool) -> Vec3 {
        let own = |t: u32| carries(self.joint_of[t as usize]);
        let Some((distance, normal)) = self.nearest_where(pin, own) else { return pin };
        let pushed = pin + normal * (clearance - distance).max(0.0);
        let foreign = self.nearest_where(pushed, |t| !own(t)).map_or(f32::INFINITY, |(distance, _)| distance);
        let room = distance.max(clearance) - SQUEEZED * clearance;
        pushed - normal * (clearance - foreign).clamp(0.0, room)
    }

    /// Distance that a pin at `pin` keeps from the parts that carry it, at most `thickness`; none for one that starts inside.
    pub(in crate::simulate) fn pin_clearance(
        &self,
        pin: Vec3,
        thickness: f32,
        carries: impl Fn(JointId) -> bool,
    ) -> Option<f32> {
        let nearest = self.nearest_where(pin, |t| carries(self.joint_of[t as usize]));
        let distance = nearest.map_or(self.search_radius, |(distance, _)| distance).min(self.distance(pin));
        (distance > 0.0).then(|| distance.min(thickness))
    }

    /// Signed distance and outward direction of the nearest surface within the search radius, among the triangles that
    /// `counts`.
    fn nearest_where(&self, point: Vec3, counts: impl Fn(u32) -> bool) -> Option<(f32, Vec3)> {
        self.nearest_within(self.search_radius, point, counts)
    }

    fn nearest_within(&self, radius: f32, point: Vec3, counts: impl Fn(u32) -> bool) -> Option<(f32, Vec3)> {
        let found = self.tree.closest_where(point, radius, &self.positions, &self.triangles, counts);
        found.map(|(triangle, closest, squared)| {
            self.signed_distance(point, triangle as usize, &closest, squared.sqrt())
        })
    }

    /// All vertices of the body as they are now, for pins.
    pub(in crate::simulate) fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Puts the body at `moment` without having come from anywhere.
    pub(in crate::simulate) fn place(&mut self, moment: Moment) {
        self.move_to(moment);
        self.previous.clone_from(&self.positions);
        self.furthest_way = 0.0;
        self.last.iter_mut().for_each(|(_, way)| *way = 0.0);
    }

    /// Way of the vertex that moved furthest in the last [`BodySurface::move_to`], metres.
    pub(in crate::simulate) fn furthest_way(&self) -> f32 {
        self.furthest_way
    }

    /// Moves the body on to `moment`.
    pub(in crate::simulate) fn move_to(&mut self, moment: Moment) {
        std::mem::swap(&mut self.positions, &mut self.previous);
        self.body.pose(moment, &mut self.positions);
        let ways = self.positions.iter().zip(&self.previous).map(|(now, before)| now.distance_squared(*before));
        self.furthest_way = ways.fold(0.0, f32::max).sqrt();
        self.last.iter_mut().for_each(|(_, way)| *way -= self.furthest_way);
        if self.furthest_way > 0.0 {
            self.tree.refit(&self.positions, &self.triangles);
        }
    }

    /// Signed distance of `point`, metres; the search radius when there is nothing within it.
    pub(in crate::simulate) fn distance(&self, point: Vec3) -> f32 {
        self.nearest_where(point, |_| true).map_or(self.search_radius, |(distance, _)| distance)
    }

    /// Pushes every particle out to `thickness` from the surface.
    pub(in crate::simulate) fn collide(&mut self, cloth: &mut Cloth, touch: Touch, contacts: &mut Vec<Contact>) {
        let (points, previous) = (&cloth.points, &cloth.previous);
        let answers: Vec<Option<Answer>> = self
            .last
            .par_iter()
            .enumerate()
            .with_min_len(PARTICLES_PER_TASK)
            .map(|(particle, &(place, way))| {
                let at = points[particle].at;
                let asks = cloth.is_free(particle) && way - at.distance(place) <= 0.0;
                asks.then(|| self.ask(particle as u32, at, previous[particle].at, touch))
            })
            .collect();
        for (particle, answer) in answers.into_iter().enumerate() {
            let Some(answer) = answer else { continue };
            self.unseen[particle].retain(|shell| !answer.left.contains(shell));
            if let Some((position, contact)) = answer.pushed {
                cloth.points[particle].at = position;
                contacts.push(contact);
            }
            self.last[particle] = (cloth.points[particle].at, answer.free_way);
        }
    }

    /// How a point of the cloth must move to be clear of the body, metres, and how far it and the body may move after that
    /// before they can touch. A point too deep inside stays: it lies across a thin part.
    pub(super) fn clear(&self, point: Vec3, touch: Touch) -> (Vec3, f32) {
        match self.nearest_where(point, |_| true) {
            None => (Vec3::ZERO, free_way(self.search_radius, touch)),
            Some((distance, _)) if distance >= touch.thickness => (Vec3::ZERO, free_way(distance, touch)),
            Some((distance, _)) if distance < -SHALLOW * self.search_radius => (Vec3::ZERO, 0.0),
            Some((distance, normal)) => {
                let depth = (touch.thickness - distance).min(4.0 * touch.rise);
                // Squeezed middles leave it to their particles: many of them push the same one.
                let is_squeezed = self.squeeze(point + normal * depth, normal, distance + depth, |_| true) > 0.0;
                (if is_squeezed { Vec3::ZERO } else { normal * depth }, 0.0)
            }
        }
    }

    /// Whether a particle has left every shell it started in.
    pub(super) fn sees_all(&self, particle: usize) -> bool {
        self.unseen[particle].is_empty()
    }

    fn ask(&self, particle: u32, position: Vec3, previous: Vec3, touch: Touch) -> Answer {
        let thickness = touch.thickness;
        let unseen = &self.unseen[particle as usize];
        let left: Vec<u32> =
            unseen.iter().filter(|&&s| self.distance_to_shell(position, s) > thickness).copied().collect();
        let clear = |distance: f32| if unseen.is_empty() { free_way(distance, touch) } else { 0.0 };
        let seen = |t: u32| unseen.is_empty() || !unseen.contains(&self.shell_of[t as usize]);
        // A particle that was outside is at most as deep inside as it and the body have moved.
        let radius = self.search_radius.max(position.distance(previous) + self.furthest_way);
        let found = self.tree.closest_where(position, radius, &self.positions, &self.triangles, seen);
        let Some((triangle, closest, squared)) = found else {
            return Answer { pushed: None, free_way: clear(self.search_radius), left };
        };
        let (distance, normal) = self.signed_distance(position, triangle as usize, &closest, squared.sqrt());
        if distance >= thickness {
            return Answer { pushed: None, free_way: clear(distance), left };
        }
        let corners = self.triangles[triangle as usize];
        let before = weighted(corners, closest.barycentric, &self.previous);
        let surface_motion = closest.point - before;
        // Cloth that is deep inside comes out at a gentle speed, but never slower than body and particle move.
        let way = surface_motion.length() + position.distance(previous) + touch.rise;
        let depth = (thickness - distance).min(way);
        let pushed = push_out(position, previous, normal, depth, surface_motion, touch.friction);
        let pushed = pushed - normal * self.squeeze(pushed, normal, distance + depth, seen);
        let joint = Some(self.joint_of[triangle as usize]);
        let level = normal.dot(pushed);
        let contact = Contact { particle, normal, level, surface_motion, joint, collider: None };
        Answer { pushed: Some((pushed, contact)), free_way: 0.0, left }
    }

    /// How far a particle that was pushed to `distance` along `normal` must go back to be midway where another part of the body
    /// is nearer than that: pushed out of one part into the other by turns it would shake.
    ///
    /// ```text
    ///   ====== one part ======
    ///      |  distance
    ///      o  pushed         back by (distance - foreign) / 2, to (distance + foreign) / 2 from both
    ///      |  foreign
    ///   ===== other part =====
    /// ```
    fn squeeze(&self, pushed: Vec3, normal: Vec3, distance: f32, counts: impl Fn(u32) -> bool) -> f32 {
        match self.nearest_within(SQUEEZING * distance, pushed, counts) {
            Some((foreign, away)) if foreign < distance && away.dot(normal) < 0.0 => 0.5 * (distance - foreign),
            _ => 0.0,
        }
    }

    /// Distance of `position` from its closest point, negative inside, and the direction that leads out.
    fn signed_distance(&self, position: Vec3, triangle: usize, closest: &ClosestPoint, distance: f32) -> (f32, Vec3) {
        let pseudo_normal = self.pseudo_normal(triangle, closest.feature);
        let away = position - closest.point;
        let side = pseudo_normal.map_or(1.0, |n| if away.dot(n) < 0.0 { -1.0 } else { 1.0 });
        let face = self.face_normal(triangle).normalize_or(Vec3::Y);
        // On the surface itself the way from the closest point has no direction.
        let direction =
            if distance > 1e-6 { away * (side / distance) } else { pseudo_normal.unwrap_or(face).normalize_or(face) };
        (side * distance, direction)
    }

    /// Pseudo-normal of a feature (not unit length); none on a rim.
    fn pseudo_normal(&self, triangle: usize, feature: Feature) -> Option<Vec3> {
        match feature {
            Feature::Face => Some(self.face_normal(triangle)),
            Feature::Edge(edge) => {
                let across = self.neighbours[triangle][usize::from(edge)];
                (across != NONE).then(|| {
                    self.face_normal(triangle).normalize_or_zero()
                        + self.face_normal(across as usize).normalize_or_zero()
                })
            }
            Feature::Corner(corner) => {
                let vertex = self.triangles[triangle][usize::from(corner)];
                (!self.rim[vertex as usize]).then(|| self.corner_normal(vertex))
            }
        }
    }

    fn corner_normal(&self, vertex: u32) -> Vec3 {
        let range = self.corner_starts[vertex as usize] as usize..self.corner_starts[vertex as usize + 1] as usize;
        let at = self.positions[vertex as usize];
        let weighted_normal = |&triangle: &u32| {
            let corners = self.triangles[triangle as usize];
            let others = corners
                .iter()
                .filter(|&&c| c != vertex)
                .map(|&c| (self.positions[c as usize] - at).normalize_or_zero());
            let [one, other] = others
                .fold(([Vec3::ZERO; 2], 0), |(mut pair, n), d| {
                    pair[n.min(1)] = d;
                    (pair, n + 1)
                })
                .0;
            let angle = libm::acosf(one.dot(other).clamp(-1.0, 1.0));
            self.face_normal(triangle as usize).normalize_or_zero() * angle
        };
        self.corner_triangles[range].iter().map(weighted_normal).fold(Vec3::ZERO, |sum, n| sum + n)
    }

    fn face_normal(&self, triangle: usize) -> Vec3 {
        let [a, b, c] = self.triangles[triangle].map(|v| self.positions[v as usize]);
        (b - a).cross(c - a)
    }
}

/// How far a point at `distance` from the body and the body may move before they can touch, metres.
fn free_way(distance: f32, touch: Touch) -> f32 {
    distance * (1.0 - SKIP_SAFETY) - touch.thickness
}

fn weighted(corners: [u32; 3], barycentric: Vec3, positions: &[Vec3]) -> Vec3 {
    let [a, b, c] = corners.map(|v| positions[v as usize]);
    a * barycentric.x + b * barycentric.y + c * barycentric.z
}
