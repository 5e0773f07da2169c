//! Whole simulations: `cargo bench --bench workloads`. The time is that of all frames.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use toile::assets::{PlainSheet, SheetPlane};
use toile::body::Body;
use toile::correction::CorrectionMap;
use toile::geometry::{DVec3, Vec3};
use toile::import::{self, FileFrame, Garment, obj};
use toile::pins::{PinCarrier, PinSelector, Pins, bind, select};
use toile::simulate::{Collider, FrameRate, Parameters, Setup, Shape, StartPose, Timeline, run};
use toile::springs::SpringNetwork;
use toile::topology::{self, Topology};

/// Frames of the walk, at 30 a second.
const WALK: i64 = 12;
/// Frames of sheets, at 60 a second.
const SHEET: i64 = 30;

struct Workload {
    topology: Topology,
    springs: SpringNetwork,
    map: CorrectionMap,
    pins: Pins,
    body: Option<Body>,
    parameters: Parameters,
    timeline: Timeline,
    start: StartPose,
}

impl Workload {
    fn new(garment: &Garment, body: Option<Body>, pin: &str, parameters: Parameters) -> Workload {
        let topology = topology::build(garment).expect("a garment");
        let selector: PinSelector = pin.parse().expect("a selector");
        let pinned = select(&[selector], garment, &topology, None).expect("vertices");
        let (topology, pinned) = topology.numbered(&pinned);
        let springs = SpringNetwork::build(&topology);
        let posed = body.as_ref().map(|b| (b, toile::body::Moment::Bind));
        let carrier = if posed.is_some() { PinCarrier::Body } else { PinCarrier::World };
        let pins = bind(pinned, &carrier, garment, &topology, posed).expect("pins");
        let map = CorrectionMap::build("all", &pins.particles, &topology, &springs, &parameters.map_options());
        let (last, fps) = if body.is_some() { (WALK, 30) } else { (SHEET, 60) };
        let timeline = Timeline { first: 0, last, fps: FrameRate::whole(fps), start_frame: 1 };
        let start = if body.is_some() { StartPose::Bind } else { StartPose::First };
        Workload { topology, springs, map, pins, body, parameters, timeline, start }
    }

    fn sheet(n: u32, height: f64, pin: &str, parameters: Parameters) -> Workload {
        let middle = DVec3::new(0.0, height, -0.5);
        let plane = SheetPlane::Horizontal;
        let text = PlainSheet { columns: n, rows: n, width: 1.0, height: 1.0, plane, middle }.to_obj();
        let garment = obj::read_garment(text.as_bytes(), "sheet", FileFrame::default()).expect("a sheet");
        Workload::new(&garment, None, pin, parameters)
    }

    fn run(&self) -> usize {
        let setup = Setup {
            topology: &self.topology,
            springs: &self.springs,
            maps: std::slice::from_ref(&self.map),
            body: self.body.as_ref(),
            pins: &self.pins,
            parameters: &self.parameters,
            timeline: &self.timeline,
            start: self.start,
        };
        run(&setup, &mut |_| ControlFlow::Continue(())).expect("cloth that holds together").cache.frames.len()
    }
}

fn plain() -> Parameters {
    Parameters { preroll: 0, ..Parameters::default() }
}

fn hung(n: u32) -> Workload {
    Workload::sheet(n, 1.5, &format!("vertex:0,{}", n - 1), plain())
}

fn draped() -> Workload {
    let collider = |name: &str, shape| Collider { name: name.into(), shape, joint: None };
    let ball = Shape::Sphere { centre: Vec3::new(0.0, 0.3, 0.0), radius: 0.3 };
    let ground = Shape::Plane { point: Vec3::ZERO, normal: Vec3::Y };
    let colliders = vec![collider("ball", ball), collider("ground", ground)];
    Workload::sheet(41, 0.65, "none", Parameters { colliders, ..plain() })
}

fn walking() -> Workload {
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    let garment = import::read_garment(&meshes.join("short_skirt.obj"), FileFrame::default()).expect("the skirt");
    let asset = import::read_body(&meshes.join("walker.glb"), FileFrame::default()).expect("the walker");
    let body = Body::new(asset, Some("walk")).expect("the clip");
    Workload::new(&garment, Some(body), "loop:top", Parameters { preroll: 10, ..Parameters::default() })
}

fn workloads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("workloads");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for (name, workload) in
        [("hang_41", hung(41)), ("hang_101", hung(101)), ("drape_41", draped()), ("short_skirt_walk", walking())]
    {
        group.bench_function(name, |b| b.iter(|| workload.run()));
    }
}

criterion_group!(simulations, workloads);
criterion_main!(simulations);
