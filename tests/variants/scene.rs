//! A small skirt on a variant, baked by the command.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use toile::geometry::{DAffine3, DVec3};

/// Columns around and rows down of the skirt.
const COLUMNS: usize = 36;
const ROWS: usize = 20;

/// What a bake is told.
#[derive(Clone, Debug)]
pub(crate) struct Bake<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) garment: &'a str,
    /// More flags, by spaces.
    pub(crate) flags: &'a str,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Baked {
    pub(crate) code: Option<i32>,
    pub(crate) messages: String,
    pub(crate) report: Value,
    /// Vertices of all frames, as the OBJ sequence has them.
    pub(crate) frames: Vec<Vec<DVec3>>,
}

/// Where a garment's file has it.
type Place = DAffine3;

/// The text of the skirt's file, every other row and third column of the built-in short skirt.
pub(crate) fn garment(place: &Place) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/short_skirt.obj");
    let text = fs::read_to_string(path).expect("the skirt");
    let vertices: Vec<DVec3> = text.lines().filter_map(|line| line.strip_prefix("v ")).map(point).collect();
    let mut obj = String::new();
    for (row, column) in (0..ROWS * COLUMNS).map(|i| (i / COLUMNS, i % COLUMNS)) {
        let p = place.transform_point3(vertices[2 * row * 3 * COLUMNS + 3 * column]);
        writeln!(obj, "v {:.7} {:.7} {:.7}", p.x, p.y, p.z).expect("text");
    }
    for (row, column) in (0..(ROWS - 1) * COLUMNS).map(|i| (i / COLUMNS, i % COLUMNS)) {
        let (next, at) = ((column + 1) % COLUMNS, |row: usize, column: usize| row * COLUMNS + column + 1);
        writeln!(obj, "f {} {} {} {}", at(row, column), at(row, next), at(row + 1, next), at(row + 1, column))
            .expect("text");
    }
    obj
}

fn point(text: &str) -> DVec3 {
    let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    DVec3::new(numbers[0], numbers[1], numbers[2])
}

/// Bakes into a folder of its own.
pub(crate) fn bake(bake: &Bake<'_>) -> Baked {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("body.glb"), bake.body).expect("written");
    fs::write(at("skirt.obj"), bake.garment).expect("written");
    let line = "bake --garment skirt.obj --body body.glb --pin loop:top --fabric denim --out out.obj --report r.json";
    let output = Command::new(env!("CARGO_BIN_EXE_toile"))
        .args(line.split_whitespace().chain(bake.flags.split_whitespace()))
        .current_dir(folder.path())
        .output()
        .expect("toile runs");
    let report = fs::read(at("r.json")).map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).expect("JSON"));
    let mut files: Vec<_> =
        fs::read_dir(folder.path()).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.to_string_lossy().contains("out_"));
    files.sort();
    let vertices = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).expect("a frame");
        text.lines().filter_map(|line| line.strip_prefix("v ")).map(point).collect()
    };
    Baked {
        code: output.status.code(),
        messages: String::from_utf8_lossy(&output.stderr).into_owned(),
        report,
        frames: files.iter().map(vertices).collect(),
    }
}

impl Baked {
    /// A number of the report.
    pub(crate) fn number(&self, path: &str) -> f64 {
        let found = path.split('.').fold(&self.report, |value, key| &value[key]);
        found.as_f64().unwrap_or(f64::NAN)
    }

    /// Largest distance of a vertex from where another bake has it, brought to `place`, metres there.
    pub(crate) fn distance_from(&self, other: &Baked, place: &Place) -> f64 {
        if self.frames.len() != other.frames.len() {
            return f64::INFINITY;
        }
        let pairs = self.frames.iter().flatten().zip(other.frames.iter().flatten());
        pairs.map(|(a, b)| a.distance(place.transform_point3(*b))).fold(0.0, f64::max)
    }
}
