//! What of a cloth is inside a body.

use std::sync::Arc;

use super::inside::{PosedBody, looks};
use super::penetration::{Inside, inside_particles};
use super::planes::Planes;
use super::shells::Shells;
use super::through::BodyEdges;
use super::winding::WindingField;
use crate::body::{Body, Moment};
use crate::geometry::{Bvh, Vec3, area_normals};
use crate::topology::Adjacency;

/// Finds what is inside a body as it stands at any moment.
#[derive(Clone)]
pub(crate) struct Probe<'a> {
    body: &'a Body,
    shells: Arc<Shells>,
    bvh: Bvh,
    pose: Vec<Vec3>,
}

impl<'a> Probe<'a> {
    /// Of a body whose shells are told apart as it stands at `moment`.
    pub(crate) fn new(body: &'a Body, moment: Moment) -> Probe<'a> {
        let mut pose = Vec::new();
        body.pose(moment, &mut pose);
        let shells = Shells::find(body.surface(), &pose);
        let bvh = Bvh::build(&pose, &shells.triangles);
        Probe { body, shells: Arc::new(shells), bvh, pose }
    }

    /// Those of `particles` that are inside, ascending, as `with` makes something of them and of the body as it stands then.
    pub(super) fn inside<T>(
        &mut self,
        moment: Moment,
        particles: &[Vec3],
        neighbours: &Adjacency,
        with: impl FnOnce(Vec<Inside>, &PosedBody<'_>) -> T,
    ) -> T {
        let Probe { body, shells, bvh, pose } = self;
        body.pose(moment, pose);
        bvh.refit(pose, &shells.triangles);
        let lids = &shells.lids_in(pose);
        let (positions, triangles) = (&pose[..], &shells.triangles[..]);
        let winding = &WindingField::new(bvh, positions, triangles);
        let lid_winding = &lids.field(positions);
        let looks_left = &looks(bvh, particles.len());
        let planes = &Planes::of(bvh, positions, triangles);
        let body = PosedBody { positions, triangles, bvh, planes, lids, winding, lid_winding, looks_left };
        with(inside_particles(particles, neighbours, &body), &body)
    }

    /// For each vertex of the body as it is at `moment` whether what lies `distance` metres above it is inside the body.
    pub(super) fn is_inside_above(&mut self, moment: Moment, distance: f32) -> Vec<bool> {
        let mut places = Vec::new();
        self.body.pose(moment, &mut places);
        let normals = area_normals(&places, self.shells.triangles.iter().copied());
        places.iter_mut().zip(normals).for_each(|(place, normal)| *place += normal.normalize_or_zero() * distance);
        let mut is_inside = vec![false; places.len()];
        let found = self.depths(moment, &places, &BodyEdges::of(self.body).neighbours);
        found.into_iter().for_each(|(vertex, _)| is_inside[vertex] = true);
        is_inside
    }

    /// Those of `particles` that are inside, ascending, each with its distance to the nearest surface, metres.
    pub(crate) fn depths(&mut self, moment: Moment, particles: &[Vec3], neighbours: &Adjacency) -> Vec<(usize, f64)> {
        self.inside(moment, particles, neighbours, |inside, _| {
            inside.into_iter().map(|inside| (inside.particle, inside.depth)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{BodyAsset, MeshSequence};

    #[test]
    fn what_is_inside_a_tetrahedron_is_found_with_its_depth() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let sequence = MeshSequence { frames: vec![positions], triangles, ..MeshSequence::default() };
        let body = Body::new(BodyAsset::Sequence(sequence), None).expect("a body");
        let particles = [Vec3::splat(-0.1), Vec3::new(0.1, 0.2, 0.2), Vec3::splat(0.9)];
        let found = Probe::new(&body, Moment::Bind).depths(Moment::Bind, &particles, &Adjacency::of_edges(3, &[]));
        assert!(matches!(found.as_slice(), [(1, depth)] if (depth - 0.1).abs() < 1e-6), "{found:?}");
    }
}
