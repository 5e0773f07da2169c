use super::grids::{Coin, Diagonals, garment, grid, joined, split, triangulated, tube};
use super::*;
use crate::import::Garment;

#[test]
fn a_grid_keeps_its_vertices_as_particles() {
    let topology = build(&grid(41, 41)).unwrap();
    assert!(topology.particle_of_vertex.iter().enumerate().all(|(v, p)| p.index() == v));
    assert_eq!((topology.edges.len(), topology.triangles.len(), topology.file_edges.len()), (3280, 3200, 3280));
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
    let both = joined(outer.clone(), &outer, |p| p + p.with_y(0.0) * p.y * 0.2);
    let topology = build(&both).unwrap();
    assert_eq!((topology.positions.len(), topology.component_count, topology.boundary_loops.len()), (120, 2, 4));
}

/// A tube and a shorter one that begins at its third ring, and gets wider by so much from ring to ring.
fn tube_with_a_layer(wider: f32) -> Garment {
    let below = |p: Vec3| Vec3::new(p.x, p.y - 0.2, p.z);
    joined(tube(12, 5), &tube(12, 3), |p| below(p) - p.with_y(0.0) * (wider * p.y / 0.1))
}

#[test]
fn a_frill_is_sewn_to_the_ring_that_it_is_worn_on() {
    let topology = build(&tube_with_a_layer(0.5)).unwrap();
    assert_eq!((topology.positions.len(), topology.component_count, topology.boundary_loops.len()), (84, 1, 3));
    assert!(topology.notices.iter().any(|notice| notice.contains("more than two faces")), "{:?}", topology.notices);
}

#[test]
fn a_layer_that_lies_on_the_faces_below_its_edge_stays_a_layer() {
    let topology = build(&tube_with_a_layer(0.01)).unwrap();
    assert_eq!((topology.positions.len(), topology.component_count), (96, 2));
}

#[test]
fn two_sheets_that_touch_in_a_point_stay_two() {
    let both = joined(grid(3, 3), &grid(3, 3), |p| p + Vec3::new(1.0, -1.0, 0.0));
    let topology = build(&both).unwrap();
    assert_eq!((topology.positions.len(), topology.component_count), (18, 2));
}

#[test]
fn a_seam_gapes_by_more_where_the_surface_goes_on() {
    // Two fine halves, whose edges are a hundredth of a metre: the gap is a tenth of them, and less than a thousandth of all.
    let turned = |gap: f32, angle: f32| {
        let (sin, cos) = libm::sincosf(angle);
        let half = grid(101, 101);
        joined(half.clone(), &half, move |p| Vec3::new(1.0 + gap + p.x * cos, p.y, p.x * sin))
    };
    let single = 101 * 101;
    for (gap, angle, is_closed) in [(0.001, 0.0, true), (0.001, 1.5, true), (0.001, 3.0, false), (0.003, 0.0, false)] {
        let particles = build(&turned(gap, angle)).unwrap().positions.len();
        assert_eq!(particles, 2 * single - if is_closed { 101 } else { 0 }, "gap {gap}, bent by {angle}");
    }
}

#[test]
fn a_badly_rounded_seam_is_closed_and_a_slit_is_not() {
    for (gap, particles) in [(0.0001, 15), (0.02, 18)] {
        let both = joined(grid(3, 3), &grid(3, 3), |p| p + Vec3::new(1.0 + gap, 0.0, 0.0));
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
    assert_eq!(topology.boundary_loops.len(), 3);
    for pair in topology.boundary_loops.iter().flat_map(|chain| chain.windows(2)) {
        assert!(topology.neighbours.of(pair[0]).contains(&pair[1]), "{:?}", topology.boundary_loops);
    }
}

fn quads(garment: &crate::import::Garment) -> usize {
    build(garment).unwrap().polygons.iter().filter(|p| p.len() == 4).count()
}

#[test]
fn triangles_that_were_no_quads_are_hardly_paired() {
    let mut sheet = triangulated(&grid(30, 30), Diagonals::Fixed, Some(1));
    for (i, p) in sheet.positions.iter_mut().enumerate() {
        // Rows pushed aside by half a spacing each: equilateral triangles.
        p.x -= 0.5 / 29.0 * (i / 30) as f32;
        p.y *= 0.866;
    }
    let (sheet_quads, ball_quads) = (quads(&sheet), quads(&icosphere(3)));
    println!("{sheet_quads} quads of 1682 equilateral triangles, {ball_quads} of 1280 of a ball");
    assert!(sheet_quads < 50 && ball_quads < 64);
}

#[test]
fn noisy_sheared_and_stretched_quads_are_recovered() {
    let noisy = |amount: f32, seed| {
        let mut sheet = triangulated(&grid(41, 41), Diagonals::Random(seed), Some(seed));
        let mut coin = Coin(seed);
        for p in &mut sheet.positions {
            let mut random = || (coin.toss(1000) as f32 / 500.0 - 1.0) * amount / 40.0;
            *p += Vec3::new(random(), random(), random());
        }
        sheet
    };
    let map = |mut garment: crate::import::Garment, to: fn(Vec3) -> Vec3| {
        garment.positions.iter_mut().for_each(|p| *p = to(*p));
        garment
    };
    assert_eq!(quads(&noisy(0.1, 1)), 1600);
    assert_eq!(quads(&map(noisy(0.0, 2), |p| p * Vec3::new(4.0, 1.0, 1.0))), 1600);
    assert_eq!(quads(&map(noisy(0.0, 3), |p| p + Vec3::X * 0.36 * p.y)), 1600);
    let most = quads(&noisy(0.2, 4));
    println!("{most} of 1600 quads with noise of a fifth of an edge");
    assert!(most > 1500);
}

#[test]
fn shuffled_triangles_that_stand_together_by_chance_pair_by_their_shape() {
    for seed in 0..2000 {
        let mut sheet = grid(3, 3 + seed as u32 % 3);
        let expected = sheet.polygons.len();
        let mut coin = Coin(seed);
        for p in &mut sheet.positions {
            let mut random = || (coin.toss(1000) as f32 / 500.0 - 1.0) * 0.05;
            *p += Vec3::new(random(), random(), random());
        }
        let found = quads(&triangulated(&sheet, Diagonals::Fixed, Some(seed)));
        assert_eq!(found, expected, "seed {seed}");
    }
}

/// An icosahedron with each triangle cut in four `steps` times, on the unit sphere.
fn icosphere(steps: u32) -> Garment {
    let t = (1.0 + 5.0_f32.sqrt()) / 2.0;
    let axes = [(0, 1, 2), (1, 2, 0), (2, 0, 1)];
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let corners = axes.iter().flat_map(|&(i, j, _)| {
        signs.map(|(s, r)| {
            let mut p = [0.0; 3];
            (p[i], p[j]) = (s, r * t);
            Vec3::from(p)
        })
    });
    let corners: Vec<Vec3> = corners.collect();
    let near = |i: usize, j: usize| corners[i].distance(corners[j]) < 2.1;
    let mut triangles = Vec::new();
    for (i, j, k) in (0..12).flat_map(|i| (i + 1..12).flat_map(move |j| (j + 1..12).map(move |k| (i, j, k)))) {
        if near(i, j) && near(j, k) && near(i, k) {
            triangles.push([corners[i], corners[j], corners[k]]);
        }
    }
    for _ in 0..steps {
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = ((a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0);
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let mut polygons = Polygons::default();
    (0..triangles.len() as u32).for_each(|i| polygons.push(&[3 * i, 3 * i + 1, 3 * i + 2]));
    garment(triangles.into_iter().flatten().map(Vec3::normalize).collect(), polygons)
}

#[test]
fn nothing_but_degenerate_faces_is_an_error() {
    let mut empty = grid(2, 2);
    empty.positions = vec![Vec3::ZERO; 4];
    assert_eq!(build(&empty).unwrap_err(), TopologyError::NoFaces { garment: "test".into(), faces: 1 });
}

#[test]
fn a_face_that_goes_round_and_round_is_one_face() {
    let mut mesh = grid(2, 2);
    mesh.polygons.push(&[0, 1, 3].repeat(5000));
    let topology = build(&mesh).unwrap();
    assert_eq!((topology.polygons.len(), topology.triangles.len()), (2, 3));
    // The seam of a face with a hole is walked twice, and stays.
    let hole = garment(grid(4, 4).positions, {
        let mut polygons = Polygons::default();
        polygons.push(&[0, 3, 15, 12, 0, 5, 9, 10, 6, 5]);
        polygons
    });
    assert_eq!(build(&hole).unwrap().polygons.corners.len(), 10);
}
