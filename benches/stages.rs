//! Each stage of a bake on generated sheets: `cargo bench --bench stages`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write as _;
use std::hint::black_box;
use toile::correction::{CorrectionMap, Geodesics, MapOptions};
use toile::geometry::{Bvh, SurfaceTree, Vec3};
use toile::import::{FileFrame, Garment, obj};
use toile::springs::SpringNetwork;
use toile::topology::{self, ParticleId, Topology};

/// Particles along an edge of the sheets.
const SIZES: [usize; 2] = [41, 101];

/// The OBJ file of a sheet of `n` x `n` vertices, a metre wide.
fn file(n: usize) -> String {
    let mut text = String::new();
    let step = 1.0 / (n - 1) as f32;
    for i in 0..n * n {
        writeln!(text, "v {} 1.5 {}", (i % n) as f32 * step, (i / n) as f32 * step).expect("a string grows");
    }
    for i in (0..n * (n - 1)).filter(|i| i % n < n - 1) {
        writeln!(text, "f {} {} {} {}", i + 1, i + n + 1, i + n + 2, i + 2).expect("a string grows");
    }
    text
}

fn garment(n: usize) -> Garment {
    obj::read_garment(file(n).as_bytes(), "sheet", FileFrame::default()).expect("a sheet")
}

fn sheet(n: usize) -> (Topology, SpringNetwork, [ParticleId; 2]) {
    let topology = topology::build(&garment(n)).expect("a sheet");
    let springs = SpringNetwork::build(&topology);
    (topology, springs, [ParticleId(0), ParticleId(n as u32 - 1)])
}

fn building(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build");
    for n in SIZES {
        let (text, garment, (topology, springs, pins)) = (file(n), garment(n), sheet(n));
        group.throughput(Throughput::Elements((n * n) as u64));
        group.bench_function(BenchmarkId::new("import_obj", n), |b| {
            b.iter(|| obj::read_garment(black_box(text.as_bytes()), "sheet", FileFrame::default()));
        });
        group.bench_function(BenchmarkId::new("topology", n), |b| b.iter(|| topology::build(black_box(&garment))));
        group.bench_function(BenchmarkId::new("springs", n), |b| b.iter(|| SpringNetwork::build(black_box(&topology))));
        group.bench_function(BenchmarkId::new("map", n), |b| {
            b.iter(|| CorrectionMap::build("all", &pins, &topology, &springs, &MapOptions::default()));
        });
        group.bench_function(BenchmarkId::new("tethers", n), |b| b.iter(|| Geodesics::new(&topology).tethers(&pins)));
    }
}

fn trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("trees");
    for n in SIZES {
        let (topology, ..) = sheet(n);
        let triangles: Vec<[u32; 3]> = topology.triangles.iter().map(|t| t.map(|p| p.0)).collect();
        let positions = &topology.positions;
        let points: Vec<Vec3> = positions.iter().map(|p| *p + Vec3::new(0.003, 0.01, 0.002)).collect();
        let (mut bvh, mut tree) = (Bvh::build(positions, &triangles), SurfaceTree::build(positions, &triangles));
        group.throughput(Throughput::Elements((n * n) as u64));
        group.bench_function(BenchmarkId::new("bvh_build", n), |b| b.iter(|| Bvh::build(positions, &triangles)));
        group.bench_function(BenchmarkId::new("bvh_refit", n), |b| b.iter(|| bvh.refit(positions, &triangles)));
        group.bench_function(BenchmarkId::new("surface_refit", n), |b| b.iter(|| tree.refit(positions)));
        group.bench_function(BenchmarkId::new("surface_closest", n), |b| {
            let closest = |&p: &Vec3| tree.closest_where(p, 0.02, positions, &triangles, |_| true);
            b.iter(|| points.iter().filter_map(closest).count());
        });
    }
}

criterion_group!(stages, building, trees);
criterion_main!(stages);
