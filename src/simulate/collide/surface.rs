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
//! A particle that touches knows its triangle: in the next substep it walks from there to neighbouring triangles. The whole body
//! is asked again when it has gone far along the surface, when another part that faces it can have come near, and at the end of
//! a frame. What is found inside then goes out where it came in.
//!
//! Bodies are often made of several closed shells that overlap. A particle that starts inside the shell that holds its pin too (a
//! collar that its artist tucked into a coat) does not see that shell until it has left it once, but goes no deeper into it than it
//! began (`tucked`). Where other cloth starts inside, the body is drawn in at first (`deflate`); what is deep inside even then does
//! not see it either: pushed out at once it would end on any side.
//!
//! What of the body lies inside the body at a bent joint is no surface (`buried`); fitted cloth between its two sides goes with the
//! skin (`pinch`). In front of one shell a particle may be inside another (`overlap`).
//!
//! Holes that are not large get lids. A rim of a larger one has no inside. Vertices that a file splits (at UV seams, or all of
//! them) are joined again by position, so that a seam is no rim.

mod again;
mod ask;
mod buried;
mod corners;
mod crossing;
#[cfg(test)]
mod fixtures;
mod hidden;
mod kept;
mod look;
mod motion;
mod over;
mod overlap;
mod patches;
mod pinch;
mod pins;
mod ridges;
mod start;
mod together;
mod tucked;

use rayon::prelude::*;

use self::ask::Answer;
use self::buried::Buried;
pub(super) use self::corners::{ClothFaces, Corner};
use self::hidden::{Hidden, NOTHING};
pub(super) use self::kept::Kept;
use self::look::free_way;
pub(super) use self::look::{Look, Probe};
use self::over::Over;
use self::patches::Patches;
pub(in crate::simulate) use self::pins::Floor;
pub(super) use self::ridges::Ridge;
pub(in crate::simulate) use self::start::Start;
use super::deflate::Deflated;
use super::mesh::{NONE, SurfaceMesh};
use super::{Contacts, Touch};
use crate::body::{Body, JointId, Moment};
use crate::geometry::{Aabb, ClosestPoint, SurfaceTree, Vec3, closest_point_on_triangle, lids};
use crate::simulate::archive::{Archive, Archived};
use crate::simulate::cloth::Cloth;

/// Rim of a hole, as a part of the body's size, up to which cloth does not go in: a neck, wrists, a waist that a shirt was to hide.
/// Longer are those of open clothes.
const LONGEST_RIM: f32 = 0.4;
/// Depth to which a particle that starts inside is pushed out at once, as a part of the search radius.
const SHALLOW: f32 = 0.33;
/// Particles one task takes at least: below this a thread costs more than it brings.
const PARTICLES_PER_TASK: usize = 512;

/// How far the surface is looked for, at most, in distances from the triangle that a point knows: what is nearest is no further,
/// but for rounding.
const REACH: f32 = 1.001;

/// How far other parts of the body are looked for, as a part of the search radius.
const ROOM: f32 = 0.5;

/// The body's mesh now and a substep ago.
#[derive(Debug)]
pub(in crate::simulate) struct BodySurface<'a> {
    body: &'a Body,
    mesh: SurfaceMesh,
    /// Joint that moves each triangle most.
    joint_of: Vec<JointId>,
    /// What each particle does not see of the body, if there is anything.
    hidden: Vec<Option<Box<Hidden>>>,
    /// Joints, ascending, whose parts particles keep to: those that carry pins.
    home: Vec<JointId>,
    /// What each particle was nearest to at the start.
    worn_on: Vec<Option<Worn>>,
    /// What each particle keeps of the thickness.
    kept: Kept,
    /// Which particles lie over other cloth.
    over: Over,
    /// Triangles inside the body.
    buried: Buried,
    moment: Moment,
    positions: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// Where the body was drawn in so that cloth may start inside it, until it has its full size again.
    deflated: Option<Deflated>,
    tree: SurfaceTree,
    /// Whether the tree is fitted to the positions.
    is_fitted: bool,
    search_radius: f32,
    /// Way of the vertex that went furthest in the last motion, metres.
    furthest_way: f32,
    /// The same, summed over all motions, around each patch of it.
    patches: Patches,
    /// Number of motions so far, modulo 2^32.
    motions: u32,
    /// Sharp corners of a body that stands, and how far it had gone before.
    sharp: Option<(f64, Vec<u32>)>,
    /// What each particle knows.
    probes: Vec<Probe>,
    /// What each pin knows of the parts that do not carry it, and the triangle of its own that was nearest.
    pin_probes: Vec<Probe>,
}

/// Where on the body a particle was worn at the start.
#[derive(Clone, Copy, Debug)]
struct Worn {
    triangle: u32,
    /// Unsigned, metres.
    distance: f32,
}

/// The surface next to a point.
#[derive(Clone, Copy)]
struct Nearest {
    triangle: u32,
    /// Negative inside, metres.
    distance: f32,
    /// Unit direction that leads out.
    normal: Vec3,
    /// Way of the surface point in this substep, metres.
    surface_motion: Vec3,
    /// Whether the whole body was asked.
    is_whole: bool,
}

/// How a point between particles gets clear of the body.
pub(super) struct Clearing {
    /// The way to go, metres.
    pub(super) way: Vec3,
    /// The part of it that the body came nearer in this substep.
    pub(super) gain: Vec3,
    /// What the point knows then.
    pub(super) probe: Probe,
}

impl Clearing {
    fn none(probe: Probe) -> Clearing {
        Clearing { way: Vec3::ZERO, gain: Vec3::ZERO, probe }
    }
}

impl<'a> BodySurface<'a> {
    /// The body at `moment`, for a cloth of `particles`. Surfaces are looked for within `search_radius` metres.
    pub(in crate::simulate) fn new(body: &'a Body, moment: Moment, particles: usize, search_radius: f32) -> Self {
        let mut positions = Vec::new();
        body.pose(moment, &mut positions);
        let size = Aabb::around(&positions).size().length();
        let mut triangles = body.surface().to_vec();
        triangles.extend(lids(&positions, &triangles, LONGEST_RIM * size));
        let mesh = SurfaceMesh::new(&positions, &triangles);
        let mut bind = Vec::new();
        body.pose(Moment::Bind, &mut bind);
        let mut patches = Patches::new(&bind, &mesh.triangles, search_radius);
        patches.note(&positions, &positions);
        BodySurface {
            body,
            joint_of: mesh.triangles.iter().map(|t| body.main_joint(t[0])).collect(),
            hidden: vec![None; particles],
            home: Vec::new(),
            worn_on: vec![None; particles],
            kept: Kept::all(particles),
            over: Over::default(),
            buried: Buried::new(body, &mesh.triangles, &patches),
            moment,
            previous: positions.clone(),
            deflated: None,
            tree: SurfaceTree::build(&positions, &mesh.triangles),
            is_fitted: true,
            mesh,
            positions,
            search_radius,
            furthest_way: 0.0,
            patches,
            motions: 0,
            sharp: None,
            probes: vec![Probe::BLANK; particles],
            pin_probes: Vec::new(),
        }
    }

    /// Says that the body's triangles are too many in one place, if so.
    pub(in crate::simulate) fn crowded_notice(&self) -> Option<String> {
        let words = "thousands of the body's triangles are large and lie next to each other: the cloth finds out only roughly which \
                     is the nearest";
        self.tree.is_crowded().then(|| words.to_owned())
    }

    /// What is known of a body that is at `moment`, at its full size.
    pub(in crate::simulate) fn archive(&mut self, archive: &mut Archive<'_>, moment: Moment) -> Archived {
        archive.same(self.positions.len(), "vertices of the body")?;
        let mut fitted = self.positions.clone();
        self.tree.fitted_to(&mut fitted);
        for list in [&mut self.positions, &mut self.previous, &mut fitted] {
            archive.each(list, Archive::vec3)?;
        }
        archive.bool(&mut self.is_fitted)?;
        archive.f32(&mut self.furthest_way)?;
        archive.each(&mut self.patches.ways, Archive::f64)?;
        archive.u32(&mut self.motions)?;
        let (shells, triangles, known) = (self.mesh.shells, self.mesh.triangles.len(), self.known());
        self.kept.archive(archive)?;
        archive.each(&mut self.hidden, |archive, hidden| Hidden::archive(hidden, archive, [shells, triangles]))?;
        archive.each(&mut self.probes, |archive, probe| probe.archive(archive, known))?;
        archive.list(&mut self.pin_probes, || Probe::BLANK, |archive, probe| probe.archive(archive, known))?;
        if archive.is_source() {
            (self.moment, self.deflated, self.sharp) = (moment, None, None);
            self.tree.refit(&fitted);
            self.patches.note(&self.positions, &self.positions);
        }
        Ok(())
    }

    /// Signed distance of `point` from the nearest surface within the search radius, and the joint that moves it.
    pub(in crate::simulate) fn nearest_joint(&self, point: Vec3) -> Option<(f32, JointId)> {
        let nearest = self.nearest_where(point, |_| true);
        nearest.map(|nearest| (nearest.distance, self.joint_of[nearest.triangle as usize]))
    }

    /// The nearest surface within the search radius, among the triangles that `counts`.
    fn nearest_where(&self, point: Vec3, counts: impl Fn(u32) -> bool) -> Option<Nearest> {
        self.nearest_within(self.search_radius, point, counts)
    }

    fn nearest_within(&self, radius: f32, point: Vec3, counts: impl Fn(u32) -> bool) -> Option<Nearest> {
        self.nearest_knowing(NONE, radius, point, counts)
    }

    /// The same, sooner, of a point for which the triangle `known` was nearest before.
    fn nearest_knowing(&self, known: u32, radius: f32, point: Vec3, counts: impl Fn(u32) -> bool) -> Option<Nearest> {
        let within = |radius| self.tree.closest_where(point, radius, &self.positions, &self.mesh.triangles, &counts);
        let reach = self.reach_of(known, point, &counts).filter(|reach| *reach < radius);
        let found = reach.and_then(within).or_else(|| within(radius));
        found.map(|found| self.nearest_of(point, found))
    }

    /// Numbers of what probes know: triangles and patches.
    pub(super) fn known(&self) -> [usize; 2] {
        [self.mesh.triangles.len(), self.patches.ways.len()]
    }

    /// All vertices of the body as they are now, at their full size, for pins.
    pub(in crate::simulate) fn positions(&self) -> &[Vec3] {
        self.deflated.as_ref().map_or(self.positions.as_slice(), Deflated::full)
    }

    /// Signed distance of `point`, metres; the search radius when there is nothing within it.
    pub(in crate::simulate) fn distance(&self, point: Vec3) -> f32 {
        self.nearest_where(point, |_| true).map_or(self.search_radius, |nearest| nearest.distance)
    }

    /// Pushes every particle out to `thickness` from the surface. Those that touch and have moved along the surface ask the whole
    /// body at `frame_ends`, so that what is baked rests on no walk.
    pub(in crate::simulate) fn collide(
        &mut self,
        cloth: &mut Cloth,
        touch: Touch,
        frame_ends: bool,
        contacts: &mut Contacts,
    ) {
        let free = |particle: usize| cloth.is_free(particle).then(|| cloth.points[particle].at);
        let asking = self.looks(&self.probes, free, frame_ends);
        self.fit_for(&asking);
        self.buried.renew(&self.patches, self.search_radius, frame_ends);
        self.push_out(&asking, cloth, touch, contacts);
    }

    /// Pushes those that are `asking` out.
    fn push_out(&mut self, asking: &[(u32, Look)], cloth: &mut Cloth, touch: Touch, contacts: &mut Contacts) {
        let (points, previous) = (&cloth.points, &cloth.previous);
        let answers: Vec<Answer> = asking
            .par_iter()
            .with_min_len(PARTICLES_PER_TASK)
            .map(|&(particle, look)| {
                let [at, before] = [points, previous].map(|p| p[particle as usize].at);
                self.ask(particle, look, at, before, touch)
            })
            .collect();
        for (&(particle, _), answer) in asking.iter().zip(answers) {
            let particle = particle as usize;
            self.hidden[particle] = answer.hidden;
            if let Some((position, contact)) = answer.pushed {
                cloth.points[particle].at = position;
                contacts.push(contact);
            }
            self.probes[particle] = answer.probe.at(cloth.points[particle].at);
        }
    }

    /// How a point of the cloth next to a `particle` that touches must move to be clear of what that touches, metres. None if it
    /// is clear, too deep, or if another part of the body is near, too: squeezed middles leave it to their particles.
    pub(super) fn way_out_beside(&self, particle: usize, point: Vec3, touch: Touch) -> Option<Vec3> {
        let probe = &self.probes[particle];
        let nearest = self.nearest(point, probe, Look::Walk, self.search_radius, |_| true)?;
        let reach = -SHALLOW * self.search_radius..touch.thickness;
        let is_in_the_way = reach.contains(&nearest.distance) && probe.room > 2.0 * touch.thickness;
        is_in_the_way.then(|| nearest.normal * (touch.thickness - nearest.distance).min(4.0 * touch.rise))
    }

    /// How a point of the cloth must move to be clear of the body, which was at `before` a substep ago. A point too deep inside
    /// stays: it lies across a thin part.
    pub(super) fn clear(&self, point: Vec3, before: Vec3, probe: &Probe, look: Look, touch: Touch) -> Clearing {
        let nearest = self.nearest(point, probe, look, self.search_radius, |_| true);
        let Some(nearest) = nearest else {
            return Clearing::none(self.far_probe(point, touch.thickness, probe));
        };
        let Nearest { distance, normal, surface_motion, .. } = nearest;
        if distance >= touch.thickness || distance < -SHALLOW * self.search_radius {
            let free = if distance >= touch.thickness { free_way(distance, touch.thickness) } else { 0.0 };
            return Clearing::none(self.probe_of(point, &nearest, free, probe, |_| true));
        }
        let depth = (touch.thickness - distance).min(4.0 * touch.rise + surface_motion.length());
        let probe = self.probe_of(point, &nearest, 0.0, probe, |_| true);
        let is_alone = probe.room > 2.0 * touch.thickness;
        // Squeezed middles leave it to their particles: many of them push the same one.
        if !is_alone && self.squeeze(point + normal * depth, normal, distance + depth, |_| true) > 0.0 {
            return Clearing::none(probe);
        }
        // Nor do points next to another part go along with the one that comes: it would keep hold of them.
        let came_nearer = if is_alone { (surface_motion - (point - before)).dot(normal) } else { 0.0 };
        Clearing { way: normal * depth, gain: normal * came_nearer.clamp(0.0, depth), probe }
    }

    /// Whether a particle sees all of the body.
    pub(super) fn sees_all(&self, particle: usize) -> bool {
        self.hidden[particle].is_none()
    }

    /// What a particle does not see of the body.
    fn hidden_from(&self, particle: u32) -> &Hidden {
        self.hidden[particle as usize].as_deref().unwrap_or(&NOTHING)
    }

    /// The surface nearest to a point: within `radius` of it, or where its walk leads.
    fn nearest(
        &self,
        point: Vec3,
        probe: &Probe,
        look: Look,
        radius: f32,
        counts: impl Fn(u32) -> bool,
    ) -> Option<Nearest> {
        let walk = || {
            let found = self.mesh.walk(&self.positions, probe.triangle, point).filter(|found| counts(found.0))?;
            Some(self.nearest_of(point, found))
        };
        let whole = || {
            let nearest = self.nearest_knowing(probe.triangle, radius, point, &counts)?;
            Some(Nearest { is_whole: true, ..nearest })
        };
        if look == Look::Walk {
            return walk().or_else(whole);
        }
        let nearest = whole()?;
        // What is inside goes out where it came in, if that is not far.
        let came_in = (nearest.distance < 0.0 && probe.triangle != NONE).then(walk).flatten();
        let is_near = |came_in: &Nearest| (-ROOM * self.search_radius..0.0).contains(&came_in.distance);
        Some(came_in.filter(is_near).map_or(nearest, |came_in| Nearest { is_whole: true, ..came_in }))
    }

    /// How far from a point the nearest surface is at most, if a triangle is `known` that `counts`, metres.
    fn reach_of(&self, known: u32, point: Vec3, counts: impl Fn(u32) -> bool) -> Option<f32> {
        let known = (known != NONE && counts(known)).then_some(known)?;
        let distance = closest_point_on_triangle(point, self.corners(known)).point.distance(point);
        Some(distance * REACH)
    }

    fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.mesh.triangles[triangle as usize].map(|v| self.positions[v as usize])
    }

    /// Outward unit normal of a triangle; zero if it has no area.
    fn face_normal(&self, triangle: u32) -> Vec3 {
        self.mesh.face_normal(&self.positions, triangle as usize).normalize_or_zero()
    }

    /// What is to know of the surface next to a point: triangle, closest point and squared distance.
    fn nearest_of(&self, point: Vec3, (triangle, closest, squared): (u32, ClosestPoint, f32)) -> Nearest {
        let (distance, normal) =
            self.mesh.signed_distance(&self.positions, point, triangle as usize, &closest, squared.sqrt());
        let before = weighted(self.mesh.triangles[triangle as usize], closest.barycentric, &self.previous);
        Nearest { triangle, distance, normal, surface_motion: closest.point - before, is_whole: false }
    }
}

fn weighted(corners: [u32; 3], barycentric: Vec3, positions: &[Vec3]) -> Vec3 {
    let [a, b, c] = corners.map(|v| positions[v as usize]);
    a * barycentric.x + b * barycentric.y + c * barycentric.z
}
