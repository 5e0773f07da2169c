//! Planes, spheres and capsules, still or carried by joints.

use rayon::prelude::*;
use wide::f32x4;

use super::{Contact, Contacts, Touch, push_four_out};
use crate::body::{Body, JointId, Moment, lacking};
use crate::geometry::{DAffine3, DVec3, Points, Vec3, lanes};
use crate::import::counted;
use crate::simulate::cloth::{CHUNK, Cloth, Point};
use crate::simulate::parameters::{Collider, Shape};

/// The primitive colliders of a scene, or those that a body is made of, with their place now and a substep ago.
#[derive(Clone, Debug, Default)]
pub(in crate::simulate) struct Primitives {
    rest: Vec<(Shape, Option<Carrier>)>,
    now: Vec<Shape>,
    before: Vec<Shape>,
    /// Whether they are a body.
    are_body: bool,
}

/// What moves a shape: a joint, and the way there from the bind pose.
type Carrier = (JointId, DAffine3);

/// A collider that names a joint the body does not have.
#[derive(Debug, thiserror::Error)]
#[error("collider `{collider}` follows joint `{joint}`, {known}")]
pub struct UnknownColliderJoint {
    collider: String,
    joint: String,
    /// What the body has instead.
    known: String,
}

impl Primitives {
    pub(in crate::simulate) fn new(colliders: &[Collider], body: Option<&Body>) -> Result<Self, UnknownColliderJoint> {
        let carry = |collider: &Collider| {
            // Colliders are given in the world, positions count from where the body does.
            let counted = |moment| {
                let origin = body.map_or(DVec3::ZERO, |b| b.origin(moment));
                if origin == DVec3::ZERO {
                    return collider.shape;
                }
                transformed(collider.shape, DAffine3::from_translation(-origin))
            };
            let Some(name) = &collider.joint else { return Ok((counted(Moment::At(0.0)), None)) };
            let joint = body.and_then(|b| Some((b, b.joint_named(name)?)));
            let Some((body, joint)) = joint else {
                return Err(UnknownColliderJoint {
                    collider: collider.name.clone(),
                    joint: name.clone(),
                    known: lacking(body),
                });
            };
            Ok((counted(Moment::Bind), Some(carrier(body, joint))))
        };
        Ok(Primitives::at_rest(colliders.iter().map(carry).collect::<Result<_, _>>()?, false))
    }

    /// Those that a body is made of in its bind pose.
    pub(super) fn of_body(shapes: &[(Shape, JointId)], body: &Body) -> Self {
        let carried = |&(shape, joint): &(Shape, JointId)| (shape, Some(carrier(body, joint)));
        Primitives::at_rest(shapes.iter().map(carried).collect(), true)
    }

    fn at_rest(rest: Vec<(Shape, Option<Carrier>)>, are_body: bool) -> Self {
        let shapes: Vec<Shape> = rest.iter().map(|(shape, _)| *shape).collect();
        Primitives { rest, now: shapes.clone(), before: shapes, are_body }
    }

    /// Says of what kinds they are, if they are a body.
    pub(in crate::simulate) fn notice(&self) -> Option<String> {
        let count = |kind: fn(&Shape) -> bool, word: &str| {
            let count = self.now.iter().filter(|shape| kind(shape)).count();
            (count > 0).then(|| format!("{count} {word}{}", if count > 1 { "s" } else { "" }))
        };
        let kinds = [
            count(|shape| matches!(shape, Shape::Sphere { .. }), "ball"),
            count(|shape| matches!(shape, Shape::Capsule { .. }), "capsule"),
            count(|shape| matches!(shape, Shape::Plane { .. }), "floor"),
        ];
        let kinds: Vec<String> = kinds.into_iter().flatten().collect();
        self.are_body
            .then(|| format!("the body is nothing but {}: cloth meets these shapes, not their mesh", kinds.join(", ")))
    }

    /// Where they are.
    #[cfg(test)]
    pub(super) fn shapes(&self) -> &[Shape] {
        &self.now
    }

    /// Forgets the motion up to now: the next [`Primitives::move_to`] places everything without sweeping.
    pub(in crate::simulate) fn place(&mut self, body: Option<&Body>, moment: Moment) {
        self.move_to(body, moment);
        self.before.clone_from(&self.now);
    }

    pub(in crate::simulate) fn move_to(&mut self, body: Option<&Body>, moment: Moment) {
        std::mem::swap(&mut self.before, &mut self.now);
        let is_carried = self.rest.iter().any(|(_, carrier)| carrier.is_some());
        let transforms = body.filter(|_| is_carried).map_or(Vec::new(), |body| body.joint_transforms(moment));
        for ((shape, carrier), now) in self.rest.iter().zip(&mut self.now) {
            *now = match carrier {
                Some((joint, from_bind)) => transformed(*shape, transforms[joint.0 as usize] * *from_bind),
                None => *shape,
            };
        }
    }

    /// How far the shapes go, at most, from where they are to where they are at `moment`, metres; they go there.
    pub(in crate::simulate) fn furthest_way_to(&mut self, body: Option<&Body>, moment: Moment) -> f32 {
        self.move_to(body, moment);
        let way = |(now, before): (&Shape, &Shape)| {
            ends(now).into_iter().zip(ends(before)).map(|(now, before)| now.distance(before)).fold(0.0, f32::max)
        };
        self.now.iter().zip(&self.before).map(way).fold(0.0, f32::max)
    }

    /// Distance of `p` from the surface of the collider of this index, metres; negative inside.
    pub(in crate::simulate) fn distance(&self, collider: usize, p: Vec3) -> f32 {
        signed_distance(&self.now[collider], p).0
    }

    /// Says which `colliders` some of the `points` are inside of.
    pub(in crate::simulate) fn enclosing_notices(&self, colliders: &[Collider], points: &[Vec3]) -> Vec<String> {
        let inside = |shape: &Shape| {
            let depths = points.iter().map(|&point| -signed_distance(shape, point).0).filter(|&depth| depth > 0.0);
            depths.fold((0, 0.0_f32), |(count, deepest), depth| (count + 1, deepest.max(depth)))
        };
        let notice = |(collider, shape): (&Collider, &Shape)| {
            let (count, deepest) = inside(shape);
            (count > 0).then(|| {
                format!(
                    "{} of the cloth in collider `{}` at the start, up to {:.1} mm deep, pushed out gently; a preroll keeps that out of \
                     the first frames",
                    counted(count, "particle"),
                    collider.name,
                    1000.0 * deepest
                )
            })
        };
        colliders.iter().zip(&self.now).filter_map(notice).collect()
    }

    /// Pushes every particle out to `thickness` from the shapes, one shape after the other.
    pub(in crate::simulate) fn collide(&self, cloth: &mut Cloth, touch: Touch, contacts: &mut Contacts) {
        let moving = |(index, (now, before))| {
            let carrier = self.rest[index as usize].1.filter(|_| self.are_body);
            let (joint, collider) = (carrier.map(|(joint, _)| joint), (!self.are_body).then_some(index));
            Moving { now, before, joint, collider }
        };
        let all: Vec<Moving> = (0..).zip(self.now.iter().zip(&self.before)).map(moving).collect();
        let chunks = cloth.points.par_chunks_mut(CHUNK).zip(cloth.previous.par_chunks(CHUNK));
        chunks.zip(contacts.of_chunks_mut()).enumerate().for_each(|(chunk, ((points, previous), contacts))| {
            for moving in &all {
                let fours = points.chunks_mut(Points::LANES).zip(previous.chunks(Points::LANES));
                for (first, (points, previous)) in (chunk * CHUNK..).step_by(Points::LANES).zip(fours) {
                    moving.push(first, points, previous, touch, contacts);
                }
            }
        });
    }
}

/// A shape in a substep.
struct Moving<'a> {
    now: &'a Shape,
    before: &'a Shape,
    joint: Option<JointId>,
    collider: Option<u32>,
}

impl Moving<'_> {
    /// Pushes up to four particles out of it, the one of index `first` and those after it.
    #[inline(always)]
    fn push(&self, first: usize, points: &mut [Point], previous: &[Point], touch: Touch, contacts: &mut Vec<Contact>) {
        let Moving { now, before, joint, collider } = *self;
        let places = four(points);
        let is_free = (0..).zip(&*points).fold(0, |bits, (lane, p)| bits | u32::from(p.inverse_mass > 0.0) << lane);
        let distances = distances(now, places);
        let is_near = distances.simd_lt(f32x4::splat(touch.thickness)).to_bitmask() & is_free;
        if is_near == 0 {
            return;
        }
        let (normals, motions) = (normals(now, places), surface_motions(now, before, places));
        let thickness = f32x4::splat(touch.thickness);
        let (mut depths, mut margins) = (thickness - distances, thickness);
        let is_deep = distances.simd_lt(-thickness);
        if is_deep.to_bitmask() & is_near != 0 {
            // Cloth that begins inside comes out at a gentle speed, but never slower than shape and particle move.
            let ways = places.minus(four(previous)).length_squared().sqrt() + motions.length_squared().sqrt();
            let most = ways + f32x4::splat(4.0 * touch.rise);
            depths = is_deep.select(depths.min(most), depths);
            margins = is_deep.select((distances + depths).min(thickness), thickness);
        }
        let pushed = push_four_out(places, four(previous), normals, depths, motions, touch.friction);
        let (levels, margins) = (normals.dot(pushed).to_array(), margins.to_array());
        let [pushed, normals, motions] = [pushed, normals, motions].map(Points::to_array);
        contacts.extend(lanes(is_near).map(|lane| {
            points[lane].at = pushed[lane];
            let (particle, margin) = ((first + lane) as u32, margins[lane]);
            let (normal, level, surface_motion) = (normals[lane], levels[lane], motions[lane]);
            Contact { particle, normal, level, margin, surface_motion, joint, collider }
        }));
    }
}

/// One to four points; the first stands in for those that are missing.
fn four(points: &[Point]) -> Points {
    match points {
        [a, b, c, d] => Point::four([a, b, c, d]),
        few => Point::four(std::array::from_fn(|lane| few.get(lane).unwrap_or(&few[0]))),
    }
}

fn carrier(body: &Body, joint: JointId) -> Carrier {
    (joint, body.joint_transform(joint, Moment::Bind).inverse())
}

/// The points that place a shape.
fn ends(shape: &Shape) -> [Vec3; 2] {
    match *shape {
        Shape::Plane { point, .. } => [point; 2],
        Shape::Sphere { centre, .. } => [centre; 2],
        Shape::Capsule { from, to, .. } => [from, to],
    }
}

fn transformed(shape: Shape, by: DAffine3) -> Shape {
    let point = |p: Vec3| by.transform_point3(p.as_dvec3()).as_vec3();
    match shape {
        Shape::Plane { point: p, normal } => Shape::Plane {
            point: point(p),
            normal: by.transform_vector3(normal.as_dvec3()).as_vec3().normalize_or(Vec3::Y),
        },
        Shape::Sphere { centre, radius } => Shape::Sphere { centre: point(centre), radius },
        Shape::Capsule { from, to, radius } => Shape::Capsule { from: point(from), to: point(to), radius },
    }
}

/// Distance of `p` from the surface, negative inside, and the outward normal there.
pub(super) fn signed_distance(shape: &Shape, p: Vec3) -> (f32, Vec3) {
    let ball = |centre: Vec3, radius: f32| {
        let from_centre = p - centre;
        (from_centre.length() - radius, from_centre.normalize_or(Vec3::Y))
    };
    match *shape {
        Shape::Plane { point, normal } => ((p - point).dot(normal), normal),
        Shape::Sphere { centre, radius } => ball(centre, radius),
        Shape::Capsule { from, to, radius } => ball(from + (to - from) * along(from, to, p), radius),
    }
}

/// Distances of four points, as [`signed_distance`] says.
fn distances(shape: &Shape, points: Points) -> f32x4 {
    match *shape {
        Shape::Plane { normal, .. } => from_middle(shape, points).dot(Points::splat(normal)),
        Shape::Sphere { radius, .. } | Shape::Capsule { radius, .. } => {
            from_middle(shape, points).length_squared().sqrt() - f32x4::splat(radius)
        }
    }
}

/// The outward normals there.
fn normals(shape: &Shape, points: Points) -> Points {
    if let Shape::Plane { normal, .. } = *shape {
        return Points::splat(normal);
    }
    let way = from_middle(shape, points);
    let scale = f32x4::ONE / way.length_squared().sqrt();
    let has_normal = scale.simd_gt(f32x4::ZERO) & scale.simd_lt(f32x4::splat(f32::INFINITY));
    way.times(scale).where_else(has_normal, Points::splat(Vec3::Y))
}

/// Ways to four points from the centre of a sphere, or from a capsule's axis; of a plane from where it is.
fn from_middle(shape: &Shape, points: Points) -> Points {
    let middles = match *shape {
        Shape::Plane { point, .. } => Points::splat(point),
        Shape::Sphere { centre, .. } => Points::splat(centre),
        Shape::Capsule { from, to, .. } => {
            Points::splat(from).plus(Points::splat(to - from).times(parts_along(from, to, points)))
        }
    };
    points.minus(middles)
}

/// Ways the surface next to each of four points went, metres.
fn surface_motions(now: &Shape, before: &Shape, points: Points) -> Points {
    match (now, before) {
        (Shape::Sphere { centre: now, .. }, Shape::Sphere { centre: before, .. })
        | (Shape::Plane { point: now, .. }, Shape::Plane { point: before, .. }) => Points::splat(*now - *before),
        (Shape::Capsule { from, to, .. }, Shape::Capsule { from: from_before, to: to_before, .. }) => {
            let t = parts_along(*from, *to, points);
            let [of_start, of_end] = [*from - *from_before, *to - *to_before].map(Points::splat);
            of_start.times(f32x4::ONE - t).plus(of_end.times(t))
        }
        _ => Points::splat(Vec3::ZERO),
    }
}

/// Parts of the way from one end of a capsule to the other at which four points are nearest.
fn parts_along(from: Vec3, to: Vec3, points: Points) -> f32x4 {
    let axis = to - from;
    let squared = axis.length_squared();
    if squared > 0.0 {
        let along = points.minus(Points::splat(from)).dot(Points::splat(axis)) / f32x4::splat(squared);
        along.fast_max(f32x4::ZERO).fast_min(f32x4::ONE)
    } else {
        f32x4::ZERO
    }
}

fn along(from: Vec3, to: Vec3, p: Vec3) -> f32 {
    let axis = to - from;
    let squared = axis.length_squared();
    if squared > 0.0 { ((p - from).dot(axis) / squared).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::any_point;
    use proptest::prelude::*;

    /// Where a particle comes to lie that was at `before` and is at `now` on the x axis, inside a ball of 30 cm around the origin.
    fn pushed([before, now]: [f32; 2]) -> (f32, f32) {
        let ball = Shape::Sphere { centre: Vec3::ZERO, radius: 0.3 };
        let at = |x: f32| Point { at: Vec3::X * x, inverse_mass: 1.0 };
        let (mut points, mut contacts) = (vec![at(now)], Vec::new());
        let touch = Touch { thickness: 0.002, friction: 0.0, rise: 0.001 };
        Moving { now: &ball, before: &ball, joint: None, collider: Some(0) }.push(
            0,
            &mut points,
            &[at(before)],
            touch,
            &mut contacts,
        );
        (points[0].at.x, contacts[0].margin)
    }

    #[test]
    fn what_begins_deep_inside_a_shape_comes_out_gently_and_what_goes_in_comes_out_at_once() {
        let is_near = |(x, margin): (f32, f32), wanted: (f32, f32)| {
            (x - wanted.0).abs() < 1e-6 && (margin - wanted.1).abs() < 1e-6
        };
        assert!(is_near(pushed([0.1, 0.1]), (0.104, -0.196)), "{:?}", pushed([0.1, 0.1]));
        assert!(is_near(pushed([0.297, 0.297]), (0.301, 0.001)), "{:?}", pushed([0.297, 0.297]));
        assert!(is_near(pushed([0.5, 0.2]), (0.302, 0.002)), "{:?}", pushed([0.5, 0.2]));
        assert!(is_near(pushed([0.299, 0.299]), (0.302, 0.002)), "{:?}", pushed([0.299, 0.299]));
    }

    #[test]
    fn cloth_that_begins_in_a_collider_is_told() {
        let shape = Shape::Sphere { centre: Vec3::ZERO, radius: 0.3 };
        let colliders = [Collider { name: "ball".to_owned(), shape, joint: None }];
        let primitives = Primitives::new(&colliders, None).expect("no joint");
        let notices = |points: &[Vec3]| primitives.enclosing_notices(&colliders, points).join("");
        assert!(notices(&[Vec3::X, Vec3::Y]).is_empty());
        let told = notices(&[Vec3::X, 0.1 * Vec3::Y, 0.2 * Vec3::X]);
        assert!(
            told.starts_with("2 particles of the cloth in collider `ball` at the start, up to 200.0 mm deep"),
            "{told}"
        );
    }

    proptest! {
        #[test]
        fn four_points_are_as_far_as_one_after_the_other(
            points in prop::array::uniform4(any_point()),
            ends in prop::array::uniform2(any_point()),
            radius in 0f32..2.0,
        ) {
            let [from, to] = ends;
            let shapes = [
                Shape::Plane { point: from, normal: to.normalize_or(Vec3::Y) },
                Shape::Sphere { centre: from, radius },
                Shape::Capsule { from, to, radius },
            ];
            for shape in shapes {
                let found = (distances(&shape, Points::of(points)), normals(&shape, Points::of(points)));
                let found = found.0.to_array().into_iter().zip(found.1.to_array());
                prop_assert!(found.eq(points.map(|p| signed_distance(&shape, p))));
            }
        }
    }
}
