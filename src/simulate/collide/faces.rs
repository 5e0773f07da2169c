//! Corners of the body against faces of the cloth: a toe under a skirt, the hips of a body of few triangles.
//!
//! ```text
//!        o-----x-----o      o  particles and x middles are outside;
//!            __b__          b  a vertex of the body stands out between them: the point of the face nearest to it goes out
//!      _____/     \_____       along the body's normal there
//! ```
//!
//! So are edges of the body that stand out through edges of the cloth between particles that lie on it. They are looked for where it is
//! seen, at the end of a frame. The push changes places, not velocities.

use rayon::prelude::*;

use super::between::Middle;
use super::surface::{ClothFaces, Corner, Ridge};
use super::{BodySurface, Contacts, Touch};
use crate::geometry::{SurfaceTree, Vec3};
use crate::simulate::cloth::Cloth;
use crate::topology::{ParticleId, Topology};

/// Part of the thickness that a face keeps from a corner. With half of it cloth stirs more from frame to frame, and tight cloth is a
/// hundredth shorter around a limb: there it is the less the less particles keep, with the third power of that.
const CLEARANCE: f32 = 0.25;

/// Part of an edge that the inside of a face is away from the middles of its edges.
const SPAN: f32 = 0.5;

/// Edges of the cloth that one task takes at least.
const EDGES_PER_TASK: usize = 256;

/// Faces and edges that are kept off the body's corners and edges.
#[derive(Debug)]
pub(in crate::simulate) struct Faces {
    triangles: Vec<[u32; 3]>,
    edges: Vec<[ParticleId; 2]>,
    tree: SurfaceTree,
    span: f32,
    /// What the end of this frame has found.
    touching: Vec<Touching>,
}

/// A point of a face or an edge that a corner or an edge of the body touches or may come to touch.
#[derive(Clone, Copy, Debug)]
struct Touching {
    point: Middle,
    /// Outward unit normal of the body.
    normal: Vec3,
    /// Where it must be along the normal at least, metres.
    level: f32,
}

impl Faces {
    /// Those of a cloth, as programs draw it: bent quads lie elsewhere along their other diagonals.
    pub(in crate::simulate) fn new(topology: &Topology) -> Faces {
        let triangles = topology.drawn_indices();
        let tree = SurfaceTree::build(&topology.positions, &triangles);
        Faces {
            tree,
            triangles,
            span: SPAN * topology.mean_edge(),
            edges: topology.edges.clone(),
            touching: Vec::new(),
        }
    }

    /// Pushes faces off the body's corners, and edges off its edges, when a frame ends. `contacts` are those of the particles.
    pub(in crate::simulate) fn collide(
        &mut self,
        surface: &mut BodySurface<'_>,
        cloth: &mut Cloth,
        touch: Touch,
        frame_ends: bool,
        contacts: &Contacts,
    ) {
        self.touching.clear();
        if !frame_ends {
            return;
        }
        let places = cloth.positions();
        self.find_corners(surface, &places, touch);
        self.find_ridges(surface, &places, touch, contacts);
        for touching in &self.touching {
            touching.push(cloth, 4.0 * touch.rise, |_| Vec3::ZERO);
        }
    }

    /// Adds the body's corners under faces.
    fn find_corners(&mut self, surface: &mut BodySurface<'_>, places: &[Vec3], touch: Touch) {
        let vertices = surface.sharp_corners(places, touch.thickness, self.span);
        if vertices.is_empty() {
            return;
        }
        surface.fit();
        self.tree.refit(places);
        let faces = ClothFaces { places, triangles: &self.triangles, tree: &self.tree };
        let corners = surface.corners_at(&vertices, faces, touch.thickness);
        let touching = |Corner { triangle, weights, normal, level }| {
            let point = Middle::new(self.triangles[triangle as usize].map(ParticleId), weights.to_array());
            point.sees(surface).then(|| Touching::new(point, normal, level, surface, touch))
        };
        self.touching.extend(corners.into_iter().filter_map(touching));
    }

    /// Adds the body's edges under edges of which an end lies on it.
    fn find_ridges(&mut self, surface: &BodySurface<'_>, places: &[Vec3], touch: Touch, contacts: &Contacts) {
        if contacts.is_empty() {
            return;
        }
        let touches = contacts.touching(places.len());
        let ridges = |&[a, b]: &[ParticleId; 2]| {
            let ends = [a, b].map(|end| end.index());
            if !ends.iter().any(|&end| touches[end]) || !ends.iter().all(|&end| surface.sees_all(end)) {
                return Vec::new();
            }
            let touching = |Ridge { along, normal, level }: Ridge| {
                let point = Middle::new([a, b, a], [1.0 - along, along, 0.0]);
                Touching::new(point, normal, level, surface, touch)
            };
            let ridges = surface.ridges_at([a.0, b.0], ends.map(|end| places[end]), touch.thickness);
            ridges.into_iter().map(touching).collect()
        };
        let found: Vec<Vec<Touching>> = self.edges.par_iter().with_min_len(EDGES_PER_TASK).map(ridges).collect();
        self.touching.extend(found.into_iter().flatten());
    }

    /// Puts faces that were drawn onto corners where [`Faces::collide`] would have put them.
    pub(in crate::simulate) fn keep_off(&self, cloth: &mut Cloth) {
        for touching in &self.touching {
            touching.push(cloth, f32::INFINITY, |way| way);
        }
    }
}

impl Touching {
    /// That of a `point` of the cloth over what is at `level` along the body's `normal`.
    fn new(point: Middle, normal: Vec3, level: f32, surface: &BodySurface<'_>, touch: Touch) -> Touching {
        let kept = point.kept(surface.kept());
        let clearance = CLEARANCE * touch.thickness * kept * kept * kept;
        Touching { point, normal, level: level + clearance }
    }

    /// Moves the point out, by at most so many metres; `gain` says which part of its way is motion.
    fn push(&self, cloth: &mut Cloth, most: f32, gain: impl Fn(Vec3) -> Vec3) {
        let depth = self.level - self.normal.dot(self.point.at(cloth));
        if depth > 0.0 {
            let way = self.normal * (depth.min(most) * self.point.lever(cloth));
            self.point.push(way, gain(way), cloth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LEVER;
    use super::*;
    use crate::body::{Body, Moment};
    use crate::import::{BodyAsset, MeshSequence};
    use crate::pins::Pins;
    use crate::topology::build;
    use crate::topology::grids::grid;

    const TOUCH: Touch = Touch { thickness: 0.01, friction: 0.3, rise: 1.0 };

    /// A pyramid of that height whose tip is at `tip`.
    fn pyramid(tip: Vec3, height: f32) -> Body {
        let foot = |x: f32, y: f32| tip + Vec3::new(0.4 * x, 0.4 * y, -height);
        let positions = vec![foot(-1.0, -1.0), foot(1.0, -1.0), foot(1.0, 1.0), foot(-1.0, 1.0), tip];
        let triangles = vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        let sequence = MeshSequence { frames: vec![positions; 2], triangles, ..MeshSequence::default() };
        Body::new(BodyAsset::Sequence(sequence), None).expect("a body")
    }

    /// The sheet after it collided with a pyramid that stands out through the middle of a face by `height`, and how far the tip
    /// is below the face then.
    fn collided(height: f32, frame_ends: bool, pins: &Pins) -> (Cloth, Faces, f32) {
        collided_with(0.4, height, frame_ends, pins)
    }

    /// The same of a pyramid that is so much lower around its tip.
    fn collided_with(fall: f32, height: f32, frame_ends: bool, pins: &Pins) -> (Cloth, Faces, f32) {
        let topology = build(&grid(2, 2)).expect("a sheet");
        let mut cloth = Cloth::at_rest(&topology, pins, 0.2);
        let face = topology.drawn_triangles().next().expect("a face");
        let corners = face.map(|p| topology.positions[p.index()]);
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let body = pyramid(middle + Vec3::Z * height, fall);
        let mut surface = BodySurface::new(&body, Moment::At(0.0), cloth.len(), 0.1);
        let mut faces = Faces::new(&topology);
        let contacts = Contacts::new(cloth.len());
        faces.collide(&mut surface, &mut cloth, TOUCH, frame_ends, &contacts);
        let now = face.map(|p| cloth.points[p.index()].at);
        let clear = (now[0] + now[1] + now[2]).z / 3.0 - height - middle.z;
        (cloth, faces, clear)
    }

    #[test]
    fn a_corner_that_stands_out_through_a_face_is_covered_when_a_frame_ends() {
        let wanted = CLEARANCE * TOUCH.thickness;
        for height in [-0.001, 0.004, 0.015] {
            let (cloth, _, clear) = collided(height, true, &Pins::default());
            assert!((clear - wanted).abs() < 1e-5, "{height}: {clear}");
            assert!(cloth.points.iter().zip(&cloth.previous).all(|(now, before)| now.at == before.at), "it moves");
        }
        assert_eq!(collided(0.004, false, &Pins::default()).2, -0.004);
        assert_eq!(collided(0.05, true, &Pins::default()).2, -0.05, "a foot beside a hem");
    }

    #[test]
    fn faces_are_those_that_programs_draw() {
        let mut kite = grid(2, 2);
        let corners: Vec<usize> = kite.polygons.get(0).iter().map(|&v| v as usize).collect();
        let (first, opposite) = (kite.positions[corners[0]], kite.positions[corners[2]]);
        kite.positions[corners[0]] = first + (first - opposite) * 2.0;
        let topology = build(&kite).expect("a kite");
        let drawn = topology.drawn_indices();
        let shorter: Vec<[u32; 3]> = topology.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        assert!(Faces::new(&topology).triangles == drawn && drawn != shorter, "{drawn:?} {shorter:?}");
    }

    #[test]
    fn blunt_corners_are_left_to_particles_and_middles() {
        assert_eq!(collided_with(0.002, 0.004, true, &Pins::default()).2, -0.004);
        assert!(collided_with(0.05, 0.004, true, &Pins::default()).2 > 0.0);
    }

    #[test]
    fn a_face_that_is_drawn_onto_a_corner_goes_back() {
        let (mut cloth, faces, _) = collided(-0.004, true, &Pins::default());
        let rested = cloth.clone();
        cloth.points.iter_mut().for_each(|point| point.at.z -= 0.006);
        faces.keep_off(&mut cloth);
        let lowest = |cloth: &Cloth| cloth.points.iter().map(|p| p.at.z).fold(f32::INFINITY, f32::min);
        assert!(lowest(&rested) - lowest(&cloth) < 0.0061 && cloth.points.iter().any(|p| p.at.z > -0.003));
        assert_eq!(cloth.previous, rested.previous, "what settling took is no motion");
    }

    /// How far the middle of an edge is over the ridge of a roof that it crosses, between particles that keep off the slopes, and how
    /// far one of these is over where the ridge is.
    fn over_a_ridge(fall: f32) -> [f32; 2] {
        let topology = build(&grid(2, 2)).expect("a sheet");
        let mut cloth = Cloth::at_rest(&topology, &Pins::default(), 0.2);
        let middle = (topology.positions[0] + topology.positions[3]) / 2.0;
        let [a, b, ridge] = [-2.0, 2.0, 0.0].map(|x| [x, if x == 0.0 { 0.0 } else { -fall * 4.0 }]);
        let foot = |[x, z]: [f32; 2], y: f32| middle + Vec3::new(x, y, z);
        let positions = [a, b, ridge].into_iter().flat_map(|at| [foot(at, -2.0), foot(at, 2.0)]).collect::<Vec<_>>();
        let triangles = vec![[0, 4, 5], [0, 5, 1], [4, 2, 3], [4, 3, 5], [0, 1, 3], [0, 3, 2], [0, 2, 4], [1, 5, 3]];
        let sequence = MeshSequence { frames: vec![positions; 2], triangles, ..MeshSequence::default() };
        let body = Body::new(BodyAsset::Sequence(sequence), None).expect("a roof");
        let mut surface = BodySurface::new(&body, Moment::At(0.0), cloth.len(), 0.1);
        cloth.points.iter_mut().for_each(|point| point.at.z -= fall);
        let mut contacts = Contacts::new(cloth.len());
        surface.collide(&mut cloth, TOUCH, true, &mut contacts);
        let mut faces = Faces::new(&topology);
        faces.collide(&mut surface, &mut cloth, TOUCH, true, &contacts);
        let [first, second] = [0, 1].map(|p: usize| cloth.points[p].at);
        [first.lerp(second, 0.5).z - middle.z, first.z - middle.z]
    }

    #[test]
    fn an_edge_between_particles_that_lie_on_slopes_is_kept_off_their_ridge() {
        let wanted = CLEARANCE * TOUCH.thickness;
        let [over, _] = over_a_ridge(0.016);
        assert!(over >= wanted - 1e-5 && over < 2.0 * wanted, "{over}");
        let [over, particle] = over_a_ridge(0.06);
        assert!(over < -0.03 && particle < -0.03, "a limb between two particles: {over}");
    }

    #[test]
    fn beside_pins_nothing_leaps() {
        let pins = Pins { particles: [0, 1].map(ParticleId).to_vec(), ..Pins::default() };
        let (cloth, ..) = collided(0.004, true, &pins);
        let furthest = cloth.points.iter().map(|p| p.at.z.abs()).fold(0.0, f32::max);
        assert!(furthest <= LEVER * (0.004 + CLEARANCE * TOUCH.thickness) + 1e-6, "{furthest}");
    }
}
