//! `toile preview` as users see it: files that hold what was asked for, and errors in plain words.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs toile in `folder`, which also keeps what previews simulate.
fn toile(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    command.args(arguments).current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache")).env("HOME", folder);
    command.output().expect("toile runs")
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = toile(folder, arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {message}");
    message
}

fn refused(folder: &Path, arguments: &[&str], code: i32, words: &str) {
    let output = toile(folder, arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    assert!(message.contains(words), "{arguments:?}: `{words}` is not in\n{message}");
}

/// A picture of three bytes a pixel.
struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

fn png(path: &Path) -> Pixels {
    let file = fs::read(path).expect("a file");
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    Pixels { width: info.width as usize, height: info.height as usize, bytes }
}

impl Pixels {
    /// Pixels that are not nearly grey: the flag and the skirts have a colour, what is around them has none.
    fn coloured(&self) -> usize {
        let is_coloured = |p: &&[u8]| p.iter().max().unwrap_or(&0) - p.iter().min().unwrap_or(&0) > 25;
        self.bytes.chunks(3).filter(is_coloured).count()
    }
}

fn temporary() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn a_sheet_has_a_picture_for_each_frame_and_view_and_a_second_look_simulates_nothing() {
    let folder = temporary();
    let folder = folder.path();
    let ask = ["preview", "flag", "--frames", "0..9", "--view", "front,back", "--count", "3", "--size", "120x160"];
    let first = done(folder, &[&ask[..], &["--out", "a.png"]].concat());
    assert!(first.contains("simulating"), "{first}");
    let second = done(folder, &[&ask[..], &["--out", "b.png"]].concat());
    assert!(!second.contains("simulating"), "{second}");
    let [a, b] = ["a.png", "b.png"].map(|name| fs::read(folder.join(name)).expect("a file"));
    assert!(a == b, "the second look shows something else");
    let sheet = png(&folder.join("a.png"));
    assert!(sheet.width >= 3 * 120 && sheet.height >= 2 * 160);
    assert!(sheet.coloured() > 1000, "{} coloured pixels", sheet.coloured());
    let third = done(folder, &[&ask[..], &["--out", "c.png", "--no-cache"]].concat());
    assert!(third.contains("simulating"));
    assert!(a == fs::read(folder.join("c.png")).expect("a file"), "kept frames are not those that were simulated");
    done(folder, &["preview", "flag", "--frames", "3,7..8", "--size", "120x160", "--out", "d.png"]);
    let chosen = png(&folder.join("d.png"));
    assert!((3 * 120..4 * 120).contains(&chosen.width), "{} pixels wide", chosen.width);
}

#[test]
fn a_damaged_kept_simulation_is_made_again() {
    let folder = temporary();
    let folder = folder.path();
    let ask = |out| ["preview", "flag", "--frames", "0..3", "--size", "60x80", "--out", out];
    done(folder, &ask("a.png"));
    let kept = folder.join("cache/toile/previews");
    let file = fs::read_dir(&kept).expect("kept").next().expect("a file").expect("an entry").path();
    let bytes = fs::read(&file).expect("bytes");
    fs::write(&file, &bytes[..bytes.len() / 2]).expect("cut off");
    let again = done(folder, &ask("b.png"));
    assert!(again.contains("simulating"), "{again}");
    assert!(fs::read(folder.join("a.png")).expect("a file") == fs::read(folder.join("b.png")).expect("a file"));
}

#[test]
fn a_folder_is_shown_as_the_sequence_in_it_unless_a_scene_has_its_name() {
    let folder = temporary();
    let folder = folder.path();
    for name in ["flag", "walk"] {
        fs::create_dir(folder.join(name)).expect("a folder");
    }
    for frame in ["walk_-01.obj", "walk_000.obj"] {
        fs::write(folder.join("walk").join(frame), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("a file");
    }
    for name in ["flag", "walk"] {
        done(folder, &["preview", name, "--frames", "0", "--size", "80x100", "--out", &format!("{name}.png")]);
    }
    assert!(png(&folder.join("flag.png")).coloured() > 100, "the scene");
}

#[test]
fn bakes_are_shown_as_they_play() {
    let folder = temporary();
    let folder = folder.path();
    done(
        folder,
        &["bake", "flag", "--frames", "0..11", "--out", "flag.glb", "--out", "flag.pc2", "--out", "seq/flag.obj"],
    );
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/flag.obj");
    let mesh = mesh.to_str().expect("a path");
    let size = ["--size", "90x120"];
    done(folder, &[&["preview", "flag.glb", "--out", "glb.png"][..], &size].concat());
    done(folder, &[&["preview", "flag.pc2", "--mesh", mesh, "--out", "pc2.png"][..], &size].concat());
    done(folder, &[&["preview", "seq/flag_0001.obj", "--out", "obj.png"][..], &size].concat());
    // The same frames of the same mesh from the same place: but for its colour the same pictures.
    let silhouette = |name: &str| -> Vec<bool> {
        let picture = png(&folder.join(name));
        picture.bytes.chunks(3).map(|p| p[0].abs_diff(236) > 40).collect()
    };
    let [glb, pc2, obj] = ["glb.png", "pc2.png", "obj.png"].map(silhouette);
    let differing = |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|(a, b)| a != b).count();
    assert_eq!(glb.len(), pc2.len());
    assert!(differing(&pc2, &obj) < pc2.len() / 100, "{} of {}", differing(&pc2, &obj), pc2.len());
    assert!(pc2.iter().filter(|&&covered| covered).count() > pc2.len() / 50);
}

/// A sheet of triangles in the plane z = 0, a metre wide and high, and a point cache that stretches it sideways by `stretch`.
fn stretched_sheet(folder: &Path, stretch: f32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    const SIDE: u32 = 13;
    let place = |i: u32| [(i % SIDE) as f32 / 12.0, (i / SIDE) as f32 / 12.0, 0.0];
    let positions: Vec<[f32; 3]> = (0..SIDE * SIDE).map(place).collect();
    let cells = (0..SIDE * (SIDE - 1)).filter(|i| i % SIDE != SIDE - 1);
    let triangles: Vec<[u32; 3]> =
        cells.flat_map(|i| [[i, i + 1, i + SIDE + 1], [i, i + SIDE + 1, i + SIDE]]).collect();
    let vertices = positions.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = triangles.iter().map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1));
    fs::write(folder.join("sheet.obj"), vertices.chain(faces).collect::<String>()).expect("a mesh");
    let header = [1_u32, positions.len() as u32];
    let mut cache = b"POINTCACHE2\0".to_vec();
    cache.extend(header.iter().flat_map(|n| n.to_le_bytes()));
    cache.extend([0.0_f32, 1.0].iter().flat_map(|n| n.to_le_bytes()));
    cache.extend(1_u32.to_le_bytes());
    cache.extend(positions.iter().flat_map(|[x, y, z]| [x * (1.0 + stretch), *y, *z]).flat_map(f32::to_le_bytes));
    fs::write(folder.join("sheet.pc2"), cache).expect("a point cache");
    (positions, triangles)
}

/// The colour that most of the middle of a picture has, in linear light.
fn middle(picture: &Pixels) -> [f32; 3] {
    let rows = picture.height / 2..picture.height * 3 / 4;
    let pixels =
        rows.flat_map(|y| (picture.width * 2 / 5..picture.width * 3 / 5).map(move |x| 3 * (y * picture.width + x)));
    let mut pixels: Vec<&[u8]> = pixels.map(|at| &picture.bytes[at..at + 3]).collect();
    pixels.sort();
    let linear = |byte: u8| libm::powf((f32::from(byte) / 255.0 + 0.055) / 1.055, 2.4);
    [0, 1, 2].map(|channel| linear(pixels[pixels.len() / 2][channel]))
}

#[test]
fn strain_colours_are_those_of_the_stretch_between_the_positions() {
    let folder = temporary();
    let folder = folder.path();
    for stretch in [0.05, -0.04, 0.15] {
        let (positions, triangles) = stretched_sheet(folder, stretch);
        let ask = ["preview", "sheet.pc2", "--mesh", "sheet.obj", "--view", "front", "--size", "200x200", "--force"];
        done(folder, &[&ask[..], &["--show", "strain", "--out", "strain_#.png"]].concat());
        done(folder, &[&ask[..], &["--show", "shaded", "--out", "shaded_#.png"]].concat());
        // The stretch of the edges at a vertex in the middle of the sheet.
        let vertex = 6 * 13 + 6;
        let length = |[a, b]: [u32; 2], scale: f32| {
            let [a, b] = [a, b].map(|v| positions[v as usize]);
            ((a[0] - b[0]) * scale).hypot(a[1] - b[1])
        };
        let edges = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]);
        let own: std::collections::BTreeSet<[u32; 2]> = edges.filter(|edge| edge.contains(&vertex)).collect();
        let stretches = own.iter().map(|&edge| length(edge, 1.0 + stretch) / length(edge, 1.0) - 1.0);
        let mean = stretches.sum::<f32>() / own.len() as f32;
        let expected = toile::preview::strain_colour(mean, toile::preview::FULL_STRAIN);
        // The same light falls on both pictures; plain cloth has one colour.
        let [strain, shaded] = ["strain_0.png", "shaded_0.png"].map(|name| middle(&png(&folder.join(name))));
        let plain = toile::preview::from_srgb([64, 120, 168]);
        for channel in 0..3 {
            let light = shaded[channel] / plain[channel];
            let found = strain[channel] / light;
            assert!((found - expected[channel]).abs() < 0.03, "{stretch}: {channel}: {found} for {expected}");
        }
    }
}

#[test]
fn everything_that_can_be_shown_is_shown_of_a_scene_and_refused_of_what_lacks_it() {
    let folder = temporary();
    let folder = folder.path();
    let ask = |subject: &'static str, show: &'static str, out: &'static str| {
        ["preview", subject, "--frames", "0..1", "--count", "1", "--size", "80x100", "--show", show, "--out", out]
    };
    let mut pictures = Vec::new();
    for show in ["shaded", "wire", "strain", "springs", "map", "contacts", "states", "penetration"] {
        done(folder, &[&ask("tablecloth", show, "a.png")[..], &["--force"]].concat());
        pictures.push(fs::read(folder.join("a.png")).expect("a picture"));
    }
    for (index, picture) in pictures.iter().enumerate() {
        assert!(!pictures[..index].contains(picture), "two of them show the same");
    }
    fs::write(folder.join("tri.obj"), TRIANGLE).expect("a mesh");
    for show in ["springs", "map", "contacts", "states", "penetration"] {
        refused(folder, &ask("tri.obj", show, "b.png"), 2, "needs a scene");
    }
    for show in ["contacts", "penetration"] {
        refused(folder, &ask("curtain", show, "b.png"), 2, "needs a body");
    }
    refused(folder, &ask("tablecloth", "springs", "b.html"), 2, "a page shows no springs");
    refused(folder, &ask("tablecloth", "map", "b.gif"), 2, "do not move");
    assert!(!folder.join("b.png").exists() && !folder.join("b.html").exists() && !folder.join("b.gif").exists());
}

#[test]
fn animations_have_every_frame() {
    let folder = temporary();
    let folder = folder.path();
    let ask = ["preview", "flag", "--frames", "0..7", "--size", "64x64"];
    done(folder, &[&ask[..], &["--out", "a.gif"]].concat());
    done(folder, &[&ask[..], &["--out", "a.png", "--animated"]].concat());
    done(folder, &[&ask[..], &["--out", "frames/f_####.png"]].concat());
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(fs::File::open(folder.join("a.gif")).expect("a file")).expect("a GIF");
    let mut pictures = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        pictures.push(frame.buffer.to_vec());
    }
    assert_eq!(pictures.len(), 8);
    assert!(pictures[0] != pictures[7], "nothing moves");
    let file = fs::read(folder.join("a.png")).expect("a file");
    let reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
    assert_eq!(reader.info().animation_control().map(|control| control.num_frames), Some(8));
    assert_eq!(fs::read_dir(folder.join("frames")).expect("a folder").count(), 8);
    assert!(png(&folder.join("frames/f_0007.png")).coloured() > 100);
}

#[test]
fn pictures_are_the_same_for_any_number_of_threads() {
    let folder = temporary();
    let folder = folder.path();
    for threads in ["1", "3"] {
        let out = format!("{threads}.gif");
        done(folder, &["preview", "flag", "--frames", "0..3", "--size", "64x64", "--threads", threads, "--out", &out]);
    }
    assert!(fs::read(folder.join("1.gif")).expect("a file") == fs::read(folder.join("3.gif")).expect("a file"));
}

#[test]
fn what_cannot_be_shown_is_refused_in_plain_words() {
    let folder = temporary();
    let folder = folder.path();
    fs::write(folder.join("a.pc2"), b"POINTCACHE2\0").expect("written");
    fs::write(folder.join("there.png"), b"").expect("written");
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/flag.obj");
    let mesh = mesh.to_str().expect("a path");
    refused(folder, &["preview", "flag", "--out", "a.bmp"], 2, "no such format");
    refused(folder, &["preview", "flag", "--out", "there.png"], 2, "there.png");
    refused(folder, &["preview", "flga", "--out", "a.png"], 2, "did you mean `flag`?");
    refused(folder, &["preview", "--out", "a.png"], 2, "--all");
    refused(folder, &["preview", "none.glb", "--out", "a.png"], 66, "no such file");
    refused(folder, &["preview", "a.pc2", "--out", "a.png"], 2, "--mesh");
    refused(folder, &["preview", "a.pc2", "--mesh", mesh, "--out", "a.png"], 65, "no Point Cache 2");
    refused(folder, &["preview", mesh, "--frames", "5..9", "--out", "a.png"], 2, "frames 0 to 0");
    refused(folder, &["preview", mesh, "--frames", "0,3", "--out", "a.png"], 2, "frames 0 to 0");
    refused(folder, &["preview", mesh, "--size", "9x9", "--out", "a.png"], 2, "WIDTHxHEIGHT");
    refused(folder, &["preview", mesh, "--force", "--out", mesh], 2, "no such format");
    assert!(!folder.join("a.png").exists());
}

#[test]
fn a_preview_leaves_the_files_that_its_subject_names_alone() {
    let folder = temporary();
    let folder = folder.path();
    fs::write(folder.join("cloth.obj"), format!("mtllib cloth.mtl\nusemtl red\n{TRIANGLE}")).expect("written");
    fs::write(folder.join("cloth.mtl"), "newmtl red\nmap_Kd cloth_0000.png\n").expect("written");
    fs::write(folder.join("cloth_0000.png"), b"a picture").expect("written");
    for out in ["cloth_0000.png", "cloth_####.png"] {
        refused(folder, &["preview", "cloth.obj", "--force", "--out", out], 2, "write to another name");
    }
    assert_eq!(fs::read(folder.join("cloth_0000.png")).expect("a file"), b"a picture");
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0.5\nf 1 2 3\n";

#[test]
fn a_page_plays_the_frames_that_were_asked_for() {
    let folder = TempDir::new().expect("a folder");
    done(folder.path(), &["preview", "flag", "--frames", "3..7", "--out", "flag.html"]);
    let page = fs::read_to_string(folder.path().join("flag.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("\"first\":3,\"frames\":5,") && page.contains("\"kind\":\"cloth\""));
    assert!(!page.contains("://"), "a page loads nothing");
}

#[cfg(unix)]
#[test]
fn open_shows_a_page_that_stays_and_says_so_if_nothing_opens_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("tri.obj"), TRIANGLE).expect("a mesh");
    let shown = |program: &str| {
        let opener = folder.path().join(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
        fs::write(&opener, program).expect("a program");
        fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("a program");
        let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
        command.args(["preview", "tri.obj", "--open"]).current_dir(folder.path());
        command.env("PATH", folder.path()).env("TMPDIR", folder.path()).output().expect("toile runs")
    };
    let output = shown("#!/bin/sh\nprintf %s \"$1\" > opened\n");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let opened = fs::read_to_string(folder.path().join("opened")).expect("it was opened");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), opened);
    assert!(fs::read_to_string(opened).expect("the page stays").contains("\"vertices\":3"));
    let output = shown("#!/bin/sh\nexit 3\n");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(74), "{message}");
    assert!(message.contains("written, but no browser opened it"), "{message}");
    // What is not written leaves nothing behind.
    let pages = || {
        let entries = fs::read_dir(folder.path()).expect("a folder").map(|e| e.expect("an entry").path());
        entries.filter(|path| path.extension().is_some_and(|e| e == "html")).count()
    };
    let before = pages();
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    command.args(["preview", "none.obj", "--open"]).current_dir(folder.path()).env("TMPDIR", folder.path());
    assert_eq!(command.output().expect("toile runs").status.code(), Some(66));
    assert_eq!((before, pages()), (2, 2));
}

#[test]
fn only_pages_are_opened() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("tri.obj"), TRIANGLE).expect("a mesh");
    refused(folder.path(), &["preview", "tri.obj", "--open", "--out", "tri.png"], 2, "--open shows pages only");
    refused(folder.path(), &["preview", "tri.obj"], 2, "--out");
}
