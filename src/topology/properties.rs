//! Properties that hold for every mesh.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::grids::{Coin, Diagonals, garment, grid, split, triangulated};
use super::*;

/// Any faces over a few vertices at a few places: degenerate, duplicate, non-manifold, folded.
pub(crate) fn heap() -> impl Strategy<Value = Garment> {
    let place = (0..4_i8, 0..4_i8, 0..2_i8).prop_map(|(x, y, z)| Vec3::new(x.into(), y.into(), z.into()));
    let positions = prop::collection::vec(place, 3..24);
    let faces = prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 3..7), 1..30);
    (positions, faces).prop_map(|(positions, faces)| {
        let mut polygons = Polygons::default();
        for face in faces {
            polygons.push(&face.iter().map(|i| i.index(positions.len()) as u32).collect::<Vec<_>>());
        }
        garment(positions, polygons)
    })
}

/// A sheet of quads with noise of up to a tenth of an edge, triangulated and split in any way.
pub(crate) fn sheet() -> impl Strategy<Value = Garment> {
    let diagonals =
        prop_oneof![Just(Diagonals::Fixed), Just(Diagonals::Alternating), any::<u64>().prop_map(Diagonals::Random)];
    (3..14_u32, 3..14_u32, diagonals, any::<Option<u64>>(), any::<u64>(), any::<bool>()).prop_map(
        |(columns, rows, diagonals, shuffle, noise, flat)| {
            let mut sheet = grid(columns, rows);
            let mut coin = Coin(noise);
            let spacing = 1.0 / (columns - 1) as f32;
            for p in &mut sheet.positions {
                let mut random = || (coin.toss(1000) as f32 / 500.0 - 1.0) * 0.1 * spacing;
                *p += Vec3::new(random(), random(), random());
            }
            let sheet = triangulated(&sheet, diagonals, shuffle);
            if flat { split(&sheet) } else { sheet }
        },
    )
}

/// The particles as a garment of their own.
fn of_particles(topology: &Topology) -> Garment {
    garment(topology.positions.clone(), topology.polygons.clone())
}

proptest! {
    #[test]
    fn every_vertex_is_where_its_particle_is(garment in heap()) {
        if let Ok(topology) = build(&garment) {
            prop_assert_eq!(topology.particle_of_vertex.len(), garment.positions.len());
            for (vertex, particle) in topology.particle_of_vertex.iter().enumerate() {
                prop_assert_eq!(garment.positions[vertex], topology.positions[particle.index()]);
            }
        }
    }

    #[test]
    fn welding_again_changes_nothing(garment in sheet()) {
        let topology = build(&garment).unwrap();
        prop_assert_eq!(build(&of_particles(&topology)).unwrap().positions, topology.positions);
    }

    #[test]
    fn quads_of_a_noisy_sheet_are_recovered(garment in sheet()) {
        let triangles = garment.polygons.len();
        let topology = build(&garment).unwrap();
        let quads = topology.polygons.iter().filter(|p| p.len() == 4).count();
        // Of a hundred quads five may be lost, of the handful of a tiny sheet none.
        let lost = triangles / 2 - quads;
        prop_assert!(lost * 100 <= triangles / 2 * 5, "{} quads of {} triangles", quads, triangles);
    }

    #[test]
    fn edges_triangles_and_loops_fit_the_faces(garment in heap()) {
        if let Ok(topology) = build(&garment) {
            let corners: usize = topology.polygons.iter().map(|p| p.len() - 2).sum();
            prop_assert_eq!(topology.triangles.len(), corners);
            prop_assert!(topology.edges.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(topology.edges.iter().all(|[a, b]| a < b && b.index() < topology.positions.len()));
            let degree: usize = (0..topology.positions.len()).map(|p| topology.neighbours.of(ParticleId(p as u32)).len()).sum();
            prop_assert_eq!(degree, 2 * topology.edges.len());
            for chain in &topology.boundary_loops {
                for pair in chain.windows(2) {
                    let edge = [pair[0].min(pair[1]), pair[0].max(pair[1])];
                    prop_assert!(topology.edges.binary_search(&edge).is_ok());
                }
            }
        }
    }

    #[test]
    fn neighbouring_triangles_of_a_sheet_agree_which_side_is_out(garment in sheet(), turned in any::<u64>()) {
        let mut mixed = garment.clone();
        for i in 0..mixed.polygons.len() {
            if turned >> (i % 64) & 1 == 1 {
                let range = mixed.polygons.range(i);
                mixed.polygons.corners[range].reverse();
            }
        }
        let topology = build(&mixed).unwrap();
        let normals = topology.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|p| topology.positions[p.index()]);
            (b - a).cross(c - a).z
        });
        let normals: Vec<f32> = normals.collect();
        prop_assert!(normals.iter().all(|n| n * normals[0] > 0.0));
    }
}
