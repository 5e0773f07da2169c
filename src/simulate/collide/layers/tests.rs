use super::find::NEAREST;
use super::*;
use crate::pins::Pins;
use crate::topology::{build, grids};
use proptest::prelude::*;

/// A sheet one metre wide rolled up, unstretched, as a scroll of `turns` turns that are `pitch` metres apart.
fn scroll(topology: &Topology, turns: f32, pitch: f32) -> Vec<Vec3> {
    let growth = pitch / std::f32::consts::TAU;
    let most = turns * std::f32::consts::TAU;
    let core = (1.0 - 0.5 * growth * most * most) / most;
    let roll = |p: &Vec3| {
        let angle = ((core * core + 2.0 * growth * p.x).sqrt() - core) / growth;
        let radius = core + growth * angle;
        Vec3::new(radius * libm::cosf(angle), radius * libm::sinf(angle), p.y)
    };
    topology.positions.iter().map(roll).collect()
}

/// Cloth that was at these places a substep ago, too.
fn at_rest(topology: &Topology, places: &[Vec3]) -> Cloth {
    let mut cloth = Cloth::at_rest(topology, &Pins::default(), 0.1);
    for (point, place) in cloth.points.iter_mut().zip(places) {
        point.at = *place;
    }
    cloth.start_substep(1.0 / 300.0);
    cloth
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_look_misses_no_pair_of_a_folded_sheet(turns in 0.3f32..2.5, pitch in 0.2f32..1.5) {
        let topology = build(&grids::grid(24, 9)).expect("a grid");
        let mut layers = Layers::new(&topology);
        let cloth = at_rest(&topology, &scroll(&topology, turns, pitch * layers.gap));
        layers.look(&cloth);
        let found = layers.pairs.clone();
        for particle in 0..cloth.len() as u32 {
            let triangles = layers.folds.triangles().len();
            let asks = |t: &u32| layers.particles.of(*t).contains(&particle);
            let asking = (0..triangles as u32).find(asks).expect("one asks for it");
            let others = (0..triangles as u32).filter(|&t| t != asking && !layers.are_beside(asking, t));
            let all = others.filter_map(|t| layers.pair_of(particle, t, &cloth));
            let mut all: Vec<(f32, u32)> = all.map(|pair| (pair.distance, pair.triangle)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let expected: Vec<u32> = all.into_iter().take(NEAREST).map(|(_, t)| t).collect();
            let pairs: Vec<u32> =
                found.iter().filter(|p| p.particle == particle).map(|p| p.triangle).collect();
            prop_assert_eq!(pairs, expected, "of particle {}", particle);
        }
    }
}

#[test]
fn a_look_finds_what_gets_near_before_the_next_on_the_side_where_it_is_now() {
    let topology = build(&grids::grid(33, 33)).expect("a grid");
    let mut layers = Layers::new(&topology);
    let places = dipping_fold(&topology, Vec3::INFINITY);
    let mut cloth = at_rest(&topology, &places);
    layers.look(&cloth);
    assert!(layers.pairs.is_empty(), "5 cm apart");
    // The upper layer comes down so fast that it is below the lower one half way to the next look.
    let comes_down = |place: &Vec3| if place.z > 0.04 { -0.015 } else { 0.0 };
    for (point, place) in cloth.points.iter_mut().zip(&places) {
        point.at.z += comes_down(place);
    }
    layers.look(&cloth);
    assert!(layers.pairs.len() > 100, "{}", layers.pairs.len());
    for pair in &layers.pairs {
        let [a, b, c] = cloth.places(layers.folds.triangles()[pair.triangle as usize]);
        let [particle] = cloth.places([pair.particle]);
        let lift = (particle - a).dot((b - a).cross(c - a));
        assert!(lift * pair.side >= 0.0, "{pair:?}");
    }
}

#[test]
fn a_flat_sheet_has_no_pairs_to_look_at() {
    let topology = build(&grids::grid(33, 33)).expect("a grid");
    let mut layers = Layers::new(&topology);
    layers.folds.refit(&topology.positions);
    assert!(layers.folds.pairs_of_leaves(layers.gap).pairs.is_empty());
}

/// A sheet of one metre whose right half lies turned over on its left one, 5 cm above it, and dips 5 mm below it around
/// the place `dip` of its rest shape.
fn dipping_fold(topology: &Topology, dip: Vec3) -> Vec<Vec3> {
    let place = |p: &Vec3| {
        let over = (p.x - 0.5).max(0.0);
        let radius = 0.025;
        let angle = (over / radius).min(std::f32::consts::PI);
        let back = over - radius * angle;
        let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
        let off = p.distance(dip);
        let depth = if back > 0.0 { 0.055 * (1.0 - off * off / 0.01).max(0.0) } else { 0.0 };
        Vec3::new(p.x.min(0.5) + radius * sin - back, p.y, radius * (1.0 - cos) - depth)
    };
    topology.positions.iter().map(place).collect()
}

/// How many edges go through triangles before and after so many substeps with no other force, with a look every time.
fn tangles_before_and_after(places: &[Vec3], topology: &Topology, substeps: usize) -> [usize; 2] {
    let mut layers = Layers::new(topology);
    let mut cloth = at_rest(topology, places);
    let touch = Touch { thickness: 1e-3, friction: 0.3, rise: 1e-3 };
    layers.look(&cloth);
    let before = layers.tangles.count();
    for _ in 0..substeps {
        cloth.start_substep(1.0 / 300.0);
        layers.look(&cloth);
        layers.collide(&mut cloth, touch, 1.0 / 300.0);
    }
    layers.look(&cloth);
    [before, layers.tangles.count()]
}

#[test]
fn a_layer_that_starts_dipped_through_another_comes_out() {
    let topology = build(&grids::grid(33, 33)).expect("a grid");
    let [low, high] = [topology.positions[0], topology.positions[33 * 33 - 1]];
    let middle = low.midpoint(high);
    for halvings in [0, 2] {
        let (topology, _) = topology.clone().halved(halvings, &[]);
        // In the middle of the layer, where the contour is closed, and at its hem, where it is open.
        for x in [0.8, 1.0] {
            let dip = Vec3::new(low.x + x, middle.y, middle.z);
            let places = dipping_fold(&topology, dip);
            let [before, after] = tangles_before_and_after(&places, &topology, 200);
            assert!(before > 3, "{before} with the dip at {x}");
            assert_eq!(after, 0, "of {before} with the dip at {x}, halved {halvings} times");
        }
    }
}

#[test]
fn a_flat_sheet_stays_where_it_is() {
    let topology = build(&grids::grid(9, 9)).expect("a grid");
    let mut layers = Layers::new(&topology);
    let mut cloth = at_rest(&topology, &topology.positions);
    layers.collide(&mut cloth, Touch { thickness: 1e-3, friction: 0.3, rise: 1e-3 }, 1.0 / 300.0);
    assert_eq!(cloth.positions(), topology.positions);
}

#[test]
fn cloth_two_edges_away_is_beside_until_it_is_folded_back() {
    let topology = build(&grids::grid(9, 9)).expect("a grid");
    let mut layers = Layers::new(&topology);
    let of_column = |column: u32| {
        let is_in = |t: &[u32; 3]| t.iter().all(|p| [column, column + 1].contains(&(p % 9)) && p / 9 < 2);
        layers.folds.triangles().iter().position(is_in).expect("a triangle") as u32
    };
    let [one, other] = [of_column(2), of_column(4)];
    layers.expected.clone_from(&topology.positions);
    assert!(layers.are_beside(one, other));
    let crease = topology.positions[4].x;
    layers.expected.iter_mut().for_each(|p| p.x = crease - (p.x - crease).abs());
    assert!(!layers.are_beside(one, other));
}
