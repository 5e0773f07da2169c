//! Bodies that are nothing but balls, capsules and floors, as collision proxies are, are met as what they are.
//!
//! ```text
//!      .-'''-.       The mesh of a round shape is inside of it by its sag. Where that is little beside the distance that
//!     / chord \      cloth keeps, cloth cannot tell them apart, and the shape answers ten times as fast.
//!    |    o    |
//! ```
//!
//! Everything is checked on the mesh: all vertices are on the shape at all times of the clip, all triangles next to it, the volume
//! is its own. Where one part of the body is something else, cloth begins inside, or is too coarse to go around the shapes, the
//! body's mesh is met as it is.

use std::f32::consts::PI;

use super::mesh::SurfaceMesh;
use super::primitives::{Primitives, signed_distance};
use crate::body::{Body, JointId, Moment};
use crate::geometry::{Aabb, DMat3, DVec3, Feature, Vec3};
use crate::simulate::parameters::Shape;

/// How far the mesh may be inside its shape, as a part of the distance that cloth keeps.
const SAG: f32 = 0.7;
/// How far an edge around the shape may dip between its particles, the same way: it stays outside.
const DIP: f32 = 0.9;
/// Triangles of a body from which on it is no proxy.
const MOST_TRIANGLES: usize = 100_000;
/// Pieces from which on it is none: each is asked by every particle.
const MOST_PIECES: usize = 16;
/// Edges around a floor at most: each is compared with all.
const MOST_RIM: usize = 4096;
/// Moments of the clip at which vertices must be on their shapes.
const MOMENTS: u32 = 16;
/// Part of the volume of a round shape that its mesh has at least.
const FULL: f32 = 0.85;
/// Steps that lead from any direction to a capsule's axis.
const AXIS_STEPS: u32 = 48;

/// What cloth is like that may meet shapes instead of a mesh.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulate) struct Meeting<'a> {
    /// Where its particles begin.
    pub(in crate::simulate) cloth: &'a [Vec3],
    /// Distance it keeps, metres.
    pub(in crate::simulate) thickness: f32,
    /// Its longest edge, metres.
    pub(in crate::simulate) edge: f32,
    /// Where the body is then.
    pub(in crate::simulate) start: Moment,
}

/// A connected piece of the body's surface.
struct Piece<'a> {
    mesh: &'a SurfaceMesh,
    positions: &'a [Vec3],
    triangles: &'a [u32],
    /// Ascending.
    vertices: Vec<u32>,
    tolerance: f32,
}

/// The shapes that `body` is made of, with the joints that carry them, for such a cloth; none if it is anything else.
pub(in crate::simulate) fn proxies(body: &Body, meeting: Meeting<'_>) -> Option<Primitives> {
    if body.surface().len() > MOST_TRIANGLES {
        return None;
    }
    let mut bind = Vec::new();
    body.pose(Moment::Bind, &mut bind);
    let mesh = SurfaceMesh::new(&bind, body.surface());
    if !(1..=MOST_PIECES).contains(&mesh.shells) {
        return None;
    }
    let piece = |shell: usize| Piece::of(&mesh, shell as u32, &bind, SAG * meeting.thickness);
    let pieces: Vec<Piece<'_>> = (0..mesh.shells).map(piece).collect();
    let shapes: Option<Vec<(Shape, JointId)>> =
        pieces.iter().map(|piece| Some((piece.shape(&meeting)?, body.main_joint(piece.vertices[0])))).collect();
    let mut shapes = Primitives::of_body(&shapes?, body);
    let (first, last) = body.clip_range();
    let at = |step: u32| Moment::At(first + (last - first) * f64::from(step) / f64::from(MOMENTS));
    let mut posed = Vec::new();
    for moment in (0..=MOMENTS).map(at).chain([meeting.start]) {
        shapes.place(Some(body), moment);
        body.pose(moment, &mut posed);
        let is_off = |(index, piece): (usize, &Piece<'_>)| {
            let off = |&v: &u32| shapes.distance(index, posed[v as usize]).abs() > piece.tolerance;
            piece.vertices.iter().any(off)
        };
        if pieces.iter().enumerate().any(is_off) {
            return None;
        }
    }
    let is_outside = |&p: &Vec3| (0..pieces.len()).all(|index| shapes.distance(index, p) >= 0.0);
    meeting.cloth.iter().all(is_outside).then_some(shapes)
}

impl<'a> Piece<'a> {
    fn of(mesh: &'a SurfaceMesh, shell: u32, positions: &'a [Vec3], tolerance: f32) -> Self {
        let triangles = mesh.triangles_of_shell(shell);
        let mut vertices: Vec<u32> = triangles.iter().flat_map(|&t| mesh.triangles[t as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Piece { mesh, positions, triangles, vertices, tolerance }
    }

    fn shape(&self, meeting: &Meeting<'_>) -> Option<Shape> {
        let goes_around = |radius: f32| meeting.edge * meeting.edge <= 8.0 * radius * DIP * meeting.thickness;
        let round = || {
            let moments = Moments::of(self.points())?;
            let is_round = |shape: &Shape| self.is_round(shape);
            moments.ball(self.points()).filter(is_round).or_else(|| moments.capsule(self.points()).filter(is_round))
        };
        self.floor(meeting).or_else(round).filter(|shape| match *shape {
            Shape::Plane { .. } => true,
            Shape::Sphere { radius, .. } | Shape::Capsule { radius, .. } => goes_around(radius),
        })
    }

    fn points(&self) -> impl Iterator<Item = Vec3> + Clone {
        self.vertices.iter().map(|&v| self.positions[v as usize])
    }

    fn corners(&self) -> impl Iterator<Item = [Vec3; 3]> {
        self.triangles.iter().map(|&t| self.mesh.triangles[t as usize].map(|v| self.positions[v as usize]))
    }

    /// Whether the piece is a closed mesh of a round shape.
    fn is_round(&self, shape: &Shape) -> bool {
        let is_near = |p: Vec3| signed_distance(shape, p).0.abs() <= self.tolerance;
        let is_full = || {
            let middle = self.points().next().unwrap_or_default();
            let volume: f32 = self.corners().map(|[a, b, c]| (a - middle).dot((b - middle).cross(c - middle))).sum();
            (FULL..=1.001).contains(&(volume / 6.0 / volume_of(shape)))
        };
        let sags = |[a, b, c]: [Vec3; 3]| [(a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0, (a + b + c) / 3.0];
        self.points().all(is_near) && self.corners().flat_map(sags).all(is_near) && is_full() && self.rim().is_empty()
    }

    /// The plane of a flat piece without holes or hollows that reaches further around the cloth than it is large.
    fn floor(&self, meeting: &Meeting<'_>) -> Option<Shape> {
        let area = self.corners().map(|[a, b, c]| (b - a).cross(c - a)).sum::<Vec3>();
        let normal = area.try_normalize()?;
        let point = self.points().next()?;
        let is_flat = self.points().all(|p| (p - point).dot(normal).abs() <= 0.01 * self.tolerance);
        let faces_out = self.corners().all(|[a, b, c]| (b - a).cross(c - a).dot(normal) >= 0.0);
        if !is_flat || !faces_out {
            return None;
        }
        let rim = self.rim();
        let around = Aabb::around(meeting.cloth);
        let (middle, size) = (around.centre(), around.size().length());
        let holds = |&[a, b]: &[Vec3; 2]| {
            let inward = normal.cross(b - a).normalize_or_zero();
            let is_inside = |[p, _]: &[Vec3; 2]| (*p - a).dot(inward) >= -self.tolerance;
            (middle - a).dot(inward) >= size && rim.iter().all(is_inside)
        };
        (rim.len() <= MOST_RIM && rim.iter().all(holds)).then_some(Shape::Plane { point, normal })
    }

    /// Edges of one triangle alone.
    fn rim(&self) -> Vec<[Vec3; 2]> {
        let is_rim = |&(triangle, edge): &(u32, u8)| self.mesh.around(triangle, Feature::Edge(edge)).is_empty();
        let ends = |(triangle, edge): (u32, u8)| {
            let corners = self.mesh.triangles[triangle as usize];
            [edge, (edge + 1) % 3].map(|corner| self.positions[corners[usize::from(corner)] as usize])
        };
        let edges = self.triangles.iter().flat_map(|&triangle| [0, 1, 2].map(|edge| (triangle, edge)));
        edges.filter(is_rim).map(ends).collect()
    }
}

/// Cubic metres; none of a half space.
fn volume_of(shape: &Shape) -> f32 {
    let (radius, length) = match *shape {
        Shape::Plane { .. } => return 0.0,
        Shape::Sphere { radius, .. } => (radius, 0.0),
        Shape::Capsule { from, to, radius } => (radius, from.distance(to)),
    };
    PI * radius * radius * (4.0 / 3.0 * radius + length)
}

/// How points lie around their mean.
struct Moments {
    mean: DVec3,
    /// Mean of q q^T of all ways q from the mean.
    second: DMat3,
    /// Means of |q|^2 and of |q|^2 q.
    squared: f64,
    third: DVec3,
}

impl Moments {
    fn of(points: impl Iterator<Item = Vec3> + Clone) -> Option<Moments> {
        let count = points.clone().count() as f64;
        let mean = points.clone().map(Vec3::as_dvec3).sum::<DVec3>() / count;
        let mut moments = Moments { mean, second: DMat3::ZERO, squared: 0.0, third: DVec3::ZERO };
        for point in points {
            let q = point.as_dvec3() - mean;
            moments.second += DMat3::from_cols(q * q.x, q * q.y, q * q.z) * (1.0 / count);
            moments.squared += q.length_squared() / count;
            moments.third += q * (q.length_squared() / count);
        }
        // Flat or straight things are not round.
        let size = moments.squared / 3.0;
        (moments.second.determinant() > 1e-4 * size * size * size).then_some(moments)
    }

    /// The ball that fits best: |q|^2 = 2 c . q + (r^2 - |c|^2), in least squares.
    fn ball(&self, points: impl Iterator<Item = Vec3>) -> Option<Shape> {
        let centre = (self.mean + self.second.inverse() * self.third * 0.5).as_vec3();
        let radius = points.map(|p| p.distance(centre)).fold(0.0, f32::max);
        (centre.is_finite() && radius > 0.0).then_some(Shape::Sphere { centre, radius })
    }

    /// The capsule along the longest axis of points that are spread evenly around it.
    fn capsule(&self, points: impl Iterator<Item = Vec3> + Clone) -> Option<Shape> {
        let step = |axis: DVec3| (self.second * axis).normalize_or(axis);
        let axis = (0..AXIS_STEPS).fold(DVec3::new(0.6, 0.64, 0.48), |axis, _| step(axis)).as_vec3();
        let ways = points.map(|p| p - self.mean.as_vec3());
        let radius = ways.clone().map(|way| way.reject_from_normalized(axis).length()).fold(0.0, f32::max);
        let along = ways.map(|way| way.dot(axis));
        let (low, high) = along.fold((0.0_f32, 0.0_f32), |(low, high), t| (low.min(t), high.max(t)));
        let end = |t: f32| self.mean.as_vec3() + axis * t;
        (radius > 0.0 && high - low > 2.0 * radius).then(|| Shape::Capsule {
            from: end(low + radius),
            to: end(high - radius),
            radius,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::DQuat;
    use crate::import::{BodyAsset, BodyNode, BodyPart, Clip, Interpolation, MeshSequence, Rig, Track, TrackValues};
    use crate::pins::Pins;
    use crate::simulate::cloth::Cloth;
    use crate::simulate::collide::{Contacts, Touch};
    use crate::topology::{build, grids};

    /// Adds a capsule around the z axis to a body: `rows` rings from pole to pole, its ends `length` apart; only so many first rows.
    fn add_capsule(mesh: &mut MeshSequence, [radius, length]: [f32; 2], middle: Vec3, rows: u32, kept: u32) {
        let around = 2 * rows;
        let first = mesh.frames[0].len() as u32;
        for row in 0..=rows {
            let latitude = PI * (row as f32 / rows as f32 - 0.5);
            let (high, wide) = (radius * libm::sinf(latitude), radius * libm::cosf(latitude));
            for column in 0..around {
                let turn = 2.0 * PI * column as f32 / around as f32;
                let end = if 2 * row > rows { 0.5 * length } else { -0.5 * length };
                let pole = row == 0 || row == rows;
                let [x, y] = if pole { [0.0; 2] } else { [libm::cosf(turn), libm::sinf(turn)].map(|part| part * wide) };
                mesh.frames[0].push(middle + Vec3::new(x, y, high + end));
            }
        }
        for row in 0..kept {
            for column in 0..around {
                let at = |row: u32, column: u32| first + row * around + column % around;
                let [a, b, c, d] = [at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }

    fn add_ball(mesh: &mut MeshSequence, radius: f32, middle: Vec3) {
        add_capsule(mesh, [radius, 0.0], middle, 32, 32);
    }

    /// Adds a square floor of this half width at z = -0.3.
    fn add_floor(mesh: &mut MeshSequence, half: f32) {
        let first = mesh.frames[0].len() as u32;
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        mesh.frames[0].extend(corners.map(|[x, y]| Vec3::new(half * x, half * y, -0.3)));
        mesh.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|corners: [u32; 3]| corners.map(|corner| first + corner)));
    }

    /// What such a body is made of, for a cloth of this longest edge, a point of which begins at `start`.
    fn found(add: impl Fn(&mut MeshSequence), edge: f32, start: Vec3) -> Option<Vec<Shape>> {
        let mut mesh = MeshSequence { frames: vec![Vec::new()], ..MeshSequence::default() };
        add(&mut mesh);
        let body = Body::new(BodyAsset::Sequence(mesh), None).expect("a body");
        let cloth = [start, start + Vec3::X];
        let meeting = Meeting { cloth: &cloth, thickness: 0.004, edge, start: Moment::Bind };
        Some(proxies(&body, meeting)?.shapes().to_vec())
    }

    const ABOVE: Vec3 = Vec3::new(-0.5, 0.0, 0.4);

    #[test]
    fn a_ball_on_a_floor_is_one() {
        let scene = |mesh: &mut MeshSequence| {
            add_ball(mesh, 0.3, Vec3::ZERO);
            add_floor(mesh, 2.0);
        };
        let shapes = found(scene, 0.02, ABOVE).expect("a ball and a floor");
        let [Shape::Sphere { centre, radius }, Shape::Plane { point, normal }] = shapes[..] else {
            panic!("{shapes:?}")
        };
        assert!(centre.length() < 1e-5 && (radius - 0.3).abs() < 1e-5, "{shapes:?}");
        assert!((point.z + 0.3).abs() < 1e-6 && normal.distance(Vec3::Z) < 1e-6, "{shapes:?}");
    }

    #[test]
    fn a_capsule_is_one_wherever_it_is() {
        let middle = Vec3::new(3.0, -1.0, 0.5);
        let shapes = found(|mesh| add_capsule(mesh, [0.1, 0.4], middle, 24, 24), 0.02, ABOVE).expect("a capsule");
        let [Shape::Capsule { from, to, radius }] = shapes[..] else { panic!("{shapes:?}") };
        let ends = [-0.2, 0.2].map(|z| middle + Vec3::Z * z);
        let off = |a: Vec3, b: Vec3| a.distance(ends[0]).max(b.distance(ends[1]));
        assert!(off(from, to).min(off(to, from)) < 1e-4 && (radius - 0.1).abs() < 1e-4, "{shapes:?}");
    }

    /// A ball that a node carries, moved by these values at 0 and 1 s.
    fn carried(values: TrackValues) -> Body {
        let mut mesh = MeshSequence { frames: vec![Vec::new()], ..MeshSequence::default() };
        add_ball(&mut mesh, 0.3, Vec3::ZERO);
        let node = BodyNode {
            name: "ball".to_owned(),
            parent: None,
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            scale: DVec3::ONE,
            matrix: None,
        };
        let MeshSequence { mut frames, triangles, .. } = mesh;
        let part = BodyPart { node: 0, positions: frames.swap_remove(0), triangles, ..BodyPart::default() };
        let track = Track { node: 0, times: vec![0.0, 1.0], interpolation: Interpolation::Linear, values };
        let clips = vec![Clip { name: "clip".to_owned(), tracks: vec![track] }];
        let rig = Rig { nodes: vec![node], parts: vec![part], clips, ..Rig::default() };
        Body::new(BodyAsset::Rig(rig), None).expect("a body")
    }

    #[test]
    fn a_ball_that_a_joint_carries_pushes_cloth_on() {
        let body = carried(TrackValues::Translation(vec![DVec3::ZERO, DVec3::X]));
        let topology = build(&grids::grid(2, 2)).expect("a sheet");
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.2);
        let thickness = 0.004;
        cloth.points.iter_mut().for_each(|point| point.at = Vec3::X * 0.31);
        cloth.start_substep(1.0 / 300.0);
        let places = cloth.positions();
        let meeting = Meeting { cloth: &places, thickness, edge: 0.02, start: Moment::At(0.0) };
        let mut ball = proxies(&body, meeting).expect("a ball");
        ball.place(Some(&body), Moment::At(0.0));
        assert!((ball.furthest_way_to(Some(&body), Moment::At(0.25)) - 0.25).abs() < 1e-6);
        ball.place(Some(&body), Moment::At(0.0));
        ball.move_to(Some(&body), Moment::At(0.02));
        let mut contacts = Contacts::new(cloth.len());
        ball.collide(&mut cloth, Touch { thickness, friction: 0.0, rise: 0.0 }, &mut contacts);
        assert_eq!(contacts.iter().count(), cloth.len());
        for (contact, place) in contacts.iter().zip(cloth.positions()) {
            assert!(place.distance(Vec3::X * 0.324) < 1e-5, "{place}");
            assert!(contact.surface_motion.distance(Vec3::X * 0.02) < 1e-6, "{contact:?}");
            assert_eq!((contact.joint, contact.collider), (body.joint_named("ball"), None));
        }
    }

    #[test]
    fn a_ball_that_grows_is_none() {
        let body = carried(TrackValues::Scale(vec![DVec3::ONE, DVec3::splat(1.2)]));
        let cloth = [ABOVE, ABOVE + Vec3::X];
        let meeting = Meeting { cloth: &cloth, thickness: 0.004, edge: 0.02, start: Moment::At(0.0) };
        assert!(proxies(&body, meeting).is_none());
    }

    #[test]
    fn anything_else_is_met_as_it_is() {
        let is_none = |add: &dyn Fn(&mut MeshSequence), edge: f32, start: Vec3| found(add, edge, start).is_none();
        let ball = |mesh: &mut MeshSequence| add_ball(mesh, 0.3, Vec3::ZERO);
        assert!(found(ball, 0.02, ABOVE).is_some());
        assert!(is_none(&ball, 0.2, ABOVE), "coarse cloth cuts the ball");
        assert!(is_none(&ball, 0.02, Vec3::ZERO), "cloth begins inside");
        assert!(is_none(&|mesh| add_capsule(mesh, [0.3, 0.0], Vec3::ZERO, 6, 6), 0.02, ABOVE), "its mesh is coarse");
        assert!(is_none(&|mesh| add_capsule(mesh, [0.3, 0.0], Vec3::ZERO, 32, 30), 0.02, ABOVE), "it is a bowl");
        assert!(is_none(&|mesh| add_floor(mesh, 0.8), 0.02, ABOVE), "cloth hangs down over a table top");
        let warped = |mesh: &mut MeshSequence| {
            ball(mesh);
            add_floor(mesh, 2.0);
            mesh.frames[0].iter_mut().last().expect("a corner").z += 0.1;
        };
        assert!(is_none(&warped, 0.02, ABOVE), "the floor is warped");
        let egg = |mesh: &mut MeshSequence| {
            ball(mesh);
            mesh.frames[0].iter_mut().for_each(|p| p.x *= 1.1);
        };
        assert!(is_none(&egg, 0.02, ABOVE));
        let moving = |mesh: &mut MeshSequence| {
            ball(mesh);
            mesh.frames.push(mesh.frames[0].iter().map(|p| *p + Vec3::X).collect());
        };
        assert!(is_none(&moving, 0.02, ABOVE), "no joint carries a sequence");
    }
}
