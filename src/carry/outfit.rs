//! Garment and choice -> the cloth that is simulated, its pins, and how the garment follows.

use super::fineness::{self, Fineness};
use super::follow::Ground;
use super::islands::beneath;
use super::original::Original;
use super::{Carry, Choice, Follow, Island, IslandKind, islands, shells};
use crate::body::{Body, Moment};
use crate::geometry::{Bvh, Vec3};
use crate::import::Garment;
use crate::pins::{self, BindError, Binding, LoopChoice, PinCarrier, PinSelector, Pins, SelectError};
use crate::topology::resample::{Place, Resampled, TooManyParticles};
use crate::topology::{ParticleId, Topology};

/// Distance from the cloth within which loose vertices follow it, as a part of its diagonal; others stay where they are.
const LOOSE_REACH: f32 = 0.05;
/// Part of an island that is pinned, from which it is held itself and follows no cloth.
const HELD_ISLAND: f32 = 0.5;

/// What an outfit is made from.
#[derive(Clone, Copy, Debug)]
pub struct Wardrobe<'a> {
    /// What is to be simulated.
    pub choice: &'a Choice,
    /// The polygons left out, of [`super::excluded`].
    pub excluded: Option<&'a [bool]>,
    /// The garment's file.
    pub garment: &'a Garment,
    /// What is held.
    pub pins: &'a [PinSelector],
    /// What carries the pins.
    pub carrier: &'a PinCarrier,
    /// The body, as it stands when the simulation starts.
    pub body: Option<(&'a Body, Moment)>,
}

/// A garment ready to be simulated.
#[derive(Clone, Debug)]
pub struct Outfit {
    /// The simulated cloth.
    pub cloth: Topology,
    /// Its pins.
    pub pins: Pins,
    /// The rest; none if every vertex of the file is a particle of the cloth.
    pub rest: Option<Rest>,
    /// What was done, in plain words.
    pub notices: Vec<String>,
}

/// What of a garment is not simulated as it is.
#[derive(Clone, Debug)]
pub struct Rest {
    /// The garment as its file has it, without the faces that are left out.
    pub whole: Topology,
    /// How its particles follow the cloth.
    pub carry: Carry,
    /// Vertices of the file that were left out.
    pub excluded_vertices: usize,
    /// Vertices of the file that follow the cloth without being simulated: islands, other sides of thick cloth, loose ones.
    pub carried_vertices: usize,
}

/// A garment that cannot be simulated as asked.
#[derive(Debug, thiserror::Error)]
pub enum OutfitError {
    /// A pin selector that means nothing.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Pins that nothing carries.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// Too fine a cloth.
    #[error("--simulate-as {wanted}: {source}")]
    Resample {
        /// Particles asked for.
        wanted: u32,
        /// Why not.
        source: TooManyParticles,
    },
}

/// What becomes of a polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Cloth,
    Excluded,
    Island(u32),
    OtherSide,
}

/// The outfit of the garment whose topology is `whole`.
///
/// # Errors
/// Pins that cannot be, or too many particles.
pub fn outfit(wardrobe: &Wardrobe<'_>, whole: Topology) -> Result<Outfit, OutfitError> {
    let mut notices = Vec::new();
    let mut parts = Parts::new(wardrobe, &whole, &mut notices)?;
    let (sub, kept) = parts.cloth(&whole);
    let pinned = parts.pinned(wardrobe, &whole, &sub, &kept)?;
    let held: Vec<ParticleId> = parts.held_of(&kept, &pinned);
    let body_size = wardrobe.body.map(|(body, moment)| fineness::size(body, moment));
    let (resampled, of_fineness) = Fineness::of(wardrobe.choice.simulate_as, &sub, body_size).resampled(&sub, &held)?;
    notices.extend(of_fineness);
    if resampled.is_none() && sub.positions.len() == whole.positions.len() && parts.is_all_cloth() {
        let (cloth, pinned) = whole.numbered(&pinned);
        let pins = pins::bind(pinned, wardrobe.carrier, wardrobe.garment, &cloth, wardrobe.body)?;
        return Ok(Outfit { cloth, pins, rest: None, notices });
    }
    let Bound { by_user, by_body } = Bound::new(wardrobe, &whole, &parts, pinned)?;
    let all = by_body.clone().joined(by_user);
    let is_resampled = resampled.is_some();
    let Finished { cloth, pins, places, between } =
        finished(resampled.unwrap_or_else(|| as_it_is(sub.clone())), &kept, &all);
    let original = if is_resampled {
        Original::resampled(sub, &cloth, places, between, [all.of_part(&kept), pins.clone()])
    } else {
        Original::as_it_is(sub, places.into_iter().map(heaviest).collect())
    };
    let (carry, loose) = parts.carry(&whole, original, &kept, by_body, wardrobe.body);
    let counts = parts.count_vertices(&whole, loose);
    let whole = whole.with_faces(&parts.roles.iter().map(|role| *role != Role::Excluded).collect::<Vec<_>>());
    let rest = Rest { whole, carry, excluded_vertices: counts[0], carried_vertices: counts[1] };
    Ok(Outfit { cloth, pins, rest: Some(rest), notices })
}

/// The polygons of a garment by what becomes of them.
struct Parts {
    roles: Vec<Role>,
    islands: Vec<Island>,
    /// Whether a particle belongs to an excluded polygon.
    is_excluded: Vec<bool>,
    /// Particles that selectors mean which do not depend on what is simulated.
    pinned: Vec<ParticleId>,
}

impl Parts {
    fn new(wardrobe: &Wardrobe<'_>, whole: &Topology, notices: &mut Vec<String>) -> Result<Parts, SelectError> {
        let Wardrobe { choice, garment, body, .. } = *wardrobe;
        let is_out = |polygon: usize| wardrobe.excluded.is_some_and(|excluded| excluded[polygon]);
        let mut roles: Vec<Role> =
            (0..whole.polygons.len()).map(|p| if is_out(p) { Role::Excluded } else { Role::Cloth }).collect();
        let mut is_excluded = vec![false; whole.positions.len()];
        for polygon in (0..roles.len()).filter(|&p| is_out(p)) {
            whole.polygons.get(polygon).iter().for_each(|&p| is_excluded[p as usize] = true);
        }
        let fixed: Vec<PinSelector> = wardrobe.pins.iter().filter(|pin| !is_relative(pin)).cloned().collect();
        let pinned = pins::select(&fixed, garment, whole, body)?;
        let mut islands = islands(choice, &with_role(whole, &roles, Role::Cloth));
        islands.retain(|island| held_part(island, whole, &pinned) < HELD_ISLAND);
        let mut island_of = vec![None; whole.component_count];
        (0..).zip(&islands).for_each(|(index, island)| island_of[island.component as usize] = Some(index));
        for (polygon, role) in roles.iter_mut().enumerate().filter(|(_, role)| **role == Role::Cloth) {
            let first = whole.polygons.get(polygon)[0] as usize;
            if let Some(island) = island_of[whole.component_of_particle[first] as usize] {
                *role = Role::Island(island);
            }
        }
        notices.extend(island_notice(&islands));
        let cloth = with_role(whole, &roles, Role::Cloth);
        let posed = body.map(|(body, moment)| Nearness::new(body, moment));
        let distance = |point: Vec3| posed.as_ref().map_or(0.0, |nearness| nearness.of(point));
        if let Some(thick) = shells(choice, &cloth, &distance) {
            let polygons = (0..roles.len()).filter(|&p| roles[p] == Role::Cloth).collect::<Vec<_>>();
            let carried = polygons.into_iter().zip(&thick.carried).filter(|(_, carried)| **carried);
            carried.for_each(|(polygon, _)| roles[polygon] = Role::OtherSide);
            notices.push(shell_notice(&thick.thicknesses));
        }
        Ok(Parts { roles, islands, is_excluded, pinned })
    }

    fn is_all_cloth(&self) -> bool {
        self.roles.iter().all(|role| *role == Role::Cloth)
    }

    /// The simulated part of `whole`, and the particle that each of its particles is.
    fn cloth(&self, whole: &Topology) -> (Topology, Vec<ParticleId>) {
        with_role(whole, &self.roles, Role::Cloth).without_loose()
    }

    /// The pinned particles of `whole`, ascending: `loop:top` and `loop:bottom` are those of the simulated cloth, and what is
    /// pinned of the other side of thick cloth is pinned through it.
    fn pinned(
        &mut self,
        wardrobe: &Wardrobe<'_>,
        whole: &Topology,
        sub: &Topology,
        kept: &[ParticleId],
    ) -> Result<Vec<ParticleId>, SelectError> {
        let relative: Vec<PinSelector> = wardrobe.pins.iter().filter(|pin| is_relative(pin)).cloned().collect();
        let of_cloth = pins::select(&relative, wardrobe.garment, sub, wardrobe.body)?;
        let mut pinned = self.pinned.clone();
        pinned.extend(of_cloth.iter().map(|p| kept[p.index()]));
        let mut is_carried = vec![false; whole.positions.len()];
        for polygon in (0..self.roles.len()).filter(|&p| self.roles[p] == Role::OtherSide) {
            whole.polygons.get(polygon).iter().for_each(|&p| is_carried[p as usize] = true);
        }
        kept.iter().for_each(|p| is_carried[p.index()] = false);
        if pinned.iter().any(|p| is_carried[p.index()]) {
            let ground = Ground::new(sub);
            let through = pinned.iter().filter(|p| is_carried[p.index()]);
            let corner = |p: &ParticleId| ground.place(whole.positions[p.index()], None, f32::INFINITY).map(heaviest);
            let through: Vec<ParticleId> = through.filter_map(corner).map(|p| kept[p.index()]).collect();
            pinned.extend(through);
        }
        pinned.sort_unstable();
        pinned.dedup();
        Ok(pinned)
    }

    /// Those particles of the simulated cloth that are pinned or shared with what is left out.
    fn held_of(&self, kept: &[ParticleId], pinned: &[ParticleId]) -> Vec<ParticleId> {
        let is_held = |p: &ParticleId| self.is_excluded[p.index()] || pinned.binary_search(p).is_ok();
        (0..).zip(kept).filter(|(_, p)| is_held(p)).map(|(i, _)| ParticleId(i)).collect()
    }

    /// How `whole` follows `original`, whose particles are `kept` of it; and which particles are loose.
    fn carry(
        &self,
        whole: &Topology,
        original: Original,
        kept: &[ParticleId],
        mut held: Pins,
        body: Option<(&Body, Moment)>,
    ) -> (Carry, Vec<bool>) {
        let ground = Ground::new(&original.mesh);
        let mut follows: Vec<Option<Follow>> = vec![None; whole.positions.len()];
        for (number, p) in (0..).zip(kept) {
            follows[p.index()] = Some(Follow::Cloth(Place::Particle(ParticleId(number))));
        }
        (0..).zip(&held.particles).for_each(|(index, p)| follows[p.index()] = Some(Follow::Held(index)));
        let normals = super::turns::normals(whole, &whole.positions);
        let on_cloth = |p: usize, within: f32| ground.place(whole.positions[p], None, within).map(Follow::Cloth);
        let mut patches = vec![Vec::new(); self.islands.len()];
        for (polygon, role) in self.roles.iter().enumerate() {
            for &corner in whole.polygons.get(polygon) {
                let p = corner as usize;
                if follows[p].is_some() {
                    continue;
                }
                follows[p] = match *role {
                    Role::Island(island) if self.islands[island as usize].kind == IslandKind::Rigid => {
                        patches[island as usize].push(whole.positions[p]);
                        Some(Follow::Island(island))
                    }
                    Role::OtherSide => ground.opposite(whole.positions[p], normals[p]).map(Follow::Cloth),
                    _ => on_cloth(p, f32::INFINITY),
                };
            }
        }
        let reach = LOOSE_REACH * crate::geometry::Aabb::around(&original.mesh.positions).size().length();
        let mut is_loose = vec![false; follows.len()];
        for &ParticleId(p) in &whole.loose {
            let p = p as usize;
            is_loose[p] = true;
            if follows[p].is_none() {
                follows[p] = on_cloth(p, reach);
            }
        }
        for (p, follow) in follows.iter_mut().enumerate().filter(|(_, follow)| follow.is_none()) {
            *follow = Some(Follow::Held(held.particles.len() as u32));
            held.particles.push(ParticleId(p as u32));
            held.bindings.push(Binding::Still(whole.positions[p]));
        }
        let patches = patches.into_iter().map(|points| beneath(points.into_iter(), &ground)).collect();
        let follows = follows.into_iter().flatten().collect();
        (Carry::new(whole, original, follows, kept, held, patches, body), is_loose)
    }

    /// Vertices of the file that are left out, and those that follow the cloth.
    fn count_vertices(&self, whole: &Topology, is_loose: Vec<bool>) -> [usize; 2] {
        let mut is_carried = is_loose;
        let mut is_cloth = vec![false; whole.positions.len()];
        for (polygon, role) in self.roles.iter().enumerate() {
            for &p in whole.polygons.get(polygon) {
                is_cloth[p as usize] |= *role == Role::Cloth;
                is_carried[p as usize] |= matches!(role, Role::Island(_) | Role::OtherSide);
            }
        }
        let count = |is: &dyn Fn(usize) -> bool| {
            whole.particle_of_vertex.iter().filter(|p| !is_cloth[p.index()] && is(p.index())).count()
        };
        [count(&|p| self.is_excluded[p]), count(&|p| is_carried[p] && !self.is_excluded[p])]
    }
}

/// Pins of the user and what the body holds, by the particles of the whole garment.
struct Bound {
    by_user: Pins,
    by_body: Pins,
}

impl Bound {
    fn new(
        wardrobe: &Wardrobe<'_>,
        whole: &Topology,
        parts: &Parts,
        mut pinned: Vec<ParticleId>,
    ) -> Result<Bound, BindError> {
        let Wardrobe { garment, carrier, body, .. } = *wardrobe;
        let out = (0..).zip(&parts.is_excluded).filter(|(_, out)| **out).map(|(p, _)| ParticleId(p)).collect();
        pinned.retain(|p| !parts.is_excluded[p.index()]);
        Ok(Bound {
            by_user: pins::bind(pinned, carrier, garment, whole, body)?,
            by_body: pins::bind(out, &PinCarrier::Body, garment, whole, body)?,
        })
    }
}

/// Distances from a body.
struct Nearness<'a> {
    triangles: &'a [[u32; 3]],
    positions: Vec<Vec3>,
    bvh: Bvh,
}

impl<'a> Nearness<'a> {
    fn new(body: &'a Body, moment: Moment) -> Self {
        let mut positions = Vec::new();
        body.pose(moment, &mut positions);
        let bvh = Bvh::build(&positions, body.surface());
        Nearness { triangles: body.surface(), positions, bvh }
    }

    fn of(&self, point: Vec3) -> f32 {
        self.bvh.closest(point, f32::INFINITY, &self.positions, self.triangles).map_or(0.0, |found| found.2.sqrt())
    }
}

/// Whether a selector means another particle when less is simulated.
fn is_relative(pin: &PinSelector) -> bool {
    matches!(pin, PinSelector::Loop(LoopChoice::Top | LoopChoice::Bottom))
}

fn with_role(whole: &Topology, roles: &[Role], wanted: Role) -> Topology {
    whole.with_faces(&roles.iter().map(|role| *role == wanted).collect::<Vec<_>>())
}

/// Part of an island's particles that is pinned.
fn held_part(island: &Island, whole: &Topology, pinned: &[ParticleId]) -> f32 {
    let of_island = |p: &usize| whole.component_of_particle[*p] == island.component;
    let all = (0..whole.positions.len()).filter(of_island).count();
    let held = pinned.iter().filter(|p| of_island(&p.index())).count();
    held as f32 / all.max(1) as f32
}

fn heaviest(place: Place) -> ParticleId {
    match place {
        Place::Particle(p) => p,
        Place::Surface { corners, weights } => corners[weights.max_position()],
    }
}

fn as_it_is(cloth: Topology) -> Resampled {
    let particles = || (0..cloth.positions.len() as u32).map(ParticleId);
    let places = particles().map(Place::Particle).collect();
    let between = particles().map(|p| vec![(p, 1.0)]).collect();
    Resampled { places, between, topology: cloth }
}

/// The cloth as it is simulated, and what it stands for.
struct Finished {
    cloth: Topology,
    pins: Pins,
    /// Where on it the particles of the original are.
    places: Vec<Place>,
    /// Of each of its particles, the particles of the original that it lies between.
    between: Vec<Vec<(ParticleId, f32)>>,
}

/// Numbers the cloth for being simulated. Its original has the particles `kept` of the whole garment; `bound` are pins by
/// particles of the whole garment.
fn finished(resampled: Resampled, kept: &[ParticleId], bound: &Pins) -> Finished {
    let Resampled { topology, mut places, between } = resampled;
    let binding = |between: &Vec<(ParticleId, f32)>| {
        let parts: Option<Vec<(&Binding, f32)>> =
            between.iter().map(|(p, weight)| Some((bound.binding(kept[p.index()])?, *weight))).collect();
        Binding::blended(&parts?)
    };
    let bindings: Vec<Option<Binding>> = between.iter().map(binding).collect();
    let fixed: Vec<ParticleId> =
        (0..).zip(&bindings).filter(|(_, b)| b.is_some()).map(|(p, _)| ParticleId(p)).collect();
    let (cloth, particles) = topology.numbered(&fixed);
    let number = |p: &mut ParticleId| *p = cloth.particle_of_vertex[p.index()];
    for place in &mut places {
        match place {
            Place::Particle(p) => number(p),
            Place::Surface { corners, .. } => corners.iter_mut().for_each(number),
        }
    }
    let mut held: Vec<(ParticleId, Binding)> =
        cloth.particle_of_vertex.iter().zip(bindings).filter_map(|(p, b)| Some((*p, b?))).collect();
    held.sort_by_key(|(p, _)| *p);
    let bindings = held.into_iter().map(|(_, binding)| binding).collect();
    let mut between_of = vec![Vec::new(); between.len()];
    cloth.particle_of_vertex.iter().zip(between).for_each(|(p, between)| between_of[p.index()] = between);
    let pins = Pins { particles, bindings, anchors: bound.anchors.clone() };
    Finished { cloth, pins, places, between: between_of }
}

fn island_notice(islands: &[Island]) -> Option<String> {
    const SHOWN: usize = 6;
    if islands.is_empty() {
        return None;
    }
    let words = |island: &Island| {
        let how = if island.kind == IslandKind::Rigid { "rigid" } else { "bends with it" };
        let at = island.centre;
        let size = island.size * 100.0;
        format!("component:{} ({size:.1} cm at {:.2}, {:.2}, {:.2}, {how})", island.component, at.x, at.y, at.z)
    };
    let shown: Vec<String> = islands.iter().take(SHOWN).map(words).collect();
    let more = islands.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let count = islands.len();
    Some(format!(
        "{count} small pieces lie on the cloth and follow it: {}{more}; --no-islands simulates them as cloth",
        shown.join(", ")
    ))
}

fn shell_notice(thicknesses: &[f32]) -> String {
    let most = thicknesses.iter().copied().fold(0.0, f32::max) * 1000.0;
    format!(
        "the cloth is modelled as two surfaces {most:.1} mm apart: one side is simulated, the other follows; --no-shells simulates both"
    )
}
