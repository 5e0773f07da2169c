//! A part of a cloth, and cloth that comes from no file.

use std::ops::Range;

use super::edges::EdgeFaces;
use super::{Adjacency, ParticleId, Parts, Seams, Topology, boundary, components, faces, winding};
use crate::geometry::{Vec3, triangulate_as_drawn};
use crate::import::Polygons;

impl Topology {
    /// Cloth of `polygons` over `positions`, each of them a particle: what [`super::build`] makes of a mesh, with nothing left
    /// to weld, turn or pair.
    pub fn of_mesh(positions: Vec<Vec3>, polygons: Polygons) -> Topology {
        let mut notices = Vec::new();
        let edge_faces = EdgeFaces::of(&polygons, positions.len());
        let edges = edge_faces.edges();
        let (component_of_particle, component_count) = components::number(positions.len(), &edges);
        Topology {
            particle_of_vertex: (0..positions.len() as u32).map(ParticleId).collect(),
            triangles: faces::triangles(&positions, &polygons, &mut notices),
            boundary_loops: boundary::loops(&positions, &polygons, &edge_faces, &mut notices),
            file_edges: edges.clone(),
            file_faces: (0..polygons.len() as u32).collect(),
            neighbours: Adjacency::of_edges(positions.len(), &edges),
            loose: faces::loose(positions.len(), &polygons, &mut notices),
            parts: Parts::whole(positions.len()),
            seams: Seams::default(),
            edges,
            component_of_particle,
            component_count,
            positions,
            polygons,
            notices: Vec::new(),
        }
    }

    /// The same particles, components and boundary loops with the faces that `keeps` chooses and no others; particles whose
    /// faces are gone are loose.
    pub fn with_faces(&self, keeps: &[bool]) -> Topology {
        let kept: Vec<usize> = (0..self.polygons.len()).filter(|&i| keeps[i]).collect();
        let mut polygons = Polygons::default();
        kept.iter().for_each(|&i| polygons.push(self.polygons.get(i)));
        let edges = EdgeFaces::of(&polygons, self.positions.len()).edges();
        Topology {
            file_edges: self.kept_file_edges(&polygons, &edges),
            file_faces: kept.iter().map(|&i| self.file_faces[i]).collect(),
            triangles: kept.iter().flat_map(|&i| self.triangles_of(i)).copied().collect(),
            neighbours: Adjacency::of_edges(self.positions.len(), &edges),
            loose: faces::loose(self.positions.len(), &polygons, &mut Vec::new()),
            edges,
            polygons,
            ..self.clone()
        }
    }

    /// The same cloth without its loose particles, components and loops numbered anew, and the particle that each of its
    /// particles was. Its vertices are its particles.
    pub fn without_loose(&self) -> (Topology, Vec<ParticleId>) {
        let mut is_loose = vec![false; self.positions.len()];
        self.loose.iter().for_each(|p| is_loose[p.index()] = true);
        let kept: Vec<ParticleId> =
            (0..self.positions.len()).filter(|&p| !is_loose[p]).map(|p| ParticleId(p as u32)).collect();
        let mut number = vec![ParticleId(u32::MAX); self.positions.len()];
        (0..).zip(&kept).for_each(|(new, old)| number[old.index()] = ParticleId(new));
        let mut polygons = self.polygons.clone();
        polygons.corners.iter_mut().for_each(|p| *p = number[*p as usize].0);
        let positions = kept.iter().map(|p| self.positions[p.index()]).collect();
        let file_edges = self.file_edges.iter().map(|edge| edge.map(|p| number[p.index()])).collect();
        let file_faces = self.file_faces.clone();
        let seams = self.seams.over(|p| Some(number[p.index()]).filter(|_| !is_loose[p.index()]));
        (Topology { file_edges, file_faces, seams, ..Topology::of_mesh(positions, polygons) }, kept)
    }

    /// The same cloth with its [`Topology::seams`] filled; none if it has none. Components and loops are numbered anew, and faces turned
    /// where panels disagree which side is out. Edges of the file stay those of the file.
    pub fn sewn(&self) -> Option<Topology> {
        if self.seams.strips.is_empty() {
            return None;
        }
        let mut polygons = self.polygons.clone();
        self.seams.strips.iter().for_each(|strip| polygons.push(&strip.map(|p| p.0)));
        winding::unify(&mut polygons, &mut Vec::new());
        let (file_edges, file_faces) = (self.file_edges.clone(), self.file_faces.clone());
        Some(Topology { file_edges, file_faces, ..Topology::of_mesh(self.positions.clone(), polygons) })
    }

    /// Triangles of a polygon.
    pub fn triangles_of(&self, polygon: usize) -> &[[ParticleId; 3]] {
        &self.triangles[self.triangle_range(polygon)]
    }

    /// Where the triangles of a polygon are among all.
    pub fn triangle_range(&self, polygon: usize) -> Range<usize> {
        let range = self.polygons.range(polygon);
        let first = range.start - 2 * polygon;
        first..first + range.len() - 2
    }

    /// The triangles as programs draw them: quads are cut as the file has them, else by [`triangulate_as_drawn`].
    pub fn drawn_triangles(&self) -> impl Iterator<Item = [ParticleId; 3]> {
        let mut in_file: Vec<[ParticleId; 2]> = self.file_edges.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        in_file.sort_unstable();
        (0..self.polygons.len()).flat_map(move |polygon| {
            let corners = self.polygons.get(polygon);
            let &[a, b, c, d] = corners else { return self.triangles_of(polygon).to_vec() };
            let is_in_file = |p: u32, q: u32| in_file.binary_search(&[p.min(q), p.max(q)].map(ParticleId)).is_ok();
            let cut = match [is_in_file(a, c), is_in_file(b, d)] {
                [true, false] => vec![[0, 1, 2], [0, 2, 3]],
                [false, true] => vec![[0, 1, 3], [1, 2, 3]],
                _ => triangulate_as_drawn(&[a, b, c, d].map(|p| self.positions[p as usize])),
            };
            cut.into_iter().map(|t| t.map(|corner| ParticleId(corners[corner]))).collect()
        })
    }

    /// The same as indices.
    pub fn drawn_indices(&self) -> Vec<[u32; 3]> {
        self.drawn_triangles().map(|triangle| triangle.map(|p| p.0)).collect()
    }

    /// Those of the file's edges that are sides or diagonals of `polygons`, a part of this cloth's, whose edges are `edges`.
    fn kept_file_edges(&self, polygons: &Polygons, edges: &[[ParticleId; 2]]) -> Vec<[ParticleId; 2]> {
        let quads = polygons.iter().filter(|polygon| polygon.len() == 4);
        let diagonals = quads.flat_map(|q| [[q[0], q[2]], [q[1], q[3]]]);
        let mut diagonals: Vec<[ParticleId; 2]> =
            diagonals.map(|[a, b]| [ParticleId(a.min(b)), ParticleId(a.max(b))]).collect();
        diagonals.sort_unstable();
        let is_kept =
            |edge: &&[ParticleId; 2]| edges.binary_search(edge).is_ok() || diagonals.binary_search(edge).is_ok();
        self.file_edges.iter().filter(is_kept).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::grids::{Diagonals, triangulated};
    use crate::topology::{ParticleId, build, grids};

    #[test]
    fn quads_that_the_file_has_as_triangles_are_drawn_as_those() {
        for diagonals in [Diagonals::Fixed, Diagonals::Alternating, Diagonals::Random(3)] {
            let file = triangulated(&grids::grid(6, 5), diagonals, Some(7));
            let cloth = build(&file).expect("a grid");
            let sorted = |mut corners: Vec<u32>| {
                corners.sort_unstable();
                corners
            };
            let particle = |&v: &u32| cloth.particle_of_vertex[v as usize].0;
            let mut given: Vec<_> = file.polygons.iter().map(|t| sorted(t.iter().map(particle).collect())).collect();
            let mut drawn: Vec<_> = cloth.drawn_indices().iter().map(|t| sorted(t.to_vec())).collect();
            given.sort_unstable();
            drawn.sort_unstable();
            assert_eq!((drawn, cloth.polygons.len()), (given, 20));
        }
    }

    #[test]
    fn a_part_keeps_its_shape_and_forgets_the_rest() {
        let whole = build(&grids::triangulated(&grids::grid(5, 4), grids::Diagonals::Fixed, None)).expect("a grid");
        assert_eq!(whole.polygons.len(), 12);
        // The first two rows of quads: 15 of 20 particles.
        let upper: Vec<bool> = (0..12).map(|i| i < 8).collect();
        let part = whole.with_faces(&upper);
        assert_eq!((part.positions.len(), part.loose.len(), part.triangles.len()), (20, 5, 16));
        assert_eq!(part.file_edges.len(), part.edges.len() + 8);
        let (compact, kept) = part.without_loose();
        assert_eq!(compact.positions.len(), 15);
        assert_eq!((compact.edges.len(), compact.file_edges.len()), (part.edges.len(), part.file_edges.len()));
        assert!(kept.iter().zip(&compact.positions).all(|(p, place)| whole.positions[p.index()] == *place));
        assert!(part.loose.iter().all(|p| !kept.contains(p)));
    }

    #[test]
    fn all_faces_of_a_cloth_are_the_cloth() {
        let whole = build(&grids::grid(4, 4)).expect("a grid");
        let (again, kept) = whole.with_faces(&vec![true; whole.polygons.len()]).without_loose();
        assert_eq!(kept, (0..16).map(ParticleId).collect::<Vec<_>>());
        assert_eq!((again.triangles, again.edges), (whole.triangles, whole.edges));
        assert_eq!((again.file_edges, again.boundary_loops), (whole.file_edges, whole.boundary_loops));
    }
}
