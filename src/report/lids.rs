//! Lids on the holes of a body.
//!
//! ```text
//!       ____                 An open shell and a lid on each of its holes that is turned round make a closed surface, which winds
//!      /    \   body         around a point a whole number of times:
//!     |      |
//!      \.  ./   rim            winding of the body = whole number + winding of the lids
//!        \/     lid
//!       apex                 whatever shape the lids have. They are fans of few triangles, one a rim edge.
//! ```

use std::collections::BTreeMap;

use super::winding::WindingField;
use crate::geometry::{Aabb, Bvh, DVec3, Vec3, connect};

/// The lids of a body. They have the body's own rims: what the body leaves open they leave open in the same sense.
#[derive(Clone, Debug)]
pub(super) struct Lids {
    /// Apex and rim edge of each triangle; apexes are numbered on from the body's vertices.
    triangles: Vec<[u32; 3]>,
    /// The body's vertices around each apex.
    rims: Vec<Vec<u32>>,
    bvh: Bvh,
}

impl Lids {
    /// Lids on what `open_edges` go around. Each vertex must begin as many of them as it ends.
    pub(super) fn on(open_edges: &[[u32; 2]], positions: &[Vec3]) -> Lids {
        let rim_of = connect(open_edges.iter().copied(), positions.len());
        let mut edges_of_rim: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
        for &edge in open_edges {
            edges_of_rim.entry(rim_of[edge[0] as usize]).or_default().push(edge);
        }
        let apexes = positions.len() as u32..;
        let fan = |(apex, edges): (u32, &Vec<[u32; 2]>)| edges.iter().map(|&[a, b]| [apex, a, b]).collect::<Vec<_>>();
        let triangles: Vec<[u32; 3]> = apexes.zip(edges_of_rim.values()).flat_map(fan).collect();
        let rims: Vec<Vec<u32>> = edges_of_rim.values().map(|edges| edges.iter().map(|e| e[0]).collect()).collect();
        let mut positions = positions.to_vec();
        put_apexes(&rims, &mut positions);
        Lids { bvh: Bvh::build(&positions, &triangles), triangles, rims }
    }

    /// Fits the lids to a pose of the body, and puts their apexes behind its vertices.
    pub(super) fn fit(&mut self, positions: &mut Vec<Vec3>) {
        put_apexes(&self.rims, positions);
        self.bvh.refit(positions, &self.triangles);
    }

    /// Their winding numbers, for positions that they were fitted to.
    pub(super) fn field<'a>(&'a self, positions: &'a [Vec3]) -> WindingField<'a> {
        WindingField::new(&self.bvh, positions, &self.triangles)
    }

    /// Whether one of the triangles that overlap `region`, and some near, `is_found`.
    pub(super) fn any_overlapping(&self, region: &Aabb, mut is_found: impl FnMut([u32; 3]) -> bool) -> bool {
        self.bvh.any_overlapping(region, |t| is_found(self.triangles[t as usize]))
    }
}

/// Puts the centre of each rim behind the body's vertices.
fn put_apexes(rims: &[Vec<u32>], positions: &mut Vec<Vec3>) {
    for rim in rims {
        let sum: DVec3 = rim.iter().map(|&v| positions[v as usize].as_dvec3()).sum();
        positions.push((sum / rim.len() as f64).as_vec3());
    }
}
