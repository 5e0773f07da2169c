//! Garments as they come: several pieces in one file, buttons, thick cloth, too few vertices or too many.

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Vertices, and groups of faces over them.
#[derive(Default)]
struct Mesh {
    vertices: Vec<[f64; 3]>,
    groups: Vec<(&'static str, Vec<Vec<usize>>)>,
}

impl Mesh {
    /// Adds a grid of quads; `at` places each vertex by its column and row. Closed ones come back to their first column.
    fn grid(
        &mut self,
        group: &'static str,
        columns: usize,
        rows: usize,
        closed: bool,
        at: impl Fn(usize, usize) -> [f64; 3],
    ) {
        let first = self.vertices.len();
        self.vertices.extend((0..rows * columns).map(|i| at(i % columns, i / columns)));
        let last = if closed { columns } else { columns - 1 };
        let quad = |(row, column): (usize, usize)| {
            let next = (column + 1) % columns;
            [(row, column), (row, next), (row + 1, next), (row + 1, column)]
                .map(|(r, c)| first + r * columns + c)
                .to_vec()
        };
        let cells = (0..rows - 1).flat_map(|row| (0..last).map(move |column| (row, column)));
        self.groups.push((group, cells.map(quad).collect()));
    }

    /// A skirt 0.8 m long.
    fn skirt(&mut self, group: &'static str, columns: usize, rows: usize, wider: f64) {
        self.grid(group, columns, rows, true, |column, row| {
            let (angle, part) = (TAU * column as f64 / columns as f64, row as f64 / (rows - 1) as f64);
            let radius = 0.15 + 0.2 * part + wider;
            [radius * libm::cos(angle), 1.0 - 0.8 * part, radius * libm::sin(angle)]
        });
    }

    /// A flat square a few centimetres wide, upright in front of the skirt.
    fn button(&mut self, group: &'static str, middle: [f64; 3]) {
        self.grid(group, 3, 3, false, |column, row| {
            let [dx, dy] = [column, row].map(|i| 0.01 * (i as f64 - 1.0));
            [middle[0] + dx, middle[1] - dy, middle[2]]
        });
    }

    fn write(&self, path: &Path) {
        let mut text = String::new();
        for [x, y, z] in &self.vertices {
            writeln!(text, "v {x:.6} {y:.6} {z:.6}").expect("a string");
        }
        for (name, faces) in &self.groups {
            writeln!(text, "g {name}").expect("a string");
            for face in faces {
                let corners: Vec<String> = face.iter().map(|v| (v + 1).to_string()).collect();
                writeln!(text, "f {}", corners.join(" ")).expect("a string");
            }
        }
        fs::write(path, text).expect("a file");
    }
}

/// Bakes `mesh`, pinned at the top, for a few frames: the report, and the vertices of the last frame.
fn bake(mesh: &Mesh, flags: &[&str]) -> (Value, Vec<[f64; 3]>) {
    let (report, places, _) = bake_aloud(mesh, flags);
    (report, places)
}

/// The same with what was said meanwhile.
fn bake_aloud(mesh: &Mesh, flags: &[&str]) -> (Value, Vec<[f64; 3]>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    mesh.write(&folder.path().join("garment.obj"));
    let line = "bake --garment garment.obj --pin loop:top --frames 0..9 --preroll 0 --out out.obj --report report.json";
    let output = Command::new(env!("CARGO_BIN_EXE_toile"))
        .args(line.split(' '))
        .args(flags)
        .current_dir(folder.path())
        .output()
        .expect("toile runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let report = fs::read(folder.path().join("report.json")).expect("a report");
    let places = places(&folder.path().join("out_0010.obj"));
    (serde_json::from_slice(&report).expect("JSON"), places, said)
}

/// The vertices of an OBJ file.
fn places(file: &Path) -> Vec<[f64; 3]> {
    let text = fs::read_to_string(file).expect("a frame");
    let place = |line: &str| {
        let mut numbers = line.split(' ').map(|n| n.parse().expect("a number"));
        [0; 3].map(|_| numbers.next().expect("three numbers"))
    };
    text.lines().filter_map(|line| line.strip_prefix("v ")).map(place).collect()
}

/// p95 and largest of the stretch.
fn stretch(report: &Value) -> [f64; 2] {
    ["p95", "max"].map(|key| report["stretch"][key].as_f64().expect("a number"))
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn parts_that_are_left_out_stay_with_the_body_and_in_the_file() {
    let mut suit = Mesh::default();
    suit.grid("Shoe_L", 4, 4, false, |column, row| [0.1 * column as f64, 0.0, 0.1 * row as f64]);
    suit.skirt("Skirt", 24, 12, 0.0);
    let (report, places) = bake(&suit, &["--exclude", "group:Shoe*"]);
    assert_eq!(places.len(), suit.vertices.len());
    assert_eq!(report["garment"]["excluded_vertices"], 16);
    assert_eq!(report["garment"]["simulated_particles"], 24 * 12);
    for (found, given) in places[..16].iter().zip(&suit.vertices) {
        assert!(distance(found, given) < 1e-6, "no body moves the shoe");
    }
    // The same skirt alone falls to the same bits.
    let mut skirt = Mesh::default();
    skirt.skirt("Skirt", 24, 12, 0.0);
    let (_, alone) = bake(&skirt, &[]);
    assert_eq!(places[16..], alone);
    let (_, included) = bake(&suit, &["--include", "group:Skirt"]);
    assert_eq!(included, places);
}

#[test]
fn a_button_keeps_its_shape_and_its_place_on_the_cloth() {
    let mut coat = Mesh::default();
    coat.skirt("Skirt", 24, 12, 0.0);
    let [x, y, z] = coat.vertices[6 * 24 + 6];
    coat.button("Button", [x, y, z + 0.004]);
    let (report, places) = bake(&coat, &[]);
    assert_eq!(report["garment"]["carried_vertices"], 9);
    let (button, given) = (&places[24 * 12..], &coat.vertices[24 * 12..]);
    for (i, j) in (0..9).flat_map(|i| (0..i).map(move |j| (i, j))) {
        assert!((distance(&button[i], &button[j]) - distance(&given[i], &given[j])).abs() < 1e-4);
    }
    let beneath = &places[6 * 24 + 6];
    assert!(distance(&button[4], beneath) < 0.008, "{:?} {beneath:?}", button[4]);
    let (as_cloth, _) = bake(&coat, &["--no-islands"]);
    assert_eq!(as_cloth["garment"]["carried_vertices"], 0);
}

#[test]
fn who_pins_a_place_on_a_button_pins_the_cloth_beneath_it() {
    let mut coat = Mesh::default();
    coat.skirt("Skirt", 24, 12, 0.0);
    let beneath = 6 * 24 + 6;
    let [x, y, z] = coat.vertices[beneath];
    coat.button("Button", [x, y, z + 0.004]);
    let way = |flags: &[&str]| distance(&bake(&coat, flags).1[beneath], &coat.vertices[beneath]);
    let [free, pinned] = [way(&[]), way(&["--pin", "vertex:292"])];
    assert!(free > 1e-3 && pinned < 1e-4, "{free} m, {pinned} m");
}

#[test]
fn both_sides_of_thick_cloth_move_as_one() {
    let mut thick = Mesh::default();
    thick.skirt("Inside", 32, 16, 0.0);
    thick.skirt("Outside", 32, 16, 0.003);
    let (report, places) = bake(&thick, &[]);
    assert_eq!(report["garment"]["carried_vertices"], 32 * 16);
    let (inside, outside) = places.split_at(32 * 16);
    for (index, (a, b)) in inside.iter().zip(outside).enumerate() {
        let given = distance(&thick.vertices[index], &thick.vertices[index + 32 * 16]);
        assert!((distance(a, b) - given).abs() < 1e-4, "vertex {index}");
    }
}

#[test]
fn a_coarse_skirt_flows_as_finer_cloth_and_a_fine_one_is_simulated_coarser() {
    let mut coarse = Mesh::default();
    coarse.skirt("Skirt", 8, 5, 0.0);
    let (report, places) = bake(&coarse, &["--simulate-as", "600"]);
    assert_eq!(places.len(), 40);
    let simulated = report["garment"]["simulated_particles"].as_u64().expect("a number");
    assert!((400..900).contains(&simulated), "{simulated}");
    assert!(report["stretch"]["max"].as_f64().expect("a number") < 0.2, "{}", report["stretch"]);

    let mut fine = Mesh::default();
    fine.skirt("Skirt", 80, 50, 0.0);
    let (report, places) = bake(&fine, &["--simulate-as", "500", "--threads", "1"]);
    assert_eq!(places.len(), 4000);
    let simulated = report["garment"]["simulated_particles"].as_u64().expect("a number");
    assert!((450..600).contains(&simulated), "{simulated}");
    let [p95, most] = stretch(&report);
    assert!(p95 < 0.03 && most < 0.25, "{}", report["stretch"]);
    for (found, given) in places[..80].iter().zip(&fine.vertices) {
        assert!(distance(found, given) < 2e-6, "pins stay where they are: {found:?} {given:?}");
    }
    let (again, _) = bake(&fine, &["--simulate-as", "500", "--threads", "2"]);
    assert_eq!(again["position_hash"], report["position_hash"]);
}

#[test]
fn a_shorter_layer_follows_the_longer_one_and_nothing_falls_off() {
    let mut dress = Mesh::default();
    dress.skirt("Long", 32, 16, 0.0);
    dress.grid("Short", 32, 8, true, |column, row| {
        let (angle, part) = (TAU * column as f64 / 32.0, row as f64 / 15.0);
        let radius = 0.154 + 0.2 * part;
        [radius * libm::cos(angle), 1.0 - 0.8 * part, radius * libm::sin(angle)]
    });
    let (report, _) = bake(&dress, &[]);
    assert_eq!(report["garment"]["carried_vertices"], 32 * 8);
    let [p95, most] = stretch(&report);
    assert!(p95 < 0.04 && most < 0.25, "{}", report["stretch"]);
}

#[test]
fn seams_stay_closed_to_the_bit_whatever_is_simulated() {
    // The last column is the first again, with vertices of its own.
    let mut skirt = Mesh::default();
    skirt.grid("Skirt", 41, 20, false, |column, row| {
        let (angle, part) = (TAU * (column % 40) as f64 / 40.0, row as f64 / 19.0);
        let radius = 0.15 + 0.2 * part;
        [radius * libm::cos(angle), 1.0 - 0.8 * part, radius * libm::sin(angle)]
    });
    for flags in [&[][..], &["--simulate-as", "200"], &["--simulate-as", "4000"]] {
        let (report, places) = bake(&skirt, flags);
        assert_eq!(report["garment"]["boundary_loops"], 2, "the seam is no boundary");
        (0..20).for_each(|row| assert_eq!(places[row * 41], places[row * 41 + 40], "{flags:?}"));
        let [p95, most] = stretch(&report);
        assert!(p95 < 0.03 && most < 0.25, "{flags:?} {}", report["stretch"]);
    }
}

/// A skirt of two panels whose sides are 2 mm apart, the back one cut twice as finely.
fn panelled_skirt() -> Mesh {
    let mut skirt = Mesh::default();
    for (name, finer, turn) in [("Front", 1, 0.0), ("Back", 2, TAU / 2.0)] {
        let [columns, rows] = [12 * finer + 1, 15 * finer + 1];
        skirt.grid(name, columns, rows, false, |column, row| {
            let [across, part] = [column as f64 / (columns - 1) as f64, row as f64 / (rows - 1) as f64];
            let radius = 0.15 + 0.2 * part;
            let angle = turn + 0.001 / radius + (TAU / 2.0 - 0.002 / radius) * across;
            [radius * libm::cos(angle), 1.0 - 0.8 * part, radius * libm::sin(angle)]
        });
    }
    skirt
}

#[test]
fn panels_a_little_apart_hang_together_as_one_skirt() {
    let skirt = panelled_skirt();
    let widest = |places: &[[f64; 3]]| {
        let gap = |row: usize| {
            let [front, back] = [13 * row, 16 * 13 + 50 * row];
            distance(&places[front], &places[back + 24]).max(distance(&places[front + 12], &places[back]))
        };
        (0..16).map(gap).fold(0.0, f64::max)
    };
    assert!((widest(&skirt.vertices) - 0.002).abs() < 1e-4);
    for flags in [&[][..], &["--simulate-as", "300"]] {
        let (report, places, said) = bake_aloud(&skirt, flags);
        assert!(said.contains("sewn together"), "{said}");
        assert!(widest(&places) < 0.004, "{flags:?}: {} m", widest(&places));
        assert!(stretch(&report)[1] < 0.25, "{}", report["stretch"]);
        let (_, open, said) = bake_aloud(&skirt, &[flags, &["--no-seams"]].concat());
        assert!(!said.contains("sewn") && widest(&open) > 0.01, "{flags:?}: {} m", widest(&open));
    }
}

#[test]
fn a_mesh_full_of_faults_hangs_as_the_clean_one_and_the_faults_are_named() {
    let mut clean = Mesh::default();
    clean.skirt("Skirt", 32, 16, 0.0);
    let mut faulty = Mesh::default();
    faulty.skirt("Skirt", 32, 16, 0.0);
    let faces = &mut faulty.groups[0].1;
    faces.iter_mut().step_by(7).for_each(|face| face.reverse());
    let again: Vec<Vec<usize>> = faces.iter().skip(50).take(9).cloned().collect();
    faces.extend(again);
    faces.push(vec![40, 40, 41]);
    let loose = faulty.vertices.len();
    faulty.vertices.extend([[0.3, 0.5, 0.0], [9.0, 9.0, 9.0]]);
    let (report, given) = bake(&clean, &[]);
    let (faulty_report, places, said) = bake_aloud(&faulty, &[]);
    for word in ["wound against", "three different corners", "an earlier face", "belong to no face"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!((stretch(&faulty_report)[0] - stretch(&report)[0]).abs() < 0.005);
    assert!(stretch(&faulty_report)[1] < 0.25);
    assert_eq!(places.len(), loose + 2);
    assert_eq!(places[loose + 1], [9.0, 9.0, 9.0]);
    let furthest = given.iter().zip(&places).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
    assert!(furthest < 0.05, "{furthest}");
}

/// What `toile` prints as JSON of a garment beside the walker, run in a folder.
fn beside_walker(folder: &Path, command: &str, garment: &Path, flags: &str) -> Value {
    serde_json::from_slice(&output_beside_walker(folder, command, garment, flags).stdout).expect("JSON")
}

/// The same with all that it prints.
fn output_beside_walker(folder: &Path, command: &str, garment: &Path, flags: &str) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_toile"))
        .args([command, "--json", "--garment"])
        .arg(garment)
        .arg("--body")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/walker.glb"))
        .args(flags.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("toile runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

#[test]
fn a_skirt_simulated_coarser_stays_out_of_walking_legs() {
    let skirt = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/long_skirt.obj");
    let folder = tempfile::tempdir().expect("a folder");
    let flags = "--animation walk --pin group:waistband --frames 0..6 --preroll 10 --simulate-as 900 --out out.pc2";
    let report = beside_walker(folder.path(), "bake", &skirt, flags);
    let [p95, most] = stretch(&report);
    assert!(p95 < 0.03 && most < 0.25, "{}", report["stretch"]);
    let deepest = report["penetration"]["max_mm"].as_f64().expect("a number");
    assert!(deepest < 3.0, "{deepest} mm");
}

#[test]
fn legs_do_not_come_through_the_large_faces_of_a_coarse_skirt() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut mesh = Mesh::default();
    // Edges of up to 120 mm: shins and feet fit between its vertices.
    mesh.skirt("skirt", 18, 10, 0.0);
    mesh.write(&folder.path().join("skirt.obj"));
    let flags = "--animation walk --pin loop:top --frames 0..20 --preroll 20 --simulate-as 180 --out out.pc2";
    let report = beside_walker(folder.path(), "bake", Path::new("skirt.obj"), flags);
    let [p95, most] = stretch(&report);
    assert!(p95 < 0.01 && most < 0.10, "{}", report["stretch"]);
    let deepest = report["penetration"]["through_faces"]["max_mm"].as_f64().expect("a number");
    assert!(deepest < 3.0, "{deepest} mm");
}

#[test]
fn cloth_too_coarse_for_the_body_is_simulated_as_finer_cloth_unless_told_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut mesh = Mesh::default();
    mesh.skirt("skirt", 8, 5, 0.0);
    mesh.write(&folder.path().join("skirt.obj"));
    let bake = |flags: &str| {
        let flags = format!("--animation walk --pin loop:top --frames 0..2 --preroll 5 --out out.obj --force {flags}");
        let output = output_beside_walker(folder.path(), "bake", Path::new("skirt.obj"), &flags);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let notices: Vec<String> = serde_json::from_value(report["notices"].clone()).expect("notices");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(notices.iter().all(|notice| said.contains(notice)), "{said} {notices:?}");
        (report["garment"]["simulated_particles"].as_u64().expect("a number"), notices.join("\n"))
    };
    let (particles, notices) = bake("");
    assert!((200..2000).contains(&particles), "{particles}");
    assert!(notices.contains("too long to follow a body"), "{notices}");
    assert!(notices.contains("--simulate-as 40 simulates it as it is"), "{notices}");
    let (particles, notices) = bake("--simulate-as 40");
    assert_eq!(particles, 40);
    assert!(!notices.contains("too long"), "{notices}");
    let (particles, notices) = bake("--simulate-as 500");
    assert!((300..800).contains(&particles), "{particles}");
    assert!(!notices.contains("too long"), "{notices}");
}

#[test]
fn inspect_tells_of_shoes_that_the_body_will_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut suit = Mesh::default();
    suit.skirt("skirt", 24, 10, 0.0);
    suit.grid("Shoe_L", 4, 4, false, |column, row| [0.1 + 0.03 * column as f64, 0.05, 0.05 * row as f64]);
    suit.write(&folder.path().join("suit.obj"));
    let facts = beside_walker(folder.path(), "inspect", Path::new("suit.obj"), "");
    let notes = facts["fit"]["notes"].as_array().expect("notes");
    let tells = |note: &Value| note.as_str().is_some_and(|note| note.contains("`Shoe_L` (16 vertices)"));
    assert!(notes.iter().any(tells), "{notes:?}");
}

#[test]
fn inspect_looks_at_what_is_included_of_a_garment() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut suit = Mesh::default();
    suit.skirt("skirt", 24, 10, 0.01);
    // A tube in the chest, above the skirt.
    suit.grid("lining", 12, 4, true, |column, row| {
        let angle = TAU * column as f64 / 12.0;
        [0.02 * libm::cos(angle), 1.3 - 0.02 * row as f64, 0.02 * libm::sin(angle)]
    });
    suit.write(&folder.path().join("suit.obj"));
    let fit = |flags: &str| {
        let flags = format!("--garment-pose bind {flags}");
        beside_walker(folder.path(), "inspect", Path::new("suit.obj"), &flags)["fit"].clone()
    };
    let numbers = |fit: &Value| -> Vec<u64> {
        fit["loops"].as_array().expect("loops").iter().filter_map(|l| l["number"].as_u64()).collect()
    };
    let inside = |fit: &Value| fit["overlap"]["vertices"].as_u64().expect("a number");
    let all = fit("");
    assert_eq!(numbers(&all), [0, 1, 2, 3]);
    for (flags, words) in
        [("--include group:sk*", "--include 'group:sk*'"), ("--exclude group:lining", "--exclude group:lining")]
    {
        let skirt = fit(flags);
        assert_eq!(numbers(&skirt), [2, 3], "{flags}");
        assert_eq!(inside(&all) - inside(&skirt), 48, "{flags}");
        assert_eq!(skirt["pin"], "loop:top");
        assert!(skirt["command"].as_str().is_some_and(|command| command.contains(words)), "{}", skirt["command"]);
    }
}

#[test]
fn a_body_sequence_and_a_garment_that_are_z_up_are_told_by_inspect_and_noted_by_bake() {
    let folder = tempfile::tempdir().expect("a folder");
    let tube = |radius: f64, [from, to]: [f64; 2]| {
        move |column: usize, row: usize| {
            let angle = TAU * column as f64 / 24.0;
            [radius * libm::cos(angle), radius * libm::sin(angle), from + (to - from) * row as f64 / 10.0]
        }
    };
    let [mut body, mut skirt] = [Mesh::default(), Mesh::default()];
    body.grid("body", 24, 11, true, tube(0.15, [0.0, 1.7]));
    body.write(&folder.path().join("body_1.obj"));
    skirt.grid("skirt", 24, 11, true, tube(0.17, [1.0, 0.4]));
    skirt.write(&folder.path().join("skirt.obj"));
    let run = |command: &str, flags: &str| {
        let line = format!("{command} --garment skirt.obj --body body_1.obj {flags}");
        let mut toile = Command::new(env!("CARGO_BIN_EXE_toile"));
        toile.args(line.split_whitespace()).current_dir(folder.path()).output().expect("toile runs")
    };
    let facts: Value = serde_json::from_slice(&run("inspect", "--json").stdout).expect("JSON");
    assert_eq!(facts["fit"]["flags"], serde_json::json!(["--up z", "--body-up z"]));
    assert_eq!(facts["fit"]["pin"], "loop:top");
    let baked = |flags: &str| run("bake", &format!("--frames 0..1 --preroll 2 --force --json --out out.pc2 {flags}"));
    let said = |flags: &str| String::from_utf8(baked(flags).stderr).expect("text");
    assert!(said("").contains("add --body-up z"), "{}", said(""));
    let report: Value = serde_json::from_slice(&baked("").stdout).expect("JSON");
    for words in ["add --body-up z", "nothing is pinned"] {
        let has = |notice: &Value| notice.as_str().is_some_and(|notice| notice.contains(words));
        assert!(report["notices"].as_array().expect("a list").iter().any(has), "{}", report["notices"]);
    }
    assert!(!said("--up z --body-up z").contains("--body-up z"));
}

#[test]
fn what_a_body_wears_in_its_file_is_as_large_and_stands_as_it_does() {
    let folder = tempfile::tempdir().expect("a folder");
    // A table, and a banner that hangs above it: turned over it would go through the table's edge.
    let [mut table, mut banner] = [Mesh::default(), Mesh::default()];
    let across = |place: usize| 100.0 * place as f64 - 400.0;
    table.grid("table", 9, 9, false, |column, row| [across(column), 0.0, across(row)]);
    table.grid("top", 9, 9, false, |column, row| [across(column), 10.0, across(row)]);
    banner.grid("banner", 9, 9, false, |column, row| [0.0, 200.0 + 60.0 * row as f64, across(column)]);
    fs::write(folder.path().join("hall.gltf"), scene_of(&[("Table", &table), ("Banner", &banner)])).expect("a file");
    let line = "inspect --json --garment hall.gltf --include group:Banner --body hall.gltf --body-units mm";
    let mut toile = Command::new(env!("CARGO_BIN_EXE_toile"));
    let output = toile.args(line.split_whitespace()).current_dir(folder.path()).output().expect("toile runs");
    let fit = &serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["fit"];
    assert_eq!(fit["flags"], serde_json::json!(["--units mm", "--body-units mm"]), "{fit}");
}

/// A glTF file with these meshes, each on a node of its own.
fn scene_of(meshes: &[(&str, &Mesh)]) -> String {
    use base64::Engine;
    let (mut bytes, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |values: &[[u8; 4]], count: usize, mut accessor: Value| {
        views.push(serde_json::json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * values.len() }));
        bytes.extend_from_slice(values.as_flattened());
        accessor["bufferView"] = accessors.len().into();
        accessor["count"] = count.into();
        accessors.push(accessor);
        accessors.len() - 1
    };
    let mut parts = Vec::new();
    for (_, mesh) in meshes {
        let places: Vec<[u8; 4]> = mesh.vertices.iter().flatten().map(|&x| (x as f32).to_le_bytes()).collect();
        let quads = mesh.groups.iter().flat_map(|(_, quads)| quads);
        let corners: Vec<[u8; 4]> = quads
            .flat_map(|quad| [quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]])
            .map(|corner| (corner as u32).to_le_bytes())
            .collect();
        let place = serde_json::json!({ "componentType": 5126, "type": "VEC3" });
        let positions = add(&places, mesh.vertices.len(), place);
        let indices = add(&corners, corners.len(), serde_json::json!({ "componentType": 5125, "type": "SCALAR" }));
        parts.push(serde_json::json!({
            "primitives": [{ "attributes": { "POSITION": positions }, "indices": indices }]
        }));
    }
    let nodes: Vec<Value> =
        meshes.iter().enumerate().map(|(i, (name, _))| serde_json::json!({ "name": name, "mesh": i })).collect();
    let uri = base64::engine::general_purpose::STANDARD.encode(&bytes);
    serde_json::json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes,
        "meshes": parts,
        "bufferViews": views,
        "accessors": accessors,
        "buffers": [{
            "byteLength": bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{uri}")
        }]
    })
    .to_string()
}

#[test]
fn a_skirt_that_is_too_narrow_is_brought_out_and_the_width_that_fits_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let skirt = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/short_skirt.obj");
    let scaled = |name: &str, percent: f64| {
        let place = |line: &str| {
            let [x, y, z] =
                [1, 2, 3].map(|k| line.split(' ').nth(k).and_then(|n| n.parse::<f64>().ok()).expect("a number"));
            format!("v {} {y} {}\n", x * percent / 100.0, z * percent / 100.0)
        };
        let line = |line: &str| if line.starts_with("v ") { place(line) } else { format!("{line}\n") };
        let text = fs::read_to_string(&skirt).expect("a mesh");
        fs::write(folder.path().join(name), text.lines().map(line).collect::<String>()).expect("a file");
    };
    let overlap = |name: &str| beside_walker(folder.path(), "inspect", Path::new(name), "")["fit"]["overlap"].clone();
    scaled("narrow.obj", 80.0);
    let found = overlap("narrow.obj");
    assert_eq!(found["is_too_narrow"], true, "{found}");
    let width = found["fitting_width"].as_f64().expect("a width");
    assert!((105.0..135.0).contains(&width), "{width}");
    scaled("wider.obj", 0.8 * (width + 1.0));
    assert_eq!(overlap("wider.obj")["is_too_narrow"], false, "so scaled it fits");
    let flags = "--animation walk --pin loop:top --frames 0..4 --preroll 10 --simulate-as 900 --out out.pc2";
    let report = beside_walker(folder.path(), "bake", Path::new("narrow.obj"), flags);
    let notices = report["notices"].as_array().expect("notices");
    let tells = |notice: &Value| notice.as_str().is_some_and(|notice| notice.contains("too narrow"));
    assert!(notices.iter().any(tells), "{notices:?}");
    let deepest = report["penetration"]["max_mm"].as_f64().expect("a number");
    assert!(deepest < 10.0, "{deepest} mm");
}

#[test]
fn a_garment_tucked_in_at_its_pins_is_brought_out_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let tube = |rows: usize, top: f64, length: f64, radius: fn(usize) -> f64| {
        let mut mesh = Mesh::default();
        mesh.grid("tube", 48, rows, true, |column, row| {
            let angle = TAU * column as f64 / 48.0;
            let y = top - length * row as f64 / (rows - 1) as f64;
            [radius(row) * libm::cos(angle), y, radius(row) * libm::sin(angle)]
        });
        mesh
    };
    tube(41, 1.7, 1.7, |_| 0.15).write(&folder.path().join("body_1.obj"));
    // Its waist is 6 mm deep, and its ninth row touches the skin; the rows between lie outside.
    let radius = |row| {
        if row < 2 {
            0.144
        } else if row == 8 {
            0.149
        } else {
            0.158
        }
    };
    tube(21, 1.0, 0.4, radius).write(&folder.path().join("skirt.obj"));
    let line = "bake --garment skirt.obj --body body_1.obj --pin loop:top --frames 0..3 --preroll 15 --out out.obj";
    let toile = Command::new(env!("CARGO_BIN_EXE_toile")).args(line.split(' ')).current_dir(folder.path()).output();
    let toile = toile.expect("toile runs");
    let said = String::from_utf8_lossy(&toile.stderr);
    assert!(said.contains("96 vertices of the garment, pins among them"), "{said}");
    let radii: Vec<f64> =
        places(&folder.path().join("out_0004.obj")).iter().map(|[x, _, z]| libm::hypot(*x, *z)).collect();
    let [waist, touching] = [0, 8 * 48].map(|first| &radii[first..first + 48]);
    assert!(waist.iter().all(|&r| r < 0.146), "stays tucked in: {waist:?}");
    assert!(touching.iter().all(|&r| r > 0.15), "{touching:?}");
}
