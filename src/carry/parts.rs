//! Which part of a garment is cloth, and what becomes of the other parts.
//!
//! ```text
//!  polygon ---> left out by the user            ---> the body holds it
//!          ---> of a small piece on the cloth   ---> follows the cloth beneath
//!          ---> other side of cloth that is modelled with its thickness ---> follows its inside
//!          ---> cloth, simulated
//! ```

use super::follow::Ground;
use super::islands::beneath;
use super::original::Original;
use super::outfit::Wardrobe;
use super::{Carry, Follow, Island, IslandKind, islands, shells};
use crate::body::{Body, Moment};
use crate::geometry::{Bvh, Vec3};
use crate::pins::{self, Binding, LoopChoice, PinSelector, Pins, SelectError};
use crate::topology::resample::Place;
use crate::topology::{ParticleId, Topology};

/// Distance from the cloth within which loose vertices follow it, as a part of its diagonal; others stay where they are.
const LOOSE_REACH: f32 = 0.05;
/// Part of an island that is pinned, from which it is held itself and follows no cloth.
const HELD_ISLAND: f32 = 0.5;

/// What becomes of a polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Cloth,
    Excluded,
    Island(u32),
    OtherSide,
}

/// The polygons of a garment by what becomes of them.
pub(super) struct Parts {
    roles: Vec<Role>,
    islands: Vec<Island>,
    /// Whether a particle belongs to an excluded polygon.
    pub(super) is_excluded: Vec<bool>,
    /// Particles that selectors mean which do not depend on what is simulated.
    pinned: Vec<ParticleId>,
}

impl Parts {
    pub(super) fn new(
        wardrobe: &Wardrobe<'_>,
        whole: &Topology,
        notices: &mut Vec<String>,
    ) -> Result<Parts, SelectError> {
        let Wardrobe { choice, garment, body, .. } = *wardrobe;
        let is_out = |polygon: usize| wardrobe.excluded.is_some_and(|excluded| excluded[polygon]);
        let mut roles: Vec<Role> =
            (0..whole.polygons.len()).map(|p| if is_out(p) { Role::Excluded } else { Role::Cloth }).collect();
        let mut is_excluded = vec![false; whole.positions.len()];
        for polygon in (0..roles.len()).filter(|&p| is_out(p)) {
            whole.polygons.get(polygon).iter().for_each(|&p| is_excluded[p as usize] = true);
        }
        let mut pinned = Vec::new();
        for pin in wardrobe.pins.iter().filter(|pin| !is_relative(pin)) {
            let meant = pins::select(std::slice::from_ref(pin), garment, whole, body)?;
            notices.extend(left_out_notice(pin, &meant, &is_excluded));
            pinned.extend(meant);
        }
        pinned.sort_unstable();
        pinned.dedup();
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

    pub(super) fn is_all_cloth(&self) -> bool {
        self.roles.iter().all(|role| *role == Role::Cloth)
    }

    /// `whole` but for the faces that are left out.
    pub(super) fn without_excluded(&self, whole: &Topology) -> Topology {
        whole.with_faces(&self.roles.iter().map(|role| *role != Role::Excluded).collect::<Vec<_>>())
    }

    /// The simulated part of `whole`, and the particle that each of its particles is.
    pub(super) fn cloth(&self, whole: &Topology) -> (Topology, Vec<ParticleId>) {
        with_role(whole, &self.roles, Role::Cloth).without_loose()
    }

    /// The pinned particles of `whole`, ascending: `loop:top` and `loop:bottom` are those of the simulated cloth, and what is
    /// pinned of the other side of thick cloth, or of a piece that follows the cloth beneath, is pinned through it.
    pub(super) fn pinned(
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
        let follows = |p: &usize| matches!(self.roles[*p], Role::OtherSide | Role::Island(_));
        for polygon in (0..self.roles.len()).filter(follows) {
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
    pub(super) fn held_of(&self, kept: &[ParticleId], pinned: &[ParticleId]) -> Vec<ParticleId> {
        let is_held = |p: &ParticleId| self.is_excluded[p.index()] || pinned.binary_search(p).is_ok();
        (0..).zip(kept).filter(|(_, p)| is_held(p)).map(|(i, _)| ParticleId(i)).collect()
    }

    /// How `whole` follows `original`, whose particles are `kept` of it; and which particles are loose.
    pub(super) fn carry(
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
    pub(super) fn count_vertices(&self, whole: &Topology, is_loose: Vec<bool>) -> [usize; 2] {
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

/// The particle that weighs most in a place.
pub(super) fn heaviest(place: Place) -> ParticleId {
    match place {
        Place::Particle(p) => p,
        Place::Surface { corners, weights } => corners[weights.max_position()],
    }
}

/// Says when all that a pin means is left out.
fn left_out_notice(pin: &PinSelector, meant: &[ParticleId], is_excluded: &[bool]) -> Option<String> {
    let is_idle = !meant.is_empty() && meant.iter().all(|p| is_excluded[p.index()]);
    is_idle.then(|| format!("--pin {pin} holds nothing: all that it means is left out by --include and --exclude"))
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
