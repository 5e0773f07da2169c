//! Small pieces of a garment that lie on its cloth: buttons, buckles, trims, patches.
//!
//! ```text
//!          __                 A piece of little area, all of it near larger cloth, follows what is beneath it. Compact ones
//!   ------|__|------          (buttons) stay rigid, long ones (piping, lace) bend with the cloth. So do larger ones that are
//!                             closed (a belt, the rope around a hem): they are no cloth.
//! ```

use super::Choice;
use super::follow::Ground;
use crate::geometry::{Aabb, Vec3};
use crate::topology::resample::Place;
use crate::topology::{ParticleId, Topology};

/// Area of a piece that may be an island, as a part of that of the largest piece.
const SMALL_AREA: f32 = 0.1;
/// The same of a piece that is closed, which has its back in it and what lies on the cloth.
const CLOSED_AREA: f32 = 0.4;
/// Diagonal of a piece that is rigid, as a part of the largest piece's.
const COMPACT: f32 = 0.06;
/// How far an island may stand off the cloth, as a part of the largest piece's diagonal: 2 cm on a coat.
const NEAR: f32 = 0.015;
/// How many times as far a piece may stand off that is closed, a modelled strap or buckle: it is no cloth.
const CLOSED: f32 = 2.0;
/// Part of a piece's particles that must be near the cloth.
const MOST: f32 = 0.95;

/// A small piece that lies on cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Island {
    /// Its component in the whole garment.
    pub component: u32,
    /// How it follows.
    pub kind: IslandKind,
    /// Length of its box's diagonal, metres.
    pub size: f32,
    /// Middle of its box, metres.
    pub centre: Vec3,
}

/// How an island follows the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IslandKind {
    /// As a rigid body.
    Rigid,
    /// It bends with the cloth.
    Soft,
}

/// A connected piece.
struct Piece {
    component: u32,
    area: f32,
    bounds: Aabb,
    particles: Vec<usize>,
}

/// The islands of a garment, ascending by component. `cloth` has the faces that may be simulated, its components being those of
/// the file.
pub fn islands(choice: &Choice, cloth: &Topology) -> Vec<Island> {
    if !choice.islands {
        return Vec::new();
    }
    let pieces = pieces(cloth);
    let largest = |figure: fn(&Piece) -> f32| pieces.iter().map(figure).fold(0.0, f32::max);
    let (area, size) = (largest(|p| p.area), largest(|p| p.bounds.size().length()));
    let mut is_open = vec![false; cloth.component_count];
    let rims = cloth.boundary_loops.iter().flatten();
    rims.for_each(|p| is_open[cloth.component_of_particle[p.index()] as usize] = true);
    let is_up_to = |piece: &Piece, part: f32| piece.area <= part * area && !choice.names_component(piece.component);
    let is_small = |piece: &Piece| is_up_to(piece, SMALL_AREA);
    let is_closed = |piece: &Piece| !is_open[piece.component as usize];
    let may_be_trim = |piece: &Piece| !is_small(piece) && is_closed(piece) && is_up_to(piece, CLOSED_AREA);
    let island = |piece: &Piece, ground: &Ground<'_>| {
        let reach = NEAR * size * if is_closed(piece) { CLOSED } else { 1.0 };
        let near = |p: &&usize| ground.place(cloth.positions[**p], None, reach).is_some();
        let near = piece.particles.iter().filter(near).count();
        let diagonal = piece.bounds.size().length();
        let kind = if diagonal <= COMPACT * size { IslandKind::Rigid } else { IslandKind::Soft };
        let enough = match kind {
            // A shank may stand off.
            IslandKind::Rigid => near > 0,
            IslandKind::Soft => near as f32 >= MOST * piece.particles.len() as f32,
        };
        enough.then(|| Island { component: piece.component, kind, size: diagonal, centre: piece.bounds.centre() })
    };
    let among = |are_meant: &dyn Fn(&Piece) -> bool, carry: &dyn Fn(&Piece) -> bool| -> Vec<Island> {
        let mut meant = pieces.iter().filter(|piece| are_meant(piece)).peekable();
        if meant.peek().is_none() {
            return Vec::new();
        }
        let mut carries = vec![false; cloth.component_count];
        pieces.iter().filter(|piece| carry(piece)).for_each(|piece| carries[piece.component as usize] = true);
        let component = |polygon: &[u32]| cloth.component_of_particle[polygon[0] as usize] as usize;
        let large = cloth.with_faces(&cloth.polygons.iter().map(|p| carries[component(p)]).collect::<Vec<_>>());
        let ground = Ground::new(&large);
        meant.filter_map(|piece| island(piece, &ground)).collect()
    };
    let trims = among(&may_be_trim, &|piece| !is_small(piece) && !may_be_trim(piece));
    let is_trim = |piece: &Piece| trims.iter().any(|trim| trim.component == piece.component);
    let mut islands = among(&is_small, &|piece| !is_small(piece) && !is_trim(piece));
    islands.extend(trims);
    islands.sort_unstable_by_key(|island| island.component);
    islands
}

/// The connected pieces that have faces, by component.
fn pieces(cloth: &Topology) -> Vec<Piece> {
    let new = |component| Piece { component, area: 0.0, bounds: Aabb::EMPTY, particles: Vec::new() };
    let mut pieces: Vec<Piece> = (0..cloth.component_count as u32).map(new).collect();
    for triangle in &cloth.triangles {
        let [a, b, c] = triangle.map(|p| cloth.positions[p.index()]);
        pieces[cloth.component_of_particle[triangle[0].index()] as usize].area += (b - a).cross(c - a).length() / 2.0;
    }
    let mut is_used = vec![false; cloth.positions.len()];
    cloth.polygons.corners.iter().for_each(|&p| is_used[p as usize] = true);
    for particle in (0..is_used.len()).filter(|&p| is_used[p]) {
        let piece = &mut pieces[cloth.component_of_particle[particle] as usize];
        piece.bounds = piece.bounds.union(Aabb::around(&[cloth.positions[particle]]));
        piece.particles.push(particle);
    }
    pieces.retain(|piece| !piece.particles.is_empty());
    pieces
}

/// The particles of a cloth beneath `points`: corners of the triangles closest to them, ascending.
pub(super) fn beneath(points: impl Iterator<Item = Vec3>, ground: &Ground<'_>) -> Vec<ParticleId> {
    let places = points.filter_map(|point| ground.place(point, None, f32::INFINITY));
    let mut patch: Vec<_> = places
        .flat_map(|place| match place {
            Place::Particle(p) => vec![p],
            Place::Surface { corners, .. } => corners.to_vec(),
        })
        .collect();
    patch.sort_unstable();
    patch.dedup();
    patch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Garment, Polygons};
    use crate::topology::{build, grids};

    /// A sheet 1 m wide with `piece` added, scaled by `scale` and moved to `at`.
    fn sheet_with(piece: &Garment, scale: Vec3, at: Vec3) -> Topology {
        let mut sheet = grids::grid(21, 21);
        let size = Aabb::around(&sheet.positions).size().max_element();
        sheet.positions.iter_mut().for_each(|p| *p /= size);
        let first = sheet.positions.len() as u32;
        let bounds = Aabb::around(&piece.positions);
        let placed = |p: &Vec3| (*p - bounds.centre()) / bounds.size().max_element() * scale + at;
        sheet.positions.extend(piece.positions.iter().map(placed));
        piece.polygons.iter().for_each(|q| sheet.polygons.push(&q.iter().map(|v| v + first).collect::<Vec<_>>()));
        build(&sheet).expect("a sheet")
    }

    /// A cube.
    fn block() -> Garment {
        let corner = |i: u8| Vec3::new(f32::from(i & 1), f32::from(i >> 1 & 1), f32::from(i >> 2));
        let mut polygons = Polygons::default();
        for side in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            polygons.push(&side);
        }
        grids::garment((0..8).map(corner).collect(), polygons)
    }

    fn kinds(cloth: &Topology) -> Vec<IslandKind> {
        islands(&Choice::default(), cloth).iter().map(|island| island.kind).collect()
    }

    #[test]
    fn a_button_is_rigid_a_ribbon_soft_and_what_hangs_free_is_cloth() {
        let middle =
            Aabb::around(&sheet_with(&grids::grid(2, 2), Vec3::splat(0.01), Vec3::ZERO).positions[..441]).centre();
        let button = sheet_with(&grids::tube(8, 2), Vec3::splat(0.03), middle + Vec3::Z * 0.004);
        assert_eq!(kinds(&button), [IslandKind::Rigid]);
        let ribbon = sheet_with(&grids::grid(12, 12), Vec3::new(0.8, 0.03, 1.0), middle + Vec3::Z * 0.004);
        assert_eq!(kinds(&ribbon), [IslandKind::Soft]);
        let away = sheet_with(&grids::tube(8, 2), Vec3::splat(0.03), middle + Vec3::Z * 0.2);
        assert_eq!(kinds(&away), []);
        let further = |piece: &Garment| kinds(&sheet_with(piece, Vec3::new(0.8, 0.03, 0.01), middle + Vec3::Z * 0.035));
        assert_eq!(further(&grids::grid(12, 12)), []);
        assert_eq!(further(&block()), [IslandKind::Soft], "a strap that is closed");
        let flap = sheet_with(&grids::grid(12, 12), Vec3::new(0.8, 0.8, 1.0), middle + Vec3::Z * 0.004);
        assert_eq!(kinds(&flap), []);
        let high = |height: f32| kinds(&sheet_with(&block(), Vec3::new(0.6, 0.1, 0.02), middle + Vec3::Z * height));
        assert_eq!(high(0.005), [IslandKind::Soft], "a broad belt that is closed, and has a quarter of the area");
        assert_eq!(high(0.1), [], "it hangs elsewhere");
    }

    #[test]
    fn islands_are_cloth_when_asked_for() {
        let cloth = sheet_with(&grids::tube(8, 2), Vec3::splat(0.03), Vec3::new(0.5, -0.5, 0.004));
        let cloth_at = Aabb::around(&cloth.positions[..441]).centre();
        let cloth = sheet_with(&grids::tube(8, 2), Vec3::splat(0.03), cloth_at + Vec3::Z * 0.004);
        assert!(islands(&Choice { islands: false, ..Choice::default() }, &cloth).is_empty());
        let named = Choice { include: vec!["component:0..1".parse().expect("a part")], ..Choice::default() };
        assert!(islands(&named, &cloth).is_empty());
    }
}
