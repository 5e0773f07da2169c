//! What keeps the other side of thick cloth on its side of it.
//!
//! ```text
//!      \  p  /        A particle p opposite to one of the cloth's stays above all triangles around that: the mean normal of a
//!       \ | /         sharp fold points into one of them.
//!    ----\q/----
//!
//!     b'--------c'    And each diagonal of a quad, whichever it is cut along, stays above the other one of the quad opposite:
//!     |  `.   ,'|     a fold goes over quads as a ridge along one diagonal, and what is cut along the other would cut it.
//!     |    `x   |
//!     a'-------`d'       Where both are cut alike there is no need.
//! ```

use super::follow::Follow;
use super::tighten::Wall;
use super::turns;
use crate::geometry::{Lists, Vec3, polygon_normal};
use crate::topology::resample::Place;
use crate::topology::{ParticleId, Topology};

/// Cosine between the way from a particle to the one opposite and a triangle's normal from which on no wall is needed along the normal:
/// that along the way does.
const FLAT: f32 = 0.995;

/// The other sides of thick cloth.
#[derive(Clone, Debug)]
pub(super) struct OtherSides {
    particles: Vec<Opposite>,
    diagonals: Vec<Diagonal>,
    /// The cloth's triangles, quads cut either way.
    triangles: Vec<[u32; 3]>,
    /// Those around each of its particles.
    around: Lists<u32>,
}

/// A particle of the other side.
#[derive(Clone, Copy, Debug)]
struct Opposite {
    particle: ParticleId,
    /// The particle of the cloth that it lies opposite.
    under: ParticleId,
    /// 1 where the cloth's normals point, -1 behind it.
    side: f32,
}

/// A quad and the diagonal along which it is drawn as two triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Quad {
    corners: [u32; 4],
    cut: [u32; 2],
}

/// A diagonal of a quad of the other side.
#[derive(Clone, Copy, Debug)]
struct Diagonal {
    /// Its ends with their weights where it crosses the other one.
    ends: [(ParticleId, f32); 2],
    /// What the four corners lie opposite: those of this diagonal first.
    under: [ParticleId; 4],
    /// Weights of the last two where their diagonal is crossed.
    crossed: [f32; 2],
    /// 1 where the product of both diagonals, the crossed one first, points; -1 behind it.
    side: f32,
}

impl OtherSides {
    /// Those of `whole`, whose particles follow `cloth` as `follows` says.
    pub(super) fn new(whole: &Topology, cloth: &Topology, follows: &[Follow]) -> OtherSides {
        let normals = turns::normals(cloth, &cloth.positions);
        let triangles = either_way(cloth, &normals);
        let around = Lists::triangles_at_corners(cloth.positions.len(), &triangles);
        let opposite = |(p, follow): (u32, &Follow)| {
            let under = under(follow)?;
            let off = whole.positions[p as usize] - cloth.positions[under.index()];
            Some(Opposite { particle: ParticleId(p), under, side: off.dot(normals[under.index()]).signum() })
        };
        let mut of_cloth = Quad::all(cloth);
        of_cloth.sort_unstable();
        let is_cut_otherwise = |quad: &Quad| {
            let onto = |p: u32| under(&follows[p as usize]).map(|p| p.0);
            quad.renamed(onto).is_none_or(|quad| of_cloth.binary_search(&quad).is_err())
        };
        let quads = Quad::all(whole).into_iter().filter(is_cut_otherwise).map(|quad| quad.corners);
        let diagonals = quads.flat_map(|[a, b, c, d]| [[a, c, b, d], [b, d, a, c]]);
        let diagonal = |corners: [u32; 4]| Diagonal::new(corners.map(ParticleId), whole, cloth, follows);
        OtherSides {
            particles: (0..).zip(follows).filter_map(opposite).collect(),
            diagonals: diagonals.filter_map(diagonal).collect(),
            triangles,
            around,
        }
    }

    /// Their walls, the garment being `placed`, and the cloth `beneath` it. They keep `part` of their distance.
    pub(super) fn walls(&self, placed: &[Vec3], beneath: &[Vec3], part: f32, may_move: &[bool]) -> Vec<Wall> {
        if self.particles.is_empty() {
            return Vec::new();
        }
        let normals: Vec<Vec3> = self.triangles.iter().map(|&t| normal_of(t, beneath).normalize_or_zero()).collect();
        let mut walls = Vec::new();
        for &Opposite { particle, under, side } in &self.particles {
            let foot = beneath[under.index()];
            let off = placed[particle.index()] - foot;
            let kept = part * off.length();
            let planes = self.around.of(under.0).iter().map(|&t| normals[t as usize] * side);
            let tilted = planes.filter(|normal| normal.dot(off) < FLAT * off.length());
            let wall = |normal: Vec3| Wall::new(&[(particle, 1.0)], (normal, normal.dot(foot) + kept), may_move);
            walls.extend(tilted.filter_map(wall));
        }
        walls.extend(self.diagonals.iter().filter_map(|diagonal| diagonal.wall(placed, beneath, part, may_move)));
        walls
    }
}

impl Quad {
    /// Those of a mesh.
    fn all(mesh: &Topology) -> Vec<Quad> {
        let drawn: Vec<[ParticleId; 3]> = mesh.drawn_triangles().collect();
        let quad = |polygon: usize| {
            let corners = <[u32; 4]>::try_from(mesh.polygons.get(polygon)).ok()?;
            let [one, other] = drawn.get(mesh.triangle_range(polygon))? else { return None };
            let mut cut = corners.into_iter().filter(|p| [one, other].iter().all(|t| t.contains(&ParticleId(*p))));
            Some(Quad { corners, cut: [cut.next()?, cut.next()?] }.ordered())
        };
        (0..mesh.polygons.len()).filter_map(quad).collect()
    }

    /// The same quad of another mesh, of which each corner is `onto` this one's; none if one is nowhere.
    fn renamed(self, onto: impl Fn(u32) -> Option<u32>) -> Option<Quad> {
        let mut quad = self;
        for corner in quad.corners.iter_mut().chain(&mut quad.cut) {
            *corner = onto(*corner)?;
        }
        Some(quad.ordered())
    }

    /// The same from its smallest corner on, towards the smaller neighbour of that.
    fn ordered(mut self) -> Quad {
        let smallest = (0..4).min_by_key(|&i| self.corners[i]).unwrap_or(0);
        self.corners.rotate_left(smallest);
        if self.corners[3] < self.corners[1] {
            self.corners.swap(1, 3);
        }
        self.cut.sort_unstable();
        self
    }
}

impl Diagonal {
    /// That between the first two corners of a quad of `whole`; none if it does not lie opposite another quad.
    fn new(corners: [ParticleId; 4], whole: &Topology, cloth: &Topology, follows: &[Follow]) -> Option<Diagonal> {
        let [a, b, c, d] = corners.map(|p| under(&follows[p.index()]));
        let under = [a?, b?, c?, d?];
        let at = |p: ParticleId| cloth.positions[p.index()];
        let [own, other] = [[0, 1], [2, 3]].map(|[a, b]| [at(under[a]), at(under[b])]);
        let [along, across] = [own, other].map(|[a, b]| b - a);
        let normal = across.cross(along);
        let squared = normal.length_squared();
        if squared == 0.0 {
            return None;
        }
        let between = other[0] - own[0];
        let on_own = (across.cross(between)).dot(normal) / squared;
        let on_other = (along.cross(between)).dot(normal) / squared;
        if [on_own, on_other].iter().any(|on| !(0.0..=1.0).contains(on)) {
            return None;
        }
        let ends = [(corners[0], 1.0 - on_own), (corners[1], on_own)];
        let off = ends.iter().map(|(p, weight)| (whole.positions[p.index()] - own[0]) * *weight).sum::<Vec3>();
        Some(Diagonal { ends, under, crossed: [1.0 - on_other, on_other], side: off.dot(normal).signum() })
    }

    /// None where the other diagonal is no ridge.
    fn wall(&self, placed: &[Vec3], beneath: &[Vec3], part: f32, may_move: &[bool]) -> Option<Wall> {
        let [a, b, c, d] = self.under.map(|p| beneath[p.index()]);
        let normal = ((d - c).cross(b - a) * self.side).try_normalize()?;
        let off = |(p, under): (ParticleId, Vec3)| placed[p.index()].distance(under);
        let kept = part * off((self.ends[0].0, a)).min(off((self.ends[1].0, b)));
        let ground = c * self.crossed[0] + d * self.crossed[1];
        let is_ridge = (ground - a).dot(normal) > 0.0;
        if !is_ridge {
            return None;
        }
        Wall::new(&self.ends, (normal, normal.dot(ground) + kept), may_move)
    }
}

/// The triangles of a cloth, its quads cut along either diagonal, as far as those do not turn over what looks along `normals`.
fn either_way(cloth: &Topology, normals: &[Vec3]) -> Vec<[u32; 3]> {
    let of_polygon = |polygon: usize| match *cloth.polygons.get(polygon) {
        [a, b, c, d] => vec![[a, b, c], [a, c, d], [a, b, d], [b, c, d]],
        _ => cloth.triangles_of(polygon).iter().map(|t| t.map(|p| p.0)).collect(),
    };
    let looks_along =
        |t: &[u32; 3]| t.iter().map(|&p| normals[p as usize]).sum::<Vec3>().dot(normal_of(*t, &cloth.positions)) > 0.0;
    (0..cloth.polygons.len()).flat_map(of_polygon).filter(looks_along).collect()
}

fn normal_of(triangle: [u32; 3], positions: &[Vec3]) -> Vec3 {
    polygon_normal(&triangle.map(|p| positions[p as usize]))
}

/// The particle of the cloth that what follows it so lies opposite.
fn under(follow: &Follow) -> Option<ParticleId> {
    match follow {
        Follow::Cloth(Place::Surface { corners, weights }) if weights.max_element() == 1.0 => {
            Some(corners[weights.max_position()])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::follow::{Carry, Ground};
    use super::super::original::Original;
    use super::*;
    use crate::geometry::pierces;
    use crate::pins::Pins;
    use crate::topology::{build, grids};

    /// Two sheets of 13 x 13 particles, a fifth of an edge apart, whose quads are listed from the same corners or turned over.
    fn thick_sheet(is_turned: bool) -> (Topology, Topology, Vec<Follow>) {
        let sheet = grids::grid(13, 13);
        let cloth = build(&sheet).expect("a grid");
        let mut both = sheet.clone();
        let first = sheet.positions.len() as u32;
        both.positions.extend(sheet.positions.iter().map(|p| *p + Vec3::Z * 0.2 * cloth.mean_edge()));
        for quad in sheet.polygons.iter() {
            let corners = quad.iter().map(|v| v + first);
            both.polygons.push(&if is_turned { corners.rev().collect::<Vec<_>>() } else { corners.collect() });
        }
        let whole = build(&both).expect("two grids");
        let (ground, normals) = (Ground::new(&cloth), turns::normals(&whole, &whole.positions));
        let mut follows: Vec<Follow> = (0..first).map(|p| Follow::Cloth(Place::Particle(ParticleId(p)))).collect();
        let opposite = |p: usize| ground.opposite(whole.positions[p], normals[p]).map(Follow::Cloth);
        follows.extend((first as usize..whole.positions.len()).filter_map(opposite));
        (whole, cloth, follows)
    }

    #[test]
    fn quads_that_are_cut_alike_on_both_sides_need_no_diagonals() {
        for is_turned in [false, true] {
            let (whole, cloth, follows) = thick_sheet(is_turned);
            let found = OtherSides::new(&whole, &cloth, &follows);
            assert_eq!(found.particles.len(), 169);
            assert_eq!(found.diagonals.len(), if is_turned { 2 * 144 } else { 0 });
        }
    }

    #[test]
    fn no_cut_of_the_other_side_of_a_sharp_fold_goes_through_any_cut_of_the_cloth() {
        let (whole, cloth, follows) = thick_sheet(true);
        let (edge, first) = (cloth.mean_edge(), cloth.positions.len() as u32);
        let all: Vec<ParticleId> = (0..first).map(ParticleId).collect();
        let original = Original::as_it_is(cloth.clone(), all.clone());
        let carry = Carry::new(&whole, original, follows, &all, Pins::default(), Vec::new(), None);

        // Folds to and fro along a diagonal, by 80 degrees every two and a half edges.
        let folded = |p: &Vec3| {
            let (along, across) = ((p.x + p.y) / 2.0, (p.x - p.y) / 2.0);
            let fold = (along / (5.0 * edge)).rem_euclid(1.0) - 0.5;
            let (up, along) = (5.0 * edge * fold.abs() * 0.64 * 2.0_f32.sqrt(), along * 0.77);
            Vec3::new(along + across, along - across, up)
        };
        let carried = carry.carried(&cloth, &cloth.positions.iter().map(folded).collect::<Vec<_>>(), None);
        let crossings = |edges_from: u32, triangles_from: u32| {
            let quads = || cloth.polygons.iter().filter_map(|q| <[u32; 4]>::try_from(q).ok());
            let at = |from: u32, p: u32| carried[(from + p) as usize].as_dvec3();
            let edges = quads().flat_map(|[a, b, c, d]| [[a, b], [b, c], [c, d], [d, a], [a, c], [b, d]]);
            let triangles = || quads().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d], [a, b, d], [b, c, d]]);
            let through = |edge: [u32; 2]| {
                let segment = edge.map(|p| at(edges_from, p));
                triangles().filter(|t| pierces(segment, t.map(|p| at(triangles_from, p)))).count()
            };
            edges.map(through).sum::<usize>()
        };
        assert_eq!([crossings(0, first), crossings(first, 0)], [0, 0]);
        let heights = (0..first).map(|p| carried[p as usize].distance(carried[(first + p) as usize]) / edge);
        assert!(heights.clone().fold(0.0, f32::max) < 1.0);
    }
}
