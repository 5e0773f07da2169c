use super::*;
use crate::import::Polygons;
use crate::topology::grids::{Diagonals, grid, triangulated};

fn counts(springs: &SpringNetwork) -> [usize; 3] {
    [springs.stretch.len(), springs.shear.len(), springs.bend.len()]
}

fn network(garment: &crate::import::Garment) -> SpringNetwork {
    SpringNetwork::build(&crate::topology::build(garment).unwrap())
}

#[test]
fn a_grid_of_quads_has_the_springs_of_the_paper() {
    let springs = network(&grid(41, 41));
    assert_eq!(counts(&springs), [3280, 3200, 6240]);
    let at = |p: ParticleId| ((p.0 % 41) as i32, (p.0 / 41) as i32);
    for spring in &springs.bend {
        let ((ax, ay), (bx, by), (mx, my)) = (at(spring.a), at(spring.b), at(spring.middle));
        let offset = ((ax - bx).abs(), (ay - by).abs());
        assert!([(2, 0), (0, 2), (2, 2)].contains(&offset), "{spring:?}");
        assert_eq!((ax + bx, ay + by), (2 * mx, 2 * my));
    }
}

#[test]
fn its_triangulations_have_the_same_springs() {
    let quads = network(&grid(41, 41));
    for diagonals in [Diagonals::Fixed, Diagonals::Alternating, Diagonals::Random(7)] {
        for shuffle in [None, Some(3)] {
            let springs = network(&triangulated(&grid(41, 41), diagonals, shuffle));
            let ends = |s: &SpringNetwork| -> Vec<_> { s.bend.iter().map(|s| (s.a, s.middle, s.b)).collect() };
            assert_eq!(springs.stretch, quads.stretch, "{diagonals:?} {shuffle:?}");
            assert_eq!(springs.shear, quads.shear, "{diagonals:?} {shuffle:?}");
            assert_eq!(ends(&springs), ends(&quads), "{diagonals:?} {shuffle:?}");
        }
    }
}

#[test]
fn an_n_gon_has_every_second_diagonal_as_shear() {
    let mut garment = grid(2, 3);
    garment.polygons = Polygons::default();
    garment.polygons.push(&[0, 1, 3, 5, 4, 2]);
    assert_eq!(counts(&network(&garment)), [6, 6, 0]);
}

#[test]
fn a_narrow_tube_has_no_two_springs_between_the_same_particles() {
    for around in [3, 4, 5] {
        let springs = network(&crate::topology::grids::tube(around, 6));
        let pairs = springs.stretch.iter().chain(&springs.shear).map(|s| [s.a, s.b]);
        let mut all: Vec<_> = pairs.chain(springs.bend.iter().map(|s| [s.a, s.b])).collect();
        assert!(all.iter().all(|[a, b]| a < b));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}

#[test]
fn diagonals_of_paired_triangles_are_found_and_those_of_quads_are_not() {
    use crate::topology::grids::{Diagonals, grid, triangulated};
    let found = |garment| {
        let topology = crate::topology::build(&garment).expect("a grid");
        let shear = SpringNetwork::build(&topology).shear;
        (diagonals_of_paired(&topology, &shear).len(), shear.len())
    };
    assert_eq!(found(grid(6, 5)), (0, 40));
    assert_eq!(found(triangulated(&grid(6, 5), Diagonals::Alternating, None)), (40, 40));
}
