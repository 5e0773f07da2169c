//! Simulated cloth -> the whole garment.
//!
//! ```text
//!         o p           p lies above the foot f of a triangle with corners x, all at rest; R is the turn of a corner now:
//!        /|                  p now = mean of  x now + R (s (p - f) + (f - x) / 2),  weighted as the corners are in f
//!   x --- f --- x       The second part rounds the triangle, so that no facets show; half of it makes an arc of what bends
//!    \         /        evenly. s < 1 presses together what lies on a fold. Cloth that only moves carries without error.
//!         x
//! ```
//!
//! As Phong tessellation (Boubekeur and Alexa 2008), with the rest shape in place of a flat triangle. It goes in two steps: the
//! cloth places the part of the file's mesh that it stands for ([`Original`]), and that the rest of the garment.

use rayon::prelude::*;

use super::clearance::{Clearance, Reach};
use super::original::Original;
use super::rigid::{Motion, Rigid};
use super::sides::OtherSides;
use super::tighten::{Limits, Wall};
use super::turns::{Turn, Turns, normals};
use crate::body::{Body, Moment};
use crate::geometry::{Bvh, Lists, Vec3};
use crate::pins::Pins;
use crate::topology::resample::Place;
use crate::topology::{ParticleId, Topology};

/// Cosine between the normals of a surface and of what it carries as its other side, up to which they count as parallel.
const PARALLEL: f32 = 0.5;
/// How much further than the surface a particle may be and still lie opposite.
const OPPOSITE: f32 = 1.5;
/// Cosine between the way from a particle and its normal from which on what lies there is opposite, however far.
const ALONG_NORMAL: f32 = 0.95;

/// How much triangles are rounded: 0 leaves them flat, at 1 each corner carries what lies flat around it. Over an edge of length
/// `h` that bends by `a`, the corners stand `h a / 4` off its middle and an arc `h a / 8`.
const ROUNDNESS: f32 = 0.5;
/// Part of its distance that what lies on cloth keeps when it is drawn together.
const LEAST_DISTANCE: f32 = 0.3;
/// Stretch that is left to what lies on cloth: more than of the cloth, as the outside of a fold has it.
const SLACK: f32 = 0.025;
/// Stretch that is left to all that is not simulated, whatever is in the way: skin at an ankle stretches to twice its length, a shoe
/// that it holds does not; and the outside of a sharp fold does not tear.
const TEARING: f32 = 0.2;
/// How far carried cloth goes when it is drawn together, in edges of the cloth that carries.
pub(super) const NEAR: f32 = 0.5;
/// The same of what lies on cloth.
const NEAR_ON_CLOTH: f32 = 1.0;
/// Depth in a body that carrying alone causes, in the same edges: what an edge cuts off a limb.
pub(super) const SHALLOW: f32 = 0.15;
/// The same of what lies on cloth, on the body's side of it perhaps, as a cuff does in a sleeve.
const SHALLOW_ON_CLOTH: f32 = 0.3;

/// What a particle of the whole garment follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Follow {
    /// The simulated part of the file's mesh.
    Cloth(Place),
    /// The island of this index.
    Island(u32),
    /// The binding of this index in [`Carry::held`].
    Held(u32),
}

/// A body that is dressed: its vertices at a moment, and the distance that cloth keeps from it, metres.
#[derive(Clone, Copy, Debug)]
pub struct Wearer<'a> {
    /// The body.
    pub body: &'a Body,
    /// Its vertices.
    pub pose: &'a [Vec3],
    /// When.
    pub moment: Moment,
    /// What cloth keeps.
    pub keep: f32,
}

impl<'a> Wearer<'a> {
    pub(super) fn posed(&self) -> (&'a Body, &'a [Vec3], Moment) {
        (self.body, self.pose, self.moment)
    }
}

/// How a whole garment follows what is simulated of it.
#[derive(Clone, Debug)]
pub struct Carry {
    original: Original,
    /// Of each particle of the whole garment.
    follows: Vec<Follow>,
    /// Where those are at rest, metres.
    rest: Vec<Vec3>,
    /// What the body holds.
    held: Pins,
    islands: Vec<Rigid>,
    turns: Turns,
    /// How far off each particle of the original the furthest lies that it carries, metres.
    heights: Vec<f32>,
    /// Which may move when cloth is drawn together: those that lie on it.
    may_move: Vec<bool>,
    limits: Limits,
    last_limits: Limits,
    other_sides: OtherSides,
    clearance: Option<Clearance>,
}

impl Carry {
    /// The particles of `whole` follow `original` as `follows` says, `held` and `islands` being what that refers to. Those
    /// `simulated` stay where they are simulated. `body` is kept clear of.
    pub(super) fn new(
        whole: &Topology,
        original: Original,
        follows: Vec<Follow>,
        simulated: &[ParticleId],
        held: Pins,
        islands: Vec<Vec<ParticleId>>,
        body: Option<(&Body, Moment)>,
    ) -> Carry {
        let turns = Turns::new(&original.mesh);
        let lies_on = |follow: &Follow| matches!(follow, Follow::Cloth(Place::Surface { .. }));
        let may_move: Vec<bool> = follows.iter().map(lies_on).collect();
        let limits = Limits::new(whole, &may_move, SLACK);
        let is_taken_along = |follow: &Follow| lies_on(follow) || matches!(follow, Follow::Held(_));
        let mut gives: Vec<bool> = follows.iter().map(is_taken_along).collect();
        // What stands for finer or coarser cloth is carried too.
        simulated.iter().for_each(|p| gives[p.index()] = original.is_resampled());
        let last_limits = Limits::new(whole, &gives, TEARING);
        let needs_body = original.is_resampled() || may_move.contains(&true) || !islands.is_empty();
        let heights = heights(&original.mesh, &follows, &whole.positions);
        let other_sides = OtherSides::new(whole, &original.mesh, &follows);
        let mut pose = Vec::new();
        let clearance = body.filter(|_| needs_body).map(|(body, moment)| {
            body.pose(moment, &mut pose);
            Clearance::new(body, &pose)
        });
        let posed = clearance.as_ref().filter(|_| !islands.is_empty()).map(|clearance| clearance.at(&pose));
        let on_island = |(p, follow): (u32, &Follow)| if let Follow::Island(i) = follow { Some((*i, p)) } else { None };
        let of_islands = Lists::gathered(islands.len(), (0..).zip(&follows).filter_map(on_island));
        let rigid = |(island, beneath)| Rigid::new(of_islands.of(island), &whole.positions, beneath, posed.as_ref());
        let islands = (0..).zip(islands).map(rigid).collect();
        Carry {
            original,
            follows,
            rest: whole.positions.clone(),
            held,
            islands,
            turns,
            heights,
            may_move,
            limits,
            last_limits,
            other_sides,
            clearance,
        }
    }

    /// The simulated particle that `particle` of the whole garment is, if it is one.
    pub fn particle_of(&self, particle: ParticleId) -> Option<ParticleId> {
        match self.follows[particle.index()] {
            Follow::Cloth(Place::Particle(p)) => self.original.particle_of(p),
            _ => None,
        }
    }

    /// Whether [`Carry::carried`] needs the body's pose: it holds some of the garment, or some is kept clear of it.
    pub fn needs_body(&self) -> bool {
        !self.held.particles.is_empty() || self.clearance.is_some() || self.original.is_held()
    }

    /// Places of all particles of the garment, the simulated `cloth` being at `positions`, metres.
    pub fn carried(&self, cloth: &Topology, positions: &[Vec3], wearer: Option<Wearer<'_>>) -> Vec<Vec3> {
        let mut placed = self.followed(cloth, positions, wearer);
        self.last_limits.draw_all_together(&mut placed);
        placed
    }

    /// The same before what is torn is drawn together whatever is in the way.
    fn followed(&self, cloth: &Topology, positions: &[Vec3], wearer: Option<Wearer<'_>>) -> Vec<Vec3> {
        let body = self.clearance.as_ref().zip(wearer).map(|(clearance, wearer)| clearance.at(wearer.pose));
        let beneath = self.original.placed(cloth, positions, wearer, body.as_ref());
        let follows_turns =
            |follow: &Follow| matches!(follow, Follow::Island(_) | Follow::Cloth(Place::Surface { .. }));
        if !self.follows.iter().any(follows_turns) {
            return self.placed(&beneath, &[], &[], wearer);
        }
        let mesh = &self.original.mesh;
        let mut turns = self.turns.at(mesh, &beneath);
        turns.iter_mut().zip(&self.heights).for_each(|(turn, height)| turn.press(*height));
        let moves: Vec<Motion> = self.islands.iter().map(|island| island.motion(mesh, &beneath, &turns)).collect();
        let mut placed = self.placed(&beneath, &turns, &moves, wearer);
        if let (Some(body), Some(wearer)) = (&body, wearer) {
            let ways: Vec<Vec3> =
                self.islands.par_iter().map(|island| island.way_out(&placed, body, wearer.keep)).collect();
            self.islands.iter().zip(ways).for_each(|(island, way)| island.go(&mut placed, way));
        }
        let mut walls: Vec<Wall> = (0..placed.len()).filter_map(|p| self.wall_beneath(p, &placed, &beneath)).collect();
        walls.extend(self.other_sides.walls(&placed, &beneath, LEAST_DISTANCE, &self.may_move));
        if let (Some(body), Some(wearer)) = (&body, wearer) {
            let lying = (0..placed.len() as u32).filter(|p| self.may_move[*p as usize]);
            let reach = reach(wearer.keep, mesh.mean_edge(), SHALLOW_ON_CLOTH);
            walls.extend(body.walls_before(lying, &placed, reach, &self.may_move));
        }
        self.limits.draw_together(&mut placed, &walls, NEAR_ON_CLOTH * mesh.mean_edge());
        placed
    }

    /// Each where what it follows takes it.
    fn placed(&self, beneath: &[Vec3], turns: &[Turn], moves: &[Motion], wearer: Option<Wearer<'_>>) -> Vec<Vec3> {
        let mut held = Vec::new();
        self.held.targets(wearer.map(|wearer| wearer.posed()), &mut held);
        let place = |(follow, &rest): (&Follow, &Vec3)| match *follow {
            Follow::Cloth(place) => placed_on(place, rest, &self.original.mesh.positions, beneath, turns),
            Follow::Island(island) => moves[island as usize].apply(rest),
            Follow::Held(index) => held[index as usize],
        };
        self.follows.iter().zip(&self.rest).map(place).collect()
    }

    /// What keeps a particle that lies on cloth from being drawn through it.
    fn wall_beneath(&self, particle: usize, placed: &[Vec3], beneath: &[Vec3]) -> Option<Wall> {
        let Follow::Cloth(Place::Surface { corners, weights }) = self.follows[particle] else { return None };
        let foot = mean_of(corners.map(|p| beneath[p.index()]), weights);
        let off = placed[particle] - foot;
        let normal = off.try_normalize()?;
        let level = foot.dot(normal) + LEAST_DISTANCE * off.length();
        Wall::new(&[(ParticleId(particle as u32), 1.0)], (normal, level), &self.may_move)
    }
}

/// How far carried cloth looks for a body, `edge` being the mean length of those of the cloth that carries it, and `shallow` what is
/// shallow, in these.
pub(super) fn reach(keep: f32, edge: f32, shallow: f32) -> Reach {
    Reach { keep, near: keep + NEAR * edge, shallow: keep.max(shallow * edge) }
}

/// Where `place` on a cloth takes what is at `rest`, the cloth having gone from `from` to `to`, turned by `turns`.
pub(super) fn placed_on(place: Place, rest: Vec3, from: &[Vec3], to: &[Vec3], turns: &[Turn]) -> Vec3 {
    let (corners, weights) = match place {
        Place::Particle(p) => return to[p.index()],
        Place::Surface { corners, weights } => (corners, weights),
    };
    let foot = mean_of(corners.map(|p| from[p.index()]), weights);
    let height =
        corners.iter().zip(weights.to_array()).map(|(p, weight)| turns[p.index()].height * weight).sum::<f32>();
    let off = (rest - foot) * height;
    let carried =
        |p: ParticleId| to[p.index()] + turns[p.index()].rotation * (off + (foot - from[p.index()]) * ROUNDNESS);
    mean_of(corners.map(carried), weights)
}

/// How far off each particle of `cloth`, and those around it, the furthest lies that follows it, metres, `rest` being where what
/// follows is at rest.
fn heights(cloth: &Topology, follows: &[Follow], rest: &[Vec3]) -> Vec<f32> {
    let mut own = vec![0.0_f32; cloth.positions.len()];
    for (follow, rest) in follows.iter().zip(rest) {
        let Follow::Cloth(Place::Surface { corners, weights }) = follow else { continue };
        let height = rest.distance(mean_of(corners.map(|p| cloth.positions[p.index()]), *weights));
        corners.iter().for_each(|p| own[p.index()] = own[p.index()].max(height));
    }
    let around = |p: usize| {
        let ring = cloth.neighbours.of(ParticleId(p as u32)).iter();
        ring.map(|n| own[n.index()]).fold(own[p], f32::max)
    };
    (0..own.len()).map(around).collect()
}

fn mean_of([a, b, c]: [Vec3; 3], weights: Vec3) -> Vec3 {
    a * weights.x + b * weights.y + c * weights.z
}

/// The simulated cloth at rest, for the question what lies on it where.
pub(crate) struct Ground<'a> {
    cloth: &'a Topology,
    triangles: Vec<[u32; 3]>,
    normals: Vec<Vec3>,
    bvh: Bvh,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(cloth: &'a Topology) -> Self {
        let triangles: Vec<[u32; 3]> = cloth.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let bvh = Bvh::build(&cloth.positions, &triangles);
        Ground { cloth, normals: normals(cloth, &cloth.positions), bvh, triangles }
    }

    /// The closest place to `point` no further than `within` metres; of surfaces parallel to one with `normal`, if it has one.
    pub(crate) fn place(&self, point: Vec3, normal: Option<Vec3>, within: f32) -> Option<Place> {
        let is_parallel = |triangle: u32| {
            let [a, b, c] = self.triangles[triangle as usize].map(|p| self.normals[p as usize]);
            normal.is_none_or(|n| (a + b + c).normalize_or_zero().dot(n).abs() > PARALLEL)
        };
        let (triangle, closest, _) =
            self.bvh.closest_where(point, within, &self.cloth.positions, &self.triangles, is_parallel)?;
        let corners = self.cloth.triangles[triangle as usize];
        Some(Place::Surface { corners, weights: closest.barycentric })
    }

    /// The place on the other side of the cloth from `point`, where the surface has `normal`: a particle's own, if one lies
    /// opposite, so that both move as one.
    pub(crate) fn opposite(&self, point: Vec3, normal: Vec3) -> Option<Place> {
        let place = self.place(point, Some(normal), f32::INFINITY);
        let Place::Surface { corners, weights } = place.or_else(|| self.place(point, None, f32::INFINITY))? else {
            return None;
        };
        let places = corners.map(|p| self.cloth.positions[p.index()]);
        let heaviest = weights.max_position();
        let off = point - places[heaviest];
        // In a hollow the nearest surface may be beside what the artist moved out along its normal.
        let is_along_normal = off.normalize_or_zero().dot(self.normals[corners[heaviest].index()]).abs() > ALONG_NORMAL;
        let is_opposite = is_along_normal || off.length() <= OPPOSITE * point.distance(mean_of(places, weights));
        let weights = if is_opposite { Vec3::AXES[heaviest] } else { weights };
        Some(Place::Surface { corners, weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Mat3, Quat};
    use crate::import::{BodyAsset, MeshSequence};
    use crate::pins::Binding;
    use crate::topology::{build, grids};

    #[test]
    fn what_lies_on_cloth_that_only_moves_is_carried_without_error() {
        let cloth = build(&grids::tube(10, 4)).expect("a tube");
        let ground = Ground::new(&cloth);
        let mut whole = cloth.clone();
        whole.positions.iter_mut().for_each(|p| *p += Vec3::new(p.x, 0.01, p.z) * 0.05);
        let mut follows: Vec<Follow> = whole
            .positions
            .iter()
            .map(|&p| Follow::Cloth(ground.place(p, None, f32::INFINITY).expect("some triangle")))
            .collect();
        follows[3] = Follow::Island(0);
        let patch = cloth.triangles[5].to_vec();
        let original = Original::as_it_is(cloth.clone(), (0..cloth.positions.len() as u32).map(ParticleId).collect());
        let carry = Carry::new(&whole, original, follows, &[], Pins::default(), vec![patch], None);
        let turn = Mat3::from_quat(Quat::from_xyzw(0.2, 0.6, -0.3, 0.7).normalize());
        let moved: Vec<Vec3> = cloth.positions.iter().map(|&p| turn * p + Vec3::Y).collect();
        let carried = carry.carried(&cloth, &moved, None);
        for (found, rest) in carried.iter().zip(&whole.positions) {
            assert!(found.distance(turn * *rest + Vec3::Y) < 1e-4);
        }
    }

    /// How far outside a floor a piece is carried that lies `beneath` a sheet with edges of 1, which is at `height` above the floor.
    fn carried_above_a_floor(beneath: f32, height: f32, keep: f32) -> f32 {
        let mut sheet = grids::grid(5, 5);
        sheet.positions.iter_mut().for_each(|p| *p *= 4.0);
        let cloth = build(&sheet).expect("a grid");
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        let floor = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]].map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
        let sequence = MeshSequence { frames: vec![floor.clone()], triangles, ..MeshSequence::default() };
        let body = Body::new(BodyAsset::Sequence(sequence), None).expect("a floor");
        let mut whole = cloth.clone();
        whole.positions.iter_mut().for_each(|p| p.z -= beneath);
        let ground = Ground::new(&cloth);
        let lies = |&p: &Vec3| Follow::Cloth(ground.place(p, None, f32::INFINITY).expect("some triangle"));
        let follows = whole.positions.iter().map(lies).collect();
        let original = Original::as_it_is(cloth.clone(), (0..25).map(ParticleId).collect());
        let on = Some((&body, Moment::Bind));
        let carry = Carry::new(&whole, original, follows, &[], Pins::default(), Vec::new(), on);
        let sheet: Vec<Vec3> = cloth.positions.iter().map(|&p| p + Vec3::Z * height).collect();
        let wearer = Wearer { body: &body, pose: &floor, moment: Moment::Bind, keep };
        carry.carried(&cloth, &sheet, Some(wearer)).iter().map(|p| p.z).fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn a_cuff_in_a_sleeve_that_comes_to_the_arm_stays_outside() {
        let cases =
            [([0.5, 0.8, 0.02], 0.3), ([0.5, 0.25, 0.02], 0.02), ([1.0, 0.75, 0.3], 0.3), ([0.5, -0.5, 0.02], -1.0)];
        for ([beneath, height, keep], expected) in cases {
            let found = carried_above_a_floor(beneath, height, keep);
            assert!((found - expected).abs() < 1e-4, "{beneath} {height} {keep}: {found}");
        }
    }

    #[test]
    fn what_was_moved_out_of_a_hollow_along_its_normal_lies_opposite_what_it_was_moved_from() {
        let mut sheet = grids::grid(9, 9);
        let [middle, edge] = [sheet.positions[4].x, sheet.positions[1].x - sheet.positions[0].x];
        sheet.positions.iter_mut().for_each(|p| p.z = 1.2 * (p.x - middle).abs());
        let hollow = build(&sheet).expect("a grid");
        let ground = Ground::new(&hollow);
        for (p, at) in hollow.positions.iter().enumerate().filter(|(p, _)| p % 9 == 4 && (1..8).contains(&(p / 9))) {
            let found = ground.opposite(*at + Vec3::Z * 0.8 * edge, Vec3::Z);
            let Some(Place::Surface { corners, weights }) = found else { panic!("{found:?}") };
            assert_eq!((corners[weights.max_position()].index(), weights.max_element()), (p, 1.0));
        }
    }

    #[test]
    fn what_the_body_holds_does_not_tear() {
        let cloth = build(&grids::grid(5, 5)).expect("a grid");
        let original = Original::as_it_is(cloth.clone(), (0..25).map(ParticleId).collect());
        let bindings = cloth.positions.iter().map(|&p| Binding::Still(p * 1.5)).collect();
        let held = Pins { particles: (0..25).map(ParticleId).collect(), bindings, ..Pins::default() };
        let follows = (0..25).map(Follow::Held).collect();
        let carry = Carry::new(&cloth, original, follows, &[], held, Vec::new(), None);
        let carried = carry.carried(&cloth, &cloth.positions, None);
        let length = |of: &[Vec3], [a, b]: [ParticleId; 2]| of[a.index()].distance(of[b.index()]);
        let stretch = |&edge: &[ParticleId; 2]| length(&carried, edge) / length(&cloth.positions, edge) - 1.0;
        let most = cloth.file_edges.iter().map(stretch).fold(0.0, f32::max);
        assert!(most < TEARING + 0.02, "{most}");
    }
}
