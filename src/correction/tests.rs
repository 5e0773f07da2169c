use super::*;
use crate::geometry::{DVec3, Vec3};
use crate::import::Garment;
use crate::topology::grids::{Coin, Diagonals, grid, triangulated, tube};

fn stages(garment: &Garment) -> (Topology, SpringNetwork) {
    let topology = crate::topology::build(garment).unwrap();
    let springs = SpringNetwork::build(&topology);
    (topology, springs)
}

const CORNERS: [ParticleId; 2] = [ParticleId(40), ParticleId(0)];

fn corner_map(garment: &Garment, visit_limit: u32) -> CorrectionMap {
    let (topology, springs) = stages(garment);
    let options = MapOptions { visit_limit, ..MapOptions::default() };
    CorrectionMap::build("rest", &CORNERS, &topology, &springs, &options)
}

#[test]
fn a_cloth_pinned_at_two_corners_has_the_list_of_the_paper() {
    for garment in [grid(41, 41), triangulated(&grid(41, 41), Diagonals::Alternating, None)] {
        let map = corner_map(&garment, 1);
        assert_eq!((map.corrections.len(), map.levels), (1679, 40));
        assert_eq!((map.fixed, map.unreached), (vec![ParticleId(0), ParticleId(40)], vec![]));
        assert!(map.corrections.iter().all(|c| c.kind != CorrectionKind::Completion));
    }
}

#[test]
fn the_list_is_as_long_as_the_visit_limit_times_the_free_particles() {
    for (limit, corrections) in [(2, 3358), (3, 5037), (4, 6716)] {
        assert_eq!(corner_map(&grid(41, 41), limit).corrections.len(), corrections);
    }
}

#[test]
fn corrections_of_one_level_do_not_touch_each_other() {
    for limit in 1..=3 {
        let map = corner_map(&grid(15, 15), limit);
        for level in 0..map.levels {
            let of_level: Vec<_> = map.corrections.iter().filter(|c| c.level == level).collect();
            for (i, c) in of_level.iter().enumerate() {
                for d in &of_level[i + 1..] {
                    assert!(c.goal != d.goal && c.goal != d.source && c.source != d.goal, "level {level}: {c:?} {d:?}");
                }
            }
        }
    }
}

#[test]
fn a_source_has_been_reached_before_its_goal() {
    let map = corner_map(&grid(41, 41), 1);
    let mut reached = vec![false; 1681];
    map.fixed.iter().for_each(|p| reached[p.index()] = true);
    for c in &map.corrections {
        assert!(reached[c.source.index()] && !reached[c.goal.index()]);
        reached[c.goal.index()] = true;
    }
}

#[test]
fn a_cloth_pinned_by_its_top_row_hangs_from_columns() {
    let (topology, springs) = stages(&grid(11, 11));
    let row: Vec<ParticleId> = (0..11).map(ParticleId).collect();
    let map = CorrectionMap::build("row", &row, &topology, &springs, &MapOptions::default());
    assert!(map.corrections.iter().all(|c| c.goal.0 == c.source.0 + 11 && c.kind == CorrectionKind::VerticalStretch));
}

#[test]
fn cloth_above_its_pins_is_completed_and_cloth_apart_is_not_reached() {
    let mut garment = grid(11, 11);
    garment.positions.push(Vec3::ONE);
    let (topology, springs) = stages(&garment);
    let row: Vec<ParticleId> = (110..121).map(ParticleId).collect();
    let map = CorrectionMap::build("hood", &row, &topology, &springs, &MapOptions::default());
    assert_eq!((map.corrections.len(), map.unreached), (110, vec![ParticleId(121)]));
    assert!(map.corrections.iter().all(|c| c.kind == CorrectionKind::Completion && c.source.0 == c.goal.0 + 11));
}

#[test]
fn the_orders_of_the_kinds_give_four_different_maps() {
    use CorrectionKind::{HorizontalStretch as H, Shear as S, VerticalStretch as V};
    let (topology, springs) = stages(&grid(41, 41));
    let pairs = |order| {
        let options = MapOptions { order, ..MapOptions::default() };
        let map = CorrectionMap::build("rest", &CORNERS, &topology, &springs, &options);
        let mut pairs: Vec<_> = map.corrections.iter().map(|c| (c.source, c.goal)).collect();
        pairs.sort_unstable();
        pairs
    };
    let mut maps: Vec<_> = [[H, V, S], [V, H, S], [V, S, H], [H, S, V], [S, H, V], [S, V, H]].map(pairs).into();
    maps.sort_unstable();
    maps.dedup();
    println!("{} different maps", maps.len());
}

#[test]
fn each_state_has_its_own_map() {
    let (topology, springs) = stages(&grid(11, 11));
    let states = [("no_knee".to_owned(), vec![]), ("left_knee".to_owned(), vec![ParticleId(60)])];
    let maps = CorrectionMaps::build(&states, &[ParticleId(0)], &topology, &springs, &MapOptions::default());
    assert_eq!(maps.get("left_knee").unwrap().fixed, [ParticleId(0), ParticleId(60)]);
    assert_eq!(maps.get("no_knee").unwrap().corrections.len(), 120);
    assert!(maps.get("right_knee").is_none());
}

#[test]
fn the_json_lists_source_goal_kind_and_level_in_order() {
    let (topology, springs) = stages(&grid(3, 2));
    let map = CorrectionMap::build("rest", &[ParticleId(0)], &topology, &springs, &MapOptions::default());
    let json = serde_json::to_value(&map).unwrap();
    assert_eq!(json["corrections"][0], serde_json::json!([0, 1, "horizontal_stretch", 0]));
    assert_eq!(json["corrections"][1], serde_json::json!([0, 3, "vertical_stretch", 0]));
    assert_eq!(
        (&json["state"], &json["fixed"], &json["counts"]["corrections"]),
        (&"rest".into(), &serde_json::json!([0]), &5.into())
    );
}

/// Greatest relative difference between tether and straight line to its root; checks that the root is the nearest.
fn flat_error(garment: &Garment, fixed: &[ParticleId]) -> f64 {
    let (topology, _) = stages(garment);
    let distance = |a: ParticleId, b: ParticleId| {
        topology.positions[a.index()].as_dvec3().distance(topology.positions[b.index()].as_dvec3())
    };
    let tethers = tethers(&topology, fixed);
    let error = |(p, tether): (usize, &Option<Tether>)| {
        let p = ParticleId(p as u32);
        let tether = tether.unwrap();
        let straight = fixed.iter().map(|&f| distance(p, f)).fold(f64::INFINITY, f64::min);
        assert!(f64::from(tether.length) >= distance(p, tether.root), "{p:?} {tether:?}");
        if straight == 0.0 { f64::from(tether.length) } else { f64::from(tether.length) / straight - 1.0 }
    };
    tethers.iter().enumerate().map(error).fold(0.0, f64::max)
}

fn jittered(mut garment: Garment, amount: f32) -> Garment {
    let mut coin = Coin(11);
    for p in &mut garment.positions {
        let mut random = || (coin.toss(1000) as f32 / 500.0 - 1.0) * amount / 40.0;
        *p += Vec3::new(random(), random(), 0.0);
    }
    garment
}

#[test]
fn tethers_on_flat_cloth_are_straight_lines() {
    let row: Vec<ParticleId> = (0..41).map(ParticleId).collect();
    for fixed in [&CORNERS[..], &[ParticleId(840)], &row] {
        for garment in [
            grid(41, 41),
            triangulated(&grid(41, 41), Diagonals::Fixed, Some(1)),
            jittered(grid(41, 41), 0.3),
            jittered(triangulated(&grid(41, 41), Diagonals::Random(2), None), 0.4),
        ] {
            let error = flat_error(&garment, fixed);
            println!("{} roots: {:.5} %", fixed.len(), error * 100.0);
            assert!(error < 0.0005, "{error}");
        }
    }
}

#[test]
fn tethers_run_around_a_tube() {
    let (topology, _) = stages(&tube(100, 30));
    let tethers = tethers(&topology, &[ParticleId(0)]);
    for (p, tether) in tethers.iter().enumerate() {
        let around = (p % 100).min(100 - p % 100) as f64 * 2.0 * libm::sin(std::f64::consts::PI / 100.0);
        let down = (p / 100) as f64 * 0.1;
        let unrolled = (around * around + down * down).sqrt();
        let length = f64::from(tether.unwrap().length);
        assert!((length - unrolled).abs() <= 1e-4 * unrolled + 1e-6, "{p}: {length} {unrolled}");
    }
}

#[test]
fn a_symmetric_cloth_has_symmetric_tethers() {
    let mut garment = triangulated(&grid(21, 21), Diagonals::Fixed, None);
    for p in &mut garment.positions {
        *p += Vec3::Z * ((p.x - 0.5) * (p.x - 0.5) + 0.3 * p.y * p.y);
    }
    let (topology, _) = stages(&garment);
    let tethers = tethers(&topology, &[ParticleId(0), ParticleId(20)]);
    for p in 0..441 {
        let mirrored = p / 21 * 21 + 20 - p % 21;
        let (a, b) = (tethers[p].unwrap().length, tethers[mirrored].unwrap().length);
        assert!((a - b).abs() <= 1e-5 * a, "{p}: {a} {b}");
    }
}

#[test]
fn tethers_of_contacts_end_at_their_limit() {
    let (topology, _) = stages(&grid(41, 41));
    let geodesics = Geodesics::new(&topology);
    let (near, all) = (geodesics.tethers_within(&[ParticleId(840)], 0.2), geodesics.tethers(&[ParticleId(840)]));
    for (near, all) in near.iter().zip(&all) {
        assert_eq!(*near, all.filter(|t| t.length <= 0.2));
    }
}

#[test]
fn gravity_may_point_anywhere() {
    let (topology, springs) = stages(&grid(11, 11));
    let options = MapOptions { gravity: DVec3::X * 9.81, ..MapOptions::default() };
    let column: Vec<ParticleId> = (0..11).map(|i| ParticleId(11 * i)).collect();
    let map = CorrectionMap::build("flag", &column, &topology, &springs, &options);
    assert!(map.corrections.iter().all(|c| c.goal.0 == c.source.0 + 1 && c.kind == CorrectionKind::VerticalStretch));
}
