use super::grids::{Diagonals, garment, grid, split, triangulated, tube};
use super::*;

#[test]
fn a_grid_keeps_its_vertices_as_particles() {
    let topology = build(&grid(41, 41)).unwrap();
    assert!(topology.particle_of_vertex.iter().enumerate().all(|(v, p)| p.index() == v));
    assert_eq!((topology.edges.len(), topology.triangles.len(), topology.diagonals.len()), (3280, 3200, 1600));
    assert_eq!((topology.component_count, topology.boundary_loops.len()), (1, 1));
    assert_eq!(topology.boundary_loops[0].len(), 160);
    assert_eq!(topology.notices, Vec::<String>::new());
}

#[test]
fn a_flat_shaded_triangulated_grid_is_the_grid_again() {
    let quads = build(&grid(41, 41)).unwrap();
    let soup = split(&triangulated(&grid(41, 41), Diagonals::Random(5), Some(9)));
    let topology = build(&soup).unwrap();
    assert_eq!(topology.positions.len(), 1681);
    assert_eq!(topology.edges.len(), quads.edges.len());
    assert!(topology.polygons.iter().all(|polygon| polygon.len() == 4));
}

#[test]
fn a_tube_has_a_loop_on_top_and_one_below() {
    let topology = build(&tube(12, 5)).unwrap();
    let [top, bottom] = &topology.boundary_loops[..] else { panic!("{:?}", topology.boundary_loops) };
    assert_eq!(*top, (0..12).map(ParticleId).collect::<Vec<_>>());
    assert_eq!(bottom.iter().map(|p| p.0).min(), Some(48));
}

#[test]
fn a_lining_that_hangs_from_the_same_waist_stays_a_layer_of_its_own() {
    let outer = tube(12, 5);
    let mut both = outer.clone();
    for polygon in outer.polygons.iter() {
        both.polygons.push(&polygon.iter().map(|v| v + 60).collect::<Vec<_>>());
    }
    both.positions.extend(outer.positions.iter().map(|p| *p + (p.with_y(0.0) * p.y * 0.2)));
    let topology = build(&both).unwrap();
    assert_eq!((topology.positions.len(), topology.component_count, topology.boundary_loops.len()), (120, 2, 4));
}

#[test]
fn two_sheets_that_touch_in_a_point_stay_two() {
    let mut both = grid(3, 3);
    let other = grid(3, 3);
    for polygon in other.polygons.iter() {
        both.polygons.push(&polygon.iter().map(|v| v + 9).collect::<Vec<_>>());
    }
    both.positions.extend(other.positions.iter().map(|p| *p + Vec3::new(1.0, -1.0, 0.0)));
    let topology = build(&both).unwrap();
    assert_eq!((topology.positions.len(), topology.component_count), (18, 2));
}

#[test]
fn a_badly_rounded_seam_is_closed_and_a_slit_is_not() {
    for (gap, particles) in [(0.0001, 15), (0.02, 18)] {
        let mut both = grid(3, 3);
        let other = grid(3, 3);
        for polygon in other.polygons.iter() {
            both.polygons.push(&polygon.iter().map(|v| v + 9).collect::<Vec<_>>());
        }
        both.positions.extend(other.positions.iter().map(|p| *p + Vec3::new(1.0 + gap, 0.0, 0.0)));
        assert_eq!(build(&both).unwrap().positions.len(), particles, "gap {gap}");
    }
}

#[test]
fn a_flipped_panel_is_sewn_on_and_turned() {
    let mut both = grid(3, 3);
    let other = grid(3, 3);
    for polygon in other.polygons.iter() {
        both.polygons.push(&polygon.iter().rev().map(|v| v + 9).collect::<Vec<_>>());
    }
    both.positions.extend(other.positions.iter().map(|p| *p + Vec3::new(1.0, 0.0, 0.0)));
    let topology = build(&both).unwrap();
    assert_eq!(topology.positions.len(), 15);
    assert!(topology.notices[0].starts_with("4 faces are wound against"), "{:?}", topology.notices);
    let up = |t: &[ParticleId; 3]| {
        let [a, b, c] = t.map(|p| topology.positions[p.index()]);
        (b - a).cross(c - a).z
    };
    assert!(topology.triangles.iter().all(|t| up(t) * up(&topology.triangles[0]) > 0.0));
}

#[test]
fn odd_faces_are_left_out_and_counted() {
    let mut odd = grid(3, 3);
    odd.polygons.push(&[0, 1, 1]);
    odd.polygons.push(&[4, 3, 0, 1]);
    odd.positions.push(Vec3::splat(9.0));
    let topology = build(&odd).unwrap();
    assert_eq!(topology.polygons.len(), 4);
    assert_eq!(topology.loose, [ParticleId(9)]);
    let words = topology.notices.join("; ");
    for part in ["1 faces without three", "1 faces with the corners", "1 particles belong to no face: 9"] {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn a_page_with_three_leaves_is_simulated_and_reported() {
    let mut fan = grid(2, 2);
    fan.positions.extend([
        Vec3::new(0.0, 0.0, 1.0),
        Vec3::new(0.0, -1.0, 1.0),
        Vec3::new(0.0, 0.0, -1.0),
        Vec3::new(0.0, -1.0, -1.0),
    ]);
    fan.polygons.push(&[0, 2, 5, 4]);
    fan.polygons.push(&[0, 2, 7, 6]);
    let topology = build(&fan).unwrap();
    assert_eq!(topology.edges.len(), 10);
    assert!(topology.notices[0].starts_with("1 edges with more than two faces"), "{:?}", topology.notices);
}

#[test]
fn irregular_triangles_are_hardly_paired() {
    let mut sheet = triangulated(&grid(30, 30), Diagonals::Fixed, Some(1));
    for (i, p) in sheet.positions.iter_mut().enumerate() {
        // Rows pushed half a spacing aside: equilateral triangles.
        p.x += if (i / 30) % 2 == 0 { 0.0 } else { 0.5 / 29.0 };
        p.y *= 0.866;
    }
    let topology = build(&sheet).unwrap();
    let quads = topology.polygons.iter().filter(|p| p.len() == 4).count();
    println!("{quads} quads of {} triangles", sheet.polygons.len());
    let _ = garment;
}

#[test]
fn nothing_but_degenerate_faces_is_an_error() {
    let mut empty = grid(2, 2);
    empty.positions = vec![Vec3::ZERO; 4];
    assert_eq!(build(&empty).unwrap_err(), TopologyError::NoFaces { garment: "test".into(), faces: 1 });
}
