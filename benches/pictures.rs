//! A frame of a preview on one thread: `cargo bench --bench pictures`.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use toile::geometry::{Aabb, Vec3};
use toile::preview::{Camera, Mark, Mesh, Paint, Pen, Scene, Smoothing, View, from_srgb, render, shoot};

/// Vertices around and upwards of a ruffled skirt: 40 000 triangles.
const AROUND: u32 = 200;
const UP: u32 = 101;

fn skirt() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let place = |index: u32| {
        let angle = (index % AROUND) as f32 / AROUND as f32 * std::f32::consts::TAU;
        let up = (index / AROUND) as f32 / (UP - 1) as f32;
        let radius = 0.12 + 0.35 * (1.0 - up) * (1.0 + 0.2 * libm::sinf(12.0 * angle));
        Vec3::new(radius * libm::cosf(angle), 0.1 + 0.9 * up, radius * libm::sinf(angle))
    };
    let cell = |index: u32| {
        let (next, above) = (index / AROUND * AROUND + (index + 1) % AROUND, index + AROUND);
        [[index, next, above], [next, next + AROUND, above]]
    };
    ((0..AROUND * UP).map(place).collect(), (0..AROUND * (UP - 1)).flat_map(cell).collect())
}

fn frames(criterion: &mut Criterion) {
    let (positions, triangles) = skirt();
    let smoothing = Smoothing::none(positions.len());
    let bounds = Aabb::around(&positions);
    let mut group = criterion.benchmark_group("frame");
    for size in [480, 960] {
        let camera = Camera::around(&bounds, View::ThreeQuarter, [size; 2]);
        group.bench_function(BenchmarkId::new("shaded", size), |b| {
            b.iter(|| {
                let normals = smoothing.normals(&positions, &triangles);
                let mesh = Mesh { positions: &positions, triangles: &triangles, normals, paint: Paint::cloth() };
                render(&Scene::standing(vec![mesh], &bounds), black_box(&camera), [size; 2])
            });
        });
        let normals = smoothing.normals(&positions, &triangles);
        let mesh = Mesh { positions: &positions, triangles: &triangles, normals, paint: Paint::cloth() };
        let shot = shoot(&Scene::standing(vec![mesh], &bounds), &camera, [size; 2]);
        let pen = Pen::new(from_srgb([0, 0, 0]), 1.0);
        let line = |[a, b, _]: &[u32; 3]| Mark::Line([*a, *b].map(|v| positions[v as usize]), pen);
        let lines: Vec<Mark> = triangles.iter().map(line).collect();
        group.bench_function(BenchmarkId::new("lines", size), |b| b.iter(|| shot.clone().draw(black_box(&lines))));
    }
}

criterion_group!(benches, frames);
criterion_main!(benches);
