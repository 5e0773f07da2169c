//! What the garments and the still bodies promise.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::figure::Figure;
use super::implicit::Field;
use super::pattern::Pattern;
use super::surface::Surface;
use super::{patterns, skin_surface};
use crate::geometry::{DVec3, Vec3, closest_point_on_triangle};

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(&Figure::new()));
static SKIN: LazyLock<Surface> = LazyLock::new(|| skin_surface(&Figure::new()));

fn pattern(name: &str) -> &'static Pattern {
    PATTERNS.iter().find(|p| p.name == name).unwrap_or_else(|| panic!("no pattern {name}"))
}

/// Directed sides of the faces with their number of uses.
fn sides(pattern: &Pattern) -> BTreeMap<(usize, usize), usize> {
    let mut sides = BTreeMap::new();
    for face in pattern.groups.iter().flat_map(|group| &group.faces) {
        for (corner, [from, _]) in face.iter().enumerate() {
            *sides.entry((*from, face[(corner + 1) % face.len()][0])).or_default() += 1;
        }
    }
    sides
}

fn boundary_loops(pattern: &Pattern) -> usize {
    let sides = sides(pattern);
    let free = sides.keys().filter(|&&(from, to)| !sides.contains_key(&(to, from)));
    let mut next: BTreeMap<usize, usize> = free.copied().collect();
    let mut loops = 0;
    while let Some((&start, _)) = next.iter().next() {
        loops += 1;
        let mut at = start;
        while let Some(to) = next.remove(&at) {
            at = to;
        }
    }
    loops
}

/// Distance of vertices that are near the skin, metres.
fn near_distances(pattern: &Pattern) -> Vec<(usize, f64)> {
    const NEAR: f32 = 0.06;
    let figure = Figure::new();
    let triangles: Vec<[Vec3; 3]> =
        SKIN.triangles.iter().map(|t| t.map(|v| SKIN.positions[v as usize].as_vec3())).collect();
    let near = pattern.positions.iter().enumerate().filter(|(_, p)| figure.value(**p) < f64::from(NEAR));
    near.map(|(vertex, p)| {
        let p = p.as_vec3();
        let beside = triangles.iter().filter(|t| t[0].distance_squared(p) < (2.0 * NEAR) * (2.0 * NEAR));
        let distance = beside.map(|&t| closest_point_on_triangle(p, t).point.distance(p)).fold(f32::INFINITY, f32::min);
        (vertex, f64::from(distance))
    })
    .collect()
}

#[test]
fn garments_keep_five_millimetres_off_the_skin() {
    let figure = Figure::new();
    for name in ["long_skirt", "short_skirt", "cape", "tunic"] {
        let garment = pattern(name);
        assert!(garment.positions.iter().all(|&p| figure.value(p) > 0.0), "{name} has a vertex inside the body");
        for (vertex, distance) in near_distances(garment) {
            assert!(distance > 0.005, "{name}: vertex {vertex} is {distance} m from the skin");
        }
    }
}

#[test]
fn pinned_groups_lie_close_to_the_skin() {
    for (name, group) in
        [("long_skirt", "waistband"), ("short_skirt", "waistband"), ("cape", "collar"), ("tunic", "shoulders")]
    {
        let garment = pattern(name);
        let near: BTreeMap<usize, f64> = near_distances(garment).into_iter().collect();
        let faces = garment.groups.iter().find(|g| g.name == group).map(|g| &g.faces);
        for [vertex, _] in faces.into_iter().flatten().flatten() {
            let distance = near.get(vertex).copied().unwrap_or(f64::INFINITY);
            assert!(distance < 0.020, "{name}: {group} vertex {vertex} is {distance} m from the skin");
        }
    }
}

#[test]
fn every_mesh_is_welded_and_wound_one_way() {
    for pattern in &*PATTERNS {
        assert!(sides(pattern).values().all(|&uses| uses == 1), "{}: faces disagree on a side", pattern.name);
        let mut seen: Vec<[i64; 3]> =
            pattern.positions.iter().map(|p| p.to_array().map(|c| (c * 1e6).round() as i64)).collect();
        seen.sort_unstable();
        assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "{}: two vertices in one place", pattern.name);
    }
}

#[test]
fn garments_open_where_a_body_goes_through() {
    let openings = [("long_skirt", 2), ("short_skirt", 2), ("cape", 1), ("tunic", 4), ("flag", 1), ("curtain", 1)];
    for (name, loops) in openings.into_iter().chain([("tablecloth", 1), ("table", 0), ("pole", 0)]) {
        assert_eq!(boundary_loops(pattern(name)), loops, "{name}");
    }
}

#[test]
fn faces_look_away_from_the_body() {
    let figure = Figure::new();
    for name in ["long_skirt", "short_skirt", "cape", "tunic"] {
        let garment = pattern(name);
        for face in garment.groups.iter().flat_map(|group| &group.faces) {
            let [a, b, c] = [0, 1, 2].map(|corner| garment.positions[face[corner][0]]);
            let middle: DVec3 = (a + b + c) / 3.0;
            if figure.value(middle) < 0.012 {
                let normal = (b - a).cross(c - a).normalize();
                assert!(normal.dot(figure.gradient(middle).normalize()) > 0.3, "{name}: a face at {middle} looks in");
            }
        }
    }
}

#[test]
fn garments_have_the_size_a_baker_expects() {
    for (name, corners) in [("long_skirt", 4), ("short_skirt", 3), ("cape", 4), ("tunic", 3)] {
        let garment = pattern(name);
        assert!((4_000..8_000).contains(&garment.positions.len()), "{name}");
        assert!(garment.groups.iter().flat_map(|group| &group.faces).all(|face| face.len() == corners), "{name}");
    }
    assert_eq!(pattern("flag").positions.len(), 61 * 41);
}
