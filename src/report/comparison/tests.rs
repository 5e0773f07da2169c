use super::*;
use crate::body::Moment;
use crate::geometry::Vec3;
use crate::import::{FileFrame, Garment, obj};
use crate::simulate::{Collider, FrameRate, PointCache, Shape, Timeline};
use crate::springs::SpringNetwork;
use crate::topology::{self, Topology};

const QUAD: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n";

fn garment() -> (Garment, Topology, SpringNetwork) {
    let garment = obj::read_garment(QUAD.as_bytes(), "quad", FileFrame::default()).unwrap();
    let topology = topology::build(&garment).unwrap();
    let springs = SpringNetwork::build(&topology);
    (garment, topology, springs)
}

/// The quad in frames a second apart, each drawn out along x to the given width.
fn simulation(topology: &Topology, widths: &[f32]) -> Simulation {
    let frame = |&width: &f32| topology.positions.iter().map(|p| Vec3::new(p.x * width, p.y, p.z)).collect();
    let frames: Vec<Vec<Vec3>> = widths.iter().map(frame).collect();
    let timeline = Timeline { first: 3, last: 2 + frames.len() as i64, fps: FrameRate::whole(1), start_frame: 1 };
    Simulation { cache: PointCache { timeline, frames }, ..Simulation::of(timeline) }
}

fn of(method: &str, enforced: bool, substeps: u32) -> TrialOf {
    TrialOf { method: method.to_owned(), integrator: "xpbd".to_owned(), enforced, substeps, ..TrialOf::default() }
}

/// A comparison of `none`, of a method that costs twice as much, and of one that blew up before its first frame.
fn comparison() -> SceneComparison {
    let (garment, topology, springs) = garment();
    let simulation = simulation(&topology, &[1.0, 1.5, 1.25, 1.25]);
    let subject = Subject {
        scene: "a <scene> & more",
        method: Default::default(),
        garment: &garment,
        topology: &topology,
        springs: &springs,
        body: None,
        start: Moment::Bind,
        thickness: 0.002,
        simulated: Default::default(),
        cloth: &topology,
        pins: &[],
        cache: &simulation.cache,
        origin: crate::geometry::DVec3::ZERO,
        notices: [&[]; 2],
        simulation: &simulation,
        interrupted: None,
    };
    let parameters = Parameters {
        colliders: vec![Collider {
            name: "floor".to_owned(),
            shape: Shape::Plane { point: Vec3::Y * 0.01, normal: Vec3::Y },
            joint: None,
        }],
        ..Parameters::default()
    };
    let mut result = SceneComparison::new(&subject, "words", "a paper", BTreeMap::new());
    let trial = |of, times: &[f64]| Trial::measure(of, None, &subject, &parameters, &[]).with_times(times);
    result.trials.push(trial(of("none", false, 4), &[0.5, 2.0, 1.0, 9.0]));
    result.trials.push(trial(of("provot:2", true, 4), &[0.5, 4.0, 4.0, 4.0]));
    let nothing =
        Simulation { cache: PointCache { frames: Vec::new(), ..simulation.cache.clone() }, ..simulation.clone() };
    let diverged = Divergence { frame: 3, reason: "its position is no number".to_owned() };
    let subject = Subject { cache: &nothing.cache, simulation: &nothing, ..subject };
    result
        .trials
        .push(Trial::measure(of("rk4/none", false, 4), Some(diverged), &subject, &parameters, &[]).with_times(&[]));
    result.compare_times();
    result
}

#[test]
fn figures_of_a_quad_that_is_drawn_out() {
    let comparison = comparison();
    let trial = &comparison.trials[0];
    let stretch = trial.stretch.as_ref().unwrap();
    assert_eq!(trial.milliseconds_per_frame, Some(2.0));
    assert_eq!((stretch.max, stretch.peak_frame), (0.5, 4));
    assert_eq!(stretch.p95_of_frames, [0.0, 0.5, 0.25, 0.25]);
    assert_eq!(stretch.last_half, StretchFigures { p50: 0.0, p95: 0.25, max: 0.25 });
    assert_eq!(trial.rest, Some(Rest { seconds: 2.0, milliseconds: 3.5, index: 2 }));
    let inside = trial.inside.unwrap();
    assert_eq!(inside.vertex_frames, 16);
    assert!((inside.max_mm - 10.0).abs() < 1e-5);
    assert!(trial.energy.as_ref().unwrap().rise_j_kg >= 0.0);
}

#[test]
fn overhead_is_against_the_same_integrator_with_nothing_enforced() {
    let trials = comparison().trials;
    assert_eq!([trials[0].overhead, trials[1].overhead, trials[2].overhead], [None, Some(1.0), None]);
}

#[test]
fn a_method_that_blows_up_at_once_is_a_row_like_any_other() {
    let comparison = comparison();
    assert!(comparison.trials[2].stretch.is_none());
    let table = comparison.to_string();
    let last = table.lines().last().unwrap();
    assert!(last.starts_with("rk4/none") && last.ends_with("blew up at frame 3: its position is no number"), "{table}");
}

#[test]
fn the_table_is_aligned_and_leaves_out_columns_that_say_nothing() {
    let table = comparison().to_string();
    let rows: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("method")).collect();
    assert_eq!(rows.len(), 4);
    assert!(!rows[0].contains("jitter"), "four frames have no jitter: {table}");
    let end = |row: &str, cell: &str| row.find(cell).unwrap() + cell.len();
    assert_eq!(end(rows[0], "ms/frame"), end(rows[1], "2.000"));
    assert_eq!(end(rows[0], "over none"), end(rows[2], "+100 %"));
}

#[test]
fn the_picture_is_xml_with_one_curve_a_method() {
    let comparison = comparison();
    let text = picture(&[comparison.clone(), comparison]);
    let document = roxmltree::Document::parse(&text).unwrap();
    let named =
        |name: &str| document.descendants().filter(|n| n.has_tag_name(("http://www.w3.org/2000/svg", name))).count();
    assert_eq!(named("polyline"), 6);
    assert_eq!(named("circle"), 4, "a dot for each method that finished frames");
    let title = document.descendants().find(|n| n.text() == Some("a <scene> & more"));
    assert!(title.is_some(), "names are escaped");
    assert!(!text.contains("NaN") && !text.contains("inf"));
}

#[test]
fn the_keys_of_the_json_are_stable() {
    let json = serde_json::to_value(comparison()).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&json), "description frames garment maps scene source springs trials");
    let trial = &json["trials"][0];
    assert_eq!(
        keys(trial),
        "diverged energy enforced inside integrator method milliseconds_per_frame motion near notices order overhead passes rest states stretch substeps switches"
    );
    assert_eq!(keys(&trial["stretch"]), "last_half max p50 p95 p95_of_frames peak_frame");
    assert_eq!(keys(&trial["energy"]), "end_j_kg rise_j_kg strain_j_kg");
    assert_eq!(json["trials"][2]["diverged"]["frame"], 3);
}
